"""What a process of the default budget may hold, measured from outside while clients post all they can (complaints C24, C26)."""

import gzip
import re
import shutil
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import new_authority
from harness import wait_until
from http_client import DATASETS, HttpPipeline, TlsPipeline, drain, lines

TLS_CONNECTIONS = 384
BOUND_KIB = (160 + 96) << 10  # of the default `memory`
EVENTS = 40  # of a request to the sink that stands still; 2 MB


def peak_kib(child):
    status = Path(f"/proc/{child.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1])


def move_all(ready, kept):
    for path in ready.rglob("*.parquet"):
        path.rename(kept / path.name)


class Posting:
    """Clients that post all they can, until they are stopped."""

    def __init__(self, pipeline):
        self.pipeline, self.lock, self.stopped = pipeline, threading.Lock(), threading.Event()
        self.next, self.taken, self.refused, self.wrong = 0, [], 0, []
        self.threads = [threading.Thread(target=self.work) for _ in range(6)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join()

    def work(self):
        while not self.stopped.is_set():
            with self.lock:
                numbers = range(self.next, self.next + EVENTS)
                self.next += EVENTS
            try:
                status, headers, body = self.pipeline.post(lines(numbers, note="x" * 50_000))
            except OSError:  # a refusal in the middle of a body
                status, headers, body = 503, {"Retry-After": "1"}, ""
            with self.lock:
                if status == 202:
                    self.taken += numbers
                elif status == 503 and headers.get("Retry-After") == "1":
                    self.refused += 1
                else:
                    self.wrong.append((status, headers, body))


class HttpMemory(unittest.TestCase):
    def test_memory_stays_below_the_budget_whatever_is_posted(self):
        self.expect_bounded(HttpPipeline())

    def test_it_does_under_tls_with_all_connections_that_are_served(self):
        with tempfile.TemporaryDirectory() as folder:
            authority = new_authority(Path(folder))
            self.expect_bounded(TlsPipeline(authority.file, *authority.certificate("gw-01")), idle=TLS_CONNECTIONS - 12)

    def expect_bounded(self, pipeline, idle=0):
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        for _ in range(idle):
            connection = pipeline.connect()
            connection.connect()
            self.addCleanup(connection.close)
        long = lines(range(8), note="x" * 1_000_000)
        bodies = [(b"1\n" * 65_000, {}), (long, {}), (gzip.compress(long), {"Content_Encoding": "gzip"})]
        answers = []

        def work(body, headers):
            for _ in range(10):
                try:
                    answers.append(pipeline.post(body, **headers)[0])
                except OSError:  # a refusal in the middle of a body
                    answers.append(503)

        threads = [threading.Thread(target=work, args=bodies[i % 3]) for i in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(answers), {202, 503})
        self.assertGreater(answers.count(202), 0)
        print(f"peak {peak_kib(child) >> 10} MiB, {answers.count(202)} of {len(answers)} taken")
        self.assertLess(peak_kib(child), BOUND_KIB)

    def test_a_sink_that_stands_still_holds_intake_back_and_not_memory(self):
        pipeline = HttpPipeline(
            "{ rotation: { max_bytes: 1000000 }, max_disk: 2000000 }",
            extra="wal: { segment_bytes: 8388608, max_bytes: 67108864 }",
        )
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        posting = Posting(pipeline)
        self.addCleanup(posting.stop)
        posting.start()
        wait_until(lambda: posting.refused >= 200, "200 refusals")
        print(f"peak {peak_kib(child) >> 10} MiB, {len(posting.taken)} taken, {posting.refused} told to come again")
        ready = pipeline.data / "sinks/local/ready/events"
        kept = pipeline.folder / "kept"
        kept.mkdir()
        taken = len(posting.taken)
        wait_until(lambda: move_all(ready, kept) or len(posting.taken) > taken + 1000, "the sink to go on")
        posting.stop()
        self.assertEqual(posting.wrong, [])
        self.assertLess(peak_kib(child), BOUND_KIB)
        self.assertIn(drain(child), (0, 1), pipeline.log())  # 1: the budget is used up again
        pipeline.write(DATASETS, sources=pipeline.sources(""))
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(drain(child), 0, pipeline.log())
        shutil.copytree(kept, ready / "kept")
        self.assertEqual(sorted(pipeline.numbers()), sorted(posting.taken))


if __name__ == "__main__":
    unittest.main(verbosity=2)
