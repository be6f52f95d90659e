"""A column per category, lists in cells, a column per annotator, crowd-kit's frames."""

import ast
import csv
from collections import Counter

import pytest
from written import text_file as write

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise

EMOTIONS = (
    "text,id,author,rater_id,example_very_unclear,joy,anger,neutral\n"
    "hello,i1,u,1,False,1,0,0\n"
    "hello,i1,u,2,False,1,1,0\n"
    "hmm,i2,u,1,True,0,0,0\n"
)


def test_columns_of_0_and_1_are_options(tmp_path):
    path = write(tmp_path / "emotions.csv", EMOTIONS)
    assert recognise(path) == {"category_columns": "3 categories"}
    export = read_export(path)
    assert export.questions.question.tolist() == ["categories", "example_very_unclear"]
    counts = export.questions[["answers", "items", "annotators"]]
    assert counts.values.tolist() == [[3, 2, 2], [3, 2, 2]]
    selection = export.select("categories", empty="category")
    assert selection.labels.scale == "set"
    assert selection.labels.n_labels == 3
    # Nobody ever chose the neutral one.
    assert export.questions.categories[0] == ["anger", "joy"]
    assert export.select("categories").ledger[["what", "rows"]].values.tolist() == [
        ["records read", 3],
        ["records with answers", 3],
        ["answers to 'categories'", 3],
        ["left out: answers that chose nothing", 1],
        ["labels", 2],
    ]
    unclear = export.labels("example_very_unclear")
    assert unclear.to_frame().label.tolist() == ["false", "false", "true"]
    assert export.texts == {"i1": "hello", "i2": "hmm"}


def test_a_remark_that_reads_true_makes_no_question(tmp_path):
    path = write(
        tmp_path / "remarks.csv",
        "item,annotator,joy,anger,remark\ni1,1,1,0,true\ni1,2,0,1,rather loud\n",
    )
    assert read_export(path).questions.question.tolist() == ["categories"]


def test_a_number_that_is_neither_0_nor_1_is_a_fault_wherever_it_stands(tmp_path):
    rows = [f"hello,i{n},u,1,False,1,0,0\n" for n in range(60)]
    path = write(
        tmp_path / "emotions.csv", EMOTIONS + "".join(rows) + "hello,i99,u,1,False,1,0,2\n"
    )
    with pytest.raises(ReaderError, match="row 64: '2' in the column 'neutral' of 0 and 1"):
        read_export(path)


def test_lists_in_cells_go_together(tmp_path):
    path = write(
        tmp_path / "pairs.csv",
        ",sentence,labels,who,annotator_ids\n"
        "0,a,\"['x', 'y']\",p,\"[1, 2]\"\n"
        '1,b,"[""x"", """"]",p,"[1, 3]"\n'
        "2,c,[],p,[]\n",
    )
    assert recognise(path) == {"list_cells": "labels by annotator_ids"}
    export = read_export(path)
    selection = export.select()
    assert selection.labels.to_frame().values.tolist() == [
        ["0", "1", "x"],
        ["0", "2", "y"],
        ["1", "1", "x"],
    ]
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 3],
        ["left out: rows without annotators", 1],
        ["records with answers", 2],
        ["answers to 'labels'", 4],
        ["left out: answers that chose nothing", 1],
        ["labels", 3],
    ]


def test_lists_of_different_lengths_further_down_are_faults(tmp_path):
    rows = "".join(f"{n},\"['x']\",\"['ann']\"\n" for n in range(60))
    path = write(
        tmp_path / "pairs.csv", f"id,labels,annotators\n{rows}60,\"['x']\",\"['a', 'b']\"\n"
    )
    with pytest.raises(ReaderError, match="row 61: 1 answers in 'labels' by 2 annotators"):
        read_export(path)


def test_crows_pairs_holds_what_was_counted(mirror):
    path = mirror / "exports" / "crows_pairs" / "crows_pairs_anonymized.csv"
    count, annotators = Counter(), set()
    with path.open(newline="") as stream:
        for row in csv.DictReader(stream):
            who = ast.literal_eval(row["anon_annotators"])
            annotators.update(who)
            for chosen in ast.literal_eval(row["annotations"]):
                count[tuple(chosen)] += 1
            assert len(who) == len(set(who)) == 5
    assert count[()] == 666
    assert {len(chosen) for chosen in count} == {0, 1}
    selection = read_export(path).select()
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 1508],
        ["records with answers", 1508],
        ["answers to 'annotations'", 1508 * 5],
        ["left out: answers that chose nothing", 666],
        ["labels", 1508 * 5 - 666],
    ]
    assert selection.labels.scale == "nominal"
    # One of the 287 chose nothing each time, if any.
    assert set(selection.labels.annotators) <= annotators
    given = Counter(selection.labels.to_frame().label)
    assert given == {chosen[0]: n for chosen, n in count.items() if chosen}


WIDE = "id,text,annotator_1,annotator_2,Annotator 3,gold\n1,x,yes,no,,yes\n2,y,no,no,no,\n3,z,,,,\n"


def test_columns_that_are_not_used_are_named(tmp_path):
    rows = "i1,x,x,x,x\ni2,x,y,x,y\ni3,y,y,y,x\n"
    path = write(tmp_path / "mail.csv", f"item,eva@x.org,coder1,tom@x.org,coder2\n{rows}")
    selection = read_export(path, format="wide").select()
    assert selection.labels.annotators == ("coder1", "coder2")
    [note] = [text for text in selection.remarks if "not used" in text]
    assert "'eva@x.org', 'tom@x.org' hold the same labels and were not used" in note
    # Numbered columns of other things, and those with other values, are no annotators in doubt.
    path = write(tmp_path / "other.csv", "item,coder1,coder2,hour\ni1,x,x,3\ni2,x,y,4\ni3,y,y,5\n")
    assert not any("not used" in text for text in read_export(path).select().remarks)


def test_a_column_an_annotator(tmp_path):
    path = write(tmp_path / "wide.csv", WIDE)
    assert recognise(path) == {"wide": "3 annotators"}
    selection = read_export(path).select()
    assert selection.labels.to_frame().values.tolist() == [
        ["1", "annotator_1", "yes"],
        ["1", "annotator_2", "no"],
        ["2", "annotator_1", "no"],
        ["2", "annotator_2", "no"],
        ["2", "Annotator 3", "no"],
    ]
    assert selection.gold == {"1": "yes"}
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 3],
        ["left out: rows without labels", 1],
        ["records with answers", 2],
        ["answers to 'label'", 5],
        ["labels", 5],
    ]


def test_semicolons_between_columns_are_read_too(tmp_path):
    path = write(tmp_path / "wide.csv", WIDE.replace(",", ";"))
    assert read_export(path).labels().n_labels == 5


@pytest.mark.parametrize(
    "header",
    [
        "id,q1,q2",  # questions to one person, or persons?
        "id,ann,bob",
        "item,annotator,label",
        "id,text,label",
        "id,hate,offensive",
    ],
)
def test_columns_that_need_not_be_annotators_are_not_guessed(tmp_path, header):
    path = write(tmp_path / "t.csv", f"{header}\n1,1,0\n2,0,1\n")
    assert "wide" not in recognise(path)


def test_columns_of_texts_are_no_annotators(tmp_path):
    path = write(tmp_path / "t.csv", f"id,reviewer1,reviewer2\n1,{'long ' * 20},{'text ' * 20}\n")
    assert recognise(path) == {}


def test_columns_with_the_names_of_people_are_read_when_the_layout_is_named(tmp_path):
    path = write(tmp_path / "wide.csv", "id,text,ann,bob\n1,x,yes,no\n2,y,no,\n")
    assert recognise(path) == {}
    assert read_export(path, format="wide").labels().annotators == ("ann", "bob")


def test_two_rows_of_one_item_are_repeated_answers(tmp_path):
    path = write(tmp_path / "wide.csv", "id,rater1,rater2\n1,yes,no\n1,no,no\n")
    with pytest.raises(AnnotationError, match="--repeats first"):
        read_export(path).labels()


def test_crowd_kit_compares_pairs_without_regard_to_the_side(tmp_path):
    path = write(tmp_path / "pairs.csv", "worker,left,right,label\nw1,a,b,a\nw2,b,a,b\n,a,b,a\n")
    assert recognise(path) == {"crowd_kit": "pairwise comparisons"}
    selection = read_export(path).select()
    assert selection.labels.to_frame().values.tolist() == [
        ["a | b", "w1", "a"],
        ["a | b", "w2", "b"],
    ]
    assert selection.ledger.rows.tolist() == [3, 1, 2, 2, 2]


def test_crowd_kit_texts_are_no_categories(tmp_path):
    path = write(tmp_path / "texts.csv", "task,worker,text\nt,w1,hello\nt,w2,hullo\n")
    assert recognise(path) == {"crowd_kit": "texts"}
    assert read_export(path).questions.kind.tolist() == ["text"]
    with pytest.raises(AnnotationError, match="the answers are free texts, which are not compared"):
        read_export(path).labels()


def test_crowd_kit_labels_are_a_plain_table(tmp_path):
    path = write(tmp_path / "labels.csv", "task,worker,label\nt,w1,a\nt,w2,b\n")
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="neither task, worker, text nor worker, left, right"):
        read_export(path, format="crowd_kit")


def test_a_column_named_as_an_annotator_that_holds_texts_is_counted(tmp_path):
    path = tmp_path / "wide.csv"
    long = "a text that is longer than any category could be and says much about the item"
    path.write_text(f"id,rater1,rater2,rater3\nx,a,b,{long}\ny,a,a,\n")
    found = read_export(path, format="wide").select()
    assert found.labels.n_annotators == 2
    ledger = dict(zip(found.ledger["what"], found.ledger["rows"], strict=True))
    assert ledger["left out: columns named as annotators that hold texts"] == 1
