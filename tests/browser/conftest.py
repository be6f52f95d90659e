"""A browser for a process's tests, and a window for each."""

import pytest
from browsing import SITE, Watched, chromium


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    options = ["--no-sandbox", "--disable-gpu"]
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=options)
        yield launched
        launched.close()


@pytest.fixture
def watched(browser):
    """Return a window on the finished site."""
    if not (SITE / "index.html").is_file():
        pytest.skip(f"{SITE} has no site: `make results` makes it")
    context = browser.new_context()
    yield Watched(context.new_page())
    context.close()
