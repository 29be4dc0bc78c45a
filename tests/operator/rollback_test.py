"""`tidemark lake --prepare-rollback` (decision 1) end to end: a lake that died with a pending window is prepared, and then
judged as queen-s3 1.5.0 would read it by queen-interface 3, 5.2, 6.2 and 10: its pointers, its checkpoint, its manifests. What
1.5.0 would read next and what is in the lake are together the log, and nothing is in both. Tidemark goes on from there too.

Environment: TIDEMARK_BINARY, VERSITYGW.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from datetime import datetime, timezone
from pathlib import Path

import pyarrow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import harness  # noqa: E402
import racing  # noqa: E402

INTENT = {"k": int, "tStart": int, "tEnd": int, "format": str, "compression": str, "layout": str, "writer": str}
COMMITTED = {"k": int, "tEnd": int, "manifest": str, "records": int, "bytes": int, "committedAtMs": int}
MANIFEST = (
    "sink queue k tStart tEnd format compression layout objects records bytes partitions minTs maxTs lost writer committedAt"
).split()


def micros(text):
    """Of the broker's rendering."""
    second, fraction = text.removesuffix("Z").split(".")
    return int(datetime.fromisoformat(second).replace(tzinfo=timezone.utc).timestamp()) * 1_000_000 + int(fraction)


class Rollback(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-rollback-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.broker = harness.Broker(self.folder)
        self.broker.start()
        self.addCleanup(lambda: self.broker.process.kill())

    def push(self, name, records):
        record = lambda n: (f"lane {n % 7}", f"{name}-{n}", {"n": n, "text": "x" * 200})  # noqa: E731
        harness.push_log(self.broker, records, record)

    def pointers(self):
        keys = [f"s3:default:orders:{what}" for what in ("intent", "committed", "lease")]
        answer = self.broker.call(
            "POST", "/api/v1/kv", {"operations": [{"ns": "queen-s3", "op": "getMany", "keys": keys}]}
        )
        return {row["key"].rsplit(":", 1)[1]: row["value"] for row in answer["results"][0]["rows"]}

    def die_at(self, lake, point):
        dying = lake.start(QUEEN_S3_CRASH_AT=point)
        harness.wait_until(lambda: not dying.alive(), f"the lake to die at {point}; see {dying.log}")
        self.assertLess(dying.child.returncode, 0, dying.log.read_text())

    def run_until(self, lake, store, windows):
        running = lake.start()
        harness.wait_until(lambda: len(harness.manifests(store.snapshot())) >= windows, f"{windows} windows")
        self.assertEqual(running.terminate(), 0, running.log.read_text())

    def prepare(self, lake):
        done = subprocess.run(
            [harness.BINARY, "lake", "--prepare-rollback"],
            env={**os.environ, **lake.env}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_fields(self, document, fields):
        self.assertEqual(list(document), list(fields))
        for name, kind in fields.items():
            self.assertIs(type(document[name]), kind, name)

    # queen-interface 6.2 and 5.2: positions of the newest checkpoint at or below the committed window.
    def checkpoint(self, snapshot, committed_k):
        newest = None
        for key, body in sorted(snapshot.items()):
            if "/checkpoint/" not in key:
                continue
            k = int(re.fullmatch(r"queen/_queen/orders/checkpoint/(\d{10})\.json\.zst", key)[1])
            if k <= committed_k:
                newest = (k, body)
        self.assertIsNotNone(newest)
        text = pyarrow.CompressedInputStream(pyarrow.BufferReader(newest[1]), "zstd").read()
        document = json.loads(text)
        self.assertEqual(list(document), ["k", "tEnd", "positions"])
        self.assertEqual(document["k"], newest[0])
        self.assertIs(type(document["tEnd"]), int)
        self.assertEqual(text, json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode())
        names = [name for name, _ in document["positions"]]
        self.assertEqual(names, sorted(names))
        return dict(document["positions"])

    def check_manifests(self, snapshot, committed):
        manifests = [body for _, body in sorted(harness.manifests(snapshot).items())]
        self.assertEqual([m["k"] for m in manifests], list(range(1, committed["k"] + 1)))
        self.assertIn(committed["manifest"], snapshot)
        for before, after in zip(manifests, manifests[1:]):
            self.assertLessEqual(before["tEnd"], after["tStart"])
        for manifest in manifests:
            self.assertEqual(list(manifest), MANIFEST)
            for name in ("tStart", "tEnd", "minTs", "maxTs", "records"):
                self.assertIs(type(manifest[name]), int, name)
        last = manifests[-1]
        self.assertEqual(
            (committed["tEnd"], committed["records"], committed["bytes"]),
            (last["tEnd"], last["records"], last["bytes"]),
        )

    # What 1.5.0 reads after its restart: from the checkpoint's positions on, what is not below committed.tEnd.
    def next_of_15(self, log, positions, t_prev):
        return {
            key: record
            for key, record in log.items()
            if key[1] >= positions.get(key[0], 0) and micros(key[2]) >= t_prev
        }

    def roll_back(self, store, point, compression, **form):
        self.addCleanup(store.stop)
        lake = harness.Lake(
            self.folder, self.broker, store, QUEEN_S3_TARGET_MB="1", QUEEN_S3_MAX_WINDOW_MS="86400000", **form
        )
        self.push("first", 5_000)
        self.run_until(lake, store, 1)
        self.push("second", 10_000)
        self.die_at(lake, point)
        pending = self.pointers()
        self.assertEqual(pending["intent"]["k"], pending["committed"]["k"] + 1)
        self.assertIs(type(pending["committed"]["tEnd"]), str)

        self.prepare(lake)
        prepared = self.pointers()
        self.assertEqual(set(prepared), {"intent", "committed"}, "the lease must be free")
        self.check_fields(prepared["intent"], INTENT)
        self.check_fields(prepared["committed"], COMMITTED)
        self.assertEqual(prepared["intent"]["k"], prepared["committed"]["k"])
        self.assertEqual(prepared["committed"]["k"], pending["intent"]["k"])
        self.assertEqual(prepared["intent"]["compression"], compression)

        snapshot, log = store.snapshot(), self.broker.read_log("orders")
        committed = prepared["committed"]
        self.check_manifests(snapshot, committed)
        self.assertTrue(all(not m["lost"] for m in harness.manifests(snapshot).values()))
        positions = self.checkpoint(snapshot, committed["k"])
        rows = racing.lake_rows(store)
        written = dict(rows)
        self.assertEqual(len(rows), len(written))
        left = self.next_of_15(log, positions, committed["tEnd"])
        self.assertGreater(len(left), 0)
        self.assertEqual({**written, **left}, log)
        self.assertEqual(len(written) + len(left), len(log))

        before = harness.settled_keys(snapshot)
        self.run_until(lake, store, committed["k"] + 1)
        after = harness.settled_keys(store.snapshot())
        self.assertEqual({key: after.get(key) for key in before}, before)

    def test_lines_in_a_directory_that_died_after_an_intent(self):
        self.roll_back(harness.DirectoryStore(self.folder), "after_intent", "zstd")

    def test_snappy_parquet_of_each_lane_in_s3_that_died_before_a_commit(self):
        form = {
            "QUEEN_S3_FORMAT": "parquet",
            "QUEEN_S3_PARQUET_CODEC": "snappy",
            "QUEEN_S3_LAYOUT": "per-partition",
        }
        # 1.5.0 calls snappy Parquet "none" (queen-interface 9).
        self.roll_back(harness.S3Store(self.folder), "before_commit", "none", **form)

    def test_a_lake_that_only_fixed_its_start(self):
        store = harness.DirectoryStore(self.folder)
        lake = harness.Lake(self.folder, self.broker, store, QUEEN_S3_START="latest")
        self.push("only", 100)
        running = lake.start()
        harness.wait_until(lambda: "committed" in self.pointers(), "the start to be fixed")
        self.assertEqual(running.terminate(), 0)
        self.prepare(lake)
        prepared = self.pointers()
        self.check_fields(prepared["committed"], COMMITTED)
        self.assertEqual((prepared["committed"]["k"], prepared["committed"]["manifest"]), (0, ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)
