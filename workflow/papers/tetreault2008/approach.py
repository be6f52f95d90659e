"""Section 6: the sampling approach (Figure 1, Tables 5 to 7), its intervals, sizes and costs."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import scipy.stats

from annobench.evaluation import sampling
from annobench.evaluation.sampling import METHODS, Population, StratifiedSample
from annobench_replication.rounding import counts_that_round_to

from .judgments import joined

#: The paper's assumption of section 6; the tables do not determine the error rate.
ERROR_RATE = 0.10
HOURS_PER_WEEK = 40


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
    rates = table.set_index("approach").loc["standard", ["precision", "recall"]]
    return Population.from_rates(int(printed["sampling_corpus"]), error_rate=error_rate, **rates)


def sample_sizes(printed: Mapping[str, float]) -> tuple[int, int]:
    """Return how many contexts section 6.2 samples: of the flagged, and of the passed."""
    return int(printed["error_sample"]), int(printed["ok_sample"])


def hours_per_label(printed: Mapping[str, float]) -> float:
    """Return the hours that a label takes, by the slower of the printed rates."""
    return printed["batch_hours_upper"] / printed["batch"]


def application_feasibility(table: pd.DataFrame, printed: Mapping[str, float]) -> pd.DataFrame:
    """List what is consistent with each row of Table 6 in a corpus of 22,000 contexts.

    A share f is flagged, of which P are errors; recall R makes the error rate f P / R. At least
    as many contexts are flagged as were sampled, which bounds the error rate from below; at
    most all passed contexts are misses, which bounds f from above, and with it how close the
    rates of sampling can be.
    """
    n, sample = printed["sampling_corpus"], printed["error_sample"]
    shifts = {
        "as printed": 0.0,
        "rounding, lowest error rate": -0.005,
        "rounding, highest error rate": 0.005,
    }
    readings = pd.DataFrame(shifts.items(), columns=["reading", "shift"])
    found = table.merge(readings, how="cross")
    hits = [joined(counts_that_round_to(p, int(sample), unit=0.01)) for p in found["precision"]]
    p, r = found["precision"] + found["shift"], found["recall"] - found["shift"]
    largest, ratio = 1 / (1 + p * (1 - r) / r), sample / printed["ok_sample"]
    return pd.DataFrame(
        {
            "approach": found["approach"],
            "reading": found["reading"],
            "precision": p,
            "recall": r,
            "hits_of_sample": hits,
            "least_error_percent": 100 * sample / n * p / r,
            "flagged_at_6_percent": 0.06 * n * r / p,
            "flagged_at_10_percent": 0.10 * n * r / p,
            "largest_flagged_percent": 100 * largest,
            "least_ratio_of_sampling_rates": ratio * (1 - largest) / largest,
        }
    )


def simulate_application(
    population: Population, printed: Mapping[str, float], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Apply the sampling approach repeatedly; one row a repetition."""
    flagged, passed = sample_sizes(printed)
    hits, misses = population.draw(flagged, passed, n=n, rng=rng)
    found = hits / flagged * population.flagged
    missed = misses / passed * population.passed
    rates = {"precision": hits / flagged, "recall": found / (found + missed)}
    return pd.DataFrame({"hits": hits, "misses": misses, **rates})


def application_summary(application: pd.DataFrame) -> pd.DataFrame:
    """Describe the repetitions: mean, standard deviation, and the middle 95%."""
    rates = application[["precision", "recall"]].describe(percentiles=[0.025, 0.5, 0.975])
    return rates.T.reset_index(names="summary")


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
    rates = ("hits", "false_positives", "misses", "error_rate", "precision", "recall")
    return pd.DataFrame(
        {"sample": name, "method": method, "rate": rate} | getattr(found, rate)._asdict()
        for name, sample in samples.items()
        for method in METHODS
        for found in [sampling.estimate(sample, method=method)]
        for rate in rates
    )


def recommended(intervals: pd.DataFrame, sample: str) -> pd.DataFrame:
    """Return the rates of one sample by the recommended method."""
    rows = (intervals["sample"] == sample) & (intervals["method"] == sampling.RECOMMENDED)
    return intervals[rows].drop(columns=["sample", "method"])


def coverage_table(
    designs: Mapping[str, tuple[Population, Sequence[tuple[int, int]]]],
) -> pd.DataFrame:
    """Compute exact coverage and expected width of nominal 95% intervals."""
    return pd.DataFrame(
        {"corpus": name, "flagged_sample": flagged, "passed_sample": passed, "method": method}
        | sampling.coverage(population, flagged, passed, method=method)._asdict()
        for name, (population, sizes) in designs.items()
        for flagged, passed in sizes
        for method in METHODS
    )


def simulated_coverage(
    corpus: str, population: Population, sizes: tuple[int, int], n: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Estimate the coverage of nominal 95% intervals from repeated samples."""
    drawn = np.column_stack(population.draw(*sizes, n=n, rng=rng))
    outcomes, times = np.unique(drawn, axis=0, return_counts=True)
    strata = population.flagged, population.passed
    samples = [StratifiedSample(*strata, *sizes, *outcome) for outcome in outcomes]
    rows = []
    for method in METHODS:
        row = {"method": method, "n": n}
        found = [sampling.estimate(sample, method=method) for sample in samples]
        for name in ("precision", "recall"):
            rates, truth = [getattr(each, name) for each in found], getattr(population, name)
            row[name] = times @ [rate.lower <= truth <= rate.upper for rate in rates] / n
        rows.append(row | {"corpus": corpus})
    return pd.DataFrame(rows)


def both_coverages(simulated: Sequence[pd.DataFrame], exact: pd.DataFrame) -> pd.DataFrame:
    """Put simulated coverage beside the exact one of each corpus's largest samples."""
    exact = exact.drop(columns=["precision_width", "recall_width"])
    names = {"on": ["corpus", "method"], "suffixes": ("_simulated", "_exact")}
    return pd.concat(simulated).merge(exact, **names).groupby(names["on"], sort=False).tail(1)


def sizes_table(population: Population, printed: Mapping[str, float]) -> pd.DataFrame:
    """List the smallest samples for half-widths of precision and of recall, and their cost."""
    rows = []
    wanted = itertools.product((None, 0.05, 0.03), (None, 0.05, 0.03, 0.02, 0.01))
    for precision, recall in itertools.islice(wanted, 1, None):  # at least one of the two
        found = sampling.sample_sizes(
            population, precision_half_width=precision, recall_half_width=recall
        )
        random = sampling.random_sample_size(population, recall) if recall else None
        rows.append((precision, recall, *found, found.flagged_sample + found.passed_sample, random))
    columns = ["precision_wanted", "recall_wanted", *sampling.SampleSizes._fields]
    table = pd.DataFrame(rows, columns=[*columns, "labels", "labels_of_a_random_sample"])
    hours = table["labels"] * hours_per_label(printed)
    return table.assign(hours=hours, share_saved=1 - table["labels"] / population.size)


def savings_table(printed: Mapping[str, float]) -> pd.DataFrame:
    """List what the sampling approach saves, by the hours of a batch."""
    sampled = sum(sample_sizes(printed))
    figure1 = int(printed["figure1_ok_sample"] + printed["figure1_error_sample"])
    rows = []
    for corpus, labels, everything in (
        ("Figure 1", figure1, int(printed["figure1_corpus"])),
        ("sampling corpus", sampled, int(printed["sampling_corpus"])),
        ("standard corpus", sampled, int(printed["standard_corpus"])),
    ):
        for hours in (printed["batch_hours_lower"], printed["batch_hours_upper"]):
            per_label = hours / printed["batch"]
            saved = sampling.savings(labels, everything, hours_per_label=per_label)
            weeks = {"exhaustive_weeks": saved.exhaustive_hours / HOURS_PER_WEEK}
            rows.append({"corpus": corpus, "hours_per_batch": hours} | saved._asdict() | weeks)
    return pd.DataFrame(rows)


def methods_table(population: Population, printed: Mapping[str, float]) -> pd.DataFrame:
    """Put numbers to Table 7: labels, hours and half-widths of the three methods."""
    z = float(scipy.stats.norm.ppf(0.975))
    sizes = sample_sizes(printed)
    precision, recall = population.standard_errors(*sizes)
    rows = [
        ("standard", population.size, 0.0, 0.0),
        ("sampling", sum(sizes), z * precision, z * recall),
        ("verification", sizes[0], z * precision, np.nan),
    ]
    columns = ["method", "labels", "precision_half_width", "recall_half_width"]
    table = pd.DataFrame(rows, columns=columns)
    table.insert(2, "hours", table["labels"] * hours_per_label(printed))
    return table
