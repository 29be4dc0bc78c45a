"""A lake as its contract says, written here and not by our writers; and the program that reads it."""

import gzip
import hashlib
import json
import os
import subprocess
from pathlib import Path

TIDEMARK = os.environ["TIDEMARK_BINARY"]
TEN = 1788516000000000  # 2026-09-04T10:00:00Z
MINUTE = 60_000_000


def clean_environment():
    return {k: v for k, v in os.environ.items() if not k.startswith("QUEEN_")}


def run(*arguments, **environment):
    """(exit code, stdout, stderr) without any QUEEN_S3_ variable but the ones given."""
    done = subprocess.run(
        [TIDEMARK, *map(str, arguments)], env=clean_environment() | environment, capture_output=True, text=True, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


def iso(micros):
    seconds, rest = divmod(micros - TEN, 1_000_000)
    return f"2026-09-04T{10 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{rest:06}Z"


def jsonl_of(rows):
    return "".join(
        f'{{"partition":"{p}","offset":{o},"transactionId":"t{o}","ts":"{iso(ts)}","payload":{{"n":{o}}}}}\n'
        for p, o, ts in rows
    ).encode()


class Lake:
    def __init__(self, root, prefix="queen"):
        self.root, self.prefix = Path(root), prefix
        self.bucket = self.root / "lake"

    def write(self, k, start, end, rows, lost=()):
        window = f"w-{k:010}-{start:016}-{end:016}"
        key = f"{self.prefix}/queue=orders/dt=2026-09-04/hour={10 + (start - TEN) // (60 * MINUTE):02}/{window}.jsonl.gz"
        data = gzip.compress(jsonl_of(rows))
        self.put(key, data)
        times = [ts for _, _, ts in rows]
        manifest = {
            "sink": "default", "queue": "orders", "k": k, "tStart": start, "tEnd": end,
            "format": "jsonl", "compression": "gzip", "layout": "merged",
            "objects": [{"key": key, "bytes": len(data), "records": len(rows), "sha256": hashlib.sha256(data).hexdigest()}],
            "records": len(rows), "bytes": len(data), "partitions": len({p for p, _, _ in rows}),
            "minTs": min(times), "maxTs": max(times), "lost": list(lost),
            "writer": "a test", "committedAt": "2026-09-04T12:00:00.000000Z",
        }  # fmt: skip
        self.put(f"{self.prefix}/_queen/orders/windows/{k:010}.json", json.dumps(manifest).encode())
        return self.bucket / key

    def put(self, key, data):
        path = self.bucket / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
