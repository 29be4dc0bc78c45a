"""`kill -9` between and during posts: every event that was answered 202 is in ready/ exactly once; of a post without an
answer all events are there, once, or none."""

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

    def work(self, choice):
        while not self.ended.is_set():
            with self.lock:
                batch = list(itertools.islice(self.numbers, choice.choice((1, 1, 10, 300))))
            try:
                status, _, body = self.pipeline.post(lines(batch, note="x" * choice.choice((0, 5000))))
            except (OSError, http.client.HTTPException):
                with self.lock:
                    self.open.append(batch)
                wait_until(lambda: self.pipeline.listens() or self.ended.is_set(), "the next start")
                continue
            assert status in (202, 503), (status, body)
            with self.lock:
                (self.answered if status == 202 else self.open).append(batch)

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


class HttpCrashTest(unittest.TestCase):
    def test_kills_between_and_during_posts(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        choice = random.Random(seed)
        pipeline = HttpPipeline(
            "{ rotation: { max_rows: 700 } }", extra="wal: { segment_bytes: 200000, max_bytes: 1000000000 }"
        )
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(lambda: child.kill())
        clients = Clients(pipeline, seed)
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
        self.judge(pipeline.numbers(), clients)

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
