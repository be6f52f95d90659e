"""Recompute Passonneau and Carpenter (2014) from the labels of 45 words.

========================  ==========================================================
`closed_forms`            section 2: agreement, intervals, posterior, information
`trained_rows`            Figure 3: senses, trained annotators' agreement
`correlations`            section 3.1: agreement and the number of senses
`crowd_facts`             section 3.2: items, forms, labels, annotators
`authors_fit`             section 4: the model as the authors' program fits it
`certain_counts`          Figures 4 and 5: certain items by sense
`accuracy_facts`          section 4.2 and Figure 6: accuracies and biases of annotators
`shared_items`            section 5, Figure 7: items labelled by both groups
`best_optima`             not in the paper: better optima of the same posterior
`smoothing_table`         not in the paper: what depends on the prior
`calibration`             not in the paper: how often certain items are right
========================  ==========================================================
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats
from scipy.optimize import linear_sum_assignment

from annobench import agreement, datasets, information, plotting
from annobench.annotations import Annotations
from annobench.compare import CALIBRATION_METHOD, PAPER_METHOD, Computed, write_computed
from annobench.datasets import LoadedData
from annobench.datasets.masc_crowd import by_word
from annobench.diagnostics import convergence_table
from annobench.files import recording, replacing
from annobench.models import dawid_skene, hierarchical_dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit
from annobench.models.dawid_skene_optima import restarts

#: The words of Figures 4, 5 and 8.
FOUR = {"add": "add-v", "date": "date-n", "help": "help-v", "ask": "ask-v"}
CERTAIN = 0.99
#: What the authors' program does: its start, its criterion, its last epoch.
AUTHORS: dict[str, Any] = {"start": "diagonal", "criterion": "log_likelihood",
                           "tolerance": 1e-8, "max_iterations": 100}  # fmt: skip
SMOOTHINGS = (1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5, 1.0)
#: Annotators of Figure 6: those the text names, and the first ones of add.
SHOWN = {"add": (1, 2, 3, 4), "help": (8, 9, 41, 18)}
#: Of the samples of tell, the one of five annotators; "quiet" is a copy without some answers.
LEFT_OUT = ("2.2/tell-v.6ann", "quiet")
#: What the simulators are calibrated to: no finding where they stand in.
CALIBRATED = ("crowd.", "figure4.labels_per_item", "figure6.add.n_", "figure6.help.n_", "sample.")
SAMPLE_MARK = "Simulated stand-in, not the real labels"


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
            for name, labels in by_word(samples, column="sample").items()
            if name.startswith("2.2") and not any(part in name for part in LEFT_OUT)
        }
        kinds = {each.provenance for each in (crowd, samples, full)}
        word = "real" if kinds == {"real"} else "simulated"
        return cls(crowd, text, full, by_word(crowd), by_word(full), public, word)


def plain(
    values: Mapping[str, float], provenance: str, method: str = PAPER_METHOD
) -> list[Computed]:
    """Return values without an interval as rows."""
    return [Computed(t, float(v), method=method, provenance=provenance) for t, v in values.items()]


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


def worked_example(examples: pd.DataFrame, prior: tuple[Fraction, Fraction]) -> dict[str, float]:
    """Compute the posterior of section 2.2.1, in fractions, and what a spammer adds."""
    given = examples.dropna(subset=["label_given"])
    joint = dict(enumerate(prior, start=1))
    votes = [int(label) for label in given.groupby("annotator")["label_given"].first()]
    for row in given.itertuples():
        joint[row.category] *= Fraction(str(getattr(row, f"label{int(row.label_given)}")))
    total = sum(joint.values())
    posterior = {f"example.posterior.{k}": value / total for k, value in joint.items()}
    return {
        **{f"example.joint.{k}": float(value) for k, value in joint.items()},
        **{name: float(value) for name, value in posterior.items()},
        "example.majority": max(set(votes), key=votes.count),
    }


def example_information(
    examples: pd.DataFrame, prior: tuple[Fraction, Fraction]
) -> dict[str, float]:
    """Compute the entropies and mutual informations of section 2.2.2."""
    names = list(examples["annotator"].unique())
    confusion = examples[["label1", "label2"]].astype(float).to_numpy().reshape(-1, 2, 2)
    prevalence = [float(p) for p in prior]
    left = information.conditional_entropy(prevalence, confusion)
    bits = information.mutual_information(prevalence, confusion)
    people = [n for n in names if n != "spam"]
    perfect = information.conditional_entropy(prevalence, np.eye(2)[None])
    return {
        **{f"information.conditional_entropy.{n}": left[names.index(n)] for n in people},
        **{f"information.mutual.{n}": bits[names.index(n)] for n in people},
        "information.best_annotator": 1 + int(np.argmax(bits[: len(people)])),
        "information.spam": bits[names.index("spam")],
        "information.perfect_conditional_entropy": perfect[0],
    }


def half_width(share: float, n: float) -> float:
    """Return half of the 95% interval of a share, by the normal approximation."""
    return float(stats.norm.ppf(0.975)) * math.sqrt(share * (1 - share) / n)


def closed_forms(number: pd.Series, examples: pd.DataFrame) -> dict[str, float]:
    """Compute all that section 2 and the sample sizes of section 3.2 say."""
    prior = (Fraction(1, 5), Fraction(4, 5))
    n, correct = number["accuracy_interval_n"], number["accuracy_interval_correct"]
    width = half_width(correct / n, n)
    items, rare = number["prevalence_interval_n"], number["prevalence_interval_prevalence"]
    return {
        "coefficient.min": -1,
        "coefficient.max": 1,
        "both_wrong.share": 100 * (1 - number["both_wrong_accuracy"]) ** 2,
        **chance_paradox(number["paradox_prevalence"], number["paradox_accuracy"]),
        "adversaries.coefficient": 100,  # two that are always wrong between two labels agree
        "accuracy_interval.lower": 100 * (correct / n - width),
        "accuracy_interval.upper": 100 * (correct / n + width),
        "bootstrap.factor": float(stats.norm.ppf(0.975)),
        **worked_example(examples, prior),
        "voting.max_weight": math.log(1),
        **example_information(examples, prior),
        "prevalence_interval.expected": items * rare,
        "prevalence_interval.half_width": half_width(rare, items),
    }


def arithmetic(number: pd.Series, words: pd.DataFrame, counts: pd.DataFrame) -> dict[str, float]:
    """Compute what printed numbers say of each other."""
    unit = {
        who: number[f"cost_{who}_total"]
        / (number[f"cost_{who}_words"] * number[f"cost_{who}_sentences"])
        for who in ("trained", "crowd")
    }
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


# ------------------------------------------------------------- section 3: the labels


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
        rows += plain({f"figure3.{name}.{k}": v for k, v in values.items()}, study.provenance)
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


def correlation_rows(table: pd.DataFrame, word: str) -> list[Computed]:
    """Return the correlations of Figure 3 with intervals, the crowd's beside them."""
    rows = []
    for row in table.itertuples():
        printed = row.annotators == "trained"
        rows.append(
            Computed(f"correlation.{row.measure}.{row.senses.removesuffix('_offered')}", row.r,
                     lower=row.lower, upper=row.upper, level=0.95,
                     method=PAPER_METHOD if printed else "crowd",
                     provenance="printed_table" if printed else word)
        )  # fmt: skip
    return rows


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


def authors_fit(labels: Annotations, smoothing: float = 0.01) -> DawidSkeneFit:
    """Fit the model as the authors' program does."""
    return dawid_skene.fit(labels, smoothing=smoothing, **AUTHORS)


def is_certain(posterior: np.ndarray) -> np.ndarray:
    """Say which items have a category of at least .99."""
    return np.asarray(posterior.max(axis=1) >= CERTAIN)


def certain_by_category(fit: DawidSkeneFit) -> dict[str, int]:
    """Count the certain items of each category."""
    sure = fit.posterior[is_certain(fit.posterior)].argmax(axis=1)
    count = np.bincount(sure, minlength=len(fit.categories))
    return dict(zip(fit.categories, map(int, count), strict=True))


def certain_counts(fits: Mapping[str, DawidSkeneFit], rows_of: pd.DataFrame) -> dict[str, float]:
    """Compute the rows that Figure 5 has of its four words."""
    result: dict[str, float] = {}
    for name, key in FOUR.items():
        by_category, n = certain_by_category(fits[key]), len(fits[key].items)
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
    """Say of each annotator of help what section 4.2 says of some, senses by number."""
    count = joint_counts(fit, labels)
    given, true = count.sum(axis=1), count.sum(axis=2)
    excess = given - true
    when_1 = count[:, :, 0].copy()
    return pd.DataFrame({
        "annotator": np.arange(1, labels.n_annotators + 1),
        "labels": given.sum(axis=1).round().astype(int),
        "overused_beside_1": 2 + excess[:, 1:].argmax(axis=1),
        "excess_1": excess[:, 0], "excess_2": excess[:, 1], "excess_3": excess[:, 2],
        "commonest_error_when_1": 2 + when_1[:, 1:].argmax(axis=1),
        "assigned_6": given[:, 5].round().astype(int),
        "assigned_8": given[:, 7].round().astype(int),
    })  # fmt: skip


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
    share = np.zeros((labels.n_items, labels.n_categories))
    np.add.at(share, (labels.item, labels.label), 1)
    return share / share.sum(axis=1, keepdims=True)


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


def information_table(study: Study, fits: Mapping[str, DawidSkeneFit]) -> pd.DataFrame:
    """Return the mutual information of each annotator's label, the nine words' trained too."""
    groups = [(w, "crowd", fits[w]) for w in (*FOUR.values(), *study.full)]
    groups += [(w, "trained", dawid_skene.fit(a)) for w, a in study.samples.items()]
    parts = []
    for word, who, fit in groups:
        bits = information.mutual_information(fit.prevalence, fit.confusion)
        parts.append(
            pd.DataFrame(
                {
                    "word": word,
                    "annotators": who,
                    "annotator": fit.annotators,
                    "bits": bits,
                    "entropy": information.entropy(fit.prevalence),
                }
            )
        )
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


def drawn_items(
    study: Study, fits: Mapping[str, DawidSkeneFit], rng: np.random.Generator
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Draw trained labels for all items that both groups may have labelled.

    With the probability of pairwise agreement in the public sample the model's category,
    otherwise one by the trained labels' shares.
    """
    result = {}
    for word, full in study.full.items():
        fit = fits[word]
        n = min(len(fit.items), full.n_items)
        agree = agreement.percent_agreement(study.samples[word]).estimate
        share = np.array(trained_prevalence(full, fit.categories)).clip(0)
        drawn = rng.choice(len(share), size=n, p=share / share.sum())
        chosen = np.where(rng.random(n) < agree, fit.posterior[:n].argmax(axis=1), drawn)
        result[word] = np.arange(n), np.eye(len(share))[chosen]
    return result


def same_label_table(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    both: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> pd.DataFrame:
    """Compute Figure 7: how often trained label, plurality and model are the same."""
    rows = []
    for word, (item, trained) in both.items():
        share = votes(study.words[word])[item]
        plurality = most_named(share)
        model = np.eye(share.shape[1])[fits[word].posterior[item].argmax(axis=1)]
        best = most_named(trained)
        rows.append({"word": word, "items": len(item),
                     "trained_plurality": (best * plurality).sum(axis=1).mean(),
                     "trained_model": (best * model).sum(axis=1).mean(),
                     "plurality_model": (plurality * model).sum(axis=1).mean()})  # fmt: skip
    return pd.DataFrame(rows)


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
    starts = ("diagonal", "votes", "spectral", hard)
    found = restarts(labels, rng=rng, n_random=n_random, starts=starts, max_iterations=500)
    best = found.best
    by_start = found.table.set_index("start")["log_posterior"]
    classes = best.posterior[:, np.argsort(found.alignment[0])]
    own = fit.posterior.argmax(axis=1)
    return Optimum(best, {
        "word": word, "authors": fit.log_posterior, "from_diagonal": by_start["diagonal"],
        "from_votes": by_start["votes"], "from_majority": by_start["given 3"],
        "from_spectral": by_start["spectral"], "best": best.log_posterior,
        "gain": best.log_posterior - fit.log_posterior, "n_optima": len(found.fits),
        "switched": bool(found.is_switched[0]),
        "certain_authors": is_certain(fit.posterior).mean(),
        "certain_best": is_certain(best.posterior).mean(),
        "certain_least": min(is_certain(f.posterior).mean() for f in found.fits),
        "certain_most": max(is_certain(f.posterior).mean() for f in found.fits),
        "same_class": (own == classes.argmax(axis=1)).mean(),
        "plurality_authors": (own == share.argmax(axis=1)).mean(),
        "plurality_best": (classes.argmax(axis=1) == share.argmax(axis=1)).mean(),
        "first_sense_authors": fit.prevalence[0], "first_sense_best": classes.mean(axis=0)[0],
        "prevalence_distance": abs(fit.prevalence - classes.mean(axis=0)).sum() / 2,
    })  # fmt: skip


def bayes_fits(
    study: Study, n_draws: int, rng: np.random.Generator
) -> dict[str, hierarchical_dawid_skene.HierarchicalDawidSkeneFit]:
    """Sample the hierarchical model on the four words."""
    return {
        word: hierarchical_dawid_skene.fit(
            study.words[word], rng=rng, n_warmup=n_draws, n_draws=n_draws, thin=5, threads=1
        )
        for word in FOUR.values()
    }


def certain_table(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    optima: Mapping[str, Optimum],
    bayes: Mapping[str, Any],
) -> pd.DataFrame:
    """Return Figure 5 with the best optimum and full Bayes beside the authors' fit."""
    parts = []
    for word in FOUR.values():
        best, full = optima[word].best, bayes[word]
        columns = {"authors": fits[word], "best_optimum": best, "full_bayes": full}
        part = pd.DataFrame({k: certain_by_category(f) for k, f in columns.items()})
        part = part.rename_axis("sense").reset_index()
        part.insert(0, "word", word)
        rest = {k: study.words[word].n_items - part[k].sum() for k in columns}
        part.loc[len(part)] = {"word": word, "sense": "not certain", **rest}
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def bayes_table(
    fits: Mapping[str, DawidSkeneFit], optima: Mapping[str, Optimum], bayes: Mapping[str, Any]
) -> pd.DataFrame:
    """Say which optimum full Bayes is closer to."""
    rows = []
    for word, full in bayes.items():
        own = full.posterior.argmax(axis=1)
        of_chain = full.draws.item_probability.mean(axis=1)
        certain = [is_certain(chain).mean() for chain in of_chain]
        traces = {"prevalence": (full.draws.prevalence, full.categories)}
        rows.append(
            {
                "word": word,
                "certain": is_certain(full.posterior).mean(),
                "certain_least_chain": min(certain),
                "certain_most_chain": max(certain),
                "same_as_authors": (own == fits[word].posterior.argmax(axis=1)).mean(),
                "same_as_best": (own == optima[word].best.posterior.argmax(axis=1)).mean(),
                "largest_r_hat_of_prevalence": convergence_table(traces)["r_hat"].max(),
                "label_switches": int(full.label_switches.sum()),
            }
        )
    return pd.DataFrame(rows)


def smoothing_table(study: Study, smoothings: Sequence[float]) -> pd.DataFrame:
    """Return certain items, prevalence and accuracy of the first sense as the smoothing varies."""
    rows = []
    for smoothing in smoothings:
        for word, labels in study.words.items():
            fit = authors_fit(labels, smoothing)
            rows.append({"word": word, "smoothing": smoothing, "epochs": fit.n_iterations,
                         "certain": is_certain(fit.posterior).sum(),
                         "certain_share": is_certain(fit.posterior).mean(),
                         "prevalence_1": fit.prevalence[0],
                         "accuracy_1": mean_accuracy(fit)[fit.categories[0]]})  # fmt: skip
    return pd.DataFrame(rows)


# ------------------------------------------------------- not in the paper: calibration


def relabelled(
    labels: Annotations, fit: DawidSkeneFit, rng: np.random.Generator
) -> tuple[Annotations, np.ndarray]:
    """Draw true categories and labels from a fit, who labels what as it was."""
    truth = (rng.random((labels.n_items, 1)) > fit.prevalence.cumsum()).sum(axis=1)
    truth = truth.clip(max=labels.n_categories - 1)
    chance = fit.confusion[labels.annotator, truth[labels.item]].cumsum(axis=1)
    label = (rng.random((labels.n_labels, 1)) > chance).sum(axis=1)
    label = label.clip(max=labels.n_categories - 1)
    drawn = Annotations.from_arrays(
        labels.item.astype(str), labels.annotator.astype(str), label.astype(str),
        categories=list(map(str, range(labels.n_categories))),
    )  # fmt: skip
    return drawn, truth[np.array(drawn.items, dtype=int)]


def certain_and_right(posterior: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    """Return how many items are certain, what is claimed of them and what is right."""
    sure = is_certain(posterior)
    right = (posterior.argmax(axis=1) == truth)[sure]
    interval = stats.binomtest(int(right.sum()), int(sure.sum())).proportion_ci(method="wilson")
    pairs = np.zeros((posterior.shape[1], posterior.shape[1]))
    np.add.at(pairs, (posterior.argmax(axis=1)[sure], truth[sure]), 1)
    matched = pairs[linear_sum_assignment(pairs, maximize=True)].sum() / sure.sum()
    return {"items": len(sure), "certain": int(sure.sum()),
            "claimed": posterior.max(axis=1)[sure].mean(), "right": right.mean(),
            "lower": interval.low, "upper": interval.high, "right_if_renamed": matched}  # fmt: skip


def calibration(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    gold: Mapping[str, LoadedData],
    n_draws: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Compare certainty with truth: labels simulated from the fits, and sets with gold."""
    rows = []

    def add(name: str, source: str, labels: Annotations, truth: np.ndarray) -> None:
        sampled = hierarchical_dawid_skene.fit(
            labels, rng=rng, n_chains=2, n_warmup=n_draws, n_draws=n_draws, thin=5, threads=1
        )
        for method, found in (("authors' EM", authors_fit(labels)),
                              ("EM from votes", dawid_skene.fit(labels)),
                              ("full Bayes", sampled)):  # fmt: skip
            known = truth >= 0
            row = certain_and_right(found.posterior[known], truth[known])
            rows.append({"data": name, "source": source, "method": method, **row})

    for name, word in FOUR.items():
        add(name, "simulated", *relabelled(study.words[word], fits[word], rng))
    for name, data in gold.items():
        labels = data.annotations
        add(name, data.provenance, labels, data.gold)
    return pd.DataFrame(rows)


# ----------------------------------------------------------------------------- figures

INK, BLUE, RED, GREY = plotting.INK, plotting.BLUE, plotting.VERMILION, plotting.GREY
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
            crowd = table[f"crowd_{what}"]
            axes.hlines(y, table[f"crowd_{what}_lower"], table[f"crowd_{what}_upper"], color=BLUE)
            axes.plot(crowd, y, "o", color=BLUE, markersize=4, label="crowd, 95% interval")
            axes.plot(table[f"trained_{what}"], y, "D", color=RED, markersize=4,
                      markerfacecolor="white", label="trained annotators, printed")  # fmt: skip
            axes.hlines(y + 0.3, table[f"public_{what}_lower"], table[f"public_{what}_upper"],
                        color=RED, linewidth=0.8)  # fmt: skip
            axes.plot(table[f"public_{what}"], y + 0.3, "x", color=RED, markersize=4,
                      label="trained annotators, public sample")  # fmt: skip
            axes.set(ylim=(-0.7, len(y) - 0.1), xlabel={"alpha": "Krippendorff's alpha",
                     "agreement": "pairwise agreement"}[what])  # fmt: skip
            axes.grid(axis="y", color="#E6E6E6", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.set_yticks(y, [short(w) for w in table["word"]] if what == "alpha" else [""] * 45)
            axes.tick_params(axis="y", length=0, labelsize=7.5)
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
    axes.set_xticks(range(len(rows)), ["none" if s == "0" else s for s in rows["sense"]])
    axes.tick_params(axis="x", labelsize=7)


def figure4(table: pd.DataFrame, words: list[str], stem: Path, mark: str | None) -> None:
    """Draw prevalence of senses by the model and by vote, and by trained labels if known."""
    columns = {"trained": ("trained, share of labels", INK),
               "plurality": ("crowd, plurality", "#BBBBBB"),
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
        axes.axvline(0.8, color=GREY, linestyle="--", linewidth=0.9)
        axes.hlines(y, table["certain_least"], table["certain_most"], color="#BBBBBB",
                    linewidth=3, label="all optima found")  # fmt: skip
        axes.plot(table["certain_authors"], y, "o", color=BLUE, label="authors' start")
        axes.plot(table["certain_best"], y, "D", color=RED, markerfacecolor="white",
                  markersize=4.5, label="best optimum found")  # fmt: skip
        axes.set_yticks(y, [short(w) for w in table["word"]])
        axes.tick_params(axis="y", length=0, labelsize=7.5)
        axes.set(ylim=(-0.7, len(y) - 0.3), xlabel="share of items with a sense of at least .99")
        axes.legend(loc="lower left")
        plotting.save_figure(figure, stem)


def figure6(fits: Mapping[str, DawidSkeneFit], stem: Path, mark: str | None) -> None:
    """Draw confusion matrices of four annotators of add and of help."""
    with plotting.house_figure(2, height=4.6, stand_in=mark) as (figure, _):
        panels = iter(grid(figure, 2, 4))
        for word, people in SHOWN.items():
            fit = fits[FOUR[word]]
            names = ["none" if c == "0" else c for c in fit.categories]
            for n, person in enumerate(people):
                axes = next(panels)
                j = min(person, len(fit.annotators)) - 1
                image = axes.imshow(fit.confusion[j], cmap="Greys", vmin=0, vmax=1)
                axes.set_xticks(range(len(names)), names, fontsize=6, rotation=90)
                axes.set_yticks(range(len(names)), names if n == 0 else [], fontsize=6)
                axes.set_title(f"{word}, annotator {person}", fontsize=8.5)
                for side in ("top", "right"):
                    axes.spines[side].set_visible(True)
                if n == 0:
                    axes.set_ylabel("inferred sense", fontsize=8)
                if word == "help":
                    axes.set_xlabel("label given", fontsize=8)
        figure.colorbar(image, ax=figure.axes, shrink=0.6, label="probability")
        plotting.save_figure(figure, stem)


def figure7(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw how often trained label, plurality and model are the same."""
    table = table.sort_values("trained_plurality", ascending=False)
    bars = {"trained_plurality": ("trained = plurality", BLUE, ""),
            "trained_model": ("trained = model", RED, "//"),
            "plurality_model": ("plurality = model", plotting.GREEN, "..")}  # fmt: skip
    x = np.arange(len(table))
    with plotting.house_figure(2, height=3.8, stand_in=mark) as (figure, _):
        [axes] = grid(figure, 1, 1)
        for place, (column, (name, colour, hatch)) in enumerate(bars.items()):
            axes.bar(x + 0.27 * (place - 1), table[column], 0.27, color=colour, hatch=hatch,
                     edgecolor="white", label=name)  # fmt: skip
        axes.set_xticks(
            x,
            [
                f"{short(w).replace(' (', chr(10) + '(')}\n{n}"
                for w, n in zip(table["word"], table["items"], strict=True)
            ],
        )
        axes.set(ylim=(0, 1), ylabel="share of items")
        figure.legend(loc="outside lower center", ncols=3)
        plotting.save_figure(figure, stem)


def figure8(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw histograms of mutual information of the annotators of four words, and of nine."""
    crowd = table[table["annotators"] == "crowd"]
    with plotting.house_figure(3, height=4.9, stand_in=mark) as (figure, _):
        panels = grid(figure, 2, 4)
        for axes, (name, word) in zip(panels, sorted(FOUR.items()), strict=False):
            rows = crowd[crowd["word"] == word]
            axes.hist(rows["bits"], np.arange(0, 2.6, 0.25), color=BLUE, edgecolor="white")
            axes.axvline(rows["entropy"].iloc[0], color=INK, linestyle="--", linewidth=0.9)
            axes.set(title=f"{name}, crowd", xlim=(0, 2.75), xlabel="bits")
        panels[0].set_ylabel("annotators")
        place = panels[4].get_gridspec()[1, :]
        for axes in panels[4:]:
            axes.remove()
        axes = figure.add_subplot(place)
        trained = table[table["annotators"] == "trained"]
        words = sorted(trained["word"].unique())
        for x, word in enumerate(words):
            for rows, shift, style in (
                (trained, 0.15, {"marker": "D", "color": RED}),
                (crowd, -0.15, {"marker": ".", "color": BLUE}),
            ):
                bits = rows[rows["word"] == word]["bits"]
                axes.plot(
                    np.full(len(bits), x + shift),
                    bits,
                    linestyle="",
                    markersize=4,
                    alpha=0.7,
                    label=rows["annotators"].iloc[0] if x == 0 else None,
                    **style,
                )
        axes.set_xticks(range(len(words)), [short(w) for w in words])
        axes.set(ylabel="bits", title="Nine words with public trained labels", ylim=(0, 2.75))
        axes.legend(loc="upper left", ncols=2)
        plotting.save_figure(figure, stem)


def figure_optima(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw what the best optimum gains, and what its classes agree with."""
    with plotting.house_figure(2, height=3.9, stand_in=mark) as (figure, panels):
        left, right = panels
        gain = table["gain"].sort_values(ignore_index=True).clip(lower=0.1)
        left.plot(gain, np.arange(1, len(gain) + 1), "o", color=BLUE, markersize=4)
        left.set(xscale="log", xlabel="log posterior above the authors' optimum",
                 ylabel="words, in order", title="A better optimum")  # fmt: skip
        right.plot([0.3, 1], [0.3, 1], color=GREY, linestyle="--", linewidth=0.9)
        right.plot(table["plurality_authors"], table["plurality_best"], "o", color=BLUE,
                   markersize=4, alpha=0.8)  # fmt: skip
        right.set(xlabel="authors' optimum", ylabel="best optimum found",
                  title="Items whose class is the plurality's", aspect="equal")  # fmt: skip
        plotting.save_figure(figure, stem)


def figure_smoothing(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw what depends on the prior."""
    with plotting.house_figure(3, height=3.5, stand_in=mark) as (figure, panels):
        styles = zip(FOUR.items(), "osD^", (BLUE, RED, plotting.GREEN, INK), strict=True)
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
            axes.axvline(0.01, color=GREY, linestyle=":", linewidth=0.9)
        panels[0].legend()
        plotting.save_figure(figure, stem)


def figure_calibration(table: pd.DataFrame, stem: Path, mark: str | None) -> None:
    """Draw how many of the certain items are right."""
    names = list(dict.fromkeys(table["data"]))
    with plotting.house_figure(2, height=3.8, stand_in=mark) as (figure, _):
        [axes] = grid(figure, 1, 1)
        axes.axhline(CERTAIN, color=GREY, linestyle="--", linewidth=0.9)
        shown = zip(dict.fromkeys(table["method"]), (BLUE, plotting.GREEN, RED), "osD", strict=True)
        for place, (method, colour, marker) in enumerate(shown):
            rows = table[table["method"] == method]
            x = np.array([names.index(n) for n in rows["data"]]) + 0.2 * (place - 1)
            axes.vlines(x, rows["lower"], rows["upper"], color=colour)
            axes.plot(x, rows["right_if_renamed"], marker, color=colour, markersize=5,
                      markerfacecolor="white")  # fmt: skip
            axes.plot(x, rows["right"], marker, color=colour, markersize=5, label=method)
        sources = table.groupby("data")["source"].first()
        axes.set_xticks(range(len(names)), [f"{n}\n({sources[n]})" for n in names])
        axes.set(ylabel="right among certain items")
        axes.legend(loc="lower left")
        plotting.save_figure(figure, stem)


# -------------------------------------------------------------------------------- main


def calibrated(rows: list[Computed]) -> list[Computed]:
    """Mark the values that a simulation was calibrated to as no result of it."""
    return [
        Computed(row.target, row.value, method=CALIBRATION_METHOD, provenance=row.provenance)
        if row.provenance == "simulated" and row.method == PAPER_METHOD
        and row.target.startswith(CALIBRATED)
        else row
        for row in rows
    ]  # fmt: skip


def example_table(values: Mapping[str, float]) -> pd.DataFrame:
    """List the worked cases, with the better intervals beside the printed kind."""
    rows = [{"case": name, "value": float(value)} for name, value in values.items()]
    for method in ("wilson", "exact"):
        ends = stats.binomtest(80, 100).proportion_ci(method=method)
        rows += [{"case": f"accuracy_interval.{side}, {method}", "value": 100 * end}
                 for side, end in zip(("lower", "upper"), ends, strict=True)]  # fmt: skip
    return pd.DataFrame(rows)


def cost_table(number: pd.Series, table: pd.DataFrame) -> pd.DataFrame:
    """Return dollars an item, a label and a bit, by the printed totals."""
    crowd = number["cost_crowd_total"] / (number["cost_crowd_words"]
                                          * number["cost_crowd_sentences"])  # fmt: skip
    trained = number["cost_trained_total"] / (number["cost_trained_words"]
                                              * number["cost_trained_sentences"])  # fmt: skip
    bits = table[table["word"].isin(set(table[table["annotators"] == "trained"]["word"]))]
    median = bits.groupby("annotators")["bits"].median()
    return pd.DataFrame([
        {"annotators": "trained", "dollars_an_item": trained, "dollars_a_label": trained,
         "dollars_a_bit": trained / median["trained"]},
        {"annotators": "crowd", "dollars_an_item": crowd, "dollars_a_label": crowd / 25,
         "dollars_a_bit": crowd / 25 / median["crowd"]},
    ])  # fmt: skip


def main(
    *,
    data_folders: Mapping[str, Path],
    printed_tables: list[Path],
    folder: Path,
    seed: int,
    n_random: int = 4,
    n_draws: int = 200,
    smoothings: Sequence[float] = SMOOTHINGS,
) -> None:
    """Write computed.csv, captions.json, figures/ and tables/ of the paper into a folder."""
    printed = {path.stem: pd.read_csv(path, comment="#") for path in printed_tables}
    number = printed["counts"].set_index("name")["value"]
    study = Study.read(data_folders)
    gold = {name: datasets.read(path) for name, path in data_folders.items()
            if not name.startswith("masc")}  # fmt: skip
    word, rng = study.provenance, np.random.default_rng(seed)

    fits = {name: authors_fit(labels) for name, labels in study.words.items()}
    optima = {name: best_optimum(name, labels, fits[name], n_random, rng)
              for name, labels in study.words.items()}  # fmt: skip
    bayes = bayes_fits(study, n_draws, rng)
    both, both_word = shared_items(study)
    common = len(both["work-n"][0]) if "work-n" in both else 0
    both = both or drawn_items(study, fits, rng)
    of_help = annotators_of_help(fits[FOUR["help"]], study.words[FOUR["help"]])
    section2 = closed_forms(number, printed["examples"])
    of_words = trained_rows(study, printed["figure3"])
    words = agreement_table(of_words, printed["figure3"])
    tables = {
        "example": example_table(section2),
        "figure3": words,
        "senses": correlations(words),
        "prevalence": prevalence_table(study, fits),
        "certain": certain_table(study, fits, optima, bayes),
        "accuracy": pd.DataFrame(
            [
                {"word": w, "sense": s, "accuracy": a}
                for w, f in fits.items()
                for s, a in mean_accuracy(f).items()
            ]
        ),
        "annotators": of_help,
        "same_label": same_label_table(study, fits, both),
        "information": information_table(study, fits),
        "design": design_table(study),
        "optima": pd.DataFrame([found.row for found in optima.values()]),
        "full_bayes": bayes_table(fits, optima, bayes),
        "smoothing": smoothing_table(study, smoothings),
        "calibration": calibration(study, fits, gold, n_draws, rng),
    }
    tables["costs"] = cost_table(number, tables["information"])
    computed = [
        *plain(section2, "closed_form"),
        *plain(arithmetic(number, printed["figure3"], printed["figure5"]), "printed_table"),
        *of_words,
        *correlation_rows(tables["senses"], word),
        *plain(crowd_facts(study), word),
        *plain({"common.work": common or len(both["work-n"][0])}, both_word),
        *plain(certain_counts(fits, printed["figure5"]), word),
        *plain(certain_facts(fits, number), word),
        *plain(accuracy_facts(fits, of_help), word),
    ]
    for name, table in tables.items():
        with replacing(folder / "tables" / f"{name}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n", float_format="%.6g")
    draw(study, fits, tables, folder / "figures", both_word)
    write_captions(folder / "captions.json", tables, word, both_word, seed)
    write_computed(calibrated(computed), folder / "computed.csv")


def draw(
    study: Study,
    fits: Mapping[str, DawidSkeneFit],
    tables: Mapping[str, pd.DataFrame],
    stems: Path,
    both_word: str,
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
    figure6(fits, stems / "figure6", mark)
    simulated = None if both_word == "real" else "Simulated stand-in: trained labels drawn"
    figure7(tables["same_label"], stems / "figure7", simulated)
    figure8(tables["information"], stems / "figure8", mark)
    figure_optima(tables["optima"], stems / "optima", mark)
    figure_smoothing(tables["smoothing"], stems / "smoothing", mark)
    figure_calibration(tables["calibration"], stems / "calibration", mark)


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
    "help: 8, 9 and 41, which the text names, and 18; of add: the first four, since the text "
    "names none. 41 is drawn only if so many annotators labelled.",
    "figure7": "How often trained label, plurality and model are the same, the nine words with "
    "public trained labels; below, the number of items. Where the sentences that join the two "
    "sets are not at hand, trained labels are drawn: with the probability of pairwise agreement "
    "in the public sample the model's sense, otherwise one by the shares of trained labels.",
    "figure8": "Mutual information of the sense and one label of each annotator. Above, the "
    "crowd's annotators of four words; dashed, the entropy of the prevalences. Below, the nine "
    "words with public samples of trained annotators (model fitted to about 100 items).",
    "optima": "Left: how much higher the log posterior of the best optimum found is than that of "
    "the authors' fit, each point a word, gains below 0.1 drawn there. Right: the share of items "
    "whose most probable class is the one most labels name.",
    "smoothing": "What depends on the number added to every count: dotted, the authors' .01. Every "
    "fit begins and stops as the authors' program does.",
    "calibration": "Of the items with a category of at least .99, the share that is right, with "
    "Wilson's 95% interval; open, the share if classes were named as fits the truth best. "
    "Simulated: true senses and labels drawn from the authors' fits of four words. Real: sets "
    "with gold labels.",
}


def write_captions(
    path: Path, tables: Mapping[str, pd.DataFrame], word: str, both_word: str, seed: int
) -> None:
    """Say of every figure and table what it shows, from which data."""
    fixed = {"senses": "printed_table", "figure7": both_word, "calibration": "simulated"}
    captions: dict[str, Any] = {
        name: {"provenance": fixed.get(name, word), "caption": text, "seed": seed}
        for name, text in CAPTIONS.items()
    }
    of_tables = {"example": "closed_form", "same_label": both_word, "calibration": "simulated"}
    captions |= {f"tables/{name}": {"provenance": of_tables.get(name, word)} for name in tables}
    with replacing(path) as draft:
        draft.write_text(json.dumps(captions, indent=1) + "\n")


if "snakemake" in globals():
    with recording(snakemake.log[0], name=snakemake.rule):
        main(
            data_folders={
                name: Path(files[0]).parent
                for name, files in snakemake.input.items()
                if name not in ("printed_tables", "library")
            },
            printed_tables=list(map(Path, snakemake.input.printed_tables)),
            folder=Path(snakemake.output.computed).parent,
            seed=snakemake.params.seed,
        )
