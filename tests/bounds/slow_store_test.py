"""A store that takes 1 MB/s from a lake whose source gives all it can (complaint C24): fetching pauses, memory stays flat, the
metrics show it; and when the store is itself again, everything arrives."""

import random
import tempfile
import unittest

import watch
from holding_proxy import fault_proxy
from watch import harness

LANES = 50
RECORDS = 250_000
MB = 1_000_000
ROOM_BYTES = 4 << 20  # less than this is no room for answers


class SlowStore(harness.S3Store):
    def __init__(self, folder):
        super().__init__(folder)
        self.proxy = fault_proxy.FaultProxy(self.port, lambda method, path: None)
        self.proxy.throttle.bytes_per_second = MB

    def env(self):
        return {**super().env(), "QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.proxy.port}"}

    def stop(self):
        self.proxy.stop()
        super().stop()


class SlowStoreTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tidemark-slow-")
        self.addCleanup(folder.cleanup)
        broker = harness.Broker(folder.name)
        broker.start()
        self.addCleanup(lambda: broker.process.kill())
        numbers = random.Random(5)

        def record(n):
            return f"lane-{n % LANES:03}", f"t-{n:08}", {"n": n, "noise": f"{numbers.getrandbits(3600):x}"}

        harness.push_log(broker, RECORDS, record, push_size=2000)
        self.store = SlowStore(folder.name)
        self.addCleanup(self.store.stop)
        self.lake = watch.WatchedLake(
            folder.name, broker, self.store, QUEEN_S3_FORMAT="jsonl", QUEEN_S3_COMPRESSION="none"
        )
        self.lake.start()
        self.addCleanup(lambda: self.lake.running.kill())

    def fetches(self):
        return self.lake.metric("queen_s3_fetch_calls_total", 'queue="orders",result="ok"') or 0

    def room(self):
        room = self.lake.metric("tidemark_memory_room_bytes")
        return float("inf") if room is None else room

    def store_takes(self, count):
        until = self.store.proxy.throttle.passed + count
        harness.wait_until(lambda: self.store.proxy.throttle.passed >= until, f"{count} bytes at the store", 120)

    def test_fetching_pauses_and_memory_stays_flat(self):
        harness.wait_until(lambda: self.room() < ROOM_BYTES, "memory to be full", 120)
        self.store_takes(2 * MB)  # what was on its way when it became full has arrived
        fetches, windows, resident = self.fetches(), len(self.lake.records_by_window()), self.lake.rss_mib()
        self.store_takes(10 * MB)
        committed = len(self.lake.records_by_window()) - windows
        print(f"paused: {self.fetches() - fetches:.0f} fetches while {committed} windows were stored", flush=True)
        # Only a window that is stored makes room again: for no more answers than the budget holds.
        self.assertLessEqual(self.fetches() - fetches, watch.BUDGET_MB * committed)
        self.assertLess(self.room(), ROOM_BYTES if committed == 0 else watch.BUDGET_MB << 20)
        self.assertLess(abs(self.lake.rss_mib() - resident), 16)
        self.assertLess(self.lake.peak_mib(), watch.bound_mib(LANES))

        self.store.proxy.throttle.bytes_per_second = None
        self.lake.wait_for(RECORDS)
        self.assertEqual(self.lake.records(), RECORDS)
        print(f"peak {self.lake.peak_mib():.0f} MiB of {watch.bound_mib(LANES):.0f}", flush=True)
        self.assertLess(self.lake.peak_mib(), watch.bound_mib(LANES))


if __name__ == "__main__":
    unittest.main(verbosity=2)
