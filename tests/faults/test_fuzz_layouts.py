"""Mutated tables of other tools: each is refused, or holds what a second reader finds in it."""

from __future__ import annotations

from random import Random

import pytest
from faults import second_layouts, second_platforms
from faults.exported import compare_labels, held
from faults.fuzzing import count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes, of_cells

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import discover, read_export, recognise

TABLES = second_layouts.TABLES | second_platforms.TABLES
READERS = second_layouts.READERS | second_platforms.READERS


@pytest.mark.parametrize("name", READERS)
def test_layouts(tried, tmp_path, tmp_path_factory, name):
    place = folder_in_memory(tmp_path_factory) / "tables"
    place.mkdir()
    path = place / "export.csv"
    whole = place if name == "folder" else path
    if name == "folder":
        (place / "zoe.csv").write_text("id,label\nx,yes\n")
    tables = TABLES[name]
    seeds = [of_cells(tables, Random(n)) for n in range(30)]
    keep = max(len(",".join(table[0])) + 1 for table in tables)
    turn = iter(range(10**9))

    def read(data):
        path.write_bytes(data)
        number = next(turn)
        if number % 100 == 0:
            recognise(whole)
        export = read_export(whole, format=name, keep_names=True)
        if number % 100 == 1:
            compare_labels(export)
        answers, _ = held(export)
        return [answer for answer in answers if answer[1] != "zoe"]

    outcome = feed(
        read,
        READERS[name],
        mixed(
            lambda draw: of_bytes(seeds, draw, keep),
            lambda draw: of_cells(tables, draw),
            lambda draw: of_cells(tables, draw, draw.choice(",\t;"), keep=draw.random() < 0.9),
            lambda draw: of_bytes(seeds, draw, keep if draw.random() < 0.8 else 0),
        ),
        refusals=(ReaderError, AnnotationError),
        folder=tmp_path,
        seed=name,
        named="tables",
    )
    count(outcome, tried, "Exports as tables", f"{discover()[name].title}: bytes and cells")
