"""Events over HTTP: what is answered, and what is in ready/ afterwards."""

import gzip
import shutil
import signal
import socket
import subprocess
import unittest

import pyarrow

from harness import wait_until
from http_client import DATASETS, TOPIC, HttpPipeline, drain, lines


class HttpTest(unittest.TestCase):
    def running(self, *arguments, **options):
        pipeline = HttpPipeline(*arguments, **options)
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        return pipeline, child

    def expect_answer(self, answer, status, words):
        self.assertEqual(answer[0], status, answer)
        self.assertIn(words, answer[2])

    def test_what_curl_posts_becomes_rows(self):
        pipeline, child = self.running()
        url = f"http://127.0.0.1:{pipeline.ingest}{TOPIC}"
        said = subprocess.run(
            [shutil.which("curl"), "-sS", "-H", "Content-Type: application/x-ndjson", "--data-binary", "@-", url],
            input=lines(range(1000)), capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(said.stdout, b'{"accepted":1000}')
        chunked = subprocess.run(
            [shutil.which("curl"), "-sS", "-T", "-", "-X", "POST", "-H", "Content-Type: application/x-ndjson", url],
            input=lines(range(1000, 1500)), capture_output=True, check=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(chunked.stdout, b'{"accepted":500}')
        self.assertEqual(drain(child), 0, pipeline.log())
        rows = pipeline.query("events", "n, robot, _source, _topic")
        self.assertEqual(rows, [(n, "r7", "ingest", "robots/r7/telemetry") for n in range(1500)])

    def test_compressed_bodies(self):
        pipeline, child = self.running()
        zstd = pyarrow.Codec("zstd").compress(lines(range(100, 200)), asbytes=True)
        self.assertEqual(pipeline.post(gzip.compress(lines(range(100))), Content_Encoding="gzip")[0], 202)
        self.assertEqual(pipeline.post(zstd, Content_Encoding="zstd")[0], 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), list(range(200)))

    def test_a_bad_event_is_rejected_by_the_rules_and_the_rest_is_rows(self):
        pipeline, child = self.running()
        body = lines([1]) + b"{\n" + b'{"n":7.5}\n' + b"\xff\n" + lines([2])
        self.expect_answer(pipeline.post(body), 202, '"accepted":5')
        self.expect_answer(pipeline.post(b'{"n":3}', "/v1/events/elsewhere", "application/json"), 202, '"accepted":1')
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), [1, 2])
        for reason, count in ((b"decode.json", 1), (b"schema.narrowing", 1), (b"decode.utf8", 1), (b"unmatched", 1)):
            self.assertEqual(pipeline.rejects().count(reason), count, reason)

    def test_a_request_at_fault_is_told_and_nothing_of_it_is_taken(self):
        pipeline, child = self.running(extra="wal: { max_record_bytes: 100 }", source="max_body_bytes: 1000")
        long = lines([1]) + lines([2], note="x" * 100)
        self.expect_answer(pipeline.post(long), 413, "line 2 has 120 bytes, the limit is 100; nothing was taken")
        self.expect_answer(pipeline.post(lines([3], note="x" * 100), content_type="text/plain"), 413, "the event has")
        self.expect_answer(pipeline.post(b"\n" * 1001), 413, '"limit_bytes":1000')
        bomb = gzip.compress(b"1\n" * 1000)
        self.expect_answer(pipeline.post(bomb, Content_Encoding="gzip"), 413, "limit of 1000 bytes")
        self.expect_answer(pipeline.post(bomb, Content_Encoding="br"), 415, "known are gzip, zstd")
        self.expect_answer(pipeline.post(b"no gzip", Content_Encoding="gzip"), 400, "gzip body")
        self.expect_answer(pipeline.post(lines([4]), "/v1/events/a/%23"), 400, "wildcard")
        self.expect_answer(pipeline.post(lines([5]), "/v2/events"), 404, "/v1/events/<topic>")
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual((pipeline.numbers(), pipeline.rejects().count(b"decode")), ([], 0))

    def test_one_request_holds_65536_events_at_most(self):
        pipeline, child = self.running()
        self.expect_answer(pipeline.post(b"1\n" * 65_537), 413, "line 65537: a request holds 65536 events at most")
        self.expect_answer(pipeline.post(b"1\n" * 65_536), 202, '"accepted":65536')
        self.assertEqual(drain(child), 0, pipeline.log())

    def test_the_token_of_the_file_is_wanted(self):
        pipeline = HttpPipeline()
        self.addCleanup(pipeline.close)
        token = pipeline.folder / "token"
        text = pipeline.file.read_text()
        pipeline.file.write_text(text.replace(f'{pipeline.ingest}" }}', f'{pipeline.ingest}", token_file: {token} }}'))
        for content, words in ((None, "No such file"), ("", "it is empty"), ("two words", "printable ASCII")):
            if content is not None:
                token.write_text(content)
            done = pipeline.run()
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"source ingest: token_file {token}: ", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertNotIn("two words", done.stderr)
        token.write_text("s3cret\n")
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(pipeline.post(lines([1]))[0], 401)
        self.assertEqual(pipeline.post(lines([1]), Authorization="Bearer s3cre")[0], 401)
        self.assertEqual(pipeline.post(lines([2]), Authorization="Bearer s3cret")[0], 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), [2])
        self.assertNotIn("s3cret", pipeline.log())

    def test_an_open_address_without_a_token_is_refused(self):
        pipeline = HttpPipeline()
        self.addCleanup(pipeline.close)
        pipeline.file.write_text(pipeline.file.read_text().replace('"127.0.0.1:', '"0.0.0.0:'))
        done = pipeline.run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("a `token_file` is needed", done.stderr)

    def test_an_address_in_use_ends_the_start(self):
        pipeline = HttpPipeline()
        self.addCleanup(pipeline.close)
        with socket.create_server(("127.0.0.1", pipeline.ingest)):
            done = pipeline.run()
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"source ingest: cannot listen on 127.0.0.1:{pipeline.ingest}", done.stderr)

    def test_without_finalize_on_shutdown_the_next_run_goes_on(self):
        pipeline, child = self.running("{ finalize_on_shutdown: false }")
        self.assertEqual(pipeline.post(lines(range(100)))[0], 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.ready("events"), [])
        pipeline.write(DATASETS, sources=pipeline.sources(""))
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), list(range(100)))

    def test_a_request_under_way_is_answered_before_the_end(self):
        pipeline, child = self.running()
        with socket.create_connection(("127.0.0.1", pipeline.ingest), timeout=60) as client:
            self.begin(client)
            child.send_signal(signal.SIGTERM)
            wait_until(lambda: not pipeline.listens(), "the source to stop listening")
            client.sendall(b'{"n":9}')
            self.assertIn(b" 202 ", client.recv(1000))
        self.assertEqual(child.wait(timeout=60), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), [9])

    def test_a_second_sigterm_leaves_at_once_and_loses_nothing(self):
        pipeline, child = self.running()
        self.assertEqual(pipeline.post(lines([1]))[0], 202)
        with socket.create_connection(("127.0.0.1", pipeline.ingest), timeout=60) as client:
            self.begin(client)
            child.send_signal(signal.SIGTERM)
            wait_until(lambda: not pipeline.listens(), "the source to stop listening")
            self.assertIsNone(child.poll())
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(timeout=60), 128 + signal.SIGTERM)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), [1])

    def begin(self, client):
        """A request of which the server has the header and lacks the body."""
        client.sendall(f"POST {TOPIC} HTTP/1.1\r\nHost: t\r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n".encode())
        self.assertIn(b" 100 ", client.recv(1000))

    def test_a_client_that_dawdles_is_cut(self):
        pipeline, child = self.running(source="request_timeout: 1")
        with socket.create_connection(("127.0.0.1", pipeline.ingest), timeout=60) as client:
            self.begin(client)
            self.assertEqual(client.recv(1000), b"")
        self.assertEqual(pipeline.post(lines([1]))[0], 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), [1])

    def test_one_request_of_each_kind_fits_whatever_else(self):
        """Refusals for want of memory end by themselves: a client that comes again is served."""
        pipeline, child = self.running()
        body = lines(range(8), note="x" * 1_000_000)
        for _ in range(20):
            self.assertEqual(pipeline.post(body)[0], 202)
            self.assertEqual(pipeline.post(gzip.compress(body, 1), Content_Encoding="gzip")[0], 202)
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(len(pipeline.numbers()), 320)


if __name__ == "__main__":
    unittest.main(verbosity=2)
