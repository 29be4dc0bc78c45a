"""The process: parked polls, credentials, signals, its folder."""

import json
import resource
import socket
import subprocess
import threading

import broker_process

POLLS = 1000
THREADS_MAX = 12


def fetch_request(wait_ms, min_bytes=1):
    entry = {"queue": "q", "partition": "a", "offset": 1}
    body = json.dumps({"entries": [entry], "maxWaitMs": wait_ms, "minBytes": min_bytes})
    return f"POST /api/v1/fetch HTTP/1.1\r\nHost: t\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()


def read_answer(connection):
    """(status line, decoded body)."""
    with connection.makefile("rb") as stream:
        status = stream.readline().decode()
        size = 0
        while (line := stream.readline().strip().lower()) != b"":
            if line.startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return status, json.loads(stream.read(size))


class Service(broker_process.BrokerCase):
    def parked(self, broker):
        return broker.call("GET", "/health")[1]["parkedPolls"]

    def park(self, broker, polls):
        connections = []
        for _ in range(polls):
            connection = socket.create_connection(("127.0.0.1", broker.port), timeout=60)
            self.addCleanup(connection.close)
            connection.sendall(fetch_request(30_000))
            connections.append(connection)
        self.eventually(lambda: self.parked(broker) == polls)
        return connections

    def test_a_thousand_parked_polls_cost_no_thread_each(self):
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        broker = self.start_broker()
        broker.push([{"queue": "q", "partition": "a", "payload": 0}])
        before = broker.threads()
        connections = self.park(broker, POLLS)
        self.assertEqual(broker.threads(), before)
        self.assertLessEqual(before, THREADS_MAX)
        broker.push([{"queue": "q", "partition": "a", "payload": "news"}])
        for connection in connections:
            status, answer = read_answer(connection)
            self.assertIn(" 200 ", status)
            self.assertEqual([r["payload"] for r in answer["entries"][0]["records"]], ["news"])
        self.assertEqual(self.parked(broker), 0)

    def test_a_poll_ends_when_its_queue_is_deleted(self):
        broker = self.start_broker()
        broker.push([{"queue": "q", "partition": "a", "payload": 0}])
        (connection,) = self.park(broker, 1)
        broker.call("DELETE", "/api/v1/resources/queues/q")
        _, answer = read_answer(connection)
        self.assertEqual(answer["entries"][0]["error"], "UNKNOWN_TOPIC_OR_PARTITION")

    def test_sigterm_answers_parked_polls_and_ends_with_0(self):
        broker = self.start_broker()
        broker.push([{"queue": "q", "partition": "a", "payload": 0}])
        (connection,) = self.park(broker, 1)
        answers = []
        reader = threading.Thread(target=lambda: answers.append(read_answer(connection)))
        reader.start()
        self.assertEqual(broker.stop(), 0)
        reader.join()
        status, answer = answers[0]
        self.assertIn(" 200 ", status)
        self.assertEqual(answer["entries"][0]["records"], [])

    def test_a_token_is_asked_for(self):
        (self.folder / "token").write_text("s3cret\n")
        broker = self.start_broker("--token-file", str(self.folder / "token"))
        queues = "/api/v1/resources/queues"
        self.assertEqual(broker.call("GET", queues)[0], 401)
        self.assertEqual(broker.call("GET", queues, headers={"Authorization": "Bearer wrong!"})[0], 401)
        self.assertEqual(broker.call("GET", queues, headers={"Authorization": "Bearer s3cret"})[0], 200)
        self.assertEqual(broker.call("GET", "/health")[0], 200)

    def test_a_second_broker_does_not_open_the_folder(self):
        broker = self.start_broker()
        second = subprocess.run(
            [broker_process.BINARY, "broker", "--data", str(broker.data), "--listen", "127.0.0.1:0"],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        self.assertEqual(second.returncode, 1)
        self.assertIn("in use by another broker", second.stderr)

    def test_a_bad_body_is_refused_whole(self):
        broker = self.start_broker()
        good = '{"queue":"q","partition":"a","payload":1}'
        status, answer = broker.call("POST", "/api/v1/push", '{"items":[%s,{"queue":"q","payload":tru}]}' % good)
        self.assertEqual(status, 400)
        self.assertIn("bad body", answer["error"])
        self.assertEqual(broker.call("GET", "/api/v1/resources/queues")[1], {"queues": []})

    def test_calls_that_are_not_there_say_so(self):
        broker = self.start_broker()
        self.assertEqual(broker.call("GET", "/api/v1/pop")[0], 404)
        self.assertEqual(broker.call("DELETE", "/api/v1/resources/queues/none")[0], 404)

    def test_retention_runs_by_itself(self):
        broker = self.start_broker("--housekeeping-seconds", "1")
        options = {"retentionEnabled": True, "retentionSeconds": 1}
        broker.call("POST", "/api/v1/configure", {"queue": "q", "options": options})
        broker.push([{"queue": "q", "partition": "a", "payload": 1}])

        def log_start():
            entry = {"queue": "q", "partition": "a", "offset": 1}
            return broker.call("POST", "/api/v1/fetch", {"entries": [entry]})[1]["entries"][0]["logStartOffset"]

        self.eventually(lambda: log_start() == 1)


if __name__ == "__main__":
    broker_process.main()
