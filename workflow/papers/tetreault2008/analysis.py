"""Recompute Tetreault and Chodorow (2008) from its printed tables.

=========================  ====================================================
`f_measures`               Table 1: where the system is ahead
`cloze_feasibility`        Table 2: counts and chance agreement it leaves possible
`simulate_cloze`           Table 2: kappas of a simulated cloze test
`coefficients`             Table 3: coefficients of agreement with intervals
`annotators_as_systems`    Table 3: either annotator scored by the other
`simulate_sets`            section 5.2: kappas of the 18 sets
`differences_feasibility`  Table 4: counts, error rates, and the best p-value
`simulate_two_gold`        Table 4: one system scored by two annotators
`figure1_sample`           Figure 1, Table 5, section 6.3
`application_feasibility`  Table 6: flagged contexts by error rate
`simulate_application`     Table 6: the sampling approach, done again and again
`intervals_table`          section 6.3: every method of interval
`coverage_table`           section 6.3: how often they hold the truth
`sizes_table`              section 6.3: sample sizes
`savings_table`            sections 5.2 to 6.2: hours
`methods_table`            Table 7 in numbers
=========================  ====================================================

No label, judgement or output of the system was published. Printed tables give what follows
from them exactly; a simulation calibrated to printed aggregates stands beside the rest and
decides no verdict. The two annotators are the paper's Rater 1 and Rater 2.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.optimize
import scipy.stats
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from annobench import agreement, plotting
from annobench.core.files import recording, replacing
from annobench.evaluation import sampling
from annobench.evaluation.sampling import METHODS, Population, StratifiedSample
from annobench.labels.annotations import Annotations
from annobench.plotting import BLUE, GREEN, GREY, INK, VERMILION
from annobench.replication.compare import Computed, write_computed
from annobench.replication.rounding import Rounded, propagate

CATEGORIES = ["extraneous", "wrong_choice", "ok"]
#: The paper's assumption of section 6; the tables do not determine the error rate.
ERROR_RATE = 0.10
#: Assumptions of the simulation of Table 4 alone, which nothing printed decides: how often the
#: system flags an error that only one annotator sees, against one that both see.
DOUBTFUL = (0.1, 0.5, 1.0)
HOURS_PER_WEEK = 40
#: Repetitions of every simulation, and resampled sets of contexts behind an interval.
SIMULATIONS = {"full": 4_000, "quick": 1_000}
REPLICATES = {"full": 2_000, "quick": 100}
#: Numbers of sets tried beside 18.
FEWER_SETS = (12, 9, 6, 3)
METHOD_NAMES = {
    "paper": "paper's formula",
    "paper_hits_only": "paper's, hits only",
    "stratified": "exact variance, normal",
    "logit": "exact variance, log odds",
    "wilson": "Wilson, combined (recommended)",
}
STYLES = {
    "paper": (VERMILION, "s", "-"),
    "paper_hits_only": (VERMILION, "v", ":"),
    "stratified": (GREY, "D", "--"),
    "logit": (GREEN, "^", "-."),
    "wilson": (BLUE, "o", "-"),
}


# ------------------------------------------------------------------------------- Table 1


def f_measures(table: pd.DataFrame) -> pd.DataFrame:
    """List the F-measures of both systems and their difference."""
    listed = table.assign(difference=table["tetreault"] - table["gamon"])
    return listed.assign(better=listed["difference"] > 0)


# ------------------------------------------------------------------------------- Table 2


def counts_that_print(printed: float, n: int, places: int = 2) -> list[int]:
    """Return the counts out of n whose share prints as a given number."""
    half = 0.5 / 10**places + 1e-9
    return [k for k in range(n + 1) if abs(k / n - printed) <= half]


def top_share_bounds(top: float, n: int) -> tuple[float, float]:
    """Bound the sum of squared shares of n categories of which none exceeds the first's."""
    even = (1 - top) / (n - 1)
    full = int(1 // top)
    return top**2 + (n - 1) * even**2, full * top**2 + (1 - full * top) ** 2


def cloze_feasibility(table: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    """List the counts that Table 2 can come from, and what its kappas need and can be.

    Kappa k at agreement a needs the chance agreement (a - k)/(1 - k). Two texts with the same
    shares of prepositions have as chance agreement the sum of the squared shares, which their
    number and the largest share bound.
    """
    low, high = top_share_bounds(printed["baseline_percent"] / 100, int(printed["n_prepositions"]))
    rows = []
    for row in table.itertuples():
        counts = counts_that_print(row.agreement, int(printed["cloze_items"]))
        a, k = row.agreement, row.kappa
        rows.append(
            {
                "pair": row.pair,
                "agreement": a,
                "kappa": k,
                "counts": ", ".join(map(str, counts)),
                "chance_needed": (a - k) / (1 - k),
                "chance_needed_lower": (a - k - 0.01) / (1 - k - 0.005),
                "chance_needed_upper": (a - k + 0.01) / (1 - k + 0.005),
                "chance_possible_lower": low,
                "chance_possible_upper": high,
                "kappa_possible_lower": (a - high) / (1 - high),
                "kappa_possible_upper": (a - low) / (1 - low),
            }
        )
    return pd.DataFrame(rows)


def preposition_shares(top: float, n: int) -> np.ndarray:
    """Return shares in proportion to rank ** -s, with the s that gives the first its share."""
    rank = np.arange(1, n + 1)

    def excess(s: float) -> float:
        return float(1 / (rank**-s).sum() - top)

    shares = rank ** -float(scipy.optimize.brentq(excess, 0, 5))
    return shares / shares.sum()


def simulate_cloze(
    table: pd.DataFrame, printed: Mapping[str, float], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Simulate the answers of each pair: copied in part, drawn from the shares for the rest."""
    shares = preposition_shares(printed["baseline_percent"] / 100, int(printed["n_prepositions"]))
    k, shape = shares.size, (n, int(printed["cloze_items"]))
    chance = float(shares @ shares)
    rows = []
    for row in table.itertuples():
        copied = (row.agreement - chance) / (1 - chance)
        first, other = rng.choice(k, size=(2, *shape), p=shares)
        second = np.where(rng.random(shape) < copied, first, other)
        run = np.arange(n)[:, None]
        counts = np.bincount(((run * k + first) * k + second).ravel(), minlength=n * k * k)
        kappa = kappas(counts.reshape(n, k, k))
        rows.append({"pair": row.pair, "agreement": (first == second).mean(axis=1),
                     "kappa": kappa})  # fmt: skip
    return pd.DataFrame(rows).set_index("pair")


# ------------------------------------------------------------------------------- Table 3


def kappas(tables: np.ndarray) -> np.ndarray:
    """Return Cohen's kappa of each of many contingency tables, shape (..., K, K).

    NaN where all labels are the same.
    """
    share = tables / tables.sum(axis=(-2, -1), keepdims=True)
    observed = np.trace(share, axis1=-2, axis2=-1)
    expected = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
    chance = np.where(expected < 1, expected, np.nan)
    return (observed - chance) / (1 - chance)


def as_errors(matrix: np.ndarray) -> np.ndarray:
    """Collapse the two kinds of error: 2 by 2, errors first."""
    groups = np.array([[1, 1, 0], [0, 0, 1]])
    return groups @ matrix @ groups.T


def coefficients(matrix: np.ndarray, rng: np.random.Generator, replicates: int) -> pd.DataFrame:
    """Compute the coefficients that apply to Table 3, with intervals."""
    schemes = {
        "three categories": Annotations.from_contingency(matrix.tolist(), categories=CATEGORIES),
        "error or not": Annotations.from_contingency(
            as_errors(matrix).tolist(), categories=["error", "ok"]
        ),
    }
    names = (
        "percent_agreement",
        "cohen_kappa",
        "scott_pi",
        "krippendorff_alpha",
        "gwet_ac1",
        "brennan_prediger",
    )
    rows = []
    for scheme, annotations in schemes.items():
        for name in names:
            found = getattr(agreement, name)(annotations)
            analytic = found.interval("analytic")
            resampled = found.interval("percentile", replicates=replicates, rng=rng)
            rows.append(
                {
                    "scheme": scheme,
                    "coefficient": name,
                    "estimate": found.estimate,
                    "standard_error": found.standard_error,
                    "lower": analytic.lower,
                    "upper": analytic.upper,
                    "bootstrap_lower": resampled.lower,
                    "bootstrap_upper": resampled.upper,
                }
            )
        largest = agreement.kappa_maximum(annotations)
        rows.append(
            {"scheme": scheme, "coefficient": "kappa_maximum", "estimate": largest.estimate}
        )
    single = agreement.cohen_kappa(schemes["three categories"]).by_category()
    for row in single.itertuples():
        rows.append(
            {
                "scheme": "one against rest",
                "coefficient": f"cohen_kappa: {row.category}",
                "estimate": row.estimate,
                "standard_error": row.standard_error,
                "lower": row.lower,
                "upper": row.upper,
            }
        )
    return pd.DataFrame(rows)


def annotators_as_systems(matrix: np.ndarray) -> pd.DataFrame:
    """Score each annotator's errors as if the other were the gold standard."""
    [[both, only_first], [only_second, _]] = as_errors(matrix)
    rows = []
    for scored, gold, own, others in (
        ("Rater 1", "Rater 2", only_first, only_second),
        ("Rater 2", "Rater 1", only_second, only_first),
    ):
        precision, recall = both / (both + own), both / (both + others)
        p_low, p_high = share_interval(both, both + own)
        r_low, r_high = share_interval(both, both + others)
        rows.append(
            {
                "scored": scored,
                "gold": gold,
                "precision": precision,
                "precision_lower": p_low,
                "precision_upper": p_high,
                "recall": recall,
                "recall_lower": r_low,
                "recall_upper": r_high,
                "f_measure": 2 * precision * recall / (precision + recall),
            }
        )
    return pd.DataFrame(rows)


def share_interval(count: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95% interval of a share."""
    ends = scipy.stats.binomtest(int(count), int(n)).proportion_ci(method="wilson")
    return float(ends.low), float(ends.high)


def simulate_sets(
    matrix: np.ndarray, total: int, n_sets: int, n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Deal the contexts of Table 3, and those removed, into sets of one size.

    Removed contexts lie in the sets at random; a rest too small for a set is left out. One
    row a repetition: the smallest and the largest kappa of the sets. Sets that differ in
    difficulty would lie further apart.
    """
    kinds = matrix.size + 1  # the last is "removed"
    deck = np.repeat(np.arange(kinds), [*matrix.ravel(), total - matrix.sum()])
    of_set = total // n_sets
    mixed = rng.permuted(np.tile(deck, (n, 1)), axis=1)[:, : n_sets * of_set]
    dealt = mixed.reshape(n * n_sets, of_set)
    cells = np.arange(len(dealt))[:, None] * kinds + dealt
    tables = np.bincount(cells.ravel(), minlength=len(dealt) * kinds).reshape(-1, kinds)[:, :-1]
    of_sets = kappas(tables.reshape(-1, *matrix.shape)).reshape(n, n_sets)
    return pd.DataFrame(
        {"smallest": np.nanmin(of_sets, axis=1), "largest": np.nanmax(of_sets, axis=1)}
    )


def sets_table(by_number: Mapping[int, pd.DataFrame], printed: Mapping[str, float]) -> pd.DataFrame:
    """Say for some numbers of sets how far their kappas range, and how rarely as little."""
    low, high = printed["set_kappa_min"] - 0.0005, printed["set_kappa_max"] + 0.0005
    rows = []
    for n_sets, draws in by_number.items():
        row: dict[str, float] = {
            "n_sets": n_sets,
            "contexts_per_set": printed["double_labels"] / n_sets,
        }
        for end in ("smallest", "largest"):
            row |= dict(
                zip(
                    (f"{end}_lower95", f"{end}_median", f"{end}_upper95"),
                    np.quantile(draws[end], [0.025, 0.5, 0.975]),
                    strict=True,
                )
            )
        within = (draws["smallest"] >= low) & (draws["largest"] <= high)
        rows.append(row | {"probability_of_the_printed_range": float(within.mean())})
    return pd.DataFrame(rows)


def sets_rows(draws: pd.DataFrame) -> list[Computed]:
    """Make rows of the smallest and the largest kappa of the sets, with check intervals.

    Two values are sampled, so each interval has the level 1 - 0.05 / 2.
    """
    tail = 0.05 / 2 / 2
    rows = []
    for target, end in (("sets.kappa_min", "smallest"), ("sets.kappa_max", "largest")):
        low, high, check_low, check_high = np.quantile(draws[end], [0.025, 0.975, tail, 1 - tail])
        rows.append(
            Computed(
                target,
                float(draws[end].median()),
                lower=float(low),
                upper=float(high),
                level=0.95,
                check_lower=float(check_low),
                check_upper=float(check_high),
                provenance="printed_table",
            )
        )
    return rows


# ------------------------------------------------------------------------------- Table 4


def differences_feasibility(
    table: pd.DataFrame, printed: Mapping[str, float], most: int = 120
) -> pd.DataFrame:
    """List the numbers of flagged contexts that Table 4 can come from.

    With F flagged contexts, both precisions are counts out of F, and recall gives the number
    of errors of either annotator. The smallest p-value of the exact McNemar test belongs to
    labels that differ in one direction only.
    """
    n = int(printed["essay_items"])
    first, second = table.set_index("comparison").loc[["rater1", "rater2"]].to_dict("records")
    rows = []
    for flagged in range(1, most + 1):
        pairs = [
            [
                (true, errors)
                for true in counts_that_print(one["precision"], flagged)
                for errors in totals_that_print(true, one["recall"], n)
            ]
            for one in (first, second)
        ]
        if all(pairs):
            apart = max(a for a, _ in pairs[0]) - min(b for b, _ in pairs[1])
            rates = [[100 * errors / n for _, errors in pair] for pair in pairs]
            rows.append(
                {
                    "flagged": flagged,
                    "rater1_error_percent_lower": min(rates[0]),
                    "rater1_error_percent_upper": max(rates[0]),
                    "rater2_error_percent_lower": min(rates[1]),
                    "rater2_error_percent_upper": max(rates[1]),
                    "largest_difference": apart,
                    "smallest_p": 2 * 0.5**apart,
                }
            )
    return pd.DataFrame(rows)


def totals_that_print(part: int, printed: float, most: int) -> range:
    """Return the totals of which a part is a share that prints as a given number."""
    low = int(np.ceil(part / (printed + 0.005) - 1e-9))
    high = int(np.floor(part / (printed - 0.005) + 1e-9))
    return range(max(low, 1), min(high, most) + 1)


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
    shares = [both * on_both, first * doubtful * on_both, second * doubtful * on_both,
              none * on_none]  # fmt: skip
    unflagged = [both - shares[0], first - shares[1], second - shares[2], none - shares[3]]
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
            rows.append(
                {
                    "flagged_if_doubtful": doubtful,
                    "score": score,
                    "mean_difference": apart.mean(),
                    "lower95": low,
                    "upper95": high,
                    "share_10_points_apart": float((apart.abs() >= 10 - 1e-9).mean()),
                    "share_10_points_as_printed": float((apart >= 10 - 1e-9).mean()),
                    "mean_flagged": runs["flagged"].mean(),
                }
            )
    return pd.DataFrame(rows)


# -------------------------------------------------------- Figure 1, Tables 5 and 6, sizes


def figure1_sample(printed: Mapping[str, float]) -> StratifiedSample:
    """Return the hypothetical corpus of Figure 1."""
    corpus = int(printed["figure1_corpus"])
    flagged = round(corpus * printed["figure1_error_percent"] / 100)
    return StratifiedSample(
        flagged=flagged,
        passed=corpus - flagged,
        flagged_sample=int(printed["figure1_error_sample"]),
        passed_sample=int(printed["figure1_ok_sample"]),
        hits=int(printed["figure1_hits"]),
        misses=int(printed["figure1_misses"]),
    )


def figure1_population(sample: StratifiedSample) -> Population:
    """Return a corpus with just the shares that Figure 1 estimates."""
    return Population(
        flagged=sample.flagged,
        passed=sample.passed,
        flagged_errors=sample.flagged * sample.hits // sample.flagged_sample,
        passed_errors=sample.passed * sample.misses // sample.passed_sample,
    )


def application_population(
    table: pd.DataFrame, printed: Mapping[str, float], error_rate: float = ERROR_RATE
) -> Population:
    """Return the corpus of section 6.2, with precision and recall of the standard approach."""
    row = table.set_index("approach").loc["standard"]
    return Population.from_rates(
        int(printed["sampling_corpus"]),
        error_rate=error_rate,
        precision=row["precision"],
        recall=row["recall"],
    )


def application_feasibility(table: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    """List what each row of Table 6 leaves possible in a corpus of 22,000 contexts.

    A share f is flagged, of which P are errors; recall R makes the error rate f P / R. At least
    as many contexts are flagged as were sampled, which bounds the error rate from below; at
    most all passed contexts are misses, which bounds f from above, and with it how close the
    rates of sampling can be.
    """
    n, sample = printed["sampling_corpus"], printed["error_sample"]
    rows = []
    for row in table.itertuples():
        for reading, p, r in (
            ("as printed", row.precision, row.recall),
            ("rounding, lowest error rate", row.precision - 0.005, row.recall + 0.005),
            ("rounding, highest error rate", row.precision + 0.005, row.recall - 0.005),
        ):
            most = 1 / (1 + p * (1 - r) / r)
            rows.append(
                {
                    "approach": row.approach,
                    "reading": reading,
                    "precision": p,
                    "recall": r,
                    "hits_of_sample": ", ".join(
                        map(str, counts_that_print(row.precision, int(sample)))
                    ),
                    "least_error_percent": 100 * sample / n * p / r,
                    "flagged_at_6_percent": 0.06 * n * r / p,
                    "flagged_at_10_percent": 0.10 * n * r / p,
                    "largest_flagged_percent": 100 * most,
                    "least_ratio_of_sampling_rates": sample
                    / printed["ok_sample"]
                    * (1 - most)
                    / most,
                }
            )
    return pd.DataFrame(rows)


def simulate_application(
    population: Population, printed: Mapping[str, float], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Apply the sampling approach again and again; one row a repetition."""
    sizes = int(printed["error_sample"]), int(printed["ok_sample"])
    hits, misses = population.draw(*sizes, n=n, rng=rng)
    found = hits / sizes[0] * population.flagged
    missed = misses / sizes[1] * population.passed
    return pd.DataFrame(
        {
            "hits": hits,
            "misses": misses,
            "precision": hits / sizes[0],
            "recall": found / (found + missed),
        }
    )


def likely_sample(population: Population, flagged: int, passed: int) -> StratifiedSample:
    """Return the sample whose shares are nearest to those of a population."""
    return StratifiedSample(
        flagged=population.flagged,
        passed=population.passed,
        flagged_sample=flagged,
        passed_sample=passed,
        hits=round(flagged * population.precision),
        misses=round(passed * population.passed_errors / population.passed),
    )


def intervals_table(samples: Mapping[str, StratifiedSample]) -> pd.DataFrame:
    """List every rate of some samples by every method of interval."""
    rows = []
    for name, sample in samples.items():
        for method in METHODS:
            found = sampling.estimate(sample, method=method)
            for rate in ("hits", "false_positives", "misses", "error_rate", "precision", "recall"):
                rows.append(
                    {"sample": name, "method": method, "rate": rate}
                    | getattr(found, rate)._asdict()
                )
    return pd.DataFrame(rows)


def coverage_table(
    designs: Mapping[str, tuple[Population, Sequence[tuple[int, int]]]],
) -> pd.DataFrame:
    """Compute exact coverage and expected width of nominal 95% intervals."""
    rows = []
    for name, (population, sizes) in designs.items():
        for flagged, passed in sizes:
            for method in METHODS:
                found = sampling.coverage(population, flagged, passed, method=method)
                rows.append(
                    {
                        "corpus": name,
                        "flagged_sample": flagged,
                        "passed_sample": passed,
                        "method": method,
                    }
                    | found._asdict()
                )
    return pd.DataFrame(rows)


def simulated_coverage(
    population: Population, sizes: tuple[int, int], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Count how often nominal 95% intervals of drawn samples hold the truth."""
    drawn = np.column_stack(population.draw(*sizes, n=n, rng=rng))
    outcomes, times = np.unique(drawn, axis=0, return_counts=True)
    rows = []
    for method in METHODS:
        held = {"precision": 0, "recall": 0}
        for (hits, misses), number in zip(outcomes, times, strict=True):
            sample = StratifiedSample(population.flagged, population.passed, *sizes, hits, misses)
            found = sampling.estimate(sample, method=method)
            for name in held:
                rate = getattr(found, name)
                held[name] += number * (rate.lower <= getattr(population, name) <= rate.upper)
        rows.append({"method": method, "n": n} | {k: v / n for k, v in held.items()})
    return pd.DataFrame(rows)


def sizes_table(population: Population, hours_per_label: float) -> pd.DataFrame:
    """List the least samples for half-widths of precision and of recall, and their cost."""
    rows = []
    for precision in (None, 0.05, 0.03):
        for recall in (None, 0.05, 0.03, 0.02, 0.01):
            if precision is None and recall is None:
                continue
            found = sampling.sample_sizes(
                population, precision_half_width=precision, recall_half_width=recall
            )
            labels = found.flagged_sample + found.passed_sample
            rows.append(
                {
                    "precision_wanted": precision,
                    "recall_wanted": recall,
                    **found._asdict(),
                    "labels": labels,
                    "labels_of_a_random_sample": (
                        sampling.random_sample_size(population, recall) if recall else None
                    ),
                    "hours": labels * hours_per_label,
                    "share_saved": 1 - labels / population.size,
                }
            )
    return pd.DataFrame(rows)


def savings_table(printed: Mapping[str, float]) -> pd.DataFrame:
    """List what the sampling approach saves, by the hours of a batch."""
    sampled = int(printed["ok_sample"] + printed["error_sample"])
    figure1 = int(printed["figure1_ok_sample"] + printed["figure1_error_sample"])
    rows = []
    for corpus, labels, everything in (
        ("Figure 1", figure1, int(printed["figure1_corpus"])),
        ("sampling corpus", sampled, int(printed["sampling_corpus"])),
        ("standard corpus", sampled, int(printed["standard_corpus"])),
    ):
        for batch_hours in (printed["batch_hours_lower"], printed["batch_hours_upper"]):
            saved = sampling.savings(
                labels, everything, hours_per_label=batch_hours / printed["batch"]
            )
            rows.append(
                {"corpus": corpus, "hours_per_batch": batch_hours}
                | saved._asdict()
                | {"exhaustive_weeks": saved.exhaustive_hours / HOURS_PER_WEEK}
            )
    return pd.DataFrame(rows)


def methods_table(population: Population, printed: Mapping[str, float]) -> pd.DataFrame:
    """Put numbers to Table 7: labels, hours and half-widths of the three methods."""
    z = float(scipy.stats.norm.ppf(0.975))
    hours = printed["batch_hours_upper"] / printed["batch"]
    sizes = int(printed["error_sample"]), int(printed["ok_sample"])
    precision, recall = population.standard_errors(*sizes)
    rows = [
        ("standard", population.size, 0.0, 0.0),
        ("sampling", sum(sizes), z * precision, z * recall),
        ("verification", sizes[0], z * precision, np.nan),
    ]
    return pd.DataFrame(
        [
            {
                "method": name,
                "labels": labels,
                "hours": labels * hours,
                "precision_half_width": p,
                "recall_half_width": r,
            }
            for name, labels, p, r in rows
        ]
    )


# ------------------------------------------------------------------------ computed values


def native_values(table1: pd.DataFrame, texts: pd.Series) -> dict[str, Rounded | float]:
    """Compute section 3.2."""
    sizes = list(texts[["training_million", "test_million"]])
    return {
        "native.training_share": propagate(lambda x: 100 * x[0] / (x[0] + x[1]), sizes),
        "native.test_share": propagate(lambda x: 100 * x[1] / (x[0] + x[1]), sizes),
        "table1.n_better": float(table1["better"].sum()),
        "table1.n_shared": float(len(table1)),
    }


def cloze_values(table2: pd.DataFrame, texts: pd.Series) -> dict[str, Rounded]:
    """Compute sections 4.1 and 4.2 from printed text."""
    agreed = table2.set_index("pair")["agreement"]
    raters = list(agreed[["encarta_rater1", "encarta_rater2"]])
    system, licensed = agreed["encarta_system"], texts["licensed_percent"]
    return {
        "cloze.annotator_agreement": propagate(lambda x: 100 * x[0], [agreed["rater1_rater2"]]),
        "cloze.encarta_agreement_lower": propagate(lambda x: 100 * min(x), raters),
        "cloze.encarta_agreement_upper": propagate(lambda x: 100 * max(x), raters),
        "cloze.annotator_disagreement": propagate(
            lambda x: 100 * (1 - x[0]), [agreed["rater1_rater2"]]
        ),
        "choice.encarta_reuters_accuracy": propagate(lambda x: x[0], [texts["accuracy_percent"]]),
        "choice.corrected_accuracy": propagate(
            lambda x: 100 * x[0] + x[1] * (1 - x[0]), [system, licensed]
        ),
        "choice.mismatch_rate": propagate(lambda x: 100 * (1 - x[0]), [system]),
        "choice.licensed_mismatches": propagate(lambda x: x[1] * (1 - x[0]), [system, licensed]),
    }


def agreement_values(matrix: np.ndarray) -> dict[str, Any]:
    """Compute section 5.2; a value alone, or with its 95% interval."""
    labels = Annotations.from_contingency(matrix.tolist(), categories=CATEGORIES)
    kappa, share = agreement.cohen_kappa(labels), agreement.percent_agreement(labels)
    total = float(matrix.sum())
    [[both, first], [second, _]] = as_errors(matrix)
    return {
        "table3.kappa": coefficient_of(kappa),
        "table3.agreement": coefficient_of(share),
        "table3.n_items": total,
        "table3.both_ok": float(matrix[2, 2]),
        "table3.both_wrong_choice": float(matrix[1, 1]),
        "table3.both_extraneous": float(matrix[0, 0]),
        "table3.rater1_error_rater2_ok": float(first),
        "table3.rater1_disagreement": with_interval(first, both + first),
        "table3.rater1_errors": float(both + first),
        "table3.rater2_error_rater1_ok": float(second),
        "table3.rater2_disagreement": with_interval(second, both + second),
        "table3.rater2_errors": float(both + second),
        # Shown beside a share of corpora that were not published: the mean of both annotators.
        "motivation.error_rate": 100 * (2 * both + first + second) / (2 * total),
    }


def coefficient_of(found: agreement.Agreement) -> tuple[float, float, float]:
    """Return a coefficient with its 95% interval."""
    interval = found.interval()
    return found.estimate, interval.lower, interval.upper


def with_interval(count: float, n: float) -> tuple[float, float, float]:
    """Return a share with Wilson's 95% interval."""
    return (float(count / n), *share_interval(count, n))


def differences_values(table4: pd.DataFrame) -> dict[str, Rounded]:
    """Compute what section 5.2 says of Table 4, in points, from printed text."""
    rows = table4.set_index("comparison").loc[["rater1", "rater2"]]
    return {
        f"table4.{score}_difference": propagate(lambda x: 100 * (x[0] - x[1]), list(rows[score]))
        for score in ("precision", "recall")
    }


def sampling_values(sample: StratifiedSample, printed: Mapping[str, float]) -> dict[str, Any]:
    """Compute Figure 1, Table 5 and section 6.3."""
    found = sampling.estimate(sample)
    hits = sample.hits / sample.flagged_sample
    misses = sample.misses / sample.passed_sample
    flagged = sample.flagged / (sample.flagged + sample.passed)
    wrong = sample.flagged_sample - sample.hits
    z = float(scipy.stats.norm.ppf(0.5 + printed["level_percent"] / 200))
    half = z * np.sqrt(hits * (1 - hits) / sample.flagged_sample)
    a, fp, b = (getattr(found, name)[0::2] for name in ("hits", "false_positives", "misses"))
    return {
        "figure1.ok_share": 100 * (1 - flagged),
        "figure1.error_sampled_share": 100 * sample.flagged_sample / sample.flagged,
        "figure1.ok_sampled_share": 100 * sample.passed_sample / sample.passed,
        "figure1.hits_share": hits,
        "figure1.false_positives": float(wrong),
        "figure1.false_positives_share": wrong / sample.flagged_sample,
        "figure1.misses_share": misses,
        "step6.hits_share": hits,
        "step6.error_size": flagged,
        "step6.hits_rate": hits * flagged,
        "table5.hits.sample_proportion": hits,
        "table5.hits.sub_corpus_proportion": flagged,
        "table5.hits.rate": interval_of(found.hits),
        "table5.false_positives.sample_proportion": wrong / sample.flagged_sample,
        "table5.false_positives.sub_corpus_proportion": flagged,
        "table5.false_positives.rate": interval_of(found.false_positives),
        "table5.misses.sample_proportion": misses,
        "table5.misses.sub_corpus_proportion": 1 - flagged,
        "table5.misses.rate": interval_of(found.misses),
        "table5.precision.hits": a[0],
        "table5.precision.false_positives": fp[0],
        "table5.precision": interval_of(found.precision),
        "table5.recall.hits": a[0],
        "table5.recall.misses": b[0],
        "table5.recall": interval_of(found.recall),
        "intervals.hits.p": hits,
        "intervals.hits.p_again": hits,
        "intervals.hits.q": hits,
        "intervals.hits.n": float(sample.hits + wrong),
        "intervals.hits.lower": hits - half,
        "intervals.hits.upper": hits + half,
        # The rate of hits over the size of the sub-corpus, which cancels.
        "intervals.precision.lower": hits - half,
        "intervals.precision.upper": hits + half,
        "intervals.normal_quantile": z,
        "intervals.hits.quantile": z,
    }


def interval_of(rate: sampling.Estimate) -> tuple[float, float, float]:
    """Return value and ends, without the standard error."""
    return rate.value, rate.lower, rate.upper


def application_values(printed: Mapping[str, float]) -> dict[str, float]:
    """Compute sections 6 and 6.2, and the samples of section 6.3."""
    sampled = printed["ok_sample"] + printed["error_sample"]
    per_label = printed["batch_hours_upper"] / printed["batch"]
    contexts = 100 * printed["wanted_errors"] / printed["assumed_error_percent"]
    return {
        "effort.hours": contexts * per_label,
        "application.annotation_set": sampled,
        "application.hours": sampled * per_label,
        "intervals.sample_ratio": printed["ok_sample"] / printed["error_sample"],
    }


def rows_of(
    values: Mapping[str, Any], provenance: str, method: str = "paper", level: float = 0.95
) -> list[Computed]:
    """Make computed rows of values alone, with the rounding of their inputs, or an interval."""
    rows = []
    for target, value in values.items():
        if isinstance(value, Rounded):
            rows.append(
                Computed(
                    target,
                    value.value,
                    rounding_lower=value.lower,
                    rounding_upper=value.upper,
                    method=method,
                    provenance=provenance,
                )
            )
            continue
        estimate, *ends = value if isinstance(value, tuple) else (value,)
        interval = dict(zip(("lower", "upper"), map(float, ends), strict=True)) if ends else {}
        if interval:
            interval["level"] = level
        rows.append(
            Computed(target, float(estimate), method=method, provenance=provenance, **interval)
        )
    return rows


def simulated(draws: Any) -> tuple[float, float, float]:
    """Summarise repetitions: their mean, and where 95% of them lie."""
    low, high = np.quantile(draws, [0.025, 0.975])
    return float(np.mean(draws)), float(low), float(high)


def simulated_values(cloze: pd.DataFrame, application: pd.DataFrame) -> list[Computed]:
    """Make rows of what stands beside numbers that rest on unpublished data."""
    values = {f"table2.{pair}.kappa": simulated(row.kappa) for pair, row in cloze.iterrows()}
    values |= {
        "table6.sampling.precision": simulated(application["precision"]),
        "table6.sampling.recall": simulated(application["recall"]),
    }
    return rows_of(values, "simulated")


def other_readings(
    sample: StratifiedSample, table2: pd.DataFrame, printed: Mapping[str, float]
) -> list[Computed]:
    """Make rows of other readings and better methods, shown beside the paper's."""
    found = {method: sampling.estimate(sample, method=method) for method in METHODS}
    missed = 100 - printed["accuracy_percent"]
    per_label = printed["batch_hours_lower"] / printed["batch"]
    contexts = 100 * printed["wanted_errors"] / printed["assumed_error_percent"]
    readings = {
        "choice.encarta_reuters_accuracy": (
            "cloze_test",
            100 * float(table2.set_index("pair").loc["encarta_system", "agreement"]),
        ),
        "choice.corrected_accuracy": (
            "from_encarta_reuters",
            100 - missed + missed * printed["licensed_percent"] / 100,
        ),
        "figure1.ok_sampled_share": (
            "cut_off",
            float(100 * sample.passed_sample // sample.passed),
        ),
        "intervals.hits.lower": ("times_sub_corpus_share", found["paper"].hits.lower),
        "intervals.hits.upper": ("times_sub_corpus_share", found["paper"].hits.upper),
        "effort.hours": ("three_hours_a_batch", contexts * per_label),
        "application.hours": (
            "three_hours_a_batch",
            (printed["ok_sample"] + printed["error_sample"]) * per_label,
        ),
    }
    rows = [
        row
        for target, (method, value) in readings.items()
        for row in rows_of({target: value}, "printed_table", method)
    ]
    for method, estimate in found.items():
        if method != sampling.RECOMMENDED:
            rates = {
                "table5.precision": interval_of(estimate.precision),
                "table5.recall": interval_of(estimate.recall),
            }
            rows += rows_of(rates, "printed_table", f"interval_{method}")
    for end in ("lower", "upper"):
        exact = {f"intervals.precision.{end}": getattr(found["stratified"].precision, end)}
        best = {f"intervals.precision.{end}": getattr(found["wilson"].precision, end)}
        rows += rows_of(exact, "printed_table", "interval_stratified")
        rows += rows_of(best, "printed_table", "interval_wilson")
    return rows


# ------------------------------------------------------------------------------- figures


def figure_table1(table: pd.DataFrame, stem: Path) -> None:
    """Draw Table 1: both F-measures of each preposition, and their difference."""
    ordered = table.sort_values("difference").reset_index(drop=True)
    y = np.arange(len(ordered))
    with plotting.house_figure(height=3.9) as (figure, (left, right)):
        left.hlines(y, ordered["gamon"], ordered["tetreault"], color=GREY, linewidth=1.2)
        left.scatter(ordered["gamon"], y, s=34, marker="s", facecolor="white", edgecolor=INK,
                     label="Gamon et al. (2008)", zorder=3)  # fmt: skip
        left.scatter(ordered["tetreault"], y, s=38, color=BLUE, label="this paper", zorder=3)
        left.set(title="F-measure", xlabel="F-measure", xlim=(0.28, 0.95), yticks=y,
                 yticklabels=ordered["preposition"], ylim=(-0.6, len(y) + 1.1))  # fmt: skip
        left.legend(loc="upper left", ncol=2, handletextpad=0.2, columnspacing=0.9)
        colours = np.where(ordered["better"], BLUE, VERMILION)
        right.barh(y, ordered["difference"], color=colours, height=0.62)
        right.axvline(0, color=INK, linewidth=0.8)
        for row in ordered.itertuples():
            ahead = row.difference > 0
            right.annotate(f"{row.difference:+.3f}", (row.difference, row.Index),
                           (3 if ahead else -3, 0), textcoords="offset points", va="center",
                           ha="left" if ahead else "right", fontsize=8)  # fmt: skip
        right.set(title=f"Ahead for {ordered['better'].sum()} of {len(ordered)}",
                  xlabel="difference", yticks=y, yticklabels=ordered["preposition"],
                  xlim=(-0.3, 0.6), ylim=(-0.6, len(y) + 1.1))  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_table3(matrix: np.ndarray, found: pd.DataFrame, stem: Path) -> None:
    """Draw Table 3 with its margins, and the coefficients with intervals."""
    with plotting.house_figure(height=3.9) as (figure, (left, right)):
        draw_matrix(left, matrix)
        names = {
            ("three categories", "percent_agreement"): "agreement",
            ("three categories", "gwet_ac1"): "Gwet's AC1",
            ("three categories", "brennan_prediger"): "Brennan-Prediger",
            ("three categories", "cohen_kappa"): "Cohen's kappa (paper)",
            ("three categories", "scott_pi"): "Scott's pi",
            ("error or not", "cohen_kappa"): "Cohen's kappa, error or not",
            ("one against rest", "cohen_kappa: extraneous"): "  extraneous or not",
            ("one against rest", "cohen_kappa: wrong_choice"): "  wrong choice or not",
        }
        rows = found.set_index(["scheme", "coefficient"]).loc[list(names)]
        y = np.arange(len(rows))[::-1]
        is_paper = [name[1] == "cohen_kappa" and name[0] == "three categories" for name in names]
        right.hlines(y, rows["lower"], rows["upper"], color=INK, linewidth=1.3)
        right.scatter(rows["estimate"], y, s=36, zorder=3, edgecolor=INK,
                      color=[BLUE if one else "white" for one in is_paper])  # fmt: skip
        for value, high, at in zip(rows["estimate"], rows["upper"], y, strict=True):
            right.annotate(f"{value:.3f}", (high, at), (5, 0), textcoords="offset points",
                           va="center", fontsize=8)  # fmt: skip
        right.set(title="Coefficients, 95% intervals", xlim=(0.4, 1.14), yticks=y,
                  yticklabels=list(names.values()), ylim=(-0.7, len(y) - 0.3),
                  xticks=[0.4, 0.6, 0.8, 1.0])  # fmt: skip
        plotting.save_figure(figure, stem)


def draw_matrix(axes: Axes, matrix: np.ndarray) -> None:
    """Draw a confusion matrix in grey by the logarithm of its counts, with margins."""
    labels = ["Extra-\nneous", "Wrong-\nChoice", "OK"]
    shade = np.log1p(matrix) / np.log1p(matrix.max())
    axes.imshow(shade, cmap="Blues", vmin=0, vmax=1.25)
    for (i, j), count in np.ndenumerate(matrix):
        axes.text(j, i, f"{count:,}", ha="center", va="center", fontsize=11,
                  fontweight="bold" if i == j else "normal",
                  color="white" if shade[i, j] > 0.8 else INK)  # fmt: skip
    for i, (row, column) in enumerate(zip(matrix.sum(axis=1), matrix.sum(axis=0), strict=True)):
        axes.text(2.65, i, f"{row:,}", ha="left", va="center", color=GREY)
        axes.text(i, 2.75, f"{column:,}", ha="center", va="center", color=GREY)
    axes.text(2.65, 2.75, f"{matrix.sum():,}", ha="left", va="center", color=INK)
    axes.set(title="Table 3", xticks=range(3), xticklabels=labels, yticks=range(3),
             yticklabels=labels, ylabel="Rater 1", xlim=(-0.5, 3.2), ylim=(3.05, -0.5))  # fmt: skip
    axes.set_xlabel("Rater 2")
    axes.xaxis.set_ticks_position("top")
    axes.xaxis.set_label_position("bottom")
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)


def figure_sets(
    by_number: Mapping[int, pd.DataFrame],
    printed: Mapping[str, float],
    kappa: float,
    stem: Path,
) -> None:
    """Draw how far the kappas of sets dealt at random range, by the number of sets."""
    marks = printed["set_kappa_min"], printed["set_kappa_max"]
    n_sets = max(by_number)
    with plotting.house_figure(height=3.7, stand_in="Simulated sets") as (figure, (left, right)):
        bins = np.arange(-0.1, 1.06, 0.025)
        for end, colour in (("smallest", "#A6C8DD"), ("largest", "#5B9BC5")):
            left.hist(by_number[n_sets][end], bins=bins, color=colour, edgecolor=INK,
                      linewidth=0.4, label=f"{end} kappa")  # fmt: skip
        left.set(title=f"{n_sets} sets of 100 contexts", xlabel="Cohen's kappa",
                 ylabel="repetitions")  # fmt: skip
        left.set_ylim(0, 1.45 * left.get_ylim()[1])
        for shift, end, marker in ((-0.12, "smallest", "o"), (0.12, "largest", "s")):
            for at, draws in enumerate(by_number.values()):
                low, middle, high = np.quantile(draws[end], [0.025, 0.5, 0.975])
                right.plot([at + shift] * 2, [low, high], color=INK, linewidth=1.3)
                right.plot(at + shift, middle, marker, markersize=6, color=BLUE,
                           label=f"{end}, median and 95%" if at == 0 else None)  # fmt: skip
        right.axhline(kappa, color=INK, linestyle=":", linewidth=1.1)
        for mark in marks:
            left.axvline(mark, color=VERMILION, linewidth=1.6,
                         label="printed range" if mark == marks[0] else None)  # fmt: skip
            right.axhline(mark, color=VERMILION, linewidth=1.6,
                          label="printed range" if mark == marks[0] else None)  # fmt: skip
        left.legend(loc="upper left")
        right.set(title="Range by the number of sets", xlabel="sets (contexts in each)",
                  ylabel="Cohen's kappa", xticks=range(len(by_number)),
                  yticks=[0, 0.2, 0.4, 0.6, 0.8, 1],
                  xticklabels=[f"{n}\n({100 * n_sets // n})" for n in by_number],
                  ylim=(-0.08, 1.32))  # fmt: skip
        right.legend(loc="upper right")
        plotting.save_figure(figure, stem)


def figure_table4(
    by_assumption: Mapping[float, pd.DataFrame],
    table: pd.DataFrame,
    feasible: pd.DataFrame,
    stem: Path,
) -> None:
    """Draw how far two annotators' scores of one system lie apart, and when that is news."""
    first, second = table.set_index("comparison").loc[["rater1", "rater2"]].to_dict("records")
    with plotting.house_figure(height=3.6) as (figure, (left, right)):
        looks = zip(by_assumption.items(), (GREY, BLUE, INK), (":", "-", "--"), strict=True)
        for (doubtful, runs), colour, line in looks:
            apart = 100 * (runs["rater1.precision"] - runs["rater2.precision"])
            left.hist(apart, bins=np.arange(-37, 38, 2), histtype="step", color=colour,
                      linestyle=line, linewidth=1.4, weights=np.full(len(apart), 1 / len(apart)),
                      label=f"{doubtful:g} times")  # fmt: skip
        printed_apart = 100 * (first["precision"] - second["precision"])
        left.axvline(printed_apart, color=VERMILION, linewidth=1.6)
        left.annotate("Table 4", (printed_apart, 0.97), (4, 0), textcoords="offset points",
                      xycoords=("data", "axes fraction"), color=VERMILION, va="top")  # fmt: skip
        left.legend(loc="upper left", title="doubtful errors\nflagged as often", alignment="left")
        left.set(title="Two gold standards (simulated)", ylabel="share of repetitions",
                 xlabel="difference of precision, points")  # fmt: skip
        rate = feasible[[f"rater{j}_error_percent_{e}" for j in (1, 2) for e in ("lower", "upper")]]
        right.semilogy(rate.mean(axis=1), feasible["smallest_p"], "o", markersize=3.5, color=BLUE)
        right.axhline(0.05, color=VERMILION, linewidth=1.2)
        right.annotate("p = .05", (1, 0.05), (0, 3), textcoords="offset points", color=VERMILION)
        for end, name in ((6, "6%"), (10, "10%")):
            right.axvline(end, color=GREY, linestyle=":", linewidth=1)
            right.annotate(name, (end, 0.02), (3, 0), xycoords=("data", "axes fraction"),
                           textcoords="offset points", fontsize=8.5, color=GREY)  # fmt: skip
        right.set(title="Smallest p-value Table 4 leaves", xlim=(0, 18), xticks=[0, 5, 10, 15],
                  xlabel="error rate of 2,000 contexts, percent",
                  ylabel="exact McNemar test")  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_figure1(sample: StratifiedSample, stem: Path) -> None:
    """Draw Figure 1: from the corpus to hits, false positives and misses."""
    found = sampling.estimate(sample)
    wrong = sample.flagged_sample - sample.hits
    flagged = sample.flagged / (sample.flagged + sample.passed)
    with plotting.house_figure(height=3.9) as (figure, panels):
        axes = one_panel(figure, panels)
        corpus = f"corpus\n{sample.flagged + sample.passed:,} prepositions"
        boxes = {
            "corpus": (0.08, 0.5, corpus, INK),
            "passed": (0.32, 0.76, f'system: "OK"\n{sample.passed:,} ({1 - flagged:.0%})', INK),
            "flagged": (0.32, 0.24, f'system: "Error"\n{sample.flagged:,} ({flagged:.0%})', INK),
            "passed_sample": (0.57, 0.76, f"sample\n{sample.passed_sample:,}", BLUE),
            "flagged_sample": (0.57, 0.24, f"sample\n{sample.flagged_sample:,}", BLUE),
            "misses": (0.86, 0.80, f"{sample.misses} misses\n{sample.misses} / "
                       f"{sample.passed_sample:,} = {found.misses.value / (1 - flagged):.2f}",
                       VERMILION),
            "hits": (0.86, 0.40, f"{sample.hits} hits\n{sample.hits} / {sample.flagged_sample} = "
                     f"{found.precision.value:.2f}", GREEN),
            "false": (0.86, 0.12, f"{wrong} false positives\n{wrong} / {sample.flagged_sample} = "
                      f"{1 - found.precision.value:.2f}", VERMILION),
        }  # fmt: skip
        for x, y, text, colour in boxes.values():
            box = FancyBboxPatch((x - 0.085, y - 0.085), 0.17, 0.17, facecolor="white",
                                 boxstyle="round,pad=0.01,rounding_size=0.02",
                                 edgecolor=colour, linewidth=1.3)  # fmt: skip
            axes.add_patch(box)
            axes.text(x, y, text, ha="center", va="center", fontsize=8.5)
        for start, end, label in (
            ("corpus", "passed", ""),
            ("corpus", "flagged", ""),
            ("passed", "passed_sample", f"{sample.passed_sample / sample.passed:.1%}"),
            ("flagged", "flagged_sample", f"{sample.flagged_sample / sample.flagged:.0%}"),
            ("passed_sample", "misses", ""),
            ("flagged_sample", "hits", ""),
            ("flagged_sample", "false", ""),
        ):
            (x0, y0, *_), (x1, y1, *_) = boxes[start], boxes[end]
            axes.annotate("", (x1 - 0.098, y1), (x0 + 0.098, y0),
                          arrowprops={"arrowstyle": "-|>", "color": GREY})  # fmt: skip
            axes.text((x0 + x1) / 2, y0 + 0.03, label, ha="center", fontsize=8.5, color=BLUE)
        axes.text(0.02, 0.015, f"precision {found.precision.value:.2f}, "
                  f"recall {found.recall.value:.2f}", fontsize=9.5, fontweight="bold")  # fmt: skip
        axes.set(xlim=(-0.02, 0.97), ylim=(0, 0.93))
        axes.set_axis_off()
        plotting.save_figure(figure, stem)


def one_panel(figure: Figure, panels: Sequence[Axes]) -> Axes:
    """Replace the panels of a figure by one that fills it."""
    for axes in panels:
        axes.remove()
    return figure.add_subplot()


def figure_table6(
    table: pd.DataFrame,
    printed: Mapping[str, float],
    application: pd.DataFrame,
    population: Population,
    stem: Path,
) -> None:
    """Draw what Table 6 needs, and what the sampling approach gives again and again."""
    standard, other = table.set_index("approach").loc[["standard", "sampling"]].to_dict("records")
    with plotting.house_figure(height=3.8) as (figure, (left, right)):
        rate = np.linspace(0, 0.12, 50)
        for row, name, line in ((standard, "standard", "-"), (other, "sampling", "--")):
            flagged = rate * printed["sampling_corpus"] * row["recall"] / row["precision"]
            left.plot(100 * rate, flagged, line, color=BLUE, label=f"rates of the {name} approach")
        left.axhline(printed["error_sample"], color=VERMILION, linewidth=1.3)
        left.annotate("250 were sampled", (0.2, printed["error_sample"]), (0, 4),
                      textcoords="offset points", color=VERMILION, fontsize=8.5)  # fmt: skip
        for share, name in ((printed["corpus_error_percent"], "6% (§2)"),
                            (printed["assumed_error_percent"], "10% (§6)")):  # fmt: skip
            left.axvline(share, color=GREY, linestyle=":", linewidth=1)
            left.annotate(name, (share, 3), (-3, 0), textcoords="offset points", ha="right",
                          color=GREY, fontsize=8.5)  # fmt: skip
        left.set(title="Flagged contexts of 22,000", xlabel="error rate, percent",
                 ylabel="flagged contexts", xlim=(0, 12), ylim=(0, 480))  # fmt: skip
        left.legend(loc="upper left")
        right.scatter(application["recall"][:1500], application["precision"][:1500], s=6,
                      color=BLUE, alpha=0.25, linewidth=0, label="one sample of 250 + 500 each",
                      rasterized=True)  # fmt: skip
        right.scatter(population.recall, population.precision, s=60, marker="+", color=INK,
                      linewidth=1.8, label="standard approach: truth here")  # fmt: skip
        right.scatter(other["recall"], other["precision"], s=60, marker="x", color=VERMILION,
                      linewidth=1.8, label="sampling approach, Table 6")  # fmt: skip
        right.set(title="The sampling approach, simulated", xlabel="recall", ylabel="precision",
                  ylim=(0.74, 0.875))  # fmt: skip
        right.legend(loc="upper right", markerscale=1.0)
        plotting.save_figure(figure, stem)


def figure_intervals(table: pd.DataFrame, stem: Path) -> None:
    """Draw the intervals of Figure 1's precision and recall by every method."""
    rows = table[table["sample"] == "Figure 1"]
    y = np.arange(len(METHODS))[::-1]
    with plotting.house_figure(height=3.0) as (figure, panels):
        for axes, rate in zip(panels, ("precision", "recall"), strict=True):
            part = rows[rows["rate"] == rate].set_index("method").loc[list(METHODS)]
            for at, (method, row) in zip(y, part.iterrows(), strict=True):
                colour, marker, _ = STYLES[method]
                axes.plot([row["lower"], row["upper"]], [at, at], color=colour, linewidth=2.2)
                axes.plot(row["value"], at, marker, color=colour, markersize=6)
                axes.annotate(f"{row['lower']:.3f} to {row['upper']:.3f}", (row["value"], at),
                              (0, 6), textcoords="offset points", ha="center",
                              fontsize=8)  # fmt: skip
            axes.set(title=f"{rate.capitalize()} of Figure 1", xlabel=rate, yticks=y,
                     yticklabels=[METHOD_NAMES[m] for m in METHODS] if rate == "precision" else [],
                     ylim=(-0.5, len(y) - 0.2))  # fmt: skip
            axes.margins(x=0.2)
        plotting.save_figure(figure, stem)


def figure_coverage(table: pd.DataFrame, stem: Path) -> None:
    """Draw the exact coverage of every interval against the number of labels."""
    corpora = list(dict.fromkeys(table["corpus"]))
    with plotting.house_figure(len(corpora), height=3.9) as (figure, panels):
        for axes, corpus in zip(panels, corpora, strict=True):
            part = table[table["corpus"] == corpus]
            labels = part["flagged_sample"] + part["passed_sample"]
            axes.axhline(0.95, color=INK, linewidth=0.8, linestyle=(0, (1, 2)))
            for method, (colour, marker, line) in STYLES.items():
                one = part["method"] == method
                axes.plot(labels[one], part.loc[one, "recall"], line, marker=marker,
                          color=colour, markersize=5, label=METHOD_NAMES[method])  # fmt: skip
            axes.set(title=corpus, xlabel="labels, a third of them flagged",
                     ylabel="coverage of recall" if axes is panels[0] else "",
                     ylim=(0, 1.03), xlim=(0, None))  # fmt: skip
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncol=3)
        plotting.save_figure(figure, stem)


def figure_sizes(population: Population, printed: Mapping[str, float], stem: Path) -> None:
    """Draw half-widths by the division of 750 labels, and the labels that recall needs."""
    z = float(scipy.stats.norm.ppf(0.975))
    total = int(printed["ok_sample"] + printed["error_sample"])
    flagged = np.arange(10, population.flagged + 1)
    errors = np.array([population.standard_errors(int(n), int(total - n)) for n in flagged])
    ratio = printed["ok_sample"] / printed["error_sample"]
    with plotting.house_figure(height=3.7) as (figure, (left, right)):
        for column, name, line in ((0, "precision", "--"), (1, "recall", "-")):
            left.plot(flagged, z * errors[:, column], line, color=BLUE, label=name)
        best = int(flagged[np.argmin(errors[:, 1])])
        left.plot(best, z * errors[:, 1].min(), "o", color=BLUE)
        left.annotate(f"best for recall: {best}", (best, z * errors[:, 1].min()), (6, -11),
                      textcoords="offset points", fontsize=8.5)  # fmt: skip
        left.axvline(printed["error_sample"], color=VERMILION, linewidth=1.3)
        left.annotate("paper: 250", (printed["error_sample"], 0.104), (-4, 0), ha="right",
                      textcoords="offset points", color=VERMILION, fontsize=8.5)  # fmt: skip
        left.set(title="750 labels, divided", xlabel='of them from the "Error" sub-corpus',
                 ylabel="half-width of the 95% interval", ylim=(0, 0.11))  # fmt: skip
        left.legend(loc="upper right", bbox_to_anchor=(1, 0.9))
        widths = np.linspace(0.012, 0.06, 60)
        plans = [sampling.sample_sizes(population, recall_half_width=w) for w in widths]
        right.plot(widths, [p.flagged_sample + p.passed_sample for p in plans], color=BLUE,
                   label="two strata, divided best")  # fmt: skip
        doubled = [(n, int(ratio * n)) for n in range(20, population.flagged + 1)]
        right.plot([z * population.standard_errors(*pair)[1] for pair in doubled],
                   [sum(pair) for pair in doubled], "-.", color=VERMILION,
                   label="two strata, 2 to 1 (paper)")  # fmt: skip
        right.plot(widths, [sampling.random_sample_size(population, w) for w in widths], "--",
                   color=GREY, label="one random sample")  # fmt: skip
        right.axhline(population.size, color=INK, linewidth=0.8, linestyle=":")
        right.annotate("everything", (0.06, population.size), (0, -11), ha="right",
                       textcoords="offset points", fontsize=8.5)  # fmt: skip
        right.set(title="Labels for a given recall", xlabel="half-width of recall wanted",
                  ylabel="labels", yscale="log", xlim=(0.012, 0.06))  # fmt: skip
        right.legend(loc="upper right", bbox_to_anchor=(1, 0.9))
        plotting.save_figure(figure, stem)


def captions(population: Population, n: int) -> dict[str, tuple[str, str]]:
    """Say of every figure what it shows, from which numbers."""
    corpus = (
        f"{population.size:,} contexts with an error rate of {population.error_rate:.0%} (§6), "
        "precision and recall as the standard approach of Table 6"
    )
    return {
        "table1": ("printed_table", "F-measures of Table 1. The text says 9 of 10."),
        "table3": ("printed_table", "Left: Table 3 with its margins, shaded by the logarithm of "
                   "the count. Right: coefficients of it with 95% intervals from their standard "
                   "errors; filled, the paper's."),
        "sets": ("simulated", f"Contexts of Table 3 and those removed, dealt {n:,} times at random "
                 "into sets of one size: how small the smallest and how large the largest kappa "
                 "is. Eighteen sets range wider than printed; about nine do not. Dotted: kappa of "
                 "all contexts."),
        "table4": ("simulated", "Left: one system scored by two annotators who differ as in Table "
                   "3, on 2,000 contexts, calibrated to the mean precision and recall of Table 4, "
                   "favouring neither; by how often it flags an error that one annotator sees, "
                   "against one that both see. Right, from the printed table: the least p-value "
                   "that any labels behind Table 4 can give, by the error rate that its counts "
                   "imply."),
        "figure1": ("printed_table", "The sampling approach with the paper's hypothetical counts. "
                    "The paper prints 16% where 1,500 of 9,000 is 16.7%."),
        "table6": ("simulated", "Left, from the printed table: how many contexts the system flags "
                   "if Table 6 holds. Right: the sampling approach on "
                   f"{corpus}; one point a sample."),
        "intervals": ("printed_table", "95% intervals for the counts of Figure 1. Three quarters "
                      "of the flagged contexts are sampled, which the paper's formula leaves out "
                      "of account."),
        "coverage": ("printed_table", "Exact probability that a nominal 95% interval of recall "
                     "holds the truth, by enumeration. Left: the corpus of Figure 1. Middle: "
                     f"{corpus}. Right: the same size, 3% errors, precision and recall .9."),
        "sizes": ("printed_table", "Left: half-widths that 750 labels give, by how many are taken "
                  "from the flagged contexts. Right: labels needed for recall. "
                  f"Assumed corpus: {corpus}."),
    }  # fmt: skip


#: Tables that rest on a simulation.
OF_SIMULATION = frozenset(
    {"sets", "two_gold_standards", "simulated_coverage", "simulated_application"}
)


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

    No label was published, so `data` is empty.
    """
    texts = {path.stem: pd.read_csv(path, comment="#", dtype="str") for path in printed_tables}
    words = texts["printed_values"].set_index("name")["value"]
    printed = words.astype(float)
    matrix = texts["table3"].set_index("rater1").loc[CATEGORIES, CATEGORIES].to_numpy(int)
    table1, table2, table4, table6 = (with_numbers(texts[f"table{n}"]) for n in (1, 2, 4, 6))
    rngs = np.random.default_rng(seed).spawn(7)
    n_simulations = SIMULATIONS[effort]

    measures = f_measures(table1)
    total, by_set = int(printed["double_labels"]), int(printed["set_size"])
    sets = {total // by_set: simulate_sets(matrix, total, total // by_set, n_simulations, rngs[2])}
    cloze = simulate_cloze(table2, printed, n_simulations, rngs[1])
    sample = figure1_sample(printed)
    population = application_population(table6, printed)
    application = simulate_application(population, printed, n_simulations, rngs[4])
    write_computed(
        [
            *rows_of(native_values(measures, words), "printed_table"),
            *rows_of(cloze_values(texts["table2"], words), "printed_table"),
            *rows_of(agreement_values(matrix), "printed_table"),
            *rows_of(differences_values(texts["table4"]), "printed_table"),
            *rows_of(sampling_values(sample, printed), "printed_table"),
            *rows_of(application_values(printed), "printed_table"),
            *sets_rows(sets[total // by_set]),
            *simulated_values(cloze, application),
            *other_readings(sample, table2, printed),
        ],
        folder / "computed.csv",
    )

    found = coefficients(matrix, rngs[0], REPLICATES[effort])
    sets |= {n: simulate_sets(matrix, total, n, n_simulations, rngs[2]) for n in FEWER_SETS}
    two_gold = {
        doubtful: simulate_two_gold(matrix, table4, printed, doubtful, n_simulations, rngs[3])
        for doubtful in DOUBTFUL
    }
    differences = differences_feasibility(table4, printed)
    example = figure1_population(sample)
    rare = Population.from_rates(population.size, error_rate=0.03, precision=0.9, recall=0.9)
    feasible = application_feasibility(table6, printed)
    designs = {
        "Figure 1": (example, [(75, 150), (150, 300), (250, 500), (500, 1000), (750, 1500)]),
        "Table 6": (population, [(25, 50), (50, 100), (100, 200), (150, 300), (250, 500)]),
        "Few misses": (rare, [(25, 50), (50, 100), (100, 200), (250, 500), (500, 1000)]),
    }
    covered = coverage_table(designs)
    intervals = intervals_table(
        {"Figure 1": sample, "Table 6, likely counts": likely_sample(population, 250, 500)}
    )
    hours = printed["batch_hours_upper"] / printed["batch"]
    tables = {
        "f_measures": measures,
        "cloze_feasibility": cloze_feasibility(table2, printed),
        "coefficients": found,
        "annotators_as_systems": annotators_as_systems(matrix),
        "sets": sets_table(sets, printed),
        "table4_feasibility": differences,
        "two_gold_standards": two_gold_table(two_gold),
        "table5": intervals[
            (intervals["sample"] == "Figure 1") & (intervals["method"] == sampling.RECOMMENDED)
        ].drop(columns=["sample", "method"]),
        "table6_feasibility": feasible,
        "simulated_application": summary(application[["precision", "recall"]]),
        "intervals": intervals,
        "coverage": covered,
        "simulated_coverage": pd.concat(
            [
                simulated_coverage(one, sizes, n_simulations, rng).assign(corpus=name)
                for name, one, sizes, rng in (
                    ("Figure 1", example, (750, 1500), rngs[5]),
                    ("Table 6", population, (250, 500), rngs[6]),
                )
            ]
        ).merge(
            covered.drop(columns=["precision_width", "recall_width"]),
            on=["corpus", "method"], suffixes=("_simulated", "_exact"),
        ).groupby(["corpus", "method"], sort=False).tail(1),
        "sample_sizes": sizes_table(population, hours),
        "savings": savings_table(printed),
        "methods": methods_table(population, printed),
    }  # fmt: skip
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    kappa = float(kappas(matrix))
    figure_table1(measures, stems / "table1")
    figure_table3(matrix, found, stems / "table3")
    figure_sets(sets, printed, kappa, stems / "sets")
    figure_table4(two_gold, table4, differences, stems / "table4")
    figure_figure1(sample, stems / "figure1")
    figure_table6(table6, printed, application, population, stems / "table6")
    figure_intervals(intervals, stems / "intervals")
    figure_coverage(covered, stems / "coverage")
    figure_sizes(population, printed, stems / "sizes")
    shown = captions(population, n_simulations)
    with replacing(folder / "captions.json") as draft:
        draft.write_text(
            json.dumps(
                {
                    name: {"provenance": word, "caption": text, "seed": seed}
                    for name, (word, text) in shown.items()
                }
                | {
                    f"tables/{name}": {
                        "provenance": "simulated" if name in OF_SIMULATION else "printed_table"
                    }
                    for name in tables
                },
                indent=1,
            )
            + "\n"
        )


def with_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return a printed table with all columns but the first as numbers."""
    return table.astype(dict.fromkeys(table.columns[1:], float))


def summary(draws: Mapping[str, Any] | pd.DataFrame) -> pd.DataFrame:
    """Describe repetitions: mean, standard deviation, and the middle 95%."""
    frame = pd.DataFrame(draws).describe(percentiles=[0.025, 0.5, 0.975])
    return frame.T.rename_axis("summary").reset_index()


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
