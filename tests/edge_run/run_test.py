"""Files in, segments out: the pipeline from end to end, as a user runs it."""

import json
import signal
import socket
import subprocess
import unittest

import duckdb

from harness import BINARY, LOCAL, Pipeline, wait_until

TELEMETRY = """[{ id: telemetry, match: { source: drop, topic: "files/+" },
  identity: { file: { id: 100, template: "{topic.1}" } }, event_time: { from: /ts },
  fields: [{ id: 1000, name: seq, type: u64, required: true }, { id: 1001, name: temp_c, type: f32, unit: Cel },
           { id: 1002, name: x, type: f64, from: /pose/x }] }]"""


def record(seq):
    return {"seq": seq, "ts": f"2026-11-30T10:00:{seq % 60:02}.5Z", "temp_c": seq / 2, "pose": {"x": -seq}}


class RunTest(unittest.TestCase):
    def pipeline(self, *arguments, **options):
        pipeline = Pipeline(*arguments, **options)
        self.addCleanup(pipeline.close)
        return pipeline

    def run_well(self, pipeline):
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_lines_of_files_become_rows_in_ready(self):
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", map(record, range(1000)))
        pipeline.put("b.jsonl", map(record, range(1000, 1500)))
        done = self.run_well(pipeline)
        self.assertIn("1500 rows", done.stderr)
        rows = pipeline.query("telemetry", "seq, temp_c, x, file, _source, _topic, _event_time::VARCHAR, _row", "seq")
        self.assertEqual(len(rows), 1500)
        for seq, (got, temp_c, x, file, source, topic, event_time, row) in enumerate(rows):
            name = "a.jsonl" if seq < 1000 else "b.jsonl"
            self.assertEqual((got, temp_c, x, file, row), (seq, seq / 2, -seq, name, 0))
            self.assertEqual((source, topic), ("drop", f"files/{name}"))
            self.assertEqual(event_time, f"2026-11-30 10:00:{seq % 60:02}.5+00")
        positions = [row[0] for row in pipeline.query("telemetry", "_wal_position")]
        self.assertEqual(positions, list(range(1, 1501)))

    def test_a_second_run_adds_nothing_and_a_new_file_adds_its_lines(self):
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", map(record, range(100)))
        self.run_well(pipeline)
        before = pipeline.ready("telemetry")
        self.run_well(pipeline)
        self.assertEqual(pipeline.ready("telemetry"), before)
        pipeline.put("b.jsonl", map(record, range(100, 150)))
        self.run_well(pipeline)
        self.assertEqual([row[0] for row in pipeline.query("telemetry", "seq")], list(range(150)))

    def test_rotation_makes_several_files_that_tile_the_log(self):
        pipeline = self.pipeline(TELEMETRY, "{ rotation: { max_bytes: 134217728, max_rows: 100 } }")
        pipeline.put("a.jsonl", map(record, range(1000)))
        self.run_well(pipeline)
        ranges = [tuple(map(int, path.stem.split("_")[-2:])) for path in pipeline.ready("telemetry")]
        self.assertEqual(ranges, [(n * 100 + 1, n * 100 + 100) for n in range(10)])

    def test_footers_tell_config_hash_and_range(self):
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", map(record, range(10)))
        self.run_well(pipeline)
        said = subprocess.run([BINARY, "validate", "--json", str(pipeline.file)], capture_output=True, text=True, check=True)
        report = json.loads(said.stdout)
        (path,) = pipeline.ready("telemetry")
        with duckdb.connect() as db:
            pairs = dict(db.execute(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall())
            created_by = db.execute(f"SELECT created_by FROM parquet_file_metadata('{path}')").fetchone()[0]
            ids = db.execute(f"SELECT field_id FROM parquet_schema('{path}') WHERE name != 'segment'").fetchall()
        self.assertEqual(pairs[b"thadam.config_hash"].decode(), report["config_hash"])
        self.assertEqual(pairs[b"thadam.schema_fp"].decode(), report["datasets"][0]["schema_fp"])
        self.assertEqual(pairs[b"thadam.wal_range"], b"1-10")
        self.assertEqual(pairs[b"thadam.event_time_min"], b"1796032800500000")
        self.assertTrue(created_by.startswith("thadam "))
        self.assertEqual([i[0] for i in ids], [c["id"] for c in report["datasets"][0]["columns"]])

    def test_rejects_are_told_and_the_rest_is_written(self):
        # C56: a value of another type stops the process, or takes its batch along.
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", [record(1), "{", {"temp_c": 5}, {"seq": 7.5}, {"seq": "seven"}, record(2), {"seq": 3, "new": 1}])
        done = self.run_well(pipeline)
        self.assertIn("2 rows in 1 segments, 5 rejects, watermark 7", done.stderr)
        log = (pipeline.data / LOCAL / "quarantine/rejects.log").read_bytes()
        for reason in (b"decode.json", b"schema.missing", b"schema.narrowing", b"schema.type", b"schema.unknown"):
            self.assertEqual(log.count(reason), 1, reason)

    def test_a_record_of_a_data_set_that_no_sink_consumes_becomes_a_reject(self):
        other = '{ id: other, match: { topic: "files/o.jsonl" }, fields: [{ id: 1000, name: seq, type: u64 }] }'
        datasets = TELEMETRY.replace("files/+", "files/t.jsonl").replace("[{ id: telemetry", f"[{other}, {{ id: telemetry")
        pipeline = self.pipeline(datasets, "{ datasets: [telemetry] }")
        pipeline.put("o.jsonl", [record(1), record(2)])
        pipeline.put("t.jsonl", [record(3)])
        done = self.run_well(pipeline)
        self.assertIn("no sink consumes data set other", done.stderr)
        self.assertIn("1 rows in 1 segments, 2 rejects, watermark 3", done.stderr)

    def test_a_taken_listen_address_ends_the_start_before_anything_is_opened(self):
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", [record(1)])
        with socket.create_server(("127.0.0.1", pipeline.port)):
            done = pipeline.run()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(f"tidemark run: listen: cannot listen on 127.0.0.1:{pipeline.port}: Address already in use", done.stderr)
        self.assertFalse(pipeline.data.exists())
        self.run_well(pipeline)

    def test_sigterm_drains_a_source_that_follows(self):
        pipeline = self.pipeline(TELEMETRY, follow=True)
        pipeline.put("a.jsonl", map(record, range(100)))
        child = pipeline.start()
        self.addCleanup(child.kill)
        wait_until(lambda: self.taken(pipeline) == 100, "100 records")
        status, body = pipeline.get("/healthz")
        self.assertEqual((status, json.loads(body)["ok"]), (200, True))
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertEqual(len(pipeline.query("telemetry", "seq")), 100)

    def taken(self, pipeline):
        try:
            text = pipeline.get("/metrics")[1]
        except OSError:
            return -1
        for line in text.splitlines():
            if line.startswith('tidemark_edge_records_taken_total{source="drop"}'):
                return int(line.split()[-1])
        return -1

    def test_a_full_disk_budget_is_told_and_loses_nothing(self):
        pipeline = self.pipeline(TELEMETRY, "{ rotation: { max_bytes: 20000 }, max_disk: 40000 }")
        pipeline.put("a.jsonl", map(record, range(20000)))
        done = pipeline.run()
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("max_disk 40000 is used up", done.stderr)
        pipeline.write(TELEMETRY, "{ rotation: { max_bytes: 20000 } }")
        self.run_well(pipeline)
        self.assertEqual([row[0] for row in pipeline.query("telemetry", "seq")], list(range(20000)))

    def test_what_is_not_built_is_refused(self):
        pipeline = self.pipeline(TELEMETRY)
        text = pipeline.file.read_text()
        pipeline.file.write_text(text + "    retention: { max_age: 60 }\n")
        done = pipeline.run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("`retention` is not built yet", done.stderr)
        self.assertFalse(pipeline.data.exists())

    def test_too_little_memory_is_refused(self):
        pipeline = self.pipeline(TELEMETRY, extra="memory: 10MiB")
        done = pipeline.run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("`memory` is 10485760 bytes", done.stderr)

    def test_validate_names_faults_by_line(self):
        pipeline = self.pipeline(TELEMETRY, "{ schemas: { a: b }, compresion: none }")
        said = subprocess.run([BINARY, "validate", str(pipeline.file)], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 2)
        self.assertIn("under the pipeline's `datasets:`", said.stderr)
        self.assertIn("did you mean `compression`?", said.stderr)

    def test_damaged_state_has_an_exit_code_of_its_own(self):
        pipeline = self.pipeline(TELEMETRY)
        pipeline.put("a.jsonl", map(record, range(10)))
        self.run_well(pipeline)
        (pipeline.data / LOCAL / "cursor").write_text("nonsense\n")
        done = pipeline.run()
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("cursor", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
