"""Pushes events exactly once, across kills of any process. The broker's own log says what it has: the next event of a
partition is the one whose offset comes after the partition's last, so nothing is kept on this side. A request whose
answer was lost may still arrive after the log was read again: its transaction ids make the broker drop it."""

import http.client
import json
import time

QUEUE = "flights"


class Broker:
    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def call(self, path, body):
        """The answer's JSON; OSError when there is none, or it is no success."""
        try:
            self.connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            text = answer.read()
        except (http.client.HTTPException, OSError) as error:
            self.connection.close()
            raise OSError(f"{path}: {error!r}") from error
        if answer.status // 100 != 2:
            raise OSError(f"{path}: {answer.status} {text[:200]!r}")
        return json.loads(text)

    def make_queue(self):
        """Makes the queue if it is not there: a lake that finds none looks again only after a minute."""
        options = {"retentionEnabled": False}
        self.call("/api/v1/configure", json.dumps({"queue": QUEUE, "options": options}))

    def next_offsets(self):
        """The offset after the last, for every partition the broker knows."""
        found, cursor = {}, None
        while True:
            entry = {"queue": QUEUE, "since": None, "after": cursor, "limit": 1000}
            answer = self.call("/api/v1/partitions/changed", json.dumps({"entries": [entry]}))["entries"][0]
            if answer.get("error") == "UNKNOWN_TOPIC_OR_PARTITION":
                return found
            if "error" in answer:
                raise OSError(f"partitions/changed: {answer['error']}")
            for partition in answer["partitions"]:
                found[partition["name"]] = partition["lastOffset"] + 1
            cursor = answer["next"]
            if cursor is None:
                return found

    def push(self, events):
        """Payloads are spliced in as they are: the lake will hold these very bytes."""
        items = ",".join(
            f'{{"queue":"{QUEUE}","partition":{json.dumps(event.partition)},'
            f'"transactionId":{json.dumps(event.transaction)},"payload":{event.payload}}}'
            for event in events
        )
        statuses = [item["status"] for item in self.call("/api/v1/push", f'{{"items":[{items}]}}')]
        if any(status not in ("queued", "duplicate") for status in statuses) or len(statuses) != len(events):
            raise OSError(f"push: {sorted(set(statuses))}, {len(statuses)} of {len(events)}")


class Pusher:
    """Pushes in order, one batch at a time, at most `rate` events a second."""

    def __init__(self, broker, events, batch, rate):
        self.broker, self.events, self.batch, self.rate = broker, events, batch, rate
        self.pending, self.due = [], time.monotonic()
        self.look()

    def look(self):
        """Reads the broker's log and drops from the list what it has."""
        known = self.broker.next_offsets()
        self.pending = [event for event in self.events if event.offset >= known.get(event.partition, 0)]

    @property
    def pushed(self):
        return len(self.events) - len(self.pending)

    def step(self):
        """Pushes one batch if one is due. OSError: look() again before the next step."""
        if not self.pending or time.monotonic() < self.due:
            return
        batch = self.pending[: self.batch]
        self.broker.push(batch)
        self.pending = self.pending[len(batch) :]
        self.due = max(self.due, time.monotonic() - 1) + len(batch) / self.rate
