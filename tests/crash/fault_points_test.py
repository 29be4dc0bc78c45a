"""A lake that dies at each fault point and is started again equals one that never died, byte for byte; also when it dies
later than at its first window, and when it is started again under another configuration.

The log is finished before, and three hours long; its windows close by size and at the boundaries of hours, never by when they
are read.
"""

import itertools
import json
import os
import shutil
import tempfile
import unittest

import harness
import history
import watched_store

POINTS = ["after_intent", "mid_upload", "after_upload", "before_commit", "after_commit"]
FORMATS = ["jsonl", "parquet"]
LAYOUTS = ["merged", "per-partition"]
STORES = [harness.DirectoryStore, watched_store.WatchedStore]
RECORDS = 20_000
HOURS = 3
LATER_WINDOW = 3


class FaultPoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tidemark-crash-")
        cls.broker = harness.Broker(cls.folder)
        cls.broker.start()
        harness.fill(cls.broker, seed=7, records=RECORDS, lanes=24)
        history.age(cls.broker, HOURS)
        cls.undisturbed = {}

    @classmethod
    def tearDownClass(cls):
        cls.broker.process.kill()
        shutil.rmtree(cls.folder)

    def lake(self, store, folder, name, form):
        data_format, layout = form
        return harness.Lake(
            folder,
            self.broker,
            store,
            QUEEN_S3_SINK=name,
            QUEEN_S3_FORMAT=data_format,
            QUEEN_S3_LAYOUT=layout,
            QUEEN_S3_TARGET_MB="1",
            QUEEN_S3_MAX_WINDOW_MS="86400000",
        )

    def die(self, lake, point):
        dying = lake.start(QUEEN_S3_CRASH_AT=point)
        harness.wait_until(lambda: not dying.alive(), f"the lake to die at {point}; see {dying.log}")
        self.assertLess(dying.child.returncode, 0, dying.log.read_text())

    def finish(self, lake, store, name):
        running = lake.start()
        harness.wait_until(
            lambda: self.shipped(store) >= RECORDS or not running.alive(), f"all records; see {running.log}"
        )
        self.assertTrue(running.alive(), running.log.read_text())
        self.assertEqual(running.terminate(), 0, running.log.read_text())
        return {
            key: value.replace(name, "SINK")
            for key, value in harness.settled_keys(store.snapshot()).items()
        }

    def shipped(self, store):
        return sum(manifest["records"] for manifest in harness.manifests(store.snapshot()).values())

    def run_case(self, store_class, form, deaths, next_form=None):
        """What the store holds after the lake has died at each of `deaths`, one a life, and was started again."""
        name = f"{store_class.name}-{'-'.join(form)}-{len(os.listdir(self.folder))}"
        folder = os.path.join(self.folder, name)
        os.mkdir(folder)
        store = store_class(folder)
        try:
            lake = self.lake(store, folder, name, form)
            for point in deaths:
                self.die(lake, point)
            return self.finish(self.lake(store, folder, name, next_form or form), store, name)
        finally:
            store.stop()

    def calm(self, form):
        if form not in self.undisturbed:
            self.undisturbed[form] = self.run_case(harness.DirectoryStore, form, ())
        return self.undisturbed[form]

    def judge_change(self, store_class, point, before, after):
        """The window that was begun keeps its form, the next ones have the new one."""
        deaths = ("after_commit", point)
        expected = {key: value for key, value in self.calm(before).items() if harness.window_of(key) <= len(deaths)}
        expected |= {key: value for key, value in self.calm(after).items() if harness.window_of(key) > len(deaths)}
        self.assertEqual(self.run_case(store_class, before, deaths, after), expected)

    def test_windows_close_by_size_and_at_hours(self):
        ends = [json.loads(manifest)["tEnd"] for key, manifest in self.calm(("jsonl", "merged")).items() if "/windows/" in key]
        self.assertEqual(sum(end % history.HOUR == 0 for end in ends), HOURS)
        self.assertGreater(len(ends), HOURS)

    def test_another_form_between_intent_and_redo(self):
        self.judge_change(harness.DirectoryStore, "after_intent", ("jsonl", "merged"), ("parquet", "per-partition"))

    def test_another_form_between_half_the_objects_and_redo(self):
        self.judge_change(harness.S3Store, "mid_upload", ("parquet", "per-partition"), ("jsonl", "merged"))


def add_case(store_class, data_format, layout, point, window=1):
    form = (data_format, layout)
    # A life that dies after a commit has made one window.
    deaths = ("after_commit",) * (window - 1) + (point,)

    def test(self):
        self.assertEqual(self.run_case(store_class, form, deaths), self.calm(form))

    later = "" if window == 1 else f"_of_window_{window}"
    setattr(FaultPoints, f"test_{store_class.name}_{data_format}_{layout}_{point}{later}", test)


for case in itertools.product(STORES, FORMATS, LAYOUTS, POINTS):
    add_case(*case)
for point, case in zip(POINTS, itertools.cycle(itertools.product(STORES, FORMATS, LAYOUTS))):
    add_case(*case, point, LATER_WINDOW)

if __name__ == "__main__":
    unittest.main(verbosity=2)
