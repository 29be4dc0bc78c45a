#!/usr/bin/env python3
"""One queue of 10^3 to 10^6 lanes under QUEEN_S3_MEMORY_MB=128: what the first pass and the windows after it cost, what a lane
costs in memory and time, and a restart from the checkpoint. Ends with 1 when the memory is above its bound.

usage: scale.py [--lanes N ...]
"""

import argparse
import sys
import tempfile
import time

from _programs import cpu_seconds, harness, watch

PUSH_SIZE = 2000
STEADY_WINDOWS = 8
STEADY_RECORDS = 1000


def lane_name(n):
    # Longer than what a std::string holds in itself, as ids of customers and devices are.
    return f"customer-{n * 7919 % 10_000_019:08}"


def push(broker, numbers, generation):
    numbers = list(numbers)
    for start in range(0, len(numbers), PUSH_SIZE):
        broker.push(
            [
                {
                    "queue": "orders",
                    "partition": lane_name(n),
                    "transactionId": f"{generation}-{n:07}",
                    "payload": {"n": n, "city": "Rotterdam", "amount": n * 31 % 10007},
                }
                for n in numbers[start : start + PUSH_SIZE]
            ]
        )


def measure(lanes):
    with tempfile.TemporaryDirectory(prefix="tidemark-scale-") as folder:
        broker = harness.Broker(folder)
        broker.start()
        lake = watch.WatchedLake(
            folder,
            broker,
            harness.DirectoryStore(folder),
            QUEEN_S3_DISCOVERY_INTERVAL_MS="500",
            QUEEN_S3_CHECKPOINT_EVERY="4",
        )
        try:
            broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})
            began = time.monotonic()
            push(broker, range(lanes), "first")
            filled = time.monotonic() - began
            figures = {"lanes": lanes, "fill s": filled} | backlog(lake, lanes) | steady(lake, broker, lanes)
            return figures | restart(lake, broker, lanes)
        finally:
            if lake.running:
                lake.running.kill()
            broker.process.kill()


def backlog(lake, lanes):
    lake.start()
    harness.wait_until(lambda: lake.metric("tidemark_complete_through_seconds") is not None, "the first pass", 300)
    passed, pass_cpu = time.monotonic() - lake.began, cpu_seconds(lake.pid)
    lake.wait_for(lanes, 600)
    return {
        "pass s": passed,
        "pass CPU": pass_cpu,
        "backlog s": time.monotonic() - lake.began,
        "backlog CPU": cpu_seconds(lake.pid),
        "windows": len(lake.seen),
    }


def steady(lake, broker, lanes):
    """Windows of a thousand records each, checkpoints between them; then nothing at all."""
    before, began, busy = lake.records(), time.monotonic(), cpu_seconds(lake.pid)
    for n in range(STEADY_WINDOWS):
        push(broker, ((n * STEADY_RECORDS + i) * 104_729 % lanes for i in range(STEADY_RECORDS)), f"steady-{n}")
        lake.wait_for(before + (n + 1) * STEADY_RECORDS)
    wall, cpu = (time.monotonic() - began) / STEADY_WINDOWS, (cpu_seconds(lake.pid) - busy) / STEADY_WINDOWS
    idle_from, idle_cpu = time.monotonic(), cpu_seconds(lake.pid)
    time.sleep(20)
    return {
        "window s": wall,
        "window CPU": cpu,
        "idle %": 100 * (cpu_seconds(lake.pid) - idle_cpu) / (time.monotonic() - idle_from),
        "RSS": lake.rss_mib(),
        "peak": lake.peak_mib(),
        "bound": watch.bound_mib(lanes),
    }


def checkpoint_mib(lake):
    files = lake.store.root / harness.BUCKET / "queen/_queen/orders/checkpoint"
    return max(path.stat().st_size for path in files.iterdir()) / (1 << 20)


def restart(lake, broker, lanes):
    """From the start of the process until a record pushed before it is in the lake."""
    before = lake.records()
    lake.running.terminate()
    push(broker, [0], "restart")
    lake.start()
    lake.wait_for(before + 1)
    return {
        "checkpoint MiB": checkpoint_mib(lake),
        "restart s": time.monotonic() - lake.began,
        "restart CPU": cpu_seconds(lake.pid),
        "restart peak": lake.peak_mib(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    within = True
    for lanes in parser.parse_args().lanes:
        figures = measure(lanes)
        print(", ".join(f"{name} {value:.4g}" for name, value in figures.items()), flush=True)
        within &= max(figures["peak"], figures["restart peak"]) <= figures["bound"]
    if not within:
        print("above the bound")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
