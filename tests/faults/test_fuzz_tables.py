"""Mutated tables of labels: each is refused, or holds what a second reader finds in it."""

from __future__ import annotations

import datetime
import gzip
import io
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import CELLS, mixed, of_bytes, of_cells
from faults.rows import category, rows_of

from annobench import read_labels
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io import _pieces, read_gold
from annobench.io.partitioning import _write_names

REFUSALS = (ReaderError, AnnotationError)

TABLES = [
    [
        ["item", "annotator", "label"],
        ["x", "ann", "yes"],
        ["y", "ann", "no"],
        ["x", "bob", "yes"],
        ["y", "bob", ""],
    ],
    [
        ["note", "item_id", "worker", "response"],
        ["n, m", "1", "w 1", "2"],
        ['"n"', "2", "w 1", "10"],
        ["", "2", "ünal", "-1.5"],
    ],
]
NAMES = {
    "item": {"item", "item_id"},
    "annotator": {"annotator", "worker"},
    "label": {"label", "response"},
    "gold": {"gold", "truth"},
}


def text_of(data: bytes) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")


def columns_of(text: str, delimiter: str, roles: tuple[str, ...]) -> list[tuple[str, ...]]:
    header, *rows = [row for row in rows_of(text, delimiter) if row]
    places = []
    for role in roles:
        fits = [n for n, name in enumerate(header) if name.strip().lower() in NAMES[role]]
        if len(fits) != 1:
            raise UnclearError
        places += fits
    assert all(len(row) == len(header) for row in rows)
    return [
        tuple(
            category(row[place]) if role in ("label", "gold") else row[place]
            for role, place in zip(roles, places, strict=True)
        )
        for row in rows
    ]


def delimiter_of(text: str) -> str:
    """The sign of the four that stands most often in the header."""
    head = text.lstrip("\r\n").split("\n")[0].split("\r")[0]
    return max(",\t;|", key=head.count)


def labels_of(rows: list[tuple[str, ...]]) -> tuple[object, ...]:
    """What annotations hold: names in the order of their first appearance, labels by name."""
    assert all(item != "" and annotator != "" for item, annotator, _ in rows)
    return (
        [row for row in rows if row[2] != ""],
        list(dict.fromkeys(item for item, _, _ in rows)),
        list(dict.fromkeys(annotator for _, annotator, _ in rows)),
    )


def held(labels) -> tuple[object, ...]:
    names = (labels.items, labels.annotators, labels.categories)
    codes = (labels.item.tolist(), labels.annotator.tolist(), labels.label.tolist())
    rows = [(names[0][i], names[1][j], names[2][k]) for i, j, k in zip(*codes, strict=True)]
    assert set(labels.categories) == {label for _, _, label in rows}
    return rows, list(labels.items), list(labels.annotators)


@pytest.fixture
def file(tmp_path_factory):
    """A file that is written anew for every input."""

    def at(name):
        path = folder_in_memory(tmp_path_factory) / name

        def write(data):
            path.write_bytes(data)
            return path

        return write

    return at


@pytest.mark.parametrize(("name", "delimiter"), [("labels.csv", ","), ("labels.tsv", "\t")])
def test_texts(tried, file, tmp_path, name, delimiter):
    write = file(name)
    seeds = [of_cells(TABLES, Random(n), delimiter) for n in range(40)]
    sound = [delimiter.join(TABLES[0][0]) + "\n" + "x@a@1\ny@a@2\n".replace("@", delimiter)]
    seeds += [text.encode() for text in sound]

    def second(data):
        text = text_of(data)
        found = delimiter if name.endswith("tsv") else delimiter_of(text)
        return labels_of(columns_of(text, found, ("item", "annotator", "label")))

    outcome = feed(
        lambda data: held(read_labels(write(data))),
        second,
        mixed(
            lambda draw: of_bytes(seeds, draw),
            lambda draw: of_bytes(seeds, draw, keep=21),
            lambda draw: of_cells(TABLES, draw, delimiter),
        ),
        refusals=REFUSALS,
        folder=tmp_path,
        seed=name,
        named=name,
    )
    fault = f"{name[-3:].upper()}: bytes, cells, quotes, encodings, ends of lines"
    count(outcome, tried, "Tables", fault)


def test_gold(tried, file, tmp_path):
    write = file("gold.csv")
    table = [["item", "gold"], ["x", "yes"], ["y", ""], ["z", "no"], ["x", "yes"]]
    seeds = [of_cells([table], Random(n)) for n in range(20)]

    def second(data):
        text = text_of(data)
        found: dict[str, str] = {}
        for item, gold in columns_of(text, delimiter_of(text), ("item", "gold")):
            assert item
            if gold:
                assert found.setdefault(item, gold) == gold
        return found

    outcome = feed(
        lambda data: read_gold(write(data)),
        second,
        mixed(lambda draw: of_bytes(seeds, draw), lambda draw: of_cells([table], draw)),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="gold",
        named="gold.csv",
        times=FEWER,
    )
    fault = "gold categories as CSV: bytes, cells, quotes, encodings"
    count(outcome, tried, "Tables", fault)


DAY = datetime.date(2024, 2, 29)
COLUMNS = [
    (pa.string(), ["x", "y", "x", "", None]),
    (pa.large_string(), ["x", "y", "żółw", "a\0b", "a\0c"]),
    (pa.dictionary(pa.int8(), pa.string()), ["x", "y", "x", None, "z"]),
    (pa.int64(), [1, 2, 2**53 + 1, -1, None]),
    (pa.uint8(), [0, 1, 255, 3, 3]),
    (pa.float64(), [1.0, 2.0, None, 3.0, float("nan")]),
    (pa.float64(), [0.1, 1.0, -0.5, 1e20, 1e-7]),
    (pa.float64(), [1.0, float("inf"), 2.0, 1e300, -0.0]),
    (pa.float32(), [0.5, 1.0, 0.25, 16777216.0, None]),
    (pa.bool_(), [True, False, None, True, True]),
    (pa.date32(), [DAY, DAY, None, DAY, DAY]),
    (pa.binary(), [b"x", b"\xff", b"y", None, b""]),
    (pa.list_(pa.string()), [["x"], [], None, ["y", "z"], ["x"]]),
    (pa.null(), [None] * 5),
]
PARQUET_NAMES = ["item", "annotator", "label", "text", "Label", "", "item_id"]


def parquet_of(draw: Random, kinds: int = len(COLUMNS), group: int | None = None) -> bytes:
    """Make a small Parquet file with columns of any type."""
    names = PARQUET_NAMES[:3] + ([draw.choice(PARQUET_NAMES)] if draw.random() < 0.2 else [])
    arrays = []
    n = draw.randrange(1, 5)
    for _ in names:
        # Most columns are texts, so that most files can be read.
        kind, values = COLUMNS[draw.randrange(kinds if draw.random() < 0.3 else 3)]
        chosen = [draw.choice(values) for _ in range(n)]
        if kind in (pa.string(), pa.large_string()) and draw.random() < 0.3:
            chosen[0] = draw.choice(CELLS)
        arrays.append(pa.array(chosen, kind))
    sink = io.BytesIO()
    table = pa.Table.from_arrays(arrays, names=names)
    compression = draw.choice(("none", "snappy", "zstd"))
    use_dictionary = draw.random() < 0.5
    pq.write_table(table, sink, group, compression=compression, use_dictionary=use_dictionary)
    return sink.getvalue()


class Number(float):
    """A number that equals every way to write it."""

    def __eq__(self, other: object) -> bool:
        return float.__eq__(self, float(other) if isinstance(other, str) else other)

    __hash__ = float.__hash__


def as_names(column: pa.ChunkedArray) -> list[str | Number]:
    """Name each value: nothing for null, NaN and "", whole numbers without a point."""
    values = column.to_pylist()
    values = [None if value != value else value for value in values]
    names: list[str | Number] = []
    for value in values:
        if isinstance(value, bool):
            names.append("true" if value else "false")
        elif isinstance(value, float):
            is_whole = value == int(value) and abs(value) < 2**63  # of an infinite one: an error
            names.append(str(int(value)) if is_whole else Number(value))
        elif isinstance(value, bytes):
            names.append(value.decode("utf-8"))
        else:
            names.append("" if value is None else str(value))
    return names


def labels_of_parquet(data: bytes) -> tuple[object, ...]:
    names = pq.read_schema(io.BytesIO(data)).names
    columns = []
    for role in ("item", "annotator", "label"):
        fits = [name for name in names if name.lower() in NAMES[role]]
        exact = [name for name in fits if name.lower() == role] or fits
        if len(exact) != 1:
            raise UnclearError
        # Others may be damaged.
        table = pq.read_table(io.BytesIO(data), columns=exact)
        if pa.types.is_nested(table.column(0).type):
            raise UnclearError  # a layout with lists in its cells, which has its own campaign
        named = as_names(table.column(0))
        if role == "label":
            named = [category(name) if isinstance(name, str) else name for name in named]
        columns.append(named)
    return labels_of(list(zip(*columns, strict=True)))


@pytest.mark.long
def test_parquet(tried, file, tmp_path):
    write = file("labels.parquet")
    draw = Random("seeds")
    seeds = [parquet_of(draw, 3) for _ in range(60)]

    outcome = feed(
        lambda data: held(read_labels(write(data))),
        labels_of_parquet,
        mixed(
            lambda draw: of_bytes(seeds, draw),
            lambda draw: of_bytes(seeds, draw),
            parquet_of,
        ),
        refusals=REFUSALS,
        folder=tmp_path,
        seed="parquet",
        named="labels.parquet",
    )
    fault = "Parquet: bytes, types of columns"
    count(outcome, tried, "Tables", fault)


class Partitioned:
    """What `partition` reads of a file: its steps one after the other, in this process."""

    def __init__(self, folder: Path) -> None:
        self.copied = folder / "copy.parquet"
        self.names = {what: folder / f"{what}.parquet" for what in ("annotator", "category")}
        self.asked = dict.fromkeys(_pieces.ROLES)

    def copy(self, path: Path) -> list[_pieces.Piece]:
        _pieces.copy(str(path), self.asked, self.copied)
        plain = {role: role for role in _pieces.ROLES}
        return _pieces.pieces_of(str(self.copied), str(path), plain)

    def pieces(self, path: Path) -> list[_pieces.Piece]:
        _pieces.outline(str(path), self.asked)
        return _pieces.pieces_of(str(path), str(path), self.asked)

    def rows(self, found: list[_pieces.Piece]) -> tuple[object, ...]:
        """Code all pieces as a worker does, and name what the codes mean."""
        names = _pieces.merged([_pieces.survey(piece, None, "nominal") for piece in found])
        if names.n_faults:
            raise ReaderError(f"{names.faults}")
        listed = {"annotator": names.annotators, "category": names.labels}
        for what, path in self.names.items():
            listed[what] = list(listed[what].sort_values().index)
            _write_names(path, what, listed[what])
        # Files of one name follow each other faster than clocks of file systems tick.
        _pieces._index.cache_clear()
        frame = pd.concat([_pieces.coded(piece, self.names, (), 1) for piece in found])
        assert frame["row"].tolist() == list(range(len(frame)))
        columns = (frame["item"], frame["annotator"], frame["label"])
        rows = [
            (item, listed["annotator"][j], listed["category"][k] if k >= 0 else "")
            for item, j, k in zip(*columns, strict=True)
        ]
        return labels_of(rows)


@pytest.fixture
def partitioned(tmp_path_factory):
    return Partitioned(folder_in_memory(tmp_path_factory))


@pytest.mark.parametrize("name", ["labels.csv", "labels.tsv", "labels.csv.gz"])
def test_texts_of_partitions(tried, file, partitioned, tmp_path, monkeypatch, name):
    write = file(name)
    delimiter = "\t" if "tsv" in name else ","
    seeds = [of_cells(TABLES, Random(n), delimiter) for n in range(40)]
    makers = [
        lambda draw: of_bytes(seeds, draw),
        lambda draw: of_bytes(seeds, draw, keep=21),
        lambda draw: of_cells(TABLES, draw, delimiter),
    ]
    packed = [gzip.compress(seed, mtime=0) for seed in seeds]
    if name.endswith("gz"):
        plain = mixed(*makers)
        makers = [
            lambda draw: of_bytes(packed, draw),
            lambda draw: gzip.compress(plain(draw), mtime=0),
        ]

    def read(data):
        monkeypatch.setattr(_pieces, "_BLOCK", 64 if len(data) % 2 else 1 << 22)
        found = partitioned.copy(write(data))
        if not found:
            raise ReaderError(f"{name}: no rows")
        return partitioned.rows(found)

    def second(data):
        text = text_of(gzip.decompress(data) if name.endswith("gz") else data)
        assert "\0" not in text
        found = delimiter if "tsv" in name else delimiter_of(text)
        return labels_of(columns_of(text, found, ("item", "annotator", "label")))

    outcome = feed(
        read,
        second,
        mixed(*makers),
        refusals=REFUSALS,
        folder=tmp_path,
        seed=f"partition {name}",
        named=name,
        times=FEWER,
    )
    fault = f"partition, {name.split('.', 1)[1].upper()}: bytes, cells, quotes, blocks of 64 bytes"
    count(outcome, tried, "Tables", fault)


@pytest.mark.parametrize("copied", [False, True], ids=["as it is", "copied"])
def test_parquet_of_partitions(tried, file, partitioned, tmp_path, monkeypatch, copied):
    monkeypatch.setattr(_pieces, "PIECE_ROWS", 2)
    write = file("labels.parquet")
    draw = Random("partitions")
    seeds = [parquet_of(draw, 3, 2) for _ in range(60)]

    def read(data):
        path = write(data)
        found = partitioned.copy(path) if copied else partitioned.pieces(path)
        if not found:
            raise ReaderError("labels.parquet: no rows")
        return partitioned.rows(found)

    outcome = feed(
        read,
        labels_of_parquet,
        mixed(lambda draw: of_bytes(seeds, draw), lambda draw: parquet_of(draw, group=2)),
        refusals=REFUSALS,
        folder=tmp_path,
        seed=f"partition {copied}",
        named="labels.parquet",
        times=FEWER,
    )
    how = "copied with small row groups" if copied else "row groups as they are"
    count(outcome, tried, "Tables", f"partition, Parquet, {how}: bytes, types of columns")
