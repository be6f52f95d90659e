"""What the printed tables of Berthelin et al. (2008) say about one another, by target."""

import itertools
from collections.abc import Iterable

import numpy as np

from annobench_replication.rounding import Rounded, propagate

from . import tables
from .printed import Printed, pairs_of

#: Categories that section 3.2 calls the most problematic.
PROBLEMATIC = ("science", "society")


def scale_values(printed: Printed) -> dict[str, float]:
    """Count the whole marks between the two ends of a scale (section 3.1)."""
    n_values = printed.floats("scales", "highest") - printed.floats("scales", "lowest") + 1
    return {
        "scales.films.n_values": n_values["films"],
        "scales.games.n_values": n_values["games"],
        "scale_change.films.from": n_values["films"],
        "scale_change.games.from": n_values["games"],
        "scales.films.n_values_again": n_values["films"],
    }


def symmetric_values(printed: Printed) -> dict[str, float]:
    """Read every value below a diagonal from above it."""
    return {
        f"{name}.{second}_{first}": float(frame.loc[first, second])
        for name, frame in printed.kappa.items()
        for first, second in pairs_of(frame)
    }


def share_values(printed: Printed) -> dict[str, Rounded]:
    """Compute with the shares of the film marks, in percent (section 3.1)."""
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


def agreement_values(printed: Printed) -> dict[str, float]:
    """Find in Tables 1 to 9 the values that sections 3.1 and 3.2 pick out."""
    games = printed.values("table2")
    return {
        f"text.{what}_f.{end}{again}": getattr(printed.floats("table7", what), method)()
        for what in ("genre", "category")
        for end, method in (("smallest", "min"), ("largest", "max"))
        for again in ("", "_again")
    } | {
        "text.games_wide.largest": printed.values("table1").max(),
        "text.games_restricted.smallest": games.min(),
        "text.games_restricted.largest": games.max(),
        "ratings.self.only_moderate": least_self_agreement(printed),
    }


def least_self_agreement(printed: Printed) -> float:
    """Return the number of the judge of the smallest value in Table 3."""
    return float(printed.floats("table3", "kappa").idxmin())


def agreement_changes(printed: Printed) -> dict[str, Rounded]:
    """Compute the median of Table 2, and how the gains from a coarser scale compare."""
    texts = [printed.texts(name) for name in ("table5", "table4", "table2", "table1")]
    ends = np.cumsum([len(part) for part in texts])[:-1]

    def films_over_games(values: list[float]) -> float:
        films, films_wide, games, games_wide = map(np.mean, np.split(np.array(values), ends))
        return float((films - films_wide) / (games - games_wide))

    def median(values: list[float]) -> float:
        return float(np.median(values))

    return {
        "text.games_restricted.median": propagate(median, printed.texts("table2")),
        "scale_change.films_over_games": propagate(films_over_games, list(itertools.chain(*texts))),
    }


def category_values(printed: Printed) -> dict[str, float]:
    """Check the orderings by precision and recall, and what section 3.2 says of them."""
    table = tables.categories(printed).set_index("category")
    values = {}
    for name in ("precision", "recall"):
        order = printed.column(name, name).index
        values[f"{name}.order.inversions"] = tables.inversions(table[name].loc[order])
        lowest = table[name].nsmallest(len(PROBLEMATIC)).index
        values[f"{name}.most_problematic"] = len(set(lowest) & set(PROBLEMATIC))
    return values | {
        "sport.misclassified": 100 * (1 - table["precision"]["sport"]),
        "recall.international.rank": table["recall_rank"]["international"],
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

    return propagate(ratio, list(itertools.chain(*texts)))


def second_test_strict_f(printed: Printed) -> float:
    """Return the strict F-score that the mean precision and recall of section 3.2 make.

    The mean of the judges' own strict F-scores can't exceed it: the harmonic mean is concave.
    """
    table = tables.categories(printed)
    precision, recall = table["precision"].mean(), table["recall"].mean()
    return float(2 * precision * recall / (precision + recall))


def difficulty_values(printed: Printed) -> dict[str, float]:
    """Check what section 4 says of Table 10 and of the systems of 2008.

    The text doesn't say by which number corpora are ordered: the middles of the ranges here.
    """
    papers = printed.difficulty.T["papers"]
    return inversions_by(printed, "middle") | {
        "competitors2008.category.better": printed.floats("systems", "smallest")["category"],
        "papers.same_interval.smallest": papers["judges_smallest"] - papers["competitors_smallest"],
        "papers.same_interval.largest": papers["judges_largest"] - papers["competitors_largest"],
    }


def inversions_by(printed: Printed, reading: str) -> dict[str, float]:
    """Count what is out of order in Table 10 by one number of each range."""
    wrong = tables.difficulty(printed).set_index(["who", "by"])
    counted = {"judges": "wrong_pairs_of_corpora", "competitors": "wrong_pairs_of_levels"}
    return {
        f"difficulty.{who}.inversions": wrong[pairs][who, reading] for who, pairs in counted.items()
    }


def other_readings(printed: Printed) -> dict[str, dict[str, float]]:
    """Return by method what other readings give, some of them the printed value."""
    medians = tables.medians(printed).set_index("reading")["value"]
    judges = printed.values("table2", judges_only=True)
    papers = printed.difficulty.T["papers"].round(1)
    categories = tables.categories(printed).set_index("category")
    n_marks = scale_values(printed)["scales.games.n_values"]
    median = "text.games_restricted.median"
    return {
        "reference_row": {median: medians["judges with the reference"]},
        "larger_middle": {median: medians["the larger of the two middle values"]},
        "judges_only": {
            median: medians["pairs of judges"],
            "text.games_restricted.largest": judges.max(),
            "text.games_restricted.smallest": judges.min(),
        },
        "without_mark_0": dict.fromkeys(
            ("scales.games.n_values", "scale_change.games.from"), n_marks - 1
        ),
        "of_its_documents": {"sport.misclassified": 100 * (1 - categories["recall"]["sport"])},
        "f_score": {"recall.international.rank": categories["f_score_rank"]["international"]},
        "at_most_in_second_test": {"text.category_f.smallest_again": second_test_strict_f(printed)},
        **{end: inversions_by(printed, end) for end in ("smallest", "largest")},
        "one_decimal": {
            f"papers.same_interval.{end}": papers[f"judges_{end}"] - papers[f"competitors_{end}"]
            for end in ("smallest", "largest")
        },
    }
