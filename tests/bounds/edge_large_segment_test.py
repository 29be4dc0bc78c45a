"""One segment of 2 GiB without compression, under a limit of 4 GiB, is written inside the memory bound (complaint C26)."""

import shutil
import unittest

from edge_process import BoundedEdge

GIB = 1 << 30
FREE_BYTES_MIN = 8 * GIB  # the input, the log and the segment
MEMORY_MIB = 64
LINE_BYTES = 64_000
LINES = 2 * GIB // LINE_BYTES + 1


class LargeSegment(BoundedEdge):
    def test_two_gibibytes(self):
        datasets = """[{ id: large, fields: [
          { id: 1000, name: n, type: i64, required: true }, { id: 1001, name: text, type: string }] }]"""
        config = f"{{ compression: none, rotation: {{ max_bytes: {4 * GIB} }}, max_disk: {8 * GIB} }}"
        pipeline = self.pipeline(datasets, MEMORY_MIB, config)
        free = shutil.disk_usage(pipeline.folder).free
        if free < FREE_BYTES_MIN:
            self.skipTest(f"{free >> 20} MiB are free in {pipeline.folder}, {FREE_BYTES_MIN >> 20} are needed")
        with (pipeline.folder / "in/large.jsonl").open("w") as file:
            for n in range(LINES):
                file.write(f'{{"n":{n},"text":"{n:0{LINE_BYTES}}"}}\n')
        self.run_within(pipeline, MEMORY_MIB)
        (segment,) = pipeline.ready("large")
        self.assertGreater(segment.stat().st_size, 2 * GIB)
        self.assertEqual(pipeline.query("large", "count(*), sum(n)", "1"), [(LINES, LINES * (LINES - 1) // 2)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
