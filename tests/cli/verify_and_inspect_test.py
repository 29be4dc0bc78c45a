"""`tidemark verify` and `tidemark inspect` as a user meets them: arguments, words, exit codes."""

import http.server
import json
import os
import pty
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from written_lake import MINUTE, TEN, TIDEMARK, Lake, clean_environment, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import harness  # noqa: E402


def parquet_of(rows, path):
    schema = pa.schema(
        [
            pa.field("partition", pa.string(), nullable=False),
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("transaction_id", pa.string(), nullable=False),
            pa.field("ts", pa.timestamp("us", tz="UTC"), nullable=False),
            pa.field("payload", pa.string()),
        ]
    )
    columns = [[r[0] for r in rows], [r[1] for r in rows], ["t"] * len(rows), [r[2] for r in rows], ["1"] * len(rows)]
    pq.write_table(pa.table(columns, schema=schema), path)


class Refusing(http.server.BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Verify(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tidemark-cli-")
        self.addCleanup(self.folder.cleanup)
        self.lake = Lake(self.folder.name)
        self.first = self.lake.write(1, TEN, TEN + 20 * MINUTE, [("a", 0, TEN), ("a", 1, TEN + 1), ("b", 0, TEN)])
        self.lake.write(2, TEN + 20 * MINUTE, TEN + 60 * MINUTE, [("a", 2, TEN + 21 * MINUTE)])

    def files(self):
        return sorted(Path(self.folder.name).rglob("*"))

    def test_a_sound_lake_is_complete_and_left_as_it_is(self):
        before = self.files()
        code, out, err = run("verify", self.folder.name)
        self.assertEqual((code, err), (0, ""), out)
        self.assertIn("queue orders: 2 windows (1 to 2)", out)
        self.assertTrue(out.endswith("complete: 4 records in 2 windows, every one exactly once\n"), out)
        self.assertEqual(self.files(), before)

    def test_every_folder_above_names_the_lake(self):
        for folder in (self.lake.root, self.lake.bucket, self.lake.bucket / "queen"):
            code, out, _ = run("verify", folder)
            self.assertEqual(code, 0, out)
            self.assertIn(f"lake at {self.lake.bucket}, prefix queen\n", out)

    def test_the_environment_names_the_lake(self):
        code, out, _ = run("verify", QUEEN_S3_ENDPOINT=f"file://{self.folder.name}")
        self.assertEqual(code, 0, out)

    def test_a_prefix_of_two_segments(self):
        with tempfile.TemporaryDirectory(prefix="tidemark-cli-") as folder:
            Lake(folder, "team/a").write(1, TEN, TEN + MINUTE, [("a", 0, TEN)])
            self.assertEqual(run("verify", folder)[0], 0)
            code, out, _ = run("verify", QUEEN_S3_ENDPOINT=f"file://{folder}", QUEEN_S3_PREFIX="/team/a/")
            self.assertEqual(code, 0, out)

    def test_damage_is_named(self):
        data = bytearray(self.first.read_bytes())
        data[-1] ^= 1
        self.first.write_bytes(data)
        code, out, _ = run("verify", self.folder.name)
        self.assertEqual(code, 1)
        self.assertIn("wrong-bytes: queue orders window 1: its SHA-256 is", out)
        self.assertTrue(out.endswith("DAMAGED: 1 finding\n"), out)

    def test_json_is_for_programs(self):
        self.first.unlink()
        code, out, _ = run("verify", "--json", self.folder.name)
        report = json.loads(out)
        self.assertEqual(code, 1)
        self.assertEqual(report["verdict"], "damaged")
        self.assertEqual([f["kind"] for f in report["findings"]], ["missing-object"])

    def test_listed_losses_are_holes_unless_allowed(self):
        self.lake.write(
            3, TEN + 60 * MINUTE, TEN + 70 * MINUTE, [("a", 5, TEN + 61 * MINUTE)],
            lost=[{"partition": "a", "from": 3, "to": 4}],
        )  # fmt: skip
        code, out, _ = run("verify", self.folder.name)
        self.assertEqual(code, 1)
        self.assertIn('window 3: partition "a", offsets 3 to 4\n', out)
        self.assertEqual(run("verify", "--allow-lost", self.folder.name)[0], 0)

    def test_no_lake_is_a_usage_error(self):
        for arguments, words in (
            (["/nowhere"], "/nowhere"),
            ([self.lake.bucket / "queen/queue=orders"], "neither it nor a folder in it holds _queen"),
            ([], "QUEEN_S3_ENDPOINT"),
            (["s3://bucket"], "QUEEN_S3_ENDPOINT"),
            (["--nonsense"], "--nonsense"),
        ):
            code, out, err = run("verify", *arguments)
            self.assertEqual((code, out), (2, ""), arguments)
            self.assertIn(words, err)

    def test_an_empty_place_is_no_lake(self):
        code, _, err = run("verify", "--json", QUEEN_S3_ENDPOINT=f"file://{self.folder.name}", QUEEN_S3_BUCKET="other")
        self.assertEqual(code, 2)
        self.assertIn("nothing at", err)

    def test_a_store_that_refuses_proves_nothing(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), Refusing)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        code, out, err = run(
            "verify", "--json", "s3://lake/some/prefix",
            QUEEN_S3_ENDPOINT=f"http://127.0.0.1:{server.server_port}", QUEEN_S3_REGION="r",
            QUEEN_S3_ACCESS_KEY="k", QUEEN_S3_SECRET_KEY="s", QUEEN_S3_PATH_STYLE="true",
        )  # fmt: skip
        self.assertEqual((code, out), (3, ""), err)
        self.assertIn("some%2Fprefix%2F_queen", Refusing.asked[0])

    def on_terminal(self, *arguments):
        """(exit code, stdout, what a terminal on stderr was told)."""
        terminal, stderr = pty.openpty()
        told = []

        def read():
            try:
                while data := os.read(terminal, 4096):
                    told.append(data)
            except OSError:  # the other side is closed
                pass

        reader = threading.Thread(target=read)
        reader.start()
        done = subprocess.run(
            [TIDEMARK, *map(str, arguments)], env=clean_environment(), stdout=subprocess.PIPE, stderr=stderr, timeout=60
        )
        os.close(stderr)
        reader.join()
        os.close(terminal)
        return done.returncode, done.stdout.decode(), b"".join(told).decode()

    def test_a_terminal_sees_how_far_it_is_and_no_trace_of_it_in_the_end(self):
        code, out, told = self.on_terminal("verify", self.folder.name)
        self.assertEqual((code, out), run("verify", self.folder.name)[:2])
        self.assertRegex(told, r"^\r\x1b\[Kverify \[#*\.*\] \d/2 windows, 0 MiB, orders")
        self.assertTrue(told.endswith("\r\x1b[K"), repr(told))

    def test_a_lake_on_s3(self):
        store = harness.S3Store(self.folder.name)
        self.addCleanup(store.stop)
        Lake(store.root).write(1, TEN, TEN + MINUTE, [("a", 0, TEN), ("a", 1, TEN)])
        code, out, err = run("verify", "s3://lake/queen", **store.env())
        self.assertEqual(code, 0, out + err)
        self.assertIn("complete: 2 records in 1 window,", out)
        (data,) = (key for key in store.snapshot() if key.endswith(".jsonl.gz"))
        code, out, err = run("inspect", "--lake", "s3://lake", "--rows", 1, data, **store.env())
        self.assertEqual(code, 0, err)
        self.assertIn("window 1 of queue orders", out)
        self.assertIn('{"n":0}', out)
        self.assertNotIn('{"n":1}', out)
        code, out, _ = run("inspect", "queen/_queen/orders/windows/0000000001.json", **store.env())
        self.assertEqual(code, 0)
        self.assertIn("manifest of window 1 of queue orders", out)
        code, _, err = run("inspect", "--lake", "s3://lake", "queen/none.json", **store.env())
        self.assertEqual(code, 1)
        self.assertIn('no object "queen/none.json" in bucket lake at http://', err)
        store.stop()
        self.assertEqual(run("inspect", data, **store.env())[0], 1)

    def test_inspect_shows_a_file(self):
        code, out, _ = run("inspect", self.first)
        self.assertEqual(code, 0)
        self.assertIn("window 1 of queue orders: 2026-09-04T10:00:00.000000Z", out)
        self.assertIn('{"n":1}', out)

    def test_inspect_shows_a_key_of_a_lake(self):
        code, out, _ = run("inspect", "--lake", self.folder.name, "queen/_queen/orders/windows/0000000002.json")
        self.assertEqual(code, 0)
        self.assertIn("manifest of window 2 of queue orders", out)

    def test_inspect_reads_parquet_of_others(self):
        path = self.lake.root / "copy.parquet"
        parquet_of([("a", 7, TEN)], path)
        code, out, err = run("inspect", path)
        self.assertEqual(code, 0, err)
        self.assertIn("1 records of 1 partitions", out)
        self.assertIn("queen.envelope (none)", out)

    def test_inspect_says_what_is_wrong(self):
        self.first.write_bytes(b"no gzip")
        self.assertEqual(run("inspect", self.first)[0], 1)
        self.assertEqual(run("inspect", __file__)[0], 2)
        code, _, err = run("inspect", "--lake", self.folder.name, "queen/none.json")
        self.assertEqual(code, 1)
        self.assertIn('no object "queen/none.json"', err)


if __name__ == "__main__":
    unittest.main()
