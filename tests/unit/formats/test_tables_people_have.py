"""Tables as people have them: each kind is read rightly, or refused with the readings it has."""

from __future__ import annotations

import itertools
import json

import openpyxl
import pandas as pd
import pytest
from typer.testing import CliRunner

from annobench import agreement
from annobench.cli import app
from annobench.core.errors import AnnotationError, ReaderError, UnclearLayoutError
from annobench.io import read_gold, read_labels, select_labels
from annobench.io.partitioning import partition
from annobench.labels.annotations import Annotations

#: Values of krippendorff 0.9.0, irrCAC 0.4.4 and statsmodels 0.15.0, or by hand.
ALPHA = "krippendorff_alpha"


def written(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def value(labels, coefficient=ALPHA, **options):
    return getattr(agreement, coefficient)(labels, **options).estimate


def close(expected):
    return pytest.approx(expected, abs=5e-6)


GOOGLE = """Timestamp,Email Address,Comment 1,Comment 2,Comment 3,Comment 4,Comment 5,Comment 6
2024/05/01 9:13:22 AM GMT+2,p1@example.org,Toxic,Not toxic,Toxic,Not toxic,Toxic,Not toxic
2024/05/01 9:20:02 AM GMT+2,p2@example.org,Toxic,Not toxic,Toxic,Toxic,Toxic,Not toxic
2024/05/01 10:01:45 AM GMT+2,p3@example.org,Toxic,Not toxic,Not toxic,Not toxic,Toxic,Not toxic
"""
QUALTRICS = """StartDate,EndDate,Status,Progress,Finished,ResponseId,Q1,Q2,Q3,Q4
Start Date,End Date,Response Type,Progress,Finished,Response ID,Text 1?,Text 2?,Text 3?,Text 4?
"{""ImportId"":""startDate""}","{""ImportId"":""endDate""}","{""ImportId"":""status""}",\
"{""ImportId"":""progress""}","{""ImportId"":""finished""}","{""ImportId"":""_recordId""}",\
"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}","{""ImportId"":""QID3""}",\
"{""ImportId"":""QID4""}"
2024-05-01 09:00:00,2024-05-01 09:05:00,IP Address,100,True,R_a1,Yes,No,Yes,No
2024-05-01 09:10:00,2024-05-01 09:15:00,IP Address,100,True,R_b2,Yes,No,No,No
2024-05-01 09:20:00,2024-05-01 09:25:00,IP Address,100,True,R_c3,Yes,Yes,Yes,No
2024-05-01 09:30:00,2024-05-01 09:31:00,Survey Preview,20,False,R_d4,No,,,
"""


class TestForms:
    """A row is an annotator, a column an item."""

    def test_a_google_form(self, tmp_path):
        found = select_labels(written(tmp_path, GOOGLE))
        labels = found.labels
        assert (labels.n_annotators, labels.n_items) == (3, 6)
        assert value(labels) == close(0.58025)
        assert labels.annotators == ("person-1", "person-2", "person-3")
        assert "'Timestamp' (times)" in found.read_as

    def test_qualtrics_with_three_header_rows_and_a_preview(self, tmp_path):
        found = select_labels(written(tmp_path, QUALTRICS))
        assert found.labels.annotators == ("R_a1", "R_b2", "R_c3")
        assert value(found.labels) == close(0.38889)
        assert found.texts["Q3"] == "Text 3?"
        left_out = found.ledger[found.ledger["what"].str.startswith("left out")]
        assert left_out["rows"].tolist() == [2, 1]

    def test_rows_of_people_who_did_not_finish_are_left_out(self, tmp_path):
        found = select_labels(written(tmp_path, QUALTRICS.replace("Survey Preview", "IP Address")))
        assert found.labels.n_annotators == 3
        assert found.ledger["what"].str.contains("did not finish").sum() == 1

    def test_surveymonkey_with_a_second_header_row(self, tmp_path):
        text = (
            "Respondent ID,Collector ID,Start Date,IP Address,Text 1,Text 2,Text 3\n"
            ",,,,Response,Response,Response\n"
            "101,9,01/02/2024 10:00,1.2.3.4,Yes,No,Yes\n"
            "102,9,01/02/2024 10:05,1.2.3.5,Yes,No,No\n"
            "103,9,01/02/2024 10:07,1.2.3.6,Yes,Yes,No\n"
        )
        labels = select_labels(written(tmp_path, text)).labels
        assert labels.annotators == ("101", "102", "103")
        assert labels.items == ("Text 1", "Text 2", "Text 3")
        # Of 9 pairs of labels 5 agree, of 36 of all labels 16: 1 - (4 / 9) / (20 / 36).
        assert value(labels) == pytest.approx(0.2)

    def test_a_grid_of_a_form_has_questions_and_items(self, tmp_path):
        text = (
            "Timestamp,Username,Is it polite? [Text 1],Is it polite? [Text 2],"
            "Is it true? [Text 1],Is it true? [Text 2]\n"
            "2024/05/01 9:13:22 AM GMT+2,ann,yes,no,yes,yes\n"
            "2024/05/01 9:20:02 AM GMT+2,bob,yes,no,no,yes\n"
        )
        path = written(tmp_path, text)
        labels = select_labels(path, question="Is it true?").labels
        assert labels.items == ("Text 1", "Text 2")
        assert labels.to_frame()["label"].tolist() == ["yes", "yes", "no", "yes"]

    def test_a_form_that_was_sent_twice_is_refused_with_the_reason(self, tmp_path):
        text = GOOGLE.replace("p3@", "p1@")
        with pytest.raises(AnnotationError, match=r"sent twice.*--repeats"):
            select_labels(written(tmp_path, text))

    def test_questions_called_as_annotators_are_items_of_a_form(self, tmp_path):
        text = GOOGLE.replace("Comment ", "C")
        assert value(select_labels(written(tmp_path, text)).labels) == close(0.58025)

    def test_a_form_read_as_wide_is_refused_with_both_readings(self, tmp_path):
        with pytest.raises(UnclearLayoutError, match="--transpose") as caught:
            select_labels(written(tmp_path, GOOGLE), format="wide")
        assert next(iter(caught.value.readings)) == "--transpose"

    def test_the_items_of_a_form_may_be_named(self, tmp_path):
        labels = select_labels(
            written(tmp_path, GOOGLE), transpose=True, item="Comment 1,Comment 3"
        ).labels
        assert labels.items == ("Comment 1", "Comment 3")

    def test_questions_about_the_annotator_are_no_items(self, tmp_path):
        rows = GOOGLE.splitlines()
        text = "\n".join(
            f"{row},{last}" for row, last in zip(rows, ("Gender", *"fmf"), strict=True)
        )
        found = select_labels(written(tmp_path, text))
        assert found.labels.n_items == 6
        assert "'Gender' (about the annotator)" in found.read_as


COUNTS = "item,poor,fair,good\ni1,0,0,14\ni2,0,7,7\ni3,3,9,2\ni4,13,1,0\ni5,4,4,6\n"


class TestCounts:
    """How many annotators chose each category; nobody knows who."""

    def test_columns_of_counts(self, tmp_path):
        found = select_labels(written(tmp_path, COUNTS))
        assert value(found.labels, "fleiss_kappa") == close(0.40766)
        assert found.labels.categories == ("poor", "fair", "good")
        assert found.labels.anonymous
        assert "annotators unknown" in found.read_as

    @pytest.mark.parametrize("quoted", [json.dumps, str])
    def test_a_cell_of_counts(self, tmp_path, quoted):
        counts = [{"e": 20, "n": 80}, {"e": 100}, {"c": 80, "n": 20}, {"c": 20, "n": 80}]
        cells = [quoted(own).replace('"', '""') for own in counts]
        text = "uid,label_counter\n" + "".join(f'u{n},"{c}"\n' for n, c in enumerate(cells))
        labels = select_labels(written(tmp_path, text)).labels
        assert (labels.n_labels, labels.items[0]) == (400, "u0")
        lines = [{"uid": f"u{n}", "label_counter": own} for n, own in enumerate(counts)]
        path = written(tmp_path, "\n".join(map(json.dumps, lines)), "chaos.jsonl")
        same = select_labels(path).labels
        assert value(same, "fleiss_kappa") == value(labels, "fleiss_kappa")

    def test_what_needs_annotators_says_why_it_can_not(self, tmp_path):
        labels = select_labels(written(tmp_path, COUNTS)).labels
        for name in ("conger_kappa", "light_kappa", "cohen_kappa"):
            with pytest.raises(AnnotationError, match="who gave each label"):
                value(labels, name)
        with pytest.raises(AnnotationError, match="anonymous"):
            agreement.krippendorff_alpha(labels).by_annotator()

    def test_rows_of_different_totals_are_counts_if_the_user_says_so(self, tmp_path):
        path = written(tmp_path, "item,poor,fair,good\ni1,0,0,5\ni2,0,4,3\ni3,3,2,2\ni4,6,1,0\n")
        with pytest.raises(UnclearLayoutError) as caught:
            select_labels(path)
        assert {"--from wide", "--counts"} <= caught.value.readings.keys()
        assert select_labels(path, counts=True).labels.n_labels == 26

    def test_the_commands(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        written(tmp_path, COUNTS)
        done = CliRunner().invoke(app, ["report", "table.csv"])
        assert done.exit_code == 0
        assert "70 labels for 5 items, annotators unknown" in done.output
        page = (tmp_path / "table_agreement" / "report.html").read_text()
        assert "who gave which label is not known" in page
        assert 'id="annotators"' not in page
        refused = CliRunner().invoke(app, ["consensus", "table.csv"])
        assert refused.exit_code == 1
        assert "Choose voting" in refused.output
        voted = CliRunner().invoke(app, ["consensus", "table.csv", "--model", "voting"])
        assert voted.exit_code == 0
        assert not (tmp_path / "table_consensus" / "annotators.csv").exists()
        said = CliRunner().invoke(app, ["inspect", "table.csv"]).output
        assert "unknown" in said
        assert "--model voting" in said
        assert CliRunner().invoke(app, ["convert", "table.csv", "l.csv"]).exit_code == 1


FINAL = (
    "id,text,Anna,Ben,Carla,final\n1,t one,pos,pos,neg,pos\n2,t two,neg,neg,neg,neg\n"
    "3,t three,pos,neg,neg,neg\n4,t four,pos,pos,pos,pos\n5,t five,neg,pos,pos,pos\n"
    "6,t six,neg,neg,pos,neg\n"
)


class TestColumns:
    """Which columns are annotators', and what is said of the others."""

    def test_an_adjudicated_column_is_no_annotator(self, tmp_path):
        path = written(tmp_path, FINAL)
        found = select_labels(path, format="wide")
        assert found.labels.annotators == ("Anna", "Ben", "Carla")
        assert value(found.labels) == close(0.16049)
        with pytest.raises(UnclearLayoutError, match=r"'Anna', 'Ben', 'Carla'.*format='wide'"):
            select_labels(path)
        gold = select_labels(path, format="wide", gold="final").gold
        assert gold == dict(zip("123456", ["pos", "neg", "neg", "pos", "pos", "neg"], strict=True))

    def test_named_annotators_are_these(self, tmp_path):
        labels = select_labels(written(tmp_path, FINAL), annotators=["Anna", "final"]).labels
        assert labels.annotators == ("Anna", "final")
        assert labels.items == tuple("123456")
        with pytest.raises(ReaderError, match=r"no column is called 'Ana'.*Anna"):
            select_labels(written(tmp_path, FINAL), annotators=["Ana", "Ben"])

    @pytest.mark.parametrize(
        ("name", "cells", "what"),
        [
            ("when", ["2024-01-01", "2024-01-02", "2024-01-02", "2024-02-01"], "times"),
            ("Date", ["a", "b", "a", "b"], "times"),
            ("mail of coder", ["a@x.org", "a@x.org", "b@x.org", "b@x.org"], "e-mail"),
            ("notes", ["", "ok", "", "hm"], "comments"),
            ("Mean", ["1.5", "2", "3", "1"], "totals"),
            ("average", ["1.5", "2", "3", "1"], "totals"),
            ("sum", ["3", "4", "6", "2"], "totals"),
            ("agree", ["0", "1", "1", "1"], "agreement"),
            ("kappa", ["0.5", "1", "0.25", "1"], "agreement"),
            ("n", ["2", "2", "2", "2"], "totals"),
        ],
    )
    def test_what_is_no_label_is_no_annotator(self, tmp_path, name, cells, what):
        rows = zip("wxyz", [1, 2, 3, 1], [2, 2, 3, 1], cells, strict=True)
        text = f"id,Anna,Ben,{name}\n" + "".join(f"{i},{a},{b},{c}\n" for i, a, b, c in rows)
        found = select_labels(written(tmp_path, text), format="wide")
        assert found.labels.annotators == ("Anna", "Ben")
        assert what in found.read_as

    def test_first_names_stay_annotators(self, tmp_path):
        text = "id,Max,Alpha,N\nw,1,2,2\nx,2,2,1\ny,3,3,1\nz,1,1,3\n"
        labels = select_labels(written(tmp_path, text), format="wide").labels
        assert labels.annotators == ("Max", "Alpha", "N")

    def test_names_of_items_in_two_columns(self, tmp_path):
        path = written(tmp_path, "doc,sent,rater_1,rater_2\nd1,1,a,a\nd1,2,b,a\nd2,1,b,b\n")
        with pytest.raises(AnnotationError, match="names only a part of the item"):
            select_labels(path)
        labels = select_labels(path, item="doc,sent").labels
        assert labels.items == ("d1 / 1", "d1 / 2", "d2 / 1")

    def test_rows_that_sum_up_the_table_are_no_items(self, tmp_path):
        path = written(tmp_path, "item,rater_1,rater_2\nx,a,a\ny,b,a\nz,b,b\nN,3,3\n")
        found = select_labels(path)
        assert found.labels.items == ("x", "y", "z")
        assert any("'N', sums up the table" in text for text in found.remarks)
        path = written(tmp_path, "item,rater_1,rater_2\nx,a,a\nN,b,a\nz,b,b\n")
        assert select_labels(path).labels.items == ("x", "N", "z")

    @pytest.mark.parametrize(
        "cells",
        [
            {"label": ["yes", "no", "yes", "2"]},
            {"tone": ["yes", "no", "no", "1"], "topic": ["b", "a", "a", "2"]},
        ],
    )
    def test_totals_of_each_file_are_no_item(self, tmp_path, cells):
        for name in ("ann", "bob"):
            table = pd.DataFrame({"item": [*"xyz", "Total"], **cells})
            table.to_csv(tmp_path / f"{name}.csv", index=False)
        found = select_labels(tmp_path, question=None if "label" in cells else "tone")
        assert (found.labels.items, found.labels.categories) == (tuple("xyz"), ("no", "yes"))
        assert [note for note in found.remarks if "'Total', sums up the table" in note]

    def test_totals_of_each_sheet_are_no_item(self, tmp_path):
        table = pd.DataFrame({"item": [*"xyz", "Total"], "label": ["yes", "no", "yes", 2]})
        path = tmp_path / "labels.xlsx"
        with pd.ExcelWriter(path) as book:
            for name in ("ann", "bob"):
                table.to_excel(book, sheet_name=name, index=False)
        found = select_labels(path)
        assert (found.labels.items, found.labels.categories) == (tuple("xyz"), ("no", "yes"))
        assert len([note for note in found.remarks if "'Total', sums up" in note]) == 1

    def test_annotators_may_be_named_where_questions_come_first(self, tmp_path):
        text = "item,tone_ann,tone_bob,topic_ann,topic_bob\nx,a,b,c,c\ny,b,b,d,c\nz,a,a,d,d\n"
        path = written(tmp_path, text)
        labels = select_labels(path, annotators=["ann", "bob"], question="tone").labels
        assert (labels.annotators, labels.categories) == (("ann", "bob"), ("a", "b"))
        assert labels.n_labels == 6

    def test_items_of_questionnaires_are_no_annotators_unless_said(self, tmp_path):
        text = "id,A1,A2,A3,C1,C2,gender\nr1,2,4,3,2,3,1\nr2,2,4,5,5,4,2\nr3,5,4,5,4,5,2\n"
        path = written(tmp_path, text)
        with pytest.raises(UnclearLayoutError, match=r"scales.*'gender'.*format='wide'"):
            select_labels(path)
        assert select_labels(path, format="wide").labels.n_annotators == 5

    def test_scans_have_a_running_number(self, tmp_path):
        text = (
            "scan,reader_1,reader_2,reader_3\n1,neg,neg,ind\n2,neg,ind,pos\n3,pos,pos,ind\n"
            "4,ind,ind,ind\n5,neg,pos,pos\n"
        )
        for item in (None, "scan"):
            labels = select_labels(written(tmp_path, text), format="wide", item=item).labels
            assert value(labels) == close(0.14865)
            assert value(labels, "fleiss_kappa") == close(0.08784)

    def test_decimal_commas(self, tmp_path):
        text = "Beleg;K1;K2\n1;2,5;3,0\n2;1,0;1,0\n3;4,5;4,0\n4;3,0;3,0\n5;2,0;2,5\n6;5,0;5,0\n"
        path = written(tmp_path, text)
        labels = select_labels(path, format="wide", item="Beleg", scale="interval").labels
        points = written(tmp_path, text.replace(",", "."), "points.csv")
        other = select_labels(points, format="wide", item="Beleg", scale="interval").labels
        assert value(labels) == value(other) > 0.9
        long = written(tmp_path, "item;rater;score\n1;a;2,5\n1;b;3,0\n2;a;1,0\n2;b;1\n", "long.csv")
        assert select_labels(long, scale="interval").labels.categories == ("1", "2.5", "3")

    def test_commas_between_thousands_are_not_taken_for_decimal_ones(self, tmp_path):
        text = "item;rater;score\n1;a;2,500\n1;b;3,000\n2;a;1\n2;b;1,500\n"
        with pytest.raises(ReaderError, match="not a number"):
            select_labels(written(tmp_path, text), scale="interval")


GRID = [
    ["ID", "Annotator 1", "", "Annotator 2", ""],
    ["", "Sentiment", "Topic", "Sentiment", "Topic"],
]
CODED = [
    [1, "pos", "A", "pos", "A"],
    [2, "neg", "B", "pos", "B"],
    [3, "neg", "A", "neg", "B"],
    [4, "pos", "B", "pos", "B"],
]


def workbook(path, sheets, merged=()):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
        for cells in merged if name == next(iter(sheets)) else ():
            sheet.merge_cells(cells)
    book.save(path)
    return path


class TestSeveralQuestions:
    """Several columns an annotator."""

    @pytest.mark.parametrize("titles", [[], [["Study: tweets 2024"]], [["Study"], [], ["2024"]]])
    @pytest.mark.parametrize("id_row", [0, 1])
    def test_merged_headers_of_a_workbook(self, tmp_path, titles, id_row):
        header = [list(GRID[0]), list(GRID[1])]
        header[1 - id_row][0], header[id_row][0] = "", "ID"
        sheets = {"Coding": [*titles, *header, *CODED], "Notes": [["done by hand"]]}
        n = len(titles) + 1
        path = workbook(tmp_path / "book.xlsx", sheets, [f"B{n}:C{n}", f"D{n}:E{n}"])
        for question in ("Sentiment", "Topic"):
            labels = select_labels(path, question=question).labels
            assert value(labels) == close(0.53333)
            assert labels.annotators == ("Annotator 1", "Annotator 2")
        with pytest.raises(AnnotationError, match="'Sentiment', 'Topic'"):
            select_labels(path)

    def test_merged_headers_of_a_text(self, tmp_path):
        rows = [["", *GRID[0][1:]], ["ID", *GRID[1][1:]], *CODED]
        text = "\n".join(",".join(map(str, row)) for row in rows)
        labels = select_labels(written(tmp_path, text), question="Topic").labels
        assert value(labels) == close(0.53333)

    @pytest.mark.parametrize(
        "names",
        [
            ["rater1_label", "rater1_topic", "rater2_label", "rater2_topic"],
            ["label_rater1", "topic_rater1", "label_rater2", "topic_rater2"],
            ["rater_1_label", "rater_1_topic", "rater_2_label", "rater_2_topic"],
        ],
    )
    def test_numbered_annotators(self, tmp_path, names):
        text = "\n".join(",".join(map(str, row)) for row in [["id", *names], *CODED])
        path = written(tmp_path, text)
        for question in ("label", "topic"):
            assert value(select_labels(path, question=question).labels) == close(0.53333)

    def test_people_by_the_answers_that_their_columns_share(self, tmp_path):
        names = ["Anna_one", "Anna_two", "Ben_one", "Ben_two"]
        text = "\n".join(",".join(map(str, row)) for row in [["id", *names], *CODED])
        labels = select_labels(written(tmp_path, text), format="wide", question="one").labels
        assert labels.annotators == ("Anna", "Ben")
        assert value(labels) == close(0.53333)

    def test_where_either_may_be_the_annotators_they_have_to_be_named(self, tmp_path):
        rows = [
            [1, "pos", "pos", "pos", "neg"],
            [2, "neg", "pos", "pos", "pos"],
            [3, "neg", "neg", "neg", "pos"],
            [4, "pos", "neg", "pos", "neg"],
        ]
        header = ["id", "Anna_one", "Anna_two", "Ben_one", "Ben_two"]
        text = "\n".join(",".join(map(str, row)) for row in [header, *rows])
        path = written(tmp_path, text)
        with pytest.raises(ReaderError, match=r"'Anna', 'Ben' with one, two.*--annotators"):
            select_labels(path, format="wide")
        labels = select_labels(path, annotators=["Anna", "Ben"], question="two").labels
        assert labels.to_frame()["label"].tolist() == ["pos", "neg"] + ["pos"] * 2 + [
            "neg",
            "pos",
            "neg",
            "neg",
        ]

    def test_names_beside_labels(self, tmp_path):
        text = (
            "item,annotator1_name,annotator1_label,annotator2_name,annotator2_label\n"
            "x,ann,pos,bob,pos\ny,bob,neg,cem,neg\nz,cem,pos,ann,neg\nv,ann,pos,bob,pos\n"
        )
        found = select_labels(written(tmp_path, text), keep_names=True)
        assert found.labels.annotators == ("ann", "bob", "cem")
        assert value(found.labels) == close(0.53333)
        assert select_labels(written(tmp_path, text)).labels.annotators[0] == "person-1"

    def test_labels_without_a_name_are_counted(self, tmp_path):
        text = (
            "item,annotator1_name,annotator1_label,annotator2_name,annotator2_label\n"
            "x,ann,pos,bob,pos\ny,,neg,cem,neg\nz,,pos,,neg\nv,ann,pos,bob,neg\n"
        )
        found = select_labels(written(tmp_path, text))
        assert found.labels.n_labels == 5
        rows = dict(zip(found.ledger["what"], found.ledger["rows"], strict=True))
        assert rows["left out: labels without the name of an annotator"] == 1
        assert rows["left out: rows that name no annotator"] == 1
        assert rows["records read"] == rows["records with answers"] + 2

    def test_a_person_in_two_columns_of_a_row_is_refused(self, tmp_path):
        text = (
            "item,annotator1_name,annotator1_label,annotator2_name,annotator2_label\n"
            "x,ann,pos,ann,pos\ny,bob,neg,cem,neg\n"
        )
        with pytest.raises(AnnotationError, match="two columns of one row"):
            select_labels(written(tmp_path, text))

    def test_a_second_row_of_the_header_is_no_item(self, tmp_path):
        text = (
            "ID,Annotator 1,Annotator 2\n,Code,Code\n1,pos,pos\n2,neg,pos\n3,neg,neg\n4,pos,pos\n"
        )
        path = written(tmp_path, text)
        with pytest.raises(ReaderError, match=r"second row of the header.*--header-rows 2"):
            select_labels(path)
        labels = select_labels(path, header_rows=2, format="wide").labels
        assert labels.annotators == ("Annotator 1", "Annotator 2")
        assert labels.items == tuple("1234")

    def test_a_sheet_may_be_chosen(self, tmp_path):
        wide = [["id", "rater_1", "rater_2"], [1, "a", "a"], [2, "b", "a"]]
        other = [["id", "rater_1", "rater_2"], [1, "b", "a"], [2, "b", "b"]]
        path = workbook(tmp_path / "book.xlsx", {"first": wide, "second": other})
        labels = select_labels(path, sheet="second").labels
        assert labels.to_frame()["label"].tolist() == ["b", "a", "b", "b"]
        with pytest.raises(ReaderError, match=r"no sheet is called 'secnd'.*second"):
            select_labels(path, sheet="secnd")


class TestOtherShapes:
    """Tallies, lists, nested JSON, folders, and codes for missing labels."""

    @pytest.mark.parametrize("name", ["n", "count", "Freq"])
    def test_patterns_with_a_tally(self, tmp_path, name):
        text = f"rater_1,rater_2,{name}\nyes,yes,40\nyes,no,10\nno,yes,5\nno,no,45\n"
        found = select_labels(written(tmp_path, text))
        assert (found.labels.n_items, found.labels.n_annotators) == (100, 2)
        assert value(found.labels, "cohen_kappa") == pytest.approx(0.7)
        assert any("--weight" in text for text in found.remarks)
        same = select_labels(written(tmp_path, text), weight=name)
        assert same.labels.n_items == 100
        assert not same.remarks

    def test_a_pattern_that_never_occurs_is_counted(self, tmp_path):
        text = "rater_1,rater_2,n\nyes,yes,4\nyes,no,0\nno,no,3\n"
        found = select_labels(written(tmp_path, text), weight="n")
        assert found.labels.n_items == 7
        [row] = found.ledger[found.ledger["what"].str.contains("stand for no item")].itertuples()
        assert (row.rows, row.first) == (1, "row 2")

    def test_a_number_of_items_that_is_none_is_refused(self, tmp_path):
        text = "rater_1,rater_2,n\nyes,yes,4\nyes,no,1.5\n"
        with pytest.raises(ReaderError, match=r"row 2: '1\.5' in 'n' is no number of items"):
            select_labels(written(tmp_path, text), weight="n")

    def test_lists_without_names(self, tmp_path):
        cells = [["a", "b", "a"], ["a", "a", "a"], ["b", "b"]]
        rows = [f'{n},"{json.dumps(own)}"'.replace('"[', "[") for n, own in enumerate(cells)]
        rows = [
            '{},"{}"'.format(n, json.dumps(own).replace('"', '""')) for n, own in enumerate(cells)
        ]
        labels = select_labels(written(tmp_path, "\n".join(["id,labels", *rows]))).labels
        assert (labels.n_labels, labels.anonymous) == (8, True)

    def test_objects_of_objects(self, tmp_path):
        by_item = {"t1": {"ann": "a", "bob": "b"}, "t2": {"ann": "a", "bob": "a"}}
        by_item["t3"] = {"ann": "b", "bob": "b"}
        by_annotator = {who: {t: own[who] for t, own in by_item.items()} for who in ("ann", "bob")}
        first = written(tmp_path, json.dumps(by_item), "items.json")
        second = written(tmp_path, json.dumps(by_annotator, indent=1), "annotators.json")
        for path in (first, second):
            with pytest.raises(UnclearLayoutError) as caught:
                select_labels(path)
            assert set(caught.value.readings) == {"--from wide", "--transpose"}
        assert value(select_labels(first, format="wide").labels) == pytest.approx(4 / 9)
        assert value(select_labels(second, transpose=True).labels) == pytest.approx(4 / 9)
        numbered = {f"annotator_{n}": own for n, own in enumerate(by_annotator.values())}
        third = written(tmp_path, json.dumps(numbered), "numbered.json")
        assert value(select_labels(third).labels) == pytest.approx(4 / 9)

    def test_a_file_an_annotator_with_columns_of_any_names(self, tmp_path):
        header = "PMCID,Fig No.,Pathway,Metabolic,comment"
        rows = {
            "ann": ["P1,Fig. 1,yes,no,", "P1,Fig. 2,yes,yes,sure", "P2,Fig. 1,no,no,"],
            "ben": ["P1,Fig. 1,yes,no,", "P1,Fig. 2,no,yes,", "P2,Fig. 1,no,yes,hm"],
        }
        for who, own in rows.items():
            written(tmp_path, "\n".join([header, *own]), f"annotator_{who}.csv")
        found = select_labels(tmp_path, question="Pathway")
        assert value(found.labels) == close(0.44444)
        assert value(select_labels(tmp_path, question="Metabolic").labels) == close(0.44444)
        assert "'comment'" in found.read_as
        with pytest.raises(AnnotationError, match="all columns of the item"):
            select_labels(tmp_path, item="PMCID", question="Pathway")

    def test_codes_for_missing_labels(self, tmp_path):
        scores = {"a": "4 2 99 1 5 3", "b": "5 2 3 1 99 4"}
        rows = [
            f"{n},{who},{score}"
            for who, own in scores.items()
            for n, score in enumerate(own.split(), start=1)
        ]
        path = written(tmp_path, "\n".join(["item,rater,rating", *rows]))
        wide = written(
            tmp_path,
            "\n".join(
                [
                    "item,rater_a,rater_b",
                    *map(
                        ",".join,
                        zip("123456", scores["a"].split(), scores["b"].split(), strict=True),
                    ),
                ]
            ),
            "wide.csv",
        )
        for each in (path, wide):
            found = select_labels(each, missing=["99"], scale="interval")
            assert value(found.labels) == close(0.88710)
            assert "99" not in found.labels.categories
            assert found.ledger["what"].str.contains("'99'").any()
        ordinal = select_labels(path, missing=["99"], categories=list("12345"), scale="ordinal")
        assert ordinal.labels.categories == tuple("12345")
        idle = select_labels(path, missing=["98"])
        assert any("--missing 98 changes nothing" in text for text in idle.remarks)

    def test_a_far_number_is_noted(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        rows = [f"{n},{who},{s}" for who in "ab" for n, s in enumerate([1, 2, 3, 4, 99])]
        written(tmp_path, "\n".join(["item,rater,rating", *rows]))
        for scale in ("nominal", "interval"):
            said = CliRunner().invoke(app, ["report", "table.csv", "--scale", scale]).output
            assert "--missing 99" in said


class TestOfALab:
    """What was tried with tables of a lab, and read wrongly or refused without need."""

    def test_a_pivot_table_has_grand_totals(self, tmp_path):
        text = (
            "Row Labels,ann,ben,Grand Total\nt1,1,2,3\nt2,2,2,4\nt3,1,1,2\nt4,3,2,5\n"
            "Grand Total,7,7,14\n"
        )
        found = select_labels(written(tmp_path, text), format="wide", item="Row Labels")
        assert (found.labels.n_items, found.labels.annotators) == (4, ("ann", "ben"))

    def test_microsoft_forms_of_anonymous_people(self, tmp_path):
        text = "ID,Start time,Completion time,Email,Name,Text 1,Text 2,Text 3\n" + "".join(
            f"{n},5/1/24 9:{n}0:00,5/1/24 9:{n}5:00,anonymous,,{answers}\n"
            for n, answers in enumerate(["Yes,No,Yes", "Yes,No,No", "Yes,Yes,No"], start=1)
        )
        found = select_labels(written(tmp_path, text))
        assert found.labels.annotators == ("1", "2", "3")
        assert found.labels.items == ("Text 1", "Text 2", "Text 3")
        assert value(found.labels) == pytest.approx(0.2)

    def test_a_confusion_matrix_is_no_table_of_labels(self, tmp_path):
        path = written(tmp_path, ",yes,no\nyes,40,10\nno,5,45\n")
        with pytest.raises(ReaderError, match="from_contingency"):
            select_labels(path)

    def test_names_of_annotators_in_each_cell_of_the_upper_header(self, tmp_path):
        text = (
            "Coder,,Anna,Anna,Ben,Ben\nItem,Text,frame,tone,frame,tone\n1,t1,x,p,x,p\n"
            "2,t2,y,n,x,n\n3,t3,y,p,y,n\n4,t4,x,n,x,n\n"
        )
        labels = select_labels(
            written(tmp_path, text), annotators=["Anna", "Ben"], question="tone"
        ).labels
        assert labels.to_frame()["label"].tolist() == ["p", "p", "n", "n", "p", "n", "n", "n"]

    def test_records_that_name_annotators_are_not_doccano_s(self, tmp_path):
        marks = [{"annotator": who, "label": "x"} for who in "ab"]
        line = json.dumps({"id": 1, "text": "t", "annotations": marks})
        with pytest.raises(ReaderError, match="unknown format"):
            select_labels(written(tmp_path, line, "marks.jsonl"))


def test_each_reading_of_an_unclear_table_comes_with_its_alpha(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "id,A1,A2,A3,C1,C2\nr1,2,4,3,2,3\nr2,2,4,5,5,4\nr3,5,4,5,4,5\n")
    for command in ("report", "consensus", "inspect"):
        done = CliRunner().invoke(app, [command, "table.csv"])
        assert done.exit_code == 1
        lines = [line for line in done.output.splitlines() if line.startswith("With --")]
        assert [line.split(":")[0] for line in lines] == ["With --from wide", "With --transpose"]
        assert all("nominal alpha" in line for line in lines)


@pytest.mark.parametrize(
    ("options", "content"),
    [
        ({"annotators": ["a"]}, "item,annotator,label\nx,a,1\nx,b,1\n"),
        ({"transpose": True}, "item,annotator,label\nx,a,1\nx,b,1\n"),
        ({"counts": True}, "item,annotator,label\nx,a,1\nx,b,1\n"),
        ({"weight": "n"}, "item,annotator,label,n\nx,a,1,2\nx,b,1,2\n"),
        ({"sheet": "one"}, "item,rater_1,rater_2\nx,a,1\nx,b,1\n"),
    ],
)
def test_options_of_layouts_are_refused_where_they_do_nothing(tmp_path, options, content):
    with pytest.raises((AnnotationError, ReaderError), match="no effect"):
        select_labels(written(tmp_path, content), **options)


def test_options_that_contradict_each_other_are_refused(tmp_path):
    path = written(tmp_path, COUNTS)
    for one, other in itertools.combinations(
        [{"counts": True}, {"transpose": True}, {"annotators": ["poor", "fair"]}], 2
    ):
        with pytest.raises(ReaderError, match="Leave one of them out"):
            select_labels(path, **one, **other)


def test_a_row_an_item_and_category_with_a_count(tmp_path):
    path = tmp_path / "counted.csv"
    rows = [
        "item,category,count,gold",
        "a,yes,3,yes",
        "a,no,1,yes",
        "b,no,2,",
        "b,yes,2,",
        "c,no,4,",
    ]
    path.write_text("\n".join(rows))
    found = select_labels(path)
    expected = Annotations.from_counts([[3, 1], [2, 2], [0, 4]])
    alpha = agreement.krippendorff_alpha
    assert alpha(found.labels).estimate == pytest.approx(alpha(expected).estimate)
    assert found.labels.anonymous
    assert found.gold == {"a": "yes"}
    assert "'count' is the number of annotators who chose it" in found.read_as


@pytest.mark.parametrize(
    "rows",
    [
        "a,yes,3\na,yes,1\n",  # twice the same category
        "a,yes,2.5\nb,no,1\n",
        "a,yes,1\nb,no,2\nc,no,3\nd,no,4\n",  # the number of the row
    ],
)
def test_what_may_not_be_counts_is_not_read_as_such(tmp_path, rows):
    path = tmp_path / "counted.csv"
    path.write_text(f"item,label,n\n{rows}")
    with pytest.raises(ReaderError):
        select_labels(path)


def test_numbered_names_beside_numbered_labels(tmp_path):
    path = tmp_path / "pairs.csv"
    rows = ["id,annotator1,label1,annotator2,label2"]
    rows += ["a,ann,yes,bob,yes", "b,bob,no,cy,yes", "c,cy,no,ann,no", "d,ann,yes,cy,no"]
    path.write_text("\n".join(rows))
    found = select_labels(path, keep_names=True)
    frame = found.labels.to_frame()
    assert set(frame["annotator"]) == {"ann", "bob", "cy"}
    assert set(frame["label"]) == {"yes", "no"}
    assert frame[frame["item"] == "b"].set_index("annotator")["label"].to_dict() == {
        "bob": "no",
        "cy": "yes",
    }


def test_numbered_labels_alone_are_those_of_numbered_annotators(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("id,label1,label2\na,yes,yes\nb,no,yes\nc,no,no\n")
    assert select_labels(path).labels.n_annotators == 2


@pytest.mark.parametrize("name", ["% agree", "Agreement (%)", "Any comments?", "Bemerkungen"])
def test_what_stands_beside_labels_is_no_annotator(tmp_path, name):
    path = tmp_path / "table.csv"
    cells = ["80", "100", "60", ""] if "gree" in name else ["fine", "", "hard", ""]
    rows = [f"{n},yes,no,yes,{cell}" for n, cell in enumerate(cells)]
    path.write_text("\n".join([f"id,rater1,rater2,rater3,{name}", *rows]))
    found = select_labels(path)
    assert found.labels.annotators == ("rater1", "rater2", "rater3")
    assert repr(name) in found.read_as


TWICE = {
    "long": ("item,annotator,label", read_labels),
    "gold": ("item,gold", read_gold),
    "wide": ("id,rater1,rater2", read_labels),
    "export": ("HITId,WorkerId,AssignmentStatus,Input.text,Answer.label", read_labels),
    "partition": ("item,annotator,label", lambda path: partition(path, path.parent / "parts")),
}


@pytest.mark.parametrize("kind", TWICE)
def test_files_that_were_put_together_repeat_their_header(kind, tmp_path):
    header, read = TWICE[kind]
    rows = [",".join([f"i{n}", *["yes", "no"] * 3][: header.count(",") + 1]) for n in range(4)]
    path = tmp_path / "labels.csv"
    path.write_text("\n".join([header, *rows, header, *rows, ""]))
    with pytest.raises(ReaderError, match=r"(row 5|line 6).*repeats the header"):
        read(path)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_what_is_no_part_of_a_label_is_said(ending, tmp_path):
    path = tmp_path / f"labels.{ending}"
    table = pd.DataFrame({"item": ["a", "a", "b"], "worker": ["x", "y", "x"], "label": [0, 1, 0]})
    plain = table.assign(correct=[1, 0, 1], gold=[0, 0, 0])
    for frame in (table, plain):
        if ending == "parquet":
            frame.to_parquet(path)
        else:
            frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
        said = select_labels(path).read_as
        if frame is table:
            assert not said
    assert (
        said
        == "A row is a label: 'label' of 'worker' for 'item'; other columns: 'correct', 'gold'."
    )


@pytest.mark.parametrize("name", ["category", "Code", "label"])
def test_totals_of_annotators_are_no_labels(name, tmp_path):
    path = tmp_path / "totals.csv"
    path.write_text(f"{name},coder1,coder2\nanger,12,14\njoy,30,28\nfear,7,9\nnone,51,49\n")
    with pytest.raises(ReaderError, match=r"names categories.*--item"):
        select_labels(path)
    assert select_labels(path, item=name).labels.n_items == 4
    path.write_text(f"{name},coder1,coder2\nanger,yes,no\njoy,no,no\nfear,yes,yes\n")
    assert select_labels(path).labels.n_items == 3


@pytest.mark.parametrize("name", ["kappa", "Cohen's kappa", "alpha"])
def test_a_table_of_coefficients_is_no_table_of_labels(name, tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(f"pair,{name},coder1,coder2\nA,.61,ann,bob\nB,.52,ann,cy\nC,.7,bob,cy\n")
    with pytest.raises(ReaderError, match=r"holds a coefficient.*--annotators"):
        select_labels(path)
    assert select_labels(path, annotators=["coder1", "coder2"]).labels.n_labels == 6
    path.write_text(f"pair,{name},coder1,coder2\nA,.61,ann,bob\nB,.52,ann,ann\nC,.7,bob,cy\n")
    assert select_labels(path).labels.n_labels == 6


def test_an_annotator_who_gave_no_label_is_said_to_be_none(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("id,rater1,rater2,rater3\na,yes,no,\nb,no,no,\nc,yes,yes,\n")
    found = select_labels(path)
    assert found.labels.annotators == ("rater1", "rater2")
    assert "annotators: 'rater1', 'rater2'; not used: 'rater3' (empty)." in found.read_as


@pytest.mark.parametrize("wrong", ["-1", "0.5", "n/a", "1.000"])
def test_a_wrong_cell_is_a_fault_of_its_row_and_costs_no_category(tmp_path, wrong):
    path = written(tmp_path, f"item,neg,neu,pos\na,3,1,0\nb,0,3,{wrong}\nc,1,1,2\nd,0,0,4\n")
    with pytest.raises(ReaderError, match=rf"row 2: '{wrong}' is not a number of annotators"):
        select_labels(path, counts=True)


def test_a_comment_beside_counts_is_no_category(tmp_path):
    rows = "a,3,1,0,\nb,0,4,0,unsure\nc,1,1,2,\nd,0,0,4,\n"
    labels = select_labels(written(tmp_path, f"item,neg,neu,pos,why\n{rows}"), counts=True).labels
    assert labels.categories == ("neg", "neu", "pos")
    # Observed 2/3; expected .25^2 + 2 * .375^2 = .34375, by hand.
    assert value(labels, "fleiss_kappa") == close(0.492063)


def test_a_thousand_is_not_read_as_one(tmp_path):
    path = written(tmp_path, "a;b;n\nyes;yes;1.000\nyes;no;5\nno;yes;10\nno;no;15\n")
    with pytest.raises(ReaderError, match=r"'1\.000' in 'n' is no number of items: write it"):
        select_labels(path, weight="n", format="wide")
