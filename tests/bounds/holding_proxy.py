"""A proxy before a broker that lets one partition not be read: its entry of every fetch is refused, all else goes through."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))

import fault_proxy  # noqa: E402

ANSWER_HEAD = b'{"entries":['


class HoldingProxy(fault_proxy.FaultProxy):
    def __init__(self, broker_port, partition):
        self.partition = partition  # None: nothing is held back any more
        self.refused = 0  # entries
        super().__init__(broker_port, lambda method, path: None, Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"


class Handler(fault_proxy.Handler):
    def forward(self, body):
        held = self.proxy.partition
        if self.path != "/api/v1/fetch" or held is None:
            return super().forward(body)
        request = json.loads(body)
        entries = request["entries"]
        at = next((n for n, entry in enumerate(entries) if entry["partition"] == held), None)
        if at is None:
            return super().forward(body)
        asked = entries.pop(at)
        self.proxy.refused += 1
        refused = {"queue": asked["queue"], "partition": held, "error": "NOT_NOW"}
        if not entries:
            return 200, [("Content-Type", "application/json")], json.dumps({"entries": [refused]}).encode()
        # As long as it was announced: compact, as it came, it is not longer.
        less = json.dumps(request, separators=(",", ":")).encode()
        status, headers, answer = super().forward(less.ljust(len(body)))
        headers = [(name, value) for name, value in headers if name.lower() != "content-length"]
        if at == 0 and answer.startswith(ANSWER_HEAD):
            return status, headers, ANSWER_HEAD + json.dumps(refused).encode() + b"," + answer[len(ANSWER_HEAD) :]
        whole = json.loads(answer)
        whole["entries"].insert(at, refused)
        return status, headers, json.dumps(whole).encode()
