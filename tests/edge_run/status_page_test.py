"""The status page of a running pipeline, over HTTP and in a real browser.

usage: status_page_test.py [FOLDER-FOR-SCREENSHOTS]
"""

import http.client
import re
import sys
import tempfile
import unittest
from pathlib import Path

from harness import wait_until
from http_client import HttpPipeline, drain, lines

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "operator"))

import browser  # noqa: E402

SHOTS = Path(sys.argv.pop() if len(sys.argv) > 1 else tempfile.mkdtemp())


class StatusPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pipeline = HttpPipeline("{ rotation: { max_age: 1 } }")
        cls.addClassCleanup(cls.pipeline.close)
        cls.child = cls.pipeline.start_listening()
        cls.addClassCleanup(lambda: drain(cls.child))
        cls.pipeline.post(lines(range(1234)) + b"{\n")
        cls.pipeline.post(b"1", "/elsewhere")
        wait_until(lambda: "1\u00a0234" in cls.facts("sink local")["rows finalized"], "the rows")

    @classmethod
    def page(cls):
        return cls.pipeline.get("/")[1]

    @classmethod
    def facts(cls, heading):
        section = cls.page().partition(f"<h2>{heading}</h2>")[2].partition("</section>")[0]
        return dict(re.findall(r"<dt>(.*?)</dt><dd.*?>(.*?)</dd>", section))

    def test_it_shows_what_happened(self):
        source = self.facts("source ingest")
        self.assertEqual(source["records taken in"], "1\u00a0235")
        self.assertEqual((source["answers 202"], source["answers 404"]), ("1", "1"))
        self.assertEqual(self.facts("write-ahead log")["last position"], "1\u00a0235")
        sink = self.facts("sink local")
        self.assertEqual((sink["behind intake"], sink["rejects"], sink["open segments"]), ("0 records", "1", "0"))
        self.assertIn("<tr><td>1</td><td>decode.json</td></tr>", self.page())
        self.assertIn('<p class="good">healthy</p>', self.page())

    def test_it_may_not_load_or_run_anything(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.pipeline.port, timeout=30)
        connection.request("GET", "/")
        answer = connection.getresponse()
        self.assertEqual(answer.headers["Content-Type"], "text/html; charset=utf-8")
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertNotRegex(answer.read().decode(), r"<(script|img|link|iframe)|\b(src|href)=")
        connection.close()
        self.assertEqual(self.pipeline.get("/nothing")[0], 404)

    def test_a_browser_shows_it_and_complains_of_nothing(self):
        dom, console = browser.document(f"http://127.0.0.1:{self.pipeline.port}/")
        self.assertEqual(console, [])
        self.assertIn("<h2>sink local</h2>", dom)

    def test_nothing_leaves_a_phone_s_screen(self):
        SHOTS.mkdir(parents=True, exist_ok=True)
        for width in (390, 1200):
            shot = SHOTS / f"pipeline-{width}.png"
            picture = browser.screenshot(f"http://127.0.0.1:{self.pipeline.port}/", shot, width, 1400)
            self.assertEqual(picture.width, width)
            margin = {colour for x in range(width - 8, width) for colour in picture.column(x)}
            self.assertEqual(margin, {b"\xff\xff\xff"}, f"something stands in the margin at {width}")
            self.assertGreater(len(picture.column(width // 2)), 10, "the page is blank")


if __name__ == "__main__":
    unittest.main(verbosity=2)
