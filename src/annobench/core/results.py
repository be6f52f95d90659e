"""What the results of all methods have in common: a headline, and a summary as a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

#: Rows of a summary that a notebook shows; the middle of a longer one is elided.
MAX_ROWS = 30


class Summarised(ABC):
    """A result that shows as one line in a console and as a table in a notebook.

    A subclass gives `summary` and `_headline`; a dataclass keeps this `__repr__`.

    Examples
    --------
    >>> import pandas as pd
    >>> class Mean(Summarised):
    ...     def summary(self) -> pd.DataFrame:
    ...         return pd.DataFrame({"estimate": [0.5], "standard_error": [0.1]})
    ...     def _headline(self) -> str:
    ...         return "0.5 (standard error 0.1)"
    >>> Mean()
    Mean: 0.5 (standard error 0.1)
    """

    def __init_subclass__(cls) -> None:
        """Keep the inherited `__repr__`, in place of which a dataclass would write its own."""
        super().__init_subclass__()
        cls.__repr__ = cls.__repr__  # type: ignore[method-assign]

    @abstractmethod
    def summary(self) -> pd.DataFrame:
        """Return the main estimates.

        Returns
        -------
        DataFrame
            One row for each quantity.
        """

    @abstractmethod
    def _headline(self) -> str:
        """Return what matters most in a few words, without the name of the class."""

    def __repr__(self) -> str:
        """Return the name of the class and the headline on one line."""
        return f"{type(self).__name__}: {' '.join(self._headline().split())}"

    def _repr_html_(self) -> str:
        """Return the headline and the summary as HTML; names of items and labels are escaped."""
        table = self.summary().to_html(border=0, escape=True, max_rows=MAX_ROWS)
        return f"<p>{escape(repr(self))}</p>\n{table}"
