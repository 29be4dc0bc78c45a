"""Every right of tools/layers.txt is used: an arrow that nothing needs is one that nobody decided."""

from pathlib import Path

import layers
import source


def check(root):
    table, _ = layers.read_table((Path(root) / "tools/layers.txt").read_text())
    used = {name: set() for name in table}
    for path in source.files(root):
        below = path.relative_to("src") if path.parts[0] == "src" else ""
        if own := layers.folder_of(below, table):
            for _, quoted, target in source.includes(source.read(root, path)):
                used[own].add(layers.folder_of(target, table) if quoted else layers.library_of(target))
    complaints = []
    for name, folder in table.items():
        rights = folder.folders | {library.removesuffix(".h") for library in folder.libraries}
        complaints += [f"tools/layers.txt: {name} uses nothing of {right}" for right in sorted(rights - used[name])]
    return complaints
