"""The lake's half of the demo: flights through `tidemark broker` and `tidemark lake` into Parquet files, proved complete by
`tidemark verify` and compared with what was pushed, then asked two questions by DuckDB."""

import subprocess
import time

import lake
from programs import Program, Stopped, free_port
from progress import Look, follow
from pusher import Broker, Pusher



def start_broker(tidemark, folder, port):
    listen = f"127.0.0.1:{port}"
    broker = Program("tidemark broker", [tidemark, "broker", "--data", folder / "broker", "--listen", listen], folder / "broker.log")
    broker.wait_until_ready(f"http://{listen}/health")
    print(f"broker  http://{listen}  log in {folder / 'broker'}")
    return broker


def start_lake(tidemark, folder, broker_port, port):
    environment = {
        "QUEEN_URL": f"http://127.0.0.1:{broker_port}",
        "QUEEN_S3_QUEUES": "flights",
        "QUEEN_S3_ENDPOINT": f"file://{folder / 'store'}",
        "QUEEN_S3_FORMAT": "parquet",
        "QUEEN_S3_START": "earliest",
        "QUEEN_S3_INSTANCE": "demo",
        "QUEEN_S3_LISTEN": f"127.0.0.1:{port}",
        # A demo is watched: windows of two seconds in place of five minutes.
        "QUEEN_S3_MAX_WINDOW_MS": "2000",
        "QUEEN_S3_SAFE_GUARD_MS": "200",
        "QUEEN_S3_DISCOVERY_INTERVAL_MS": "200",
    }
    program = Program("tidemark lake", [tidemark, "lake"], folder / "lake.log", environment)
    program.wait_until_ready(f"http://127.0.0.1:{port}/healthz")
    print(f"lake    http://127.0.0.1:{port}/metrics  files in {folder / 'store'}")
    return program


def run(tidemark, folder, events, full):
    """Pushes what the broker lacks and waits until every event is in a window."""
    broker_port, lake_port = free_port(), free_port()
    programs = [start_broker(tidemark, folder, broker_port)]
    try:
        broker = Broker(broker_port)
        broker.make_queue()
        programs.append(start_lake(tidemark, folder, broker_port, lake_port))
        pusher = Pusher(broker, events, batch=500, rate=50_000 if full else 2_500)
        if pusher.pushed:
            print(f"the broker has {pusher.pushed:,} of these flights already")
        store = lake.Lake(folder / "store")
        follow(programs, lambda: look(pusher, store, lake_port))
        for program in reversed(programs):
            program.stop()
    finally:
        for program in programs:
            program.kill()


def look(pusher, store, lake_port):
    total = len(pusher.events)
    push_or_look_again(pusher)
    windows, records = store.counts()
    lag = lake.lag_seconds(lake_port)
    behind = "-" if lag is None else f"{lag:.1f} s"
    return Look(
        facts=f"pushed {pusher.pushed:,} of {total:,}  windows {windows}  in the lake {records:,}  lag {behind}",
        done=not pusher.pending and records >= total,
        sent=not pusher.pending,
        missing=f"{total - records} flights are in no window",
    )


def push_or_look_again(pusher):
    try:
        pusher.step()
    except OSError as error:
        print(f"\n{error}; reading the broker's log again", flush=True)
        time.sleep(0.2)
        try:
            pusher.look()
        except OSError:
            pass  # the broker's end is noticed by its caller, a late answer by the next step


def verify(tidemark, folder):
    done = subprocess.run([tidemark, "verify", folder / "store"], check=False)
    if done.returncode != 0:
        raise Stopped(f"tidemark verify left with {done.returncode}")


def show(tidemark, folder, events):
    store = lake.Lake(folder / "store")
    if differences := store.differences(events):
        raise Stopped(f"the lake's rows differ from what was pushed: {', '.join(differences)}")
    print(f"\nThe lake holds exactly the {len(events):,} flights that were pushed, each once, byte for byte.")
    database = store.open()
    print(f"\nThe history of one aircraft, {lake.AIRCRAFT}:")
    database.sql(lake.HISTORY).show(max_rows=200)
    print("Delays by hour of the day:")
    database.sql(lake.DELAYS).show(max_rows=24)
    first = sorted((store.prefix / "queue=flights").rglob("*.parquet"))[0]
    print(f"""To look at:
  the lake      {store.prefix}
  a data file   {first}
  manifests     {store.prefix / "_queen/flights/windows"}
  logs          {folder / "broker.log"}  {folder / "lake.log"}
  by yourself   duckdb: SELECT * FROM read_parquet('{store.files}');
                {tidemark} inspect {first}""")


def play(tidemark, folder, events, full):
    run(tidemark, folder, events, full)
    verify(tidemark, folder)
    show(tidemark, folder, events)
