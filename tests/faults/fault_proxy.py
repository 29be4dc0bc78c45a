"""An HTTP proxy before a real S3 server or broker that spoils a part of the calls, each in a way that real networks and
servers do."""

import http.client
import http.server
import random
import socket
import struct
import threading
import time

PIECE_BYTES = 64 << 10
FAULTS = ("late", "reset", "lost answer", "cut answer", "slow answer", "503", "500")


class Throttle:
    """Lets bytes pass at a rate that all connections share; None: as fast as they come."""

    def __init__(self, bytes_per_second=None):
        self.bytes_per_second, self.passed = bytes_per_second, 0
        self.lock, self.free_at = threading.Lock(), 0.0

    def take(self, count):
        with self.lock:
            rate, now = self.bytes_per_second, time.monotonic()
            self.passed += count
            self.free_at = max(self.free_at, now) + count / rate if rate else now
            wait = self.free_at - now
        time.sleep(wait)


class FaultProxy:
    """Serves on a free port until stopped. `spoil(method, path)` names the fault of a call, None for none; it is asked by
    one thread at a time. Request bodies are taken in as `throttle` allows."""

    def __init__(self, upstream_port, spoil, handler=None):
        self.spoil, self.lock, self.counts, self.throttle = spoil, threading.Lock(), {}, Throttle()
        self.released = threading.Event()  # calls that hang go on
        handler = type("Handler", (handler or Handler,), {"proxy": self, "upstream_port": upstream_port})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def fault_of(self, method, path):
        with self.lock:
            fault = self.spoil(method, path)
            self.counts[fault] = self.counts.get(fault, 0) + 1
            return fault

    def stop(self):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None
    upstream_port = 0

    def log_message(self, *_):
        pass

    def serve(self):
        body = self.take_body(int(self.headers.get("Content-Length", 0)))
        fault = self.proxy.fault_of(self.command, self.path)
        if fault in ("503", "500", "403"):
            self.refuse(int(fault))
            return
        if fault == "in a minute":
            self.refuse(503, retry_after=60)
            return
        if fault == "reset":
            self.reset()
            return
        if fault == "hang":
            self.proxy.released.wait()
        if fault == "late":
            time.sleep(0.5)
        status, headers, answer = self.forward(body)
        if fault == "lost answer":
            self.reset()
            return
        if fault == "kv_timeout":  # the broker's: whether the batch was committed it does not say, here it was
            self.refuse(503, b'{"error":"kv_unavailable","reason":"kv_timeout"}')
            return
        self.answer(status, headers, answer, fault)

    def take_body(self, length):
        body = bytearray()
        while len(body) < length:
            piece = self.rfile.read(min(PIECE_BYTES, length - len(body)))
            if not piece:
                break  # the client gave up
            body += piece
            self.proxy.throttle.take(len(piece))
        return bytes(body)

    do_GET = do_PUT = do_POST = do_HEAD = do_DELETE = serve

    def forward(self, body):
        # The Host header is part of what was signed: it goes on as it came.
        upstream = http.client.HTTPConnection("127.0.0.1", self.upstream_port, timeout=30)
        try:
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                upstream.putheader(name, value)
            upstream.endheaders(body)
            response = upstream.getresponse()
            return response.status, response.getheaders(), response.read()
        finally:
            upstream.close()

    def answer(self, status, headers, body, fault):
        self.send_response_only(status)
        length = len(body)
        for name, value in headers:
            if name.lower() == "content-length":
                length = int(value)  # of a HEAD: the object's
            elif name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if fault == "cut answer":
            self.wfile.write(body[: len(body) // 2])
            self.reset()
        elif fault == "slow answer":
            for at in range(0, len(body), 4096):
                self.wfile.write(body[at : at + 4096])
                time.sleep(0.01)
        else:
            self.wfile.write(body)

    def refuse(self, status, body=None, retry_after=1):
        code = {403: "AccessDenied", 500: "InternalError", 503: "SlowDown"}[status]
        body = body or f"<Error><Code>{code}</Code><Message>planted</Message></Error>".encode()
        self.send_response_only(status)
        if status == 503:
            self.send_header("Retry-After", str(retry_after))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def reset(self):
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True


def seeded(seed, share, faults=FAULTS):
    """Spoils that share of all calls, at random."""
    numbers = random.Random(seed)
    return lambda method, path: numbers.choice(faults) if numbers.random() < share else None
