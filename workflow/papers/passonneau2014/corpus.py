"""The labels of 45 words by the crowd, those of nine words by trained annotators: section 3."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from annobench import agreement
from annobench.datasets import LoadedData
from annobench.labels.annotations import Annotations
from annobench.models.dawid_skene import DawidSkeneFit
from annobench_datasets.masc_crowd import by_word
from annobench_replication.ledger import PAPER_METHOD, Computed
from annobench_replication.rows import coefficient_row, value_row
from annobench_replication.study import Study

Fits = Mapping[str, DawidSkeneFit]
#: The words of Figures 4, 5 and 8.
FOUR = {"add": "add-v", "date": "date-n", "help": "help-v", "ask": "ask-v"}
#: The data set of the other words' trained labels.
REST = "masc_trained_rest"
#: Data that are read once are split once.
split = functools.lru_cache(maxsize=16)(by_word)
#: Of the samples of tell, the one of five annotators; "quiet" is a copy without some answers.
LEFT_OUT = ("2.2/tell-v.6ann", "quiet")


@dataclass(frozen=True)
class Corpus:
    """The data sets, and by word the crowd's labels, all trained ones, and samples of these.

    `trained_four` are the trained labels of the words of Figures 4 and 8, empty without the archive
    that has them: simulated ones would repeat the shares of the crowd's labels.
    """

    crowd: LoadedData
    text: LoadedData
    trained: LoadedData
    words: dict[str, Annotations]
    full: dict[str, Annotations]
    samples: dict[str, Annotations]
    trained_four: dict[str, Annotations]

    @classmethod
    def of(cls, study: Study) -> "Corpus":
        """Split the data sets by word."""
        crowd, text, samples, full = (
            study.data(f"masc_{name}")
            for name in ("crowd", "crowd_text", "trained_samples", "trained_full")
        )
        public = {
            name.split("/")[1].split(".")[0]: labels
            for name, labels in split(samples, column="sample").items()
            if name.startswith("2.2") and not any(part in name for part in LEFT_OUT)
        }
        rest = split(study.data(REST)) if study.provenance(REST) == "real" else {}
        four = {word: rest[word] for word in FOUR.values() if word in rest}
        return cls(crowd, text, full, split(crowd), split(full), public, four)

    @property
    def senses_offered(self) -> pd.Series:
        """Number of senses that the crowd could choose from, by word."""
        return self.crowd.items.groupby("word")["senses_offered"].first()


@functools.lru_cache(maxsize=256)
def nominal_agreement(labels: Annotations) -> dict[str, agreement.Agreement]:
    """Return alpha and pairwise agreement, every answer a category."""
    return {
        "alpha": agreement.krippendorff_alpha(labels),
        "agreement": agreement.percent_agreement(labels),
    }


def trained_rows(corpus: Corpus, words: pd.DataFrame) -> list[Computed]:
    """Compute Figure 3, and beside it the agreement of the crowd."""
    offered, rows = corpus.senses_offered, []
    for key in words["word"]:
        target = f"figure3.{key.split('-')[0]}"
        for labels, method in ((corpus.samples, PAPER_METHOD), (corpus.words, "crowd")):
            if key in labels:
                rows += [
                    coefficient_row(f"{target}.{what}", found, method=method)
                    for what, found in nominal_agreement(labels[key]).items()
                ]
        rows.append(value_row(f"{target}.senses", offered[key]))
        if key in corpus.full:
            rows.append(value_row(f"{target}.used", n_senses(corpus.full[key])))
    return rows


def of_several(labels: Annotations) -> Annotations:
    """Return the labels of the items that more than one annotator labelled."""
    return labels.select(labels=labels.counts.sum(axis=1)[labels.item] > 1)


def answers(labels: Annotations) -> list[str]:
    """Return the categories that were chosen."""
    return [c for c, n in zip(labels.categories, labels.counts.sum(axis=0), strict=True) if n]


def n_senses(labels: Annotations) -> int:
    """Count the answers that are senses."""
    return sum(map(str.isdigit, answers(labels)))


def agreement_table(rows: list[Computed], words: pd.DataFrame) -> pd.DataFrame:
    """Put printed and computed agreement side by side, one row a word."""
    table = words.rename(columns={"alpha": "trained_alpha", "agreement": "trained_agreement"})
    alpha, names = words["alpha"], words["word"].str.split("-").str[0]
    table["implied_chance"] = (words["agreement"] - alpha) / (1 - alpha)
    of = pd.DataFrame(rows).set_index(["method", "target"])[["value", "lower", "upper"]]
    for whose, method in (("crowd", "crowd"), ("public", PAPER_METHOD)):
        for what in ("alpha", "agreement"):
            found = of.loc[method].reindex(f"figure3.{name}.{what}" for name in names)
            table[[f"{whose}_{what}{end}" for end in ("", "_lower", "_upper")]] = found.to_numpy()
    table["senses_offered"] = [of["value"][PAPER_METHOD, f"figure3.{n}.senses"] for n in names]
    return table


def available_senses(corpus: Corpus, words: pd.DataFrame, wordnet: pd.DataFrame) -> pd.DataFrame:
    """Return what Figure 3's column "All" might count, by word."""
    table = words[["word", "senses", "used"]].set_index("word")
    table.columns = pd.Index(["printed", "printed_used"])
    table["offered"] = corpus.senses_offered
    for column, base in (("offered", "offered"), ("used", "printed_used")):
        table[f"{column}_and_none"] = table[base] + 1
        table[f"{column}_and_four_none"] = table[base] + 4
    table[["wordnet", "wordnet_any_part_of_speech"]] = wordnet.set_index("word").to_numpy()
    groups = {"crowd": corpus.words, "trained": corpus.full, "sample": corpus.samples}
    for whose, labels in groups.items():
        table[f"{whose}_answers"] = {word: len(answers(a)) for word, a in labels.items()}
    table["trained_senses_and_none"] = {w: 1 + n_senses(a) for w, a in corpus.full.items()}
    return table.reset_index()


def readings(table: pd.DataFrame) -> pd.DataFrame:
    """Count the words whose printed number each reading of "All" reproduces."""
    rows = []
    for name in table.columns[3:]:
        more = (table["printed"] - table[name]).dropna()
        commonest = more.value_counts()
        signs = (more == 0).sum(), (more > 0).sum(), (more < 0).sum()
        rows.append((name, len(more), *signs, commonest.index[0], commonest.iloc[0]))
    columns = "reading words equal printed_is_larger printed_is_smaller best_constant"
    return pd.DataFrame(rows, columns=[*columns.split(), "equal_with_best_constant"])


def typical_alpha(corpus: Corpus) -> float:
    """Return the mean alpha of the public samples of trained annotators."""
    return float(np.mean([nominal_agreement(a)["alpha"].estimate for a in corpus.samples.values()]))


def simulated_trained(corpus: Corpus, fits: Fits) -> dict[str, float]:
    """Compute Figure 3 for simulated trained annotators of words without public labels.

    They know a sense as often as gives the mean alpha of the public samples, or else guess by the
    model's prevalences; each of a thousand items has one label.
    """
    alpha, values = typical_alpha(corpus), {}
    for key in fits.keys() - corpus.full.keys():
        name, share = f"figure3.{key.split('-')[0]}", fits[key].prevalence
        values[f"{name}.alpha"] = alpha
        values[f"{name}.agreement"] = alpha + (1 - alpha) * (share**2).sum()
        values[f"{name}.used"] = (1 - (1 - share[:-1]) ** 1000).sum()
    return dict(sorted(values.items()))


def correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Correlate agreement with the number of senses, over the words.

    The equivalence bound is the smallest correlation, in absolute value, that two one-sided
    tests of 5% would exclude: 45 words can't show that there is none.
    """
    rows = []
    of = (("trained", "senses"), ("trained", "used")), (("crowd", "senses_offered"),)
    pairs = [(what, *pair) for each in of for what in ("alpha", "agreement") for pair in each]
    for what, who, senses in pairs:
        found = stats.pearsonr(table[f"{who}_{what}"], table[senses])
        lower, upper = found.confidence_interval(0.95)
        bound = max(map(abs, found.confidence_interval(0.90)))
        rows.append((who, what, senses, found.statistic, lower, upper, found.pvalue, bound))
    columns = "annotators measure senses r lower upper p_value equivalence_bound"
    return pd.DataFrame(rows, columns=columns.split())


def crowd_facts(corpus: Corpus) -> dict[str, float]:
    """Count what section 3 says of the crowd's labels and of the trained annotators'."""
    n, each = (
        np.concatenate([a.counts.sum(axis=1) for a in labels.values()])
        for labels in (corpus.words, corpus.full)
    )
    items, samples = corpus.crowd.items, corpus.samples.values()
    sizes = [a.n_items for a in corpus.words.values()]
    four = {name: corpus.words[word] for name, word in FOUR.items()}
    offered = corpus.senses_offered
    return {
        "crowd.max_labels": n.max(),
        "crowd.n_words": len(corpus.words),
        "crowd.sentences_per_form": items.groupby(["word", "form"]).size().max(),
        "crowd.max_forms": items.groupby("word")["form"].nunique().max(),
        "crowd.min_items": min(sizes),
        "crowd.max_items": max(sizes),
        "crowd.min_labels_per_item": n.min(),
        "crowd.max_labels_per_item": n.max(),
        "crowd.n_annotators": corpus.crowd.labels["annotator"].nunique(),
        "sample.n_sentences": np.median([a.n_items for a in samples]),
        "sample.min_annotators": min(a.n_annotators for a in samples),
        "sample.max_annotators": max(a.n_annotators for a in samples),
        "trained.single_label_share": 100 * (each == 1).mean(),
        "trained.multiple_label_share": 100 * (each > 1).mean(),
        "figure4.labels_per_item": min(a.n_labels / a.n_items for a in four.values()),
        **{f"figure4.{name}.senses": offered[FOUR[name]] for name in ("help", "ask")},
        **{f"figure6.{name}.n_annotators": four[name].n_annotators for name in ("add", "help")},
    }


def design_table(corpus: Corpus) -> pd.DataFrame:
    """Describe the crowd's labels, one row a word."""
    forms = corpus.crowd.items.groupby("word")["form"].nunique()
    rows = []
    for word, a in corpus.words.items():
        n, size = a.counts.sum(axis=1), (a.n_items, forms[word], a.n_annotators, a.n_labels)
        rows.append((word, *size, n.mean(), n.min(), n.max()))
    columns = "word items forms annotators labels labels_per_item least most"
    return pd.DataFrame(rows, columns=columns.split())
