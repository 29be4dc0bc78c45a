"""A pipeline in a folder of its own: its file, its input, its process, its segments."""

import http.client
import json
import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import duckdb

BINARY = os.environ["TIDEMARK_BINARY"]
LOCAL = "sinks/local"


def wait_until(condition, what, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds} s for {what}")
        time.sleep(0.02)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Pipeline:
    """`datasets` and `config` are YAML flow text; the source `drop` reads the lines of in/*.jsonl, unless `sources` are
    given."""

    def __init__(self, datasets, config="{}", follow=False, extra="", sources=None):
        self.scratch = tempfile.TemporaryDirectory(prefix="tidemark-edge-")
        self.folder = Path(self.scratch.name)
        self.data = self.folder / "data"
        (self.folder / "in").mkdir()
        self.port = free_port()
        self.file = self.folder / "pipeline.yaml"
        self.write(datasets, config, follow, extra, sources)

    def write(self, datasets, config="{}", follow=False, extra="", sources=None):
        drop = f"""
  - id: drop
    kind: file
    config: {{ paths: ["{self.folder}/in/*.jsonl"], topic: "files/{{basename}}", follow: {str(follow).lower()} }}"""
        self.file.write_text(f"""node_id: gw-01
data_dir: {self.data}
listen: 127.0.0.1:{self.port}
clock: {{ synced: true }}
{extra}
sources: {sources or drop}
datasets: {datasets}
sinks:
  - id: local
    kind: parquet
    config: {config}
""")

    def put(self, name, records):
        """Writes one line a record; a text is a line as it is."""
        lines = [r if isinstance(r, str) else json.dumps(r) for r in records]
        (self.folder / "in" / name).write_text("".join(line + "\n" for line in lines))

    def run(self, env=None):
        return subprocess.run(
            [BINARY, "run", str(self.file)], env={**os.environ, **(env or {})}, capture_output=True, text=True, timeout=240
        )

    def validate(self, *more):
        return subprocess.run([BINARY, "validate", *more, str(self.file)], capture_output=True, text=True, timeout=60)

    def start(self, *wrapper):
        with (self.folder / "run.log").open("ab") as log:
            return subprocess.Popen([*wrapper, BINARY, "run", str(self.file)], stdout=log, stderr=log)

    # Of the status endpoints: (status, body).
    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def log(self):
        return (self.folder / "run.log").read_text()

    def ready(self, dataset):
        """Paths of the data set's segments."""
        return sorted((self.data / LOCAL / "ready" / dataset).rglob("*.parquet"))

    def query(self, dataset, columns, order="_wal_position, _row"):
        files = [str(path) for path in self.ready(dataset)]
        if not files:
            return []
        with duckdb.connect() as db:
            db.execute("SET TimeZone = 'UTC'")
            return db.execute(f"SELECT {columns} FROM read_parquet({files}) ORDER BY {order}").fetchall()

    def close(self):
        self.scratch.cleanup()
