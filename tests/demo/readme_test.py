"""Runs the commands of README.md's first lake and first segments as they stand, but for ports, folders and the build.

usage: readme_test.py PROGRAM
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/demo"))

from programs import free_port  # noqa: E402


def commands(title):
    section = (ROOT / "README.md").read_text().partition(f"## {title}\n")[2]
    return re.search(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL).group(1)


def adapted(text, program, changes):
    build = {"make build\n": "", "$PWD/build/release/bin": str(Path(program).parent)}
    for old, new in {**build, **changes}.items():
        if old not in text:
            sys.exit(f"README.md no longer says {old!r}")
        text = text.replace(old, new)
    return text


def run(script, environment):
    """(exit code, all output); what is still running after a time-out is killed."""
    shell = subprocess.Popen(
        ["bash", "-e", "-c", script],
        cwd=ROOT,
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = shell.communicate(timeout=100)
        return shell.returncode, output
    finally:
        if shell.poll() is None:
            os.killpg(shell.pid, signal.SIGKILL)


def follow(title, changes, environment, wanted):
    status, output = run(adapted(commands(title), sys.argv[1], changes), environment)
    print(output)
    if missing := [text for text in wanted if text not in output]:
        sys.exit(f"{title}: not in the output: {missing}")
    if status != 0:
        sys.exit(f"{title}: exit code {status}")


def main():
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        follow(
            "The first lake in five minutes",
            {"6632": str(port), "/tmp/tide": folder},
            {"QUEEN_S3_LISTEN": f"127.0.0.1:{free_port()}", "QUEEN_URL": f"http://127.0.0.1:{port}"},
            ('{"type":"created","amount":1290}', '{"type":"paid","amount":1290}', "complete"),
        )
    with tempfile.TemporaryDirectory() as folder:
        follow(
            "The first segments in two minutes",
            {"8080": str(free_port()), "9344": str(free_port()), "/tmp/tide-edge": folder},
            {},
            ('{"accepted":3}', "21.75"),
        )


if __name__ == "__main__":
    main()
