"""A window of the default size, 128 MiB of records, under the default budget: held packed (docs/decisions/0007), it takes less
than it weighs, with the program, its index and its object on top."""

import random
import unittest
from pathlib import Path

import watch
from watch import harness

LANES = 64
RECORDS = 330_000
WINDOW_RECORDS_MIN = 250_000  # of 440 bytes by weight: the target, and not a smaller window
BOUND_MIB = 192
WORDS = "please ring twice leave at the back door fragile gift wrap no plastic call before noon".split()


class PackedWindow(watch.BrokerOfClass):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        numbers = random.Random(11)

        def record(n):
            # A quarter of it does not compress, the rest is what people write.
            note = " ".join(numbers.choices(WORDS, k=46))
            return f"lane-{n % LANES:02}", f"t-{n:08}", {"n": n, "id": f"{numbers.getrandbits(320):080x}", "note": note}

        harness.push_log(cls.broker, RECORDS, record, push_size=2000)

    def check(self, name, **env):
        store = harness.DirectoryStore(Path(self.folder.name) / name)
        lake = watch.WatchedLake(
            self.folder.name,
            self.broker,
            store,
            QUEEN_S3_SINK=name,
            QUEEN_S3_MEMORY_MB="1024",
            QUEEN_S3_ALIGN="day",
            **env,
        )
        peak = lake.write_all(RECORDS, 180)
        self.assertEqual(lake.records(), RECORDS)
        self.assertGreater(max(lake.records_by_window().values()), WINDOW_RECORDS_MIN)
        print(f"{name}: peak {peak:.0f} MiB of {BOUND_MIB}")
        self.assertLess(peak, BOUND_MIB)

    def test_jsonl(self):
        self.check("jsonl", QUEEN_S3_FORMAT="jsonl")

    def test_parquet(self):
        self.check("parquet", QUEEN_S3_FORMAT="parquet")


if __name__ == "__main__":
    unittest.main(verbosity=2)
