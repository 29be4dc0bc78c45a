"""The edge's memory bound: whatever comes in, the process stays below its `memory:` and 96 MiB, and keeps every record."""

import random
import unittest

from edge_process import BoundedEdge

LINES = 300_000
TELEMETRY = """[{ id: telemetry, event_time: { from: /ts, format: rfc3339 }, fields: [
  { id: 1000, name: seq, type: u64, required: true }, { id: 1001, name: robot, type: string },
  { id: 1002, name: x, type: f64, from: /pose/x }, { id: 1003, name: note, type: string }] }]"""
SOURCES = ("a", "b", "c", "d")
DATASETS = 500


def telemetry():
    numbers = random.Random(3)
    for seq in range(LINES):
        ts = f"2026-11-30T{seq // 36000 % 24:02}:{seq // 600 % 60:02}:{seq // 10 % 60:02}.{seq % 10}Z"
        pose = f'{{"x":{numbers.randrange(100_000) / 1000}}}'
        # Half of the note does not compress, so that row groups grow too.
        note = f"{numbers.getrandbits(400):0100x}" + "tide " * 10
        yield f'{{"seq":{seq},"ts":"{ts}","robot":"r-{numbers.randrange(500)}","pose":{pose},"note":"{note}"}}'


class EdgeMemoryBound(BoundedEdge):
    def test_a_long_file(self):
        pipeline = self.pipeline(TELEMETRY, 62)
        pipeline.put("telemetry.jsonl", telemetry())
        self.run_within(pipeline, 62)
        self.assertEqual(pipeline.query("telemetry", "count(*)", "1"), [(LINES,)])

    def test_a_backlog_in_the_log(self):
        pipeline = self.pipeline(TELEMETRY, 62)
        pipeline.put("telemetry.jsonl", telemetry())
        self.assertNotEqual(pipeline.run({"TIDEMARK_CRASH_AT": "before_close"}).returncode, 0)
        self.assertEqual(pipeline.ready("telemetry"), [])
        self.run_within(pipeline, 62)
        self.assertEqual(pipeline.query("telemetry", "count(*)", "1"), [(LINES,)])

    def test_records_of_the_greatest_length(self):
        names = ("a", "b", "c", "d")
        datasets = [f"{{ id: {n}, unknown: lenient, fields: [{{ id: 1000, name: v, type: i64 }}] }}" for n in names]
        pipeline = self.pipeline(f"[{', '.join(datasets)}]", 112)
        rest = ",".join("1" * 7_500_000)
        pipeline.put("long.jsonl", [f'{{"v":{n},"rest":[{rest}]}}' for n in range(6)])
        self.run_within(pipeline, 112)
        for name in names:
            self.assertEqual(pipeline.query(name, "v"), [(n,) for n in range(6)])

    def test_records_that_explode_into_the_most_they_may(self):
        # Each row repeats the long text: as a field, and as what nobody declared.
        explode = "explode: { from: /s }"
        field = f"{{ id: a, {explode}, fields: [{{ id: 1000, name: n, type: i32 }}, {{ id: 1001, name: long, type: string, from: ^/long }}] }}"
        rest = f"{{ id: b, {explode}, unknown: capture, fields: [{{ id: 1000, name: n, type: i32 }}] }}"
        memory = 160
        pipeline = self.pipeline(f"[{field}, {rest}]", memory)
        numbers = random.Random(5)
        documents = []
        for elements in (15, 200, 15, 15):
            samples = [{"n": n} for n in range(elements)]
            documents.append({"long": f"{numbers.getrandbits(16 << 20):x}", "s": samples})
        pipeline.put("long.jsonl", documents)
        self.run_within(pipeline, memory)
        for name in ("a", "b"):
            self.assertEqual(pipeline.query(name, "_wal_position, n"), [(p, n) for p in (1, 3, 4) for n in range(15)])

    def test_lines_of_one_character(self):
        datasets = "[{ id: lines, decode: text, fields: [{ id: 1000, name: line, type: string, from: '' }] }]"
        pipeline = self.pipeline(datasets, 32, extra="wal: { max_record_bytes: 1048576 }")
        pipeline.put("short.jsonl", ["x"] * 4_000_000)
        self.run_within(pipeline, 32)
        self.assertEqual(pipeline.query("lines", "count(*)", "1"), [(4_000_000,)])

    def test_the_longest_lines_of_four_sources_at_once(self):
        sources = "".join(
            f"""
  - id: {name}
    kind: file
    config: {{ paths: ["%s/in/{name}.jsonl"] }}"""
            for name in SOURCES
        )
        datasets = "[{ id: long, unknown: lenient, fields: [{ id: 1000, name: v, type: i64 }] }]"
        pipeline = self.pipeline(datasets, 128)
        pipeline.write(datasets, extra="memory: 128MiB", sources=sources.replace("%s", str(pipeline.folder)))
        rest = "x" * 16_000_000
        for name in SOURCES:
            pipeline.put(f"{name}.jsonl", [f'{{"v":{n},"rest":"{rest}"}}' for n in range(4)])
        self.run_within(pipeline, 128)
        self.assertEqual(pipeline.query("long", "count(*)", "1"), [(16,)])

    def test_many_data_sets_with_a_long_record_each(self):
        names = [f"d{n:03}" for n in range(DATASETS)]
        datasets = [
            f'{{ id: {n}, match: {{ topic: "files/{n}.jsonl" }}, unknown: capture, fields: [\n'
            "  { id: 1000, name: v, type: i64, required: true }, { id: 1001, name: s, type: string },\n"
            "  { id: 1002, name: b, type: binary }] }"
            for n in names
        ]
        pipeline = self.pipeline("[" + ",\n".join(datasets) + "]", 192)
        rest = "x" * 300_000
        for n in names:
            taken = f'{{"v":1,"s":"\\n{rest}","b":"{rest}","rest":"{rest}"}}'
            pipeline.put(f"{n}.jsonl", [taken, f'{{"s":"\\n{rest}"}}'])
        self.run_within(pipeline, 192)
        self.assertEqual(sum(len(pipeline.ready(n)) for n in names), DATASETS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
