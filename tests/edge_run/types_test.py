"""DuckDB, PyArrow, Polars and ClickHouse read every type exactly, also where a column is null in a whole file, over two files
(complaints C46, C47, C48, C50, C51, C59, C62)."""

import datetime
import decimal
import os
import struct
import unittest
from pathlib import Path

import chdb
import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

from harness import Pipeline

UTC = datetime.timezone.utc
TYPES = {
    "b": "bool", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "u8", "u16": "u16", "u32": "u32",
    "f32": "f32", "f64": "f64", "d9": "decimal(9,2)", "d18": "decimal(18,4)", "d38": "decimal(38,10)",
    "s": "string", "bin": "binary", "ts": "timestamp", "day": "date", "j": "json",
}  # fmt: skip
U64 = {"u64": "u64"}


def datasets(types):
    fields = ", ".join(
        f'{{ id: {1000 + i}, name: {name}, type: "{kind}" }}' for i, (name, kind) in enumerate(types.items())
    )
    return f"[{{ id: all, fields: [{fields}] }}]"


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


# Text of the JSON value, and the value a reader must give.
ROWS = [
    {"b": ("true", True), "i8": ("-128", -128), "i16": ("-32768", -32768), "i32": ("-2147483648", -(2**31)),
     "i64": ("-9223372036854775808", -(2**63)), "u8": ("255", 255), "u16": ("65535", 65535), "u32": ("4294967295", 2**32 - 1),
     "f32": ("0.1", f32(0.1)), "f64": ("0.1", 0.1), "d9": ("-9999999.99", decimal.Decimal("-9999999.99")),
     "d18": ("99999999999999.9999", decimal.Decimal("99999999999999.9999")),
     "d38": ("-1234567890123456789012345678.0123456789", decimal.Decimal("-1234567890123456789012345678.0123456789")),
     "s": ('"Zo\\u00eb \\ud83c\\udf0a \\"q\\""', 'Zoë 🌊 "q"'), "bin": ('"/wAB"', b"\xff\x00\x01"),
     "ts": ('"2026-11-30T10:00:00.123456Z"', datetime.datetime(2026, 11, 30, 10, 0, 0, 123456, UTC)),
     "day": ('"1969-12-31"', datetime.date(1969, 12, 31)), "j": ('{"a": [1, 273.90]}', '{"a": [1, 273.90]}'),
     "u64": ("18446744073709551615", 2**64 - 1)},
    {"b": ("false", False), "i8": ("127", 127), "i16": ("1e3", 1000), "i32": ("7.0", 7),
     "i64": ("9007199254740993", 9007199254740993), "u8": ("0", 0), "u16": ("0", 0), "u32": ("2147483648", 2**31),
     "f32": ("-3.4028235e38", f32(-3.4028235e38)), "f64": ("1.7976931348623157e308", 1.7976931348623157e308),
     "d9": ("0.01", decimal.Decimal("0.01")), "d18": ("-1", decimal.Decimal("-1.0000")),
     "d38": ("1e-10", decimal.Decimal("0.0000000001")), "s": ('""', ""), "bin": ('""', b""),
     "ts": ('"1969-12-31T23:59:59.999999-00:00"', datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)),
     "day": ('"2026-11-30"', datetime.date(2026, 11, 30)), "j": ('"t\\u0065xt"', '"t\\u0065xt"'),
     "u64": ("9223372036854775808", 2**63)},
    {},
]  # fmt: skip


def line(row, types):
    return "{" + ", ".join(f'"{name}": {row[name][0]}' for name in types if name in row) + "}"


def utc(value):
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return value


def read_duckdb(paths, names):
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        columns = ", ".join(f'epoch_us("{n}")' if n == "ts" else f'"{n}"' for n in names)
        rows = db.execute(f"SELECT {columns} FROM read_parquet({paths}, union_by_name = true) ORDER BY _wal_position").fetchall()
    at = names.index("ts") if "ts" in names else None
    epoch = datetime.datetime(1970, 1, 1, tzinfo=UTC)
    return [
        [epoch + datetime.timedelta(microseconds=v) if i == at and v is not None else v for i, v in enumerate(row)]
        for row in rows
    ]


def read_pyarrow(paths, names):
    tables = [pyarrow.parquet.ParquetFile(path).read() for path in paths]
    table = pyarrow.concat_tables(tables, promote_options="permissive").sort_by("_wal_position")
    return [list(row) for row in zip(*(table.column(name).to_pylist() for name in names))]


def read_polars(paths, names):
    frames = [polars.read_parquet(path, hive_partitioning=False) for path in paths]
    return [list(row) for row in polars.concat(frames, how="diagonal_relaxed").sort("_wal_position").select(names).rows()]


def query_clickhouse(query):
    return chdb.query(query, "ArrowTable")


def read_clickhouse(paths, names):
    """Reads the data set's folder. Its one type for text and bytes comes back as bytes; what is text is known here."""
    root = paths[0].split("/date=")[0]
    columns = ", ".join(f"`{name}`" for name in names)
    table = query_clickhouse(
        f"SELECT {columns} FROM file('{root}/**/*.parquet', 'Parquet') ORDER BY _wal_position"
        " SETTINGS schema_inference_mode = 'union', output_format_arrow_string_as_string = 0"
    )
    text = [name in ("s", "j", "later") for name in names]
    rows = zip(*(table.column(name).to_pylist() for name in names))
    return [[v.decode() if is_text and v is not None else v for v, is_text in zip(row, text)] for row in rows]


READERS = (read_duckdb, read_pyarrow, read_polars, read_clickhouse)


class TypesTest(unittest.TestCase):
    def expect_exact(self, types, config="{ rotation: { max_rows: 2 } }"):
        pipeline = Pipeline(datasets(types), config)
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [line(row, types) for row in ROWS])
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [str(path) for path in pipeline.ready("all")]
        self.assertEqual(len(paths), 2, done.stderr)
        names = list(types)
        expected = [[row[name][1] if name in row else None for name in names] for row in ROWS]
        for reader in READERS:
            with self.subTest(reader.__name__):
                got = [[utc(value) for value in row] for row in reader(paths, names)]
                self.assertEqual(got, expected)
        return paths

    def test_every_type(self):
        self.expect_exact({**TYPES, **U64})

    def test_every_type_with_snappy_and_without_compression(self):
        for codec in ("snappy", "none"):
            self.expect_exact(TYPES, f"{{ compression: {codec}, rotation: {{ max_rows: 2 }} }}")

    def test_unsigned_as_the_next_wider_signed_type(self):
        (path, _) = self.expect_exact(TYPES, "{ unsigned: signed, rotation: { max_rows: 2 } }")
        schema = pyarrow.parquet.read_schema(path)
        self.assertEqual([str(schema.field(n).type) for n in ("u8", "u16", "u32")], ["int16", "int32", "int64"])

    def test_nanoseconds_are_opt_in(self):
        pipeline = Pipeline('[{ id: all, fields: [{ id: 1000, name: ts, type: timestamp, format: epoch_ns }] }]',
                            "{ timestamp_unit: nanos }")  # fmt: skip
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", ['{"ts": 1796032800123456789}'])
        self.assertEqual(pipeline.run().returncode, 0)
        (path,) = pipeline.ready("all")
        table = pyarrow.parquet.ParquetFile(path).read()
        self.assertEqual(str(table.schema.field("ts").type), "timestamp[ns, tz=UTC]")
        self.assertEqual(table.column("ts").cast(pyarrow.int64()).to_pylist(), [1796032800123456789])

    def test_field_ids_are_unique_and_stable(self):
        (path, other) = self.expect_exact(TYPES)
        ids = []
        for p in (path, other):
            schema = pyarrow.parquet.read_schema(p)
            ids.append([int(field.metadata[b"PARQUET:field_id"]) for field in schema])
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(ids[0], [1, 2, 3, 4, 5, 6, *range(1000, 1000 + len(TYPES))])

    def test_files_of_two_schemas_read_as_one_table(self):
        wider = {"i8": "i64", "i16": "i32", "i32": "i64", "u8": "u16", "f32": "f64"}
        evolved = {**TYPES, **wider, "later": "string"}
        new = {**ROWS[1], "i8": ("-9223372036854775808", -(2**63)), "u8": ("65535", 65535), "f32": ("0.1", 0.1),
               "i32": ("9007199254740993", 9007199254740993), "later": ('"new"', "new")}  # fmt: skip
        pipeline = Pipeline(datasets(TYPES))
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [line(ROWS[0], TYPES)])
        self.assertEqual(pipeline.run().returncode, 0)
        pipeline.write(datasets(evolved))
        pipeline.put("b.jsonl", [line(new, evolved)])
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [str(path) for path in pipeline.ready("all")]
        self.assertEqual(len(paths), 2)
        names = list(evolved)
        expected = [[row[name][1] if name in row else None for name in names] for row in (ROWS[0], new)]
        for reader in READERS:
            with self.subTest(reader.__name__):
                self.assertEqual([[utc(value) for value in row] for row in reader(paths, names)], expected)

    def test_the_name_of_a_file_that_is_no_utf8_gives_a_topic_that_is(self):
        pipeline = Pipeline(datasets({"n": "i64"}))
        self.addCleanup(pipeline.close)
        Path(os.fsdecode(os.fsencode(pipeline.folder) + b"/in/\xffcaf\xc3\xa9.jsonl")).write_text('{"n": 1}\n')
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [str(path) for path in pipeline.ready("all")]
        for reader in (read_duckdb, read_pyarrow, read_polars):
            with self.subTest(reader.__name__):
                self.assertEqual(reader(paths, ["_topic", "n"]), [["files/%FFcafé.jsonl", 1]])

    def test_the_folder_of_a_data_set_is_one_dataset(self):
        paths = self.expect_exact(TYPES)
        self.assertIn("/date=", paths[0])
        table = pyarrow.dataset.dataset(paths[0].split("/date=")[0], partitioning="hive").to_table()
        self.assertEqual(table.num_rows, len(ROWS))
        self.assertEqual(table.column_names[-2:], ["date", "hour"])
        root = paths[0].split("/date=")[0]
        found = query_clickhouse(f"SELECT date, hour, count() AS rows FROM file('{root}/**/*.parquet', 'Parquet') GROUP BY ALL")
        day, hour = (paths[0].split(f"/{key}=")[1].split("/")[0] for key in ("date", "hour"))
        self.assertEqual([str(found.column("date")[0]), int(found.column("hour")[0].as_py())], [day, int(hour)])
        self.assertEqual(sum(found.column("rows").to_pylist()), len(ROWS))


if __name__ == "__main__":
    unittest.main(verbosity=2)
