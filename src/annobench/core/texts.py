"""Untrusted texts, such as names and labels: display, and detection of formulas.

Texts are kept and written unchanged, so that output can be read back and joined with its input.
They are sanitised for display: in terminals and on pages by `visible`, on pages by escaping HTML as
well, and in figures by `plain`. Commands that write a table as text warn if a cell `is_formula`;
only tables that others fill in and nothing reads back have an apostrophe there.
"""

from __future__ import annotations

import csv
import re
import sys

__all__ = ["counted", "is_formula", "plain", "visible"]

#: Control characters but for tabs and line ends, and what never stands alone: surrogates. Of the
#: characters that direct text those that embed, override or isolate: others, such as the mark
#: U+200F, do no more than a letter of their script.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Show control and bidirectional characters as escapes.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    str
        The text with each of them as in a Python literal; tabs and line ends are kept.

    Examples
    --------
    >>> print(visible("\x1b[31mred, \u202egnirts"))
    \x1b[31mred, \u202egnirts
    """
    text = text.replace("\r\n", "\n")
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def plain(text: str, longest: int = 30) -> str:
    r"""Prepare a text for matplotlib: no mathematics or invisible characters, one short line.

    Parameters
    ----------
    text : str
        Such as the name of an annotator or of a category.
    longest : int, default 30
        Maximum length; longer texts are truncated.

    Returns
    -------
    str
        The text, with dollar signs escaped.

    Examples
    --------
    >>> print(plain("$x_{$"))
    \$x_{\$
    """
    shown = visible(" ".join(text.split()))
    shown = shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
    return shown.replace("$", r"\$")


def is_formula(text: str) -> bool:
    """Return whether a spreadsheet would read a cell as a formula.

    Parameters
    ----------
    text : str
        Contents of the cell.

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


def counted(n: int, noun: str, many: str = "") -> str:
    """Format a count with its noun.

    Parameters
    ----------
    n : int
        How many.
    noun : str
        In the singular.
    many : str, optional
        In the plural, if that is not the singular with an s.

    Returns
    -------
    str
        Such as "1 item" or "2,000 items".
    """
    return f"{n:,} {plural(n, noun, many)}"


def plural(n: int, noun: str, many: str = "") -> str:
    """Return the singular or plural of a noun."""
    return noun if n == 1 else many or f"{noun}s"


def allow_long_cells() -> None:
    """Let `csv` read texts longer than the 128 KiB that it allows by default."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
