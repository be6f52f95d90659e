"""Labels that are written in a layout are read back from it, whatever they are."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annobench import agreement
from annobench.io import select_labels

#: The label of an annotator on an item, by both.
Labels = dict[tuple[str, str], str]

PEOPLE = ["Anna", "Ben", "Carla", "Dilek", "Max", "Alpha", "raters", "person"]
CATEGORIES = ["pos", "neg", "neutral", "1", "2", "10", "yes, but", 'a "quote"', "x;y"]


@st.composite
def some_labels(draw, *, complete=False):
    """Labels of some people on some items, each item with two labels or more."""
    people = draw(st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=5, unique=True))
    categories = draw(st.lists(st.sampled_from(CATEGORIES), min_size=2, max_size=4, unique=True))
    labels: Labels = {}
    for n in range(draw(st.integers(4, 9))):
        least = len(people) if complete else 2
        own = draw(st.lists(st.sampled_from(people), min_size=least, unique=True))
        labels |= {(f"t{n}", who): draw(st.sampled_from(categories)) for who in own}
    return labels


def names(labels: Labels) -> tuple[list[str], list[str]]:
    items = list(dict.fromkeys(item for item, _ in labels))
    return items, [who for who in PEOPLE if any(who == other for _, other in labels)]


def as_csv(path: Path, rows: list[list[object]]) -> Path:
    stream = io.StringIO()
    csv.writer(stream).writerows(rows)
    path.write_text(stream.getvalue(), encoding="utf-8")
    return path


def wide(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    rows = [["scan", *people, "final", "checked on", "comments"]]
    rows += [
        [item, *(labels.get((item, who), "") for who in people), "pos", "2024-05-01", "ok"]
        for item in items
    ]
    return as_csv(folder / "wide.csv", rows), {"annotators": people, "item": "scan"}


def form(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    rows = [["Timestamp", "annotator", *items]]
    rows += [
        [f"2024/05/01 9:{10 + n}", who, *(labels.get((item, who), "") for item in items)]
        for n, who in enumerate(people)
    ]
    return as_csv(folder / "form.csv", rows), {"transpose": True}


def beside(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    rows = [["item", *(f"annotator{n}_{x}" for n in range(len(people)) for x in ("name", "label"))]]
    for item in items:
        own = [(who, labels[item, who]) for who in people if (item, who) in labels]
        own += [("", "")] * (len(people) - len(own))
        rows.append([item, *(cell for pair in own for cell in pair)])
    return as_csv(folder / "beside.csv", rows), {}


def questions(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    parts = ("tone", "remark")
    rows = [["item", *(f"{who}_{part}" for who in people for part in parts)]]
    rows += [
        [item, *(cell for who in people for cell in (labels.get((item, who), ""), f"r {who}"))]
        for item in items
    ]
    path = as_csv(folder / "questions.csv", rows)
    return path, {"annotators": people, "question": "tone"}


def merged(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["A study"])
    sheet.append([None, *(cell for who in people for cell in (who, None))])
    sheet.append(["ID", *(cell for _ in people for cell in ("tone", "round"))])
    for item in items:
        own = (labels.get((item, who)) for who in people)
        sheet.append([item, *(cell for label in own for cell in (label, "first"))])
    book.save(folder / "merged.xlsx")
    return folder / "merged.xlsx", {"annotators": people, "question": "tone", "header_rows": 2}


def nested(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    rows = {
        item: {who: labels[item, who] for who in people if (item, who) in labels} for item in items
    }
    (folder / "nested.json").write_text(json.dumps(rows, indent=1))
    return folder / "nested.json", {"annotators": people}


def turned(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    rows = {
        who: {item: labels[item, who] for item in items if (item, who) in labels} for who in people
    }
    (folder / "turned.json").write_text(json.dumps(rows))
    return folder / "turned.json", {"transpose": True}


def files(labels: Labels, folder: Path) -> tuple[Path, dict[str, object]]:
    items, people = names(labels)
    for who in people:
        rows = [["Doc", "Part", "tone", "when"]]
        rows += [[item[:1], item[1:], labels.get((item, who), ""), "2024-05-01"] for item in items]
        as_csv(folder / f"{who}.csv", rows)
    return folder, {"item": "Doc,Part", "format": "folder", "question": "tone"}


#: One is the only one who says pos, and is called as a coefficient is.
ALPHA = {
    (f"t{n}", who): label for n in range(4) for who, label in (("Alpha", "pos"), ("Anna", "neg"))
}
#: The numbers of one category count the items.
RISING = {
    (f"t{n}", PEOPLE[j]): "pos" if j < n else "neg" for n in range(4) for j in range(max(n, 2))
}


@pytest.mark.parametrize("write", [wide, form, beside, questions, merged, nested, turned, files])
@settings(max_examples=25, deadline=None)
@example(labels=ALPHA)
@given(labels=some_labels())
def test_labels_are_read_back(write: Callable[..., tuple[Path, dict[str, object]]], labels):
    with tempfile.TemporaryDirectory() as folder:
        path, options = write(labels, Path(folder))
        found = select_labels(path, **options, keep_names=True).labels.to_frame()
    read = {
        (item.replace(" / ", ""), who): label
        for item, who, label in found[["item", "annotator", "label"]].itertuples(index=False)
    }
    assert read == labels


@settings(max_examples=40, deadline=None)
@example(labels=RISING)
@given(labels=some_labels())
def test_counts_are_read_back(labels):
    items, _ = names(labels)
    categories = sorted({*labels.values(), "never"})
    given_by = {
        item: Counter(label for (other, _), label in labels.items() if other == item)
        for item in items
    }
    with tempfile.TemporaryDirectory() as folder:
        rows = [["scan", *categories]]
        rows += [[item, *(given_by[item][name] for name in categories)] for item in items]
        path = as_csv(Path(folder) / "counts.csv", rows)
        found = select_labels(path, counts=True, item="scan").labels
        lines = [json.dumps({"uid": item, "counter": given_by[item]}) for item in items]
        Path(folder, "counts.jsonl").write_text("\n".join(lines))
        cells = select_labels(Path(folder, "counts.jsonl"), counts=True).labels
    for each in (found, cells):
        assert each.anonymous
        read = {
            item: Counter({k: n for k, n in zip(each.categories, row, strict=True) if n})
            for item, row in zip(each.items, each.counts.tolist(), strict=True)
        }
        assert read == given_by


@settings(max_examples=40, deadline=None)
@given(labels=some_labels(complete=True))
def test_tallies_stand_for_as_many_items(labels):
    items, people = names(labels)
    patterns = Counter(tuple(labels[item, who] for who in people) for item in items)
    rows = [[*people, "times"], *([*pattern, n] for pattern, n in patterns.items())]
    with tempfile.TemporaryDirectory() as folder:
        path = as_csv(Path(folder) / "tally.csv", rows)
        found = select_labels(path, weight="times", annotators=people).labels
        plain = as_csv(
            Path(folder) / "plain.csv",
            [["item", *people], *([t, *(labels[t, who] for who in people)] for t in items)],
        )
        same = select_labels(plain, annotators=people).labels
    assert found.n_items == len(items)
    assert agreement.percent_agreement(found).estimate == pytest.approx(
        agreement.percent_agreement(same).estimate
    )
