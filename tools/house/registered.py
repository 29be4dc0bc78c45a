"""Every *_test.cc is compiled, and every test written in one is known to ctest: a test nobody builds is no test."""

import json
import re
import subprocess
from pathlib import Path

import source

TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


def compiled(build):
    return {Path(entry["file"]).resolve() for entry in json.loads((Path(build) / "compile_commands.json").read_text())}


def known(build):
    """Names of ctest's tests, without the prefix and the suffix of parameterised ones."""
    listing = subprocess.run(
        ["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True, text=True
    ).stdout
    names = []
    for test in json.loads(listing)["tests"]:
        names += listed(test["command"]) if "program" in labels(test) else [test["name"]]
    return {bare(name) for name in names}


def labels(test):
    return {label for entry in test["properties"] if entry["name"] == "LABELS" for label in entry["value"]}


def listed(command):
    """Names of the tests in a program that ctest runs as a whole."""
    text = subprocess.run([*command, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout
    suite, names = "", []
    for line in text.splitlines():
        if not line.startswith(" "):
            suite = line.partition(" ")[0]
        else:
            names.append(suite + line.strip())
    return names


def bare(name):
    """"Files/StoreTest.PutsOnce/directory" is StoreTest.PutsOnce, and so is "StoreTest/1.PutsOnce"."""
    suite, _, test = name.partition(".")
    suites = [part for part in suite.split("/") if not part.isdigit()]
    return f"{suites[-1]}.{test.partition('/')[0].partition(' ')[0]}"


def check(root, build):
    root = Path(root).resolve()
    objects, tests, complaints = compiled(build), known(build), []
    for path in source.files(root, ("_test.cc",)):
        if root / path not in objects:
            complaints.append(f"{path}: no target compiles it")
            continue
        for suite, test in TEST.findall(source.blank(source.read(root, path))):
            if f"{suite}.{test}" not in tests:
                complaints.append(f"{path}: ctest does not know {suite}.{test}")
    return complaints
