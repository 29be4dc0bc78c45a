"""The real SDK (queen-mq from PyPI), unchanged, against the embedded broker."""

import asyncio

from queen import Queen

import broker_process


class Sdk(broker_process.BrokerCase):
    def run_with_client(self, work):
        broker = self.start_broker()

        async def run():
            async with Queen(broker.url) as queen:
                await work(queen)

        asyncio.run(run())

    def test_what_is_pushed_is_fetched(self):
        async def work(queen):
            await queen.queue("orders").config({"retention_seconds": 0}).create()
            items = [{"transactionId": f"t-{n}", "data": {"n": n}} for n in range(100)]
            pushed = await queen.queue("orders").partition("cust-7").push(items)
            self.assertEqual({item["status"] for item in pushed}, {"queued"})
            lane = (await queen.queue("orders").fetch("cust-7"))["cust-7"]
            self.assertEqual([r["offset"] for r in lane["records"]], list(range(100)))
            self.assertEqual([r["payload"] for r in lane["records"]], [{"n": n} for n in range(100)])
            self.assertEqual([r["transactionId"] for r in lane["records"]], [f"t-{n}" for n in range(100)])

        self.run_with_client(work)

    def test_duplicates_reach_their_callback(self):
        async def work(queen):
            duplicates = []

            async def note(items, _error):
                duplicates.extend(item["transactionId"] for item in items)

            lane = queen.queue("orders").partition("a")
            await lane.push([{"transactionId": "t", "data": 1}])
            await lane.push([{"transactionId": "t", "data": 1}, {"transactionId": "u", "data": 2}]).on_duplicate(note)
            self.assertEqual(duplicates, ["t"])

        self.run_with_client(work)

    def test_a_buffered_push_arrives_whole(self):
        async def work(queen):
            lane = queen.queue("clicks").partition("p").buffer({"message_count": 50, "time_millis": 20})
            for n in range(500):
                await lane.push([{"data": {"n": n}}])
            await queen.flush_all_buffers()
            records = (await queen.queue("clicks").fetch("p"))["p"]["records"]
            self.assertEqual(sorted(r["payload"]["n"] for r in records), list(range(500)))

        self.run_with_client(work)

    def test_discovery_lists_what_changed(self):
        async def work(queen):
            await queen.queue("orders").partition("a").push([{"data": 1}])
            first = await queen.queue("orders").changed_since()
            self.assertEqual([p["name"] for p in first["partitions"]], ["a"])
            await queen.queue("orders").partition("b").push([{"data": 1}])
            second = await queen.queue("orders").changed_since(first["safeTime"])
            self.assertEqual([p["name"] for p in second["partitions"]], ["b"])

        self.run_with_client(work)

    def test_documents_obey_their_conditions(self):
        async def work(queen):
            put = await queen.kv.put("app", "k", {"n": 1}, forever=True)
            self.assertTrue(put["applied"])
            lost = await queen.kv.put_if_absent("app", "k", {"n": 2}, forever=True)
            self.assertEqual((lost["applied"], lost["reason"]), (False, "exists"))
            got = await queen.kv.get("app", "k")
            self.assertEqual((got["value"], got["version"]), ({"n": 1}, put["version"]))
            count = await queen.kv.incr("app", "c", delta=5, ttl_seconds=60)
            self.assertEqual(count["value"], 5)
            self.assertTrue((await queen.kv.delete("app", "k"))["applied"])

        self.run_with_client(work)

    def test_a_deleted_queue_is_gone(self):
        async def work(queen):
            await queen.queue("orders").push([{"data": 1}])
            await queen.queue("orders").delete()
            self.assertEqual((await queen.queue("orders").changed_since())["partitions"], [])

        self.run_with_client(work)


if __name__ == "__main__":
    broker_process.main()
