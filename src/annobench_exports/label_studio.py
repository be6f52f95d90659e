"""Label Studio: exports as JSON, JSON-MIN, CSV and TSV.

JSON says what is an answer (`result`) and what is the task (`data`). The others mix both as
columns of one row an annotation; there a column holds answers if its cells are results, or if
they differ among the annotations of a task.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from annobench.core.errors import ReaderError
from annobench.core.names import Name, joined
from annobench.io.formats.base import Box, ExportFormat, Intake, Relation, Source, Span, Status
from annobench.io.formats.records import csv_records, json_records, load_json
from annobench_exports._parts import (
    MisshapenError,
    each_file,
    listing,
    mapping,
    maybe_name,
    name,
    named_by_file,
    number_of,
    offsets,
    options,
    variant_of,
    word,
)

Label = str | float | frozenset[str] | None

#: What JSON-MIN and CSV have in every row.
_COLUMNS = {"annotator", "annotation_id", "lead_time"}

#: Columns of JSON-MIN and CSV that are neither data of the task nor answers.
_OWN_COLUMNS = _COLUMNS | {"id", "created_at", "updated_at", "agreement", "history"}

#: The kinds of results that are answers about a whole task, and the key of their value.
_ANSWERS = {
    "choices": "choices",
    "taxonomy": "taxonomy",
    "rating": "rating",
    "number": "number",
    "textarea": "text",
    "datetime": "datetime",
    "pairwise": "selected",
}

#: The kinds of results that are spans of a text.
_SPANS = ("labels", "hypertextlabels", "paragraphlabels")

#: Of rectangles it is compared where they are; sides are in percent, and a few may lie beyond.
_RECTANGLES, _FARTHEST = "rectanglelabels", 1_000

#: The kinds of results that are shapes drawn on an image, each with its labels.
_SHAPES = (
    _RECTANGLES,
    "ellipselabels",
    "polygonlabels",
    "keypointlabels",
    "brushlabels",
    "vectorlabels",
)

#: Of a ranking with buckets the elements that were not moved into one.
_UNMOVED = "_"

#: Where in an item a result stands that is about a part of it.
_POSITIONS = {"start", "startOffset", "x", "points", "ranges", "sequence", "rle"}

#: What shows that a cell of JSON-MIN or CSV is a result.
_RESULTS = {"choices", "taxonomy", "rating", "number", "selected"}

#: Between the levels of a category in a taxonomy.
_LEVELS = " / "


class _Work(NamedTuple):
    """An annotation, or a draft of one, to be pushed once all questions of its file are known.

    Attributes
    ----------
    unit : str
        "annotation" or "draft".
    where : int
        Its id.
    item : str
        Its name.
    annotator : str or MadeName
        Its name.
    personal : bool
        Whether the annotator's name is that of a person.
    status : str
        How far it came.
    known : bool
        Whether it was chosen as the known answer ("ground truth").
    results : _Results
        What was answered and marked.
    created : object
        When, as the file writes it.
    """

    unit: str
    where: int
    item: str
    annotator: Name
    personal: bool
    status: Status
    known: bool
    results: _Results
    created: object


class _Results(NamedTuple):
    """What one annotation holds, by question.

    Attributes
    ----------
    chosen, written : dict of str to list of str
        Options and texts.
    rated : dict of str to number
        Ratings and numbers.
    spans : dict of str to list of Span
        Marks by layer.
    ranked : dict of str to (dict of str to (number or str or None))
        Of the elements of a list the rank, or the bucket.
    relations : dict of str to list of Relation
        Relations by the layer of their source.
    boxes : dict of str to list of Box
        Rectangles by question.
    unplaced : dict of str to int
        Number of rectangles that are turned or have no area, by question.
    others : dict of str to int
        Number of results that are no labels, by the reason.
    """

    chosen: dict[str, list[str]]
    written: dict[str, list[str]]
    rated: dict[str, float]
    spans: dict[str, list[Span]]
    ranked: dict[str, dict[str, float | str | None]]
    relations: dict[str, list[Relation]]
    boxes: dict[str, list[Box]]
    unplaced: dict[str, int]
    others: dict[str, int]

    def label(self, question: str) -> Label:
        """Return the answer to a question, None where there is none."""
        if question in self.rated:
            return self.rated[question]
        if question in self.written:
            return "\n".join(self.written[question])
        return options(self.chosen.get(question, []))

    def questions(self) -> Iterator[str]:
        """Yield the questions that are answered."""
        yield from self.chosen
        yield from self.written
        yield from self.rated


def _recognise(source: Source) -> str | None:
    """Return the variant of an export of Label Studio, or None."""
    return variant_of(source, _variant)


def _variant(source: Source) -> str | None:
    record = source.first_record
    if record is not None:
        lists = (record.get("annotations"), record.get("completions"))
        if isinstance(record.get("data"), dict) and any(isinstance(n, list) for n in lists):
            return "JSON"
        return "JSON-MIN" if record.keys() >= _COLUMNS else None
    if source.header is not None and set(source.header) >= _COLUMNS:
        return "TSV" if source.delimiter == "\t" else "CSV"
    return None


def _read(source: Source, intake: Intake) -> None:
    """Read an export of Label Studio; each file of a folder is a project of its own."""
    for file, part in each_file(source):
        if _variant(part) == "JSON":
            _push(_tasks(part, file, intake), file, intake)
        else:
            _push(_rows(part, file, intake), file, intake)


def _push(works: list[_Work], file: str, intake: Intake) -> None:
    """Push what was read; an annotation without an answer to a question chose nothing there."""
    asked = {question: None for work in works for question in work.results.questions()}
    layers = {layer: None for work in works for layer in work.results.spans}
    boxed = _boxed(works, intake)
    for question in asked:
        if any(question in work.results.written for work in works):
            intake.question(question, "text")
    for work in works:
        intake.begin(file, work.unit)
        intake.at(work.created, "created_at")
        intake.read()
        drafted = work.unit == "draft"
        questions = list(work.results.questions() if drafted else asked)
        marked = list(work.results.spans if drafted else layers)
        if not questions and not marked and not work.results.ranked:
            intake.leave_out(work.where, f"{work.unit}s without an answer or a span")
        for question in questions:
            label = work.results.label(question)
            intake.answer(
                work.item,
                work.annotator,
                question,
                label,
                where=work.where,
                status=work.status,
                personal=work.personal,
            )
            if work.known and label is not None:
                gold = sorted(label) if isinstance(label, frozenset) else label
                intake.gold(work.item, question, gold)
        _push_rankings(work, intake)
        for question in boxed.intersection(questions):
            drawn = work.results.boxes.get(question, [])
            intake.boxes(work.item, work.annotator, question, drawn, work.status)
        for layer in marked:
            intake.marks(
                work.item,
                work.annotator,
                layer,
                work.results.spans.get(layer, []),
                where=work.where,
                status=work.status,
                relations=work.results.relations.get(layer, []),
                personal=work.personal,
            )
        for reason, n in work.results.others.items():
            intake.read(n)
            intake.leave_out(work.where, reason, n)


def _boxed(works: list[_Work], intake: Intake) -> set[str]:
    """Return the questions whose boxes can be compared; say which can't."""
    drawn = {question for work in works for question in work.results.boxes}
    for question in dict.fromkeys(q for work in works for q in work.results.unplaced):
        n = sum(work.results.unplaced.get(question, 0) for work in works)
        intake.notes.append(
            f"{n:,} of the rectangles of {question!r} are rotated or have no area: "
            "the positions of rectangles are not compared, only their labels."
        )
        drawn.discard(question)
    return drawn


def _push_rankings(work: _Work, intake: Intake) -> None:
    """Push the rank or the bucket of each element of a list, which is an item of its own."""
    for question, elements in work.results.ranked.items():
        for element, label in elements.items():
            intake.answer(
                joined([work.item, element], " "),
                work.annotator,
                question,
                label,
                where=work.where,
                status=work.status,
                personal=work.personal,
            )


def _tasks(part: Source, file: str, intake: Intake) -> list[_Work]:
    """Read the tasks of JSON."""
    works: list[_Work] = []
    for number, task in json_records(part.path):
        intake.begin(file, "task")
        try:
            works += _of_task(task, number, part, intake)
        except MisshapenError as error:
            intake.begin(file, "record")
            intake.fault(number, str(error))
    return works


def _of_task(task: dict[str, Any], number: int, part: Source, intake: Intake) -> list[_Work]:
    item = name(task.get("id"), "the id of a task")
    where = number_of(task["id"], number)
    data = mapping(task.get("data"), "the data of a task")
    annotations = listing(task.get("annotations", task.get("completions")), "annotations")
    drafts = listing(task.get("drafts"), "drafts")
    predictions = listing(task.get("predictions"), "predictions")
    found = [
        _work(unit, mapping(entry, f"one of the {unit}s"), item, where, part, intake, data)
        for unit, entries in (("annotation", annotations), ("draft", drafts))
        for entry in entries
        if unit == "annotation" or isinstance(entry, dict)
    ]
    unknown = len(annotations) + len(drafts) - len(found)
    for n, reason in (
        (len(predictions), "predictions of a model"),
        (unknown, "drafts of which the file contains only the number"),
        (not annotations and not drafts, "tasks without annotations"),
    ):
        if n:
            intake.read(int(n))
            intake.leave_out(where, reason, int(n))
    _take_text(item, data, bool(found), intake)
    return found


def _work(
    unit: str,
    entry: dict[str, Any],
    item: str,
    where: int,
    part: Source,
    intake: Intake,
    data: dict[str, Any],
) -> _Work:
    who = entry.get("user") if unit == "draft" else entry.get("completed_by")
    annotator, personal = _annotator(who, part, intake)
    status: Status = "done"
    if unit == "draft":
        status = "unfinished"
    elif entry.get("was_cancelled") or entry.get("skipped"):
        status = "skipped"
    elif entry.get("last_action") == "rejected":
        status = "rejected"  # by a reviewer, and not mended since
    return _Work(
        unit,
        number_of(entry.get("id"), where),
        item,
        annotator,
        personal,
        status,
        entry.get("ground_truth") is True,
        _results(listing(entry.get("result"), "the result of an annotation"), data),
        entry.get("created_at"),
    )


def _annotator(who: Any, part: Source, intake: Intake) -> tuple[Name, bool]:
    """Return an annotator's name, and whether it is that of a person."""
    if isinstance(who, dict) and intake.options.annotator_from != "file":
        email = maybe_name(who.get("email"))
        parts = (maybe_name(who.get(key)) for key in ("first_name", "last_name"))
        full = " ".join(filter(None, parts))
        if email or full:
            return email or full, True
        who = who.get("id")
    found = maybe_name(who)
    if found is None or intake.options.annotator_from == "file":
        return named_by_file(part.path, intake.path), True
    return found, not found.isdecimal()


def _results(entries: list[Any], data: dict[str, Any]) -> _Results:
    # Characters that JavaScript counts as two.
    wide = [
        n for n in data.values() if isinstance(n, str) and not n.isascii() and max(n) > "\uffff"
    ]
    found = _Results(
        chosen={},
        written={},
        rated={},
        spans=defaultdict(list),
        ranked={},
        relations=defaultdict(list),
        boxes=defaultdict(list),
        unplaced=defaultdict(int),
        others=defaultdict(int),
    )
    regions: dict[Any, tuple[str, Span]] = {}
    links: list[dict[str, Any]] = []
    for entry in entries:
        result = mapping(entry, "a result")
        kind = word(result.get("type"))
        value = mapping(result.get("value"), "the value of a result")
        if kind == "relation":
            links.append(result)
            continue
        question = name(result.get("from_name"), "from_name of a result")
        if kind in _SPANS:
            _take_spans(result, kind, question, value, found, regions, wide)
        elif kind in _SHAPES:
            _take_shape(kind, question, value, found)
        elif kind == "ranker":
            _take_ranking(question, mapping(value.get(kind), f"what {question!r} ranked"), found)
        elif kind not in _ANSWERS:
            about = "regions in images, audio or video" if _POSITIONS & value.keys() else None
            found.others[about or "results that are no labels"] += 1
        elif _POSITIONS & value.keys():
            found.others["answers about a region of an item"] += 1
        else:
            _take_answer(kind, question, value.get(_ANSWERS[kind]), found)
    for link in links:
        _take_relation(link, found, regions)
    return found


def _take_answer(kind: str, question: str, value: Any, found: _Results) -> None:
    if kind in ("rating", "number"):
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise MisshapenError(f"the {kind} of {question!r} is {value!r}, not a number")
        found.rated[question] = value
    elif kind in ("textarea", "datetime"):
        texts = value if isinstance(value, list) else [value]
        found.written.setdefault(question, []).extend(
            name(text, f"a text of {question!r}") for text in texts if text != ""
        )
    else:
        chosen = [value] if kind == "pairwise" else listing(value, f"what {question!r} chose")
        paths = (option if isinstance(option, list) else [option] for option in chosen)
        found.chosen.setdefault(question, []).extend(
            _LEVELS.join(name(level, f"an option of {question!r}") for level in path)
            for path in paths
        )


def _take_shape(kind: str, question: str, value: dict[str, Any], found: _Results) -> None:
    """Take what was drawn on an image: its labels, not where it is or how often."""
    labels = [name(n, f"a label of {question!r}") for n in listing(value.get(kind), question)]
    if not labels:
        found.others["regions without a label"] += 1
        return
    chosen = found.chosen.setdefault(question, [])
    chosen += [label for label in dict.fromkeys(labels) if label not in chosen]
    if kind == _RECTANGLES:
        _take_box(question, value, labels, found)


def _take_box(question: str, value: dict[str, Any], labels: list[str], found: _Results) -> None:
    """Take where a rectangle is, in percent of the image, for each of its labels."""
    sides = [value.get(side) for side in ("x", "y", "width", "height")]
    known = [float(n) for n in sides if isinstance(n, int | float) and abs(n) <= _FARTHEST]
    if value.get("rotation") or len(known) < len(sides) or min(known[2:]) <= 0:
        found.unplaced[question] += 1
    else:
        left, top, width, height = known
        found.boxes[question] += [Box(left, top, width, height, label) for label in labels]


def _take_ranking(question: str, ranking: dict[str, Any], found: _Results) -> None:
    """Take the ranks of the elements of a list, or the buckets into which they were sorted."""
    elements = found.ranked.setdefault(question, {})
    for bucket, entries in ranking.items():
        for rank, entry in enumerate(listing(entries, f"what {question!r} ranked"), start=1):
            label: float | str | None = None if bucket == _UNMOVED else bucket
            # Without buckets there is one list, called as the ranker.
            is_order = list(ranking) == [question]
            elements[name(entry, f"an element of {question!r}")] = rank if is_order else label


def _take_spans(
    result: dict[str, Any],
    kind: str,
    layer: str,
    value: dict[str, Any],
    found: _Results,
    regions: dict[Any, tuple[str, Span]],
    wide: list[str],
) -> None:
    labels = listing(value.get(kind), f"the labels of {layer!r}")
    place = value.get("globalOffsets") if kind != "labels" else value
    place = mapping(place, f"the place of a span of {layer!r}")
    start, end = place.get("start"), place.get("end")
    if "channel" in value or "original_length" in result or isinstance(start, float):
        found.others["regions in images, audio or video"] += 1
    elif kind != "labels" and not place:
        found.others["spans of HTML or dialogues without a position in the text"] += 1
    elif not labels:
        found.others["spans without a label"] += 1
    else:
        begin, stop = offsets(start, end, f"a span of {layer!r}")
        begin, stop = _in_characters(begin, stop, value.get("text"), wide)
        spans = [Span(begin, stop, name(n, f"a label of {layer!r}")) for n in labels]
        found.spans[layer] += spans
        if isinstance(result.get("id"), str):
            regions[result["id"]] = (layer, spans[0])


def _in_characters(begin: int, stop: int, marked: Any, wide: list[str]) -> tuple[int, int]:
    """Return where a span stands in characters; older versions counted units of UTF-16."""
    if any(text[begin:stop] == marked for text in wide):
        return begin, stop
    for text in wide:
        units = text.encode("utf-16-le", "surrogatepass")
        start, end = (len(units[: 2 * n].decode("utf-16-le", "ignore")) for n in (begin, stop))
        if text[start:end] == marked:
            return start, end
    return begin, stop


def _take_relation(
    link: dict[str, Any], found: _Results, regions: dict[Any, tuple[str, Span]]
) -> None:
    ends = [regions.get(str(link.get(key))) for key in ("from_id", "to_id")]
    if link.get("direction") == "left":
        ends.reverse()
    source, target = ends
    if source is None or target is None:
        found.others["relations between regions that are not spans of text"] += 1
        return
    labels = listing(link.get("labels"), "the labels of a relation") or ["relation"]
    found.relations[source[0]] += [
        Relation(source[1], target[1], name(label, "the label of a relation")) for label in labels
    ]


def _take_text(item: str, data: dict[str, Any], opened: bool, intake: Intake) -> None:
    """Take what annotators saw: the field that was named, or the only text, or that called so.

    A document that was opened has a text even if nobody marked anything there.
    """
    texts = {key: value for key, value in data.items() if isinstance(value, str)}
    field = intake.asked_text(texts)
    if intake.options.text is None:
        field = next(iter(texts)) if len(texts) == 1 else "text"
    if field in texts:
        intake.text(item, texts[field])
        if opened:
            intake.document(item, texts[field])


def _rows(part: Source, file: str, intake: Intake) -> list[_Work]:
    """Read the rows of JSON-MIN or CSV."""
    columns = _answer_columns(part, intake.options.question)
    works: list[_Work] = []
    for number, row in _cells(part):
        intake.begin(file, "record")
        try:
            if maybe_name(row.get("annotation_id")) is None:
                intake.read()
                intake.leave_out(number, "tasks without annotations")
                continue
            item = name(row.get("id"), "the id of a task")
            annotator, personal = _annotator(row.get("annotator"), part, intake)
            entries = [entry for column in columns for entry in _entries(column, row.get(column))]
            data = {key: value for key, value in row.items() if key not in {*columns, "annotator"}}
            results = _results(entries, data)
            _take_text(item, data, True, intake)
            who = (number, item, annotator, personal)
            works.append(_Work("record", *who, "done", False, results, row.get("created_at")))
        except MisshapenError as error:
            intake.fault(number, str(error))
    return works


def _cells(part: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows, with what CSV holds as JSON in its cells."""
    if _variant(part) == "JSON-MIN":
        yield from json_records(part.path)
        return
    for number, row in csv_records(part.path, part.delimiter):
        yield number, {column: _from_text(text) for column, text in row.items()}


def _from_text(text: str) -> Any:
    if text[:1] in ("[", "{"):
        try:
            return load_json(text)
        except ValueError:
            return text
    return text


def _answer_columns(part: Source, wanted: str | None) -> list[str]:
    """Return the columns with answers: results, or what differs among annotations of a task."""
    columns: dict[str, None] = {}
    first: dict[str, dict[str, int]] = defaultdict(dict)
    found: dict[str, None] = {}
    for _, row in _cells(part):
        item = maybe_name(row.get("id")) or ""
        for column in row.keys() - found.keys() - _OWN_COLUMNS:
            columns[column] = None
            value = row[column]
            plain = value is None or isinstance(value, str)
            differs = plain and first[column].setdefault(item, hash(value)) != hash(value)
            if differs or _is_result(value):
                found[column] = None
    if wanted is not None and wanted in columns:
        found[wanted] = None
    if not found:
        # Annotators agreed everywhere, or there was one an item: an answer is what recurs.
        recurring = [
            column
            for column, values in first.items()
            if 2 * len(set(values.values())) < len(values)
        ]
        if len(recurring) != 1:
            shown = ", ".join(map(repr, sorted(columns))) or "none"
            raise ReaderError(
                f"{part.path}: which column holds the answers can't be told from the data of the "
                f"tasks: {shown}. Name it with --question, or export JSON instead."
            )
        found = dict.fromkeys(recurring)
    return sorted(found)


def _is_result(value: Any) -> bool:
    results = value if isinstance(value, list) else [value]
    return bool(results) and all(
        isinstance(result, dict)
        and any(key in _RESULTS or str(key).endswith("labels") for key in result)
        for result in results
    )


def _entries(column: str, value: Any) -> Iterator[dict[str, Any]]:
    """Write the cell of a table as results, as they stand in JSON."""
    for result in value if isinstance(value, list) else [value]:
        if isinstance(result, dict):
            keys = {kind: kind for kind in _SPANS} | _ANSWERS
            kind = next((kind for kind, key in keys.items() if key in result), "other")
            yield {"type": kind, "from_name": column, "value": result}
        elif result is not None and result != "":
            yield {"type": "choices", "from_name": column, "value": {"choices": [result]}}


FORMAT = ExportFormat(
    name="label_studio",
    title="Label Studio",
    recognise=_recognise,
    read=_read,
    note=(
        "An item is a task, an annotator is the person who completed an annotation, a question "
        "is a control of the labelling interface, and drafts and predictions are not "
        "annotations. Of shapes drawn on an image the labels are compared, and of rectangles "
        "also their positions."
    ),
    annotators=("person", "file"),
)
