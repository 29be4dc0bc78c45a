"""What holds of each wing's packaging: its table in operations.md, dashboard and alert rules, against what a running process
exposes. A test of a wing says which, and inherits these."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
OPERATIONS = (ROOT / "docs/operations.md").read_text()
PARTS = ("_bucket", "_sum", "_count")
FAMILY = re.compile(r"\b(?:queen_s3|tidemark)_[a-z0-9_]+\b")
SCRAPED = {"job", "instance", "le"}  # labels that Prometheus or a histogram adds


def section(heading):
    """Of operations.md."""
    return OPERATIONS.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


@dataclass(frozen=True)
class Wing:
    name: str  # of its files
    metrics: str  # headings in operations.md
    alerts: str
    trials: Path  # of the alerts

    @property
    def rules_file(self):
        return ROOT / f"packaging/prometheus/{self.name}.rules.yml"

    def documented(self):
        """{family: (type, labels)} of the table in operations.md."""
        rows = re.findall(r"^\| `(\w+)` \| (\w+) \| (.*?)\| ", section(self.metrics), re.MULTILINE)
        return {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}

    def dashboard(self):
        return json.loads((ROOT / f"packaging/grafana/{self.name}.json").read_text())

    def dashboard_expressions(self):
        board = self.dashboard()
        return [target["expr"] for panel in board["panels"] for target in panel["targets"]] + [
            variable["query"] for variable in board["templating"]["list"]
        ]

    def rules(self):
        return [rule for group in yaml.safe_load(self.rules_file.read_text())["groups"] for rule in group["rules"]]

    def expressions(self):
        return [rule["expr"] for rule in self.rules()] + self.dashboard_expressions()


class ExposedChecks:
    """With `wing`, and `text`, the exposition of a process that has something to tell."""

    @property
    def families(self):
        return dict(re.findall(r"^# TYPE (\w+) (\w+)$", self.text, re.MULTILINE))

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
        self.assertEqual({name: kind for name, (kind, _) in self.wing.documented().items()}, self.families)

    def test_the_table_s_labels_are_those_of_the_series(self):
        seen = 0
        for name, labels in re.findall(r"^(\w+)\{(.*)\} ", self.text, re.MULTILINE):
            names = tuple(label for label in re.findall(r'(\w+)="', labels) if label not in SCRAPED)
            self.assertEqual(self.wing.documented()[self.family(name)][1], names, name)
            seen += bool(names)
        self.assertGreater(seen, 8)

    def test_dashboard_and_rules_ask_for_nothing_that_is_not_there(self):
        names = {name for text in self.wing.expressions() for name in FAMILY.findall(text)}
        self.assertGreater(len(names), 15)
        for name in names:
            self.family(name)

    def test_dashboard_and_rules_use_labels_the_family_has(self):
        for text in self.wing.expressions():
            for name, selector in re.findall(r"((?:queen_s3|tidemark)_\w+)\{(.*?)\}", text):
                used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)", selector)) - SCRAPED
                self.assertLessEqual(used, set(self.wing.documented()[self.family(name)][1]), text)

    def test_the_dashboard_shows_every_family(self):
        shown = {self.family(name) for text in self.wing.dashboard_expressions() for name in FAMILY.findall(text)}
        self.assertEqual(set(self.families) - shown, set())


class DashboardChecks:
    """With `wing`."""

    def test_panels_do_not_overlap_and_stay_on_the_grid(self):
        taken = set()
        for panel in self.wing.dashboard()["panels"]:
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells

    def test_every_expression_parses(self):
        """As recording rules: promtool judges expressions in rule files only."""
        values = {"$__rate_interval": "5m", "$job": ".*", "$instance": ".*", "$queue": ".*"}
        recorded = []
        for text in self.wing.dashboard_expressions():
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


class RulesChecks:
    """With `wing`."""

    def test_each_alert_fires_for_what_it_is_for(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(self.wing.rules_file, folder)
            shutil.copy(self.wing.trials, folder)
            promtool("test", "rules", self.wing.trials.name, cwd=folder)

    def test_each_alert_is_tried_and_has_its_section(self):
        tried = self.wing.trials.read_text()
        alerts = [rule["alert"] for rule in self.wing.rules()]
        self.assertEqual(re.findall(r"^### (\w+)$", section(self.wing.alerts), re.MULTILINE), alerts)
        for alert in alerts:
            self.assertIn(f"alertname: {alert}", tried)

    def test_each_alert_says_what_and_why(self):
        for rule in self.wing.rules():
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))
            self.assertEqual(set(rule["annotations"]), {"summary", "description"})
