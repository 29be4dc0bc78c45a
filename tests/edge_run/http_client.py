"""A pipeline with an http source, and what its clients do."""

import http.client
import json
import signal
import socket
import ssl

from harness import Pipeline, free_port, wait_until

DATASETS = """[{ id: events, match: { topic: "robots/+/telemetry" },
  identity: { robot: { id: 100, template: "{topic.1}" } },
  fields: [{ id: 1000, name: n, type: i64, required: true }, { id: 1001, name: note, type: string }] }]"""
TOPIC = "/v1/events/robots/r7/telemetry"
LINES = "application/x-ndjson"


def lines(numbers, **more):
    return "".join(json.dumps({"n": n, **more}) + "\n" for n in numbers).encode()


class HttpPipeline(Pipeline):
    """`source` is what its `config:` says besides the address."""

    def __init__(self, config="{}", extra="", source="", datasets=DATASETS):
        self.ingest = free_port()
        super().__init__(datasets, config, extra=extra, sources=self.sources(source))

    def sources(self, source):
        more = f", {source}" if source else ""
        return f"""
  - id: ingest
    kind: http
    config: {{ listen: "127.0.0.1:{self.ingest}"{more} }}"""

    def start_listening(self, *wrapper):
        child = self.start(*wrapper)
        wait_until(lambda: self.listens() or child.poll() is not None, "the source to listen")
        if child.returncode is not None:
            raise AssertionError(self.log())
        return child

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.ingest), timeout=5).close()
            return True
        except OSError:
            return False

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.ingest, timeout=60)

    def post(self, body, path=TOPIC, content_type=LINES, **headers):
        """(status, headers, body) of the answer; OSError or http.client.HTTPException when there is none."""
        connection = self.connect()
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request("POST", path, body, {"Content-Type": content_type, **named})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode()
        finally:
            connection.close()

    def numbers(self):
        return [row[0] for row in self.query("events", "n")]

    def rejects(self):
        path = self.data / "sinks/local/quarantine/rejects.log"
        return path.read_bytes() if path.exists() else b""


class TlsPipeline(HttpPipeline):
    """Its clients know the certificate of the file `authority`."""

    def __init__(self, authority, certificate, key, source="request_timeout: 30"):
        self.context = ssl.create_default_context(cafile=authority)
        super().__init__(source=f"tls: {{ certificate_file: {certificate}, key_file: {key} }}, {source}")

    def connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.ingest, timeout=60, context=self.context)


def drain(child):
    """The exit code after SIGTERM."""
    child.send_signal(signal.SIGTERM)
    return child.wait(timeout=60)
