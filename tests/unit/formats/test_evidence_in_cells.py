"""What the cells of a table say of its columns, where names say nothing or mislead."""

from __future__ import annotations

import json
import shlex
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from proposals import follow, run

from annobench.core.errors import AnnotationError, ItemColumnWarning, ReaderError
from annobench.io import select_labels
from annobench.labels.annotations import Annotations
from annobench.reporting.report_page import cautions


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
        labels = select_labels(path).labels
        assert labels.n_items == 12
        assert labels.n_annotators == 2  # the judge in either order


class TestFoldersWithoutHeader:
    """The first line of a file may be data."""

    @pytest.mark.parametrize(
        "lines",
        [
            ("a yes|b no|c yes|d no", "a yes|b no|c no|d no"),
            ("a 3|b 1|c 2|d 5", "a 3|b 1|c 4|d 5"),
        ],
    )
    def test_no_row_is_lost_to_the_header(self, tmp_path, lines):
        for n, own in enumerate(lines):
            written(tmp_path, own.replace(" ", "\t").replace("|", "\n") + "\n", f"ann{n}.tsv")
        with pytest.raises(ReaderError, match=r"line 1 of the files, .* is no header"):
            select_labels(tmp_path)

    def test_no_token_is_lost_to_the_header(self, tmp_path):
        for n, own in enumerate(("John B-PER|met O|John B-PER", "John B-PER|met O|John O")):
            written(tmp_path, own.replace(" ", "\t").replace("|", "\n") + "\n", f"ann{n}.tsv")
        labels = select_labels(tmp_path).labels
        assert (labels.n_items, labels.n_labels) == (3, 6)


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
        assert follow(path, monkeypatch) == [f"annobench report {path}"]
        with pytest.raises(AnnotationError, match=r"each row is a span.*--item doc,start,end"):
            select_labels(path, annotator="annotator")
        commands = follow(path, monkeypatch, "--annotator", "annotator")
        assert commands
        assert all("--item doc,start,end" in c and "--repeats" not in c for c in commands)

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


def resolved_rows(n=80, share=0.6):
    """Return rows of four independent annotators, and of what most of them say, else the truth."""
    rng = np.random.default_rng(55)
    rows = []
    for _ in range(n):
        truth = rng.integers(4)
        own = [truth if rng.random() < share else rng.integers(4) for _ in range(4)]
        (first, times), *rest = Counter(own).most_common()
        tied = bool(rest) and rest[0][1] == times
        rows.append([*map(int, own), int(truth if tied else first)])
    return rows


def table_of(rows, names):
    lines = [",".join(("num", *names))]
    lines += [f"{11 + 7 * n}," + ",".join(map(str, row)) for n, row in enumerate(rows)]
    return "\n".join(lines) + "\n"


class TestConclusions:
    """A column that the others were resolved to is no annotator's, whatever it is called."""

    @pytest.mark.parametrize("name", ["결론", "Ergebnis", "z"])
    def test_it_is_left_out_with_a_remark(self, tmp_path, name):
        rows = resolved_rows()
        path = written(tmp_path, table_of(rows, ("가람", "나래", "다솔", "라온", name)))
        done = select_labels(path, format="wide", item="num")
        assert done.labels.annotators == ("가람", "나래", "다솔", "라온")
        assert any(f"Column {name!r} equals each of the others" in text for text in done.remarks)
        with_gold = select_labels(path, format="wide", item="num", gold=name)
        assert with_gold.labels.annotators == done.labels.annotators
        assert len(with_gold.gold) == len(rows)

    def test_an_annotator_like_the_others_is_kept(self, tmp_path):
        path = written(tmp_path, table_of([row[:4] for row in resolved_rows()], "abcd"))
        assert select_labels(path, format="wide", item="num").labels.n_annotators == 4

    def test_who_names_the_columns_is_believed(self, tmp_path):
        path = written(tmp_path, table_of(resolved_rows(), "abcde"))
        assert select_labels(path, annotators=tuple("abcde")).labels.n_annotators == 5

    def test_a_frame_is_read_as_a_file(self):
        rows = resolved_rows()
        frame = pd.DataFrame(rows, columns=list("abcde"))
        with pytest.warns(ItemColumnWarning, match="Column 'e' equals each of the others"):
            labels = Annotations.from_wide(frame)
        assert labels.annotators == tuple("abcd")

    @pytest.mark.parametrize("names", [["final"], ["final", "gold"]])
    def test_it_is_found_beside_columns_with_the_name_of_a_conclusion(self, names):
        frame = pd.DataFrame(resolved_rows(), columns=list("abcde"))
        frame = frame.assign(**dict.fromkeys(names, frame["e"]))
        with pytest.warns(
            ItemColumnWarning, match="Column 'e' equals each of the others"
        ) as warned:
            labels = Annotations.from_wide(frame)
        assert labels.annotators == tuple("abcd")
        text = " ".join(str(warning.message) for warning in warned)
        assert f"By its name '{names[0]}'" in text or "By their names 'final', 'gold'" in text
        assert "Column 'final' equals" not in text

    def test_each_reading_that_is_printed_works_as_typed(self, tmp_path):
        path = written(
            tmp_path, table_of(resolved_rows(), ("가람", "나래", "다솔", "라온", "결론"))
        )
        lines = run("inspect", path).output.splitlines()
        typed = [line[5:].split(": ")[0] for line in lines if line.startswith("With ")]
        assert "--from wide --item num" in typed
        for options in typed:
            assert run("inspect", path, *shlex.split(options)).exit_code == 0


COUNTED = [(0, 3, 0), (3, 0, 0), (1, 2, 0), (0, 1, 8), (0, 6, 0), (2, 1, 0), (0, 0, 3), (1, 5, 3)]


class TestCounts:
    """The sum of counts is a total, and the number of the largest one a conclusion."""

    @pytest.mark.parametrize(
        "extra",
        [
            {"sum": lambda row: sum(row)},
            {"zusammen": lambda row: sum(row), "class": lambda row: row.index(max(row))},
            {"合計": lambda row: sum(row), "kl": lambda row: row.index(max(row)) + 1},
            {"klasse": lambda row: row.index(max(row))},
        ],
    )
    @pytest.mark.parametrize("first", [True, False])
    def test_neither_is_a_category(self, tmp_path, extra, first):
        names = ("hate", "offensive", "neither")
        added = [[str(follow(row)) for follow in extra.values()] for row in COUNTED]
        lines = [(*extra, *names) if first else (*names, *extra)]
        for row, more in zip(COUNTED, added, strict=True):
            own = list(map(str, row))
            lines.append((*more, *own) if first else (*own, *more))
        text = "\n".join(f"{'' if n == 0 else n + 10},{','.join(r)}" for n, r in enumerate(lines))
        labels = select_labels(written(tmp_path, text + "\n"), counts=True).labels
        assert labels.categories == names
        assert labels.n_labels == sum(map(sum, COUNTED))

    def test_a_total_that_is_the_same_in_each_row_is_no_category(self, tmp_path):
        rows = [(3, 0), (1, 2), (0, 3), (2, 1), (3, 0), (1, 2)]
        lines = [f"t{n},{a},{b},3" for n, (a, b) in enumerate(rows)]
        path = written(tmp_path, "item,yes,no,zusammen\n" + "\n".join(lines) + "\n")
        assert select_labels(path).labels.categories == ("yes", "no")

    def test_counts_alone_are_all_categories(self, tmp_path):
        lines = [f"i{n},{','.join(map(str, row))}" for n, row in enumerate(COUNTED)]
        path = written(tmp_path, "item,a,b,c\n" + "\n".join(lines) + "\n")
        assert select_labels(path, counts=True).labels.categories == ("a", "b", "c")


LIKERT = """id,rater_1,rater_2,rater_3
1,Strongly agree,Agree,Agree
2,Disagree,Disagree,Strongly disagree
3,Neutral,Agree,Neutral
4,Agree,Agree,Strongly agree
"""


class TestOrder:
    """Labels that look ordered, and ranks with gaps between the numbers."""

    def test_words_of_agreement_look_ordered(self, tmp_path):
        path = written(tmp_path, LIKERT)
        labels = select_labels(path).labels
        assert any("look ordered" in text for text in cautions(labels))
        done = run("report", path, "--scale", "ordinal")
        assert "in order with --order, lowest first" in done.output
        assert "--categories" not in done.output

    @pytest.mark.parametrize(
        "words", ["agree,disagree,unrelated", "positive,negative,neutral", "agree,agrees,disagree"]
    )
    def test_other_words_do_not(self, words):
        one, two, three = words.split(",")
        labels = Annotations.from_wide([[one, two], [two, three], [three, three], [one, one]])
        assert not any("look ordered" in text for text in cautions(labels))

    def test_of_ordinal_labels_with_a_gap_ranks_are_compared(self):
        table = [[1, 1], [2, 4], [4, 4], [1, 2], [2, 2], [4, 2], [1, 1], [4, 4], [2, 1], [4, 1]]
        with_gap = Annotations.from_wide(table, scale="ordinal")
        whole = Annotations.from_wide(table, scale="ordinal", categories=[1, 2, 3, 4])
        assert any("ranks are compared" in text for text in cautions(with_gap))
        assert not any("ranks are compared" in text for text in cautions(whole))


SURVEY = "CASE;R001x01;R001x02;R003;R004_01;R005\n" + "".join(
    f"{60 + n};{1 + n % 2};{1 + n % 3 % 2};{coder};10.1234/j.{n // 2};1\n"
    for n, coder in enumerate((1, 3, 9, 5, 9, 1, 5, 3, 1, 9))
)


class TestSurveys:
    """R003 and R005 beside R001x01 are questions, of which one may say who answered."""

    def test_questions_of_a_survey_are_no_annotators(self, tmp_path):
        path = written(tmp_path, SURVEY)
        done = run("report", path)
        assert done.exit_code == 1
        assert "questions of a survey" in done.output
        lines = [line for line in done.output.splitlines() if line.startswith("With ")]
        typed = [line[5:].split(": ")[0] for line in lines]
        assert "--item R004_01 --annotator R003 --label R001x01" in typed
        for options in typed:
            labels = run("inspect", path, *shlex.split(options))
            assert labels.exit_code == 0
            assert "10 labels of 4 annotators for 5 items" in labels.output

    def test_short_names_without_siblings_are_annotators(self, tmp_path):
        text = SURVEY.replace("R001x01", "kind").replace("R001x02", "x").replace("R004_01", "doi")
        path = written(tmp_path, text)
        assert select_labels(path).labels.annotators == ("R003", "R005")


def test_a_list_that_is_cut_says_so_and_begins_with_the_missing_role(tmp_path):
    columns = [*(f"c{n}" for n in range(12)), "reviewer", "response_id", "tone"]
    path = written(tmp_path, ",".join(columns) + "\n" + ",".join("1" * len(columns)) + "\n")
    with pytest.raises(ReaderError, match=r"The columns are 'response_id', 'c0', .* and 3 more\."):
        select_labels(path)
