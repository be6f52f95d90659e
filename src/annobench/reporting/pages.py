"""HTML pages of one design, from Jinja templates and one style.

Names in labels, tables and captions come from others' files: templates escape everything, and
show what can't be seen.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, cast

import jinja2
import pandas as pd
from markupsafe import Markup

from annobench import __version__
from annobench.core.texts import visible
from annobench.reporting import formats

__all__ = ["STYLES", "picture_size", "records", "render"]

#: The styles of a page of a command.
STYLES = ("style.css", "verdicts.css", "parts.css")


def render(template: str, folder: Path | Sequence[Path] | None = None, **content: Any) -> str:
    """Fill a template; its style is part of the page.

    Parameters
    ----------
    template : str
        Name of the file.
    folder : Path or sequence of Path, optional
        Where templates are looked for first, in this order; otherwise they are those of the
        library, such as ``base.html.j2``.
    **content : Any
        What the template shows, by name.

    Returns
    -------
    str
        HTML.
    """
    home = resources.files("annobench.reporting") / "templates"
    own = jinja2.FunctionLoader(lambda name: (home / name).read_text(encoding="utf-8"))
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.FileSystemLoader(folder), own]) if folder else own,
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "breakable": formats.breakable,
        "level": formats.level,
        "number": formats.number,
        "percent": formats.percent,
        "short": formats.shorten,
        "shown": formats.shown,
        "signed": formats.signed,
        "thousands": "{:,}".format,
    }
    style = "".join((home / name).read_text(encoding="utf-8") for name in STYLES)
    return environment.get_template(template).render(
        style=Markup(style),  # noqa: S704  (our own file)
        version=__version__,
        **content,
    )


def _shown(value: Any) -> Any:
    """Show control and directing characters of texts; markup is our own, but for what it quotes."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def json_of(content: Any) -> Markup:
    """Return what a page's script reads, as JSON that ends no element."""
    text = json.dumps(content, ensure_ascii=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704  (no sign of HTML is left in it)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table, each a dictionary by column.

    Parameters
    ----------
    table : DataFrame
        Its columns have names.

    Returns
    -------
    list of dict
        One a row.
    """
    return cast(list[dict[str, Any]], table.to_dict("records"))


def picture_size(path: str | os.PathLike[str]) -> tuple[int, int]:
    """Return the size at which a page shows a picture.

    Parameters
    ----------
    path : path
        An SVG that matplotlib wrote.

    Returns
    -------
    tuple of int
        Width and height in pixels, 96 an inch.

    Raises
    ------
    ValueError
        If the drawing does not give its size in points.
    """
    with open(path, encoding="utf-8") as file:
        beginning = file.read(2000)
    found = re.search(r'<svg [^>]*?width="([\d.]+)pt" height="([\d.]+)pt"', beginning)
    if found is None:
        raise ValueError(
            f"{os.fspath(path)}: no width and height in points in the beginning of the file. "
            "Write the figure with `plotting.save_figure`."
        )
    return round(float(found[1]) * 4 / 3), round(float(found[2]) * 4 / 3)
