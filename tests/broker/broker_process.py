"""Starts `tidemark broker` on a free port and talks to it; what the suites of this folder share."""

import http.client
import json
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

START_SECONDS = 60
STOP_SECONDS = 60


class Broker:
    """One process over one folder; Start again after Kill or Stop."""

    def __init__(self, data, *arguments):
        self.data = Path(data)
        self.arguments = arguments
        self.process = None
        self.port = 0

    def start(self):
        self.process = subprocess.Popen(
            [BINARY, "broker", "--data", str(self.data), "--listen", "127.0.0.1:0", *self.arguments],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        if not select.select([self.process.stdout], [], [], START_SECONDS)[0]:
            raise AssertionError("the broker did not become ready")
        line = self.process.stdout.readline()
        if " listening on http://" not in line:
            raise AssertionError(f"not a ready line: {line!r}")
        self.port = int(line.rsplit(":", 1)[1])
        return self

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def kill(self):
        self.process.kill()
        self._wait()

    def stop(self):
        """SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._wait()

    def _wait(self):
        code = self.process.wait(STOP_SECONDS)
        self.process.stdout.close()
        return code

    def threads(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("Threads:")))

    def call(self, method, path, body=None, headers=None):
        """(status, decoded answer)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if body is None or isinstance(body, (bytes, str)) else json.dumps(body)
            connection.request(method, path, data, headers or {})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def push(self, items):
        return self.call("POST", "/api/v1/push", {"items": items})

    def read_lane(self, queue, partition):
        """Every record of a lane, over as many calls as it takes."""
        records, offset = [], 0
        while True:
            entry = {"queue": queue, "partition": partition, "offset": offset}
            _, answer = self.call("POST", "/api/v1/fetch", {"entries": [entry]})
            lane = answer["entries"][0]
            if "error" in lane:
                raise AssertionError(f"{queue}/{partition}@{offset}: {lane['error']}")
            records += lane["records"]
            if not lane["records"]:
                return records
            offset = records[-1]["offset"] + 1


class BrokerCase(unittest.TestCase):
    """A broker in a folder that goes when the test does."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tidemark-broker-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def start_broker(self, *arguments, data="data"):
        broker = Broker(self.folder / data, *arguments).start()
        self.addCleanup(lambda: broker.process.poll() is None and broker.kill())
        return broker

    def eventually(self, condition, seconds=30):
        deadline = time.monotonic() + seconds
        while not condition():
            self.assertLess(time.monotonic(), deadline, "it never came to hold")
            time.sleep(0.02)


def main():
    global BINARY
    BINARY = sys.argv.pop(1)
    unittest.main()
