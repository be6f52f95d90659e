"""Inputs of every kind on which each option of the commands that read labels matters."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
from partitioning import partitioned

from annobench.labels.annotations import Annotations

PEOPLE = ("ann@x.org", "bob@x.org", "cem@x.org")


def panel(n_items: int = 24, categories: str = "123") -> pd.DataFrame:
    """Labels of three people, two of whom err on items of their own."""
    rows = []
    for n in range(n_items):
        truth = n % len(categories)
        for j, name in enumerate(PEOPLE):
            shift = (j == 1 and n % 4 == 0) + 2 * (j == 2 and n % 3 == 0)
            rows.append((f"i{n:02}", name, categories[(truth + shift) % len(categories)]))
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def long(folder: Path, variant: str = "") -> Path:
    """One row per label, with further columns that may be meant."""
    frame = panel()
    number = frame["item"].str[1:].astype(int)
    turn = frame.index % len(PEOPLE)
    frame["unit"] = [f"u{(n + 5 * k) % 24:02}" for n, k in zip(number, turn, strict=True)]
    frame["who"] = [f"p{(k * 7) % 3}" if k % 5 else f"p{k % 3}" for k in frame.index]
    frame["triple"] = [f"t{n % 12}" for n in number]
    frame["other"] = frame["label"].where(number % 5 > 0, "1")
    frame["sentence"] = "sentence of " + frame["item"]
    frame["text"] = "about " + frame["item"]
    frame["document"] = [f"d{n // 4}" for n in number]
    frame["known"] = [str(n % 3 + 1) for n in number]
    frame["first"] = [str(1 + (n + k) % 2) for n, k in zip(number, turn, strict=True)]
    if variant == "book":
        return book(folder / "long.xlsx", frame)
    if variant == "columns":
        # Nobody labels an item twice.
        frame["who"] = frame["annotator"].str[0]
        swapped = frame["item"].isin(["i00", "i01", "i02", "i03", "i04"])
        frame.loc[swapped, "who"] = frame.loc[swapped, "annotator"].map(
            dict(zip(PEOPLE, "bca", strict=True))
        )
    elif variant == "repeated":
        again = frame.iloc[:9].assign(label=["2", "3", "1"] * 3)
        frame = pd.concat([frame, again], ignore_index=True)
    elif variant == "dated":
        frame["day"] = [f"2026-03-{n + 1:02}" for n in number]
    elif variant == "gappy":
        frame.loc[[4, 13, 29], "label"] = ""
    elif variant == "sets":
        frame["label"] = frame["label"].map({"1": "a;b,c", "2": "a", "3": "b,c;a"})
    elif variant == "pairs":
        frame["label"] = np.where(frame["label"] == "1", "1", "2")
    path = folder / f"long_{variant}.csv"
    frame.to_csv(path, index=False)
    return path


def wide(folder: Path, variant: str = "") -> Path:
    """A column per annotator."""
    table = panel().pivot(index="item", columns="annotator", values="label").reset_index()
    table.columns = ["id", "rater_1", "rater_2", "rater_3"]
    number = table["id"].str[1:].astype(int)
    table.insert(1, "place", [f"p{n:02}" if n % 6 else "" for n in number])
    table["text"] = "about " + table["id"]
    table["sentence"] = "sentence of " + table["id"]
    table["document"] = [f"d{n // 4}" for n in number]
    table["known"] = [str(n % 3 + 1) for n in number]
    if variant == "repeated":
        table = pd.concat([table, table.iloc[:5].assign(rater_1="3")], ignore_index=True)
    elif variant == "backwards":
        table["other"] = table["id"].to_numpy()[::-1]
        known = pd.DataFrame({"item": table["id"], "other": table["id"], "gold": table["known"]})
        known.to_csv(folder / "backwards_gold.csv", index=False)
    elif variant == "lists":
        answers = table[["rater_1", "rater_2", "rater_3"]].to_numpy()
        table = table[["id", "sentence"]].assign(
            annotators=str(["ann", "bob", "cem"]),
            grade=[str(list(row)) for row in answers],
            mood=[str(list(row[[1, 0, 2]])) for row in np.roll(answers, 1, axis=0)],
        )
    elif variant == "people":
        table = table[["id", "rater_1", "rater_2", "rater_3"]].set_axis(["id", *PEOPLE], axis=1)
    elif variant == "tallied":
        table["n"] = [1 + k % 3 for k in number]
    elif variant == "headed":
        below = pd.DataFrame([dict.fromkeys(["rater_1", "rater_2", "rater_3"], "label")])
        below = below.reindex(columns=table.columns, fill_value="")
        table = pd.concat([below, table], ignore_index=True)
    elif variant == "book":
        return book(folder / "wide.xlsx", table)
    elif variant == "sets":
        pattern = {"1": "a;b,c", "2": "a", "3": "b,c;a"}
        for name in ("rater_1", "rater_2", "rater_3"):
            table[name] = table[name].map(pattern)
    path = folder / f"wide_{variant}.csv"
    table.to_csv(path, index=False)
    return path


def book(path: Path, second: pd.DataFrame) -> Path:
    """A workbook of two sheets, the first of items of which nothing more is known."""
    name = second.columns[0]
    with pd.ExcelWriter(path) as writer:
        first = second.assign(**{name: "first " + second[name]})
        first.to_excel(writer, sheet_name="first", index=False)
        second.to_excel(writer, sheet_name="second", index=False)
    return path


def export(folder: Path, variant: str = "") -> Path:
    """Label Studio's JSON, with two questions and all that comes of work."""
    if variant == "controls":
        return controls(folder)
    tasks = []
    frame = panel()
    for n, (name, group) in enumerate(frame.groupby("item")):
        annotations = []
        for j, row in enumerate(group.itertuples()):
            results = [_choice("grade", row.label)]
            if variant == "questions":
                results.append(_choice("mood", "12"[(n + j) % 2]))
            if variant == "sets":
                results = [_choice("grade", {"1": "a;b,c", "2": "a", "3": "b,c;a"}[row.label])]
            if variant == "empty" and (n, j) in ((1, 1), (4, 0), (9, 2)):
                results = [_choice("mood", "1")]
            annotations.append(
                {
                    "id": 10 * n + j,
                    "completed_by": 7
                    if variant == "session"
                    else {"id": j, "email": row.annotator},
                    "result": results,
                    "was_cancelled": variant == "skipped" and n % 6 == j,
                    "ground_truth": False,
                }
                | ({"created_at": f"2026-03-{n + 1:02}T10:00:00Z"} if variant == "dated" else {})
            )
        if variant == "repeated" and n < 3:
            annotations.append(annotations[0] | {"id": 1000 + n, "result": [_choice("grade", "3")]})
        data = {
            "text": f"about {name}",
            "sentence": f"sentence of {name}",
            "document": f"d{n // 4}",
            "known": str(n % 3 + 1),
        }
        tasks.append({"id": n, "data": data, "annotations": annotations, "predictions": []})
    if variant == "session":
        home = folder / "export_session"
        home.mkdir(exist_ok=True)
        for j, name in enumerate(("ann", "bob", "cem")):
            own = [task | {"annotations": [task["annotations"][j]]} for task in tasks]
            (home / f"{name}.json").write_text(json.dumps(own))
        return home
    path = folder / f"export_{variant}.json"
    path.write_text(json.dumps(tasks))
    return path


def _who(variant: str, number: int, email: str) -> object:
    return 7 if variant == "session" else {"id": number, "email": email}


def _choice(question: str, label: str) -> dict[str, object]:
    return {
        "id": f"{question}{label}",
        "type": "choices",
        "from_name": question,
        "to_name": "text",
        "value": {"choices": [label]},
    }


def controls(folder: Path) -> Path:
    """Toloka's results, with control tasks among them."""
    frame = panel()
    gold = frame["item"].isin(["i00", "i01", "i02", "i03", "i04"])
    table = pd.DataFrame(
        {
            "INPUT:text": "sentence of " + frame["item"],
            "OUTPUT:grade": frame["label"],
            "GOLDEN:grade": np.where(gold, "1", ""),
            "ASSIGNMENT:task_id": frame["item"],
            "ASSIGNMENT:assignment_id": [f"a{n}" for n in frame.index],
            "ASSIGNMENT:worker_id": frame["annotator"].str[0],
            "ASSIGNMENT:status": "APPROVED",
        }
    )
    names = [f"sentence of i{n:02}" for n in range(24)]
    known = pd.DataFrame({"item": names, "gold": [str(n % 3 + 1) for n in range(24)]})
    known.to_csv(folder / "controls_gold.csv", index=False)
    path = folder / "controls.tsv"
    table.to_csv(path, sep="\t", index=False)
    return path


def spans(folder: Path, variant: str = "") -> Path:
    """Marked spans of two layers in Label Studio's JSON."""
    texts = [f"Ann met Bob in Rome, day {n} of Cem." for n in range(8)]
    words = [[(m.start(), m.end()) for m in re.finditer(r"\w+", text)] for text in texts]
    tasks = []
    for n, text in enumerate(texts):
        annotations = []
        for j, name in enumerate(PEOPLE):
            chosen = [0, 2, 4] if (n + j) % 3 else [0, 4]
            results = [
                _span("name", *words[n][w], ("person", "place")[(w + n * (j == 2)) % 4 == 0])
                for w in chosen
            ]
            if variant == "layers":
                results += [_span("verb", *words[n][1], "verb")] if (n + j) % 4 else []
            annotations.append(
                {
                    "id": 10 * n + j,
                    "completed_by": _who(variant, j, name),
                    "result": results,
                    "was_cancelled": variant == "skipped" and n % 4 == j,
                }
            )
        if variant == "repeated" and n < 3:
            other = _span("name", *words[n][3], "place")
            annotations.append(annotations[0] | {"id": 1000 + n, "result": [other]})
        tasks.append({"id": n, "data": {"text": text}, "annotations": annotations})
    if variant == "session":
        home = folder / "spans_session"
        home.mkdir(exist_ok=True)
        for j, name in enumerate(("ann", "bob", "cem")):
            own = [task | {"annotations": [task["annotations"][j]]} for task in tasks]
            (home / f"{name}.json").write_text(json.dumps(own))
        return home
    path = folder / f"spans_{variant}.json"
    path.write_text(json.dumps(tasks))
    return path


def _span(layer: str, start: int, end: int, label: str) -> dict[str, object]:
    return {
        "id": f"{layer}{start}-{end}",
        "type": "labels",
        "from_name": layer,
        "to_name": "text",
        "value": {"start": start, "end": end, "labels": [label]},
    }


def partitions(folder: Path, variant: str = "") -> Path:
    """A folder as `annobench partition` writes it."""
    home = folder / f"partitions_{variant}"
    home.mkdir()
    frame = panel()
    if variant == "repeated":
        frame = pd.concat([frame, frame.iloc[:9].assign(label=["2", "3", "1"] * 3)])
    partitioned(Annotations.from_frame(frame), home, 3)
    return home


def gold_of(path: Path, of: str, *, every: int = 7) -> None:
    """Known categories of half of the items, some of which surprise."""
    name = "{}" if of == "export" else "i{:02}"
    known = [(name.format(n), str((n + (n % every == 0)) % 3 + 1)) for n in range(0, 24, 2)]
    if of == "spans":
        known = [(f"{n}:0-3", "place" if n % every == 1 else "person") for n in range(8)]
    pd.DataFrame(known, columns=["item", "gold"]).to_csv(path, index=False)


#: What a command has to be told of an input.
_ALIKE = {
    "guess": "0.2,0.3,0.5",
    "other_guess": "0.6,0.3,0.1",
    "judge": "person-1",
    "other_judge": "person-2",
    "category": "1",
}
WORDS = {
    "long": _ALIKE,
    "wide": _ALIKE | {"judge": "rater_1", "other_judge": "rater_2"},
    "export": _ALIKE,
    "spans": _ALIKE | {"category": "place"},
    "partitions": _ALIKE,
    "dask": _ALIKE,
    "datasets": _ALIKE,
    "checked": _ALIKE,
}
