"""Complaint C44: a lake that dies in the middle of multipart uploads leaves parts in the store that nobody sees and
somebody pays for. The next start aborts them, and builds the window."""

import os
import subprocess
import unittest

import boto3
import harness

DEATHS = 10


class StrandedUploads(harness.S3Case):
    def setUp(self):
        super().setUp()
        self.s3 = boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{self.store.port}", region_name="us-east-1",
            aws_access_key_id="AK", aws_secret_access_key="SK",
        )  # fmt: skip

    def open_uploads(self):
        return self.s3.list_multipart_uploads(Bucket=harness.BUCKET).get("Uploads", [])

    def test_the_next_start_aborts_them(self):
        harness.push_log(self.broker, 5_000, lambda n: (f"lane {n % 7}", f"t-{n}", {"n": n, "text": "z" * 8_000}))
        lake = harness.Lake(
            self.folder,
            self.broker,
            self.store,
            QUEEN_S3_COMPRESSION="none",
            QUEEN_S3_TARGET_MB="32",
            QUEEN_S3_MULTIPART_THRESHOLD_MB="5",
            QUEEN_S3_MAX_WINDOW_MS="86400000",
        )
        for _ in range(DEATHS):
            dying = lake.start(QUEEN_S3_CRASH_AT="mid_upload")
            harness.wait_until(lambda: not dying.alive(), f"the lake to die; see {dying.log}")  # noqa: B023
            # Each start removes what the one before left: one at a time is all that ever lies there.
            self.assertEqual(len(self.open_uploads()), 1, dying.log.read_text())
        running = lake.start()
        try:
            harness.wait_until(lambda: harness.manifests(self.store.snapshot()), "the window")
            self.assertEqual(self.open_uploads(), [])
        finally:
            self.assertEqual(running.terminate(), 0, running.log.read_text())
        done = subprocess.run([harness.BINARY, "verify"], env={**os.environ, **lake.env}, check=False)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
