"""How `tidemark lake` starts and what its exit codes say (queen-interface 12): the boot line, then the listener, then the
probes of broker and bucket.

Environment: TIDEMARK_BINARY, VERSITYGW.
"""

import contextlib
import http.client
import http.server
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import harness  # noqa: E402

DRAINED, CANNOT_LISTEN, BAD_CONFIGURATION, UNREACHABLE = 0, 1, 2, 3


class Silent:
    """A peer that takes calls and does not answer."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def called(self):
        self.socket.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            self.socket.accept()[0].close()
            return True
        return False

    def await_call(self):
        self.socket.settimeout(60)
        return self.socket.accept()[0]

    def stop(self):
        self.socket.close()


class Stranger(http.server.BaseHTTPRequestHandler):
    """Answers every call with a page, and with the region of a bucket that lies elsewhere."""

    def serve(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b"" if self.command == "HEAD" else b"<html>hello</html>"
        self.send_response(301 if self.command == "HEAD" else 200)
        self.send_header("x-amz-bucket-region", "eu-west-1")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_HEAD = serve

    def log_message(self, *_):
        pass


class Boot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="tidemark-boot-")
        self.addCleanup(shutil.rmtree, self.folder)

    def start_broker(self):
        broker = harness.Broker(self.folder)
        broker.start()
        self.addCleanup(broker.process.kill)
        return broker

    def silent(self):
        peer = Silent()
        self.addCleanup(peer.stop)
        return peer

    def stranger(self):
        """Port of a server that is neither broker nor bucket."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_port

    def bucket_at(self, port):
        """A store that is an S3 endpoint of that port."""
        keys = {"QUEEN_S3_ACCESS_KEY": "AK", "QUEEN_S3_SECRET_KEY": "SK", "QUEEN_S3_BUCKET": "lake"}
        env = {"QUEEN_S3_ENDPOINT": f"http://127.0.0.1:{port}", "QUEEN_S3_REGION": "us-east-1", **keys}
        return SimpleNamespace(env=lambda: {**env, "QUEEN_S3_PATH_STYLE": "true"})

    def lake(self, broker, store=None, **env):
        return harness.Lake(self.folder, broker, store or harness.DirectoryStore(self.folder), **env)

    def ends_with(self, lake, code, *sentences):
        done = subprocess.run(
            [harness.BINARY, "lake"], env={**os.environ, **lake.env}, capture_output=True, text=True, timeout=120, check=False
        )
        self.assertEqual(done.returncode, code, done.stderr)
        for sentence in sentences:
            self.assertIn(sentence, done.stderr)
        return done.stderr.splitlines()

    def test_a_start_stop_and_its_exit_code(self):
        lake = self.lake(self.start_broker())
        running = lake.start()
        self.addCleanup(running.kill)
        port = int(lake.env["QUEEN_S3_LISTEN"].rsplit(":", 1)[1])
        harness.wait_until(lambda: self.healthz(port), "the listener")
        self.assertEqual(running.terminate(), DRAINED)

    def healthz(self, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("GET", "/healthz")
            return connection.getresponse().status
        return None

    def test_the_boot_line_and_the_listener_are_there_before_the_broker_is_asked(self):
        broker = self.silent()
        lake = self.lake(broker)
        running = lake.start()
        self.addCleanup(running.kill)
        with broker.await_call():
            self.assertTrue(running.log.read_text().startswith("queen-s3 "), running.log.read_text())
            port = int(lake.env["QUEEN_S3_LISTEN"].rsplit(":", 1)[1])
            self.assertEqual(self.healthz(port), 200)

    def test_a_taken_address_ends_it_with_1_before_anybody_is_asked(self):
        broker, bucket = self.silent(), self.silent()
        taken = f"127.0.0.1:{bucket.port}"
        lake = self.lake(broker, self.bucket_at(bucket.port), QUEEN_S3_LISTEN=taken)
        lines = self.ends_with(lake, CANNOT_LISTEN, "queen-s3: QUEEN_S3_LISTEN: cannot listen on " + taken)
        self.assertTrue(lines[0].startswith("queen-s3 "), "the boot line comes first")
        self.assertFalse(broker.called() or bucket.called())

    def test_a_broker_that_is_down_ends_it_with_3_before_the_bucket_is_asked(self):
        broker, bucket = SimpleNamespace(url=f"http://127.0.0.1:{harness.free_port()}"), self.silent()
        lake = self.lake(broker, self.bucket_at(bucket.port))
        self.ends_with(lake, UNREACHABLE, f"queen-s3: the broker at {broker.url} does not answer; check QUEEN_URL")
        self.assertFalse(bucket.called())

    def test_a_bucket_that_is_down_ends_it_with_3(self):
        port = harness.free_port()
        lake = self.lake(self.start_broker(), self.bucket_at(port))
        self.ends_with(lake, UNREACHABLE, f"queen-s3: the bucket lake at http://127.0.0.1:{port} does not answer; check")

    def test_a_stranger_in_place_of_broker_or_bucket_is_told_from_silence(self):
        port = self.stranger()
        page = SimpleNamespace(url=f"http://127.0.0.1:{port}")
        answered = f"queen-s3: the broker at {page.url} answered, but not as a Queen broker; check QUEEN_URL"
        self.ends_with(self.lake(page), UNREACHABLE, answered)
        elsewhere = self.lake(self.start_broker(), self.bucket_at(port))
        answered = f"queen-s3: the bucket lake at {page.url} answered, but not as that S3 bucket; check"
        self.ends_with(elsewhere, UNREACHABLE, answered, "QUEEN_S3_REGION", "the bucket is in region eu-west-1")

    def test_a_bad_setting_ends_it_with_2_and_no_boot_line(self):
        broker = self.silent()
        lines = self.ends_with(self.lake(broker, QUEEN_S3_ALIGN="minute"), BAD_CONFIGURATION, 'QUEEN_S3_ALIGN is "minute"')
        self.assertTrue(lines[0].startswith("queen-s3: "), lines)
        self.assertFalse(broker.called())

    def test_static_partitions_are_refused_after_the_boot_line_and_before_the_listener(self):
        broker = self.silent()
        lake = self.lake(broker, QUEEN_S3_PARTITIONS="orders:a", QUEEN_S3_LISTEN=f"127.0.0.1:{broker.port}")
        lines = self.ends_with(lake, BAD_CONFIGURATION, "queen-s3: QUEEN_S3_PARTITIONS")
        self.assertTrue(lines[0].startswith("queen-s3 "), lines)
        self.assertFalse(broker.called())


if __name__ == "__main__":
    unittest.main()
