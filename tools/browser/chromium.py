"""The Chromium that is on the machine, opened so that nothing it asks for leaves the machine."""

import contextlib
import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Nothing but this machine has a name here, so that Chromium's own services reach nobody either.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


def find() -> str | None:
    """The path of the browser that CHROMIUM names, or of the first that is installed, or None."""
    named = os.environ.get("CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


@contextlib.contextmanager
def opened(width: int, height: int):
    """A window of that size in CSS pixels, as a context of playwright."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find(), headless=True, args=FLAGS)
        try:
            yield browser.new_context(viewport={"width": width, "height": height})
        finally:
            browser.close()


class Watch:
    """What the pages of a context asked for beyond the allowed addresses, and what their scripts complained of."""

    def __init__(self, context, *allowed: str):
        self.left, self.errors, self.allowed = [], [], (*allowed, "data:", "blob:", "about:")
        context.on("request", lambda request: self._asked(request.url))
        context.on("page", self._page)

    def _asked(self, url: str):
        if not url.startswith(self.allowed):
            self.left.append(url[:200])

    def _page(self, page):
        page.on("websocket", lambda socket: self._asked(socket.url))
        page.on("pageerror", lambda error: self.errors.append(str(error).splitlines()[0]))
        page.on("console", lambda line: self.errors.append(line.text) if line.type == "error" else None)


if __name__ == "__main__":
    if not find():
        print(f"no Chromium found as CHROMIUM={os.environ['CHROMIUM']}" if os.environ.get("CHROMIUM") else
              f"no Chromium found as {', '.join(NAMES)}; install one or name it by CHROMIUM=/path/to/it")
        sys.exit(1)
