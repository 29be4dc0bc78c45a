"""kill -9 while clients push: nothing answered is lost, nothing is there twice, retries are recognised."""

import http.client
import os
import random
import threading
import time

import broker_process

ROUNDS = 4
CLIENTS = 4
LANES = 5
SEED = int(os.environ.get("TIDEMARK_SEED", "20260904"))


class Client(threading.Thread):
    """Pushes numbered batches, each again until it is answered, over every restart of the broker."""

    def __init__(self, broker, number):
        super().__init__()
        self.broker = broker
        self.number = number
        self.acknowledged = []
        self.stopping = threading.Event()

    def run(self):
        batch = 0
        while not self.stopping.is_set():
            ids = [f"c{self.number}-b{batch}-{i}" for i in range(20)]
            items = [
                {"queue": "q", "partition": f"p{i % LANES}", "transactionId": name, "payload": {"id": name}}
                for i, name in enumerate(ids)
            ]
            while not self.try_push(items):
                time.sleep(0.02)
                if self.stopping.is_set():
                    return
            self.acknowledged += ids
            batch += 1

    def try_push(self, items):
        try:
            status, _ = self.broker.push(items)
        except (OSError, http.client.HTTPException):
            return False
        return status == 201


class KillDuringPushes(broker_process.BrokerCase):
    def test_every_acknowledged_record_is_there_exactly_once(self):
        chance = random.Random(SEED)
        print(f"seed {SEED}")
        broker = self.start_broker()
        clients = [Client(broker, n) for n in range(CLIENTS)]
        for client in clients:
            client.start()
        try:
            for _ in range(ROUNDS):
                before = sum(len(client.acknowledged) for client in clients)
                self.eventually(lambda: sum(len(c.acknowledged) for c in clients) > before + 200)
                time.sleep(chance.uniform(0, 0.05))  # a random instant is the point
                broker.kill()
                broker.start()
        finally:
            for client in clients:
                client.stopping.set()
            for client in clients:
                client.join()
        self.judge(broker, clients)
        broker.kill()
        broker.start()
        self.judge(broker, clients)

    def judge(self, broker, clients):
        found = []
        for lane in range(LANES):
            records = broker.read_lane("q", f"p{lane}")
            self.assertEqual([r["offset"] for r in records], list(range(len(records))))
            stamps = [r["ts"] for r in records]
            self.assertEqual(stamps, sorted(stamps))
            for record in records:
                self.assertEqual(record["payload"], {"id": record["transactionId"]})
            found += [r["transactionId"] for r in records]
        self.assertEqual(len(found), len(set(found)), "a retried record is there twice")
        acknowledged = {name for client in clients for name in client.acknowledged}
        self.assertGreater(len(acknowledged), 0)
        self.assertEqual(acknowledged - set(found), set(), "an acknowledged record is lost")


if __name__ == "__main__":
    broker_process.main()
