"""Fifteen sets of crowd labels with a gold standard, gathered by Li et al. (2019).

Each has a file of labels (item, worker, label) and one of golds (item, truth), all as whole
numbers. Categories keep the numbers of the files, which do not name them. Repeated labels
of an annotator are kept, and in four sets only some items have a gold label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench.datasets.sources import SourceFile
from annobench.simulation.difficulty import EVEN, Difficulty
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import Stratum, err_together
from annobench_datasets._text import read_integers, report

Codes = NDArray[np.int64]

_REPOSITORY = "yuan-li/truth-inference-at-scale"
_SOURCE = pinned(
    "truth_inference",
    repository=_REPOSITORY,
    commit="621789b2d57324d3559dc973b2613d2296d73f55",
    licence="MIT (the repository; the labels are their authors')",
)
_LABELS, _GOLDS = ("item", "worker", "label"), ("item", "truth")


@dataclass(frozen=True)
class _Design:
    """What is published of a set, or counted in its files.

    Attributes
    ----------
    loads : tuple of int
        Minimum, median and maximum number of labels of an annotator.
    n_annotators : int
        J.
    labels_per_item : str
        Numbers of labels, each with how many items have that many: ``"3:8315"``.
    n_repeats : int
        Labels that an annotator gave to an item labelled before by the same annotator.
    confusion : str
        Labels (columns) of items by gold category (rows, between slashes).
    concentration : tuple of float
        Of each row, how alike annotators are, by the method of moments; 200 stands for rows
        in which annotators differ no more than chance makes them.
    gold_counts : tuple of int
        Items of each gold category.
    rest : tuple of float
        Shares of the categories among items without gold: those that bring the labels of
        these items, through the mean confusion matrix, nearest to their published shares.
    """

    loads: tuple[int, int, int]
    n_annotators: int
    labels_per_item: str
    n_repeats: int
    confusion: str
    concentration: tuple[float, ...]
    gold_counts: tuple[int, ...]
    rest: tuple[float, ...]
    difficulty: Difficulty = EVEN

    @property
    def categories(self) -> tuple[str, ...]:
        """The numbers of the files."""
        return tuple(map(str, range(len(self.gold_counts))))

    @property
    def per_item(self) -> Codes:
        """Labels of each item, in descending order, shape (I,)."""
        pairs = [pair.split(":") for pair in self.labels_per_item.split()]
        labels, items = np.array(pairs, dtype=np.int64).T
        return np.repeat(labels, items)[::-1]

    @property
    def mean_confusion(self) -> NDArray[np.float64]:
        """The share of each label, given the gold category, shape (K, K)."""
        rows = [row.split() for row in self.confusion.split("/")]
        counts = np.array(rows, dtype=np.float64)
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    @property
    def load(self) -> Codes:
        """Labels of each annotator, shape (J,), ascending, with the stated sum and quantiles."""
        minimum, median, maximum = self.loads
        half = self.n_annotators // 2
        lower = minimum * (median / minimum) ** np.linspace(0, 1, self.n_annotators - half)
        rest = int(self.per_item.sum()) - int(lower.round().sum())
        step = np.linspace(0, 1, half + 1)[1:]

        def upper(exponent: float) -> Codes:
            curve = median * (maximum / median) ** (step**exponent)
            # The middle two make the median where their number is even.
            curve[: 1 - self.n_annotators % 2] = median
            return np.asarray(curve.round(), dtype=np.int64)

        result = upper(1.0)
        if maximum > median:
            # Imported here, as every job that names a data set imports this module.
            from scipy.optimize import brentq

            exponent = brentq(lambda exponent: upper(exponent).sum() - rest, 1e-3, 1e3)
            result = _with_sum(upper(exponent), rest)
        return np.concatenate([lower.round().astype(np.int64), result])

    @property
    def targets(self) -> dict[str, float]:
        """The aggregates that the simulator must meet."""
        label = self.mean_confusion
        gold = np.array(self.gold_counts) / sum(self.gold_counts)
        return {
            "n_items": self.per_item.size,
            "n_annotators": self.n_annotators,
            "n_labels": int(self.per_item.sum()),
            "median_load": self.loads[1],
            "max_load": self.loads[2],
            **{f"gold:{name}": share for name, share in zip(self.categories, gold, strict=True)},
            **{
                f"label:{given}|{true}": label[k, m]
                for k, true in enumerate(self.categories)
                for m, given in enumerate(self.categories)
                if label[k, m]
            },
        }


def _with_sum(values: Codes, total: int) -> Codes:
    """Change values but the first and the last by as little as brings them to a sum."""
    inner = np.arange(1, values.size - 1)
    wanted = int(total - values.sum())
    values[inner] += wanted // inner.size
    values[inner[inner.size - wanted % inner.size :]] += 1
    assert values.min() >= values[0]
    assert values.max() == values[-1]
    return values


def _check(path: Path, column: NDArray[np.int64], what: str, known: NDArray[np.int64]) -> None:
    """Report values that are not known, by line."""
    wrong = np.flatnonzero(~np.isin(column, known))
    shown = f"0 to {known.max()}" if what != "item" else "an item with labels"
    report(path, ((n + 2, f"{what} {column[n]} is not {shown}") for n in wrong[:10]))


def _parse(
    files: Mapping[str, Path], *, labels: SourceFile, golds: SourceFile, categories: tuple[str, ...]
) -> DataTables:
    """Parse the two files of a set; items stand in the order of the labels."""
    path, gold_path = files[labels.path], files[golds.path]
    item, annotator, label = read_integers(path, _LABELS, ",").T
    below = np.flatnonzero(annotator < 0)
    report(path, ((n + 2, f"worker {annotator[n]} is below 0") for n in below))
    gold_item, gold = read_integers(gold_path, _GOLDS, ",").T
    known = np.arange(len(categories))
    items = pd.unique(item)
    _check(path, label, "label", known)
    _check(gold_path, gold, "truth", known)
    _check(gold_path, gold_item, "item", items)
    twice = np.flatnonzero(pd.Series(gold_item).duplicated())
    report(gold_path, ((n + 2, f"item {gold_item[n]} has a gold label above") for n in twice))
    of_item = pd.Series(gold, index=gold_item).reindex(items).fillna(-1).to_numpy(np.int64)
    return _layout(item, annotator, label, items, of_item)


def _layout(
    item: Codes, annotator: Codes, label: Codes, items: Codes, gold: Codes, prefix: str = ""
) -> DataTables:
    """Lay out the two tables; -1 stands for no gold."""
    labels = pd.DataFrame(
        {"item": _spelled(item), "annotator": _spelled(annotator, prefix), "label": _spelled(label)}
    )
    about = pd.DataFrame({"item": _spelled(items)})
    about["gold"] = _spelled(gold).where(gold >= 0, None).astype("str")
    return DataTables(labels, about)


def _spelled(numbers: Codes, prefix: str = "") -> pd.Series[str]:
    """Convert integers to text, each distinct value only once."""
    distinct, place = np.unique(numbers, return_inverse=True)
    return (prefix + pd.Series(distinct).astype("str")).take(place).reset_index(drop=True)


def _simulate(
    rng: np.random.Generator, files: Mapping[str, Path], *, design: _Design
) -> DataTables:
    """Draw golds, who labels what, annotators' confusion matrices, and labels."""
    n_items, n_golds = design.per_item.size, sum(design.gold_counts)
    category = np.repeat(np.arange(len(design.categories)), design.gold_counts)
    if design.rest:
        more = rng.choice(category.max() + 1, n_items - n_golds, p=design.rest)
        category = np.concatenate([category, more])
    order = rng.permutation(n_items)
    category, gold = category[order], np.where(order < n_golds, category[order], -1)
    item, annotator = _give_out(rng, design)
    stratum = Stratum(1, tuple(map(tuple, design.mean_confusion)), design.concentration)
    label = err_together(rng, (stratum,), design.load, annotator, item, category, design.difficulty)
    return _layout(item, annotator + 1, label, np.arange(n_items), gold, "simulated-")


def _give_out(rng: np.random.Generator, design: _Design) -> tuple[Codes, Codes]:
    """Give out labels so that every item and annotator has the stated number of them."""
    per_item, load = design.per_item, design.load
    place = np.concatenate(
        [np.arange((per_item > done).sum()) for done in range(int(per_item.max()))]
    )
    item = rng.permutation(per_item.size)[place]
    busiest = np.argsort(-load, kind="stable")
    annotator = np.repeat(busiest, load[busiest])
    order = np.argsort(item, kind="stable")
    item, annotator = item[order], annotator[order]
    _repeat(rng, item, annotator, design.n_repeats)
    return item, annotator


def _repeat(rng: np.random.Generator, item: Codes, annotator: Codes, n_repeats: int) -> None:
    """Permute annotators until `n_repeats` labels repeat one of theirs; loads stay the same."""
    held = Counter(zip(item.tolist(), annotator.tolist(), strict=True))
    by_item = np.searchsorted(item, np.arange(item.max() + 2))
    order = np.argsort(annotator, kind="stable")
    by_annotator = np.searchsorted(annotator[order], np.arange(annotator.max() + 2))
    while item.size - len(held) < n_repeats:
        n = rng.integers(item.size)
        i, j = int(item[n]), int(annotator[n])
        here = rng.integers(by_item[i], by_item[i + 1])
        there = order[rng.integers(by_annotator[j], by_annotator[j + 1])]
        other, elsewhere = int(annotator[here]), int(item[there])
        # `order` is that of the start; the label may have another annotator by now.
        if annotator[there] != j or other == j or elsewhere == i or held[elsewhere, other]:
            continue
        annotator[[here, there]] = j, other
        held.update([(i, j), (elsewhere, other)])
        for gone in ((i, other), (elsewhere, j)):
            held[gone] -= 1
            if not held[gone]:
                del held[gone]


@dataclass(frozen=True)
class _Set:
    """One set: its name, title, origin, folder and design."""

    name: str
    title: str
    citation: str
    home: str
    folder: str
    design: _Design

    def record(self) -> DataSet:
        """Return the record of the data set."""
        labels, golds = (
            _SOURCE.file(f"data/{self.folder}/{name}.csv") for name in ("label", "truth")
        )
        categories = self.design.categories
        return DataSet(
            id=f"ti_{self.name}",
            title=self.title,
            citation=self.citation,
            home=(self.home, f"https://github.com/{_REPOSITORY}"),
            source=_SOURCE,
            files=(labels, golds),
            scale="nominal",
            categories=categories,
            parse=partial(_parse, labels=labels, golds=golds, categories=categories),
            simulate=partial(_simulate, design=self.design),
            calibration=_CALIBRATION,
            targets=self.design.targets,
        )


_CALIBRATION = (
    "numbers of items, annotators and labels, and of labels per item",
    "minimum, median and maximum load of an annotator",
    "number of repeated labels",
    "counts of the gold standard's categories",
    "labels by gold category, and how annotators differ there",
    "difficulty of items: share of unanimous items and errors of the majority vote (counted in the "
    "files), and the accuracy of IBCC (printed in test_ibcc.ipynb of Li et al. 2019; of relevance, "
    "not printed: errors of Dawid and Skene's model, counted); not to Krippendorff's alpha",
)
_WELINDER = (
    "Welinder, Branson, Belongie and Perona (2010). The multidimensional wisdom of crowds. "
    "Advances in Neural Information Processing Systems 23, 2424-2432."
)
_SNOW = (
    "Snow, O'Connor, Jurafsky and Ng (2008). Cheap and fast - but is it good? Evaluating "
    "non-expert annotations for natural language tasks. EMNLP, 254-263. "
    "https://aclanthology.org/D08-1027/"
)
_ZHOU = (
    "Zhou, Platt, Basu and Mao (2012). Learning from the wisdom of crowds by minimax entropy. "
    "Advances in Neural Information Processing Systems 25, 2195-2203."
)
_LEASE = (
    "Lease and Kazai (2011). Overview of the TREC 2011 crowdsourcing track. Text Retrieval "
    "Conference, notebook."
)
_VENANZI = (
    "Venanzi, Guiver, Kazai, Kohli and Shokouhi (2014). Community-based Bayesian aggregation "
    "models for crowdsourcing. WWW, 155-164. "
    "https://doi.org/10.1145/2566486.2567989"
)
_RODRIGUES = (
    "Rodrigues, Pereira and Ribeiro (2013). Learning from multiple annotators: distinguishing "
    "good from random labelers. Pattern Recognition Letters 34, 1428-1436."
)
_TOOLKIT = (
    "Venanzi, Parson, Rogers and Jennings (2015). The ActiveCrowdToolkit: an open-source tool "
    "for benchmarking active learning algorithms for crowdsourcing research. HCOMP, 44-45. "
    "https://ojs.aaai.org/index.php/HCOMP/article/view/13256"
)
_DEMARTINI = (
    "Demartini, Difallah and Cudré-Mauroux (2012). ZenCrowd: leveraging probabilistic "
    "reasoning and crowdsourcing techniques for large-scale entity linking. WWW, 469-478."
)
_WANG = (
    "Wang, Kraska, Franklin and Feng (2012). CrowdER: crowdsourcing entity resolution. "
    "Proceedings of the VLDB Endowment 5, 1483-1494."
)
_ZHENG = (
    "Zheng, Li, Li, Shan and Cheng (2017). Truth inference in crowdsourcing: is the problem "
    "solved? Proceedings of the VLDB Endowment 10, 541-552. "
    "https://doi.org/10.14778/3055540.3055547"
)
_BUCKLEY = (
    "Buckley, Lease and Smucker (2010). Overview of the TREC 2010 relevance feedback track. "
    "Text Retrieval Conference, notebook."
)
_IPEIROTIS = (
    "Ipeirotis, Provost and Wang (2010). Quality management on Amazon Mechanical Turk. "
    "Proceedings of the ACM SIGKDD Workshop on Human Computation, 64-67."
)
_JOSEPHY = (
    "Josephy, Lease and Paritosh (2013). CrowdScale 2013: crowdsourcing at scale. Workshop at "
    "HCOMP, shared task."
)

_SETS = (
    _Set(
        "bluebird",
        "Indigo Bunting or Blue Grosbeak? 108 photographs of birds",
        _WELINDER,
        "https://papers.nips.cc/paper/4074-the-multidimensional-wisdom-of-crowds",
        "SpectralMethodsMeetEM/bluebird",
        _Design(
            loads=(108, 108, 108),
            n_annotators=39,
            labels_per_item="39:108",
            n_repeats=0,
            confusion="1710 630 / 905 967",
            concentration=(1.89, 2.56),
            gold_counts=(60, 48),
            rest=(),
            difficulty=Difficulty(correlation=0.2, misleading=0.3),
        ),
    ),
    _Set(
        "dog",
        "Breed of the dog in 807 photographs, four breeds",
        _ZHOU,
        "https://papers.nips.cc/paper/4490-learning-from-the-wisdom-of-crowds-by-minimax-entropy",
        "SpectralMethodsMeetEM/dog",
        _Design(
            loads=(1, 38, 345),
            n_annotators=109,
            labels_per_item="10:807",
            n_repeats=0,
            confusion="1230 461 19 10 / 603 1217 25 5 / 32 12 1510 626 / 35 9 613 1663",
            concentration=(8.84, 4.26, 12.8, 2.97),
            gold_counts=(172, 185, 218, 232),
            rest=(),
            difficulty=Difficulty(correlation=0.1, misleading=0.45),
        ),
    ),
    _Set(
        "rte",
        "Does a sentence follow from a text? 800 pairs of RTE-1",
        _SNOW,
        "https://sites.google.com/site/nlpannotations/",
        "SpectralMethodsMeetEM/rte",
        _Design(
            loads=(20, 20, 800),
            n_annotators=164,
            labels_per_item="10:800",
            n_repeats=0,
            confusion="2626 1374 / 793 3207",
            concentration=(1.3, 23.3),
            gold_counts=(400, 400),
            rest=(),
            difficulty=Difficulty(misleading=0.23),
        ),
    ),
    _Set(
        "trec",
        "Relevance of 19,033 web pages to a query, TREC 2011",
        _LEASE,
        "https://sites.google.com/site/treccrowd/2011",
        "SpectralMethodsMeetEM/trec",
        _Design(
            loads=(1, 17, 7078),
            n_annotators=762,
            labels_per_item="1:615 2:627 3:1069 4:3860 5:11635 6:224 7:217 8:349 9:331 10:106",
            n_repeats=0,
            confusion="2283 3250 / 1740 5590",
            concentration=(1.38, 1.98),
            gold_counts=(1000, 1275),
            rest=(0.589, 0.411),
            difficulty=Difficulty(correlation=0.1, misleading=0.5),
        ),
    ),
    _Set(
        "cf",
        "Feeling about the weather in 300 tweets, five answers",
        _VENANZI,
        "https://github.com/orchidproject/active-crowd-toolkit",
        "active-crowd-toolkit/CF",
        _Design(
            loads=(1, 2, 24),
            n_annotators=461,
            labels_per_item="5:189 6:83 7:15 8:7 9:1 10:1 11:2 17:1 58:1",
            n_repeats=0,
            confusion=(
                "256 47 14 24 27 / 22 280 26 35 22 / 11 43 308 30 9 / 9 22 6 456 14 / 7 16 13 6 17"
            ),
            concentration=(3.98, 8.38, 200.0, 17.9, 2.89),
            gold_counts=(57, 70, 72, 92, 9),
            rest=(),
            difficulty=Difficulty(correlation=0.4, misleading=0.1),
        ),
    ),
    _Set(
        "ms",
        "Genre of 700 pieces of music, ten genres",
        _RODRIGUES,
        "https://doi.org/10.1016/j.patrec.2013.05.012",
        "active-crowd-toolkit/MS",
        _Design(
            loads=(2, 16, 368),
            n_annotators=44,
            labels_per_item="1:58 2:158 3:91 4:18 5:105 6:189 7:81",
            n_repeats=0,
            confusion=(
                "181 8 9 26 13 8 16 10 9 7 / 8 204 10 8 12 8 25 14 9 14 / 16 10 171 48 10 5 19 10 "
                "10 15 / 11 11 13 151 13 13 11 4 12 16 / 7 14 10 16 174 9 12 10 12 22 / 17 15 15 "
                "67 20 104 29 12 11 8 / 39 14 9 19 18 12 145 10 9 10 / 9 7 10 11 11 5 7 219 14 5 "
                "/ 10 12 8 15 14 121 16 10 121 5 / 10 9 8 20 14 14 8 5 10 180"
            ),
            concentration=(3.01, 2.15, 3.11, 2.7, 4.01, 10.0, 5.4, 2.13, 8.1, 3.24),
            gold_counts=(74, 71, 72, 64, 70, 72, 67, 72, 75, 63),
            rest=(),
            difficulty=Difficulty(misleading=0.1),
        ),
    ),
    _Set(
        "sp",
        "Polarity of 500 sentences from film reviews",
        _TOOLKIT,
        "https://github.com/orchidproject/active-crowd-toolkit",
        "active-crowd-toolkit/SP_amt",
        _Design(
            loads=(1, 50, 359),
            n_annotators=143,
            labels_per_item="20:500",
            n_repeats=0,
            confusion="4412 488 / 577 4523",
            concentration=(12.2, 17.2),
            gold_counts=(245, 255),
            rest=(),
            difficulty=Difficulty(correlation=0.25, misleading=0.5),
        ),
    ),
    _Set(
        "zencrowd_all",
        "Does a web page's name mean this entity? 2,040 links, annotators of India and the US",
        _DEMARTINI,
        "https://doi.org/10.1145/2187836.2187900",
        "active-crowd-toolkit/ZenCrowd_all",
        _Design(
            loads=(5, 15, 2120),
            n_annotators=78,
            labels_per_item=(
                "5:40 6:30 7:45 8:135 9:360 10:1235 16:10 18:25 19:30 20:75 25:5 26:10 28:5 30:10 "
                "35:5 39:15 45:5"
            ),
            n_repeats=1730,
            confusion="13107 3756 / 2190 2802",
            concentration=(14.6, 2.63),
            gold_counts=(1597, 443),
            rest=(),
            difficulty=Difficulty(correlation=0.4),
        ),
    ),
    _Set(
        "zencrowd_in",
        "Does a web page's name mean this entity? 2,040 links, annotators of India",
        _DEMARTINI,
        "https://doi.org/10.1145/2187836.2187900",
        "active-crowd-toolkit/ZenCrowd_in",
        _Design(
            loads=(5, 220, 1775),
            n_annotators=25,
            labels_per_item="2:30 3:75 4:90 5:1650 7:5 9:15 10:120 14:5 15:25 19:5 20:20",
            n_repeats=710,
            confusion="6210 2437 / 1166 1392",
            concentration=(23.9, 4.64),
            gold_counts=(1597, 443),
            rest=(),
            difficulty=Difficulty(correlation=0.2, misleading=0.3),
        ),
    ),
    _Set(
        "zencrowd_us",
        "Does a web page's name mean this entity? 2,040 links, annotators of the US",
        _DEMARTINI,
        "https://doi.org/10.1145/2187836.2187900",
        "active-crowd-toolkit/ZenCrowd_us",
        _Design(
            loads=(5, 15, 2120),
            n_annotators=74,
            labels_per_item=(
                "2:35 3:105 4:345 5:1110 6:10 7:10 8:20 9:55 10:125 11:170 12:5 13:5 15:10 16:5 "
                "19:20 22:5 25:5"
            ),
            n_repeats=1035,
            confusion="7863 1693 / 1108 1526",
            concentration=(11.9, 1.52),
            gold_counts=(1597, 443),
            rest=(),
            difficulty=Difficulty(correlation=0.4, misleading=0.15),
        ),
    ),
    _Set(
        "product",
        "Are two descriptions of one product? 8,315 pairs",
        _WANG,
        "https://doi.org/10.14778/2350229.2350263",
        "crowd_truth_inference/d_jn-product",
        _Design(
            loads=(16, 32, 2944),
            n_annotators=176,
            labels_per_item="3:8315",
            n_repeats=0,
            confusion="18582 3330 / 1252 1781",
            concentration=(1.01, 2.35),
            gold_counts=(7304, 1011),
            rest=(),
            difficulty=Difficulty(misleading=0.2),
        ),
    ),
    _Set(
        "sentiment",
        "Is a tweet about a company positive? 1,000 tweets",
        _ZHENG,
        "https://zhydhkcws.github.io/crowd_truth_inference/index.html",
        "crowd_truth_inference/d_sentiment",
        _Design(
            loads=(20, 60, 1000),
            n_annotators=85,
            labels_per_item="20:1000",
            n_repeats=0,
            confusion="7124 3436 / 2835 6605",
            concentration=(1.29, 3.22),
            gold_counts=(528, 472),
            rest=(),
            difficulty=Difficulty(correlation=0.02, misleading=0.125),
        ),
    ),
    _Set(
        "relevance",
        "Relevance of 20,232 documents to a query, four grades, TREC 2010",
        _BUCKLEY,
        "https://trec.nist.gov/pubs/trec19/t19.proceedings.html",
        "crowd_truth_inference/s4_Relevance",
        _Design(
            loads=(1, 20, 7920),
            n_annotators=766,
            labels_per_item=(
                "1:599 2:535 3:722 4:2687 5:14319 6:236 7:46 8:80 9:265 10:726 12:2 14:3 15:11 21:1"
            ),
            n_repeats=1570,
            confusion=(
                "3578 3278 1911 396 / 1506 2416 1745 227 / 1169 2090 2006 213 / 679 993 487 3485"
            ),
            concentration=(1.56, 1.75, 2.03, 0.471),
            gold_counts=(1501, 863, 913, 1183),
            rest=(0.585, 0.246, 0.169, 0.0),
            difficulty=Difficulty(correlation=0.1, misleading=0.5),
        ),
    ),
    _Set(
        "adult",
        "Adult content of 11,040 web sites, four grades",
        _IPEIROTIS,
        "https://doi.org/10.1145/1837885.1837906",
        "crowd_truth_inference/s5_AdultContent",
        _Design(
            loads=(1, 18, 8581),
            n_annotators=825,
            labels_per_item=(
                "1:379 2:381 3:516 4:566 5:544 6:437 7:358 8:449 9:1097 10:5380 11:428 12:222 "
                "13:42 14:5 15:1 16:2 17:3 18:14 19:42 20:168 21:2 29:3 30:1"
            ),
            n_repeats=2922,
            confusion="1671 167 35 34 / 327 195 53 32 / 79 118 77 62 / 36 51 66 321",
            concentration=(3.66, 3.7, 2.06, 3.35),
            gold_counts=(187, 61, 36, 49),
            rest=(0.846, 0.0, 0.091, 0.063),
            difficulty=Difficulty(correlation=0.5),
        ),
    ),
    _Set(
        "facts",
        "Is a statement about a person right? 42,624 statements, three answers",
        _JOSEPHY,
        "https://sites.google.com/site/crowdscale2013/",
        "crowdscale2013/fact_eval",
        _Design(
            loads=(1, 2847, 15931),
            n_annotators=57,
            labels_per_item="5:39214 6:3241 7:156 8:7 9:1 10:4 12:1",
            n_repeats=1810,
            confusion="94 4 0 / 177 2522 2 / 120 12 1",
            concentration=(95.7, 35.2, 15.7),
            gold_counts=(19, 531, 26),
            rest=(0.206, 0.674, 0.12),
            difficulty=Difficulty(correlation=0.4, misleading=0.05),
        ),
    ),
)

DATASETS = tuple(each.record() for each in _SETS)
