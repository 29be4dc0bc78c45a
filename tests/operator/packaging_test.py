"""Dashboard, alert rules, unit and operations.md, held against what a running lake exposes and reads.

usage: packaging_test.py   Environment: TIDEMARK_BINARY, VERSITYGW, PROMTOOL
"""

import configparser
import contextlib
import fnmatch
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/crash"))

import harness  # noqa: E402

RULES = ROOT / "packaging/prometheus/tidemark-lake.rules.yml"
UNIT = ROOT / "packaging/systemd/tidemark-lake.service"
SETTINGS = ROOT / "packaging/systemd/tidemark-lake.env.example"
OPERATIONS = (ROOT / "docs/operations.md").read_text()
PARTS = ("_bucket", "_sum", "_count")
FAMILY = re.compile(r"\b(?:queen_s3|tidemark)_[a-z0-9_]+\b")
SCRAPED = {"job", "instance", "le"}  # labels that Prometheus or a histogram adds


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


def documented():
    """{family: (type, labels)} of the table in operations.md."""
    table = OPERATIONS.partition("\n## Metrics\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*?)\| ", table, re.MULTILINE)
    return {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}


def dashboard():
    return json.loads((ROOT / "packaging/grafana/tidemark-lake.json").read_text())


def dashboard_expressions():
    board = dashboard()
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]] + [
        variable["query"] for variable in board["templating"]["list"]
    ]


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def json_block(heading):
    section = OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return json.loads(re.search(r"```json\n(.*?)```", section, re.DOTALL).group(1))


class Exposed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.mkdtemp(prefix="tidemark-packaging-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.text = scrape(folder)
        cls.families = dict(re.findall(r"^# TYPE (\w+) (\w+)$", cls.text, re.MULTILINE))

    def family(self, name):
        """The family of a series name; a histogram's is asked for by its parts alone."""
        for part in PARTS:
            base = name.removesuffix(part)
            if base != name and self.families.get(base) == "histogram":
                return base
        self.assertIn(name, self.families, "no such metric is exposed")
        self.assertNotEqual(self.families[name], "histogram", f"{name} has no series of that name")
        return name

    def test_the_table_lists_every_family_with_its_type_and_no_other(self):
        self.assertEqual({name: kind for name, (kind, _) in documented().items()}, self.families)

    def test_the_table_s_labels_are_those_of_the_series(self):
        seen = 0
        for name, labels in re.findall(r"^(\w+)\{(.*)\} ", self.text, re.MULTILINE):
            names = tuple(label for label in re.findall(r'(\w+)="', labels) if label not in SCRAPED)
            self.assertEqual(documented()[self.family(name)][1], names, name)
            seen += bool(names)
        self.assertGreater(seen, 8)

    def test_dashboard_and_rules_ask_for_nothing_that_is_not_there(self):
        expressions = [rule["expr"] for rule in rules()] + dashboard_expressions()
        names = {name for text in expressions for name in FAMILY.findall(text)}
        self.assertGreater(len(names), 15)
        for name in names:
            self.family(name)

    def test_dashboard_and_rules_use_labels_the_family_has(self):
        for text in [rule["expr"] for rule in rules()] + dashboard_expressions():
            for name, selector in re.findall(r"((?:queen_s3|tidemark)_\w+)\{(.*?)\}", text):
                used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector)) - SCRAPED
                self.assertLessEqual(used, set(documented()[self.family(name)][1]), text)

    def test_the_dashboard_shows_every_family(self):
        shown = {self.family(name) for text in dashboard_expressions() for name in FAMILY.findall(text)}
        self.assertEqual(set(self.families) - shown, set())


class Dashboard(unittest.TestCase):
    def test_panels_do_not_overlap_and_stay_on_the_grid(self):
        taken = set()
        for panel in dashboard()["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells

    def test_every_expression_parses(self):
        """As recording rules: promtool judges expressions in rule files only."""
        values = {"$__rate_interval": "5m", "$job": ".*", "$queue": ".*"}
        recorded = []
        for text in dashboard_expressions():
            for name, value in values.items():
                text = text.replace(name, value)
            if text != "prometheus" and not text.startswith("label_values"):
                recorded.append({"record": f"panel:{len(recorded)}", "expr": text})
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "panels.yml"
            path.write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": recorded}]}))
            promtool("check", "rules", str(path))


def promtool(*arguments, cwd=None):
    program = os.environ["PROMTOOL"]
    if not Path(program).exists():
        raise AssertionError("promtool is not installed: tools/setup --servers")
    done = subprocess.run([program, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)


class Rules(unittest.TestCase):
    def test_each_alert_fires_for_what_it_is_for(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(RULES, folder)
            shutil.copy(Path(__file__).with_name("alerts_test.yml"), folder)
            promtool("test", "rules", "alerts_test.yml", cwd=folder)

    def test_each_alert_is_tried_and_has_its_section(self):
        tried = Path(__file__).with_name("alerts_test.yml").read_text()
        alerts = [rule["alert"] for rule in rules()]
        self.assertEqual(re.findall(r"^### (\w+)$", OPERATIONS, re.MULTILINE), alerts)
        for alert in alerts:
            self.assertIn(f"alertname: {alert}", tried)

    def test_each_alert_says_what_and_why(self):
        for rule in rules():
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))
            self.assertEqual(set(rule["annotations"]), {"summary", "description"})


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
