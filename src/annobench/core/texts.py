"""Texts of others, such as names and labels: how they are shown, and which of them are formulas.

Texts are kept and written as they stand, so that what a command writes can be read back and joined
with what it was made of. They are made harmless where they are shown: in a terminal and on pages
by `visible`, on pages by escaping HTML as well, and in figures by `plain`. Spreadsheets are not
ours: a command that writes a table as text says so where a cell `is_formula`, and only tables that
others could write into and nothing reads back have an apostrophe there.
"""

from __future__ import annotations

import re

__all__ = ["is_formula", "plain", "visible"]

#: Control characters but for tabs and line ends, and what never stands alone: surrogates. Of the
#: characters that direct text those that embed, override or isolate: others, such as the mark
#: U+200F, do no more than a letter of their script.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Show control characters, and those that change the direction of text, as escapes.

    Parameters
    ----------
    text : str
        Any.

    Returns
    -------
    str
        The text with each of them as in a literal of Python; tabs and line ends stay.

    Examples
    --------
    >>> print(visible("\x1b[31mred, \u202egnirts"))
    \x1b[31mred, \u202egnirts
    """
    text = text.replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def plain(text: str, longest: int = 30) -> str:
    r"""Make a text fit for matplotlib: no formula, nothing unseen, one line, not long.

    Parameters
    ----------
    text : str
        Such as the name of an annotator or of a category.
    longest : int, default 30
        Characters; a longer text is cut.

    Returns
    -------
    str
        With dollar signs that begin no formula.

    Examples
    --------
    >>> print(plain("$x_{$"))
    \$x_{\$
    """
    shown = visible(" ".join(text.split()))
    shown = shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
    return shown.replace("$", r"\$")


def is_formula(text: str) -> bool:
    """Say whether a spreadsheet that opens a table takes a cell for a formula.

    Parameters
    ----------
    text : str
        What stands in the cell.

    Returns
    -------
    bool
        True if it begins with =, +, -, @, a tab or a carriage return, and neither is a number nor
        this one sign.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", "@SUM(A1)", "-2+3", "-2.5", "+", "a=b")]
    [True, True, True, False, False, False]
    """
    if len(text) < 2 or text[0] not in "=+-@\t\r":
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
