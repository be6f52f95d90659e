"""Second readers of exports in JSON: slow, obvious, and sure only of what is sound.

Each gives the answers of a file, (item, annotator, question, label, status), and the spans that
are marked in it, (document, annotator, layer, spans, status), both in the order of the file. Where
a record is so odd that its meaning can be argued about, they say `UnclearError`.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

from faults.fuzzing import UnclearError
from faults.rows import decoded

Answer = tuple[str, str, str, Any, str]
Mark = tuple[str, str, str, list[tuple[int, int, str]], str]
Found = tuple[list[Answer], list[Mark]]


class OddError(ValueError):
    """A record that whoever reads the file has to refuse."""


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise OddError("a name occurs twice in one object")
    return dict(pairs)


def documents(data: bytes) -> list[Any]:
    """Read one list, one object, or an object a line."""
    text = decoded(data).rstrip()
    try:
        found = json.loads(text, object_pairs_hook=unique)
    except (json.JSONDecodeError, RecursionError):
        lines = [line for line in text.split("\n") if line.strip()]
        found = [json.loads(line, object_pairs_hook=unique) for line in lines]
    return found if isinstance(found, list) else [found]


def name(value: Any) -> str:
    """A text that is not blank, or a whole number."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, float) and value == value and abs(value) < float("inf"):
        value = int(value) if value == int(value) else None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise OddError(f"{value!r} is no name")


def is_name(value: Any) -> bool:
    try:
        return bool(name(value))
    except OddError:
        return False


def options(values: list[str]) -> Any:
    """What was chosen: nothing, one, or several."""
    if len(values) > 1:
        return frozenset(values)
    return values[0] or None if values else None


def lists(*values: Any) -> None:
    """Be sure of lists only, or of nothing."""
    if not all(value is None or isinstance(value, list) for value in values):
        raise OddError("no list")


def plain_span(span: Any, start: str = "start", end: str = "end") -> tuple[int, int, str]:
    ends = span[start], span[end]
    if not all(type(value) is int for value in ends) or not 0 <= ends[0] <= ends[1]:
        raise OddError("offsets that are none")
    return (*ends, name(span["label"]))


def triple(entry: list[Any]) -> tuple[int, int, str]:
    """A span as start, end and label."""
    return plain_span(dict(zip(("start", "end", "label"), entry, strict=False)))


def prodigy(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    marks: list[Mark] = []
    for record in documents(data):
        said = record.get("answer")
        if said is None:
            continue
        status = {"accept": "done", "reject": "rejected", "ignore": "skipped"}[said]
        item = next(name(record[k]) for k in ("_input_hash", "text") if is_name(record.get(k)))
        known = (record.get(key) for key in ("_annotator_id", "_session_id"))
        times = r"(?:^|-)\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d$"
        found = (name(n) for n in known if is_name(n))
        who = next((n for n in found if not re.search(times, n)), stem)
        lists(record.get("spans"))
        spans = [span or {} for span in record.get("spans") or []]
        if record.keys() & {"audio_spans", "relations"} or any(
            span.keys() & {"x", "points"} for span in spans
        ):
            raise UnclearError
        if any(isinstance(span.get("start"), float) for span in spans):
            raise UnclearError
        # Without a label it is what a pattern matched.
        spans = [span for span in spans if span.get("label") is not None]
        asks = record.get("_view_id") in ("classification", "ner", "text", "spans")
        shown = [plain_span(span) for span in spans]
        manual = False
        if not asks and ("options" in record or "accept" in record):
            chosen = record.get("accept")
            chosen = chosen if isinstance(chosen, list) else [] if chosen is None else [chosen]
            if not all(isinstance(option, str) for option in chosen):
                lists(record.get("options"))
                texts = [o for o in record.get("options") or [] if isinstance(o, dict)]
                named = {
                    o["id"]: o["text"] for o in texts if type(o.get("id")) is int and "text" in o
                }
                if len(named) != len(record.get("options") or []) or not all(
                    type(o) is int and is_name(named.get(o)) for o in chosen
                ):
                    raise UnclearError
                if len(set(map(str, named.values()))) < len(named):
                    raise UnclearError
                chosen = [name(named[option]) for option in chosen]
            answers.append((item, who, "choice", options(chosen), status))
            manual = True
        if not asks and (spans or "tokens" in record):
            marks.append((item, who, "spans", shown, status))
            manual = True
        if not asks and isinstance(record.get("user_input"), str):
            answers.append((item, who, "user_input", record["user_input"] or None, status))
            manual = True
        if not manual:
            decision = {"accept": "yes", "reject": "no", "ignore": None}[said]
            state = "skipped" if decision is None else "done"
            if is_name(record.get("label")):
                answers.append((item, who, name(record["label"]), decision, state))
            elif len(shown) == 1:
                [(start, end, label)] = shown
                answers.append((f"{item} {start}-{end}", who, label, decision, state))
            else:
                answers.append((item, who, "answer", decision, state))
    return answers, marks


def doccano(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    marks: list[Mark] = []
    for record in documents(data):
        text = next(
            (record[k] for k in ("text", "data", "filename") if type(record.get(k)) is str), None
        )
        item = name(record["id"]) if is_name(record.get("id")) else name(text)
        if any(ord(sign) > 0xFFFF for sign in text or ""):
            raise UnclearError  # where a browser counts two signs
        if isinstance(record.get("annotations"), list):
            by_user: dict[str, list[str]] = {}
            spans_of: dict[str, list[tuple[int, int, str]]] = {}
            for mark in record["annotations"]:
                user = name(mark["user"]) if is_name(mark.get("user")) else stem
                if mark.get("label") is None:
                    raise UnclearError
                if "start_offset" in mark:
                    span = plain_span(mark, "start_offset", "end_offset")
                    spans_of.setdefault(user, []).append(span)
                else:
                    by_user.setdefault(user, []).append(name(mark["label"]))
            answers += [
                (item, user, "label", options(given), "done") for user, given in by_user.items()
            ]
            marks += [(item, user, "entities", given, "done") for user, given in spans_of.items()]
            continue
        if "bbox" in record or "segmentation" in record:
            continue
        entries = [record.get(key) for key in ("label", "labels", "cats")]
        lists(*entries, record.get("entities"))
        chosen, shown = [], []
        for entry in (entry for part in entries for entry in part or []):
            if isinstance(entry, list):
                shown.append(triple(entry))
            else:
                chosen.append(name(entry))
        entities = record.get("entities") or []
        shown += [
            triple(e) if isinstance(e, list) else plain_span(e, "start_offset", "end_offset")
            for e in entities
        ]
        ids = [name(e["id"]) for e in entities if isinstance(e, dict) and is_name(e.get("id"))]
        if len(set(ids)) < len(ids):
            raise OddError("two spans have one id")
        if chosen:
            answers.append((item, stem, "label", options(chosen), "done"))
        if shown:
            marks.append((item, stem, "entities", shown, "done"))
    return answers, marks


def argilla(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    marks: list[Mark] = []
    states = {None: "done", "submitted": "done", "discarded": "skipped"}
    states |= {"draft": "unfinished", "pending": "unfinished"}
    records = documents(data)
    kinds: dict[str, str] = {}
    # Nothing marked, or nothing answered: a question is one of spans if any answer has some.
    layers = {"ner"} if b'"start"' in data else set()
    for number, record in enumerate(records, start=1):
        if not isinstance(record.get("fields"), dict) or "annotation_agent" in record:
            raise UnclearError
        if any(key.endswith((".responses", "-suggestion")) for key in record):
            raise UnclearError
        ids = [(k, name(record[k])) for k in ("external_id", "id") if is_name(record.get(k))]
        kind, item = ids[0] if ids else ("number", str(number))
        if kinds.setdefault(item, kind) != kind:
            raise UnclearError  # one name of two things
        given = []
        responses = record.get("responses")
        if isinstance(responses, dict):
            for question, entries in responses.items():
                lists(entries)
                answered = [{} if entry is None else entry for entry in entries or []]
                given += [(entry, question, entry.get("value")) for entry in answered]
        else:
            lists(responses)
            for response in ({} if entry is None else entry for entry in responses or []):
                for question, value in (response.get("values") or {}).items():
                    given.append((response, question, (value or {}).get("value")))
        for response, question, value in given:
            if question in layers and not value:
                raise UnclearError
            status = response.get("status")
            status = states[status if status is None else status.lower()]
            who = name(response["user_id"]) if is_name(response.get("user_id")) else stem
            if isinstance(value, dict) or value == []:
                raise UnclearError
            if isinstance(value, list) and any(isinstance(part, dict) for part in value):
                if not all(isinstance(part, dict) and "start" in part for part in value):
                    raise UnclearError
                marks.append((item, who, question, [plain_span(part) for part in value], status))
                continue
            if isinstance(value, list):
                value = options([name(part) for part in value])
            answers.append((item, who, question, plain(value), status))
    return answers, marks


def plain(value: Any) -> Any:
    """An answer: a text, a truth value, a number; nothing for null, an empty text, and NaN."""
    if value is None or value == "" or value != value:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        whole = abs(value) < 1e300 and value == int(value)
        return str(int(value)) if whole else str(value)
    if isinstance(value, int):
        return str(value)
    return value


def label_studio(data: bytes, stem: str) -> Found:
    works = []
    for task in documents(data):
        item = name(task["id"])
        lists(task.get("annotations"), task.get("drafts"), task.get("predictions"))
        content = task.get("data")
        if "completions" in task or not isinstance(content, dict):
            raise UnclearError
        if any(ord(c) > 0xFFFF for text in content.values() if type(text) is str for c in text):
            raise UnclearError
        for entry in task.get("annotations") or []:
            if not isinstance(entry, dict):
                raise UnclearError
            status = "done"
            if entry.get("last_action") == "rejected":
                status = "rejected"
            if entry.get("was_cancelled") or entry.get("skipped"):
                status = "skipped"
            works.append(
                ("annotation", item, person(entry.get("completed_by"), stem), status, entry)
            )
        for entry in task.get("drafts") or []:
            if isinstance(entry, dict):
                who = person(entry.get("user"), stem)
                works.append(("draft", item, who, "unfinished", entry))
    read = [(*work, results(work[-1].get("result") or [])) for work in works]
    asked = list(dict.fromkeys(q for *_, (given, _, _) in read for q in given))
    layers = list(dict.fromkeys(layer for *_, (_, spans, _) in read for layer in spans))
    answers: list[Answer] = []
    marks: list[Mark] = []
    for unit, item, who, status, _, (given, spans, ranked) in read:
        for question in given if unit == "draft" else asked:
            answers.append((item, who, question, given.get(question), status))
        for question, element, rank in ranked:
            answers.append((f"{item} {element}", who, question, rank, status))
        for layer in spans if unit == "draft" else layers:
            marks.append((item, who, layer, spans.get(layer, []), status))
    return answers, marks


def person(who: Any, stem: str) -> str:
    if isinstance(who, dict):
        full = [name(who[k]) for k in ("first_name", "last_name") if is_name(who.get(k))]
        if is_name(who.get("email")):
            return name(who["email"])
        if full:
            return " ".join(full)
        who = who.get("id")
    return name(who) if is_name(who) else stem


def results(entries: Any) -> tuple[dict[str, Any], dict[str, list[Any]], list[tuple[str, ...]]]:
    lists(entries)
    chosen: dict[str, list[str]] = {}
    rated: dict[str, Any] = {}
    written: dict[str, list[str]] = {}
    spans: dict[str, list[tuple[int, int, str]]] = {}
    ranked: list[tuple[str, ...]] = []
    for entry in entries:
        kind, value = entry.get("type"), entry.get("value")
        if kind == "relation":
            continue
        if not isinstance(value, dict):
            raise UnclearError
        question = name(entry["from_name"])
        if kind == "labels":
            lists(value.get("labels"))
            if isinstance(value.get("start"), float) or "original_length" in entry:
                continue
            if "channel" in value:
                continue
            if not value.get("labels"):
                continue
            spans.setdefault(question, [])
            spans[question] += [plain_span({**value, "label": label}) for label in value["labels"]]
        elif kind == "rectanglelabels":
            lists(value.get(kind))
            labels = [name(label) for label in value.get(kind) or []]
            if labels:
                before = chosen.setdefault(question, [])
                before += [n for n in dict.fromkeys(labels) if n not in before]
        elif kind == "ranker":
            order = value.get("ranker") or {}
            if list(order) != [question]:
                raise UnclearError
            lists(order[question])
            elements = [name(element) for element in order[question] or []]
            if ranked or len(set(elements)) < len(elements):
                raise UnclearError
            ranked += [(question, element, str(n)) for n, element in enumerate(elements, start=1)]
        elif kind not in ("choices", "taxonomy", "rating", "number", "textarea"):
            if kind in ("hypertextlabels", "paragraphlabels", "datetime", "pairwise"):
                raise UnclearError
        elif value.keys() & {"start", "x", "points", "ranges", "startOffset", "sequence", "rle"}:
            continue
        elif kind in ("rating", "number"):
            if type(value[kind]) not in (int, float):
                raise OddError("no number")
            rated[question] = plain(value[kind])
        elif kind == "textarea":
            texts = (
                value.get("text") if isinstance(value.get("text"), list) else [value.get("text")]
            )
            written.setdefault(question, []).extend(name(text) for text in texts if text != "")
        else:
            lists(value.get(kind))
            paths = [path if isinstance(path, list) else [path] for path in value.get(kind) or []]
            chosen.setdefault(question, []).extend(" / ".join(map(name, path)) for path in paths)
    given: dict[str, Any] = {question: options(n) for question, n in chosen.items()}
    for question, texts in written.items():
        given[question] = "\n".join(texts) or None
    for question, number in rated.items():
        given[question] = number
    if len(given) < len(chosen) + len(written) + len(rated):
        raise UnclearError
    return given, spans, ranked


def lewidi(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    for collection in documents(data):
        for item, entry in collection.items():
            found = entry.get("annotations")
            if found in (None, "", [], {}):
                continue
            question = entry.get("annotation task") or entry.get("annotation_task") or "label"
            if not isinstance(question, str):
                raise UnclearError
            if isinstance(found, dict):
                rated = any(word in question.casefold() for word in ("sarcasm", "paraphrase"))
                for who, value in found.items():
                    if isinstance(value, list | dict) or value in (float("inf"), -float("inf")):
                        raise UnclearError
                    if value != value:
                        value = None
                    elif rated and type(value) in (int, float, str):
                        value = numeric(value)
                    elif isinstance(value, int | float):
                        value = json.dumps(value)
                    value = plain(value)
                    parts = parts_of(value) if isinstance(value, str) else []
                    answers.append((item, who, question, options_or_none(parts), "done"))
                continue
            names = parts_of(entry.get("annotators"))
            asked = {question: found}
            other = entry.get("other_info")
            other = other.get("other annotations") if isinstance(other, dict) else None
            if isinstance(other, dict):
                if question in other:
                    raise UnclearError
                asked |= {q: v for q, v in other.items() if isinstance(v, str | list)}
            for each, values in asked.items():
                labels = parts_of(values)
                if len(labels) != len(names):
                    raise OddError("lists of different lengths")
                pairs = zip(names, labels, strict=True)
                answers += [(item, who, each, label or None, "done") for who, label in pairs]
    if any(not item or not who for item, who, *_ in answers):
        raise OddError("no name")
    return answers, []


def parts_of(value: Any) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",")]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return [part.strip() for part in value]
    raise UnclearError


def options_or_none(parts: list[str]) -> Any:
    return frozenset(parts) if len(parts) > 1 else (parts or [""])[0] or None


def numeric(value: Any) -> Any:
    """A number for a text that is one, as JSON would write it."""
    written = value.strip() if isinstance(value, str) else ""
    if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", written, re.ASCII):
        if float(written) == float("inf"):
            raise UnclearError
        whole = re.fullmatch(r"[+-]?\d+", written) is not None
        return value if whole and abs(int(written)) > 2**53 else float(written)
    return value


def judge_log(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    fields = {"item", "judge", "verdict", "human", "text", "model_a", "model_b", "order", "gold"}
    for record in documents(data):
        if not record.keys() <= fields or not record.keys() >= {"item", "judge"}:
            raise UnclearError
        values = [value for key, value in record.items() if key != "text"]
        if any(isinstance(value, list | dict) for value in values):
            raise UnclearError
        pair = None
        item, who = (as_name(record[key]) for key in ("item", "judge"))
        if ("model_a" in record) != ("model_b" in record):
            raise UnclearError
        if "model_a" in record:
            pair = as_name(record["model_a"]), as_name(record["model_b"])
        if not item or not who:
            raise OddError("no name")
        if as_name(record.get("order")):
            who = f"{who}/{as_name(record['order'])}"
        if record.get("verdict") is None and "human" not in record:
            continue
        answers.append((item, who, "verdict", preferred(record.get("verdict"), pair), "done"))
        if "human" in record:
            answers.append((item, "human", "verdict", preferred(record["human"], pair), "done"))
    return answers, []


def comparisons(data: bytes, stem: str) -> Found:
    """Read the pairs of FastChat: two games a record."""
    answers: list[Answer] = []
    parts_of: dict[str, list[str]] = {}
    fields = {"question_id", "model_1", "model_2", "g1_winner", "g2_winner", "judge"}
    for record in documents(data):
        if record.keys() != fields:
            raise UnclearError
        models = record["model_1"], record["model_2"]
        if any(not isinstance(m, str) or not m.strip() for m in models) or len(set(models)) < 2:
            raise OddError("no two models")
        judge, asked = record["judge"], record["question_id"]
        judge = judge[0] if isinstance(judge, list) and judge else judge
        if not isinstance(judge, str) or not judge or isinstance(asked, bool):
            raise UnclearError
        if not isinstance(asked, str | int) or not 0 < len(str(asked)) <= 60:
            raise UnclearError
        parts = [str(asked), *sorted(models)]
        item = " | ".join(parts)
        if parts_of.setdefault(item, parts) != parts:
            raise UnclearError
        won: list[str | None] = []
        for word in (record["g1_winner"], record["g2_winner"]):
            if word in (None, "", "error") or word != word:
                won.append(None)
            elif word not in ("model_1", "model_2", "tie", *models):
                raise OddError("no winner")
            else:
                won.append(record[word] if word in ("model_1", "model_2") else word)
        if any(won):
            answers += [
                (item, f"{judge}/game {n}", "winner", label, "done" if label else "unfinished")
                for n, label in enumerate(won, start=1)
            ]
    return answers, []


def as_name(value: Any) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value)


def preferred(value: Any, pair: tuple[str, str] | None) -> Any:
    if pair is not None and isinstance(value, str):
        word = value.strip().casefold()
        for model, words in zip(
            pair,
            (
                ["a", "model_a", "assistant_a", "[[a]]", "left", "1"],
                ["b", "model_b", "assistant_b", "[[b]]", "right", "2"],
            ),
            strict=True,
        ):
            if word in words:
                return model or None
    return plain(value)


def inspect_log(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    [log] = documents(data)
    about = log["eval"]
    model = about.get("model") or "model"
    if not isinstance(model, str) or not isinstance(log.get("samples"), list):
        raise UnclearError
    for sample in log["samples"]:
        if not is_name(sample.get("id")):
            raise OddError("no id")
        item = sample["id"] if isinstance(sample["id"], str) else name(sample["id"])
        if isinstance(sample["id"], float):
            raise UnclearError
        scores = sample.get("scores")
        output = sample.get("output")
        if not isinstance(scores, dict) or not isinstance(output, dict):
            raise UnclearError
        said = next(
            (
                s["answer"]
                for s in scores.values()
                if isinstance(s, dict) and type(s.get("answer")) is str
            ),
            output.get("completion"),
        )
        if said is None and output.get("choices"):
            raise UnclearError
        said = said.strip() or None if isinstance(said, str) else None
        if sample.get("error"):
            answers.append((item, model, "answer", said, "unfinished"))
            continue
        if said is None and not scores:
            continue
        answers.append((item, model, "answer", said, "done"))
        for scorer, score in scores.items():
            value = score.get("value") if isinstance(score, dict) else score
            if isinstance(value, list | dict) or not scorer:
                raise UnclearError
            answers.append((item, scorer, "verdict", plain(value), "done"))
    return answers, []


def potato(data: bytes, stem: str) -> Found:
    """Read lines with an instance, a user, labels and spans."""
    lines = []
    for record in documents(data):
        if record.keys() & {"id", "label_annotations", "instance_id_to_label_to_value"}:
            raise UnclearError
        if not (is_name(record["instance_id"]) and is_name(record.get("user_id"))):
            raise UnclearError
        if any(isinstance(record[key], float) for key in ("instance_id", "user_id")):
            raise UnclearError
        item, who = str(record["instance_id"]), str(record["user_id"])
        labels, spans = record.get("labels"), record.get("spans")
        if item.endswith((".html", ".jsonl")):
            raise UnclearError
        if not isinstance(labels, dict) or not isinstance(spans or {}, dict):
            raise UnclearError
        chosen: dict[str, list[str]] = {}
        for question, entries in labels.items():
            if not isinstance(entries, dict) or "labels" in entries:
                raise UnclearError
            ticked = []
            for option, value in entries.items():
                if isinstance(value, list | dict):
                    raise UnclearError
                if value in ("true", "True", "on") or value is True:
                    ticked.append(option)
                elif not (value in ("false", "False", "") or value is None or value is False):
                    ticked.append(value if isinstance(value, str) else json.dumps(value))
            if ticked:
                chosen[question] = ticked
        marked: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        for layer, found in (spans or {}).items():
            for span in found or []:
                marked[layer].append(plain_span(span))
        lines.append((item, who, chosen, dict(marked)))
    # The lines of a user stand together.
    users = list(dict.fromkeys(who for _, who, *_ in lines))
    lines.sort(key=lambda line: users.index(line[1]))
    asked = list(dict.fromkeys(q for *_, chosen, _ in lines for q in chosen))
    answers: list[Answer] = []
    marks: list[Mark] = []
    for item, who, chosen, marked in lines:
        for question in asked if chosen else ():
            answers.append((item, who, question, options(chosen.get(question, [])), "done"))
        marks += [(item, who, layer, spans, "done") for layer, spans in marked.items()]
    return answers, marks
