"""What goes into a reader comes out: files, rows, items and annotators, and a ledger of the rest.

Labels with awkward names are written in each format and read again. A format without a writer
here fails.
"""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annobench.io import select_labels, write_labels
from annobench.io.formats import discover, read_export
from annobench.io.formats.layers import select_layer
from annobench.labels.annotations import Annotations

Labels = dict[tuple[str, str], str]

#: Names that the library makes elsewhere, or that hold what it joins names with.
AWKWARD = ["person-1", "person-2", "row 1", "row 2", "human", "judge", "export", "x", "x | y"]
AWKWARD += ["record 1", "(nothing)", "ann@example.org", "bob@example.org", "2", "x 0-1", "label"]
NAMES = st.sampled_from(AWKWARD)
#: A name that may be that of a file.
FILES = NAMES.filter(lambda name: "|" not in name)


def as_csv(path: Path, header: list[str], rows: list[Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def as_lines(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def rows(labels: Labels) -> list[tuple[str, str, str]]:
    return [(item, annotator, label) for (item, annotator), label in labels.items()]


def by_item(labels: Labels) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for item, annotator, label in rows(labels):
        found.setdefault(item, {})[annotator] = label
    return found


def by_annotator(labels: Labels) -> dict[str, dict[str, str]]:
    return by_item({(annotator, item): label for (item, annotator), label in labels.items()})


def table(labels: Labels, folder: Path) -> Path:
    return as_csv(folder / "export.csv", ["item", "annotator", "label"], rows(labels))


def parquet(labels: Labels, folder: Path) -> Path:
    columns = zip(*rows(labels), strict=True)
    named = dict(zip(("item", "annotator", "label"), map(list, columns), strict=True))
    pq.write_table(pa.table(named), folder / "export.parquet")
    return folder / "export.parquet"


def appen(labels: Labels, folder: Path) -> Path:
    header = ["_unit_id", "_worker_id", "_tainted", "q", "text", "q_gold"]
    cells = [(item, who, "false", label, item, "") for item, who, label in rows(labels)]
    return as_csv(folder / "export.csv", header, [*cells, ("x", "", "", "yes", "x", "")])


def argilla(labels: Labels, folder: Path) -> Path:
    """Every second record is named from outside, the others by ids of their own."""
    records = []
    for n, (item, answers) in enumerate(by_item(labels).items()):
        responses = [
            {"user_id": who, "status": "submitted", "values": {"q": {"value": label}}}
            for who, label in answers.items()
        ]
        # The id of another record may be what this one is called outside.
        key = {"external_id": item, "id": f"own {n}"} if n % 2 else {"id": item}
        records.append(key | {"fields": {"text": item}, "responses": responses})
    records.append({"fields": {"text": "t"}, "responses": []})
    return as_lines(folder / "export.jsonl", records)


def category_columns(labels: Labels, folder: Path) -> Path:
    header = ["item", "annotator", "yes", "no"]
    marked = [(*row[:2], int(row[2] == "yes"), int(row[2] == "no")) for row in rows(labels)]
    return as_csv(folder / "export.csv", header, marked)


def comparisons(labels: Labels, folder: Path) -> Path:
    header = ["id", "judge", "model_a", "model_b", "winner_model_a", "winner_model_b"]
    cells = [
        (*row[:2], "no", "yes", int(row[2] == "no"), int(row[2] == "yes")) for row in rows(labels)
    ]
    return as_csv(folder / "export.csv", header, [*cells, ("q", "j", "no", "yes", 0, 0)])


def coco(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    home.mkdir()
    categories = [{"id": 1, "name": "yes"}, {"id": 2, "name": "no"}]
    for who, answers in by_annotator(labels).items():
        content = {
            "images": [{"id": n, "file_name": item} for n, item in enumerate(answers)],
            "categories": categories,
            "annotations": [
                {"image_id": n, "category_id": 1 if label == "yes" else 2, "attributes": {"a": 1}}
                for n, label in enumerate(answers.values())
            ],
        }
        (home / f"{who}.json").write_text(json.dumps(content))
    return with_notes(home)


def cvat(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    home.mkdir()
    for who, answers in by_annotator(labels).items():
        images = "".join(
            f'<image id="0" name="{item}"><tag label="{label}"/><other/></image>'
            for item, label in answers.items()
        )
        document = f"<annotations><version>1.1</version>{images}</annotations>"
        (home / f"{who}.xml").write_text(document)
    return with_notes(home)


def conll(labels: Labels, folder: Path) -> Path:
    """A folder for each annotator; the label is the tag of a document's one token."""
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        for item, label in answers.items():
            (home / who / f"{item}.tsv").write_text(f"# text = a\na\tB-{label}\n")
    return with_notes(home)


def crowd_kit(labels: Labels, folder: Path) -> Path:
    """Which of two is better; other pairs may read alike when they are joined."""
    pairs = [
        (who, item, "y | z", item if label == "yes" else "y | z")
        for item, who, label in rows(labels)
    ]
    return as_csv(folder / "export.csv", ["worker", "left", "right", "label"], pairs)


def deepeval(labels: Labels, folder: Path) -> Path:
    """A run for each judge."""
    home = folder / "export"
    home.mkdir()
    for n, (who, answers) in enumerate(by_annotator(labels).items()):
        cases = [
            {
                "name": item,
                "metricsData": [{"name": "q", "success": label == "yes", "evaluationModel": who}],
            }
            for item, label in answers.items()
        ]
        cases.append({"name": "no metric", "metricsData": []})
        (home / f"2025_{n}").write_text(json.dumps({"testCases": cases}))
    return home


def doccano(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    home.mkdir()
    for who, answers in by_annotator(labels).items():
        records = [{"id": item, "text": item, "label": [label]} for item, label in answers.items()]
        as_lines(home / f"{who}.jsonl", [*records, {"id": "-", "text": "-", "label": []}])
    return with_notes(home)


def with_notes(home: Path) -> Path:
    """Add what is no annotation to a folder."""
    (home / "README.md").write_text("notes")
    (home / "nobody.jsonl").write_text("")
    return home


def folder_of_tables(labels: Labels, folder: Path) -> Path:
    """The files of two annotators may differ in their endings alone."""
    home = folder / "export"
    home.mkdir()
    for n, answers in enumerate(by_annotator(labels).values()):
        as_csv(home / f"a{n // 2}.{['csv', 'tsv'][n % 2]}", ["id", "label"], list(answers.items()))
    return with_notes(home)


def ground_truth(labels: Labels, folder: Path) -> Path:
    """Worker responses; the files of two objects have one name."""
    home = folder / "export"
    for item, answers in by_item(labels).items():
        (home / "iteration-1" / item).mkdir(parents=True)
        given = [
            {"workerId": who, "answerContent": {"q": {"label": label}}}
            for who, label in answers.items()
        ]
        (home / "iteration-1" / item / "time.json").write_text(json.dumps({"answers": given}))
    (home / "iteration-1" / "nobody.json").write_text('{"answers": []}')
    (home / "output.manifest").write_text("{}")
    return home


def hugging_face(labels: Labels, folder: Path) -> Path:
    """Two splits, of which no column names the items."""
    home = folder / "export"
    items = list(by_item(labels).values())
    for split, part in (("train", items[::2]), ("test", items[1::2])):
        if part:
            columns = {
                "annotators": [list(answers) for answers in part],
                "labels": [list(answers.values()) for answers in part],
            }
            (home / split).mkdir(parents=True)
            pq.write_table(pa.table(columns), home / split / "data.parquet")
            (home / split / "dataset_info.json").write_text("{}")
    return home


def span_table(labels: Labels, folder: Path) -> Path:
    """The label is that of the one span of a document."""
    cells = [(item, who, 0, 1, label) for item, who, label in rows(labels)]
    header = ["document", "annotator", "start", "end", "label"]
    return as_csv(folder / "export.csv", header, [*cells, ("", "", 0, 1, "yes")])


def spreadsheet(labels: Labels, folder: Path) -> Path:
    """Two sheets, of which no column names the items."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    who = list(by_annotator(labels))
    for n, answers in enumerate(by_item(labels).values()):
        title = f"sheet {n % 2}"
        if title not in book.sheetnames:
            header = [f"annotator_{1 + j}" for j in range(max(2, len(who)))]
            book.create_sheet(title).append(header)
        book[title].append([answers.get(name) for name in who])
    book.save(folder / "export.xlsx")
    return folder / "export.xlsx"


def inspect_log(labels: Labels, folder: Path) -> Path:
    """A log for each model."""
    home = folder / "export"
    home.mkdir()
    for model, answers in by_annotator(labels).items():
        log = {
            "status": "success",
            "eval": {"task": "t", "model": model},
            "samples": [
                {"id": item, "output": {"completion": label}} for item, label in answers.items()
            ],
        }
        (home / f"{model}.json").write_text(json.dumps(log))
    (home / "other.json").write_text("{}")
    return home


def judge_log(labels: Labels, folder: Path) -> Path:
    records = [{"item": item, "judge": who, "verdict": label} for item, who, label in rows(labels)]
    return as_lines(folder / "export.jsonl", records)


def label_studio(labels: Labels, folder: Path) -> Path:
    tasks = [
        {
            "id": item,
            "data": {"text": item},
            "annotations": [
                {
                    "id": 10 * number + n,
                    "completed_by": {"email": who} if "@" in who else who,
                    "result": [
                        {"type": "choices", "from_name": "q", "value": {"choices": [label]}}
                    ],
                }
                for n, (who, label) in enumerate(answers.items())
            ],
            "predictions": [{}],
        }
        for number, (item, answers) in enumerate(by_item(labels).items())
    ]
    tasks.append({"id": "-", "data": {"text": "-"}, "annotations": []})
    (folder / "export.json").write_text(json.dumps(tasks))
    return folder / "export.json"


def labelbox(labels: Labels, folder: Path) -> Path:
    records = []
    for item, answers in [*by_item(labels).items(), ("no label", {})]:
        given = [
            {
                "label_details": {"created_by": who},
                "annotations": {
                    "classifications": [{"name": "q", "radio_answer": {"name": label}}],
                    "relationships": [{}],
                },
            }
            for who, label in answers.items()
        ]
        records.append({"data_row": {"id": item}, "projects": {"p": {"labels": given}}})
    return as_lines(folder / "export.ndjson", records)


def lewidi(labels: Labels, folder: Path) -> Path:
    entries = {
        item: {
            "annotators": ",".join(answers),
            "annotations": ",".join(answers.values()),
            "soft_label": {},
        }
        for item, answers in by_item(labels).items()
    }
    (folder / "export.json").write_text(json.dumps(entries))
    return folder / "export.json"


def list_cells(labels: Labels, folder: Path) -> Path:
    cells = [
        (item, json.dumps(list(answers)), json.dumps(list(answers.values())))
        for item, answers in by_item(labels).items()
    ]
    return as_csv(folder / "export.csv", ["id", "annotators", "labels"], cells)


def lm_eval(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        records = [
            {"doc_id": item, "doc": {}, "target": "", "resps": [], "filtered_resps": [label]}
            for item, label in answers.items()
        ]
        as_lines(home / who / "samples_t.jsonl", records)
        (home / who / "results.json").write_text("{}")
    return home


def mturk(labels: Labels, folder: Path) -> Path:
    return as_csv(
        folder / "export.csv", ["HITId", "WorkerId", "Answer.q"], [*rows(labels), ("other", "", "")]
    )


def nli(labels: Labels, folder: Path) -> Path:
    """The names of annotators are those of places."""
    who = list(by_annotator(labels))
    records = [
        {
            "pairID": item,
            "annotator_labels": [answers.get(name, "") for name in who],
            "gold_label": "-",
            "sentence1": "a",
            "sentence2": "b",
        }
        for item, answers in [*by_item(labels).items(), ("no label", {})]
    ]
    return as_lines(folder / "export.jsonl", records)


def popquorn(labels: Labels, folder: Path) -> Path:
    header = ["instance_id", "user_id", "gender", "age", "q"]
    cells = [(item, who, "f", "20", label) for item, who, label in rows(labels)]
    return as_csv(folder / "export.csv", header, cells)


def openai_evals(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    home.mkdir()
    for n, (who, answers) in enumerate(by_annotator(labels).items()):
        events = [
            {"sample_id": item, "type": "match", "data": {"picked": label}}
            for item, label in answers.items()
        ]
        spec = {"eval_name": "e", "run_id": str(n), "completion_fns": [who]}
        as_lines(home / f"{n}.jsonl", [{"spec": spec}, *events, {"type": "raw_sample"}])
    return with_notes(home)


def potato(labels: Labels, folder: Path) -> Path:
    """Of every second user there are the instances only."""
    home = folder / "annotation_output"
    for n, (who, answers) in enumerate(by_annotator(labels).items()):
        (home / str(n)).mkdir(parents=True)
        if n % 2:
            records = [
                {"id": item, "user_id": who, "label_annotations": {"q": {label: "true"}}}
                for item, label in answers.items()
            ]
            as_lines(home / str(n) / "annotated_instances.jsonl", records)
            continue
        chosen = {item: {"q": {"labels": {label: True}}} for item, label in answers.items()}
        state = {"user_id": who, "instance_id_to_label_to_value": chosen}
        (home / str(n) / "user_state.json").write_text(json.dumps(state))
        (home / str(n) / "annotated_instances.jsonl").write_text("")
    (home / "config.yaml").write_text("port: 1")
    return home


def prodigy(labels: Labels, folder: Path) -> Path:
    """Records without a session, in files of one name in the folders of annotators."""
    home = folder / "export"
    for n, answers in enumerate(by_annotator(labels).values()):
        (home / f"member {n}").mkdir(parents=True)
        records = [
            {"text": item, "options": [], "accept": [label], "answer": "accept"}
            for item, label in answers.items()
        ]
        as_lines(home / f"member {n}" / "export.jsonl", [*records, {"text": "-", "options": []}])
    return with_notes(home)


def promptfoo(labels: Labels, folder: Path) -> Path:
    results = [
        {"testIdx": item, "promptIdx": 0, "provider": who, "response": {"output": label}}
        for item, who, label in [*rows(labels), ("error", "x", "")]
    ]
    (folder / "export.json").write_text(json.dumps({"results": {"results": results}}))
    return folder / "export.json"


def superannotate(labels: Labels, folder: Path) -> Path:
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        for item, label in answers.items():
            record = {
                "metadata": {"name": item, "status": "Completed", "annotatorEmail": who},
                "instances": [],
                "tags": [label],
                "comments": [{}],
            }
            (home / who / f"{item}.json").write_text(json.dumps(record))
    return with_notes(home)


def lighttag(labels: Labels, folder: Path) -> Path:
    examples = [
        {
            "example_id": item,
            "content": item,
            "seen_by": [{"annotator": who} for who in answers],
            "annotations": [],
            "classifications": [
                {"classname": label, "classified_by": [{"annotator": who}]}
                for who, label in answers.items()
            ],
        }
        for item, answers in by_item(labels).items()
    ]
    unseen = {"example_id": "nobody's", "annotations": [], "classifications": []}
    relations = [{"id": "1"}, {"id": "2", "parent_id": "1", "annotator": "x"}]
    task = {"schema": {}, "examples": [*examples, unseen], "relations": relations}
    (folder / "export.json").write_text(json.dumps(task))
    return folder / "export.json"


def toloka(labels: Labels, folder: Path) -> Path:
    """What is shown may read alike when it is joined, and some items show nothing."""
    header = ["INPUT:a", "INPUT:b", "OUTPUT:q", "ASSIGNMENT:worker_id"]
    cells = [
        (*item.split(" | "), label, who) if " | " in item else (item, "", label, who)
        for item, who, label in rows(labels)
    ]
    return as_csv(folder / "export.csv", header, [*cells, ("", "", "", "")])


def counts(labels: Labels, folder: Path) -> Path:
    cells = [
        (item, *(list(answers.values()).count(label) for label in ("yes", "no")))
        for item, answers in by_item(labels).items()
    ]
    return as_csv(folder / "export.csv", ["id", "yes", "no"], [*cells, ("-", 0, 0)])


def form(labels: Labels, folder: Path) -> Path:
    items = list(by_item(labels))
    header = ["annotator", *(f"q{n}" for n in range(len(items)))]
    cells = [
        (who, *(answers.get(item, "") for item in items))
        for who, answers in by_annotator(labels).items()
    ]
    return as_csv(folder / "export.csv", header, [*cells, ("-", *([""] * len(items)))])


def wide(labels: Labels, folder: Path) -> Path:
    who = list(by_annotator(labels))
    header = ["id", *(f"annotator_{1 + n}" for n in range(max(2, len(who))))]
    cells = [
        (item, *(answers.get(name, "") for name in who), *([""] * (2 - len(who))))
        for item, answers in by_item(labels).items()
    ]
    return as_csv(folder / "export.csv", header, [*cells, ("-", *([""] * max(2, len(who))))])


def brat(labels: Labels, folder: Path) -> Path:
    """A folder per annotator; the label is that of the one span of a document."""
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        for item, label in answers.items():
            (home / who / f"{item}.txt").write_text("a text")
            (home / who / f"{item}.ann").write_text(f"T1\t{label} 0 1\ta\n")
    (home / "visual.conf").write_text("")
    return home


def elan(labels: Labels, folder: Path) -> Path:
    """A folder per annotator; the label is that of the one annotation of a recording."""
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        for item, label in answers.items():
            (home / who / f"{item}.eaf").write_text(
                '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/>'
                '<TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="9"/></TIME_ORDER><TIER TIER_ID="t">'
                '<ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="a" TIME_SLOT_REF2="b">'
                f"<ANNOTATION_VALUE>{label}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
                '<ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="a" TIME_SLOT_REF2="a"/>'
                "</ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
            )
    return with_notes(home)


def praat(labels: Labels, folder: Path) -> Path:
    """A folder per annotator; the label is that of the one interval of a recording."""
    home = folder / "export"
    for who, answers in by_annotator(labels).items():
        (home / who).mkdir(parents=True)
        for item, label in answers.items():
            (home / who / f"{item}.TextGrid").write_text(
                f'"ooTextFile" "TextGrid" 0 9 <exists> 2 "IntervalTier" "t" 0 9 2 0 1 "{label}" '
                '1 9 "" "TextTier" "p" 0 9 0'
            )
    return with_notes(home)


def inception(labels: Labels, folder: Path) -> Path:
    """A folder per document, a file per annotator; the label is that of the first token."""
    home = folder / "export"
    for item, who, label in rows(labels):
        (home / "annotation" / item).mkdir(parents=True, exist_ok=True)
        (home / "annotation" / item / f"{who}.tsv").write_text(
            "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Kind|value\n\n\n#Text=a\n"
            f"1-1\t0-1\ta\t{label}\t\n"
        )
    (home / "notes.md").write_text("notes")
    return home


def trec_qrels(labels: Labels, folder: Path) -> Path:
    """A file for each assessor; yes is the grade 1."""
    home = folder / "export"
    home.mkdir()
    for who, answers in by_annotator(labels).items():
        lines = [
            f"q 0 {item.replace(' ', '_')} {int(label == 'yes')}\n\n"
            for item, label in answers.items()
        ]
        (home / f"{who}.qrels").write_text("".join(lines))
    return with_notes(home)


def zooniverse(labels: Labels, folder: Path) -> Path:
    header = ["user_name", "workflow_id", "annotations", "subject_data", "subject_ids"]
    cells = [
        (who, "1", json.dumps([{"task": "T0", "value": label}]), json.dumps({item: {}}), item)
        for item, who, label in rows(labels)
    ]
    return as_csv(folder / "export.csv", header, [*cells, ("", "1", "[]", "{}", "1")])


WRITERS: dict[str, Callable[[Labels, Path], Path]] = {
    "appen": appen,
    "argilla": argilla,
    "brat": brat,
    "category_columns": category_columns,
    "coco": coco,
    "comparisons": comparisons,
    "conll": conll,
    "crowd_kit": crowd_kit,
    "cvat": cvat,
    "deepeval": deepeval,
    "doccano": doccano,
    "elan": elan,
    "folder": folder_of_tables,
    "ground_truth": ground_truth,
    "hugging_face": hugging_face,
    "inception": inception,
    "inspect_log": inspect_log,
    "judge_log": judge_log,
    "label_studio": label_studio,
    "labelbox": labelbox,
    "lewidi": lewidi,
    "list_cells": list_cells,
    "lm_eval": lm_eval,
    "lighttag": lighttag,
    "mturk": mturk,
    "nli": nli,
    "openai_evals": openai_evals,
    "popquorn": popquorn,
    "potato": potato,
    "praat": praat,
    "prodigy": prodigy,
    "promptfoo": promptfoo,
    "span_table": span_table,
    "spreadsheet": spreadsheet,
    "superannotate": superannotate,
    "toloka": toloka,
    "trec_qrels": trec_qrels,
    "counts": counts,
    "form": form,
    "wide": wide,
    "zooniverse": zooniverse,
}

#: What several options are asked with; what comes with a single one is asked for by the format.
QUESTIONS = {"category_columns": "categories", "inspect_log": "answer", "doccano": "label"}


#: Formats of which the labels are those of spans.
SPANS = {"brat", "elan", "inception", "praat", "span_table"}


def some_labels(items: st.SearchStrategy[str], annotators: st.SearchStrategy[str]) -> Any:
    pairs = st.lists(st.tuples(items, annotators), min_size=2, max_size=8, unique=True)
    return pairs.flatmap(
        lambda found: st.lists(
            st.sampled_from(["yes", "no"]), min_size=len(found), max_size=len(found)
        ).map(lambda answers: dict(zip(found, answers, strict=True)))
    )


def n_files(path: Path) -> int:
    return sum(each.is_file() for each in path.rglob("*")) if path.is_dir() else 1


def test_every_format_has_a_writer():
    assert set(WRITERS) == set(discover())


@pytest.mark.parametrize("name", sorted(WRITERS))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_an_export_gives_back_what_was_put_in(name, data):
    labels = data.draw(some_labels(FILES, FILES))
    if name in ("brat", "conll", "elan", "folder", "praat") and len(by_annotator(labels)) < 2:
        return  # one table, or one annotator: another layout
    if name == "hugging_face" and len(by_item(labels)) < 2:
        return
    with tempfile.TemporaryDirectory() as folder:
        path = WRITERS[name](labels, Path(folder))
        export = read_export(path, format=name, keep_names=data.draw(st.booleans()))
        files = n_files(path)
    n = len(by_item(labels)), len(by_annotator(labels)), len(labels)
    if name in SPANS:
        marks = select_layer(export).marks
        found = len(marks.documents), len(marks.annotators), marks.n_spans
    else:
        known = list(export.questions["question"])
        chosen = export.select(QUESTIONS.get(name, known[0]), scale="nominal").labels
        found = chosen.n_items, chosen.n_annotators, chosen.n_labels
    if name == "counts":  # nobody knows who gave which label
        n = len(by_item(labels)), max(map(len, by_item(labels).values())), len(labels)
    assert found == n
    intake = export._intake
    assert intake.n_read == intake.n_used + sum(each.n for each in export.left_out)
    begun = {place for place, _ in intake.places.codes} - {""}
    if path.suffix == "":  # a folder
        assert len({str(each.relative_to(path)) for each in intake.used} | begun) == files


@pytest.mark.parametrize("write", [table, parquet])
@settings(max_examples=8, deadline=None)
@given(labels=some_labels(NAMES, NAMES), keep=st.booleans())
def test_a_table_gives_back_what_was_put_in(write, labels, keep):
    with tempfile.TemporaryDirectory() as folder:
        found = select_labels(write(labels, Path(folder)), keep_names=keep).labels
        again = Path(folder) / "again.csv"
        write_labels(found, again)
        assert select_labels(again).labels.n_annotators == found.n_annotators
    assert found.n_labels == len(labels)
    assert found.n_items == len(by_item(labels))
    assert found.n_annotators == len(by_annotator(labels))


@given(labels=some_labels(NAMES, NAMES))
def test_constructors_give_back_what_was_put_in(labels):
    arrays = Annotations.from_arrays(*zip(*rows(labels), strict=True))
    for found in (arrays, Annotations.from_frame(arrays.to_frame())):
        assert (found.n_items, found.n_annotators, found.n_labels) == (
            len(by_item(labels)),
            len(by_annotator(labels)),
            len(labels),
        )
