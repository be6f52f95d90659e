"""The finished site in a browser: where it is, its pages, and a page that is watched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

TOP = Path(__file__).parents[1]
SITE = Path(os.environ.get("ANNOBENCH_SITE", TOP / "results/site")).resolve()
COURSE = SITE.parent / "course"

#: Widths of a desktop's window and of a phone, in CSS pixels.
DESKTOP, PHONE = 1280, 390

#: The body of a page that is drawn: scripts of benchmarks unpack tables after it has loaded.
DRAWN = "body.live, body:not(:has(#about))"

#: The site's pages and the course's, as seen from the site.
PAGES = sorted(
    os.path.relpath(path, SITE) for folder in (SITE, COURSE) for path in folder.rglob("*.html")
)


def chromium() -> str:
    """Return the path of an installed Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("ANNOBENCH_CHROMIUM") or next(filter(None, map(shutil.which, names)), "")
    if not found:
        pytest.skip("no Chromium is installed; ANNOBENCH_CHROMIUM may name one")
    return found


class Watched:
    """A page that notes what a reader must never get: messages of the console, and requests."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.heard: list[str] = []
        page.on("console", lambda message: self.heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        page.on("request", lambda request: self._requested(request.url))

    def _requested(self, url: str) -> None:
        if not url.startswith(("file:", "data:", "blob:")):
            self.heard.append(f"request: {url}")

    def open(self, path: str, width: int = DESKTOP) -> Page:
        """Open a page of the site, anew; `path` may have an anchor or a query."""
        self.heard.clear()
        self.resize(width)
        self.page.goto(f"{SITE.as_uri()}/{path}")
        self.page.wait_for_selector(DRAWN, state="attached")
        return self.page

    def resize(self, width: int) -> None:
        """Give the window another width."""
        self.page.set_viewport_size({"width": width, "height": 900})


#: A page of each make: these are drawn.
SHOWN = (
    "index.html",
    "papers/index.html",
    "papers/carpenter2008/index.html",
    "discrepancies.html",
    "values.html",
    "coefficients/cohen_kappa.html",
    "models/dawid_skene.html",
    "studies/aggregation/index.html",
    "datasets/index.html",
    "how-to/own-labels.html",
)
