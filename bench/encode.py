"""Encoding speed of data objects: medians of interleaved runs, one table.

JSONL.zst is held against its bound (one JSON scan, zstd 3 and SHA-256 over the same text); Parquet against DuckDB's
COPY of the same JSONL file, per CPU-second, and its file size. Every run reads the corpus and writes its file.

usage: encode.py [--program build/release/bin/encode_work] [--runs 5] [--corpus FILE]
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

from _programs import PROGRAMS, duckdb_copy

PROGRAM = PROGRAMS / "encode_work"
GOALS = {"jsonl": 0.85, "parquet": 1.4, "size": 1.03}

COPY = """
COPY (SELECT * FROM read_json('{source}', format = 'newline_delimited', columns = {{
  partition: 'VARCHAR', "offset": 'BIGINT', transactionId: 'VARCHAR', ts: 'TIMESTAMP', payload: 'JSON'}}))
TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE 100000)
"""


def run_ours(program, work, corpus, target):
    seconds, size = subprocess.run(
        [program, work, corpus, target], check=True, capture_output=True, text=True
    ).stdout.split()
    return float(seconds), int(size)


def measure(program, corpus, runs, scratch):
    """{work: (median CPU seconds, bytes)}"""
    seen = {}
    for _ in range(runs):
        for work in ("bound", "jsonl", "parquet"):
            seen.setdefault(work, []).append(run_ours(program, work, corpus, f"{scratch}/{work}"))
        target = f"{scratch}/duckdb.parquet"
        duckdb = duckdb_copy(COPY.format(source=corpus, target=target), target)
        seen.setdefault("duckdb", []).append((duckdb["cpu"], duckdb["bytes"]))
    return {work: (statistics.median(s for s, _ in runs), runs[0][1]) for work, runs in seen.items()}


def report(result, corpus_bytes, runs):
    names = {
        "bound": "scan + zstd 3 + SHA-256 (bound)",
        "jsonl": "JSONL.zst: scan + encode + SHA-256",
        "duckdb": "DuckDB: JSONL to Parquet zstd 3",
        "parquet": "Parquet zstd: scan + encode + SHA-256",
    }
    print(f"corpus {corpus_bytes / 1e6:.1f} MB of JSONL; medians of {runs} interleaved runs")
    print(f"{'work':<40} {'CPU s':>7} {'MB/s':>7} {'MB out':>7}")
    for work, name in names.items():
        seconds, size = result[work]
        print(f"{name:<40} {seconds:7.2f} {corpus_bytes / seconds / 1e6:7.0f} {size / 1e6:7.1f}")
    ratios = {
        "jsonl": result["bound"][0] / result["jsonl"][0],
        "parquet": result["duckdb"][0] / result["parquet"][0],
        "size": result["parquet"][1] / result["duckdb"][1],
    }
    print(f"JSONL.zst at {ratios['jsonl']:.2f} x its bound (goal >= {GOALS['jsonl']})")
    print(f"Parquet at {ratios['parquet']:.2f} x DuckDB's speed (goal >= {GOALS['parquet']})")
    print(f"Parquet file {ratios['size']:.3f} x DuckDB's size (goal <= {GOALS['size']})")
    return ratios["jsonl"] >= GOALS["jsonl"] and ratios["parquet"] >= GOALS["parquet"] and ratios["size"] <= GOALS["size"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(PROGRAM))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--corpus", help="keep the corpus here between calls")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        corpus = arguments.corpus or f"{scratch}/corpus.jsonl"
        if not os.path.exists(corpus):
            subprocess.run([arguments.program, "corpus", corpus], check=True)
        result = measure(arguments.program, corpus, arguments.runs, scratch)
        return 0 if report(result, os.path.getsize(corpus), arguments.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
