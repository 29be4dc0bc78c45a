"""A backlog several times larger than the budget drains inside the memory bound, also while one lane that cannot be read holds
every close back."""

import random
import unittest
from pathlib import Path

import watch
from holding_proxy import HoldingProxy
from watch import harness

LANES = 200
RECORDS = 400_000
HELD = "held"
ROOM_BYTES = 1 << 20  # less than this is no room for answers
REFUSALS = 10  # waited for with memory full: only the lane that is held back is asked for then


class Backlog(watch.BrokerOfClass):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        numbers = random.Random(3)

        def record(n):
            lane = HELD if n == 0 else f"lane-{numbers.randrange(LANES):04}"
            return lane, f"t-{n:08}", {"n": n, "note": f"{numbers.getrandbits(800):x}"}

        harness.push_log(cls.broker, RECORDS, record, push_size=2000)

    def lake(self, name, **env):
        store = harness.DirectoryStore(Path(self.folder.name) / name)
        lake = watch.WatchedLake(self.folder.name, self.broker, store, QUEEN_S3_SINK=name, **env)
        self.addCleanup(lambda: lake.running.kill())
        lake.start()
        return lake

    def drain(self, name, lake):
        lake.wait_for(RECORDS)
        self.assertEqual(lake.records(), RECORDS)
        print(f"{name}: peak {lake.peak_mib():.0f} MiB of {watch.bound_mib(LANES):.0f}", flush=True)
        self.assertLess(lake.peak_mib(), watch.bound_mib(LANES))

    def test_drains_inside_the_bound(self):
        self.drain("drained", self.lake("drained"))

    def test_a_lane_that_cannot_be_read_holds_everything_back_and_memory_stays(self):
        proxy = HoldingProxy(self.broker.port, HELD)
        self.addCleanup(proxy.stop)
        lake = self.lake("held", QUEEN_URL=proxy.url)

        def fetches():
            return lake.metric("queen_s3_fetch_calls_total", 'queue="orders",result="ok"') or 0

        def room():
            left = lake.metric("tidemark_memory_room_bytes")
            return float("inf") if left is None else left

        harness.wait_until(lambda: room() < ROOM_BYTES, "memory to be full", 120)
        refused = proxy.refused
        harness.wait_until(lambda: proxy.refused > refused, "a refusal", 120)
        fetched, refused = fetches(), proxy.refused
        harness.wait_until(lambda: proxy.refused >= refused + REFUSALS, "the lane to be asked for again", 120)
        self.assertLessEqual(fetches() - fetched, proxy.refused - refused + 1)
        self.assertLess(room(), ROOM_BYTES)
        self.assertEqual(lake.records(), 0)
        self.assertLess(lake.peak_mib(), watch.bound_mib(LANES))
        proxy.partition = None
        self.drain("held", lake)


if __name__ == "__main__":
    unittest.main(verbosity=2)
