"""Dashboard, alert rules and operations.md of the edge, held against what a running pipeline exposes.

usage: edge_packaging_test.py   Environment: TIDEMARK_BINARY, PROMTOOL
"""

import sys
import unittest
from pathlib import Path

from packaging_checks import ROOT, DashboardChecks, ExposedChecks, RulesChecks, Wing

sys.path.insert(0, str(ROOT / "tests/edge_run"))

from harness import wait_until  # noqa: E402
from http_client import HttpPipeline, drain, lines  # noqa: E402

EDGE = Wing("tidemark-edge", "Metrics of `tidemark run`", "Alerts of `tidemark run`", Path(__file__).with_name("edge_alerts_test.yml"))


class Exposed(ExposedChecks, unittest.TestCase):
    wing = EDGE

    @classmethod
    def setUpClass(cls):
        pipeline = HttpPipeline("{ rotation: { max_age: 1 } }")
        cls.addClassCleanup(pipeline.close)
        child = pipeline.start_listening()
        cls.addClassCleanup(drain, child)
        pipeline.post(lines(range(4)) + b"{\n")
        rows = 'tidemark_edge_rows_total{sink="local"} 4\n'
        wait_until(lambda: rows in pipeline.get("/metrics")[1], "the rows")
        cls.text = pipeline.get("/metrics")[1]


class Dashboard(DashboardChecks, unittest.TestCase):
    wing = EDGE


class Rules(RulesChecks, unittest.TestCase):
    wing = EDGE


if __name__ == "__main__":
    unittest.main()
