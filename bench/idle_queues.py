#!/usr/bin/env python3
"""A thousand queues in one lake process with its defaults: what they cost while nothing happens, and whether each keeps its
lease, without threads of its own, while the store is away. Ends with 1 beyond a goal.

usage: idle_queues.py [--queues N] [--seconds N]
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from _programs import cpu_seconds, harness

LEASE_MS = 30_000
IDLE_SHARE_MAX = 0.02  # of a core, for a thousand queues
THREADS_MAX = 10 + os.cpu_count()  # however many queues


def push(broker, queues, generation):
    for start in range(0, queues, 500):
        broker.push(
            [
                {"queue": f"q{n:04}", "partition": "p", "transactionId": f"{generation}-{n}", "payload": {"n": n}}
                for n in range(start, min(start + 500, queues))
            ]
        )


def windows(store, k):
    return sum(1 for _ in (store.root / harness.BUCKET).glob(f"queen/_queen/*/windows/{k:010}.json"))


def threads(pid):
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def of_a_core(pid, seconds):
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - before) / (time.monotonic() - began)


def lease_rows(broker, queues):
    """Who holds each queue's lease, by incarnation; a queue without a row is missing."""
    rows = {}
    for start in range(0, queues, 200):
        keys = [f"s3:default:q{n:04}:lease" for n in range(start, min(start + 200, queues))]
        operation = {"ns": "queen-s3", "op": "getMany", "keys": keys}
        answer = broker.call("POST", "/api/v1/kv", {"operations": [operation]})
        rows |= {row["key"]: row["value"]["incarnation"] for row in answer["results"][0]["rows"]}
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--queues", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidemark-idle-") as folder:
        broker = harness.Broker(folder)
        broker.start()
        store = harness.S3Store(folder)
        lake = harness.Lake(
            folder,
            broker,
            store,
            QUEEN_S3_QUEUES="*",
            QUEEN_S3_DISCOVERY_INTERVAL_MS="2000",
            QUEEN_S3_LEASE_TTL_MS=str(LEASE_MS),
            QUEEN_S3_ALIGN="none",
        )
        push(broker, options.queues, "first")
        try:
            within = [idle(lake, broker, options), outage(lake, broker, store, options)]
            return 0 if all(within) else 1
        finally:
            store.stop()
            broker.process.kill()


def start(lake, broker, options, **env):
    running = lake.start(**env)
    try:
        harness.wait_until(lambda: len(lease_rows(broker, options.queues)) == options.queues, "the leases", 120)
    except BaseException:
        running.kill()
        raise
    time.sleep(10)
    return running


def idle(lake, broker, options):
    running = start(lake, broker, options)
    try:
        share, share_max = of_a_core(running.child.pid, options.seconds), IDLE_SHARE_MAX * max(options.queues / 1000, 1)
        report(f"{options.queues} queues idle (goal below {100 * share_max:.0f} %)", running, share)
        few = threads(running.child.pid) <= THREADS_MAX
        running.terminate()
        return share < share_max and few
    finally:
        running.kill()


def outage(lake, broker, store, options):
    # Short windows, so that every queue has one under way while the store is away.
    running = start(lake, broker, options, QUEEN_S3_MAX_WINDOW_MS="1000")
    try:
        before = lease_rows(broker, options.queues)
        store.stop()
        push(broker, options.queues, "second")
        time.sleep(15)
        share = of_a_core(running.child.pid, options.seconds)
        same = sum(before[key] == who for key, who in lease_rows(broker, options.queues).items())
        report(f"store away for {15 + options.seconds:.0f} s, {same} leases kept", running, share)
        few = threads(running.child.pid) <= THREADS_MAX
        store.start()
        harness.wait_until(lambda: windows(store, 2) == options.queues, "the windows", 300)
        print("store back: every queue has committed", flush=True)
        return same == options.queues and few
    finally:
        running.kill()


def report(what, running, share):
    pid = running.child.pid
    print(f"{what}: {100 * share:.2f} % of a core, {threads(pid)} threads, peak {harness.peak_mib(pid):.0f} MiB", flush=True)


if __name__ == "__main__":
    sys.exit(main())
