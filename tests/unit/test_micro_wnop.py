"""How Micro-WNOp is parsed, and how near its simulators come to the ratings."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
import scipy.stats

from annobench import datasets
from annobench.core.errors import ReaderError
from annobench_datasets import micro_wnop

HEADS = {"Common": 1, "Group1": 3, "Group2": 2}
#: Sizes as printed: Su and Markert (2008), section 4.1.
SIZES = {"common": (110, 1), "group1": (496, 3), "group2": (499, 2)}
#: Su and Markert (2008), table 5: correlation and alpha of each pair, in percent.
TABLE5 = {
    ("group1", "negative"): {"12": (83.7, 64.9), "13": (86.4, 71.8), "23": (82.5, 56.9)},
    ("group1", "positive"): {"12": (80.5, 60.9), "13": (87.8, 74.9), "23": (78.2, 57.5)},
    ("group2", "negative"): {"45": (95.9, 90.7)},
    ("group2", "positive"): {"45": (92.2, 84.9)},
}


def ratings(tables):
    return tables.labels.pivot(index="item", columns="annotator", values="label")


def correlation_and_alpha(first, second):
    """Alpha on absolute differences, by its definition, over all pairs of ratings."""
    pooled = np.concatenate([first, second])
    expected = np.abs(pooled[:, None] - pooled).mean()
    return np.corrcoef(first, second)[0, 1], 1 - np.abs(first - second).mean() / expected


@pytest.mark.parametrize("group", SIZES)
@pytest.mark.parametrize("score", ["positive", "negative"])
def test_sizes_are_the_printed_ones(mirror, group, score):
    data = datasets.load(f"micro_wnop_{group}_{score}", mode="real", mirror=mirror)
    n_items, n_annotators = SIZES[group]
    a = data.annotations
    assert (a.n_items, a.n_annotators) == (n_items, n_annotators)
    assert a.n_labels == n_items * n_annotators
    assert data.items["text"].is_unique


@pytest.mark.parametrize("group", SIZES)
def test_both_scores_of_an_annotator_leave_a_neutrality_of_at_least_zero(mirror, group):
    positive, negative = (
        datasets.load(f"micro_wnop_{group}_{score}", mode="real", mirror=mirror)
        for score in ("positive", "negative")
    )
    assert positive.items.equals(negative.items)
    total = ratings(positive) + ratings(negative)
    assert ((total >= 0) & (total <= 1)).all(axis=None)


@pytest.mark.parametrize(("group", "score"), TABLE5)
def test_simulators_meet_the_printed_correlations_and_alphas(group, score):
    """The means over repeated simulations lie at the printed values, to within 0.012.

    The fit of one share and a number per annotator to six values leaves up to 0.0102. With
    40 simulations, whose standard errors are at most 0.005, the bound is the sum of that
    remainder, half a unit of the last printed place, and 4 standard errors.
    """
    dataset = datasets.get(f"micro_wnop_{group}_{score}")
    tables = [
        ratings(dataset.simulate(np.random.default_rng(seed), {})).to_numpy() for seed in range(40)
    ]
    pairs = list(combinations(range(tables[0].shape[1]), 2))
    for (i, j), printed in zip(pairs, TABLE5[group, score].values(), strict=True):
        values = np.array([correlation_and_alpha(table[:, i], table[:, j]) for table in tables])
        bound = 0.0102 + 0.0005 + 4 * scipy.stats.sem(values, axis=0)
        assert (abs(values.mean(axis=0) - np.array(printed) / 100) < bound).all()


def test_simulators_with_more_noise_would_miss_the_printed_correlations():
    spec = replace(micro_wnop._RATINGS["group1", "positive"], fidelity=(0.9, 0.9, 0.9))
    group = micro_wnop._GROUPS["group1"]
    tables = micro_wnop._simulate(np.random.default_rng(1), {}, group=group, spec=spec)
    found = correlation_and_alpha(*ratings(tables).to_numpy()[:, [0, 2]].T)
    assert found[0] < 0.878 - 0.05


def test_annotators_of_a_simulation_use_the_values_they_used(rng):
    """Each count is binomial, and none strays by more than 4.5 standard deviations."""
    for (group, score), spec in micro_wnop._RATINGS.items():
        table = ratings(datasets.get(f"micro_wnop_{group}_{score}").simulate(rng, {}))
        for column, counts in zip(table.columns, spec.counts, strict=True):
            n_items = sum(counts)
            found = [(table[column] == value).sum() for value in spec.values]
            assert sum(found) == n_items
            share = np.array(counts) / n_items
            spread = np.sqrt(n_items * share * (1 - share))
            assert (abs(found - n_items * share) <= 4.5 * spread).all()


def content(**changes):
    """A whole file of two synsets a group, of which one group is exchanged."""
    lines = ["# Micro-WNOp"]
    for head, n_annotators in HEADS.items():
        rows = ["\t".join(["0.25", "0.75"] * n_annotators + [f"{head}#a#{n}"]) for n in (1, 2)]
        lines += [f"# begin {head}", *changes.get(head, rows), f"# end {head}"]
    return "\r\n".join(lines) + "\r\n"


def parsed(tmp_path, text, id="micro_wnop_group2_negative"):
    dataset = datasets.get(id)
    path = tmp_path / "ratings.txt"
    path.write_text(text)
    return dataset.parse({dataset.files[0].path: path})


def test_scores_are_told_apart_by_their_columns(tmp_path):
    for score, value in (("positive", 0.25), ("negative", 0.75)):
        tables = parsed(tmp_path, content(), f"micro_wnop_group1_{score}")
        assert tables.labels["annotator"].tolist() == ["1", "2", "3"] * 2
        assert tables.labels["label"].tolist() == [value] * 6
        assert tables.items["text"].tolist() == ["Group1#a#1", "Group1#a#2"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("0\t0\t0\tx#a#1", "line 11: 4 fields where 5 are needed"),
        ("0\t0\t0\tmuch\tx#a#1", "line 11: score 'much' is not a number"),
        ("0\t0\t0\tnan\tx#a#1", "line 11: score 'nan' is not a number"),
        ("0\t0\t0.5\t0.75\tx#a#1", r"line 11: scores \[0.5, 0.75\] are below 0, or above 1 in sum"),
        ("-0.5\t0\t0\t0\tx#a#1", r"line 11: scores \[-0.5, 0.0\] are below 0"),
        ("# nothing", "line 10: no synset of Group2 follows"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(tmp_path, row, message):
    with pytest.raises(ReaderError, match=rf"ratings\.txt:\n  {message}"):
        parsed(tmp_path, content(Group2=[row]))


def test_a_synset_that_comes_twice_is_an_error(tmp_path):
    with pytest.raises(ReaderError, match="line 12: this synset is rated above"):
        parsed(tmp_path, content(Group2=["0\t0\t0\t0\tx#a#1"] * 2))


@pytest.mark.parametrize("mark", ["# begin Group2", "# end Group2"])
def test_a_group_without_its_marks_is_an_error(tmp_path, mark):
    with pytest.raises(ReaderError, match=f"not one line '{mark}'"):
        parsed(tmp_path, content().replace(mark + "\r\n", ""))
