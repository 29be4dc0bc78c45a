"""The edge's half of the demo: `tidemark run` takes the observations of three weather stations over HTTP, as telemetry, and
flights from a file; its segments are compared with what was sent, then asked by DuckDB how a storm and delays went."""

import http.client
import json
import subprocess
import time
from collections import Counter

import edge
from programs import Program, Stopped, free_port
from progress import Look, follow

PIPELINE = """node_id: nyc
data_dir: {folder}/data
listen: 127.0.0.1:{status_port}
sources:
  - id: stations
    kind: http
    config: {{ listen: "127.0.0.1:{intake_port}" }}
  - id: departures
    kind: file
    config: {{ paths: ["{folder}/in/flights.jsonl"], topic: "files/{{basename}}", follow: false }}
datasets:
  - id: weather
    match: {{ source: stations, topic: "stations/+/weather" }}
    identity: {{ station: {{ id: 100, template: "{{topic.1}}" }} }}
    event_time: {{ from: /at, format: rfc3339 }}
    fields:
      - {{ id: 1000, name: temp_f,        type: "decimal(5,2)", unit: "[degF]", required: true }}
      - {{ id: 1001, name: dew_point_f,   type: "decimal(5,2)", unit: "[degF]" }}
      - {{ id: 1002, name: humidity,      type: "decimal(5,2)", unit: "%" }}
      - {{ id: 1003, name: wind_deg,      type: i16,            unit: deg }}
      - {{ id: 1004, name: wind_kt,       type: u8,             unit: "[kn_i]" }}   # no wind blows with 256 knots
      - {{ id: 1005, name: gust_kt,       type: u8,             unit: "[kn_i]" }}
      - {{ id: 1006, name: rain_in,       type: "decimal(4,2)", unit: "[in_i]" }}
      - {{ id: 1007, name: pressure_mbar, type: "decimal(5,1)", unit: mbar }}
      - {{ id: 1008, name: visibility_mi, type: "decimal(4,2)", unit: "[mi_i]" }}
  - id: flights
    match: {{ source: departures }}
    event_time: {{ from: /scheduled, format: rfc3339 }}
    fields:
      - {{ id: 1000, name: scheduled, type: timestamp, required: true }}
      - {{ id: 1001, name: carrier,   type: string,    required: true }}
      - {{ id: 1002, name: flight,    type: i32,       required: true }}
      - {{ id: 1003, name: origin,    type: string,    required: true }}
      - {{ id: 1004, name: dest,      type: string,    required: true }}
      - {{ id: 1005, name: aircraft,  type: string }}
      - {{ id: 1006, name: dep_delay, type: i16,       unit: min }}
      - {{ id: 1007, name: arr_delay, type: i16,       unit: min }}
      - {{ id: 1008, name: air_time,  type: i16,       unit: min }}
      - {{ id: 1009, name: distance,  type: i32,       unit: "[mi_i]" }}
      - {{ id: 1010, name: at_hour,   type: u8,        from: /hour }}   # `hour` is a folder of the path
sinks:
  - {{ id: local, kind: parquet, config: {{ rotation: {{ max_rows: {rows}, max_age: 2 }} }} }}
"""


def departures_of(events):
    """The lines of the file: what the lake's events carry, and their aircraft."""
    return [f'{event.payload[:-1]},"aircraft":{json.dumps(event.aircraft)}}}' for event in events]


def replace_text(path, text):
    """All of it or nothing, whenever the demo is killed."""
    fresh = path.with_suffix(".new")
    fresh.write_text(text)
    fresh.replace(path)


class Stations:
    """Posts batches in order, each until it is answered 202: its Idempotency-Key makes sending it again harmless."""

    def __init__(self, port, batches, rate):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.pending, self.due, self.rate = list(batches), time.monotonic(), rate
        self.events, self.answered = sum(len(batch.lines) for batch in batches), 0

    def step(self):
        """Posts one batch if one is due. OSError: it is not known whether it was taken."""
        if not self.pending or time.monotonic() < self.due:
            return
        batch = self.pending[0]
        headers = {"Content-Type": "application/x-ndjson", "Idempotency-Key": batch.key}
        try:
            self.connection.request("POST", f"/v1/events/stations/{batch.station}/weather", "\n".join(batch.lines), headers)
            answer = self.connection.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self.connection.close()
            raise OSError(f"{batch.key}: {error!r}") from error
        if answer.status in (409, 503):
            self.due = time.monotonic() + float(answer.headers["Retry-After"])
            return
        if answer.status != 202:
            raise Stopped(f"{batch.key}: {answer.status} {text.decode(errors='replace')}")
        self.pending.pop(0)
        self.answered += len(batch.lines)
        self.due = max(self.due, time.monotonic() - 1) + 1 / self.rate


def start(tidemark, folder, full):
    """(the program, its status port, its intake port)"""
    ports = {"status_port": free_port(), "intake_port": free_port()}
    pipeline = folder / "pipeline.yaml"
    pipeline.write_text(PIPELINE.format(folder=folder, rows=50_000 if full else 5_000, **ports))
    program = Program("tidemark run", [tidemark, "run", pipeline], folder / "run.log")
    program.wait_until_ready(f"http://127.0.0.1:{ports['status_port']}/healthz")
    print(f"edge    http://127.0.0.1:{ports['status_port']}  files in {folder / 'data'}")
    return program, ports["status_port"], ports["intake_port"]


def run(tidemark, folder, batches, departures, full):
    """Sends what the edge lacks and waits until every record is committed."""
    (folder / "in").mkdir(parents=True, exist_ok=True)
    source = folder / "in/flights.jsonl"
    if not source.exists():
        replace_text(source, "".join(line + "\n" for line in departures))
    program, status_port, intake_port = start(tidemark, folder, full)
    try:
        stations = Stations(intake_port, batches, rate=10_000 if full else 25)
        total = stations.events + len(departures)
        follow([program], lambda: look(stations, total, status_port))
        program.stop()
    finally:
        program.kill()


def look(stations, total, port):
    found = edge.figures(port)
    if not found:
        return None
    on_disk = int(found["tidemark_edge_wal_position"])
    watermark = int(found['tidemark_edge_watermark{sink="local"}'])
    if on_disk >= total:  # each event has one position: nothing is left to send
        stations.pending.clear()
    post_or_again(stations)
    return Look(
        facts=f"{on_disk:,} of {total:,} on disk  watermark {watermark:,}  {sink_facts(found)}",
        done=watermark >= total and not stations.pending,
        sent=not stations.pending,
        missing=f"{total - watermark} records are not committed",
    )


def post_or_again(stations):
    try:
        stations.step()
    except OSError as error:
        print(f"\n{error}; sending it again", flush=True)
        time.sleep(0.2)  # the edge's end is noticed by the caller


def sink_facts(found):
    """Of this process; what is durable is shown at the end."""
    rows, files = (int(found.get(f'tidemark_edge_{name}_total{{sink="local"}}', 0)) for name in ("rows", "files"))
    rejects = int(sum(value for name, value in found.items() if name.startswith("tidemark_edge_rejects_total")))
    return f"since the start {rows:,} rows in {files} files, {rejects} rejects"


def state(tidemark, folder):
    """What `tidemark validate` says of the state on disk."""
    done = subprocess.run([tidemark, "validate", "--json", folder / "pipeline.yaml"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Stopped(f"tidemark validate left with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["state"]["facts"]


def show_rejects(rejects):
    print(f"Rejects, what the columns could not hold: {len(rejects)}")
    for (dataset, reason), count in sorted(Counter((reject.dataset, reject.reason) for reject in rejects).items()):
        print(f"  {count:>5}  {dataset}  {reason}")
    for reject in rejects[:3]:
        print(f"  {reject.topic}: {reject.detail}\n    {reject.payload}")


def show(tidemark, folder, batches, departures):
    segments = edge.Segments(folder / "data/sinks/local")
    if differences := segments.differences(batches, departures):
        raise Stopped(f"the segments differ from what was sent: {', '.join(differences)}")
    total = sum(len(batch.lines) for batch in batches) + len(departures)
    print(f"\nEvery one of the {total:,} events that were sent is in a segment or a reject, each once.\n")
    for fact in state(tidemark, folder):
        print(f"  {fact}")
    database = segments.open()
    database.sql(edge.ROWS).show()
    show_rejects(segments.rejects())
    print("\nThe stations:")
    database.sql(edge.LEVELS).show()
    print("The blizzard of 8 and 9 February, observations and departures joined:")
    database.sql(edge.STORM).show(max_rows=30)
    print(f"""To look at:
  pipeline      {folder / "pipeline.yaml"}
  the segments  {segments.ready}
  a segment     {segments.files("weather")[0]}
  rejects       {segments.reject_log}
  log           {folder / "run.log"}
  by yourself   duckdb: SELECT * FROM read_parquet('{segments.glob("weather")}');
                {tidemark} validate {folder / "pipeline.yaml"}""")


def play(tidemark, folder, events, batches, full):
    departures = departures_of(events)
    run(tidemark, folder, batches, departures, full)
    show(tidemark, folder, batches, departures)
