"""The edge's memory bound: whatever comes in, the process stays below its `memory:` and 96 MiB, and keeps every record."""

import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "edge_run"))

from harness import BINARY, Pipeline  # noqa: E402

SLACK_MIB = 96
# Through a small process: what a child has resident counts from before it is the program.
MEASURE = """import os, sys
child = os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))"""
LINES = 300_000
TELEMETRY = """[{ id: telemetry, event_time: { from: /ts, format: rfc3339 }, fields: [
  { id: 1000, name: seq, type: u64, required: true }, { id: 1001, name: robot, type: string },
  { id: 1002, name: x, type: f64, from: /pose/x }, { id: 1003, name: note, type: string }] }]"""


def telemetry():
    numbers = random.Random(3)
    for seq in range(LINES):
        ts = f"2026-11-30T{seq // 36000 % 24:02}:{seq // 600 % 60:02}:{seq // 10 % 60:02}.{seq % 10}Z"
        pose = f'{{"x":{numbers.randrange(100_000) / 1000}}}'
        # Half of the note does not compress, so that row groups grow too.
        note = f"{numbers.getrandbits(400):0100x}" + "tide " * 10
        yield f'{{"seq":{seq},"ts":"{ts}","robot":"r-{numbers.randrange(500)}","pose":{pose},"note":"{note}"}}'


class EdgeMemoryBound(unittest.TestCase):
    def pipeline(self, datasets, memory_mib, config="{}"):
        pipeline = Pipeline(datasets, config, extra=f"memory: {memory_mib}MiB")
        self.addCleanup(pipeline.close)
        return pipeline

    def run_within(self, pipeline, memory_mib):
        """Runs to the end and holds the peak of its resident memory against the bound."""
        command = [sys.executable, "-c", MEASURE, BINARY, "run", str(pipeline.file)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        peak = int(done.stdout) >> 10
        print(f"{self.id().rpartition('.')[2]}: peak {peak} MiB of {memory_mib + SLACK_MIB}")
        self.assertLess(peak, memory_mib + SLACK_MIB)

    def test_a_long_file(self):
        pipeline = self.pipeline(TELEMETRY, 40)
        pipeline.put("telemetry.jsonl", telemetry())
        self.run_within(pipeline, 40)
        self.assertEqual(pipeline.query("telemetry", "count(*)", "1"), [(LINES,)])

    def test_a_backlog_in_the_log(self):
        pipeline = self.pipeline(TELEMETRY, 40)
        pipeline.put("telemetry.jsonl", telemetry())
        self.assertNotEqual(pipeline.run({"TIDEMARK_CRASH_AT": "before_close"}).returncode, 0)
        self.assertEqual(pipeline.ready("telemetry"), [])
        self.run_within(pipeline, 40)
        self.assertEqual(pipeline.query("telemetry", "count(*)", "1"), [(LINES,)])

    def test_records_of_the_greatest_length(self):
        names = ("a", "b", "c", "d")
        datasets = [f"{{ id: {n}, unknown: lenient, fields: [{{ id: 1000, name: v, type: i64 }}] }}" for n in names]
        pipeline = self.pipeline(f"[{', '.join(datasets)}]", 90)
        rest = ",".join("1" * 7_500_000)
        pipeline.put("long.jsonl", [f'{{"v":{n},"rest":[{rest}]}}' for n in range(6)])
        self.run_within(pipeline, 90)
        for name in names:
            self.assertEqual(pipeline.query(name, "v"), [(n,) for n in range(6)])

    def test_records_that_explode_into_the_most_they_may(self):
        # Each row repeats the long text: as a field, and as what nobody declared.
        explode = "explode: { from: /s }"
        field = f"{{ id: a, {explode}, fields: [{{ id: 1000, name: n, type: i32 }}, {{ id: 1001, name: long, type: string, from: ^/long }}] }}"
        rest = f"{{ id: b, {explode}, unknown: capture, fields: [{{ id: 1000, name: n, type: i32 }}] }}"
        memory = 138
        pipeline = self.pipeline(f"[{field}, {rest}]", memory)
        numbers = random.Random(5)
        documents = []
        for elements in (15, 200, 15, 15):
            samples = [{"n": n} for n in range(elements)]
            documents.append({"long": f"{numbers.getrandbits(16 << 20):x}", "s": samples})
        pipeline.put("long.jsonl", documents)
        self.run_within(pipeline, memory)
        for name in ("a", "b"):
            self.assertEqual(pipeline.query(name, "_wal_position, n"), [(p, n) for p in (1, 3, 4) for n in range(15)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
