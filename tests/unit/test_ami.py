"""The data sets of the AMI corpus, on a made-up meeting."""

import numpy as np
import pandas as pd
import pytest

from annobench import datasets
from annobench.core.errors import ReaderError
from annobench.datasets.base import LoadedData
from annobench_datasets import ami

ROOT = (
    '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
    '<nite:root xmlns:nite="http://nite.sourceforge.net/">\n{}</nite:root>\n'
)
MEETINGS = """<meeting nite:id="m" observation="ES2002a" duration="60">
<speaker nite:id="s" nxt_agent="A" global_name="MEE006" role="ID"/></meeting>
"""
TYPES = '<da-type nite:id="t1" name="bck"/><da-type nite:id="t2" name="inf"/>\n'
WORDS = """<w nite:id="w0" starttime="1.0" endtime="1.5">Yeah</w>
<w nite:id="w1" punc="true">.</w>
<vocalsound nite:id="w2"/>
<w nite:id="w3" starttime="2.0" endtime="2.5">Go</w>
<w nite:id="w4" endtime="3.5">on</w>
"""
ACT = '<dact nite:id="{}"{}>{}<nite:child href="ES2002a.A.words.xml#{}"/></dact>\n'
TYPE = '<nite:pointer role="da-aspect" href="da-types.xml#id({})"/>'
FOA = '<foa nite:id="{}" starttime="{}" endtime="{}" {}/>\n'


@pytest.fixture
def acts(tmp_path):
    def call(*rows, meetings=MEETINGS):
        contents = {
            "meetings.xml": meetings,
            "da-types.xml": TYPES,
            "ES2002a.A.words.xml": WORDS,
            "ES2002a.A.dialog-act.xml": "".join(rows),
        }
        for name, body in contents.items():
            (tmp_path / name).write_text(ROOT.format(body))
        paths = [tmp_path / name for name in ("ES2002a.A.dialog-act.xml", "ES2002a.A.words.xml")]
        ontology = ami.nxt.read_layer(tmp_path / "da-types.xml")
        return ami._acts(*paths, ontology, ami._speakers(tmp_path / "meetings.xml"))

    return call


def act(number, link, *, kind="t2", annotator="vk.", more=""):
    pointer = TYPE.format(kind) if kind else ""
    return ACT.format(f"ES2002a.A.dialog-act.{annotator}{number}", more, pointer, link)


def test_an_act_has_its_words_times_addressee_and_annotator(acts):
    found = acts(
        act(1, "id(w0)..id(w2)", kind="t1"),
        act(2, "id(w3)..id(w4)", more=' addressee="D,A,C"'),
    )
    tables = ami._joined([found])
    first, second = tables.items.to_dict("records")
    assert (first["text"], first["start"], first["end"]) == ("Yeah .", 1.0, 1.5)
    assert (second["text"], second["start"], second["end"]) == ("Go on", 2.0, 3.5)
    assert second["addressee"] == "A,C,D"
    assert pd.isna(first["addressee"])
    assert (first["person"], first["role"], first["meeting_seconds"]) == ("MEE006", "ID", 60.0)
    assert tables.labels[["annotator", "label"]].to_numpy().tolist() == [
        ["vk", "bck"],
        ["vk", "inf"],
    ]


def test_an_act_without_a_type_is_an_item_without_a_label(acts):
    tables = ami._joined([acts(act(1, "id(w0)", kind=None), act(2, "id(w3)"))])
    assert (len(tables.items), len(tables.labels)) == (2, 1)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (act(1, "id(w0)", annotator=""), "'ES2002a.A.dialog-act.1' names no annotator"),
        (act(1, "id(w9)"), "a dangling link: ES2002a.A.words.xml has no id 'w9'"),
        (act(1, "id(w0)", kind="t9"), "a dangling link: da-types.xml has no id 't9'"),
        (act(1, "id(w0)..id(w1)") + act(2, "id(w1)..id(w3)"), "overlaps"),
    ],
)
def test_a_malformed_act_is_an_error_with_file_and_line(acts, row, message):
    with pytest.raises(
        ReaderError, match=rf"(?s)ES2002a\.A\.dialog-act\.xml:\n  line \d: .*{message}"
    ):
        acts(row)


def test_a_speaker_unknown_to_the_meetings_is_an_error(acts):
    with pytest.raises(ReaderError, match=r"no speaker 'A' of meeting 'ES2002a' in meetings\.xml"):
        acts(act(1, "id(w0)"), meetings=MEETINGS.replace('"A"', '"B"'))
    with pytest.raises(ReaderError, match="line 4: a speaker lacks meeting, nxt_agent or name"):
        acts(act(1, "id(w0)"), meetings=MEETINGS.replace(' global_name="MEE006"', ""))


@pytest.fixture
def focus(tmp_path):
    def call(*rows):
        path = tmp_path / "ES2002a.A.foa.xml"
        path.write_text(ROOT.format("".join(rows)))
        return ami._intervals(path, {("ES2002a", "A"): ami._Speaker("MEE006", "ID", 60.0)})

    return call


def test_an_interval_has_its_target_and_annotator(focus):
    found = focus(
        FOA.format("IDIAP_ES2002a_A.foa.1", 0, 1, 'type="person" nxt_agent="B"'),
        FOA.format("IDIAP_ES2002a_A.foa.2", 1, 2, 'type="place" place="table"'),
        FOA.format("IDIAP_ES2002a_A.foa.1,003", 2, 3, 'type="unspecified"'),
    )
    assert found["label"] == ["B", "table", "unspecified"]
    assert found["annotator"] == ["IDIAP"] * 3


@pytest.mark.parametrize(
    ("id", "start", "target", "message"),
    [
        ("IDIAP_ES2002a_A.foa.2", 0.5, 'type="unspecified"', "begins before the one above ends"),
        ("IDIAP_ES2002a_A.foa.2", 1, 'type="person" nxt_agent="Z"', "looks at none of A, B, C, D"),
        ("IDIAP_ES2002a_A.foa.2", "soon", 'type="unspecified"', "'soon' is not a number"),
        ("foa.2", 1, 'type="unspecified"', "'foa.2' names no annotator"),
    ],
)
def test_a_malformed_interval_is_an_error_with_its_line(focus, id, start, target, message):
    first = FOA.format("IDIAP_ES2002a_A.foa.1", 0, 1, 'type="unspecified"')
    with pytest.raises(ReaderError, match=f"line 4: .*{message}"):
        focus(first, FOA.format(id, start, 2, target))


def test_gaze_is_the_share_of_an_act_by_hand():
    intervals = pd.DataFrame(
        [
            ("A", "B", 0.0, 2.0),
            ("A", "table", 2.0, 3.0),
            ("A", "B", 3.0, 4.0),
            ("C", "A", 0.0, 9.0),
            ("C", "B", 9.0, 8.0),
        ],
        columns=["speaker", "target", "start", "end"],
    )
    items = intervals.drop(columns="target").assign(meeting="m")
    data = LoadedData("toy", intervals[["target"]].rename(columns={"target": "label"}), items, {})
    acts = pd.DataFrame(
        {
            "meeting": ["m", "m", "x"],
            "speaker": ["A", "A", "A"],
            "start": [1.0, 9.0, 0.0],
            "end": [5.0, 9.5, 1.0],
        }
    )
    found = ami.gaze_shares(acts, data)
    # From 1 to 5: B from 1 to 2 and 3 to 4, the table from 2 to 3; C, the second on, all along.
    assert found.loc[0, ["speaker_1", "speaker_table", "listener_2"]].tolist() == [0.5, 0.25, 1.0]
    assert found.loc[1].drop(["listener_1", "listener_3"]).eq(0).all()
    assert found.loc[2].isna().all()


def test_pauses_and_others_are_counted_in_time():
    acts = pd.DataFrame(
        {
            "meeting": "m",
            "speaker": ["A", "B", "A"],
            "start": [0.0, 1.0, 3.0],
            "end": [2.0, 3.5, 4.0],
        }
    )
    found = ami.speech_times(acts)
    assert found["seconds"].tolist() == [2.0, 2.5, 1.0]
    assert found["pause_before"].tolist() == [60.0, 60.0, 1.0]
    assert found["pause_after"].tolist() == [1.0, 60.0, 60.0]
    # A's first act ends while B speaks, and B speaks a second later; B begins while A speaks.
    assert found[["at_start", "at_end", "after_end"]].to_numpy().tolist() == [
        [0, 1, 1],
        [1, 1, 0],
        [1, 0, 0],
    ]


def test_simulated_acts_begin_with_yeah_as_often_as_printed():
    data = datasets.load("ami_dialogue_acts", mode="simulated")
    acts = ami.in_order(data)
    yeah = acts[acts["text"].str.startswith("Yeah ")]
    kind = yeah["label"].where(yeah["label"].isin(["bck", "ass", "inf"]), "other")
    counts = pd.crosstab(yeah["annotator"], kind)
    assert len(yeah) == 13017
    assert counts.loc["s9553330"].to_dict() == {"ass": 878, "bck": 911, "inf": 267, "other": 225}
    assert acts.groupby("meeting")["start"].apply(lambda t: t.is_monotonic_increasing).all()
    assert (acts["end"] > acts["start"]).all()
    assert set(acts.loc[acts["addressee"].notna(), "meeting"]) >= set(ami.ADDRESSED)


def test_every_pinned_file_is_in_one_folder_and_hashed():
    source = datasets.get("ami_focus").source
    assert len(source.files) == 1480
    assert all(file.path.startswith("ami_public_manual_1.6.2/") for file in source.files)
    assert len({file.sha256 for file in source.files}) > 1470
    assert np.all([file.size > 0 for file in source.files])


def test_simulated_speakers_have_the_four_roles_but_in_the_meeting_without_a_scenario():
    items = datasets.load("ami_dialogue_acts", mode="simulated").items
    free = items["meeting"] == "IB4003"
    assert items.loc[free, "role"].isna().all()
    cast = items[~free].assign(group=items["meeting"].str[:6])
    cast = cast[["group", "speaker", "role"]].drop_duplicates()
    assert set(cast["role"]) == {"ID", "ME", "PM", "UI"}
    # In all meetings of a group a speaker has one role, and nobody else has it.
    assert not cast.duplicated(["group", "speaker"]).any()
    assert not cast.duplicated(["group", "role"]).any()
