"""What `paper.yaml` says of a figure or a table."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Exhibit"]


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
        What a figure shows; names in braces are filled in when it is drawn. Empty for a table.
    """

    name: str
    title: str
    source: str
    caption: str = ""
