"""Small data sets on which packages are asked for the same coefficients.

They are the same in every environment: tables typed here, or labels drawn by Python's own
generator, whose numbers do not change with versions. Nothing but the standard library is
imported, so that environments which share no package can read them.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Label = str | float | frozenset[str]
Row = tuple[str, str, Label]

ABC = ("a", "b", "c")
FIVE = ("0", "1", "2", "3", "4")


@dataclass(frozen=True)
class DataSet:
    """A long table of labels.

    Attributes
    ----------
    name : str
        Letters, digits and underscores.
    title : str
        What is special about it, in a few words.
    scale : {"nominal", "ordinal", "interval", "ratio", "set"}
        What the labels mean; numbers on the interval and ratio scales, sets of names on "set".
    rows : tuple of (item, annotator, label)
        Missing labels are absent.
    categories : tuple of label
        In their order, those that nobody used included.
    """

    name: str
    title: str
    scale: str
    rows: tuple[Row, ...]
    categories: tuple[Label, ...]

    @property
    def items(self) -> tuple[str, ...]:
        """The items in the order of their first label."""
        return tuple(dict.fromkeys(item for item, _, _ in self.rows))

    @property
    def annotators(self) -> tuple[str, ...]:
        """The annotators in the order of their names."""
        return tuple(sorted({annotator for _, annotator, _ in self.rows}))

    @property
    def complete(self) -> bool:
        """Whether every annotator labelled every item."""
        return len(self.rows) == len(self.items) * len(self.annotators)

    def wide(self) -> list[list[Label | None]]:
        """Return one list an item: the label of each annotator, None where it is missing."""
        given = {(item, annotator): label for item, annotator, label in self.rows}
        return [[given.get((item, name)) for name in self.annotators] for item in self.items]


def digest(datasets: Iterable[DataSet]) -> str:
    """Return the SHA-256 of all labels and categories."""
    text = hashlib.sha256()
    for data in datasets:
        text.update(f"{data.name},{data.scale},{[_text(c) for c in data.categories]}\n".encode())
        for item, annotator, label in data.rows:
            text.update(f"{item},{annotator},{_text(label)}\n".encode())
    return text.hexdigest()


def _text(label: Label) -> str:
    return "+".join(sorted(label)) if isinstance(label, frozenset) else repr(label)


def from_table(
    name: str,
    title: str,
    table: Sequence[Sequence[int]],
    categories: tuple[Label, ...],
    scale: str = "nominal",
) -> DataSet:
    """Return the labels of two annotators from counts [k][l]."""
    pairs = [
        (first, second)
        for first, row in zip(categories, table, strict=True)
        for second, count in zip(categories, row, strict=True)
        for _ in range(count)
    ]
    return from_columns(name, title, list(zip(*pairs, strict=True)), categories, scale)


def from_columns(
    name: str,
    title: str,
    columns: Sequence[Sequence[Label | None]],
    categories: tuple[Label, ...] | None = None,
    scale: str = "nominal",
) -> DataSet:
    """Return labels from one sequence an annotator; None is a missing label."""
    rows = tuple(
        (f"i{i:02}", f"r{j}", label)
        for i, labels in enumerate(zip(*columns, strict=True), 1)
        for j, label in enumerate(labels, 1)
        if label is not None
    )
    seen = tuple(sorted({label for _, _, label in rows})) if categories is None else categories
    return DataSet(name, title, scale, rows, seen)


def from_text(
    name: str, title: str, columns: str, categories: tuple[str, ...], scale: str = "nominal"
) -> DataSet:
    """Return labels from one word an annotator, a letter an item; a dot is a missing label."""
    letters = [[None if c == "." else c for c in word] for word in columns.split()]
    return from_columns(name, title, letters, categories, scale)


def drawn(
    name: str,
    title: str,
    categories: tuple[str, ...],
    *,
    seed: int,
    n_items: int,
    n_annotators: int,
    prevalence: Sequence[float] | None = None,
    accuracy: float = 0.7,
    present: Callable[[int, int, random.Random], bool] = lambda i, j, rng: True,
    scale: str = "nominal",
) -> DataSet:
    """Return simulated labels: the item's category, or with 1 - accuracy any by prevalence."""
    rng = random.Random(seed)
    columns: list[list[Label | None]] = [[] for _ in range(n_annotators)]
    for i in range(n_items):
        truth = _draw(categories, prevalence, rng)
        for j, column in enumerate(columns):
            label = truth if rng.random() < accuracy else _draw(categories, prevalence, rng)
            column.append(label if present(i, j, rng) else None)
    return from_columns(name, title, columns, categories, scale)


def _draw(categories: tuple[str, ...], prevalence: Sequence[float] | None, rng: random.Random):
    """Invert the distribution function: the method of `choices` might change, `random` will not."""
    share, below = rng.random(), 0.0
    for category, weight in zip(categories, prevalence or [1] * len(categories), strict=True):
        below += weight / (sum(prevalence) if prevalence else len(categories))
        if share < below:
            return category
    return categories[-1]


def sets(name: str, title: str, columns: Sequence[str]) -> DataSet:
    """Return set-valued labels: a word an item, a letter a member, "0" none, "." missing."""
    members = [
        [None if w == "." else frozenset(w.replace("0", "")) for w in column.split()]
        for column in columns
    ]
    seen = sorted({m for column in members for m in column if m is not None}, key=sorted)
    return from_columns(name, title, members, tuple(seen), "set")


def two_annotators() -> list[DataSet]:
    """Tables of two annotators, ordinary ones first."""
    two = ("a", "b")
    return [
        from_table("two_binary", "two categories", [[20, 5], [10, 15]], two),
        from_table("two_three", "three categories", [[44, 5, 1], [7, 20, 3], [9, 5, 6]], ABC),
        from_table(
            "two_ordinal",
            "five ordered categories",
            [[11, 3, 1, 0, 0], [2, 9, 4, 1, 0], [0, 5, 12, 3, 1], [1, 0, 2, 8, 4], [0, 0, 1, 3, 9]],
            FIVE,
            "ordinal",
        ),
        from_table("two_skewed", "a rare category", [[118, 5], [2, 1]], two),
        from_table("two_opposed_margins", "margins that differ", [[10, 40], [0, 50]], two),
        from_table("two_independent", "exactly as by chance", [[12, 18], [8, 12]], two),
        from_table("two_perfect", "all agree", [[7, 0, 0], [0, 5, 0], [0, 0, 3]], ABC),
        from_table("two_crossed", "never agree, equal margins", [[0, 10], [10, 0]], two),
        from_table("two_never", "never agree, unequal margins", [[0, 10], [15, 0]], two),
        from_table("two_unused", "a category unused", [[9, 0, 4], [0, 0, 0], [2, 0, 8]], ABC),
        from_table(
            "two_ordinal_unused",
            "an ordered category in the middle unused",
            [[6, 2, 0, 1], [1, 7, 0, 2], [0, 0, 0, 0], [0, 3, 0, 5]],
            ("0", "1", "2", "3"),
            "ordinal",
        ),
        from_table(
            "two_used_by_one", "a category of one annotator", [[8, 2, 1], [1, 9, 0], [0, 0, 0]], ABC
        ),
        from_table("two_constant", "one annotator constant", [[12, 0], [8, 0]], two),
        from_table("two_all_equal", "one label for everything", [[12, 0], [0, 0]], two),
        from_table("two_one_category", "one category in all", [[12]], ("a",)),
        from_table("two_one_item", "one item, labels equal", [[1, 0], [0, 0]], two),
        from_table("two_one_item_split", "one item, labels different", [[0, 1], [0, 0]], two),
        from_text("two_missing", "labels missing", "aab.cbcabc.abba bab.cbaab.caab.", ABC),
        from_text(
            "two_ordinal_missing",
            "ordered, labels missing",
            "0123401.3402.1 002441123.2301",
            FIVE,
            "ordinal",
        ),
        from_text("two_one_common", "one common item", "abab... ...abba", two),
        from_text("two_no_common", "no common item", "abab.... ....abba", two),
    ]


def several_annotators() -> list[DataSet]:
    """Three annotators and more, complete and not."""
    two, four = ("a", "b"), ("0", "1", "2", "3")
    return [
        from_text("three_binary", "three annotators", "aabbabba abbbabaa aabbaaba", two),
        drawn("four_three", "four annotators", ABC, seed=4, n_items=20, n_annotators=4),
        drawn(
            "five_ordinal",
            "five annotators, ordered categories",
            FIVE,
            seed=5,
            n_items=15,
            n_annotators=5,
            scale="ordinal",
        ),
        drawn(
            "four_skewed",
            "four annotators, a rare category",
            two,
            seed=6,
            n_items=30,
            n_annotators=4,
            prevalence=(0.93, 0.07),
            accuracy=0.5,
        ),
        from_text("four_perfect", "four annotators, all agree", " ".join(["abcabcaab"] * 4), ABC),
        from_text("three_all_equal", "three annotators, one label", "aaaaaa aaaaaa aaaaaa", two),
        from_text("three_constant", "one of three constant", "aabbabab abbbaaab aaaaaaaa", two),
        from_text(
            "three_unused",
            "three annotators, an ordered category unused",
            "0013301030 0103310031 0013101330",
            four,
            "ordinal",
        ),
        from_text("three_one_item", "three annotators, one item", "a a b", two),
        drawn(
            "four_missing",
            "four annotators, labels missing",
            ABC,
            seed=7,
            n_items=20,
            n_annotators=4,
            present=lambda i, j, rng: rng.random() < 0.75 or j in (i % 4, (i + 1) % 4),
        ),
        drawn(
            "five_ordinal_missing",
            "five annotators, ordered, labels missing",
            FIVE,
            seed=8,
            n_items=15,
            n_annotators=5,
            present=lambda i, j, rng: rng.random() < 0.65 or j in (i % 5, (i + 2) % 5),
            scale="ordinal",
        ),
        drawn(
            "six_unequal",
            "from two to six labels an item",
            ABC,
            seed=9,
            n_items=15,
            n_annotators=6,
            present=lambda i, j, rng: (j - i) % 6 < 2 + i % 5,
        ),
        drawn(
            "pool",
            "three labels an item out of eight annotators",
            ABC,
            seed=10,
            n_items=16,
            n_annotators=8,
            present=lambda i, j, rng: (j - 3 * i) % 8 < 3,
        ),
        from_text(
            "three_single_labels",
            "items with one label",
            "aabbca..b.cb aabcb..c..cb acb....aca.b",
            ABC,
        ),
        from_text(
            "three_pair_apart",
            "a pair without a common item",
            "abbaab.... abcaabcbac .....bcbaa",
            ABC,
        ),
        from_text(
            "four_two_groups",
            "two groups without a common item",
            "abbaab...... abbbab...... ......bbaaba ......babaab",
            two,
        ),
        from_text("three_all_single", "one label an item", "ab.... ..ba.. ....ab", two),
        from_text("one_annotator", "one annotator", "abbab", two),
    ]


def numbers() -> list[DataSet]:
    """Labels that are numbers."""
    judged = [
        (9.0, 6.0, 8.0, 7.0, 10.0, 6.0),
        (2.0, 1.0, 4.0, 1.0, 5.0, 2.0),
        (5.0, 3.0, 6.0, 2.0, 6.0, 4.0),
        (8.0, 2.0, 8.0, 6.0, 9.0, 7.0),
    ]
    temperatures = [
        (-3.5, 0.0, 2.5, 2.5, -1.0, None, 4.0, 0.0),
        (-3.0, 0.5, 2.5, None, -1.0, 1.5, 4.5, None),
        (None, 0.0, 3.0, 2.0, -1.5, 1.5, None, -0.5),
    ]
    sizes = [
        (1.0, 2.0, 8.0, 20.0, 3.0, 5.0, 12.0),
        (1.5, 2.0, 6.0, 25.0, 2.0, 5.0, 10.0),
    ]
    counts = [
        (0.0, 2.0, None, 7.0, 3.0, 1.0),
        (0.0, 1.0, 4.0, 9.0, None, 1.0),
        (1.0, 2.0, 4.0, None, 3.0, None),
        (0.0, 2.0, 5.0, 7.0, 4.0, 0.0),
    ]
    first = (1.0, 4.0, 2.0, 6.0, 3.0, 4.0, 2.0, 5.0)
    interval = {"scale": "interval"}
    return [
        from_columns("two_interval", "numbers with ties", [judged[0], judged[2]], **interval),
        from_columns("four_interval", "four annotators, numbers", judged, **interval),
        from_columns("three_interval_missing", "numbers, some missing", temperatures, **interval),
        from_columns(
            "interval_shifted",
            "one annotator always 2 higher",
            [first, tuple(x + 2 for x in first)],
            **interval,
        ),
        from_columns(
            "interval_reversed",
            "one annotator opposite",
            [first, tuple(7 - x for x in first)],
            **interval,
        ),
        from_columns(
            "interval_constant", "one annotator constant", [first, (3.0,) * 8], **interval
        ),
        from_columns("interval_all_equal", "one number for all", [(3.0,) * 5] * 2, **interval),
        from_columns("interval_perfect", "numbers, all agree", [first] * 3, **interval),
        from_columns("two_ratio", "positive numbers", sizes, scale="ratio"),
        from_columns("four_ratio_missing", "counts with 0, some missing", counts, scale="ratio"),
    ]


def set_valued() -> list[DataSet]:
    """Labels that are sets of names."""
    return [
        sets("two_sets", "sets", ["x xy y xyz z xz yz x", "x x y xy z xyz y y"]),
        sets(
            "three_sets_missing",
            "sets, some missing",
            ["x xy . xyz z x yz xy", "xy xy y xy . z yz x", "x . y xz z xz y xy"],
        ),
        sets("two_sets_empty", "sets, some empty", ["x 0 y xy 0 xy", "x 0 xy x y xy"]),
        sets("two_sets_all_equal", "one set for everything", ["xy xy xy xy", "xy xy xy xy"]),
    ]


DATASETS = (*two_annotators(), *several_annotators(), *numbers(), *set_valued())
