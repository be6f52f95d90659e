"""Sections 3 to 5: the systems, the cloze test, and two annotators (Tables 1 to 4)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize

from annobench import agreement
from annobench.labels.annotations import Annotations
from annobench.resampling import proportion_interval
from annobench_replication.rounding import counts_that_round_to
from annobench_replication.rows import interval_columns
from annobench_replication.statistics import kappas

CATEGORIES = ["extraneous", "wrong_choice", "ok"]


def f_measures(table: pd.DataFrame) -> pd.DataFrame:
    """List the F-measures of both systems and their difference."""
    listed = table.assign(difference=table["tetreault"] - table["gamon"])
    return listed.assign(better=listed["difference"] > 0)


def joined(counts: list[int]) -> str:
    """List counts in one cell."""
    return ", ".join(map(str, counts))


def chance_bounds(largest: float, n: int) -> tuple[float, float]:
    """Bound the sum of squared shares of n categories, given the largest share."""
    even = (1 - largest) / (n - 1)
    full = int(1 // largest)
    return largest**2 + (n - 1) * even**2, full * largest**2 + (1 - full * largest) ** 2


def cloze_feasibility(table: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    """List the counts that Table 2 can come from, and what its kappas need and can be.

    Kappa k at agreement a needs the chance agreement (a - k)/(1 - k). Two texts with the same
    shares of prepositions have as chance agreement the sum of the squared shares, which their
    number and the largest share bound.
    """
    low, high = chance_bounds(printed["baseline_percent"] / 100, int(printed["n_prepositions"]))
    a, k, n = table["agreement"], table["kappa"], int(printed["cloze_items"])
    return table.assign(
        counts=[joined(counts_that_round_to(share, n, unit=0.01)) for share in a],
        chance_needed=(a - k) / (1 - k),
        chance_needed_lower=(a - k - 0.01) / (1 - k - 0.005),
        chance_needed_upper=(a - k + 0.01) / (1 - k + 0.005),
        chance_possible_lower=low,
        chance_possible_upper=high,
        kappa_possible_lower=(a - high) / (1 - high),
        kappa_possible_upper=(a - low) / (1 - low),
    )


def preposition_shares(largest: float, n: int) -> np.ndarray:
    """Return shares in proportion to rank ** -s, with the s that gives the first its share."""
    rank = np.arange(1, n + 1)
    s = scipy.optimize.brentq(lambda s: float(1 / (rank**-s).sum() - largest), 0, 5)
    shares = rank ** -float(s)
    return shares / shares.sum()


def simulate_cloze(
    table: pd.DataFrame, printed: Mapping[str, float], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Simulate the answers of each pair: copied in part, drawn from the shares for the rest."""
    shares = preposition_shares(printed["baseline_percent"] / 100, int(printed["n_prepositions"]))
    k, shape = shares.size, (n, int(printed["cloze_items"]))
    chance = float(shares @ shares)
    run = np.arange(n)[:, None]
    rows = {}
    for row in table.itertuples():
        copied = (row.agreement - chance) / (1 - chance)
        first, other = rng.choice(k, size=(2, *shape), p=shares)
        second = np.where(rng.random(shape) < copied, first, other)
        counts = np.bincount(((run * k + first) * k + second).ravel(), minlength=n * k * k)
        equal = (first == second).mean(axis=1)
        rows[row.pair] = {"agreement": equal, "kappa": kappas(counts.reshape(n, k, k))}
    return pd.DataFrame(rows).T


def as_errors(matrix: np.ndarray) -> np.ndarray:
    """Collapse the two kinds of error: 2 by 2, errors first."""
    groups = np.array([[1, 1, 0], [0, 0, 1]])
    return groups @ matrix @ groups.T


def labels_of(matrix: np.ndarray) -> Annotations:
    """Return the labels of Table 3."""
    return Annotations.from_contingency(matrix.tolist(), categories=CATEGORIES)


def coefficients(matrix: np.ndarray, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compute the coefficients that apply to Table 3, with intervals."""
    errors = Annotations.from_contingency(as_errors(matrix).tolist(), categories=["error", "ok"])
    rows: list[dict[str, Any]] = []
    for scheme, labels in {"three categories": labels_of(matrix), "error or not": errors}.items():
        for name, coefficient in {
            "agreement": agreement.percent_agreement,
            "Cohen's kappa": agreement.cohen_kappa,
            "Scott's pi": agreement.scott_pi,
            "Krippendorff's alpha": agreement.krippendorff_alpha,
            "Gwet's AC1": agreement.gwet_ac1,
            "Brennan-Prediger": agreement.brennan_prediger,
        }.items():
            found = coefficient(labels)
            row = {"scheme": scheme, "coefficient": name, "estimate": found.estimate}
            row |= {"standard_error": found.standard_error} | interval_columns(found.interval())
            drawn = found.interval("percentile", replicates=replicates, rng=rng)
            rows.append(row | interval_columns(drawn, "bootstrap_"))
        found = agreement.kappa_maximum(labels)
        name = "greatest possible kappa"
        rows.append({"scheme": scheme, "coefficient": name, "estimate": found.estimate})
    single = agreement.cohen_kappa(labels_of(matrix)).by_category()
    category = single["category"].str.replace("_", " ")
    single["coefficient"] = "Cohen's kappa, " + category + " or not"
    table = pd.DataFrame(rows)
    return pd.concat([table, single.assign(scheme="one against rest")])[list(table)]


def annotators_as_systems(matrix: np.ndarray) -> pd.DataFrame:
    """Score each annotator's errors as if the other were the gold standard."""
    [[both, only_first], [only_second, _]] = as_errors(matrix)
    rows = []
    for scored, gold, own, others in (
        ("Rater 1", "Rater 2", only_first, only_second),
        ("Rater 2", "Rater 1", only_second, only_first),
    ):
        precision, recall = both / (both + own), both / (both + others)
        row = {"scored": scored, "gold": gold}
        for name, share, n in (
            ("precision", precision, both + own),
            ("recall", recall, both + others),
        ):
            row |= {name: share} | interval_columns(proportion_interval(both, n), f"{name}_")
        rows.append(row | {"f_measure": 2 * precision * recall / (precision + recall)})
    return pd.DataFrame(rows)


def simulate_sets(
    matrix: np.ndarray, total: int, n_sets: int, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Deal the contexts of Table 3, and those removed, into sets of one size.

    Removed contexts lie in the sets at random; a rest too small for a set is left out. One
    row a repetition: the smallest and the largest kappa of the sets. Sets that differ in
    difficulty would lie further apart.
    """
    cells = matrix.size + 1  # the last is "removed"
    deck = np.repeat(np.arange(cells), [*matrix.ravel(), total - matrix.sum()])
    of_set = total // n_sets
    mixed = rng.permuted(np.tile(deck, (n, 1)), axis=1)[:, : n_sets * of_set]
    dealt = mixed.reshape(n * n_sets, of_set)
    cell = np.arange(len(dealt))[:, None] * cells + dealt
    tables = np.bincount(cell.ravel(), minlength=len(dealt) * cells).reshape(-1, cells)[:, :-1]
    found = kappas(tables.reshape(-1, *matrix.shape)).reshape(n, n_sets)
    return pd.DataFrame({"smallest": np.nanmin(found, axis=1), "largest": np.nanmax(found, axis=1)})


def sets_table(by_number: Mapping[int, pd.DataFrame], printed: Mapping[str, float]) -> pd.DataFrame:
    """Summarise the range of kappa by the number of sets, beside the printed range."""
    low, high = printed["set_kappa_min"] - 0.0005, printed["set_kappa_max"] + 0.0005
    rows = []
    for n_sets, draws in by_number.items():
        row = {"n_sets": n_sets, "contexts_per_set": printed["double_labels"] / n_sets}
        for end in ("smallest", "largest"):
            names = (f"{end}_lower95", f"{end}_median", f"{end}_upper95")
            row |= dict(zip(names, np.quantile(draws[end], [0.025, 0.5, 0.975]), strict=True))
        within = (draws["smallest"] >= low) & (draws["largest"] <= high)
        rows.append(row | {"probability_of_the_printed_range": float(within.mean())})
    return pd.DataFrame(rows)


def two_annotators(table: pd.DataFrame) -> "list[pd.Series[Any]]":
    """Return the rows of Table 4: precision and recall by Rater 1 and by Rater 2."""
    rows = table.set_index("comparison").T
    return [rows["rater1"], rows["rater2"]]


def differences_feasibility(
    table: pd.DataFrame, printed: Mapping[str, float], largest: int = 120
) -> pd.DataFrame:
    """List the numbers of flagged contexts that Table 4 can come from.

    With F flagged contexts, both precisions are counts out of F, and recall gives the number
    of errors of either annotator. The smallest p-value of the exact McNemar test belongs to
    labels that differ in one direction only.
    """
    n = int(printed["essay_items"])
    rows = []
    for flagged in range(1, largest + 1):
        pairs = [
            [
                (true, errors)
                for true in counts_that_round_to(one["precision"], flagged, unit=0.01)
                for errors in totals_that_round_to(true, one["recall"], n)
            ]
            for one in two_annotators(table)
        ]
        if all(pairs):
            rates = [[100 * errors / n for _, errors in pair] for pair in pairs]
            apart = max(true for true, _ in pairs[0]) - min(true for true, _ in pairs[1])
            ends = (end(each) for each in rates for end in (min, max))
            rows.append((flagged, *ends, apart, 2 * 0.5**apart))
    columns = [f"rater{j}_error_percent_{end}" for j in (1, 2) for end in ("lower", "upper")]
    return pd.DataFrame(rows, columns=["flagged", *columns, "largest_difference", "smallest_p"])


def totals_that_round_to(part: int, printed: float, largest: int) -> range:
    """Return the totals of which a part is a share that rounds to a printed number."""
    low = int(np.ceil(part / (printed + 0.005) - 1e-9))
    high = int(np.floor(part / (printed - 0.005) + 1e-9))
    return range(max(low, 1), min(high, largest) + 1)


def simulate_two_gold(
    matrix: np.ndarray,
    table: pd.DataFrame,
    printed: Mapping[str, float],
    doubtful: float,
    n: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Score one system by two annotators who differ as in Table 3; one row a repetition.

    The system does not favour either annotator. It is calibrated to the mean precision and
    the mean recall of Table 4, and flags an error that one annotator sees `doubtful` times as
    often as one that both see.
    """
    [[both, first], [second, none]] = as_errors(matrix) / matrix.sum()
    precision, recall = table["precision"].mean(), table["recall"].mean()
    true = recall * (both + (first + second) / 2)
    on_both = true / (both + doubtful * (first + second) / 2)
    on_none = (true / precision - on_both * (both + doubtful * (first + second))) / none
    seen = np.array([both, first, second, none])
    shares = seen * [1, doubtful, doubtful, 1] * [on_both, on_both, on_both, on_none]
    unflagged = seen - shares
    drawn = rng.multinomial(int(printed["essay_items"]), [*shares, *unflagged], size=n)
    flagged = drawn[:, :4].sum(axis=1)
    scores = {"flagged": flagged}
    for name, only in (("rater1", 1), ("rater2", 2)):
        hits = drawn[:, 0] + drawn[:, only]
        scores[f"{name}.precision"] = hits / flagged
        scores[f"{name}.recall"] = hits / (hits + drawn[:, 4] + drawn[:, 4 + only])
    return pd.DataFrame(scores)


def two_gold_table(by_assumption: Mapping[float, pd.DataFrame]) -> pd.DataFrame:
    """Summarise how far two annotators' scores of one system lie apart, in points."""
    rows = []
    for doubtful, runs in by_assumption.items():
        for score in ("precision", "recall"):
            apart = 100 * (runs[f"rater1.{score}"] - runs[f"rater2.{score}"])
            low, high = np.quantile(apart, [0.025, 0.975])
            either, first = (float((each >= 10 - 1e-9).mean()) for each in (apart.abs(), apart))
            flagged = runs["flagged"].mean()
            rows.append((doubtful, score, apart.mean(), low, high, either, first, flagged))
    columns = ["flagged_if_doubtful", "score", "mean_difference", "lower95", "upper95"]
    columns += ["share_10_points_apart", "share_10_points_as_printed", "mean_flagged"]
    return pd.DataFrame(rows, columns=columns)
