"""Simulate annotators who align sentences, with a skill and a strictness of their own.

There are the links of a gold standard and rival links, which look like ones. Each link has an
appeal that all annotators share, and each annotator sees it with noise of their own:

    seen = sqrt(shared) * appeal + sqrt(1 - shared) * noise + skill / 2   (less, for a rival)

with standard normal appeal and noise. Who is stricter draws what is seen above a higher limit.
That is detection of signals by several observers (Green and Swets, 1966): an annotator finds a
gold link with probability Phi(skill / 2 - strictness) and draws a rival one with probability
Phi(-skill / 2 - strictness), and what one finds hard, others tend to find hard too. In the same
way a link drawn is marked fuzzy, with a leaning of the annotator's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.polynomial import hermite_e
from numpy.typing import ArrayLike, NDArray
from scipy import optimize, stats

from annobench.alignment.links import KINDS, STRENGTHS, Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError

Floats = NDArray[np.float64]

#: What the annotator is called whose links are the gold standard.
GOLD = "gold"
#: A rival link, or one that the gold standard has fuzzy, seems so many deviations fuzzier.
_FUZZIER = 1.0
#: Points of a quadrature over what annotators have in common.
_POINTS = 31


def tree_pairs(
    n: int,
    words: float,
    phrases: float,
    rng: np.random.Generator | int | None = None,
    *,
    name: str = "pair",
) -> list[SentencePair]:
    """Make pairs of trees, without edges.

    Parameters
    ----------
    n : int
        How many.
    words : float
        The mean number of words of a sentence (Poisson, but at least six).
    phrases : float
        Phrases for each word.
    rng : numpy.random.Generator or int, optional
        The source of randomness.
    name : str, default "pair"
        Pairs are named by it and their number, from 1.

    Returns
    -------
    list of SentencePair
        Nodes are named by side, kind and number, such as "sw1" and "tp2".
    """
    rng = np.random.default_rng(rng)
    pairs = []
    for number in range(1, n + 1):
        sides = []
        for letter in "st":
            length = max(6, int(rng.poisson(words)))
            kinds = {"word": length, "phrase": round(phrases * length)}
            sides.append(
                {
                    f"{letter}{kind[0]}{place}": kind
                    for kind, many in kinds.items()
                    for place in range(1, many + 1)
                }
            )
        pairs.append(SentencePair(f"{name} {number}", *sides))
    return pairs


def lay_links(
    pairs: Sequence[SentencePair],
    counts: Mapping[str, tuple[int, int]],
    stars: Sequence[tuple[str, int]],
    rng: np.random.Generator | int | None = None,
) -> list[Link]:
    """Lay the links of a gold standard: as many of each kind, strength and fan-out as given.

    Parameters
    ----------
    pairs : sequence of SentencePair
        The sentences; those with more free nodes get more links.
    counts : mapping of str to (int, int)
        Exact and fuzzy links of each kind, "word" and "phrase".
    stars : sequence of (str, int)
        The words with several links: their side, "source" or "target", and the links.
    rng : numpy.random.Generator or int, optional
        The source of randomness.

    Returns
    -------
    list of Link
        Nodes that no star has are linked one to one, in their order.

    Raises
    ------
    AnnotationError
        If there are more links than nodes, a kind or side is another, or the stars have more
        links than there are of words.
    """
    rng = np.random.default_rng(rng)
    sides = ("source", "target")
    n_words = sum(counts.get("word", (0, 0)))
    if not set(counts) <= set(KINDS) or not {side for side, _ in stars} <= set(sides):
        raise AnnotationError(
            f"lay_links: kinds {', '.join(counts)} must be of {', '.join(KINDS)}, and sides of "
            "stars of source, target. Correct these."
        )
    if sum(links for _, links in stars) > n_words:
        raise AnnotationError(
            f"lay_links: the stars have {sum(links for _, links in stars)} links, and of words "
            f"there are {n_words}. Count the stars' links among those of the words."
        )
    free = {
        (p, side, kind): [node for node, own in getattr(pair, side).items() if own == kind]
        for p, pair in enumerate(pairs)
        for side in sides
        for kind in KINDS
    }
    result: list[Link] = []
    for kind, (exact, fuzzy) in counts.items():
        own = list(stars) if kind == "word" else []
        own += [("source", 1)] * (exact + fuzzy - sum(links for _, links in own))
        weak = set(rng.choice(exact + fuzzy, fuzzy, replace=False).tolist())
        n = 0
        for centre, links in own:
            other = sides[centre == "source"]
            room = np.array(
                [
                    min(len(free[p, centre, kind]), max(0, len(free[p, other, kind]) - links + 1))
                    for p in range(len(pairs))
                ],
                dtype=float,
            )
            if not room.any():
                raise AnnotationError(
                    f"lay_links: {exact + fuzzy} {kind} links don't fit between the nodes of "
                    f"{len(pairs)} pairs. Give more pairs or longer ones."
                )
            p = int(rng.choice(len(pairs), p=room / room.sum()))
            node = free[p, centre, kind].pop(0)
            for _ in range(links):
                ends = {centre: node, other: free[p, other, kind].pop(0)}
                strength = STRENGTHS[n in weak]
                result.append(Link(pairs[p].name, ends["source"], ends["target"], strength))
                n += 1
    return result


def rival_links(
    pairs: Sequence[SentencePair],
    gold: Sequence[Link],
    n: int,
    rng: np.random.Generator | int | None = None,
) -> list[Link]:
    """Choose links that a gold standard does not have, between nodes of one kind.

    Parameters
    ----------
    pairs : sequence of SentencePair
        The sentences.
    gold : sequence of Link
        The links of the gold standard.
    n : int
        How many.
    rng : numpy.random.Generator or int, optional
        The source of randomness.

    Returns
    -------
    list of Link
        All exact.

    Raises
    ------
    AnnotationError
        If there are not so many.
    """
    rng = np.random.default_rng(rng)
    known = {link[:3] for link in gold}
    others = [
        (pair.name, *ends)
        for pair in pairs
        for ends in pair.candidates(across=False)
        if (pair.name, *ends) not in known
    ]
    if n > len(others):
        raise AnnotationError(
            f"rival_links: {n} links are wanted and {len(others)} are there. Give longer sentences."
        )
    return [Link(*others[place]) for place in rng.choice(len(others), n, replace=False)]


def skill_and_strictness(hits: ArrayLike, rivals: ArrayLike) -> tuple[Floats, Floats]:
    """Return the skill and strictness with which given shares of links are drawn.

    Parameters
    ----------
    hits : array_like, shape (J,)
        The share of the gold standard's links that each annotator draws, in (0, 1).
    rivals : array_like, shape (J,)
        The share of the rival links, in (0, 1).

    Returns
    -------
    skill, strictness : ndarray, shape (J,)
        The difference of the normal quantiles, 0 for who can't distinguish the two; and half
        their sum with the sign turned, 0 for who misses one as often as draws the other.

    Raises
    ------
    AnnotationError
        If a share is not between 0 and 1.

    Examples
    --------
    >>> skill, strictness = skill_and_strictness([0.8], [0.2])
    >>> round(float(skill[0]), 3), abs(round(float(strictness[0]), 3))
    (1.683, 0.0)
    """
    hit, rival = np.atleast_1d(hits).astype(float), np.atleast_1d(rivals).astype(float)
    for name, share in (("hits", hit), ("rivals", rival)):
        if not ((share > 0) & (share < 1)).all():
            raise AnnotationError(
                f"skill_and_strictness: {name} are {share.tolist()}. Give shares between 0 and 1."
            )
    above, below = stats.norm.ppf(hit), stats.norm.ppf(rival)
    return above - below, -(above + below) / 2


def all_and_none(share: ArrayLike, shared: float) -> tuple[float, float]:
    """Return the probability that all annotators draw a link, and that none does.

    Parameters
    ----------
    share : array_like, shape (J,)
        The probability that each annotator draws it.
    shared : float
        The share of variance that annotators have in common, in [0, 1).

    Returns
    -------
    everybody, nobody : float
        In [0, 1].

    Raises
    ------
    AnnotationError
        If a share or `shared` is out of range.

    Examples
    --------
    >>> [round(p, 4) for p in all_and_none([0.5, 0.5], 0.0)]
    [0.25, 0.25]
    >>> round(all_and_none([0.5, 0.5], 0.5)[0], 4)  # 1/4 + asin(0.5) / (2 pi)
    0.3333
    """
    if not 0 <= shared < 1:
        raise AnnotationError(f"all_and_none: shared is {shared}. Give a share below 1.")
    shares = np.atleast_1d(share).astype(float)
    if not ((shares >= 0) & (shares <= 1)).all():
        raise AnnotationError(f"all_and_none: shares are {shares.tolist()}. Give some in [0, 1].")
    # The more annotators have in common, the steeper the step, and the narrower the grid.
    half = int(9 / min(0.05, max(1e-3, math.sqrt(1 - shared) / 4)))
    point = np.linspace(-9, 9, 2 * half + 1)
    weight = np.exp(-(point**2) / 2)
    quantile = stats.norm.ppf(shares)
    given = (quantile + np.sqrt(shared) * point[:, None]) / np.sqrt(1 - shared)
    every, none = (np.prod(f(given), axis=1) for f in (stats.norm.cdf, stats.norm.sf))
    total = weight.sum()
    return float(weight @ every / total), float(weight @ none / total)


def calibrate(
    hits: Sequence[int], own: Sequence[int], n_gold: int, *, intersection: float, union: float
) -> tuple[float, int]:
    """Find how much annotators must have in common, and how many rival links there must be.

    Parameters
    ----------
    hits, own : sequence of int, length J
        The links of the gold standard that each annotator draws, and the others.
    n_gold : int
        Links of the gold standard.
    intersection, union : float
        The expected numbers of links that everybody and that somebody draws.

    Returns
    -------
    shared : float
        The share of variance in common, from the intersection of gold links.
    n_rivals : int
        The rival links, from the union.

    Raises
    ------
    AnnotationError
        If no share or number gives these sizes, an annotator draws more links than there are,
        or nobody draws others.

    Examples
    --------
    >>> calibrate([50, 50], [10, 10], 100, intersection=100 / 3, union=100 * 2 / 3 + 18)
    (0.5, 328)
    """
    found_of, others = np.asarray(hits), np.asarray(own)
    if n_gold < 1 or not ((found_of >= 0) & (found_of <= n_gold)).all() or not others.sum() > 0:
        raise AnnotationError(
            f"calibrate: of {n_gold} gold links annotators draw {found_of.tolist()}, and "
            f"{others.tolist()} others. Give at most all gold links, and some others."
        )
    gold = found_of / n_gold

    def excess(shared: float) -> float:
        return n_gold * all_and_none(gold, shared)[0] - intersection

    shared = _root("intersection", intersection, excess, 0.0, 0.99)
    found = n_gold * (1 - all_and_none(gold, shared)[1])

    def rest(n_rivals: float) -> float:
        return found + n_rivals * (1 - all_and_none(others / n_rivals, shared)[1]) - union

    n_rivals = _root("union", union, rest, 1.001 * others.max(), 1e4 * others.sum())
    return round(shared, 6), round(n_rivals)


def calibrate_strength(
    drawn: Sequence[tuple[int, bool, ArrayLike]],
    leaning: ArrayLike,
    shared: float,
    *,
    fuzzy: float,
    both: float,
) -> tuple[float, float]:
    """Find how much annotators lean towards fuzzy links, and what they have in common there.

    Parameters
    ----------
    drawn : sequence of (int, bool, array_like of shape (J,))
        For each kind of candidates: how many there are, whether they seem fuzzier, and the
        probability that each annotator draws one.
    leaning : array_like, shape (J,)
        The leaning of each annotator, up to a common shift.
    shared : float
        The share of variance that annotators have in common in what they draw, in [0, 1).
    fuzzy, both : float
        The expected numbers of links that somebody marks fuzzy, and that are marked both ways.

    Returns
    -------
    shift, shared_strength : float
        What to add to the leanings; and the share of variance in common in what seems fuzzy.

    Raises
    ------
    AnnotationError
        If no shift or share gives these numbers.
    """
    lean = np.atleast_1d(leaning).astype(float)
    point, weight = hermite_e.hermegauss(_POINTS)
    weight = weight / weight.sum()

    def given(quantile: Floats, common: float) -> Floats:
        """Return probabilities at each point, shape (points, J)."""
        seen = quantile + np.sqrt(common) * point[:, None]
        return np.asarray(stats.norm.cdf(seen / np.sqrt(1 - common)))

    draws = [given(stats.norm.ppf(np.atleast_1d(share)), shared) for _, _, share in drawn]

    def expected(shift: float, common: float) -> tuple[float, float]:
        """Return the numbers of links marked fuzzy by somebody, and both ways."""
        some, two = 0.0, 0.0
        for (n, fuzzier, _), p in zip(drawn, draws, strict=True):
            q = given(lean + shift + _FUZZIER * fuzzier, common)
            # Nobody marks it fuzzy, nobody marks it exact, nobody draws it; (points, points).
            none = [np.prod(1 - p[:, None] * mark, axis=2) for mark in (q, 1 - q, np.ones_like(q))]
            no_fuzzy, no_exact, no_link = (float(weight @ each @ weight) for each in none)
            some += n * (1 - no_fuzzy)
            two += n * (1 - no_fuzzy - no_exact + no_link)
        return some, two

    def shift_for(common: float) -> float:
        return _root("fuzzy", fuzzy, lambda shift: expected(shift, common)[0] - fuzzy, -8, 8)

    def excess(common: float) -> float:
        return expected(shift_for(common), common)[1] - both

    common = _root("both", both, excess, 0.0, 0.98)
    return shift_for(common), common


def simulate_links(
    pairs: Iterable[SentencePair],
    gold: Sequence[Link],
    rivals: Sequence[Link],
    *,
    skill: ArrayLike,
    strictness: ArrayLike,
    leaning: ArrayLike,
    shared: float,
    shared_strength: float = 0.0,
    names: Sequence[str],
    rng: np.random.Generator | int | None = None,
) -> Alignments:
    """Draw the links of annotators beside those of a gold standard.

    Parameters
    ----------
    pairs : iterable of SentencePair
        The sentences.
    gold, rivals : sequence of Link
        The links of the gold standard, and other candidates.
    skill, strictness : array_like, shape (J,)
        Of each annotator; see `skill_and_strictness`.
    leaning : array_like, shape (J,)
        Of each annotator towards fuzzy links: of the links that the gold standard has exact,
        Phi(leaning) is marked so; all others seem one standard deviation fuzzier.
    shared, shared_strength : float
        The share of variance that annotators have in common in [0, 1): of what appeals, and of
        what seems fuzzy.
    names : sequence of str, length J
        The annotators.
    rng : numpy.random.Generator or int, optional
        The source of randomness.

    Returns
    -------
    Alignments
        The first annotator is "gold".
    """
    rng = np.random.default_rng(rng)
    candidates = [*gold, *rivals]
    is_gold = np.arange(len(candidates)) < len(gold)
    ability, limit, lean = (np.atleast_1d(v).astype(float) for v in (skill, strictness, leaning))
    level = np.where(is_gold[:, None], ability / 2, -ability / 2) - limit
    drawn = _seen(len(candidates), level, shared, rng) > 0
    fuzzier = np.array([link.strength == STRENGTHS[1] for link in candidates]) | ~is_gold
    fuzzy = _seen(len(candidates), lean + _FUZZIER * fuzzier[:, None], shared_strength, rng) > 0
    links: dict[str, list[Link]] = {GOLD: list(gold)}
    for j, name in enumerate(names):
        links[name] = [
            link._replace(strength=STRENGTHS[int(fuzzy[c, j])])
            for c, link in enumerate(candidates)
            if drawn[c, j]
        ]
    return Alignments.from_links(pairs, links)


def _seen(n: int, level: Floats, shared: float, rng: np.random.Generator) -> Floats:
    common = rng.standard_normal((n, 1))
    own = rng.standard_normal(level.shape)
    return np.asarray(level + np.sqrt(shared) * common + np.sqrt(1 - shared) * own)


def _root(
    name: str, value: float, function: Callable[[float], Any], low: float, high: float
) -> float:
    ends = function(low), function(high)
    if ends[0] * ends[1] > 0:
        raise AnnotationError(
            f"calibrate: no annotators with these links have a {name} of {value:.6g}; it lies "
            f"between {value + min(ends):.6g} and {value + max(ends):.6g}."
        )
    return float(optimize.brentq(function, low, high, xtol=1e-6))
