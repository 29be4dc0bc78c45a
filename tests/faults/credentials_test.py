"""Complaint C40: keys that are taken away while a lake runs, and new ones that come later. Nothing is lost, no window is
skipped, and the log does not fill up with it."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import harness  # noqa: E402

REFUSALS = 2  # a minute apart


class Credentials(harness.S3Case):
    def setUp(self):
        super().setUp()
        self.file = Path(self.folder, "credentials")

    def write_keys(self, access, secret):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"[default]\naws_access_key_id = {access}\naws_secret_access_key = {secret}\n")
        fresh.rename(self.file)

    def push(self, name, records):
        harness.push_log(self.broker, records, lambda n: (f"lane {n % 3}", f"{name}-{n}", {"n": n}))

    def records(self):
        return sum(m["records"] for m in harness.manifests(self.store.snapshot()).values())

    def refusals(self, running):
        return running.log.read_text().count("the queue stopped")

    def test_rotated_keys_are_taken_up_and_nothing_is_lost(self):
        self.write_keys("AK", "SK")
        env = {"QUEEN_S3_CREDENTIALS_FILE": str(self.file), "QUEEN_S3_MAX_WINDOW_MS": "300"}
        lake = harness.Lake(self.folder, self.broker, self.store, **env)
        del lake.env["QUEEN_S3_ACCESS_KEY"], lake.env["QUEEN_S3_SECRET_KEY"]
        running = lake.start()
        self.addCleanup(running.kill)
        self.push("before", 300)
        harness.wait_until(lambda: self.records() == 300, "the first windows")

        self.store.stop()
        # The access key stays: versitygw calls an unknown one 404, where S3 says 403.
        self.store.start("AK", "SK-2")
        self.push("refused", 300)
        harness.wait_until(lambda: self.refusals(running) >= REFUSALS, "the refusals", 120)
        self.assertEqual(self.records(), 300)
        self.write_keys("AK", "SK-2")
        # A refused write ends the queue's task, which begins again after a minute.
        harness.wait_until(lambda: self.records() == 600, "the windows under the new keys", 90)
        self.push("after", 300)
        harness.wait_until(lambda: self.records() == 900, "windows as before")
        self.assertEqual(running.terminate(), 0, running.log.read_text()[-4000:])

        log = running.log.read_text()
        self.assertLessEqual(log.count("WARN") + log.count("ERROR"), 2 * REFUSALS, log[-4000:])
        keys = {"QUEEN_S3_ACCESS_KEY": "AK", "QUEEN_S3_SECRET_KEY": "SK-2", "QUEEN_S3_CREDENTIALS_FILE": ""}
        done = subprocess.run(
            [harness.BINARY, "verify"], env={**os.environ, **lake.env, **keys}, capture_output=True, text=True, check=False
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
