"""One line that is rewritten on a terminal, one a second elsewhere."""

import sys
import time


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
