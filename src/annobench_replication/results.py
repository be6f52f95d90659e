"""What a paper's analysis writes: values, tables, figures, and what is said of them.

Everything is written with its provenance, which follows from what it was made of; a figure
of simulated data in place of real ones is marked. Names are those of `paper.yaml`.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from annobench.core.errors import PublicationError
from annobench.core.files import replacing
from annobench_replication.exhibit import Exhibit
from annobench_replication.ledger import CALIBRATION_METHOD, PAPER_METHOD, Computed, write_computed
from annobench_replication.rows import Value, value_row
from annobench_replication.study import Study
from annobench_replication.vocabulary import NOT_MADE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Results"]

#: Above every figure of simulated data in place of real ones.
STAND_IN: Final = "Simulated stand-in, not the real data"

#: Characters of the reason that stands in place of a figure.
MAX_WORDS: Final = 400


class Results:
    """The outputs of a paper's analysis.

    Values come first: once a table or a figure is written, no value is taken any more, and
    `computed.csv` is complete even if a figure then fails.

    Parameters
    ----------
    study : Study
        What the analysis reads.
    folder : Path
        Where the files go.
    figures, tables : sequence of Exhibit
        What `paper.yaml` lists.
    calibrated : sequence of str
        Beginnings of the targets that the simulators of the data were calibrated to. Where
        simulated data stand in, such a value is no result.
    seed : int or None
        Of the analysis, shown beside what it made; None if it draws nothing.
    mark : str, optional
        Written above every figure, such as what a variation changes.
    """

    def __init__(
        self,
        study: Study,
        folder: Path,
        *,
        figures: Sequence[Exhibit],
        tables: Sequence[Exhibit],
        calibrated: Sequence[str] = (),
        seed: int | None,
        mark: str = "",
    ) -> None:
        self._study, self._folder, self._seed, self._mark = study, folder, seed, mark
        self._figures = {exhibit.name: exhibit for exhibit in figures}
        self._tables = {exhibit.name: exhibit for exhibit in tables}
        self._calibrated = tuple(calibrated)
        self._rows: list[Computed] = []
        self._said: dict[str, dict[str, Any]] = {}
        self._complete = False
        self._failure = ""

    @property
    def rows(self) -> list[Computed]:
        """The values so far."""
        return list(self._rows)

    def values(
        self,
        values: Mapping[str, Value] | Iterable[Computed],
        *,
        of: str | Sequence[str],
        method: str = PAPER_METHOD,
    ) -> None:
        """Take computed values.

        Parameters
        ----------
        values : mapping of str to float, Rounded or tuple, or iterable of Computed
            By target numbers alone, with the range of rounded inputs, or with a 95% interval
            (see `value_row`); or rows, whose own provenance is not asked for.
        of : str or sequence of str
            What they rest on: ids of data sets, "printed", "closed_form", "simulation".
        method : str, default "paper"
            Of values by target; rows have their own.

        Raises
        ------
        PublicationError
            If a table or a figure was written before.
        """
        if self._complete:
            raise PublicationError(
                "values come after a table or a figure. Pass all values first, so that their "
                "inputs can be traced without drawing."
            )
        provenance = self._study.provenance(*_names(of))
        if isinstance(values, Mapping):
            values = [value_row(target, v, method=method) for target, v in values.items()]
        self._rows += [self._row(row, provenance) for row in values]

    def _row(self, row: Computed, provenance: str) -> Computed:
        if (
            provenance == "simulated"
            and row.method == PAPER_METHOD
            and row.target.startswith(self._calibrated)
        ):
            calibrated = Computed(row.target, row.value, method=CALIBRATION_METHOD)
            return replace(calibrated, provenance=provenance, made_by=row.made_by)
        return replace(row, provenance=provenance)

    def table(
        self,
        name: str,
        table: pd.DataFrame | Callable[..., pd.DataFrame],
        /,
        *arguments: Any,
        of: str | Sequence[str],
        digits: int | None = None,
        **more: Any,
    ) -> pd.DataFrame:
        """Write ``tables/<name>.csv``.

        Parameters
        ----------
        name : str
            As in `paper.yaml`.
        table : DataFrame or callable
            The table, or what makes it of the other arguments.
        *arguments
            Of the callable.
        of : str or sequence of str
            What it rests on, as in `values`.
        digits : int, optional
            Significant digits of what is written, where the last ones are those of the machine;
            all by default.
        **more
            Of the callable, by name.

        Returns
        -------
        DataFrame
            The table.

        Raises
        ------
        PublicationError
            If `paper.yaml` does not list it, or it was written before.
        """
        self.complete_values()
        self._listed(name, self._tables, f"tables/{name}", "tables")
        if not isinstance(table, pd.DataFrame):
            table = table(*arguments, **more)
        with replacing(self._folder / "tables" / f"{name}.csv") as draft:
            form = None if digits is None else f"%.{digits}g"
            table.to_csv(draft, index=False, lineterminator="\n", float_format=form)
        self._said[f"tables/{name}"] = self._about(of)
        return table

    def figure(
        self,
        name: str,
        draw: Callable[..., Figure],
        /,
        *arguments: Any,
        of: str | Sequence[str],
        caption: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """Draw and write ``figures/<name>.svg`` and ``.png``.

        Parameters
        ----------
        name : str
            As in `paper.yaml`.
        draw : callable
            Makes the figure of the other arguments, with `plotting.panels`.
        *arguments
            Of the callable.
        of : str or sequence of str
            What it rests on, as in `values`. Where a data set among these is simulated in place
            of the real one, the figure says so.
        caption : mapping of str, optional
            What stands for the names in braces of the caption in `paper.yaml`; {provenance}
            is known.
        **more
            Of the callable, by name.

        Raises
        ------
        PublicationError
            If `paper.yaml` does not list it, it was written before, or a name in its caption
            is not given.
        """
        self.complete_values()
        exhibit = self._listed(name, self._figures, name, "figures")
        about = self._about(of)
        text = _filled(exhibit, {"provenance": about["provenance"], **(caption or {})})
        stand_in = STAND_IN if self._study.stand_ins(*_names(of)) else ""
        marks = [mark for mark in (self._mark, stand_in) if mark]
        self._save(name, draw, *arguments, marks=marks, **more)
        self._said[name] = about | {"caption": text}

    def _save(
        self,
        name: str,
        draw: Callable[..., Figure],
        /,
        *arguments: Any,
        marks: Sequence[str] = (),
        **more: Any,
    ) -> None:
        # What lists figures, such as the workflow's rules, need not load what draws them.
        from annobench import plotting

        with plotting.house_style():
            figure = draw(*arguments, **more)
            if marks:
                plotting.mark(figure, "\n".join(marks))
            (self._folder / "figures").mkdir(parents=True, exist_ok=True)
            plotting.save_figure(figure, self._folder / "figures" / name)

    def fail(self, why: object) -> None:
        """Take the reason why something can't be made, such as a stand-in that can't be drawn.

        Parameters
        ----------
        why : object
            The message or exception. The analysis goes on with what it can make. `finish` then
            marks as failed what it did not make.
        """
        self._failure = str(why)

    def finish(self) -> None:
        """Write what is said of figures and tables.

        Raises
        ------
        PublicationError
            If something that `paper.yaml` lists was not written; it is marked as failed.
        """
        missing = ", ".join(self._missing)
        why = self._failure or (
            f"the analysis did not write {missing}, which paper.yaml lists. Write them, or "
            "remove them from the list."
        )
        self.abandon(why)
        if self._failure:
            raise PublicationError(f"{why} Not made because of it: {missing or 'some values'}.")
        if missing:
            raise PublicationError(why)

    def abandon(self, why: str) -> None:
        """Write what there is, with the reason in place of each table and figure that is missing.

        Parameters
        ----------
        why : str
            The reason.
        """
        try:
            self.complete_values()
        except (ValueError, TypeError):  # the values themselves are at fault
            write_computed([], self._folder / "computed.csv")
            self._complete = True
        about = {"provenance": NOT_MADE, "seed": None}
        for name in self._missing:
            if name.startswith("tables/"):
                with replacing(self._folder / f"{name}.csv") as draft:
                    pd.DataFrame({"not made": [why]}).to_csv(draft, index=False)
                self._said[name] = about
            else:
                self._save(name, _words, f"Not made: {why}")
                self._said[name] = about | {"caption": f"Not made: {why}"}
        with replacing(self._folder / "captions.json") as draft:
            draft.write_text(json.dumps(self._said, indent=1, ensure_ascii=False) + "\n", "utf-8")

    def complete_values(self) -> None:
        """Write `computed.csv`, once, before anything else."""
        if not self._complete:
            write_computed(self._rows, self._folder / "computed.csv")
            self._complete = True

    @property
    def _missing(self) -> list[str]:
        expected = [*self._figures, *(f"tables/{name}" for name in self._tables)]
        return [name for name in expected if name not in self._said]

    def _about(self, of: str | Sequence[str]) -> dict[str, Any]:
        names, seed = _names(of), self._seed
        if seed is None and (stand_ins := self._study.stand_ins(*names)):
            seed = self._study.data(stand_ins[0]).meta.get("seed")
        return {"provenance": self._study.provenance(*names), "seed": seed}

    def _listed(self, name: str, known: Mapping[str, Exhibit], written: str, kind: str) -> Exhibit:
        if name not in known:
            raise PublicationError(
                f"the analysis writes {name!r}, which is not among the {kind} of paper.yaml: "
                f"{', '.join(known) or 'none'}. Add it there, or correct the name."
            )
        if written in self._said:
            raise PublicationError(f"the analysis writes {name!r} of the {kind} twice.")
        return known[name]


def _words(text: str) -> Figure:
    """Draw words alone."""
    from annobench import plotting

    figure, (axes,) = plotting.panels(1, width=7, height=1.6)
    axes.set_axis_off()
    plotting.mark(figure, textwrap.shorten(text, MAX_WORDS).replace("$", r"\$"))
    return figure


def _names(of: str | Sequence[str]) -> tuple[str, ...]:
    return (of,) if isinstance(of, str) else tuple(of)


def _filled(exhibit: Exhibit, known: Mapping[str, Any]) -> str:
    named = {field for _, field, _, _ in Formatter().parse(exhibit.caption) if field}
    unknown = sorted(named - set(known))
    if unknown:
        raise PublicationError(
            f"the caption of {exhibit.name!r} in paper.yaml names {', '.join(unknown)}, which the "
            "analysis does not give. Give it in `caption`, or correct the name."
        )
    return exhibit.caption.format_map(known)
