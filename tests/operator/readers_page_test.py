"""Runs every Python block of docs/readers.md over a small real lake, and judges what it finds on exact rows.

One broker, three sinks: Parquet, JSON lines with zstd and with gzip. Environment: TIDEMARK_BINARY, VERSITYGW.
"""

import datetime
import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/crash"))

import harness  # noqa: E402

RECORDS = 120
FORMS = {
    "lake": {"QUEEN_S3_FORMAT": "parquet"},
    "jsonl_lake": {"QUEEN_S3_COMPRESSION": "zstd"},
    "gzip_lake": {"QUEEN_S3_COMPRESSION": "gzip"},
}
TYPES = ("created", "paid", "shipped")


def record(n):
    payload = None if n % 40 == 39 else {"type": TYPES[n % 3], "amount": n}
    return {"queue": "orders", "partition": f"cust-{n % 4}", "transactionId": f"t-{n}", "payload": payload}


def blocks():
    """[(heading, code)] in the order of the page."""
    page = (ROOT / "docs/readers.md").read_text()
    found, heading = [], ""
    for title, code in re.findall(r"^## ([^\n]*)$|^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        heading = title or heading
        if code:
            found.append((heading, code))
    return found


class ReadersPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tidemark-readers-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.broker = harness.Broker(cls.folder)
        cls.broker.start()
        cls.addClassCleanup(cls.broker.process.kill)
        cls.broker.push([record(n) for n in range(RECORDS)])
        cls.broker.push([{"queue": "clicks", "partition": "a", "payload": {"n": n}} for n in range(5)])
        store = harness.DirectoryStore(cls.folder)
        cls.places = {name: str(store.root / harness.BUCKET / name) for name in FORMS}
        running = [cls.start(store, name, form) for name, form in FORMS.items()]
        harness.wait_until(cls.all_written, "every record in every form")
        for process in running:
            assert process.terminate() == 0
        cls.log = cls.broker.read_log("orders")
        cls.plant_a_hole()

    @classmethod
    def start(cls, store, name, form):
        env = {"QUEEN_S3_QUEUES": "orders,clicks", "QUEEN_S3_SINK": name, "QUEEN_S3_PREFIX": name, "QUEEN_S3_MAX_WINDOW_MS": "200"}
        return harness.Lake(cls.folder, cls.broker, store, **env, **form).start()

    @classmethod
    def manifests(cls, place):
        return [json.loads(path.read_text()) for path in Path(place).glob("_queen/*/windows/*.json")]

    @classmethod
    def all_written(cls):
        def whole(place):
            return sum(manifest["records"] for manifest in cls.manifests(place)) == RECORDS + 5

        def told(place):
            return (Path(place) / "_queen/orders/complete.json").exists()

        return all(whole(place) and told(place) for place in cls.places.values())

    @classmethod
    def plant_a_hole(cls):
        """A manifest as a sink writes it, but for the loss and the queue."""
        manifest = cls.manifests(cls.places["lake"])[0]
        manifest |= {"queue": "holey", "k": 7, "lost": [{"partition": "a", "from": 3, "to": 5}]}
        folder = Path(cls.places["lake"]) / "_queen/holey/windows"
        folder.mkdir(parents=True)
        (folder / "0000000007.json").write_text(json.dumps(manifest))

    def run_block(self, heading, number):
        """What the names of a block are after it ran; its day is the lake's."""
        codes = [code for title, code in blocks() if title == heading]
        day = next(Path(self.places["lake"]).glob("queue=orders/dt=*")).name.removeprefix("dt=")
        date = datetime.date.fromisoformat(day)
        code = codes[number].replace("2026-09-04", day).replace("2026, 9, 4", f"{date.year}, {date.month}, {date.day}")
        names = dict(self.places)
        exec(compile(code, f"docs/readers.md, {heading}", "exec"), names)
        return names

    def expected(self, only=None):
        keys = sorted((partition, offset) for partition, offset, _ in self.log)
        payloads = {(partition, offset): json.loads(payload) for (partition, offset, _), (_, payload) in self.log.items()}
        return [key for key in keys if only is None or (payloads[key] or {}).get("type") == only]

    def keys(self, partitions, offsets):
        return list(zip([str(partition) for partition in partitions], [int(offset) for offset in offsets]))

    def test_every_block_is_judged_here(self):
        headings = [heading for heading, _ in blocks()]
        judged = ["DuckDB"] * 2 + ["PyArrow"] * 2 + ["pandas"] * 2 + ["Polars"] * 2 + ["ClickHouse"] * 2
        self.assertEqual(headings, [*judged, "Waiting for an hour to be whole", "Finding holes"])

    def test_duckdb_reads_parquet(self):
        found = self.run_block("DuckDB", 0)
        paid = found["paid"]
        self.assertEqual(self.keys(paid["partition"], paid["offset"]), self.expected("paid"))
        self.assertEqual(set(paid["type"]), {"paid"})
        self.assertEqual(str(paid["ts"].dt.tz), "UTC")
        self.assertEqual(len(found["once_each"]), RECORDS)

    def test_duckdb_reads_json_lines(self):
        events = self.run_block("DuckDB", 1)["events"]
        orders = events[events["queue"] == "orders"]
        self.assertEqual(self.keys(orders["partition"], orders["offset"]), self.expected())
        self.assertEqual(len(events), RECORDS + 5)
        self.assertEqual(int(orders["payload"].isna().sum()), RECORDS // 40)

    def test_pyarrow_reads_parquet(self):
        table = self.run_block("PyArrow", 0)["table"]
        columns = (table.column(name).to_pylist() for name in ("partition", "offset"))
        self.assertEqual(self.keys(*columns), self.expected())
        self.assertEqual(set(table.column("queue").to_pylist()), {"orders"})
        self.assertEqual(table.column("payload").null_count, RECORDS // 40)

    def test_pyarrow_reads_json_lines(self):
        events = self.run_block("PyArrow", 1)["events"]
        columns = (events.column(name).to_pylist() for name in ("partition", "offset"))
        self.assertEqual(sorted(self.keys(*columns)), self.expected())
        self.assertTrue(all(ts.endswith("Z") for ts in events.column("ts").to_pylist()))

    def test_pandas_reads_parquet(self):
        found = self.run_block("pandas", 0)
        frame = found["frame"]
        self.assertEqual(self.keys(frame["partition"], frame["offset"]), self.expected())
        self.assertEqual(found["per_hour"].sum(), RECORDS)

    def test_pandas_reads_json_lines(self):
        events = self.run_block("pandas", 1)["events"]
        self.assertEqual(sorted(self.keys(events["partition"], events["offset"])), self.expected())
        stamps = {(partition, offset): ts for partition, offset, ts in self.log}
        for partition, offset, ts in zip(events["partition"], events["offset"], events["ts"]):
            self.assertEqual(ts, stamps[(partition, offset)])

    def test_polars_reads_parquet(self):
        frame = self.run_block("Polars", 0)["frame"]
        self.assertEqual(self.keys(frame["partition"], frame["offset"]), self.expected())
        self.assertEqual(frame["payload"].null_count(), RECORDS // 40)
        self.assertLess({"dt", "hour"}, set(frame.columns))

    def test_polars_refuses_the_root_as_the_page_says(self):
        import polars

        with self.assertRaises(polars.exceptions.PolarsError):
            polars.read_parquet(f"{self.places['lake']}/", hive_partitioning=True)

    def test_polars_reads_json_lines(self):
        events = self.run_block("Polars", 1)["events"]
        self.assertEqual(self.keys(events["partition"], events["offset"]), self.expected())

    def test_clickhouse_reads_parquet(self):
        paid = self.run_block("ClickHouse", 0)["paid"]
        self.assertEqual(self.keys(*self.texts(paid, "partition", "offset")), self.expected("paid"))
        self.assertEqual(str(paid.schema.field("ts").type), "timestamp[us, tz=UTC]")

    def test_clickhouse_reads_json_lines(self):
        events = self.run_block("ClickHouse", 1)["events"]
        rows = [row for row in zip(*self.texts(events, "queue", "partition", "offset", "ts", "payload")) if row[0] == "orders"]
        self.assertEqual([row[1:3] for row in rows], self.expected())
        self.assertEqual(len(events), RECORDS + 5)
        self.assertEqual(sum(row[4] is None for row in rows), RECORDS // 40)
        stamps = {(partition, offset): ts for partition, offset, ts in self.log}
        for _, partition, offset, ts, _ in rows:
            self.assertEqual(ts.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), stamps[(partition, offset)])

    def texts(self, table, *names):
        """Columns of an Arrow table, text that came as bytes as text."""
        columns = (table.column(name).to_pylist() for name in names)
        return [[v.decode() if isinstance(v, bytes) else v for v in column] for column in columns]

    def test_completeness_is_told(self):
        found = self.run_block("Waiting for an hour to be whole", 0)
        last = max(datetime.datetime.fromisoformat(ts.replace("Z", "+00:00")) for _, _, ts in self.log)
        self.assertGreater(found["through"], last)
        whole = found["through"].hour >= 11
        self.assertEqual(found["ten_o_clock_is_whole"], whole)

    def test_a_hole_is_found(self):
        self.assertEqual(self.run_block("Finding holes", 0)["holes"], [("holey", 7, "a", 3, 5)])


if __name__ == "__main__":
    unittest.main()
