"""One row per item, one column per annotator, or several for several questions."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice, permutations
from operator import itemgetter
from typing import Any

from annobench.core.discovery import did_you_mean
from annobench.core.errors import ReaderError, UnclearLayoutError
from annobench.core.names import MadeName, Name, joined
from annobench.io.formats.base import Intake, Options
from annobench.io.formats.containers import as_format
from annobench.io.formats.tables import (
    ANNOTATOR_NAMES,
    GOLD_NAMES,
    TEXT_NAMES,
    Layout,
    Table,
    as_text,
    is_category,
    listed_columns,
    row_name,
    text_column,
)
from annobench.io.layouts import _forms
from annobench.io.layouts._column_grid import Place, find_grid
from annobench.io.layouts._last_rows import LastRows
from annobench.io.layouts._roles import typed
from annobench.io.layouts._said import listed, said_of_columns
from annobench.labels.column_kinds import has_thousands, is_number, number_of
from annobench.labels.columns import ITEM_NAMES, named_columns, plain_name
from annobench.labels.item_column import (
    ItemColumn,
    find_item_column,
    is_of_questionnaire,
    is_short,
    names_annotator,
    said_of_counts,
)

#: More distinct values than this are no categories, but texts or amounts.
_MAX_CATEGORIES = 50

#: What the columns answer, as they don't say it.
QUESTION = "label"

#: What a column of categories is called, which may name items as well.
_NAMES_OF_CATEGORIES = frozenset(
    {"category", "categories", "class", "classes", "code", "codes", "label", "labels", "tag"}
)

#: What a column is called that says how many items a row stands for.
_WEIGHTS = ("n", "count", "counts", "freq", "frequency", "times", "tally", "weight")

#: A part of a question, of which a survey numbers both.
_PART = re.compile(r"([a-z])\d+(?:x|_)\d+")

#: Readings that are proposed at most.
_MOST_READINGS = 5

#: Rows that are pushed together: few enough for the cache of a processor.
_BLOCK = 500


@dataclass(frozen=True)
class Plan:
    """Roles of a table's columns.

    Attributes
    ----------
    item : tuple of str
        The columns that together name the items; empty where rows are numbered.
    places : dict of str to Place
        By column of labels, whose answer to which question it holds.
    who : dict of str to str
        By annotator the column that names who it is, where there is one.
    gold, weight : str or None
        The columns of known categories, and of the number of items that a row stands for.
    notes : tuple of str
        What was guessed.
    unused : dict of str to str
        What the other columns hold.
    """

    item: tuple[str, ...]
    places: dict[str, Place]
    who: dict[str, str] = field(default_factory=dict)
    gold: str | None = None
    weight: str | None = None
    notes: tuple[str, ...] = ()
    unused: dict[str, str] = field(default_factory=dict)

    @property
    def annotators(self) -> list[str]:
        """The annotators, as the table has them."""
        return list(dict.fromkeys(place.annotator for place in self.places.values()))

    @property
    def questions(self) -> list[str]:
        """The questions."""
        return list(dict.fromkeys(place.question for place in self.places.values()))

    def share_labels(self, table: Table) -> bool:
        """Return whether two columns have a label in common in the first rows."""
        given = [set(_cells(table, name)) - {""} for name in self.places]
        return any(one & other for one, other in combinations(given, 2))


def _recognise(table: Table) -> str | None:
    """Return the variant: at least two columns whose names are those of numbered annotators."""
    if table.column(ANNOTATOR_NAMES) is not None:
        return None
    candidates = _candidates(table)
    found = [name for name in candidates if names_annotator(name)]
    if _forms.is_form(table):
        return None
    if len(found) < 2:
        grid = find_grid({name: _cells(table, name) for name in candidates})
        if grid is None or not all(map(names_annotator, grid.annotators)):
            return None
        found = list(grid.places)
    preview = table.preview
    values = {as_text(row[name]) for row in preview for name in found} - {""}
    if not values or len(values) > _MAX_CATEGORIES:
        return None
    try:
        n = len(plan(table, Options()).annotators)
    except ReaderError:
        return f"{len(found)} columns"
    return f"{n} annotators"


def _candidates(table: Table) -> list[str]:
    """Return the columns that may hold categories and are not those of items or texts."""
    item = table.column((*ITEM_NAMES, *TEXT_NAMES))
    return [
        name
        for name in table.header
        if plain_name(name) not in TEXT_NAMES
        and name not in {item, ""}
        and _is_of_categories(table, name)
    ]


def _is_of_categories(table: Table, name: str) -> bool:
    return all(name in row and is_category(row[name]) for row in table.preview)


def _cells(table: Table, name: str) -> list[str]:
    return [as_text(row.get(name, "")) for row in table.preview]


def plan(table: Table, options: Options) -> Plan:
    """Assign a role to each column."""
    named = tuple(name.strip() for name in options.annotators)
    items = listed_columns(options.item, table.header)
    gold = options.gold or table.column(GOLD_NAMES)
    open_ = [
        name
        for name in table.header
        if plain_name(name) not in TEXT_NAMES or name in named or name in items
    ]
    cells = {name: _cells(table, name) for name in open_ if name not in {options.weight}}
    if named:
        return _of_named(table, options, cells, named, items, gold)
    set_aside = {options.gold} if options.gold else set()
    cells = {name: own for name, own in cells.items() if name not in set_aside}
    candidates = {name: cells[name] for name in _candidates(table) if name in cells}
    numbered = [n for n in candidates if names_annotator(n) or n in options.people]
    if options.format is None:
        _refuse_questionnaire(table, numbered)
    grid = find_grid(candidates)
    if grid is not None and grid.other:
        first, second = listed(grid.annotators), grid.other
        raise ReaderError(
            f"{table.path}: the columns combine {first} with {second}, and either may be the "
            "annotators. Name these with --annotators, separated by commas."
        )
    weight = options.weight or _weight(table, cells)
    rest = {name: own for name, own in cells.items() if name != weight}
    found = find_item_column(rest, items[0] if items else None)
    known = {*items, found.name, *found.left_out, weight}
    notes = list(found.notes)
    if options.weight is None and weight is not None:
        notes.append(
            f"Each row stands for as many items as {weight!r} says: name it with --weight "
            f"{weight} if that is right, or the columns of annotators with --annotators if not."
        )
    if grid is not None and (numbered or _is_grid(grid.places, rest, known)):
        places = {name: place for name, place in grid.places.items() if name not in known}
        places, idle = _of_labels(table, places)
        who = grid.who
    else:
        names = numbered if len(numbered) > 1 else [n for n in rest if _is_of_categories(table, n)]
        places = {name: Place(name, QUESTION) for name in names if name not in known}
        idle, who = {}, {}
        if len(numbered) < 2 or _forms.is_form(table):
            _refuse_doubtful(table, found, {name: cells[name] for name in places})
    item = items or (() if found.name is None else (str(found.name),))
    if not item and (text := table.column(TEXT_NAMES)) is not None:
        item = (text,)
    unused = {str(name): str(what) for name, what in found.unlike.items()} | idle
    unused |= {str(name): "known or adjudicated labels" for name in found.resolved}
    if len(numbered) > 1:
        used = {*known, *item, *idle, *who.values(), gold}
        notes += _said_of_unused(table, list(places), used)
    made = Plan(item, places, who, gold, weight, tuple(notes), unused)
    if not items:
        _refuse_totals(table, made)
    _refuse_coefficients(table, made)
    return _checked(table, made)


def are_labels(table: Table, options: Options, named: Sequence[str | None]) -> bool:
    """Return whether columns hold labels: each annotator's has some of those of each of them."""
    try:
        made = plan(table, replace(options, format="wide"))
    except ReaderError:
        return False
    labels = [set(_cells(table, str(name))) - {""} for name in named]
    return all(
        cells & set(_cells(table, name)) for cells in labels for name in made.places
    ) and all(name in made.places or name == made.gold for name in named)


def _refuse_totals(table: Table, made: Plan) -> None:
    """Refuse a row per category with how often each annotator chose it."""
    if len(made.item) != 1 or plain_name(made.item[0]) not in _NAMES_OF_CATEGORIES:
        return
    cells = [cell for name in made.places for cell in _cells(table, name) if cell]
    named = [number_of(cell) for cell in _cells(table, made.item[0])]
    if all(cell.isdecimal() for cell in cells) and all(n != n for n in named):
        raise ReaderError(
            f"{table.path}: {made.item[0]!r} names categories, and the others hold whole numbers, "
            "as where the labels of each annotator are counted. Of such totals no agreement can "
            f"be computed: a row per item is needed. If {made.item[0]!r} names the items, add "
            f"--item {made.item[0]}."
        )


def _refuse_coefficients(table: Table, made: Plan) -> None:
    """Refuse a row per pair of annotators with their agreement."""
    from annobench.labels.column_kinds import is_coefficient

    rest = [name for name in table.header if name not in {*made.places, *made.item}]
    found = [name for name in rest if is_coefficient(name, _cells(table, name))]
    rows = [[as_text(row[name]) for name in made.places] for row in table.preview]
    if found and all(len(set(row)) == len(row) for row in rows):
        raise ReaderError(
            f"{table.path}: {found[0]!r} holds a coefficient, and in no row two cells of "
            f"{listed(made.places)} are the same, as where rows are pairs of annotators and not "
            "items. Give the labels themselves. If these are labels, name their columns with "
            "--annotators."
        )


def _refuse_doubtful(table: Table, found: ItemColumn, cells: dict[str, list[str]]) -> None:
    """Reject columns that may not be labels, and describe them."""
    columns = list(cells)
    every = {f"--annotators {','.join(columns)}": {"annotators": columns}}
    if found.doubt and found.name is None:
        name = str(found.doubtful[0]) if found.doubtful else ""
        option = f"--from wide --item {shlex.quote(name)}"
        readings: dict[str, dict[str, Any]] = {option: {"format": "wide", "item": name}}
        # With a number for each row it is not categories that a column holds.
        if len(set(cells.get(name, ()))) < len(table.preview):
            readings |= every
        doubt = found.doubt.replace(f'item="{name}"', option)
    elif found.doubt:
        rest = [name for name in columns if name not in found.doubtful]
        readings = {f"--annotators {','.join(rest)}": {"annotators": rest}} | every
        doubt = found.doubt
    elif doubt := said_of_counts(cells):
        readings = {"--counts": {"counts": True}} | every
    elif doubt := _forms.said_of(table):
        readings = {"--transpose": {"transpose": True}} | every
    if doubt:
        raise UnclearLayoutError(f"{table.path}: {doubt}", table.path, readings)


def _of_named(
    table: Table,
    options: Options,
    cells: dict[str, list[str]],
    named: tuple[str, ...],
    items: tuple[str, ...],
    gold: str | None,
) -> Plan:
    """Plan a table whose annotators are named: their columns, or what these have in common."""
    who: dict[str, str] = {}
    if set(named) <= set(table.header):
        places = {name: Place(name, QUESTION) for name in named}
    else:
        grid = find_grid({name: own for name, own in cells.items() if name not in items}, named)
        if grid is None:
            wrong = next(name for name in named if name not in table.header)
            shown = named_columns(table.header, most=30)
            raise ReaderError(
                f"{table.path}: no column is called {wrong!r}, given with --annotators."
                f"{did_you_mean(wrong, table.header)} The columns are {shown}."
            )
        places, who = grid.places, grid.who
    rest = {n: own for n, own in cells.items() if n not in places and n not in who.values()}
    if not items:
        usual = table.column((*ITEM_NAMES, ""))
        only = [name for name, own in rest.items() if name != gold and len({*own}) == len(own)]
        items = (usual,) if usual in rest else tuple(only[:1])
        text = table.column(TEXT_NAMES)
        items = items or (() if text is None else (text,))
    gold = None if gold in places else gold
    return _checked(table, Plan(items, dict(places), who, gold, options.weight))


def _checked(table: Table, made: Plan) -> Plan:
    """Refuse a plan without two annotators, and a second row of the header among the labels."""
    if len(made.annotators) < 2:
        raise ReaderError(
            f"{table.path}: fewer than two columns of annotators. Give a column to every "
            "annotator; or, if rows are annotators and columns are items, add --transpose."
        )
    # Of one annotator beside gold both are compared.
    gold = None if made.gold in made.places else made.gold
    first = [as_text(row[name]) for row in table.preview[:1] for name in made.places]
    later = {as_text(row[name]) for row in table.preview[1:] for name in made.places}
    numbers = [name for name in made.item if all(map(_is_number, _cells(table, name)[1:]))]
    is_odd = any(not _is_number(_cells(table, name)[0]) for name in numbers if table.preview)
    same = len(set(first)) == 1 and first[0] and first[0] not in later
    if len(table.preview) > 3 and same and (is_odd or plain_name(first[0]) in _HEADINGS):
        raise ReaderError(
            f"{table.path}: the first row says {first[0]!r} in each column of an annotator, which "
            "no other row says. If it is a second row of the header, add --header-rows 2; if it is "
            "a label, name the annotators' columns with --annotators."
        )
    return Plan(made.item, made.places, made.who, gold, made.weight, made.notes, made.unused)


#: Words that a second row of a header has.
_HEADINGS = frozenset({"label", "labels", "score", "rating", "category", "code", "answer", "value"})


def _is_number(cell: str) -> bool:
    return not cell or is_number(cell)


def _is_grid(places: dict[str, Place], cells: dict[str, list[str]], known: set[Any]) -> bool:
    """Return whether all columns that are left combine annotators and questions."""
    return all(name in places for name in cells if name not in known)


def _of_labels(table: Table, places: dict[str, Place]) -> tuple[dict[str, Place], dict[str, str]]:
    """Keep the questions whose answers are labels; say what the others' columns hold."""
    from annobench.labels.column_kinds import unlike_labels

    questions = list(dict.fromkeys(place.question for place in places.values()))
    unlike = unlike_labels({q: [] for q in questions})
    idle = {
        name: unlike.get(place.question) or "texts"
        for name, place in places.items()
        if place.question in unlike or not _is_of_categories(table, name)
    }
    texts = {places[name].question for name in idle}
    return (
        {name: place for name, place in places.items() if place.question not in texts},
        {
            name: idle.get(name, "texts")
            for name, place in places.items()
            if place.question in texts
        },
    )


def _weight(table: Table, cells: dict[str, list[str]]) -> str | None:
    """Return the column that says how often a pattern of labels occurs."""
    name = table.column(_WEIGHTS)
    if name not in cells or table.column(ITEM_NAMES) is not None:
        return None
    numbers = [number_of(cell) for cell in cells[name]]
    if not all(n >= 0 and n.is_integer() for n in numbers) or max(numbers, default=0) < 2:
        return None
    rows = list(zip(*(own for other, own in cells.items() if other != name), strict=True))
    return name if len(set(rows)) == len(rows) and rows and len(rows[0]) > 1 else None


def _refuse_questionnaire(table: Table, numbered: Sequence[str]) -> None:
    """Refuse names such as A1 and C1, which scales of questionnaires have too."""
    refuse_survey(table)
    if not is_of_questionnaire(numbered):
        return
    others = [
        n for n in _candidates(table) if n not in numbered and plain_name(n) not in GOLD_NAMES
    ]
    rest = f" {listed(others)} would not be used." if others else ""
    raise UnclearLayoutError(
        f"{table.path}: {listed(numbered)} may be annotators, or the questions of scales that one "
        f"person per row answered.{rest}",
        table.path,
        {"--from wide": {"format": "wide"}, "--transpose": {"transpose": True}},
    )


def refuse_survey(table: Table) -> None:
    """Refuse names such as R003 beside R001x01 and R004_01, which are a survey's questions."""
    numbered = [name for name in _candidates(table) if names_annotator(name)]
    parts = {name: _PART.fullmatch(plain_name(name)) for name in table.header}
    letters = {part[1] for part in parts.values() if part}
    if not numbered or not all(is_short(n) and plain_name(n)[0] in letters for n in numbered):
        return
    cells = {name: _cells(table, name) for name in table.header if name}
    keys = [name for name, column in cells.items() if 1 < len(set(column)) < len(column)]
    readings: dict[str, dict[str, Any]] = {}
    for item, annotator in permutations(keys, 2):
        pairs = set(zip(cells[item], cells[annotator], strict=True))
        # An item has a name, and fewer labels than there are annotators or items.
        if annotator not in numbered or len(pairs) < len(table.preview):
            continue
        if any(map(is_number, cells[item])):
            continue
        for label in (name for name in keys if parts[name] and name != item):
            named = {"item": item, "annotator": annotator, "label": label}
            readings[typed(named)] = named
    ways = "Name the columns with --item, --annotator and --label, or with --annotators"
    raise UnclearLayoutError(
        f"{table.path}: {listed(numbered)} may be questions of a survey, beside "
        f"{listed(name for name, part in parts.items() if part)}, and not annotators. {ways} if "
        "they are annotators.",
        table.path,
        dict(islice(readings.items(), _MOST_READINGS)),
    )


def _said_of_unused(table: Table, annotators: list[str], known: set[Any]) -> list[str]:
    """Name the columns that look like those of annotators, but for their names."""
    categories = {as_text(row[name]) for row in table.preview for name in annotators} - {""}
    unused = [
        name
        for name in _candidates(table)
        if name not in {*annotators, *known}
        and ({as_text(row[name]) for row in table.preview} - {""}) & categories
    ]
    if not unused:
        return []
    hold = "holds the same labels and was" if len(unused) == 1 else "hold the same labels and were"
    return [
        f"The annotators are {listed(annotators)}, by their names. {listed(unused)} {hold} not "
        "used. Name all columns of annotators with --annotators if that is wrong."
    ]


def _read(table: Table, intake: Intake) -> None:
    """Push the labels of every row."""
    made = plan(table, intake.options)
    intake.notes += made.notes
    _push(table, intake, made)
    others = [n for n in table.header if n not in {*made.places, *made.item, *made.unused}]
    for column in others:
        if names_annotator(column) and column not in {made.gold, made.weight, *made.who.values()}:
            intake.read()
            intake.leave_out(1, "columns named as annotators that hold texts")
    labelled = set(intake.annotator)
    silent = [
        column
        for column, place in made.places.items()
        if not made.who and intake.annotators.codes[place.annotator] not in labelled
    ]
    annotators = [n for n in made.annotators if n not in {made.places[c].annotator for c in silent}]
    intake.read_as = said_of_columns(
        table,
        item=made.item,
        annotators=list(made.who.values()) or annotators,
        questions=made.questions,
        gold=made.gold,
        unused=made.unused | dict.fromkeys(silent, "empty"),
        used={*made.places, *made.who.values(), made.weight} - set(silent),
    )


def _push(table: Table, intake: Intake, made: Plan) -> None:
    """Push rows; the last ones that only sum up the others are left out."""
    intake.repeats_are = _said_of_repeats(made)
    push = _pusher(table, intake, made)
    waiting: list[tuple[int, dict[str, Any]]] = []
    last = LastRows(made.item, tuple(made.places), table.preview)
    rows = table.rows(False)
    while block := list(islice(rows, _BLOCK)):
        end = len(block)
        while end and last.may_end(block[end - 1][1]):
            end -= 1
        if end:
            push(waiting + block[:end])
            waiting.clear()
        waiting += block[end:]
    push(last.set_aside(waiting))
    last.leave_out(intake)


def _pusher(
    table: Table, intake: Intake, made: Plan
) -> Callable[[list[tuple[int, dict[str, Any]]]], None]:
    """Return a function that accepts consecutive rows."""
    cells_of = itemgetter(*made.places)
    only = made.item[0] if len(made.item) == 1 else None
    pairs = [
        (intake.annotators.code(annotator), intake.questions.code(question))
        for annotator, question in made.places.values()
        if not made.who
    ]
    text = text_column(table, intake)
    # Of most tables nothing but these columns is looked at, row by row.
    is_plain = not made.who and made.weight is None and made.gold is None and text is None

    def push(rows: list[tuple[int, dict[str, Any]]]) -> None:
        intake.read(len(rows))
        items: list[int] = []
        records: list[int] = []
        labels: list[Sequence[str]] = []
        for where, row in rows:
            name = row[only] if only is not None else _item_name(table, made, where, row)
            if type(name) is list:
                name = as_text(name)
            cells = cells_of(row)
            if not name or not any(cells):
                intake.leave_out(where, "rows without labels" if name else "rows without an item")
                continue
            if list in map(type, cells):
                cells = [as_text(cell) if cell else "" for cell in cells]
            for item in (name,) if is_plain else _repeated(intake, made, name, where, row):
                if text is not None and row[text]:
                    intake.text(item, as_text(row[text]))
                if made.gold is not None and row[made.gold]:
                    for question in made.questions:
                        intake.gold(item, question, as_text(row[made.gold]))
                if made.who:
                    _push_people(intake, made, item, where, row)
                    continue
                items.append(intake.items.code(item))
                records.append(where)
                labels.append(cells)
        if items:
            intake.grid(items, records, pairs, labels)

    return push


def _said_of_repeats(made: Plan) -> str:
    """Explain why an annotator may have two labels of an item."""
    if made.who:
        return "A person may be named in two columns of one row. "
    if not made.item:
        return ""
    one = listed(made.item)
    return (
        f"Two rows name one item in {one}: they are two questions, or {one} "
        "names only a part of the item; name all its columns with --item, separated by commas. "
    )


def _push_people(intake: Intake, made: Plan, item: Name, where: int, row: dict[str, Any]) -> None:
    """Push the labels of a row that names the people who gave them."""
    given = {column: as_text(row[column]) for column in made.places if row[column] != ""}
    people = {column: as_text(row[made.who[made.places[column].annotator]]) for column in given}
    if not any(people.values()):
        intake.leave_out(where, "rows that name no annotator")
        return
    for column, label in given.items():
        if not people[column]:
            intake.read()
            intake.leave_out(where, "labels without the name of an annotator")
            continue
        question = made.places[column].question
        intake.answer(item, people[column], question, label, where=where, personal=True)


def _item_name(table: Table, made: Plan, where: int, row: dict[str, Any]) -> Name:
    if not made.item:
        return row_name(table, where)
    parts = [as_text(row[column]) for column in made.item]
    return joined(parts, " / ") if all(parts) else ""


def _repeated(
    intake: Intake, made: Plan, name: Name, where: int, row: dict[str, Any]
) -> Iterator[Name]:
    """Yield an item as often as its row says."""
    if made.weight is None:
        yield name
        return
    cell = as_text(row[made.weight])
    number = math.nan if has_thousands(cell) else number_of(cell)
    if number == 0:
        intake.leave_out(where, "rows that stand for no item")
    if not (number >= 0 and number.is_integer()):
        hint = ": write it without the point" if has_thousands(cell) else ""
        intake.fault(where, f"{row[made.weight]!r} in {made.weight!r} is no number of items{hint}")
        return
    for n in range(1, int(number) + 1):
        text = str(name) if not isinstance(name, MadeName) else f"row {where}"
        yield MadeName(f"{text} ({n})", f"{text}, no. {n}")


LAYOUT = Layout(
    name="wide",
    title="a column per annotator",
    note=(
        "A row is an item and a column per annotator, recognised by names such as annotator_1; an "
        "empty cell means that the annotator did not label the item."
    ),
    recognise=_recognise,
    read=_read,
    kind="wide",
    records=True,
)
FORMAT = as_format(LAYOUT)
