"""What the cells of a table say of its columns, where names say nothing or mislead."""

from __future__ import annotations

import json

import pytest
from proposals import follow, run

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import select_labels


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


class TestRecordsOfJudges:
    """Comparisons by a judge are no form that people filled in."""

    @pytest.mark.parametrize("time", ["tstamp", "timestamp"])
    def test_a_judge_of_several_rows_sent_no_form(self, tmp_path, time):
        rows = [
            {
                "question_id": 80 + n,
                "model_1": "alpha-7b",
                "model_2": ("beta-13b", "gamma-70b")[n % 2],
                "g1_winner": ("model_1", "model_2", "tie")[n % 3],
                "g2_winner": ("model_1", "tie", "model_2")[n % 3],
                "judge": ["gpt-4", "pair-v2"],
                "turn": 1 + n % 2,
                time: 1687222600.1 + n,
            }
            for n in range(12)
        ]
        path = written(tmp_path, "\n".join(map(json.dumps, rows)), "pairs.jsonl")
        with pytest.raises(ReaderError, match="unknown format"):
            select_labels(path)


class TestFoldersWithoutHeader:
    """The first line of a file may be data."""

    @pytest.mark.parametrize(
        "lines",
        [
            ("John B-PER|lives O|York B-LOC|Mary B-PER", "John B-PER|lives O|York I-LOC|Mary O"),
            ("a yes|b no|c yes|d no", "a yes|b no|c no|d no"),
            ("a 3|b 1|c 2|d 5", "a 3|b 1|c 4|d 5"),
            ("Ulm B-LOC|is O|near O", "Ulm B-LOC|is O|near O"),
        ],
    )
    def test_no_token_is_lost_to_the_header(self, tmp_path, lines):
        for n, own in enumerate(lines):
            written(tmp_path, own.replace(" ", "\t").replace("|", "\n") + "\n", f"ann{n}.tsv")
        with pytest.raises(ReaderError, match=r"line 1 of the files, .* is no header"):
            select_labels(tmp_path)


SPANS = """doc,annotator,start,end,label
d1,Ada,2,9,Noun
d1,Ada,11,17,Verb
d1,Ada,24,30,Adj
d1,Bo,2,9,Noun
d1,Bo,11,17,Adj
d1,Bo,19,25,Adj
d1,Cy,2,9,Noun
d1,Cy,12,17,Verb
d1,Cy,24,30,Adj
"""
RUNS = "judge_name,response_id,run_index,accuracy\n" + "".join(
    f"{judge},r{item},{run},{1 + (item + run * (judge == 'b')) % 3}\n"
    for judge in "ab"
    for item in range(6)
    for run in (1, 2, 3)
)
OF_RUNS = ("--item", "response_id", "--annotator", "judge_name", "--label", "accuracy")


class TestRepeats:
    """What an annotator labelled twice may be spans, or repetitions."""

    def test_spans_are_no_repeats(self, tmp_path, monkeypatch):
        path = written(tmp_path, SPANS)
        commands = follow(path, monkeypatch)
        assert commands
        assert all("--item doc,start,end" in c and "--repeats" not in c for c in commands)
        with pytest.raises(AnnotationError, match=r"each row is a span.*--item doc,start,end"):
            select_labels(path)

    def test_times_are_no_ends_of_spans(self, tmp_path):
        text = SPANS.replace("start,end", "start_time,end_time")
        with pytest.raises(AnnotationError, match="not the annotator's first"):
            select_labels(written(tmp_path, text))

    @pytest.mark.parametrize("name", ["run_index", "round", "trial", "Run no."])
    def test_repetitions_are_no_part_of_an_item(self, tmp_path, monkeypatch, name):
        path = written(tmp_path, RUNS.replace("run_index", name))
        output = run("inspect", path, *OF_RUNS).output
        assert "numbers repetitions of one item" in output
        commands = follow(path, monkeypatch, *OF_RUNS)
        assert any("--repeats first" in command for command in commands)
        assert not any("response_id," in command for command in commands)
