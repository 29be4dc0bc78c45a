"""The status page of a real lake, over HTTP and in a real browser.

usage: status_page_test.py FOLDER-FOR-SCREENSHOTS   Environment: TIDEMARK_BINARY, VERSITYGW
"""

import html.parser
import http.client
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "crash"))

import browser  # noqa: E402
import harness  # noqa: E402

SHOTS = Path(sys.argv.pop())
LONG = "a-very-long.queue_name-that-goes-on-and-on-and-on-without-any-blank-to-break-it-at"
MARKUP = "<b>shop & co</b>"


class Texts(html.parser.HTMLParser):
    """Facts of each section: {heading: {term: value}}; and every tag."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.sections, self._open, self._heading, self._term = [], {}, "", "", ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._open = tag

    def handle_data(self, data):
        if not data.strip():
            return
        if self._open in ("h1", "h2"):
            self._heading = data
            self.sections[data] = {"state": ""}
        elif self._open == "dt":
            self._term = data
        elif self._open == "dd" and self._heading:
            self.sections[self._heading][self._term] = data
        elif self._open == "p" and self._heading:
            self.sections[self._heading]["state"] += data


class StatusPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tidemark-status-")
        cls.broker = harness.Broker(cls.folder)
        cls.broker.start()
        cls.store = harness.DirectoryStore(cls.folder)
        harness.fill(cls.broker, seed=1, records=2_000, lanes=7)
        for queue in (LONG, MARKUP):
            cls.broker.push([{"queue": queue, "partition": "a", "payload": {"n": 1}}])
        queues = f"orders,{LONG},{MARKUP},missing"
        env = {"QUEEN_S3_QUEUES": queues, "QUEEN_S3_MAX_WINDOW_MS": "200"}
        cls.lake = harness.Lake(cls.folder, cls.broker, cls.store, **env)
        cls.host = cls.lake.env["QUEEN_S3_LISTEN"]
        cls.running = cls.lake.start()
        harness.wait_until(lambda: len(harness.manifests(cls.store.snapshot())) >= 1, "a window")
        harness.wait_until(lambda: "stopped" in cls.sections().get("missing", {"state": ""})["state"], "the missing queue")
        harness.wait_until(lambda: cls.sections()[MARKUP]["last window"] == "1", "a window of the last queue")

    @classmethod
    def tearDownClass(cls):
        cls.running.kill()
        cls.broker.process.kill()
        shutil.rmtree(cls.folder)

    @classmethod
    def get(cls, path="/", method="GET"):
        connection = http.client.HTTPConnection(cls.host, timeout=30)
        try:
            connection.request(method, path)
            response = connection.getresponse()
            return response, response.read().decode()
        except OSError:
            return None, ""
        finally:
            connection.close()

    @classmethod
    def sections(cls):
        return Texts(cls.get()[1]).sections

    def test_it_is_html_that_may_not_load_or_run_anything(self):
        response, page = self.get()
        self.assertEqual((response.status, response.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn("default-src 'none'", response.headers["Content-Security-Policy"])
        tags = Texts(page).tags
        self.assertFalse({"script", "img", "link", "iframe"} & {tag for tag, _ in tags})
        self.assertFalse([tag for tag, attributes in tags if "src" in attributes or "href" in attributes])
        self.assertEqual(self.get(method="POST")[0].status, 405)
        self.assertEqual(self.get("/nothing")[0].status, 404)

    def test_a_queue_shows_what_the_bucket_and_the_metrics_say(self):
        facts = self.sections()["orders"]
        manifests = harness.manifests(self.store.snapshot())
        self.assertEqual(facts["last window"], str(max(manifest["k"] for manifest in manifests.values())))
        self.assertEqual(facts["partitions"], "7")
        self.assertEqual(facts["lost offsets"], "0")
        self.assertEqual(facts["lease"], "sink-0 (this one)")
        self.assertRegex(facts["throughput"], r"^[1-9]\d*\.\d records/s, ")
        metrics = self.get("/metrics")[1]
        committed = re.search(r'queen_s3_windows_committed_total\{queue="orders"\} (\d+)', metrics).group(1)
        self.assertEqual(int(committed), len(manifests))

    def test_what_needs_a_look_comes_first_and_says_why(self):
        names = [name for name in self.sections() if name != "Tidemark lake"]
        self.assertEqual(names, ["missing", MARKUP, LONG, "orders"])
        self.assertIn("does not exist at the broker", self.sections()["missing"]["state"])
        self.assertEqual(self.sections()["Tidemark lake"]["state"], "1 of 4 queues need a look")

    def test_a_second_instance_names_the_holder(self):
        listen = f"127.0.0.1:{harness.free_port()}"
        other = self.lake.start(QUEEN_S3_INSTANCE="sink-1", QUEEN_S3_LISTEN=listen, QUEEN_S3_QUEUES="orders")
        mine = self.host
        try:
            type(self).host = listen
            harness.wait_until(lambda: "waits" in self.sections().get("orders", {"state": ""})["state"], "the second to wait")
            self.assertEqual(self.sections()["orders"]["lease"], "sink-0")
        finally:
            type(self).host = mine
            other.kill()

    def test_a_browser_shows_names_as_text_and_complains_of_nothing(self):
        dom, console = browser.document(f"http://{self.host}/")
        self.assertEqual(console, [])
        self.assertIn("<h2>&lt;b&gt;shop &amp; co&lt;/b&gt;</h2>", dom)
        self.assertIn("<h2>orders</h2>", dom)

    def test_nothing_leaves_a_phone_s_screen(self):
        SHOTS.mkdir(parents=True, exist_ok=True)
        for width in (390, 1200):
            picture = browser.screenshot(f"http://{self.host}/", SHOTS / f"status-{width}.png", width, 1600)
            self.assertEqual(picture.width, width)
            margin = {colour for x in range(width - 8, width) for colour in picture.column(x)}
            self.assertEqual(margin, {b"\xff\xff\xff"}, f"something stands in the margin at {width}")
            self.assertGreater(len(picture.column(width // 2)), 10, "the page is blank")


if __name__ == "__main__":
    unittest.main()
