"""Exercises of session 1: observed and expected agreement, Cohen's kappa, its two paradoxes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.agreement import cohen_kappa, contingency
from annobench.labels.annotations import Annotations
from annobench_course import (
    Choice,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Part,
    Property,
    Simulation,
)
from annobench_course.outcomes import same
from annobench_course.two_annotators import (
    Shares,
    corrected,
    draw_counts,
    expected,
    kappa,
    observed,
    pooled,
    shares,
)

LESSON = Lesson(
    summary="Compute observed agreement, expected agreement and Cohen's kappa, and explain why "
    "kappa can be low although the annotators agree on almost everything.",
    needs=("probability of two independent events", "arrays in NumPy"),
    papers=("su2008",),
    worksheet=("1.1", "1.2", "1.3"),
    timing=(
        Part(10, "the worksheet: kappas compared, and who used 1/K as chance"),
        Part(20, "what chance is", ("1.4",)),
        Part(15, "merging categories", ("1.5",)),
        Part(25, "two paradoxes", ("1.7", "1.9")),
        Part(20, "the published result", ("1.10",)),
    ),
)

#: Su and Markert's reading of word senses by subjectivity alone.
CATEGORIES = ("subjective", "both", "objective")
#: Shuffles that the simulation asks for at least, and the risk that a right answer is refused.
SHUFFLES, RISK = 1000, 1e-4


def _table(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a table with the categories of subjectivity."""
    n_items = int(rng.choice([80, 120, 160, 200]))
    counts = draw_counts(rng, n_items, len(CATEGORIES), float(rng.uniform(0.55, 0.75)))
    rows = pd.Index(CATEGORIES, name="annotator 1")
    columns = pd.Index(CATEGORIES, name="annotator 2")
    return {"table": pd.DataFrame(counts, index=rows, columns=columns)}


def _by_pooled(p: Shares) -> float:
    """Return the expected agreement if both annotators had one distribution of labels."""
    return float((pooled(p) ** 2).sum())


def _by_modal(p: Shares) -> float:
    """Return the expected agreement on the most frequent category."""
    modal = int(np.argmax(pooled(p)))
    return float(p.sum(axis=1)[modal] * p.sum(axis=0)[modal])


OBSERVED = Number(
    id="1.1",
    title="Observed agreement",
    given=_table,
    solve=lambda given: observed(shares(given)),
    digits=3,
    mistakes=(
        Mistake(
            "a count",
            lambda given: float(np.trace(np.asarray(given["table"]))),
            "This is the number of items on which the two agree. Divide it by the number of items.",
        ),
        Mistake(
            "a count of disagreements",
            lambda given: float(
                np.sum(np.asarray(given["table"])) - np.trace(np.asarray(given["table"]))
            ),
            "This is the number of items off the diagonal, on which the two differ. Count those on "
            "the diagonal, and divide by the number of items.",
        ),
        Mistake(
            "disagreement",
            lambda given: 1 - observed(shares(given)),
            "This is the share of items on which the two differ. Agreement is what remains: "
            "the diagonal of the table.",
        ),
        Mistake(
            "mean of the rows",
            lambda given: float(np.mean(np.diag(shares(given)) / shares(given).sum(axis=1))),
            "You divided each diagonal cell by the total of its row, and averaged. That counts a "
            "rare category as much as a frequent one. Here every item counts the same: the sum of "
            "the diagonal, divided by all items.",
        ),
    ),
)

EXPECTED = Number(
    id="1.2",
    title="Expected agreement",
    given="1.1",
    solve=lambda given: expected(shares(given)),
    digits=3,
    mistakes=(
        Mistake(
            "observed for expected",
            lambda given: observed(shares(given)),
            "This is the observed agreement, the sum of the diagonal. Expected agreement needs "
            "the margins alone: the totals of the rows and of the columns.",
        ),
        Mistake(
            "equal categories",
            lambda given: 1 / len(given["table"]),
            "This is 1/K, the chance of two annotators who use all categories equally often. "
            "These two don't: take the share of each category from their margins.",
        ),
        Mistake(
            "rows twice",
            lambda given: float((shares(given).sum(axis=1) ** 2).sum()),
            "You squared the shares of annotator 1 (the rows). The two labels come from two "
            "annotators: multiply each share of a row by that of the same column.",
        ),
        Mistake(
            "columns twice",
            lambda given: float((shares(given).sum(axis=0) ** 2).sum()),
            "You squared the shares of annotator 2 (the columns). The two labels come from two "
            "annotators: multiply each share of a row by that of the same column.",
        ),
        Mistake(
            "pooled margins",
            lambda given: _by_pooled(shares(given)),
            "You averaged the margins of the two annotators first, then squared. That is the "
            "expected agreement of Scott's pi (session 2). In Cohen's kappa each annotator keeps "
            "their own margins.",
        ),
        Mistake(
            "modal category alone",
            lambda given: _by_modal(shares(given)),
            "This is how often chance makes them meet in the most frequent category. They meet in "
            "the others, too: do the same for each category and add up.",
        ),
        Mistake(
            "a count",
            lambda given: expected(shares(given)) * float(np.asarray(given["table"]).sum()),
            "This is the number of items on which chance would make them agree. Divide once more "
            "by the number of items.",
        ),
    ),
)


def _reference_kappa(table: Any) -> float:
    """Return the library's value of a table of counts."""
    return float(cohen_kappa(Annotations.from_contingency(table)).estimate)


def _random_tables(rng: np.random.Generator) -> list[tuple[NDArray[np.int64]]]:
    sizes = (2, 2, 3, 4, 5)
    return [
        (draw_counts(rng, int(rng.integers(60, 300)), k, float(rng.uniform(0.3, 0.7))),)
        for k in sizes
    ]


def _of_shares(function: Any) -> Any:
    """Make a function of counts of one of shares."""
    return lambda table: function(np.asarray(table) / np.sum(table))


KAPPA = Function(
    id="1.3",
    title="Cohen's kappa",
    signature="cohen_kappa(table)",
    reference=_reference_kappa,
    inputs=_random_tables,
    properties=(
        Property(
            "perfect agreement",
            lambda kappa, table: same(kappa(np.diag(np.diag(table) + 1)), 1),
            "When all items are on the diagonal, kappa must be 1.",
        ),
        Property(
            "independence",
            lambda kappa, table: same(kappa(np.outer(table.sum(axis=1), table.sum(axis=0))), 0),
            "When the table is the product of its margins (times a constant), the two agree as "
            "often as chance would make them: kappa must be 0.",
        ),
        Property(
            "transposing",
            lambda kappa, table: same(kappa(table.T), kappa(table)),
            "Exchanging the two annotators (transposing the table) must leave kappa as it is.",
        ),
        Property(
            "more items",
            lambda kappa, table: same(kappa(2 * table), kappa(table)),
            "Twice as many items in every cell must leave kappa as it is. Did you divide by the "
            "number of items everywhere?",
        ),
    ),
    mistakes=(
        Mistake(
            "observed agreement",
            _of_shares(observed),
            "You return the observed agreement. Kappa corrects it for what chance would give.",
        ),
        Mistake(
            "not divided",
            _of_shares(lambda p: observed(p) - expected(p)),
            "You return A_o - A_e. Divide it by 1 - A_e, the room that is left above chance.",
        ),
        Mistake(
            "divided by 1 - A_o",
            _of_shares(lambda p: (observed(p) - expected(p)) / (1 - observed(p))),
            "You divide by 1 - A_o. The room above chance is 1 - A_e.",
        ),
        Mistake(
            "pooled margins",
            _of_shares(lambda p: corrected(observed(p), _by_pooled(p))),
            "You take the expected agreement from pooled margins: this is Scott's pi. In Cohen's "
            "kappa each annotator keeps their own margins.",
        ),
        Mistake(
            "equal categories",
            _of_shares(lambda p: corrected(observed(p), 1 / len(p))),
            "You use 1/K as the expected agreement: this is the coefficient S (session 2). In "
            "Cohen's kappa it comes from the margins.",
        ),
        Mistake(
            "rows twice",
            _of_shares(lambda p: corrected(observed(p), float((p.sum(axis=1) ** 2).sum()))),
            "You square the shares of the rows. Multiply each by that of the same column: "
            "axis=1 sums rows, axis=0 columns.",
        ),
        Mistake(
            "expected count",
            lambda table: corrected(
                np.trace(table) / np.sum(table),
                np.sum(table, axis=1) @ np.sum(table, axis=0) / np.sum(table),
            ),
            "Your expected agreement is a number of items: the product of two totals has to be "
            "divided by the number of items twice.",
        ),
    ),
)


def _two_raters(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the labels of two annotators with one frequent category, 200 items."""
    n_items, share = 200, np.array([0.2, 0.1, 0.7])
    first = rng.choice(3, size=n_items, p=share)
    again = rng.random(n_items) < 0.75
    second = np.where(again, first, rng.choice(3, size=n_items, p=share))
    names = np.array(CATEGORIES)
    return {"first": names[first], "second": names[second]}


def _crossed(given: Given) -> Shares:
    """Cross-tabulate the labels of two annotators, in shares."""
    pairs = [(a, b) for a in CATEGORIES for b in CATEGORIES]
    cells = [np.mean((given["first"] == a) & (given["second"] == b)) for a, b in pairs]
    return np.reshape(cells, (3, 3)).astype(np.float64)


def _shuffled_interval(given: Given) -> tuple[float, float]:
    """Return what the mean agreement of 1,000 shuffles exceeds or misses once in 10,000 times.

    Shuffling one annotator's labels keeps both margins. A cell of the table then has a
    hypergeometric distribution, and the number of agreements T, the sum of the diagonal, has

        E T   = sum_k r_k c_k / n
        Var T = sum_k r_k c_k (n - r_k) (n - c_k) / (n^2 (n - 1))
                + sum_{k != l} r_k r_l c_k c_l / (n^2 (n - 1))

    for n items and margins r and c. The mean of 1,000 independent shuffles is normal to a very good
    approximation, so that the limits are E T / n -/+ 3.89 sqrt(Var T / 1,000) / n.
    """
    from scipy.stats import norm

    p, n = _crossed(given), len(given["first"])
    r, c = n * p.sum(axis=1), n * p.sum(axis=0)
    both = r * c
    own = (both * (n - r) * (n - c)).sum()
    variance = (own + both.sum() ** 2 - (both**2).sum()) / (n**2 * (n - 1))
    half_width = norm.isf(RISK / 2) * math.sqrt(variance / SHUFFLES) / n
    return expected(p) - half_width, expected(p) + half_width


SHUFFLED = Simulation(
    id="1.4",
    title="Chance by shuffling",
    given=_two_raters,
    interval=_shuffled_interval,
    mistakes=(
        Mistake(
            "pairs kept",
            lambda given: observed(_crossed(given)),
            "This is the agreement of the labels as they are. Either nothing was shuffled, or both "
            "annotators were shuffled alike (or items were drawn with both their labels). Shuffle "
            "one annotator alone: that breaks the link to the item and keeps the margins.",
        ),
        Mistake(
            "equal categories",
            lambda given: 1 / len(CATEGORIES),
            "This is 1/3: labels drawn from three equally likely categories. Shuffle the labels "
            "that the annotator gave, so that the frequent category stays frequent.",
        ),
        Mistake(
            "mean of kappa",
            lambda given: 0.0,
            "This is 0, which is what kappa averages over shuffles. The question is how often "
            "shuffled labels agree.",
        ),
        Mistake(
            "disagreement",
            lambda given: 1 - expected(_crossed(given)),
            "This is how often shuffled labels differ. Average how often they are equal.",
        ),
    ),
)


def _reference_collapse(table: Any, groups: Any) -> NDArray[np.float64]:
    """Merge categories by the library: give each its group as its name, and count again."""
    labels = Annotations.from_contingency(table)
    name = {str(member): f"g{g}" for g, group in enumerate(groups) for member in group}
    merged = Annotations.from_arrays(
        labels.item,
        labels.annotator,
        [name[str(k)] for k in labels.label],
        categories=[f"g{g}" for g in range(len(groups))],
    )
    return contingency(merged)


def _random_groups(rng: np.random.Generator) -> list[tuple[NDArray[np.int64], list[list[int]]]]:
    """Draw tables, and partitions of their categories in an order that mixes them."""
    cases = []
    for k, cut in ((4, (2,)), (5, (2, 3)), (6, (1, 4)), (7, (3, 6))):
        order = rng.permutation(k)
        groups = [sorted(map(int, group)) for group in np.split(order, cut)]
        cases.append((draw_counts(rng, 200, k, 0.5), groups))
    return cases


def _blocks(table: Any, groups: Any, merge: Any) -> NDArray[np.float64]:
    table = np.asarray(table)
    return np.array(
        [[merge(table[np.ix_(g, h)], g is h) for h in groups] for g in groups], dtype=float
    )


COLLAPSE = Function(
    id="1.5",
    title="Merge categories",
    signature="collapse(table, groups)",
    reference=_reference_collapse,
    inputs=_random_groups,
    properties=(
        Property(
            "shape",
            lambda collapse, table, groups: np.shape(collapse(table, groups)) == (len(groups),) * 2,
            "The result must have one row and one column for each group.",
        ),
        Property(
            "items",
            lambda collapse, table, groups: same(np.sum(collapse(table, groups)), table.sum()),
            "Merging categories must lose no item: the sum of all cells stays as it was.",
        ),
    ),
    mistakes=(
        Mistake(
            "disagreement within a group dropped",
            lambda table, groups: _blocks(
                table, groups, lambda cell, own: np.trace(cell) if own else cell.sum()
            ),
            "Within a group you added up the diagonal only. Two labels of one group are now the "
            "same label, so all cells of the block are agreement.",
        ),
        Mistake(
            "means for sums",
            lambda table, groups: _blocks(table, groups, lambda cell, own: cell.mean()),
            "You averaged the cells of a block. The table counts items: add them up.",
        ),
        Mistake(
            "one category for the group",
            lambda table, groups: np.asarray(table)[
                np.ix_([g[0] for g in groups], [g[0] for g in groups])
            ],
            "You kept the first category of each group and lost the others. Add up all rows and "
            "all columns of a group.",
        ),
        Mistake(
            "rows for columns",
            lambda table, groups: _blocks(
                np.asarray(table).T, groups, lambda cell, own: cell.sum()
            ),
            "Rows and columns of your table are exchanged: cell (g, h) holds the items that "
            "annotator 1 (the rows) puts into group g and annotator 2 into group h.",
        ),
    ),
)


def _one_category(rng: np.random.Generator) -> dict[str, Any]:
    return _table(rng) | {"category": str(rng.choice(CATEGORIES))}


def _against_rest(given: Given) -> Shares:
    """Return the table of one category against the rest, in shares."""
    k, p = list(given["table"].index).index(given["category"]), shares(given)
    a, row, column = p[k, k], p[k].sum(), p[:, k].sum()
    return np.array([[a, row - a], [column - a, 1 - row - column + a]])


def _rest_split(given: Given) -> float:
    """Count disagreement among the other categories as disagreement, all the same."""
    return corrected(observed(shares(given)), expected(_against_rest(given)))


def _specific(given: Given) -> float:
    p = _against_rest(given)
    return float(2 * p[0, 0] / (2 * p[0, 0] + p[0, 1] + p[1, 0]))


SINGLE = Number(
    id="1.6",
    title="Kappa of a single category",
    given=_one_category,
    solve=lambda given: kappa(_against_rest(given)),
    digits=3,
    mistakes=(
        Mistake(
            "all categories",
            lambda given: kappa(shares(given)),
            "This is kappa of the whole table. Merge the two other categories into one first.",
        ),
        Mistake(
            "the rest kept apart",
            _rest_split,
            "Your expected agreement is that of two categories, your observed agreement that of "
            "three. If both annotators chose one of the other categories, they agree, even if not "
            "on the same one.",
        ),
        Mistake(
            "specific agreement",
            _specific,
            "This is 2a / (2a + b + c), the specific agreement of the category. It isn't corrected "
            "for chance.",
        ),
        Mistake(
            "observed agreement",
            lambda given: observed(_against_rest(given)),
            "This is the observed agreement of the category against the rest. Correct it for "
            "chance, with the margins of the table with two categories.",
        ),
    ),
)


def _skewed(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "observed_agreement": float(rng.choice(np.arange(84, 97)) / 100),
        "prevalence": float(rng.choice(np.arange(5, 16)) / 100),
    }


def _kappa_at(given: Given, expected: float) -> float:
    return corrected(given["observed_agreement"], expected)


PREVALENCE = Number(
    id="1.8",
    title="The same agreement, a rarer category",
    given=_skewed,
    solve=lambda given: _kappa_at(given, given["prevalence"] ** 2 + (1 - given["prevalence"]) ** 2),
    digits=3,
    mistakes=(
        Mistake(
            "equal categories",
            lambda given: _kappa_at(given, 0.5),
            "You used 1/2 as the expected agreement. That holds when both categories are equally "
            "frequent. Here one of them is rare.",
        ),
        Mistake(
            "the rare category alone",
            lambda given: _kappa_at(given, given["prevalence"] ** 2),
            "Your expected agreement has 'yes' by chance only. Two annotators also meet in 'no' by "
            "chance, and most of the time.",
        ),
        Mistake(
            "disagreement expected",
            lambda given: _kappa_at(given, 2 * given["prevalence"] * (1 - given["prevalence"])),
            "2 q (1 - q) is how often two annotators differ by chance. Expected agreement is one "
            "minus that.",
        ),
        Mistake(
            "not divided",
            lambda given: (
                given["observed_agreement"]
                - given["prevalence"] ** 2
                - (1 - given["prevalence"]) ** 2
            ),
            "This is A_o - A_e. Divide it by 1 - A_e.",
        ),
    ),
)

PARADOX = Choice(
    id="1.7",
    title="Why is the second kappa lower?",
    options={
        "careless": "The annotators of the second table were less careful.",
        "prevalence": "Almost all its items get one category, so that chance gives much agreement.",
        "bias": "The annotators of the second table differ more in how often they say 'yes' to an "
        "item.",
        "size": "The second table has fewer items, and kappa of small samples is lower.",
    },
    right="prevalence",
    reasons={
        "careless": "They disagree on as many items as the others: 15 of 100 in both tables. "
        "Nothing in the two tables shows less care. Compare the margins.",
        "prevalence": "In the second table chance alone gives 78% agreement, in the first 50%. "
        "Little room is left above it, of which the same 15 disagreements are a large part.",
        "bias": "Their margins differ by 5 items of 100, those of the first table by 3. So small a "
        "difference changes A_e very little; and a larger one would lower it, which raises kappa.",
        "size": "Both tables have 100 items. And the size of a sample changes how precise kappa "
        "is, not how large (session 3).",
    },
)

REPORT = Choice(
    id="1.9",
    title="What to report",
    options={
        "kappa": "Kappa alone, with the word for its range ('substantial').",
        "agreement": "Observed agreement alone, as kappa suffers from a paradox.",
        "best": "The one of several coefficients that is highest.",
        "table": "The table of counts, with observed agreement and kappa computed from it.",
        "maximum": "Kappa divided by the largest kappa that the margins of the table would have "
        "allowed.",
    },
    right="table",
    reasons={
        "kappa": "A reader can't tell whether 0.4 comes from many disagreements or from a rare "
        "category, and the words for ranges are a convention without a theory: none of them knows "
        "what the labels are for.",
        "agreement": "If 95% of the items are 'no', two people who always say 'no' agree on all of "
        "them. Observed agreement alone can't show that nobody found a 'yes'.",
        "best": "Choosing after seeing the values is choosing the result. Decide by what chance "
        "means for your annotators, before you compute.",
        "table": "With the counts every reader can compute any coefficient, such as the specific "
        "agreement of the rare category, now or in twenty years. This session could check Su "
        "and Markert's paper because they printed them.",
        "maximum": "Different margins are themselves disagreement: the annotators don't use the "
        "category equally often. Dividing by the maximum hides that.",
    },
)


#: Su and Markert (2008), Table 2, in the order B, S:N, S:P, S:V, O:NoPol, O:N, O:P.
TABLE_2 = (
    (7, 2, 0, 2, 0, 0, 0),
    (0, 41, 1, 0, 0, 0, 0),
    (0, 0, 65, 4, 0, 0, 2),
    (0, 0, 7, 17, 3, 0, 0),
    (9, 1, 2, 6, 253, 5, 8),
    (0, 14, 0, 2, 0, 25, 0),
    (1, 0, 5, 0, 1, 0, 13),
)
SENSES = ("B", "S:N", "S:P", "S:V", "O:NoPol", "O:N", "O:P")
#: What becomes of them if only polarity or only subjectivity is read, and with too much merged.
READINGS = {
    "polarity": ((0,), (1, 5), (2, 6), (3,), (4,)),
    "subjectivity": ((0,), (1, 2, 3), (4, 5, 6)),
}
TOO_COARSE = {
    "polarity": ((0,), (1, 5), (2, 6), (3, 4)),
    "subjectivity": ((0, 1, 2, 3), (4, 5, 6)),
}


def _printed(rng: np.random.Generator) -> dict[str, Any]:
    table = pd.DataFrame(TABLE_2, index=list(SENSES), columns=list(SENSES))
    return {"table": table, "reading": str(rng.choice(list(READINGS)))}


def _read(given: Given, groups: Any) -> Shares:
    """Return the table with merged categories, in shares."""
    blocks = _blocks(given["table"], groups, lambda cell, own: cell.sum())
    return np.asarray(blocks / blocks.sum())


def _asked(given: Given) -> Shares:
    return _read(given, READINGS[given["reading"]])


def _not_asked(given: Given) -> Shares:
    return _read(given, next(r for name, r in READINGS.items() if name != given["reading"]))


PUBLISHED = Number(
    id="1.10",
    title="Su and Markert's kappa of one reading",
    given=_printed,
    solve=lambda given: kappa(_asked(given)),
    mistakes=(
        Mistake(
            "all categories",
            lambda given: kappa(shares(given)),
            "This is kappa of all seven categories. Merge them first.",
        ),
        Mistake(
            "the other reading",
            lambda given: kappa(_not_asked(given)),
            "This is kappa of the other reading. By polarity there are five categories: B, N, P, V "
            "and NoPol; by subjectivity three: B, S and O.",
        ),
        Mistake(
            "observed agreement",
            lambda given: observed(_asked(given)),
            "This is the observed agreement of the merged table. Correct it for chance.",
        ),
        Mistake(
            "expected agreement of seven",
            lambda given: corrected(observed(_asked(given)), expected(shares(given))),
            "Your observed agreement is that of the merged categories, your expected agreement "
            "that of all seven. Merging changes the margins, too.",
        ),
        Mistake(
            "merged too much",
            lambda given: kappa(_read(given, TOO_COARSE[given["reading"]])),
            "You merged a category that the paper keeps apart: V is not NoPol (a sense whose "
            "polarity varies is not one without any), and B is not S.",
        ),
    ),
)

EXERCISES = [
    OBSERVED,
    EXPECTED,
    KAPPA,
    SHUFFLED,
    COLLAPSE,
    SINGLE,
    PARADOX,
    PREVALENCE,
    REPORT,
    PUBLISHED,
]
