"""`tidemark validate` and `tidemark wal` with a pipeline file: what validates starts, and the other way (complaint C63)."""

import hashlib
import json
import subprocess
import unittest

from harness import BINARY, LOCAL, Pipeline
from http_client import HttpPipeline, drain, lines

MAGIC = len("TDMKxxx1")  # of each log of a sink
EVENTS = "[{ id: events, fields: [{ id: 1000, name: n, type: i64 }] }]"


def wal(verb, pipeline):
    return subprocess.run([BINARY, "wal", verb, str(pipeline.file)], capture_output=True, text=True, timeout=60)


def contents(folder):
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


class ValidateTest(unittest.TestCase):
    def pipeline(self, events=20):
        pipeline = Pipeline(EVENTS)
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [{"n": n} for n in range(events)])
        return pipeline

    def pipeline_that_ran(self):
        pipeline = self.pipeline()
        self.assertEqual(pipeline.run().returncode, 0)
        return pipeline

    def expect_both(self, pipeline, code, words, file_only=0):
        """`validate` says what `run` ends with, and names the thing."""
        said = pipeline.validate()
        self.assertEqual(said.returncode, code, said.stderr)
        self.assertIn(words, said.stderr)
        self.assertEqual(pipeline.validate("--file-only").returncode, file_only)
        started = pipeline.run()
        self.assertEqual(started.returncode, code, started.stderr)

    def test_before_the_first_start_it_says_what_will_be_made(self):
        pipeline = self.pipeline()
        said = pipeline.validate()
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertIn(f"write-ahead log: a start makes it in {pipeline.data}/wal", said.stdout)
        self.assertIn(f"sink local: a start makes it in {pipeline.data}/{LOCAL}", said.stdout)
        self.assertFalse(pipeline.data.exists())

    def test_it_says_what_is_there_and_changes_nothing(self):
        pipeline = self.pipeline_that_ran()
        before = contents(pipeline.data)
        said = pipeline.validate("--json")
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        facts = json.loads(said.stdout)["state"]["facts"]
        self.assertRegex(facts[0], r"^write-ahead log: epoch [0-9a-f]{16}, positions 1 to 20, \d+ bytes$")
        self.assertRegex(facts[1], r"^sink local: watermark 20, 1 segments of \d+ bytes in ready/$")
        self.assertEqual(contents(pipeline.data), before)

    def test_it_may_look_while_the_pipeline_runs(self):
        pipeline = HttpPipeline("{ rotation: { max_rows: 50 } }")
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        for batch in range(10):
            self.assertEqual(pipeline.post(lines(range(batch * 50, batch * 50 + 50)))[0], 202)
            said = pipeline.validate()
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertEqual(wal("fsck", pipeline).returncode, 0)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), list(range(500)))

    def test_a_damaged_log(self):
        pipeline = self.pipeline_that_ran()
        (segment,) = (pipeline.data / "wal").glob("*.wal")
        data = segment.read_bytes()
        segment.write_bytes(data.replace(b'{"n":12}'.replace(b":", b": "), b'{"n": 99}'))
        self.assertNotEqual(segment.read_bytes(), data)
        self.expect_both(pipeline, 3, "tidemark wal repair")
        self.assertEqual(wal("fsck", pipeline).returncode, 3)
        self.assertEqual(wal("repair", pipeline).returncode, 0)
        self.assertEqual(wal("fsck", pipeline).returncode, 0)
        self.assertEqual(pipeline.validate().returncode, 0)

    def test_a_damaged_cursor(self):
        pipeline = self.pipeline_that_ran()
        (pipeline.data / LOCAL / "cursor").write_text("nonsense\n")
        self.expect_both(pipeline, 3, "sink local: ")

    def test_a_damaged_catalog(self):
        pipeline = self.pipeline_that_ran()
        catalog = pipeline.data / LOCAL / "catalog.log"
        records = catalog.read_bytes()[MAGIC:]
        with catalog.open("ab") as file:
            file.write(records)  # whole ones, of what cannot be
        self.expect_both(pipeline, 3, "catalog.log at byte ")

    def test_a_damaged_log_of_rejects(self):
        pipeline = self.pipeline_that_ran()
        records = (pipeline.data / LOCAL / "catalog.log").read_bytes()[MAGIC:]
        with (pipeline.data / LOCAL / "quarantine/rejects.log").open("ab") as file:
            file.write(records)  # whole ones, of another kind
        self.expect_both(pipeline, 3, "rejects.log: ")

    def test_what_is_not_built(self):
        pipeline = self.pipeline()
        pipeline.file.write_text(pipeline.file.read_text() + "    retention: { max_age: 60 }\n")
        self.expect_both(pipeline, 2, "sink local: `retention` is not built yet", file_only=2)

    def test_a_memory_that_does_not_do(self):
        pipeline = self.pipeline()
        pipeline.write(EVENTS, extra="memory: 10MiB")
        self.expect_both(pipeline, 2, "`memory` is 10485760 bytes, and what the file asks for may take ", file_only=2)

    def test_a_log_of_another_sink(self):
        older, younger = self.pipeline_that_ran(), self.pipeline_that_ran()
        (older.data / LOCAL).rename(older.folder / "old")
        (younger.data / LOCAL).rename(older.data / LOCAL)
        self.expect_both(older, 3, "does not belong to this sink")

    def test_a_schema_that_may_not_change_so(self):
        pipeline = self.pipeline_that_ran()
        pipeline.write(EVENTS.replace("i64", "string"))
        self.expect_both(pipeline, 4, "schema.type")

    def test_a_start_that_is_refused_changes_nothing(self):
        two = '[{ id: events, match: { topic: "files/a.jsonl" }, fields: [{ id: 1000, name: n, type: i64 }] }, ' \
              '{ id: others, fields: [{ id: 1000, name: n, type: i64 }] }]'  # fmt: skip
        sinks = "\n  - id: copy\n    kind: parquet\n    config: { datasets: [others] }\n"
        later = two.replace("type: i64 }] }, ", "type: i64 }, { id: 1001, name: later, type: i64 }] }, ")
        refused = later.replace("type: i64 }] }]", "type: string }] }]")
        pipeline = self.pipeline()
        pipeline.write(two, "{ datasets: [events] }" + sinks)
        self.assertEqual(pipeline.run().returncode, 0)
        before = contents(pipeline.data)
        pipeline.write(refused, "{ datasets: [events] }" + sinks)
        self.expect_both(pipeline, 4, "sink copy: data set others")
        self.assertEqual(contents(pipeline.data), before)

    def test_a_token_that_is_not_there(self):
        pipeline = HttpPipeline(source="token_file: token")
        self.addCleanup(pipeline.close)
        self.expect_both(pipeline, 2, "source ingest: token_file ")

    def test_an_input_file_that_is_not_there(self):
        pipeline = self.pipeline()
        pipeline.file.write_text(pipeline.file.read_text().replace("*.jsonl", "b.jsonl"))
        self.expect_both(pipeline, 1, "source drop: no file ")

    def test_a_place_where_nothing_can_be_kept(self):
        pipeline = self.pipeline()
        pipeline.data.write_text("a file")
        self.expect_both(pipeline, 2, f"data_dir {pipeline.data}: write to {pipeline.data}: ")

    def test_wal_wants_one_place(self):
        pipeline = self.pipeline_that_ran()
        dumped = wal("dump", pipeline)
        self.assertEqual(len(dumped.stdout.splitlines()), 20)
        for arguments, code in ((["fsck"], 2), (["fsck", "/nowhere.yaml"], 2)):
            said = subprocess.run([BINARY, "wal", *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(said.returncode, code, said.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
