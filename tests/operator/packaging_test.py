"""Dashboard, alert rules, unit and operations.md of the lake, held against what a running one exposes and reads.

usage: packaging_test.py   Environment: TIDEMARK_BINARY, VERSITYGW, PROMTOOL
"""

import configparser
import contextlib
import fnmatch
import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from packaging_checks import ROOT, DashboardChecks, ExposedChecks, RulesChecks, Wing, section

sys.path.insert(0, str(ROOT / "tests/crash"))

import harness  # noqa: E402

LAKE = Wing("tidemark-lake", "Metrics", "Alerts", Path(__file__).with_name("alerts_test.yml"))
UNIT = ROOT / "packaging/systemd/tidemark-lake.service"
SETTINGS = ROOT / "packaging/systemd/tidemark-lake.env.example"


def scrape(folder):
    """The exposition of a lake that serves a queue."""
    broker = harness.Broker(folder)
    broker.start()
    harness.fill(broker, seed=1, records=50, lanes=2)
    store = harness.S3Store(folder)
    lake = harness.Lake(folder, broker, store, QUEEN_S3_MAX_WINDOW_MS="200")
    running = lake.start()
    try:
        host = lake.env["QUEEN_S3_LISTEN"]
        harness.wait_until(lambda: "\nqueen_s3_bytes_written_total{" in get(host, "/metrics"), "a window")
        return get(host, "/metrics")
    finally:
        running.kill()
        store.stop()
        broker.process.kill()


def get(host, path):
    with (
        contextlib.closing(http.client.HTTPConnection(host, timeout=30)) as connection,
        contextlib.suppress(ConnectionRefusedError),
    ):
        connection.request("GET", path)
        return connection.getresponse().read().decode()
    return ""


def json_block(heading):
    return json.loads(re.search(r"```json\n(.*?)```", section(heading), re.DOTALL).group(1))


class Exposed(ExposedChecks, unittest.TestCase):
    wing = LAKE

    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="tidemark-packaging-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.text = scrape(folder)


class Dashboard(DashboardChecks, unittest.TestCase):
    wing = LAKE


class Rules(RulesChecks, unittest.TestCase):
    wing = LAKE


class Unit(unittest.TestCase):
    def test_systemd_takes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / UNIT.name
            copy.write_text(UNIT.read_text().replace("/usr/bin/tidemark", harness.BINARY))
            done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_its_settings_are_variables_the_program_knows_and_takes(self):
        unit = configparser.ConfigParser(strict=False, interpolation=None)
        unit.optionxform = str
        unit.read(UNIT)
        self.assertEqual(unit["Service"]["ExecStart"], "/usr/bin/tidemark lake")
        lines = [line for line in SETTINGS.read_text().splitlines() if line and not line.startswith("#")]
        settings = dict(line.split("=", 1) for line in [*lines, unit["Service"]["Environment"]])
        known = (ROOT / "docs/configuration.md").read_text()
        for name in settings:
            self.assertIn(f"| `{name}` ", known)
        # Refused after everything was read, so that no server is called.
        refused = {"QUEEN_S3_PARTITIONS": "q:0..1"}
        answer = subprocess.run([harness.BINARY, "lake", "--check"], env=settings | refused, capture_output=True, text=True)
        self.assertEqual(answer.returncode, 2)
        self.assertTrue(answer.stderr.startswith("queen-s3: QUEEN_S3_PARTITIONS is set"), answer.stderr)


class Bucket(unittest.TestCase):
    def setUp(self):
        import boto3
        import moto

        mock = moto.mock_aws()
        mock.start()
        self.addCleanup(mock.stop)
        keys = {"aws_access_key_id": "AK", "aws_secret_access_key": "SK", "region_name": "us-east-1"}
        self.client = lambda service: boto3.client(service, **keys)

    def allowed(self, action, resource):
        statements = json_block("Bucket policy")["Statement"]
        return any(
            action in ([s["Action"]] if isinstance(s["Action"], str) else s["Action"])
            and fnmatch.fnmatchcase(resource, s["Resource"])
            for s in statements
        )

    def test_the_policy_is_one_and_lets_the_program_do_what_it_does(self):
        self.client("iam").create_policy(PolicyName="lake", PolicyDocument=json.dumps(json_block("Bucket policy")))
        lake = "arn:aws:s3:::my-lake"
        keys = {
            "data": f"{lake}/queen/queue=orders/dt=2026-09-04/hour=10/w-1.parquet",
            "manifest": f"{lake}/queen/_queen/orders/windows/0000000001.json",
            "checkpoint": f"{lake}/queen/_queen/orders/checkpoint/0000000001.json.zst",
            "trial": f"{lake}/queen/_queen/.check/checkpoint/00000000000000ab.txt",
            "complete": f"{lake}/queen/_queen/orders/complete.json",
        }
        for key in keys.values():
            for action in ("s3:PutObject", "s3:GetObject", "s3:AbortMultipartUpload"):
                self.assertTrue(self.allowed(action, key), f"{action} {key}")
        deletable = {name for name, key in keys.items() if self.allowed("s3:DeleteObject", key)}
        self.assertEqual(deletable, {"checkpoint", "trial"})
        self.assertTrue(self.allowed("s3:ListBucket", lake))

    def test_the_lifecycle_rule_is_one(self):
        s3 = self.client("s3")
        s3.create_bucket(Bucket="my-lake")
        s3.put_bucket_lifecycle_configuration(Bucket="my-lake", LifecycleConfiguration=json_block("Lifecycle rule"))
        rule = s3.get_bucket_lifecycle_configuration(Bucket="my-lake")["Rules"][0]
        self.assertEqual(rule["AbortIncompleteMultipartUpload"]["DaysAfterInitiation"], 1)


if __name__ == "__main__":
    unittest.main()
