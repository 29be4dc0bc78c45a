"""Every #include is an edge of tools/layers.txt: no upward, sideways or undeclared one, and third-party headers stay in
the folders that own them: a header that reaches one, directly or through others, is private to its folder. Tests may
include what their folder may, tests/ and any library named here."""

from pathlib import Path
from typing import NamedTuple

import source

LIBRARIES = {
    "CLI": "cli11", "arrow": "arrow", "parquet": "arrow", "boost": "boost", "curl": "curl", "fmt": "fmt",
    "nlohmann": "nlohmann", "openssl": "openssl", "pugixml.hpp": "pugixml", "simdjson.h": "simdjson",
    "sqlite3.h": "sqlite", "yaml-cpp": "yaml", "zlib.h": "zlib", "zstd.h": "zstd", "gtest": "gtest", "gmock": "gtest",
    "benchmark": "benchmark", "lz4.h": "lz4",
}  # fmt: skip
POSIX = {"sys", "netinet", "arpa", "linux", "dirent.h", "fcntl.h", "dlfcn.h", "poll.h", "pthread.h", "signal.h", "unistd.h",
         "fnmatch.h", "malloc.h", "nmmintrin.h", "wmmintrin.h", "arm_acle.h"}  # fmt: skip


class Folder(NamedTuple):
    row: int
    folders: set
    libraries: set


def read_table(text):
    """Parses layers.txt; (table, complaints about the table itself)."""
    table, complaints = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        head, folders, libraries = (part.split() for part in line.split(":"))
        row, name = int(head[0]), head[1]
        for folder in folders:
            known = table.get(folder)
            part = folder.startswith(name.partition("/")[0] + "/")
            if known is None or (known.row >= row and not part):
                complaints.append(f"tools/layers.txt:{number}: {name} may not name {folder}: not on a lower row")
        table[name] = Folder(row, set(folders), set(libraries))
    return table, complaints


def folder_of(path, table):
    """The folder of the table that a path below src/ belongs to; None for none."""
    parts = Path(path).parts[:-1]
    for length in range(len(parts), 0, -1):
        if "/".join(parts[:length]) in table:
            return "/".join(parts[:length])
    return None


def library_of(path):
    first = path.split("/")[0]
    if first in POSIX:
        return "posix"
    return LIBRARIES.get(first) or (None if "/" not in path and "." not in path else f"<{path}>")


def private_headers(root, table):
    """Headers below src/ that reach a third-party header, and its name: no other folder may include them."""
    edges, private = {}, {}
    for path in source.files(root, (".h",)):
        if path.parts[0] == "src":
            name = str(path.relative_to("src"))
            own = table.get(folder_of(name, table))
            for _, quoted, target in source.includes(source.read(root, path)):
                library = None if quoted else library_of(target)
                if quoted:
                    edges.setdefault(target, set()).add(name)
                elif library not in (None, "posix") and own and f"{library}.h" not in own.libraries:
                    private[name] = library
    reached = list(private)
    while reached:
        header = reached.pop()
        for name in edges.get(header, set()) - private.keys():
            private[name] = private[header]
            reached.append(name)
    return private


def check_quoted(path, target, own, table, private):
    if target.startswith("tests/"):
        return None if source.is_test(path) else f"{target} is for tests only"
    folder = folder_of(target, table)
    if folder is None:
        return f'"{target}" belongs to no folder of tools/layers.txt (includes from src/ are written from there)'
    if folder == own:
        return None
    if own is not None and folder not in table[own].folders:
        return f'{own} may not include {folder} ("{target}")'
    if own is not None and target in private:
        return f'"{target}" reaches a header of {private[target]} and is private to {folder}'
    return None


def check_angled(path, target, own, table, private):
    library = library_of(target)
    if library is None or own is None or (source.is_test(path) and "<" not in library):
        return None
    if {library, f"{library}.h"} & table[own].libraries:
        return None
    return f"{own} may not include {library} (<{target}>)"


def check(root):
    table, complaints = read_table((Path(root) / "tools/layers.txt").read_text())
    private = private_headers(root, table)
    for path in source.files(root):
        below = path.relative_to("src") if path.parts[0] == "src" else None
        own = folder_of(below, table) if below else None
        if below and own is None:
            complaints.append(f"{path}: its folder is not in tools/layers.txt")
            continue
        for line, quoted, target in source.includes(source.read(root, path)):
            judge = check_quoted if quoted else check_angled
            if complaint := judge(path, target, own, table, private):
                complaints.append(f"{path}:{line}: {complaint}")
    return complaints
