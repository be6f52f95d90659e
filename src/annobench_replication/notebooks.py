"""What a paper's notebook shows: figures with their captions, tables in full, the labels.

A notebook begins with ``paper = open_paper(paper_folder)``, wherever it lies.
"""

from __future__ import annotations

import base64
import json
import math
import re
import shutil
import tempfile
import weakref
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from annobench import datasets
from annobench.core.errors import PublicationError
from annobench.core.optional import require
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.reporting.pages import picture_size
from annobench_replication.analysis import Effort
from annobench_replication.exhibit import figures_in, heading
from annobench_replication.ledger import read_comparison, read_remarks
from annobench_replication.printed_tables import read_layout
from annobench_replication.variations import Variation, vary

__all__ = ["Paper", "Shown", "folder_of_data", "open_paper", "show"]

#: The folder of the workflow's results, beside which its papers are.
RESULTS = "results"
#: The papers of the repository that this library is part of.
_PAPERS = Path(__file__).parents[2] / "workflow/papers"
#: Rows of a table that are shown; the middle of a longer one is elided.
MAX_ROWS = 200
#: Text of at least so many characters is set as a paragraph.
_LONG = 40

_PICTURE = Markup(
    '<figure><div class="picture" tabindex="0" style="overflow-x: auto; background: #fff">'
    '<img class="dark-light" src="data:image/svg+xml;base64,{data}" alt="{caption}" '
    'width="{width}" height="{height}" style="--width: {width}px"></div>'
    "<figcaption>{varied}<b>{title}.</b> {caption} <i>Provenance: {provenance}.</i>"
    "</figcaption></figure>"
)
_VARIED = Markup('<b style="color: #b8500f">Variation: {variation}.</b> ')
_BANNER = Markup(
    '<aside class="banner" style="padding: 0.6em 1em; background: #fff3cf; color: #1b1b1b">'
    '<p class="heading"><b>Simulated data: {names}</b></p>'
    "<p>Results that use {names} come from simulators calibrated to published aggregates; the "
    "text of this notebook is about real labels. For these, set "
    "<code>ANNOBENCH_DATA_MIRROR</code> or connect to the network, and run the "
    "workflow again.</p></aside>"
)
_ASIDE = Markup(
    '<aside class="banner" style="padding: 0.6em 1em; background: #fff3cf; color: #1b1b1b">'
    '<p class="heading"><b>A variation, not the published analysis: {variation}</b></p>'
    "<p>Figures and tables below are redrawn. The text of this notebook is about the published "
    "analysis.</p></aside>"
)


@dataclass(frozen=True, repr=False)
class Shown:
    """Something that a notebook shows, in words for a console.

    Attributes
    ----------
    html : str
        For notebooks.
    text : str
        For consoles.
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


class Paper:
    """What the workflow computed for a paper, and the data that it used.

    Parameters
    ----------
    folder : Path
        Folder of the paper's results, below `results/papers`.
    source : Path
        Folder of its record, below `workflow/papers`.
    results : Path, optional
        Where its values, tables and figures are, if not in `folder`.
    variation : str, optional
        What differs from the published analysis.
    """

    def __init__(
        self, folder: Path, source: Path, results: Path | None = None, variation: str = ""
    ) -> None:
        self.folder = folder
        self.variation = variation
        self._source = source
        self._results = results or folder
        self._loaded: dict[str, LoadedData] = {}
        self._varied: dict[str, Paper] = {}

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """Every printed value beside the computed one, with its verdict."""
        return read_comparison(self._results / "comparison.csv")

    @cached_property
    def remarks(self) -> pd.DataFrame:
        """The mistakes of formulas and of prose: what is printed, and what it should be."""
        return read_remarks(self._source / "remarks.csv").set_index("source")

    @cached_property
    def simulated(self) -> list[str]:
        """The ids of the data sets that were simulated in this run."""
        metas = {id: self._data_folder(id) / "meta.json" for id in self._datasets}
        return [
            id
            for id, path in metas.items()
            if json.loads(path.read_text(encoding="utf-8"))["provenance"] == "simulated"
        ]

    def table(self, name: str, **options: Any) -> pd.DataFrame:
        """Return a table of the paper's results.

        Parameters
        ----------
        name : str
            Of those in `paper.yaml`.
        **options
            Passed on to `pandas.read_csv`.

        Returns
        -------
        DataFrame
            As the workflow computed it.

        Raises
        ------
        PublicationError
            If the run has no such table.
        """
        path = self._existing("tables", f"{name}.csv")
        table: pd.DataFrame = pd.read_csv(path, **options)
        return table

    def figure(self, name: str) -> Shown:
        """Return a figure of the paper's results with its caption.

        Parameters
        ----------
        name : str
            Of those in `paper.yaml`.

        Returns
        -------
        Shown
            The drawing at its own size; the caption is also its alternative text.

        Raises
        ------
        PublicationError
            If the run has no such figure.
        """
        path = self._existing("figures", f"{name}.svg")
        about = self._captions[name]
        entry = next(each for each in self._record["figures"] if each["name"] == name)
        contents = figures_in(self._record.get("contents", ()))
        title = heading(entry["source"], entry["title"], contents)
        width, height = picture_size(path)
        html = _PICTURE.format(
            data=base64.b64encode(path.read_bytes()).decode(),
            caption=about["caption"],
            title=title,
            varied=_VARIED.format(variation=self.variation) if self.variation else "",
            provenance=about["provenance"].replace("_", " "),
            width=width,
            height=height,
        )
        return Shown(html, f"{title}: {about['caption']}")

    def printed_table(self, name: str) -> Shown:
        """Return a table as the paper prints it, each number beside the computed one.

        Parameters
        ----------
        name : str
            Of the layouts in `paper.yaml`.

        Returns
        -------
        Shown
            Numbers lead to their records on the paper's page.

        Raises
        ------
        PublicationError
            If the paper has no such layout.
        """
        layouts = {each["name"]: each for each in self._record.get("layouts", ())}
        if name not in layouts:
            raise PublicationError(
                f"{self.folder.name} has no layout {name!r}; it has {', '.join(layouts) or 'none'}."
            )
        about = {key: words for key, words in layouts[name].items() if key != "name"}
        table = read_layout(self._source / f"layouts/{name}.csv", self.comparison, **about)
        html = table.html("index.html")
        if self.variation:
            html = Markup("<p>{}</p>{}").format(_VARIED.format(variation=self.variation), html)
        return Shown(html, table.frame().to_string(index=False))

    def redraw(self, name: str, effort: Effort = "full", **parameters: Any) -> Shown:
        """Return a figure or a printed table of a variation, made by the paper's own functions.

        Parameters
        ----------
        name : str
            Of a figure or a layout in `paper.yaml`.
        effort : {"full", "quick"}
            How many repetitions; "quick" takes seconds, and is too short to interpret.
        **parameters
            Such as ``seed=7``; the parameters of a paper are in its `paper.yaml`.

        Returns
        -------
        Shown
            Marked as a variation.

        Raises
        ------
        PublicationError
            If the paper has no such parameter, figure or table.
        """
        varied = self.varied(effort, **parameters)
        is_figure = any(name == figure["name"] for figure in self._record["figures"])
        return varied.figure(name) if is_figure else varied.printed_table(name)

    def varied(self, effort: Effort = "full", **parameters: Any) -> Paper:
        """Return the results of a variation, computed when it is first asked for.

        Parameters
        ----------
        effort, **parameters
            As in `redraw`; None is what was published.

        Returns
        -------
        Paper
            This one if nothing differs.

        Raises
        ------
        PublicationError
            If the paper has no such parameter, or the parameter no such value.
        """
        variation = Variation.of(self._record, parameters, effort)
        if variation is None:
            return self
        key = str(variation)
        if key not in self._varied:
            minutes = self._record["minutes"]
            print(f"Computing a variation: {variation}. This takes up to {minutes} minutes.")
            if optional := self._record.get("resources"):
                print(f"Optional files are not used: {', '.join(optional)}.")
            scratch = Path(tempfile.mkdtemp(prefix="annobench-variation-"))
            varied = Paper(self.folder, self._source, scratch, str(variation))
            weakref.finalize(varied, shutil.rmtree, scratch, ignore_errors=True)
            vary(self._source, self._record, self.folder, scratch, variation)
            self._varied[key] = varied
        return self._varied[key]

    def provenance(self, table: str) -> str:
        """Return what a table rests on.

        Parameters
        ----------
        table : str
            Its name.

        Returns
        -------
        {"simulated", "printed_table", "real", "closed_form"}
            The weakest of its inputs.
        """
        return str(self._captions[f"tables/{table}"]["provenance"])

    def data(self, id: str) -> LoadedData:
        """Return a data set as this run of the workflow has it.

        Parameters
        ----------
        id : str
            Of those in `paper.yaml`.

        Returns
        -------
        LoadedData
            Its `annotations` are the labels.

        Raises
        ------
        PublicationError
            If the paper does not use it.
        """
        self._require(id)
        if id not in self._loaded:
            self._loaded[id] = datasets.read(self._data_folder(id))
        return self._loaded[id]

    def labels(self, id: str, **where: str) -> Annotations:
        """Return the labels of a data set, or of a part of it.

        Parameters
        ----------
        id : str
            Of those in `paper.yaml`.
        **where
            Values that columns of the table of labels must have, such as ``word="ask-v"``. Only
            these labels are read, and only their items and categories are known.

        Returns
        -------
        Annotations
            As this run of the workflow has them.

        Raises
        ------
        PublicationError
            If the paper does not use the data set, or no label has these values.
        """
        if not where:
            return self.data(id).annotations
        self._require(id)
        equal = [(column, "==", value) for column, value in where.items()]
        require("pyarrow", "A data set on disk")
        part = pd.read_parquet(self._data_folder(id) / "labels.parquet", filters=equal)
        if part.empty:
            raise PublicationError(f"{id}: no label has {where}. Correct the value.")
        return Annotations.from_frame(part)

    def __repr__(self) -> str:
        """Name the paper, and what was simulated."""
        varied = f"; variation: {self.variation}" if self.variation else ""
        loud = f"; simulated, not real: {', '.join(self.simulated)}" if self.simulated else ""
        return f"Paper({self.folder.name}{varied}{loud})"

    def _repr_html_(self) -> str:
        """Say loudly what was varied or simulated, and nothing where nothing was."""
        varied = _ASIDE.format(variation=self.variation) if self.variation else ""
        return varied + (_BANNER.format(names=", ".join(self.simulated)) if self.simulated else "")

    @cached_property
    def _captions(self) -> dict[str, dict[str, Any]]:
        captions: dict[str, dict[str, Any]] = json.loads(
            (self._results / "captions.json").read_text(encoding="utf-8")
        )
        return captions

    @cached_property
    def _record(self) -> dict[str, Any]:
        yaml = require("yaml", "The record of a paper")
        record: dict[str, Any] = yaml.safe_load(
            (self._source / "paper.yaml").read_text(encoding="utf-8")
        )
        return {"key": self._source.name} | record

    @property
    def _datasets(self) -> list[str]:
        return list(self._record["datasets"])

    def _require(self, id: str) -> None:
        if id not in self._datasets:
            known = ", ".join(self._datasets) or "none"
            raise PublicationError(f"{self.folder.name} has no data set {id!r}; it has {known}.")

    def _data_folder(self, id: str) -> Path:
        return self.folder.parents[1] / "data" / id

    def _existing(self, kind: str, name: str) -> Path:
        path = self._results / kind / name
        if not path.is_file():
            raise PublicationError(f"{path} does not exist. Run the workflow, or correct the name.")
        return path


def open_paper(folder: str | Path, effort: Effort = "full", **parameters: Any) -> Paper:
    """Open the results of a paper, or of a variation, from anywhere inside the folder of a run.

    Parameters
    ----------
    folder : str or Path
        Seen from the folder of the run, such as "results/papers/volk2008". This is the repository,
        or where the workflow is a module.
    effort : {"full", "quick"}
        Of a variation: how many repetitions.
    **parameters
        Of a variation, such as ``seed=7``; None is what was published.

    Returns
    -------
    Paper
        Its figures, tables, verdicts and data.

    Raises
    ------
    PublicationError
        If the working folder is not inside that of a run, there are no such results, or the
        paper has no such parameter.
    """
    top = top_folder(Path.cwd())
    found = top / folder
    if not found.is_dir():
        raise PublicationError(f"{found}: there are no such results. Run `make results` first.")
    source = top / "workflow/papers" / found.name
    paper = Paper(found, source if source.is_dir() else _PAPERS / found.name)
    return paper.varied(effort, **parameters)


def folder_of_data(id: str) -> str:
    """Return where this run of the workflow has a data set, from anywhere inside its folder.

    Parameters
    ----------
    id : str
        Of a data set.

    Returns
    -------
    str
        Its folder; the id itself where the run does not have it.
    """
    folder = top_folder(Path.cwd()) / "results/data" / id
    return str(folder) if folder.is_dir() else id


def top_folder(start: Path) -> Path:
    """Return the folder of the run: the nearest one with results."""
    for folder in (start, *start.parents):
        if (folder / RESULTS).is_dir():
            return folder
    raise PublicationError(
        f"{start}: neither this folder nor one above it has a folder {RESULTS}. Open the notebook "
        "inside a clone of the repository, or where the workflow was run."
    )


def show(table: pd.DataFrame | pd.Series[Any], digits: int = 4) -> Shown:
    """Show a table in full: long texts are broken into lines, not cut.

    Parameters
    ----------
    table : DataFrame or Series
        A Series becomes a table of one column.
    digits : int, default 4
        Significant digits of numbers with a fraction; of those from 1,000 on none is shown.

    Returns
    -------
    Shown
        Cells without a value are empty.
    """
    frame = table.to_frame() if isinstance(table, pd.Series) else table
    # Of columns of objects pandas writes None as a word.
    frame = frame.apply(lambda x: x.where(x.notna(), "") if x.dtype == object else x)

    def number(value: float) -> str:
        return f"{value:,.0f}" if 1000 <= abs(value) < math.inf else f"{value:.{digits}g}"

    with pd.option_context("display.max_colwidth", None):
        html = frame.to_html(max_rows=MAX_ROWS, float_format=number, na_rep="", border=0)
        text = frame.to_string(max_rows=MAX_ROWS, float_format=number, na_rep="")
    # A heading without words is none.
    html = html.replace("<th></th>", "<td></td>")
    paragraph = r'<\1 style="min-width: 20em; text-align: left; white-space: normal">\2</\1>'
    html = re.sub(rf"<(td|th)>([^<]{{{_LONG},}})</\1>", paragraph, html)
    return Shown(f'<div class="scroll" tabindex="0" style="overflow-x: auto">{html}</div>', text)
