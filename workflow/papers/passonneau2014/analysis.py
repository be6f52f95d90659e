"""Recompute Passonneau and Carpenter (2014) from the labels of 45 words.

========================  ==========================================================
`closed_forms`            section 2: agreement, intervals, posterior, information
`trained_rows`            Figure 3: senses, trained annotators' agreement
`available_senses`        Figure 3: what its column "All" might count
`correlations`            section 3.1: agreement and the number of senses
`crowd_facts`             section 3.2: items, forms, labels, annotators
`authors_fit`             section 4: the model as the authors' program fits it
`certain_counts`          Figures 4 and 5: certain items by sense
`accuracy_facts`          section 4.2 and Figure 6: accuracies and biases of annotators
`shared_items`            section 5, Figure 7: items labelled by both groups
`information_table`       Figure 8: mutual information, with intervals
`best_optimum`            not in the paper: better optima of the same posterior
`classes_table`           not in the paper: what the classes of the optima mean
`bayes_of`                not in the paper: full Bayes, and whether its chains meet
`sensitivity`             not in the paper: what depends on the prior
`calibration`             not in the paper: how often certain items are right
`growth_table`            not in the paper: what more labels of an item bring
========================  ==========================================================
"""

import functools
import itertools
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linear_sum_assignment

from annobench import agreement, datasets
from annobench.core.files import recording, replacing
from annobench.datasets import LoadedData
from annobench.datasets.masc_crowd import by_word
from annobench.evaluation import information
from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene, hierarchical_dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit, Parameters
from annobench.models.dawid_skene.optima import restarts
from annobench.models.dawid_skene.uncertainty import bootstrap
from annobench.models.diagnostics import convergence_table
from annobench.models.hierarchical_dawid_skene import HierarchicalDawidSkeneFit
from annobench.replication.compare import (
    CALIBRATION_METHOD,
    PAPER_METHOD,
    Computed,
    plain_rows,
    write_computed,
)
from annobench.reporting import plotting

#: The words of Figures 4, 5 and 8.
FOUR = {"add": "add-v", "date": "date-n", "help": "help-v", "ask": "ask-v"}
CERTAIN = 0.99
#: What the authors' program does: its smoothing, start, criterion, last epoch.
SMOOTHING = 0.01
AUTHORS: dict[str, Any] = {"start": "diagonal", "criterion": "log_likelihood",
                           "tolerance": 1e-8, "max_iterations": 100}  # fmt: skip
SMOOTHINGS = (1e-4, 1e-3, SMOOTHING, 0.1, 1.0)
#: By effort: words whose other optima, calibration and classes are looked at, beginning with
#: the four; random starts, draws of a chain, replicates of the bootstrap.
N_STUDIED = {"full": 45, "quick": 5}
N_RANDOM = {"full": 4, "quick": 0}
N_DRAWS = {"full": 200, "quick": 40}
N_REPLICATES = {"full": 50, "quick": 3}
#: Annotators of help that the text names, and the one who fits what else it says.
SHOWN_OF_HELP = (8, 9, 41, 18)
#: Of the samples of tell, the one of five annotators; "quiet" is a copy without some answers.
LEFT_OUT = ("2.2/tell-v.6ann", "quiet")
#: Senses that fewer items than this share have are no matter for convergence or meaning.
IN_USE = 0.01
#: Vehtari et al. (2021) ask for no more; chains above it have not met.
R_HAT = 1.01
#: What the simulators are calibrated to: no finding where they stand in.
CALIBRATED = ("crowd.", "figure4.labels_per_item", "figure6.add.n_", "figure6.help.n_", "sample.")
SAMPLE_MARK = "Simulated stand-in, not the real labels"
DRAWN_MARK = "Simulated stand-in: trained labels drawn"


@dataclass(frozen=True)
class Study:
    """The data sets, split by word."""

    crowd: LoadedData
    text: LoadedData
    trained: LoadedData
    words: dict[str, Annotations]
    full: dict[str, Annotations]
    samples: dict[str, Annotations]
    provenance: str

    @classmethod
    def read(cls, folders: Mapping[str, Path]) -> "Study":
        """Read the four data sets; they are real only together."""
        crowd, text, samples, full = (
            datasets.read(folders[f"masc_{name}"])
            for name in ("crowd", "crowd_text", "trained_samples", "trained_full")
        )
        public = {
            name.split("/")[1].split(".")[0]: labels
            for name, labels in split(samples, "sample").items()
            if name.startswith("2.2") and not any(part in name for part in LEFT_OUT)
        }
        kinds = {each.provenance for each in (crowd, samples, full)}
        word = "real" if kinds == {"real"} else "simulated"
        return cls(crowd, text, full, split(crowd), split(full), public, word)


@functools.lru_cache(maxsize=16)
def split(data: LoadedData, column: str = "word") -> dict[str, Annotations]:
    """Split a data set by word, once for data that are read once."""
    return by_word(data, column=column)


def with_interval(
    target: str, found: agreement.Agreement, provenance: str, method: str = PAPER_METHOD
) -> Computed:
    """Return a coefficient with its interval over items."""
    ends = found.interval()
    return Computed(target, found.estimate, lower=ends.lower, upper=ends.upper, level=ends.level,
                    method=method, provenance=provenance)  # fmt: skip


# ------------------------------------------------------------------------- section 2


def chance_paradox(prevalence: float, accuracy: float) -> dict[str, float]:
    """Return agreement and its coefficient of two annotators who err independently."""
    observed = accuracy**2 + (1 - accuracy) ** 2
    share = prevalence * accuracy + (1 - prevalence) * (1 - accuracy)
    expected = share**2 + (1 - share) ** 2
    return {
        "paradox.observed_agreement": observed,
        "paradox.majority_label_share": share,
        "paradox.minority_label_share": 1 - share,
        "paradox.coefficient": (observed - expected) / (1 - expected),
    }


def coefficient_range(n_items: int) -> tuple[float, float]:
    """Return the least and greatest chance-adjusted agreement over all two-by-two tables."""
    cells = itertools.product(range(n_items + 1), repeat=3)
    a, b, c = np.array([abc for abc in cells if sum(abc) <= n_items]).T
    d = n_items - a - b - c
    observed = (a + d) / n_items
    expected = ((a + b) * (a + c) + (c + d) * (b + d)) / n_items**2
    possible = expected < 1
    found = (observed[possible] - expected[possible]) / (1 - expected[possible])
    return float(found.min()), float(found.max())


def confusion_matrices(examples: pd.DataFrame) -> dict[str, list[list[Fraction]]]:
    """Return the matrices of section 2.2.1 by annotator, rows by true category."""
    matrices: dict[str, list[list[Fraction]]] = {}
    for key, text in zip(examples["annotator_category"], examples["label1"], strict=True):
        first = Fraction(text)
        matrices.setdefault(key.split("/")[0], []).append([first, 1 - first])
    return matrices


def worked_example(
    examples: pd.DataFrame, prior: tuple[Fraction, Fraction], given: Mapping[str, int]
) -> dict[str, float]:
    """Compute the posterior of section 2.2.1, in fractions, from the labels by annotator."""
    matrices, votes_given = confusion_matrices(examples), list(given.values())
    joint = [math.nan, math.nan]
    if set(votes_given) <= {1, 2}:
        joint = [
            float(p * math.prod(matrices[who][k][label - 1] for who, label in given.items()))
            for k, p in enumerate(prior)
        ]
    total = sum(joint)
    return {
        **{f"example.joint.{k}": each for k, each in enumerate(joint, start=1)},
        **{f"example.posterior.{k}": each / total if total else math.nan
           for k, each in enumerate(joint, start=1)},
        "example.majority": max(votes_given, key=votes_given.count),
    }  # fmt: skip


def example_information(
    examples: pd.DataFrame, prior: tuple[Fraction, Fraction]
) -> dict[str, float]:
    """Compute the entropies and mutual informations of section 2.2.2."""
    matrices = confusion_matrices(examples)
    names, confusion = list(matrices), np.array(list(matrices.values()), dtype=float)
    prevalence = [float(p) for p in prior]
    left = dict(zip(names, information.conditional_entropy(prevalence, confusion), strict=True))
    bits = dict(zip(names, information.mutual_information(prevalence, confusion), strict=True))
    people = [name for name in names if name.isdigit()]
    return {
        **{f"information.conditional_entropy.{n}": left[n] for n in people},
        **{f"information.mutual.{n}": bits[n] for n in people},
        "information.best_annotator": int(max(people, key=bits.__getitem__)),
        "information.spam": bits["spam"],
        "information.perfect_conditional_entropy": left["perfect"],
    }


def normal_quantile(level: float) -> float:
    """Return how many standard errors an interval of this level reaches either way."""
    return float(stats.norm.ppf((1 + level) / 2))


def half_width(share: float, n: float, level: float) -> float:
    """Return half of the interval of a share, by the normal approximation."""
    return normal_quantile(level) * math.sqrt(share * (1 - share) / n)


def closed_forms(number: pd.Series, examples: pd.DataFrame) -> dict[str, float]:
    """Compute all that section 2 and the sample sizes of section 3.2 say."""
    prevalence = Fraction(str(number["example_prevalence_1"]))
    prior = (prevalence, 1 - prevalence)
    given = {n: int(number[f"example_label_{n}"]) for n in "123"}
    n, correct = number["accuracy_interval_n"], number["accuracy_interval_correct"]
    width = half_width(correct / n, n, number["accuracy_interval_level"])
    items, rare = number["prevalence_interval_n"], number["prevalence_interval_prevalence"]
    least, greatest = coefficient_range(6)
    adversaries = chance_paradox(number["paradox_prevalence"], number["adversaries_accuracy"])
    return {
        "coefficient.min": least,
        "coefficient.max": greatest,
        "both_wrong.share": 100 * (1 - number["both_wrong_accuracy"]) ** 2,
        **chance_paradox(number["paradox_prevalence"], number["paradox_accuracy"]),
        "adversaries.coefficient": 100 * adversaries["paradox.coefficient"],
        "accuracy_interval.lower": 100 * (correct / n - width),
        "accuracy_interval.upper": 100 * (correct / n + width),
        "bootstrap.factor": normal_quantile(number["bootstrap_level"]),
        **worked_example(examples, prior, given),
        "voting.max_weight": math.log(1),
        **example_information(examples, prior),
        "prevalence_interval.expected": items * rare,
        "prevalence_interval.half_width": half_width(
            rare, items, number["prevalence_interval_level"]
        ),
    }


def arithmetic(number: pd.Series, words: pd.DataFrame, counts: pd.DataFrame) -> dict[str, float]:
    """Compute what printed numbers say of each other."""
    unit = unit_costs(number)
    counts = with_sense(counts)
    rest = counts["sense"] == "rest"
    subtotal = counts[~rest].groupby("word")["count"].sum()
    left = counts[rest].set_index("word")["count"]
    printed = words.set_index(words["word"].str.split("-").str[0])
    ranks = printed.loc[list(FOUR), "alpha"].rank(ascending=False)
    p = number["paradox_prevalence"]
    chance = p**2 + (1 - p) ** 2
    result = {
        "paradox.coefficient.arithmetic": (number["paradox_accuracy"] - chance) / (1 - chance),
        "uncertain.help.arithmetic": 100 * left["help"] / (subtotal["help"] + left["help"]),
        "low_alpha.n_words": (words["alpha"] < number["low_alpha_threshold"]).sum(),
        "figure6.add.rank": ranks["add"],
        "figure6.help.rank": ranks["help"],
        "figure7.n_words.arithmetic": number["figure7_n_high"] + number["figure7_n_low"],
        "cost.trained_unit": unit["trained"],
        "cost.crowd_unit": unit["crowd"],
        "cost.ratio": unit["crowd"] / unit["trained"],
    }
    for name in FOUR:
        result[f"figure5.{name}.subtotal.count.arithmetic"] = subtotal[name]
        result[f"figure5.{name}.total.count.arithmetic"] = subtotal[name] + left[name]
        result[f"figure4.{name}.alpha"] = printed.loc[name, "alpha"]
        result[f"figure4.text.{name}.alpha"] = printed.loc[name, "alpha"]
        result[f"figure4.{name}.agreement"] = printed.loc[name, "agreement"]
    return result


def with_sense(counts: pd.DataFrame) -> pd.DataFrame:
    """Take the rows of Figure 5's table apart: word and sense, or "rest"."""
    parts = counts["word_sense"].str.split("/", expand=True)
    return counts.assign(word=parts[0], sense=parts[1])


# ------------------------------------------------------------- section 3: the labels


@functools.lru_cache(maxsize=256)
def nominal_agreement(labels: Annotations) -> dict[str, agreement.Agreement]:
    """Return alpha and pairwise agreement, every answer a category."""
    return {
        "alpha": agreement.krippendorff_alpha(labels),
        "agreement": agreement.percent_agreement(labels),
    }


def trained_rows(study: Study, words: pd.DataFrame) -> list[Computed]:
    """Compute Figure 3, and beside it the agreement of the crowd."""
    offered = study.crowd.items.groupby("word")["senses_offered"].first()
    rows = []
    for key in words["word"]:
        name = key.split("-")[0]
        values = {"senses": offered[key]}
        if key in study.full:
            full = study.full[key]
            used = np.bincount(full.label, minlength=full.n_categories) > 0
            values["used"] = sum(c.isdigit() for c, u in zip(full.categories, used, strict=True)
                                 if u)  # fmt: skip
            rows += [with_interval(f"figure3.{name}.{what}", found, study.provenance)
                     for what, found in nominal_agreement(study.samples[key]).items()]  # fmt: skip
        rows += [with_interval(f"figure3.{name}.{what}", found, study.provenance, "crowd")
                 for what, found in nominal_agreement(study.words[key]).items()]  # fmt: skip
        rows += plain_rows({f"figure3.{name}.{k}": v for k, v in values.items()}, study.provenance)
    return rows


def agreement_table(rows: list[Computed], words: pd.DataFrame) -> pd.DataFrame:
    """Put printed and computed agreement side by side, one row a word."""
    table = words.rename(columns={"alpha": "trained_alpha", "agreement": "trained_agreement"})
    table["implied_chance"] = (table["trained_agreement"] - table["trained_alpha"]) / (
        1 - table["trained_alpha"]
    )
    of = {(row.target, row.method): row for row in rows}
    for column, (what, method) in {
        "crowd_alpha": ("alpha", "crowd"),
        "crowd_agreement": ("agreement", "crowd"),
        "public_alpha": ("alpha", PAPER_METHOD),
        "public_agreement": ("agreement", PAPER_METHOD),
    }.items():
        found = [of.get((f"figure3.{w.split('-')[0]}.{what}", method)) for w in words["word"]]
        table[column] = [row.value if row else np.nan for row in found]
        table[f"{column}_lower"] = [row.lower if row else np.nan for row in found]
        table[f"{column}_upper"] = [row.upper if row else np.nan for row in found]
    table["senses_offered"] = [of[f"figure3.{w.split('-')[0]}.senses", PAPER_METHOD].value
                               for w in words["word"]]  # fmt: skip
    return table


def available_senses(study: Study, words: pd.DataFrame, wordnet: pd.DataFrame) -> pd.DataFrame:
    """Return what Figure 3's column "All" might count, by word."""
    table = words[["word", "senses", "used"]].set_index("word")
    table.columns = pd.Index(["printed", "printed_used"])
    offered = study.crowd.items.groupby("word")["senses_offered"].first()
    table["offered"] = offered
    table["offered_and_none"] = table["offered"] + 1
    table["offered_and_four_none"] = table["offered"] + 4
    table["used_and_none"] = table["printed_used"] + 1
    table["used_and_four_none"] = table["printed_used"] + 4
    table[["wordnet", "wordnet_any_part_of_speech"]] = wordnet.set_index("word").to_numpy()
    table["crowd_answers"] = {w: (a.counts.sum(axis=0) > 0).sum() for w, a in study.words.items()}
    answers = {w: np.array(a.categories)[a.counts.sum(axis=0) > 0] for w, a in study.full.items()}
    table["trained_answers"] = {w: len(found) for w, found in answers.items()}
    table["sample_answers"] = {
        w: (a.counts.sum(axis=0) > 0).sum() for w, a in study.samples.items()
    }
    table["trained_senses_and_none"] = {
        w: 1 + sum(map(str.isdigit, found)) for w, found in answers.items()
    }
    return table.reset_index()


def readings(table: pd.DataFrame) -> pd.DataFrame:
    """Count for each reading of "All" the words that it gives the printed number of."""
    rows = []
    for name in table.columns[3:]:
        known = table.dropna(subset=[name])
        ahead = known["printed"] - known[name]
        constant = ahead.value_counts()
        rows.append({"reading": name, "words": len(known), "equal": (ahead == 0).sum(),
                     "printed_is_larger": (ahead > 0).sum(),
                     "printed_is_smaller": (ahead < 0).sum(),
                     "best_constant": constant.index[0],
                     "equal_with_best_constant": constant.iloc[0]})  # fmt: skip
    return pd.DataFrame(rows)


def typical_alpha(study: Study) -> float:
    """Return the mean alpha of the public samples of trained annotators."""
    return float(np.mean([nominal_agreement(a)["alpha"].estimate for a in study.samples.values()]))


def unseen_rows(study: Study, fits: Mapping[str, DawidSkeneFit]) -> list[Computed]:
    """Compute Figure 3 of the words without public labels for simulated trained annotators.

    Each knows an item's sense or guesses by the model's prevalences. How often they know is
    what gives the mean alpha of the public samples; of a thousand items each has one label.
    """
    alpha, values = typical_alpha(study), {}
    for key in fits.keys() - study.full.keys():
        name, share = key.split("-")[0], fits[key].prevalence
        values |= {f"figure3.{name}.alpha": alpha,
                   f"figure3.{name}.agreement": alpha + (1 - alpha) * (share**2).sum(),
                   f"figure3.{name}.used": (1 - (1 - share[:-1]) ** 1000).sum()}  # fmt: skip
    return plain_rows(dict(sorted(values.items())), "simulated")


def fisher(r: float, n: int, level: float) -> tuple[float, float]:
    """Return Fisher's interval of a correlation."""
    reach = stats.norm.ppf((1 + level) / 2) / math.sqrt(n - 3)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Correlate agreement with the number of senses, over the words.

    The equivalence bound is the smallest correlation, either way, that two one-sided tests
    of 5% would exclude: 45 words can't show that there is none.
    """
    rows = []
    for who, what, senses in (
        *(("trained", w, s) for w in ("alpha", "agreement") for s in ("senses", "used")),
        *(("crowd", w, "senses_offered") for w in ("alpha", "agreement")),
    ):
        r, p = stats.pearsonr(table[f"{who}_{what}"], table[senses])
        lower, upper = fisher(r, len(table), 0.95)
        bound = max(map(abs, fisher(r, len(table), 0.90)))
        rows.append({"annotators": who, "measure": what, "senses": senses, "r": r, "lower": lower,
                     "upper": upper, "p_value": p, "equivalence_bound": bound})  # fmt: skip
    return pd.DataFrame(rows)


def labels_per_item(labels: Annotations) -> np.ndarray:
    """Count the labels of each item."""
    return np.bincount(labels.item, minlength=labels.n_items)


def crowd_facts(study: Study) -> dict[str, float]:
    """Count what section 3 says of the crowd's labels and of the trained annotators'."""
    n = np.concatenate([labels_per_item(a) for a in study.words.values()])
    items = study.crowd.items
    sizes = [a.n_items for a in study.words.values()]
    each = np.concatenate([labels_per_item(a) for a in study.full.values()])
    offered = items.groupby("word")["senses_offered"].first()
    samples = study.samples.values()
    return {
        "crowd.max_labels": n.max(),
        "crowd.n_words": len(study.words),
        "crowd.sentences_per_form": items.groupby(["word", "form"]).size().max(),
        "crowd.max_forms": items.groupby("word")["form"].nunique().max(),
        "crowd.min_items": min(sizes),
        "crowd.max_items": max(sizes),
        "crowd.min_labels_per_item": n.min(),
        "crowd.max_labels_per_item": n.max(),
        "crowd.n_annotators": study.crowd.labels["annotator"].nunique(),
        "sample.n_sentences": np.median([a.n_items for a in samples]),
        "sample.min_annotators": min(a.n_annotators for a in samples),
        "sample.max_annotators": max(a.n_annotators for a in samples),
        "trained.single_label_share": 100 * (each == 1).mean(),
        "trained.multiple_label_share": 100 * (each > 1).mean(),
        "figure4.labels_per_item": min(
            study.words[k].n_labels / study.words[k].n_items for k in FOUR.values()
        ),
        **{f"figure4.{w}.senses": offered[FOUR[w]] for w in ("help", "ask")},
        **{f"figure6.{w}.n_annotators": study.words[FOUR[w]].n_annotators for w in ("add", "help")},
    }


def design_table(study: Study) -> pd.DataFrame:
    """Describe the crowd's labels, one row a word."""
    forms = study.crowd.items.groupby("word")["form"].nunique()
    rows = []
    for word, a in study.words.items():
        n = labels_per_item(a)
        rows.append({"word": word, "items": a.n_items, "forms": forms[word],
                     "annotators": a.n_annotators, "labels": a.n_labels,
                     "labels_per_item": n.mean(), "least": n.min(), "most": n.max()})  # fmt: skip
    return pd.DataFrame(rows)


# ----------------------------------------------------------------- section 4: the model


def authors_fit(labels: Annotations, smoothing: float | None = None) -> DawidSkeneFit:
    """Fit the model as the authors' program does."""
    return dawid_skene.fit(
        labels, smoothing=SMOOTHING if smoothing is None else smoothing, **AUTHORS
    )


@functools.lru_cache(maxsize=256)
def fit_once(
    labels: Annotations, smoothing: float, settings: tuple[tuple[str, Any], ...]
) -> DawidSkeneFit:
    """Fit a word once, as long as neither its labels nor the settings change."""
    return dawid_skene.fit(labels, smoothing=smoothing, **dict(settings))


def fits_of(words: Mapping[str, Annotations], smoothing: float) -> dict[str, DawidSkeneFit]:
    """Fit every word as the authors' program does."""
    settings = tuple(AUTHORS.items())
    return {name: fit_once(labels, smoothing, settings) for name, labels in words.items()}


def is_certain(posterior: np.ndarray) -> np.ndarray:
    """Say which items have a category of at least .99."""
    return np.asarray(posterior.max(axis=1) >= CERTAIN)


def certain_by_category(posterior: np.ndarray, categories: Sequence[str]) -> dict[str, int]:
    """Count the certain items of each category."""
    sure = posterior[is_certain(posterior)].argmax(axis=1)
    count = np.bincount(sure, minlength=len(categories))
    return dict(zip(categories, map(int, count), strict=True))


def certain_counts(fits: Mapping[str, DawidSkeneFit], rows_of: pd.DataFrame) -> dict[str, float]:
    """Compute the rows that Figure 5 has of its four words."""
    result: dict[str, float] = {}
    rows_of = with_sense(rows_of)
    for name, key in FOUR.items():
        fit, n = fits[key], len(fits[key].items)
        by_category = certain_by_category(fit.posterior, fit.categories)
        total = sum(by_category.values())
        senses = rows_of[(rows_of["word"] == name) & (rows_of["sense"] != "rest")]["sense"]
        rows = {sense: by_category.get(sense, 0) for sense in senses}
        rows |= {"subtotal": total, "rest": n - total, "total": n}
        for row, count in rows.items():
            result[f"figure5.{name}.{row}.count"] = count
            result[f"figure5.{name}.{row}.share"] = count / n
        result[f"figure5.{name}.caption"] = 100 * total / n
    return result


def certain_facts(fits: Mapping[str, DawidSkeneFit], number: pd.Series) -> dict[str, float]:
    """Compute what section 4.1 says of certainty, and the prevalence of add's first sense."""
    share = {key: 100 * is_certain(fit.posterior).mean() for key, fit in fits.items()}
    best = fits[FOUR["help"]].posterior.max(axis=1)
    middling = (best < CERTAIN) & (best > number["uncertain_threshold"])
    return {
        "figure4.add.mle.1": fits[FOUR["add"]].prevalence[0],
        "certain.date": share[FOUR["date"]],
        "certain.help": share[FOUR["help"]],
        "uncertain.help": 100 - share[FOUR["help"]],
        "uncertain.help.above_threshold": 100 * middling.mean(),
        "certain.n_words": sum(s >= 100 * number["certain_share"] for s in share.values()),
    }


def mean_accuracy(fit: DawidSkeneFit) -> dict[str, float]:
    """Return the mean over annotators of the accuracy on each category."""
    accuracy = np.einsum("jkk->k", fit.confusion) / len(fit.annotators)
    return dict(zip(fit.categories, map(float, accuracy), strict=True))


def joint_counts(fit: DawidSkeneFit, labels: Annotations) -> np.ndarray:
    """Return the expected number of labels by annotator, true category and label."""
    count = np.zeros((labels.n_annotators, labels.n_categories, labels.n_categories))
    where = labels.annotator, labels.label
    np.add.at(count.transpose(0, 2, 1), where, fit.posterior[labels.item])
    return count


def annotators_of_help(fit: DawidSkeneFit, labels: Annotations) -> pd.DataFrame:
    """Say of each annotator of help which of section 4.2's statements hold, senses by number."""
    count = joint_counts(fit, labels)
    given, true = count.sum(axis=1), count.sum(axis=2)
    excess, when_1 = given - true, count[:, :, 0]
    table = pd.DataFrame({
        "annotator": np.arange(1, labels.n_annotators + 1),
        "labels": given.sum(axis=1).round().astype(int),
        "accuracy": np.einsum("jkk->j", fit.confusion) / len(fit.categories),
        "overused_beside_1": 2 + excess[:, 1:].argmax(axis=1),
        "excess_1": excess[:, 0], "excess_2": excess[:, 1], "excess_3": excess[:, 2],
        "commonest_error_when_1": 2 + when_1[:, 1:].argmax(axis=1),
        "assigned_6": given[:, 5].round().astype(int),
        "assigned_8": given[:, 7].round().astype(int),
        "share_truly_6_when_1": when_1[:, 5] / when_1.sum(axis=1).clip(min=1),
    })  # fmt: skip
    table["overuses_1"] = table["excess_1"] > 0
    table["overuses_2"] = table["excess_2"] > 0
    table["overuses_3"] = table["excess_3"] > 0
    table["neither_6_nor_8"] = (table["assigned_6"] == 0) & (table["assigned_8"] == 0)
    table["often_6_when_1"] = table["commonest_error_when_1"] == 6
    return table


def accuracy_facts(fits: Mapping[str, DawidSkeneFit], help_: pd.DataFrame) -> dict[str, float]:
    """Compute section 4.2: mean accuracies, and biases of the annotators it names."""
    add, of_help = mean_accuracy(fits[FOUR["add"]]), mean_accuracy(fits[FOUR["help"]])
    means = np.concatenate([np.einsum("jkk->j", f.confusion) / len(f.categories)
                            for f in fits.values()])  # fmt: skip
    named = help_.set_index("annotator").reindex([8, 9, 41])
    # Figure 5 prints rows that a word hasn't; there the accuracy is that of the code's row.
    of_add = dict(enumerate(add.values(), start=1))
    return {
        "accuracy.max": means.max(),
        "accuracy.min": means.min(),
        **{f"accuracy.add.{s}": of_add.get(s, np.nan) for s in (1, 2, 6, 7)},
        **{f"accuracy.help.{s}": of_help.get(str(s), np.nan) for s in (1, 4, 5, 7)},
        "accuracy.help.other": of_help["0"],
        "accuracy.help.max": max(of_help.values()),
        "accuracy.help.min": min(of_help.values()),
        "figure6.help.assigned_6": named["assigned_6"].sum(),
        "figure6.help.assigned_8": named["assigned_8"].sum(),
        **{f"figure6.help.overused.{j}": row["overused_beside_1"] for j, row in named.iterrows()},
        "figure6.help.true_when_1": named.loc[8, "commonest_error_when_1"],
    }


def votes(labels: Annotations) -> np.ndarray:
    """Return the shares of each item's labels, shape (I, K)."""
    return np.asarray(labels.counts / labels.counts.sum(axis=1, keepdims=True))


def most_named(share: np.ndarray) -> np.ndarray:
    """Give each item to the category with the largest share; ties share it."""
    top = (share == share.max(axis=1, keepdims=True)) & (share > 0)
    return top / top.sum(axis=1, keepdims=True).clip(min=1)


def prevalence_table(study: Study, fits: Mapping[str, DawidSkeneFit]) -> pd.DataFrame:
    """Return prevalences by model and by vote, and by trained labels where these are public."""
    parts = []
    for word in (*FOUR.values(), *study.full):
        labels, fit = study.words[word], fits[word]
        share = votes(labels)
        part = pd.DataFrame(
            {
                "word": word,
                "sense": fit.categories,
                "model": fit.prevalence,
                "plurality": most_named(share).mean(axis=0),
                "labels": share.mean(axis=0),
            }
        )
        part["trained"] = trained_prevalence(study.full.get(word), fit.categories)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def trained_prevalence(labels: Annotations | None, senses: tuple[str, ...]) -> list[float]:
    """Return the shares of senses among the trained labels, an answer without a sense as 0."""
    if labels is None:
        return [np.nan] * len(senses)
    share = dict(zip(labels.categories, votes(labels).mean(axis=0), strict=True))
    known = {s: share.get(s, 0.0) for s in senses if s != "0"}
    return [known.get(s, 1 - sum(known.values())) for s in senses]


def as_few(labels: Annotations, like: Annotations, rng: np.random.Generator) -> Annotations:
    """Take as many items and annotators as another sample has, each item labelled by all."""
    done = np.bincount(labels.annotator, minlength=labels.n_annotators)
    able = np.flatnonzero(done >= labels.n_items / 2)
    chosen = rng.choice(able, size=min(like.n_annotators, able.size), replace=False)
    mine = np.isin(labels.annotator, chosen)
    complete = np.bincount(labels.item[mine], minlength=labels.n_items) >= chosen.size
    common = np.flatnonzero(complete)
    items = rng.choice(common, size=min(like.n_items, common.size), replace=False)
    return labels.select(annotators=chosen, labels=np.isin(labels.item, items))


def information_table(
    study: Study, fits: Mapping[str, DawidSkeneFit], n_replicates: int, rng: np.random.Generator
) -> pd.DataFrame:
    """Return the mutual information of each annotator's label, the nine words' trained too.

    Intervals are of the bootstrap over items: they carry what is unknown of the items' senses.
    A fit to few items makes labels look more informative than they are, so that the trained
    annotators' samples stand beside samples of the crowd's labels of the same size.
    """
    groups = [(w, "crowd", study.words[w], fits[w]) for w in (*FOUR.values(), *study.full)]
    few = {w: as_few(study.words[w], a, rng) for w, a in study.samples.items()}
    groups += [(w, "crowd, as few", a, dawid_skene.fit(a)) for w, a in few.items()]
    groups += [(w, "trained", a, dawid_skene.fit(a)) for w, a in study.samples.items()]
    parts = []
    for word, who, labels, fit in groups:
        # Replicates need fewer digits than the fit: this one says how far they go.
        coarse = dawid_skene.fit(labels, start=fit.parameters, tolerance=1e-6)
        drawn = bootstrap(labels, coarse, rng=rng, replicates=n_replicates)
        ends = information.with_interval(
            information.mutual_information(drawn.prevalence, drawn.confusion)
        )
        parts.append(pd.DataFrame({
            "word": word, "annotators": who, "annotator": fit.annotators,
            "labels": np.bincount(labels.annotator, minlength=labels.n_annotators),
            "bits": information.mutual_information(fit.prevalence, fit.confusion),
            "lower": ends.lower, "upper": ends.upper,
            "entropy": information.entropy(fit.prevalence),
        }))  # fmt: skip
    return pd.concat(parts, ignore_index=True)


# ------------------------------------------------------------------- section 5: both groups


def shared_items(study: Study) -> tuple[dict[str, tuple[np.ndarray, np.ndarray]], str]:
    """Find items that the crowd and trained annotators labelled, by their sentence.

    A sentence's length and the place of the word in it name an item where they are unique in
    both sets. Without the sentences the trained labels are drawn instead.

    Returns
    -------
    dict, str
        By word the crowd's item codes and the trained labels' shares (items, senses);
        provenance.
    """
    if study.text.provenance != "real" or study.provenance != "real":
        return {}, "simulated"
    crowd = study.text.items.assign(sentence_length=study.text.items["text"].str.len())
    key = ["word", "sentence_length", "word_start"]
    one = crowd.dropna(subset=key).drop_duplicates(key, keep=False)
    other = study.trained.items.dropna(subset=key).drop_duplicates(key, keep=False)
    pairs = one[[*key, "item"]].merge(other[[*key, "item"]], on=key, suffixes=("", "_trained"))
    result = {}
    for word, rows in pairs.groupby("word"):
        full = study.full[word]
        at = pd.Index(study.words[word].items).get_indexer(pd.Index(rows["item"]))
        share = votes(full)[pd.Index(full.items).get_indexer(pd.Index(rows["item_trained"]))]
        trained = by_sense(share, full.categories, study.words[word].categories)
        if agree_beyond_chance(trained, votes(study.words[word])[at]):
            result[word] = at, trained
    return result, "real" if result else "simulated"


def agree_beyond_chance(first: np.ndarray, second: np.ndarray) -> bool:
    """Say whether two sets of shares of the same items agree, as they must if rightly joined."""
    chance = first.mean(axis=0) @ second.mean(axis=0)
    return bool((first * second).sum(axis=1).mean() > chance)


def by_sense(share: np.ndarray, have: tuple[str, ...], want: tuple[str, ...]) -> np.ndarray:
    """Put shares of trained labels into the crowd's categories; what isn't there is 0."""
    result = np.zeros((len(share), len(want)))
    for k, name in enumerate(have):
        place = name if name in want else "0"
        if place in want:
            result[:, want.index(place)] += share[:, k]
    return result


def drawn_trained(
    study: Study, fits: Mapping[str, DawidSkeneFit], rng: np.random.Generator
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Draw a trained label for the crowd's items, by word.

    An annotator knows the model's sense or guesses by the shares of trained labels (the
    model's where these are not public), and knows as often as gives the public alpha.
    """
    typical, result = typical_alpha(study), {}
    for word, fit in fits.items():
        full, sample = study.full.get(word), study.samples.get(word)
        n = len(fit.items) if full is None else min(len(fit.items), full.n_items)
        alpha = typical if sample is None else nominal_agreement(sample)["alpha"].estimate
        share = fit.prevalence if full is None else trained_prevalence(full, fit.categories)
        share = np.clip(share, 0, None)
        guessed = rng.choice(len(share), size=n, p=share / share.sum())
        knows = rng.random(n) < math.sqrt(max(alpha, 0))
        label = np.where(knows, fit.posterior[:n].argmax(axis=1), guessed)
        result[word] = np.arange(n), np.eye(len(share))[label]
    return result


def same_label_table(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    drawn: Mapping[str, tuple[np.ndarray, np.ndarray]],
    joined: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> pd.DataFrame:
    """Compute Figure 7: how often trained label, plurality and model are the same."""
    rows = []
    for word, (item, trained) in {**drawn, **joined}.items():
        share = votes(study.words[word])[item]
        plurality = most_named(share)
        model = np.eye(share.shape[1])[fits[word].posterior[item].argmax(axis=1)]
        best = most_named(trained)
        pairs = {"trained_plurality": (best, plurality), "trained_model": (best, model),
                 "plurality_model": (plurality, model)}  # fmt: skip
        same = {name: (a * b).sum(axis=1).mean() for name, (a, b) in pairs.items()}
        kind = "real" if word in joined else "simulated"
        rows.append({"word": word, "items": len(item), "trained_labels": kind, **same})
    table = pd.DataFrame(rows)
    table["mean"] = table[list(pairs)].mean(axis=1)
    return table.sort_values("mean", ascending=False, ignore_index=True)


def same_label_facts(
    study: Study,
    table: pd.DataFrame,
    drawn: Mapping[str, tuple[np.ndarray, np.ndarray]],
    number: pd.Series,
) -> list[Computed]:
    """Say of the simulated labels what section 5 says of the trained ones of all words."""
    mean, n_high = 100 * table["mean"], int(number["figure7_n_high"])
    high, low = mean[:n_high], mean[n_high:]
    enough = int((mean >= 100 * number["figure7_high_lower"]).sum())
    values = {"figure7.n_high": enough, "figure7.n_low": len(table) - enough,
              "figure7.high.lower": high.min(), "figure7.high.upper": high.max(),
              "figure7.low.lower": low.min(), "figure7.low.upper": low.max()}  # fmt: skip
    for name, word in (("meet", "meet-v"), ("date", "date-n")):
        item, trained = drawn[word]
        here, there = (int(number[f"{name}_{who}_sense"]) - 1 for who in ("trained", "crowd"))
        both = trained[:, here] * most_named(votes(study.words[word])[item])[:, there]
        values[f"{name}.share"] = 100 * both.mean()
    values["common.board"] = len(drawn["board-n"][0])
    return plain_rows(values, "simulated")


# ------------------------------------------------------------ not in the paper: the optima


@dataclass(frozen=True)
class Optimum:
    """The best optimum found of a word, beside the one the authors' start leads to."""

    best: DawidSkeneFit
    row: dict[str, Any]


def best_optimum(
    word: str, labels: Annotations, fit: DawidSkeneFit, n_random: int, rng: np.random.Generator
) -> Optimum:
    """Look for optima of one word from many starts."""
    share = votes(labels)
    hard = np.eye(labels.n_categories)[share.argmax(axis=1)]
    # The authors' fit is taken on to convergence instead of begun again.
    starts = (fit.parameters, "votes", "spectral", hard)
    found = restarts(labels, rng=rng, n_random=n_random, starts=starts, max_iterations=500)
    best, certain = found.best, [is_certain(f.posterior).mean() for f in found.fits]
    reached = found.table.set_index("start")["log_posterior"]
    own, other = fit.posterior.argmax(axis=1), best.posterior.argmax(axis=1)
    return Optimum(best, {
        "word": word, "authors": fit.log_posterior, "from_authors": reached["given 0"],
        "from_votes": reached["votes"], "from_majority": reached["given 3"],
        "from_spectral": reached["spectral"], "best": best.log_posterior,
        "gain": best.log_posterior - fit.log_posterior, "n_optima": len(found.fits),
        "items_moved_by_rounding": moved_by_rounding(labels, fit, rng),
        "certain_authors": is_certain(fit.posterior).mean(),
        "certain_best": is_certain(best.posterior).mean(),
        "certain_least": min(certain), "certain_most": max(certain),
        "same_class": (own == other).mean(),
        "first_sense_authors": fit.prevalence[0], "first_sense_best": best.prevalence[0],
        "prevalence_distance": abs(fit.prevalence - best.prevalence).sum() / 2,
    })  # fmt: skip


def moved_by_rounding(labels: Annotations, fit: DawidSkeneFit, rng: np.random.Generator) -> float:
    """Return how many items change class if the start differs in its twelfth digit."""
    k = labels.n_categories
    matrix = np.full((labels.n_annotators, k, k), 0.3 / k)
    matrix[:, np.arange(k), np.arange(k)] = 0.7
    matrix *= 1 + 1e-12 * rng.standard_normal(matrix.shape)
    start = Parameters(np.full(k, 1 / k), matrix / matrix.sum(axis=2, keepdims=True))
    near = dawid_skene.fit(labels, smoothing=SMOOTHING, **{**AUTHORS, "start": start})
    moved = float(abs(near.posterior - fit.posterior).sum() / 2)
    return round(moved, 3)


def meaning(posterior: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return the label that items of each class are given most, as a code."""
    return np.asarray((posterior.T @ share).argmax(axis=1))


def classes_table(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    optima: Mapping[str, Optimum],
    chains: pd.DataFrame,
    joined: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> pd.DataFrame:
    """Say of two optima whether their classes mean the senses they are named after.

    A class in use means its sense if its items are given that label most. By meaning, an item
    has the sense that its class means, so that classes of one meaning are put together.
    """
    rows = []
    for word in optima:
        labels = study.words[word]
        share, full = votes(labels), study.full.get(word)
        trained = np.array(trained_prevalence(full, labels.categories))
        row: dict[str, Any] = {"word": word}
        for name, fit in (("authors", fits[word]), ("best", optima[word].best)):
            means, own = meaning(fit.posterior, share), fit.posterior.argmax(axis=1)
            used = np.flatnonzero(fit.prevalence >= IN_USE)
            by_meaning = np.bincount(means, fit.prevalence, labels.n_categories)
            row |= {
                f"classes_{name}": used.size,
                f"mean_their_name_{name}": (means[used] == used).sum(),
                f"meanings_{name}": np.unique(means[used]).size,
                f"plurality_{name}": (own == share.argmax(axis=1)).mean(),
                f"plurality_{name}_by_meaning": (means[own] == share.argmax(axis=1)).mean(),
                f"trained_distance_{name}": abs(trained - fit.prevalence).sum() / 2,
                f"trained_distance_{name}_by_meaning": abs(trained - by_meaning).sum() / 2,
            }
            if word in joined:
                item, given = joined[word]
                same = (most_named(given) * np.eye(labels.n_categories)[own[item]]).sum(axis=1)
                row[f"trained_items_{name}"] = same.mean()
        row["trained_distance_plurality"] = abs(trained - most_named(share).mean(axis=0)).sum() / 2
        likeliest = chains[chains["word"] == word].nlargest(1, "log_likelihood")
        for name in ("authors", "best"):
            row[f"bayes_same_{name}"] = likeliest[f"same_as_{name}"].max()
        if full is None:
            row |= {k: np.nan for k in row if k.startswith("trained_")}
        rows.append(row)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class Bayes:
    """Full Bayes of a word, its classes put in the order of the best optimum's.

    The names of classes may change from draw to draw and chain to chain where two classes are
    much alike. Each draw is therefore aligned by the items before anything is averaged.
    """

    categories: tuple[str, ...]
    item_probability: np.ndarray  # (chains, draws, items, categories)
    chains: pd.DataFrame
    row: dict[str, Any]

    @property
    def of_chain(self) -> np.ndarray:
        """Posterior by chain, shape (C, I, K)."""
        return np.asarray(self.item_probability.mean(axis=1))


def log_likelihoods(full: HierarchicalDawidSkeneFit, labels: Annotations, n: int) -> np.ndarray:
    """Return the log likelihood of n draws of each chain, categories summed out."""
    draws, view = full.draws, labels.by_item
    annotator, label = labels.annotator[view.order], labels.label[view.order]
    n_stored = draws.confusion.shape[1]
    thin = -(-draws.prevalence.shape[1] // n_stored)
    result = np.empty((len(draws.confusion), n))
    for c, s in np.ndindex(result.shape):
        at = s * n_stored // n
        matrix = np.log(np.maximum(draws.confusion[c, at], 1e-30)).swapaxes(1, 2)
        log_joint = np.add.reduceat(matrix[annotator, label], view.offsets[:-1])
        log_joint = log_joint.astype(float) + np.log(draws.prevalence[c, at * thin])
        result[c, s] = np.logaddexp.reduce(log_joint, axis=1).sum()
    return result


def largest_r_hat(draws: np.ndarray, names: Sequence[str]) -> float:
    """Return the largest R-hat of prevalences, shape (C, S, K), of the senses in use."""
    used = draws.mean(axis=(0, 1)) >= IN_USE
    kept = [name for name, use in zip(names, used, strict=True) if use]
    return float(convergence_table({"prevalence": (draws[..., used], kept)})["r_hat"].max())


def bayes_of(
    word: str,
    labels: Annotations,
    fit: DawidSkeneFit,
    best: DawidSkeneFit,
    n_draws: int,
    rng: np.random.Generator,
) -> Bayes:
    """Sample the hierarchical model, align its draws by items, and ask whether chains meet.

    Three chains start apart and are tempered as they warm up. The fourth starts at the best
    optimum of EM, which says whether its mode is a mode of the full posterior too.
    """
    settings: dict[str, Any] = {"rng": rng, "draws": n_draws, "thin": 5, "threads": 1}
    runs = [
        hierarchical_dawid_skene.fit(labels, chains=3, warmup=2 * n_draws, **settings),
        hierarchical_dawid_skene.fit(
            labels, chains=1, warmup=n_draws, start=best.posterior, **settings
        ),
    ]
    draws = np.concatenate([run.draws.item_probability for run in runs])
    aligned = np.empty_like(draws)
    for place in np.ndindex(draws.shape[:2]):
        order = linear_sum_assignment(best.posterior.T @ draws[place], maximize=True)[1]
        aligned[place] = draws[place][:, order]
    of_chain, prevalence = aligned.mean(axis=1), aligned.mean(axis=2)
    own, half = of_chain.argmax(axis=2), prevalence.shape[1] // 2
    n = min(10, prevalence.shape[1])
    likelihood = np.concatenate([log_likelihoods(run, labels, n) for run in runs])
    authors = [linear_sum_assignment(fit.posterior.T @ p, maximize=True)[1] for p in of_chain]
    chains = pd.DataFrame({
        "word": word, "chain": np.arange(1, len(own) + 1),
        "start": ["votes and noise, tempered"] * 3 + ["best optimum of EM"],
        "log_likelihood": likelihood.mean(axis=1), "deviation": likelihood.std(axis=1),
        "certain": [is_certain(p).mean() for p in of_chain],
        "r_hat_within": [largest_r_hat(np.stack([p[:half], p[-half:]]), best.categories)
                         for p in prevalence],
        "relabelled": np.concatenate([run.label_switches for run in runs]),
        "same_as_authors": [(p[:, o].argmax(axis=1) == fit.posterior.argmax(axis=1)).mean()
                            for p, o in zip(of_chain, authors, strict=True)],
        "same_as_best": [(c == best.posterior.argmax(axis=1)).mean() for c in own],
    })  # fmt: skip
    pairs = [(own[a] == own[b]).mean() for a in range(len(own)) for b in range(a)]
    r_hat = largest_r_hat(prevalence, best.categories)
    converged = bool(r_hat <= R_HAT)
    named = np.concatenate([run.draws.prevalence for run in runs])
    return Bayes(best.categories, aligned, chains, {
        "word": word, "converged": converged,
        "certain": is_certain(aligned.mean(axis=(0, 1))).mean() if converged else np.nan,
        "certain_least_chain": chains["certain"].min(),
        "certain_most_chain": chains["certain"].max(),
        "r_hat": r_hat, "r_hat_of_tempered": largest_r_hat(prevalence[:3], best.categories),
        "r_hat_of_names": largest_r_hat(named, best.categories),
        "same_class_least_pair": min(pairs), "same_class_most_pair": max(pairs),
        "log_likelihood_range": np.ptp(chains["log_likelihood"]),
        "deviation_in_a_chain": chains["deviation"].mean(),
    })  # fmt: skip


def certain_table(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    optima: Mapping[str, Optimum],
    bayes: Mapping[str, Bayes],
) -> pd.DataFrame:
    """Return Figure 5 with the best optimum and the chains of full Bayes beside it."""
    parts = []
    for word, found in bayes.items():
        columns = {"authors": fits[word].posterior, "best_optimum": optima[word].best.posterior}
        columns |= {f"bayes_chain_{c}": p for c, p in enumerate(found.of_chain, start=1)}
        counts = {name: certain_by_category(p, found.categories) for name, p in columns.items()}
        part = pd.DataFrame(counts).rename_axis("sense").reset_index()
        part.insert(0, "word", word)
        rest = {k: study.words[word].n_items - part[k].sum() for k in columns}
        part.loc[len(part)] = {"word": word, "sense": "not certain", **rest}
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


# ------------------------------------------- not in the paper: prior, calibration, growth


def smoothing_table(fits_at: Mapping[float, Mapping[str, DawidSkeneFit]]) -> pd.DataFrame:
    """Return certain items, prevalence and accuracy of the first sense as the smoothing varies."""
    return pd.DataFrame([
        {"word": word, "smoothing": smoothing, "epochs": fit.n_iterations,
         "certain": is_certain(fit.posterior).sum(),
         "certain_share": is_certain(fit.posterior).mean(),
         "prevalence_1": fit.prevalence[0], "accuracy_1": mean_accuracy(fit)[fit.categories[0]]}
        for smoothing, fits in fits_at.items() for word, fit in fits.items()
    ])  # fmt: skip


def fit_facts(
    study: Study, fits: Mapping[str, DawidSkeneFit], rows: pd.DataFrame, number: pd.Series
) -> dict[str, float]:
    """Compute every printed value that depends on the fits."""
    of_help = annotators_of_help(fits[FOUR["help"]], study.words[FOUR["help"]])
    return {**certain_counts(fits, rows), **certain_facts(fits, number),
            **accuracy_facts(fits, of_help)}  # fmt: skip


def sensitivity(facts_at: Mapping[float, Mapping[str, float]]) -> pd.DataFrame:
    """Return every value that depends on the fits, by smoothing, and its range."""
    table = pd.DataFrame({f"smoothing_{s:g}": facts for s, facts in facts_at.items()})
    least, most = table.min(axis=1), table.max(axis=1)
    table["least"], table["most"] = least, most
    return table.rename_axis("target").reset_index()


def relabelled(
    labels: Annotations, fit: DawidSkeneFit, rng: np.random.Generator
) -> tuple[Annotations, np.ndarray]:
    """Draw true categories and labels from a fit, who labels what as it was."""
    truth = drawn_from(np.broadcast_to(fit.prevalence, fit.posterior.shape), rng)
    label = drawn_from(fit.confusion[labels.annotator, truth[labels.item]], rng)
    return labels.relabel(label), truth


def drawn_from(chance: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw a category from each row of probabilities."""
    drawn = (rng.random((len(chance), 1)) > chance.cumsum(axis=1)).sum(axis=1)
    return np.asarray(drawn.clip(max=chance.shape[1] - 1))


def certain_and_right(posterior: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Return how many items are certain, what is claimed of them and what is right."""
    sure = is_certain(posterior)
    own = posterior.argmax(axis=1)[sure]
    n, right = max(int(sure.sum()), 1), (own == truth[sure]).sum()
    interval = stats.binomtest(int(right), n).proportion_ci(method="wilson")
    pairs = np.zeros((posterior.shape[1], posterior.shape[1]))
    np.add.at(pairs, (own, truth[sure]), 1)
    matched = pairs[linear_sum_assignment(pairs, maximize=True)].sum()
    return {"items": len(sure), "certain": int(sure.sum()),
            "claimed": posterior.max(axis=1)[sure].mean() if sure.any() else np.nan,
            "right": right / n, "lower": interval.low, "upper": interval.high,
            "right_if_renamed": matched / n}  # fmt: skip


def calibration(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    gold: Mapping[str, LoadedData],
    studied: Iterable[str],
    n_draws: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compare certainty with truth: labels simulated from the fits, and sets with gold.

    With the parameters that made the labels certainty is right by definition; what else is
    wrong is for not knowing them.
    """
    rows = []

    def add(name: str, source: str, labels: Annotations, truth: np.ndarray,
            known: DawidSkeneFit | None) -> None:  # fmt: skip
        found = {"authors' EM": authors_fit(labels).posterior,
                 "EM from votes": dawid_skene.fit(labels).posterior}  # fmt: skip
        if known is not None:
            found["true parameters"] = known.predict(labels)
        if known is None or name in FOUR.values():
            found["full Bayes"] = hierarchical_dawid_skene.fit(
                labels, rng=rng, chains=2, warmup=n_draws, draws=n_draws, thin=5, threads=1
            ).posterior
        sure = truth >= 0
        rows.extend({"data": name, "source": source, "method": method,
                     **certain_and_right(posterior[sure], truth[sure])}
                    for method, posterior in found.items())  # fmt: skip

    for word in studied:
        drawn = relabelled(study.words[word], fits[word], rng)
        add(word, "simulated", *drawn, fits[word])
    for name, data in gold.items():
        add(name, data.provenance, data.annotations, data.gold, None)
    return pd.DataFrame(rows)


def growth_table(
    study: Study, fits: Mapping[str, DawidSkeneFit], number: pd.Series, rng: np.random.Generator
) -> pd.DataFrame:
    """Return what fewer labels of an item would have given, and what they cost."""
    price = unit_costs(number)["crowd"] / 25
    rows = []
    for word in FOUR.values():
        labels, fit = study.words[word], fits[word]
        share = np.bincount(labels.annotator) / labels.n_labels
        chosen = rng.choice(labels.n_annotators, size=25, p=share)
        curve = information.information_curve(
            fit.prevalence, fit.confusion[chosen], rng=rng, draws=1000
        )
        # One label an item leaves nothing to compare, and no posterior to be certain of.
        for n in (2, 3, 5, 10, 15, 20, 25):
            posterior = authors_fit(labels.subsample(n, rng)).posterior
            same = posterior.argmax(axis=1) == fit.posterior.argmax(axis=1)
            rows.append({"word": word, "labels": n, "dollars_an_item": n * price,
                         "bits_left_by_the_model": curve.entropy[n],
                         "certain": is_certain(posterior).mean(),
                         "same_class_as_all_labels": same.mean()})  # fmt: skip
    return pd.DataFrame(rows)


# ----------------------------------------------------------------------------- figures

INK, BLUE, RED, GREY = plotting.INK, plotting.BLUE, plotting.VERMILION, plotting.GREY
GREEN, PALE = plotting.GREEN, "#BBBBBB"
PARTS = {"j": "adj", "n": "noun", "v": "verb"}


def grid(figure: Any, rows: int, columns: int, **more: Any) -> list[Any]:
    """Replace a figure's panel by rows and columns of them."""
    for axes in list(figure.axes):
        axes.remove()
    return list(np.ravel(figure.subplots(rows, columns, **more)))


def short(word: str) -> str:
    """Return a word with its part of speech as the paper writes it."""
    name, part = word.split("-")
    return f"{name} ({PARTS[part]})"


def named(senses: Iterable[str]) -> list[str]:
    """Return senses with "none" for 0."""
    return ["none" if s == "0" else s for s in senses]


def words_axis(axes: Any, words: Iterable[str]) -> None:
    """Name the rows of a panel of words."""
    words = list(words)
    axes.set_yticks(np.arange(len(words)), [short(w) for w in words])
    axes.tick_params(axis="y", length=0, labelsize=7.5)
    axes.set_ylim(-0.7, len(words) - 0.1)
    axes.grid(axis="y", color="#E6E6E6", linewidth=0.6)
    axes.set_axisbelow(True)


def heat_map(axes: Any, matrix: np.ndarray, names: Sequence[str], *, rows: bool) -> Any:
    """Draw probabilities by true category and label in grey."""
    image = axes.imshow(matrix, cmap="Greys", vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, fontsize=6.5, rotation=90)
    axes.set_yticks(range(len(names)), names if rows else [], fontsize=6.5)
    axes.tick_params(length=2)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    return image


def figure2(labels: Annotations, stem: Path, mark: str | None) -> None:
    """Show the first and last labels of a word as the table of Figure 2."""
    order = [*range(4), labels.n_labels - 2, labels.n_labels - 1]
    cells = [[str(n + 1), str(labels.item[n] + 1), str(labels.annotator[n] + 1),
              str(labels.label[n] + 1)] for n in order]  # fmt: skip
    cells.insert(4, ["\u22ee"] * 4)
    with plotting.house_figure(1, height=2.6, stand_in=mark) as (figure, [axes]):
        axes.axis("off")
        drawn = axes.table(cells, colLabels=["$n$", "$ii_n$", "$jj_n$", "$y_n$"], loc="center",
                           cellLoc="center", edges="horizontal")  # fmt: skip
        drawn.auto_set_font_size(False)
        drawn.set_fontsize(9.5)
        drawn.scale(0.8, 1.35)
        axes.set_title("Labels of add (verb)")
        plotting.save_figure(figure, stem)


def figure3(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw alpha and agreement of the 45 words, trained annotators and crowd."""
    table = table.sort_values("trained_alpha", ignore_index=True)
    y = np.arange(len(table))
    with plotting.house_figure(2, height=9.2, stand_in=mark) as (figure, panels):
        for axes, what in zip(panels, ("alpha", "agreement"), strict=True):
            axes.hlines(y, table[f"crowd_{what}_lower"], table[f"crowd_{what}_upper"], color=BLUE)
            axes.plot(table[f"crowd_{what}"], y, "o", color=BLUE, markersize=4,
                      label="crowd, 95% interval")  # fmt: skip
            axes.plot(table[f"trained_{what}"], y, "D", color=RED, markersize=4,
                      markerfacecolor="white", label="trained annotators, printed")  # fmt: skip
            axes.hlines(y + 0.3, table[f"public_{what}_lower"], table[f"public_{what}_upper"],
                        color=RED, linewidth=0.8)  # fmt: skip
            axes.plot(table[f"public_{what}"], y + 0.3, "x", color=RED, markersize=4,
                      label="trained annotators, public sample, 95% interval")  # fmt: skip
            words_axis(axes, table["word"])
            axes.set_xlabel({"alpha": "Krippendorff's alpha"}.get(what, "pairwise agreement"))
        panels[1].tick_params(labelleft=False)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        plotting.save_figure(figure, stem)


def figure_senses(table: pd.DataFrame, found: pd.DataFrame, stem: Path) -> None:
    """Draw printed agreement against the printed number of senses used."""
    with plotting.house_figure(2, height=3.6) as (figure, panels):
        for axes, what in zip(panels, ("alpha", "agreement"), strict=True):
            row = found[(found["annotators"] == "trained") & (found["measure"] == what)
                        & (found["senses"] == "used")].iloc[0]  # fmt: skip
            axes.plot(table["used"], table[f"trained_{what}"], "o", color=BLUE, alpha=0.7)
            axes.set(xlabel="senses used", ylabel=what, ylim=(0, 1),
                     title=f"r = {row['r']:.2f}, 95%: {row['lower']:.2f} to {row['upper']:.2f}\n"
                     f"excluded at 5%: beyond \u00b1{row['equivalence_bound']:.2f}")  # fmt: skip
        plotting.save_figure(figure, stem)


def prevalence_bars(axes: Any, rows: pd.DataFrame, columns: Mapping[str, tuple[str, str]]) -> None:
    """Draw prevalences of the senses as groups of bars; 0 is none of the above."""
    width = 0.8 / len(columns)
    for place, (column, (name, colour)) in enumerate(columns.items()):
        axes.bar(np.arange(len(rows)) + (place - (len(columns) - 1) / 2) * width, rows[column],
                 width, color=colour, edgecolor=INK, linewidth=0.4, label=name)  # fmt: skip
    axes.set_xticks(range(len(rows)), named(rows["sense"]))
    axes.tick_params(axis="x", labelsize=7)


def figure4(table: pd.DataFrame, words: list[str], stem: Path, mark: str | None) -> None:
    """Draw prevalence of senses by the model and by vote, and by trained labels if known."""
    columns = {"trained": ("trained, share of labels", INK),
               "plurality": ("crowd, plurality", PALE),
               "model": ("crowd, model", BLUE)}  # fmt: skip
    if table[table["word"].isin(words)]["trained"].isna().all():
        del columns["trained"]
    across = 2 if len(words) == 4 else 3
    down = -(-len(words) // across)
    with plotting.house_figure(across, height=2.2 * down + 0.4, stand_in=mark) as (figure, _):
        panels = grid(figure, down, across)
        for axes, word in zip(panels, words, strict=True):
            prevalence_bars(axes, table[table["word"] == word], columns)
            axes.set_title(short(word))
        figure.supylabel("prevalence", fontsize=9.5)
        figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
        plotting.save_figure(figure, stem)


def figure5(optima: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw the share of certain items of each word at two optima."""
    table = optima.sort_values("certain_authors", ignore_index=True)
    y = np.arange(len(table))
    with plotting.house_figure(2, height=8.6, stand_in=mark) as (figure, _):
        [axes] = grid(figure, 1, 1)
        words_axis(axes, table["word"])
        axes.axvline(0.8, color=GREY, linestyle="--", linewidth=0.9)
        axes.hlines(y, table["certain_least"], table["certain_most"], color=PALE,
                    linewidth=3, label="all optima found")  # fmt: skip
        axes.plot(table["certain_authors"], y, "o", color=BLUE, label="authors' start")
        axes.plot(table["certain_best"], y, "D", color=RED, markerfacecolor="white",
                  markersize=4.5, label="best optimum found")  # fmt: skip
        axes.set(xlabel="share of items with a sense of at least .99", xlim=(None, 1.01))
        axes.legend(loc="lower left")
        plotting.save_figure(figure, stem)


def figure6(study: Study, fits: Mapping[str, DawidSkeneFit], stem: Path, mark: str | None) -> None:
    """Draw confusion matrices of four annotators of add and of help."""
    most = np.argsort(-np.bincount(study.words[FOUR["add"]].annotator), kind="stable")[:4] + 1
    with plotting.house_figure(2, height=4.7, stand_in=mark) as (figure, _):
        panels = iter(grid(figure, 2, 4))
        for word, people in (("add", sorted(most)), ("help", SHOWN_OF_HELP)):
            fit = fits[FOUR[word]]
            for n, person in enumerate(people):
                axes = next(panels)
                j = min(person, len(fit.annotators)) - 1
                image = heat_map(axes, fit.confusion[j], named(fit.categories), rows=n == 0)
                axes.set_title(f"{word}, annotator {person}", fontsize=8.5)
                if n == 0:
                    axes.set_ylabel("inferred sense", fontsize=8)
                if word == "help":
                    axes.set_xlabel("label given", fontsize=8)
        figure.colorbar(image, ax=figure.axes, shrink=0.6, label="probability")
        plotting.save_figure(figure, stem)


def figure7(table: pd.DataFrame, n_high: int, stem: Path, mark: str | None) -> None:
    """Draw how often trained label, plurality and model are the same, in two panels."""
    bars = {"trained_plurality": ("trained = plurality", BLUE, ""),
            "trained_model": ("trained = model", RED, "///"),
            "plurality_model": ("plurality = model", GREEN, "...")}  # fmt: skip
    with plotting.house_figure(3, height=6.6, stand_in=mark) as (figure, _):
        for axes, rows in zip(grid(figure, 2, 1), (table[:n_high], table[n_high:]), strict=True):
            x = np.arange(len(rows))
            for place, (column, (name, colour, hatch)) in enumerate(bars.items()):
                axes.bar(x + 0.27 * (place - 1), rows[column], 0.27, color=colour, hatch=hatch,
                         edgecolor="white", linewidth=0.3, label=name)  # fmt: skip
            marks = np.where(rows["trained_labels"] == "real", "*", "")
            names = [f"{short(w)}{m} ({n})" for w, m, n in
                     zip(rows["word"], marks, rows["items"], strict=True)]  # fmt: skip
            axes.set_xticks(x, names, rotation=40, ha="right", fontsize=7.5)
            axes.set(ylim=(0, 1), ylabel="share of items", xlim=(-0.6, max(22.6, len(x) - 0.4)))
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=3)
        plotting.save_figure(figure, stem)


def figure8(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw histograms of mutual information of the annotators of four words, and of nine."""
    words = sorted(table[table["annotators"] == "trained"]["word"].unique())
    with plotting.house_figure(3, height=5.2, stand_in=mark) as (figure, _):
        panels = grid(figure, 2, 4)
        for axes, (name, word) in zip(panels, sorted(FOUR.items()), strict=False):
            rows = table[(table["word"] == word) & (table["annotators"] == "crowd")]
            axes.hist(rows["bits"], np.arange(0, 2.6, 0.25), color=BLUE, edgecolor="white")
            axes.axvline(rows["entropy"].iloc[0], color=INK, linestyle="--", linewidth=0.9)
            axes.set(title=f"{name}, crowd", xlim=(0, 2.75), xlabel="bits")
        panels[0].set_ylabel("annotators")
        place = panels[4].get_gridspec()[1, :]
        for axes in panels[4:]:
            axes.remove()
        axes = figure.add_subplot(place)
        for who, colour, marker, left in (("crowd", BLUE, "o", -0.42), ("crowd, as few", GREEN,
                                          "s", -0.06), ("trained", RED, "D", 0.22)):  # fmt: skip
            rows = table[(table["annotators"] == who) & (table["labels"] >= 50)]
            for x, word in enumerate(words):
                own = rows[rows["word"] == word].sort_values("bits")
                width = 0.32 if who == "crowd" else 0.22
                at = x + left + width * np.linspace(0, 1, max(len(own), 2))[: len(own)]
                axes.vlines(at, own["lower"], own["upper"], color=colour, linewidth=0.6)
                axes.plot(at, own["bits"], marker, color=colour, markersize=3,
                          label=who if x == 0 else None)  # fmt: skip
        axes.set_xticks(range(len(words)), [short(w) for w in words])
        axes.set(ylabel="bits", title="Nine words with public trained labels", ylim=(0, 2.75))
        axes.legend(loc="upper left", ncols=3)
        plotting.save_figure(figure, stem)


def figure_optima(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw what the best optimum gains, and how many items it leaves certain."""
    with plotting.house_figure(2, height=3.9, stand_in=mark) as (figure, panels):
        left, right = panels
        gain = table["gain"].sort_values(ignore_index=True).clip(lower=0.1)
        left.plot(gain, np.arange(1, len(gain) + 1), "o", color=BLUE, markersize=4)
        left.set(xscale="log", xlabel="log posterior above the authors' optimum",
                 ylabel="words, in order", title="A better optimum")  # fmt: skip
        right.plot([0.45, 1], [0.45, 1], color=GREY, linestyle="--", linewidth=0.9)
        right.plot(table["certain_authors"], table["certain_best"], "o", color=BLUE,
                   markersize=4, alpha=0.8)  # fmt: skip
        right.set(xlabel="authors' optimum", ylabel="best optimum found",
                  title="Share of certain items", aspect="equal")  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_classes(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    optima: Mapping[str, Optimum],
    table: pd.DataFrame,
    stem: Path,
    mark: str | None,
) -> None:
    """Draw what classes mean: labels of the items of each class of a word, and all words."""
    word = FOUR["help"]
    share = votes(study.words[word])
    with plotting.house_figure(3, height=3.9, stand_in=mark) as (figure, panels):
        best = optima[word].best
        for n, (axes, (name, fit)) in enumerate(
            zip(panels, (("authors' optimum", fits[word]), ("best optimum", best)), strict=False)
        ):
            total = fit.posterior.sum(axis=0)[:, None]
            shown = np.where(total >= IN_USE * len(share),
                             fit.posterior.T @ share / np.maximum(total, 1e-9), np.nan)  # fmt: skip
            image = heat_map(axes, shown, named(fit.categories), rows=True)
            axes.set(title=f"help, {name}", xlabel="labels of its items")
            if n == 0:
                axes.set_ylabel("class")
        figure.colorbar(image, ax=panels[:2], shrink=0.7, label="share")
        axes, x = panels[2], np.arange(2)
        for row in table.itertuples():
            axes.plot(x - 0.06, [row.plurality_authors, row.plurality_best], color=BLUE,
                      linewidth=0.5, alpha=0.5)  # fmt: skip
        for column, colour, marker, label, shift in (
            ("", BLUE, "o", "class read by its name", -0.06),
            ("_by_meaning", RED, "D", "by its items' commonest label", 0.06),
        ):
            for place, name in enumerate(("authors", "best")):
                values = table[f"plurality_{name}{column}"]
                axes.plot(np.full(len(values), place + shift), values, marker, color=colour,
                          markersize=3.5, alpha=0.6, markerfacecolor="white",
                          label=label if place == 0 else None)  # fmt: skip
        axes.set_xticks(x, ["authors' optimum", "best optimum"])
        axes.set(xlim=(-0.4, 1.4), ylim=(0, 1), title="Items that agree with the plurality")
        axes.legend(loc="lower left")
        plotting.save_figure(figure, stem)


def figure_bayes(bayes: Mapping[str, Bayes], stem: Path, mark: str | None) -> None:
    """Draw likelihood and certain items of each chain of full Bayes."""
    with plotting.house_figure(2, height=3.8, stand_in=mark) as (figure, _):
        panels = grid(figure, 1, 4)
        for axes, (word, found) in zip(panels, bayes.items(), strict=False):
            rows = found.chains
            below = rows["log_likelihood"] - rows["log_likelihood"].max()
            axes.hlines(rows["certain"], below - 2 * rows["deviation"],
                        below + 2 * rows["deviation"], color=GREY)  # fmt: skip
            styles = zip(rows["start"].unique(), "oD", (BLUE, RED), strict=True)
            for start, marker, colour in styles:
                at = rows["start"] == start
                axes.plot(below[at], rows["certain"][at], marker, color=colour, markersize=5,
                          label=start)  # fmt: skip
            axes.set(title=f"{short(word)}\nR-hat {found.row['r_hat']:.2f}", ylim=(0, 1))
        for axes in panels:
            axes.set_xlabel("log likelihood", fontsize=8.5)
        panels[0].set_ylabel("share of certain items")
        figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
        plotting.save_figure(figure, stem)


def figure_smoothing(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw what depends on the prior."""
    with plotting.house_figure(3, height=3.5, stand_in=mark) as (figure, panels):
        styles = zip(FOUR.items(), "osD^", (BLUE, RED, GREEN, INK), strict=True)
        for (name, word), marker, colour in styles:
            rows = table[table["word"] == word]
            for axes, column in zip(panels, ("certain_share", "accuracy_1"), strict=False):
                axes.plot(rows["smoothing"], rows[column], marker=marker, markersize=4,
                          color=colour, label=name)  # fmt: skip
        many = table.groupby("smoothing")["certain_share"].agg(lambda s: (s >= 0.8).sum())
        panels[2].plot(many.index, many, "o-", color=INK)
        titles = ("Certain items", "Mean accuracy on sense 1", "Words with 80% certain items")
        for axes, title in zip(panels, titles, strict=True):
            axes.set(xscale="log", xlabel="smoothing", title=title)
            axes.axvline(SMOOTHING, color=GREY, linestyle=":", linewidth=0.9)
        panels[0].legend()
        plotting.save_figure(figure, stem)


METHODS = {"true parameters": (INK, "^"), "authors' EM": (BLUE, "o"),
           "EM from votes": (GREEN, "s"), "full Bayes": (RED, "D")}  # fmt: skip


def figure_calibration(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw how many of the certain items are right."""
    drawn = table[table["source"] == "simulated"]
    drawn = drawn[drawn["data"].isin(set(drawn[drawn["method"] == "true parameters"]["data"]))]
    with plotting.house_figure(3, height=4.0, stand_in=mark) as (figure, _):
        panels = grid(figure, 1, 2, width_ratios=(2, 1))
        for method in ("true parameters", "authors' EM", "EM from votes"):
            right = drawn[drawn["method"] == method]["right"].sort_values(ignore_index=True)
            colour, marker = METHODS[method]
            panels[0].plot(np.arange(1, len(right) + 1), right, marker, color=colour,
                           markersize=4, label=method)  # fmt: skip
        panels[0].set(xlabel="words, in order for each method", ylabel="right among certain items",
                      title="Simulated from the fits of 45 words")  # fmt: skip
        some = table[table["data"].isin(FOUR.values()) | ~table["data"].isin(drawn["data"])]
        names = list(dict.fromkeys(some["data"]))
        for place, (method, (colour, marker)) in enumerate(METHODS.items()):
            rows = some[some["method"] == method]
            x = np.array([names.index(n) for n in rows["data"]]) + 0.17 * (place - 1.5)
            panels[1].vlines(x, rows["lower"], rows["upper"], color=colour)
            panels[1].plot(x, rows["right_if_renamed"], marker, color=colour, markersize=5,
                           markerfacecolor="white")  # fmt: skip
            panels[1].plot(x, rows["right"], marker, color=colour, markersize=5, label=method)
        source = some.groupby("data")["source"].first()
        ticks = [f"{n.removeprefix('snow2008_').split('-')[0]}\n{source[n]}" for n in names]
        panels[1].set_xticks(range(len(names)), ticks, fontsize=7.5)
        panels[1].set_title("Four words, and sets with gold")
        for axes in panels:
            axes.axhline(CERTAIN, color=GREY, linestyle="--", linewidth=0.9)
            axes.set_ylim(min(0.35, some["lower"].min() - 0.02), 1.02)
        handles = panels[1].get_legend_handles_labels()
        figure.legend(*handles, loc="outside lower center", ncols=4)
        plotting.save_figure(figure, stem)


def figure_growth(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw what an item's labels bring, the first and the last of them."""
    with plotting.house_figure(3, height=3.6, stand_in=mark) as (figure, panels):
        columns = {"certain": "Certain items, real labels",
                   "same_class_as_all_labels": "Same sense as by all labels",
                   "bits_left_by_the_model": "Bits left, by the fitted model"}  # fmt: skip
        styles = zip(FOUR.items(), "osD^", (BLUE, RED, GREEN, INK), strict=True)
        for (name, word), marker, colour in styles:
            rows = table[table["word"] == word]
            for axes, column in zip(panels, columns, strict=True):
                axes.plot(rows["labels"], rows[column], marker=marker, markersize=4, color=colour,
                          label=name)  # fmt: skip
        cents = 100 * (table["dollars_an_item"] / table["labels"]).iloc[0]
        for axes, title in zip(panels, columns.values(), strict=True):
            axes.set(title=title, xlabel=f"labels an item, {cents:.1f} cents each")
        panels[0].set_ylim(0, 1.03)
        panels[1].set_ylim(0, 1.03)
        panels[2].set_yscale("log")
        panels[0].legend(loc="lower right")
        plotting.save_figure(figure, stem)


# -------------------------------------------------------------------------------- main


def calibrated(rows: list[Computed]) -> list[Computed]:
    """Mark the values that a simulation was calibrated to as no result of it."""
    return [
        replace(row, method=CALIBRATION_METHOD)
        if row.provenance == "simulated" and row.method == PAPER_METHOD
        and row.target.startswith(CALIBRATED)
        else row
        for row in rows
    ]  # fmt: skip


def example_table(values: Mapping[str, float], number: pd.Series) -> pd.DataFrame:
    """List the worked cases, with the better intervals beside the printed kind."""
    rows = [{"case": name, "value": float(value)} for name, value in values.items()]
    items = int(number["prevalence_interval_n"])
    rare, level = number["prevalence_interval_prevalence"], number["prevalence_interval_level"]
    right, of = int(number["accuracy_interval_correct"]), int(number["accuracy_interval_n"])
    cases = {"accuracy_interval": (right, of), "prevalence_interval": (round(rare * items), items),
             "prevalence_interval of 100 items": (round(rare * 100), 100)}  # fmt: skip
    for name, (k, n) in cases.items():
        for method in ("normal", "wilson", "exact"):
            if method == "normal":
                width = half_width(k / n, n, level)
                ends: Iterable[float] = (k / n - width, k / n + width)
            else:
                ends = stats.binomtest(k, n).proportion_ci(level, method=method)
            rows += [{"case": f"{name}.{side}, {method}", "value": 100 * end}
                     for side, end in zip(("lower", "upper"), ends, strict=True)]  # fmt: skip
    return pd.DataFrame(rows)


def unit_costs(number: pd.Series) -> dict[str, float]:
    """Return dollars an item, by the printed totals."""
    return {
        who: number[f"cost_{who}_total"]
        / (number[f"cost_{who}_words"] * number[f"cost_{who}_sentences"])
        for who in ("trained", "crowd")
    }


def cost_table(number: pd.Series, table: pd.DataFrame) -> pd.DataFrame:
    """Return dollars an item, a label and a bit, by the printed totals and the public words."""
    bits = table[table["word"].isin(set(table[table["annotators"] == "trained"]["word"]))]
    median = bits.groupby("annotators")[["bits", "lower", "upper"]].median()
    rows = []
    unit = unit_costs(number)
    for who, of in median.iterrows():
        an_item = unit[str(who).partition(",")[0]]
        a_label = an_item / (1 if who == "trained" else 25)
        rows.append({"annotators": who, "dollars_an_item": an_item, "dollars_a_label": a_label,
                     "median_bits_a_label": of["bits"], "dollars_a_bit": a_label / of["bits"],
                     "dollars_a_bit_lower": a_label / of["upper"],
                     "dollars_a_bit_upper": a_label / of["lower"]})  # fmt: skip
    return pd.DataFrame(rows)


def main(
    *,
    data: Mapping[str, Path],
    printed_tables: Iterable[Path],
    folder: Path,
    seed: int,
    effort: str = "full",
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder.

    Every printed value comes of the authors' fits, at either effort. What is not in the paper
    is a search and a simulation: quick looks at a few words, and draws little.
    """
    paths = {path.stem: path for path in printed_tables}
    printed = {name: pd.read_csv(path, comment="#") for name, path in paths.items()}
    examples = pd.read_csv(paths["examples"], comment="#", dtype="str")
    number = printed["counts"].set_index("name")["value"]
    study = Study.read(data)
    word, seeds = study.provenance, np.random.default_rng(seed).spawn(6)
    rng_optima, rng_bayes, rng_trained, rng_bits, rng_truth, rng_growth = seeds

    fits = fits_of(study.words, SMOOTHING)
    facts = fit_facts(study, fits, printed["figure5"], number)
    joined, both_word = shared_items(study)
    drawn = drawn_trained(study, fits, rng_trained)
    same_label = same_label_table(study, fits, drawn, joined)
    section2 = closed_forms(number, examples)
    of_words = trained_rows(study, printed["figure3"])
    common = same_label.set_index("word")["items"]["work-n"]
    computed = [
        *plain_rows(section2, "closed_form"),
        *plain_rows(arithmetic(number, printed["figure3"], printed["figure5"]), "printed_table"),
        *of_words,
        *unseen_rows(study, fits),
        *plain_rows(crowd_facts(study), word),
        *plain_rows({"common.work": common}, both_word),
        *plain_rows(facts, word),
        *same_label_facts(study, same_label, drawn, number),
    ]
    write_computed(calibrated(computed), folder / "computed.csv")

    studied = studied_words(study.words, N_STUDIED[effort])
    gold = {name: datasets.read(path) for name, path in data.items()
            if not name.startswith("masc")}  # fmt: skip
    fits_at = {s: fits if s == SMOOTHING else fits_of(study.words, s)
               for s in (SMOOTHINGS if effort == "full" else (SMOOTHING,))}  # fmt: skip
    facts_at = {s: facts if s == SMOOTHING else fit_facts(study, each, printed["figure5"], number)
                for s, each in fits_at.items()}  # fmt: skip
    optima = {
        name: best_optimum(name, study.words[name], fits[name], N_RANDOM[effort], rng_optima)
        for name in studied
    }
    bayes = {
        name: bayes_of(
            name, study.words[name], fits[name], optima[name].best, N_DRAWS[effort], rng_bayes
        )
        for name in FOUR.values()
    }
    words = agreement_table(of_words, printed["figure3"])
    chains = pd.concat([found.chains for found in bayes.values()], ignore_index=True)
    available = available_senses(study, printed["figure3"], printed["wordnet"])
    tables = {
        "example": example_table(section2, number),
        "figure3": words,
        "available": available,
        "readings": readings(available),
        "senses": correlations(words),
        "prevalence": prevalence_table(study, fits),
        "certain": certain_table(study, fits, optima, bayes),
        "accuracy": pd.DataFrame([
            {"word": w, "sense": s, "accuracy": a}
            for w, f in fits.items() for s, a in mean_accuracy(f).items()
        ]),
        "annotators": annotators_of_help(fits[FOUR["help"]], study.words[FOUR["help"]]),
        "same_label": same_label,
        "information": information_table(study, fits, N_REPLICATES[effort], rng_bits),
        "design": design_table(study),
        "optima": pd.DataFrame([found.row for found in optima.values()]),
        "classes": classes_table(study, fits, optima, chains, joined),
        "full_bayes": pd.DataFrame([found.row for found in bayes.values()]),
        "chains": chains,
        "smoothing": smoothing_table(fits_at),
        "sensitivity": sensitivity(facts_at),
        "calibration": calibration(study, fits, gold, studied, N_DRAWS[effort], rng_truth),
        "growth": growth_table(study, fits, number, rng_growth),
    }  # fmt: skip
    tables["costs"] = cost_table(number, tables["information"])
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n", float_format="%.6g")
    draw(study, fits, optima, bayes, tables, int(number["figure7_n_high"]), folder / "figures")
    write_captions(folder / "captions.json", tables, word, seed)


def studied_words(words: Iterable[str], n: int) -> list[str]:
    """Choose n words, the four of the figures among them, in the order of the data."""
    names = list(words)
    chosen = set([*FOUR.values(), *(w for w in names if w not in FOUR.values())][:n])
    return [name for name in names if name in chosen]


def draw(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    optima: Mapping[str, Optimum],
    bayes: Mapping[str, Bayes],
    tables: Mapping[str, pd.DataFrame],
    n_high: int,
    stems: Path,
) -> None:
    """Draw every figure."""
    stems.mkdir(parents=True, exist_ok=True)
    mark = None if study.provenance == "real" else SAMPLE_MARK
    figure2(study.words[FOUR["add"]], stems / "figure2", mark)
    figure3(tables["figure3"], stems / "figure3", mark)
    figure_senses(tables["figure3"], tables["senses"], stems / "senses")
    figure4(tables["prevalence"], list(FOUR.values()), stems / "figure4", mark)
    figure4(tables["prevalence"], list(study.full), stems / "figure4_trained", mark)
    figure5(tables["optima"], stems / "figure5", mark)
    figure6(study, fits, stems / "figure6", mark)
    figure7(tables["same_label"], n_high, stems / "figure7", mark or DRAWN_MARK)
    figure8(tables["information"], stems / "figure8", mark)
    figure_optima(tables["optima"], stems / "optima", mark)
    figure_classes(study, fits, optima, tables["classes"], stems / "classes", mark)
    figure_bayes(bayes, stems / "bayes", mark)
    figure_smoothing(tables["smoothing"], stems / "smoothing", mark)
    figure_calibration(tables["calibration"], stems / "calibration", mark)
    figure_growth(tables["growth"], stems / "growth", mark)


CAPTIONS = {
    "figure2": "The first and last labels of add: item, annotator, label. Data: the crowd's labels "
    "of add in the release; 7 stands for none of the above.",
    "figure3": "Alpha and pairwise agreement of each word. The crowd's are computed from its "
    "labels, with large-sample 95% intervals over items; so are those of the nine public samples "
    "of trained annotators.",
    "senses": "The printed agreement of the 45 words by the printed number of senses used, with "
    "Fisher's interval of the correlation. Correlations beyond the bound are excluded by two "
    "one-sided tests of 5%; smaller ones are not.",
    "figure4": "Prevalence of the senses of four words by the model and by the plurality of the "
    "crowd's labels, ties shared. The trained annotators' labels of these words are not public.",
    "figure4_trained": "Prevalence three ways for the nine words whose trained labels are public. "
    "Answers that are no sense count as none.",
    "figure5": "Share of certain items of the 45 words. The dashed line is the 80% that the paper "
    "says 42 words reach. Grey: the range over all optima found.",
    "figure6": "Confusion matrices of annotators, numbered by their first label of the word. Of "
    "help: 8, 9 and 41, which the text names, and 18, the one of many labels that fits what else "
    "it says: more labels of sense 2 than items, none of 6 or 8. Of add, whose annotators the text "
    "doesn't tell apart: the four of the most labels. A uniform grey row has no items.",
    "figure7": "How often trained label, plurality and model are the same; in brackets the number "
    "of items. A star: trained labels joined to the crowd's items by their sentences. Other "
    "trained labels are drawn: the annotator knows the model's sense or guesses, and knows as "
    "often as gives the alpha of the public sample, or the mean alpha of the nine samples. They "
    "agree with the model most because they are made so.",
    "figure8": "Mutual information of the sense and one label of each annotator. Above, the "
    "crowd's annotators of four words; dashed, the entropy of the prevalences. Below, annotators "
    "of at least 50 labels of the nine words with public samples of trained annotators, with 95% "
    "intervals by the bootstrap over items. The trained annotators' model is fitted to about 100 "
    "items, which makes labels look more informative; as few: so many items and annotators of "
    "the crowd, drawn at random.",
    "optima": "Left: how much higher the log posterior of the best optimum found is than that of "
    "the authors' fit, each point a word, gains below 0.1 drawn there. Right: the share of items "
    "with a sense of at least .99 at both.",
    "classes": "Left and middle: of the items of each class of help, the shares of the labels "
    "they were given; classes with less than 1% of the items are blank. At the best optimum "
    "several classes have the same commonest label. Right: the share of items of the 45 words "
    "whose class agrees with the plurality of their labels.",
    "bayes": "Full Bayes of four words, a point a chain: its mean log likelihood below the best "
    "chain's, two standard deviations of its draws either way, and the share of items with a "
    "sense of at least .99. Draws are aligned by items first. R-hat is the largest of the "
    "prevalences; above 1.01 the chains have not converged, and nothing is pooled.",
    "smoothing": "What depends on the number added to every count: dotted, the authors' .01. Every "
    "fit begins and stops as the authors' program does.",
    "calibration": "Of the items with a category of at least .99, the share that is right. Left: "
    "true senses and labels drawn from the authors' fits. Right, with Wilson's 95% interval: four "
    "of these words with full Bayes (two chains), and sets with gold labels; open, the share if "
    "classes were named as fits the truth best.",
    "growth": "Left and middle: the authors' program on at most so many labels of each item, "
    "chosen at random. Right: the entropy that labels of annotators, drawn as they labelled, are "
    "expected to leave if the fitted model is true.",
}


def write_captions(path: Path, tables: Iterable[str], word: str, seed: int) -> None:
    """Say of every figure and table what it shows, from which data."""
    fixed = {"senses": "printed_table", "figure7": "simulated", "calibration": "simulated"}
    captions: dict[str, Any] = {
        name: {"provenance": fixed.get(name, word), "caption": text, "seed": seed}
        for name, text in CAPTIONS.items()
    }
    of_tables = {"example": "closed_form", "same_label": "simulated", "calibration": "simulated"}
    captions |= {f"tables/{name}": {"provenance": of_tables.get(name, word)} for name in tables}
    with replacing(path) as draft:
        draft.write_text(json.dumps(captions, indent=1) + "\n")


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data={
                name: Path(files[0]).parent
                for name, files in snakemake.input.items()
                if name not in ("printed_tables", "library")
            },
            printed_tables=list(map(Path, snakemake.input.printed_tables)),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
