"""kill -9 of lake and broker at random moments under live traffic: at the end every record of the log is in the lake
once, with the same content; no key ever changes its bytes. The seed is printed and can be set: TIDEMARK_SEED."""

import json
import os
import random
import shutil
import tempfile
import threading
import time
import unittest

import duckdb

import harness

KILLS = int(os.environ.get("TIDEMARK_KILLS", "50"))


class Traffic(threading.Thread):
    """Pushes until stopped; a push without an answer is repeated with the same transaction ids."""

    def __init__(self, broker, seed):
        super().__init__(daemon=True)
        self.broker, self.numbers = broker, random.Random(seed)
        self.stopping, self.pushed = threading.Event(), 0

    def run(self):
        while not self.stopping.is_set():
            items = [
                {
                    "queue": "orders",
                    "partition": f"lane-{self.numbers.randrange(40)}",
                    "transactionId": f"t-{self.pushed + n}",
                    "payload": {"n": self.pushed + n, "text": "y" * self.numbers.randrange(200)},
                }
                for n in range(20)
            ]
            while not self.stopping.is_set():
                try:
                    self.broker.push(items)
                    self.pushed += len(items)
                    break
                except (OSError, AssertionError, harness.http.client.HTTPException):
                    time.sleep(0.05)
            time.sleep(0.01)


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

    def lake_rows(self, store):
        path = store.root / harness.BUCKET / "queen"
        rows = duckdb.sql(
            f"""SELECT "partition", "offset", ts, transactionId, payload
                FROM read_json('{path}/queue=orders/**/*.jsonl.zst', format = 'newline_delimited',
                columns = {{"partition": 'VARCHAR', "offset": 'BIGINT', transactionId: 'VARCHAR',
                            ts: 'VARCHAR', payload: 'JSON'}})"""
        ).fetchall()
        return [((p, o, ts), (t, json.dumps(json.loads(payload), sort_keys=True))) for p, o, ts, t, payload in rows]

    def test_every_record_is_in_the_lake_once(self):
        numbers = random.Random(self.seed)
        broker = harness.Broker(self.folder)
        broker.start()
        broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})
        store = harness.DirectoryStore(self.folder)
        lake = harness.Lake(self.folder, broker, store, QUEEN_S3_MAX_WINDOW_MS="700", QUEEN_S3_ALIGN="hour")
        traffic = Traffic(broker, self.seed)
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
        rows = self.lake_rows(store)
        self.assertEqual(len(rows), len(log))
        self.assertEqual(dict(rows), log)
        self.assertTrue(all(not m["lost"] for m in harness.manifests(store.snapshot()).values()))
        broker.process.kill()
        print(f"{KILLS} kills, {len(log)} records, {len(harness.manifests(store.snapshot()))} windows")


if __name__ == "__main__":
    unittest.main(verbosity=2)
