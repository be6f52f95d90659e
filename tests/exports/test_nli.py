"""SNLI and MNLI: labels by place in a list, pairs without a majority, pairs without validators."""

import pytest
from written import json_lines

from annobench.agreement import cohen_kappa, krippendorff_alpha
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise


def pair(name, *labels, gold="-", **more):
    return {
        "annotator_labels": list(labels),
        "gold_label": gold,
        "pairID": name,
        "sentence1": f"premise {name}",
        "sentence2": f"hypothesis {name}",
    } | more


def test_each_place_of_the_list_is_an_annotator_who_is_not_a_person(tmp_path):
    path = json_lines(
        tmp_path / "dev.jsonl",
        pair("1", "neutral", "neutral", "neutral", gold="neutral"),
        pair("2", "entailment", "neutral", "entailment", gold="entailment"),
        pair("3", "entailment", "entailment", "entailment", gold="entailment"),
        pair("4", "neutral", "entailment", "neutral"),
    )
    assert recognise(path) == {"nli": "SNLI"}
    export = read_export(path)
    labels = export.labels()
    assert labels.annotators == ("author", "label 2", "label 3")
    # 4 of 12 pairs disagree; of 12 labels 6 are neutral: 1 - (4 / 12) / (2 * 6 * 6 / (12 * 11))
    assert krippendorff_alpha(labels).estimate == pytest.approx(7 / 18)
    assert export.select().gold == {"1": "neutral", "2": "entailment", "3": "entailment"}
    assert export.texts["1"] == "premise 1\nhypothesis 1"
    assert read_export(path, text="sentence2").texts["1"] == "hypothesis 1"
    assert export.notes[0].startswith("The file does not say who wrote or validated a pair")


def test_who_gave_which_label_is_unknown(tmp_path):
    path = json_lines(tmp_path / "dev.jsonl", pair("1", "a", "b"), pair("2", "b", "b"))
    labels = read_export(path).labels()
    assert labels.anonymous
    assert read_export(path).labels(scale="set").anonymous
    assert read_export(path).labels("label=a").anonymous
    with pytest.raises(AnnotationError, match="these labels are anonymous"):
        cohen_kappa(labels)


def test_pairs_may_lack_validators_or_labels(tmp_path):
    path = json_lines(
        tmp_path / "train.jsonl",
        pair("1", "neutral", gold="neutral", genre="fiction"),
        pair("2", "neutral", "", "entailment", genre="fiction"),
        pair("3"),
        pair("4", ""),
    )
    assert recognise(path) == {"nli": "MNLI"}
    export = read_export(path)
    assert export.labels().to_frame().values.tolist() == [
        ["1", "author", "neutral"],
        ["2", "author", "neutral"],
        ["2", "label 3", "entailment"],
    ]
    assert export.left_out[0][:2] == ("pairs without labels", 2)


def test_labels_that_are_no_words_are_refused(tmp_path):
    path = json_lines(tmp_path / "dev.jsonl", pair("1", "neutral"), pair("2", ["neutral"]))
    with pytest.raises(ReaderError, match="line 2: a label is"):
        read_export(path)
    other = json_lines(tmp_path / "other.jsonl", {"gold_label": "a", "sentence1": "b"})
    assert recognise(other) == {}
