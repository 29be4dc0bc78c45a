"""Headless Chromium: the page as it is after rendering, what the console said, and what is to be seen."""

import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync --hide-scrollbars --enable-logging=stderr"
).split()


def run(*arguments):
    """(stdout, console lines) of one run with a profile of its own."""
    program = shutil.which("chromium")
    if program is None:
        raise AssertionError("chromium is not installed: tools/setup --servers")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program, *FLAGS, f"--user-data-dir={profile}", *arguments], capture_output=True, text=True, timeout=90
        )
    if done.returncode != 0:
        raise AssertionError(f"chromium left with {done.returncode}: {done.stderr}")
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def document(url):
    return run("--dump-dom", url)


def screenshot(url, path, width, height):
    run(f"--window-size={width},{height}", f"--screenshot={path}", url)
    return Picture(Path(path).read_bytes())


class Picture:
    """The pixels of a PNG with 8 bits a channel, as rows of bytes."""

    def __init__(self, png):
        chunks, at = {}, 8
        while at < len(png):
            size, kind = struct.unpack(">I4s", png[at : at + 8])
            chunks[kind] = chunks.get(kind, b"") + png[at + 8 : at + 8 + size]
            at += 12 + size
        self.width, self.height, depth, colours = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
        if depth != 8 or colours not in (2, 6):
            raise AssertionError(f"a PNG of depth {depth} and kind {colours}")
        self.channels = 3 if colours == 2 else 4
        self.rows = list(self._unfilter(zlib.decompress(chunks[b"IDAT"])))

    def _unfilter(self, data):
        step, length = self.channels, self.width * self.channels
        above = bytearray(length)
        for start in range(0, self.height * (length + 1), length + 1):
            kind, row = data[start], bytearray(data[start + 1 : start + 1 + length])
            for i in range(length):
                left, up = row[i - step] if i >= step else 0, above[i]
                corner = above[i - step] if i >= step else 0
                row[i] = (row[i] + predicted(kind, left, up, corner)) & 255
            yield row
            above = row

    def column(self, x):
        """The colours of a column, each once."""
        at = x * self.channels
        return {bytes(row[at : at + 3]) for row in self.rows}


def predicted(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda candidate: abs(guess - candidate))
    return (0, left, up, (left + up) // 2)[kind]
