"""Real brokers, lakes and stores for the crash tests: started on free ports, killed, started again."""

import contextlib
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BINARY = os.environ["TIDEMARK_BINARY"]
BUCKET = "lake"
RECORD_FIELDS = ("queue", "partition", "transactionId", "payload")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what, seconds=60):
    """Polls until `condition()` is true; fails with `what` after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def printed_seed():
    """TIDEMARK_SEED, or any; printed, so that a run can be done again."""
    seed = int(os.environ.get("TIDEMARK_SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"TIDEMARK_SEED={seed}", flush=True)
    return seed


def peak_mib(pid):
    """The most memory a process ever had resident."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0.0


class Process:
    """A child that is always ended, and whose output is kept for the failure message."""

    def __init__(self, command, env, log):
        self.log = Path(log)
        with self.log.open("ab") as out:
            self.child = subprocess.Popen(command, env={**os.environ, **env}, stdout=out, stderr=subprocess.STDOUT)

    def kill(self):
        self.child.kill()
        self.child.wait()

    def terminate(self):
        self.child.send_signal(signal.SIGTERM)
        return self.child.wait(timeout=60)

    def alive(self):
        return self.child.poll() is None


class Broker:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    def start(self, *arguments):
        folder, address = str(self.folder / "broker"), f"127.0.0.1:{self.port}"
        self.process = Process(
            [BINARY, "broker", "--data", folder, "--listen", address, *arguments],
            {},
            self.folder / "broker.log",
        )
        wait_until(self.answers, "the broker")

    def answers(self):
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.call("GET", "/health") is not None
        return False

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(
                method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"}
            )
            response = connection.getresponse()
            text = response.read()
            if response.status >= 300:
                raise AssertionError(f"{method} {path}: {response.status} {text[:300]!r}")
            return json.loads(text) if text else {}
        finally:
            connection.close()

    def push(self, items):
        self.call("POST", "/api/v1/push", {"items": items})

    def read_log(self, queue):
        """Every record of a queue: {(partition, offset, ts): (transactionId, payload)}."""
        records, after = {}, None
        while True:
            page = self.call(
                "POST",
                "/api/v1/partitions/changed",
                {"entries": [{"queue": queue, "since": None, "after": after, "limit": 1000}]},
            )["entries"][0]
            for partition in page["partitions"]:
                self.read_partition(queue, partition["name"], records)
            after = page["next"]
            if not after:
                return records

    def read_partition(self, queue, partition, records):
        offset, high = 0, 1
        while offset < high:
            entry = self.call(
                "POST", "/api/v1/fetch", {"entries": [{"queue": queue, "partition": partition, "offset": offset}]}
            )["entries"][0]
            high = entry["highWatermark"]
            for record in entry["records"]:
                key = (partition, record["offset"], record["ts"])
                records[key] = (record["transactionId"], json.dumps(record["payload"], sort_keys=True))
                offset = record["offset"] + 1


class DirectoryStore:
    name = "directory"

    def __init__(self, folder):
        self.root = Path(folder) / "store"

    def env(self):
        return {"QUEEN_S3_ENDPOINT": f"file://{self.root}"}

    def stop(self):
        pass

    def snapshot(self):
        base = self.root / BUCKET
        return {
            str(path.relative_to(base)): path.read_bytes()
            for path in sorted(base.rglob("*"))
            if path.is_file() and ".tidemark-tmp" not in path.parts
        }


class S3Store:
    """versitygw over a folder: signatures, digests and regions are checked."""

    name = "s3"

    def __init__(self, folder):
        self.folder = Path(folder)
        self.root = self.folder / "s3"
        (self.root / BUCKET).mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.start()

    def start(self, access="AK", secret="SK"):
        self.process = Process(
            [os.environ["VERSITYGW"], "--port", f"127.0.0.1:{self.port}", "--access", access, "--secret", secret,
             "--quiet", "posix", str(self.root)],
            {},
            self.folder / "s3.log",
        )  # fmt: skip
        wait_until(self.listening, "versitygw")

    def listening(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def env(self):
        return {
            "QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.port}",
            "QUEEN_S3_REGION": "us-east-1",
            "QUEEN_S3_BUCKET": BUCKET,
            "QUEEN_S3_ACCESS_KEY": "AK",
            "QUEEN_S3_SECRET_KEY": "SK",
            "QUEEN_S3_PATH_STYLE": "true",
        }

    def stop(self):
        self.process.kill()

    def snapshot(self):
        base = self.root / BUCKET
        return {
            str(path.relative_to(base)): path.read_bytes()
            for path in sorted(base.rglob("*"))
            if path.is_file() and ".sgwtmp" not in path.parts
        }


class BrokerCase(unittest.TestCase):
    """A broker for each test."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.broker = Broker(self.folder)
        self.broker.start()
        self.addCleanup(lambda: self.broker.process.kill())


def written_once(before, store):
    """What the store holds now, in settled_keys()'s form, of which nothing may differ from `before`."""
    after = settled_keys(store.snapshot())
    for key, value in before.items():
        assert after.get(key) == value, f"{key} was written twice with different bytes"
    return after


class S3Case(BrokerCase):
    """An S3 server beside it."""

    def setUp(self):
        super().setUp()
        self.store = S3Store(self.folder)
        self.addCleanup(lambda: self.store.stop())


class Lake:
    def __init__(self, folder, broker, store, **env):
        self.folder = Path(folder)
        self.env = {
            "QUEEN_URL": broker.url,
            "QUEEN_S3_QUEUES": "orders",
            "QUEEN_S3_START": "earliest",
            "QUEEN_S3_SAFE_GUARD_MS": "0",
            "QUEEN_S3_DISCOVERY_INTERVAL_MS": "100",
            "QUEEN_S3_LEASE_TTL_MS": "3000",
            "QUEEN_S3_CHECKPOINT_EVERY": "2",
            "QUEEN_S3_INSTANCE": "sink-0",
            "QUEEN_S3_LISTEN": f"127.0.0.1:{free_port()}",
            **store.env(),
            **env,
        }

    def start(self, **env):
        return Process([BINARY, "lake"], {**self.env, **env}, self.folder / "lake.log")


def manifests(snapshot, queue="orders", prefix="queen"):
    folder = f"{prefix}/_queen/{queue}/windows/"
    return {key: json.loads(body) for key, body in snapshot.items() if key.startswith(folder)}


def window_of(key):
    """Number of the window that a data object or a manifest belongs to."""
    return int(key.rsplit("/", 1)[-1].removeprefix("w-")[:10])


def comparable(key, body):
    """What must never change of a key once written: everything, but for a manifest's `committedAt`."""
    if "/windows/" in key:
        manifest = json.loads(body)
        manifest.pop("committedAt")
        return json.dumps(manifest)
    return hashlib.sha256(body).hexdigest()


def settled_keys(snapshot):
    return {
        key: comparable(key, body)
        for key, body in snapshot.items()
        if "/checkpoint/" not in key and not key.endswith("/complete.json")
    }


def push_log(broker, records, record, push_size=500):
    """Pushes a finished log into `orders`: record(n) gives partition, transaction id and payload of the nth."""
    broker.call("POST", "/api/v1/configure", {"queue": "orders", "options": {"retentionEnabled": False}})
    for start in range(0, records, push_size):
        numbers = range(start, min(start + push_size, records))
        broker.push([dict(zip(RECORD_FIELDS, ("orders", *record(n)))) for n in numbers])


def fill(broker, seed, records, lanes):
    """A finished log whose every record follows from the seed."""
    numbers = random.Random(seed)

    def record(n):
        lane = f"lane {numbers.randrange(lanes)}"
        payload = None if n % 97 == 0 else {"n": n, "text": "x" * numbers.randrange(400)}
        return lane, f"t-{n}", payload

    push_log(broker, records, record)
