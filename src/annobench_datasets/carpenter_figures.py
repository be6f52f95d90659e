"""What Carpenter (2008) drew, and how he judged errors: files beside the labels of MUC-6.

The figures of the paper are drawings of R; their circles, lines and bars are the numbers that R
was given, to a hundredth of a point. A mark of a drawing is an item, and each of its coordinates a
label, in the units of the axes; a circle's radius is in points of the page. The error analysis
lists tokens of MUC-6 on which a run of the model contradicts the gold standard.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._r_drawings import read_drawing
from annobench_datasets._text import read_text, report

_SOURCE = pinned(
    "carpenter_figures",
    repository="lingpipe/sandbox",
    commit="0b8042fc9c6d5dd947f41deb33af5b3c93c346ae",
    licence="none stated (LingPipe sandbox)",
)
_CITATION = (
    "Carpenter (2008). A multilevel Bayesian model of categorical data annotation. "
    "Technical report, Alias-i. "
    "http://lingpipe.files.wordpress.com/2008/11/carp-bayesian-multilevel-annotation.pdf"
)
_HOME = ("https://github.com/lingpipe/sandbox/tree/master/hierAnno/trunk",)
_FOLDER = "hierAnno/trunk/"

#: Coordinates of a mark of each kind.
COORDINATES = {
    "circle": ("x", "y", "radius"),
    "segment": ("x", "y", "x_end", "y_end"),
    "line": ("x", "y", "x_end", "y_end"),
    "bar": ("left", "right", "height"),
}

#: Drawings by figure, and how many marks each has.
_FIGURES: dict[str, tuple[str, dict[str, int]]] = {
    "figure2_specificity": (
        "beta-binomial-anno-theta0-fit",
        {"circle": 20, "segment": 20, "line": 1},
    ),
    "figure2_sensitivity": (
        "beta-binomial-anno-theta1-fit",
        {"circle": 20, "segment": 20, "line": 1},
    ),
    "figure3_specificity": ("beta-binomial-anno-scatter-spec", {"circle": 1500, "line": 2}),
    "figure3_sensitivity": ("beta-binomial-anno-scatter-sens", {"circle": 1496, "line": 2}),
    "figure4_prevalence": ("beta-binomial-anno-posterior-pi", {"bar": 23}),
    "figure4_residuals": ("beta-binomial-anno-cat-residual", {"bar": 40}),
    "figure5_specificity": (
        "dolores-beta-binomial-resid-spec",
        {"circle": 164, "segment": 164, "line": 1},
    ),
    "figure5_sensitivity": (
        "dolores-beta-binomial-resid-sens",
        {"circle": 164, "segment": 164, "line": 1},
    ),
    "figure6": ("dolores-rte-resids2D", {"circle": 164, "segment": 164, "line": 3}),
    "figure6_pruned": (
        "dolores-rte-resids2D-pruned",
        {"circle": 154, "segment": 154, "line": 3},
    ),
    "figure7_model": ("dolores-cat-resids-model", {"bar": 10}),
    "figure7_voting": ("dolores-cat-resids-voted", {"bar": 9}),
    "figure7_model_pruned": ("dolores-cat-resids-model-pruned", {"bar": 10}),
    "figure7_voting_pruned": ("dolores-cat-resids-voted-pruned", {"bar": 10}),
}
_DRAWINGS = {
    figure: _SOURCE.file(f"{_FOLDER}tex/pdf/{name}.pdf") for figure, (name, _) in _FIGURES.items()
}
_N_MARKS = sum(sum(marks.values()) for _, marks in _FIGURES.values())
_N_NUMBERS = sum(
    n * len(COORDINATES[mark]) for _, marks in _FIGURES.values() for mark, n in marks.items()
)

_SCORED = _SOURCE.file(_FOLDER + "R/scored-tokens.txt")
#: How tokens are marked: as the annotators' errors, as open, not at all, or not looked at, with
#: the numbers of these. The file has two blanks in the brackets of what was looked at.
_MARKS = {"FP": 24, "FN": 14, "open": 5, "unmarked": 27, "unread": 135}
_IN_BRACKETS = {"FP": "FP", "FN": "FN", "??": "open", "  ": "unmarked", " ": "unread"}
_ROW = re.compile(r"\[(FP|FN|\?\?|  ?)\]\s+(\d+(?:\.\d+)?(?:e[+-]\d+)?)(?:\s|$)")


def _tables(marks: Mapping[tuple[str, str], np.ndarray]) -> DataTables:
    """Make tables of the marks of figures, by figure and kind of mark."""
    items, labels = [], []
    for (figure, mark), places in marks.items():
        number = np.arange(1, len(places) + 1)
        named = pd.DataFrame({"figure": figure, "mark": mark, "number": number})
        named.insert(0, "item", [f"{figure} {mark} {n}" for n in number])
        items.append(named)
        wide = pd.DataFrame(places, columns=list(COORDINATES[mark]))
        wide.insert(0, "item", named["item"])
        labels.append(wide.melt("item", var_name="annotator", value_name="label"))
    table = pd.concat(items, ignore_index=True)
    table.insert(1, "gold", np.nan)
    text = {"item": "str", "annotator": "str"}
    return DataTables(
        pd.concat(labels, ignore_index=True).astype(text),
        table.astype({"item": "str", "figure": "str", "mark": "str"}),
    )


def _parse_drawings(files: Mapping[str, Path]) -> DataTables:
    marks: dict[tuple[str, str], np.ndarray] = {}
    for figure, file in _DRAWINGS.items():
        drawing = read_drawing(files[file.path])
        for mark, n in _FIGURES[figure][1].items():
            places = getattr(drawing, f"{mark}s")
            if len(places) != n:
                raise ReaderError(
                    f"{files[file.path]}: {len(places)} {mark}s where {n} are drawn. Supply the "
                    "pinned file."
                )
            marks[figure, mark] = places
    return _tables(marks)


def _simulate_drawings(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    """Draw as many marks anywhere: nothing but the drawing says where its marks are."""
    return _tables(
        {
            (figure, mark): rng.random((n, len(COORDINATES[mark])))
            for figure, (_, marks) in _FIGURES.items()
            for mark, n in marks.items()
        }
    )


def _judged(item: list[str], mark: list[str]) -> DataTables:
    labels = pd.DataFrame({"item": item, "annotator": "author", "label": mark}, dtype="str")
    return DataTables.without_gold(labels)


def _parse_errors(files: Mapping[str, Path]) -> DataTables:
    path = files[_SCORED.path]
    lines = [(n, line) for n, line in enumerate(read_text(path).splitlines(), 1) if line.strip()]
    found = [_ROW.match(line) for _, line in lines]
    report(
        path,
        (
            (n, f"{line!r} does not begin with '[mark] token'")
            for (n, line), row in zip(lines, found, strict=True)
            if row is None
        ),
    )
    rows = [row.groups() for row in found if row is not None]
    # R wrote some numbers of tokens as 2.26380e+04.
    token = [str(round(float(number))) for _, number in rows]
    return _judged(token, [_IN_BRACKETS[mark] for mark, _ in rows])


def _simulate_errors(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    mark = rng.permutation(np.repeat(list(_MARKS), list(_MARKS.values())))
    return _judged([str(n) for n in range(1, mark.size + 1)], mark.tolist())


DATASETS = (
    DataSet(
        id="carpenter_figures",
        title="Carpenter (2008): points, lines and bars of the published figures",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=tuple(_DRAWINGS.values()),
        scale="interval",
        categories=None,
        parse=_parse_drawings,
        simulate=_simulate_drawings,
        calibration=("how many marks of each kind a figure has, and nothing else",),
        targets={
            "n_items": _N_MARKS,
            "n_annotators": len(set().union(*COORDINATES.values())),
            "n_labels": _N_NUMBERS,
        },
    ),
    DataSet(
        id="muc6_error_analysis",
        title="Carpenter (2008): how the author judged residual errors on MUC-6",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(_SCORED,),
        scale="nominal",
        categories=tuple(_MARKS),
        parse=_parse_errors,
        simulate=_simulate_errors,
        calibration=("how many tokens have each mark",),
        targets={
            "n_items": sum(_MARKS.values()),
            "n_annotators": 1,
            "n_labels": sum(_MARKS.values()),
            **{f"label:{mark}": n / sum(_MARKS.values()) for mark, n in _MARKS.items()},
        },
    ),
)
