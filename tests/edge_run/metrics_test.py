"""The metrics of a running pipeline; their table in docs/operations.md is judged by tests/operator/edge_packaging_test.py."""

import re
import unittest

from harness import wait_until
from http_client import HttpPipeline, drain, lines

EXPECTED_SERIES = {
    'tidemark_edge_records_taken_total{source="ingest"}': 5,
    'tidemark_edge_requests_total{source="ingest",code="202"}': 1,
    'tidemark_edge_requests_total{source="ingest",code="404"}': 1,
    'tidemark_edge_requests_total{source="ingest",code="413"}': 2,
    'tidemark_edge_rows_total{sink="local"}': 4,
    'tidemark_edge_files_total{sink="local"}': 1,
    'tidemark_edge_rejects_total{sink="local",reason="decode.json"}': 1,
    'tidemark_edge_watermark{sink="local"}': 5,
    'tidemark_edge_lag_records{sink="local"}': 0,
    'tidemark_edge_oldest_unfinalized_seconds{sink="local"}': 0,
    "tidemark_edge_wal_position": 5,
    "tidemark_edge_healthy": 1,
}


def series(text):
    found = re.findall(r"^(\w+(?:\{.*\})?) (\S+)$", text, re.MULTILINE)
    return {name: float(value) for name, value in found}


class MetricsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pipeline = HttpPipeline("{ rotation: { max_age: 1 } }", source="max_body_bytes: 1000")
        cls.addClassCleanup(pipeline.close)
        child = pipeline.start_listening()
        cls.addClassCleanup(child.kill)
        pipeline.post(lines(range(4)) + b"{\n")
        pipeline.post(b"1", "/elsewhere")
        pipeline.post(b"1" * 1001)
        pipeline.post(b"1\n" * 501)
        done = 'tidemark_edge_lag_records{sink="local"} 0\n'
        rows = 'tidemark_edge_rows_total{sink="local"} 4\n'
        wait_until(lambda: done in (text := pipeline.get("/metrics")[1]) and rows in text, "the rows")
        cls.text = pipeline.get("/metrics")[1]
        cls.ended = drain(child)

    def test_the_figures_are_those_of_what_happened(self):
        found = series(self.text)
        self.assertEqual({name: found.get(name) for name in EXPECTED_SERIES}, EXPECTED_SERIES)
        self.assertGreaterEqual(found["tidemark_edge_wal_sync_seconds_count"], 1)
        self.assertGreater(found["tidemark_edge_wal_sync_seconds_sum"], 0)
        self.assertGreater(found['tidemark_edge_file_bytes_total{sink="local"}'], 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
