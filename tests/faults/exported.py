"""What a reader of exports found, in the form in which second readers say it."""

from __future__ import annotations

from typing import Any

from faults.rows import category
from faults.second_readers import Found

from annobench.io.formats import Export
from annobench.io.formats.base import STATUSES


def held(export: Export) -> Found:
    """Return all answers and marks, before anything is chosen from them."""
    intake = export._intake
    items, annotators, questions, labels = (
        list(names.codes)
        for names in (intake.items, intake.annotators, intake.questions, intake.labels)
    )
    answers = [
        (items[i], annotators[a], questions[q], None if n < 0 else shown(labels[n]), STATUSES[s])
        for i, a, q, n, s in zip(
            intake.item,
            intake.annotator,
            intake.question_of,
            intake.label,
            intake.status,
            strict=True,
        )
    ]
    marks = [
        (m.document, m.annotator, m.layer, [tuple(span[:3]) for span in m.spans], m.status)
        for m in intake.marked
    ]
    return answers, marks


def shown(label: Any) -> Any:
    """Write a number as people do."""
    if isinstance(label, float):
        return str(int(label)) if abs(label) < 1e300 and label == int(label) else str(label)
    return label


def compare_labels(export: Export) -> None:
    """Be sure that the finished answers to a question are its labels."""
    answers, _ = held(export)
    for question in export._intake.questions.codes:
        rows = [
            (item, who, label)
            for item, who, asked, label, status in answers
            if asked == question and status == "done" and label is not None
        ]
        if not rows or any(isinstance(label, frozenset) for *_, label in rows):
            continue
        rows = [(item, who, category(label)) for item, who, label in rows]
        labels = export.labels(question, repeats="all", gold_items="use", scale="nominal")
        assert list(labels.to_frame().itertuples(index=False, name=None)) == rows
