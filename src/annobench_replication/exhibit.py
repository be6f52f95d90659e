"""What `paper.yaml` says of a figure or a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Exhibit", "figures_in", "heading", "printed_item"]


@dataclass(frozen=True)
class Exhibit:
    """A figure or a table that a paper's analysis makes.

    Attributes
    ----------
    name : str
        Of its file.
    title : str
        One line.
    source : str
        Where the paper has it.
    caption : str
        What a figure shows; names in braces are filled in when it is drawn. Of a printed table:
        what the print says besides; its values are in braces. Empty for a table of ours.
    """

    name: str
    title: str
    source: str
    caption: str = ""


def printed_item(source: str, contents: Iterable[str]) -> str:
    """Return the printed figure or table that an exhibit answers.

    Parameters
    ----------
    source : str
        Of the exhibit.
    contents : iterable of str
        The figures and tables of the paper.

    Returns
    -------
    str
        One of them, also of an exhibit that answers a part of it; empty if the exhibit is ours.

    Examples
    --------
    >>> printed_item("Figure 1, on the headlines", ["Figure 1", "Figure 10"])
    'Figure 1'
    """
    return next((item for item in contents if f"{source},".startswith(f"{item},")), "")


def figures_in(contents: Iterable[str]) -> list[str]:
    """Return the figures alone of what a paper numbers: a figure of a printed table is ours.

    Parameters
    ----------
    contents : iterable of str
        The figures and tables of the paper.

    Returns
    -------
    list of str
        In their order.
    """
    return [item for item in contents if item.startswith("Figure")]


def heading(source: str, title: str, contents: Iterable[str]) -> str:
    """Return the title of an exhibit, which begins with what it answers in print, or with "Ours".

    Parameters
    ----------
    source, title : str
        Of the exhibit.
    contents : iterable of str
        The figures and tables of the paper.

    Returns
    -------
    str
        One line.

    Examples
    --------
    >>> heading("Figure 6", "Annotators", ["Figure 6"]), heading("Section 4", "Errors", [])
    ('Figure 6. Annotators', 'Ours (Section 4). Errors')
    """
    if printed_item(source, contents):
        return f"{source}. {title}"
    return f"Ours. {title}" if source.startswith("not ") else f"Ours ({source}). {title}"
