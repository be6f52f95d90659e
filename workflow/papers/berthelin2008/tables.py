"""The tables of Berthelin et al. (2008) that follow from printed numbers alone."""

import itertools
from collections.abc import Iterable

import numpy as np
import pandas as pd

from annobench_replication.rounding import counts_that_round_to, half_unit

from .printed import REFERENCE, Printed

#: Categories of the campaign that were not in the first test, and the one discarded after it.
ADDED, DISCARDED = ("art", "literature"), "notebook"
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


def correspondence(printed: Printed) -> pd.DataFrame:
    """List all categories: their names in either genre, and what became of them (Table 6)."""
    names = printed.tables["table6"]
    names = names.assign(category=names["le_monde"].str.lower()).set_index("category")
    subtasks = printed.column("subtasks", "subtask")
    expected = {*names.index, *ADDED} - {DISCARDED}
    if expected != set(subtasks.index):
        raise ValueError(f"subtasks.csv: expected the categories {sorted(expected)}.")
    table = names.reindex([*names.index, *ADDED], fill_value="")
    table["in_first_test"] = table.index.isin(names.index)
    table["subtask"] = subtasks.reindex(table.index, fill_value="discarded")
    return table.reset_index()


def smallest_corpus(percents: Iterable[str], *, most: int = 5_000) -> pd.DataFrame:
    """Find the smallest number of documents whose counts print as these shares."""
    texts = list(percents)
    for total in range(1, most + 1):
        possible = [
            counts_that_round_to(float(text), total, unit=2 * half_unit(text), percent=True)
            for text in texts
        ]
        for counts in itertools.product(*possible):
            if sum(counts) == total:
                table = pd.DataFrame({"printed_percent": texts, "documents": counts})
                return table.assign(percent=100 * table["documents"] / total)
    raise ValueError(f"smallest_corpus: no corpus of up to {most} documents has shares {texts}.")


def medians(printed: Printed) -> pd.DataFrame:
    """List the readings of the median of Table 2."""
    return pd.DataFrame(median_readings(printed).items(), columns=["reading", "value"])


def median_readings(printed: Printed) -> dict[str, float]:
    """Take the median of Table 2 in every way that comes to mind."""
    everything = np.sort(printed.values("table2"))
    middle = everything.size // 2
    return {
        "all six pairs": np.median(everything),
        "the larger of the two middle values": everything[middle],
        "the smaller of the two middle values": everything[middle - 1],
        "judges with the reference": printed.numbers("table2").loc[REFERENCE].median(),
        "pairs of judges": np.median(printed.values("table2", judges_only=True)),
        "middle of the smallest and the largest": (everything[0] + everything[-1]) / 2,
        "mean of all six pairs": everything.mean(),
    }


def ratings(printed: Printed) -> pd.DataFrame:
    """Set the words of the paper beside the values they are said of, and Landis and Koch's."""
    rows = []
    for name, source, what, words in RATINGS:
        if name == "table3":
            everything = judges = printed.floats("table3", "kappa").to_numpy()
        else:
            everything = printed.values(name)
            judges = printed.values(name, judges_only=True)
        ends = everything.min(), float(np.median(everything)), everything.max()
        rows.append((source, what, words, *ends, judges.min(), judges.max()))
    columns = ["source", "agreement_on", "words", "smallest", "median", "largest"]
    table = pd.DataFrame(rows, columns=[*columns, "smallest_of_judges", "largest_of_judges"])
    for end in ("smallest", "largest"):
        table[f"landis_koch_{end}"] = table[end].map(landis_koch)
    return table


def landis_koch(kappa: float) -> str:
    """Name the class of Landis and Koch (1977) that a value falls in."""
    return next(name for upper, name in LANDIS_KOCH if kappa <= upper)


def categories(printed: Printed) -> pd.DataFrame:
    """Add F-scores and ranks to precision and recall by category (section 3.2)."""
    precision, recall = (printed.floats(name, name) for name in ("precision", "recall"))
    table = pd.DataFrame({"precision": precision, "recall": recall}).loc[precision.index]
    table["f_score"] = 2 * table.prod(axis=1) / table.sum(axis=1)
    table["named_per_document"] = table["recall"] / table["precision"]
    for name in ("precision", "recall", "f_score"):
        table[f"{name}_rank"] = table[name].rank(ascending=False, method="min").astype(int)
    table["subtask"] = printed.column("subtasks", "subtask")
    return table.rename_axis("category").reset_index()


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
        if counts_that_round_to(float(text), n_judges * n, unit=2 * half_unit(text)):
            return n
    raise ValueError(f"fewest_documents: none of up to {most} documents gives {text}.")


def difficulty(printed: Printed) -> pd.DataFrame:
    """Order the corpora of Table 10 by ends and middles, for judges and competitors."""
    table = printed.difficulty
    rows = []
    for who in ("judges", "competitors"):
        low, high = table[f"{who}_smallest"], table[f"{who}_largest"]
        for reading, values in (("smallest", low), ("largest", high), ("middle", (low + high) / 2)):
            order = " > ".join(values.sort_values(ascending=False).index)
            wrong = inversions(values, table["level"].astype(int)), inversions(values)
            rows.append((who, reading, *values, order, *wrong))
    columns = ["easiest_to_hardest", "wrong_pairs_of_levels", "wrong_pairs_of_corpora"]
    return pd.DataFrame(rows, columns=["who", "by", *table.index, *columns])
