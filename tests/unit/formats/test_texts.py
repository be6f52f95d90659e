"""Tables in texts of an unusual encoding, or with blanks between their columns."""

import pytest

from annobench.core.errors import ReaderError
from annobench.io import select_labels

ROWS = [("a b", "ann", "1"), ("a b", "bob", "2"), ("c", "ann", "2"), ("c", "bob", "NA")]
LABELS = [["a b", "ann", "1"], ["a b", "bob", "2"], ["c", "ann", "2"]]


def written(rows, *, names=False, header='"item" "annotator" "label"'):
    """Write rows as R's `write.table` does."""
    lines = [f'"{item}" "{who}" {label}' for item, who, label in rows]
    lines = [f'"{n}" {line}' if names else line for n, line in enumerate(lines, start=1)]
    return "\n".join([header, *lines, ""])


@pytest.mark.parametrize("names", [False, True])
def test_a_table_that_r_wrote(tmp_path, names):
    path = tmp_path / "labels.txt"
    rows = [(item, who, label if label != "NA" else "9") for item, who, label in ROWS]
    path.write_text(written(rows, names=names))
    selection = select_labels(path, missing=["9"])
    assert selection.labels.to_frame().values.tolist() == LABELS
    # A missing label is no category.
    path.write_text(written([*ROWS, ("d", "ann", "3"), ("d", "bob", "3")], names=names))
    rows = select_labels(path, missing=["3"]).labels.to_frame().values.tolist()
    assert rows == LABELS


def test_a_line_with_more_cells_is_refused_with_its_number(tmp_path):
    path = tmp_path / "labels.txt"
    many = [(f"i{n}", "ann", "1") for n in range(60)]
    path.write_text(written(many) + "i60 ann 1 2\n")
    with pytest.raises(ReaderError, match=r"labels\.txt, line 62: 4 cells where .* has 3"):
        select_labels(path)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("sign", [",", "\t", ";"])
def test_a_text_in_utf_16(tmp_path, encoding, sign):
    rows = [["item", "annotator", "label"], *LABELS, ["ł", "ann", "ja"]]
    text = "\ufeff" + "".join(f"{sign.join(row)}\r\n" for row in rows)
    path = tmp_path / "labels.csv"
    path.write_bytes(text.encode(encoding))
    assert select_labels(path).labels.to_frame().values.tolist() == rows[1:]
    path.write_bytes(text.encode(encoding)[:-1])
    with pytest.raises(ReaderError, match=r"labels\.csv: damaged"):
        select_labels(path)


@pytest.mark.parametrize(
    "text",
    [
        "this is a text\nof two lines and\nof three and four\n",
        "item annotator label\na ann\nb bob 1\nc cem 2\n",
    ],
)
def test_other_texts_are_no_tables(tmp_path, text):
    path = tmp_path / "labels.txt"
    path.write_text(text)
    with pytest.raises(ReaderError):
        select_labels(path)
