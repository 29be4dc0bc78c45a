"""Reading C++ sources: which files there are, their text without comments and literals, their includes."""

import os
import re
from pathlib import Path

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
ROOTS = ("src", "tests", "bench", "fuzz")


def files(root, suffixes=(".h", ".cc")):
    """Every source file under `root`, as paths relative to it, sorted."""
    found = []
    for top in ROOTS:
        for folder, _, names in os.walk(Path(root) / top):
            found += [Path(folder, n).relative_to(root) for n in names if n.endswith(suffixes)]
    return sorted(found)


def read(root, path):
    return (Path(root) / path).read_text(encoding="utf-8")


def blank(text):
    """Comments and literals become spaces: offsets and line breaks stay."""
    return TOKEN.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def comments(text):
    """Everything but comments becomes spaces."""
    out = re.sub(r"[^\n]", " ", text)
    for match in TOKEN.finditer(text):
        if match.group().startswith(("//", "/*")):
            out = out[: match.start()] + match.group() + out[match.end() :]
    return out


def includes(text):
    """(line number, quoted?, path) of every #include that is not inside a comment."""
    without = TOKEN.sub(
        lambda match: re.sub(r"[^\n]", " ", match.group())
        if match.group().startswith(("//", "/*"))
        else match.group(),
        text,
    )
    for match in INCLUDE.finditer(without):
        yield line_of(without, match.start(2)), match.group(1) == '"', match.group(2)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def is_test(path):
    return path.parts[0] != "src" or path.name.endswith("_test.cc")
