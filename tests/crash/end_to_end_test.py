"""The end-to-end cases of queen-interface 17.1 over real processes: many lanes pushed while a lake runs, keys that tell hour
and window exactly, an object for each lane, a start at the end of a backlog. (Its fault points: fault_points_test.py.)"""

import unittest

import duckdb
import harness
import racing

# The tuning of that section.
TUNING = {
    "QUEEN_S3_MAX_WINDOW_MS": "2000",
    "QUEEN_S3_DISCOVERY_INTERVAL_MS": "250",
    "QUEEN_S3_CHECKPOINT_EVERY": "2",
    "QUEEN_S3_TARGET_MB": "16",
    "QUEEN_S3_LEASE_TTL_MS": "5000",
}


class EndToEnd(harness.S3Case):
    def start(self, **env):
        running = harness.Lake(self.folder, self.broker, self.store, **TUNING, **env).start()
        self.addCleanup(running.kill)
        return running

    def push(self, name, lanes, records_per_lane):
        total = lanes * records_per_lane
        record = lambda n: (f"lane-{n % lanes}", f"{name}-{n}", {"n": n})  # noqa: E731
        harness.push_log(self.broker, total, record, push_size=2000)
        return total

    # Waits until the manifests count so many records and name every object there is.
    def settle(self, running, records):
        def settled():
            snapshot = self.store.snapshot()
            manifests = harness.manifests(snapshot).values()
            named = {entry["key"] for manifest in manifests for entry in manifest["objects"]}
            objects = {key for key in snapshot if "/queue=" in key}
            return named == objects and sum(m["records"] for m in manifests) == records

        harness.wait_until(settled, f"{records} records; see {running.log}", 120)

    # Every row lies in the hour and in the window that its object's key says.
    def check_keys(self):
        [(misplaced, all_rows)] = duckdb.sql(
            f"""SELECT count(*) FILTER (
                  strftime(ts::TIMESTAMP, '%Y-%m-%d') != dt::VARCHAR OR strftime(ts::TIMESTAMP, '%H') != hour::VARCHAR
                  OR epoch_us(ts::TIMESTAMP) < regexp_extract(filename, 'w-\\d+-(\\d+)-', 1)::BIGINT
                  OR epoch_us(ts::TIMESTAMP) >= regexp_extract(filename, 'w-\\d+-\\d+-(\\d+)', 1)::BIGINT), count(*)
                FROM read_json('{self.store.root / harness.BUCKET}/queen/queue=orders/*/*/*.jsonl.zst',
                  format = 'newline_delimited', hive_partitioning = true, hive_types_autocast = false, filename = true,
                  columns = {{"partition": 'VARCHAR', "offset": 'BIGINT', transactionId: 'VARCHAR', ts: 'VARCHAR',
                              payload: 'JSON'}})"""
        ).fetchall()
        self.assertEqual(misplaced, 0)
        self.assertGreater(all_rows, 0)

    def test_two_thousand_lanes_pushed_while_it_runs(self):
        running = self.start()
        records = self.push("live", lanes=2_000, records_per_lane=50)
        self.settle(running, records)
        self.assertEqual(dict(racing.lake_rows(self.store)), self.broker.read_log("orders"))
        self.check_keys()

    def test_sixteen_lanes_have_their_objects(self):
        running = self.start(QUEEN_S3_LAYOUT="per-partition")
        records = self.push("lanes", lanes=16, records_per_lane=100)
        self.settle(running, records)
        lanes = set()
        for manifest in harness.manifests(self.store.snapshot()).values():
            for entry in manifest["objects"]:
                name = f"-p-{entry['partition']}-{entry['firstOffset']:012}-{entry['lastOffset']:012}.jsonl.zst"
                self.assertTrue(entry["key"].endswith(name), entry)
                self.assertEqual(entry["lastOffset"] - entry["firstOffset"] + 1, entry["records"])
                lanes.add(entry["partition"])
        self.assertEqual(len(lanes), 16)

    def test_latest_after_a_backlog_holds_what_came_after(self):
        self.push("backlog", lanes=4, records_per_lane=250)
        running = self.start(QUEEN_S3_START="latest")
        key = {"ns": "queen-s3", "op": "getMany", "keys": ["s3:default:orders:committed"]}
        fixed = lambda: self.broker.call("POST", "/api/v1/kv", {"operations": [key]})["results"][0]["rows"]  # noqa: E731
        harness.wait_until(fixed, "the start to be fixed")
        t_0 = fixed()[0]["value"]["tEnd"]
        self.push("after", lanes=4, records_per_lane=250)
        log = {key: record for key, record in self.broker.read_log("orders").items() if key[2] >= t_0}
        self.assertLessEqual(1_000, len(log))
        self.settle(running, len(log))
        self.assertEqual(dict(racing.lake_rows(self.store)), log)


if __name__ == "__main__":
    unittest.main(verbosity=2)
