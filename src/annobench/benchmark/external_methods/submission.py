"""A method's answers in a file, to be compared by others with theirs.

The file has probabilities, not scores: these are computed when it is read. It identifies the labels
by a digest, and names author and date.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from annobench import __version__
from annobench.benchmark.cases import BenchmarkCase, digest, version_of
from annobench.benchmark.external_methods.candidate import Answer, Candidate, record
from annobench.benchmark.fits import FitRecord
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.texts import visible
from annobench.labels.annotations import Annotations

__all__ = ["Submission", "from_submission", "write_submission"]

FORM: Final = "annobench submission 1"

#: Decimals of a probability.
DECIMALS: Final = 6

#: Characters of a name, an author, a reference.
LONGEST: Final = 200

_FIELDS: Final[Mapping[str, type]] = {
    "annobench": str,
    "author": str,
    "date": str,
    "method": dict,
    "seed": int,
    "benchmark": str,
    "answers": list,
}


@dataclass(eq=False)
class Submission(Candidate):
    """A method with answers from a file.

    Attributes
    ----------
    author, date : str
        Author of the answers, and date as YYYY-MM-DD.
    benchmark : str
        The version of the data sets, as from `version_of`.
    """

    author: str = ""
    date: str = ""
    benchmark: str = ""


def write_submission(
    path: str | os.PathLike[str],
    method: Candidate,
    fits: Iterable[FitRecord],
    cases: Sequence[BenchmarkCase],
    *,
    author: str,
    date: str,
    seed: int,
) -> None:
    """Write the answers of a method.

    Parameters
    ----------
    path : path
        A JSON file.
    method : Candidate
        The method.
    fits : iterable of FitRecord
        Fits; those of other methods or without an answer are left out.
    cases : sequence of BenchmarkCase
        The cases fitted.
    author, date : str
        Author of the answers, and date as YYYY-MM-DD.
    seed : int
        Seed of the fits.
    """
    known = {case.name: case for case in cases}
    answers = [
        {
            "problem": fit.problem,
            "labels": digest(known[fit.problem].annotations),
            "categories": list(known[fit.problem].annotations.categories),
            "seconds": None if np.isnan(fit.seconds) else round(fit.seconds, 6),
            "probabilities": np.round(fit.posterior, DECIMALS).tolist(),
        }
        for fit in fits
        if fit.method == method.METHOD.name and fit.posterior is not None
    ]
    about = {
        "name": method.METHOD.name,
        "reference": method.METHOD.reference,
        "deterministic": method.METHOD.deterministic,
        "source": method.SOURCE,
    }
    content = {
        "form": FORM,
        "annobench": __version__,
        "author": author,
        "date": date,
        "method": about,
        "seed": seed,
        "benchmark": version_of(cases),
        "answers": answers,
    }
    with replacing(Path(path)) as draft:
        draft.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")


def from_submission(path: str | os.PathLike[str]) -> Submission:
    """Read answers written by `write_submission`.

    Parameters
    ----------
    path : path
        A JSON file.

    Returns
    -------
    Submission
        A method whose `fit` returns the answers in the file, and rejects other labels.

    Raises
    ------
    AnnotationError
        If the file has another format, or rows of probabilities do not sum to 1.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise AnnotationError(f"{path} is not JSON ({error}). {_REMEDY}") from error
    if not isinstance(content, dict) or content.get("form") != FORM:
        raise AnnotationError(f"{path} does not have the format {FORM!r}. {_REMEDY}")
    for name, kind in _FIELDS.items():
        if not isinstance(content.get(name), kind):
            raise AnnotationError(f"{path}: {name!r} is missing or not {kind.__name__}. {_REMEDY}")
    answers = dict(_checked(answer, f"{path}: answer {n}") for n, answer in _numbered(content))
    about = content["method"]

    def fit(labels: Annotations) -> Answer:
        key = digest(labels)
        if key not in answers:
            raise AnnotationError(
                f"{path} has no answers for these labels (digest {key}). Compare on the data sets "
                "of "
                f"benchmark {content['benchmark']}, or ask {content['author']} for these."
            )
        seconds, table = answers[key]
        if table.shape != (labels.n_items, labels.n_categories):
            raise AnnotationError(f"{path}: {key} has {table.shape[0]} rows. {_REMEDY}")
        names = labels.items, labels.annotators, labels.categories
        return Answer(*names, table / table.sum(axis=1, keepdims=True), seconds)

    author, date = _one_line(content["author"]), _one_line(content["date"])
    name = f"{_one_line(about.get('name', 'submitted'))}, {author}"
    told = f"{_one_line(about.get('reference', ''))} ({author}, {date})".strip()
    return Submission(
        METHOD=record(name, reference=told, deterministic=True),
        fit=fit,
        SOURCE=f"{Path(path).name}, benchmark {content['benchmark']}",
        author=author,
        date=date,
        benchmark=_one_line(content["benchmark"]),
    )


def _one_line(text: object) -> str:
    """Return an untrusted text in one line, without control characters."""
    return visible(" ".join(str(text).split()))[:LONGEST]


_REMEDY: Final = "Write it with `annobench compare METHOD --export FILE`."


def _numbered(content: Mapping[str, Any]) -> Iterable[tuple[int, Any]]:
    return enumerate(content["answers"], start=1)


def _checked(answer: Any, where: str) -> tuple[str, tuple[float, np.ndarray[Any, Any]]]:
    try:
        table = np.asarray(answer["probabilities"], dtype=float)
        key, seconds = str(answer["labels"]), answer["seconds"]
        cost = np.nan if seconds is None else float(seconds)
    except (KeyError, TypeError, ValueError) as error:
        raise AnnotationError(f"{where} is incomplete ({error!r}). {_REMEDY}") from error
    slack = 10.0**-DECIMALS * (table.shape[1] if table.ndim == 2 else 1)
    if table.ndim != 2 or not (
        np.isfinite(table).all() and (table >= 0).all() and np.allclose(table.sum(1), 1, 0, slack)
    ):
        raise AnnotationError(
            f"{where}: its rows are not probabilities between 0 and 1 with sum 1. {_REMEDY}"
        )
    return key, (cost, table)
