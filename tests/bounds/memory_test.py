"""The memory bound (decision "Memory"): a lake under the smallest budget stays below budget + 96 MiB + 200 bytes a lane,
whatever it writes, with windows larger than the budget and many lanes, and still writes every record (complaint C23: 5,000
lanes of backlog in little memory)."""

import random
import unittest
from pathlib import Path

import watch
from watch import harness

LANES = 5_000
RECORDS = 250_000
BOUND_MIB = watch.bound_mib(LANES)


class MemoryBound(watch.BrokerOfClass):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        numbers = random.Random(11)

        def record(n):
            # Half of it does not compress, so that object buffers grow too.
            payload = {"n": n, "noise": f"{numbers.getrandbits(1600):x}", "text": "tide " * numbers.randrange(120)}
            return f"lane-{numbers.randrange(LANES):05}", f"t-{n:08}", payload

        harness.push_log(cls.broker, RECORDS, record, push_size=2000)

    def write(self, name, **env):
        """Peak of a lake's resident memory, in MiB, once it has written the whole log."""
        store = harness.DirectoryStore(Path(self.folder.name) / name)
        lake = watch.WatchedLake(
            self.folder.name, self.broker, store, QUEEN_S3_SINK=name, QUEEN_S3_TARGET_MB="192", **env
        )
        peak = lake.write_all(RECORDS, 180)
        self.assertEqual(lake.records(), RECORDS)
        print(f"{name}: peak {peak:.0f} MiB of {BOUND_MIB:.0f}")
        return peak

    def test_jsonl(self):
        self.assertLess(self.write("jsonl", QUEEN_S3_FORMAT="jsonl"), BOUND_MIB)

    def test_jsonl_without_compression(self):
        self.assertLess(self.write("plain", QUEEN_S3_FORMAT="jsonl", QUEEN_S3_COMPRESSION="none"), BOUND_MIB)

    def test_parquet(self):
        self.assertLess(self.write("parquet", QUEEN_S3_FORMAT="parquet"), BOUND_MIB)


if __name__ == "__main__":
    unittest.main(verbosity=2)
