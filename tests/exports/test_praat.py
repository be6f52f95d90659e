"""TextGrids of Praat: interval tiers, in the long and the short format."""

import re

import pytest
from proposals import follow

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.layers import layers, select_layer
from annobench.spans import pairwise_f1

#: Intervals of two tiers, in seconds; empty ones are silence.
WORDS = [(0, 0.25, ""), (0.25, 0.75, 'the "sea"'), (0.75, 1.5, "café"), (1.5, 2, "")]
TONES = [(0, 0.5, "H"), (0.5, 2, "L")]


def long(**tiers):
    """Write the format that Praat writes by default."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "xmin = 0 ", "xmax = 2 "]
    lines += ["tiers? <exists> ", f"size = {len(tiers)} ", "item []: "]
    for n, (name, intervals) in enumerate(tiers.items(), start=1):
        lines += [
            f"    item [{n}]:",
            '        class = "IntervalTier" ',
            f'        name = "{name}" ',
        ]
        lines += [
            "        xmin = 0 ",
            "        xmax = 2 ",
            f"        intervals: size = {len(intervals)} ",
        ]
        for k, (start, end, label) in enumerate(intervals, start=1):
            text = label.replace('"', '""')
            lines += [f"        intervals [{k}]:", f"            xmin = {start} "]
            lines += [f"            xmax = {end} ", f'            text = "{text}" ']
    return "\n".join(lines) + "\n"


def short(**tiers):
    """Write the format without words."""
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0", "2", "<exists>"]
    lines.append(str(len(tiers)))
    for name, intervals in tiers.items():
        lines += ['"IntervalTier"', f'"{name}"', "0", "2", str(len(intervals))]
        for start, end, label in intervals:
            lines += [str(start), str(end), '"' + label.replace('"', '""') + '"']
    return "\n".join(lines) + "\n"


def by_hand(text):
    """The intervals with a label of each tier of the long format, line by line."""
    found = {}
    for part in text.split("item [")[2:]:
        name = re.search('name = "(.*)"', part)[1]
        cells = re.findall(r'xmin = (\S+) \n\s+xmax = (\S+) \n\s+text = "(.*)" ', part)
        found[name] = [
            (int(1000 * float(start)), int(1000 * float(end)), label.replace('""', '"'))
            for start, end, label in cells
            if label
        ]
    return found


def spans_of(export, layer):
    marks = select_layer(export, layer).marks
    return {
        marks.annotators[j]: [tuple(span[:3]) for span in spans]
        for (_, j), spans in marks.spans.items()
    }


def test_files_are_annotators_and_tiers_layers(write, tmp_path, monkeypatch):
    shifted = [(0, 0.3, ""), (0.3, 0.75, 'the "sea"'), (0.75, 1.5, "café"), (1.5, 2, "")]
    texts = {"kim": long(words=WORDS, tones=TONES), "lou": long(words=shifted, tones=TONES)}
    for who, text in texts.items():
        write(text, f"takes/{who}.TextGrid")
    home = tmp_path / "takes"
    assert recognise(home) == {"praat": "a file per annotator"}
    export = read_export(home)
    assert layers(export) == ["words", "tones"]
    for layer in ("words", "tones"):
        assert spans_of(export, layer) == {who: by_hand(texts[who])[layer] for who in texts}
    assert by_hand(texts["kim"])["words"] == [(250, 750, 'the "sea"'), (750, 1500, "café")]
    assert pairwise_f1(select_layer(export, "words").marks).estimate == 0.5
    monkeypatch.chdir(home)
    assert follow(".", monkeypatch) == ["annobench report . --question words"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("form", [long, short])
def test_formats_and_encodings(write, form, encoding):
    text = form(words=WORDS, tones=TONES).replace("\n", "\r\n")
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path = write((mark + text).encode(encoding), "kim.TextGrid")
    assert recognise(path) == {"praat": "one file"}
    export = read_export(path, annotator_from="file")
    assert spans_of(export, "words") == {"kim": by_hand(long(words=WORDS))["words"]}


def test_tiers_of_one_file_are_annotators(write, monkeypatch):
    path = write(short(kim=TONES, lou=TONES[:1]), "take.TextGrid")
    export = read_export(path)
    assert spans_of(export, "intervals") == {
        "kim": [(0, 500, "H"), (500, 2000, "L")],
        "lou": [(0, 500, "H")],
    }
    assert "Tiers are taken for annotators: 'kim', 'lou'." in export.notes[0]
    assert follow(path, monkeypatch) == [f"annobench report {path}"]


def test_tiers_are_annotators_of_many_recordings_if_asked_for(write, tmp_path):
    for place in ("one", "two", "more/one"):
        write(short(kim=TONES, lou=TONES[:1]), f"takes/{place}.TextGrid")
    marks = select_layer(read_export(tmp_path / "takes", annotator_from="person")).marks
    assert marks.annotators == ("kim", "lou")
    assert marks.documents == ("more/one.TextGrid", "one.TextGrid", "two")


def test_points_and_instants_are_counted(write):
    text = short(words=[(0, 0.0001, "x"), *WORDS[1:]])
    text = text.replace("<exists>\n1\n", "<exists>\n2\n")
    text += '"TextTier" "bells" 0 2 ! points\n1\n0.7 "ding"\n'
    export = read_export(write(text, "kim.TextGrid"))
    assert {each.reason: each.n for each in export.left_out} == {
        "intervals shorter than a millisecond": 1,
        "tiers of points": 1,
    }
    assert export.totals()["records"] == 3
    assert export.notes == []


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("0.75 ", "soon ", r"line \d+: '\"the \"\"sea\"\"\"' where a number is expected"),
        ("size = 4", "size = 5", r"where a number is expected|the file ends where"),
        (
            "size = 4",
            "size = 3",
            "'1.5' where a text|below the last of the tiers|a tier of the class",
        ),
        ("size = 2", "size = 1", "'\"IntervalTier\"' below the last of the tiers"),
        ("size = 4", "size = 99999", "99999 where a number of tiers or intervals is expected"),
        ("xmin = 0.25", "xmin = 0.95", "an interval from 0.95 to 0.75"),
        ('"tones"', '"words"', "two tiers are called 'words'"),
        ("IntervalTier", "PitchTier", "a tier of the class 'PitchTier'"),
        ('text = "L" ', 'text = "L ', "where a text in quotation marks is expected"),
        ("<exists>", "", "where <exists> or <absent> is expected"),
    ],
)
def test_damaged_files_are_refused_with_the_line(write, before, after, said):
    text = long(words=WORDS, tones=TONES).replace(before, after, 1)
    with pytest.raises(ReaderError, match=rf"kim\.TextGrid.*{said}"):
        read_export(write(text, "kim.TextGrid"))


def test_a_binary_file_is_refused(write):
    path = write(b"ooBinaryFile\x08TextGrid\0\0", "kim.TextGrid")
    with pytest.raises(ReaderError, match=r"a binary TextGrid\. Save it again in Praat"):
        read_export(path)
