"""The process dies at each failpoint of finalizing, and is started again: every line is a row, once."""

import os
import signal
import unittest

from harness import Pipeline

POINTS = [
    f"{side}_{step}"
    for step in ("close", "sync", "rename", "folders", "finalized", "rejects", "cursor", "eligible")
    for side in ("before", "after")
]
DATASETS = """[{ id: even, match: { topic: files/even.jsonl }, fields: [{ id: 1000, name: v, type: i64, required: true }] },
  { id: odd, match: { topic: files/odd.jsonl }, fields: [{ id: 1000, name: v, type: i64, required: true }] }]"""
CONFIG = "{ rotation: { max_rows: 70 } }"
LINES = 400


class CrashTest(unittest.TestCase):
    def setUp(self):
        self.pipeline = Pipeline(DATASETS, CONFIG)
        self.addCleanup(self.pipeline.close)
        self.pipeline.put("even.jsonl", [{"v": n} if n % 50 else "{" for n in range(LINES)])
        self.pipeline.put("odd.jsonl", [{"v": n} for n in range(LINES)])

    def expect_every_line_once(self):
        good = [n for n in range(LINES) if n % 50]
        self.assertEqual([row[0] for row in self.pipeline.query("even", "v", "v")], good)
        self.assertEqual([row[0] for row in self.pipeline.query("odd", "v", "v")], list(range(LINES)))
        rejects = (self.pipeline.data / "sinks/local/quarantine/rejects.log").read_bytes()
        self.assertEqual(rejects.count(b"decode.json"), LINES // 50)

    def test_undisturbed(self):
        self.assertEqual(self.pipeline.run().returncode, 0)
        self.expect_every_line_once()

    def test_dies_at_the_first_segment(self):
        for point in POINTS:
            with self.subTest(point):
                self.start_over()
                done = self.pipeline.run({"TIDEMARK_CRASH_AT": point})
                self.assertEqual(done.returncode, -signal.SIGABRT, done.stderr)
                done = self.pipeline.run()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.expect_every_line_once()

    def test_dies_at_every_segment_in_turn(self):
        for point in ("after_rename", "after_finalized", "after_cursor"):
            with self.subTest(point):
                self.start_over()
                deaths = 0
                while self.pipeline.run({"TIDEMARK_CRASH_AT": point}).returncode == -signal.SIGABRT:
                    deaths += 1
                    self.assertLess(deaths, 60, "each start must get further, or finish")
                    if deaths >= 8 and point != "after_cursor":
                        break  # before the cursor no start gets further: each makes the same segment again
                done = self.pipeline.run()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.expect_every_line_once()

    def test_a_point_that_does_not_exist_is_refused(self):
        done = self.pipeline.run({"TIDEMARK_CRASH_AT": "sometime"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("before_close", done.stderr)

    def start_over(self):
        """The same input, nothing taken in."""
        for folder, names, files in os.walk(self.pipeline.data, topdown=False):
            for name in files:
                os.unlink(os.path.join(folder, name))
            for name in names:
                os.rmdir(os.path.join(folder, name))


if __name__ == "__main__":
    unittest.main(verbosity=2)
