"""The values of sections 3 to 5.

Two things are sampled: posterior summaries, by Markov chains, and whole data sets, in
section 3. The check interval of such a value says what the paper could have printed: it
is the predictive interval, at level 1 - 0.05 / m for m sampled values, of one more run
of the paper's length (three chains of 1,000 sweeps, half of them kept, drawn by the
steps it describes, with the step out of mirror modes added) on the same labels, or of one
more simulated data set.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import scipy.special
import scipy.stats

from annobench.datasets import LoadedData
from annobench.evaluation import scores
from annobench.labels.annotations import Annotations
from annobench.models import hierarchical_binary, voting
from annobench.models.hierarchical_binary import HYPERPARAMETERS, HierarchicalBinaryFit, PrunedFit
from annobench.resampling import predictive_interval
from annobench.simulation import panels
from annobench_replication.ledger import Computed

from .printed import Design

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
RATES = ("specificity", "sensitivity")

Once = Callable[[np.random.Generator], dict[str, float]]


def sweeps(effort: str, warmup: float = np.inf, draws: float = np.inf) -> dict[str, Any]:
    """Return the sweeps of a long run, at most as many as given."""
    return {"warmup": min(warmup, N_WARMUP[effort]), "draws": min(draws, N_DRAWS[effort])}


def repeat(once: Once, rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Repeat a run with generators of its own; one row each."""
    return pd.DataFrame([once(generator) for generator in rng.spawn(n)])


def as_printed(parameter: str) -> str:
    """Return the paper's name of a parameter: what it calls a scale is a concentration."""
    return parameter.replace("_concentration", "_scale")


def check_interval(
    repeats: pd.Series, n_sampled: int, *, percent: bool = False
) -> tuple[float, float]:
    """Return the predictive interval of one more run, at level 1 - 0.05 / m.

    That of percentages is the interval of their log odds.
    """
    level = 1 - 0.05 / n_sampled
    if not percent:
        return predictive_interval(repeats, level).limits
    low, high = predictive_interval(scipy.special.logit(repeats.to_numpy() / 100), level).limits
    return 100 * float(scipy.special.expit(low)), 100 * float(scipy.special.expit(high))


def printed_targets(values: Mapping[str, float]) -> dict[str, float]:
    """Leave out the summaries that the paper does not print, such as coverage."""
    sections = ("sim.", "rte.", "muc.")
    return {target: value for target, value in values.items() if target.startswith(sections)}


def sampled_rows(
    values: Mapping[str, float], repeats: pd.DataFrame, n_sampled: int
) -> list[Computed]:
    """Return sampled values with check intervals, and with 95% intervals of single runs."""
    rows = []
    for target, value in printed_targets(values).items():
        runs = repeats[target]
        lower, upper = np.quantile(runs, [0.025, 0.975])
        low, high = check_interval(runs, n_sampled, percent=target in PERCENTAGES)
        row = Computed(target, value, lower=lower, upper=upper, level=0.95)
        rows.append(replace(row, check_lower=low, check_upper=high))
    return rows


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


def simulate_once(
    design: Design, rng: np.random.Generator, **settings: Any
) -> tuple[panels.SimulatedBinary, HierarchicalBinaryFit]:
    """Simulate the design of section 3 and fit the model to it."""
    truth = panels.binary(**design.simulation, rng=rng)
    fitted = hierarchical_binary.fit(truth.annotations, rng=rng, **design.prior, **settings)
    return truth, fitted


def simulation_values(
    design: Design, truth: panels.SimulatedBinary, fitted: HierarchicalBinaryFit
) -> dict[str, float]:
    """Summarise one simulated data set: printed values, and coverage of 95% intervals."""
    missed = np.abs(truth.category - fitted.posterior[:, 1])
    known: dict[str, Any] = {name: getattr(truth, name) for name in reversed(RATES)}
    known["prevalence"] = design.numbers["sim_prevalence"]
    for name in reversed(RATES):
        known[f"{name}_mean"], known[f"{name}_concentration"] = design.population(name)
    ends = {name: fitted.interval(name) for name in known}
    covered = {}
    for name, true in known.items():
        low, high = ends[name]
        covered[f"coverage.{as_printed(name)}"] = float(np.mean((low <= true) & (true <= high)))
    drawn = {"sim.fig4.prevalence_sd": float(fitted.draws.prevalence.std())}
    for name in RATES:
        n_covered = covered[f"coverage.{name}"] * known[name].size
        drawn[f"sim.fig2.{name}_covered"] = float(n_covered)
        drawn[f"sim.fig2.{name}_width"] = float(np.diff(ends[name], axis=0).mean())
        drawn[f"sim.fig3.{name}_mean_sd"] = float(getattr(fitted.draws, f"{name}_mean").std())
    return {
        "sim.fig4_sample_prevalence": float(truth.category.mean()),
        "sim.n_large_residuals": float((missed > design.numbers["large_residual"]).sum()),
        **drawn,
        **covered,
    }


def simulation_rivals(
    design: Design, truth: panels.SimulatedBinary, fitted: HierarchicalBinaryFit
) -> list[Computed]:
    """Return what the widths and the coverage would be with more or less information."""
    size, prevalence = truth.category.size, design.numbers["sim_prevalence"]
    known = math.sqrt(prevalence * (1 - prevalence) / size)
    rows = [Computed("sim.fig4.prevalence_sd", known, method="categories known")]
    for name in RATES:
        low, high = fitted.interval(name)
        rates = getattr(truth, name)
        off = np.abs(rates - (low + high) / 2)
        mean, scale = design.population(name)
        population = scipy.stats.beta(mean * scale, (1 - mean) * scale)
        ends = population.interval(0.95)
        found = {
            "intervals half as wide": (f"sim.fig2.{name}_covered", (off <= (high - low) / 4).sum()),
            "population known, labels not": (f"sim.fig2.{name}_width", ends[1] - ends[0]),
            "rates known": (f"sim.fig3.{name}_mean_sd", population.std() / math.sqrt(rates.size)),
        }
        rows += [Computed(t, float(value), method=m) for m, (t, value) in found.items()]
    return rows


def repeat_simulation(design: Design, rng: np.random.Generator, effort: str) -> pd.DataFrame:
    """Repeat section 3 on new data sets; one row each."""
    settings = sweeps(effort, 200, 1_000) | {"chains": 1, "thin": 1_000}

    def once(generator: np.random.Generator) -> dict[str, float]:
        return simulation_values(design, *simulate_once(design, generator, **settings))

    return repeat(once, rng, N_SIMULATIONS[effort])


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


def intervals(fitted: HierarchicalBinaryFit, prefix: str, names: Sequence[str]) -> dict[str, float]:
    """Return the ends of posterior 95% intervals."""
    return {
        f"{prefix}.{as_printed(name)}_{end}": float(value)
        for name in names
        for end, value in zip(("lower", "upper"), fitted.interval(name), strict=True)
    }


def count_votes(annotations: Annotations, gold: np.ndarray) -> scores.Errors:
    """Count the errors of voting."""
    return scores.count_errors(voting.fit(annotations).posterior, gold)


def rte_values(design: Design, fits: RteFits, rte: LoadedData) -> dict[str, float]:
    """Compute every sampled value that section 4 prints."""
    first, second, gold = fits.pruned.first, fits.pruned.second, rte.gold
    values: dict[str, float] = {}
    # Of the prevalence after pruning the paper prints nothing but that it is unchanged.
    parts = (("rte", first, POPULATION), ("rte.pruned", second, HYPERPARAMETERS))
    for prefix, fitted, names in parts:
        values |= intervals(fitted, prefix, names)
        errors = scores.count_errors(fitted.posterior, gold)
        values[f"{prefix}.model.errors"] = errors.expected_errors
        values[f"{prefix}.model.accuracy"] = errors.expected_accuracy
    votes = vars(count_votes(fits.pruned.annotations, gold))
    values |= {f"rte.pruned.voting.{name}": float(value) for name, value in votes.items()}
    flat = scores.count_errors(fits.flat.posterior, gold).expected_errors
    values["rte.nonhierarchical.errors_fewer"] = values["rte.model.errors"] - flat
    certainty = uncertainty(design, first, gold)
    values |= {f"rte.{name}": value for name, value in certainty.items()}
    worst = worst_annotator(rte.annotations, gold)
    medians = (np.median(getattr(first.draws, name)[..., worst]) for name in RATES)
    values["rte.worst_annotator.smaller_estimate"] = 100 * float(min(medians))
    values["n_annotators_pruned"] = float((~fits.pruned.keep).sum())
    return values


def uncertainty(
    design: Design, fitted: HierarchicalBinaryFit, gold: np.ndarray
) -> dict[str, float]:
    """Count the items of which the model is certain or not, and the certain ones that are wrong."""
    probability = fitted.posterior[:, 1]
    above, below = design.numbers["uncertain_above"], design.numbers["uncertain_below"]
    uncertain = (probability > above) & (probability < below)
    wrong = (probability > 0.5) != (gold == 1)
    return {
        "n_uncertain_items": float(uncertain.sum()),
        "n_certain_items": float((~uncertain).sum()),
        "n_certain_wrong": float((~uncertain & wrong).sum()),
    }


def rte_rivals(design: Design, fits: RteFits, rte: LoadedData) -> list[Computed]:
    """Return what other methods give in place of the model, of pruning and of the hierarchy."""
    votes = vars(count_votes(rte.annotations, rte.gold))
    flat = uncertainty(design, fits.flat, rte.gold)
    return [
        *(
            Computed(f"{part}.model.errors", votes["expected_errors"], method="majority vote")
            for part in ("rte", "rte.pruned")
        ),
        *(
            Computed(f"rte.pruned.voting.{name}", votes[name], method="without pruning")
            for name in ("errors", "ties")
        ),
        Computed(
            "rte.fig6.pruned.annotators", rte.annotations.n_annotators, method="without pruning"
        ),
        *(
            Computed(f"rte.{name}", flat[name], method="without hierarchy")
            for name in ("n_uncertain_items", "n_certain_wrong")
        ),
    ]


def repeat_rte(
    design: Design,
    rte: LoadedData,
    rng: np.random.Generator,
    effort: str,
    watch: Callable[[PrunedFit], None],
) -> pd.DataFrame:
    """Run section 4 repeatedly at the paper's length; one row a run, which `watch` sees."""
    settings = design.paper_run(SHARE_OF_SWEEPS[effort])

    def once(generator: np.random.Generator) -> dict[str, float]:
        fits = fit_rte(rte.annotations, generator, **settings)
        first = with_sampled_categories(fits.pruned.first, generator)
        second = with_sampled_categories(fits.pruned.second, generator)
        flat = with_sampled_categories(fits.flat, generator)
        pruned = replace(fits.pruned, first=first, second=second)
        watch(pruned)
        return rte_values(design, RteFits(pruned, flat), rte)

    return repeat(once, rng, N_REPEATS[effort])


def worst_annotator(annotations: Annotations, gold: np.ndarray) -> int:
    """Return the code of the annotator furthest below the chance line, against gold."""
    rates = scores.recall_by_category(scores.confusion_counts(annotations, gold))
    return int(np.nanargmin(rates.sum(axis=1)))


def rte_facts(design: Design, rte: LoadedData, annotators: pd.DataFrame) -> dict[str, float]:
    """Compute what the labels and the gold standard alone determine."""
    annotations, gold, labels = rte.annotations, rte.gold, annotators["n_labels"]
    chance = annotators["gold_sensitivity"] + annotators["gold_specificity"]
    worst = annotators.iloc[worst_annotator(annotations, gold)]
    usual = labels == design.numbers["rte_labels_of_most"]
    return {
        "rte.n_items": annotations.n_items,
        "rte.gold_prevalence": (gold == 1).mean(),
        "rte.n_labels_per_item": np.diff(annotations.by_item.offsets).mean(),
        "rte.n_labels_per_annotator_min": labels.min(),
        "rte.n_labels_per_annotator_max": labels.max(),
        "rte.share_annotators_20_labels": 100 * usual.mean(),
        "rte.n_annotators_at_chance_share": 100 * (chance <= 1).mean(),
        "rte.worst_annotator.kappa": worst["gold_kappa"],
        "rte.worst_annotator.n_labels": worst["n_labels"],
        "rte.above_chance_line.kappa": annotators.loc[chance > 1, "gold_kappa"].min(),
        **{f"rte.voting.{n}": value for n, value in vars(count_votes(annotations, gold)).items()},
    }


def fit_muc(
    design: Design, muc: LoadedData, rng: np.random.Generator, effort: str
) -> HierarchicalBinaryFit:
    """Fit the model to the restricted tokens."""
    settings = {**sweeps(effort, 500), **design.prior, "thin": 10}
    return hierarchical_binary.fit(muc.annotations, rng=rng, **settings)


def muc_model_values(muc: LoadedData, fitted: HierarchicalBinaryFit) -> dict[str, float]:
    """Compute the sampled values of section 5; accuracy in percent, as printed."""
    model = scores.count_errors(fitted.posterior, muc.gold)
    return {
        "muc.model.errors": model.expected_errors,
        "muc.model.accuracy": 100 * model.expected_accuracy,
    }


def repeat_muc(
    design: Design, muc: LoadedData, rng: np.random.Generator, effort: str
) -> pd.DataFrame:
    """Run section 5 repeatedly at the paper's length; one row a run."""
    settings = design.paper_run(SHARE_OF_SWEEPS[effort])

    def once(generator: np.random.Generator) -> dict[str, float]:
        fitted = hierarchical_binary.fit(muc.annotations, rng=generator, **settings)
        return muc_model_values(muc, with_sampled_categories(fitted, generator))

    return repeat(once, rng, N_REPEATS[effort])


def muc_facts(gold: LoadedData) -> dict[str, float]:
    """Count tokens of the gold file."""
    person = gold.gold == 1
    capitalised = gold.items["capitalised"].fillna(True).to_numpy(dtype=bool)
    return {
        "muc.n_tokens": len(gold.items),
        "muc.n_person_tokens": person.sum(),
        "muc.n_bold_tokens": (capitalised | person).sum(),
    }


def muc_label_facts(muc: LoadedData) -> dict[str, float]:
    """Compute what the annotators' labels alone determine."""
    votes = count_votes(muc.annotations, muc.gold)
    return {
        "muc.n_restricted_tokens": muc.annotations.n_items,
        "muc.n_annotators": muc.annotations.n_annotators,
        "muc.voting.errors": votes.errors,
        "muc.voting.ties": votes.ties,
        "muc.voting.expected_errors": votes.expected_errors,
        "muc.voting.expected_accuracy": 100 * votes.expected_accuracy,
    }


def judged_errors(analysis: LoadedData, counts: "pd.Series[float]") -> dict[str, float]:
    """Count the residual errors that the author, as he went through them, did not call errors.

    He marks an error of the annotators FP or FN, and what he leaves open by ??.
    """
    marks = analysis.labels["label"].value_counts()
    n_read = marks.sum() - marks.get("unread", 0)
    share = marks.get("unmarked", 0) / n_read
    of_gold = share * counts["muc_model_errors"]
    return {
        "muc.residual_errors_gold_share": 100 * share,
        "muc.gold_impurity": 100 * of_gold / counts["muc_restricted_tokens"],
        "muc.true_accuracy": 100
        * (1 - (counts["muc_model_errors"] - of_gold) / counts["muc_restricted_tokens"]),
    }
