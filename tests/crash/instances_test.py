"""Five instances of one sink over one queue set, and two sinks over one queue, as real processes.

The instances are killed, and frozen for longer than their leases live; leases are stolen and deleted under them; answers of
the broker are lost; queues appear meanwhile. At the end every record of every queue is in the lake once, no key ever
changed its bytes, and the queues are spread evenly. The seed is printed and can be set: TIDEMARK_SEED."""

import os
import random
import signal
import sys
import time
import unittest
from collections import Counter
from pathlib import Path
from urllib.parse import quote

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))

import fault_proxy  # noqa: E402
import harness  # noqa: E402
import racing  # noqa: E402

DEEDS = int(os.environ.get("TIDEMARK_DEEDS", "24"))
LEASE_MS = 1000
KV_FAULTS = ("lost answer", "kv_timeout", "503", "late")


class UnreliableBroker:
    """The broker behind a proxy that spoils one KV call of ten."""

    def __init__(self, broker, seed):
        spoil = fault_proxy.seeded(seed, 0.1, KV_FAULTS)
        self.proxy = fault_proxy.FaultProxy(
            broker.port, lambda method, path: spoil(method, path) if path == "/api/v1/kv" else None
        )
        self.url = f"http://127.0.0.1:{self.proxy.port}"


class Instances(harness.BrokerCase):
    def setUp(self):
        self.seed = harness.printed_seed()
        super().setUp()
        self.store = harness.DirectoryStore(self.folder)
        self.instances = []
        self.addCleanup(lambda: [instance.process.kill() for instance in self.instances])

    def configure(self, queue):
        self.broker.call("POST", "/api/v1/configure", {"queue": queue, "options": {"retentionEnabled": False}})

    def lake(self, broker=None, **env):
        return harness.Lake(
            self.folder,
            broker or self.broker,
            self.store,
            **{"QUEEN_S3_MAX_WINDOW_MS": "500", "QUEEN_S3_LEASE_TTL_MS": str(LEASE_MS), **env},
        )

    def add(self, lake, name):
        self.instances.append(racing.Instance(lake, name))
        return self.instances[-1]

    def kv(self, **operation):
        return self.broker.call("POST", "/api/v1/kv", {"operations": [{"ns": "queen-s3", **operation}]})["results"][0]

    def holders(self, sink="default"):
        """Instance by queue's lease key."""
        rows = self.kv(op="getPrefix", prefix=f"s3:{sink}:", limit=1000)["rows"]
        return {row["key"]: row["value"]["instance"] for row in rows if row["key"].endswith(":lease")}

    def judge(self, queue, prefix="queen"):
        log, folder = self.broker.read_log(queue), quote(queue, safe="")
        settled = lambda: harness.manifests(self.store.snapshot(), folder, prefix).values()  # noqa: E731
        harness.wait_until(lambda: sum(m["records"] for m in settled()) >= len(log), f"{queue} to catch up", 60)
        rows = racing.lake_rows(self.store, folder, prefix)
        self.assertEqual(len(rows), len(log), queue)
        self.assertEqual(dict(rows), log, queue)
        self.assertEqual(sorted(m["k"] for m in settled()), list(range(1, len(settled()) + 1)))
        self.assertTrue(all(not m["lost"] for m in settled()), queue)
        return len(log)

    def spread(self, *counts):
        """Waits until the queues are held in these numbers, the largest first."""
        held = lambda: sorted(Counter(self.holders().values()).values(), reverse=True)  # noqa: E731
        harness.wait_until(lambda: held() == list(counts), f"queues held {counts}, see {self.folder}/lake.log", 30)

    def steal(self, key):
        thief = {"instance": "thief", "incarnation": "00000000000000ff", "sinceMs": 0}
        self.kv(op="put", key=key, value=thief, ttlSeconds=1)

    def disturb(self, numbers, queues, late_queues):
        seen, done = {}, Counter()
        for number in range(DEEDS):
            time.sleep(numbers.uniform(0.05, 0.7))
            for instance in self.instances:
                instance.thaw(time.monotonic())
            victim = numbers.choice(self.instances)
            deed = numbers.choice(["freeze", "freeze", "kill", "steal", "expire"])
            done[deed] += 1
            leases = list(self.holders())
            if deed == "freeze":
                victim.freeze(numbers.uniform(0.2, 3 * LEASE_MS / 1000))
            elif deed == "kill":
                victim.kill()
                seen = harness.written_once(seen, self.store)
            elif leases and deed == "steal":
                self.steal(numbers.choice(leases))
            elif leases:
                self.kv(op="delete", key=numbers.choice(leases))
            if late_queues and number >= DEEDS // 3:
                self.configure(late_queues[0])
                queues.append(late_queues.pop(0))
        for instance in self.instances:
            instance.thaw()
        print(dict(done), flush=True)
        return seen

    def test_five_race_for_every_queue_there_is(self):
        queues, late_queues = ["orders", "clicks"], ["late", "late/2"]
        for queue in queues:
            self.configure(queue)
        unreliable = UnreliableBroker(self.broker, self.seed)
        self.addCleanup(unreliable.proxy.stop)
        lake = self.lake(unreliable, QUEEN_S3_QUEUES="*")
        for number in range(5):
            self.add(lake, f"sink-{number}")
        traffic = racing.Traffic(self.broker, self.seed, queues, lanes=6)
        self.addCleanup(traffic.stopping.set)
        traffic.start()
        seen = self.disturb(random.Random(self.seed), queues, late_queues)
        traffic.stopping.set()
        traffic.join()
        records = [self.judge(queue) for queue in queues]
        print(f"records of {queues}: {records}; calls by fault {unreliable.proxy.counts}")
        for instance in self.instances:
            self.assertEqual(instance.process.terminate(), 0, instance.process.log.read_text()[-4000:])
        harness.written_once(seen, self.store)

    def test_queues_are_shared_as_instances_come_and_go(self):
        queues = [f"q-{n}" for n in range(6)]
        for queue in queues:
            self.configure(queue)
        lake = self.lake(QUEEN_S3_QUEUES=",".join(queues))
        traffic = racing.Traffic(self.broker, self.seed, queues, lanes=2)
        self.addCleanup(traffic.stopping.set)
        traffic.start()
        first = self.add(lake, "sink-0")
        self.spread(6)
        second = self.add(lake, "sink-1")
        self.spread(3, 3)
        third = self.add(lake, "sink-2")
        self.spread(2, 2, 2)
        first.process.kill()
        self.spread(3, 3)
        first.start()
        self.spread(2, 2, 2)
        second.process.child.send_signal(signal.SIGSTOP)
        self.spread(3, 3)
        second.process.child.send_signal(signal.SIGCONT)
        self.spread(2, 2, 2)
        self.assertEqual(third.process.terminate(), 0, third.process.log.read_text()[-4000:])
        self.spread(3, 3)
        traffic.stopping.set()
        traffic.join()
        for queue in queues:
            self.judge(queue)

    def test_two_sinks_of_one_queue_do_not_see_each_other(self):
        self.configure("orders")
        for sink in ("one", "two"):
            lake = self.lake(QUEEN_S3_SINK=sink, QUEEN_S3_PREFIX=f"lake-{sink}")
            for number in range(2):
                self.add(lake, f"{sink}-{number}")
        traffic = racing.Traffic(self.broker, self.seed, ["orders"], lanes=6)
        self.addCleanup(traffic.stopping.set)
        traffic.start()
        for instance in (self.instances[0], self.instances[2]):
            time.sleep(0.5)
            instance.kill()
        time.sleep(1)
        traffic.stopping.set()
        traffic.join()
        for sink in ("one", "two"):
            self.judge("orders", f"lake-{sink}")
            manifests = harness.manifests(self.store.snapshot(), "orders", f"lake-{sink}").values()
            self.assertEqual({manifest["sink"] for manifest in manifests}, {sink})

    def test_a_second_sink_on_the_same_prefix_stops_and_writes_nothing(self):
        self.configure("orders")
        first = self.add(self.lake(QUEEN_S3_SINK="one"), "one-0")
        self.broker.push([{"queue": "orders", "partition": "a", "payload": {"n": n}} for n in range(100)])
        harness.wait_until(lambda: harness.manifests(self.store.snapshot()), "a window of the first sink")
        self.assertEqual(first.process.terminate(), 0)
        before = self.store.snapshot()
        second = self.add(self.lake(QUEEN_S3_SINK="two"), "two-0")
        reason = lambda: "the queue stopped" in second.process.log.read_text()  # noqa: E731
        harness.wait_until(reason, "the second sink to give up")
        self.assertIn("out of step", second.process.log.read_text())
        self.assertEqual(self.store.snapshot(), before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
