"""Recompute Beigman Klebanov and Beigman (2009) from its formulas and printed scenarios.

======================  ==============================================================
`cases`                 sections 3.1, 3.2 and 5.3: the bound by Equation 1, every project
`exact_tail`            the same in whole numbers, against which each deviation is settled
`readings`              other readings of the bound, beside the paper's
`tolerance`             section 3.1: how many disagreements leave 5% noise
`split_kappas`          section 3.2: kappa by the split of the disagreed items
`kappa_values`          section 3.3: kappa and the share of easy items
`kappa_table`           section 3.3: one share of easy items, many a kappa
`difference_values`     section 4.1: what two classifiers differ by chance
`annotators_table`      section 5.3: adding annotators, the majority among them
`footnote3_table`       footnote 3: the chance of agreement from disagreed items alone
`coverage_table`        not in the paper: how often the bound holds
======================  ==============================================================

Nothing is drawn at random: every value follows from numbers printed in the text.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats

from annobench import agreement
from annobench.core.files import recording, replacing
from annobench.labels.annotations import Annotations
from annobench.noise import easy_hard
from annobench.replication.compare import (
    Computed,
    agrees,
    parse_printed,
    plain_rows,
    write_computed,
)
from annobench.replication.rounding import propagate
from annobench.reporting import plotting

#: A fair coin, of the tables and figures that go beyond the paper's projects.
FAIR = 0.5
#: Size of the project whose coverage is computed, and points on a side of a surface, by effort.
COVERAGE_ITEMS = {"full": 200, "quick": 20}
SURFACE_POINTS = {"full": 20, "quick": 8}
#: Numbers of annotators, from two on, as the text prints them.
IN_WORDS = ("two", "three", "four", "five")
#: The letters of the projects in figures.
MARKS = {"two": "A", "pv": "B", "reverse": "C", "five": "D", "adding": "E"}
COLOURS = {2: plotting.BLUE, 3: plotting.VERMILION, 4: plotting.GREEN, 5: plotting.INK}
LINES = {2: "-", 3: "--", 4: "-.", 5: ":"}


@dataclass(frozen=True)
class Printed:
    """What the text gives: its projects, and single numbers by name, also as printed."""

    scenarios: pd.DataFrame
    texts: Mapping[str, str]

    @classmethod
    def read(cls, paths: Iterable[Path]) -> "Printed":
        """Read the printed tables; a project without a chance of agreement has fair coins."""
        tables = {
            path.stem: pd.read_csv(path, comment="#", dtype="str", keep_default_na=False)
            for path in paths
        }
        texts = tables["text"].set_index("name")["value"].to_dict()
        scenarios = tables["scenarios"].set_index("case")
        printed_chance = scenarios["chance"]
        counts = ["n_items", "n_agreed", "n_disagreed"]
        scenarios[counts] = scenarios[counts].apply(pd.to_numeric)
        scenarios["n_annotators"] = [2 + IN_WORDS.index(word) for word in scenarios["annotators"]]
        n, agreed, disagreed = (scenarios[c] for c in counts)
        unclear = scenarios.index[agreed.isna() == disagreed.isna()]
        if len(unclear):
            raise ValueError(
                f"scenarios.csv, {', '.join(unclear)}: give either n_agreed or n_disagreed."
            )
        disagreed = disagreed.fillna(n - agreed).astype(int)
        over = scenarios.index[~disagreed.between(0, n)]
        if len(over):
            raise ValueError(f"scenarios.csv, {', '.join(over)}: more of a kind than items.")
        coin = float(texts["coin"])
        tossed = [easy_hard.agreement_chance(coin, j) for j in scenarios["n_annotators"]]
        chance = pd.to_numeric(printed_chance).fillna(pd.Series(tossed, scenarios.index))
        scenarios = scenarios.assign(
            n_disagreed=disagreed, chance=chance, printed_chance=printed_chance
        ).drop(columns=["n_agreed", "annotators"])
        return cls(scenarios, texts)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The single numbers."""
        return {name: float(parse_printed(text).value) for name, text in self.texts.items()}

    @property
    def coin(self) -> float:
        """Probability of a category of a guess: in the paper's own projects equal for both."""
        return self.numbers["coin"]

    @property
    def level(self) -> float:
        """Confidence of every bound."""
        return self.numbers["level"] / 100

    @property
    def tolerated(self) -> float:
        """The noise rate that section 3.1 tolerates."""
        return 1 - self.numbers["clean"] / 100


# ----------------------------------------------------------------- Equation 1 and its bounds


def exact_tail(n_items: int, n_disagreed: int, chance: Fraction, bound: int) -> Fraction:
    """Compute P(more than `bound` guesses among the agreed) in whole numbers alone."""
    weight, weights = Fraction(1), [Fraction(1)]
    for j in range(1, n_items - n_disagreed + 1):
        weight *= chance * Fraction(n_disagreed + j, j)
        weights.append(weight)
    return sum(weights[bound + 1 :], Fraction(0)) / sum(weights)


def all_cases(printed: Printed) -> pd.DataFrame:
    """Return the projects of the text, and the one that section 3.1 asks for in reverse."""
    two = printed.scenarios.loc["two"]
    most = easy_hard.largest_disagreement(
        two["n_items"], two["chance"], rate=printed.tolerated, level=printed.level
    )
    reverse = two.to_frame("reverse").T.assign(n_disagreed=most)
    return pd.concat([printed.scenarios, reverse]).loc[list(MARKS)].infer_objects()


def cases(printed: Printed) -> pd.DataFrame:
    """Bound the noise of every project."""
    rows = []
    for case in all_cases(printed).itertuples():
        n, d = int(case.n_items), int(case.n_disagreed)
        found = easy_hard.hard_given_agreed(n, d, case.chance)
        t = found.upper(printed.level)
        low, high = found.interval(printed.level)
        rows.append(
            {
                "case": case.Index, "n_items": n, "n_disagreed": d,
                "n_annotators": case.n_annotators, "chance": case.chance, "n_agreed": n - d,
                "bound": t, "rate_percent": 100 * t / (n - d),
                "library_tail_below": found.tail(t - 1), "library_tail": found.tail(t),
                "mean": found.mean,
                "standard_deviation": found.standard_deviation, "lower": low, "upper": high,
                "normal_percent": 100 * normal_bound(found, printed.level) / (n - d),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def with_exact_tails(table: pd.DataFrame) -> pd.DataFrame:
    """Check the tails around every bound in whole numbers."""
    exact = {
        f"tail_{where}_bound": [
            float(exact_tail(n, d, Fraction(str(chance)), t - less))
            for n, d, chance, t in table[["n_items", "n_disagreed", "chance", "bound"]].itertuples(
                index=False
            )
        ]
        for where, less in (("below", 1), ("at", 0))
    }
    return table.assign(**exact)


def readings(printed: Printed) -> pd.DataFrame:
    """Compute the printed bounds by other readings; none yields every printed value."""

    def by(level: float = printed.level, prior: Any = None, shift: int = 0) -> Any:
        def bound(n: int, d: int, chance: float) -> float:
            weights = None if prior is None else prior(np.arange(n + 1), n)
            return easy_hard.hard_given_agreed(n, d, chance, prior=weights).upper(level) + shift

        return bound

    def mean(n: int, d: int, chance: float) -> float:
        return easy_hard.hard_given_agreed(n, d, chance).mean

    def normal(n: int, d: int, chance: float) -> float:
        return normal_bound(easy_hard.hard_given_agreed(n, d, chance), printed.level)

    ways = {
        "as defined": by(),
        "P(X >= t) for P(X > t)": by(shift=1),
        "largest t with P(X > t) above 5%": by(shift=-1),
        "prior falling as 1/h": by(prior=lambda h, n: 1 / np.maximum(h, 1)),
        "prior rising as h": by(prior=lambda h, n: h),
        "prior of a Jeffreys share": by(
            prior=lambda h, n: scipy.stats.betabinom.pmf(h, n, 0.5, 0.5)
        ),
        "equal tails, 2.5% above": by(level=(1 + printed.level) / 2),
        **{f"confidence {percent}%": by(level=percent / 100) for percent in (90, 94, 96, 97)},
        "normal approximation": normal,
        "mean instead of bound": mean,
    }

    table = printed.scenarios
    rows = []
    for name, bound in ways.items():
        row: dict[str, Any] = {"reading": name}
        for case in table.itertuples():
            n, d = case.n_items, case.n_disagreed
            found = bound(n, d, case.chance)
            row |= {f"{case.Index}_bound": found, f"{case.Index}_percent": 100 * found / (n - d)}
        n, chance = table.loc["two", "n_items"], table.loc["two", "chance"]
        row["reverse_disagreements"] = max(
            d for d in range(100) if bound(n, d, chance) / (n - d) <= printed.tolerated
        )
        rows.append(row)
    return pd.DataFrame(rows)


def normal_bound(found: easy_hard.HardItems, level: float) -> float:
    """Bound the guesses by a normal distribution with the posterior's mean and deviation."""
    return found.mean + float(scipy.stats.norm.ppf(level)) * found.standard_deviation


def tolerance(printed: Printed) -> pd.DataFrame:
    """Find the most disagreements that leave the tolerated noise, by items and annotators."""
    sizes = np.geomspace(100, 100_000, 61).round().astype(int)
    rows = []
    for j in COLOURS:
        chance = easy_hard.agreement_chance(FAIR, j)
        # For ever more items the hidden guesses are d p / (1 - p) of n - d.
        odds = printed.tolerated * (1 - chance) / chance
        for n in sizes:
            d = easy_hard.largest_disagreement(
                int(n), chance, rate=printed.tolerated, level=printed.level
            )
            rows.append(
                {"n_annotators": j, "chance": chance, "n_items": n, "n_disagreed": d,
                 "share": d / n if d >= 0 else np.nan, "limit": odds / (1 + odds)}
            )  # fmt: skip
    return pd.DataFrame(rows)


def bound_rows(table: pd.DataFrame, printed: Printed) -> list[Computed]:
    """Return the bound and the noise rate of each project; the interval is of the guesses."""
    restated = {"two": ["two.rate", "two.rate_restated", "adding.two_rate"]}
    rows = []
    for case in table.itertuples():
        share = 100 / case.n_agreed
        rounding = rounding_of_rate(printed, case.case)
        for target in restated.get(case.case, [f"{case.case}.rate"]):
            if case.case != "reverse":
                rows.append(
                    Computed(target, case.rate_percent, lower=share * case.lower,
                             upper=share * case.upper, level=printed.level, **rounding,
                             provenance="closed_form")
                )  # fmt: skip
    two = table.set_index("case").loc["two"]
    interval = {"lower": two["lower"], "upper": two["upper"], "level": printed.level}
    return [
        *rows,
        *(
            Computed(target, two["bound"], **interval, provenance="closed_form")
            for target in ("two.upper", "test.n_hard")
        ),
    ]


def rounding_of_rate(printed: Printed, case: str) -> dict[str, float]:
    """Return the range of a noise rate over the chances that round to the printed one, if any."""
    if case not in printed.scenarios.index or not printed.scenarios.loc[case, "printed_chance"]:
        return {}
    n, d, text = printed.scenarios.loc[case, ["n_items", "n_disagreed", "printed_chance"]]
    found = propagate(
        lambda x: 100 * easy_hard.noise_bound(int(n), int(d), x[0], level=printed.level).rate,
        [text],
    )
    return {"rounding_lower": found.lower, "rounding_upper": found.upper}


def bound_values(table: pd.DataFrame, printed: Printed) -> dict[str, float]:
    """Return what else sections 3.1, 3.2 and 5.3 say of their projects."""
    by_case = table.set_index("case")
    two, five, adding = (by_case.loc[name] for name in ("two", "five", "adding"))
    n_easy = printed.numbers["n_easy"]
    n_hard = int(adding["n_items"] - n_easy)
    agreed = int((n_hard + 1) * adding["chance"])  # the mode of a binomial distribution
    coins = np.linspace(0.02, 0.98, 49)
    by_number = [[easy_hard.agreement_chance(q, j) for j in range(2, 11)] for q in coins]
    return {
        "two.n_disagreed": two["n_disagreed"],
        "two.chance": two["chance"],
        "two.upper_tail": 100 * two["library_tail_below"],
        "reverse.n_disagreed": by_case.loc["reverse", "n_disagreed"],
        "five.chance": five["chance"],
        "five.n_disagreed": five["n_disagreed"],
        "adding.chance": adding["chance"],
        "adding.n_agreed": n_easy + agreed,
        "adding.chance_change": np.diff(by_number, axis=1).max(),
        "adding.removed": 100 * (1 - adding["chance"] / two["chance"]),
    }  # fmt: skip


# ------------------------------------------------------------------ sections 3.2 and 3.3: kappa


def labels_of(n_agreed: int, splits: Mapping[int, int], n_annotators: int) -> Annotations:
    """Make labels of two equally frequent categories with these majorities."""
    ones = [n_annotators, 0]
    patterns = [ones[i % 2] for i in range(n_agreed)]
    for majority, count in splits.items():
        patterns += [(majority, n_annotators - majority)[i % 2] for i in range(count)]
    label = np.array([[a < k for a in range(n_annotators)] for k in patterns], dtype=int)
    item, annotator = np.indices(label.shape)
    frame = {"item": item.ravel(), "annotator": annotator.ravel(), "label": label.ravel()}
    return Annotations.from_frame(pd.DataFrame(frame))


def split_kappas(printed: Printed) -> pd.DataFrame:
    """Compute Fleiss' kappa of the projects by how the disagreed items are split."""
    five, two = printed.scenarios.loc["five"], printed.scenarios.loc["two"]
    d, n = int(five["n_disagreed"]), int(five["n_items"])
    j = int(five["n_annotators"])
    # Of the patterns of five fair coins that differ, 10 of 30 are 4-1; their likeliest number:
    all_but_one = scipy.special.comb(j, j - 1, exact=True)
    all_but_two = scipy.special.comb(j, j - 2, exact=True)
    likely = int((d + 1) * Fraction(all_but_one, all_but_one + all_but_two))
    reverse = all_cases(printed).loc["reverse"]
    given = {
        "five.kappa_4_1": (j, n - d, {j - 1: d}),
        "five.kappa_3_2": (j, n - d, {j - 2: d}),
        "five.kappa_most_likely": (j, n - d, {j - 1: likely, j - 2: d - likely}),
        "two.kappa": (2, int(two["n_items"] - two["n_disagreed"]), {1: int(two["n_disagreed"])}),
        "reverse.kappa": (2, int(reverse["n_items"] - reverse["n_disagreed"]),
                          {1: int(reverse["n_disagreed"])}),
    }  # fmt: skip
    rows = []
    for target, (k, agreed, splits) in given.items():
        found = agreement.fleiss_kappa(labels_of(agreed, splits, k))
        interval = found.interval()
        rows.append(
            {
                "target": target, "n_annotators": k, "n_agreed": agreed,
                "splits": ", ".join(f"{c} of {m}-{k - m}" for m, c in splits.items()),
                "observed_agreement": found.observed_agreement,
                "expected_agreement": found.expected_agreement, "kappa": found.estimate,
                "standard_error": found.standard_error, "lower": interval.lower,
                "upper": interval.upper,
                "without_minority_pairs": without_minority(k, agreed, splits),
                **kept_rates(k, agreed, splits, printed),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def kept_rates(
    n_annotators: int, n_agreed: int, splits: Mapping[int, int], printed: Printed
) -> dict[str, float]:
    """Bound the noise in percent if splits go into the gold standard by their majority."""
    d, chance = sum(splits.values()), easy_hard.agreement_chance(printed.coin, n_annotators)
    rates = {}
    for name, least in (("all", n_annotators), ("all_but_one", n_annotators - 1),
                        ("majority", n_annotators // 2 + 1)):  # fmt: skip
        kept = sum(count for majority, count in splits.items() if majority >= least)
        bound = easy_hard.noise_bound(
            n_agreed + d, d, chance, level=printed.level, n_split_kept=kept
        )
        rates[f"noise_percent_{name}"] = 100 * bound.rate if n_annotators > 2 else np.nan
    return rates


def without_minority(n_annotators: int, n_agreed: int, splits: Mapping[int, int]) -> float:
    """Compute kappa as if pairs that agree in the minority were not counted."""
    pairs = n_annotators * (n_annotators - 1) / 2
    agreeing = n_agreed + sum(c * m * (m - 1) / 2 / pairs for m, c in splits.items())
    return 2 * agreeing / (n_agreed + sum(splits.values())) - 1


def negative_kappa_probability(n_easy: int, n_hard: int) -> float:
    """Compute how often kappa of two annotators with fair coins is negative."""
    ones = np.arange(n_hard + 1)
    n = n_easy + n_hard
    total = 0.0
    easy = scipy.stats.binom.pmf(np.arange(n_easy + 1), n_easy, FAIR)
    for both, weight in enumerate(scipy.stats.binom.pmf(ones, n_hard, 0.25)):
        rest = n_hard - both
        neither = np.arange(rest + 1)
        share = scipy.stats.binom.pmf(neither, rest, 1 / 3)
        split = rest - neither
        for k, chance in enumerate(easy):
            marginal = (2 * (k + both) + split) / (2 * n)
            kappa_sign = (1 - split / n) - (marginal**2 + (1 - marginal) ** 2)
            total += weight * chance * share[kappa_sign < 0].sum()
    return total


def kappa_values(splits: pd.DataFrame, table: pd.DataFrame, printed: Printed) -> dict[str, float]:
    """Compute what section 3.3 reads from kappa, and the identities it rests on."""
    by_case = table.set_index("case")
    kappa = splits.set_index("target")["kappa"]
    two, five = by_case.loc["two"], by_case.loc["five"]
    easy_of_two = kappa["two.kappa"] * two["n_items"]
    easy_of_five = kappa["five.kappa_most_likely"] * five["n_items"]
    rate_of_two, rate_of_five = (
        100 * (case["n_agreed"] - easy) / case["n_agreed"]
        for case, easy in ((two, easy_of_two), (five, easy_of_five))
    )
    shares = np.linspace(0, 1, 21)
    distributions = [[0.5, 0.5], [0.9, 0.1], [0.2, 0.3, 0.5], [0.7, 0.1, 0.1, 0.1]]
    gaps = [abs(easy_hard.expected_kappa(e, q, q).kappa - e) for e in shares for q in distributions]
    thirds = [printed.numbers["aickin_hard_first"], printed.numbers["aickin_hard_second"]]
    hard, easy = np.array(thirds) / sum(thirds), aickin_easy(thirds)
    bias = [easy_hard.expected_kappa(e, easy, hard).kappa - e for e in shares[1:-1]]
    uniform = aickin_easy([0.5, 0.5])
    return {
        "five.split_ratio": split_ratio(printed),
        "kappa.easy_share_gap": max(gaps),
        "kappa.negative_probability": negative_kappa_probability(10, 100),
        "aickin.uniform_gap": np.abs(uniform - 0.5).max(),
        "aickin.easy.first": 5 * easy[0],
        "aickin.easy.second": 5 * easy[1],
        "aickin.kappa_bias": max(bias),
        "two.kappa_hard_share": 100 * (1 - kappa["two.kappa"]),
        "two.kappa_easy_share": 100 * kappa["two.kappa"],
        "two.kappa_n_easy": easy_of_two,
        "two.kappa_rate": rate_of_two,
        "two.kappa_rate_lower": rate_of_two - two["rate_percent"],
        "five.kappa_n_easy": easy_of_five,
        "five.kappa_rate": rate_of_five,
        "five.kappa_rate_lower": rate_of_five - five["rate_percent"],
    }


def split_ratio(printed: Printed) -> float:
    """Return footnote 6's ratio of 3-2 splits to 4-1 splits, by its binomial coefficients."""
    numbers = printed.numbers
    three_two, four_one = (
        float(scipy.special.comb(numbers["binomial_n"], numbers[f"binomial_{name}"]))
        for name in ("3_2", "4_1")
    )
    return three_two / four_one if four_one else np.nan


def aickin_easy(hard: Iterable[float]) -> np.ndarray:
    """Return the categories of easy items in Aickin's model: those of hard ones, squared."""
    square = np.asarray(list(hard)) ** 2
    return square / square.sum()


def kappa_table(easy_share: float = 0.8) -> pd.DataFrame:
    """Compute expected kappa and noise for one share of easy items and many distributions."""
    rows = []
    for prevalence, guess in product((0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99), repeat=2):
        for turned in (False, True):
            found = easy_hard.expected_kappa(easy_share, prevalence, 1 - guess if turned else guess)
            rows.append(
                {"easy_share": easy_share, "prevalence": prevalence,
                 "guess": 1 - guess if turned else guess, "kappa": found.kappa,
                 "noise_percent": 100 * found.noise}
            )  # fmt: skip
    return pd.DataFrame(rows).drop_duplicates(["prevalence", "guess"], ignore_index=True)


# ------------------------------------------------------------------------- section 4.1: tests


def ways_of_differences() -> dict[str, tuple[Any, float, bool]]:
    """Return how a difference is bounded: method, share of differing answers, if averaged."""
    return {
        "Chebyshev": ("chebyshev", 0.5, False),
        "normal": ("normal", 0.5, False),
        "exact": ("exact", 0.5, False),
        "exact, all answers differ": ("exact", 1.0, False),
        "exact, averaged over Equation 1": ("exact", 0.5, True),
        "exact, averaged, all differ": ("exact", 1.0, True),
        "Chebyshev, all answers differ": ("chebyshev", 1.0, False),
    }


def difference_values(printed: Printed, table: pd.DataFrame) -> list[Computed]:
    """Compute the chance difference of two classifiers as section 4.1 does."""
    right = printed.coin  # of a guessed label, for either classifier
    p_step, p_tie = right * (1 - right), right**2 + (1 - right) ** 2
    mean = p_step * 1 + p_step * -1
    variance = 2 * p_step - mean**2
    two = table.set_index("case").loc["two"]
    r, size = int(two["bound"]), int(two["n_agreed"])

    def by_chebyshev(times: int) -> easy_hard.ChanceDifference:
        return easy_hard.chance_difference(
            times * r, times * size, level=printed.level, differ=2 * p_step, method="chebyshev"
        )

    found, larger = by_chebyshev(1), by_chebyshev(4)
    slope = np.log(larger.standard_deviation / found.standard_deviation) / np.log(4)
    norm = scipy.stats.norm
    promised = {
        "chebyshev": propagate(
            lambda x: 100 * (1 - x[0] ** -2), [printed.texts["chebyshev_multiple"]]
        ),
        "normal": propagate(
            lambda x: 100 * (2 * float(norm.cdf(x[0])) - 1), [printed.texts["normal_multiple"]]
        ),
    }
    values = {
        "difference.p_step": 4 * p_step,
        "difference.p_tie": 2 * p_tie,
        "difference.mean": mean,
        "difference.variance_divisor": 1 / variance,
        "chebyshev.multiple": 1 / np.sqrt(1 - printed.level),
        "normal.multiple": norm.isf((1 - printed.level) / 2),
        "test.difference": found.n_items,
        "test.difference_rate": 100 * found.rate,
        "test.scale_exponent": slope,
        "test.rate_exponent": slope - 1,
    }
    return [
        *plain_rows(values, "closed_form"),
        *(
            Computed(f"{name}.level", level.value, rounding_lower=level.lower,
                     rounding_upper=level.upper, provenance="closed_form")
            for name, level in promised.items()
        ),
    ]  # fmt: skip


def differences_table(printed: Printed) -> pd.DataFrame:
    """Bound the chance difference in every project by each method."""
    rows = []
    for case in all_cases(printed).itertuples():
        found = easy_hard.hard_given_agreed(case.n_items, case.n_disagreed, case.chance)
        bound = found.upper(printed.level)
        for name, (method, differ, averaged) in ways_of_differences().items():
            hard = found if averaged else bound
            limit = easy_hard.chance_difference(
                hard, found.n_kept, level=printed.level, differ=differ, method=method
            )
            rows.append(
                {"case": case.Index, "n_kept": found.n_kept, "n_hard": bound, "method": name,
                 "items": limit.n_items, "percent": 100 * limit.rate, "tail": limit.tail}
            )  # fmt: skip
    return pd.DataFrame(rows)


def wsj_table(printed: Printed) -> pd.DataFrame:
    """Find how much noise would explain the spread of the eight taggers of footnote 10."""
    size = int(printed.numbers["wsj_n_items"])
    spread = (printed.numbers["wsj_highest"] - printed.numbers["wsj_lowest"]) / 100
    wanted = round(spread * size)
    rows = []
    for name, (method, differ, averaged) in ways_of_differences().items():
        if averaged:
            continue
        low, high = 0, size  # `high` guesses explain the spread, `low` do not
        while high - low > 1:
            middle = (low + high) // 2
            found = easy_hard.chance_difference(
                middle, size, level=printed.level, differ=differ, method=method
            )
            low, high = (low, middle) if found.n_items >= wanted else (middle, high)
        rows.append(
            {"method": name, "n_items": size, "difference": wanted, "n_hard": high,
             "noise_percent": 100 * high / size}
        )  # fmt: skip
    return pd.DataFrame(rows)


# ----------------------------------------------------------------- section 5.3: more annotators


def annotators_table(printed: Printed) -> pd.DataFrame:
    """Let 2 to 9 annotators label the project of section 5.3, kept by unanimity or majority."""
    n = int(printed.scenarios.loc["adding", "n_items"])
    n_hard = n - int(printed.numbers["n_easy"])
    rows = []
    for j in range(2, 10):
        chance = easy_hard.agreement_chance(FAIR, j)
        alike = int((n_hard + 1) * chance)
        for kept in sorted({j, j - 1, j // 2 + 1}, reverse=True):
            if not j / 2 < kept <= j:
                continue
            survives = easy_hard.agreement_chance(FAIR, j, kept=kept)
            split = int((n_hard - alike) * (survives - chance) / (1 - chance) + 0.5)
            found = easy_hard.hard_given_agreed(n, n_hard - alike, chance, n_split_kept=split)
            differ = easy_hard.chance_difference(found, level=printed.level)
            rows.append(
                {
                    "n_annotators": j, "kept_if": kept, "rule": rule_name(j, kept),
                    "n_kept": found.n_kept, "n_disagreed": n_hard - alike, "n_split_kept": split,
                    "expected_guesses": n_hard * survives,
                    "expected_percent": 100 * n_hard * survives / (n - n_hard * (1 - survives)),
                    "bound": found.upper(printed.level),
                    "rate_percent": 100 * found.rate(printed.level),
                    "difference": differ.n_items, "difference_percent": 100 * differ.rate,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def rule_name(n_annotators: int, kept: int) -> str:
    """Say in words how many must agree."""
    if kept == n_annotators:
        return "all"
    return "majority" if kept == n_annotators // 2 + 1 else "all but one"


# ---------------------------------------------------------------- footnote 3 and the coverage


def guess_counts(printed: Printed) -> pd.DataFrame:
    """List counts of one category among the disagreed items whose chance prints as the paper's."""
    n, d = (int(printed.scenarios.loc["pv", name]) for name in ("n_items", "n_disagreed"))
    rows = []
    for count in range(d // 2 + 1):
        found = easy_hard.guess_rate_from_disagreement([count / d, 1 - count / d])
        if agrees(printed.scenarios.loc["pv", "printed_chance"], "eq", found.chance):
            for name, chance in (("footnote 3", found.chance), ("least", found.min_chance)):
                bound = easy_hard.noise_bound(n, d, chance, level=printed.level)
                rows.append(
                    {"count": count, "share": count / d, "estimate": name, "chance": chance,
                     "bound": bound.n_hard, "rate_percent": 100 * bound.rate}
                )  # fmt: skip
    columns = ["count", "share", "estimate", "chance", "bound", "rate_percent"]
    return pd.DataFrame(rows, columns=columns)


def footnote3_table(printed: Printed) -> pd.DataFrame:
    """Follow footnote 3 from true guesses to the noise that it leads to believe in."""
    n = int(printed.scenarios.loc["two", "n_items"])
    n_hard = n - int(printed.numbers["n_easy"])
    shared = [(f"{j} annotators, one coin", [q] * j)
              for j in (2, 3, 5) for q in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)]  # fmt: skip
    opposed = [("2 annotators, opposed coins", [q, 1 - q]) for q in (0.6, 0.7, 0.8, 0.9)]
    rows = []
    for name, guesses in (*shared, *opposed):
        coins = np.column_stack([guesses, 1 - np.array(guesses)])
        chance = easy_hard.agreement_chance(coins)
        shares = easy_hard.disagreed_shares(coins)
        estimate = easy_hard.guess_rate_from_disagreement(shares)
        d = round(n_hard * (1 - chance))
        bound = easy_hard.noise_bound(n, d, estimate.chance, level=printed.level)
        fitted = easy_hard.fit_guesses(shares).chance if len(guesses) > 2 else np.nan
        rows.append(
            {
                "guesses": name, "q": guesses[0], "share": shares[0, 0], "true_chance": chance,
                "footnote3": estimate.chance, "least_chance": estimate.min_chance,
                "fitted": fitted, "n_disagreed": d, "true_guesses": n_hard - d,
                "true_percent": 100 * (n_hard - d) / (n - d), "bound": bound.n_hard,
                "bound_percent": 100 * bound.rate,
                "coverage": easy_hard.bound_coverage(n, n_hard, chance, assumed=estimate.chance,
                                                     level=printed.level),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def coverage_table(level: float, n_items: int) -> pd.DataFrame:
    """Compute the coverage of the bound at every number of hard items of a small project."""
    rows = []
    for j in (2, 5):
        chance = easy_hard.agreement_chance(FAIR, j)
        rows += [
            {"n_annotators": j, "chance": chance, "n_items": n_items, "n_hard": h,
             "coverage": easy_hard.bound_coverage(n_items, h, chance, level=level)}
            for h in range(n_items + 1)
        ]  # fmt: skip
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------ computed.csv


def kappa_rows(splits: pd.DataFrame, level: float) -> list[Computed]:
    """Return kappas with the intervals that labels of this kind would have."""
    return [
        Computed(row.target, row.kappa, lower=row.lower, upper=row.upper, level=level,
                 provenance="closed_form")
        for row in splits.itertuples()
    ]  # fmt: skip


def beside(
    splits: pd.DataFrame,
    differences: pd.DataFrame,
    table: pd.DataFrame,
    counts: pd.DataFrame,
    printed: Printed,
) -> list[Computed]:
    """Return better methods, and readings that yield printed values, beside the paper's."""
    rows = plain_rows(
        {
            "five.kappa_3_2": splits.set_index("target").loc[
                "five.kappa_3_2", "without_minority_pairs"
            ]
        },
        "closed_form",
        "pairs of the minority not counted",
    )
    two = differences[differences["case"] == "two"].set_index("method")
    for method in two.index.drop("Chebyshev"):
        found = {"test.difference": two.loc[method, "items"],
                 "test.difference_rate": two.loc[method, "percent"]}  # fmt: skip
        rows += plain_rows(found, "closed_form", method)
    by_case = table.set_index("case")
    below = {f"{case}.rate": 100 * (row["bound"] - 1) / row["n_agreed"]
             for case, row in by_case.loc[["two", "adding"]].iterrows()}  # fmt: skip
    normal = by_case["normal_percent"].drop("reverse").add_suffix(".rate").to_dict()
    adding = by_case.loc["adding"]
    found = easy_hard.noise_bound(
        adding["n_items"], adding["n_disagreed"], adding["chance"], level=(1 + printed.level) / 2
    )
    least = counts[counts["estimate"] == "least"]["rate_percent"].max()
    removed = 100 * (1 - adding["bound"] / by_case.loc["two", "bound"])
    return [
        *rows,
        *plain_rows(below, "closed_form", "one guess fewer than the bound"),
        *plain_rows(normal, "closed_form", "normal approximation, bound not rounded up"),
        *plain_rows({"adding.rate": 100 * found.rate}, "closed_form", "equal tails, 2.5% above"),
        *plain_rows({"pv.rate": least}, "closed_form", "least chance that the shares allow"),
        *plain_rows({"adding.removed": removed}, "closed_form", "bounds instead of expectations"),
    ]


# ---------------------------------------------------------------------------------- surfaces

DISAGREED, CHANCE, ITEMS = "disagreed items d, percent", "chance agreement p", "items n"
TICKS = {
    DISAGREED: (1, 2, 5, 10, 20, 40),
    CHANCE: (0.05, 0.1, 0.2, 0.5),
    ITEMS: (100, 1_000, 10_000),
}
Point = tuple[str, float, float]


@dataclass(frozen=True)
class Surface:
    """A quantity over two others, with the projects that lie on it."""

    title: str
    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    xlabel: str
    ylabel: str
    points: Sequence[Point]


def slices(
    quantity: Callable[[int, int, float], float], table: pd.DataFrame, size: int
) -> list[Surface]:
    """Evaluate a quantity of n, d and p over d and p, over d and n, and over p and n."""
    n, tenth = 1_000, 10
    share, chance = np.geomspace(1, 40, size), np.geomspace(0.03, 0.7, size)
    # Below 500 items contours of whole numbers are stairs.
    items = np.geomspace(500, 50_000, size).round()

    def over(x: np.ndarray, y: np.ndarray, where: Callable[[Any, Any], Any]) -> np.ndarray:
        return np.array([[at(*where(u, v)) for u in x] for v in y])

    def at(n_items: float, percent: float, p: float) -> float:
        return quantity(int(n_items), round(percent * n_items / 100), p)

    rows = [(r.case, 100 * r.n_disagreed / r.n_items, r.chance, r.n_items)
            for r in table.itertuples()]  # fmt: skip
    fair = [row for row in rows if row[2] == FAIR]
    return [
        Surface("n = 1,000 items", share, chance, over(share, chance, lambda u, v: (n, u, v)),
                DISAGREED, CHANCE, [(case, d, p) for case, d, p, _ in rows]),
        Surface("p = 1/2", share, items, over(share, items, lambda u, v: (v, u, FAIR)),
                DISAGREED, ITEMS, [(case, d, n) for case, d, _, n in fair]),
        Surface("d = 10% of the items", chance, items,
                over(chance, items, lambda u, v: (v, tenth, u)),
                CHANCE, ITEMS, [(case, p, n) for case, d, p, n in rows if d == tenth]),
    ]  # fmt: skip


def quantities(level: float) -> dict[str, tuple[Callable[[int, int, float], float], list, str]]:
    """Return what the surfaces show, with the levels of the contours and their format."""

    def bound(n: int, d: int, p: float) -> float:
        return easy_hard.noise_bound(n, d, p, level=level).n_hard

    def rate(n: int, d: int, p: float) -> float:
        return 100 * easy_hard.noise_bound(n, d, p, level=level).rate

    def difference(n: int, d: int, p: float) -> float:
        found = easy_hard.hard_given_agreed(n, d, p)
        return 100 * easy_hard.chance_difference(found, level=level).rate

    return {
        "surface_bound": (bound, [10, 30, 100, 300, 1_000, 3_000], "%g"),
        "surface_noise": (rate, [1, 2, 5, 10, 20, 40, 80], "%g%%"),
        "surface_difference": (difference, [0.2, 0.5, 1, 2, 3, 5], "%g%%"),
    }


# ------------------------------------------------------------------------------------ figures


def mark(axes: Any, case: str, x: float, y: float, *, at: tuple[float, float] = (0, 0)) -> None:
    """Put the letter of a project at its place."""
    circle = {"boxstyle": "circle,pad=0.18", "facecolor": plotting.VERMILION, "edgecolor": "white"}
    axes.annotate(MARKS[case], (x, y), at, textcoords="offset points", ha="center", va="center",
                  fontsize=7.5, fontweight="bold", color="white", bbox=circle, zorder=5,
                  annotation_clip=False)  # fmt: skip


def draw_surface(axes: Any, surface: Surface, levels: list[float], form: str) -> None:
    """Draw one surface as labelled contours, and the projects that lie on it."""
    sides = (("x", surface.xlabel, surface.x), ("y", surface.ylabel, surface.y))
    for axis, name, values in sides:
        if name in TICKS and values.min() > 0:
            plotting.logarithmic(axes, axis, ticks=TICKS[name])
    plotting.surface(axes, surface.x, surface.y, surface.z, levels=levels, label=form)
    for case, x, y in surface.points:
        mark(axes, case, x, y)
    axes.set(xlabel=surface.xlabel, ylabel=surface.ylabel, title=surface.title)


def figure_surfaces(surfaces: list[Surface], levels: list[float], form: str, stem: Path) -> None:
    """Draw a quantity over d and p, d and n, p and n, with the paper's projects on it."""
    with plotting.house_figure(len(surfaces), height=3.6) as (figure, panels):
        for axes, surface in zip(panels, surfaces, strict=True):
            draw_surface(axes, surface, levels, form)
        plotting.save_figure(figure, stem)


def figure_posterior(table: pd.DataFrame, stem: Path) -> None:
    """Draw the distribution of the share of guesses in each project, with its bound."""
    with plotting.house_figure(1, height=4.4) as (figure, (axes,)):
        figure.set_size_inches(7.4, 4.4)
        names = []
        for place, row in enumerate(table.iloc[::-1].itertuples()):
            names.append(f"{MARKS[row.case]}   n = {row.n_items:,}, d = {row.n_disagreed}, "
                         f"p = {row.chance:g}")  # fmt: skip
            found = easy_hard.hard_given_agreed(row.n_items, row.n_disagreed, row.chance)
            x = 100 * found.support / found.n_kept
            y = place + 0.82 * found.pmf / found.pmf.max()
            shown = found.pmf > 1e-4 * found.pmf.max()
            for part, colour in (
                (shown, "#A6C8DD"),
                (shown & (found.support > row.bound), plotting.VERMILION),
            ):
                axes.fill_between(x[part], place, y[part], color=colour, linewidth=0)
            axes.plot(x[shown], y[shown], color=plotting.INK, linewidth=0.9)
            axes.vlines(row.rate_percent, place, place + 0.6, color=plotting.VERMILION)
            axes.annotate(f"{row.bound} of {row.n_agreed}: {row.rate_percent:.2f}%",
                          (row.rate_percent, place + 0.6), (4, 2), textcoords="offset points",
                          color=plotting.VERMILION)  # fmt: skip
        axes.set(yticks=np.arange(len(table)) + 0.3, xlabel="hard items among the agreed, percent",
                 xlim=(0, 20), ylim=(-0.1, len(table)), xticks=range(0, 21, 5))  # fmt: skip
        axes.set_yticklabels(names)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        plotting.save_figure(figure, stem)


def figure_tolerance(
    table: pd.DataFrame, case: pd.Series, printed: Printed, size: int, stem: Path
) -> None:
    """Draw the tolerated share of disagreements over items, and over p and items."""
    chance, items = np.geomspace(0.03, 0.7, size), np.geomspace(100, 20_000, size).round()
    share = [
        [100 * easy_hard.largest_disagreement(int(n), p, rate=printed.tolerated,
                                              level=printed.level) / n for p in chance]
        for n in items
    ]  # fmt: skip
    place = ("reverse", case["n_items"], 100 * case["n_disagreed"] / case["n_items"])
    with plotting.house_figure(2, height=3.8) as (figure, panels):
        axes = panels[0]
        plotting.logarithmic(axes, "x", ticks=(100, 1_000, 10_000, 100_000))
        for j, part in table.groupby("n_annotators"):
            axes.plot(part["n_items"], 100 * part["share"], color=COLOURS[j], linestyle=LINES[j],
                      label=f"{j} annotators")  # fmt: skip
            axes.hlines(100 * part["limit"].iloc[0], 50_000, 100_000, color=COLOURS[j],
                        linewidth=3, alpha=0.4)  # fmt: skip
        mark(axes, *place)
        axes.set(xlabel=ITEMS, ylabel=DISAGREED, title="Fair coins", ylim=(0, 60))
        axes.legend(loc="upper left", ncols=2)
        surface = Surface("Largest d, percent of the items", chance, items, np.array(share), CHANCE,
                          ITEMS, [("reverse", case["chance"], case["n_items"])])  # fmt: skip
        draw_surface(panels[1], surface, [1, 2, 4, 8, 16, 32], "%g%%")
        plotting.save_figure(figure, stem)


def figure_surface_kappa(table: pd.DataFrame, splits: pd.DataFrame, stem: Path) -> None:
    """Draw kappa over its causes, and the noise it suggests over kappa and p."""
    by_case, kappa = table.set_index("case"), splits.set_index("target")["kappa"]
    size = 41
    d, expected = np.linspace(0, 40, size), np.linspace(0.5, 0.9, size)
    four_one = np.linspace(0, 100, size)
    unequal = 0.6 - 0.2 * four_one / 100  # of ten pairs 6 differ in a 3-2 split, 4 in a 4-1 split
    kappas, chances = np.linspace(0.4, 0.99, size), np.geomspace(0.03, 0.7, size)
    of_two = 1 - d / 100 / (1 - expected[:, None])
    of_five = 1 - 2 * d[:, None] / 100 * unequal
    hidden = (1 - kappas) * chances[:, None]
    share = 100 * by_case["n_disagreed"] / by_case["n_items"]
    of_case = {"two": "two.kappa", "reverse": "reverse.kappa", "five": "five.kappa_most_likely"}
    surfaces = (
        (Surface("Fleiss' kappa, two annotators", d, expected, of_two,
                 DISAGREED, "expected agreement",
                 [(case, share[case], 0.5) for case in ("two", "reverse")]),
         [0.0, 0.2, 0.4, 0.6, 0.8, 0.93], "%g"),
        (Surface("Fleiss' kappa, five annotators", four_one, d, of_five,
                 "disagreed items split 4-1, percent", DISAGREED,
                 [("five", x, share["five"]) for x in (0, 100 / 3, 100)]),
         [0.5, 0.6, 0.7, 0.8, 0.9], "%g"),
        (Surface("Noise that kappa suggests", kappas, chances, 100 * hidden / (kappas + hidden),
                 "Fleiss' kappa", CHANCE, [(case, kappa[target], by_case.loc[case, "chance"])
                                   for case, target in of_case.items()]),
         [0.5, 1, 2, 5, 10, 20, 40], "%g%%"),
    )  # fmt: skip
    with plotting.house_figure(3, height=3.6) as (figure, panels):
        for axes, (surface, levels, form) in zip(panels, surfaces, strict=True):
            draw_surface(axes, surface, levels, form)
        plotting.save_figure(figure, stem)


def figure_splits(splits: pd.DataFrame, five: pd.Series, stem: Path) -> None:
    """Draw kappa of five annotators by the share of 4-1 splits, rightly and wrongly counted."""
    d, agreed = int(five["n_disagreed"]), int(five["n_items"] - five["n_disagreed"])
    table = splits.set_index("target")
    ends = table.loc[["five.kappa_3_2", "five.kappa_4_1"]]
    rows = table.loc[["five.kappa_3_2", "five.kappa_most_likely", "five.kappa_4_1"]]
    with plotting.house_figure(1, height=3.7) as (figure, (axes,)):
        figure.set_size_inches(6.2, 3.7)
        axes.plot([0, 100], ends["kappa"], color=plotting.BLUE, label="all agreeing pairs")
        axes.plot([0, 100], ends["without_minority_pairs"], color=plotting.VERMILION,
                  linestyle="--", label="pairs of the minority left out")  # fmt: skip
        axes.plot(0, without_minority(5, agreed, {3: d}), "s", color=plotting.VERMILION)
        axes.annotate(f"{ends['without_minority_pairs'].iloc[0]:.3f}",
                      (0, ends["without_minority_pairs"].iloc[0]), (7, -11),
                      textcoords="offset points", color=plotting.VERMILION)  # fmt: skip
        for x, row in zip((0, 100 / 3, 100), rows.itertuples(), strict=True):
            axes.vlines(x, row.lower, row.upper, color=plotting.BLUE, linewidth=1)
            axes.plot(x, row.kappa, "o", color=plotting.BLUE, markersize=5)
            axes.annotate(f"{row.kappa:.3f}", (x, row.kappa), (-6, 6), ha="right",
                          textcoords="offset points", color=plotting.BLUE)  # fmt: skip
        axes.set(xlabel=f"of the {d} disagreed items, percent split 4-1 (the others 3-2)",
                 ylabel="Fleiss' kappa", ylim=(0.45, 0.8), xlim=(-12, 103))  # fmt: skip
        axes.legend(loc="lower right")
        plotting.save_figure(figure, stem)


def figure_kappa(
    table: pd.DataFrame, splits: pd.DataFrame, mixtures: pd.DataFrame, level: float, stem: Path
) -> None:
    """Draw the bounds that go with a kappa, and the kappas that go with a share of easy items."""
    kappas = np.linspace(0.3, 0.995, 60)
    with plotting.house_figure(2, height=4.0) as (figure, panels):
        axes = panels[0]
        for j, n in ((2, 100), (2, 1_000), (2, 100_000), (3, 1_000), (5, 1_000)):
            chance = easy_hard.agreement_chance(FAIR, j)
            d = np.round((1 - kappas) * (1 - chance) * n).astype(int)
            bounds = [100 * easy_hard.noise_bound(n, x, chance, level=level).rate for x in d]
            axes.plot(kappas, bounds, color=COLOURS[j], label=f"{j} annotators, {n:,} items",
                      linestyle={100: ":", 1_000: "-", 100_000: "--"}[n])  # fmt: skip
        rates, kappa = table.set_index("case")["rate_percent"], splits.set_index("target")["kappa"]
        for case in ("two", "reverse"):
            mark(axes, case, kappa[f"{case}.kappa"], rates[case])
        mark(axes, "five", kappa["five.kappa_most_likely"], rates["five"])
        axes.axvline(0.67, color=plotting.GREY, linewidth=0.9, zorder=0)
        axes.set(xlabel="Fleiss' kappa", ylabel="noise rate of the agreed items, percent",
                 ylim=(0, 75), xlim=(0.3, 1), title="One distribution of categories")  # fmt: skip
        axes.legend(loc="upper right")
        axes = panels[1]
        size = 12 + 118 * (mixtures["prevalence"] - 0.5)
        ring = {"facecolor": "none", "edgecolor": plotting.BLUE, "linewidth": 0.9}
        axes.scatter(mixtures["kappa"], mixtures["noise_percent"], s=size, **ring)
        alike = mixtures[np.isclose(mixtures["prevalence"], mixtures["guess"])]
        axes.scatter(alike["kappa"], alike["noise_percent"], s=22, color=plotting.VERMILION,
                     zorder=3, label="easy and hard items alike")  # fmt: skip
        axes.scatter([], [], s=12, label="easy items evenly divided", **ring)
        axes.scatter([], [], s=70, label="99% of easy items in one category", **ring)
        axes.set(xlabel="expected Fleiss' kappa", ylabel="guesses among the agreed items, percent",
                 title="80% of the items easy, two annotators", ylim=(10, 23))  # fmt: skip
        axes.legend(loc="upper left")
        plotting.save_figure(figure, stem)


def figure_difference(differences: pd.DataFrame, printed: Printed, stem: Path) -> None:
    """Draw the chance difference by the number of guesses, and by the size of the set."""
    styles = {"Chebyshev": (plotting.VERMILION, "-"), "exact": (plotting.BLUE, "-"),
              "normal": (plotting.INK, ":"),
              "exact, all answers differ": (plotting.GREEN, "-.")}  # fmt: skip
    row = differences.set_index(["case", "method"]).loc[("two", "Chebyshev")]

    def limit(n_hard: int, n_kept: int, name: str) -> easy_hard.ChanceDifference:
        method, differ, _ = ways_of_differences()[name]
        return easy_hard.chance_difference(n_hard, n_kept, level=printed.level, differ=differ,
                                           method=method)  # fmt: skip

    with plotting.house_figure(2, height=3.8) as (figure, panels):
        axes, counts = panels[0], range(2, 401, 2)  # in steps of two no parity shows
        for name, (colour, line) in styles.items():
            axes.plot(counts, [limit(r, 900, name).n_items for r in counts], color=colour,
                      linestyle=line, label=name)  # fmt: skip
        mark(axes, "two", row["n_hard"], row["items"])
        axes.set(xlabel="hard items R in the gold standard", xlim=(0, 400), ylim=(0, 70),
                 ylabel="correct answers that chance explains",
                 title="By number of guesses")  # fmt: skip
        axes.legend(loc="upper left")
        axes, sizes = panels[1], np.geomspace(100, 200_000, 60).round().astype(int)
        plotting.logarithmic(axes, "x", ticks=(100, 1_000, 10_000, 100_000))
        plotting.logarithmic(axes, "y", ticks=(0.1, 0.3, 1, 3, 10))
        for rate, line in ((0.01, ":"), (0.05, "--"), (row["n_hard"] / row["n_kept"], "-")):
            for name in ("Chebyshev", "exact"):
                found = [100 * limit(max(1, round(rate * n)), int(n), name).rate for n in sizes]
                axes.plot(sizes, found, color=styles[name][0], linestyle=line,
                          label=f"{100 * rate:.3g}% noise" * (name == "exact"))  # fmt: skip
        mark(axes, "two", row["n_kept"], row["percent"])
        spread = printed.numbers["wsj_highest"] - printed.numbers["wsj_lowest"]
        axes.plot(printed.numbers["wsj_n_items"], spread, "D", color=plotting.INK, markersize=5)
        axes.annotate("eight taggers", (printed.numbers["wsj_n_items"], spread), (22, 38),
                      textcoords="offset points", ha="right",
                      arrowprops={"arrowstyle": "-", "linewidth": 0.7, "shrinkB": 4})  # fmt: skip
        axes.set(xlabel="items in the gold standard L", ylabel="percentage points",
                 title="By size, at a constant noise rate")  # fmt: skip
        axes.legend(loc="lower left")
        plotting.save_figure(figure, stem)


def figure_annotators(table: pd.DataFrame, stem: Path) -> None:
    """Draw what more annotators buy, by the rule of keeping an item."""
    styles = {"all": ("o", plotting.BLUE, "-"), "all but one": ("s", plotting.GREEN, "--"),
              "majority": ("^", plotting.VERMILION, ":")}  # fmt: skip
    odd = table["n_annotators"] % 2 == 1  # the majority of an even number may be a draw
    with plotting.house_figure(2, height=3.8) as (figure, panels):
        for rule, (marker, colour, line) in styles.items():
            part = table[(table["rule"] == rule) & (odd | (rule != "majority"))]
            for axes, column in zip(panels, ("rate_percent", "n_kept"), strict=True):
                axes.plot(part["n_annotators"], part[column], marker, linestyle=line, color=colour,
                          markersize=5, label=rule)  # fmt: skip
        alike = table[table["rule"] == "all"].set_index("n_annotators")
        panels[0].plot(alike.index, alike["expected_percent"], color=plotting.BLUE, linewidth=0.8,
                       linestyle="-.", label="all, expected")  # fmt: skip
        for case, j in (("two", 2), ("adding", 3)):
            mark(panels[0], case, j, alike.loc[j, "rate_percent"], at=(11, 6))
        panels[0].set(xlabel="annotators", ylabel="noise rate, percent", ylim=(0, 25),
                      title="Guesses in the gold standard")  # fmt: skip
        panels[1].axhline(800, color=plotting.GREY, linewidth=0.9, zorder=0)
        panels[1].annotate("easy items", (9, 800), (0, -11), textcoords="offset points", ha="right")
        panels[1].set(xlabel="annotators", ylabel="items kept of 1,000", ylim=(770, 1_010),
                      title="Its size")  # fmt: skip
        panels[1].yaxis.set_major_formatter("{x:,.0f}")
        panels[0].legend(loc="center right", bbox_to_anchor=(1, 0.62), title="must agree")
        plotting.save_figure(figure, stem)


def figure_footnote3(
    table: pd.DataFrame, counts: pd.DataFrame, printed: Printed, stem: Path
) -> None:
    """Draw the chance of agreement against footnote 3's estimate, and what follows from it."""
    q = np.linspace(0.02, 0.98, 61)
    true = q * q[:, None] + (1 - q) * (1 - q[:, None])
    first_alone = q * (1 - q[:, None])
    share = first_alone / (first_alone + first_alone.T)
    surface = Surface("True p less its estimate", q, q, true - 2 * share * (1 - share),
                      "first annotator's guess", "second annotator's guess", [])  # fmt: skip
    with plotting.house_figure(3, height=3.7) as (figure, panels):
        draw_surface(panels[0], surface, [0.02, 0.05, 0.1, 0.2, 0.3, 0.4], "%g")
        panels[0].plot(0.5, 0.5, "D", color=plotting.VERMILION, markersize=6)
        panels[0].annotate("0", (0.5, 0.5), (8, 0), textcoords="offset points", va="center",
                           color=plotting.VERMILION, fontweight="bold")  # fmt: skip
        axes, part = panels[1], table[table["guesses"] == "2 annotators, one coin"]
        axes.plot(part["q"], part["true_percent"], "o-", color=plotting.INK, markersize=4,
                  label="guesses there are")  # fmt: skip
        axes.plot(part["q"], part["bound_percent"], "s--", color=plotting.VERMILION, markersize=4,
                  label="bound by footnote 3")  # fmt: skip
        axes.set(xlabel="both annotators' guess", ylabel="of the agreed items, percent",
                 title="200 hard items of 1,000", ylim=(0, 20))  # fmt: skip
        axes.legend(loc="lower left")
        axes, pv = panels[2], printed.scenarios.loc["pv"]
        chance = np.linspace(0.3, 0.9, 121)
        n, d = int(pv["n_items"]), int(pv["n_disagreed"])
        rates = [100 * easy_hard.noise_bound(n, d, p, level=printed.level).rate for p in chance]
        axes.plot(chance, rates, color=plotting.BLUE)
        least = counts[counts["estimate"] == "least"]["chance"].min()
        axes.axvspan(least, 0.9, color="#EAF2F8", zorder=0)
        axes.annotate(f"p that the {d} disagreements allow", (least, 4), (4, 0),
                      textcoords="offset points", color=plotting.BLUE, fontsize=7.5)  # fmt: skip
        mark(axes, "pv", pv["chance"], np.interp(pv["chance"], chance, rates))
        axes.set(xlabel=CHANCE, ylabel="noise rate, percent", ylim=(0, 100), xlim=(0.3, 0.9),
                 title=f"Poesio and Vieira's {n} items")  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_coverage(table: pd.DataFrame, footnote: pd.DataFrame, level: float, stem: Path) -> None:
    """Draw how often the bound holds, with p known and with footnote 3's p."""
    colours = (plotting.BLUE, plotting.VERMILION, plotting.INK, plotting.GREEN)
    with plotting.house_figure(2, height=3.6) as (figure, panels):
        for j, part in table.groupby("n_annotators"):
            panels[0].plot(part["n_hard"], 100 * part["coverage"], LINES[j][:1], color=COLOURS[j],
                           linewidth=0.8, label=f"{j} annotators")  # fmt: skip
        panels[0].set(xlabel="hard items of 200", ylabel="bound holds, percent", ylim=(85, 100.5),
                      title="p known, fair coins")  # fmt: skip
        for (name, part), marker, colour in zip(footnote.groupby("guesses", sort=False), "osD^",
                                                colours, strict=True):  # fmt: skip
            panels[1].plot(part["q"], 100 * part["coverage"], marker=marker, markersize=4,
                           color=colour, label=name)  # fmt: skip
        panels[1].set(xlabel="guess of the first annotator", ylim=(-3, 103),
                      title="p by footnote 3, 200 hard items")  # fmt: skip
        for axes, place in zip(panels, ("lower left", "upper right"), strict=True):
            axes.axhline(100 * level, color=plotting.GREY, linewidth=0.9, zorder=0)
            axes.legend(loc=place, fontsize=7.5)
        plotting.save_figure(figure, stem)


LETTERS = (
    "A: two annotators, section 3.1. B: Poesio and Vieira. C: what section 3.1 asks in reverse. "
    "D: five annotators, section 3.2. E: three annotators, section 5.3."
)
#: What every figure shows.
CAPTIONS = {
    "posterior": "Equation 1: distribution of the share of hard items among the agreed ones. "
    f"The red tail beyond the bound holds less than 5%. {LETTERS}",
    "surface_bound": "Bound on the number of guesses among the agreed items, 95% confidence, "
    f"over each two of d, p and n. {LETTERS}",
    "surface_noise": f"Noise rate of the agreed items, 95% confidence. {LETTERS}",
    "surface_tolerance": "Largest share of disagreed items that leaves at most 5% noise with "
    f"95% confidence. Thick ends: the limit for ever more items. {LETTERS}",
    "surface_kappa": "Left and middle: Fleiss' kappa of two and of five annotators by what it "
    "is made of. D stands where all 340 disagreed items are split 3-2, as fair coins most "
    f"probably do, and 4-1. Right: expected noise if it is the share of easy items. {LETTERS}",
    "surface_difference": "Difference in correct answers of two classifiers, in percent of the "
    "agreed items, that guesses explain with 95% confidence: exact, averaged over Equation 1. "
    f"{LETTERS}",
    "splits": "Fleiss' kappa of five annotators who agree on 660 of 1,000 items, with 95% "
    "intervals over items. Without the one pair that agrees in the minority of a 3-2 split it "
    "is the printed .52.",
    "kappa": "Left: noise rate (95% confidence) that goes with Fleiss' kappa if it is the share "
    "of easy items; it depends on annotators and items. Grey: the usual threshold .67. Right: "
    f"each circle is a pair of category distributions of easy and hard items. {LETTERS}",
    "difference": "Left: the largest chance difference of two classifiers by four bounds, 95% "
    "confidence (normal and exact coincide). Right: as a share of the gold standard, by "
    "Chebyshev (red) and exactly (blue). Diamond: range of eight taggers on 130,000 words. "
    f"{LETTERS}",
    "annotators": "A project with 200 hard items of 1,000 and fair coins, most probable counts, "
    "95% confidence. Items that a majority keeps although an annotator dissents are hard for "
    f"certain; the majority of an odd number keeps all of them. {LETTERS}",
    "footnote3": "Left: the estimate of p from disagreements is below the truth everywhere but "
    "at two fair coins. Middle: both annotators guess alike, and the estimate is one half. "
    f"Right: noise rate (95%) by p; disagreements allow no p as low as .47. {LETTERS}",
    "coverage": "Exact probability that the 95% bound holds at a fixed number of hard items. "
    "Left: it holds at least as often as it says, but where nearly all items are hard (down to "
    "58% with two annotators, below the frame). Right: "
    "with p estimated by footnote 3 it fails unless coins are fair.",
}


# --------------------------------------------------------------------------------------- main


def draw_all(
    tables: Mapping[str, pd.DataFrame], printed: Printed, stems: Path, effort: str
) -> None:
    """Draw every figure."""
    found, splits, level = tables["cases"], tables["splits"], printed.level
    size = SURFACE_POINTS[effort]
    for name, (quantity, levels, form) in quantities(level).items():
        figure_surfaces(slices(quantity, found, size), levels, form, stems / name)
    projects = all_cases(printed)
    figure_posterior(found, stems / "posterior")
    reverse = projects.loc["reverse"]
    figure_tolerance(
        tables["tolerance"], reverse, printed, 3 * size // 2, stems / "surface_tolerance"
    )
    figure_surface_kappa(found, splits, stems / "surface_kappa")
    figure_splits(splits, projects.loc["five"], stems / "splits")
    figure_kappa(found, splits, tables["kappa"], level, stems / "kappa")
    figure_difference(tables["differences"], printed, stems / "difference")
    figure_annotators(tables["annotators"], stems / "annotators")
    figure_footnote3(tables["footnote3"], tables["guess_counts"], printed, stems / "footnote3")
    figure_coverage(tables["coverage"], tables["footnote3"], level, stems / "coverage")


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    printed = Printed.read(printed_tables)
    found, splits = cases(printed), split_kappas(printed)
    differences, counts = differences_table(printed), guess_counts(printed)
    computed = [
        *plain_rows(bound_values(found, printed), "closed_form"),
        *bound_rows(found, printed),
        *kappa_rows(splits, printed.level),
        *plain_rows(kappa_values(splits, found, printed), "closed_form"),
        *difference_values(printed, found),
        *beside(splits, differences, found, counts, printed),
    ]
    write_computed(computed, folder / "computed.csv")

    tables = {
        "cases": with_exact_tails(found),
        "readings": readings(printed),
        "splits": splits,
        "tolerance": tolerance(printed),
        "kappa": kappa_table(),
        "differences": differences,
        "annotators": annotators_table(printed),
        "guess_counts": counts,
        "footnote3": footnote3_table(printed),
        "coverage": coverage_table(printed.level, COVERAGE_ITEMS[effort]),
        "wsj": wsj_table(printed),
    }
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    draw_all(tables, printed, folder / "figures", effort)
    about = {"provenance": "closed_form", "seed": seed}
    texts = {name: {"caption": text} | about for name, text in CAPTIONS.items()}
    of_tables = {f"tables/{name}": {"provenance": "closed_form"} for name in tables}
    with replacing(folder / "captions.json") as draft:
        draft.write_text(json.dumps(texts | of_tables, indent=1) + "\n")


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={},
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
