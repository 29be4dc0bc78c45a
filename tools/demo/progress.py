"""How far a demo is: one line that is rewritten on a terminal, one a second elsewhere."""

import sys
import time
from typing import NamedTuple

from programs import Stopped

DRAIN_SECONDS = 60  # from the last answer to what was sent, to its last record's commit


class Progress:
    def __init__(self):
        self.drawn, self.started = 0.0, time.monotonic()

    def draw(self, facts, last=False):
        terminal = sys.stdout.isatty()
        if not last and time.monotonic() - self.drawn < (0.2 if terminal else 1.0):
            return
        self.drawn = time.monotonic()
        line = f"{self.drawn - self.started:5.1f} s  {facts}"
        print(f"\r\033[K{line}" if terminal else line, end="\n" if last or not terminal else "", flush=True)


class Look(NamedTuple):
    facts: str
    done: bool
    sent: bool  # nothing is left to send
    missing: str  # what is not committed yet


def follow(programs, step):
    """Draws what `step()` says, a Look (None: nothing can be said), until that is done. Raises Stopped when a program ended, or
    when it takes too long once everything is sent."""
    progress, deadline = Progress(), None
    while True:
        for program in programs:
            program.check()
        look = step()
        if look is None:
            continue
        progress.draw(look.facts, last=look.done)
        if look.done:
            return
        if look.sent:
            deadline = deadline or time.monotonic() + DRAIN_SECONDS
            if time.monotonic() > deadline:
                raise Stopped(f"{look.missing} {DRAIN_SECONDS} s after the last answer")
            time.sleep(0.05)
