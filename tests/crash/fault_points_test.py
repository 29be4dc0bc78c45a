"""A lake that dies at each fault point and is started again equals one that never died, byte for byte.

The log is finished before; its windows close by size, so their boundaries do not depend on when they are read.
"""

import itertools
import os
import shutil
import tempfile
import unittest

import harness
import watched_store

POINTS = ["after_intent", "mid_upload", "after_upload", "before_commit", "after_commit"]
FORMATS = ["jsonl", "parquet"]
LAYOUTS = ["merged", "per-partition"]
STORES = [harness.DirectoryStore, watched_store.WatchedStore]
WINDOWS = 4


class FaultPoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tidemark-crash-")
        cls.broker = harness.Broker(cls.folder)
        cls.broker.start()
        harness.fill(cls.broker, seed=7, records=20_000, lanes=24)
        cls.undisturbed = {}

    @classmethod
    def tearDownClass(cls):
        cls.broker.process.kill()
        shutil.rmtree(cls.folder)

    def build(self, store, folder, name, form, crash_at):
        data_format, layout = form
        lake = harness.Lake(
            folder,
            self.broker,
            store,
            QUEEN_S3_SINK=name,
            QUEEN_S3_FORMAT=data_format,
            QUEEN_S3_LAYOUT=layout,
            QUEEN_S3_TARGET_MB="1",
            QUEEN_S3_MAX_WINDOW_MS="86400000",
        )
        if crash_at:
            dying = lake.start(QUEEN_S3_CRASH_AT=crash_at)
            harness.wait_until(lambda: not dying.alive(), f"the lake to die at {crash_at}; see {dying.log}")
            self.assertLess(dying.child.returncode, 0, dying.log.read_text())
        running = lake.start()
        harness.wait_until(
            lambda: len(harness.manifests(store.snapshot())) >= WINDOWS or not running.alive(),
            "the windows",
        )
        self.assertTrue(running.alive(), running.log.read_text())
        self.assertEqual(running.terminate(), 0, running.log.read_text())
        return {
            key: value.replace(name, "SINK")
            for key, value in harness.settled_keys(store.snapshot()).items()
            if harness.window_of(key) <= WINDOWS
        }

    def run_case(self, store_class, form, crash_at):
        name = "-".join((store_class.name, *form, crash_at or "never"))
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        store = store_class(folder)
        try:
            return self.build(store, folder, name, form, crash_at)
        finally:
            store.stop()


def add_case(store_class, data_format, layout, point):
    form = (data_format, layout)

    def test(self):
        if form not in self.undisturbed:
            self.undisturbed[form] = self.run_case(harness.DirectoryStore, form, None)
        self.assertEqual(self.run_case(store_class, form, point), self.undisturbed[form])

    setattr(FaultPoints, f"test_{store_class.name}_{data_format}_{layout}_{point}", test)


for case in itertools.product(STORES, FORMATS, LAYOUTS, POINTS):
    add_case(*case)

if __name__ == "__main__":
    unittest.main(verbosity=2)
