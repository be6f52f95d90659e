"""A whole number is one category with and without a decimal point, whoever reads or builds it."""

import csv
import io
import json
from decimal import Decimal

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annobench.agreement import cohen_kappa, krippendorff_alpha
from annobench.core.errors import AnnotationError, ReaderError
from annobench.core.numbers import plain_categories, plain_number, spelling_hint
from annobench.io import read_labels, write_labels
from annobench.io.cells import as_text
from annobench.io.formats import discover, read_export
from annobench.labels.annotations import Annotations
from annobench.labels.doubts import doubtful_categories, doubtful_names

#: Integers with one gap, of annotator_b.
WIDE = pd.DataFrame(
    {
        "annotator_a": [5, 1, 1, 2, 3, 4, 3, 5, 2, 4],
        "annotator_b": [5, 1, 1, 5, 3, 4, np.nan, 4, 2, 3],
        "annotator_c": [5, 1, 2, 2, 4, 4, 3, 5, 1, 4],
    },
    index=pd.Index([f"t{n}" for n in range(10)], name="item"),
)
#: The same as pandas saves it: annotator_b has 5.0 where the others have 5.
SAVED = pd.read_csv(io.StringIO(WIDE.to_csv()), dtype=str, index_col="item").fillna("")
#: One row per label.
LONG = SAVED.melt(var_name="annotator", value_name="label", ignore_index=False).reset_index()
ROWS = [row for row in LONG.itertuples(index=False, name=None) if row[2]]
#: Letters in place of numbers, of which no reader can make one of two.
LETTERS = WIDE.apply(lambda column: column.map(dict(enumerate("?abcde"))))
EXPECTED = Annotations.from_wide(LETTERS)


def test_the_table_has_the_gap_and_both_spellings():
    assert SAVED["annotator_a"].tolist()[:2] == ["5", "1"]
    assert SAVED["annotator_b"].tolist()[:2] == ["5.0", "1.0"]
    assert len(ROWS) == EXPECTED.n_labels == 29


def check(labels):
    """Be sure that labels are those of the table."""
    assert labels.categories == ("1", "2", "3", "4", "5")
    assert labels.n_labels == EXPECTED.n_labels
    for scale in ("nominal", "ordinal"):
        ours, other = (
            krippendorff_alpha(a.relabel(a.label, scale=scale)).estimate for a in (labels, EXPECTED)
        )
        assert ours == pytest.approx(other, abs=1e-14)
    if not labels.anonymous:
        first, second = (
            cohen_kappa(a.select(annotators=[0, 1])).estimate for a in (labels, EXPECTED)
        )
        assert first == pytest.approx(second, abs=1e-14)


# --- readers


def of_table(path, frame, **options):
    frame.to_csv(path, index=False, **options)
    return path


def of_rows(path, header, rows):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([header, *rows])
    return path


def of_json(path, records):
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def of_lines(path, records):
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def by_item():
    return {item: list(SAVED.loc[item][SAVED.loc[item] != ""].items()) for item in SAVED.index}


def appen(folder):
    header = ["_unit_id", "_worker_id", "grade", "grade_gold"]
    return of_rows(folder / "full.csv", header, [(i, w, k, "") for i, w, k in ROWS])


def argilla(folder):
    records = [
        {
            "id": item,
            "fields": {"text": item},
            "suggestions": [],
            "responses": [
                {"user_id": who, "status": "submitted", "values": {"mood": {"value": label}}}
                for who, label in given
            ],
        }
        for item, given in by_item().items()
    ]
    return of_json(folder / "records.json", records)


def coco(folder):
    numbers = {label: n for n, label in enumerate(dict.fromkeys(k for _, _, k in ROWS if k))}
    for who in SAVED:
        images = list(SAVED[who].items())
        content = {
            "images": [{"id": n, "file_name": item} for n, (item, _) in enumerate(images)],
            "categories": [{"id": n, "name": label} for label, n in numbers.items()],
            "annotations": [
                {"image_id": n, "category_id": numbers[label]}
                for n, (_, label) in enumerate(images)
                if label
            ],
        }
        of_json(folder / f"{who}.json", content)
    return folder


def conll(folder):
    (folder / "tagged").mkdir()
    for who in SAVED:
        lines = [f"{item}\t{label}\n" for item, label in SAVED[who].items()]
        (folder / "tagged" / f"{who}.tsv").write_text("".join(lines))
    return folder / "tagged"


def cvat(folder):
    for who in SAVED:
        tags = {item: f'<tag label="{k}"/>' if k else "" for item, k in SAVED[who].items()}
        images = "".join(f'<image name="{item}">{found}</image>' for item, found in tags.items())
        document = f"<annotations><version>1.1</version>{images}</annotations>"
        (folder / f"{who}.xml").write_text(document)
    return folder


def crowd_kit(folder):
    return of_rows(
        folder / "answers.csv", ["worker", "task", "text"], [(w, i, k) for i, w, k in ROWS]
    )


def doccano(folder):
    for who in SAVED:
        rows = [
            {"id": item, "text": item, "label": [label] if label else [], "Comments": []}
            for item, label in SAVED[who].items()
        ]
        of_lines(folder / f"{who}.jsonl", rows)
    return folder


def folder_of_tables(folder):
    for who in SAVED:
        of_table(folder / f"{who}.csv", SAVED[[who]].set_axis(["label"], axis=1).reset_index())
    return folder


def ground_truth(folder):
    objects = [
        {
            "datasetObjectId": item,
            "annotations": [
                {"workerId": who, "annotationData": {"content": json.dumps({"grade": label})}}
                for who, label in given
            ],
        }
        for item, given in by_item().items()
    ]
    return of_json(folder / "request.json", objects)


def hugging_face(folder):
    pq.write_table(
        pa.Table.from_pandas(SAVED.reset_index(), preserve_index=False), folder / "a.parquet"
    )
    (folder / "dataset_info.json").write_text("{}")
    return folder


def inspect_log(folder):
    for who in SAVED:
        samples = [
            {
                "id": item,
                "epoch": 1,
                "input": item,
                "target": "",
                "output": {"completion": label},
                "scores": {"match": {"value": "C", "answer": label}},
            }
            for item, label in SAVED[who].items()
            if label
        ]
        log = {
            "version": 2,
            "status": "success",
            "eval": {"task": "grades", "model": who, "run_id": "r"},
            "results": {"total_samples": len(samples), "completed_samples": len(samples)},
            "samples": samples,
        }
        of_json(folder / f"{who}.json", log)
    return folder


def judge_log(folder):
    records = [{"item": i, "judge": who, "verdict": label} for i, who, label in ROWS]
    return of_lines(folder / "log.jsonl", records)


def label_studio(folder):
    tasks = [
        {
            "id": n,
            "data": {"text": item},
            "annotations": [
                {
                    "id": 100 * n + m,
                    "completed_by": who,
                    "result": [
                        {
                            "id": "r",
                            "type": "choices",
                            "from_name": "grade",
                            "to_name": "text",
                            "value": {"choices": [label]},
                        }
                    ],
                }
                for m, (who, label) in enumerate(given)
            ],
        }
        for n, (item, given) in enumerate(by_item().items())
    ]
    return of_json(folder / "project.json", tasks)


def labelbox(folder):
    def label(who, grade):
        answers = [{"name": "grade", "radio_answer": {"name": grade}}] if grade else []
        return {"label_details": {"created_by": who}, "annotations": {"classifications": answers}}

    records = [
        {
            "data_row": {"id": item},
            "projects": {"p": {"labels": [label(*each) for each in given]}},
        }
        for item, given in by_item().items()
    ]
    return of_lines(folder / "export.ndjson", records)


def lewidi(folder):
    entries = {
        item: {
            "text": item,
            "annotation task": "grades",
            "number of annotations": len(given),
            "annotations": ",".join(label for _, label in given),
            "annotators": ",".join(who for who, _ in given),
            "hard_label": "",
            "soft_label": {},
            "other_info": {},
        }
        for item, given in by_item().items()
    }
    return of_json(folder / "set.json", entries)


def list_cells(folder):
    rows = [
        (item, json.dumps([who for who, _ in given]), json.dumps([label for _, label in given]))
        for item, given in by_item().items()
    ]
    return of_rows(folder / "lists.csv", ["item", "annotators", "labels"], rows)


def lm_eval(folder):
    for who in SAVED:
        records = [
            {"doc_id": item, "doc": {}, "target": "", "resps": [], "filtered_resps": [label]}
            for item, label in SAVED[who].items()
        ]
        (folder / "results" / who).mkdir(parents=True)
        of_lines(folder / "results" / who / "samples_grades.jsonl", records)
    return folder / "results"


def mturk(folder):
    header = ["HITId", "WorkerId", "AssignmentStatus", "Input.id", "Answer.grade"]
    return of_rows(folder / "batch.csv", header, [(i, w, "Approved", i, k) for i, w, k in ROWS])


def nli(folder):
    about = {"gold_label": "-", "sentence1": "a", "sentence2": "b"}
    records = [
        about | {"pairID": item, "annotator_labels": list(labels)}
        for item, *labels in SAVED.itertuples(name=None)
    ]
    return of_lines(folder / "dev.jsonl", records)


def popquorn(folder):
    header = ["instance_id", "user_id", "gender", "race", "grade"]
    return of_rows(folder / "grades.csv", header, [(i, w, "", "", f"{k}") for i, w, k in ROWS])


def openai_evals(folder):
    for who in SAVED:
        spec = {"eval_name": "grades", "run_id": who, "completion_fns": [who]}
        events = [
            {"sample_id": item, "type": "match", "data": {"picked": label}}
            for item, label in SAVED[who].items()
        ]
        of_lines(folder / f"{who}.jsonl", [{"spec": spec}, *events])
    return folder


def potato(folder):
    for who in SAVED:
        state = {
            "user_id": f"{who}1",
            "instance_id_ordering": [],
            "instance_id_to_label_to_value": {
                item: [[{"schema": "grade", "name": label}, "true"]]
                for item, label in SAVED[who].items()
                if label
            },
            "instance_id_to_span_to_value": {},
        }
        (folder / "annotation_output" / who).mkdir(parents=True)
        of_json(folder / "annotation_output" / who / "user_state.json", state)
    return folder


def prodigy(folder):
    records = [
        {
            "text": i,
            "_input_hash": int(i[1:]),
            "_task_hash": int(i[1:]),
            "answer": "accept",
            "_annotator_id": who,
            "_session_id": who,
            "_view_id": "choice",
            "accept": [label],
            "options": [{"id": k, "text": k} for k in "12345"],
        }
        for i, who, label in ROWS
    ]
    return of_lines(folder / "db.jsonl", records)


def spreadsheet(folder):
    book = openpyxl.Workbook()
    book.active.append(["item", *SAVED])
    for item, *labels in SAVED.itertuples(name=None):
        book.active.append([item, *labels])
    book.save(folder / "labels.xlsx")
    book.close()
    return folder / "labels.xlsx"


def promptfoo(folder):
    results = [
        {"testIdx": i, "promptIdx": 0, "provider": w, "response": {"output": k}} for i, w, k in ROWS
    ]
    return of_json(folder / "results.json", {"results": {"results": results}})


def superannotate(folder):
    for who in SAVED:
        (folder / who).mkdir()
        for item, label in SAVED[who].items():
            record = {
                "metadata": {"name": item, "status": "Completed", "annotatorEmail": who},
                "instances": [],
                "tags": [label] if label else [],
            }
            of_json(folder / who / f"{item}.json", record)
    return folder


def lighttag(folder):
    examples = {}
    for item, who, label in ROWS:
        example = examples.setdefault(item, {"example_id": item, "annotations": []})
        given = {"classname": label, "classified_by": [{"annotator": who}]}
        example.setdefault("classifications", []).append(given)
    task = {"schema": {}, "examples": list(examples.values())}
    return of_json(folder / "task.json", task)


def toloka(folder):
    header = [
        "INPUT:image",
        "OUTPUT:grade",
        "ASSIGNMENT:task_id",
        "ASSIGNMENT:assignment_id",
        "ASSIGNMENT:worker_id",
        "ASSIGNMENT:status",
    ]
    rows = [(i, k, i, "a", w, "APPROVED") for i, w, k in ROWS]
    return of_rows(folder / "pool.csv", header, rows)


def trec_qrels(folder):
    (folder / "qrels").mkdir()
    for annotator, rows in LONG[LONG["label"] != ""].groupby("annotator"):
        lines = [f"q 0 {row.item} {row.label}\n" for row in rows.itertuples()]
        (folder / "qrels" / annotator).write_text("".join(lines))
    return folder / "qrels"


def form(folder):
    table = SAVED.rename_axis(index="item").T.rename_axis("annotator").reset_index()
    return of_table(folder / "form.csv", table)


def wide(folder):
    return of_table(folder / "wide.csv", SAVED.reset_index())


def zooniverse(folder):
    header = ["user_name", "workflow_id", "annotations", "subject_data", "subject_ids"]
    answers = [json.dumps([{"task": "grade", "value": k}]) for _, _, k in ROWS]
    rows = [(w, "1", k, "{}", i) for (i, w, _), k in zip(ROWS, answers, strict=True)]
    return of_rows(folder / "classifications.csv", header, rows)


#: A writer of the table in each format whose labels are of items.
FORMATS = {
    "appen": appen,
    "argilla": argilla,
    "coco": coco,
    "conll": conll,
    "crowd_kit": crowd_kit,
    "cvat": cvat,
    "doccano": doccano,
    "folder": folder_of_tables,
    "ground_truth": ground_truth,
    "hugging_face": hugging_face,
    "inspect_log": inspect_log,
    "judge_log": judge_log,
    "label_studio": label_studio,
    "labelbox": labelbox,
    "lewidi": lewidi,
    "lighttag": lighttag,
    "list_cells": list_cells,
    "lm_eval": lm_eval,
    "mturk": mturk,
    "nli": nli,
    "openai_evals": openai_evals,
    "popquorn": popquorn,
    "potato": potato,
    "prodigy": prodigy,
    "promptfoo": promptfoo,
    "spreadsheet": spreadsheet,
    "superannotate": superannotate,
    "toloka": toloka,
    "trec_qrels": trec_qrels,
    "form": form,
    "wide": wide,
    "zooniverse": zooniverse,
}
#: Formats of spans or of passing alone, and those whose options are columns, which have tests of
#: their own.
OTHERS = {
    "brat",
    "elan",
    "inception",
    "praat",
    "span_table",
    "category_columns",
    "comparisons",
    "counts",
    "deepeval",
}


def test_every_format_has_a_case():
    """A new format is to be written here, too."""
    assert {*FORMATS, *OTHERS} == set(discover())


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_both_spellings_for_one_category(tmp_path, name):
    export = read_export(FORMATS[name](tmp_path), keep_names=True, format=name)
    question = next(
        q for q in export.questions["question"] if q != "verdict" or name == "judge_log"
    )
    check(export.labels(question, scale="nominal"))
    asked = export.labels(question, scale="nominal", categories=["1", 2, 3.0, "4.0", "5.00"])
    check(asked)
    [listed] = export.questions.loc[export.questions["question"].eq(question), "categories"]
    assert listed == ["1", "2", "3", "4", "5"]
    if export.kind(question) == "choice":
        chosen = export.labels(f"{question}=5.0")
        assert chosen.counts[:, 1].sum() == EXPECTED.counts[:, 4].sum()


def test_a_column_a_category_takes_both_spellings_for_one_mark(tmp_path):
    marks = pd.get_dummies(LONG["label"].map(lambda name: name[:1]), dtype=float).drop(columns="")
    marks = marks.astype(str).mask(LONG["label"] == "", "")
    marks.iloc[:10] = marks.iloc[:10].replace({"1.0": "1", "0.0": "0"})
    frame = pd.concat([LONG[["item", "annotator"]], marks], axis=1)
    export = read_export(of_table(tmp_path / "marks.csv", frame), format="category_columns")
    check(export.labels(scale="nominal"))


ENDINGS = (".csv", ".tsv", ".parquet")


@pytest.mark.parametrize("quoted", [False, True])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_takes_both_spellings_for_one_category(tmp_path, ending, quoted):
    path = tmp_path / f"labels{ending}"
    if ending == ".parquet":
        kind = "category" if quoted else object
        LONG.assign(label=LONG["label"].astype(kind)).to_parquet(path)
    else:
        # Text with quotes is read row by row.
        quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        of_table(path, LONG, sep="\t" if ending == ".tsv" else ",", quoting=quoting)
    check(read_labels(path))
    check(read_labels(path, categories=["1.0", "2", "3", "4", 5]))
    check(read_labels(path, scale="ordinal"))
    order = read_labels(path, categories=["5.0", "1", "2", "3", "4"]).categories
    assert order == ("5", "1", "2", "3", "4")
    with pytest.raises(ReaderError, match=r"label '5' is not one of '1', '2', '3', '4'"):
        read_labels(path, categories=[1, 2, 3, 4])
    copy = tmp_path / f"copy{ending}"
    write_labels(read_labels(path), copy)
    check(read_labels(copy))


def test_floats_in_parquet_are_named_alike_whatever_else_is_in_the_column(tmp_path):
    column = [5.0, 4.5, None, float("nan"), -0.0, 1e15, -3.0]
    names = ["5", "4.5", None, None, "0", "1000000000000000", "-3"]
    for kind in (pa.float64(), pa.float32()):
        assert (
            as_text(pa.chunked_array([column[:3], column[3:]], kind)).to_pylist()[:5] == names[:5]
        )
    assert as_text(pa.chunked_array([column], pa.float64())).to_pylist() == names
    each = [as_text(pa.chunked_array([[x]], pa.float64())).to_pylist()[0] for x in column]
    assert each == names
    # The largest whole numbers that have no 64 bits keep their exponent.
    assert as_text(pa.chunked_array([[2.0, 1e19, -1e300]])).to_pylist() == ["2", "1e+19", "-1e+300"]
    frame = pd.DataFrame({"item": list("xyz"), "annotator": "a", "label": [1.0, 2.5, np.inf]})
    frame.to_parquet(tmp_path / "labels.parquet")
    with pytest.raises(ReaderError, match=r"labels\.parquet: Infinite numbers are not names"):
        read_labels(tmp_path / "labels.parquet")


# --- constructors

CATEGORIES = dict(zip("abcde", ["1", "2.0", "3", "4", "5.00"], strict=True))
OBJECTS = [float(k) if "." in k else int(k) for _, _, k in ROWS]
ITEM, ANNOTATOR, LABEL = (list(column) for column in zip(*ROWS, strict=True))


def directly():
    """Build annotations without a constructor that looks at names: each spelling has a code."""
    names = sorted(set(LABEL))
    columns = [pd.factorize(np.array(each, dtype=object)) for each in (ITEM, ANNOTATOR)]
    label = np.array([names.index(name) for name in LABEL], dtype=np.int16)
    (item, items), (annotator, annotators) = columns
    codes = (item.astype(np.int32), annotator.astype(np.int32), label)
    return Annotations(*codes, tuple(items), tuple(annotators), tuple(names))


CONSTRUCTORS = {
    "from_arrays, texts": lambda: Annotations.from_arrays(ITEM, ANNOTATOR, LABEL),
    "from_arrays, numbers": lambda: Annotations.from_arrays(ITEM, ANNOTATOR, OBJECTS),
    "from_arrays, decimals": lambda: Annotations.from_arrays(
        ITEM, ANNOTATOR, list(map(Decimal, LABEL))
    ),
    "from_arrays, categories": lambda: Annotations.from_arrays(
        ITEM, ANNOTATOR, LABEL, categories=[1, "2.0", 3.0, "4", "5"]
    ),
    "from_arrays, both spellings listed": lambda: Annotations.from_arrays(
        ITEM, ANNOTATOR, LABEL, categories=[x for n in "12345" for x in (n, f"{n}.0")]
    ),
    "from_arrays, floats": lambda: Annotations.from_arrays(
        ITEM, ANNOTATOR, np.array(OBJECTS, dtype=float)
    ),
    "from_frame": lambda: Annotations.from_frame(LONG),
    "from_frame, a categorical": lambda: Annotations.from_frame(
        LONG.assign(label=LONG["label"].replace("", None).astype("category"))
    ),
    "from_wide, texts": lambda: Annotations.from_wide(SAVED),
    "from_wide, numbers": lambda: Annotations.from_wide(WIDE),
    "from_wide, a list": lambda: Annotations.from_wide(SAVED.to_numpy().tolist()),
    "directly": directly,
    "pickled": lambda: pickled(directly()),
    "recode": lambda: Annotations.from_wide(LETTERS).recode(CATEGORIES),
    "relabel": lambda: EXPECTED.relabel(EXPECTED.label, categories=CATEGORIES.values()),
}


def pickled(labels):
    import pickle

    return pickle.loads(pickle.dumps(labels))


@pytest.mark.parametrize("name", CONSTRUCTORS)
def test_every_constructor_takes_both_spellings_for_one_category(name):
    check(CONSTRUCTORS[name]())


def test_every_constructor_has_a_case():
    """A new constructor is to be called here, too; sets and tables of counts are tested below."""
    built = {name for name in vars(Annotations) if name.startswith("from_")}
    tested = {name.partition(",")[0] for name in CONSTRUCTORS}
    assert built <= tested | {"from_sets", "from_contingency", "from_counts"}


def test_tables_of_counts_take_both_spellings_for_one_category():
    by_letter = Annotations.from_contingency([[4, 1, 2], [0, 3, 1], [1, 2, 5]])
    merged = Annotations.from_contingency(
        [[4, 1, 2], [0, 3, 1], [1, 2, 5]], categories=["1", "1.0", "2"]
    )
    assert merged.categories == ("1", "2")
    assert cohen_kappa(merged).estimate == pytest.approx(
        cohen_kappa(by_letter.recode({"0": "x", "1": "x", "2": "y"})).estimate, abs=1e-14
    )
    counts = pd.DataFrame([[2, 1, 0], [0, 1, 2]], columns=["1", "1.0", "2"])
    assert Annotations.from_counts(counts).counts.tolist() == [[3, 0], [1, 2]]


def test_elements_of_sets_are_written_alike():
    sets = [{"1.0", "2"}, {1, 2}, {"1", "1.0"}, {3.0}, None]
    labels = Annotations.from_sets(list("xxyyz"), list("ababa"), sets)
    assert labels.categories == ("{1}", "{3}", "{1, 2}")
    ordered = Annotations.from_sets(
        list("xxyyz"), list("ababa"), sets, elements=[3, "2.0", 1.0, "1"]
    )
    assert ordered.elements == ("3", "2", "1")
    with pytest.raises(AnnotationError, match="an element is listed twice"):
        Annotations.from_sets(["x"], ["a"], [{"1"}], elements=["1", "1"])


def test_a_list_that_names_a_category_twice_is_still_refused():
    for categories in (["1", "1"], [1, "1", "1.0"]):
        with pytest.raises(AnnotationError, match="label '1' is listed twice"):
            Annotations.from_arrays(["x"], ["a"], ["1"], categories=categories)
    labels = Annotations.from_arrays(list("xy"), list("aa"), ["1", "2"])
    with pytest.raises(AnnotationError, match=r"'1', '1\.0' are not different names"):
        labels.relabel([0, 1], categories=["1", "1.0"])
    with pytest.raises(AnnotationError, match="two new names are given for '1'"):
        labels.recode({"1": "a", "1.0": "b", "2": "c"})


def test_categories_are_sorted_as_they_are_written_back():
    names = ["10.0", "10-", "9", "-0.0", "2.00", "b"]
    n = len(names)
    labels = Annotations.from_arrays(list(range(n)), ["a"] * n, names)
    assert labels.categories == ("0", "10", "10-", "2", "9", "b")


# --- the rule

NUMBERS = st.integers(min_value=-(10**40), max_value=10**40)


@given(number=NUMBERS, zeros=st.integers(0, 30))
def test_any_number_of_zeros_makes_no_difference(number, zeros):
    name = f"{number}.{'0' * zeros}" if zeros else str(number)
    assert plain_number(name) == str(number)
    assert plain_number(plain_number(name)) == plain_number(name)


@given(name=st.one_of(st.text(max_size=8), st.text("0123456789.+-e,_ ", max_size=8)))
def test_names_that_are_made_one_are_equal_whole_numbers_without_leading_zeros(name):
    plain = plain_number(name)
    assert plain_number(plain) == plain
    if plain != name:
        assert Decimal(name) == Decimal(plain) == int(plain)
        assert plain.lstrip("+-") == str(abs(int(plain)))
        assert set(name) <= set("+-.0123456789")
        assert name[0] != "."
    parts = name.removeprefix("-").split(".")
    whole = len(parts) == 2 and parts[0].isascii() and parts[0].isdigit() and set(parts[1]) == {"0"}
    if whole and (parts[0] == "0" or parts[0][0] != "0"):
        assert plain == str(int(Decimal(name)))


@pytest.mark.parametrize(
    "name",
    [
        "01",
        "01.0",
        "00",
        "5.",
        ".0",
        "5.01",
        "1e3",
        "1,0",
        "１.0",
        " 5.0",
        "5.0 ",
        "5.0\n",
        "v2.0",
        "1.0.0",
        "--1.0",
        "٣.0",
        "1_0.0",
        "inf",
        "nan",
        "True",
        "",
    ],
)
def test_all_other_names_stay(name):
    assert plain_number(name) == name


def test_signs_and_numbers_that_are_no_text():
    assert [plain_number(name) for name in ("-1.0", "-0.0", "-0", "+1.0", "+1")] == [
        "-1",
        "0",
        "0",
        "+1",
        "+1",
    ]
    given = (5, 5.0, np.float32(5), np.int8(5), Decimal("5.00"), True, 2.5)
    assert list(map(plain_number, given)) == ["5", "5", "5", "5", "5", "True", "2.5"]
    assert plain_categories([2.0, "2", 1]) == ("2", "1")
    assert spelling_hint(["x", "7.0"], ["7"]).startswith(" '7.0' is written '7' there")
    assert spelling_hint(["7"], ["x", "7.0"]).startswith(" '7' is written '7.0' there")
    assert spelling_hint(["7"], ["8"]) == ""
    assert (
        spelling_hint(["NO "], ["yes", "no"]) == " 'NO ' is written 'no' there: write both alike."
    )


# --- doubts


@pytest.mark.parametrize("other", ["01", "1e0", "１", "1.", "+1", "1,0", "0.1e1"])
def test_other_equal_numbers_are_remarked_on_and_kept_apart(other):
    labels = Annotations.from_arrays(list("xyz"), list("aaa"), ["1", other, "2"])
    assert labels.n_categories == 3
    assert any(f"“{other}”" in text for text in doubtful_categories(labels))


def test_numbers_that_are_one_or_different_are_not_remarked_on():
    one, other = "12345678901234567890", "12345678901234567891"
    for names in (
        ["1", "1.0", "2"],
        ["-1", "0", "1"],
        ["1.5", "2.5"],
        ["1", "10", "100"],
        [one, other],
        ["1e999999999", "2"],
    ):
        labels = Annotations.from_arrays(list("xyz")[: len(names)], ["a"] * len(names), names)
        assert doubtful_categories(labels) == []
    assert doubtful_names(["1", "1_0", "10", "inf", "Infinity"]) == []


def test_items_and_annotators_with_both_spellings_stay_apart_and_are_remarked_on():
    labels = Annotations.from_arrays(["1", "1.0", "2.0", "2"], list("abab"), list("xyxy"))
    assert labels.n_items == 4
    [text] = doubtful_categories(labels)
    assert text.startswith("The items “1” and “1.0” count as different, and so does 1 other pair.")
    labels = Annotations.from_arrays(list("xyz"), ["7", "7.0", "8.0"], [1, 2, 3], scale="interval")
    [text] = doubtful_categories(labels)
    assert text.startswith("The annotators “7” and “7.0” count as different. If they")
