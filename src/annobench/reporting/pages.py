"""HTML pages from Jinja templates and one style sheet.

Names in labels, tables and captions are untrusted: templates escape everything and make invisible
characters visible.
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
from annobench.core.texts import counted, visible
from annobench.reporting import formats

__all__ = ["STYLES", "picture_size", "records", "render"]

#: The styles of a page of a command.
STYLES = ("style.css", "verdicts.css", "parts.css")


def render(template: str, folder: Path | Sequence[Path] | None = None, **content: Any) -> str:
    """Render a template, with its style inside.

    Parameters
    ----------
    template : str
        Name of the file.
    folder : Path or sequence of Path, optional
        Folders searched first, in this order, before the library's templates, such as
        ``base.html.j2``.
    **content : Any
        Variables of the template.

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
        "counted": counted,
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
    """Make control and bidirectional characters visible."""
    return type(value)(visible(value)) if isinstance(value, str) else value


def json_of(content: Any) -> Markup:
    """Return data for a page's script as JSON that is safe inside an HTML element."""
    text = json.dumps(content, ensure_ascii=True)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704  (no sign of HTML is left in it)


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as dictionaries.

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
    """Return the display size of a picture.

    Parameters
    ----------
    path : path
        An SVG written by matplotlib.

    Returns
    -------
    tuple of int
        Width and height in pixels, at 96 pixels per inch.

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
