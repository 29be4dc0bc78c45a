"""`kill -9` between and during posts: every event that was answered 202 is in ready/ exactly once; of a post without an
answer all events are there, once, or none. With an Idempotency-Key a client sends until it is answered, and every event is there
exactly once."""

import http.client
import itertools
import random
import threading
import unittest

from harness import wait_until
from http_client import HttpPipeline, drain, lines

KILLS = 6
CLIENTS = 4


class Clients:
    """Each posts batches of its own numbers, one after the other, and keeps what it was told."""

    def __init__(self, pipeline, seed):
        self.pipeline = pipeline
        self.numbers = itertools.count()
        self.lock = threading.Lock()
        self.answered, self.open = [], []
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.work, args=(random.Random(f"{seed}/{i}"),)) for i in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def send(self, batch, choice):
        """The status of the answer, after one try; None without an answer."""
        try:
            status, _, body = self.pipeline.post(lines(batch, note="x" * choice.choice((0, 5000))))
        except (OSError, http.client.HTTPException):
            return None
        assert status in (202, 503), (status, body)
        return status

    def work(self, choice):
        while not self.ended.is_set():
            with self.lock:
                batch = list(itertools.islice(self.numbers, choice.choice((1, 1, 10, 300))))
            status = self.send(batch, choice)
            with self.lock:
                (self.answered if status == 202 else self.open).append(batch)
            if status is None:
                wait_until(lambda: self.pipeline.listens() or self.ended.is_set(), "the next start")

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


class KeyedClients(Clients):
    """Send each batch under a key of its own until it is answered, and now and then once more."""

    def __init__(self, pipeline, seed):
        self.repeated = 0
        super().__init__(pipeline, seed)

    def send(self, batch, choice):
        answer = None
        while answer is None or answer[0] in (409, 503) or choice.random() < 0.1:
            try:
                answer = self.pipeline.post(lines(batch), Idempotency_Key=f"batch {batch[0]}")
            except (OSError, http.client.HTTPException):
                wait_until(self.pipeline.listens, "the next start")
                continue
            assert answer[0] in (202, 409, 503), answer
            with self.lock:
                self.repeated += "repeated" in answer[2]
        return answer[0]


class HttpCrashTest(unittest.TestCase):
    def test_kills_between_and_during_posts(self):
        rows, clients = self.live(Clients)
        self.judge(rows, clients)

    def test_with_a_key_every_event_is_there_once_however_often_it_was_sent(self):
        rows, clients = self.live(KeyedClients)
        self.assertEqual(clients.open, [])
        self.judge(rows, clients)
        self.assertEqual(sorted(rows), sorted(n for batch in clients.answered for n in batch))
        self.assertGreater(clients.repeated, 0)

    def live(self, kind):
        """The numbers in ready/ after several lives of the process, and its clients."""
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        choice = random.Random(seed)
        pipeline = HttpPipeline(
            "{ rotation: { max_rows: 700 } }", extra="wal: { segment_bytes: 200000, max_bytes: 1000000000 }"
        )
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(lambda: child.kill())
        clients = kind(pipeline, seed)
        self.addCleanup(clients.end)
        for _ in range(KILLS):
            enough = len(clients.answered) + choice.randrange(20, 120)
            wait_until(lambda: len(clients.answered) >= enough, "answers")
            child.kill()
            child.wait()
            child = pipeline.start_listening()
        enough = len(clients.answered) + 20
        wait_until(lambda: len(clients.answered) >= enough, "answers")
        clients.end()
        self.assertEqual(drain(child), 0, pipeline.log())
        return pipeline.numbers(), clients

    def judge(self, rows, clients):
        there = set(rows)
        self.assertEqual(len(rows), len(there), "an event is there twice")
        for batch in clients.answered:
            self.assertLessEqual(set(batch), there, "an event that was answered 202 is lost")
        for batch in clients.open:
            self.assertIn(len(there & set(batch)), (0, len(batch)), "half of a post was taken")
        posted = {n for batch in clients.answered + clients.open for n in batch}
        self.assertLessEqual(there, posted)
        print(f"{len(rows)} rows, {len(clients.answered)} posts answered, {len(clients.open)} not")


if __name__ == "__main__":
    unittest.main(verbosity=2)
