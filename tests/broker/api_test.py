"""The HTTP face as queen-interface 1 has it: shapes of answers, refusals by status and code, ceilings, and what a broken or
busy database looks like from outside."""

import contextlib
import json
import sqlite3
import threading

import broker_process

KIB, MIB = 1 << 10, 1 << 20
CALL_BYTES = 64 * MIB
ENTRY_RECORDS = 10_000
VALUE_BYTES = 65_536
READ_BUDGET_BYTES = 4 * MIB
PUSH, FETCH, CHANGED = "/api/v1/push", "/api/v1/fetch", "/api/v1/partitions/changed"
KV, CONFIGURE, QUEUES = "/api/v1/kv", "/api/v1/configure", "/api/v1/resources/queues"


def op(name, **fields):
    return {"ns": "queen-s3", "op": name, **fields}


def put(key, value=1, **fields):
    return op("put", key=key, value=value, **({"forever": True} | fields))


def lane(partition, **fields):
    return {"queue": "q", "partition": partition, "offset": 0, **fields}


class Calls(broker_process.BrokerCase):
    """A broker for each test, and the calls to it."""

    def setUp(self):
        super().setUp()
        self.broker = self.start_broker()

    def post(self, path, body):
        return self.broker.call("POST", path, body)

    def kv(self, *operations):
        status, answer = self.post(KV, {"operations": list(operations)})
        self.assertEqual(status, 200, answer)
        return answer["results"]

    def configured(self, **options):
        return self.post(CONFIGURE, {"queue": "q", "options": options})

    def refused(self, path, body, status, **expected):
        code, answer = self.post(path, body)
        self.assertEqual(code, status, answer)
        for field, part in expected.items():
            self.assertIn(part, answer[field], answer)


class Shapes(Calls):
    def test_an_element_of_push_for_each_item(self):
        item = {"queue": "q", "partition": "a", "transactionId": "t-1", "payload": {"n": 1}}
        unnamed = {"queue": "q", "payload": None}
        status, answer = self.broker.push([item, unnamed, item])
        self.assertEqual(status, 201)
        self.assertEqual([e["index"] for e in answer], [0, 1, 2])
        self.assertEqual([e["status"] for e in answer], ["queued", "queued", "duplicate"])
        self.assertEqual({e["queueName"] for e in answer}, {"q"})
        self.assertEqual([answer[0]["transaction_id"], answer[2]["transaction_id"]], ["t-1", "t-1"])
        self.assertEqual(answer[1]["transaction_id"], answer[1]["message_id"], "an id is minted where none was given")
        self.assertEqual(len({e["message_id"] for e in answer[:2]}), 2)
        (record,) = self.broker.read_lane("q", "Default")
        self.assertEqual((record["transactionId"], record["payload"]), (answer[1]["transaction_id"], None))

    def test_a_record_has_four_fields_in_their_order_and_its_payload_as_sent(self):
        self.post(PUSH, '{"items":[{"queue":"q","transactionId":"t","payload": {"a" : 1.50, "b":[ ]} }]}')
        _, answer = self.post(FETCH, {"entries": [{"queue": "q", "offset": 0}]})
        (record,) = answer["entries"][0]["records"]
        self.assertEqual(list(record), ["offset", "transactionId", "payload", "ts"])
        self.assertRegex(record["ts"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertEqual((answer["entries"][0]["highWatermark"], answer["entries"][0]["logStartOffset"]), (1, 0))

    def test_bounds_and_markers_of_a_fetch(self):
        self.broker.push([{"queue": "q", "partition": "a", "payload": n} for n in range(3)])
        entries = [lane("a", offset=3), lane("a", offset=4), lane("unwritten"), lane("unwritten", offset=1)]
        _, answer = self.post(FETCH, {"entries": [*entries, {"queue": "nowhere", "partition": "a", "offset": 0}]})
        out, unknown = "OFFSET_OUT_OF_RANGE", "UNKNOWN_TOPIC_OR_PARTITION"
        seen = [(e["highWatermark"], e["logStartOffset"], e.get("error")) for e in answer["entries"]]
        self.assertEqual(seen, [(3, 0, None), (3, 0, out), (0, 0, None), (0, 0, out), (0, 0, unknown)])
        self.assertEqual(self.post(FETCH, {"entries": []}), (200, {"entries": []}))

    def test_queues_are_listed_with_and_without_live_counters(self):
        self.broker.push([{"queue": name, "payload": 1} for name in ("b", "a")])
        for path in (QUEUES, QUEUES + "?stats=cached"):
            status, answer = self.broker.call("GET", path)
            self.assertEqual((status, sorted(q["name"] for q in answer["queues"])), (200, ["a", "b"]))

    def test_configure_replaces_everything_and_shows_it(self):
        status, answer = self.configured(retentionEnabled=True, retentionSeconds=7, completedRetentionSeconds=9)
        self.assertEqual((status, answer["configured"]), (200, True))
        options = answer["options"]
        self.assertEqual((options["retentionSeconds"], options["completedRetentionSeconds"]), (7, 9))
        options = self.configured(maxWaitTimeSeconds=0)[1]["options"]
        self.assertEqual((options["retentionEnabled"], options["completedRetentionSeconds"]), (False, 0))


class Refusals(Calls):
    def test_bodies_that_are_wrong_are_400_and_say_why(self):
        deep = "[" * 2000
        for path, body, reason in (
            (PUSH, "{", "bad body: "),
            (PUSH, {}, "items is missing"),
            (PUSH, {"items": [{"queue": "q"}]}, "items[0] has no payload"),
            (PUSH, {"items": [{"queue": "", "payload": 1}]}, "queue is empty"),
            (PUSH, b'{"items":[{"queue":"\xff","payload":1}]}', "not UTF-8"),
            (PUSH, '{"items":[{"queue":"q","payload":%s}]}' % deep, "bad body: "),
            (FETCH, {"entries": [lane("a")] * 1025}, "bad body: "),
            (FETCH, {"entries": [lane("a", offset=-1)]}, "offset"),
            (FETCH, {"entries": [{"queue": "q"}]}, "offset"),
            (CHANGED, {"entries": [{"queue": "q"}] * 65}, "bad body: "),
            (CHANGED, {"entries": [{"queue": ""}]}, "queue"),
            (CHANGED, {"entries": [{"queue": "q", "since": "yesterday"}]}, 'since: "yesterday" is not a UTC time'),
            (CONFIGURE, {"options": {}}, "queue is missing"),
            (CONFIGURE, {"queue": "q", "options": {"retentionSeconds": -1}}, "options.retentionSeconds is -1; 0 to"),
            (CONFIGURE, {"queue": "q", "options": {"completedRetentionSeconds": "no"}}, "bad body: "),
            (CONFIGURE, {"queue": "q", "options": {"retentionSinkHold": "a/b"}}, "retentionSinkHold takes"),
        ):
            with self.subTest(path=path, body=str(body)[:60]):
                self.refused(path, body, 400, error=reason)

    def test_kv_operations_that_are_wrong_are_kv_bad_request_with_their_reason(self):
        for operation, reason in (
            (op("put", key="k", value=1), "kv_expiry_not_specified"),
            (put("k", ttlSeconds=5), "kv_expiry_ambiguous"),
            (op("put", key="k", value=1, ttlSeconds=0), "kv_bad_ttl"),
            (put("k", expect=None), "kv_bad_expect"),
            (put("k", expect=-1), "kv_bad_expect"),
            (op("steal", key="k"), "kv_unknown_op"),
            (op("getPrefix"), "kv_prefix_required"),
            (op("getMany", keys=["k"] * 1025), "kv_too_many_keys"),
            (put("k", tenant="t"), "kv_tenant_not_an_input"),
        ):
            with self.subTest(operation=str(operation)[:80]):
                self.refused(KV, {"operations": [operation]}, 400, error="kv_bad_request", reason=reason)
        self.refused(KV, [op("get", key="k")] * 257, 400, error="kv_bad_request", reason="kv_too_many_ops")
        self.refused(KV, "{", 400, error="kv_bad_request")

    def test_a_value_above_64_kib_is_413_and_nothing_of_its_batch_is_written(self):
        largest = "x" * (VALUE_BYTES - 2)
        self.assertTrue(self.kv(put("largest", largest))[0]["applied"])
        batch = {"operations": [put("beside"), put("larger", largest + "x")]}
        self.refused(KV, batch, 413, error="payload_too_large")
        self.assertEqual([r["found"] for r in self.kv(op("get", key="beside"), op("get", key="larger"))], [False, False])

    def test_a_body_above_64_mib_is_413_and_nothing_of_it_is_pushed(self):
        frame = '{"items":[{"queue":"q","payload":"%s"}]}'
        self.refused(PUSH, frame % ("x" * CALL_BYTES), 413, error="payload_too_large")
        self.assertEqual(self.broker.call("GET", QUEUES)[1], {"queues": []})

    def test_another_method_is_405_and_another_path_404(self):
        for path, wrong in ((PUSH, "GET"), (FETCH, "GET"), (CHANGED, "PUT"), (KV, "DELETE"), (CONFIGURE, "GET"),
                            (QUEUES, "POST"), (QUEUES + "/q", "GET"), ("/health", "POST")):  # fmt: skip
            with self.subTest(path=path):
                self.assertEqual(self.broker.call(wrong, path, ""), (405, {"error": "method not allowed"}))
        for path in ("/", "/api/v1/pop", PUSH + "/", QUEUES + "s"):
            with self.subTest(path=path):
                self.assertEqual(self.broker.call("POST", path, "{}")[0], 404)


class Ceilings(Calls):
    def push_lanes(self, lanes, records, size):
        payload = '"' + "x" * (size - 2) + '"'
        for number in range(lanes):
            item = '{"queue":"q","partition":"%d","payload":%s}' % (number, payload)
            status, _ = self.post(PUSH, '{"items":[%s]}' % ",".join([item] * records))
            self.assertEqual(status, 201)

    def counts(self, entries, **call):
        _, answer = self.post(FETCH, {"entries": entries, **call})
        self.assertEqual([e for e in answer["entries"] if "error" in e], [])
        self.assertEqual(len(answer["entries"]), len(entries))
        return [len(e["records"]) for e in answer["entries"]]

    def test_a_call_spends_64_mib_in_the_order_of_its_entries(self):
        self.push_lanes(lanes=10, records=7, size=MIB)
        wanted = [lane(str(number), maxBytes=8 * MIB) for number in range(10)]
        counts = self.counts(wanted)
        self.assertEqual(counts[:9], [7] * 9, "63 MiB and the envelopes fit")
        self.assertEqual(counts[9], 0)
        self.assertEqual(self.counts(wanted[9:]), [7], "it comes with the next call")

    def test_a_share_above_8_mib_is_clamped(self):
        self.push_lanes(lanes=2, records=10, size=MIB)
        self.assertEqual(self.counts([lane("0", maxBytes=64 * MIB), lane("1", maxBytes=64 * MIB)]), [7, 7])

    def test_the_first_segment_of_a_call_comes_whatever_was_asked_for(self):
        self.push_lanes(lanes=3, records=1, size=3 * MIB)
        self.assertEqual(self.counts([lane("0", maxBytes=1), lane("1", maxBytes=1), lane("2")]), [1, 0, 0])
        self.assertEqual(self.counts([lane("1", maxBytes=0), lane("0", maxBytes=4 * MIB)]), [1, 1])

    def test_the_first_record_of_a_call_comes_although_its_text_is_above_64_mib(self):
        frame = '{"items":[{"queue":"q","partition":"huge","payload":"%s"}]}'
        size = CALL_BYTES - len(frame) + len("%s")
        self.assertEqual(self.post(PUSH, frame % ("x" * size))[0], 201)
        self.broker.push([{"queue": "q", "partition": "small", "payload": 1}])
        _, answer = self.post(FETCH, {"entries": [lane("huge"), lane("small")]})
        huge, small = (entry["records"] for entry in answer["entries"])
        self.assertEqual([len(record["payload"]) for record in huge], [size])
        self.assertGreater(len(json.dumps(huge)), CALL_BYTES)
        self.assertEqual(small, [], "that one used the call up")

    def test_an_entry_holds_10_000_records(self):
        self.broker.push([{"queue": "q", "partition": "a", "payload": n} for n in range(ENTRY_RECORDS + 1)])
        self.assertEqual(self.counts([lane("a", maxBytes=8 * MIB)]), [ENTRY_RECORDS])
        self.assertEqual(self.counts([lane("a", offset=ENTRY_RECORDS)]), [1])

    def test_reads_of_a_kv_call_share_4_mib_and_get_counts_too(self):
        value = "x" * (VALUE_BYTES - 2)
        rows = READ_BUDGET_BYTES // VALUE_BYTES
        self.kv(*(put(f"row-{n:03}", value) for n in range(rows)))
        keys = [f"row-{n:03}" for n in range(rows)]
        (whole,) = self.kv(op("getMany", keys=keys))
        self.assertEqual((len(whole["rows"]), whole["truncated"]), (rows, False))
        one, rest = self.kv(op("get", key="row-000"), op("getMany", keys=keys))
        self.assertTrue(one["found"])
        self.assertEqual((len(rest["rows"]), rest["missing"], rest["truncated"]), (rows - 1, [], True))


class Trouble(Calls):
    """What another process does to the database file stands in for a disk that fails."""

    @contextlib.contextmanager
    def database(self):
        with contextlib.closing(sqlite3.connect(self.broker.data / "broker.db", isolation_level=None)) as database:
            yield database

    def call_with_headers(self, path, body, answers):
        connection = broker_process.http.client.HTTPConnection("127.0.0.1", self.broker.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps(body))
            response = connection.getresponse()
            answers[path] = (response.status, response.getheader("Retry-After"), json.loads(response.read()))

    def test_a_store_that_is_busy_is_503_with_retry_after_and_nothing_is_done(self):
        self.broker.push([{"queue": "q", "partition": "a", "transactionId": "t-0", "payload": 0}])
        item = {"queue": "q", "partition": "a", "transactionId": "t-1", "payload": 1}
        bodies = {PUSH: {"items": [item]}, KV: {"operations": [put("k")]}}
        answers = {}
        with self.database() as database:
            database.execute("BEGIN IMMEDIATE")
            calls = [threading.Thread(target=self.call_with_headers, args=(*call, answers)) for call in bodies.items()]
            for call in calls:
                call.start()
            for call in calls:
                call.join()
            database.execute("ROLLBACK")
        self.assertEqual({path: answer[:2] for path, answer in answers.items()}, dict.fromkeys(bodies, (503, "1")))
        self.assertEqual(answers[KV][2]["error"], "kv_unavailable")
        self.assertFalse(self.kv(op("get", key="k"))[0]["found"])
        self.assertEqual(self.broker.push([item])[1][0]["status"], "queued", "it was not taken the first time")
        self.assertEqual([r["payload"] for r in self.broker.read_lane("q", "a")], [0, 1])

    def test_a_store_that_cannot_be_read_is_500_and_named(self):
        self.broker.push([{"queue": "q", "partition": "a", "payload": 0}])
        self.assertEqual(len(self.broker.read_lane("q", "a")), 1, "a reader has opened the store")
        for table, path, body, code in (
            ("kv", KV, {"operations": [op("get", key="k")]}, "kv_error"),
            ("segments", FETCH, {"entries": [lane("a")]}, "fetch failed"),
            ("segments", PUSH, {"items": [{"queue": "q", "partition": "a", "payload": 1}]}, "push failed"),
        ):
            with self.subTest(code=code), self.database() as database:
                database.execute(f"ALTER TABLE {table} RENAME TO gone")
                self.refused(path, body, 500, error=code, reason=table)
                database.execute(f"ALTER TABLE gone RENAME TO {table}")
                self.assertIn(self.post(path, body)[0], (200, 201), "it goes on when the store does")
        self.assertEqual([r["payload"] for r in self.broker.read_lane("q", "a")], [0, 1])


if __name__ == "__main__":
    broker_process.main()
