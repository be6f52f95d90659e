"""What benchmarks measure is measured right, and shown."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

TOP = Path(__file__).parents[2]
TINY, SMALL = (f'"EM: {n} labels of items in 2 categories"' for n in ("10,000", "100,000"))
MEASURED = f"""\
# measured once
work,contender,quantity,unit,value,target
{TINY},"annobench, one thread",time per label and iteration,ns,3,
{TINY},crowd-kit,time per label and iteration,ns,1.7e+03,
{TINY},crowd-kit,peak memory per label,bytes,300,
{SMALL},"annobench, one thread",time per label and iteration,ns,2,
From a file,<b>CSV</b>,elapsed,s,1.5,
"""


@pytest.fixture
def measure(monkeypatch):
    monkeypatch.syspath_prepend(TOP)
    return importlib.import_module("benchmarks._measure")


@pytest.fixture
def renderer():
    return importlib.import_module("scripts.studies.render_benchmarks")


@pytest.fixture
def measured(tmp_path):
    path = tmp_path / "dawid_skene.csv"
    path.write_text(MEASURED, encoding="utf-8")
    return path


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_the_peak_is_the_works_own_even_where_the_parent_freed_as_much(measure):
    # Blocks freed below one that is kept stay in the heap: a child would take them again, unseen.
    blocks = [bytes(1_000) for _ in range(40_000)]
    kept = bytes(1_000)
    del blocks
    value, peak = measure.alone(lambda: len([bytes(1_000) for _ in range(40_000)]), otherwise=0)
    assert value == 40 * len(kept)
    # Pages that the parent keeps free hide a little of it; untrimmed they hid nearly all.
    assert 20e6 < peak < 60e6


def test_work_that_dies_has_no_peak(measure):
    value, peak = measure.alone(lambda: os._exit(1), otherwise=7)
    assert value == 7
    assert np.isnan(peak)


def test_growth_is_drawn_of_the_work_that_names_its_size(renderer, measured):
    rows = renderer.sizes(measured)
    assert rows["labels"].tolist() == [10_000, 10_000, 10_000, 100_000]
    drawing = ElementTree.fromstring(str(renderer.growth(measured)))
    assert drawing.tag.endswith("svg")


def test_the_page_shows_every_number_and_escapes_names(renderer, measured):
    page = renderer.main([measured], TOP / "workflow" / "site")
    assert "1,700" in page
    assert "&lt;b&gt;CSV" in page
    assert page.count("<svg") == 1


def test_the_fastest_other_way_is_neither_ours_nor_the_floor(renderer, tmp_path):
    path = tmp_path / "agreement.csv"
    rows = {
        "annobench": 1,
        "annobench, labels in random order": 1.4,
        "two threads, elapsed": 0.6,
        "floor, bytes over speed": 0.2,
        "crowd-kit": 80,
        "plain NumPy": 9.25,
    }
    lines = [f'"A, b","{name}",times ours,,{value},' for name, value in rows.items()]
    lines += ["Alone,annobench,times ours,,1,", "B,scikit-learn,time,s,0.5,"]
    lines += ["B,scikit-learn,times ours,,0.531,"]
    path.write_text("\n".join([*MEASURED.splitlines()[:2], *lines, ""]), encoding="utf-8")
    assert renderer.fastest_others(path) == [
        {"work": "A, b", "other": "plain NumPy", "ratio": "9.25"},
        {"work": "B", "other": "scikit-learn", "ratio": "0.531"},
    ]
    page = renderer.main([path], TOP / "workflow" / "site")
    assert "<td>plain NumPy</td>" in page.split('id="agreement"')[0]


def test_without_sizes_there_is_no_figure(renderer, tmp_path):
    path = tmp_path / "dawid_skene.csv"
    path.write_text("\n".join([*MEASURED.splitlines()[:2], "From a file,CSV,elapsed,s,1.5,", ""]))
    assert "<svg" not in renderer.main([path], TOP / "workflow" / "site")


def test_growth_on_disk_is_drawn_of_all_sizes(renderer, tmp_path):
    path = tmp_path / "scale.csv"
    lines = MEASURED.splitlines()[:2]
    for n in (100_000, 1_000_000):
        for who in ("annobench on Dask", "crowd-kit"):
            lines += [f'"{n:,} labels",{who},elapsed per pass,s,{n / 1e6},']
            lines += [f'"{n:,} labels",{who},peak memory of a process,MiB,{n},']
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    page = renderer.main([path], TOP / "workflow" / "site")
    assert page.count("<svg") == 1
    assert "benchmarks.scale 1e9" in page
