"""The demo (make demo), on real data of February 2013 in New York. First the lake: a month of flights through `tidemark
broker` and `tidemark lake` into Parquet files, proved complete by `tidemark verify`. Then the edge: `tidemark run` takes the
observations of three weather stations over HTTP, and the flights from a file, into Parquet segments. Both are compared with
what was sent, then asked by DuckDB.

Each run is a fresh one in a folder of its own below demo-data/. --keep goes on with the last: kill any of its processes
whenever you like and go on; it ends the same. --full takes the whole year.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

import edge_job
import flights
import lake_job
import weather
from programs import Stopped

ROOT = Path(__file__).resolve().parents[2]
KEYS_KNOWN_SECONDS = 23 * 3600  # a day, less the time to send what is missing


def goes_on(run):
    """Whether the edge still knows the Idempotency-Keys of the run, or needs none any more."""
    return (run / "complete").exists() or time.time() - (run / "run.json").stat().st_mtime < KEYS_KNOWN_SECONDS


def choose_run(data, keep, full):
    """(folder, whole year?): the last run's when going on with it, else a new one."""
    last = data / "last"
    if keep and (last / "run.json").exists() and goes_on(last):
        folder = last.resolve()
        full = json.loads((folder / "run.json").read_text())["full"]
        print(f"going on with {folder} (KEEP=1)")
        return folder, full
    if keep:
        print("KEEP=1, but there is no run to go on with: none, or one of which the edge may have forgotten what it was sent")
    folder = data / time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"full": full}))
    fresh = data / f"last.{os.getpid()}"
    fresh.symlink_to(folder.name)
    fresh.replace(last)
    print(f"a fresh run in {folder}; `make demo KEEP=1` would go on with it")
    return folder, full


def main():
    parser = argparse.ArgumentParser(prog="demo", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="go on with the last run (KEEP=1)")
    parser.add_argument("--full", action="store_true", help="the whole year, 336,776 flights and 26,115 observations (FULL=1)")
    parser.add_argument("--data", type=Path, default=ROOT / "demo-data", help="where runs have their folders")
    parser.add_argument("--tidemark", type=Path, default=ROOT / "build/release/bin/tidemark", help="the program")
    options = parser.parse_args()
    if not options.tidemark.exists():
        parser.error(f"{options.tidemark} is not there; `make build` makes it")
    started = time.monotonic()
    folder, full = choose_run(options.data.resolve(), options.keep, options.full)
    events = flights.events(full)
    try:
        lake_job.play(options.tidemark, folder, events, full)
        print("\nThe edge: telemetry of three weather stations over HTTP, and the same flights from a file.")
        edge_job.play(options.tidemark, folder / "edge", events, weather.batches(full), full)
        (folder / "complete").touch()
    except (Stopped, OSError) as stopped:
        print(f"\ndemo: {stopped}\ndemo: `make demo KEEP=1` goes on where this stopped", file=sys.stderr)
        return 1
    print(f"done in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
