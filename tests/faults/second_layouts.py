"""Second readers of tables from other tools, each sure of the headers that its inputs have.

They give (item, annotator, question, label, status) by row, and raise `UnclearError` where a
header was harmed or a cell may hold more than a text.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from faults.fuzzing import UnclearError
from faults.rows import BadTextError, decoded, rows_of, table_of
from faults.second_readers import Answer, OddError, is_name, name, numeric, options, plain

#: Header and rows of a small sound table of each.
TABLES: dict[str, list[list[list[str]]]] = {
    "crowd_kit": [
        [["worker", "left", "right", "label"], ["w1", "b", "a", "a"], ["w2", "a", "b", "b"]],
        [["task", "worker", "text"], ["1", "w1", "a b"], ["1", "w2", "a, c"], ["2", "w2", ""]],
    ],
    "wide": [
        [["id", "rater1", "rater2", "rater3"], ["x", "a", "b", ""], ["y", "a", "a", "a"]],
    ],
    "category_columns": [
        [
            ["item", "annotator", "joy", "fear", "sure"],
            ["x", "ann", "1", "0", "true"],
            ["x", "bob", "1", "1", "False"],
            ["y", "bob", "0", "0", "true"],
        ]
    ],
    "list_cells": [
        [
            ["id", "annotators", "labels"],
            ["x", '["a", "b"]', '["p", "q"]'],
            ["y", "['a']", "[['p', 'q']]"],
            ["z", '[1, "b"]', "[0.5, null]"],
        ]
    ],
    "mturk": [
        [
            [
                "HITId",
                "WorkerId",
                "AssignmentStatus",
                "Input.id",
                "Answer.q",
                "Answer.t.a",
                "Answer.t.b",
            ],
            ["h1", "w1", "Approved", "17", "yes", "true", "false"],
            ["h1", "w2", "Rejected", "17", "no|maybe", "true", "true"],
            ["h2", "w2", "Submitted", "18", "", "false", "false"],
        ]
    ],
    "toloka": [
        [
            ["INPUT:text", "OUTPUT:r", "GOLDEN:r", "ASSIGNMENT:worker_id", "ASSIGNMENT:status"],
            ["t 1", "yes", "", "w1", "APPROVED"],
            ["t 1", "no", "", "w2", "REJECTED"],
            ["t 2", "yes", "no", "w1", ""],
        ]
    ],
    "popquorn": [
        [
            ["instance_id", "user_id", "gender", "age", "offense"],
            ["i1", "u1", "f", "20-30", "1"],
            ["i1", "u2", "m", "30-40", "4.5"],
            ["i2", "u2", "m", "30-40", "5.0"],
        ]
    ],
    "doccano": [
        [
            ["id", "text", "label"],
            ["1", "a text", "good"],
            ["2", "b text", "good#bad"],
            ["3", "c", ""],
        ]
    ],
    "folder": [
        [["id", "label"], ["x", "yes"], ["y", "no"], ["z", ""]],
    ],
}

Row = dict[str, str]


def rows_by(kind: str, data: bytes, *, ragged: bool = False) -> list[Row]:
    return rows_in(TABLES[kind], data, ragged=ragged)


def rows_in(tables: list[list[list[str]]], data: bytes, *, ragged: bool = False) -> list[Row]:
    first = decoded(data).lstrip("\r\n").split("\n")[0].split("\r")[0]
    for table in tables:
        for delimiter in ",\t;":
            try:
                header = rows_of(first, delimiter)
            except BadTextError:
                continue
            if header == [table[0]]:
                return table_of(data, delimiter, ragged=ragged)
    raise UnclearError


def is_category(cell: str) -> bool:
    return len(cell) <= 60 and "\n" not in cell


def is_json(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), dict | list)
    except (ValueError, RecursionError):
        return False


def needed(*names: str) -> None:
    if not all(names):
        raise OddError("no name")


def crowd_kit(data: bytes) -> list[Answer]:
    found = []
    for row in rows_by("crowd_kit", data):
        item = row.get("task") or " | ".join(sorted((row.get("left", ""), row.get("right", ""))))
        if ("task" in row and not row["task"]) or not row["worker"]:
            continue
        question = "text" if "task" in row else "label"
        found.append((item, row["worker"], question, row[question] or None, "done"))
    return found


def wide(data: bytes) -> list[Answer]:
    rows = rows_by("wide", data)
    columns = [
        n for n in ("rater1", "rater2", "rater3") if all(is_category(r[n]) for r in rows[:50])
    ]
    if len(columns) < 2 or not rows:
        raise UnclearError
    return [
        (row["id"], column, "label", row[column], "done")
        for row in rows
        for column in columns
        if row["id"] and row[column]
    ]


def category_columns(data: bytes) -> list[Answer]:
    rows = rows_by("category_columns", data)
    chosen = {"0": False, "0.0": False, "": False, "1": True, "1.0": True}
    columns = [
        n
        for n in ("joy", "fear", "sure")
        if all(row[n] in chosen for row in rows[:50]) and any(row[n] for row in rows[:50])
    ]
    flags = [n for n in rows[0] if all(row[n].casefold() in ("true", "false") for row in rows[:50])]
    found = []
    for row in rows:
        if row["item"] and row["annotator"]:
            given = frozenset(n for n in columns if chosen[row[n]])
            found.append((row["item"], row["annotator"], "categories", given or None, "done"))
            answers = ((n, row[n].casefold() or None) for n in flags)
            found += [(row["item"], row["annotator"], n, label, "done") for n, label in answers]
    return found


def list_cells(data: bytes) -> list[Answer]:
    found = []
    rows = rows_by("list_cells", data)
    given = [(row["id"], *(listed(row[n]) for n in ("annotators", "labels"))) for row in rows]
    if any(len(who) != len(labels) for _, who, labels in given):
        raise UnclearError
    for item, who, labels in given:
        for annotator, label in zip(who, labels, strict=True):
            needed(item, written(annotator))
            if isinstance(label, list):
                label = frozenset(written(part) for part in label) or None
            else:
                label = written(label) or None
            found.append((item, written(annotator), "labels", label, "done"))
    return found


def listed(cell: str) -> list[object]:
    """A list as JSON or as Python writes texts; empty for an empty cell."""
    if cell == "":
        return []
    if not cell.lstrip().startswith("["):
        raise UnclearError
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        pass
    if '"' in cell or "\\" in cell or not cell.isascii():
        raise UnclearError
    try:
        found = json.loads(cell.replace("'", '"'))
    except (ValueError, RecursionError) as error:
        raise UnclearError from error
    return found


def written(value: object) -> str:
    if isinstance(value, list | dict) or (isinstance(value, float) and abs(value) == float("inf")):
        raise UnclearError
    return plain(value) or ""


def mturk(data: bytes) -> list[Answer]:
    rows = rows_by("mturk", data, ragged=True)
    boxes = {n: [row[f"Answer.t.{n}"].strip().casefold() for row in rows] for n in "ab"}
    ticks = [
        n
        for n, cells in boxes.items()
        if set(cells) <= {"true", "false", ""} and set(cells) & {"true", "false"}
    ]
    if any(is_json(row[n]) for row in rows for n in row if n.startswith("Answer.")):
        raise UnclearError
    inputs: dict[str, str] = {}
    for row in rows:
        inputs.setdefault(row["HITId"], row["Input.id"])
    by_input = all(0 < len(shown) <= 200 for shown in inputs.values())
    first: dict[str, str] = {}
    items = {
        hit: shown if by_input else first.setdefault(shown, hit) for hit, shown in inputs.items()
    }
    done = {(row["HITId"], row["WorkerId"]) for row in rows if row["WorkerId"]}
    again = {
        hit
        for hit, who in done
        if any(other != hit and inputs[other] == inputs[hit] and w == who for other, w in done)
    }
    if len(inputs) > 1 and (len(set(inputs.values())) == 1 or 2 * len(again) > len(inputs)):
        items = {hit: hit for hit in inputs}
    states = {"approved": "done", "submitted": "done", "": "done", "rejected": "rejected"}
    found = []
    for n, row in enumerate(rows):
        if not row["WorkerId"]:
            continue
        needed(items[row["HITId"]])
        status = states.get(row["AssignmentStatus"].strip().casefold(), "unfinished")
        who = items[row["HITId"]], row["WorkerId"]
        if len(ticks) == 1:
            found.append((*who, f"t.{ticks[0]}", boxes[ticks[0]][n] or None, status))
        elif ticks:
            chosen = frozenset(box for box in ticks if boxes[box][n] == "true")
            found.append((*who, "t", chosen or None, status))
        for column in ("q", *(f"t.{box}" for box in boxes if box not in ticks)):
            label = several(row[f"Answer.{column}"])
            found.append((*who, column, label, status))
    # A field that nobody filled in is no question; rows without a worker count, too.
    used = {
        column for column in ("q", "t.a", "t.b") if any(row[f"Answer.{column}"] for row in rows)
    }
    if any("true" in boxes[box] for box in ticks):
        used.add("t")
    return [answer for answer in found if answer[2] in used]


def several(cell: str) -> object:
    """Options with bars between, or a text; nothing for an empty cell."""
    parts = cell.split("|")
    if len(parts) > 1 and all(p and p == p.strip() and len(p) <= 60 for p in parts):
        return frozenset(parts)
    return cell or None


def toloka(data: bytes) -> list[Answer]:
    rows = rows_by("toloka", data, ragged=True)
    if any(is_json(row[n]) for row in rows for n in ("OUTPUT:r", "GOLDEN:r")):
        raise UnclearError
    states = {"": "done", "APPROVED": "done", "ACCEPTED": "done", "SUBMITTED": "done"}
    states |= {"REJECTED": "rejected", "SKIPPED": "skipped"}
    return [
        (
            row["INPUT:text"] or f"row {n}",
            row["ASSIGNMENT:worker_id"],
            "r",
            row["OUTPUT:r"] or None,
            states.get(row["ASSIGNMENT:status"].strip().upper(), "unfinished"),
        )
        for n, row in enumerate(rows, start=1)
        if row["ASSIGNMENT:worker_id"]
    ]


def popquorn(data: bytes) -> list[Answer]:
    rows = rows_by("popquorn", data)
    if not all(is_category(row["offense"]) for row in rows[:50]):
        raise UnclearError
    return [
        (row["instance_id"], row["user_id"], "offense", plain(numeric(row["offense"])), "done")
        for row in rows
        if row["instance_id"] and row["user_id"]
    ]


def doccano(data: bytes) -> list[Answer]:
    found = []
    for row in rows_by("doccano", data):
        item = row["id"] if is_name(row["id"]) else name(row["text"])
        labels = [name(label) for label in row["label"].split("#") if label]
        if labels:
            found.append((item, "export", "label", options(labels), "done"))
    return found


def folder(data: bytes) -> list[Answer]:
    found = []
    for row in rows_by("folder", data):
        if row["label"].lstrip().startswith("["):
            raise UnclearError
        if row["id"]:
            found.append((row["id"], "export", "label", row["label"] or None, "done"))
    return found


#: The second reader of each format.
READERS: dict[str, Callable[[bytes], list[Answer]]] = {
    "crowd_kit": crowd_kit,
    "wide": wide,
    "category_columns": category_columns,
    "list_cells": list_cells,
    "mturk": mturk,
    "toloka": toloka,
    "popquorn": popquorn,
    "doccano": doccano,
    "folder": folder,
}
