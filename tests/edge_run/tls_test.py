"""An http source under TLS, and its clients: Python's, curl, one that speaks plain HTTP, some that do not go on."""

import contextlib
import json
import re
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from certificates import Authority, new_authority
from harness import wait_until
from http_client import LINES, TOPIC, HttpPipeline, TlsPipeline, drain, lines

SLOW_CLIENTS = 100
BEGIN_OF_A_HANDSHAKE = bytes.fromhex("160301 0200 01")  # a record of 512 bytes, and the first of them


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory(prefix="tidemark-tls-")
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = Path(scratch.name)
        cls.authority = new_authority(cls.folder)
        cls.certificate, cls.key = cls.authority.certificate("gw-01")

    def running(self, **more):
        pipeline = TlsPipeline(self.authority.file, self.certificate, self.key, **more)
        self.addCleanup(pipeline.close)
        child = pipeline.start_listening()
        self.addCleanup(child.kill)
        return pipeline, child

    def curl(self, pipeline, *arguments, scheme="https"):
        url = f"{scheme}://127.0.0.1:{pipeline.ingest}{TOPIC}"
        common = ["curl", "--silent", "--show-error", "--max-time", "60", "--header", f"Content-Type: {LINES}"]
        return subprocess.run([*common, *arguments, url], capture_output=True, text=True, timeout=90)

    def expect_numbers(self, pipeline, child, numbers):
        self.assertEqual(drain(child), 0, pipeline.log())
        self.assertEqual(pipeline.numbers(), numbers)

    def test_python_posts_with_the_authority_s_file(self):
        pipeline, child = self.running()
        with contextlib.closing(pipeline.connect()) as connection:
            for n in range(5):
                connection.request("POST", TOPIC, lines([n]), {"Content-Type": LINES})
                answer = connection.getresponse()
                self.assertEqual((answer.status, json.load(answer)), (202, {"accepted": 1}))
        self.expect_numbers(pipeline, child, list(range(5)))

    def test_a_body_of_many_records_of_tls_is_taken_whole(self):
        pipeline, child = self.running()
        self.assertEqual(pipeline.post(lines(range(2000), note="x" * 500))[0], 202)
        self.expect_numbers(pipeline, child, list(range(2000)))

    def test_curl_posts_with_the_authority_s_file(self):
        pipeline, child = self.running()
        done = self.curl(pipeline, "--cacert", self.authority.file, "--data-binary", '{"n":1}\n{"n":2}')
        self.assertEqual((done.returncode, done.stdout), (0, '{"accepted":2}'), done.stderr)
        self.expect_numbers(pipeline, child, [1, 2])

    def test_who_does_not_know_the_authority_sends_nothing(self):
        pipeline, child = self.running()
        self.assertEqual(self.curl(pipeline, "--data-binary", '{"n":1}').returncode, 60)
        pipeline.context = ssl.create_default_context()
        with self.assertRaises(ssl.SSLCertVerificationError):
            pipeline.post(lines([2]))
        cut = 'tidemark_edge_requests_cut_total{source="ingest",why="handshake"} 2\n'
        wait_until(lambda: cut in pipeline.get("/metrics")[1], "both to be counted")
        self.expect_numbers(pipeline, child, [])

    def test_plain_http_is_told_to_use_tls(self):
        pipeline, child = self.running()
        done = self.curl(pipeline, "--write-out", " %{http_code}", "--data-binary", '{"n":1}', scheme="http")
        self.assertEqual(done.stdout, '{"error":"this port speaks TLS: use https"} 400', done.stderr)
        self.assertIn('tidemark_edge_requests_total{source="ingest",code="400"} 1\n', pipeline.get("/metrics")[1])
        self.expect_numbers(pipeline, child, [])

    def test_clients_that_do_not_go_on_are_cut_and_hold_nobody_up(self):
        pipeline, child = self.running(source="request_timeout: 1")
        with contextlib.ExitStack() as slow:
            clients = [slow.enter_context(socket.create_connection(("127.0.0.1", pipeline.ingest))) for _ in range(SLOW_CLIENTS)]
            for client in clients[1:]:  # the first says nothing at all
                client.sendall(BEGIN_OF_A_HANDSHAKE)
            self.assertEqual(pipeline.post(lines([1]))[0], 202)
            for client in clients:
                client.settimeout(60)
                self.assertEqual(client.recv(1), b"")
        self.expect_numbers(pipeline, child, [1])

    def test_a_certificate_with_those_above_it_is_sent_with_them(self):
        middle, middle_key = self.authority.certificate("middle", "basicConstraints=critical,CA:TRUE")
        certificate, key = Authority(self.folder, middle, middle_key).certificate("leaf")
        both = self.folder / "chain.pem"
        both.write_text(certificate.read_text() + middle.read_text())
        for file, taken in ((both, True), (certificate, False)):
            pipeline = TlsPipeline(self.authority.file, file, key)
            self.addCleanup(pipeline.close)
            child = pipeline.start_listening()
            self.addCleanup(child.kill)
            done = self.curl(pipeline, "--cacert", self.authority.file, "--data-binary", '{"n":1}')
            self.assertEqual(done.returncode == 0, taken, done.stderr)
            self.expect_numbers(pipeline, child, [1] if taken else [])

    def test_files_of_no_use_end_the_start_and_the_validation(self):
        other = self.authority.certificate("other")[1]
        nowhere = self.folder / "nowhere.pem"
        for certificate, key, message in (
            (nowhere, self.key, f"certificate_file {nowhere}: "),
            (self.certificate, nowhere, f"key_file {nowhere}: "),
            (self.key, self.key, f"certificate_file {self.key}: it holds no certificate in PEM"),
            (self.certificate, other, f"key_file {other}: it is not the key of the certificate in {self.certificate}"),
        ):
            with self.subTest(message):
                pipeline = TlsPipeline(self.authority.file, certificate, key)
                self.addCleanup(pipeline.close)
                for done in (pipeline.validate(), pipeline.run()):
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(f"source ingest: {message}", done.stderr)

    def test_validate_tells_how_long_the_certificate_is_good(self):
        pipeline = TlsPipeline(self.authority.file, self.certificate, self.key)
        self.addCleanup(pipeline.close)
        done = pipeline.validate()
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.search(rf"TLS with the certificate of {self.certificate}, good until (\S+)\n", done.stdout).group(1)
        judged = subprocess.run(
            ["openssl", "x509", "-in", self.certificate, "-noout", "-enddate", "-dateopt", "iso_8601"],
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(said[:19], judged.stdout.strip().removeprefix("notAfter=").replace(" ", "T")[:19])

    def test_a_key_alone_is_not_enough_for_the_file(self):
        pipeline = HttpPipeline(source=f"tls: {{ key_file: {self.key} }}")
        self.addCleanup(pipeline.close)
        done = pipeline.validate()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"pipeline.yaml:\d+: sources\[0\].config.tls: `?certificate_file")


if __name__ == "__main__":
    unittest.main(verbosity=2)
