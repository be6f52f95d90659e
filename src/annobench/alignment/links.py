"""Alignments as annotations: links that annotators draw between the nodes of two sentences.

A sentence pair has nodes on two sides, the source and the target: words, and phrases where the
sentences are trees. An annotator links what corresponds, each link exact or fuzzy (sure or
possible, in other formats). The set of possible links is not given, so agreement on what was *not*
linked depends on a universe that must be stated:

- ``"drawn"``: the links that at least one annotator drew;
- ``"kind"``: every word with every word and every phrase with every phrase of its pair, and all
  other links drawn;
- ``"nodes"``: every node with every node.

Precision, recall, their F-score and positive specific agreement need no universe; kappa and alpha
do. `Alignments.to_annotations` converts links to ordinary labels, "linked" and "not linked", for
any coefficient of `annobench.agreement`. The links of a sentence depend on each other, so intervals
resample sentence pairs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.core.errors import MAX_FAULTS, AnnotationError
from annobench.core.results import Summarised
from annobench.labels.annotations import Annotations
from annobench.resampling.intervals import Interval, percentile_interval
from annobench.resampling.ratios import ratio
from annobench.resampling.weights import draw_counts

__all__ = [
    "KINDS",
    "UNIVERSES",
    "Alignments",
    "Kind",
    "Link",
    "LinkComparison",
    "LinkPool",
    "SentencePair",
    "compare",
    "fan_out",
    "pool",
    "sizes",
]

Kind = Literal["word", "phrase"]
Side = Literal["source", "target"]
Universe = Literal["drawn", "kind", "nodes"]

#: What a node can be, and what a link can be: between words, between phrases, or across.
KINDS: Final = ("word", "phrase")
LINK_KINDS: Final = ("word", "phrase", "mixed")
#: The strength of a link, by its code in `Alignments.drawn` minus 1.
STRENGTHS: Final = ("exact", "fuzzy")
UNIVERSES: Final = ("drawn", "kind", "nodes")
#: The two categories of `Alignments.to_annotations`.
NOT_LINKED, LINKED = "not linked", "linked"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SentencePair:
    """Two sentences, or trees, and their nodes.

    Attributes
    ----------
    name : str
        Unique among the pairs.
    source, target : mapping of str to str
        The nodes of each side by name, and whether each is a "word" or a "phrase".

    Raises
    ------
    AnnotationError
        If the name is empty, or a node is neither.

    Examples
    --------
    >>> SentencePair("s1", {"ging": "word", "an": "word"}, {"began": "word"}).n_nodes
    (2, 1)
    """

    name: str
    source: Mapping[str, str]
    target: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.name:
            raise AnnotationError("SentencePair: the name is empty. Name the pair.")
        for side, nodes in (("source", self.source), ("target", self.target)):
            for node, kind in nodes.items():
                if kind not in KINDS:
                    raise AnnotationError(
                        f"SentencePair {self.name!r}: {side} node {node!r} is a {kind!r}. "
                        f"A node is one of {', '.join(KINDS)}."
                    )

    @classmethod
    def of_words(cls, name: str, n_source: int, n_target: int) -> SentencePair:
        """Make a pair of two plain sentences, whose words are named by number from 0.

        Parameters
        ----------
        name : str
            Of the pair.
        n_source, n_target : int
            Numbers of words.

        Returns
        -------
        SentencePair
            Without phrases.
        """
        source, target = ({str(i): "word" for i in range(n)} for n in (n_source, n_target))
        return cls(name, source, target)

    @property
    def n_nodes(self) -> tuple[int, int]:
        """The numbers of nodes on the two sides."""
        return len(self.source), len(self.target)

    def candidates(self, *, across: bool) -> list[tuple[str, str]]:
        """List the links that could be drawn.

        Parameters
        ----------
        across : bool
            Whether a word may be linked to a phrase.

        Returns
        -------
        list of tuple of str
            Source and target node of each, in the order of the nodes.
        """
        return [
            (s, t)
            for s, first in self.source.items()
            for t, second in self.target.items()
            if across or first == second
        ]

    def kind(self, source: str, target: str) -> str:
        """Say what a link connects.

        Parameters
        ----------
        source, target : str
            Nodes of the pair.

        Returns
        -------
        str
            "word", "phrase" or "mixed".
        """
        first, second = self.source[source], self.target[target]
        return first if first == second else "mixed"


class Link(NamedTuple):
    """One link, as an annotator drew it.

    Attributes
    ----------
    pair : str
        Name of the sentence pair.
    source, target : str
        Names of the nodes.
    strength : {"exact", "fuzzy"}
        By default exact.
    """

    pair: str
    source: str
    target: str
    strength: str = "exact"


@dataclass(frozen=True, eq=False)
class Alignments:
    """The links of several annotators between the nodes of the same sentence pairs.

    Use the constructor `from_links`, which validates.

    Attributes
    ----------
    pairs : tuple of SentencePair
        The P pairs, with or without links.
    annotators : tuple of str
        The J annotators, including those without links; a gold standard is one of them.
    links : tuple of Link
        The L different links, of whatever strength, in the order of the pairs.
    drawn : ndarray of int8, shape (L, J)
        0 where an annotator did not draw the link, 1 for exact, 2 for fuzzy.
    pair : ndarray of int32, shape (L,)
        The pair of each link.

    Examples
    --------
    >>> pairs = [SentencePair.of_words("s1", 3, 3)]
    >>> a = Alignments.from_links(pairs, {
    ...     "gold": [Link("s1", "0", "0"), Link("s1", "1", "2")],
    ...     "ann": [Link("s1", "0", "0", "fuzzy"), Link("s1", "2", "1")],
    ... })
    >>> a.drawn.tolist()
    [[1, 2], [1, 0], [0, 1]]
    """

    pairs: tuple[SentencePair, ...]
    annotators: tuple[str, ...]
    links: tuple[Link, ...]
    drawn: NDArray[np.int8]
    pair: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        place = {pair.name: p for p, pair in enumerate(self.pairs)}
        pair = np.array([place[link.pair] for link in self.links], dtype=np.int32)
        for column in (pair, self.drawn):
            column.setflags(write=False)
        object.__setattr__(self, "pair", pair)

    @classmethod
    def from_links(
        cls, pairs: Iterable[SentencePair], links: Mapping[str, Iterable[Link]]
    ) -> Alignments:
        """Collect the links of annotators.

        Parameters
        ----------
        pairs : iterable of SentencePair
            The pairs that every annotator saw.
        links : mapping of str to iterable of Link
            The links of each annotator.

        Returns
        -------
        Alignments
            Validated.

        Raises
        ------
        AnnotationError
            Listing every fault: two pairs of one name, a link outside its sentences, of an
            unknown pair or strength, or drawn twice by an annotator.
        """
        pairs = tuple(pairs)
        known = {pair.name: pair for pair in pairs}
        faults = [
            f"pair {name!r} stands there {n} times"
            for name, n in Counter(pair.name for pair in pairs).items()
            if n > 1
        ]
        strength: dict[tuple[str, str, str], dict[int, int]] = {}
        for j, (annotator, own) in enumerate(links.items()):
            for link in own:
                fault = _fault(link, known)
                marks = strength.setdefault(link[:3], {})
                if fault is None and j in marks:
                    fault = "is drawn twice"
                if fault is not None:
                    faults.append(
                        f"annotator {annotator!r}, pair {link.pair!r}: link {link.source!r} to "
                        f"{link.target!r} {fault}"
                    )
                    continue
                marks[j] = 1 + STRENGTHS.index(link.strength)
        if faults:
            shown = "".join(f"\n  {fault}" for fault in faults[:MAX_FAULTS])
            more = f"\n  and {len(faults) - MAX_FAULTS} more" if len(faults) > MAX_FAULTS else ""
            raise AnnotationError(
                f"Alignments:{shown}{more}\nCorrect the links, or give the pairs their nodes."
            )
        order = {name: p for p, name in enumerate(known)}
        keys = sorted(strength, key=lambda key: order[key[0]])
        drawn = np.zeros((len(keys), len(links)), dtype=np.int8)
        for row, key in enumerate(keys):
            for j, code in strength[key].items():
                drawn[row, j] = code
        return cls(pairs, tuple(links), tuple(Link(*key) for key in keys), drawn)

    @property
    def n_pairs(self) -> int:
        """The number of sentence pairs P."""
        return len(self.pairs)

    @property
    def n_annotators(self) -> int:
        """The number of annotators J."""
        return len(self.annotators)

    @property
    def n_links(self) -> int:
        """The number of different links L: those of the union."""
        return len(self.links)

    @property
    def kind(self) -> tuple[str, ...]:
        """What each link connects: "word", "phrase" or "mixed"; length L."""
        return tuple(
            self.pairs[p].kind(link.source, link.target)
            for p, link in zip(self.pair, self.links, strict=True)
        )

    def column(self, annotator: str) -> int:
        """Return the column of an annotator in `drawn`.

        Parameters
        ----------
        annotator : str
            Name.

        Returns
        -------
        int
            In [0, J).

        Raises
        ------
        AnnotationError
            If there is no such annotator.
        """
        if annotator not in self.annotators:
            known = ", ".join(map(repr, self.annotators[:10]))
            raise AnnotationError(
                f"Alignments: there is no annotator {annotator!r}. Known: {known}."
            )
        return self.annotators.index(annotator)

    def of_annotators(self, names: Sequence[str]) -> Alignments:
        """Keep some annotators, and the links that they drew.

        Parameters
        ----------
        names : sequence of str
            In the order wanted.

        Returns
        -------
        Alignments
            Of the same pairs.
        """
        drawn = self.drawn[:, [self.column(name) for name in names]]
        keep = np.asarray(drawn.any(axis=1), dtype=np.bool_)
        return self._kept(self.pairs, drawn, keep, tuple(names))

    def _kept(
        self,
        pairs: tuple[SentencePair, ...],
        drawn: NDArray[np.int8],
        keep: NDArray[np.bool_],
        names: tuple[str, ...],
    ) -> Alignments:
        links = tuple(link for link, stays in zip(self.links, keep, strict=True) if stays)
        return Alignments(pairs, names, links, drawn[keep].copy())

    def universe_sizes(self, universe: Universe) -> NDArray[np.int64]:
        """Count the links that each pair could have.

        Parameters
        ----------
        universe : {"drawn", "kind", "nodes"}
            As the module says; links across kinds that were drawn belong to "kind" as well.

        Returns
        -------
        ndarray of int, shape (P,)
            At least the number of links drawn.

        Raises
        ------
        AnnotationError
            If the universe is another.
        """
        _check_universe(universe)
        if universe == "drawn":
            return np.bincount(self.pair, minlength=self.n_pairs)
        if universe == "nodes":
            return np.array([math.prod(pair.n_nodes) for pair in self.pairs], dtype=np.int64)
        mixed = np.array([kind == "mixed" for kind in self.kind], dtype=bool)
        same = [
            sum(first[kind] * second[kind] for kind in KINDS)
            for first, second in (
                (Counter(pair.source.values()), Counter(pair.target.values()))
                for pair in self.pairs
            )
        ]
        across = np.bincount(self.pair[mixed], minlength=self.n_pairs)
        return np.asarray(np.array(same, dtype=np.int64) + across)

    def to_annotations(self, universe: Universe) -> tuple[Annotations, NDArray[np.int32]]:
        """Convert links to labels: each candidate is an item, "linked" or "not linked".

        Parameters
        ----------
        universe : {"drawn", "kind", "nodes"}
            Which candidates there are.

        Returns
        -------
        annotations : Annotations
            Complete: every annotator labels every candidate. The links come first.
        pair : ndarray of int32, shape (I,)
            The sentence pair of each item, to resample by.

        Raises
        ------
        AnnotationError
            If the universe is another.
        """
        _check_universe(universe)
        names = [link[:3] for link in self.links]
        places = [self.pair]
        if universe != "drawn":
            known = set(names)
            for p, pair in enumerate(self.pairs):
                rest = [
                    (pair.name, *candidate)
                    for candidate in pair.candidates(across=universe == "nodes")
                    if (pair.name, *candidate) not in known
                ]
                names += rest
                places.append(np.full(len(rest), p, dtype=np.int32))
        n, j = len(names), self.n_annotators
        label = np.zeros((n, j), dtype=np.int16)
        label[: self.n_links] = self.drawn > 0
        annotations = Annotations(
            np.repeat(np.arange(n, dtype=np.int32), j),
            np.tile(np.arange(j, dtype=np.int32), n),
            label.ravel(),
            tuple(f"{pair}: {source} - {target}" for pair, source, target in names),
            self.annotators,
            (NOT_LINKED, LINKED),
        )
        return annotations, np.concatenate(places)

    def strengths(self) -> Annotations:
        """Convert strengths to labels: each link is an item, exact or fuzzy.

        Returns
        -------
        Annotations
            An annotator who did not draw a link gives it no label; items are the L links.
        """
        item, annotator = np.nonzero(self.drawn)
        return Annotations(
            item.astype(np.int32),
            annotator.astype(np.int32),
            (self.drawn[item, annotator] - 1).astype(np.int16),
            tuple(f"{link.pair}: {link.source} - {link.target}" for link in self.links),
            self.annotators,
            STRENGTHS,
        )

    def __repr__(self) -> str:
        """Summarise in one line."""
        return (
            f"Alignments({self.n_pairs} sentence pairs, {self.n_annotators} annotators, "
            f"{self.n_links} different links)"
        )


def _interval_rows(result: Summarised, measures: Sequence[str]) -> pd.DataFrame:
    """Stack the summaries of a result's intervals."""
    intervals: list[Interval] = [getattr(result, measure) for measure in measures]
    table = pd.concat([interval.summary() for interval in intervals])
    return table.set_axis(pd.Index(measures, name="measure"))


@dataclass(frozen=True)
class LinkComparison(Summarised):
    """The links of an annotator compared with a reference.

    Attributes
    ----------
    annotator, reference : str
        Names.
    shared, own, missed : int
        Links of both, of the annotator alone, of the reference alone.
    precision, recall, f_score : Interval
        Shared links as a share of the annotator's, of the reference's, and the harmonic mean of
        both, which is positive specific agreement. The paper's "overlap" is recall.
    kappa : Interval
        Cohen's, of linked or not.
    universe : str
        What kappa takes for the links that could be drawn.
    """

    annotator: str
    reference: str
    shared: int
    own: int
    missed: int
    precision: Interval
    recall: Interval
    f_score: Interval
    kappa: Interval
    universe: str

    def summary(self) -> pd.DataFrame:
        """Return the measures with their intervals.

        Returns
        -------
        DataFrame
            As of an interval, a row for each measure; index measure, its name.
        """
        return _interval_rows(self, ("precision", "recall", "f_score", "kappa"))

    def _headline(self) -> str:
        return (
            f"{self.annotator} with {self.reference}: {self.shared:,} links shared, {self.own:,} "
            f"own, {self.missed:,} missed; F-score {self.f_score.estimate:.4g}"
        )


def compare(
    alignments: Alignments,
    annotator: str,
    reference: str,
    *,
    universe: Universe = "kind",
    level: float = 0.95,
    replicates: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> LinkComparison:
    """Compare the links of one annotator with those of another, or of a gold standard.

    Parameters
    ----------
    alignments : Alignments
        Of both.
    annotator, reference : str
        Names.
    universe : {"drawn", "kind", "nodes"}, default "kind"
        The links that could be drawn, for kappa.
    level : float, default 0.95
        Level of the intervals, in (0, 1).
    replicates : int, default 2000
        Bootstrap samples of sentence pairs.
    rng : numpy.random.Generator or int, optional
        The source of randomness, or its seed.

    Returns
    -------
    LinkComparison
        Counts and shares. Strength is ignored: an exact and a fuzzy link are shared.

    Raises
    ------
    AnnotationError
        If an annotator, the universe or the level is unknown.

    Notes
    -----
    With few sentence pairs a percentile interval is too narrow; treat it as a lower bound of the
    uncertainty.

    Examples
    --------
    >>> pairs = [SentencePair.of_words(name, 3, 3) for name in "ab"]
    >>> a = Alignments.from_links(pairs, {
    ...     "gold": [Link("a", "0", "0"), Link("a", "1", "2"), Link("b", "0", "0")],
    ...     "ann": [Link("a", "0", "0"), Link("b", "0", "0"), Link("b", "2", "1")],
    ... })
    >>> found = compare(a, "ann", "gold", rng=1)
    >>> found.shared, found.own, found.missed, round(found.f_score.estimate, 4)
    (2, 1, 1, 0.6667)
    """
    first, second = (
        alignments.drawn[:, alignments.column(name)] > 0 for name in (annotator, reference)
    )
    columns = [first & second, first & ~second, ~first & second]
    rows = np.column_stack(
        [_by_pair(alignments, column) for column in columns] + [alignments.universe_sizes(universe)]
    ).astype(np.float64)
    shared, own, missed = (int(n) for n in rows[:, :3].sum(axis=0))
    measures = {"precision": _precision, "recall": _recall, "f_score": _f_score, "kappa": _kappa}
    found = _estimates(rows, measures, level, replicates, rng)
    return LinkComparison(annotator, reference, shared, own, missed, **found, universe=universe)


@dataclass(frozen=True)
class LinkPool(Summarised):
    """Union and intersection of a group's links.

    Attributes
    ----------
    union, intersection : int
        Links of at least one, and of all.
    smallest, largest : int
        The numbers of links of the annotators with fewest and most.
    support : tuple of int
        How many links were drawn by exactly 1, 2, ..., J annotators.
    intersection_share : Interval
        The intersection as a share of the smallest number of links of an annotator.
    union_excess : Interval
        Relative excess of the union over the largest number of links of an annotator.
    exact, fuzzy, both : int
        Links that somebody marked exact, that somebody marked fuzzy, and that were marked both
        ways; exact + fuzzy - both is the union.
    """

    union: int
    intersection: int
    smallest: int
    largest: int
    support: tuple[int, ...]
    intersection_share: Interval
    union_excess: Interval
    exact: int
    fuzzy: int
    both: int

    def summary(self) -> pd.DataFrame:
        """Return the shares with their intervals.

        Returns
        -------
        DataFrame
            As of an interval, a row for each share; index measure, its name.
        """
        return _interval_rows(self, ("intersection_share", "union_excess"))

    def _headline(self) -> str:
        return (
            f"{self.union:,} links of {len(self.support)} annotators, {self.intersection:,} of "
            f"them of all; {self.exact:,} exact, {self.fuzzy:,} fuzzy, {self.both:,} both"
        )


def pool(
    alignments: Alignments,
    *,
    level: float = 0.95,
    replicates: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> LinkPool:
    """Form the union and the intersection of all annotators' links.

    Parameters
    ----------
    alignments : Alignments
        Of the group alone: a gold standard counts as an annotator.
    level : float, default 0.95
        Level of the intervals, in (0, 1).
    replicates : int, default 2000
        Bootstrap samples of sentence pairs.
    rng : numpy.random.Generator or int, optional
        The source of randomness, or its seed.

    Returns
    -------
    LinkPool
        Strength is ignored but in the last three counts.

    Raises
    ------
    AnnotationError
        If there are fewer than two annotators, or the level is out of range.
    """
    if alignments.n_annotators < 2:
        raise AnnotationError(
            f"pool: needs at least two annotators, got {alignments.n_annotators}."
        )
    linked = alignments.drawn > 0
    number = linked.sum(axis=1)
    exact, fuzzy = ((alignments.drawn == code).any(axis=1) for code in (1, 2))
    columns = [number > 0, number == alignments.n_annotators, *linked.T]
    rows = np.column_stack([_by_pair(alignments, column) for column in columns])
    total = rows.sum(axis=0)
    found = _estimates(
        rows.astype(np.float64),
        {
            "intersection_share": lambda t: ratio(t[..., 1], t[..., 2:].min(axis=-1)),
            "union_excess": lambda t: ratio(t[..., 0], t[..., 2:].max(axis=-1)) - 1,
        },
        level,
        replicates,
        rng,
    )
    return LinkPool(
        union=int(total[0]),
        intersection=int(total[1]),
        smallest=int(total[2:].min()),
        largest=int(total[2:].max()),
        support=tuple(np.bincount(number, minlength=alignments.n_annotators + 1)[1:].tolist()),
        exact=int(exact.sum()),
        fuzzy=int(fuzzy.sum()),
        both=int((exact & fuzzy).sum()),
        **found,
    )


def sizes(alignments: Alignments) -> pd.DataFrame:
    """Count the links of every annotator by kind and strength.

    Parameters
    ----------
    alignments : Alignments
        The links.

    Returns
    -------
    DataFrame
        annotator, kind, exact, fuzzy, total; one row for each annotator and kind of link.
    """
    kinds = np.array(alignments.kind)
    rows = []
    for j, annotator in enumerate(alignments.annotators):
        for kind in LINK_KINDS:
            own = alignments.drawn[kinds == kind, j]
            exact, fuzzy = int((own == 1).sum()), int((own == 2).sum())
            rows.append((annotator, kind, exact, fuzzy, exact + fuzzy))
    return pd.DataFrame(rows, columns=["annotator", "kind", "exact", "fuzzy", "total"])


def fan_out(alignments: Alignments, annotator: str, side: Side) -> dict[int, int]:
    """Count how many nodes of one side have one link, two links, and so on.

    Parameters
    ----------
    alignments : Alignments
        The links.
    annotator : str
        Whose.
    side : {"source", "target"}
        From which side links are viewed.

    Returns
    -------
    dict of int to int
        The number of nodes by their number of links: {1: n} are 1:1 seen from this side.
        Nodes without a link are not counted.

    Raises
    ------
    AnnotationError
        If there is no such annotator, or the side is another.
    """
    if side not in ("source", "target"):
        raise AnnotationError(f"fan_out: side {side!r} is not one of source, target.")
    drawn = alignments.drawn[:, alignments.column(annotator)] > 0
    nodes = Counter(
        (link.pair, getattr(link, side))
        for link, own in zip(alignments.links, drawn, strict=True)
        if own
    )
    return dict(sorted(Counter(nodes.values()).items()))


def _fault(link: Link, known: Mapping[str, SentencePair]) -> str | None:
    """Return the fault of a link, or None."""
    pair = known.get(link.pair)
    if pair is None:
        return "belongs to no known pair"
    outside = [
        f"the {side} has no node {node!r} (it has {len(nodes)})"
        for side, node, nodes in (
            ("source", link.source, pair.source),
            ("target", link.target, pair.target),
        )
        if node not in nodes
    ]
    if outside:
        return "leaves the sentence: " + " and ".join(outside)
    if link.strength not in STRENGTHS:
        return f"has strength {link.strength!r}, which is not one of {', '.join(STRENGTHS)}"
    return None


def _check_universe(universe: str) -> None:
    if universe not in UNIVERSES:
        raise AnnotationError(
            f"Alignments: universe {universe!r} is not one of {', '.join(UNIVERSES)}. Say which "
            "links could have been drawn."
        )


def _by_pair(alignments: Alignments, column: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.bincount(alignments.pair[column], minlength=alignments.n_pairs)


def _estimates(
    rows: Floats,
    measures: Mapping[str, Callable[[Any], Any]],
    level: float,
    replicates: int,
    rng: np.random.Generator | int | None,
) -> dict[str, Interval]:
    """Compute measures of the sums over pairs, with intervals from resampled pairs."""
    if not 0 < level < 1:
        raise AnnotationError(f"level is {level}. Give one between 0 and 1, such as 0.95.")
    total = rows.sum(axis=0)
    samples = rows[:0]
    if len(rows) > 1:
        samples = draw_counts(len(rows), replicates, np.random.default_rng(rng)) @ rows
    result = {}
    for name, measure in measures.items():
        values = measure(samples)
        defined = values[~np.isnan(values)]
        result[name] = percentile_interval(float(measure(total)), defined, level)
    return result


# Columns of the sums: shared, own, missed, candidates.


def _precision(t: Floats) -> Floats:
    return ratio(t[..., 0], t[..., 0] + t[..., 1])


def _recall(t: Floats) -> Floats:
    return ratio(t[..., 0], t[..., 0] + t[..., 2])


def _f_score(t: Floats) -> Floats:
    return ratio(2 * t[..., 0], 2 * t[..., 0] + t[..., 1] + t[..., 2])


def _kappa(t: Floats) -> Floats:
    shared, own, missed, n = np.moveaxis(t, -1, 0)
    first, second = shared + own, shared + missed
    expected = first * second + (n - first) * (n - second)
    return ratio(n * (n - own - missed) - expected, n**2 - expected)
