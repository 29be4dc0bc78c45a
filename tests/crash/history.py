"""Makes a log that was just pushed look hours old, so that its windows close at the boundaries of hours, too."""

import datetime
import sqlite3

EPOCH = datetime.datetime(1970, 1, 1)
HOUR = 3_600_000_000  # microseconds


def iso(micros):
    return (EPOCH + datetime.timedelta(microseconds=micros)).isoformat(timespec="microseconds") + "Z"


def moved(stamps, hours):
    """For each of the stamps, ascending, one of as many even steps over the last whole `hours`."""
    end = stamps[0] - stamps[0] % HOUR
    return {stamp: end - hours * HOUR + n * hours * HOUR // len(stamps) for n, stamp in enumerate(stamps)}


def age(broker, hours):
    """Spreads what the broker holds over the last whole `hours`; it is stopped and started again. A stamp is a text of fixed
    length in each record (docs/formats/broker-store.md). Returns how many stamps there are: one a push."""
    broker.process.terminate()
    with sqlite3.connect(broker.folder / "broker" / "broker.db") as db:
        later = moved([ts for (ts,) in db.execute("SELECT DISTINCT ts FROM segments ORDER BY ts")], hours)
        db.create_function("later", 1, later.get, deterministic=True)
        db.create_function(
            "restamped", 2, lambda data, ts: data.replace(iso(ts).encode(), iso(later[ts]).encode()), deterministic=True
        )
        db.execute("UPDATE segments SET data = restamped(CAST(data AS BLOB), ts), ts = later(ts)")
        db.execute(
            "UPDATE partitions SET last_write_at = 1000000 *"
            " (SELECT max(ts) / 1000000 FROM segments WHERE partition_id = partitions.id)"
        )
    db.close()
    broker.start()
    return len(later)
