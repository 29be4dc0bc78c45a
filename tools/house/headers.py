"""Every header compiles alone: X.cc includes its X.h before anything else, so the compiler sees that in the ordinary build
(headers without an X.cc get a source of their own, cmake/House.cmake); #pragma once makes a second time harmless. The
precompiled headers would hide from the compiler that one of them is missing: those are looked for here, by what they name."""

import functools
import re
from pathlib import Path

import source


PRECOMPILED = {
    "algorithm": r"std::(?:max|min|clamp|sort|find_if|any_of|all_of|none_of|count_if|lower_bound|upper_bound)\b",
    "chrono": r"std::chrono\b",
    "fmt/format.h": r"\bfmt::\w+",
    "functional": r"std::(?:function|move_only_function|greater|hash|invoke|ref|identity)\b",
    "map": r"std::(?:multi)?map\b",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared|enable_shared_from_this)\b",
    "optional": r"std::(?:optional|nullopt)\b",
    "string": r"std::(?:string|to_string)\b",
    "string_view": r"std::string_view\b",
    "vector": r"std::vector\b",
}


@functools.cache
def reached(root, path):
    """The <headers> that a header includes, itself or through ours."""
    found = set()
    for _, quoted, target in source.includes(source.read(root, path)):
        below = Path(target) if target.startswith("tests/") else Path("src", target)
        if not quoted:
            found.add(target)
        elif (Path(root) / below).exists():
            found |= reached(root, below)
    return found


def leans(root, path):
    """(line, what it names, the precompiled header that it does not include)."""
    code = source.blank(source.read(root, path))
    there = reached(root, path)
    for header, names in PRECOMPILED.items():
        if header not in there and (found := re.search(names, code)):
            yield source.line_of(code, found.start()), found.group(), header


def first_include(root, path):
    for line, quoted, target in source.includes(source.read(root, path)):
        return line, target if quoted else f"<{target}>"
    return 1, "nothing"


def check(root):
    complaints = []
    for path in source.files(root, (".h",)):
        if not source.read(root, path).startswith("#pragma once\n"):
            complaints.append(f"{path}:1: a header begins with #pragma once")
        for line, name, header in leans(root, path):
            complaints.append(f"{path}:{line}: names {name} and does not include <{header}>")
        body = path.with_suffix(".cc")
        if path.parts[0] != "src" or not (Path(root) / body).exists():
            continue
        line, target = first_include(root, body)
        own = str(path.relative_to("src"))
        if target != own:
            complaints.append(f'{body}:{line}: includes "{own}" first, not {target}')
    return complaints
