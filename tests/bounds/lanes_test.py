"""50,000 lanes in one window of the per-partition layout: inside the memory bound, every object there, many on their way at a
time."""

import json
import tempfile
import threading
import time
import unittest
from pathlib import Path

import watch
from holding_proxy import fault_proxy
from watch import harness

LANES = 50_000


class FlightCounter(fault_proxy.Handler):
    """Counts how many objects are on their way at a time; each is so for a moment at least."""

    def forward(self, body):
        if self.command != "PUT":
            return super().forward(body)
        flights = self.proxy.flights
        flights.enter()
        time.sleep(0.02)
        try:
            return super().forward(body)
        finally:
            flights.leave()


class Flights:
    def __init__(self):
        self.lock, self.now, self.most = threading.Lock(), 0, 0

    def enter(self):
        with self.lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def leave(self):
        with self.lock:
            self.now -= 1


class CountedStore(harness.S3Store):
    def __init__(self, folder):
        super().__init__(folder)
        self.proxy = fault_proxy.FaultProxy(self.port, lambda method, path: None, FlightCounter)
        self.proxy.flights = Flights()

    def env(self):
        return {**super().env(), "QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.proxy.port}"}

    def stop(self):
        self.proxy.stop()
        super().stop()


class ManyLanesInAWindow(unittest.TestCase):
    def setUp(self):
        # In memory, where there is a folder for that: 50,000 durable files are a test of the disk.
        memory = "/dev/shm" if Path("/dev/shm").is_dir() else None
        self.folder = tempfile.TemporaryDirectory(prefix="tidemark-lanes-", dir=memory)
        self.addCleanup(self.folder.cleanup)
        self.broker = harness.Broker(self.folder.name)
        self.broker.start()
        self.addCleanup(lambda: self.broker.process.kill())

    def write(self, store, lanes, records):
        harness.push_log(
            self.broker, records, lambda n: (f"device-{n % lanes:08}", f"t-{n:08}", {"n": n, "celsius": n % 40}), 2000
        )
        # No window closes by age before all is read: the log is one window.
        lake = watch.WatchedLake(self.folder.name, self.broker, store, QUEEN_S3_LAYOUT="per-partition")
        self.addCleanup(lambda: lake.running.kill())
        self.addCleanup(store.stop)
        lake.start()
        lake.wait_for(records, 400)
        self.assertEqual(lake.records(), records)
        return lake

    def test_fifty_thousand_lanes_stay_inside_the_bound(self):
        lanes = 50_000
        lake = self.write(harness.DirectoryStore(self.folder.name), lanes, 2 * lanes)
        manifest = json.loads(next((lake.store.root / harness.BUCKET).glob("**/windows/0000000001.json")).read_text())
        print(f"peak {lake.peak_mib():.0f} MiB of {watch.bound_mib(lanes):.0f}, {manifest['partitions']} lanes in a window")
        self.assertEqual(manifest["partitions"], lanes)
        self.assertEqual(len(manifest["objects"]), lanes)
        self.assertLess(lake.peak_mib(), watch.bound_mib(lanes))

    def test_objects_are_stored_side_by_side(self):
        lake = self.write(CountedStore(self.folder.name), 600, 600)
        print(f"{lake.store.proxy.flights.most} objects on their way at a time", flush=True)
        self.assertGreater(lake.store.proxy.flights.most, 4)
        self.assertLessEqual(lake.store.proxy.flights.most, 16)


if __name__ == "__main__":
    unittest.main(verbosity=2)
