"""A damaged write-ahead log ends the start, or the run that meets it, with a named decision, and SIGTERM ends a pipeline in every
state (complaint C29: a corrupt buffer was read again without end, and the process took no notice of SIGTERM)."""

import random
import re
import subprocess
import unittest

from harness import BINARY, Pipeline, wait_until
from http_client import DATASETS, HttpPipeline, drain, lines

EVENTS = "[{ id: events, fields: [{ id: 1000, name: n, type: i64 }] }]"
MARK = b"TGRP"  # a group begins with it; the last one is what a close leaves behind
# A log that is longer than what a sink reads ahead and what memory holds of its end.
FULL_SOON = {
    "config": "{ compression: none, row_group_bytes: 500000, rotation: { max_bytes: 1000000 }, max_disk: 2000000 }",
    "extra": "wal: { segment_bytes: 4000000, max_bytes: 16000000 }",
}


def flip(path, at, bit=0):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def repair(pipeline):
    return subprocess.run([BINARY, "wal", "repair", str(pipeline.file)], capture_output=True, text=True, timeout=60)


class DamageTest(unittest.TestCase):
    def standing_still(self):
        """(pipeline, child, numbers): its budget and its log are full, the numbers are acknowledged."""
        pipeline = HttpPipeline(**FULL_SOON)
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        taken = []

        def post():
            batch = range(len(taken), len(taken) + 20)
            body = b"".join(lines([n], note=random.randbytes(10000).hex()) for n in batch)
            status, _, _ = pipeline.post(body)
            taken.extend(batch if status == 202 else ())
            return status

        wait_until(lambda: post() and "disk budget" in pipeline.get("/healthz")[1], "the budget to be used up")
        wait_until(lambda: post() == 503, "the log to be full")
        return pipeline, child, taken

    def test_c29_one_flipped_bit_in_each_byte_of_the_log_ends_the_start(self):
        pipeline = Pipeline(EVENTS)
        self.addCleanup(pipeline.close)
        pipeline.put("a.jsonl", [{"n": n} for n in range(2)])
        self.assertEqual(pipeline.run().returncode, 0)
        (segment,) = (pipeline.data / "wal").glob("*.wal")
        whole = segment.read_bytes()
        for at in range(whole.rindex(MARK)):
            flip(segment, at, bit=at % 8)
            done = pipeline.run()  # a start that does not end is an error here
            self.assertEqual(done.returncode, 3, (at, done.stderr))
            self.assertIn(str(segment), done.stderr)
            self.assertIn(f"tidemark wal repair --data {pipeline.data}", done.stderr)
            segment.write_bytes(whole)
        done = pipeline.run()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(pipeline.query("events", "n"), [(0,), (1,)])

    def test_c29_damage_below_a_running_sink_ends_the_run(self):
        pipeline, child, taken = self.standing_still()
        segment = sorted((pipeline.data / "wal").glob("*.wal"))[-2]  # not read yet, and not held
        flip(segment, segment.stat().st_size // 2)

        def reads_on():  # as long as there is room again
            for path in pipeline.ready("events"):
                path.unlink()
            return child.poll() is None

        wait_until(lambda: not reads_on(), "the sink to meet the damage")
        self.assertEqual(child.returncode, 3, pipeline.log())
        self.assertRegex(pipeline.log(), rf"{segment}.*tidemark wal repair")
        pipeline.write(DATASETS, sources=pipeline.sources(""))
        self.assertEqual(pipeline.run().returncode, 3)
        repaired = repair(pipeline)
        self.assertEqual(repaired.returncode, 0)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.rejects().count(b"wal.damaged"), 1, (repaired.stdout, pipeline.log()))
        # What is in no file now was in those that were taken away, or is in the range that was named.
        first, last = map(int, re.search(rb"lost positions (\d+) to (\d+)", pipeline.rejects()).groups())
        rows = [row[0] for row in pipeline.query("events", "_wal_position")]
        self.assertEqual(rows, [p for p in range(rows[0], len(taken) + 1) if not first <= p <= last])

    def test_c29_sigterm_ends_a_pipeline_whose_log_and_budget_are_full(self):
        pipeline, child, taken = self.standing_still()
        self.assertEqual(drain(child), 1, pipeline.log())
        self.assertIn("they stay in the write-ahead log", pipeline.log())
        pipeline.write(DATASETS, sources=pipeline.sources(""))
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), taken)


if __name__ == "__main__":
    unittest.main(verbosity=2)
