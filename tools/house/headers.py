"""Every header compiles alone: X.cc includes its X.h before anything else, so the compiler sees that in the ordinary build
(headers without an X.cc get a source of their own, cmake/House.cmake); #pragma once makes a second time harmless."""

from pathlib import Path

import source


def first_include(root, path):
    for line, quoted, target in source.includes(source.read(root, path)):
        return line, target if quoted else f"<{target}>"
    return 1, "nothing"


def check(root):
    complaints = []
    for path in source.files(root, (".h",)):
        if not source.read(root, path).startswith("#pragma once\n"):
            complaints.append(f"{path}:1: a header begins with #pragma once")
        body = path.with_suffix(".cc")
        if path.parts[0] != "src" or not (Path(root) / body).exists():
            continue
        line, target = first_include(root, body)
        own = str(path.relative_to("src"))
        if target != own:
            complaints.append(f'{body}:{line}: includes "{own}" first, not {target}')
    return complaints
