"""A pipeline's process, run to its end and its memory held against the bound: its `memory:` and 96 MiB."""

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
print(usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))"""


class BoundedEdge(unittest.TestCase):
    def pipeline(self, datasets, memory_mib, config="{}", **more):
        more["extra"] = f"memory: {memory_mib}MiB\n" + more.get("extra", "")
        pipeline = Pipeline(datasets, config, **more)
        self.addCleanup(pipeline.close)
        return pipeline

    def run_within(self, pipeline, memory_mib, command="run"):
        """Runs the command to the end and holds the peak of its resident memory against the bound."""
        line = [sys.executable, "-c", MEASURE, BINARY, command, str(pipeline.file)]
        done = subprocess.run(line, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        peak = int(done.stderr.split()[-1]) >> 10
        print(f"{self.id().rpartition('.')[2]}: peak {peak} MiB of {memory_mib + SLACK_MIB}", flush=True)
        self.assertLess(peak, memory_mib + SLACK_MIB)
