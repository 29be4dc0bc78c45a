"""Every column of a segment is known by its field id, the same in every version of the program, and Iceberg reads segments by
these ids (complaint C62: without ids, or under other ids, a table is all null)."""

import unittest
from pathlib import Path

import pyarrow.parquet
from pyiceberg.catalog.memory import InMemoryCatalog
from pyiceberg.io.pyarrow import PyArrowFileIO, pyarrow_to_schema
from pyiceberg.serializers import ToOutputFile
from pyiceberg.table.metadata import TableMetadataV2

from every_type import ROWS, TYPES, datasets, line, utc, values
from harness import Pipeline

GOLDEN = Path(__file__).with_name("field_ids.txt")
SIGNED = "{ unsigned: signed }"  # Iceberg has no unsigned types
EVERY_COLUMN = """[{ id: every, unknown: capture,
  identity: { device: { id: 100, template: "{topic.1}" }, kind: { id: 110, template: "{topic.0}" } },
  explode: { from: /parts, index: { id: 999, name: part } }, event_time: { from: ^/at },
  fields: [{ id: 1000, name: seq, type: u64, from: ^/seq }, { id: 2000000000, name: last, type: string },
           { id: 1001, name: temp_c, type: f32, unit: Cel }] }]"""


def columns(path):
    """`id name type`, a line a column, as PyArrow finds them."""
    schema = pyarrow.parquet.read_schema(path)
    return [f"{field.metadata[b'PARQUET:field_id'].decode()} {field.name} {field.type}" for field in schema]


def register(folder, newest, paths):
    """An Iceberg table of the segments at `paths`, with the columns and ids of the `newest`; docs/readers.md says why not by
    create_table."""
    schema = pyarrow_to_schema(pyarrow.parquet.read_schema(newest))
    location = f"file://{folder}/iceberg/all"
    metadata = TableMetadataV2(
        location=location, schemas=[schema], last_column_id=schema.highest_field_id,
        partition_specs=[{"spec-id": 0, "fields": []}], last_partition_id=999, sort_orders=[{"order-id": 0, "fields": []}],
    )  # fmt: skip
    first = f"{location}/metadata/00000.metadata.json"
    ToOutputFile.table_metadata(metadata, PyArrowFileIO().new_output(first))
    catalog = InMemoryCatalog("here", warehouse=f"file://{folder}/iceberg")
    catalog.create_namespace("edge")
    table = catalog.register_table("edge.all", first)
    table.add_files([str(path) for path in paths])
    return table


class IcebergTest(unittest.TestCase):
    def pipeline(self, *arguments):
        pipeline = Pipeline(*arguments)
        self.addCleanup(pipeline.close)
        return pipeline

    def run_well(self, pipeline):
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_c62_field_ids_are_those_of_every_version(self):
        pipeline = self.pipeline(EVERY_COLUMN)
        pipeline.put("a.jsonl", [{"seq": 1, "at": "2026-11-30T10:00:00Z", "parts": [{"temp_c": 1, "else": 2}]}])
        self.run_well(pipeline)
        (path,) = pipeline.ready("every")
        self.assertEqual(columns(path), GOLDEN.read_text().splitlines())

    def expect_rows(self, table, names, rows):
        read = table.scan().to_arrow().sort_by("_wal_position").select(names)
        self.assertEqual([[utc(value) for value in row.values()] for row in read.to_pylist()], rows)

    def test_c62_iceberg_reads_files_of_two_schemas_by_field_id(self):
        pipeline = self.pipeline(datasets(TYPES), SIGNED)
        pipeline.put("a.jsonl", [line(row, TYPES) for row in ROWS])
        self.run_well(pipeline)
        (older,) = pipeline.ready("all")
        evolved = {**TYPES, "i8": "i64", "f32": "f64", "later": "string"}
        new = {**ROWS[1], "i8": ("9007199254740993", 9007199254740993), "f32": ("0.1", 0.1), "later": ('"new"', "new")}
        pipeline.write(datasets(evolved), SIGNED)
        pipeline.put("b.jsonl", [line(new, evolved)])
        self.run_well(pipeline)
        (newer,) = (path for path in pipeline.ready("all") if path != older)
        table = register(pipeline.folder, newer, [older, newer])
        expected = values([*ROWS, new], evolved)
        self.expect_rows(table, list(evolved), expected)
        # It goes by the ids alone: names of the table may change.
        with table.update_schema() as update:
            update.rename_column("s", "text")
        self.expect_rows(table, ["text" if name == "s" else name for name in evolved], expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
