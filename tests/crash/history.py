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
    """Spreads what the broker holds over the last whole `hours`; it is stopped and started again (docs/formats/broker-store.md)."""
    broker.process.terminate()
    with sqlite3.connect(broker.folder / "broker" / "broker.db") as db:
        stamps = [stamp for (stamp,) in db.execute("SELECT DISTINCT ts FROM segments ORDER BY ts")]
        for old, new in moved(stamps, hours).items():
            texts = f'"ts":"{iso(old)}"'.encode(), f'"ts":"{iso(new)}"'.encode()
            for key, data in db.execute("SELECT id, data FROM segments WHERE ts = ?", (old,)).fetchall():
                db.execute("UPDATE segments SET ts = ?, data = ? WHERE id = ?", (new, data.replace(*texts), key))
        db.execute(
            "UPDATE partitions SET last_write_at = (SELECT MAX(ts) / 1000000 * 1000000 FROM segments WHERE partition_id = partitions.id)"
        )
    db.close()
    broker.start()
