"""kill -9 of lake and broker at random moments under live traffic: at the end every record of the log is in the lake
once, with the same content; no key ever changes its bytes. The seed is printed and can be set: TIDEMARK_SEED."""

import os
import random
import shutil
import tempfile
import time
import unittest

import harness

KILLS = int(os.environ.get("TIDEMARK_KILLS", "50"))


class RandomKills(unittest.TestCase):
    def setUp(self):
        self.seed = int(os.environ.get("TIDEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
        print(f"TIDEMARK_SEED={self.seed}", flush=True)
        self.folder = tempfile.mkdtemp(prefix="tidemark-kills-")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def watch(self, before, store):
        after = harness.settled_keys(store.snapshot())
        for key, value in before.items():
            self.assertEqual(after.get(key), value, f"{key} was written twice with different bytes")
        return after

    def test_every_record_is_in_the_lake_once(self):
        numbers = random.Random(self.seed)
        broker = harness.Broker(self.folder)
        broker.start()
        broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})
        store = harness.DirectoryStore(self.folder)
        lake = harness.Lake(self.folder, broker, store, QUEEN_S3_MAX_WINDOW_MS="700", QUEEN_S3_ALIGN="hour")
        traffic = harness.Traffic(broker, self.seed)
        traffic.start()
        running, seen = lake.start(), {}
        for _ in range(KILLS):
            time.sleep(numbers.uniform(0.02, 1.2))
            if numbers.random() < 0.2:
                broker.process.kill()
                broker.start()
            else:
                running.kill()
                seen = self.watch(seen, store)
                running = lake.start()
        traffic.stopping.set()
        traffic.join()
        log = broker.read_log("orders")
        harness.wait_until(
            lambda: sum(m["records"] for m in harness.manifests(store.snapshot()).values()) >= len(log),
            "the lake to catch up",
        )
        self.assertEqual(running.terminate(), 0, running.log.read_text()[-4000:])
        self.watch(seen, store)
        rows = harness.lake_rows(store)
        self.assertEqual(len(rows), len(log))
        self.assertEqual(dict(rows), log)
        self.assertTrue(all(not m["lost"] for m in harness.manifests(store.snapshot()).values()))
        broker.process.kill()
        print(f"{KILLS} kills, {len(log)} records, {len(harness.manifests(store.snapshot()))} windows")


if __name__ == "__main__":
    unittest.main(verbosity=2)
