#!/usr/bin/env python3
"""A backlog of ten million records drained by a lake under QUEEN_S3_MEMORY_MB=128, first while one lane that cannot be read holds
every close back, then without; its memory over time. Ends with 1 when that is above its bound.

usage: backlog.py [--records N] [--held SECONDS]
"""

import argparse
import http.client
import sys
import tempfile
import time

from _programs import cpu_seconds, harness, watch
from holding_proxy import HoldingProxy

LANES = 500
PUSH_SIZE = 5000
PAYLOAD_BYTES = 60
HELD = "held"


def fill(broker, records):
    """Rendered by hand: the client's share of the two cores is better spent."""
    connection = http.client.HTTPConnection("127.0.0.1", broker.port, timeout=60)
    for start in range(0, records, PUSH_SIZE):
        items = []
        for n in range(start, min(start + PUSH_SIZE, records)):
            lane = HELD if n == 0 else f"lane-{n * 7919 % LANES:05}"
            text = "x" * (PAYLOAD_BYTES - len(f'{{"n":{n},"text":""}}'))
            items.append(
                f'{{"queue":"orders","partition":"{lane}","transactionId":"t{n:08}","payload":{{"n":{n},"text":"{text}"}}}}'
            )
        body = '{"items":[' + ",".join(items) + "]}"
        connection.request("POST", "/api/v1/push", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status < 300, text[:300]


def report(lake):
    buffered = (lake.metric("queen_s3_buffer_bytes") or 0) / (1 << 20)
    print(
        f"{time.monotonic() - lake.began:6.1f} s: {lake.records():>11,} records written, RSS {lake.rss_mib():4.0f} MiB, "
        f"peak {lake.peak_mib():4.0f}, held back {buffered:4.0f} MiB, CPU {cpu_seconds(lake.pid):6.1f} s",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--held", type=float, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidemark-backlog-") as folder:
        broker = harness.Broker(folder)
        broker.start()
        broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})
        began = time.monotonic()
        fill(broker, options.records)
        print(f"{options.records:,} records of {PAYLOAD_BYTES} B pushed in {time.monotonic() - began:.0f} s", flush=True)
        proxy = HoldingProxy(broker.port, HELD)
        lake = watch.WatchedLake(folder, broker, harness.DirectoryStore(folder), QUEEN_URL=proxy.url)
        lake.start()
        try:
            while time.monotonic() - lake.began < options.held:
                time.sleep(5)
                report(lake)
            proxy.partition = None
            print("the lane can be read again", flush=True)
            while lake.records() < options.records:
                time.sleep(5)
                report(lake)
            peak, bound = lake.peak_mib(), watch.bound_mib(LANES)
            print(f"peak {peak:.0f} MiB, bound {bound:.0f} MiB", flush=True)
            return 0 if peak <= bound else 1
        finally:
            lake.running.kill()
            broker.process.kill()


if __name__ == "__main__":
    sys.exit(main())
