"""docs/configuration.md is what the program prints, and the program does as the page says.

usage: configuration_page_test.py PROGRAM
"""

import difflib
import re
import subprocess
import sys
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs/configuration.md"
PROGRAM = sys.argv.pop()
# A configuration that is read to its end and then refused, so that no run gets as far as a server.
REFUSED = {"QUEEN_S3_QUEUES": "q", "QUEEN_S3_ENDPOINT": "file:///nowhere", "QUEEN_S3_PARTITIONS": "q:0..1"}


def rows():
    """(variable, default, accepted) of every row of the page."""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if match := re.match(r"`(\w+)`", cells[0]):
            yield match.group(1), cells[2], cells[3]


def ranges():
    for variable, default, accepted in rows():
        if match := re.fullmatch(r"(\d+) to (\d+)", accepted):
            yield variable, int(default.strip("`")), int(match.group(1)), int(match.group(2))


def lake(*arguments, **environment):
    return subprocess.run([PROGRAM, "lake", *arguments], env=environment, capture_output=True, text=True, timeout=20)


class ConfigurationPage(unittest.TestCase):
    def test_is_what_the_program_prints(self):
        printed = lake("--print-config-reference").stdout
        difference = difflib.unified_diff(PAGE.read_text().splitlines(), printed.splitlines(), "page", "program", lineterm="")
        self.assertEqual("\n".join(difference), "", "write it anew: tidemark lake --print-config-reference > docs/configuration.md")

    def test_ranges_are_those_of_the_program(self):
        known = list(ranges())
        self.assertGreaterEqual(len(known), 9)
        for variable, _, least, most in known:
            for bad in (least - 1, most + 1):
                answer = lake(**REFUSED | {variable: str(bad)})
                self.assertEqual(answer.returncode, 2)
                self.assertTrue(answer.stderr.startswith(f'queen-s3: {variable} is "{bad}"; '), answer.stderr)

    def test_defaults_are_those_of_the_boot_line(self):
        boot = lake(**REFUSED).stderr.splitlines()[0] + " "
        for variable, default, _, _ in ranges():
            name = variable.removeprefix("QUEEN_S3_").lower()
            self.assertIn(f" {name}={default} ", boot)

    def test_no_row_is_a_misspelling_to_the_program(self):
        for variable in ("QUEEN_S3_CA_FILE", "QUEEN_S3_EMBEDDED"):
            self.assertIn(variable, [row[0] for row in rows()])
            self.assertNotIn("nobody reads", lake(**REFUSED | {variable: "x"}).stderr)
        self.assertIn("nobody reads", lake(**REFUSED | {"QUEEN_S3_CA_FIEL": "x"}).stderr)


if __name__ == "__main__":
    unittest.main()
