"""Results of a Toloka pool: expired and rejected work, control items, hints."""

import pytest

from annobench.core.errors import ReaderError
from annobench.io.formats import read_export, recognise

HEADER = [
    "INPUT:image",
    "OUTPUT:result",
    "OUTPUT:visible",
    "GOLDEN:result",
    "HINT:text",
    "HINT:default_language",
    "ASSIGNMENT:link",
    "ASSIGNMENT:task_id",
    "ASSIGNMENT:assignment_id",
    "ASSIGNMENT:worker_id",
    "ASSIGNMENT:status",
    "ASSIGNMENT:started",
]


def row(image, result, worker, status, golden="", visible="true"):
    return [image, result, visible, golden, "", "", "", "t", "a", worker, status, "2021-01-01"]


def write(path, *rows):
    path.write_text("\n".join("\t".join(cells) for cells in (HEADER, *rows)) + "\n")
    return path


POOL = [
    row("1.jpg", "cat", "w1", "APPROVED"),
    row("2.jpg", "dog", "w1", "APPROVED", golden="dog"),
    [""] * 12,
    row("1.jpg", "dog", "w2", "REJECTED"),
    row("2.jpg", "cat", "w2", "REJECTED", golden="dog"),
    row("1.jpg", "cat", "w3", "SUBMITTED", visible="false"),
    row("3.jpg", "", "w3", "EXPIRED", visible=""),
    row("3.jpg", "", "w4", "SKIPPED", visible=""),
    row("3.jpg", "cat", "w5", "ACTIVE"),
]


def test_only_finished_work_counts_and_control_items_stay_out(tmp_path):
    path = write(tmp_path / "assignments.tsv", *POOL)
    assert recognise(path) == {"toloka": "results of a pool"}
    export = read_export(path)
    selection = export.select("result")
    assert selection.labels.to_frame().values.tolist() == [
        ["1.jpg", "w1", "cat"],
        ["1.jpg", "w3", "cat"],
    ]
    assert selection.gold == {"2.jpg": "dog"}
    assert selection.ledger[["what", "rows"]].values.tolist() == [
        ["records read", 9],
        ["left out: empty rows", 1],
        ["records with answers", 8],
        ["answers to 'result'", 8],
        ["left out: rejected answers", 2],
        ["left out: skipped or ignored answers", 1],
        ["left out: unfinished or expired answers", 2],
        ["left out: answers on control items", 1],
        ["labels", 2],
    ]
    assert selection.ledger["first"].tolist()[1] == "row 3"
    assert export.labels("visible").to_frame().label.tolist() == ["true", "false"]


def test_control_items_can_be_used(tmp_path):
    export = read_export(write(tmp_path / "pool.tsv", *POOL))
    labels = export.labels("result", gold_items="use", status=("done", "rejected"))
    assert labels.n_labels == 5
    assert export.texts["2.jpg"] == "2.jpg"
    assert read_export(tmp_path / "pool.tsv", text="INPUT:image").texts["3.jpg"] == "3.jpg"


def test_lists_in_an_output_are_several_options(tmp_path):
    path = write(tmp_path / "pool.tsv", row("1.jpg", '["a";"b"]', "w1", "APPROVED"))
    assert read_export(path).questions.categories[0] == ['["a";"b"]']  # no JSON: left as it is
    path = write(tmp_path / "pool.tsv", row("1.jpg", '"[""a"",""b""]"', "w1", "APPROVED"))
    assert read_export(path).questions.categories[0] == ["a", "b"]


def test_tasks_that_are_yet_to_be_done_are_refused(tmp_path):
    path = tmp_path / "tasks.tsv"
    path.write_text("INPUT:image\tGOLDEN:result\n1.jpg\tcat\n")
    assert recognise(path) == {}
    with pytest.raises(ReaderError, match="Download the results of the pool"):
        read_export(path, format="toloka")
