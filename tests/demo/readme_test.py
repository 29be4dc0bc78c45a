"""Runs the commands under "The first lake in five minutes" of README.md as they stand, but for ports, the folder and the build.

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


def commands():
    section = (ROOT / "README.md").read_text().partition("## The first lake in five minutes\n")[2]
    return re.search(r"^```\n(.*?)^```$", section, re.MULTILINE | re.DOTALL).group(1)


def adapted(text, program, port, folder):
    changes = {
        "make build\n": "",
        "$PWD/build/release/bin": str(Path(program).parent),
        "6632": str(port),
        "/tmp/tide": folder,
    }
    for old, new in changes.items():
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


def main():
    port = free_port()
    environment = {"QUEEN_S3_LISTEN": f"127.0.0.1:{free_port()}", "QUEEN_URL": f"http://127.0.0.1:{port}"}
    with tempfile.TemporaryDirectory() as folder:
        status, output = run(adapted(commands(), sys.argv[1], port, folder), environment)
    print(output)
    wanted = ('{"type":"created","amount":1290}', '{"type":"paid","amount":1290}', "complete")
    if missing := [text for text in wanted if text not in output]:
        sys.exit(f"not in the output: {missing}")
    return status


if __name__ == "__main__":
    sys.exit(main())
