"""A lake is told to stop while an upload hangs: one signal waits for the window that is under way, a second ends the process
at once, and the next start makes the lake whole (queen-interface 16)."""

import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import fault_proxy  # noqa: E402
import harness  # noqa: E402

RECORDS = 2_000
ENDED_BY_SECOND_SIGNAL = 128 + signal.SIGTERM


def pending(pid, number):
    """Whether a signal was sent to the process and not taken by it yet."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("ShdPnd:"):
            return int(line.split()[1], 16) >> (number - 1) & 1 == 1
    raise AssertionError("no ShdPnd line")


class Shutdown(harness.S3Case):
    def setUp(self):
        super().setUp()
        self.proxy = fault_proxy.FaultProxy(self.store.port, self.spoil)
        self.addCleanup(self.proxy.stop)
        self.lake = harness.Lake(self.folder, self.broker, self.store, QUEEN_S3_MAX_WINDOW_MS="300")
        self.through_proxy = {"QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.proxy.port}"}
        harness.push_log(self.broker, RECORDS, lambda n: (f"lane {n % 5}", f"t-{n}", {"n": n}))

    def spoil(self, method, path):
        return "hang" if method == "PUT" and "/w-" in path and not self.proxy.released.is_set() else None

    def start_and_hang(self):
        running = self.lake.start(**self.through_proxy)
        self.addCleanup(running.kill)
        harness.wait_until(lambda: self.proxy.counts.get("hang"), "an upload that hangs")
        return running

    def signal_taken(self, running):
        running.child.send_signal(signal.SIGTERM)
        harness.wait_until(lambda: not pending(running.child.pid, signal.SIGTERM), "the signal to be taken")

    def records(self):
        return sum(m["records"] for m in harness.manifests(self.store.snapshot()).values())

    def verify(self):
        done = subprocess.run(
            [harness.BINARY, "verify"], env={**os.environ, **self.lake.env}, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_first_signal_waits_for_the_upload(self):
        running = self.start_and_hang()
        self.signal_taken(running)
        self.assertTrue(running.alive())
        self.proxy.released.set()
        self.assertEqual(running.child.wait(timeout=60), 0, running.log.read_text())
        self.assertEqual(len(harness.manifests(self.store.snapshot())), 1, "one window, the one under way")
        self.verify()

    def test_the_second_signal_ends_it_at_once_and_the_restart_is_whole(self):
        running = self.start_and_hang()
        self.signal_taken(running)
        self.assertTrue(running.alive())
        running.child.send_signal(signal.SIGTERM)
        # The upload still hangs, and would for a PUT's two minutes.
        self.assertEqual(running.child.wait(timeout=60), ENDED_BY_SECOND_SIGNAL, running.log.read_text())
        self.assertFalse(self.proxy.released.is_set())
        self.assertEqual(harness.manifests(self.store.snapshot()), {})

        again = self.lake.start()
        self.addCleanup(again.kill)
        harness.wait_until(lambda: self.records() >= RECORDS or not again.alive(), "every record")
        self.assertEqual(again.terminate(), 0, again.log.read_text())
        self.assertEqual(self.records(), RECORDS)
        self.verify()


if __name__ == "__main__":
    unittest.main(verbosity=2)
