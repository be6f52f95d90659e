"""What the search finds a page by, beside its text: words that readers use, authors and years.

`search_words.toml` has the former; a computed page states the latter as `<!-- byline: ... -->`.
Both become index entries, which Sphinx's search matches as phrases and `scorer.js` word by word.
"""

import re
import tomllib
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

WORDS: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)

_BYLINE = re.compile(r"^<!-- byline: (.*) -->$", re.MULTILINE)


class AddSearchWords(SphinxTransform):
    """Add a page's words to what is indexed of it."""

    default_priority = 500  # before the entries of the index are collected

    def apply(self, **options: Any) -> None:
        """Add an index entry for each phrase, and its words for the search of the text."""
        phrases = list(WORDS.get(self.env.docname, ()))
        for node in self.document.findall(nodes.raw):
            for byline in _BYLINE.findall(node.astext()):
                self.env.metadata[self.env.docname]["byline"] = byline
                phrases.append(byline)
        if not phrases or not self.document.children:
            return
        words = sorted({word for phrase in phrases for word in re.findall(r"\w+", phrase)})
        entries = [("single", each.replace(";", ","), "", "main", None) for each in phrases]
        self.document.children[0].append(addnodes.index(entries=entries))
        self.document.children[0].append(nodes.meta(name="keywords", content=", ".join(words)))


def warn_of_unknown(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of words for pages that do not exist."""
    for page in sorted(set(WORDS) - set(env.all_docs)):
        logging.getLogger(__name__).warning("search_words.toml: there is no page %s.", page)


class Builder(StandaloneHTMLBuilder):
    """Shows authors and year beside a title that the search found; indexes no internals."""

    def index_page(self, pagename: str, doctree: nodes.document, title: str) -> None:
        """Index a page."""
        metadata = self.env.metadata.get(pagename, {})
        if "no-search" not in metadata:
            shown = f"{title} · {metadata['byline']}" if "byline" in metadata else title
            super().index_page(pagename, doctree, shown)


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the words to Sphinx."""
    app.add_transform(AddSearchWords)
    app.add_builder(Builder, override=True)
    app.connect("env-check-consistency", warn_of_unknown)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
