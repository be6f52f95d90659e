"""Second readers of exports in JSON, as those of `second_readers`, of further tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

from faults.fuzzing import UnclearError
from faults.second_readers import (
    Answer,
    Found,
    Mark,
    OddError,
    documents,
    is_name,
    lists,
    name,
    plain,
    plain_span,
    unique,
)


def ground_truth(data: bytes, stem: str) -> Found:
    """Read a consolidation request."""
    answers: list[Answer] = []
    marks: list[Mark] = []
    records = documents(data)
    if "datasetObjectId" not in records[0] or not isinstance(records[0].get("annotations"), list):
        raise UnclearError
    for record in records:
        item = name(record.get("datasetObjectId"))
        lists(record.get("annotations"))
        for annotation in record.get("annotations") or []:
            who = name((annotation or {}).get("workerId"))
            content = (annotation.get("annotationData") or {}).get("content", {})
            if isinstance(content, str):
                content = content_of(content)
            for question, value in (content or {}).items():
                if isinstance(value, dict) and list(value) == ["entities"]:
                    marks.append((item, who, question, entities_of(value["entities"]), "done"))
                else:
                    answers.append((item, who, question, answer_of(value), "done"))
    return answers, marks


def labelbox(data: bytes, stem: str) -> Found:
    works = []
    records = documents(data)
    for record in records:
        if not isinstance(record.get("projects"), dict) or len(record["projects"]) != 1:
            raise UnclearError
    if len({project for record in records for project in record["projects"]}) > 1:
        raise UnclearError
    for record in records:
        row = record["data_row"]
        item = name(row["global_key"]) if is_name(row.get("global_key")) else name(row.get("id"))
        [project] = record["projects"].values()
        lists((project or {}).get("labels"))
        for label in (project or {}).get("labels") or []:
            label = label or {}
            if label.get("label_kind", "Default") != "Default":
                continue
            who = (label.get("label_details") or {}).get("created_by")
            if not is_name(who):
                continue
            skipped = (label.get("performance_details") or {}).get("skipped") is True
            work = Work(item, name(who), "skipped" if skipped else "done", {}, {}, set(), [])
            annotations = label.get("annotations") or {}
            lists(annotations.get("classifications"), annotations.get("objects"))
            for entry in annotations.get("classifications") or []:
                classify(entry or {}, "", work.answers, work.nested)
            for entry in annotations.get("objects") or []:
                note_object(entry or {}, work)
            works.append(work)
    asked = dict.fromkeys(question for work in works for question in work.answers)
    answers: list[Answer] = []
    marks: list[Mark] = []
    for work in works:
        given = {**asked, **work.answers, **work.nested}
        if any(other.objects for other in works):
            given["objects"] = frozenset(work.objects) or None
        who = work.item, work.who
        answers += [(*who, question, label, work.status) for question, label in given.items()]
        if any(other.spans for other in works):
            marks.append((*who, "entities", work.spans, work.status))
    return answers, marks


class Work(NamedTuple):
    """A label of Labelbox."""

    item: str
    who: str
    status: str
    answers: dict[str, Any]
    nested: dict[str, Any]
    objects: set[str]
    spans: list[tuple[int, int, str]]


def classify(entry: dict[str, Any], before: str, found: Any, nested: Any) -> None:
    question = before + name(entry.get("name"))
    if "checklist_answers" in entry:
        lists(entry["checklist_answers"])
        chosen = [answer or {} for answer in entry["checklist_answers"] or []]
    elif "radio_answer" in entry:
        chosen = [entry["radio_answer"] or {}]
    else:
        if "text_answer" in entry:
            text = (entry["text_answer"] or {}).get("content")
            found[question] = text if isinstance(text, str) and text else None
        return
    names = []
    for answer in chosen:
        names.append(name(answer.get("name")))
        lists(answer.get("classifications"))
        for below in answer.get("classifications") or []:
            classify(below or {}, f"{question}.{names[-1]}.", nested, nested)
    found[question] = (frozenset(names) or None) if "checklist_answers" in entry else names[0]


def note_object(entry: dict[str, Any], work: Work) -> None:
    label = name(entry.get("name"))
    if entry.get("annotation_kind") != "TextEntity":
        work.objects.add(label)
        return
    place = entry.get("location") or {}
    start, end, label = plain_span({**place, "label": label})
    token = place.get("token")
    shorter = isinstance(token, str) and len(token) == end - start
    work.spans.append((start, end if shorter else end + 1, label))


def coco(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    for record in documents(data):
        for key in ("images", "categories", "annotations"):
            if not isinstance(record.get(key), list):
                raise OddError(f"no {key}")
        images = [(name(i.get("id")), name(i.get("file_name"))) for i in record["images"] or []]
        categories = {name(c.get("id")): name(c.get("name")) for c in record["categories"] or []}
        if len(categories) < len(record["categories"] or []):
            raise OddError("two categories have one id")
        for column in zip(*images, strict=True):
            if len(set(column)) < len(images):
                raise OddError("two images have one id or one name")
        found: dict[str, set[str]] = {number: set() for number, _ in images}
        for each in record["annotations"] or []:
            segments = [each]
            if "segments_info" in each:
                lists(each["segments_info"])
                segments = [segment or {} for segment in each["segments_info"] or []]
            numbers = [name(s["category_id"]) for s in segments if "category_id" in s]
            found[name(each.get("image_id"))] |= {categories[number] for number in numbers}
        for number, file in images:
            answers.append((file, stem, "objects", frozenset(found[number]) or None, "done"))
    return answers, []


def cvat(data: bytes, stem: str) -> Found:
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        if b":" in data:
            raise UnclearError from error  # a namespace, which only this parser knows
        raise
    if root.tag != "annotations" or root.find("track") is not None:
        raise OddError("no images")
    works = []
    for image in root.findall("image"):
        tags = [needed(tag, "label") for tag in image.findall("tag")]
        shapes = [needed(each, "label") for each in image if each.tag in SHAPES]
        about = {
            f"tags.{tag.get('label')}.{needed(each, 'name')}": (each.text or "").strip()
            for tag in image.findall("tag")
            for each in tag.findall("attribute")
        }
        if any(len(each) for each in image.iter("attribute")):
            raise UnclearError
        works.append((needed(image, "name"), tags, shapes, about))
    answers: list[Answer] = []
    for item, tags, shapes, about in works:
        if any(work[1] for work in works):
            answers.append((item, stem, "tags", frozenset(tags) or None, "done"))
        if any(work[2] for work in works):
            answers.append((item, stem, "objects", frozenset(shapes) or None, "done"))
        answers += [(item, stem, q, value, "done") for q, value in about.items() if value]
    return answers, []


SHAPES = ("box", "polygon", "polyline", "points", "cuboid", "ellipse", "mask", "skeleton")


def needed(element: ElementTree.Element, key: str) -> str:
    found = element.get(key, "")
    if not found.strip():
        raise OddError(f"no {key}")
    return found


def nli(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    for record in documents(data):
        lists(record.get("annotator_labels"))
        item = name(record.get("pairID"))
        for place, label in enumerate(record.get("annotator_labels") or [], start=1):
            if not any(record["annotator_labels"]):
                break
            if label != "":
                who = "author" if place == 1 else f"label {place}"
                answers.append((item, who, "label", name(label), "done"))
    return answers, []


def promptfoo(data: bytes, stem: str) -> Found:
    results = []
    for record in documents(data):
        if not isinstance(record.get("results"), dict):
            raise UnclearError
        found = record["results"].get("results")
        if not isinstance(found, list):
            raise UnclearError
        results += [{} if each is None else each for each in found]
    rows = []
    for each in results:
        provider = each.get("provider")
        if isinstance(provider, dict):
            label = provider.get("label")
            provider = label if is_name(label) else provider.get("id")
        names = name(each.get("testIdx")), name(each.get("promptIdx")), name(provider)
        output = (each.get("response") or {}).get("output")
        if not isinstance(output, str) and output is not None:
            raise UnclearError
        grades = list(grades_of(each))
        rows.append((*names, (output or "").strip() or None, grades, each))
    prompts, providers = ({row[n] for row in rows} for n in (1, 2))
    if len(prompts) > 1 or len(providers) > 1:
        raise UnclearError  # joined names
    scored = any(score not in (0, 1, None) for *_, grades, _ in rows for *_, score in grades)
    answers: list[Answer] = []
    for item, _, who, output, grades, each in rows:
        failed = bool(each.get("error")) and each.get("failureReason") != 1
        if failed or (output is None and not grades):
            continue
        answers.append((item, who, "answer", output, "done"))
        for kind, passed, score in grades:
            answers.append((item, kind, "verdict", passed, "done"))
            if scored:
                answers.append((item, kind, "score", plain(score), "done"))
    return answers, []


def grades_of(result: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    lists((result.get("gradingResult") or {}).get("componentResults"))
    for part in (result.get("gradingResult") or {}).get("componentResults") or []:
        if part is None:
            continue
        about = part.get("assertion") or {}
        if about.get("provider") is not None:
            raise UnclearError
        kind = name(about["type"]) if is_name(about.get("type")) else "assertion"
        score = part.get("score") if type(part.get("score")) in (int, float) else None
        yield kind, {True: "pass", False: "fail"}.get(passed_of(part)), score
    kinds = [
        (part.get("assertion") or {}).get("type")
        for part in (result.get("gradingResult") or {}).get("componentResults") or []
        if part is not None
    ]
    if len(set(map(str, kinds))) < len(kinds) or any(not is_name(kind) for kind in kinds):
        raise UnclearError


def passed_of(part: dict[str, Any]) -> bool | None:
    return part["pass"] if isinstance(part.get("pass"), bool) else None


def openai_evals(data: bytes, stem: str) -> Found:
    first, *events = documents(data)
    models = first["spec"].get("completion_fns")
    if not isinstance(models, list) or not all(is_name(each) for each in models) or not models:
        raise UnclearError
    if any(name(each) in ("match", "grader") for each in models):
        raise UnclearError  # a name that the reader makes
    judge = name(models[-1]) if len(models) > 1 else "grader"
    answers: list[Answer] = []
    for event in events:
        if "spec" in event or "final_report" in event:
            continue
        about = event.get("data") or {}
        if event.get("type") not in ("match", "metrics", "sampling"):
            continue
        sample = name(event.get("sample_id"))
        if event["type"] == "match":
            picked = only(about.get("picked")) or only(about.get("sampled"))
            answers.append((sample, name(models[0]), "answer", picked, "done"))
            if isinstance(about.get("correct"), bool):
                label = "correct" if about["correct"] else "incorrect"
                answers.append((sample, "match", "verdict", label, "done"))
        elif event["type"] == "metrics":
            for metric, value in about.items():
                if not isinstance(value, list | dict):
                    answers.append((sample, judge, metric, plain(value), "done"))
    return answers, []


def only(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        return value.strip() or None
    return name(value) if is_name(value) else None


def lm_eval(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    records = documents(data)
    ids = [record.get("doc_id") for record in records]
    if not all(is_name(each) for each in ids) or len(set(map(name, ids))) < len(ids):
        raise UnclearError  # filters
    known = ("doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_id", "metrics")
    for record in records:
        item = name(record["doc_id"])
        lists(record.get("filtered_resps"))
        options = record.get("filtered_resps") or []
        if len(options) == 1:
            label = options[0].strip() or None if isinstance(options[0], str) else None
        elif all(
            isinstance(each, list) and each and type(each[0]) in (int, float) for each in options
        ):
            likely = [each[0] for each in options]
            if any(value != value for value in likely):
                raise UnclearError
            label = str(likely.index(max(likely))) if likely else None
        elif any(isinstance(each, list) and each and type(each[0]) is str for each in options):
            raise UnclearError
        else:
            label = None
        answers.append((item, "model", "answer", label, "done"))
        metrics = record.get("metrics")
        if metrics is not None and not isinstance(metrics, list):
            metrics = None
        for metric in [key for key in record if key not in known] if metrics is None else metrics:
            value = record.get(metric) if isinstance(metric, str) else None
            if isinstance(metric, str) and isinstance(value, int | float):
                if value == value and abs(value) > 2**53:
                    raise UnclearError
                answers.append((item, "model", metric, plain(float(value)), "done"))
    return answers, []


def superannotate(data: bytes, stem: str) -> Found:
    works = []
    for record in documents(data):
        about = record.get("metadata") or {}
        lists(*(record.get(key) for key in ("tags", "instances", "comments")))
        item, last = name(about.get("name")), about.get("lastAction") or {}
        emails = [
            each for each in (about.get("annotatorEmail"), last.get("email")) if is_name(each)
        ]
        if not emails:
            raise UnclearError
        state = about.get("status")
        state = state.replace(" ", "").casefold() if isinstance(state, str) else ""
        status = STATES.get(state, "unfinished" if state else "done")
        tags = {name(tag) for tag in record.get("tags") or []}
        groups: dict[str, set[str]] = {}
        objects, spans = set(), []
        for instance in record.get("instances") or []:
            instance = instance or {}
            label = name(instance.get("className"))
            lists(instance.get("attributes"))
            if instance.get("type") == "tag":
                tags.add(label)
                for each in instance.get("attributes") or []:
                    group = f"{label}.{name((each or {}).get('groupName'))}"
                    groups.setdefault(group, set()).add(name(each.get("name")))
            elif instance.get("type") == "entity":
                start, end, _ = plain_span(instance | {"label": label})
                spans.append((start, end + 1, label))
            else:
                objects.add(label)
        text = record.get("freeText")
        text = text.strip() if isinstance(text, str) else ""
        works.append((item, name(emails[0]), status, tags, objects, groups, text, spans))
    answers: list[Answer] = []
    marks: list[Mark] = []
    for item, who, status, tags, objects, groups, text, spans in works:
        if any(work[3] for work in works):
            answers.append((item, who, "tags", frozenset(tags) or None, status))
        if any(work[4] for work in works):
            answers.append((item, who, "objects", frozenset(objects) or None, status))
        for group, found in groups.items():
            label = next(iter(found)) if len(found) == 1 else frozenset(found)
            answers.append((item, who, group, label, status))
        if text:
            answers.append((item, who, "free text", text, status))
        if any(work[7] for work in works):
            marks.append((item, who, "entities", spans, status))
    return answers, marks


def lighttag(data: bytes, stem: str) -> Found:
    """Read classes and tags; relations are checked, as a fault among them is one of the file."""
    answers: list[Answer] = []
    marks: list[Mark] = []
    for task in documents(data):
        lists(task.get("examples") or None)
        seen = [seen_example(each or {}) for each in task.get("examples") or []]
        check_relations(task.get("relations") or [])
        for item, people, classes, spans in seen:
            for who in people:
                if any(each[2] for each in seen):
                    given = frozenset(classes.get(who, ())) or None
                    answers.append((item, who, "classes", given, "done"))
                if any(each[3] for each in seen):
                    marks.append((item, who, "tags", spans.get(who, []), "done"))
    return answers, marks


def seen_example(example: dict[str, Any]) -> Any:
    lists(*(example.get(key) for key in ("seen_by", "annotations", "classifications")))
    item, people = name(example.get("example_id")), testaments(example, "seen_by")
    classes: dict[str, set[str]] = {}
    spans: dict[str, list[tuple[int, int, str]]] = {}
    for each in example.get("annotations") or []:
        each = each or {}
        place = plain_span(each | {"label": name(each.get("tag"))})
        for who in testaments(each, "annotated_by"):
            spans.setdefault(who, []).append(place)
    for each in example.get("classifications") or []:
        each = each or {}
        label = name(each.get("classname"))
        for who in testaments(each, "classified_by"):
            classes.setdefault(who, set()).add(label)
    return item, dict.fromkeys([*people, *spans, *classes]), classes, spans


def testaments(entry: dict[str, Any], key: str) -> list[str]:
    lists(entry.get(key))
    people = [each or {} for each in entry.get(key) or []]
    return [
        name(each["annotator"] if is_name(each.get("annotator")) else each.get("annotator_id"))
        for each in people
    ]


def check_relations(nodes: Any) -> None:
    lists(nodes)
    for node in nodes:
        node = node or {}
        name(node.get("id"))
        if is_name(node.get("parent_id")):
            testaments({"by": [node]}, "by")


STATES = {"completed": "done", "qualitycheck": "done", "returned": "rejected"}
STATES |= {"skipped": "skipped", "notstarted": "unfinished", "inprogress": "unfinished"}


def deepeval(data: bytes, stem: str) -> Found:
    answers: list[Answer] = []
    for record in documents(data):
        lists(record.get("testCases"), record.get("conversationalTestCases"))
        cases = [
            case or {}
            for key in ("testCases", "conversationalTestCases")
            for case in record.get(key) or []
        ]
        names = [name(case.get("name")) for case in cases]
        if len(set(names)) < len(names):
            raise UnclearError  # names with numbers
        for item, case in zip(names, cases, strict=True):
            lists(case.get("metricsData"))
            for metric in case.get("metricsData") or []:
                metric = metric or {}
                question, judge = name(metric.get("name")), metric.get("evaluationModel")
                judge = name(judge) if is_name(judge) else "metric"
                status = "unfinished" if metric.get("error") else "done"
                passed = metric.get("success")
                label = {True: "pass", False: "fail"}[passed] if type(passed) is bool else None
                label = None if metric.get("error") else label
                answers.append((item, judge, question, label, status))
                if type(metric.get("score")) in (int, float):
                    answers.append(
                        (item, judge, f"{question}.score", plain(metric["score"]), "done")
                    )
    return answers, []


def content_of(text: str) -> Any:
    if not text.startswith("{"):
        raise UnclearError if text.startswith("[") else OddError("no object")
    return json.loads(text, object_pairs_hook=unique)


def entities_of(found: Any) -> list[tuple[int, int, str]]:
    if not isinstance(found, list):
        raise UnclearError
    for each in found:
        numbers = [each.get(key) for key in ("startOffset", "endOffset")]
        if not all(type(n) is int for n in numbers) or not isinstance(each.get("label"), str):
            raise UnclearError
    return [(each["startOffset"], each["endOffset"], each["label"]) for each in found]


def answer_of(value: Any) -> Any:
    """A text, one label, or several of them."""
    if isinstance(value, dict) and list(value) == ["label"]:
        value = value["label"]
    elif isinstance(value, dict) and list(value) == ["labels"]:
        value = value["labels"]
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return frozenset(value) or None
    if isinstance(value, list | dict | float):
        raise UnclearError
    return plain(value)
