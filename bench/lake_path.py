#!/usr/bin/env python3
"""The whole path, broker to lake: 500,000 records of 373-byte payloads, in 64 and in 5,000 lanes.

Prints what the lake process alone used (the broker's work is the broker's), medians of interleaved runs:
CPU seconds, wall seconds, peak memory, and the ratio of the run under a tight budget (160 MB) to the default one.

    tools/setup --print-python; <python> bench/lake_path.py [--records N] [--runs N]
"""

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
os.environ.setdefault("TIDEMARK_BINARY", str(ROOT / "build/release/bin/tidemark"))
sys.path.insert(0, str(ROOT / "tests/crash"))

import harness  # noqa: E402

PAYLOAD_BYTES = 373
CITIES = ("Rotterdam", "Gdansk", "Genova", "Oslo", "Bilbao", "Marseille")
TICKS = os.sysconf("SC_CLK_TCK")


def fill(broker, records, lanes):
    """Orders as shops send them: repeated names, random ids, a text that brings each payload to its size."""
    numbers = random.Random(5)

    def record(n):
        payload = {
            "type": numbers.choice(("order.created", "order.paid", "order.packed", "order.shipped")),
            "orderId": f"{numbers.getrandbits(64):016x}",
            "customer": {"id": numbers.randrange(100_000), "city": numbers.choice(CITIES)},
            "amount": numbers.randrange(500_000) / 100,
            "items": [{"sku": f"SKU-{numbers.randrange(200_000):06}", "qty": 1 + numbers.randrange(5)} for _ in "ab"],
        }
        text = json.dumps(payload)
        payload["trace"] = f"{numbers.getrandbits(1024):0256x}"[: PAYLOAD_BYTES - len(text) - len(', "trace": ""')]
        return f"lane-{n * 7919 % lanes:05}", f"t-{n:08}", payload

    harness.push_log(broker, records, record, push_size=1000)


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def measure(folder, broker, name, records, env):
    import time

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
    result = {"cpu": cpu_seconds(running.child.pid), "wall": wall, "rss": harness.peak_mib(running.child.pid)}
    running.terminate()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    cases = {
        "jsonl+zstd": {"QUEEN_S3_FORMAT": "jsonl"},
        "parquet+zstd": {"QUEEN_S3_FORMAT": "parquet"},
        "jsonl+zstd, 160 MB budget": {"QUEEN_S3_FORMAT": "jsonl", "QUEEN_S3_MEMORY_MB": "160"},
    }
    print(f"{arguments.records} records of {PAYLOAD_BYTES} B payloads, medians of {arguments.runs} runs")
    print(f"{'lanes':>6}  {'case':<28}{'CPU s':>8}{'wall s':>8}{'RSS MiB':>9}")
    for lanes in (64, 5000):
        with tempfile.TemporaryDirectory(prefix="tidemark-bench-") as folder:
            broker = harness.Broker(folder)
            broker.start()
            fill(broker, arguments.records, lanes)
            results = {case: [] for case in cases}
            for run in range(arguments.runs):
                for number, (case, env) in enumerate(cases.items()):
                    name = f"run-{run}-{number}"
                    results[case].append(measure(folder, broker, name, arguments.records, env))
            for case, runs in results.items():
                cpu, wall, rss = (statistics.median(run[key] for run in runs) for key in ("cpu", "wall", "rss"))
                print(f"{lanes:>6}  {case:<28}{cpu:>8.2f}{wall:>8.2f}{rss:>9.0f}")
            default, tight = results["jsonl+zstd"], results["jsonl+zstd, 160 MB budget"]
            ratio = statistics.median(r["wall"] for r in default) / statistics.median(r["wall"] for r in tight)
            print(f"        speed under the tight budget: {ratio:.2f} x the default's")
            broker.process.kill()


if __name__ == "__main__":
    main()
