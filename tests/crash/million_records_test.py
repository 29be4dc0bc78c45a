"""A million records, the lake killed at 20 random points of its way (complaint C03): every record is in it once, and no key
ever changes its bytes. The lake keeps nothing on the machine, so each start is one from an empty disk. The seed is printed and
can be set: TIDEMARK_SEED."""

import random
import time
import unittest

import duckdb
import harness

RECORDS = 1_000_000
LANES = 300
KILLS = 20


class MillionRecords(harness.BrokerCase):
    def setUp(self):
        self.numbers = random.Random(harness.printed_seed())
        super().setUp()
        self.store = harness.DirectoryStore(self.folder)

    def written(self):
        """Records in manifests."""
        return sum(m["records"] for m in harness.manifests(self.store.snapshot()).values())

    def kill_on_the_way(self, lake):
        """Kills the lake KILLS times, each as soon as it has come to a random number of records, or a little later."""
        seen = {}
        for stop in sorted(self.numbers.sample(range(RECORDS * 9 // 10), KILLS)):
            process = lake.start()
            try:
                harness.wait_until(lambda: self.written() >= stop or not process.alive(), f"{stop} records")  # noqa: B023
                self.assertTrue(process.alive(), process.log.read_text()[-4000:])
                time.sleep(self.numbers.uniform(0, 0.1))
            finally:
                process.kill()
            seen = harness.written_once(seen, self.store)
        return seen

    def judge(self):
        rows = f"read_parquet('{self.store.root}/{harness.BUCKET}/queen/queue=orders/**/*.parquet')"
        (counts,) = duckdb.sql(
            f"""SELECT count(*), count(DISTINCT ("partition", "offset")), count(DISTINCT (payload->>'n')::BIGINT),
                       (SELECT sum(length) FROM (SELECT max("offset") + 1 AS length FROM {rows} GROUP BY "partition"))
                FROM {rows}"""
        ).fetchall()
        self.assertEqual(counts, (RECORDS,) * 4)

    def test_each_is_there_once(self):
        harness.push_log(
            self.broker, RECORDS, lambda n: (f"lane-{self.numbers.randrange(LANES)}", f"t-{n}", {"n": n}), push_size=5000
        )
        lake = harness.Lake(
            self.folder, self.broker, self.store, QUEEN_S3_FORMAT="parquet", QUEEN_S3_MAX_WINDOW_MS="100", QUEEN_S3_TARGET_MB="1",
        )  # fmt: skip
        self.kill_on_the_way(lake)
        process = lake.start()
        try:
            harness.wait_until(lambda: self.written() >= RECORDS, "the lake to catch up", 120)
        finally:
            process.kill()
        self.judge()
        windows = len(harness.manifests(self.store.snapshot()))
        print(f"{KILLS} kills, {windows} windows")
        self.assertGreater(windows, 2 * KILLS)


if __name__ == "__main__":
    unittest.main(verbosity=2)
