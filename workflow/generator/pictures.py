"""Pictures of the documentation at their own size, as pages of results show figures."""

import posixpath
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

from annobench.reporting.figures import picture_size


def markup(src: str, words: str, size: tuple[int, int]) -> str:
    """Return a picture that a click opens alone, and that keeps its size on a phone.

    Parameters
    ----------
    src : str
        Address of the picture.
    words : str
        What it shows.
    size : tuple of int
        Width and height in pixels.

    Returns
    -------
    str
        HTML that may stand in a paragraph.
    """
    width, height = size
    return (
        f'<a class="picture" href="{escape(src)}"><img class="dark-light" src="{escape(src)}" '
        f'alt="{escape(words)}" width="{width}" height="{height}" style="--width: {width}px" '
        'loading="lazy"></a>'
    )


def visit(translator: HTML5Translator, node: nodes.image) -> None:
    """Write a picture; one that is no SVG as Sphinx does."""
    if not node["uri"].endswith(".svg"):
        HTML5Translator.visit_image(translator, node)
        return
    builder = translator.builder
    size = picture_size(Path(builder.srcdir) / node["uri"])
    src = posixpath.join(builder.imgpath, builder.images[node["uri"]])
    translator.body.append(markup(src, node["alt"], size))


def depart(translator: HTML5Translator, node: nodes.image) -> None:
    """Write nothing behind a picture."""


def setup(app: Sphinx) -> dict[str, Any]:
    """Let Sphinx write pictures so."""
    app.add_node(nodes.image, override=True, html=(visit, depart))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
