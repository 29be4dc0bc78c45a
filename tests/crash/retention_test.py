"""Retention that overtakes a lake which is killed and kept down: at the end every offset of every partition is in one
window or in one `lost` range, and no other (complaint C13). The seed is printed and can be set: TIDEMARK_SEED."""

import collections
import os
import random
import shutil
import tempfile
import time
import unittest

import harness
import racing

KILLS = int(os.environ.get("TIDEMARK_KILLS", "12"))


class Retention(unittest.TestCase):
    def setUp(self):
        self.seed = harness.printed_seed()
        self.folder = tempfile.mkdtemp(prefix="tidemark-retention-")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def configure(self, broker, **options):
        broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": options})

    def heads(self, broker):
        entry = {"queue": "orders", "since": None, "after": None, "limit": 1000}
        page = broker.call("POST", "/api/v1/partitions/changed", {"entries": [entry]})["entries"][0]
        return {p["name"]: p["lastOffset"] + 1 for p in page["partitions"]}

    def account(self, store):
        """How often each (partition, offset) is in the lake, and how many were told lost."""
        told = collections.Counter((p, offset) for (p, offset, _), _ in racing.lake_rows(store))
        lost = collections.Counter()
        for manifest in harness.manifests(store.snapshot()).values():
            for one in manifest["lost"]:
                lost.update((one["partition"], at) for at in range(one["from"], one["to"] + 1))
        return told + lost, lost.total()

    def test_every_offset_is_shipped_or_lost_once(self):
        numbers = random.Random(self.seed)
        broker = harness.Broker(self.folder)
        broker.start("--housekeeping-seconds", "1")
        self.configure(broker, retentionEnabled=False)
        store = harness.DirectoryStore(self.folder)
        lake = harness.Lake(
            self.folder, broker, store, QUEEN_S3_MAX_WINDOW_MS="700", QUEEN_S3_CHECKPOINT_EVERY="5"
        )
        traffic = racing.Traffic(broker, self.seed, ["orders"], lanes=40)
        traffic.start()
        running = lake.start()
        harness.wait_until(lambda: harness.manifests(store.snapshot()), "the first window")
        self.configure(broker, retentionEnabled=True, retentionSeconds=1)
        for _ in range(KILLS):
            time.sleep(numbers.uniform(0.3, 2))
            running.kill()
            time.sleep(numbers.choice([0, 3]))
            running = lake.start()
        traffic.stopping.set()
        traffic.join()
        self.configure(broker, retentionEnabled=False)
        for partition in self.heads(broker):
            broker.push([dict(zip(harness.RECORD_FIELDS, ("orders", partition, f"last-{partition}", {})))])
        expected = {(p, at): 1 for p, head in self.heads(broker).items() for at in range(head)}
        harness.wait_until(
            lambda: self.account(store)[0].total() >= len(expected) or not running.alive(),
            "the lake to catch up",
            seconds=200,  # a redo that builds less than was promised waits two minutes for a PUT under way
        )
        self.assertEqual(running.terminate(), 0, running.log.read_text()[-4000:])
        told, lost = self.account(store)
        self.assertEqual({key: n for key, n in told.items() if n != 1}, {}, "told more than once")
        self.assertEqual(dict(told), expected)
        self.assertGreater(lost, 0, "retention took nothing: the test saw no loss")
        broker.process.kill()
        print(f"{KILLS} kills, {len(expected)} offsets, {lost} lost")


if __name__ == "__main__":
    unittest.main(verbosity=2)
