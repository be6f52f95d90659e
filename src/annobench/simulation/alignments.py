"""Simulated annotators who align sentences, with individual skill and strictness.

There are links of a gold standard and rival links, which resemble them. Each link has an appeal
common to all annotators, and each annotator perceives it with individual noise:

    seen = sqrt(shared) * appeal + sqrt(1 - shared) * noise + skill / 2   (less, for a rival)

with standard normal appeal and noise. Stricter annotators have a higher threshold. This is signal
detection by several observers (Green and Swets, 1966): an annotator finds a gold link with
probability Phi(skill / 2 - strictness) and draws a rival one with probability Phi(-skill / 2 -
strictness), and links that are hard for one annotator tend to be hard for others. A drawn link is
marked fuzzy in the same way, with an individual leaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from annobench.alignment.links import KINDS, STRENGTHS, Alignments, Link, SentencePair
from annobench.core.errors import AnnotationError

__all__ = ["FUZZIER", "GOLD", "lay_links", "rival_links", "simulate_links", "tree_pairs"]

Floats = NDArray[np.float64]

#: What the annotator is called whose links are the gold standard.
GOLD = "gold"
#: A rival link, or one that the gold standard has fuzzy, seems so many deviations fuzzier.
FUZZIER = 1.0


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
        Of each annotator, as in the module's description.
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
    fuzzy = _seen(len(candidates), lean + FUZZIER * fuzzier[:, None], shared_strength, rng) > 0
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
