"""kill -9 of lakes and broker at random moments under live traffic, two instances racing for one queue, each now and then
frozen for longer than its lease: at the end every record of the log is in the lake once, with the same content; no key
ever changes its bytes (complaint C03; there is no local state that could be deleted). The seed is printed and can be set: TIDEMARK_SEED; so can the number of kills: TIDEMARK_KILLS."""

import os
import random
import time
import unittest

import harness
import racing
import watched_store

KILLS = int(os.environ.get("TIDEMARK_KILLS", "50"))
LEASE_MS = 2000


class RandomKills(harness.BrokerCase):
    def setUp(self):
        self.seed = harness.printed_seed()
        super().setUp()
        self.broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})

    def disturb(self, numbers, instances, store, kills):
        seen, left = {}, kills
        while left > 0:
            time.sleep(numbers.uniform(0.02, 1.2))
            for instance in instances:
                instance.thaw(time.monotonic())
            victim = numbers.choice(instances)
            deed = numbers.choice(["broker", "freeze", "kill", "kill", "kill"])
            if deed == "broker":
                self.broker.process.kill()
                self.broker.start()
            elif deed == "freeze":
                victim.freeze(numbers.uniform(0.2, 3 * LEASE_MS / 1000))
                continue
            else:
                victim.kill()
                seen = harness.written_once(seen, store)
            left -= 1
        for instance in instances:
            instance.thaw()
        return seen

    def judge(self, store, kills, lanes):
        log = self.broker.read_log("orders")
        settled = lambda: harness.manifests(store.snapshot()).values()  # noqa: E731
        harness.wait_until(lambda: sum(m["records"] for m in settled()) >= len(log), "the lake to catch up", 120)
        rows = racing.lake_rows(store)
        self.assertEqual(len(rows), len(log))
        self.assertEqual(dict(rows), log)
        self.assertTrue(all(not m["lost"] for m in settled()))
        print(f"{kills} kills, {len(log)} records in {lanes} lanes, {len(settled())} windows")

    def live(self, store_class, kills, lanes, **form):
        numbers = random.Random(self.seed)
        store = store_class(self.folder)
        lake = harness.Lake(
            self.folder, self.broker, store, QUEEN_S3_MAX_WINDOW_MS="700", QUEEN_S3_LEASE_TTL_MS=str(LEASE_MS), **form
        )
        instances = [racing.Instance(lake, "sink-0"), racing.Instance(lake, "sink-1")]
        traffic = racing.Traffic(self.broker, self.seed, ["orders"], lanes)
        traffic.start()
        try:
            seen = self.disturb(numbers, instances, store, kills)
            traffic.stopping.set()
            traffic.join()
            self.judge(store, kills, lanes)
            for instance in instances:
                self.assertEqual(instance.process.terminate(), 0, instance.process.log.read_text()[-4000:])
            harness.written_once(seen, store)
        finally:
            traffic.stopping.set()
            for instance in instances:
                instance.process.kill()
            store.stop()

    def test_lines_in_a_directory(self):
        self.live(harness.DirectoryStore, KILLS // 2, lanes=40)

    def test_parquet_of_each_lane_in_s3(self):
        self.live(
            watched_store.WatchedStore, KILLS // 2, lanes=4, QUEEN_S3_FORMAT="parquet", QUEEN_S3_LAYOUT="per-partition"
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
