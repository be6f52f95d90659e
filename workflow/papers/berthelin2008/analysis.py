"""Recompute Berthelin et al. (2008) from its printed tables, and simulate the rest.

===========================  ======================================================
`scale_values`               section 3.1: numbers of marks
`share_values`               section 3.1: shares of the film marks
`agreement_values`           sections 3.1 and 3.2: what is said of Tables 1 to 9
`genre_fits`, `left_out`     Tables 7 and 8: each value from the thirteen others
`genre_labels`               Tables 7 and 8: the labels of 60 documents
`scale_change`               Tables 1 and 2, 4 and 5: each from the other
`self_agreement`             Table 3 from Table 2
`leave_pair_out`             Table 9: each value from the others
`f_scores_of_panels`         Tables 7 and 10 from Tables 9, 2 and 5
`even_errors`                section 3.2: precision from recall and the reverse
`category_values`            section 3.2: orderings by precision and recall
`difficulty_values`          section 4: Table 10 and the systems of 2008
===========================  ======================================================

None of the judgements was published. Three things are done without them. What the printed
tables say about one another is computed and compared. The genre labels of 60 documents are
found again, because whole numbers of errors leave no choice; a value of Tables 7 and 8 is
compared with what the thirteen others make of it, never with a search that has seen it. And
panels of judges are simulated who share one impression of a text, calibrated to one table to
show what another one should look like; no value is ever compared with a simulation that it
calibrated.

What the paper leaves open is settled so: the three classes of the video games are equally
frequent (their shares are not printed); the marks of 0 to 20 are normal around 12.5, with
which that goes together; the eight categories of documents are equally frequent; where the
number of documents is not printed, intervals are those of 60, as in the second study.
"""

import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.stats

from annobench import agreement
from annobench.core.errors import IntervalWarning
from annobench.core.files import recording, replacing
from annobench.evaluation import scores as evaluation
from annobench.labels.annotations import Annotations
from annobench.replication.compare import (
    PAPER_METHOD,
    Computed,
    agrees,
    parse_printed,
    plain_rows,
    write_computed,
)
from annobench.replication.rounding import Rounded, half_unit, propagate
from annobench.reporting import plotting
from annobench.simulation import panels as simulate

REFERENCE = "ref"
SQUARE = ("table1", "table2", "table4", "table5", "table8", "table9")
LEVEL = 0.95
#: Items of the large panels that stand for infinitely many.
N_SIMULATED = 10_000
N_PANELS = {"full": 400, "quick": 5}
#: At quick effort a correlation is read off a curve through so many points, and predictions have
#: no intervals.
N_POINTS = 8
#: Categories of the campaign that were not in the first test, and the one discarded after it.
ADDED, DISCARDED = ("art", "literature"), "notebook"
#: Categories that section 3.2 calls the most problematic.
PROBLEMATIC = ("science", "society")
#: The levels of difficulty of section 4.1, in its order.
DIFFICULTY = ("easiest", "average", "hardest")
#: Landis and Koch (1977), upper ends.
LANDIS_KOCH = (
    (0.0, "poor"),
    (0.2, "slight"),
    (0.4, "fair"),
    (0.6, "moderate"),
    (0.8, "substantial"),
    (1.0, "almost perfect"),
)
#: What the paper calls the values of a table: its words, from the lowest to the highest.
RATINGS = (
    ("table1", "Table 1", "games, 0 to 20", "insufficient"),
    ("table2", "Table 2", "games, 3 classes", "good"),
    ("table3", "Table 3", "games, self", "moderate to good"),
    ("table4", "Table 4", "films, 0 to 4", "bad to moderate"),
    ("table5", "Table 5", "films, 3 classes", "insufficient to good"),
    ("table8", "Table 8", "genre", "excellent"),
    ("table9", "Table 9", "categories", "moderate to good"),
)


# ------------------------------------------------------------------------- printed tables


@dataclass(frozen=True)
class Printed:
    """The printed tables, numbers as text where their rounding matters.

    Attributes
    ----------
    kappa : dict
        Tables 1, 2, 4, 5, 8 and 9 by name: square frames of text, empty on and below the
        diagonal, for a coefficient has no order.
    tables : dict
        All other tables by name, as frames.
    """

    kappa: dict[str, pd.DataFrame]
    tables: dict[str, pd.DataFrame]

    def texts(self, name: str, *, judges_only: bool = False) -> list[str]:
        """Return the values of a table of coefficients as printed, row by row."""
        frame = self.kappa[name]
        return [
            frame.loc[first, second]
            for first, second in pairs_of(frame)
            if not (judges_only and REFERENCE in (first, second))
        ]

    def values(self, name: str, *, judges_only: bool = False) -> np.ndarray:
        """Return the values of a table of coefficients, row by row."""
        return np.array(self.texts(name, judges_only=judges_only), dtype=float)

    def numbers(self, name: str) -> pd.DataFrame:
        """Return a table of coefficients as numbers in both halves, NaN on the diagonal."""
        frame = self.kappa[name]
        upper = np.array([[float(text or "nan") for text in row] for row in frame.to_numpy()])
        both = np.where(np.isnan(upper), upper.T, upper)
        return pd.DataFrame(both, index=frame.index, columns=frame.columns)

    def column(self, name: str, column: str) -> "pd.Series[str]":
        """Return a column of another table as printed, by the table's first column."""
        frame = self.tables[name]
        return frame.set_index(frame.columns[0])[column]

    @property
    def genres(self) -> dict[str, int]:
        """The number of documents of each genre."""
        return {str(k): int(float(v)) for k, v in self.column("sample", "documents").items()}

    @property
    def n_documents(self) -> int:
        """The number of documents of the first test of 2008."""
        return sum(self.genres.values())


def read_printed(paths: Iterable[Path]) -> Printed:
    """Read the printed tables; every cell stays text until it is computed with."""
    frames = {
        path.stem: pd.read_csv(path, comment="#", dtype=str, keep_default_na=False)
        for path in paths
    }
    kappa = {name: frames.pop(name).set_index("judge") for name in SQUARE}
    for name, frame in kappa.items():
        if list(frame.index) != list(frame.columns):
            raise ValueError(
                f"{name}.csv: its rows are {list(frame.index)} and its columns "
                f"{list(frame.columns)}. Name the judges in one order."
            )
        filled = frame.to_numpy() != ""
        if not (filled == np.triu(np.ones_like(filled), k=1)).all():
            raise ValueError(
                f"{name}.csv: every pair must have one value, above the diagonal. "
                "Fill in what is empty there, and empty the other half."
            )
    return Printed(kappa, frames)


def pairs_of(frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return the pairs of names above the diagonal, row by row."""
    return list(itertools.combinations(frame.index, 2))


def symmetric_values(printed: Printed) -> dict[str, float]:
    """Read every value below a diagonal from above it."""
    return {
        f"{name}.{second}_{first}": float(frame.loc[first, second])
        for name, frame in printed.kappa.items()
        for first, second in pairs_of(frame)
    }


# -------------------------------------------------------------------- marks and shares


def scale_values(printed: Printed) -> dict[str, float]:
    """Count the whole marks between the two ends of a scale."""
    lowest, highest = (printed.column("scales", end).astype(int) for end in ("lowest", "highest"))
    n_values = highest - lowest + 1
    return {
        "scales.films.n_values": n_values["films"],
        "scales.games.n_values": n_values["games"],
        "scale_change.films.from": n_values["films"],
        "scale_change.games.from": n_values["games"],
        "scales.films.n_values_again": n_values["films"],
    }


def correspondence(printed: Printed) -> pd.DataFrame:
    """List all categories: their names in either genre, and what became of them."""
    table6 = printed.tables["table6"]
    names = table6.assign(category=table6["le_monde"].str.lower()).set_index("category")
    subtasks = printed.column("subtasks", "subtask")
    everything = [*names.index, *ADDED]
    if set(everything) - {DISCARDED} != set(subtasks.index):
        raise ValueError(
            f"subtasks.csv: expected the categories {sorted(set(everything) - {DISCARDED})}."
        )
    return pd.DataFrame(
        {
            "category": everything,
            "le_monde": [names["le_monde"].get(name, "") for name in everything],
            "wikipedia": [names["wikipedia"].get(name, "") for name in everything],
            "in_first_test": [name in names.index for name in everything],
            "subtask": [subtasks.get(name, "discarded") for name in everything],
        }
    )


def share_values(printed: Printed) -> dict[str, Rounded]:
    """Compute with the shares of the film marks, in percent."""
    text = printed.column("shares", "percent").tolist()
    lowest, middle, highest = text[:2], text[2], text[3:]

    def imbalance(shares: Iterable[float]) -> float:
        a, b, c, d, e = shares
        three, two = (a + b, c, d + e), (a + b + c, d + e)
        return (max(two) - min(two)) / (max(three) - min(three))

    return {
        "shares.mark_2": propagate(lambda others: 100 - sum(others), [*lowest, *highest]),
        "shares.one_third": propagate(sum, [middle]),
        "shares.low_less_than_high": propagate(sum, lowest),
        "shares.two_classes.balance": propagate(imbalance, text),
        "shares.two_classes.low": propagate(sum, [*lowest, middle]),
        "shares.two_classes.high": propagate(sum, highest),
    }


def film_marks(printed: Printed) -> pd.DataFrame:
    """List the film marks with their shares in percent and their classes."""
    shares = printed.tables["shares"]
    codes = shares["class"].map({name: k for k, name in enumerate(shares["class"].unique())})
    return pd.DataFrame({"percent": shares["percent"].astype(float), "restricted": codes})


def smallest_corpus(percents: Iterable[str], *, most: int = 5_000) -> pd.DataFrame:
    """Find the smallest number of documents whose counts print as these shares.

    Returns the counts by share; a second row shows the shares they make.
    """
    texts = list(percents)
    for total in range(1, most + 1):
        near = [round(float(text) * total / 100) for text in texts]
        possible = [
            [n for n in (m - 1, m, m + 1) if agrees(text, "eq", 100 * n / total)]
            for text, m in zip(texts, near, strict=True)
        ]
        for counts in itertools.product(*possible):
            if sum(counts) == total:
                return pd.DataFrame(
                    {
                        "printed_percent": texts,
                        "documents": counts,
                        "percent": [100 * n / total for n in counts],
                    }
                )
    raise ValueError(f"smallest_corpus: no corpus of up to {most} documents has shares {texts}.")


# ------------------------------------------------------------- what is said of agreement


def agreement_values(printed: Printed) -> dict[str, float]:
    """Find in Tables 1 to 9 the values that the text picks out."""
    games_wide, games = (printed.values(name) for name in ("table1", "table2"))
    ends = {
        f"text.{what}_f.{end}{again}": float(
            getattr(printed.column("table7", what).astype(float), method)()
        )
        for what in ("genre", "category")
        for end, method in (("smallest", "min"), ("largest", "max"))
        for again in ("", "_again")
    }
    return ends | {
        "text.games_wide.largest": games_wide.max(),
        "text.games_restricted.smallest": games.min(),
        "text.games_restricted.largest": games.max(),
        "ratings.self.only_moderate": least_with_himself(printed),
    }


def least_with_himself(printed: Printed) -> float:
    """Return the number of the judge of the smallest value in Table 3."""
    return float(printed.column("table3", "kappa").astype(float).idxmin())


def agreement_changes(printed: Printed) -> dict[str, Rounded]:
    """Compute the median of Table 2, and how the gains from a coarser scale compare."""
    tables = [printed.texts(name) for name in ("table5", "table4", "table2", "table1")]
    ends = np.cumsum([len(texts) for texts in tables])[:-1]

    def films_over_games(values: list[float]) -> float:
        films, films_wide, games, games_wide = (
            float(np.mean(part)) for part in np.split(np.array(values), ends)
        )
        return (films - films_wide) / (games - games_wide)

    return {
        "text.games_restricted.median": propagate(
            lambda values: float(np.median(values)), printed.texts("table2")
        ),
        "scale_change.films_over_games": propagate(
            films_over_games, [text for texts in tables for text in texts]
        ),
    }


def median_readings(printed: Printed) -> pd.DataFrame:
    """Take the median of Table 2 in every way that comes to mind."""
    games = printed.numbers("table2")
    everything = np.sort(printed.values("table2"))
    with_reference = games[REFERENCE].drop(REFERENCE).to_numpy()
    readings = {
        "all six pairs": np.median(everything),
        "the larger of the two middle values": everything[everything.size // 2],
        "the smaller of the two middle values": everything[everything.size // 2 - 1],
        "judges with the reference": np.median(with_reference),
        "pairs of judges": np.median(printed.values("table2", judges_only=True)),
        "middle of the smallest and the largest": (everything[0] + everything[-1]) / 2,
        "mean of all six pairs": everything.mean(),
    }
    return pd.DataFrame(
        {"reading": readings.keys(), "value": [float(value) for value in readings.values()]}
    )


def ratings_table(printed: Printed) -> pd.DataFrame:
    """Set the words of the paper beside the values they are said of, and Landis and Koch's."""
    rows = []
    for name, source, what, words in RATINGS:
        if name == "table3":
            everything = judges = printed.column("table3", "kappa").astype(float).to_numpy()
        else:
            everything = printed.values(name)
            judges = printed.values(name, judges_only=True)
        rows.append(
            {
                "source": source,
                "agreement_on": what,
                "words": words,
                "smallest": everything.min(),
                "median": float(np.median(everything)),
                "largest": everything.max(),
                "smallest_of_judges": judges.min(),
                "largest_of_judges": judges.max(),
                "landis_koch_smallest": landis_koch(everything.min()),
                "landis_koch_largest": landis_koch(everything.max()),
            }
        )
    return pd.DataFrame(rows)


def landis_koch(kappa: float) -> str:
    """Name the class of Landis and Koch (1977) that a value falls in."""
    return next(word for upper, word in LANDIS_KOCH if kappa <= upper)


# ------------------------------------------------------------------ genre, found again

#: Errors of one judge on either genre.
Split = tuple[int, int]
#: Documents of one genre on which somebody errs, each as the judges who do.
Way = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class GenreFit:
    """Errors of the judges that yield Tables 7 (genre) and 8, one value excepted at most.

    Attributes
    ----------
    splits : tuple
        Each judge's errors on either genre.
    ways : tuple
        Of each genre, who errs on which document.
    missed : str
        The target of the printed value that they do not yield; empty if they yield all.
    gives : dict
        What they give for every target.
    """

    splits: tuple[Split, ...]
    ways: tuple[Way, ...]
    missed: str
    gives: dict[str, float]


def genre_numbers(printed: Printed) -> dict[str, str]:
    """Return the values of Tables 7 (genre) and 8 as printed, by target."""
    scores = printed.column("table7", "genre")
    table = printed.kappa["table8"]
    return {f"table7.genre.{judge}": text for judge, text in scores.items()} | {
        f"table8.{first}_{second}": table.loc[first, second] for first, second in pairs_of(table)
    }


def genre_confusion(split: Split, sizes: Split) -> np.ndarray:
    """Make the confusion matrix of a judge from the errors on each genre; reference in rows."""
    return np.array([[sizes[0] - split[0], split[0]], [split[1], sizes[1] - split[1]]])


def kappas(tables: np.ndarray) -> np.ndarray:
    """Return Cohen's kappa of tables of counts, shape (..., K, K)."""
    share = tables / tables.sum(axis=(-2, -1), keepdims=True)
    expected = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
    observed = np.trace(share, axis1=-2, axis2=-1)
    with np.errstate(invalid="ignore"):
        return (observed - expected) / (1 - expected)


@cache
def scores_by_split(sizes: Split) -> tuple[np.ndarray, np.ndarray]:
    """Return strict F-score and kappa with the reference for all errors on either genre."""
    first, second = np.indices([size + 1 for size in sizes])
    tables = np.stack([sizes[0] - first, first, second, sizes[1] - second], axis=-1)
    tables = tables.reshape(*first.shape, 2, 2)
    return evaluation.category_scores(tables).f1_of_averages, kappas(tables)


def rounds_to(text: str, values: Any) -> Any:
    """Say which values round to a printed number, a tie in either direction."""
    return np.abs(values - float(parse_printed(text).value)) <= half_unit(text) + 1e-9


@cache
def pair_kappa(one: Split, other: Split, shared: int, sizes: Split) -> float:
    """Return kappa of two judges with these errors, some on the same documents."""
    differ = one[0] + other[1] - shared, other[0] + one[1] - shared
    alike = [size - a - b + shared for size, a, b in zip(sizes, one, other, strict=True)]
    return float(kappas(np.array([[alike[0], differ[1]], [differ[0], alike[1]]])))


def genre_fits(printed: Printed) -> list[GenreFit]:
    """Find all errors of the judges that yield Tables 7 (genre) and 8 but for one value.

    An F-score is the harmonic mean of mean precision and mean recall. The value of judge 4
    alone tells this reading from others (`genre_readings`), and it is among those that the
    thirteen others leave open; no other value hangs on the reading.
    """
    numbers = genre_numbers(printed)
    judges = list(printed.column("table7", "genre").index)
    sizes = tuple(printed.genres.values())
    candidates = []
    for judge in judges:
        targets = f"table7.genre.{judge}", f"table8.{REFERENCE}_{judge}"
        found = scores_by_split(sizes)
        fits = [rounds_to(numbers[t], v) for t, v in zip(targets, found, strict=True)]
        candidates.append(
            [
                ((int(a), int(b)),
                 [t for t, fit in zip(targets, fits, strict=True) if not fit[a, b]],
                 {t: float(v[a, b]) for t, v in zip(targets, found, strict=True)})
                for a, b in np.argwhere(fits[0] | fits[1])
            ]
        )  # fmt: skip
    result = []
    for chosen in itertools.product(*candidates):
        missed = [target for _, targets, _ in chosen for target in targets]
        if len(missed) > 1:
            continue
        splits = tuple(split for split, _, _ in chosen)
        values = {target: value for _, _, own in chosen for target, value in own.items()}
        for ways in itertools.product(*(overlaps(errors) for errors in zip(*splits, strict=True))):
            pairs = pair_values(judges, splits, ways, sizes)
            missed_here = missed + [t for t, v in pairs.items() if not rounds_to(numbers[t], v)]
            if len(missed_here) <= 1:
                result.append(GenreFit(splits, ways, "".join(missed_here), values | pairs))
    return result


def pair_values(
    judges: list[str], splits: tuple[Split, ...], ways: tuple[Way, ...], sizes: Split
) -> dict[str, float]:
    """Return kappa of every two judges, by target."""
    return {
        f"table8.{judges[i]}_{judges[j]}": pair_kappa(
            splits[i],
            splits[j],
            sum(i in document and j in document for way in ways for document in way),
            sizes,
        )
        for i, j in itertools.combinations(range(len(judges)), 2)
    }


@cache
def overlaps(numbers: tuple[int, ...]) -> list[Way]:
    """List the ways in which judges with these numbers of errors can share documents."""
    ways: set[Way] = {()}
    for j, number in enumerate(numbers):
        ways = {
            tuple(sorted([
                *((*doc, j) if d in shared else doc for d, doc in enumerate(way)),
                *((j,) for _ in range(number - len(shared))),
            ]))
            for way in ways
            for n_shared in range(min(number, len(way)) + 1)
            for shared in itertools.combinations(range(len(way)), n_shared)
        }  # fmt: skip
    return sorted(ways)


def left_out(printed: Printed, fits: list[GenreFit]) -> pd.DataFrame:
    """Give the range of each value of Tables 7 (genre) and 8 that the thirteen others allow.

    NaN where no errors of the judges yield the others. A value is determined if all that are
    allowed print alike.
    """
    rows = []
    for target, text in genre_numbers(printed).items():
        allowed = np.array([fit.gives[target] for fit in fits if fit.missed in ("", target)])
        low, high = (allowed.min(), allowed.max()) if allowed.size else (np.nan, np.nan)
        places = -int(parse_printed(text).unit.log10())
        rows.append(
            {
                "target": target,
                "printed": text,
                "smallest": low,
                "largest": high,
                "values_as_printed": np.unique(allowed.round(places)).size,
            }
        )
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class GenreLabels:
    """Labels that yield both Table 7 and Table 8.

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

    def contingency(self, first: str, second: str) -> np.ndarray:
        """Cross-tabulate two rows."""
        table = np.zeros((len(self.genres), len(self.genres)), dtype=np.int64)
        rows = (self.labels[self.names.index(name)] for name in (first, second))
        np.add.at(table, tuple(rows), 1)
        return table

    def kappa(self, first: str, second: str) -> float:
        """Return Cohen's kappa of two rows."""
        return float(cohen(self.contingency(first, second)).estimate)

    def annotations(self, *, with_reference: bool = False) -> Annotations:
        """Return the labels of the judges, or of the reference as well."""
        rows = range(0 if with_reference else 1, len(self.names))
        item, annotator, label = zip(
            *((i, self.names[j], self.genres[g]) for j in rows
              for i, g in enumerate(self.labels[j])),
            strict=True,
        )  # fmt: skip
        return Annotations.from_arrays(item, annotator, label)


def cohen(table: np.ndarray) -> Any:
    """Return Cohen's kappa of a contingency table."""
    return agreement.cohen_kappa(Annotations.from_contingency(table))


def genre_labels(printed: Printed, fits: list[GenreFit]) -> list[GenreLabels]:
    """Make the labels of the documents that yield Tables 7 and 8, up to their order."""
    sizes = list(printed.genres.values())
    judges = printed.column("table7", "genre").index
    reference = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.cumsum([0, *sizes])
    result = []
    for fit in fits:
        if fit.missed:
            continue
        labels = np.tile(reference, (len(judges) + 1, 1))
        for genre, documents in enumerate(fit.ways):
            for offset, wrong in enumerate(documents):
                for j in wrong:
                    labels[j + 1, starts[genre] + offset] = 1 - genre
        result.append(GenreLabels(labels, (REFERENCE, *judges), tuple(printed.genres)))
    return result


def genre_readings(printed: Printed, *, most: int = 6) -> pd.DataFrame:
    """Score every split of up to `most` errors, and say which judge's printed values it fits."""
    scores = printed.column("table7", "genre")
    references = printed.kappa["table8"].loc[REFERENCE].drop(REFERENCE)
    sizes = tuple(printed.genres.values())
    rows = []
    for n_errors in range(most + 1):
        for first in range(n_errors // 2 + 1):
            table = genre_confusion((n_errors - first, first), sizes)
            found = evaluation.category_scores(table)
            row = {
                "errors": n_errors,
                "on_one_genre": n_errors - first,
                "on_the_other": first,
                "strict_f": float(found.f1_of_averages),
                "mean_f": float(found.averaged_f1),
                "accuracy": float(found.accuracy),
                "kappa_with_reference": float(kappas(table)),
            }
            for name in ("strict_f", "mean_f", "accuracy"):
                row[f"judges_with_this_{name}"] = fitting(scores, row[name])
            row["judges_with_this_kappa"] = fitting(references, row["kappa_with_reference"])
            rows.append(row)
    return pd.DataFrame(rows)


def fitting(texts: Mapping[str, str], value: float) -> str:
    """Name those whose printed number a value rounds to."""
    return " ".join(name for name, text in texts.items() if agrees(text, "eq", value))


def genre_rows(printed: Printed, fits: list[GenreFit], rng: np.random.Generator) -> list[Computed]:
    """Make the rows of Tables 7 (genre) and 8.

    The value is the one that the thirteen others determine, the middle of those that print
    alike; where they leave it open, that of the labels that yield all fourteen. Intervals over
    documents are those of these labels.
    """
    allowed = left_out(printed, fits).set_index("target")
    solutions = genre_labels(printed, fits)
    if not solutions:
        missing = {"lower": None, "upper": None, "level": None}
        intervals = dict.fromkeys(allowed.index, (np.nan, missing))
        others = []
    else:
        intervals, others = label_intervals(solutions[0], rng)
    rows = []
    for target, row in allowed.iterrows():
        value, interval = intervals[target]
        ends = (row["smallest"], row["largest"])
        rounding = dict(zip(("rounding_lower", "rounding_upper"), ends, strict=True))
        if row["values_as_printed"] == 1:
            value = sum(ends) / 2
        rows.append(
            Computed(
                target,
                value,
                **interval,
                **(rounding if not np.isnan(ends).any() else {}),
                provenance="printed_table",
            )
        )
    return rows + others


def label_intervals(
    labels: GenreLabels, rng: np.random.Generator
) -> tuple[dict[str, tuple[float, dict[str, float]]], list[Computed]]:
    """Return value and interval of each target from labels, and rows of other methods."""
    found: dict[str, tuple[float, dict[str, float]]] = {}
    others = []
    for first, second in itertools.combinations(labels.names, 2):
        kappa = cohen(labels.contingency(first, second))
        with warnings.catch_warnings():
            # Two judges agree on all 60 documents: an interval without width.
            warnings.simplefilter("ignore", IntervalWarning)
            interval = kappa.interval()
        ends = {"lower": interval.lower, "upper": interval.upper, "level": interval.level}
        found[f"table8.{first}_{second}"] = float(kappa.estimate), ends
    for judge in labels.names[1:]:
        table = labels.contingency(REFERENCE, judge)
        others.append(exact_row(judge, table))
        scores = evaluation.category_scores(table)
        drawn = rng.multinomial(table.sum(), table.ravel() / table.sum(), size=4_000)
        copies = evaluation.category_scores(drawn.reshape(-1, *table.shape))
        low, high = np.quantile(copies.f1_of_averages, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        target = f"table7.genre.{judge}"
        ends = {"lower": float(low), "upper": float(high), "level": LEVEL}
        found[target] = float(scores.f1_of_averages), ends
        for method, value in (("mean_f", scores.averaged_f1), ("accuracy", scores.accuracy)):
            others.append(Computed(target, float(value), method=method, provenance="printed_table"))
    return found, others


def exact_row(judge: str, table: np.ndarray) -> Computed:
    """Give kappa with the reference an interval that has a width even without an error.

    On equally frequent genres kappa is twice the accuracy less one, and the accuracy has the
    interval of Clopper and Pearson (1934).
    """
    right = scipy.stats.binomtest(int(np.trace(table)), int(table.sum()))
    ends = right.proportion_ci(LEVEL, method="exact")
    return Computed(
        f"table8.{REFERENCE}_{judge}",
        2 * right.statistic - 1,
        lower=2 * ends.low - 1,
        upper=2 * ends.high - 1,
        level=LEVEL,
        method="exact_interval",
        provenance="printed_table",
    )


def genre_documents(solutions: list[GenreLabels]) -> pd.DataFrame:
    """List the documents that anybody got wrong, in every labelling that fits."""
    rows = []
    for number, labels in enumerate(solutions, 1):
        wrong = (labels.labels != labels.labels[0]).any(axis=0)
        for document in np.flatnonzero(wrong):
            reads = labels.labels[:, document]
            rows.append(
                {
                    "labelling": number,
                    "document": f"{labels.genres[reads[0]]} {document + 1}",
                    "judges_wrong": " ".join(
                        name
                        for name, label in zip(labels.names, reads, strict=True)
                        if label != reads[0]
                    ),
                }
            )
    return pd.DataFrame(rows)


def genre_agreement(labels: GenreLabels, rng: np.random.Generator) -> pd.DataFrame:
    """Compute coefficients of the four judges together, with intervals of several kinds."""
    judges = labels.annotations()
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
        found = coefficient(judges)
        row = {"coefficient": name, "estimate": float(found.estimate)}
        for kind in ("analytic", "bca"):
            interval = found.interval(kind, rng=None if kind == "analytic" else rng)
            row |= {f"{kind}_lower": interval.lower, f"{kind}_upper": interval.upper}
        rows.append(row)
    return pd.DataFrame(rows)


# ------------------------------------------------------------------- simulated panels


@dataclass(frozen=True)
class Simulation:
    """How much is simulated.

    Attributes
    ----------
    n_documents : int
        Documents of an interval.
    effort : str
        "full" or "quick".
    """

    n_documents: int
    effort: str

    @property
    def n_panels(self) -> int:
        """Panels of which the spread is taken."""
        return N_PANELS[self.effort]

    def correlation_of(self, share: np.ndarray) -> Callable[[float], float]:
        """Return the function from kappa to the correlation that gives it; NaN stays NaN."""
        if self.effort == "full":
            return lambda kappa: (
                np.nan if np.isnan(kappa) else simulate.correlation_from_kappa(kappa, share)
            )
        correlations = np.sin(np.linspace(0, np.pi / 2, N_POINTS))
        values = [simulate.kappa_from_correlation(float(r), share) for r in correlations]
        return lambda kappa: float(np.interp(kappa, values, correlations))


def game_marks(printed: Printed) -> tuple[np.ndarray, np.ndarray]:
    """Return assumed shares of the game marks and of their classes.

    The classes are equally frequent; a normal distribution cut halfway between marks gives
    that if it is centred between the limits 10.5 and 14.5.
    """
    lowest, highest = (int(printed.column("scales", end)["games"]) for end in ("lowest", "highest"))
    marks = np.arange(lowest, highest + 1)
    limits = np.sort(printed.column("game_classes", "highest").astype(float).to_numpy()) + 0.5
    centre = limits.mean()
    # Limits half a mark apart at the least, lest changed ones leave no distribution.
    spread = max(limits[1] - centre, 0.25) / scipy.stats.norm.ppf(2 / 3)
    below = scipy.stats.norm.cdf((marks[:-1] + 0.5 - centre) / spread)
    share = np.diff(below, prepend=0, append=1)
    return share, np.bincount(np.searchsorted(limits, marks), weights=share)


def scale_shares(printed: Printed) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the shares of the values of each corpus, on the wide and the restricted scale."""
    films = film_marks(printed)
    wide = films["percent"].to_numpy() / films["percent"].sum()
    return {
        "games": game_marks(printed),
        "films": (wide, np.bincount(films["restricted"], weights=wide)),
    }


def scale_change(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict each table of one scale from its counterpart on the other scale.

    The judges' perceptions are taken to be the same on both, so that the change of the
    coefficient is the work of the scale alone.
    """
    rows = []
    shares = scale_shares(printed)
    for corpus, tables in (("games", ("table1", "table2")), ("films", ("table4", "table5"))):
        scales = dict(zip(tables, shares[corpus], strict=True))
        for name, other in (tables, tables[::-1]):
            here, there = printed.numbers(name), printed.numbers(other)
            correlation_of = simulation.correlation_of(scales[other])
            for first, second in pairs_of(here):
                correlation = correlation_of(float(there.loc[first, second]))
                rows.append(
                    {
                        "corpus": corpus,
                        "table": name,
                        "first": first,
                        "second": second,
                        "printed": float(here.loc[first, second]),
                        "printed_on_other_scale": float(there.loc[first, second]),
                        "correlation": correlation,
                    }
                    | predicted_kappa(correlation, scales[name], simulation, rng)
                )
    return pd.DataFrame(rows)


def predicted_kappa(
    correlation: float, prevalence: np.ndarray, simulation: Simulation, rng: np.random.Generator
) -> dict[str, float]:
    """Return kappa of two perceptions, with the interval on the documents of the first test."""
    both = np.full(2, np.sqrt(correlation))
    expected = simulate.kappa_from_correlation(correlation, prevalence)
    return with_interval(expected, simulate.ordinal, prevalence, both, simulation, rng)


def with_interval(
    expected: float,
    make: Any,
    prevalence: np.ndarray,
    loading: np.ndarray,
    simulation: Simulation,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Add the interval on a test's documents, its standard error taken from a large panel."""
    if simulation.effort == "quick":
        return {"predicted": float(expected), "lower": np.nan, "upper": np.nan}
    panel = make(n_items=N_SIMULATED, prevalence=prevalence, loading=loading, rng=rng).annotations
    found = agreement.cohen_kappa(panel)
    error = found.standard_error * np.sqrt(found.n_items / simulation.n_documents)
    reach = scipy.stats.norm.ppf((1 + LEVEL) / 2) * error
    return {
        "predicted": float(expected),
        "lower": float(expected - reach),
        "upper": float(min(expected + reach, 1)),
    }


def self_agreement(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict Table 3 from the agreement between judges in Table 2.

    A judge who looks twice is taken for two judges with the same loading.
    """
    share = scale_shares(printed)["games"][1]
    judges = printed.numbers("table2").drop(index=REFERENCE, columns=REFERENCE)
    correlations = judges.map(simulation.correlation_of(share))
    loadings = simulate.common_loadings(correlations)
    own = printed.column("table3", "kappa").astype(float)
    others = {judge: judges[judge].drop(judge) for judge in judges}
    return pd.DataFrame(
        [
            {"judge": judge, "printed": own[judge], "smallest_with_others": others[judge].min(),
             "with_reference": float(printed.numbers("table2").loc[REFERENCE, judge]),
             "loading": loading}
            | predicted_kappa(loading**2, share, simulation, rng)
            for judge, loading in zip(judges, loadings, strict=True)
        ]
    )  # fmt: skip


def leave_pair_out(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict each value of Table 9 from all the others."""
    table = printed.numbers("table9")
    share = even_share(printed)
    rows = []
    for first, second in pairs_of(table):
        others = table.copy()
        others.loc[first, second] = others.loc[second, first] = np.nan
        loading = pd.Series(simulate.common_loadings(others), index=table.index)
        pair = loading[[first, second]].to_numpy()
        rows.append(
            {"first": first, "second": second, "printed": float(table.loc[first, second])}
            | with_interval(float(pair.prod()), simulate.nominal, share, pair, simulation, rng)
        )
    return pd.DataFrame(rows)


def even_share(printed: Printed) -> np.ndarray:
    """Return equal shares of the categories of Table 6."""
    n_categories = len(printed.tables["table6"])
    return np.full(n_categories, 1 / n_categories)


def f_scores_of_panels(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Predict strict F-scores of judges from their printed agreement.

    Table 7 (categories) by judge from Table 9, with categories equally frequent, and skewed:
    frequent as 1 to 1/2 to 1/3 and so on. The extremes in Table 10 from Tables 2 and 5.
    """
    rows = []
    category = printed.numbers("table9")
    loadings = simulate.common_loadings(category)
    even = even_share(printed)
    skewed = 1 / np.arange(1, even.size + 1)
    scores, skewed_scores = (
        panel_scores(simulate.nominal, share / share.sum(), loadings, simulation, rng)
        for share in (even, skewed)
    )
    printed_f = printed.column("table7", "category")
    for j, judge in enumerate(category.index[1:]):
        row = summary(f"table7.category.{judge}", "Table 9", float(printed_f[judge]), scores[:, j])
        row["predicted_if_skewed"] = float(skewed_scores[:, j].mean())
        row["upper_if_skewed"] = float(np.quantile(skewed_scores[:, j], (1 + LEVEL) / 2))
        right = right_answers(printed_f[judge], simulation.n_documents)
        rows.append(row | {"right_answers_that_print_so": right})
    extremes = printed.tables["table10"].set_index("corpus").drop(columns="level").astype(float)
    for corpus, name, source in (("games", "table2", "Table 2"), ("films", "table5", "Table 5")):
        share = scale_shares(printed)[corpus][1]
        correlations = printed.numbers(name).map(simulation.correlation_of(share))
        loadings = simulate.common_loadings(correlations)
        scores = panel_scores(simulate.ordinal, share, loadings, simulation, rng)
        for end, drawn in (("smallest", scores.min(axis=1)), ("largest", scores.max(axis=1))):
            value = extremes.loc[corpus, f"judges_{end}"]
            rows.append(summary(f"table10.{corpus}.judges.{end}", source, value, drawn))
    return pd.DataFrame(rows)


def right_answers(text: str, n_documents: int) -> str:
    """List the numbers of right answers on so many documents whose share prints as `text`."""
    return " ".join(str(n) for n in range(n_documents + 1) if agrees(text, "eq", n / n_documents))


def panel_scores(
    make: Any,
    share: np.ndarray,
    loadings: np.ndarray,
    simulation: Simulation,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return strict F-scores, shape (panels, judges), of panels whose first is the reference."""
    n_panels, n_documents = simulation.n_panels, simulation.n_documents
    everything = make(
        n_items=n_panels * n_documents, prevalence=share, loading=loadings, rng=rng
    ).annotations
    # Labels come document by document, those of one document together.
    labels = everything.label.astype(np.int64).reshape(n_panels, n_documents, loadings.size)
    counts = np.zeros((n_panels, loadings.size - 1, share.size, share.size), dtype=np.int64)
    panel, judge = np.arange(n_panels)[:, None, None], np.arange(loadings.size - 1)
    np.add.at(counts, (panel, judge, labels[:, :, :1], labels[:, :, 1:]), 1)
    return evaluation.category_scores(counts).f1_of_averages


def summary(target: str, source: str, value: float, drawn: np.ndarray) -> dict[str, Any]:
    """Summarise simulated values beside a printed one."""
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {
        "target": target,
        "calibrated_to": source,
        "printed": float(value),
        "predicted": float(drawn.mean()),
        "lower": float(low),
        "upper": float(high),
        "share_of_panels_at_least_printed": float((drawn >= value).mean()),
    }


def even_errors(printed: Printed, simulation: Simulation, rng: np.random.Generator) -> pd.DataFrame:
    """Predict precision from recall, and recall from precision, of the second test.

    Categories are equally frequent (or named equally often), and errors spread evenly
    over the other categories. The interval is of the mean of the judges on as many documents
    as the first test had.
    """
    categories = category_table(printed).set_index("category")
    n_judges = len(printed.tables["table7"])
    rows = []
    for name, other in (("precision", "recall"), ("recall", "precision")):
        rate = categories[other].to_numpy()
        table = np.tile((1 - rate)[:, None] / (rate.size - 1), rate.size)
        np.fill_diagonal(table, rate)
        expected = evaluation.category_scores(table).precision
        cells = rng.multinomial(
            simulation.n_documents,
            table.ravel() / table.sum(),
            size=(simulation.n_panels, n_judges),
        ).reshape(simulation.n_panels, n_judges, *table.shape)
        drawn = np.nan_to_num(evaluation.category_scores(cells).precision).mean(axis=1)
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        for k, category in enumerate(categories.index):
            rows.append(
                {
                    "target": f"{name}.{category}",
                    "printed": categories.loc[category, name],
                    "predicted": expected[k],
                    "lower": low[k],
                    "upper": high[k],
                }
            )
    return pd.DataFrame(rows)


def coefficients_by_scale(
    printed: Printed, simulation: Simulation, rng: np.random.Generator
) -> pd.DataFrame:
    """Compute weighted and unweighted coefficients of one panel on both scales of the games."""
    wide, restricted = scale_shares(printed)["games"]
    kappa = float(np.mean(printed.values("table2")))
    correlation = simulation.correlation_of(restricted)(kappa)
    panel = simulate.ordinal(
        n_items=N_SIMULATED,
        prevalence=wide,
        loading=np.full(2, np.sqrt(correlation)),
        rng=rng,
    )
    rows = []
    for scale, share in (("0 to 20", wide), ("3 classes", restricted)):
        labels = simulate.cut(panel.perception, share)
        counts = np.zeros((share.size, share.size), dtype=np.int64)
        np.add.at(counts, tuple(labels.T), 1)
        pair = Annotations.from_contingency(counts)
        for name, found in (
            ("percent agreement", agreement.percent_agreement(pair)),
            ("Cohen's kappa", agreement.cohen_kappa(pair)),
            ("Cohen's kappa, linear weights", agreement.cohen_kappa(pair, weights="linear")),
            ("Cohen's kappa, quadratic weights", agreement.cohen_kappa(pair, weights="quadratic")),
            (
                "Krippendorff's alpha, interval",
                agreement.krippendorff_alpha(pair, metric="interval"),
            ),
        ):
            rows.append((scale, name, float(found.estimate)))
    return pd.DataFrame(rows, columns=["scale", "coefficient", "value"])


# ------------------------------------------------------------- categories and systems


def category_table(printed: Printed) -> pd.DataFrame:
    """Add F-scores and ranks to precision and recall by category."""
    numbers = pd.DataFrame(
        {name: printed.column(name, name).astype(float) for name in ("precision", "recall")}
    ).loc[printed.column("precision", "precision").index]
    f_score = 2 * numbers.prod(axis=1) / numbers.sum(axis=1)
    result = numbers.assign(
        f_score=f_score, named_per_document=numbers["recall"] / numbers["precision"]
    )
    for name in ("precision", "recall", "f_score"):
        result[f"{name}_rank"] = result[name].rank(ascending=False, method="min").astype(int)
    result = result.assign(subtask=printed.column("subtasks", "subtask"))
    return result.rename_axis("category").reset_index()


def category_values(printed: Printed) -> dict[str, float]:
    """Check the orderings by precision and recall, and what is said of them."""
    table = category_table(printed).set_index("category")
    values = {}
    for name in ("precision", "recall"):
        order = printed.column(name, name).index
        values[f"{name}.order.inversions"] = float(inversions(table[name].loc[order]))
        lowest = table[name].nsmallest(len(PROBLEMATIC)).index
        values[f"{name}.most_problematic"] = float(len(set(lowest) & set(PROBLEMATIC)))
    return values | {
        "sport.misclassified": 100 * (1 - float(table.loc["sport", "precision"])),
        "recall.international.rank": float(table.loc["international", "recall_rank"]),
    }


def second_subtask(printed: Printed) -> Rounded:
    """Compare the mean F-scores of the two subtasks: the second's over the first's."""
    subtask = printed.column("subtasks", "subtask")
    texts = [printed.column(name, name)[subtask.index] for name in ("precision", "recall")]
    second = (subtask == "second").to_numpy()

    def ratio(values: list[float]) -> float:
        precision, recall = np.array(values).reshape(2, -1)
        f_score = 2 * precision * recall / (precision + recall)
        return float(f_score[second].mean() / f_score[~second].mean())

    return propagate(ratio, [text for part in texts for text in part])


def inversions(values: Iterable[float], levels: Iterable[int] | None = None) -> int:
    """Count the pairs that rise where they should fall; pairs of one level don't count."""
    numbers = list(values)
    level = list(range(len(numbers)) if levels is None else levels)
    return sum(
        later > earlier and level[j] > level[i]
        for (i, earlier), (j, later) in itertools.combinations(enumerate(numbers), 2)
    )


def second_test(printed: Printed, *, judges: Iterable[int] = (1, 2, 3, 4, 5)) -> pd.DataFrame:
    """Find the fewest documents of each category whose mean recall can print as it does.

    With n documents a mean over J judges is a whole multiple of 1 / (J n). A tie between two
    printed values is allowed in either direction.
    """
    recall = printed.column("recall", "recall")
    rows = []
    for n_judges in judges:
        fewest = {name: fewest_documents(text, n_judges) for name, text in recall.items()}
        rows.append({"judges": n_judges, **fewest, "total": sum(fewest.values())})
    return pd.DataFrame(rows)


def fewest_documents(text: str, n_judges: int, *, most: int = 200) -> int:
    """Return the fewest documents for which a mean recall prints as `text`."""
    for n in range(1, most + 1):
        chances = n_judges * n
        near = round(float(text) * chances)
        if any(agrees(text, "eq", k / chances) for k in (near - 1, near, near + 1)):
            return n
    raise ValueError(f"fewest_documents: none of up to {most} documents gives {text}.")


def second_test_strict_f(printed: Printed) -> float:
    """Return the strict F-score that the mean precision and recall of section 3.2 make.

    The mean of the judges' own strict F-scores can't exceed it: the harmonic mean is concave.
    """
    table = category_table(printed)
    precision, recall = table["precision"].mean(), table["recall"].mean()
    return float(2 * precision * recall / (precision + recall))


def difficulty_table(printed: Printed) -> pd.DataFrame:
    """Return Table 10 as numbers, the level of difficulty from 0."""
    table = printed.tables["table10"].set_index("corpus")
    return table.assign(level=table["level"].map(DIFFICULTY.index)).astype(float)


def difficulty_values(printed: Printed) -> dict[str, float]:
    """Check what section 4 says of Table 10 and of the systems of 2008.

    The text doesn't say by which number corpora are ordered: the middles of the ranges here.
    """
    wrong = difficulty_readings(printed).set_index(["who", "by"])
    papers = difficulty_table(printed).loc["papers"]
    systems = printed.column("systems", "smallest").astype(float)
    return {
        "difficulty.judges.inversions": wrong.loc[("judges", "middle"), "wrong_pairs_of_corpora"],
        "difficulty.competitors.inversions": wrong.loc[
            ("competitors", "middle"), "wrong_pairs_of_levels"
        ],
        "competitors2008.category.better": systems["category"],
        **{
            f"papers.same_interval.{end}": papers[f"judges_{end}"] - papers[f"competitors_{end}"]
            for end in ("smallest", "largest")
        },
    }


def difficulty_readings(printed: Printed) -> pd.DataFrame:
    """Order the corpora of Table 10 by ends and middles, for judges and competitors."""
    table = difficulty_table(printed)
    rows = []
    for who in ("judges", "competitors"):
        low, high = table[f"{who}_smallest"], table[f"{who}_largest"]
        for reading, values in (("smallest", low), ("largest", high), ("middle", (low + high) / 2)):
            rows.append(
                {
                    "who": who,
                    "by": reading,
                    **values.to_dict(),
                    "easiest_to_hardest": " > ".join(values.sort_values(ascending=False).index),
                    "wrong_pairs_of_levels": inversions(values, table["level"].astype(int)),
                    "wrong_pairs_of_corpora": inversions(values),
                }
            )
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------ computed rows


def rounded_rows(values: Mapping[str, Rounded]) -> list[Computed]:
    """Make computed rows of values from rounded numbers."""
    return [
        Computed(target, value, rounding_lower=lower, rounding_upper=upper,
                 provenance="printed_table")
        for target, (value, lower, upper) in values.items()
    ]  # fmt: skip


def predicted_rows(table: pd.DataFrame) -> list[Computed]:
    """Make computed rows of simulated values; the intervals are those of 60 documents."""
    return [
        Computed(
            row["target"],
            row["predicted"],
            **({} if np.isnan(row["lower"]) else
               {"lower": row["lower"], "upper": row["upper"], "level": LEVEL}),
            provenance="simulated",
        )
        for row in table.to_dict("records")
    ]  # fmt: skip


def other_readings(printed: Printed) -> list[Computed]:
    """Make rows of readings that give other values, among them some that give the printed one."""
    medians = median_readings(printed).set_index("reading")["value"]
    judges = printed.values("table2", judges_only=True)
    papers = difficulty_table(printed).loc["papers"].round(1)
    categories = category_table(printed).set_index("category")
    wrong = difficulty_readings(printed).set_index(["who", "by"])
    n_marks = scale_values(printed)["scales.games.n_values"]
    by_method: dict[str, dict[str, float]] = {
        "reference_row": {
            "text.games_restricted.median": medians["judges with the reference"],
        },
        "larger_middle": {
            "text.games_restricted.median": medians["the larger of the two middle values"],
        },
        "judges_only": {
            "text.games_restricted.median": medians["pairs of judges"],
            "text.games_restricted.largest": judges.max(),
            "text.games_restricted.smallest": judges.min(),
        },
        "without_mark_0": dict.fromkeys(
            ("scales.games.n_values", "scale_change.games.from"), n_marks - 1
        ),
        "of_its_documents": {
            "sport.misclassified": 100 * (1 - categories.loc["sport", "recall"]),
        },
        "f_score": {"recall.international.rank": categories.loc["international", "f_score_rank"]},
        "at_most_in_second_test": {"text.category_f.smallest_again": second_test_strict_f(printed)},
        **{
            end: {
                "difficulty.judges.inversions": wrong.loc[
                    ("judges", end), "wrong_pairs_of_corpora"
                ],
                "difficulty.competitors.inversions": wrong.loc[
                    ("competitors", end), "wrong_pairs_of_levels"
                ],
            }
            for end in ("smallest", "largest")
        },
        "one_decimal": {
            f"papers.same_interval.{end}": papers[f"judges_{end}"] - papers[f"competitors_{end}"]
            for end in ("smallest", "largest")
        },
    }
    return [
        row
        for method, values in by_method.items()
        for row in plain_rows(values, "printed_table", method)
    ]


# ------------------------------------------------------------------------------- figures

#: Points of the films that have another on their right.
NAMED_ON_THE_LEFT = {"34", "R3", "R4"}


def figure_agreement(printed: Printed, stem: Path) -> None:
    """Draw every coefficient of Tables 1 to 5, 8 and 9 with the paper's words for them."""
    with plotting.house_figure(height=3.4) as (figure, panels):
        for axes, title, names in (
            (panels[0], "Opinion marks, 2007", ("table1", "table2", "table3", "table4", "table5")),
            (panels[1], "Genre and categories, 2008", ("table8", "table9")),
        ):
            shade_landis_koch(axes)
            rows = [rating for rating in RATINGS if rating[0] in names]
            for y, (name, source, what, words) in enumerate(rows):
                strip(axes, printed, name, y)
                axes.text(1.06, y, words, va="center", fontsize=8, style="italic")
                axes.text(-0.02, y, f"{source}\n{what}", va="center", ha="right", fontsize=8)
            axes.set(title=title, xlabel="Cohen's kappa", xlim=(0, 1.02), yticks=[],
                     ylim=(4.6, -1.15))  # fmt: skip
            axes.spines["left"].set_visible(False)
        axes = panels[1]
        axes.scatter([], [], s=30, color=plotting.INK, label="judge and reference")
        axes.scatter([], [], s=30, facecolor="white", edgecolor=plotting.BLUE, label="two judges")
        axes.plot([], [], marker="|", color=plotting.VERMILION, linestyle="none", markersize=12,
                  markeredgewidth=2, label="median")  # fmt: skip
        axes.scatter([], [], s=30, marker="D", facecolor="white", edgecolor=plotting.GREEN,
                     label="a judge with himself")  # fmt: skip
        axes.legend(loc="lower left", bbox_to_anchor=(0.0, 0.02))
        plotting.save_figure(figure, stem)


def shade_landis_koch(axes: Any) -> None:
    """Shade the classes of Landis and Koch behind a scale from 0 to 1."""
    for number, ((lower, _), (upper, word)) in enumerate(itertools.pairwise(LANDIS_KOCH)):
        if number % 2 == 0:
            axes.axvspan(lower, upper, color="#EEF1F4", zorder=0, linewidth=0)
        axes.text((lower + upper) / 2, -0.95 + 0.27 * (number % 2), word, ha="center",
                  va="center", fontsize=6.5, color=plotting.GREY)  # fmt: skip


def strip(axes: Any, printed: Printed, name: str, y: float) -> None:
    """Draw the values of one table on a line."""
    if name == "table3":
        own = printed.column("table3", "kappa").astype(float)
        axes.scatter(own, np.full(len(own), y), s=30, marker="D", facecolor="white",
                     edgecolor=plotting.GREEN, zorder=3)  # fmt: skip
        return
    table = printed.numbers(name)
    judges = printed.values(name, judges_only=True)
    reference = table.loc[REFERENCE].dropna().to_numpy()
    axes.scatter(judges, spread(judges, y + 0.13), s=26, facecolor="white",
                 edgecolor=plotting.BLUE, zorder=3)  # fmt: skip
    axes.scatter(reference, spread(reference, y - 0.13, -1), s=26, color=plotting.INK, zorder=3)
    axes.plot([np.median(printed.values(name))], [y], marker="|", color=plotting.VERMILION,
              markersize=18, markeredgewidth=2, zorder=2)  # fmt: skip


def spread(values: np.ndarray, y: float, direction: int = 1) -> np.ndarray:
    """Set equal or close values above one another."""
    heights = np.full(values.size, y)
    order = np.argsort(values)
    for before, here in itertools.pairwise(order):
        if values[here] - values[before] < 0.018:
            heights[here] = heights[before] + direction * 0.13
    return heights


def figure_scale_change(table: pd.DataFrame, printed: Printed, stem: Path) -> None:
    """Draw agreement on the restricted scale against the wide scale, with what the scale does."""
    with plotting.house_figure(height=4.0) as (figure, panels):
        shares = scale_shares(printed)
        for axes, corpus, wide_name, title in (
            (panels[0], "games", "table1", "Video games: 21 marks to 3"),
            (panels[1], "films", "table4", "Films: 5 marks to 3"),
        ):
            wide, restricted = shares[corpus]
            correlations = np.sin(np.linspace(0, np.pi / 2, 60))
            axes.plot(
                [simulate.kappa_from_correlation(float(r), wide) for r in correlations],
                [simulate.kappa_from_correlation(float(r), restricted) for r in correlations],
                color=plotting.BLUE, label="simulated: the same\nperception on both scales",
            )  # fmt: skip
            axes.plot([0, 1], [0, 1], color=plotting.GREY, linestyle="--", linewidth=0.9,
                      label="no gain")  # fmt: skip
            cells = table[table["table"] == wide_name]
            for with_reference, color in ((True, plotting.INK), (False, "white")):
                part = cells[(cells["first"] == REFERENCE) == with_reference]
                axes.scatter(
                    part["printed"],
                    part["printed_on_other_scale"],
                    s=28,
                    color=color,
                    edgecolor=plotting.INK,
                    linewidth=0.9,
                    zorder=3,
                    label="with the reference" if with_reference else "two judges",
                )
            name_points(axes, cells)
            axes.set(title=title, xlim=(0, 0.85), ylim=(0, 0.9), aspect="equal",
                     xlabel="kappa, wide scale (printed)",
                     ylabel="kappa, restricted scale (printed)")  # fmt: skip
        panels[0].legend(loc="lower right")
        plotting.save_figure(figure, stem)


def name_points(axes: Any, cells: pd.DataFrame) -> None:
    """Name the pairs of judges at their points, those of one point together."""
    for (x, y), there in cells.groupby(["printed", "printed_on_other_scale"]):
        pairs = [
            f"{'R' if cell['first'] == REFERENCE else cell['first']}{cell['second']}"
            for cell in there.to_dict("records")
        ]
        left = len(pairs) == 1 and pairs[0] in NAMED_ON_THE_LEFT
        axes.annotate(", ".join(pairs), (x, y), xytext=(-5 if left else 5, 3 if left else -3),
                      ha="right" if left else "left", va="center", fontsize=7,
                      textcoords="offset points")  # fmt: skip


def figure_genre(labels: GenreLabels, rows: Iterable[Computed], stem: Path) -> None:
    """Draw the errors that Tables 7 and 8 determine, and Table 8 with intervals."""
    with plotting.house_figure(height=3.4) as (figure, panels):
        axes = panels[0]
        wrong = labels.labels[1:] != labels.labels[0]
        documents = np.flatnonzero(wrong.any(axis=0))
        for x, document in enumerate(documents):
            for j in range(len(wrong)):
                missed = wrong[j, document]
                axes.scatter([x], [j], s=150, marker="s", linewidth=0.8, edgecolor=plotting.INK,
                             color=plotting.VERMILION if missed else "white")  # fmt: skip
                if missed:
                    axes.scatter([x], [j], s=40, marker="x", color="white", linewidth=1.6)
        axes.set_yticks(range(len(wrong)), [f"judge {name}" for name in labels.names[1:]])
        axes.set_xticks(range(documents.size), [chr(97 + x) for x in range(documents.size)])
        others = labels.labels.shape[1] - documents.size
        axes.set(title="Documents that a judge got wrong",
                 xlabel=f"document (all right on the other {others})",
                 xlim=(-0.6, documents.size - 0.4), ylim=(3.6, -0.6))  # fmt: skip
        forest(panels[1], [row for row in rows if row.target.startswith("table8.")])
        panels[1].legend(loc="upper left")
        panels[1].set(title="Table 8, with 95% intervals", xlabel="Cohen's kappa", xlim=(0.6, 1.02))
        plotting.save_figure(figure, stem)


def forest(axes: Any, rows: list[Computed]) -> None:
    """Draw estimates with intervals, one below the other, exact ones dotted."""
    shown = {row.target: y for y, row in enumerate(r for r in rows if r.method == PAPER_METHOD)}
    pairs = [target.split(".")[1].split("_") for target in shown]
    for row in rows:
        y, analytic = shown[row.target], row.method == PAPER_METHOD
        judge = REFERENCE in row.target
        color = plotting.INK if judge else plotting.BLUE
        axes.plot([row.lower, row.upper], [y if analytic else y + 0.22] * 2, color=color,
                  linewidth=1.4, linestyle="-" if analytic else ":",
                  label=None if y else "analytic" if analytic else "exact (reference)")  # fmt: skip
        if analytic:
            axes.scatter([row.value], [y], s=26, color=color if judge else "white",
                         edgecolor=color, zorder=3, clip_on=False)  # fmt: skip
    axes.set_yticks(
        range(len(pairs)), [f"{'reference' if a == REFERENCE else a}, {b}" for a, b in pairs]
    )
    axes.set_ylim(len(pairs) - 0.4, -0.6)


def figure_categories(pairs: pd.DataFrame, scores: pd.DataFrame, stem: Path) -> None:
    """Draw Table 9 against its prediction from itself, and Table 7 against that from Table 9."""
    with plotting.house_figure(height=3.8) as (figure, panels):
        names = [
            f"reference, {b}" if a == REFERENCE else f"{a}, {b}"
            for a, b in zip(pairs["first"], pairs["second"], strict=True)
        ]
        beside(panels[0], pairs, names)
        panels[0].set(title="Table 9, each from the others", xlabel="Cohen's kappa", xlim=(0, 1))
        own = scores[scores["target"].str.startswith("table7")]
        beside(panels[1], own, [f"judge {target[-1]}" for target in own["target"]], legend=True)
        panels[1].set(title="Table 7 (categories) from Table 9", xlabel="strict F-score",
                      xlim=(0, 1))  # fmt: skip
        plotting.save_figure(figure, stem)


def beside(axes: Any, table: pd.DataFrame, names: list[str], *, legend: bool = False) -> None:
    """Draw printed values beside simulated ones with their intervals."""
    where = np.arange(len(table))
    axes.hlines(where, table["lower"], table["upper"], color=plotting.BLUE, linewidth=1.4,
                label="simulated, 95% on 60 documents")  # fmt: skip
    axes.scatter(table["predicted"], where, s=26, facecolor="white", edgecolor=plotting.BLUE,
                 zorder=3)  # fmt: skip
    axes.scatter(table["printed"], where, s=40, marker="x", color=plotting.VERMILION,
                 linewidth=1.8, zorder=4, label="printed")  # fmt: skip
    axes.set_yticks(where, names)
    axes.set_ylim(len(table) - 0.4, -1.1 if legend else -0.6)
    if legend:
        axes.legend(loc="upper left")


def figure_precision_recall(table: pd.DataFrame, stem: Path) -> None:
    """Draw precision against recall by category, and how often each category is named."""
    # Where the names of categories stand beside their points, and on which side.
    offsets = {
        "international": ((0, 9), "center"),
        "literature": ((-5, 8), "center"),
        "television": ((-7, -4), "right"),
        "art": ((-2, -12), "center"),
    }
    with plotting.house_figure(height=4.2) as (figure, panels):
        axes = panels[0]
        grid = np.linspace(0.01, 1, 200)
        for level in (0.5, 0.7, 0.9):
            precision = level * grid / (2 * grid - level + 1e-12)
            inside = (2 * grid > level) & (precision <= 1.0)
            axes.plot(grid[inside], precision[inside], color="#C9CED3", linewidth=0.8, zorder=1)
            axes.text(1.01, level / (2 - level), f"F {level}", fontsize=7, va="center",
                      color=plotting.GREY)  # fmt: skip
        for subtask, marker, color in (
            ("first", "o", plotting.BLUE),
            ("second", "s", plotting.VERMILION),
        ):
            part = table[table["subtask"] == subtask]
            axes.scatter(part["recall"], part["precision"], s=34, marker=marker, zorder=3,
                         facecolor="white", edgecolor=color, linewidth=1.5,
                         label=f"{subtask} subtask")  # fmt: skip
        for row in table.to_dict("records"):
            offset, side = offsets.get(row["category"], ((6, 5), "left"))
            axes.annotate(row["category"].capitalize(), (row["recall"], row["precision"]),
                          xytext=offset, ha=side, textcoords="offset points",
                          fontsize=7.5)  # fmt: skip
        axes.set(title="Nine categories, second test", xlabel="recall", ylabel="precision",
                 xlim=(0.2, 1), ylim=(0.2, 1.05))  # fmt: skip
        axes.legend(loc="upper left")
        named = table.sort_values("named_per_document")
        where = np.arange(len(named))
        panels[1].axvline(1, color=plotting.GREY, linestyle="--", linewidth=0.9)
        panels[1].hlines(where, 1, named["named_per_document"], color=plotting.INK, linewidth=1)
        panels[1].scatter(named["named_per_document"], where, s=34, color=plotting.INK, zorder=3)
        panels[1].set_yticks(where, named["category"].str.capitalize())
        panels[1].set(title="Named too rarely, named too often",
                      xlabel="labels per document of the category", xlim=(0.5, 1.75))  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_systems(printed: Printed, stem: Path) -> None:
    """Draw the ranges of judges and competitors in 2007 (Table 10) and 2008."""
    table10 = difficulty_table(printed)
    systems = printed.tables["systems"].set_index("what").astype(float)
    scores = printed.tables["table7"].set_index("judge").astype(float)
    with plotting.house_figure(height=3.3) as (figure, panels):
        ranges(
            panels[0],
            {
                corpus.capitalize(): (row[:2].tolist(), row[2:].tolist())
                for corpus, row in table10.drop(columns="level").iterrows()
            },
        )
        panels[0].set_title("2007 (Table 10)")
        ranges(
            panels[1],
            {
                what.capitalize(): (
                    [scores[what].min(), scores[what].max()],
                    systems.loc[what].tolist(),
                )
                for what in ("genre", "category")
            },
        )
        panels[1].set_title("2008 (Table 7 and section 4.2)")
        panels[1].legend(loc="lower left")
        plotting.save_figure(figure, stem)


def ranges(axes: Any, by_name: Mapping[str, tuple[list[float], list[float]]]) -> None:
    """Draw the range of judges above that of competitors."""
    for y, (judges, competitors) in enumerate(by_name.values()):
        for shift, ends, color, marker, label in (
            (-0.13, judges, plotting.INK, "o", "judges"),
            (0.13, competitors, plotting.BLUE, "s", "competitors"),
        ):
            axes.plot(ends, [y + shift] * 2, color=color, marker=marker, linewidth=2.2,
                      markersize=5, label=label if y == 0 else None)  # fmt: skip
            for x, side in zip(ends, ("right", "left"), strict=True):
                axes.annotate(f"{x:.2f}", (x, y + shift), ha=side, va="center", fontsize=7,
                              xytext=(-6 if side == "right" else 6, 0), color=color,
                              textcoords="offset points")  # fmt: skip
    axes.set_yticks(range(len(by_name)), by_name)
    axes.set(xlabel="strict F-score, smallest to largest", xlim=(0.28, 1.1),
             ylim=(len(by_name) - 0.5, -0.5))  # fmt: skip


def figure_coefficients(coefficients: pd.DataFrame, own: pd.DataFrame, stem: Path) -> None:
    """Draw what other coefficients say on either scale, and Table 3 beside its prediction."""
    with plotting.house_figure(height=3.4) as (figure, panels):
        axes = panels[0]
        wide, restricted = (
            coefficients[coefficients["scale"] == scale] for scale in ("0 to 20", "3 classes")
        )
        where = np.arange(len(wide))
        axes.hlines(where, wide["value"], restricted["value"], color=plotting.GREY, linewidth=1)
        axes.scatter(wide["value"], where, s=34, color=plotting.INK, zorder=3, label="0 to 20")
        axes.scatter(restricted["value"], where, s=34, facecolor="white", edgecolor=plotting.BLUE,
                     linewidth=1.4, zorder=3, label="3 classes")  # fmt: skip
        axes.set_yticks(where, [name.replace(", ", ",\n") for name in wide["coefficient"]])
        axes.set(title="Two simulated judges, two scales", xlabel="value", xlim=(0, 1.02),
                 ylim=(len(wide) - 0.5, -0.6))  # fmt: skip
        axes.legend(loc="lower left")
        beside(panels[1], own, [f"judge {judge}" for judge in own["judge"]], legend=True)
        panels[1].set(title="Table 3 (self) from Table 2", xlabel="Cohen's kappa", xlim=(0, 1.02))
        plotting.save_figure(figure, stem)


# ---------------------------------------------------------------------------------- main


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder.

    Parameters
    ----------
    data : mapping of str to Path
        Not used: the paper has no public data.
    printed_tables : iterable of Path
        The printed tables.
    folder : Path
        Where the results go.
    seed : int
        Of the simulations.
    effort : {"full", "quick"}
        With "quick" panels are few, and most predictions have no interval.
    """
    printed = read_printed(printed_tables)
    generators = iter(np.random.default_rng(seed).spawn(8))
    simulation = Simulation(printed.n_documents, effort)
    fits = genre_fits(printed)
    genre = genre_rows(printed, fits, next(generators))
    simulated = simulated_tables(printed, simulation, generators)
    exact = (
        scale_values(printed)
        | symmetric_values(printed)
        | agreement_values(printed)
        | category_values(printed)
        | difficulty_values(printed)
    )
    rounded = share_values(printed) | agreement_changes(printed)
    rounded["subtasks.second_harder"] = second_subtask(printed)
    computed = [
        *plain_rows(exact, "printed_table"),
        *rounded_rows(rounded),
        *genre,
        *predicted_rows(pd.concat(simulated.values())),
        *other_readings(printed),
    ]
    write_computed(computed, folder / "computed.csv")

    solutions = genre_labels(printed, fits)
    if not solutions:
        raise ValueError(
            "table7.csv and table8.csv: no labels of the documents yield both tables. "
            "Correct the printed values."
        )
    labels, categories = solutions[0], category_table(printed)
    coefficients = coefficients_by_scale(printed, simulation, next(generators))
    together = genre_agreement(labels, next(generators))
    tables = {
        "correspondence": (correspondence(printed), "printed_table"),
        "ratings": (ratings_table(printed), "printed_table"),
        "medians": (median_readings(printed), "printed_table"),
        "shares": (smallest_corpus(printed.tables["shares"]["percent"]), "printed_table"),
        **{name: (simulated[name], "simulated") for name in ("scale_change", "self_agreement")},
        "coefficients": (coefficients, "simulated"),
        "genre_readings": (genre_readings(printed), "printed_table"),
        "genre_left_out": (left_out(printed, fits), "printed_table"),
        "genre_documents": (genre_documents(solutions), "printed_table"),
        "genre_agreement": (together, "printed_table"),
        **{name: (simulated[name], "simulated") for name in ("category_pairs", "f_scores")},
        "categories": (categories, "printed_table"),
        "even_errors": (simulated["even_errors"], "simulated"),
        "second_test": (second_test(printed), "printed_table"),
        "difficulty": (difficulty_readings(printed), "printed_table"),
    }
    for name, (table, _) in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    figure_agreement(printed, stems / "agreement")
    figure_scale_change(simulated["scale_change"], printed, stems / "scale_change")
    figure_coefficients(coefficients, simulated["self_agreement"], stems / "coefficients")
    figure_genre(labels, genre, stems / "genre")
    figure_categories(simulated["category_pairs"], simulated["f_scores"], stems / "categories")
    figure_precision_recall(categories, stems / "precision_recall")
    figure_systems(printed, stems / "systems")
    captions = {
        name: {"provenance": word, "caption": text, "seed": seed}
        for name, (word, text) in CAPTIONS.items()
    } | {f"tables/{name}": {"provenance": word, "seed": seed} for name, (_, word) in tables.items()}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(captions, indent=1) + "\n")


def simulated_tables(
    printed: Printed, simulation: Simulation, generators: Iterator[np.random.Generator]
) -> dict[str, pd.DataFrame]:
    """Simulate what is shown beside printed values, each row with its target."""
    change = scale_change(printed, simulation, next(generators))
    own = self_agreement(printed, simulation, next(generators))
    pairs = leave_pair_out(printed, simulation, next(generators))
    return {
        "scale_change": change.assign(
            target=change["table"] + "." + change["first"] + "_" + change["second"]
        ),
        "self_agreement": own.assign(target="table3." + own["judge"]),
        "category_pairs": pairs.assign(target="table9." + pairs["first"] + "_" + pairs["second"]),
        "f_scores": f_scores_of_panels(printed, simulation, next(generators)),
        "even_errors": even_errors(printed, simulation, next(generators)),
    }


CAPTIONS = {
    "agreement": (
        "printed_table",
        "Every printed value of Cohen's kappa, with the paper's own words for each table. The "
        "words follow no common limits: all of Table 2 is called good from 0.54 on, and 0.60 in "
        "Table 4 moderate. Diamonds: a judge with himself. Shaded: the classes of Landis and Koch.",
    ),
    "scale_change": (
        "simulated",
        "Printed values on the restricted scale against those on the wide scale; R is the "
        "reference. The blue curve is simulated: two judges who perceive a text just the same on "
        "both scales gain that much by merging marks alone. On films that is about two thirds of "
        "the mean gain. On video games the judges agree on 21 marks even less than the scale "
        "explains. Assumed: film marks with the printed shares, game classes equally frequent.",
    ),
    "coefficients": (
        "simulated",
        "Left: two simulated judges with the mean agreement of Table 2, on 21 marks and on three "
        "classes. Unweighted kappa falls with the number of marks, though nobody judges worse; "
        "kappa with quadratic weights and interval alpha even rise. Right: agreement of each judge "
        "with himself, printed, and simulated as if he were two judges with his share in Table 2. "
        "The second judge agrees with everybody else more than with himself.",
    ),
    "genre": (
        "printed_table",
        "Left: the only documents that anybody got wrong, as far as Tables 7 and 8 determine "
        "them; crosses are errors. Judge 4 made all errors on one genre, and shares one with "
        "judge 3. Right: Table 8 computed from these labels, with analytic intervals, and exact "
        "ones, dotted, for judges with the reference: without an error the first have no width.",
    ),
    "categories": (
        "simulated",
        "Left: each value of Table 9 and its prediction from the other nine, if judges and "
        "reference share one impression of a document: it fits, and the reference is no better "
        "a judge than the worst of the four. Right: the strict F-scores that such judges reach on "
        "60 documents in eight equally frequent categories, and the printed ones of Table 7, "
        "which are far higher.",
    ),
    "precision_recall": (
        "printed_table",
        "Left: precision and recall of nine categories as printed, with lines of equal F-score. "
        "Right: recall over precision is how often a category is named for each document that "
        "has it. No document of another category is put into Sport, and a quarter of its own are "
        "missed.",
    ),
    "systems": (
        "printed_table",
        "Printed ranges of strict F-scores. In 2007 both ends of the judges' range lie above those "
        "of the competitors, on paper reviews by 0.01 only. The order of difficulty from debates "
        "to papers holds for judges, but not for competitors: their best result is on games, "
        "their worst on films.",
    ),
}


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={},
            printed_tables=[Path(path) for path in snakemake.input.printed_tables],
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
