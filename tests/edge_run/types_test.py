"""DuckDB, PyArrow, Polars and ClickHouse read every type exactly, also where a column is null in a whole file, over two files
(complaints C46, C47, C48, C50, C51, C59, C62)."""

import datetime
import os
import unittest
from pathlib import Path

import chdb
import duckdb
import polars
import pyarrow
import pyarrow.dataset
import pyarrow.parquet

from every_type import ROWS, TYPES, U64, UTC, datasets, line, utc, values
from harness import Pipeline


def read_duckdb(paths, names, nanos=False):
    unit = "ns" if nanos else "us"
    columns = ", ".join(f'epoch_{unit}("{n}")' if n == "ts" else f'"{n}"' for n in names)
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        rows = db.execute(f"SELECT {columns} FROM read_parquet({paths}, union_by_name = true) ORDER BY _wal_position").fetchall()
    if nanos or "ts" not in names:
        return [list(row) for row in rows]
    at = names.index("ts")
    epoch = datetime.datetime(1970, 1, 1, tzinfo=UTC)
    return [
        [epoch + datetime.timedelta(microseconds=v) if i == at and v is not None else v for i, v in enumerate(row)]
        for row in rows
    ]


def read_pyarrow(paths, names, nanos=False):
    tables = [pyarrow.parquet.ParquetFile(path).read() for path in paths]
    table = pyarrow.concat_tables(tables, promote_options="permissive").sort_by("_wal_position").select(names)
    if nanos:
        table = table.set_column(names.index("ts"), "ts", table.column("ts").cast(pyarrow.int64()))
    return [list(row) for row in zip(*(column.to_pylist() for column in table.columns))]


def read_polars(paths, names, nanos=False):
    frames = [polars.read_parquet(path, hive_partitioning=False) for path in paths]
    table = polars.concat(frames, how="diagonal_relaxed").sort("_wal_position").select(names)
    if nanos:
        table = table.with_columns(polars.col("ts").dt.epoch("ns"))
    return [list(row) for row in table.rows()]


def query_clickhouse(query):
    return chdb.query(query, "ArrowTable")


def read_clickhouse(paths, names, nanos=False):
    """Reads the data set's folder. Its one type for text and bytes comes back as bytes; what is text is known here."""
    root = paths[0].split("/date=")[0]
    columns = ", ".join("toUnixTimestamp64Nano(ts) AS ts" if nanos and n == "ts" else f"`{n}`" for n in names)
    table = query_clickhouse(
        f"SELECT {columns} FROM file('{root}/**/*.parquet', 'Parquet') ORDER BY _wal_position"
        " SETTINGS schema_inference_mode = 'union', output_format_arrow_string_as_string = 0"
    )
    text = [name in ("s", "j", "later") for name in names]
    rows = zip(*(table.column(name).to_pylist() for name in names))
    return [[v.decode() if is_text and v is not None else v for v, is_text in zip(row, text)] for row in rows]


READERS = (read_duckdb, read_pyarrow, read_polars, read_clickhouse)


class TypesTest(unittest.TestCase):
    def expect_read(self, paths, names, expected, nanos=False):
        for reader in READERS:
            with self.subTest(reader.__name__):
                got = [[utc(value) for value in row] for row in reader(paths, names, nanos)]
                self.assertEqual(got, expected)

    def expect_exact(self, types, config="{ rotation: { max_rows: 2 } }"):
        pipeline = Pipeline(datasets(types), config)
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [line(row, types) for row in ROWS])
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [str(path) for path in pipeline.ready("all")]
        self.assertEqual(len(paths), 2, done.stderr)
        self.expect_read(paths, list(types), values(ROWS, types))
        return paths

    def expect_exact_over_two_schemas(self, row, config="{}", nanos=False):
        """The row under one schema, then another under a wider one, in a file each."""
        types = {**TYPES, **U64}
        wider = {"i8": "i64", "i16": "i32", "i32": "i64", "u8": "u16", "f32": "f64"}
        evolved = {**types, **wider, "later": "string"}
        new = {**ROWS[1], "i8": ("-9223372036854775808", -(2**63)), "u8": ("65535", 65535), "f32": ("0.1", 0.1),
               "i32": ("9007199254740993", 9007199254740993), "later": ('"new"', "new"), "ts": row["ts"]}  # fmt: skip
        pipeline = Pipeline(datasets(types), config)
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [line(row, types)])
        self.assertEqual(pipeline.run().returncode, 0)
        pipeline.write(datasets(evolved), config)
        pipeline.put("b.jsonl", [line(new, evolved)])
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        paths = [str(path) for path in pipeline.ready("all")]
        self.assertEqual(len(paths), 2)
        self.expect_read(paths, list(evolved), values((row, new), evolved), nanos)
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
        for text, nanos in (('"2026-11-30T10:00:00.123456789Z"', 1796032800123456789), ('"1969-12-31T23:59:59.999999999Z"', -1)):
            row = {**ROWS[0], "ts": (text, nanos)}
            (path, _) = self.expect_exact_over_two_schemas(row, "{ timestamp_unit: nanos }", nanos=True)
            self.assertEqual(str(pyarrow.parquet.read_schema(path).field("ts").type), "timestamp[ns, tz=UTC]")

    def test_field_ids_are_unique_and_stable(self):
        (path, other) = self.expect_exact(TYPES)
        ids = []
        for p in (path, other):
            schema = pyarrow.parquet.read_schema(p)
            ids.append([int(field.metadata[b"PARQUET:field_id"]) for field in schema])
        self.assertEqual(ids[0], ids[1])
        self.assertEqual(ids[0], [1, 2, 3, 4, 5, 6, *range(1000, 1000 + len(TYPES))])

    def test_files_of_two_schemas_read_as_one_table(self):
        self.expect_exact_over_two_schemas(ROWS[0])

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
