"""The edge's path, telemetry lines to finalized segments: medians of interleaved runs, one table.

1.2 million lines of 11 fields. `tidemark run` from file source to finished Parquet (zstd 1), write-ahead log included, and
mapping and encoding alone (the same without the log), per CPU-second against DuckDB's read_json and COPY of the same file
to the same columns, system columns included; the files' sizes; peak memory; and where the time goes.

usage: edge.py [--runs 5] [--corpus FILE]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from _programs import PROGRAMS, duckdb_copy

GOALS = {"run": 1.2, "map": 1.8, "size": 1.03, "memory": 128 + 96}

PIPELINE = """
node_id: gw-01
data_dir: {data}
listen: 127.0.0.1:0
memory: 128MiB
sources:
  - {{ id: drop, kind: file, config: {{ paths: ["{source}"], topic: "files/{{basename}}", follow: false }} }}
datasets:
  - id: telemetry
    identity: {{ robot: {{ id: 100, template: "{{json:/robot}}" }} }}
    event_time: {{ from: /ts, format: rfc3339 }}
    fields:
      - {{ id: 1000, name: seq, type: u64, required: true }}
      - {{ id: 1001, name: state, type: string }}
      - {{ id: 1002, name: x, type: f64, from: /pose/x, unit: m }}
      - {{ id: 1003, name: y, type: f64, from: /pose/y, unit: m }}
      - {{ id: 1004, name: theta, type: f32, from: /pose/theta, unit: rad }}
      - {{ id: 1005, name: battery_pct, type: f32 }}
      - {{ id: 1006, name: motor_temp_c, type: f32, unit: Cel }}
      - {{ id: 1007, name: velocity_mps, type: f32 }}
      - {{ id: 1008, name: mission, type: string }}
sinks:
  - {{ id: local, kind: parquet, config: {{ compression: zstd }} }}
"""

COPY = """
COPY (SELECT row_number() OVER () AS _wal_position, 0::INTEGER AS _row, now()::TIMESTAMPTZ AS _ingest_time,
             ts AS _event_time, 'drop' AS _source, 'files/telemetry.jsonl' AS _topic, robot, seq, state, pose.x AS x, pose.y AS y,
             pose.theta AS theta, battery_pct, motor_temp_c, velocity_mps, mission
      FROM read_json('{source}', format = 'newline_delimited', columns = {{
             seq: 'UBIGINT', ts: 'TIMESTAMPTZ', robot: 'VARCHAR', state: 'VARCHAR',
             pose: 'STRUCT(x DOUBLE, y DOUBLE, theta FLOAT)', battery_pct: 'FLOAT', motor_temp_c: 'FLOAT',
             velocity_mps: 'FLOAT', mission: 'VARCHAR'}}))
TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)
"""

NAMES = {
    "duckdb": "DuckDB: JSONL to Parquet zstd 1",
    "map": "mapping + encoding, no log",
    "run": "tidemark run: file to finalized segment",
}


def run_process(pipeline, data):
    """The whole process, from its start; in a child, whose own peak is not ours."""
    child = subprocess.Popen([PROGRAMS / "tidemark", "run", pipeline], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"tidemark run {pipeline}: exit code {child.returncode}")
    segments = list(Path(data).glob("sinks/local/ready/**/*.parquet"))
    print(
        json.dumps(
            {
                "cpu": usage.ru_utime + usage.ru_stime,
                "bytes": sum(path.stat().st_size for path in segments),
                "rss": usage.ru_maxrss / 1024,
            }
        )
    )


def child_of_ours(*arguments):
    command = [sys.executable, "-B", __file__, *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def work(*arguments):
    """A part of the path (bench/edge_work.cc)."""
    command = [PROGRAMS / "edge_work", *map(str, arguments)]
    seconds, size = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    return {"cpu": float(seconds), "bytes": int(size)}


def one_run(corpus, scratch):
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        pipeline = Path(folder, "pipeline.yaml")
        pipeline.write_text(PIPELINE.format(data=f"{folder}/data", source=corpus))
        return {
            "duckdb": duckdb_copy(COPY.format(source=corpus, target=f"{folder}/duckdb.parquet"), f"{folder}/duckdb.parquet"),
            "map": work("map", pipeline, corpus, f"{folder}/map.parquet"),
            "run": child_of_ours("--process", pipeline, f"{folder}/data"),
            "lines": work("lines", corpus),
            "decode": work("decode", pipeline, corpus),
            "intake": work("intake", corpus, f"{folder}/wal"),
            "open": work("open", f"{folder}/wal"),
            "reread": work("reread", f"{folder}/wal"),
        }


def measure(corpus, runs, scratch):
    """{work: {figure: median}}"""
    seen = [one_run(corpus, scratch) for _ in range(runs)]
    return {
        name: {figure: statistics.median(run[name][figure] for run in seen) for figure in figures}
        for name, figures in seen[0].items()
    }


def parts(cpu):
    """Where the CPU seconds of `run` go. The parts are measured one by one; the rest is what only the whole has."""
    known = {
        "read the file, cut lines": cpu["lines"],
        "write-ahead log: frames, checksums, write, fdatasync": cpu["intake"] - cpu["lines"],
        "write-ahead log: read back, check": cpu["reread"] - cpu["open"],
        "JSON to columns": cpu["decode"] - cpu["lines"],
        "columns to Parquet: encode, zstd, SHA-256, write": cpu["map"] - cpu["decode"],
    }
    return known | {"start, finalize, hand over between threads": cpu["run"] - sum(known.values())}


def report(result, corpus_bytes, runs):
    cpu = {name: figures["cpu"] for name, figures in result.items()}
    print(f"corpus {corpus_bytes / 1e6:.1f} MB of JSONL; medians of {runs} interleaved runs")
    print(f"{'work':<56} {'CPU s':>7} {'MB/s':>7} {'MB out':>7} {'RSS MiB':>8}")
    for work_name, name in NAMES.items():
        figures = result[work_name]
        rss = f"{figures['rss']:8.0f}" if "rss" in figures else ""
        print(f"{name:<56} {cpu[work_name]:7.2f} {corpus_bytes / cpu[work_name] / 1e6:7.0f} {figures['bytes'] / 1e6:7.1f} {rss}")
    print("\nwhere the time of tidemark run goes")
    for name, seconds in parts(cpu).items():
        print(f"{name:<56} {seconds:7.2f} {100 * seconds / cpu['run']:6.0f}%")
    figures = {
        "run": cpu["duckdb"] / cpu["run"],
        "map": cpu["duckdb"] / cpu["map"],
        "size": result["run"]["bytes"] / result["duckdb"]["bytes"],
        "memory": result["run"]["rss"],
    }
    print(f"\ntidemark run at {figures['run']:.2f} x DuckDB's speed (goal >= {GOALS['run']})")
    print(f"mapping + encoding at {figures['map']:.2f} x DuckDB's speed (goal >= {GOALS['map']})")
    print(f"segments {figures['size']:.3f} x DuckDB's size (goal <= {GOALS['size']})")
    print(f"peak memory {figures['memory']:.0f} MiB (goal <= {GOALS['memory']})")
    fast = figures["run"] >= GOALS["run"] and figures["map"] >= GOALS["map"]
    return fast and figures["size"] <= GOALS["size"] and figures["memory"] <= GOALS["memory"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--corpus", help="keep the corpus here between calls")
    parser.add_argument("--process", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.process:
        run_process(*arguments.process)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        corpus = arguments.corpus or f"{scratch}/telemetry.jsonl"
        if not os.path.exists(corpus):
            subprocess.run([PROGRAMS / "edge_work", "corpus", corpus], check=True)
        return 0 if report(measure(corpus, arguments.runs, scratch), os.path.getsize(corpus), arguments.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
