"""What the benchmarks share: the release build's programs, run and measured by what the tests know of that. No benchmark itself:
tools/bench passes over a name that begins with _."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = ROOT / "build/release/bin"
os.environ.setdefault("TIDEMARK_BINARY", str(PROGRAMS / "tidemark"))
os.environ.setdefault(
    "VERSITYGW", subprocess.check_output([ROOT / "tools/setup", "--print-versitygw"], text=True).strip()
)
sys.path.insert(0, str(ROOT / "tests/bounds"))

import watch  # noqa: E402

harness = watch.harness
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_parts(pid):
    """CPU seconds of a process: in user mode by the first thread, which is the loop's, and by the others; in the kernel; all."""
    parts = {"loop": 0, "others": 0, "kernel": 0}
    for task in Path(f"/proc/{pid}/task").iterdir():
        fields = (task / "stat").read_text().rsplit(")", 1)[1].split()
        parts["loop" if task.name == str(pid) else "others"] += int(fields[11]) / TICKS
        parts["kernel"] += int(fields[12]) / TICKS
    return {**parts, "cpu": sum(parts.values())}


def cpu_seconds(pid):
    return cpu_parts(pid)["cpu"]


def duckdb_copy(statement, target):
    """What one COPY takes on one thread: cpu (seconds), bytes of the file, rss (MiB). In a child, so that nothing stays warm."""
    command = [sys.executable, "-B", __file__, statement, target]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def copy_here(statement, target):
    """The statement alone, without the interpreter's start."""
    import duckdb

    def used():
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return usage.ru_utime + usage.ru_stime

    db = duckdb.connect()
    db.execute("SET threads = 1")
    before = used()
    db.execute(statement)
    cpu, rss = used() - before, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cpu": cpu, "bytes": os.path.getsize(target), "rss": rss}))


if __name__ == "__main__":
    copy_here(*sys.argv[1:])
