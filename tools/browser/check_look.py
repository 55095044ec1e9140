"""The measurements themselves find faults that are planted, and pass what is good."""

import unittest

import chromium
from notebook_page import LOOK

PAGES = {
    "shown": [
        ("<table><tr><td>a table with some text</td></tr></table>", ["table"]),
        ('<table hidden="hidden"><tr><td>a table with some text</td></tr></table><p>no figure</p>', []),
        ('<img width="100" height="50" src="data:image/png;base64,nonsense">', []),
    ],
    "broken": [
        ('<img alt="map" src="data:image/png;base64,nonsense">', ['picture "map" did not load']),
        ("""<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">""", []),
    ],
    "sideways": [
        ('<div style="width:300px;overflow:auto"><p style="width:500px">wide</p></div>', ['500 px in 300: <div> "wide"']),
        ('<div style="width:300px;overflow:auto"><p>narrow</p></div>', []),
    ],
    "small": [
        ('<svg width="100" viewBox="0 0 200 100"><text font-size="12" transform="rotate(90)">x</text></svg>',
         ['text of 6.0 px in ""']),
        ('<svg width="200" viewBox="0 0 200 100"><text font-size="12">x</text></svg>', []),
    ],
    "faint": [
        ('<div style="background:#111"><p style="color:#666">grey</p></div>', ['contrast 3.3: <p> "grey"']),
        ('<div style="background:#111"><p style="color:#fff;opacity:0.3">thin</p></div>', ['contrast 2.7: <p> "thin"']),
        ('<div style="background:#111"><p style="color:#ccc">light</p></div>', []),
        ('<p style="color:#777;background:rgba(0,0,0,0.2)">grey on grey</p>', ['contrast 2.8: <p> "grey on grey"']),
    ],
}


class Look(unittest.TestCase):
    def test_measurements(self):
        with chromium.opened(900, 600) as context:
            page = context.new_page()
            for what, cases in PAGES.items():
                for content, want in cases:
                    with self.subTest(what, content=content):
                        page.set_content(content)
                        page.evaluate(LOOK)
                        least = [9] if what == "small" else []
                        self.assertEqual(page.evaluate("([what, rest]) => look[what](document.body, ...rest)",
                                                       [what, least]), want)

    def test_what_leaves_is_seen_and_stopped(self):
        with chromium.opened(900, 600) as context:
            watch = chromium.Watch(context, "http://127.0.0.1")
            page = context.new_page()
            page.set_content('<img src="http://192.0.2.1/picture.png"><script src="https://cdn.example/a.js"></script>'
                             '<script>throw new Error("sunk")</script>')
            page.wait_for_timeout(200)
            self.assertCountEqual(watch.left, ["http://192.0.2.1/picture.png", "https://cdn.example/a.js"])
            self.assertIn("sunk", str(watch.errors))
            self.assertIn("ERR_NAME_NOT_RESOLVED", str(watch.errors))


if __name__ == "__main__":
    unittest.main()
