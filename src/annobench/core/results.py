"""Base of all results: headline, summary, axes to plot on."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import fields
from html import escape
from numbers import Number
from typing import TYPE_CHECKING, Any

from annobench.core.texts import visible

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Summarised"]

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
        """Keep the inherited `__repr__`, which a dataclass would overwrite."""
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
        """Return the main result in a few words, without the name of the class."""

    def __repr__(self) -> str:
        """Return the name of the class and the headline on one line."""
        return f"{type(self).__name__}: {visible(' '.join(self._headline().split()))}"

    def _repr_html_(self) -> str:
        """Return the headline and the summary as HTML; names of items and labels are escaped."""
        return as_html(repr(self), self.summary())


class SummarisedScalars(Summarised):
    """A dataclass whose scalars are its summary; arrays are left out."""

    def _scalars(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if isinstance(value, Number | str)}

    def summary(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([self._scalars()])

    def _headline(self) -> str:
        shown = {
            name: f"{value:.6g}" if isinstance(value, float) else value
            for name, value in self._scalars().items()
        }
        return ", ".join(f"{name} = {value}" for name, value in shown.items())


def as_html(headline: str, table: pd.DataFrame) -> str:
    """Write a line and a table for a notebook; names of items and labels are escaped."""
    import pandas as pd

    # A dollar sign in a name begins no formula.
    with pd.option_context("display.html.use_mathjax", False):
        shown = table.to_html(border=0, escape=True, max_rows=MAX_ROWS)
    return f'<p class="mathjax_ignore">{escape(headline)}</p>\n{visible(shown)}'


def axes_or_new(axes: Axes | None) -> Axes:
    """Return the axes that were given, or those of a new figure."""
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]
