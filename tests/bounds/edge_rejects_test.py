"""A log of rejects much longer than `memory:` is read inside the bound, at a start and by `validate`, and stays in its file."""

import unittest

from edge_process import BoundedEdge

MEMORY_MIB = 64
REJECTS = 4_800
REJECT_BYTES = 64_000  # 300 MiB in all: MEMORY_MIB and its slack are 160


class LongLogOfRejects(BoundedEdge):
    def test_it_is_read_inside_the_bound(self):
        datasets = "[{ id: none, fields: [{ id: 1000, name: v, type: i64 }] }]"
        pipeline = self.pipeline(datasets, MEMORY_MIB)
        pipeline.put("bad.jsonl", ["{" + "x" * REJECT_BYTES] * REJECTS)
        self.run_within(pipeline, MEMORY_MIB)
        log = pipeline.data / "sinks/local/quarantine/rejects.log"
        before = log.stat()
        self.assertGreater(before.st_size, REJECTS * REJECT_BYTES)
        self.run_within(pipeline, MEMORY_MIB)
        self.run_within(pipeline, MEMORY_MIB, "validate")
        after = log.stat()
        self.assertEqual((after.st_ino, after.st_size), (before.st_ino, before.st_size))


if __name__ == "__main__":
    unittest.main(verbosity=2)
