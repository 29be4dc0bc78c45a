"""Words that do not stand in this code, each with the reason and the places where it may."""

import re
from typing import Callable, NamedTuple

import source


class Rule(NamedTuple):
    pattern: str
    why: str
    applies: Callable = lambda path: True
    part: Callable = source.blank  # which text is looked at


def outside(*allowed):
    return lambda path: path.parts[0] == "src" and not str(path).startswith(allowed)


def in_tests(path):
    return source.is_test(path) and path.parts[0] in ("src", "tests")


def in_program(path, but=()):
    return not source.is_test(path) and not str(path).startswith(but)


RULES = (
    # Inside a reader of Arrow's, its own exception is its own way to fail; it is caught in the same file.
    Rule(r"\bthrow\b(?! parquet::ParquetException)", "fail by Result<T>", outside("src/io/")),
    Rule(r"\bcatch\s*\(\s*\.\.\.\s*\)", "catch what the library throws, by name", outside("src/io/", "src/cli/main.cc")),
    Rule(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b|::sleep\(", "wait for an event, or on a simulated clock", in_tests),
    Rule(r"\bDISABLED_\w+", "a test that does not run is no test"),
    Rule(r"\bGTEST_SKIP\b", "a test that may not run is no test"),
    Rule(r"\bstd::endl\b", r"write '\n'"),
    Rule(r"\busing\s+namespace\s+std\b", "name what you use"),
    Rule(r"\b(std::)?s?rand\s*\(\s*\)|\brandom_device\b", "take an io::Random", lambda path: in_program(path, "src/io/")),
    Rule(r"(?<![\w.>])assert\s*\(", "TIDEMARK_CHECK stays on in release builds"),
    Rule(r"\bInstance\s*\(\s*\)", "pass it in: no singletons"),
    Rule(r"\(void\)\s*[\w:.>-]+\(", 'IgnoreError(result, "why")'),
    Rule(r"\b(class|struct)\s+(?:Fake|Mock|Stub)\w*\s*[:{]", "test doubles live in tests/support", in_program),
    Rule(r"\b(TODO|FIXME|XXX)\b(?!\(#\d+\))", "finish it, or name its issue: TODO(#12)", part=lambda text: text),
    Rule(r"\b[Tt]his function\b|\b[Rr]efactored\b|\b[Pp]reviously,", "say what holds, not what changed", part=source.comments),
    Rule(r"NOLINT(?!(NEXTLINE|BEGIN|END)?\([\w.,-]+\): \w)", "NOLINT(check): reason", part=source.comments),
)  # fmt: skip


def check(root):
    complaints = []
    for path in source.files(root):
        text = source.read(root, path)
        for rule in RULES:
            if not rule.applies(path):
                continue
            looked_at = rule.part(text)
            for match in re.finditer(rule.pattern, looked_at):
                line = source.line_of(looked_at, match.start())
                complaints.append(f"{path}:{line}: \"{match.group().strip()}\": {rule.why}")
    return complaints
