"""The labels of `ti_product` by their original names: the parser, and that they are the same."""

from collections import Counter

import numpy as np
import pytest

from annobench import datasets
from annobench.core.errors import ReaderError


def refined(loaded, rounds=3):
    """Tell items and annotators apart by what they have to do with, whatever their names.

    Every item begins as its gold category, and in each round becomes what its annotators were and
    labelled, and annotators likewise.
    """
    a = loaded.annotations
    labels = list(zip(a.item.tolist(), a.annotator.tolist(), a.label.tolist(), strict=True))
    items, annotators = loaded.gold.tolist(), [0] * a.n_annotators
    for _ in range(rounds):
        of_item = [[] for _ in items]
        of_annotator = [[] for _ in annotators]
        for i, j, label in labels:
            of_item[i].append((annotators[j], label))
            of_annotator[j].append((items[i], label))
        items = [hash((was, tuple(sorted(x)))) for was, x in zip(items, of_item, strict=True)]
        annotators = [
            hash((was, tuple(sorted(x)))) for was, x in zip(annotators, of_annotator, strict=True)
        ]
    return Counter(items), Counter(annotators)


def test_the_labels_are_those_of_the_set_without_names(mirror):
    ours, theirs = (
        datasets.load(id, mode="real", mirror=mirror, network=False)
        for id in ("cti_product", "ti_product")
    )
    assert refined(ours) == refined(theirs)
    # Nothing else does as well: nearly all annotators are distinguished.
    assert max(refined(ours)[1].values()) == 1
    # Negative control
    ours.gold[np.flatnonzero(ours.gold == 1)[0]] = 0
    assert refined(ours) != refined(theirs)


LABELS = ["question,worker,answer", "x_1,A1,0", "y_2,A2,1", "x_1,A2,1"]
GOLDS = ["question,truth", "y_2,1"]


@pytest.fixture
def written(tmp_path):
    """Write the two files, and parse them."""

    def parse(labels, golds):
        record, files = datasets.get("cti_product"), {}
        for file, rows in zip(record.files, (labels, golds), strict=True):
            path = tmp_path / file.path.rpartition("/")[2]
            path.write_text("\n".join(rows) + "\n")
            files[file.path] = path
        return record.parse(files)

    return parse


def test_names_and_the_order_of_rows_are_kept(written):
    tables = written(LABELS, GOLDS)
    assert tables.labels["item"].tolist() == ["x_1", "y_2", "x_1"]
    assert tables.labels["annotator"].tolist() == ["A1", "A2", "A2"]
    assert tables.labels["label"].tolist() == ["0", "1", "1"]
    assert tables.items["item"].tolist() == ["x_1", "y_2"]
    assert tables.items["gold"].isna().tolist() == [True, False]
    assert tables.items["gold"][1] == "1"


@pytest.mark.parametrize(
    ("labels", "golds", "message"),
    [
        ([*LABELS, "x_1,A3,2"], GOLDS, r"answer\.csv:.*line 5: answer '2' is not 0 or 1"),
        ([*LABELS, "x_1,A3"], GOLDS, r"answer\.csv:.*line 5: 2 fields where 3 are needed"),
        (["item,label", "1,1"], GOLDS, r"answer\.csv: the header is"),
        (LABELS, [*GOLDS, "x_1,2"], r"truth\.csv:.*line 3: truth '2' is not 0 or 1"),
        (LABELS, [*GOLDS, "z_3,0"], r"truth\.csv:.*line 3: item 'z_3' has no labels"),
        (LABELS, [*GOLDS, "y_2,0"], r"truth\.csv:.*line 3: item 'y_2' stands above"),
    ],
)
def test_a_malformed_row_is_an_error_with_its_line(written, labels, golds, message):
    with pytest.raises(ReaderError, match=f"(?s){message}"):
        written(labels, golds)
