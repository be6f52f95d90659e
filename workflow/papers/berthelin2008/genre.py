"""The genre labels of 60 documents, reconstructed from Tables 7 and 8 of Berthelin et al. (2008).

Whole numbers of errors leave hardly a choice: the search finds all errors of the judges that give
the printed values, one excepted at most. Each value is compared with what the thirteen others
determine, never with a search that has used it.
"""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.agreement import Agreement
from annobench.core.errors import IntervalWarning
from annobench.evaluation.scores import category_scores
from annobench.labels.annotations import Annotations
from annobench.replication.ledger import Computed
from annobench.replication.printed import agrees, parse_printed
from annobench.replication.rounding import half_unit
from annobench.replication.statistics import kappas, mean_and_range
from annobench.resampling import proportion_interval

from .printed import LEVEL, REFERENCE, Printed, pairs_of

#: Numbers of one judge's errors on either genre, or of the documents of either genre.
Split = tuple[int, int]
#: Documents of one genre on which somebody errs, each as the judges who do.
Overlap = tuple[tuple[int, ...], ...]
#: A value with the ends of its interval.
Interval = tuple[float, float, float]


@dataclass(frozen=True)
class GenreFit:
    """Errors of the judges that give Tables 7 (genre) and 8, one value excepted at most.

    Attributes
    ----------
    errors : tuple
        Each judge's errors on either genre.
    overlaps : tuple
        Of each genre, who errs on which document.
    missed : str
        The target of the printed value that they do not give; empty if they give all.
    found : dict
        What they give for every target.
    """

    errors: tuple[Split, ...]
    overlaps: tuple[Overlap, ...]
    missed: str
    found: dict[str, float]


def genre_numbers(printed: Printed) -> dict[str, str]:
    """Return the values of Tables 7 (genre) and 8 as printed, by target."""
    scores, table = printed.column("table7", "genre"), printed.kappa["table8"]
    return {f"table7.genre.{judge}": text for judge, text in scores.items()} | {
        f"table8.{first}_{second}": table.loc[first, second] for first, second in pairs_of(table)
    }


def rounds_to(text: str, values: Any) -> Any:
    """Say which values round to a printed number, a tie in either direction."""
    return np.abs(values - float(parse_printed(text).value)) <= half_unit(text) + 1e-9


@cache
def scores_by_errors(sizes: Split) -> tuple[np.ndarray, np.ndarray]:
    """Return strict F-score and kappa with the reference for all errors on either genre."""
    first, second = np.indices([size + 1 for size in sizes])
    counts = np.stack([sizes[0] - first, first, second, sizes[1] - second], axis=-1)
    counts = counts.reshape(*first.shape, 2, 2)
    return category_scores(counts).f1_of_averages, kappas(counts)


@cache
def pair_kappa(one: Split, other: Split, shared: int, sizes: Split) -> float:
    """Return kappa of two judges with these errors, some on the same documents."""
    differ = one[0] + other[1] - shared, other[0] + one[1] - shared
    alike = [size - a - b + shared for size, a, b in zip(sizes, one, other, strict=True)]
    return float(kappas([[alike[0], differ[1]], [differ[0], alike[1]]]))


def genre_fits(printed: Printed) -> list[GenreFit]:
    """Find all errors of the judges that give Tables 7 (genre) and 8 but for one value.

    An F-score is the harmonic mean of mean precision and mean recall. The value of judge 4
    alone tells this reading from others (`genre_readings`), and it is among those that the
    thirteen others leave open; no other value depends on the reading.
    """
    numbers = genre_numbers(printed)
    judges = list(printed.column("table7", "genre").index)
    sizes = tuple(printed.genres.values())
    candidates = []
    for judge in judges:
        targets = f"table7.genre.{judge}", f"table8.{REFERENCE}_{judge}"
        found = dict(zip(targets, scores_by_errors(sizes), strict=True))
        fits = {target: rounds_to(numbers[target], scores) for target, scores in found.items()}
        candidates.append(
            [
                (
                    (int(a), int(b)),
                    [target for target, fit in fits.items() if not fit[a, b]],
                    {target: float(scores[a, b]) for target, scores in found.items()},
                )
                for a, b in np.argwhere(np.logical_or(*fits.values()))
            ]
        )
    result = []
    for chosen in itertools.product(*candidates):
        missed = [target for _, targets, _ in chosen for target in targets]
        if len(missed) > 1:
            continue
        errors = tuple(split for split, _, _ in chosen)
        values = {target: value for _, _, own in chosen for target, value in own.items()}
        for shared in itertools.product(*(overlaps(each) for each in zip(*errors, strict=True))):
            pairs = pair_values(judges, errors, shared, sizes)
            wrong = missed + [t for t, v in pairs.items() if not rounds_to(numbers[t], v)]
            if len(wrong) <= 1:
                result.append(GenreFit(errors, shared, "".join(wrong), values | pairs))
    return result


def pair_values(
    judges: list[str], errors: tuple[Split, ...], shared: tuple[Overlap, ...], sizes: Split
) -> dict[str, float]:
    """Return kappa of every two judges, by target."""
    documents = [wrong for overlap in shared for wrong in overlap]
    return {
        f"table8.{judges[i]}_{judges[j]}": pair_kappa(
            errors[i], errors[j], sum(i in wrong and j in wrong for wrong in documents), sizes
        )
        for i, j in itertools.combinations(range(len(judges)), 2)
    }


@cache
def overlaps(numbers: tuple[int, ...]) -> list[Overlap]:
    """List the ways in which judges with these numbers of errors can share documents."""
    ways: set[Overlap] = {()}
    for j, number in enumerate(numbers):
        ways = {
            tuple(
                sorted(
                    [(*document, j) if d in shared else document for d, document in enumerate(way)]
                    + [(j,)] * (number - len(shared))
                )
            )
            for way in ways
            for n_shared in range(min(number, len(way)) + 1)
            for shared in itertools.combinations(range(len(way)), n_shared)
        }
    return sorted(ways)


def left_out(printed: Printed, fits: list[GenreFit]) -> pd.DataFrame:
    """Give the range of each value of Tables 7 (genre) and 8 that the thirteen others allow.

    NaN where no errors of the judges give the others. A value is determined if all that are
    allowed print alike.
    """
    rows = []
    for target, text in genre_numbers(printed).items():
        allowed = np.array([fit.found[target] for fit in fits if fit.missed in ("", target)])
        low, high = (allowed.min(), allowed.max()) if allowed.size else (np.nan, np.nan)
        places = -int(parse_printed(text).unit.log10())
        rows.append((target, text, low, high, np.unique(allowed.round(places)).size))
    columns = ["target", "printed", "smallest", "largest", "values_as_printed"]
    return pd.DataFrame(rows, columns=columns)


@dataclass(frozen=True)
class GenreLabels:
    """Labels that give both Table 7 and Table 8.

    Attributes
    ----------
    labels : ndarray of int, shape (1 + J, I)
        Genre codes; the first row is the reference.
    names : tuple of str
        Of the rows.
    genres : tuple of str
        Of the codes.
    """

    labels: np.ndarray
    names: tuple[str, ...]
    genres: tuple[str, ...]

    @property
    def wrong(self) -> np.ndarray:
        """Which judge errs on which document, shape (J, I)."""
        return self.labels[1:] != self.labels[0]

    def contingency(self, first: str, second: str) -> np.ndarray:
        """Cross-tabulate two rows."""
        table = np.zeros((len(self.genres), len(self.genres)), dtype=np.int64)
        np.add.at(table, tuple(self.labels[self.names.index(name)] for name in (first, second)), 1)
        return table

    def kappa(self, first: str, second: str) -> Agreement:
        """Return Cohen's kappa of two rows."""
        table = self.contingency(first, second)
        return agreement.cohen_kappa(Annotations.from_contingency(table))

    def annotations(self) -> Annotations:
        """Return the labels of the judges."""
        judge, item = (index.ravel() for index in np.indices(self.wrong.shape))
        labels = np.array(self.genres)[self.labels[1:].ravel()]
        return Annotations.from_arrays(item, np.array(self.names[1:])[judge], labels)


def genre_labels(printed: Printed, fits: list[GenreFit]) -> list[GenreLabels]:
    """Make the labels of the documents that give Tables 7 and 8, up to their order."""
    sizes = list(printed.genres.values())
    names = (REFERENCE, *printed.column("table7", "genre").index)
    reference, starts = np.repeat(np.arange(len(sizes)), sizes), np.cumsum([0, *sizes])
    result = []
    for fit in fits:
        if fit.missed:
            continue
        labels = np.tile(reference, (len(names), 1))
        for genre, documents in enumerate(fit.overlaps):
            for document, judges in enumerate(documents, starts[genre]):
                labels[np.array(judges) + 1, document] = 1 - genre
        result.append(GenreLabels(labels, names, tuple(printed.genres)))
    return result


def genre_rows(printed: Printed, fits: list[GenreFit], rng: np.random.Generator) -> list[Computed]:
    """Make the rows of Tables 7 (genre) and 8.

    The value is the one that the thirteen others determine, the middle of those that print
    alike; where they leave it open, that of the labels that give all fourteen. Intervals over
    documents are those of these labels.
    """
    solutions = genre_labels(printed, fits)
    intervals, others = label_intervals(solutions[0], rng) if solutions else ({}, [])
    rows = []
    for row in left_out(printed, fits).itertuples():
        value, lower, upper = intervals.get(row.target, (np.nan, None, None))
        if row.values_as_printed == 1:
            value = (row.smallest + row.largest) / 2
        ends = (None, None) if np.isnan(row.smallest) else (row.smallest, row.largest)
        rows.append(
            Computed(
                row.target,
                value,
                lower=lower,
                upper=upper,
                level=LEVEL if solutions else None,
                rounding_lower=ends[0],
                rounding_upper=ends[1],
            )
        )
    return rows + others


def label_intervals(
    labels: GenreLabels, rng: np.random.Generator
) -> tuple[dict[str, Interval], list[Computed]]:
    """Return value and interval of each target from labels, and rows of other methods."""
    found, others = {}, []
    for first, second in itertools.combinations(labels.names, 2):
        kappa = labels.kappa(first, second)
        with warnings.catch_warnings():
            # Two judges agree on all 60 documents: an interval without width.
            warnings.simplefilter("ignore", IntervalWarning)
            interval = kappa.interval(level=LEVEL)
        found[f"table8.{first}_{second}"] = float(kappa.estimate), interval.lower, interval.upper
    for judge in labels.names[1:]:
        table = labels.contingency(REFERENCE, judge)
        others.append(exact_row(judge, table))
        scores = category_scores(table)
        drawn = rng.multinomial(table.sum(), table.ravel() / table.sum(), size=4_000)
        copies = category_scores(drawn.reshape(-1, *table.shape)).f1_of_averages
        target = f"table7.genre.{judge}"
        found[target] = float(scores.f1_of_averages), *mean_and_range(copies, level=LEVEL)[1:]
        others += [
            Computed(target, float(value), method=method)
            for method, value in (("mean_f", scores.averaged_f1), ("accuracy", scores.accuracy))
        ]
    return found, others


def exact_row(judge: str, table: np.ndarray) -> Computed:
    """Give kappa with the reference an interval that has a width even without an error.

    On equally frequent genres kappa is twice the accuracy less one, and the accuracy has the
    interval of Clopper and Pearson (1934).
    """
    right, n = int(np.trace(table)), int(table.sum())
    lower, upper = proportion_interval(right, n, level=LEVEL, method="exact").limits
    return Computed(
        f"table8.{REFERENCE}_{judge}",
        2 * (right / n) - 1,
        lower=2 * lower - 1,
        upper=2 * upper - 1,
        level=LEVEL,
        method="exact_interval",
    )


def genre_readings(printed: Printed, *, most: int = 6) -> pd.DataFrame:
    """Score every split of up to `most` errors, and say which judge's printed values it fits."""
    texts = printed.column("table7", "genre")
    references = printed.kappa["table8"].loc[REFERENCE].drop(REFERENCE)
    size, other_size = printed.genres.values()
    rows = []
    for n_errors in range(most + 1):
        for first in range(n_errors // 2 + 1):
            errors = n_errors - first
            table = np.array([[size - errors, errors], [first, other_size - first]])
            found = category_scores(table)
            scores = {
                "strict_f": float(found.f1_of_averages),
                "mean_f": float(found.averaged_f1),
                "accuracy": float(found.accuracy),
            }
            kappa = float(kappas(table))
            rows.append(
                {"errors": n_errors, "on_one_genre": errors, "on_the_other": first}
                | scores
                | {"kappa_with_reference": kappa}
                | {f"judges_with_this_{name}": fitting(texts, v) for name, v in scores.items()}
                | {"judges_with_this_kappa": fitting(references, kappa)}
            )
    return pd.DataFrame(rows)


def fitting(texts: Mapping[str, str], value: float) -> str:
    """Name those whose printed number a value rounds to."""
    return " ".join(name for name, text in texts.items() if agrees(text, "eq", value))


def genre_documents(solutions: list[GenreLabels]) -> pd.DataFrame:
    """List the documents that anybody got wrong, in every labelling that fits."""
    rows = []
    for number, labels in enumerate(solutions, 1):
        for document in np.flatnonzero(labels.wrong.any(axis=0)):
            genre = labels.genres[labels.labels[0, document]]
            judges = np.array(labels.names[1:])[labels.wrong[:, document]]
            rows.append((number, f"{genre} {document + 1}", " ".join(judges)))
    return pd.DataFrame(rows, columns=["labelling", "document", "judges_wrong"])


def genre_agreement(labels: GenreLabels, rng: np.random.Generator) -> pd.DataFrame:
    """Compute coefficients of the four judges together, with intervals of two kinds."""
    coefficients = {
        "percent agreement": agreement.percent_agreement,
        "Fleiss' kappa": agreement.fleiss_kappa,
        "Conger's kappa": agreement.conger_kappa,
        "Light's kappa": agreement.light_kappa,
        "Krippendorff's alpha": agreement.krippendorff_alpha,
        "Gwet's AC1": agreement.gwet_ac1,
    }
    rows = []
    for name, coefficient in coefficients.items():
        found = coefficient(labels.annotations())
        row = {"coefficient": name, "estimate": float(found.estimate)}
        for kind, interval in (
            ("analytic", found.interval()),
            ("bca", found.interval("bca", rng=rng)),
        ):
            row |= {f"{kind}_lower": interval.lower, f"{kind}_upper": interval.upper}
        rows.append(row)
    return pd.DataFrame(rows)
