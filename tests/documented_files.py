"""The files that commands of the documentation are given, by the names that pages have for them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import documented
import nbformat
import numpy as np
import pandas as pd
from panels import skilled

#: People and judges of the tables of labels; "judge" and "gpt" are judges' names on several pages.
ANNOTATORS = ["ann", "bob", "cyd", "gpt", "gpt-4o", "llama"]


def labels() -> pd.DataFrame:
    """Return labels of people and of judges, where items belong to questions."""
    made = skilled(80, len(ANNOTATORS), missing=0.05)
    frame = made.annotations.to_frame()
    names = dict(zip(made.annotations.annotators, ANNOTATORS, strict=True))
    item = frame["item"].map(made.annotations.items.index)
    return pd.DataFrame(
        {
            "item": frame["item"],
            "annotator": frame["annotator"].map(names),
            "label": frame["label"].map({made.annotations.categories[0]: "no"}).fillna("yes"),
            "question": [f"q{n // 4}" for n in item],
        }
    )


def dated() -> pd.DataFrame:
    """Add to these labels when they were given, and what the items are about."""
    frame = labels()
    number = pd.factorize(frame["item"])[0]
    times = pd.Timestamp("2026-03-02 09:00") + pd.to_timedelta(number * 10, unit="min")
    return frame.assign(submitted=times, domain=["news" if n % 2 else "web" for n in number])


def gold() -> pd.DataFrame:
    """Return the majority's category of each item, as if it had been checked."""
    majority = labels().groupby("item")["label"].agg(lambda given: given.mode()[0])
    return majority.rename("gold").reset_index()


def model() -> pd.DataFrame:
    """Return a classifier's probabilities, on the side of the majority in four of five items."""
    known = gold()
    right = np.where(np.arange(len(known)) % 5, 0.8, 0.2)
    yes = np.where(known["gold"] == "yes", right, 1 - right)
    return pd.DataFrame({"item": known["item"], "no": 1 - yes, "yes": yes})


def answers() -> pd.DataFrame:
    """Return grades of two systems by a judge, and to forty questions by two people, too."""
    rng = np.random.default_rng(11)
    rows = []
    for n in range(150):
        ease = rng.normal(3, 0.7)
        for system, better, family in (("old", 0.0, "acme"), ("new", 0.5, "openai")):
            quality, words = ease + better + rng.normal(0, 0.4), 2 ** rng.normal(7 + better, 0.8)
            seen = quality + 0.2 * (family == "openai") + 0.2 * (np.log2(words) - 7)
            given = {"ann": quality, "bob": quality} if n < 40 else {}
            for who, score in (given | {"gpt-4o": seen}).items():
                grade = int(np.clip(round(score + rng.normal(0, 0.4)), 1, 5))
                language = "en" if n % 2 else "de"
                rows.append((f"q{n}", system, who, grade, language, int(words), family))
    columns = ["question", "system", "annotator", "label", "language", "words", "family"]
    return pd.DataFrame(rows, columns=columns)


def nightly() -> pd.DataFrame:
    """Return a judge's verdicts on 80 anchor items in eight runs, and those of two people."""
    rng = np.random.default_rng(12)
    rows = []
    for n in range(80):
        truth = n % 2
        for who in ("ann", "bob"):
            rows.append((f"a{n}", who, truth ^ (rng.random() < 0.1), ""))
        hard = rng.random() < 0.2
        for run in range(1, 9):
            label = truth ^ (rng.random() < (0.4 if hard else 0.05))
            rows.append((f"a{n}", "gpt-4o", label, f"2026-11-{run:02}"))
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label", "run"])
    return frame.assign(label=np.where(frame["label"], "correct", "wrong"))


def pairs() -> pd.DataFrame:
    """Return preferences among answers A and B, with the answer that was shown first."""
    rng = np.random.default_rng(5)
    rows = []
    for n in range(60):
        better = rng.choice(["A", "B"])
        for who in ("ann", "bob", "cyd"):
            label = better if rng.random() < 0.85 else rng.choice(["A", "B"])
            rows.append((f"p{n}", who, label, rng.choice(["A", "B"]), f"q{n // 3}"))
        for first in "AB":
            label = better if rng.random() < 0.7 else first
            rows.append((f"p{n}", "gpt-4o", label, first, f"q{n // 3}"))
    return pd.DataFrame(rows, columns=["item", "annotator", "label", "first", "question"])


def battles() -> pd.DataFrame:
    """Return judgements of pairs of four systems, two at a time, by three annotators."""
    rng = np.random.default_rng(8)
    names, strength = (
        np.array(["large", "medium", "small", "tiny"]),
        np.array([1.2, 0.8, 0.0, -1.0]),
    )
    left = rng.integers(4, size=400)
    right = (left + rng.integers(1, 4, size=400)) % 4
    weights = np.exp(np.column_stack([strength[left], strength[right]]))
    weights = np.column_stack([weights[:, 0], 0.4 * np.sqrt(weights.prod(axis=1)), weights[:, 1]])
    chance = weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True)
    outcome = (rng.random((400, 1)) > chance).sum(axis=1)
    annotator = rng.choice(["ann", "bob", "cyd"], size=400)
    guessed = (annotator == "cyd") & (rng.random(400) < 0.7)
    outcome = np.where(guessed, rng.choice(3, size=400, p=[0.7, 0.1, 0.2]), outcome)
    return pd.DataFrame(
        {
            "model_a": names[left],
            "model_b": names[right],
            "winner": np.array(["model_a", "tie", "model_b"])[outcome],
            "annotator": annotator,
        }
    )


def label_studio(path: Path) -> None:
    """Write an export of Label Studio with one question."""

    def annotation(n: int, who: int) -> dict[str, object]:
        chosen = {"choices": ["good" if (n + who // 2) % 3 else "bad"]}
        value = {"from_name": "sentiment", "to_name": "text", "type": "choices", "value": chosen}
        return {"id": 10 * n + who, "completed_by": who, "result": [value]}

    tasks = [
        {"id": n, "data": {"text": f"text {n}"}, "annotations": [annotation(n, w) for w in (1, 2)]}
        for n in range(6)
    ]
    path.write_text(json.dumps(tasks))


def brat(path: Path) -> None:
    """Write a project of brat with two annotators."""
    for who, end in (("lisa", 12), ("peter", 3)):
        (path / who).mkdir(parents=True)
        for n in (1, 2):
            text = f"Ada Lovelace met Mr. Babbage {n} times."
            (path / who / f"doc-{n}.txt").write_text(text)
            (path / who / f"doc-{n}.ann").write_text(f"T1\tPER 0 {end}\t{text[:end]}\n")
    (path / "annotation.conf").write_text("[entities]\nPER\n")


def doccano(path: Path) -> None:
    """Write the archive of a project of doccano, with a file for each annotator."""
    with zipfile.ZipFile(path, "w") as archive:
        for who, end in (("ann", 12), ("bob", 3)):
            marked = {"id": 1, "label": "PER", "start_offset": 0, "end_offset": end}
            line = {"id": 1, "text": "Ada Lovelace met him.", "entities": [marked], "relations": []}
            archive.writestr(f"{who}.jsonl", json.dumps(line) + "\n")


def inception(path: Path) -> None:
    """Write the archive of a project of INCEpTION with two annotators."""
    entity = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
    head = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={entity}|value\n"
    with zipfile.ZipFile(path, "w") as archive:
        documents = [{"name": "letter.txt", "user": u, "state": "FINISHED"} for u in ("ann", "bob")]
        archive.writestr("exportedproject.json", json.dumps({"annotation_documents": documents}))
        for who, label in (("ann", "PER"), ("bob", "LOC")):
            tokens = f"1-1\t0-3\tAda\t{label}\t\n1-2\t4-7\tmet\t_\t\n1-3\t8-11\tBob\tPER\t\n"
            text = f"{head}\n\n#Text=Ada met Bob\n{tokens}"
            archive.writestr(f"annotation/letter.txt/{who}.tsv", text)


def inspect_log(path: Path) -> None:
    """Write an archive of a log of Inspect."""
    head = {
        "version": 2,
        "status": "success",
        "eval": {"task": "popularity", "model": "openai/a", "run_id": "r"},
        "results": {"total_samples": 6, "completed_samples": 6},
    }
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(head))
        for n in range(6):
            grade = "C" if n % 3 else "I"
            sample = {
                "id": f"s{n}",
                "epoch": 1,
                "input": f"question {n}",
                "target": "yes",
                "output": {"completion": "yes"},
                "scores": {
                    "match": {"value": grade, "answer": "yes"},
                    "model": {"value": "C" if n % 2 else grade, "answer": "yes"},
                },
            }
            archive.writestr(f"samples/s{n}_epoch_1.json", json.dumps(sample))


def lewidi(path: Path) -> None:
    """Write a file of the shared task on learning with disagreements."""
    entries = {
        str(n): {
            "text": f"text {n}",
            "annotation task": "hate speech detection",
            "number of annotations": 3,
            "annotations": f"{n % 2},{n % 3 % 2},0",
            "annotators": "Ann1,Ann2,Ann3",
            "lang": "en",
            "hard_label": "0",
            "soft_label": {"0": 0.67, "1": 0.33},
            "split": "train",
            "other_info": {},
        }
        for n in range(6)
    }
    path.write_text(json.dumps(entries))


def potato(path: Path) -> None:
    """Write the output of a task of Potato with two users."""
    for who, shift in (("u1", 0), ("u2", 1)):
        given = {
            f"i{n}": [
                [{"schema": "sentiment", "name": "good" if (n + shift) % 3 else "bad"}, "true"]
            ]
            for n in range(6)
        }
        state = {
            "user_id": who,
            "instance_id_ordering": list(given),
            "instance_id_to_label_to_value": given,
            "instance_id_to_span_to_value": {},
            "phase_to_page_to_label_to_value": {},
        }
        (path / who).mkdir(parents=True)
        (path / who / "user_state.json").write_text(json.dumps(state))


def toloka(path: Path) -> None:
    """Write the results of a pool of Toloka."""
    columns = ["INPUT:image", "OUTPUT:result", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"]
    rows = [
        (f"{n}.jpg", "cat" if (n + who) % 3 else "dog", f"w{who}", "APPROVED")
        for n in range(6)
        for who in range(3)
    ]
    pd.DataFrame(rows, columns=columns).to_csv(path, sep="\t", index=False)


def wide(path: Path) -> None:
    """Write a table with a column for each annotator, called by people's names."""
    path.write_text("id,Ann,Bob\n" + "".join(f"i{n},{n % 2},{n % 3 % 2}\n" for n in range(8)))


def scans(path: Path) -> None:
    """Write a table of three people with a number of the row."""
    rows = [f"{n},{n % 2},{n % 3 % 2},{n % 5 % 2}\n" for n in range(8)]
    path.write_text("scan,anna,ben,carla\n" + "".join(rows))


def submissions(path: Path) -> None:
    """Write a notebook of a student."""
    path.mkdir()
    cell = nbformat.v4.new_code_cell(
        'import annobench_course as course\nsession = course.session("01_chance", student="Ann")\n'
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path / "ann.ipynb")


def table(frame: Callable[[], pd.DataFrame]) -> Callable[[Path], None]:
    """Return what writes a table."""
    return lambda path: frame().to_csv(path, index=False)


#: What the page on comparing a method shows.
METHOD = documented.files("docs/how-to/compare-a-method.md")["my_method.py"]

#: By the names of files and folders: what writes them.
WRITERS: dict[str, Callable[[Path], None]] = {
    "labels.csv": table(labels),
    "dated.csv": table(dated),
    "pilot.csv": table(labels),
    "gold.csv": table(gold),
    "model.csv": table(model),
    "checked.csv": table(gold),
    "pairs.csv": table(pairs),
    "answers.csv": table(answers),
    "nightly.csv": table(nightly),
    "battles.csv": table(battles),
    "my_method.py": lambda path: path.write_text(METHOD) and None,
    "export.json": label_studio,
    "project": brat,
    "project.zip": doccano,
    "logs/2025-02-11_popularity.eval": inspect_log,
    "HS-Brexit_train.json": lewidi,
    "annotation_output": potato,
    "assignments.tsv": toloka,
    "table.csv": wide,
    "submissions": submissions,
    "participants.csv": lambda path: path.write_text("Username,Email address\nAnn,\n") and None,
    "students.txt": lambda path: path.write_text("Ann\nBob\n") and None,
    "secret.txt": lambda path: path.write_text("a long secret of the teacher's\n") and None,
}
#: Where a name means another file than on other pages.
OF_PAGES = {
    ("docs/how-to/exports/inception.md", "project.zip"): inception,
    ("docs/how-to/exports/tables.md", "table.csv"): scans,
}
