"""Opens the lake of a finished demo with DuckDB, PyArrow and Polars, and judges each on what the flights themselves say:
rows of every aircraft, NULL payloads, departures that never were (null inside the payload), and the digest of
partition|offset in the reader's own order.

usage: read_demo_lake.py FOLDER    a run of the demo (`tools/demo --data D` leaves D/last)
"""

import collections
import csv
import gzip
import hashlib
import json
import sys
from pathlib import Path

import duckdb
import polars
import pyarrow.parquet

EXCERPT = Path(__file__).resolve().parents[2] / "data/flights/flights-2013-02.csv.gz"

# Each reader gives (partition, offset, payload) of all rows, ordered by itself.


def read_duckdb(prefix):
    with duckdb.connect() as db:
        return db.execute(
            f"""SELECT partition, "offset", payload::VARCHAR
            FROM read_parquet('{prefix}/queue=*/*/*/*.parquet', hive_partitioning = true)
            WHERE queue = 'flights' ORDER BY encode(partition), "offset" """
        ).fetchall()


def read_pyarrow(prefix):
    table = pyarrow.parquet.read_table(f"{prefix}/", filters=[("queue", "=", "flights")])
    table = table.sort_by([("partition", "ascending"), ("offset", "ascending")])
    return list(zip(*(table.column(name).to_pylist() for name in ("partition", "offset", "payload"))))


def read_polars(prefix):
    # Over the queue's folder: over the root this version also opens _queen, and refuses files of several kinds.
    frame = polars.read_parquet(f"{prefix}/queue=flights/")
    return frame.select("partition", "offset", "payload").sort("partition", "offset").rows()


READERS = {"DuckDB": read_duckdb, "PyArrow": read_pyarrow, "Polars": read_polars}


def digest(keys):
    return hashlib.sha256("".join(f"{partition}|{offset}\n" for partition, offset in keys).encode()).hexdigest()


def expected():
    rows = list(csv.DictReader(gzip.decompress(EXCERPT.read_bytes()).decode().splitlines()))
    lanes = collections.Counter("unassigned" if row["tailnum"] in ("", "NA") else row["tailnum"] for row in rows)
    return {
        "rows of each aircraft": dict(lanes),
        "NULL payloads": 0,
        "departures that never were": sum(row["dep_delay"] == "NA" for row in rows),
        "digest": digest((lane, offset) for lane in sorted(lanes) for offset in range(lanes[lane])),
    }


def observed(rows):
    payloads = [json.loads(payload) for _, _, payload in rows if payload is not None]
    return {
        "rows of each aircraft": dict(collections.Counter(partition for partition, _, _ in rows)),
        "NULL payloads": len(rows) - len(payloads),
        "departures that never were": sum(payload["dep_delay"] is None for payload in payloads),
        "digest": digest((partition, offset) for partition, offset, _ in rows),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    prefixes = [path.parent for path in Path(sys.argv[1]).resolve().rglob("_queen")]
    if len(prefixes) != 1:
        sys.exit(f"{sys.argv[1]}: {len(prefixes)} lakes found, one was expected")
    wanted, faults = expected(), 0
    for name, read in READERS.items():
        found = observed(read(prefixes[0]))
        wrong = [what for what in wanted if found[what] != wanted[what]]
        faults += len(wrong)
        rows = sum(found["rows of each aircraft"].values())
        print(f"{name}: {rows} rows, " + (f"WRONG: {', '.join(wrong)}" if wrong else "as the flights say"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
