"""docs/pipeline.md, the parser and the JSON Schema tell the same."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema
import yaml

from harness import BINARY

PAGE = (Path(__file__).resolve().parents[2] / "docs/pipeline.md").read_text()
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def schema():
    said = subprocess.run([BINARY, "validate", "--print-schema"], capture_output=True, text=True, check=True)
    return json.loads(said.stdout)


def validate(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return subprocess.run([BINARY, "validate", "--file-only", file.name], capture_output=True, text=True, timeout=60)


def keys(rule):
    """Every key of the file that the schema knows."""
    found = set(rule.get("properties", {}))
    below = [*rule.get("properties", {}).values(), *rule.get("anyOf", [])]
    below += [rule[name] for name in ("items", "additionalProperties") if isinstance(rule.get(name), dict)]
    return found.union(*map(keys, below))


def places(value, at=()):
    """The path of every mapping in a document."""
    if isinstance(value, dict):
        yield at
        for key, member in value.items():
            yield from places(member, (*at, key))
    if isinstance(value, list):
        for i, member in enumerate(value):
            yield from places(member, (*at, i))


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schema = schema()
        cls.judge = jsonschema.Draft202012Validator(cls.schema)

    def test_the_schema_is_one(self):
        jsonschema.Draft202012Validator.check_schema(self.schema)

    def test_every_block_of_the_page_is_taken_by_parser_and_schema(self):
        self.assertGreaterEqual(len(BLOCKS), 2)
        for block in BLOCKS:
            said = validate(block)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual([fault.message for fault in self.judge.iter_errors(yaml.safe_load(block))], [])

    def test_the_page_has_every_key_of_the_parser(self):
        known = keys(self.schema)
        self.assertGreater(len(known), 70)
        shown = set(re.findall(r"\b(\w+):", "\n".join(BLOCKS)))
        self.assertEqual(known - shown, set())

    def test_a_key_that_the_parser_does_not_know_the_schema_does_not_know_either(self):
        """At every mapping of every block, but where keys are names."""
        tried = 0
        for block in BLOCKS:
            for place in places(yaml.safe_load(block)):
                if place and place[-1] == "identity":
                    continue
                document = yaml.safe_load(block)
                inner = document
                for step in place:
                    inner = inner[step]
                inner["colour"] = "red"
                said = validate(yaml.safe_dump(document))
                self.assertEqual(said.returncode, 2, place)
                self.assertIn("colour is not known here", said.stderr)
                self.assertFalse(self.judge.is_valid(document), place)
                tried += 1
        self.assertGreater(tried, 30)

    def test_values_that_neither_takes(self):
        for piece, by in (
            ("group_max_delay_ms: 5", "group_max_delay_ms: soon"),
            ("type: u64", "type: [u64]"),
            ("sync: group", "sync: always"),
            ("memory: 160MiB", "memory: 160MB"),
            ("id: 1000", "id: 5"),
            ("follow: false", "follow: 7"),
            ("node_id: gw-01", "# gone"),
        ):
            self.assertIn(piece, BLOCKS[0])
            text = BLOCKS[0].replace(piece, by)
            self.assertEqual(validate(text).returncode, 2, by)
            self.assertFalse(self.judge.is_valid(yaml.safe_load(text)), by)


if __name__ == "__main__":
    unittest.main(verbosity=2)
