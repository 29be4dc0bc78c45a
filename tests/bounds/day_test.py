"""A day of backlog of 5,000 lanes, with a path for each hour, in the memory of one budget (complaint C23: buffers for each
partition of each path)."""

import random
import tempfile
import unittest
from pathlib import Path

import watch
from watch import harness, history

LANES = 5_000
HOURS = 24
PUSHES_PER_HOUR = 5
PUSH_SIZE = 2_000
RECORDS = HOURS * PUSHES_PER_HOUR * PUSH_SIZE


class DayOfBacklog(watch.BrokerOfClass):
    @classmethod
    def setUpClass(cls):
        # In memory, where there is a folder for that: 120,000 durable files are a test of the disk.
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        cls.stores = tempfile.TemporaryDirectory(prefix="tidemark-day-", dir=memory)
        cls.addClassCleanup(cls.stores.cleanup)
        super().setUpClass()
        numbers = random.Random(23)

        def record(n):
            # Every lane has records in every hour.
            payload = {"n": n, "noise": f"{numbers.getrandbits(1200):x}"}
            return f"lane-{n % LANES:05}", f"t-{n:08}", payload

        harness.push_log(cls.broker, RECORDS, record, PUSH_SIZE)
        assert history.age(cls.broker, HOURS) == HOURS * PUSHES_PER_HOUR

    def write(self, layout):
        """The manifests of the day, once a lake has written it inside the bound."""
        store = harness.DirectoryStore(Path(self.stores.name) / layout)
        lake = watch.WatchedLake(
            self.folder.name, self.broker, store, QUEEN_S3_SINK=layout, QUEEN_S3_LAYOUT=layout,
            QUEEN_S3_FORMAT="parquet", QUEEN_S3_MAX_WINDOW_MS=str(history.HOUR // 1000),
        )  # fmt: skip
        peak = lake.write_all(RECORDS, 400)
        print(f"{layout}: peak {peak:.0f} MiB of {watch.bound_mib(LANES):.0f}", flush=True)
        self.assertLess(peak, watch.bound_mib(LANES))
        manifests = harness.manifests(store.snapshot()).values()
        folders = {entry["key"].rsplit("/", 1)[0] for manifest in manifests for entry in manifest["objects"]}
        self.assertEqual(len(folders), HOURS)
        self.assertEqual(sum(manifest["records"] for manifest in manifests), RECORDS)
        self.assertTrue(all(not manifest["lost"] for manifest in manifests))
        return manifests

    def test_an_object_an_hour(self):
        self.write("merged")

    def test_an_object_of_each_lane_an_hour(self):
        manifests = self.write("per-partition")
        self.assertGreaterEqual(sum(len(manifest["objects"]) for manifest in manifests), HOURS * LANES)


if __name__ == "__main__":
    unittest.main(verbosity=2)
