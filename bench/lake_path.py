#!/usr/bin/env python3
"""The whole path, broker to lake: 500,000 records of 373-byte payloads, in 64 and in 5,000 lanes, with the default budget
and with 160 and 128 MB (the least for which a bound is promised).

Prints what the lake process alone used (the broker's work is the broker's), medians of interleaved runs: CPU seconds, and
of them those of the loop's thread (windows, protocol), of the others (answers, JSON scan, encoding, compression, digests)
and of the kernel in either; wall seconds, peak memory, and the speed under a tight budget as a part of the default's.
Fails when 160 MB are slower than 0.8 of the default.

usage: lake_path.py [--records N] [--runs N]
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from _programs import cpu_parts, harness

PAYLOAD_BYTES = 373
WORDS = "please ring twice leave at the back door fragile gift wrap no plastic call before noon".split()
CITIES = ("Rotterdam", "Gdansk", "Genova", "Oslo", "Bilbao", "Marseille")
SPEED_MIN = 0.8
FIGURES = {"CPU s": "cpu", "loop": "loop", "others": "others", "kernel": "kernel", "wall s": "wall", "RSS MiB": "rss"}


def orders(numbers, n):
    """As shops send them: repeated names, random ids, a note in plain words that brings each payload to its size."""
    payload = {
        "type": numbers.choice(("order.created", "order.paid", "order.packed", "order.shipped")),
        "orderId": f"{numbers.getrandbits(64):016x}",
        "customer": {"id": numbers.randrange(100_000), "city": numbers.choice(CITIES)},
        "amount": numbers.randrange(500_000) / 100,
        "items": [{"sku": f"SKU-{numbers.randrange(200_000):06}", "qty": 1 + numbers.randrange(5)} for _ in "ab"],
        "note": "",
    }
    room = PAYLOAD_BYTES - len(json.dumps(payload))
    payload["note"] = " ".join(numbers.choices(WORDS, k=room // 3))[:room]
    return payload


def letters(_, n):
    """Next to nothing for a compressor to do: what is left is the path itself."""
    payload = {"n": n, "amount": n * 31 % 10007, "text": ""}
    payload["text"] = "x" * (PAYLOAD_BYTES - len(json.dumps(payload)))
    return payload


def fill(broker, records, lanes, payload):
    numbers = random.Random(5)

    def record(n):
        return f"lane-{n * 7919 % lanes:05}", f"t-{n:08}", payload(numbers, n)

    harness.push_log(broker, records, record, push_size=1000)


def measure(folder, broker, name, records, env):
    store = harness.DirectoryStore(Path(folder) / name)
    Path(folder, name).mkdir(exist_ok=True)
    lake = harness.Lake(folder, broker, store, QUEEN_S3_SINK=name, QUEEN_S3_MAX_WINDOW_MS="1000", **env)
    began = time.monotonic()
    running = lake.start()
    written = store.root / harness.BUCKET / "queen/_queen/orders/windows"

    def done():
        paths = list(written.glob("*.json")) if written.exists() else []
        return sum(json.loads(path.read_text())["records"] for path in paths) >= records

    harness.wait_until(done, f"{name}; see {running.log}", seconds=300)
    wall = time.monotonic() - began
    result = {**cpu_parts(running.child.pid), "wall": wall, "rss": harness.peak_mib(running.child.pid)}
    running.terminate()
    return result


CASES = {
    name + extra: {"QUEEN_S3_FORMAT": name, **env}
    for extra, env in (("", {}), (", 160 MB", {"QUEEN_S3_MEMORY_MB": "160"}), (", 128 MB", {"QUEEN_S3_MEMORY_MB": "128"}))
    for name in ("jsonl", "parquet")
}


def medians(arguments, lanes, payload):
    """{case: {figure: median}}"""
    with tempfile.TemporaryDirectory(prefix="tidemark-bench-") as folder:
        broker = harness.Broker(folder)
        broker.start()
        fill(broker, arguments.records, lanes, payload)
        results = {case: [] for case in CASES}
        for run in range(arguments.runs):
            for number, (case, env) in enumerate(CASES.items()):
                results[case].append(measure(folder, broker, f"run-{run}-{number}", arguments.records, env))
        broker.process.kill()
    return {
        case: {figure: statistics.median(run[figure] for run in runs) for figure in runs[0]}
        for case, runs in results.items()
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    print(f"{arguments.records} records of {PAYLOAD_BYTES} B payloads, zstd, medians of {arguments.runs} runs")
    print(f"{'payloads':<9}{'lanes':>6}  {'case':<16}{''.join(f'{head:>8}' for head in FIGURES)}  speed of the default's")
    slow = False
    for payload in (letters, orders):
        for lanes in (64, 5000):
            results = medians(arguments, lanes, payload)
            for case, result in results.items():
                speed = results[case.partition(",")[0]]["wall"] / result["wall"]
                slow = slow or (case.endswith("160 MB") and speed < SPEED_MIN)
                figures = "".join(f"{result[figure]:>8.2f}" for figure in FIGURES.values())
                print(f"{payload.__name__:<9}{lanes:>6}  {case:<16}{figures}  {speed:.2f}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
