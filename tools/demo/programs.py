"""The programs of the demo: started with a log of their own, on a free loopback port, and never outliving the demo."""

import ctypes
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


class Stopped(Exception):
    """A program ended, or would not start; the message says which and where its log is."""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Program:
    def __init__(self, name, command, log, environment=None):
        self.name, self.log = name, log
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                env=os.environ | (environment or {}),
                preexec_fn=die_with_parent,
            )

    def check(self):
        if self.process.poll() is not None:
            raise Stopped(f"{self.name} ended with {self.process.returncode}; its log: {self.log}")

    def wait_until_ready(self, url, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            self.check()
            try:
                with urllib.request.urlopen(url, timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        raise Stopped(f"{self.name} does not answer at {url}; its log: {self.log}")

    def stop(self, seconds=20):
        """SIGTERM, and an end by itself: anything else is a fault."""
        self.check()
        self.process.terminate()
        try:
            if self.process.wait(seconds) != 0:
                raise Stopped(f"{self.name} left with {self.process.returncode}; its log: {self.log}")
        except subprocess.TimeoutExpired:
            raise Stopped(f"{self.name} did not stop within {seconds} s; its log: {self.log}") from None

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
