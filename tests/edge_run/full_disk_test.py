"""No room, on the disk or in a budget: posts are told to come again, nothing that was answered 202 is lost, and everything
goes on by itself when there is room (complaints C10, C32, C37, C38)."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import wait_until
from http_client import DATASETS, HttpPipeline, drain, lines

NAMESPACE = ["unshare", "--user", "--map-root-user", "--mount"]
WAL = "wal: { segment_bytes: 65536, max_bytes: 1000000000 }"


class SmallDisk:
    """A file system of `size` at `folder`, for those who enter; readable from outside below `seen`."""

    def __init__(self, folder, size):
        folder.mkdir()
        mount = f"mount -t tmpfs -o size={size} none {folder} && echo there && exec sleep infinity"
        self.holder = subprocess.Popen([*NAMESPACE, "sh", "-c", mount], stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"there\n":
            raise AssertionError("no file system of its own: user namespaces are needed")
        self.enter = ["nsenter", f"--target={self.holder.pid}", "--user", "--mount", "--preserve-credentials"]
        self.seen = Path(f"/proc/{self.holder.pid}/root{folder}")

    def fill(self):
        with (self.seen / "ballast").open("wb", buffering=0) as ballast:
            for size in (1 << 16, 1 << 12, 1 << 8, 1):
                self.fill_with(ballast, b"x" * size)

    @staticmethod
    def fill_with(ballast, piece):
        try:
            while ballast.write(piece):
                pass
        except OSError:
            pass

    def make_room(self):
        (self.seen / "ballast").unlink()

    def close(self):
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()


class FullDiskTest(unittest.TestCase):
    def setUp(self):
        self.answered = []
        self.next = 0

    def post(self, pipeline, count=50):
        batch = range(self.next, self.next + count)
        self.next += count
        status, headers, body = pipeline.post(lines(batch))
        if status == 202:
            self.answered += batch
        else:
            self.assertEqual(status, 503, body)
            self.assertEqual(headers["Retry-After"], "1")
        return status, body

    def post_until(self, pipeline, status):
        wait_until(lambda: self.post(pipeline)[0] == status, f"an answer {status}")

    def on_a_small_disk(self, config="{}"):
        pipeline = HttpPipeline(config, extra=WAL)
        self.addCleanup(pipeline.close)
        disk = SmallDisk(pipeline.data, "4m")
        self.addCleanup(disk.close)
        child = pipeline.start_listening(*disk.enter)
        self.addCleanup(child.kill)
        return pipeline, disk, child

    def finish(self, pipeline, disk, child):
        self.assertEqual(drain(child), 0, pipeline.log())
        pipeline.data = disk.seen
        self.assertEqual(pipeline.numbers(), self.answered)

    def test_a_full_disk_is_told_and_goes_by_itself(self):
        pipeline, disk, child = self.on_a_small_disk()
        self.post_until(pipeline, 202)
        disk.fill()
        self.post_until(pipeline, 503)
        for _ in range(5):
            self.assertEqual(self.post(pipeline)[0], 503)
        status, body = pipeline.get("/healthz")
        self.assertEqual((status, json.loads(body)["ok"]), (503, False))
        disk.make_room()
        self.post_until(pipeline, 202)
        wait_until(lambda: pipeline.get("/healthz")[0] == 200, "health")
        self.post_until(pipeline, 202)
        self.finish(pipeline, disk, child)

    def test_a_sink_that_cannot_finish_a_file_goes_on_by_itself(self):
        pipeline, disk, child = self.on_a_small_disk("{ rotation: { max_rows: 100000, max_age: 1 } }")
        self.post_until(pipeline, 202)
        disk.fill()
        wait_until(lambda: "waits for room" in pipeline.log(), "the sink to meet the full disk")
        status, body = pipeline.get("/healthz")
        self.assertEqual(status, 503)
        self.assertIn("sink local: ", json.loads(body)["reason"])
        disk.make_room()
        wait_until(lambda: pipeline.get("/healthz")[0] == 200, "health")
        self.post_until(pipeline, 202)
        self.finish(pipeline, disk, child)

    def test_what_is_judged_again_is_counted_once(self):
        pipeline, disk, child = self.on_a_small_disk("{ rotation: { max_rows: 100000, max_age: 1 } }")
        for _ in range(7):
            self.assertEqual(pipeline.post(b"{\n")[0], 202)
        self.post_until(pipeline, 202)
        disk.fill()
        wait_until(lambda: "waits for room" in pipeline.log(), "the sink to meet the full disk")
        disk.make_room()
        wait_until(lambda: pipeline.get("/healthz")[0] == 200, "health")
        self.post_until(pipeline, 202)
        caught_up = 'tidemark_edge_lag_records{sink="local"} 0\n'
        wait_until(lambda: caught_up in pipeline.get("/metrics")[1], "the sink to catch up")
        rejects = 'tidemark_edge_rejects_total{sink="local",reason="decode.json"} 7\n'
        self.assertIn(rejects, pipeline.get("/metrics")[1])
        self.finish(pipeline, disk, child)
        self.assertEqual(pipeline.rejects().count(b"decode.json"), 7)

    def test_a_kill_on_a_full_disk_loses_nothing(self):
        pipeline, disk, child = self.on_a_small_disk("{ rotation: { max_rows: 500 } }")
        for _ in range(20):
            self.assertEqual(self.post(pipeline)[0], 202)
        disk.fill()
        self.post_until(pipeline, 503)
        child.kill()
        child.wait()
        disk.make_room()
        child = pipeline.start_listening(*disk.enter)
        self.addCleanup(child.kill)
        self.post_until(pipeline, 202)
        self.finish(pipeline, disk, child)

    def test_a_full_quarantine_stops_the_sink_until_its_log_is_moved_away(self):
        pipeline = HttpPipeline("{ rotation: { max_rows: 100000 } }")
        self.addCleanup(pipeline.close)
        pipeline.file.write_text(pipeline.file.read_text() + "    quarantine: { max_disk: 4000 }\n")
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        log = pipeline.data / "sinks/local/quarantine/rejects.log"
        bad, taken, moved = 90, 0, []
        while pipeline.get("/healthz")[0] == 200 and taken < bad:
            taken += pipeline.post(b"{\n")[0] == 202
        wait_until(lambda: pipeline.get("/healthz")[0] == 503, "the sink to stand still")
        self.assertIn(f"until somebody moves {log} away", json.loads(pipeline.get("/healthz")[1])["reason"])
        self.assertIn('tidemark_edge_quarantine_limit_bytes{sink="local"} 4000\n', pipeline.get("/metrics")[1])
        counted = f'tidemark_edge_rejects_total{{sink="local",reason="decode.json"}} {bad}\n'
        while counted not in pipeline.get("/metrics")[1]:
            taken += taken < bad and pipeline.post(b"{\n")[0] == 202
            if log.exists() and log.stat().st_size >= 4000:
                moved.append(log.rename(log.with_name(f"moved-{len(moved)}")))
        self.assertGreaterEqual(len(moved), 2)
        wait_until(lambda: pipeline.get("/healthz")[0] == 200, "health")
        self.post_until(pipeline, 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(sum(path.read_bytes().count(b"decode.json") for path in [*moved, log]), bad)
        self.assertEqual(pipeline.numbers(), self.answered)

    def test_a_used_up_budget_withholds_intake_until_files_are_taken_away(self):
        pipeline = HttpPipeline(
            "{ rotation: { max_bytes: 20000, max_rows: 1000 }, max_disk: 40000 }",
            extra="wal: { segment_bytes: 65536, max_bytes: 131072 }",
        )
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        wait_until(lambda: self.post(pipeline) and "disk budget" in pipeline.get("/healthz")[1], "the budget to be used up")
        self.post_until(pipeline, 503)
        ready = pipeline.data / "sinks/local/ready/events"
        with tempfile.TemporaryDirectory() as elsewhere:
            kept = Path(elsewhere) / "kept"
            shutil.copytree(ready, kept)
            shutil.rmtree(ready)
            wait_until(lambda: pipeline.get("/healthz")[0] == 200, "health")
            self.post_until(pipeline, 202)
            self.assertIn(drain(child), (0, 1), pipeline.log())  # 1: the budget is used up again
            pipeline.write(DATASETS, sources=pipeline.sources(""))
            child = pipeline.start_listening()
            self.addCleanup(child.kill)
            self.assertEqual(drain(child), 0, pipeline.log())
            shutil.copytree(kept, ready / "kept")
            self.assertEqual(pipeline.numbers(), self.answered)


if __name__ == "__main__":
    unittest.main(verbosity=2)
