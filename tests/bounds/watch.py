"""A lake watched from outside: what it has written, what it uses, what its metrics say."""

import json
import re
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import harness  # noqa: E402
import history  # noqa: E402, F401

BUDGET_MB = 128  # QUEEN_S3_MEMORY_MB


def bound_mib(lanes):
    """Decision "Memory" of the queen interface: what a lake under BUDGET_MB may take."""
    return BUDGET_MB + 96 + lanes * 200 / (1 << 20)


class BrokerOfClass(unittest.TestCase):
    """One broker, in `folder`, for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tidemark-bounds-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.broker = harness.Broker(cls.folder.name)
        cls.broker.start()
        cls.addClassCleanup(lambda: cls.broker.process.kill())


class WatchedLake:
    """One lake of the queue `orders` under the budget, with a metrics endpoint."""

    def __init__(self, folder, broker, store, **env):
        self.store = store
        self.lake = harness.Lake(
            folder,
            broker,
            store,
            **{
                "QUEEN_S3_MEMORY_MB": str(BUDGET_MB),
                "QUEEN_S3_LEASE_TTL_MS": "30000",
                "QUEEN_S3_MAX_WINDOW_MS": "1000",
            }
            | env,
        )
        self.running, self.seen, self.began = None, {}, 0.0

    def start(self):
        self.began, self.running = time.monotonic(), self.lake.start()

    @property
    def pid(self):
        return self.running.child.pid

    def records_by_window(self):
        """{manifest's name: records}; a manifest is read once."""
        folder = self.store.root / harness.BUCKET / "queen/_queen/orders/windows"
        for path in folder.glob("*.json") if folder.exists() else ():
            if path.name not in self.seen:
                self.seen[path.name] = json.loads(path.read_text())["records"]
        return self.seen

    def records(self):
        return sum(self.records_by_window().values())

    def wait_for(self, records, seconds=300):
        harness.wait_until(
            lambda: self.records() >= records or not self.running.alive(),
            f"{records} records; see {self.running.log}",
            seconds,
        )
        assert self.running.alive(), self.running.log.read_text()[-4000:]

    def write_all(self, records, seconds):
        """Lives until so many records are written; the most memory it had resident, in MiB."""
        self.start()
        try:
            self.wait_for(records, seconds)
            return self.peak_mib()
        finally:
            self.running.kill()

    def metric(self, name, labels=""):
        """None while the lake does not answer or has no such series. `labels` as they are rendered, without braces."""
        url = f"http://{self.lake.env['QUEEN_S3_LISTEN']}/metrics"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                text = answer.read().decode()
        except OSError:
            return None
        found = re.search(rf"^{name}(?:{{{labels or '[^}]*'}}})? (\S+)$", text, re.MULTILINE)
        return float(found[1]) if found else None

    def rss_mib(self):
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def peak_mib(self):
        return harness.peak_mib(self.pid)
