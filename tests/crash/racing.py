"""What the tests share in which instances race for queues: traffic, instances that are killed and frozen, what a lake holds."""

import json
import random
import signal
import threading
import time

import duckdb
import harness


class Traffic(threading.Thread):
    """Pushes until stopped, to each of `queues` in turn (the list may grow meanwhile); a push without an answer is repeated
    with the same transaction ids."""

    def __init__(self, broker, seed, queues, lanes):
        super().__init__(daemon=True)
        self.broker, self.numbers, self.queues, self.lanes = broker, random.Random(seed), queues, lanes
        self.stopping, self.pushed = threading.Event(), 0

    def run(self):
        while not self.stopping.is_set():
            queue = self.queues[self.pushed // 20 % len(self.queues)]
            items = [
                {
                    "queue": queue,
                    "partition": f"lane-{self.numbers.randrange(self.lanes)}",
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


class Instance:
    """One of the racing lakes: killed and started again, or frozen and let go on as if nothing had been."""

    def __init__(self, lake, name):
        self.lake, self.name, self.thaw_at, self.port = lake, name, 0.0, 0
        self.process = None
        self.start()

    def start(self):
        self.port = harness.free_port()
        self.process = self.lake.start(QUEEN_S3_INSTANCE=self.name, QUEEN_S3_LISTEN=f"127.0.0.1:{self.port}")

    def kill(self):
        self.process.kill()
        self.thaw_at = 0.0
        self.start()

    def freeze(self, seconds):
        self.process.child.send_signal(signal.SIGSTOP)
        self.thaw_at = time.monotonic() + seconds

    def thaw(self, now=float("inf")):
        if self.thaw_at and now >= self.thaw_at:
            self.process.child.send_signal(signal.SIGCONT)
            self.thaw_at = 0.0


def lake_rows(store, queue="orders", prefix="queen"):
    """Every row of a queue's lake: ((partition, offset, ts), (transactionId, payload))."""
    root = f"{store.root / harness.BUCKET}/{prefix}/queue={queue}/**"
    if any(key.endswith(".parquet") for key in store.snapshot()):
        columns = """"partition", "offset", strftime(ts AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%fZ'), transaction_id, payload"""
        rows = duckdb.sql(f"SELECT {columns} FROM read_parquet('{root}/*.parquet')")
    else:
        rows = duckdb.sql(
            f"""SELECT "partition", "offset", ts, transactionId, payload
                FROM read_json('{root}/*.jsonl.zst', format = 'newline_delimited',
                columns = {{"partition": 'VARCHAR', "offset": 'BIGINT', transactionId: 'VARCHAR',
                            ts: 'VARCHAR', payload: 'JSON'}})"""
        )
    return [
        ((p, o, ts), (t, json.dumps(json.loads(payload), sort_keys=True))) for p, o, ts, t, payload in rows.fetchall()
    ]
