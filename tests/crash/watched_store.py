"""A real S3 server behind a wire that watches every PUT: no key may ever take different bytes, not even for the moment until
the right ones come. What may change by contract (harness.settled_keys) may change here too."""

import sys
import threading
import urllib.parse
from pathlib import Path

import harness

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))

import fault_proxy  # noqa: E402


class Watching(fault_proxy.Handler):
    watch = None

    def forward(self, body):
        whole = len(body) == int(self.headers.get("Content-Length", 0))  # else its sender died
        if self.command == "PUT" and "?" not in self.path and whole:
            self.watch.see(urllib.parse.unquote(self.path).removeprefix(f"/{harness.BUCKET}/"), body)
        return super().forward(body)


class WatchedStore(harness.S3Store):
    """`faults`: what was put twice with different bytes. Parts of large uploads are judged by what they end in only."""

    def __init__(self, folder):
        super().__init__(folder)
        self.lock, self.seen, self.faults = threading.Lock(), {}, []
        handler = type("Handler", (Watching,), {"watch": self})
        self.proxy = fault_proxy.FaultProxy(self.port, lambda method, path: None, handler)

    def see(self, key, body):
        for settled, value in harness.settled_keys({key: body}).items():
            with self.lock:
                if self.seen.setdefault(settled, value) != value:
                    self.faults.append(settled)

    def env(self):
        return {**super().env(), "QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{self.proxy.port}"}

    def stop(self):
        self.proxy.stop()
        super().stop()
        if self.faults:
            raise AssertionError(f"put twice with different bytes: {self.faults}")
        if not self.seen:
            raise AssertionError("no PUT came by: the wire is watched in vain")
