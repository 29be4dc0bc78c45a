"""What a process of the default budget may hold, measured from outside while clients post all they can (complaints C24, C26)."""

import gzip
import re
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import new_authority
from http_client import HttpPipeline, TlsPipeline, lines

TLS_CONNECTIONS = 384


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
        status = Path(f"/proc/{child.pid}/status").read_text()
        peak = int(re.search(r"VmHWM:\s+(\d+)", status)[1])
        print(f"peak {peak >> 10} MiB, {answers.count(202)} of {len(answers)} taken")
        self.assertLess(peak, (128 + 96) << 10)


if __name__ == "__main__":
    unittest.main(verbosity=2)
