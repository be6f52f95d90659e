"""ELAN: tiers with annotations between time slots, a file an annotator or a tier an annotator."""

from xml.etree import ElementTree

import pytest
from proposals import follow

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.layers import layers, select_layer
from annobench.spans import pairwise_f1

NOD, POINT = (120, 480, "nod"), (600, 900, "point")


def tier(name, *spans, **attributes):
    given = "".join(f' {key}="{value}"' for key, value in attributes.items())
    inside = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{n}" TIME_SLOT_REF1="t{start}" '
        f'TIME_SLOT_REF2="t{end}"><ANNOTATION_VALUE>{label}</ANNOTATION_VALUE>'
        "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        for n, (start, end, label) in enumerate(spans)
    )
    return f'<TIER TIER_ID="{name}" LINGUISTIC_TYPE_REF="gesture"{given}>{inside}</TIER>'


def document(*tiers, more=""):
    """Write a file with a time slot for each tenth of a second."""
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="t{n}" TIME_VALUE="{n}"/>' for n in range(0, 1001, 20)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<ANNOTATION_DOCUMENT AUTHOR="" FORMAT="3.0">'
        f'<HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>{slots}{more}</TIME_ORDER>\n'
        + "\n".join(tiers)
        + '<LINGUISTIC_TYPE LINGUISTIC_TYPE_ID="gesture"/></ANNOTATION_DOCUMENT>'
    )


def by_hand(path):
    """The annotations of each tier, by a parser that keeps the whole tree."""
    root = ElementTree.parse(path).getroot()
    times = {
        slot.get("TIME_SLOT_ID"): int(slot.get("TIME_VALUE")) for slot in root.iter("TIME_SLOT")
    }
    return {
        each.get("TIER_ID"): [
            (
                times[a.get("TIME_SLOT_REF1")],
                times[a.get("TIME_SLOT_REF2")],
                a.find("ANNOTATION_VALUE").text,
            )
            for a in each.iter("ALIGNABLE_ANNOTATION")
        ]
        for each in root.iter("TIER")
    }


def spans_of(export, layer):
    marks = select_layer(export, layer).marks
    return {
        marks.annotators[j]: [tuple(span[:3]) for span in spans]
        for (_, j), spans in marks.spans.items()
    }


@pytest.fixture
def home(write, tmp_path):
    write(document(tier("head", NOD), tier("hands", POINT)), "session/kim.eaf")
    write(document(tier("head", NOD), tier("hands", (620, 900, "point"))), "session/lou.eaf")
    return tmp_path / "session"


def test_files_are_annotators_and_tiers_layers(home, monkeypatch):
    assert recognise(home) == {"elan": "a file per annotator"}
    export = read_export(home)
    assert layers(export) == ["head", "hands"]
    for layer in ("head", "hands"):
        assert spans_of(export, layer) == {
            who: by_hand(home / f"{who}.eaf")[layer] for who in ("kim", "lou")
        }
    assert pairwise_f1(select_layer(export, "head").marks).estimate == 1
    assert pairwise_f1(select_layer(export, "hands").marks).estimate == 0
    monkeypatch.chdir(home)
    assert follow(".", monkeypatch) == ["annobench report . --question head"]


@pytest.mark.parametrize(
    ("first", "second", "layer"),
    [
        (
            {"name": "head@kim", "PARTICIPANT": "kim"},
            {"name": "head@lou", "PARTICIPANT": "lou"},
            "head",
        ),
        ({"name": "Kim", "ANNOTATOR": "kim"}, {"name": "lou", "ANNOTATOR": "lou"}, "gesture"),
        ({"name": "A", "ANNOTATOR": "kim"}, {"name": "B", "ANNOTATOR": "lou"}, "gesture"),
    ],
)
def test_tiers_of_one_file_are_annotators(write, monkeypatch, first, second, layer):
    tiers = [
        tier(given.pop("name"), *spans, **given)
        for given, spans in ((dict(first), [NOD, POINT]), (dict(second), [NOD]))
    ]
    path = write(document(*tiers), "session.eaf")
    export = read_export(path, keep_names=True)
    assert spans_of(export, layer) == {"kim": [NOD, POINT], "lou": [NOD]}
    assert list(read_export(path).pseudonyms) == ["kim", "lou"]
    assert export.notes == []
    assert len(follow(path, monkeypatch)) == 1


def test_tiers_without_annotators_are_taken_for_them_with_a_note(write):
    path = write(document(tier("kim", NOD), tier("lou", NOD, POINT)), "session.eaf")
    export = read_export(path)
    assert spans_of(export, "gesture") == {"kim": [NOD], "lou": [NOD, POINT]}
    assert "Tiers are taken for annotators: 'kim', 'lou'" in export.notes[0]
    alone = read_export(path, annotator_from="file")
    assert layers(alone) == ["kim", "lou"]
    assert spans_of(alone, "lou") == {"session": [NOD, POINT]}


def test_folders_of_annotators_hold_recordings(write, tmp_path):
    for who in ("kim", "lou"):
        for name in ("first", "second"):
            write(document(tier("head", NOD)), f"sessions/{who}/{name}.eaf")
    marks = select_layer(read_export(tmp_path / "sessions")).marks
    assert (marks.documents, marks.annotators) == (("first", "second"), ("kim", "lou"))


def test_what_is_no_span_is_counted(write):
    refers = (
        '<TIER TIER_ID="gloss" LINGUISTIC_TYPE_REF="gloss" PARENT_REF="head"><ANNOTATION>'
        '<REF_ANNOTATION ANNOTATION_ID="r" ANNOTATION_REF="a0"><ANNOTATION_VALUE>yes'
        "</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>"
    )
    more = '<TIME_SLOT TIME_SLOT_ID="tx"/>'
    head = tier("head", (120, 480, ""), (500, "x", "nod"), (600, 600, "nod"))
    export = read_export(write(document(head, refers, tier("hands"), more=more), "kim.eaf"))
    assert {each.reason: each.n for each in export.left_out} == {
        "annotations without a time": 1,
        "annotations without width": 1,
        "tiers of such annotations alone": 1,
        "annotations that refer to others and have no time of their own": 1,
    }
    totals = export.totals()
    assert totals["records"] == 6
    assert [tuple(span[:3]) for span in export.marks()[0].spans] == [(120, 480, "*")]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('TIME_VALUE="120"', 'TIME_VALUE="soon"', "the time slot 't120' at 'soon'"),
        ('TIME_SLOT_ID="t20"', 'TIME_SLOT_ID="t0"', "the time slot 't0' twice"),
        ('REF1="t120"', 'REF1="t7"', "'t7', which is not there"),
        ('REF2="t480"', 'REF2="t100"', "an annotation from 120 to 100"),
        ('TIER_ID="hands"', 'TIER_ID="head"', "the tier 'head' twice"),
        ('TIER_ID="hands"', 'ID="hands"', "<TIER> without TIER_ID"),
        ("<?xml", "<!DOCTYPE x><?xml", "a document type declaration"),
    ],
)
def test_damaged_files_are_refused_with_the_line(write, before, after, said):
    text = document(tier("head", NOD), tier("hands", POINT))
    path = write(text.replace(before, after), "kim.eaf")
    with pytest.raises(ReaderError, match=rf"kim\.eaf, line \d.*{said}"):
        read_export(path, format="elan")
