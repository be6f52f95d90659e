"""The genre labels of 60 documents, reconstructed from Tables 7 and 8 of Berthelin et al. (2008).

Whole numbers of errors leave hardly a choice: the search finds all errors of the judges that give
the printed values, one excepted at most. Each value is compared with what the thirteen others
determine, never with a search that has used it.
"""

import itertools
import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from annobench import agreement
from annobench.core.errors import IntervalWarning
from annobench.evaluation.scores import category_scores
from annobench.labels.annotations import Annotations
from annobench.reporting.printed import agrees, parse_printed
from annobench.resampling import proportion_interval
from annobench_replication.ledger import Computed
from annobench_replication.rounding import half_unit
from annobench_replication.rows import interval_columns, value_row
from annobench_replication.statistics import kappas, mean_and_range

from .printed import LEVEL, REFERENCE, Printed, pairs_of

#: Numbers of one judge's errors on either genre, or of the documents of either genre.
Split = tuple[int, int]
#: Documents of one genre on which somebody errs, each as the judges who do.
Overlap = tuple[tuple[int, ...], ...]
#: A value with the ends of its interval.
Interval = tuple[float, float, float]


class GenreFit(NamedTuple):
    """Errors of the judges that give Tables 7 (genre) and 8, one value excepted at most."""

    #: Each judge's errors on either genre.
    errors: tuple[Split, ...]
    #: Of each genre, who errs on which document.
    overlaps: tuple[Overlap, ...]
    #: The target of the printed value that they do not give; empty if they give all.
    missed: str
    #: What they give for every target.
    found: dict[str, float]


def genre_numbers(printed: Printed) -> dict[str, str]:
    """Return the values of Tables 7 (genre) and 8 as printed, by target."""
    scores, pairs = printed.column("table7", "genre"), pairs_of(printed.kappa["table8"])
    names = [*(f"table7.genre.{judge}" for judge in scores.index)]
    names += [f"table8.{first}_{second}" for first, second in pairs]
    return dict(zip(names, [*scores, *printed.texts("table8")], strict=True))


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
    names = "table7.genre.{}", f"table8.{REFERENCE}_{{}}"
    scores = dict(zip(names, scores_by_errors(sizes), strict=True))
    candidates = []
    for judge in judges:
        found = {name.format(judge): score for name, score in scores.items()}
        fits = [rounds_to(numbers[target], score) for target, score in found.items()]
        candidates.append([(int(a), int(b)) for a, b in np.argwhere(np.logical_or(*fits))])
    result = []
    for errors in itertools.product(*candidates):
        values = {
            name.format(judge): float(score[split])
            for judge, split in zip(judges, errors, strict=True)
            for name, score in scores.items()
        }
        missed = [t for t, v in values.items() if not rounds_to(numbers[t], v)]
        if len(missed) > 1:
            continue
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


class GenreLabels(NamedTuple):
    """Labels that give both Table 7 and Table 8."""

    #: Genre codes, shape (1 + J, I); the first row is the reference.
    labels: np.ndarray
    #: Of the rows.
    names: tuple[str, ...]
    #: Of the codes.
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

    def kappa(self, first: str, second: str) -> agreement.Agreement:
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
        found = Computed(row.target, np.nan)
        if solutions:
            found = value_row(row.target, intervals[row.target], level=LEVEL)
        if row.values_as_printed == 1:
            found = replace(found, value=(row.smallest + row.largest) / 2)
        if not np.isnan(row.smallest):
            found = replace(found, rounding_lower=row.smallest, rounding_upper=row.largest)
        rows.append(found)
    return rows + others


def label_intervals(
    labels: GenreLabels, rng: np.random.Generator
) -> tuple[dict[str, Interval], list[Computed]]:
    """Return value and interval of each target from labels, and rows of other methods."""
    found, others = {}, []
    for first, second in itertools.combinations(labels.names, 2):
        kappa = labels.kappa(first, second)
        with warnings.catch_warnings():
            # Two judges agree on all 60 documents: an interval of zero width.
            warnings.simplefilter("ignore", IntervalWarning)
            interval = kappa.interval(level=LEVEL)
        found[f"table8.{first}_{second}"] = float(kappa.estimate), *interval.limits
    for judge in labels.names[1:]:
        table = labels.contingency(REFERENCE, judge)
        others.append(exact_row(judge, table))
        scores = category_scores(table)
        drawn = rng.multinomial(table.sum(), table.ravel() / table.sum(), size=4_000)
        copies = category_scores(drawn.reshape(-1, *table.shape)).f1_of_averages
        target = f"table7.genre.{judge}"
        found[target] = float(scores.f1_of_averages), *mean_and_range(copies, level=LEVEL)[1:]
        others.append(value_row(target, scores.averaged_f1, method="mean_f"))
        others.append(value_row(target, scores.accuracy, method="accuracy"))
    return found, others


def exact_row(judge: str, table: np.ndarray) -> Computed:
    """Give kappa with the reference an interval that has a width even without an error.

    On equally frequent genres kappa is twice the accuracy less one, and the accuracy has the
    interval of Clopper and Pearson (1934).
    """
    right, n = int(np.trace(table)), int(table.sum())
    lower, upper = proportion_interval(right, n, level=LEVEL, method="exact").limits
    kappa = 2 * (right / n) - 1, 2 * lower - 1, 2 * upper - 1
    return value_row(f"table8.{REFERENCE}_{judge}", kappa, level=LEVEL, method="exact_interval")


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
            scores = found.f1_of_averages, found.averaged_f1, found.accuracy, kappas(table)
            rows.append((n_errors, errors, first, *map(float, scores)))
    names = ["strict_f", "mean_f", "accuracy", "kappa"]
    columns = ["errors", "on_one_genre", "on_the_other", *names]
    readings = pd.DataFrame(rows, columns=columns)
    for name, printed_so in zip(names, (texts, texts, texts, references), strict=True):
        readings[f"judges_with_this_{name}"] = [fitting(printed_so, v) for v in readings[name]]
    return readings.rename(columns={"kappa": "kappa_with_reference"})


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
        row |= interval_columns(found.interval(), "analytic_")
        rows.append(row | interval_columns(found.interval("bca", rng=rng), "bca_"))
    return pd.DataFrame(rows)
