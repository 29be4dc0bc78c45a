"""Opens the compat sample lake with ClickHouse, DuckDB, pandas, Polars and PyArrow in every form, and judges each reader on
exact rows: counts by queue and lane, NULL payloads, the digest of partition|offset in the reader's own order, each record's
timestamp to the microsecond and decoded payload, and the footer of the Parquet objects. The keys of the path are columns
for each of them, and no column of the rows has such a name (complaint C59). The table of readers and compressions in
docs/readers.md must say what was found (complaint C58).

usage: read_sample_lake.py --writer PROGRAM    writes the lake with PROGRAM to a temporary folder first
       read_sample_lake.py --lake DIR          reads what is there
       read_sample_lake.py ... --table         prints the lines of the table as well
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path

import chdb
import duckdb
import pandas
import polars
import pyarrow
import pyarrow.json
import pyarrow.parquet

PAGE = Path(__file__).resolve().parents[2] / "docs/readers.md"
FORMS = ("jsonl-zstd", "jsonl-gzip", "jsonl-none", "parquet-zstd", "parquet-snappy")
LANES = {
    "audit": {"région-eu": 780, "svc.billing": 1100, "svc.mail": 840},
    "orders": {"cust 42/eu": 660, "cust-0420": 900, "cust-0421": 720},
}
NULLS = {"audit": 7, "orders": 7}
DIGESTS = {
    "audit": "ef922cb814c276b6938372d88301f41f8df5f77fa94e726bfcffc0ce279ecd98",
    "orders": "2e4fa448807cae9b955239d29f135cd8169f4aa7f6bc8851142de7da74a3474a",
}
START = datetime(2026, 9, 4, 10, tzinfo=timezone.utc)
STRUCTURE = "partition String, `offset` Int64, transactionId String, ts String, payload Nullable(String)"
COLUMNS = """{partition: 'VARCHAR', "offset": 'BIGINT', transactionId: 'VARCHAR', ts: 'VARCHAR', payload: 'JSON'}"""


def micros(ts):
    """Microseconds since START of a timestamp value or its text."""
    if isinstance(ts, str):
        ts = datetime.fromisoformat(ts.replace("Z", "+00:00"))
    return (ts.astimezone(timezone.utc) - START) // timedelta(microseconds=1)


def decoded(payload):
    return json.loads(payload) if isinstance(payload, str) else payload


# Each reader gives (partition, offset, transaction id, ts, payload) of one queue, ordered by itself.


def read_duckdb(root, form, queue):
    if form.startswith("parquet"):
        source = f"read_parquet('{root}/queen/queue=*/*/*/*.parquet', hive_partitioning = true)"
        transaction_id = "transaction_id"
    else:
        compression = {"zstd": "zstd", "gzip": "gzip", "none": "uncompressed"}[form.split("-")[1]]
        source = (
            f"read_json('{root}/queen/queue=*/*/*/*.jsonl*', format = 'newline_delimited',"
            f" compression = '{compression}', hive_partitioning = true, columns = {COLUMNS})"
        )
        transaction_id = "transactionId"
    with duckdb.connect() as db:
        db.execute("SET TimeZone = 'UTC'")
        return db.execute(
            f'SELECT partition, "offset", {transaction_id}, ts::VARCHAR, payload::VARCHAR FROM {source}'
            f" WHERE queue = '{queue}' ORDER BY partition, \"offset\""
        ).fetchall()


def rows_of(table, transaction_id):
    columns = ["partition", "offset", transaction_id, "ts", "payload"]
    return list(zip(*(table.column(name).to_pylist() for name in columns)))


def read_pyarrow(root, form, queue):
    if form.startswith("parquet"):
        table = pyarrow.parquet.read_table(f"{root}/queen/", filters=[("queue", "=", queue)])
        return rows_of(table.sort_by([("partition", "ascending"), ("offset", "ascending")]), "transaction_id")
    tables = []
    for path in sorted(Path(root).glob(f"queen/queue={queue}/*/*/*")):
        with pyarrow.input_stream(str(path), compression={"zstd": "zstd", "gzip": "gzip"}.get(form.split("-")[1])) as f:
            options = pyarrow.json.ParseOptions(
                explicit_schema=pyarrow.schema([("ts", pyarrow.string())]), unexpected_field_behavior="infer"
            )
            tables.append(pyarrow.json.read_json(f, parse_options=options))
    table = pyarrow.concat_tables(tables)
    return rows_of(table.sort_by([("partition", "ascending"), ("offset", "ascending")]), "transactionId")


def read_polars(root, form, queue):
    if form.startswith("parquet"):
        frame = polars.read_parquet(f"{root}/queen/", hive_partitioning=True).filter(polars.col("queue") == queue)
        names = ["partition", "offset", "transaction_id", "ts", "payload"]
    else:
        frame = polars.read_ndjson(f"{root}/queen/queue={queue}/*/*/*")
        names = ["partition", "offset", "transactionId", "ts", "payload"]
    return frame.select(names).sort("partition", "offset").rows()


def read_pandas(root, form, queue):
    names = ["partition", "offset", "transactionId", "ts", "payload"]
    if form.startswith("parquet"):
        frame = pandas.read_parquet(f"{root}/queen/", filters=[("queue", "=", queue)])
        names[2] = "transaction_id"
    else:
        sys.modules["zstandard"] = None  # pandas as it comes: the environment has it for another package's sake
        files = sorted(Path(root).glob(f"queen/queue={queue}/*/*/*"))
        frame = pandas.concat(pandas.read_json(path, lines=True, dtype=False) for path in files)
    frame = frame.sort_values(["partition", "offset"])[names]
    rows = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    return [(str(partition), *rest) for partition, *rest in rows]


def read_clickhouse(root, form, queue):
    files = f"{root}/queen/queue=*/dt=*/hour=*/*"
    if form.startswith("parquet"):
        source, transaction_id = f"file('{files}.parquet', 'Parquet')", "transaction_id"
        ts = "formatDateTime(ts, '%Y-%m-%dT%H:%i:%S.%fZ')"
    else:
        source, transaction_id = f"file('{files}.jsonl*', 'JSONEachRow', '{STRUCTURE}')", "transactionId"
        ts = "ts"
    text = chdb.query(
        f"SELECT partition, `offset`, {transaction_id}, {ts}, payload FROM {source}"
        f" WHERE queue = '{queue}' ORDER BY partition, `offset` SETTINGS output_format_json_quote_64bit_integers = 0",
        "JSONCompactEachRow",
    )
    return [tuple(row) for row in map(json.loads, str(text).splitlines())]


READERS = {
    "ClickHouse": (read_clickhouse, lambda: chdb.query("SELECT version()", "TabSeparated").data().strip()),
    "DuckDB": (read_duckdb, lambda: duckdb.__version__),
    "pandas": (read_pandas, lambda: pandas.__version__),
    "Polars": (read_polars, lambda: polars.__version__),
    "PyArrow": (read_pyarrow, lambda: pyarrow.__version__),
}


def is_null(payload):
    """A reader that infers structs shows a null payload as null, or as a struct of nulls."""
    return payload is None or (isinstance(payload, dict) and all(value is None for value in payload.values()))


def faults(rows, queue):
    lanes = {}
    for row in rows:
        lanes[row[0]] = lanes.get(row[0], 0) + 1
    if lanes != LANES[queue]:
        yield f"counts {lanes}"
    nulls = sum(is_null(row[4]) for row in rows)
    if nulls != NULLS[queue]:
        yield f"{nulls} NULL payloads"
    digest = hashlib.sha256("".join(f"{row[0]}|{row[1]}\n" for row in rows).encode()).hexdigest()
    if digest != DIGESTS[queue]:
        yield f"digest {digest}"
    for partition, offset, transaction_id, ts, payload in rows:
        if transaction_id != f"{queue}-{offset:06}":
            yield f"transaction id {transaction_id} at {partition}|{offset}"
            return
        if micros(ts) != expected_micros(queue, partition, offset):
            yield f"timestamp {ts} at {partition}|{offset}"
            return
        if not is_null(payload) and not payload_is_right(decoded(payload), queue, offset):
            yield f"payload {payload} at {partition}|{offset}"
            return


def split(queue, partition):
    """Records of a lane in the first hour."""
    return LANES[queue][partition] * 60 // 100


def expected_micros(queue, partition, offset):
    hour = offset >= split(queue, partition)
    index = offset - hour * split(queue, partition)
    phase = 918_204 + list(LANES[queue]).index(partition) * 1_500_017
    return hour * 3_600_000_000 + phase + index // 50 * 61_000_003


def payload_is_right(payload, queue, offset):
    return payload == {
        "type": ("created", "paid", "shipped")[offset % 3],
        "amount": 1000 + offset * 37 % 9000,
        "ratio": offset % 8 + 0.625,
        "customer": {"name": f'Zoë "{queue}" Ünal', "vip": offset % 2 == 0},
        "items": [offset, offset % 7],
        "note": "a\tb\\c\n☃ é 🌊",
        "coupon": None,
    }


def footer_faults(path, queue):
    """What is wrong with one Parquet object's footer, as DuckDB and PyArrow see it."""
    with duckdb.connect() as db:
        by, version, groups = db.execute(
            f"SELECT created_by, format_version, num_row_groups FROM parquet_file_metadata('{path}')"
        ).fetchone()
        pairs = db.execute(f"SELECT key, value FROM parquet_kv_metadata('{path}')").fetchall()
    if (by, version) != ("queen-s3", 1):
        yield f"created by {by}, version {version}"
    if pairs != [(b"queen.envelope", b"1"), (b"queen.queue", queue.encode())]:
        yield f"pairs {pairs}"
    footer = pyarrow.parquet.read_metadata(path)
    sizes = [footer.row_group(i).num_rows for i in range(groups)]
    if set(sizes[:-1]) != {500} or not 0 < sizes[-1] <= 500:
        yield f"row groups {sizes}"
    first_lane = next(iter(LANES[queue]))
    first = 0 if path.name.startswith("w-0000001842") else split(queue, first_lane)
    offsets, partitions = (footer.row_group(0).column(i).statistics for i in (1, 0))
    if (offsets.min, offsets.null_count, partitions.min) != (first, 0, first_lane):
        yield f"statistics {offsets} {partitions}"


def cell(read, root, form):
    """(what the table says, list of faults)"""
    try:
        found = [f"{queue}: {fault}" for queue in LANES for fault in faults(read(root, form, queue), queue)]
    except ImportError as missing:
        return f"needs `{re.search(r'zstandard', str(missing)).group()}`", []
    return "wrong" if found else "ok", found


def judge(lake, lines):
    """(name, list of faults) of everything that is judged; adds the table's lines to `lines`."""
    for name, (read, version) in READERS.items():
        words = []
        for form in FORMS:
            word, found = cell(read, f"{lake}/{form}", form)
            words.append(word)
            yield f"{name} {form}", found
        lines.append(f"| {' | '.join((name, version(), *words))} |")
    page = PAGE.read_text().splitlines()
    yield "table of docs/readers.md", [f"it should say: {line}" for line in lines if line not in page]
    for form in FORMS[3:]:
        for path in sorted(Path(lake).glob(f"{form}/queen/*/*/*/*")):
            queue = path.relative_to(lake).parts[2].removeprefix("queue=")
            yield f"footer {form} {path.name}", list(footer_faults(path, queue))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer")
    parser.add_argument("--lake")
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.writer:
            subprocess.run([arguments.writer, scratch], check=True)
        failed, table = 0, []
        for name, found in judge(arguments.lake or scratch, table):
            print(f"{name:<28} {'; '.join(found) or 'ok'}")
            failed += bool(found)
        if arguments.table:
            print("\n".join(table))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
