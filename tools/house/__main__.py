"""Holds the sources to the rules of the house; prints one line per breach and fails if there is one.

usage: python3 tools/house layers|rights|headers|limits|words [--root DIR]
       python3 tools/house registered --build DIR [--root DIR]
       python3 tools/house purity ARCHIVE...
"""

import argparse
import sys
from pathlib import Path

import headers
import layers
import limits
import purity
import registered
import rights
import words

OVER_SOURCES = {"layers": layers, "rights": rights, "headers": headers, "limits": limits, "words": words}


def main():
    parser = argparse.ArgumentParser(prog="house", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rule", choices=(*OVER_SOURCES, "registered", "purity"))
    parser.add_argument("archives", nargs="*")
    parser.add_argument("--root", default=Path(__file__).resolve().parents[2])
    parser.add_argument("--build", default="build/release")
    options = parser.parse_args()
    if options.rule == "purity":
        complaints = purity.check(options.archives)
    elif options.rule == "registered":
        complaints = registered.check(options.root, options.build)
    else:
        complaints = OVER_SOURCES[options.rule].check(options.root)
    print(*complaints, sep="\n", end="\n" if complaints else "")
    print(f"house {options.rule}: {len(complaints)} complaint(s)")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
