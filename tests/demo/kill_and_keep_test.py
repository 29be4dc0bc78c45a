"""Kills a process of the demo at a random moment, goes on with it, and again; lake and edge must end complete: the demo
itself runs `tidemark verify` and compares every row and reject with what was sent. The seed is printed and can be given.

usage: kill_and_keep_test.py [--rounds N] [--seed N] [--tidemark PROGRAM]
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEMO = [sys.executable, "-B", str(Path(__file__).resolve().parents[2] / "tools/demo"), "--keep"]
# Whom, counted from when which of its processes is there, within how many seconds: pushing takes some ten, the drain and the
# check that follow two.
KILLS = (
    ("broker", "broker", 6.0),
    ("lake", "lake", 8.0),
    ("demo", "lake", 12.0),
    ("verify", "verify", 0.3),
    ("run", "run", 3.0),
    ("demo", "run", 3.0),
    ("run", "run", 3.0),
)
JUDGEMENTS = ("each once, byte for byte", "is in a segment or a reject, each once")


def children(pid):
    """(pid, subcommand) of the tidemark processes that the demo started."""
    for entry in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0")
        if len(words) > 1 and words[0].endswith(b"/tidemark"):
            yield int(entry), words[1].decode()


def kill(demo, victim):
    """False when there is no such process now."""
    if victim == "demo":
        demo.kill()
        return True
    for pid, command in children(demo.pid):
        if command == victim:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def wait_for(demo, command):
    while demo.poll() is None and command not in [running for _, running in children(demo.pid)]:
        time.sleep(0.02)


def run_killed(command, victim, there, delay):
    demo = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(demo, there)
    time.sleep(delay)
    hit = demo.poll() is None and kill(demo, victim)
    demo.wait(timeout=120)
    print(f"killed {victim} {delay:.2f} s after {there} began: {'hit' if hit else 'it had ended'}", flush=True)
    if hit and demo.returncode == 0:
        sys.exit(f"the demo did not notice that its {victim} was killed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=len(KILLS))
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options, others = parser.parse_known_args()
    print(f"seed {options.seed}")
    dice = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        command = [*DEMO, *others, "--data", folder]
        for turn in range(options.rounds):
            victim, there, seconds = KILLS[turn % len(KILLS)]
            run_killed(command, victim, there, dice.uniform(0.0, seconds))
        last = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
    print(last.stdout, last.stderr, sep="\n")
    if last.returncode != 0 or any(judgement not in last.stdout for judgement in JUDGEMENTS):
        sys.exit("lake and edge did not end complete")


if __name__ == "__main__":
    main()
