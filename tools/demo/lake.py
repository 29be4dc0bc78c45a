"""What the demo reads of the lake: its manifests and its metrics while it grows, its rows by DuckDB when it is done."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path

import duckdb

AIRCRAFT = "N920DE"  # delayed, then twice cancelled, in the blizzard of 8 February
HISTORY = f"""
SELECT payload->>'scheduled' AS scheduled, (payload->>'carrier') || (payload->>'flight') AS flight,
       (payload->>'origin') || '-' || (payload->>'dest') AS route, coalesce(payload->>'dep_delay', 'cancelled') AS delay_min
FROM flights WHERE partition = '{AIRCRAFT}' ORDER BY "offset"
"""
DELAYS = """
SELECT hour, count(*) AS flights, count(*) - count(delay) AS cancelled, round(avg(delay), 1) AS mean_delay_min,
       quantile_disc(delay, 0.9) AS p90_delay_min
FROM (SELECT (payload->>'hour')::INT AS hour, (payload->>'dep_delay')::INT AS delay FROM flights)
GROUP BY hour HAVING count(*) >= 10 ORDER BY hour
"""


class Lake:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.prefix = self.folder / "lake/queen"  # default bucket and prefix
        self.files = f"{self.prefix}/queue=flights/**/*.parquet"
        self.windows = {}

    def counts(self):
        """(windows, records) of the manifests so far. A manifest once written keeps its counts."""
        for path in (self.prefix / "_queen/flights/windows").glob("*.json"):
            if path.name not in self.windows:
                self.windows[path.name] = json.loads(path.read_text())["records"]
        return len(self.windows), sum(self.windows.values())

    def open(self):
        """A DuckDB connection with the view `flights`."""
        database = duckdb.connect()
        database.execute(f"CREATE VIEW flights AS SELECT * FROM read_parquet('{self.files}', hive_partitioning = true)")
        return database

    def differences(self, events):
        """How the rows differ from what was pushed, in words; none when the lake holds exactly those."""
        rows = self.open().execute('SELECT partition, "offset", transaction_id, payload FROM flights').fetchall()
        wanted = {(event.partition, event.offset, event.transaction, event.payload) for event in events}
        found = [(text(p), offset, text(t), text(payload)) for p, offset, t, payload in rows]
        missing, foreign, doubled = wanted - set(found), set(found) - wanted, len(found) - len(set(found))
        sizes = {"missing": len(missing), "not pushed or changed": len(foreign), "doubled": doubled}
        return [f"{size} {what}" for what, size in sizes.items() if size]


def text(value):
    return value.decode() if isinstance(value, bytes) else value


def lag_seconds(port):
    """The lake's own figure; None before it has one."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as answer:
            found = re.search(r'^queen_s3_lag_seconds\{queue="flights"\} (\S+)', answer.read().decode(), re.MULTILINE)
    except (urllib.error.URLError, OSError):
        return None
    return float(found.group(1)) if found else None
