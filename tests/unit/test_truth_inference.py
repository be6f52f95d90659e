"""The parser and the simulator of the crowd labels that Li et al. (2019) gathered."""

import time

import numpy as np
import pytest

from annobench import datasets
from annobench.core.errors import ReaderError
from annobench_datasets import truth_inference

IDS = [record.id for record in truth_inference.DATASETS]
#: Items with a gold label, where not all have one.
PARTIAL = {"ti_trec": 2275, "ti_relevance": 4460, "ti_adult": 333, "ti_facts": 576}
#: Labels that an annotator gave to an item labelled before by the same annotator.
REPEATS = {
    "ti_zencrowd_all": 1730,
    "ti_zencrowd_in": 710,
    "ti_zencrowd_us": 1035,
    "ti_relevance": 1570,
    "ti_adult": 2922,
    "ti_facts": 1810,
}


@pytest.fixture
def written(tmp_path):
    """Write the two files of a set, and parse them."""

    def parse(labels, golds, id="ti_trec"):
        record = datasets.get(id)
        files = {}
        for file, rows in zip(record.files, (labels, golds), strict=True):
            path = tmp_path / file.path.rpartition("/")[2]
            path.write_text("\n".join(rows) + "\n")
            files[file.path] = path
        return record.parse(files)

    return parse


def made(id):
    return datasets.get(id).simulate(np.random.default_rng(3), {})


def test_there_are_fifteen_sets_each_with_files_of_its_own():
    assert len(IDS) == 15
    paths = [file.path for record in truth_inference.DATASETS for file in record.files]
    assert len(set(paths)) == 30


@pytest.mark.parametrize("id", IDS)
def test_real_and_simulated_have_the_stated_golds_and_repeats(id, mirror):
    real = datasets.load(id, mode="real", mirror=mirror, network=False)
    for tables in (real, made(id)):
        assert tables.items["gold"].notna().sum() == PARTIAL.get(id, len(tables.items))
        assert tables.labels.duplicated(["item", "annotator"]).sum() == REPEATS.get(id, 0)


def test_the_labels_of_entailment_are_those_of_snow_without_their_names(mirror):
    ours, theirs = (
        datasets.load(id, mode="real", mirror=mirror, network=False)
        for id in ("ti_rte", "snow2008_rte")
    )
    # Items and annotators have other names: what is compared does not depend on names.
    for gold in ("0", "1"):
        counts = []
        for data in (ours, theirs):
            of_gold = data.items["gold"].to_numpy() == gold
            votes = data.annotations.counts[of_gold]
            counts.append(sorted(map(tuple, votes.tolist())))
        assert counts[0] == counts[1]
    loads = [np.bincount(data.annotations.annotator) for data in (ours, theirs)]
    np.testing.assert_array_equal(*map(np.sort, loads))


@pytest.mark.parametrize("id", IDS)
def test_simulated_items_have_the_real_numbers_of_labels(id, mirror):
    real = datasets.load(id, mode="real", mirror=mirror, network=False)
    counts = [
        tables.labels["item"].value_counts().value_counts().to_dict() for tables in (real, made(id))
    ]
    assert counts[0] == counts[1]


def test_the_largest_set_is_parsed_in_two_seconds_of_processor_time(mirror):
    record = datasets.get("ti_facts")
    files = {file.path: mirror / record.source.name / file.path for file in record.files}
    before = time.process_time()
    record.parse(files)
    assert time.process_time() - before < 2


def test_an_item_without_gold_keeps_its_labels_and_repeats_are_kept(written):
    tables = written(
        ["item,worker,label", "7,1,0", "7,1,1", "7,1,1", "3,2,0"], ["item,truth", "3,1"]
    )
    assert tables.labels["item"].tolist() == ["7", "7", "7", "3"]
    assert tables.labels["label"].tolist() == ["0", "1", "1", "0"]
    assert tables.items["item"].tolist() == ["7", "3"]
    assert tables.items["gold"].isna().tolist() == [True, False]
    assert tables.items["gold"][1] == "1"


GOLDS = ["item,truth", "3,1"]
LABELS = ["item,worker,label", "3,2,0"]


@pytest.mark.parametrize(
    ("labels", "golds", "message"),
    [
        ([*LABELS, "3,2,2"], GOLDS, r"label\.csv:.*line 3: label 2 is not 0 to 1"),
        ([*LABELS, "3,2,x"], GOLDS, r"label\.csv:.*line 3: label 'x' is not a whole number"),
        ([*LABELS, "3,2"], GOLDS, r"label\.csv:.*line 3: 2 fields where 3 are needed"),
        ([*LABELS, "3,2,1,1"], GOLDS, r"label\.csv:.*line 3: 4 fields where 3 are needed"),
        ([*LABELS, "3,-2,1"], GOLDS, r"label\.csv:.*line 3: worker -2 is below 0"),
        (["item,label", "1,1"], GOLDS, r"label\.csv: the header is"),
        (LABELS[:1], GOLDS, r"label\.csv: no rows"),
        (LABELS, [*GOLDS, "3,0"], r"truth\.csv:.*line 3: item 3 has a gold label above"),
        (LABELS, [*GOLDS, "4,0"], r"truth\.csv:.*line 3: item 4 is not an item with labels"),
        (LABELS, [*GOLDS[:1], "3,5"], r"truth\.csv:.*line 2: truth 5 is not 0 to 1"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(written, labels, golds, message):
    with pytest.raises(ReaderError, match=f"(?s){message}"):
        written(labels, golds)
