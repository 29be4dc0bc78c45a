"""A day of backlog of 5,000 lanes, with a path for each hour, in the memory of one budget (complaint C23: buffers for each
partition of each path)."""

import random
import sqlite3
import tempfile
import time
import unittest
from datetime import datetime, timezone
from pathlib import Path

import watch
from watch import harness

LANES = 5_000
HOURS = 24
PUSHES_PER_HOUR = 5
PUSH_SIZE = 2_000
RECORDS = HOURS * PUSHES_PER_HOUR * PUSH_SIZE
HOUR = 3_600_000_000  # microseconds


def iso(micros):
    return datetime.fromtimestamp(micros // 1_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{micros % 1_000_000:06}Z"


def spread_over_a_day(database):
    """Gives the pushes of a stopped broker's log stamps of the last full day, evenly: a stamp is a text of fixed length in each
    record."""
    with sqlite3.connect(database) as db:
        stamps = [ts for (ts,) in db.execute("SELECT DISTINCT ts FROM segments ORDER BY ts")]
        begin = time.time_ns() // 1000 // HOUR * HOUR - HOURS * HOUR
        later = {ts: begin + n * HOURS * HOUR // len(stamps) for n, ts in enumerate(stamps)}
        db.create_function("later", 1, later.get, deterministic=True)
        db.create_function(
            "restamped", 2, lambda data, ts: data.replace(iso(ts).encode(), iso(later[ts]).encode()), deterministic=True
        )
        db.execute("UPDATE segments SET data = restamped(CAST(data AS BLOB), ts), ts = later(ts)")
        db.execute(
            "UPDATE partitions SET last_write_at = 1000000 *"
            " (SELECT max(ts) / 1000000 FROM segments WHERE partition_id = partitions.id)"
        )
    db.close()
    return len(stamps)


class DayOfBacklog(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # In memory, where there is a folder for that: 120,000 durable files are a test of the disk.
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        cls.folder = tempfile.TemporaryDirectory(prefix="tidemark-day-")
        cls.stores = tempfile.TemporaryDirectory(prefix="tidemark-day-", dir=memory)
        cls.broker = harness.Broker(cls.folder.name)
        cls.broker.start()
        numbers = random.Random(23)

        def record(n):
            # Every lane has records in every hour.
            payload = {"n": n, "noise": f"{numbers.getrandbits(1200):x}"}
            return f"lane-{n % LANES:05}", f"t-{n:08}", payload

        harness.push_log(cls.broker, RECORDS, record, PUSH_SIZE)
        cls.broker.process.terminate()
        assert spread_over_a_day(Path(cls.folder.name) / "broker/broker.db") == HOURS * PUSHES_PER_HOUR
        cls.broker.start()

    @classmethod
    def tearDownClass(cls):
        cls.broker.process.kill()
        cls.folder.cleanup()
        cls.stores.cleanup()

    def write(self, layout):
        """The manifests of the day, once a lake has written it inside the bound."""
        store = harness.DirectoryStore(Path(self.stores.name) / layout)
        lake = watch.WatchedLake(
            self.folder.name, self.broker, store, QUEEN_S3_SINK=layout, QUEEN_S3_LAYOUT=layout,
            QUEEN_S3_FORMAT="parquet", QUEEN_S3_MAX_WINDOW_MS=str(HOUR // 1000),
        )  # fmt: skip
        lake.start()
        try:
            lake.wait_for(RECORDS, 400)
            peak = lake.peak_mib()
        finally:
            lake.running.kill()
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
