"""What the demo reads of the edge: its metrics while it runs, its segments (by DuckDB) and its log of rejects when it is
done."""

import json
import re
import urllib.error
import urllib.request
from collections import Counter
from decimal import Decimal

import duckdb

import rejects
import weather

FLIGHT = ("scheduled", "carrier", "flight", "origin", "dest", "aircraft", "dep_delay", "arr_delay", "air_time", "distance", "at_hour")
STORM = """
WITH observed AS (
  SELECT station, time_bucket(INTERVAL 6 HOUR, _event_time) AS "from", round(avg(temp_f), 1) AS temp_f, max(gust_kt) AS gust_kt,
         sum(rain_in) AS rain_in, min(visibility_mi) AS sight_mi
  FROM weather WHERE _event_time BETWEEN '2013-02-08T06:00:00Z' AND '2013-02-10T05:59:59Z' GROUP BY ALL),
departed AS (
  SELECT origin AS station, time_bucket(INTERVAL 6 HOUR, _event_time) AS "from", count(*) AS flights,
         count(*) - count(dep_delay) AS cancelled, round(avg(dep_delay), 1) AS delay_min
  FROM flights GROUP BY ALL)
SELECT * REPLACE (strftime("from", '%d Feb %Hh') AS "from") FROM observed LEFT JOIN departed USING (station, "from")
ORDER BY station, observed."from"
"""
ROWS = """
SELECT dataset, count(DISTINCT filename) AS files, count(*) AS rows, min(_wal_position) AS first, max(_wal_position) AS last
FROM (SELECT 'weather' AS dataset, filename, _wal_position FROM weather UNION ALL BY NAME
      SELECT 'flights' AS dataset, filename, _wal_position FROM flights)
GROUP BY dataset ORDER BY dataset
"""
LEVELS = """
SELECT station, count(*) AS observations, min(temp_f) AS coldest_f, max(temp_f) AS warmest_f, max(wind_kt) AS wind_kt,
       sum(rain_in) AS rain_in
FROM weather GROUP BY station ORDER BY station
"""


def figures(port):
    """{series: value} of the pipeline's metrics; empty when they cannot be read."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as answer:
            found = re.findall(r"^(\w+(?:\{.*\})?) (\S+)$", answer.read().decode(), re.MULTILINE)
    except (urllib.error.URLError, OSError):
        return {}
    return {name: float(value) for name, value in found}


def numbers(text):
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


def observation(station, line):
    event = numbers(line)
    return ("weather", station, event["at"], *(event.get(name) for name in weather.NUMBERS))


def departure(line):
    event = numbers(line)
    return ("flights", *(event[name] for name in FLIGHT[:-1]), event["hour"])


class Segments:
    def __init__(self, sink):
        self.ready, self.reject_log = sink / "ready", sink / "quarantine/rejects.log"

    def files(self, dataset):
        return sorted((self.ready / dataset).rglob("*.parquet"))

    def glob(self, dataset):
        return f"{self.ready}/{dataset}/**/*.parquet"

    def rejects(self):
        return rejects.read(self.reject_log) if self.reject_log.exists() else []

    def open(self):
        """A DuckDB connection with the views `weather` and `flights`."""
        database = duckdb.connect()
        database.execute("SET TimeZone = 'UTC'")
        for dataset in ("weather", "flights"):
            database.execute(f"CREATE VIEW {dataset} AS SELECT * FROM read_parquet('{self.glob(dataset)}', filename = true)")
        return database

    def rows(self):
        """Every row of both, as `observation` and `departure` make them of what was sent."""
        at = "strftime(_event_time, '%Y-%m-%dT%H:%M:%SZ')"
        names = ", ".join(name if name != "scheduled" else at for name in FLIGHT)
        database = self.open()
        yield from database.execute(f"SELECT 'weather', station, {at}, {', '.join(weather.NUMBERS)} FROM weather").fetchall()
        yield from database.execute(f"SELECT 'flights', {names} FROM flights").fetchall()

    def rejected(self):
        for reject in self.rejects():
            if reject.dataset == "weather":
                yield observation(reject.topic.split("/")[1], reject.payload)
            else:
                yield departure(reject.payload)

    def differences(self, batches, departures):
        """How rows and rejects together differ from what was sent, in words; none when each event is there once."""
        found = Counter(self.rows()) + Counter(self.rejected())
        sent = Counter(observation(batch.station, line) for batch in batches for line in batch.lines)
        sent += Counter(departure(line) for line in departures)
        sizes = {"missing": (sent - found).total(), "not sent, changed or doubled": (found - sent).total()}
        return [f"{size} {what}" for what, size in sizes.items() if size]
