"""One table is read the same whatever file holds it."""

import numpy as np
import pandas as pd
import pytest

from annobench.core.errors import AnnotationError
from annobench.io.reading import select_labels

FORMS = ("csv", "tsv", "parquet", "xlsx")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Labels with two repeats, five empty ones, a code for missing and an address."""
    rng = np.random.default_rng(1)
    names = ("ann@example.org", "bob", "cem")
    rows = [(f"i{i}", name, rng.choice(["bad", "good", "ok"])) for i in range(40) for name in names]
    table = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    table.loc[[5, 16, 27, 38, 49], "label"] = None
    table.loc[12, "label"] = "99"
    table = pd.concat([table, table.iloc[[0, 1]].assign(label="ok")], ignore_index=True)
    folder = tmp_path_factory.mktemp("forms")
    table.to_csv(folder / "table.csv", index=False)
    table.to_csv(folder / "table.tsv", index=False, sep="\t")
    table.to_parquet(folder / "table.parquet")
    table.to_excel(folder / "table.xlsx", index=False)
    return folder


@pytest.mark.parametrize("keep_names", [False, True])
@pytest.mark.parametrize("missing", [(), ("99",)])
@pytest.mark.parametrize("repeats", ["first", "last", "all"])
def test_labels_and_remarks_are_the_same(files, repeats, missing, keep_names):
    options = {"repeats": repeats, "missing": missing, "keep_names": keep_names}
    first, *others = (select_labels(files / f"table.{form}", **options) for form in FORMS)
    # `to_frame` sorts by nothing: rows stay in the order of the file.
    frame = first.labels.to_frame()
    assert len(frame) == 117 - 2 * (repeats != "all") - len(missing)
    for other in others:
        pd.testing.assert_frame_equal(other.labels.to_frame(), frame)
        assert other.remarks == first.remarks
    assert any("of 11" in remark and "the same label again" in remark for remark in first.remarks)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("missing", [(), ("99",)])
@pytest.mark.parametrize("repeats", ["first", "all"])
def test_the_rows_read_are_labels_or_left_out(files, form, repeats, missing):
    selection = select_labels(files / f"table.{form}", repeats=repeats, missing=missing)
    ledger = selection.ledger.set_index("what")["rows"]
    left_out = ledger[ledger.index.str.startswith("left out: ")]
    assert left_out.sum() == 5 + 2 * (repeats == "first") + len(missing)
    assert ledger.iloc[0] == 122
    assert ledger["labels"] == 122 - left_out.sum() == selection.labels.n_labels


@pytest.mark.parametrize("form", FORMS)
def test_an_error_never_shows_an_address(files, form):
    with pytest.raises(AnnotationError, match=r"2 of 117 labels are not .* 'person-1'"):
        select_labels(files / f"table.{form}")
