"""The retention hold from end to end (decision 1): what the lake has not shipped stays in the log while the lake is down,
however long retention would have taken it; once shipped, it goes.

A queue without the hold, under the same retention, is the clock: what it has lost, the held queue would have lost."""

import shutil
import tempfile
import unittest

import harness

BURST = 300
OPTIONS = {"retentionEnabled": True, "retentionSeconds": 1}
# The hold keeps a minute below the last committed window.
GONE_SECONDS = 180


class RetentionHold(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-hold-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.broker = harness.Broker(self.folder)
        self.broker.start("--housekeeping-seconds", "1")
        self.addCleanup(self.broker.process.kill)
        self.store = harness.DirectoryStore(self.folder)
        self.lake = harness.Lake(self.folder, self.broker, self.store, QUEEN_S3_MAX_WINDOW_MS="300")
        self.pushed = 0

    def configure(self, queue, **options):
        self.broker.call("POST", "/api/v1/configure", {"queue": queue, "options": {**OPTIONS, **options}})

    def push(self, records, queues=("orders", "clock")):
        for queue in queues:
            numbers = range(self.pushed, self.pushed + records)
            items = [dict(zip(harness.RECORD_FIELDS, (queue, "a", f"t-{n}", {"n": n}))) for n in numbers]
            self.broker.push(items)
        self.pushed += records

    def log_start(self, queue):
        entry = {"queue": queue, "partition": "a", "offset": self.pushed}
        return self.broker.call("POST", "/api/v1/fetch", {"entries": [entry]})["entries"][0]["logStartOffset"]

    def manifests(self):
        return harness.manifests(self.store.snapshot()).values()

    def shipped(self):
        return sum(manifest["records"] for manifest in self.manifests())

    def start_lake(self):
        running = self.lake.start()
        self.addCleanup(running.kill)
        return running

    def ship(self, running):
        wanted = self.pushed
        harness.wait_until(lambda: self.shipped() >= wanted or not running.alive(), "the windows")
        self.assertTrue(running.alive(), running.log.read_text())

    def test_unread_segments_stay_while_the_lake_is_down_and_go_when_it_has_shipped_them(self):
        self.configure("orders", retentionSinkHold="default")
        self.configure("clock")
        running = self.start_lake()
        self.push(BURST)
        self.ship(running)
        running.kill()

        unread = self.pushed
        self.push(BURST)
        harness.wait_until(lambda: self.log_start("clock") == self.pushed, "retention to take what nobody holds")
        self.assertLessEqual(self.log_start("orders"), unread)

        running = self.start_lake()
        self.ship(running)
        self.assertEqual([manifest["lost"] for manifest in self.manifests() if manifest["lost"]], [])
        held = self.pushed

        def goes():
            self.push(1)  # only new windows move the pointer on
            return self.log_start("orders") >= held

        harness.wait_until(goes, "what was shipped to go", GONE_SECONDS)
        self.ship(running)
        self.assertEqual(running.terminate(), 0, running.log.read_text())
        self.assertEqual([manifest["lost"] for manifest in self.manifests() if manifest["lost"]], [])
        self.assertEqual(self.shipped(), self.pushed)


if __name__ == "__main__":
    unittest.main(verbosity=2)
