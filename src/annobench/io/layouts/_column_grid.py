"""Several columns per annotator: rater1_label and rater1_score, or annotator1_name and label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from annobench.io.formats.headers import BETWEEN
from annobench.labels.columns import plain_name
from annobench.labels.item_column import names_annotator

_SEPARATORS = (BETWEEN, "__", "_", ".", ":", "-", " ")

#: What a column of an annotator is called that names who it is.
_WHO = frozenset(
    {"name", "id", "annotator", "annotator_id", "worker", "worker_id", "user", "user_id", "who"}
    | {"email", "e_mail", "coder", "rater", "initials", "username"}
)
#: What a column of an annotator is called that holds an answer, or what goes with it.
_WHAT = frozenset(
    {"label", "labels", "score", "rating", "answer", "response", "vote", "choice", "category"}
    | {"class", "annotation", "judgment", "judgement", "verdict", "grade", "value", "confidence"}
    | {"certainty", "time", "date", "comment", "note", "rationale", "explanation", "duration"}
    | {"sentiment", "topic", "stance", "emotion", "toxicity", "relevance", "quality", "polarity"}
)
_SHORT = re.compile(r"(?:no_?)?\d+|[a-z]")
#: A word and a number without anything between: label1.
_NUMBERED = re.compile(r"(.*?\D)(\d+)")


class Place(NamedTuple):
    """Annotator and question of a column."""

    annotator: str
    question: str


class Grid(NamedTuple):
    """Columns by annotator and question.

    Attributes
    ----------
    places : dict of str to Place
        Of the columns of answers.
    who : dict of str to str
        By annotator the column that names who it is.
    other : str
        What the annotators would be if it were the other way round; empty where it can't be.
    """

    places: dict[str, Place]
    who: dict[str, str]
    other: str = ""

    @property
    def annotators(self) -> tuple[str, ...]:
        """The annotators, as the names of their columns have them."""
        return tuple(dict.fromkeys(place.annotator for place in self.places.values()))

    @property
    def questions(self) -> tuple[str, ...]:
        """The questions."""
        return tuple(dict.fromkeys(place.question for place in self.places.values()))


def find_grid(cells: Mapping[str, Sequence[str]], named: Sequence[str] = ()) -> Grid | None:
    """Find the columns whose names combine annotators and questions."""
    for parts in _splits(list(cells)):
        firsts = list(dict.fromkeys(first for first, _ in parts.values()))
        seconds = list(dict.fromkeys(second for _, second in parts.values()))
        if named:
            if set(named) <= set(firsts) and len(seconds) > 1:
                return _grid({n: Place(*p) for n, p in parts.items() if p[0] in named}, seconds)
            if set(named) <= set(seconds) and len(firsts) > 1:
                own = {n: Place(b, a) for n, (a, b) in parts.items() if b in named}
                return _grid(own, firsts)
            continue
        as_is, turned = _evidence(firsts, seconds), _evidence(seconds, firsts)
        if not as_is and not turned and len(parts) == len(cells):
            as_is, turned = _by_categories(parts, cells)
            if not as_is and not turned:
                found = _grid({name: Place(*pair) for name, pair in parts.items()}, seconds)
                return found._replace(other=", ".join(seconds))
        if as_is > turned:
            return _grid({n: Place(*pair) for n, pair in parts.items()}, seconds, cells)
        if turned > as_is:
            return _grid({n: Place(b, a) for n, (a, b) in parts.items()}, firsts, cells)
    return None


def _splits(names: list[str]) -> Iterator[dict[str, tuple[str, str]]]:
    """Yield the ways in which columns are all combinations of two lists of words."""
    for parts in _cuts(names):
        firsts = {first for first, _ in parts.values()}
        seconds = {second for _, second in parts.values()}
        if min(len(firsts), len(seconds)) > 1 and len(parts) == len(firsts) * len(seconds):
            yield parts


def _cuts(names: list[str]) -> Iterator[dict[str, tuple[str, str]]]:
    """Yield the ways of cutting names in two, each with the names that can be cut so."""
    for separator in _SEPARATORS:
        for cut in (str.rpartition, str.partition):
            yield {
                name: (first, second)
                for name in names
                for first, found, second in [cut(name, separator)]
                if found and first.strip() and second.strip()
            }
    found = {name: _NUMBERED.fullmatch(name) for name in names}
    yield {name: (cut[1], cut[2]) for name, cut in found.items() if cut is not None}


def _grid(
    places: dict[str, Place],
    questions: Sequence[str],
    cells: Mapping[str, Sequence[str]] | None = None,
) -> Grid:
    who_is = next((q for q in questions if plain_name(q) in _WHO), None)
    rest = {name: place for name, place in places.items() if place.question != who_is}
    who = {place.annotator: n for n, place in places.items() if place.question == who_is}
    if cells is not None and _are_labels([cells[name] for name in who.values()]):
        return Grid(places, {})
    return Grid(rest, who) if rest else Grid(places, {})


def _are_labels(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether what may name people is said twice in most rows, as only labels are."""
    given = [[cell for cell in row if cell] for row in zip(*columns, strict=True)]
    return 2 * sum(len(set(row)) < len(row) for row in given) > len(given)


def _evidence(annotators: Sequence[str], questions: Sequence[str]) -> int:
    """Score the evidence that one list of words is annotators and another questions."""
    known = {plain_name(question) for question in questions}
    found = 4 * all(map(names_annotator, annotators))
    found += 2 * bool(known & (_WHAT | _WHO))
    found += all(_SHORT.fullmatch(plain_name(name)) for name in annotators)
    return found


def _by_categories(
    parts: Mapping[str, tuple[str, str]], cells: Mapping[str, Sequence[str]]
) -> tuple[int, int]:
    """Decide by the categories which words name the questions."""

    def differ(place: int) -> bool:
        given: dict[str, set[str]] = {}
        for name, pair in parts.items():
            given.setdefault(pair[place], set()).update(set(cells[name]) - {""})
        return all(one.isdisjoint(other) for one, other in combinations(given.values(), 2))

    return int(differ(1)), int(differ(0))
