"""Files of at most 400 lines (tests 600), functions of at most 70; comments end at column 100 (the formatter wraps code only)."""

import re

import source

FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES, COLUMNS = 400, 600, 70, 100
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
NAME = re.compile(r"([~\w:]+)\s*\([^()]*$|([~\w:]+)\s*\(")


def heads(code):
    """(offset of `{`, offset of its `}`, text before it) of every outermost block that is not a scope of declarations."""
    stack, start = [], 0
    for match in re.finditer(r"[{};]", code):
        offset, sign = match.start(), match.group()
        inside = any(kind == "block" for kind, _, _ in stack)
        if sign == "{":
            head = code[start:offset]
            scope = not inside and SCOPE.search(re.sub(r"template\s*<[^{;]*?>\s*(?=\w)", "", head).partition("(")[0])
            stack.append(("scope" if scope else "block", offset, head))
        elif sign == "}" and stack:
            kind, opened, head = stack.pop()
            if kind == "block" and not any(k == "block" for k, _, _ in stack):
                yield opened, offset, head
        start = offset + 1


def functions(text):
    """(name, line, number of lines) of every function body."""
    code = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), source.blank(text), flags=re.M)
    for opened, closed, head in heads(code):
        if "(" not in head:
            continue
        found = NAME.search(head)
        name = (found.group(1) or found.group(2)) if found else "?"
        lines = code.count("\n", opened, closed) + 1
        yield name, source.line_of(code, opened), lines


def check(root):
    complaints = []
    for path in source.files(root):
        text = source.read(root, path)
        limit = TEST_FILE_LINES if source.is_test(path) else FILE_LINES
        if (lines := text.count("\n")) > limit:
            complaints.append(f"{path}: {lines} lines, the limit is {limit}")
        for number, line in enumerate(source.comments(text).split("\n"), 1):
            if len(line.rstrip()) > COLUMNS:
                complaints.append(f"{path}:{number}: a comment of {len(line.rstrip())} columns, the limit is {COLUMNS}")
        for name, line, length in functions(text):
            if length > FUNCTION_LINES:
                complaints.append(f"{path}:{line}: {name} has {length} lines, the limit is {FUNCTION_LINES}")
    return complaints
