"""Second readers of tables from crowdsourcing platforms, as those of `second_layouts`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from faults.fuzzing import UnclearError
from faults.second_layouts import rows_in
from faults.second_readers import Answer, is_name, name, plain, unique


def of_tasks(*tasks: tuple[str, Any]) -> str:
    return json.dumps([{"task": task, "value": value} for task, value in tasks])


MARK = {"tool": 0, "tool_label": "Palm", "x": 1, "details": []}
CHOICE = {"choice": "FOX", "answers": {"N": "2", "DOING": ["RUNS"]}}
MENU = {"select_label": "Year", "option": True, "value": "v", "label": "1901"}
ZOONIVERSE = ["user_name", "workflow_id", "gold_standard", "annotations", "subject_data"]

#: Header and rows of a small sound table of each.
TABLES: dict[str, list[list[list[str]]]] = {
    "appen": [
        [
            ["_unit_id", "_golden", "_tainted", "_worker_id", "q", "why", "q_gold", "why_gold"],
            ["1", "false", "false", "w1", "a", "because", "", ""],
            ["1", "false", "false", "w2", "b", "line\nline", "", ""],
            ["2", "true", "true", "w2", "a", "", "b", ""],
        ],
        [
            ["_unit_id", "_golden", "_unit_state", "q", "q:confidence", "text"],
            ["1", "false", "finalized", "a", "0.5", "t"],
            ["2", "false", "judging", "a\nb", "1.0", "t"],
        ],
    ],
    "zooniverse": [
        [
            [*ZOONIVERSE, "subject_ids"],
            ["ann", "7", "", of_tasks(("T0", "Yes"), ("T1", ["a", "b"])), "{}", "1"],
            ["bob", "7", "", of_tasks(("T0", None), ("T2", [CHOICE])), "{}", "1"],
            ["not-logged-in-1", "7", "true", of_tasks(("T0", "No")), "{}", "2"],
        ],
        [
            ZOONIVERSE,
            ["ann", "7", "", of_tasks(("T0", [MARK, MARK | {"tool": 1}])), '{"5": {}}'],
            ["bob", "8", "", of_tasks(("T0", [MENU]), ("T1", 2)), '{"6": {"f": "x"}}'],
        ],
    ],
}


def zooniverse(data: bytes) -> list[Answer]:
    rows = [row for row in rows_in(TABLES["zooniverse"], data) if row["user_name"]]
    everything = rows_in(TABLES["zooniverse"], data)
    several = len({row["workflow_id"] for row in everything}) > 1
    found: list[Answer] = []
    for row in rows:
        about = parsed(row["subject_data"] or "{}")
        item = row.get("subject_ids") or ";".join(about or {})
        if not item:
            raise UnclearError  # a made name
        status = "curated" if row["gold_standard"].casefold() == "true" else "done"
        before = row["workflow_id"] + "/" if several else ""
        for task in parsed(row["annotations"]) or []:
            for question, label in of_task(task):
                found.append((item, row["user_name"], before + question, label, status))
    return found


def parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=unique)


def of_task(task: dict[str, Any]) -> list[tuple[str, Any]]:
    value = task.get("value") if isinstance(task, dict) else task
    if isinstance(value, list) and any(isinstance(p, dict) and "task" in p for p in value):
        raise UnclearError  # a combination of tasks
    question = name((task or {}).get("task"))
    if isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
        if all("choice" in part for part in value):
            answers = [(question, frozenset(name(part["choice"]) for part in value))]
            for part in value:
                for asked, answer in (part.get("answers") or {}).items():
                    answers += of_task(
                        {"task": f"{question}.{name(part['choice'])}.{asked}", "value": answer}
                    )
            return answers
        if all("tool" in part for part in value):
            tools = [
                name(p["tool_label"]) if is_name(p.get("tool_label")) else f"tool {p['tool']}"
                for p in value
            ]
            return [(question, frozenset(tools))]
        if len(value) == 1 and "option" in value[0]:
            [menu] = value
            label = name(menu["label"]) if is_name(menu.get("label")) else menu.get("value")
            if isinstance(label, dict | list):
                raise UnclearError
            return [(question, plain(label))]
        raise UnclearError
    if isinstance(value, list):
        if not all(isinstance(part, str) for part in value):
            raise UnclearError
        return [(question, frozenset(value) or None)]
    if isinstance(value, dict):
        if "selection" in value:
            raise UnclearError
        return []
    return [(question, plain(value))]


def appen(data: bytes) -> list[Answer]:
    rows = rows_in(TABLES["appen"], data)
    found: list[Answer] = []
    for row in rows:
        aggregated = "_unit_state" in row
        who = "consensus" if aggregated else row["_worker_id"]
        if not row["_unit_id"] or not who:
            continue
        if aggregated:
            final = row["_unit_state"].strip().casefold() in ("finalized", "golden", "")
            status = "done" if final else "unfinished"
        else:
            status = "rejected" if row["_tainted"].strip().casefold() == "true" else "done"
        for question in ("q",) if aggregated else ("q", "why"):
            cells = [ticked(each[question]) for each in rows]
            is_text = any(len(line) > 60 for cell in cells for line in cell)
            if any(len(set(cell)) > 1 for cell in cells) and not is_text:
                label: Any = frozenset(ticked(row[question])) or None
            else:
                label = row[question].strip() or None
            found.append((row["_unit_id"], who, question, label, status))
    return found


def ticked(cell: str) -> list[str]:
    return [line.strip() for line in cell.splitlines() if line.strip()]


READERS: dict[str, Callable[[bytes], list[Answer]]] = {"appen": appen, "zooniverse": zooniverse}
