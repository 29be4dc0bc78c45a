"""Every command of the program and both of its links: --help teaches, bad arguments end with 2 and name what is wrong."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

TIDEMARK = Path(sys.argv.pop(1))
LINKS = {"queen-s3": "lake", "thadam": "run"}
# What a command cannot do without: it is missed before anything else is.
NEEDED = {"broker": ["--data", "folder"], "inspect": ["key"], "run": ["pipeline.yaml"], "wal": ["fsck"]}


def run(program, *arguments):
    return subprocess.run([program, *arguments], env={}, capture_output=True, text=True, timeout=60)


def commands():
    listed = run(TIDEMARK, "--help").stdout
    return re.findall(r"^  (\w+) +\w", listed, re.MULTILINE)


class Commands(unittest.TestCase):
    def test_there_are_as_many_as_the_program_has(self):
        self.assertEqual(sorted(commands()), ["broker", "inspect", "lake", "run", "validate", "verify", "wal"])

    def test_help_says_what_it_does_with_an_example_and_its_exit_codes(self):
        for command in commands():
            with self.subTest(command):
                said = run(TIDEMARK, command, "--help")
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertRegex(said.stdout, rf"(?m)^ +.*tidemark {command}\b", "an example")
                self.assertRegex(said.stdout, r"Exit codes\b")

    def test_an_unknown_argument_is_named(self):
        for command in commands():
            with self.subTest(command):
                said = run(TIDEMARK, command, *NEEDED.get(command, []), "--nonsense")
                self.assertEqual((said.returncode, said.stdout), (2, ""))
                self.assertIn("--nonsense", said.stderr)

    def test_an_unknown_command_is_named(self):
        said = run(TIDEMARK, "laek")
        self.assertEqual((said.returncode, said.stdout), (2, ""))
        self.assertIn('"laek"', said.stderr)

    def test_links_are_commands(self):
        for link, command in LINKS.items():
            with self.subTest(link):
                said = run(TIDEMARK.parent / link, "--help")
                self.assertEqual(said.stdout, run(TIDEMARK, command, "--help").stdout)


if __name__ == "__main__":
    unittest.main()
