"""Section 4: the model as the authors' program fits it, certain items, accuracies and biases."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from annobench.labels.annotations import Annotations
from annobench.models import dawid_skene
from annobench.models.dawid_skene import DawidSkeneFit
from annobench.models.dawid_skene.em import Parameters
from annobench.models.dawid_skene.starts import Start

from .corpus import FOUR, Corpus, Fits
from .examples import Values, with_sense

CERTAIN = 0.99
#: The settings of the authors' program.
SMOOTHING = 0.01
AUTHORS: dict[str, Any] = {"start": "diagonal", "tolerance": 1e-8, "max_iterations": 100}


def authors_fit(
    labels: Annotations, smoothing: float = SMOOTHING, start: Start | Parameters = AUTHORS["start"]
) -> DawidSkeneFit:
    """Fit the model as the authors' program does.

    It stops when the relative change of the log likelihood is at most the tolerance, far from the
    limit where EM is slow.
    """
    plain: dict[str, Any] = {"smoothing": smoothing, "tolerance": 0, "max_iterations": 1}
    fit = dawid_skene.fit(labels, start=start, **plain)
    for n in range(2, AUTHORS["max_iterations"] + 1):
        before, fit = fit, dawid_skene.fit(labels, start=fit.parameters, **plain)
        change = abs(fit.log_likelihood - before.log_likelihood)
        if change <= AUTHORS["tolerance"] * abs(before.log_likelihood):
            return replace(fit, n_iterations=n, converged=True)
    return replace(fit, n_iterations=AUTHORS["max_iterations"])


#: Fits a word once, as long as neither its labels nor the settings change.
fit_once = functools.lru_cache(maxsize=256)(authors_fit)


def fits_of(words: Mapping[str, Annotations], smoothing: float) -> Fits:
    """Fit every word as the authors' program does."""
    return {word: fit_once(a, smoothing) for word, a in words.items()}


def fit_facts(corpus: Corpus, fits: Fits, printed: pd.DataFrame, number: pd.Series) -> Values:
    """Compute every printed value that depends on the fits."""
    of_help = annotators_of_help(fits[FOUR["help"]], corpus.words[FOUR["help"]])
    certain = certain_counts(fits, printed) | certain_facts(fits, number)
    return certain | accuracy_facts(fits, of_help)


def is_certain(posterior: np.ndarray) -> np.ndarray:
    """Say which items have a category of at least .99."""
    return np.asarray(posterior.max(axis=1) >= CERTAIN)


def certain_by_category(posterior: np.ndarray, categories: Sequence[str]) -> dict[str, int]:
    """Count the certain items of each category."""
    sure = posterior[is_certain(posterior)].argmax(axis=1)
    count = np.bincount(sure, minlength=len(categories))
    return dict(zip(categories, map(int, count), strict=True))


def certain_counts(fits: Fits, printed: pd.DataFrame) -> Values:
    """Compute the rows that Figure 5 has for its four words."""
    result: Values = {}
    senses = with_sense(printed).groupby("word")["sense"].agg(list)
    for name, key in FOUR.items():
        fit, n = fits[key], len(fits[key].items)
        by_category = certain_by_category(fit.posterior, fit.categories)
        total = sum(by_category.values())
        rows = {sense: by_category.get(sense, 0) for sense in senses[name] if sense != "rest"}
        for row, count in {**rows, "subtotal": total, "rest": n - total, "total": n}.items():
            result[f"figure5.{name}.{row}.count"] = count
            result[f"figure5.{name}.{row}.share"] = count / n
        result[f"figure5.{name}.caption"] = 100 * total / n
    return result


def certain_facts(fits: Fits, number: pd.Series) -> Values:
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


def mean_accuracy(fit: DawidSkeneFit) -> Values:
    """Return the mean over annotators of the accuracy on each category."""
    accuracy = np.einsum("jkk->k", fit.confusion) / len(fit.annotators)
    return dict(zip(fit.categories, map(float, accuracy), strict=True))


def accuracy_table(fits: Fits) -> pd.DataFrame:
    """Return the mean accuracy on each sense of each word."""
    rows = [(word, *row) for word, fit in fits.items() for row in mean_accuracy(fit).items()]
    return pd.DataFrame(rows, columns=["word", "sense", "accuracy"])


def annotator_accuracy(fit: DawidSkeneFit) -> np.ndarray:
    """Return the accuracy of each annotator, the mean over categories."""
    return np.asarray(np.einsum("jkk->j", fit.confusion) / len(fit.categories))


def annotators_of_help(fit: DawidSkeneFit, labels: Annotations) -> pd.DataFrame:
    """Say of each annotator of help which of section 4.2's statements hold, senses by number."""
    # Expected number of labels by annotator, true category and label.
    count = np.zeros((labels.n_annotators, labels.n_categories, labels.n_categories))
    where = labels.annotator, labels.label
    np.add.at(count.transpose(0, 2, 1), where, fit.posterior[labels.item])
    given, true = count.sum(axis=1), count.sum(axis=2)
    excess, when_1 = given - true, count[:, :, 0]
    assigned = given.round().astype(int)
    table = pd.DataFrame(
        {
            "annotator": np.arange(1, labels.n_annotators + 1),
            "labels": given.sum(axis=1).round().astype(int),
            "accuracy": annotator_accuracy(fit),
            "overused_beside_1": 2 + excess[:, 1:].argmax(axis=1),
            **{f"excess_{s}": excess[:, s - 1] for s in (1, 2, 3)},
            "commonest_error_when_1": 2 + when_1[:, 1:].argmax(axis=1),
            **{f"assigned_{s}": assigned[:, s - 1] for s in (6, 8)},
            "share_truly_6_when_1": when_1[:, 5] / when_1.sum(axis=1).clip(min=1),
            **{f"overuses_{s}": excess[:, s - 1] > 0 for s in (1, 2, 3)},
        }
    )
    table["neither_6_nor_8"] = (table["assigned_6"] == 0) & (table["assigned_8"] == 0)
    table["often_6_when_1"] = table["commonest_error_when_1"] == 6
    return table


def accuracy_facts(fits: Fits, of_help: pd.DataFrame) -> Values:
    """Compute section 4.2: mean accuracies, and biases of the annotators it names."""
    add, help_ = mean_accuracy(fits[FOUR["add"]]), mean_accuracy(fits[FOUR["help"]])
    means = np.concatenate([annotator_accuracy(fit) for fit in fits.values()])
    named = of_help.set_index("annotator").reindex([8, 9, 41])
    # The text has more senses of add than the word; there the accuracy is that of the code's row.
    of_row = dict(enumerate(add.values(), start=1))
    return {
        "accuracy.max": means.max(),
        "accuracy.min": means.min(),
        **{f"accuracy.add.{s}": of_row.get(s, np.nan) for s in (1, 2, 6, 7)},
        **{f"accuracy.help.{s}": help_.get(str(s), np.nan) for s in (1, 4, 5, 7)},
        "accuracy.help.other": help_["0"],
        "accuracy.help.max": max(help_.values()),
        "accuracy.help.min": min(help_.values()),
        "figure6.help.assigned_6": named["assigned_6"].sum(),
        "figure6.help.assigned_8": named["assigned_8"].sum(),
        **{f"figure6.help.overused.{j}": row["overused_beside_1"] for j, row in named.iterrows()},
        "figure6.help.true_when_1": named.loc[8, "commonest_error_when_1"],
    }


def votes(labels: Annotations) -> np.ndarray:
    """Return the shares of each item's labels, shape (I, K)."""
    return np.asarray(labels.counts / labels.counts.sum(axis=1, keepdims=True))


def plurality(share: np.ndarray) -> np.ndarray:
    """Give each item to the category with the largest share, in equal parts if tied."""
    top = (share == share.max(axis=1, keepdims=True)) & (share > 0)
    return top / top.sum(axis=1, keepdims=True).clip(min=1)


def prevalence_table(corpus: Corpus, fits: Fits) -> pd.DataFrame:
    """Return prevalences by model and by vote, and by trained labels where these are public."""
    rows: list[tuple[Any, ...]] = []
    known = corpus.trained_four | corpus.full
    for word in (*FOUR.values(), *corpus.full):
        fit, share = fits[word], votes(corpus.words[word])
        by_vote = plurality(share).mean(axis=0), share.mean(axis=0)
        trained = trained_prevalence(known.get(word), fit.categories)
        columns = fit.categories, fit.prevalence, *by_vote, trained
        rows += [(word, *row) for row in zip(*columns, strict=True)]
    return pd.DataFrame(rows, columns=["word", "sense", "model", "plurality", "labels", "trained"])


def trained_prevalence(labels: Annotations | None, senses: tuple[str, ...]) -> list[float]:
    """Return the shares of senses among the trained labels, an answer without a sense as 0."""
    if labels is None:
        return [np.nan] * len(senses)
    share = dict(zip(labels.categories, votes(labels).mean(axis=0), strict=True))
    known = {s: share.get(s, 0.0) for s in senses if s != "0"}
    return [known.get(s, 1 - sum(known.values())) for s in senses]


def smoothing_table(fits_at: Mapping[float, Fits]) -> pd.DataFrame:
    """Return certain items, prevalence and accuracy of the first sense by smoothing."""
    rows = []
    for smoothing, fits in fits_at.items():
        for word, fit in fits.items():
            sure, first = is_certain(fit.posterior), mean_accuracy(fit)[fit.categories[0]]
            found = (sure.sum(), sure.mean(), fit.prevalence[0], first)
            rows.append((word, smoothing, fit.n_iterations, *found))
    columns = "word smoothing epochs certain certain_share prevalence_1 accuracy_1"
    return pd.DataFrame(rows, columns=columns.split())


def sensitivity(facts_at: Mapping[float, Values]) -> pd.DataFrame:
    """Return every value that depends on the fits, by smoothing, and its range."""
    table = pd.DataFrame({f"smoothing_{s:g}": facts for s, facts in facts_at.items()})
    table = table.assign(least=table.min(axis=1), most=table.max(axis=1))
    return table.rename_axis("target").reset_index()
