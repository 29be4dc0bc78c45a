"""A lake whose S3 calls go through a proxy that spoils them equals one whose calls all worked, byte for byte.

Complaints C09 (one 403 must lose nothing) and C41 (503 with Retry-After must kill nothing, and shows in the metrics).
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import fault_proxy  # noqa: E402
import harness  # noqa: E402

WINDOWS = 4
SHARE = 0.3
REFUSALS = ("403", "500", "503")


class ProxiedStore(harness.S3Store):
    def __init__(self, folder, spoil):
        super().__init__(folder)
        self.proxy = fault_proxy.FaultProxy(self.port, spoil)

    def direct_env(self):
        return super().env()

    def env(self):
        return {**self.direct_env(), "QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.proxy.port}"}

    def stop(self):
        self.proxy.stop()
        super().stop()


class StoreFaults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.seed = harness.printed_seed()
        cls.folder = tempfile.mkdtemp(prefix="tidemark-faults-")
        cls.broker = harness.Broker(cls.folder)
        cls.broker.start()
        harness.fill(cls.broker, seed=7, records=20_000, lanes=24)

    @classmethod
    def tearDownClass(cls):
        cls.broker.process.kill()
        shutil.rmtree(cls.folder)

    def build(self, name, make_store, **env):
        folder = Path(self.folder, name)
        folder.mkdir()
        store = make_store(folder)
        lake = harness.Lake(
            folder,
            self.broker,
            store,
            QUEEN_S3_SINK=name,
            QUEEN_S3_TARGET_MB="1",
            QUEEN_S3_MAX_WINDOW_MS="86400000",
            **env,
        )
        running = lake.start()
        try:
            harness.wait_until(
                lambda: len(harness.manifests(store.snapshot())) >= WINDOWS or not running.alive(), "the windows", 240
            )
            self.assertTrue(running.alive(), running.log.read_text())
            if isinstance(store, ProxiedStore):
                harness.wait_until(lambda: self.counted(lake) == self.refused(store), "every refusal in the metrics")
            self.assertEqual(running.terminate(), 0, running.log.read_text()[-4000:])
            if isinstance(store, ProxiedStore):
                self.judge(name, lake, store)
            return {
                key: value.replace(name, "SINK")
                for key, value in harness.settled_keys(store.snapshot()).items()
                if harness.window_of(key) <= WINDOWS
            }
        finally:
            running.kill()
            store.stop()

    def counted(self, lake):
        """Refusals by status, as an operator sees them."""
        with urllib.request.urlopen(f"http://{lake.env['QUEEN_S3_LISTEN']}/metrics", timeout=60) as answer:
            lines = re.findall(r'^queen_s3_s3_requests_total\{op="\w+",code="(\d+)"\} (\d+)$', answer.read().decode(), re.M)
        counts = dict.fromkeys(REFUSALS, 0)
        for code, count in lines:
            if code in counts:
                counts[code] += int(count)
        return counts

    def refused(self, store):
        return {code: store.proxy.counts.get(code, 0) for code in REFUSALS}

    def judge(self, name, lake, store):
        direct = {**os.environ, **lake.env, **store.direct_env()}
        done = subprocess.run([harness.BINARY, "verify"], env=direct, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(f"{name}: calls by fault {store.proxy.counts}", flush=True)
        self.assertGreater(sum(n for fault, n in store.proxy.counts.items() if fault), 0)

    def compare(self, name, spoil, **env):
        undisturbed = self.build(f"{name}-calm", harness.DirectoryStore, **env)
        self.assertEqual(self.build(name, lambda folder: ProxiedStore(folder, spoil), **env), undisturbed)

    def test_three_calls_of_ten_go_wrong_lines(self):
        self.compare("lines", fault_proxy.seeded(self.seed, SHARE))

    def test_three_calls_of_ten_go_wrong_parquet_of_each_lane(self):
        spoil = fault_proxy.seeded(self.seed, SHARE)
        self.compare("lanes", spoil, QUEEN_S3_FORMAT="parquet", QUEEN_S3_LAYOUT="per-partition")

    def test_slow_down_slows_it_down(self):
        numbers = random.Random(self.seed)
        self.compare("slow", lambda method, path: "503" if method == "PUT" and numbers.random() < SHARE else None)

    def test_a_drain_does_not_wait_until_the_store_wants_to_be_asked_again(self):
        for method, part in (("GET", "list-type"), ("PUT", "w-")):
            with self.subTest(method=method):
                self.drain_while_refused(f"drain-{method}", method, part)

    def drain_while_refused(self, name, method, part):
        folder, refusing = Path(self.folder, name), [True]
        folder.mkdir()

        def spoil(called, path):
            return "in a minute" if refusing[0] and called == method and part in path else None

        store = ProxiedStore(folder, spoil)
        self.addCleanup(store.stop)
        running = harness.Lake(folder, self.broker, store, QUEEN_S3_SINK=name, QUEEN_S3_TARGET_MB="1").start()
        self.addCleanup(running.kill)
        harness.wait_until(lambda: store.proxy.counts.get("in a minute"), "a refusal")
        refusing[0] = False
        running.child.send_signal(signal.SIGTERM)
        self.assertEqual(running.child.wait(timeout=30), 0, running.log.read_text()[-4000:])

    def test_one_403_only_delays_its_window(self):
        refused = []

        def spoil(method, path):
            if method == "PUT" and "w-0000000002-" in path and not refused:
                refused.append(path)
                return "403"
            return None

        self.compare("refused", spoil)
        self.assertEqual(len(refused), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
