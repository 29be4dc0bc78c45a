"""`tidemark lake --check` over a real broker and real stores: what it says of a fresh, a used, a dead and a broken lake
(complaint C63: a check that passes where a start would fail).

Environment: TIDEMARK_BINARY, VERSITYGW.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

for folder in ("crash", "faults"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))

import boto3  # noqa: E402
import fault_proxy  # noqa: E402
import harness  # noqa: E402

READY, CANNOT_LISTEN, BAD_CONFIGURATION, UNUSABLE = 0, 1, 2, 3


class CheckCase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-check-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.broker = harness.Broker(self.folder)
        self.broker.start()
        self.addCleanup(lambda: self.broker.process.kill())

    def open_lake(self, kind):
        store = kind(self.folder)
        self.addCleanup(store.stop)
        return store, harness.Lake(self.folder, self.broker, store, QUEEN_S3_MAX_WINDOW_MS="200")

    def check(self, lake, **env):
        """(exit code, stdout, stderr)."""
        answer = subprocess.run(
            [harness.BINARY, "lake", "--check"],
            env={**os.environ, **lake.env, **env},
            capture_output=True,
            text=True,
            timeout=60,
        )
        return answer.returncode, answer.stdout, answer.stderr

    def expect(self, outcome, code, *sentences):
        self.assertEqual(outcome[0], code, outcome)
        for sentence in sentences:
            self.assertIn(sentence, outcome[1] + outcome[2])

    def kv_keys(self):
        answer = self.broker.call(
            "POST", "/api/v1/kv", {"operations": [{"ns": "queen-s3", "op": "getMany", "keys": ["s3:default:check"]}]}
        )
        return str(answer)

    def until_windows(self, store, running, count):
        harness.wait_until(
            lambda: len(harness.manifests(store.snapshot())) >= count or not running.alive(), f"{count} windows"
        )


class EachStore:
    """The same on a directory and on S3."""

    def test_a_fresh_lake_would_start_and_nothing_is_left_behind(self):
        self.broker.push([{"queue": "orders", "partition": "a", "payload": 1}])
        store, lake = self.open_lake(self.kind)
        self.expect(
            self.check(lake, QUEEN_TOKEN="hush-token"),
            READY,
            "starts with window 1, from the beginning of the log on",
            "lease: free",
            "ready: a start would run",
        )
        self.assertEqual(store.snapshot(), {})
        self.assertNotIn("'check': True", self.kv_keys())

    def test_a_stopped_lake_resumes_after_its_last_window(self):
        store, lake = self.open_lake(self.kind)
        harness.fill(self.broker, seed=1, records=100, lanes=3)
        running = lake.start()
        self.until_windows(store, running, 1)
        elsewhere = {"QUEEN_S3_LISTEN": f"127.0.0.1:{harness.free_port()}"}
        other = self.check(lake, QUEEN_S3_INSTANCE="other", **elsewhere)
        self.expect(other, READY, "lease: held by sink-0", "a start waits")
        self.expect(self.check(lake, **elsewhere), READY, "this instance's own name")
        self.expect(self.check(lake), CANNOT_LISTEN, "this instance's own name", "a lake that runs perhaps", "not ready")
        self.assertEqual(running.terminate(), 0)
        windows = len(harness.manifests(store.snapshot()))
        resumed = self.check(lake)
        self.expect(resumed, READY, f"resumes with window {windows + 1}, from 2", "lease: free")
        self.assertNotIn("NOTE", resumed[1])
        note = f'NOTE: windows up to {windows} lie under prefix "queen", later ones go under "elsewhere"'
        self.expect(self.check(lake, QUEEN_S3_PREFIX="elsewhere"), READY, note)

    def test_a_lake_that_died_redoes_its_window(self):
        store, lake = self.open_lake(self.kind)
        harness.fill(self.broker, seed=2, records=100, lanes=3)
        dying = lake.start(QUEEN_S3_CRASH_AT="after_intent")
        harness.wait_until(lambda: not dying.alive(), "the lake to die")
        self.expect(self.check(lake), READY, "redoes window 1, [", ", 100 records")
        self.assertEqual(harness.settled_keys(store.snapshot()), {})

    def test_a_broker_that_was_reset_does_not_fit_the_bucket(self):
        store, lake = self.open_lake(self.kind)
        harness.fill(self.broker, seed=3, records=100, lanes=3)
        running = lake.start()
        self.until_windows(store, running, 1)
        self.assertEqual(running.terminate(), 0)
        self.broker.process.kill()
        shutil.rmtree(self.broker.folder / "broker")
        self.broker.start()
        self.expect(self.check(lake), UNUSABLE, "FAILS: broker and bucket are out of step", "not ready: 1 fault(s)")


class OnADirectory(EachStore, CheckCase):
    kind = harness.DirectoryStore


class OnS3(EachStore, CheckCase):
    kind = harness.S3Store

    def test_refused_keys_and_a_missing_bucket_are_faults(self):
        _, lake = self.open_lake(self.kind)
        self.expect(self.check(lake, QUEEN_S3_SECRET_KEY="wrong"), UNUSABLE, "objects      FAILS", "the keys")
        self.expect(self.check(lake, QUEEN_S3_BUCKET="nobodys"), UNUSABLE, "objects      FAILS", "QUEEN_S3_BUCKET")

    def refusing(self, refuses):
        """A lake whose store answers 403 to the calls that `refuses(method, path)` picks."""
        store, lake = self.open_lake(self.kind)
        proxy = fault_proxy.FaultProxy(store.port, lambda *call: "403" if refuses(*call) else None)
        self.addCleanup(proxy.stop)
        lake.env["QUEEN_S3_ENDPOINT"] = f"http://127.0.0.1:{proxy.port}"
        return lake

    def test_an_upload_is_tried_and_leaves_nothing(self):
        store, lake = self.open_lake(self.kind)
        self.expect(self.check(lake), READY, "multipart    ok: began an upload of", "abort        ok", "list parts   ok")
        self.assertEqual(store.snapshot(), {})
        s3 = boto3.client(
            "s3", endpoint_url=f"http://127.0.0.1:{store.port}", region_name="us-east-1",
            aws_access_key_id="AK", aws_secret_access_key="SK",
        )  # fmt: skip
        self.assertEqual(s3.list_multipart_uploads(Bucket=harness.BUCKET).get("Uploads", []), [])

    def test_a_refused_permission_is_named(self):
        for permission, line, refuses in (
            ("s3:PutObject", "objects      FAILS", lambda method, path: method == "PUT"),
            ("s3:GetObject", "objects      FAILS", lambda method, path: method == "GET" and ".check" in path),
            ("s3:ListBucket", "objects      FAILS", lambda method, path: "list-type=2" in path and ".check" in path),
            ("s3:PutObject", "multipart    FAILS", lambda method, path: method == "POST"),
        ):
            with self.subTest(permission=permission, line=line):
                outcome = self.check(self.refusing(refuses))
                self.expect(outcome, UNUSABLE, line, f"their policy must allow {permission}", "not ready")

    def test_what_is_only_tidied_may_be_refused(self):
        for permission, line, refuses in (
            ("s3:DeleteObject", "delete       refused", lambda method, path: method == "DELETE" and "?" not in path),
            ("s3:AbortMultipartUpload", "abort        refused", lambda method, path: method == "DELETE" and "?" in path),
            ("s3:ListBucketMultipartUploads", "list parts   refused", lambda method, path: method == "GET" and "uploads" in path),
        ):  # fmt: skip
            with self.subTest(permission=permission):
                outcome = self.check(self.refusing(refuses))
                self.expect(outcome, READY, line, f"their policy must allow {permission}", "ready: a start would run")

    def test_no_secret_is_shown(self):
        _, lake = self.open_lake(self.kind)
        secrets = {"QUEEN_TOKEN": "hush-1", "QUEEN_S3_ACCESS_KEY": "hush-2", "QUEEN_S3_SECRET_KEY": "hush-3"}
        _, output, errors = self.check(lake, **secrets)
        self.assertIn("QUEEN_TOKEN                      <set>", output)
        self.assertNotIn("hush", output + errors)


class Anywhere(CheckCase):
    def test_a_directory_needs_no_upload(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        code, output, _ = self.check(lake)
        self.assertEqual(code, READY)
        self.assertNotIn("multipart", output)

    def test_a_broker_that_is_down_is_a_fault_and_the_bucket_is_tried_all_the_same(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        self.broker.process.kill()
        self.expect(self.check(lake), UNUSABLE, "discovery    FAILS", "check QUEEN_URL", "objects      ok")

    def test_a_taken_address_is_what_a_start_would_end_with(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        taken = {"QUEEN_S3_LISTEN": f"127.0.0.1:{self.broker.port}"}
        self.expect(self.check(lake, **taken), CANNOT_LISTEN, "address      FAILS", "QUEEN_S3_LISTEN", "not ready: 1 fault(s)")
        start = subprocess.run([harness.BINARY, "lake"], env={**os.environ, **lake.env, **taken}, capture_output=True, timeout=60)
        self.assertEqual(start.returncode, CANNOT_LISTEN)

    def test_a_bad_configuration_is_refused_before_anything_is_tried(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        self.expect(self.check(lake, QUEEN_S3_ALIGN="minute"), BAD_CONFIGURATION, 'QUEEN_S3_ALIGN is "minute"')
        self.expect(self.check(lake, QUEEN_S3_PARTITIONS="orders:a"), BAD_CONFIGURATION, "static list")

    def test_all_queues_are_looked_at_and_a_missing_one_is_said_to_be_missing(self):
        self.broker.push([{"queue": name, "partition": "a", "payload": 1} for name in ("orders", "clicks")])
        _, lake = self.open_lake(harness.DirectoryStore)
        self.expect(self.check(lake, QUEEN_S3_QUEUES="*"), READY, "queues: 2", "\n  clicks ", "\n  orders ")
        self.expect(self.check(lake, QUEEN_S3_QUEUES="nix"), READY, "the broker has no queue nix so far")

    def test_a_name_that_no_store_holds_is_a_fault(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        self.expect(self.check(lake, QUEEN_S3_QUEUES="q" * 300), UNUSABLE, "a file store holds 255")

    def test_a_misspelt_variable_is_named(self):
        _, lake = self.open_lake(harness.DirectoryStore)
        self.expect(self.check(lake, QUEEN_S3_ALING="day"), READY, "QUEEN_S3_ALING                   nobody reads")


if __name__ == "__main__":
    unittest.main()
