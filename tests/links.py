"""Links of pages that lead nowhere, and what pages would load from a server."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

_ID = re.compile(r'\bid="([^"]*)"')
_LINK = re.compile(r'(?:src|href)="([^":]*)"')
#: A script, which may hold parts of pages.
_SCRIPT = re.compile(r"(<script\b[^>]*>).*?(?=</script>)", re.DOTALL)
_LOADING = re.compile(r"<(?:script|img|link|iframe)\b[^>]*>")
_SERVER = re.compile(r'(?:src|href)="(?:https?:)?//')


def broken(folder: Path) -> Iterator[str]:
    """Name the links among files that lead to no file, or to no place on its page."""
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(folder.rglob("*.html"))}
    anchors = {page: set(_ID.findall(html)) for page, html in pages.items()}
    for page, html in pages.items():
        for link in sorted(set(_LINK.findall(_SCRIPT.sub(r"\1", html)))):
            path, _, anchor = link.partition("#")
            target = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            found = anchors.get(target, {unquote(anchor)})
            if not target.is_file() or (anchor and unquote(anchor) not in found):
                yield f"{page.relative_to(folder)} links to {link}"


def fetched(folder: Path) -> Iterator[str]:
    """Name what pages load from a server."""
    for page in sorted(folder.rglob("*.html")):
        for tag in _LOADING.findall(page.read_text(encoding="utf-8")):
            if _SERVER.search(tag):
                yield f"{page.relative_to(folder)}: {tag}"
