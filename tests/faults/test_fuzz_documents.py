"""Mutated documents with marks, sheets and columns of other tools."""

from __future__ import annotations

import io
import re
import zipfile
from random import Random
from xml.etree import ElementTree
from xml.sax.saxutils import escape

import pyarrow as pa
from faults.exported import held
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import CELLS, mixed, of_bytes
from faults.rows import decoded
from faults.second_readers import OddError, plain

from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export

AREA = "Documents, sheets and columns"
REFUSALS = (ReaderError, AnnotationError)

TEXT = "Ada met Bob in London, and they talked for hours."
BRAT = [
    b"T1\tPER 0 3\tAda\nT2\tPER 8 11;15 21\tBob London\nA1\tSure T1\nR1\tKnows Arg1:T1 Arg2:T2\n",
    b"T1\tMeet 4 7\tmet\nE1\tMeet:T1 Who:T2\nT2\tPER 0 3\tAda\nA2\tMood E1 High\n#1\tNote T1\tx\n",
    b"T3\tLOC 15 21\tLondon\n\nN1\tReference T3 Wikidata:Q84\tLondon\n*\tEquiv T3 T3\n",
]


def brat(data: bytes) -> list[tuple[object, ...]]:
    """The spans of a document, and its attributes and normalisations as spans."""
    spans: dict[str, tuple[int, int, str]] = {}
    later, triggers = [], {}
    for line in decoded(data).split("\n"):
        line = line.rstrip("\r")
        if not line:
            continue
        name, _, rest = line.partition("\t")
        body = rest.split("\t")[0]
        if name.startswith("T"):
            found = re.fullmatch(r"(\S+) ([0-9]+ [0-9]+(?:;[0-9]+ [0-9]+)*)", body)
            ends = [tuple(map(int, part.split(" "))) for part in found[2].split(";")]
            assert all(start < end <= len(TEXT) for start, end in ends)
            assert name not in spans
            spans[name] = min(s for s, _ in ends), max(e for _, e in ends), found[1]
        elif name.startswith("#"):
            continue
        elif name[:1] in ("A", "M", "N", "R", "E", "*"):
            words = body.split()
            later.append((name, words))
            if name.startswith("E"):
                triggers[name] = words[0].partition(":")[2] if ":" in words[0] else ""
        else:
            raise OddError("no line of brat")
    at = spans | {name: spans[other] for name, other in triggers.items() if other in spans}
    layers: dict[str, list[tuple[int, int, str]]] = {"spans": list(spans.values())}
    for name, words in later:
        if name[0] in "AM":
            start, end, _ = at[words[1]]
            label = words[2] if len(words) > 2 else words[0]
            layers.setdefault(f"attribute {words[0]}", []).append((start, end, label))
        elif name[0] == "N":
            start, end, _ = at[words[1]]
            layers.setdefault("normalisations", []).append((start, end, words[2]))
    return list(layers.items())


def test_brat(tried, tmp_path, tmp_path_factory):
    folder = folder_in_memory(tmp_path_factory) / "project"
    folder.mkdir()
    (folder / "d.txt").write_text(TEXT)

    def read(data):
        (folder / "d.ann").write_bytes(data)
        export = read_export(folder, format="brat", keep_names=True)
        _, marks = held(export)
        return [(layer, spans) for _, _, layer, spans, _ in marks]

    count(
        feed(
            read,
            brat,
            mixed(lambda draw: of_bytes(BRAT, draw), lambda draw: of_bytes(BRAT, draw)),
            refusals=REFUSALS,
            folder=tmp_path,
            seed="brat",
            named="project",
        ),
        tried,
        AREA,
        "brat: bytes of the marks",
    )


HEAD = "#FORMAT=WebAnno TSV 3.3\n#T_SP=custom.Span|value\n\n\n#Text=Ada met Bob\n"
TSV = [
    (HEAD + "1-1\t0-3\tAda\tPER\t\n1-2\t4-7\tmet\t_\t\n1-3\t8-11\tBob\tPER[1]|X[2]\t\n").encode(),
    (HEAD + "1-1\t0-3\tAda\t*[1]\t\n1-2\t4-7\tmet\t*[1]\t\n2-1\t8-11\tBob\tLOC\t\n").encode(),
    (HEAD + "1-1\t0-3\tAda\tA|B\t\n1-1.1\t1-3\tda\tC\t\n1-2\t4-7\tmet\tA\t\n").encode(),
]


def webanno(data: bytes) -> list[tuple[int, int, str]]:
    """The spans of the one layer: those with one number are one."""
    lines = data.decode("utf-8").split("\n")
    types = [line.rstrip("\r") for line in lines if line.startswith(("#T_SP", "#T_CH", "#T_RL"))]
    if types != ["#T_SP=custom.Span|value"] or "\\" in decoded(data):
        raise UnclearError
    found: dict[str, list[object]] = {}
    names = set()
    for line in lines:
        line = line.rstrip("\r")
        if not line or line.startswith("#"):
            continue
        row = re.match(
            r"([0-9]+-[0-9]+(?:\.[0-9]+)?)\t([0-9]+)-([0-9]+)\t([^\t]*)\t([^\t]*)\t?$", line
        )
        name, form, cell = row[1], row[4], row[5]
        start, end = int(row[2]), int(row[3])
        assert start <= end <= 100_000_000
        assert name not in names
        names.add(name)
        if any(ord(sign) > 0xFFFF for sign in form):
            raise UnclearError
        for place, value in enumerate([] if cell == "_" else cell.split("|")):
            label, number = re.fullmatch(r"(.*?)(?:\[([\d_]+)\])?", value, re.DOTALL).groups()
            own = found.setdefault(number or f"{name}/{place}", [start, end, label])
            own[0], own[1] = min(own[0], start), max(own[1], end)
    return [tuple(span) for span in found.values() if span[0] < span[1]]


def test_webanno(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "ann.tsv"

    def read(data):
        path.write_bytes(data)
        _, marks = held(read_export(path, format="inception", keep_names=True))
        return [span for *_, spans, _ in marks for span in spans]

    keep = len(HEAD)
    count(
        feed(
            read,
            webanno,
            mixed(
                lambda draw: of_bytes(TSV, draw, keep),
                lambda draw: of_bytes(TSV, draw, keep if draw.random() < 0.8 else 20),
            ),
            refusals=REFUSALS,
            folder=tmp_path,
            seed="webanno",
            named="ann.tsv",
        ),
        tried,
        AREA,
        "INCEpTION or WebAnno, TSV 3: bytes",
    )


def arrow_of(draw: Random) -> bytes:
    """Write labels as a data set of Hugging Face holds them."""
    n = draw.randrange(1, 5)
    names = [["x", "y", "z", "1", "ż"], [1, 2, 3, 2**60, -1], [1.0, 2.5, float("nan"), 3.0, 0.1]]
    names += [[True, False, True, True, False], ["", "a\0b", "\u202e", "x" * 99, None]]
    columns = {
        key: [draw.choice(values) for _ in range(n)]
        for key in ("item_id", "worker", "label")
        for values in [names[draw.choice((0, 0, 0, 1, 2, 3, 4))]]
    }
    table = pa.table(columns)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as out:
        out.write_table(table, max_chunksize=draw.choice((1, 2, 10)))
    return sink.getvalue()


def hugging_face(data: bytes) -> list[tuple[object, ...]]:
    with pa.ipc.open_stream(io.BytesIO(data)) as stream:
        table = stream.read_all()
        table.validate(full=True)
    found = []
    if set(table.column_names) != {"item_id", "worker", "label"}:
        raise UnclearError
    for row in table.to_pylist():
        item, who, label = (row[key] for key in ("item_id", "worker", "label"))
        if any(isinstance(value, list | dict | bytes) for value in (item, who, label)):
            raise UnclearError
        if isinstance(label, str) and label.lstrip().startswith("["):
            raise UnclearError
        # Of names a whole number of any size is written out.
        item, who = (
            str(int(value)) if isinstance(value, float) and value.is_integer() else plain(value)
            for value in (item, who)
        )
        if item and who:
            found.append((item, who, "label", plain(label), "done"))
    return found


def test_arrow(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "data.arrow"
    draw = Random("seeds")
    seeds = [arrow_of(draw) for _ in range(40)]

    def read(data):
        path.write_bytes(data)
        answers, _ = held(read_export(path, format="hugging_face", keep_names=True))
        return answers

    count(
        feed(
            read,
            hugging_face,
            mixed(lambda draw: of_bytes(seeds, draw), arrow_of),
            refusals=REFUSALS,
            folder=tmp_path,
            seed="arrow",
            named="data.arrow",
        ),
        tried,
        AREA,
        "a data set of Hugging Face, Arrow: bytes, types of columns",
    )


#: The parts of a workbook beside its one sheet.
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
BOOK = {
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
    f'<Override PartName="/xl/workbook.xml" ContentType="{SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{SHEET_TYPE}.worksheet+xml"/>'
    "</Types>",
    "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
    f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
    '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    "</Relationships>",
}
VALUES = [*CELLS, 1, 2.0, 0.5, True, -1, 2**40, "yes", "no", "x", "ann"]


def cell_of(place: str, value: object) -> str:
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def is_xml(value: object) -> bool:
    """Whether a text may stand in XML at all, and comes back as it was."""
    return not isinstance(value, str) or not re.search("[\0-\x08\x0b-\x1f\r\ufffe\uffff]", value)


def sheet_of(draw: Random) -> bytes:
    """Write a sheet with three columns, some of it harmed."""
    values = [value for value in VALUES if is_xml(value)]
    plain_rows = [["x", "ann", "yes"], ["y", "ann", 1], ["x", "bob", "no"], ["z", "bob", 2.5]]
    rows = [["item", "annotator", "label"], *draw.sample(plain_rows, draw.randrange(1, 5))]
    for _ in range(draw.randrange(3)):
        row = rows[draw.randrange(1, len(rows))]
        row[draw.randrange(3)] = draw.choice(values)
    shown = [
        "".join(cell_of(f"{column}{n}", value) for column, value in zip("ABC", row, strict=True))
        for n, row in enumerate(rows, start=1)
    ]
    shown = [f'<row r="{n}">{cells}</row>' for n, cells in enumerate(shown, start=1)]
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(shown)}</sheetData></worksheet>'
    data = sheet.encode()
    if draw.random() < 0.5:
        data = of_bytes([data], draw, keep=data.index(b"<row"))
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, part in BOOK.items():
            archive.writestr(name, part)
        archive.writestr("xl/worksheets/sheet1.xml", data)
    whole = sink.getvalue()
    return of_bytes([whole], draw) if draw.random() < 0.2 else whole


def spreadsheet(data: bytes) -> list[tuple[object, ...]]:
    """The rows of the sheet; cells by the letter of their place."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if len(set(archive.namelist())) < len(BOOK) + 1:
            raise UnclearError
        root = ElementTree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    space = f"{{{MAIN}}}"
    if [child.tag for child in root] != [f"{space}sheetData"]:
        raise UnclearError
    rows, before = [], 0
    for row in root[0]:
        number = row.get("r")
        if row.tag != f"{space}row" or not (number or "").isdecimal() or int(number) <= before:
            raise UnclearError
        before = int(number)
        cells = {}
        for n, cell in enumerate(row):
            if cell.get("r") != f"{'ABC'[n : n + 1]}{number}" or cell.tag != f"{space}c":
                raise UnclearError
            cells[n] = value_of(cell, space)
        if any(value not in (None, "") for value in cells.values()):
            rows.append([cells.get(n) for n in range(3)])
    if not rows or rows[0] != ["item", "annotator", "label"]:
        raise UnclearError
    found = []
    for row in rows[1:]:
        item, who, label = (written(value) for value in row)
        if label.lstrip().startswith("["):
            raise UnclearError
        if item and who:
            found.append((item, who, "label", label or None, "done"))
    return found


def value_of(cell: ElementTree.Element, space: str) -> object:
    kind, parts = cell.get("t"), list(cell)
    if kind == "inlineStr" and [part.tag for part in parts] == [f"{space}is"]:
        texts = list(parts[0])
        if [part.tag for part in texts] == [f"{space}t"] and not list(texts[0]):
            return texts[0].text
    if kind in (None, "b") and [part.tag for part in parts] == [f"{space}v"]:
        text = parts[0].text or ""
        if kind == "b" and text in ("0", "1"):
            return text == "1"
        if kind is None and re.fullmatch(r"-?[0-9]{1,15}(\.[0-9]+)?", text):
            return float(text) if "." in text else int(text)
    raise UnclearError


def written(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value == int(value):
        return str(int(value))
    return "" if value is None else str(value)


def test_spreadsheet(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "labels.xlsx"

    def read(data):
        path.write_bytes(data)
        answers, _ = held(read_export(path, format="spreadsheet", keep_names=True))
        return answers

    outcome = feed(
        read,
        spreadsheet,
        sheet_of,
        refusals=REFUSALS,
        folder=tmp_path,
        seed="spreadsheet",
        named="labels.xlsx",
        times=FEWER,
    )
    count(outcome, tried, AREA, "a workbook (XLSX): bytes, cells")
