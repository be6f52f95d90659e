"""Recompute Carpenter (2008) from raw labels.

========================  =====================================================
`simulate_once`           section 3, Figures 2 to 4
`repeat_simulation`       section 3 as a distribution over new data sets
`fit_rte`, `rte_values`   section 4: intervals, errors, pruning
`repeat_rte`              section 4 as runs of the paper's own length print it
`chance_readings`         section 4: the annotators no better than chance
`disagreements`           section 4: where the model and the gold standard differ
`fit_muc`                 section 5, Figures 8 to 10
`kappa_pairs`             section 6
========================  =====================================================

Two things are sampled: posterior summaries, by Markov chains, and whole data sets, in
section 3. The check interval of such a value says what the paper could have printed: it
is the predictive interval, at level 1 - 0.05 / m for m sampled values, of one more run
of the paper's length (three chains of 1,000 sweeps, half of them kept, drawn by the
steps it describes, with the step out of mirror modes added) on the same labels, or of one
more simulated data set.

Where the text leaves something open, the author's scripts decide (repository lingpipe/sandbox,
hierAnno/trunk/R): three chains, the scale from Pareto(1.5) from 1 on, pruning by posterior
medians, an item's probability the mean of its sampled categories, the first 50 annotators in
Figure 9.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats
from rich.progress import track

from annobench import datasets
from annobench.agreement import cohen_kappa
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations
from annobench.models import hierarchical_binary, voting
from annobench.models.bayesian_kappa import kappa_posterior
from annobench.models.diagnostics import convergence_table
from annobench.models.hierarchical_binary import (
    HYPERPARAMETERS,
    HierarchicalBinaryFit,
    PrunedFit,
)
from annobench.replication.compare import CALIBRATION_METHOD, Computed, write_computed
from annobench.reporting import plotting
from annobench.simulation import panels as simulate

#: What the simulators of RTE-1, of MUC-6 and of its gold file are calibrated to. Where they
#: stand in for real labels, these values are no finding.
CALIBRATED = frozenset(
    {
        "rte.n_items",
        "rte.gold_prevalence",
        "rte.n_labels_per_item",
        "rte.n_labels_per_annotator_min",
        "rte.n_labels_per_annotator_max",
        "rte.share_annotators_20_labels",
        "muc.n_tokens",
        "muc.n_person_tokens",
        "muc.n_bold_tokens",
        "muc.n_restricted_tokens",
        "muc.n_annotators",
        "muc.voting.expected_errors",
        "muc.voting.expected_accuracy",
    }
)
#: Simulated data sets, runs of the paper's length, and sweeps of the long runs, by effort.
N_SIMULATIONS = {"full": 200, "quick": 5}
N_REPEATS = {"full": 60, "quick": 5}
N_DRAWS = {"full": 2_500, "quick": 40}
N_WARMUP = {"full": 1_000, "quick": 40}
#: What share of the paper's number of sweeps a repeated run has, by effort.
SHARE_OF_SWEEPS = {"full": 1.0, "quick": 0.04}
#: Sampled percentages: their check intervals are made of log odds, and so stay within 0 and 100.
PERCENTAGES = frozenset({"muc.model.accuracy", "rte.worst_annotator.smaller_estimate"})
#: The parameters that a fit has whatever its items and annotators.
POPULATION = ("prevalence", *HYPERPARAMETERS)


def as_printed(parameter: str) -> str:
    """Return the paper's name of a parameter: what it calls a scale is a concentration."""
    return parameter.replace("_concentration", "_scale")


@dataclass(frozen=True)
class Design:
    """What the paper prints of its design: section 3, the sampler, priors and limits."""

    numbers: Mapping[str, float]

    @property
    def simulation(self) -> dict[str, Any]:
        """Arguments of `panels.binary` for section 3."""
        numbers = self.numbers
        return {
            "n_items": int(numbers["sim_n_items"]),
            "n_annotators": int(numbers["sim_n_annotators"]),
            "prevalence": numbers["sim_prevalence"],
            "sensitivity": (numbers["sim_alpha1"], numbers["sim_beta1"]),
            "specificity": (numbers["sim_alpha0"], numbers["sim_beta0"]),
            "missing": numbers["sim_missing_percent"] / 100,
        }

    @property
    def prior(self) -> dict[str, float]:
        """The prior of the scale as printed."""
        return {"concentration_exponent": self.numbers["pareto_shape"]}

    def paper_run(self, effort: str) -> dict[str, Any]:
        """Arguments of a run of the paper's length, with its steps; three chains as its script."""
        sweeps = round(self.numbers["mcmc_sweeps"] * SHARE_OF_SWEEPS[effort])
        warmup = round(sweeps * self.numbers["mcmc_discarded_percent"] / 100)
        return {
            **self.prior,
            "collapsed": False,
            "chains": 3,
            "warmup": warmup,
            "draws": sweeps - warmup,
            "thin": 1,
            "threads": 1,
        }

    @property
    def readings(self) -> dict[str, tuple[float, str]]:
        """Readings of the prior of the scale s, by the exponent g > 0 of s ** -(g + 1)."""
        shape = self.numbers["pareto_shape"]
        found = {
            "paper": (shape, f"Pareto({shape:g}), as printed"),
            "uniform_inverse_square": (
                pareto_shape(self.numbers["inverse_power"]),
                "uniform on the inverse squared scale, as printed beside it",
            ),
            "uniform_inverse_root": (
                pareto_shape(0.5),
                "uniform on the inverse square root, as in the book it cites",
            ),
        }
        return {method: reading for method, reading in found.items() if reading[0] > 0}


def pareto_shape(power: float) -> float:
    """Return the shape of the Pareto density of s that a uniform s ** -power entails.

    The density of s is that of u = s ** -power, a constant, times |du/ds|, in proportion to
    s ** -(power + 1). The shape is read off its slope in logarithms, g + 1 with its sign changed.
    """
    at = np.array([2.0, 3.0])
    slope = np.diff(np.log(at ** -(power + 1))) / np.diff(np.log(at))
    return float(-slope[0] - 1)


# ---------------------------------------------------------------------------- section 3


def simulate_once(
    design: Design, rng: np.random.Generator, **settings: Any
) -> tuple[simulate.SimulatedBinary, HierarchicalBinaryFit]:
    """Simulate the design of section 3 and fit the model to it."""
    truth = simulate.binary(**design.simulation, rng=rng)
    fitted = hierarchical_binary.fit(truth.annotations, rng=rng, **design.prior, **settings)
    return truth, fitted


def simulation_values(
    design: Design, truth: simulate.SimulatedBinary, fitted: HierarchicalBinaryFit
) -> dict[str, float]:
    """Summarise one simulated data set: printed values, and coverage of 95% intervals."""
    made = design.simulation
    missed = np.abs(truth.category - fitted.posterior[:, 1])
    values = {
        "sim.fig4_sample_prevalence": float(truth.category.mean()),
        "sim.n_large_residuals": float((missed > design.numbers["large_residual"]).sum()),
        "coverage.sensitivity": _covered(fitted.interval("sensitivity"), truth.sensitivity),
        "coverage.specificity": _covered(fitted.interval("specificity"), truth.specificity),
        "coverage.prevalence": _covered(fitted.interval("prevalence"), made["prevalence"]),
    }
    for name in ("sensitivity", "specificity"):
        alpha, beta = made[name]
        mean, scale = fitted.interval(f"{name}_mean"), fitted.interval(f"{name}_concentration")
        values[f"coverage.{name}_mean"] = _covered(mean, alpha / (alpha + beta))
        values[f"coverage.{name}_scale"] = _covered(scale, alpha + beta)
    width = {
        name: float(np.diff(fitted.interval(name), axis=0).mean())
        for name in ("sensitivity", "specificity")
    }
    return values | {f"mean_width.{name}": value for name, value in width.items()}


def repeat_simulation(
    design: Design, rng: np.random.Generator, effort: str, *, threads: int
) -> pd.DataFrame:
    """Repeat section 3 on new data sets; one row each."""
    settings = {
        "chains": 1,
        "warmup": min(200, N_WARMUP[effort]),
        "draws": min(1_000, N_DRAWS[effort]),
        "thin": 1_000,
    }

    def once(generator: np.random.Generator) -> dict[str, float]:
        return simulation_values(design, *simulate_once(design, generator, **settings))

    return _repeat(once, rng, N_SIMULATIONS[effort], threads, "Section 3, new data sets")


def _covered(interval: Any, truth: Any) -> float:
    return float(np.mean((interval[0] <= truth) & (truth <= interval[1])))


# ---------------------------------------------------------------------------- section 4


@dataclass(frozen=True)
class RteFits:
    """The fits of section 4: all annotators, pruned, and without the hierarchy."""

    pruned: PrunedFit
    flat: HierarchicalBinaryFit


def fit_rte(annotations: Annotations, rng: np.random.Generator, **settings: Any) -> RteFits:
    """Fit all annotators, prune by that fit and refit, and fit without the hierarchy."""
    first = hierarchical_binary.fit(annotations, rng=rng, **settings)
    pruned = hierarchical_binary.prune_and_refit(annotations, first, rng=rng, **settings)
    flat = hierarchical_binary.fit(annotations, rng=rng, hierarchical=False, **settings)
    return RteFits(pruned, flat)


def rte_values(
    design: Design, fits: RteFits, annotations: Annotations, gold: np.ndarray
) -> dict[str, float]:
    """Compute every sampled value that section 4 prints."""
    first, second = fits.pruned.first, fits.pruned.second
    values: dict[str, float] = {}
    for prefix, fitted in (("rte", first), ("rte.pruned", second)):
        # Of the prevalence after pruning the paper prints nothing but that it is unchanged.
        for name in POPULATION if prefix == "rte" else HYPERPARAMETERS:
            target = f"{prefix}.{as_printed(name)}"
            values[f"{target}_lower"], values[f"{target}_upper"] = map(float, fitted.interval(name))
        errors = scores.count_errors(fitted.posterior, gold)
        values[f"{prefix}.model.errors"] = errors.expected_errors
        values[f"{prefix}.model.accuracy"] = errors.expected_accuracy
    votes = scores.count_errors(voting.fit(fits.pruned.annotations).posterior, gold)
    values |= {f"rte.pruned.voting.{name}": float(value) for name, value in vars(votes).items()}
    flat = scores.count_errors(fits.flat.posterior, gold).expected_errors
    values["rte.nonhierarchical.errors_fewer"] = values["rte.model.errors"] - flat
    probability = first.posterior[:, 1]
    above, below = design.numbers["uncertain_above"], design.numbers["uncertain_below"]
    uncertain = (probability > above) & (probability < below)
    wrong = (probability > 0.5) != (gold == 1)
    values["rte.n_uncertain_items"] = float(uncertain.sum())
    values["rte.n_certain_items"] = float((~uncertain).sum())
    values["rte.n_certain_wrong"] = float((~uncertain & wrong).sum())
    worst = worst_annotator(annotations, gold)
    values["rte.worst_annotator.smaller_estimate"] = 100 * float(
        min(
            np.median(first.draws.sensitivity[..., worst]),
            np.median(first.draws.specificity[..., worst]),
        )
    )
    values["n_annotators_pruned"] = float((~fits.pruned.keep).sum())
    return values


def with_sampled_categories(
    fitted: HierarchicalBinaryFit, rng: np.random.Generator
) -> HierarchicalBinaryFit:
    """Replace each item's posterior by the mean of its sampled categories.

    That is what the paper's software reports; its noise decides near the limits .01 and .99.
    The long run uses the mean of the categories' probabilities.
    """
    probability = fitted.draws.item_probability
    ones = (rng.random(probability.shape, dtype=np.float32) < probability).mean(axis=(0, 1))
    return replace(fitted, posterior=np.stack([1 - ones, ones], axis=1))


def repeat_rte(
    design: Design,
    annotations: Annotations,
    gold: np.ndarray,
    rng: np.random.Generator,
    effort: str,
    *,
    threads: int,
) -> pd.DataFrame:
    """Run section 4 again and again at the paper's length; one row a run."""
    settings = design.paper_run(effort)

    def once(generator: np.random.Generator) -> dict[str, float]:
        fits = fit_rte(annotations, generator, **settings)
        pruned = replace(
            fits.pruned,
            first=with_sampled_categories(fits.pruned.first, generator),
            second=with_sampled_categories(fits.pruned.second, generator),
        )
        flat = with_sampled_categories(fits.flat, generator)
        return rte_values(design, RteFits(pruned, flat), annotations, gold)

    what = "Section 4, runs of the paper's length"
    return _repeat(once, rng, N_REPEATS[effort], threads, what)


def worst_annotator(annotations: Annotations, gold: np.ndarray) -> int:
    """Return the code of the annotator furthest below the chance line, against gold."""
    rates = scores.recall_by_category(scores.confusion_counts(annotations, gold))
    return int(np.nanargmin(rates.sum(axis=1)))


def rte_facts(design: Design, rte: LoadedData, annotators: pd.DataFrame) -> dict[str, float]:
    """Compute what the labels and the gold standard alone determine."""
    usual = design.numbers["rte_labels_of_most"]
    annotations, gold = rte.annotations, rte.gold
    labels = annotators["n_labels"]
    votes = scores.count_errors(voting.fit(annotations).posterior, gold)
    chance = annotators["gold_sensitivity"] + annotators["gold_specificity"]
    worst = annotators.iloc[worst_annotator(annotations, gold)]
    return {
        "rte.n_items": annotations.n_items,
        "rte.gold_prevalence": float((gold == 1).mean()),
        "rte.n_labels_per_item": float(np.diff(annotations.by_item.offsets).mean()),
        "rte.n_labels_per_annotator_min": float(labels.min()),
        "rte.n_labels_per_annotator_max": float(labels.max()),
        "rte.share_annotators_20_labels": 100 * float((labels == usual).mean()),
        "rte.n_annotators_at_chance_share": 100 * float((chance <= 1).mean()),
        "rte.worst_annotator.kappa": float(worst["gold_kappa"]),
        "rte.worst_annotator.n_labels": float(worst["n_labels"]),
        "rte.above_chance_line.kappa": float(annotators.loc[chance > 1, "gold_kappa"].min()),
        **{f"rte.voting.{name}": float(value) for name, value in vars(votes).items()},
    }


def annotator_table(
    annotations: Annotations, gold: np.ndarray, fitted: HierarchicalBinaryFit
) -> pd.DataFrame:
    """List the annotators with gold rates, estimates with 80% intervals, and kappa."""
    counts = scores.confusion_counts(annotations, gold)
    rates = scores.recall_by_category(counts)
    table = pd.DataFrame(
        {
            "annotator": annotations.annotators,
            "n_labels": counts.sum(axis=(1, 2)),
            "gold_specificity": rates[:, 0],
            "gold_sensitivity": rates[:, 1],
        }
    )
    for name in ("specificity", "sensitivity"):
        low, high = fitted.interval(name, 0.80)
        table[name] = getattr(fitted, name)
        table[f"{name}_median"] = np.median(getattr(fitted.draws, name), axis=(0, 1))
        table[f"{name}_lower80"], table[f"{name}_upper80"] = low, high
    both = fitted.draws.sensitivity + fitted.draws.specificity
    table["probability_better_than_chance"] = (both > 1).mean(axis=(0, 1))
    table["gold_kappa"] = [
        cohen_kappa(Annotations.from_contingency(one)).estimate for one in counts
    ]
    table["fisher_p"] = [
        scipy.stats.fisher_exact(one, alternative="greater").pvalue for one in counts
    ]
    table["kept"] = hierarchical_binary.better_than_half(fitted)
    return table


def chance_readings(annotators: pd.DataFrame) -> pd.DataFrame:
    """Count the annotators no better than chance under every reading tried."""
    empirical = annotators["gold_sensitivity"] + annotators["gold_specificity"]
    estimated = annotators["sensitivity"] + annotators["specificity"]
    kept, labels = annotators["kept"], annotators["n_labels"]
    annotator_readings = {
        "on or below the chance line, against gold": empirical <= 1,
        "strictly below the chance line, against gold": empirical < 1,
        "on or below the chance line, by the model": estimated <= 1,
        "probability of being better than chance below .95, by the model": annotators[
            "probability_better_than_chance"
        ]
        < 0.95,
        "not better than chance by a one-sided Fisher test at .05, against gold": annotators[
            "fisher_p"
        ]
        > 0.05,
        "the same at .01": annotators["fisher_p"] > 0.01,
        "the same at .001": annotators["fisher_p"] > 0.001,
        "sensitivity or specificity at most one half, against gold": (
            annotators[["gold_sensitivity", "gold_specificity"]].min(axis=1) <= 0.5
        ),
        "removed by pruning": ~kept,
    }
    rows = [
        ("annotators", reading, int(mask.sum()), len(mask), 100 * float(mask.mean()))
        for reading, mask in annotator_readings.items()
    ]
    removed = int(labels[~kept].sum())
    rows.append(
        ("labels", "given by the annotators that pruning removes", removed, int(labels.sum()),
         100 * removed / int(labels.sum()))
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["share_of", "reading", "count", "of", "percent"])


def pruning_table(
    annotations: Annotations, gold: np.ndarray, annotators: pd.DataFrame
) -> pd.DataFrame:
    """Score voting after pruning as the borderline annotators are kept or removed.

    Estimates within a few hundredths of one half fall on either side by chance.
    """
    smaller = annotators[["sensitivity_median", "specificity_median"]].min(axis=1).to_numpy()
    n_removed = int((smaller < 0.5).sum())
    rows = []
    for n in range(n_removed - 1, n_removed + 2):
        removed = np.argsort(smaller)[:n]
        keep = np.ones(smaller.size, dtype=bool)
        keep[removed] = False
        votes = scores.count_errors(voting.fit(annotations.select(annotators=keep)).posterior, gold)
        n_labels = int(annotators["n_labels"].to_numpy()[removed].sum())
        rows.append(
            {
                "removed": n,
                "last_removed": annotators["annotator"][removed[-1]],
                "its_smaller_median": smaller[removed[-1]],
                "labels_removed": n_labels,
                "percent_of_labels": 100 * n_labels / annotations.n_labels,
                **{f"voting_{name}": value for name, value in vars(votes).items()},
            }
        )
    return pd.DataFrame(rows)


def certainty_readings(fits: Mapping[str, HierarchicalBinaryFit], gold: np.ndarray) -> pd.DataFrame:
    """Count uncertain items, and certain and wrong ones, by fit and by limit."""
    rows = []
    for name, fitted in fits.items():
        probability = fitted.posterior[:, 1]
        wrong = (probability > 0.5) != (gold == 1)
        for limit in (0.005, 0.01, 0.02, 0.05):
            uncertain = (probability > limit) & (probability < 1 - limit)
            rows.append((name, limit, int(uncertain.sum()), int((~uncertain & wrong).sum())))
    return pd.DataFrame(rows, columns=["fit", "limit", "n_uncertain", "n_certain_wrong"])


def disagreements(rte: LoadedData, fitted: HierarchicalBinaryFit) -> pd.DataFrame:
    """List the items whose most probable category is not the gold one, surest first."""
    probability = fitted.posterior[:, 1]
    table = rte.items.assign(
        gold=rte.gold, probability=probability, votes_for_1=rte.annotations.counts[:, 1]
    )
    table["certain"] = (probability < 0.01) | (probability > 0.99)
    table["residual"] = np.abs(rte.gold - probability)
    texts = [c for c in ("task", "text", "hypothesis") if c in rte.items.columns]
    wrong = table[table["residual"] > 0.5].sort_values("residual", ascending=False)
    return wrong[["item", "gold", "probability", "votes_for_1", "certain", *texts]]


# ---------------------------------------------------------------------------- section 5


def fit_muc(
    design: Design, muc: LoadedData, rng: np.random.Generator, effort: str
) -> HierarchicalBinaryFit:
    """Fit the model to the restricted tokens."""
    return hierarchical_binary.fit(
        muc.annotations,
        rng=rng,
        warmup=min(500, N_WARMUP[effort]),
        draws=N_DRAWS[effort],
        thin=10,
        **design.prior,
    )


def muc_model_values(muc: LoadedData, fitted: HierarchicalBinaryFit) -> dict[str, float]:
    """Compute the sampled values of section 5; accuracy in percent, as printed."""
    model = scores.count_errors(fitted.posterior, muc.gold)
    return {
        "muc.model.errors": model.expected_errors,
        "muc.model.accuracy": 100 * model.expected_accuracy,
    }


def repeat_muc(
    design: Design, muc: LoadedData, rng: np.random.Generator, effort: str, *, threads: int
) -> pd.DataFrame:
    """Run section 5 again and again at the paper's length; one row a run."""
    settings = design.paper_run(effort)

    def once(generator: np.random.Generator) -> dict[str, float]:
        fitted = hierarchical_binary.fit(muc.annotations, rng=generator, **settings)
        return muc_model_values(muc, with_sampled_categories(fitted, generator))

    what = "Section 5, runs of the paper's length"
    return _repeat(once, rng, N_REPEATS[effort], threads, what)


def muc_facts(gold: LoadedData) -> dict[str, float]:
    """Count tokens of the gold file."""
    person = gold.gold == 1
    capitalised = gold.items["capitalised"].fillna(True).to_numpy(dtype=bool)
    return {
        "muc.n_tokens": float(gold.items.shape[0]),
        "muc.n_person_tokens": float(person.sum()),
        "muc.n_bold_tokens": float((capitalised | person).sum()),
    }


def muc_label_facts(muc: LoadedData) -> dict[str, float]:
    """Compute what the annotators' labels alone determine."""
    votes = scores.count_errors(voting.fit(muc.annotations).posterior, muc.gold)
    return {
        "muc.n_restricted_tokens": float(muc.annotations.n_items),
        "muc.n_annotators": float(muc.annotations.n_annotators),
        "muc.voting.errors": float(votes.errors),
        "muc.voting.ties": float(votes.ties),
        "muc.voting.expected_errors": votes.expected_errors,
        "muc.voting.expected_accuracy": 100 * votes.expected_accuracy,
    }


# ---------------------------------------------------------------------------- section 6


def kappa_pairs(
    annotations: Annotations, fitted: HierarchicalBinaryFit, *, least: int = 100
) -> pd.DataFrame:
    """Compare sample and posterior kappa for pairs who share at least `least` items."""
    given = np.zeros((annotations.n_annotators, annotations.n_items), dtype=np.int64)
    given[annotations.annotator, annotations.item] = 1
    shared = np.triu(given @ given.T, k=1)
    rows = []
    for j, other in np.argwhere(shared >= least):
        sample = cohen_kappa(annotations.select(annotators=[j, other]))
        names = annotations.annotators[j], annotations.annotators[other]
        posterior = kappa_posterior(fitted, *names)
        row = {
            "first": names[0],
            "second": names[1],
            "n_items": sample.n_items,
            "sample_agreement": sample.observed_agreement,
            "sample_kappa": sample.estimate,
            "sample_standard_error": sample.standard_error,
            "agreement": float(posterior.agreement.mean()),
        }
        for name in ("kappa_prevalence", "kappa_margins"):
            draws = getattr(posterior, name)
            low, high = np.quantile(draws, [0.025, 0.975])
            row |= {name: float(draws.mean()), f"{name}_lower": low, f"{name}_upper": high}
        rows.append(row)
    columns = ["first", "second", "n_items", "sample_kappa"]
    return pd.DataFrame(rows, columns=None if rows else columns)


# ------------------------------------------------------------- sampled values and tables


def _repeat(
    once: Callable[[np.random.Generator], dict[str, float]],
    rng: np.random.Generator,
    n: int,
    threads: int,
    what: str,
) -> pd.DataFrame:
    with ThreadPoolExecutor(max_workers=threads) as pool:
        runs = pool.map(once, rng.spawn(n))
        # The log takes the standard error; a bar is for who watches a terminal.
        shown = track(runs, what, total=n, transient=True, disable=not sys.stdout.isatty())
        return pd.DataFrame(list(shown))


def check_interval(
    repeats: pd.Series, n_sampled: int, *, percent: bool = False
) -> tuple[float, float]:
    """Return the predictive interval of one more run, at level 1 - 0.05 / m.

    That of percentages is the interval of their log odds.
    """
    if percent:
        odds = pd.Series(scipy.special.logit(repeats.to_numpy() / 100))
        low, high = 100 * scipy.special.expit(check_interval(odds, n_sampled))
        return float(low), float(high)
    n = len(repeats)
    reach = scipy.stats.t.ppf(1 - 0.025 / n_sampled, n - 1) * repeats.std(ddof=1)
    half = float(reach * np.sqrt(1 + 1 / n))
    return float(repeats.mean()) - half, float(repeats.mean()) + half


def printed_targets(values: Mapping[str, float]) -> dict[str, float]:
    """Leave out the summaries that the paper does not print, such as coverage."""
    sections = ("sim.", "rte.", "muc.")
    return {target: value for target, value in values.items() if target.startswith(sections)}


def sampled_rows(
    values: Mapping[str, float], repeats: pd.DataFrame, n_sampled: int, provenance: str
) -> list[Computed]:
    """Make computed rows of sampled values; the interval shown is of single runs."""
    rows = []
    for target, value in printed_targets(values).items():
        low, high = np.quantile(repeats[target], [0.025, 0.975])
        check_lower, check_upper = check_interval(
            repeats[target], n_sampled, percent=target in PERCENTAGES
        )
        rows.append(
            Computed(
                target,
                value,
                lower=float(low),
                upper=float(high),
                level=0.95,
                check_lower=check_lower,
                check_upper=check_upper,
                provenance=provenance,
            )
        )
    return rows


def plain_rows(
    values: Mapping[str, float], provenance: str, method: str = "paper"
) -> list[Computed]:
    """Make computed rows of deterministic values."""
    return [
        Computed(
            target,
            float(value),
            method=CALIBRATION_METHOD
            if provenance == "simulated" and target in CALIBRATED
            else method,
            provenance=provenance,
        )
        for target, value in values.items()
    ]


def arithmetic(printed: Mapping[str, float]) -> dict[str, float]:
    """Derive the totals and shares that the paper's own printed counts determine."""
    items, tokens = printed["rte_items"], printed["muc_restricted_tokens"]
    votes = printed["rte_voting_errors"] + printed["rte_voting_ties"] / 2
    pruned_votes = printed["rte_pruned_voting_errors"] + printed["rte_pruned_voting_ties"] / 2
    muc_votes = printed["muc_voting_errors"] + printed["muc_voting_ties"] / 2
    return {
        "sim.large_residual_share.arithmetic": 100
        * printed["sim_large_residuals"]
        / printed["sim_items"],
        "rte.voting.expected_errors.arithmetic": votes,
        "rte.voting.expected_accuracy.arithmetic": 1 - votes / items,
        "rte.model.accuracy.arithmetic": 1 - printed["rte_model_errors"] / items,
        "rte.pruned.model.accuracy.arithmetic": 1 - printed["rte_pruned_model_errors"] / items,
        "rte.pruned.voting.expected_errors.arithmetic": pruned_votes,
        "rte.pruned.voting.expected_accuracy.arithmetic": 1 - pruned_votes / items,
        "rte.n_certain_items.arithmetic": items - printed["rte_uncertain_items"],
        "muc.model.accuracy.arithmetic": 100 * (1 - printed["muc_model_errors"] / tokens),
        "muc.voting.expected_errors.arithmetic": muc_votes,
        "muc.voting.expected_accuracy.arithmetic": 100 * (1 - muc_votes / tokens),
    }


def closed_forms(design: Design) -> dict[str, float]:
    """Compute what follows from the definitions and the printed design."""
    prevalence = design.numbers["sim_prevalence"]
    return {
        "model.scale_prior.pareto_shape.entailed": pareto_shape(design.numbers["inverse_power"]),
        "sim.negative_to_positive": (1 - prevalence) / prevalence,
    }


def intervals_table(fits: Mapping[str, HierarchicalBinaryFit]) -> pd.DataFrame:
    """List posterior means and 95% intervals of the population parameters of fits."""
    rows = []
    for name, fitted in fits.items():
        for parameter in POPULATION:
            low, high = fitted.interval(parameter)
            mean = float(getattr(fitted.draws, parameter).mean())
            rows.append((name, as_printed(parameter), mean, float(low), float(high)))
    return pd.DataFrame(rows, columns=["fit", "parameter", "mean", "lower95", "upper95"])


def errors_table(
    posteriors: Iterable[tuple[str, str, np.ndarray]], gold: np.ndarray
) -> pd.DataFrame:
    """Count errors of several labellings: rows of annotators, method, posterior."""
    rows = [
        {"annotators": who, "method": method, **vars(scores.count_errors(posterior, gold))}
        for who, method, posterior in posteriors
    ]
    return pd.DataFrame(rows)


def diagnostics(fitted: HierarchicalBinaryFit, effort: str) -> pd.DataFrame:
    """Return R-hat and effective sample sizes: of all parameters, or of the population's."""
    if effort == "full":
        return fitted.diagnostics
    names = POPULATION if fitted.hierarchical else POPULATION[:1]
    return convergence_table({n: (getattr(fitted.draws, n)[..., None], [""]) for n in names})


def convergence(fits: Mapping[str, HierarchicalBinaryFit], effort: str) -> pd.DataFrame:
    """Summarise R-hat and effective sample sizes by fit and parameter."""
    rows = []
    for name, fitted in fits.items():
        found = diagnostics(fitted, effort)
        for parameter, part in found.groupby(level="parameter", sort=False):
            rows.append(
                {
                    "fit": name,
                    "parameter": as_printed(parameter),
                    "n": len(part),
                    "n_without_r_hat": int(part["r_hat"].isna().sum()),
                    "largest_r_hat": part["r_hat"].max(),
                    "smallest_ess_bulk": part["ess_bulk"].min(),
                    "smallest_ess_tail": part["ess_tail"].min(),
                    "label_switches": int(fitted.label_switches.sum()),
                }
            )
    return pd.DataFrame(rows)


def new_annotator_table(fitted: HierarchicalBinaryFit, size: int = 20) -> pd.DataFrame:
    """Predict the correct labels of a new annotator on `size` items of each category."""
    prediction = fitted.predict_new_annotator(size, size)
    return pd.DataFrame(
        {
            "correct": range(size + 1),
            f"probability_of_{size}_positive": prediction.true_positives,
            f"probability_of_{size}_negative": prediction.true_negatives,
        }
    )


# ------------------------------------------------------------------------------- figures


def figure2(truth: simulate.SimulatedBinary, fitted: HierarchicalBinaryFit, stem: Path) -> None:
    """Draw Figure 2: estimates against simulated values."""
    with plotting.house_figure() as (figure, panels):
        for axes, name in zip(panels, ("specificity", "sensitivity"), strict=True):
            low, high = fitted.interval(name)
            plotting.estimates_against_truth(
                axes, getattr(truth, name), getattr(fitted, name), low, high, limits=(0.4, 1)
            )
            axes.set(
                title=name.capitalize(),
                xlabel="simulated",
                ylabel="posterior mean and 95% interval",
            )
        plotting.save_figure(figure, stem)


def figure3(design: Design, fitted: HierarchicalBinaryFit, stem: Path) -> None:
    """Draw Figure 3: the posterior of the annotators' distributions."""
    with plotting.house_figure() as (figure, panels):
        for axes, name in zip(panels, ("specificity", "sensitivity"), strict=True):
            alpha, beta = design.simulation[name]
            mean = getattr(fitted.draws, f"{name}_mean")[:, ::10].ravel()
            scale = getattr(fitted.draws, f"{name}_concentration")[:, ::10].ravel()
            plotting.mean_and_scale(
                axes, mean, scale, simulated=(alpha / (alpha + beta), alpha + beta)
            )
            axes.set(title=name.capitalize(), xlabel="mean", ylabel="scale", xlim=(0.55, 0.95))
        low, high = (f(a.get_ylim()[i] for a in panels) for i, f in enumerate((min, max)))
        for axes in panels:
            axes.set_ylim(low, high)
        plotting.save_figure(figure, stem)


def figure4(
    design: Design, truth: simulate.SimulatedBinary, fitted: HierarchicalBinaryFit, stem: Path
) -> None:
    """Draw Figure 4: prevalence and residual errors."""
    with plotting.house_figure() as (figure, panels):
        plotting.histogram(
            panels[0],
            fitted.draws.prevalence,
            bins=40,
            marks=[
                (design.simulation["prevalence"], "simulated value", "-"),
                (float(truth.category.mean()), "share in the sample", "--"),
            ],
        )
        panels[0].set(title="Prevalence", xlabel="prevalence", ylabel="draws")
        plotting.residuals(panels[1], truth.category - fitted.posterior[:, 1])
        panels[1].set(title="Residual error", xlabel="true category less estimate")
        plotting.save_figure(figure, stem)


def figure_simulations(repeats: pd.DataFrame, printed: float, stem: Path) -> None:
    """Draw section 3 as a distribution over data sets."""
    with plotting.house_figure() as (figure, panels):
        counts = repeats["sim.n_large_residuals"]
        edges = np.arange(min(counts.min(), printed) - 1.5, max(counts.max(), printed) + 2)
        plotting.histogram(
            panels[0], counts, bins=edges.tolist(), marks=[(printed, "printed", "-")]
        )
        panels[0].set(
            title="Items off by more than one half", xlabel="items of 1,000", ylabel="data sets"
        )
        names = [c for c in repeats if c.startswith("coverage.")]
        shares = repeats[names].mean()
        error = repeats[names].std(ddof=1) / np.sqrt(len(repeats))
        where = np.arange(len(names))[::-1]
        panels[1].errorbar(shares, where, xerr=2 * error, fmt="o", color=plotting.INK, ms=4)
        panels[1].axvline(0.95, color=plotting.VERMILION, linestyle="--")
        panels[1].set_yticks(where, [n.removeprefix("coverage.").replace("_", " ") for n in names])
        panels[1].set(title="Coverage of 95% intervals", xlabel="share that holds the truth")
        plotting.save_figure(figure, stem)


def figure_estimates(
    table: pd.DataFrame, fitted: HierarchicalBinaryFit, stem: Path, stand_in: str | None
) -> None:
    """Figures 5 and 8."""
    with plotting.house_figure(stand_in=stand_in) as (figure, panels):
        for axes, name in zip(panels, ("specificity", "sensitivity"), strict=True):
            plotting.estimates_against_truth(
                axes, table[f"gold_{name}"], table[name], table[f"{name}_lower80"],
                table[f"{name}_upper80"], mean=float(getattr(fitted.draws, f"{name}_mean").mean()),
            )  # fmt: skip
            axes.set(
                title=name.capitalize(),
                xlabel="against gold",
                ylabel="posterior mean and 80% interval",
            )
        plotting.save_figure(figure, stem)


def figure6(
    before: pd.DataFrame, after: pd.DataFrame, pruned: PrunedFit, stem: Path, stand_in: str | None
) -> None:
    """Draw Figure 6: annotators before and after pruning."""
    with plotting.house_figure(height=4.1, stand_in=stand_in) as (figure, panels):
        for axes, table, fitted, title in (
            (panels[0], before, pruned.first, "All annotators"),
            (panels[1], after, pruned.second, "After pruning"),
        ):
            _plane(axes, table, fitted, removed=~table["kept"] if table is before else None)
            axes.set_title(title)
        plotting.save_figure(figure, stem)


def figure9(
    table: pd.DataFrame, fitted: HierarchicalBinaryFit, stem: Path, stand_in: str | None
) -> None:
    """Draw Figure 9: fifty annotators, and the upper quadrant of all."""
    by_number = table.sort_values("annotator", key=pd.to_numeric)
    with plotting.house_figure(height=4.1, stand_in=stand_in) as (figure, panels):
        _plane(panels[0], by_number.head(50), fitted, size=250 / table["n_labels"].max())
        panels[0].set_title("The first 50 annotators")
        plotting.accuracy_plane(
            panels[1], table["gold_sensitivity"], table["gold_specificity"],
            250 * table["n_labels"] / table["n_labels"].max(), limits=(0.75, 1.01),
        )  # fmt: skip
        panels[1].set_title("Upper quadrant, all annotators")
        plotting.save_figure(figure, stem)


def _plane(
    axes: Any,
    table: pd.DataFrame,
    fitted: HierarchicalBinaryFit,
    *,
    removed: pd.Series | None = None,
    size: float = 1.0,
) -> None:
    draws = fitted.draws
    plotting.accuracy_plane(
        axes, table["gold_sensitivity"], table["gold_specificity"], size * table["n_labels"],
        estimates=(table["sensitivity"], table["specificity"]), removed=removed,
        means=(float(draws.sensitivity_mean.mean()), float(draws.specificity_mean.mean())),
    )  # fmt: skip


def figure_residuals(
    model: np.ndarray, votes: np.ndarray, gold: np.ndarray, stem: Path, stand_in: str | None
) -> None:
    """Figures 7 and 10."""
    with plotting.house_figure(stand_in=stand_in) as (figure, panels):
        for axes, posterior, title in ((panels[0], model, "Model"), (panels[1], votes, "Voting")):
            plotting.residuals(axes, gold - posterior[:, 1])
            axes.set_title(title)
        top = max(axes.get_ylim()[1] for axes in panels)
        for axes in panels:
            axes.set_ylim(0.5, top)
        plotting.save_figure(figure, stem)


def figure_kappa(pairs: pd.DataFrame, stem: Path, stand_in: str | None) -> None:
    """Draw sample against posterior kappa."""
    with plotting.house_figure(stand_in=stand_in) as (figure, panels):
        for axes, name, title in (
            (panels[0], "kappa_margins", "Chance from annotators' rates"),
            (panels[1], "kappa_prevalence", "Chance from prevalence (paper)"),
        ):
            if len(pairs):
                plotting.against(
                    axes, pairs["sample_kappa"], pairs[name], pairs[f"{name}_lower"],
                    pairs[f"{name}_upper"], label="pair of annotators",
                )  # fmt: skip
            axes.set(
                title=title, xlabel="sample kappa (Cohen)", ylabel="posterior mean and 95% interval"
            )
        plotting.save_figure(figure, stem)


# ---------------------------------------------------------------------------------- main


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
    threads: int = 1,
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    rte, muc_gold, muc = (
        datasets.read(data[name]) for name in ("snow2008_rte", "muc6_gold", "muc6_person")
    )
    numbers = {
        path.stem: pd.read_csv(path, comment="#").set_index("name")["value"]
        for path in printed_tables
    }
    printed, design = numbers["printed_counts"], Design(numbers["design"])
    generators = np.random.default_rng(seed).spawn(7)
    annotations, gold = rte.annotations, rte.gold
    sweeps = {"warmup": N_WARMUP[effort], "draws": N_DRAWS[effort]}

    truth, simulated = simulate_once(design, generators[0], **sweeps)
    simulations = repeat_simulation(design, generators[1], effort, threads=threads)
    fits = fit_rte(annotations, generators[2], **sweeps, **design.prior)
    first, second = fits.pruned.first, fits.pruned.second
    repeats = repeat_rte(design, annotations, gold, generators[3], effort, threads=threads)
    readings = {
        method: hierarchical_binary.fit(
            annotations, rng=generators[4], concentration_exponent=exponent, **sweeps
        )
        for method, (exponent, _) in design.readings.items()
        if method != "paper"
    }
    muc_fit = fit_muc(design, muc, generators[5], effort)
    annotators = annotator_table(annotations, gold, first)
    all_fits = {
        "simulation": simulated,
        "RTE-1": first,
        "RTE-1, pruned": second,
        "RTE-1, not hierarchical": fits.flat,
        "MUC-6": muc_fit,
    }
    chains = convergence(all_fits, effort)
    largest = chains.groupby("fit")["largest_r_hat"].max()

    values = rte_values(design, fits, annotations, gold)
    once = simulation_values(design, truth, simulated)
    muc_once = muc_model_values(muc, muc_fit)
    n_sampled = sum(len(printed_targets(part)) for part in (once, values, muc_once))
    # A stand-in is compared with nothing, so nothing is spent on its check interval.
    if muc.provenance == "real":
        muc_repeats = repeat_muc(design, muc, generators[6], effort, threads=threads)
        muc_rows = sampled_rows(muc_once, muc_repeats, n_sampled, muc.provenance)
    else:
        muc_rows = plain_rows(muc_once, muc.provenance)
    of_pruned = annotators.loc[~annotators["kept"], "n_labels"].sum() / annotations.n_labels
    computed = [
        *plain_rows(closed_forms(design), "closed_form"),
        *plain_rows(arithmetic(printed), "printed_table"),
        *sampled_rows(once, simulations, n_sampled, "simulated"),
        *plain_rows({"sim.rhat": largest["simulation"]}, "simulated"),
        *plain_rows(rte_facts(design, rte, annotators), rte.provenance),
        *sampled_rows(values, repeats, n_sampled, rte.provenance),
        *plain_rows({"rte.rhat": largest["RTE-1"]}, rte.provenance),
        *plain_rows(
            {"rte.n_annotators_at_chance_share": 100 * of_pruned},
            rte.provenance,
            method="labels_of_pruned_annotators",
        ),
        *plain_rows(muc_facts(muc_gold), muc_gold.provenance),
        *plain_rows(muc_label_facts(muc) | {"muc.rhat": largest["MUC-6"]}, muc.provenance),
        *muc_rows,
    ]
    for method, fitted in readings.items():
        ends = {
            f"rte.{as_printed(name)}_{end}": value
            for name in POPULATION
            for end, value in zip(("lower", "upper"), fitted.interval(name), strict=True)
        }
        errors = scores.count_errors(fitted.posterior, gold).expected_errors
        computed += plain_rows(ends | {"rte.model.errors": errors}, rte.provenance, method)
    write_computed(computed, folder / "computed.csv")

    votes = voting.fit(annotations).posterior
    muc_votes = voting.fit(muc.annotations).posterior
    kept_annotators = annotator_table(fits.pruned.annotations, gold, second)
    muc_annotators = annotator_table(muc.annotations, muc.gold, muc_fit)
    pairs = kappa_pairs(annotations, first)
    by_reading = {
        text: first if method == "paper" else readings[method]
        for method, (_, text) in design.readings.items()
    }
    tables = {
        "errors": errors_table(
            [
                ("all", "voting", votes),
                ("all", "model", first.posterior),
                ("all", "model, not hierarchical", fits.flat.posterior),
                ("pruned", "voting", voting.fit(fits.pruned.annotations).posterior),
                ("pruned", "model", second.posterior),
            ],
            gold,
        ),
        "intervals": intervals_table({"all annotators": first, "pruned": second}),
        "prior_sensitivity": intervals_table(by_reading),
        "annotators": annotators.sort_values("kept", kind="stable"),
        "pruning": pruning_table(annotations, gold, annotators),
        "chance_readings": chance_readings(annotators),
        "certainty_readings": certainty_readings(
            {"all annotators": first, "pruned": second, "not hierarchical": fits.flat}, gold
        ),
        "disagreements": disagreements(rte, first),
        "simulations": simulations.describe(percentiles=[0.025, 0.5, 0.975])
        .T.rename_axis("summary")
        .reset_index(),
        "repeats": repeats.describe(percentiles=[0.025, 0.5, 0.975])
        .T.rename_axis("value")
        .reset_index(),
        "new_annotator": new_annotator_table(first),
        "muc_errors": errors_table(
            [("all", "voting", muc_votes), ("all", "model", muc_fit.posterior)], muc.gold
        ),
        "kappa": pairs,
        "convergence": chains,
    }
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")

    stems = folder / "figures"
    stems.mkdir(parents=True, exist_ok=True)
    rte_mark, muc_mark = (
        None if data.provenance == "real" else f"Simulated stand-in, not the real {name} labels"
        for data, name in ((rte, "RTE-1"), (muc, "MUC-6"))
    )
    figure2(truth, simulated, stems / "figure2")
    figure3(design, simulated, stems / "figure3")
    figure4(design, truth, simulated, stems / "figure4")
    figure_simulations(simulations, printed["sim_large_residuals"], stems / "simulations")
    figure_estimates(annotators, first, stems / "figure5", rte_mark)
    figure6(annotators, kept_annotators, fits.pruned, stems / "figure6", rte_mark)
    figure_residuals(first.posterior, votes, gold, stems / "figure7", rte_mark)
    figure_estimates(muc_annotators, muc_fit, stems / "figure8", muc_mark)
    figure9(muc_annotators, muc_fit, stems / "figure9", muc_mark)
    figure_residuals(muc_fit.posterior, muc_votes, muc.gold, stems / "figure10", muc_mark)
    figure_kappa(pairs, stems / "kappa", rte_mark)
    captions = caption_texts(rte, muc, N_SIMULATIONS[effort])
    with replacing(folder / "captions.json") as draft:
        draft.write_text(
            json.dumps(
                {name: caption | {"seed": seed} for name, caption in captions.items()}
                | {
                    f"tables/{name}": {"provenance": table_provenance(name, rte, muc)}
                    for name in tables
                },
                indent=1,
            )
            + "\n"
        )


def caption_texts(rte: LoadedData, muc: LoadedData, n_simulations: int) -> dict[str, Any]:
    """Say of every figure what it shows, from which data."""
    design = (
        "The paper's own simulation, done again: 1,000 items, 20 annotators, half of the labels "
        "missing at random, prevalence .2; "
        "specificity from Beta(40, 8), sensitivity from Beta(20, 8)."
    )
    rte_data = f"Data: {rte.annotations.n_labels:,} {rte.provenance} labels of RTE-1."
    muc_data = f"Data: {muc.annotations.n_labels:,} {muc.provenance} labels of MUC-6 tokens."
    plane = (
        "A circle is an annotator, placed at the rates against the gold standard, its area "
        "growing with the number of labels; a grey line runs to the model's estimate. Blue "
        "lines: estimated means. Green: chance."
    )
    shown = {
        "figure2": ("simulated", f"Posterior means with 95% intervals against the values that "
                    f"made the data; the dashed line is perfect estimation. {design}"),
        "figure3": ("simulated", "Draws of mean and scale of the annotators' distributions; lines "
                    f"at the simulated values. {design}"),
        "figure4": ("simulated", "Left: draws of the prevalence. Right: true category less "
                    f"estimated probability; beyond the dotted lines an item is wrong. {design}"),
        "simulations": ("simulated", f"Section 3 on {n_simulations} new data sets. Left: items "
                        "estimated on the wrong side of one half, with the printed count of the "
                        "paper's one data set. Right: how often 95% intervals hold the truth, "
                        "with two standard errors."),
        "figure5": (rte.provenance, "Posterior means with 80% intervals against the rates on the "
                    "gold standard. Dashed: perfect agreement. Blue: estimated mean of the "
                    f"annotators. {rte_data}"),
        "figure6": (rte.provenance, f"{plane} Crosses: annotators removed, estimated sensitivity "
                    f"or specificity below one half. {rte_data}"),
        "figure7": (rte.provenance, "Gold category less the estimated probability (left) and the "
                    "share of votes (right); beyond the dotted lines an item is wrong, on them "
                    f"tied. {rte_data}"),
        "figure8": (muc.provenance, "Posterior means with 80% intervals against the rates on the "
                    "gold standard. Dashed: perfect agreement. Blue: estimated mean of the "
                    f"annotators. {muc_data}"),
        "figure9": (muc.provenance, "Left: the first 50 annotators, as in the author's script. "
                    f"{plane} Right: the upper quadrant with all annotators. {muc_data}"),
        "figure10": (muc.provenance, "Gold category less the estimated probability (left) and the "
                     "share of votes (right); beyond the dotted lines a token is wrong, on them "
                     f"tied. {muc_data}"),
        "kappa": (rte.provenance, "Pairs of annotators who share at least 100 items. Cohen's "
                  "kappa in the sample against the posterior mean with its 95% interval, with "
                  "chance agreement from each annotator's own rates (left) and from the "
                  f"prevalence as the paper prints it (right). {rte_data}"),
    }  # fmt: skip
    return {name: {"provenance": word, "caption": text} for name, (word, text) in shown.items()}


def table_provenance(name: str, rte: LoadedData, muc: LoadedData) -> str:
    """Return the weakest provenance of what is in a table."""
    if name in ("simulations", "convergence"):
        return "simulated"
    return muc.provenance if name.startswith("muc") else rte.provenance


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(snakemake.input[name][0]).parent
                for name in ("snow2008_rte", "muc6_gold", "muc6_person")
            },
            printed_tables=map(Path, snakemake.input.printed_tables),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
            threads=snakemake.threads,
        )
