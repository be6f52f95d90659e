"""Exercises of session 11: agreement on spans and units."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from annobench_course import (
    Choice,
    Exercise,
    Function,
    Given,
    Lesson,
    Mistake,
    Number,
    Part,
    Property,
    Simulation,
)

#: What a student is given of a span: start, end, label.
Marked = tuple[int, int, str]

LESSON = Lesson(
    summary="Measure agreement on what annotators mark in texts: by F1, by alpha for unitizing and "
    "by gamma, and say whether they differ in places, boundaries or labels.",
    needs=("01_chance", "02_family", "precision and recall"),
    papers=("volk2008",),
    worksheet=("11.1", "11.3", "11.6"),
    timing=(
        Part(10, "the worksheet: marks without a list of items"),
        Part(25, "F1, exact and by overlap", ("11.2", "11.5")),
        Part(15, "alpha for unitizing"),
        Part(20, "gamma", ("11.7",)),
        Part(20, "the published table", ("11.9",)),
    ),
)

#: Standard errors that a right simulation may be off: a normal distribution leaves 4.2 of them less
#: than 3 times in 10^5.
STANDARD_ERRORS = 4.2

LABELS = ("PER", "ORG", "LOC")

# ------------------------------------------------------------------------------------------ F1


def _draw(rng: np.random.Generator, n_spans: int) -> tuple[list[Marked], list[Marked]]:
    """Draw what two annotators mark: some spans alike, some with other boundaries or labels."""
    first: list[Marked] = []
    second: list[Marked] = []
    # At least one of each kind of difference, so that each mistake has its own number.
    kinds = ["same", "same", "limits", "label", "first alone", "second alone"]
    kinds += rng.choice(kinds, size=n_spans - len(kinds)).tolist()
    for n, kind in enumerate(rng.permutation(kinds)):
        start = 20 * n + int(rng.integers(0, 6))
        end, label = start + int(rng.integers(4, 11)), str(rng.choice(LABELS))
        if kind != "second alone":
            first.append((start, end, label))
        if kind == "limits":
            second.append((start, end + int(rng.integers(1, 4)), label))
        elif kind == "label":
            other = str(rng.choice([each for each in LABELS if each != label]))
            second.append((start, end, other))
        elif kind != "first alone":
            second.append((start, end, label))
    return first, second


def _two(rng: np.random.Generator) -> dict[str, Any]:
    ann, bob = _draw(rng, 9)
    return {"ann": ann, "bob": bob}


def _f1(first: Sequence[Marked], second: Sequence[Marked], match: Any = "exact") -> float:
    """Return the library's F1 of two annotators."""
    from annobench.spans import Marks, Span, pairwise_f1

    spans = {("d", "ann"): [Span(*s) for s in first], ("d", "bob"): [Span(*s) for s in second]}
    return float(pairwise_f1(Marks.collect(spans), match).estimate)


def _jaccard(first: Sequence[Marked], second: Sequence[Marked]) -> float:
    return len(set(first) & set(second)) / len(set(first) | set(second))


def _places(first: Sequence[Marked], second: Sequence[Marked]) -> float:
    """Return F1 of the boundaries alone."""
    return _f1([(*s[:2], "x") for s in first], [(*s[:2], "x") for s in second])


def _share(first: Sequence[Marked], second: Sequence[Marked]) -> float:
    return len(set(first) & set(second)) / len(first) if first else math.nan


F1 = Number(
    id="11.1",
    title="F1 by hand",
    given=_two,
    solve=lambda given: _f1(given["ann"], given["bob"]),
    digits=3,
    mistakes=(
        Mistake(
            "overlap",
            lambda given: _f1(given["ann"], given["bob"], "overlap"),
            "You also counted spans that only overlap. An exact match has the same start and the "
            "same end.",
        ),
        Mistake(
            "labels ignored",
            lambda given: _places(given["ann"], given["bob"]),
            "You counted all spans with the same boundaries. The labels must be equal, too.",
        ),
        Mistake(
            "intersection over union",
            lambda given: _jaccard(given["ann"], given["bob"]),
            "You divided the matches by the number of different spans. F1 divides twice the "
            "matches by the spans of both together.",
        ),
        Mistake(
            "matches counted once",
            lambda given: _f1(given["ann"], given["bob"]) / 2,
            "You counted the matches once in the numerator, and both annotators' spans in the "
            "denominator. A match is a span of each: count it twice.",
        ),
    ),
)


def _pairs(rng: np.random.Generator) -> list[tuple[list[Marked], list[Marked]]]:
    """Draw marks of two annotators; one input has none of the second."""
    inputs = [_draw(rng, n) for n in (6, 8, 12, 20)]
    inputs.append((_draw(rng, 6)[0], []))
    return inputs


def _whichever(span_f1: Any, first: Any, second: Any) -> bool:
    return bool(abs(span_f1(first, second) - span_f1(second, first)) < 1e-9)


def _all_alike(span_f1: Any, first: Any, second: Any) -> bool:
    return bool(abs(span_f1(first, first) - 1) < 1e-9)


SPAN_F1 = Function(
    id="11.2",
    title="F1 of two annotators",
    signature="span_f1(first, second)",
    reference=_f1,
    inputs=_pairs,
    properties=(
        Property(
            "whichever is the reference",
            _whichever,
            "F1 must be the same if the two annotators change places; yours isn't.",
        ),
        Property(
            "one with oneself",
            _all_alike,
            "F1 of an annotator with the same annotator is 1; yours isn't.",
        ),
    ),
    mistakes=(
        Mistake(
            "intersection over union",
            lambda first, second: len(set(first) & set(second)) / len(set(first) | set(second)),
            "You divided the matches by the number of different spans. F1 divides twice the "
            "matches by the spans of both together.",
        ),
        Mistake(
            "labels ignored",
            _places,
            "You compared the boundaries alone. Two spans match if their labels are equal, too.",
        ),
        Mistake(
            "one as the reference",
            _share,
            "This is the share of the first annotator's spans that the second has as well: the "
            "recall, if the first is right. F1 favours neither.",
        ),
        Mistake(
            "overlap",
            lambda first, second: _f1(first, second, "overlap"),
            "You also counted spans that only overlap. Here the boundaries must be equal.",
        ),
    ),
)


def _tokens(rng: np.random.Generator) -> dict[str, int]:
    both = int(rng.integers(20, 41))
    return {
        "both": both,
        "ann_alone": int(both * rng.uniform(0.2, 0.5)),
        "bob_alone": int(both * rng.uniform(0.2, 0.6)),
        "neither": int(rng.integers(150, 401)),
    }


def _kappa(given: Given, neither: int | None = None) -> float:
    """Return the library's kappa of two annotators who mark or do not mark."""
    from annobench import Annotations
    from annobench.agreement import cohen_kappa

    rest = given["neither"] if neither is None else neither
    table = [[given["both"], given["ann_alone"]], [given["bob_alone"], rest]]
    return float(cohen_kappa(Annotations.from_contingency(table)).estimate)


def _f1_of(given: Given) -> float:
    marked = 2 * given["both"] + given["ann_alone"] + given["bob_alone"]
    return float(2 * given["both"] / marked)


GAIN = Number(
    id="11.3",
    title="Kappa and the unmarked",
    given=_tokens,
    solve=lambda given: _f1_of(given) - _kappa(given),
    digits=3,
    mistakes=(
        Mistake(
            "kappa",
            lambda given: _kappa(given),
            "This is Cohen's kappa. The question asks how far it is below F1.",
        ),
        Mistake(
            "F1",
            _f1_of,
            "This is F1. The question asks how far Cohen's kappa is below it.",
        ),
        Mistake(
            "observed agreement",
            lambda given: _f1_of(given) - (given["both"] + given["neither"]) / sum(given.values()),
            "You used the observed agreement as kappa. It has to be corrected for chance.",
        ),
        Mistake(
            "without the unmarked",
            lambda given: _f1_of(given) - _kappa(given, neither=0),
            "You left out the places that neither marked. Kappa counts them as agreement.",
        ),
        Mistake(
            "sign",
            lambda given: _kappa(given) - _f1_of(given),
            "You subtracted F1 from kappa. The question asks for F1 minus kappa.",
        ),
    ),
)

LIMITS = Choice(
    id="11.5",
    title="Exact .55, overlapping .92",
    options={
        "limits": "They find the same places, and set the boundaries differently.",
        "labels": "They set the same boundaries, and choose different labels.",
        "places": "They mark different places: each misses what the other finds.",
        "chance": "They agree by chance, as overlaps happen by themselves.",
    },
    right="limits",
    reasons={
        "limits": "A sentence in the guidelines can fix this: with or without titles, "
        "articles, brackets.",
        "labels": "Spans with different labels don't match by overlap either: the second number "
        "would be low, too.",
        "places": "A span that the other misses has nothing to overlap with: the second number "
        "would be low, too.",
        "chance": "Where a tenth of a text is marked, chance overlaps of equal labels are far too "
        "rare to give .92.",
    },
)


def _at_random(rng: np.random.Generator) -> dict[str, int]:
    return {
        "n_places": int(rng.choice([100, 150, 200])),
        "ann": int(rng.integers(20, 31)),
        "bob": int(rng.integers(34, 46)),
        "runs": 4000,
    }


def _chance_spread(given: Given) -> float:
    """Return the standard error of the mean F1 over the runs."""
    t, a, b = given["n_places"], given["ann"], given["bob"]
    variance = a * (b / t) * (1 - b / t) * (t - a) / (t - 1)
    return float(2 / (a + b) * math.sqrt(variance / given["runs"]))


def _about(value: float, given: Given) -> tuple[float, float]:
    half = STANDARD_ERRORS * _chance_spread(given)
    return value - half, value + half


def _chance_f1(given: Given) -> tuple[float, float]:
    """Return 4.2 standard errors either side of the mean F1 of marks at random.

    Of the a places of one and the b of the other, drawn from t without replacement, the number in
    common is hypergeometric with the mean a b / t and the variance
    a (b / t) (1 - b / t) (t - a) / (t - 1); F1 is twice the number, divided by a + b.
    """
    t, a, b = given["n_places"], given["ann"], given["bob"]
    return _about(2 * a * b / t / (a + b), given)


CHANCE = Simulation(
    id="11.4",
    title="F1 of marks at random",
    given=_at_random,
    interval=_chance_f1,
    mistakes=(
        Mistake(
            "share of one",
            lambda given: _about(given["bob"] / given["n_places"], given),
            "This is the share of Ann's marks that Bob has by chance, his share of the places. F1 "
            "divides twice the matches by the marks of both.",
        ),
        Mistake(
            "intersection over union",
            lambda given: _about(
                (m := given["ann"] * given["bob"] / given["n_places"])
                / (given["ann"] + given["bob"] - m),
                given,
            ),
            "You divided the matches by the places that anybody marked. F1 divides twice the "
            "matches by the marks of both.",
        ),
        Mistake(
            "observed agreement",
            lambda given: _about(
                1
                - (
                    given["ann"]
                    + given["bob"]
                    - 2 * given["ann"] * given["bob"] / given["n_places"]
                )
                / given["n_places"],
                given,
            ),
            "You counted the places that neither marked as agreement. F1 ignores them.",
        ),
    ),
)

# ----------------------------------------------------------------------------------- unitizing


def _units(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the units of two annotators, of which one meets in part and one is alone."""
    start = np.cumsum(rng.integers(14, 22, 4))
    ann = [(int(s), int(s + rng.integers(5, 12))) for s in start[:3]]
    bob = [(ann[0][0] + 2, ann[0][1] + int(rng.integers(1, 3)))]
    bob += [(ann[1][0], ann[1][1] - int(rng.integers(1, 3)))]
    bob += [(int(start[3]), int(start[3] + rng.integers(4, 9)))]
    return {"ann": ann, "bob": bob, "length": int(start[3]) + int(rng.integers(15, 26))}


def _characters(given: Given, who: str) -> set[int]:
    return {at for start, end in given[who] for at in range(start, end)}


def _differing(given: Given) -> int:
    """Return on how many characters exactly one annotator has a unit."""
    return len(_characters(given, "ann") ^ _characters(given, "bob"))


OBSERVED = Number(
    id="11.6",
    title="Observed disagreement of units",
    given=_units,
    solve=lambda given: _differing(given) / given["length"],
    digits=3,
    mistakes=(
        Mistake(
            "of the marked text",
            lambda given: (
                _differing(given) / len(_characters(given, "ann") | _characters(given, "bob"))
            ),
            "You divided by the text that anybody marked. In alpha for unitizing gaps count, too: "
            "divide by the whole length.",
        ),
        Mistake(
            "agreement",
            lambda given: 1 - _differing(given) / given["length"],
            "This is the observed agreement. The question asks for the disagreement.",
        ),
        Mistake(
            "one annotator alone",
            lambda given: (
                len(_characters(given, "ann") - _characters(given, "bob")) / given["length"]
            ),
            "You counted what Ann marked and Bob did not. What Bob marked and Ann did not counts, "
            "too.",
        ),
        Mistake(
            "marked by both",
            lambda given: (
                len(_characters(given, "ann") & _characters(given, "bob")) / given["length"]
            ),
            "This is the share of the text that both marked. The question asks where exactly one "
            "did.",
        ),
    ),
)

# --------------------------------------------------------------------------------------- gamma


def _couple(rng: np.random.Generator) -> dict[str, Any]:
    start, width = int(rng.integers(10, 60)), int(rng.integers(8, 20))
    shift, longer = int(rng.integers(2, 6)), int(rng.integers(1, 6))
    one, other = rng.choice(LABELS, 2, replace=False)
    return {
        "u": (start, start + width, str(one)),
        "v": (start + shift, start + width + shift + longer, str(other)),
    }


def _position(given: Given) -> tuple[float, float, float]:
    """Return how far the two starts and the two ends are apart, and both lengths together."""
    (s, e, _), (t, f, _) = given["u"], given["v"]
    return abs(s - t), abs(e - f), (e - s) + (f - t)


def _dissimilarity(given: Given) -> float:
    """Return the library's dissimilarity of two units, both weights being 1."""
    from annobench.spans.gamma_alignment import Dissimilarity, Units

    def unit(name: str, code: int) -> Units:
        start, end, _ = given[name]
        fields = {"start": [start], "end": [end], "label": [code]}
        arrays = {key: np.array(fields.get(key, [0])) for key in Units._fields}
        return Units(**arrays)

    return float(Dissimilarity().between(unit("u", 0), unit("v", 1))[0])


DISSIMILARITY = Number(
    id="11.7",
    title="How far apart are two spans?",
    given=_couple,
    solve=_dissimilarity,
    digits=3,
    mistakes=(
        Mistake(
            "not squared",
            lambda given: 1 + sum(_position(given)[:2]) / _position(given)[2],
            "You didn't square the difference of positions. Squared, a small shift costs little.",
        ),
        Mistake(
            "label left out",
            lambda given: _dissimilarity(given) - 1,
            "This is the difference of positions alone. The labels differ, which adds 1.",
        ),
        Mistake(
            "squared apart",
            lambda given: (
                1 + (_position(given)[0] ** 2 + _position(given)[1] ** 2) / _position(given)[2] ** 2
            ),
            "You squared the differences of starts and of ends separately. First add them, then "
            "divide, then square.",
        ),
        Mistake(
            "mean length",
            lambda given: 1 + (2 * sum(_position(given)[:2]) / _position(given)[2]) ** 2,
            "You divided by the mean length. Divide by the sum of both lengths.",
        ),
        Mistake(
            "starts alone",
            lambda given: 1 + (_position(given)[0] / _position(given)[2]) ** 2,
            "You compared the starts alone. The ends are apart, too.",
        ),
    ),
)

WHICH = Choice(
    id="11.8",
    title="Which measure for arguments?",
    options={
        "gamma": "Gamma, with gamma of categories beside it.",
        "exact": "F1 with exact matches, as evaluations of systems do.",
        "alpha": "Krippendorff's alpha for unitizing of the labels.",
        "kappa": "Cohen's kappa of the labels of tokens, two annotators at a time.",
    },
    right="gamma",
    reasons={
        "gamma": "It aligns spans that do not match exactly, and lets them nest. The gamma of "
        "categories shows whether the labels are the trouble.",
        "exact": "With spans of forty words hardly any two are equal to the character; the number "
        "would say that nobody agrees.",
        "alpha": "It is not defined where one annotator's units overlap, and claims contain their "
        "premises.",
        "kappa": "Nested spans give a token several labels, and the tokens of one long span are "
        "hardly independent items.",
    },
)

# ------------------------------------------------------------------------------ the published table


def _links(rng: np.random.Generator) -> dict[str, int]:
    gold = int(rng.integers(120, 261))
    return {"gold": gold, "overlap": int(rng.integers(55, 91)), "own": int(rng.integers(5, 46))}


def _shared(given: Given) -> float:
    return float(given["gold"] * given["overlap"] / 100)


def _link_f(given: Given) -> float:
    shared = _shared(given)
    return float(2 * shared / (given["gold"] + shared + given["own"]))


def _precision(given: Given) -> float:
    return float(_shared(given) / (_shared(given) + given["own"]))


F_OF_LINKS = Number(
    id="11.9",
    title="F from an overlap",
    given=_links,
    solve=_link_f,
    digits=2,
    mistakes=(
        Mistake(
            "recall",
            lambda given: given["overlap"] / 100,
            "This is the overlap itself, the recall. Links of the student's own lower F1.",
        ),
        Mistake(
            "precision",
            _precision,
            "This is the precision: the share of the student's links that are in the gold "
            "standard. F1 also counts the links that the student missed.",
        ),
        Mistake(
            "intersection over union",
            lambda given: _shared(given) / (given["gold"] + given["own"]),
            "You divided the shared links by all different ones. F1 divides twice their number by "
            "the links of both together.",
        ),
        Mistake(
            "overlap as a number",
            lambda given: 2 * given["overlap"] / (given["gold"] + given["overlap"] + given["own"]),
            "The overlap is in per cent of the gold links, not a number of links.",
        ),
        Mistake(
            "own links left out",
            lambda given: 2 * _shared(given) / (given["gold"] + _shared(given)),
            "You left out the student's own links. They are links that the gold standard lacks.",
        ),
    ),
)

EXERCISES: list[Exercise] = [
    F1,
    SPAN_F1,
    GAIN,
    CHANCE,
    LIMITS,
    OBSERVED,
    DISSIMILARITY,
    WHICH,
    F_OF_LINKS,
]
