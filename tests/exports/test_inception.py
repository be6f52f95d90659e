"""INCEpTION and WebAnno: files of our own, and the test suites that INCEpTION publishes."""

from __future__ import annotations

import io
import json
import zipfile

import cassis
import pytest

from annobench import agreement
from annobench.core.errors import AnnotationError, ReaderError
from annobench.io.formats import read_export, recognise
from annobench.io.formats.base import STATUSES
from annobench.io.formats.layers import layers, select_layer
from annobench.spans import Marks, Span, candidate_items, pairwise_f1
from annobench_exports import inception

HEAD = "#FORMAT=WebAnno TSV 3.3\n"
NER = "#T_SP=de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity|identifier|value\n"


def tsv(types, *rows):
    return HEAD + types + "\n\n#Text=...\n" + "".join("\t".join(row) + "\t\n" for row in rows)


#: Tokens of "Ada met Bob ."
TOKENS = [
    ("1-1", "0-3", "Ada"),
    ("1-2", "4-7", "met"),
    ("1-3", "8-11", "Bob"),
    ("1-4", "12-13", "."),
]


def with_columns(*cells):
    return [(*token, *row) for token, row in zip(TOKENS, cells, strict=True)]


def parsed(tmp_path, text, name="user1.tsv"):
    folder = tmp_path / "document"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return read_export(folder / name)


def of_layer(export, layer, **choices):
    marks = select_layer(export, layer, **choices).marks
    return [(span.start, span.end, span.label) for span in marks.spans[0, 0]]


def relations(export, layer):
    marks = select_layer(export, layer).marks
    return [(link.source[:2], link.target[:2], link.label) for link in marks.relations[0, 0]]


def test_stacked_and_long_annotations(tmp_path):
    rows = with_columns(
        ("*[1]|Q1[2]", "PER[1]|PERpart[2]"), ("*[1]", "PER[1]"), ("*[1]", "PER[1]"), ("_", "_")
    )
    export = parsed(tmp_path, tsv(NER, *rows))
    assert (export.format.name, export.variant) == ("inception", "WebAnno TSV 3")
    assert layers(export) == ["NamedEntity.identifier", "NamedEntity.value"]
    assert of_layer(export, "NamedEntity.value") == [(0, 3, "PERpart"), (0, 11, "PER")]
    assert of_layer(export, "NamedEntity.identifier") == [(0, 3, "Q1"), (0, 11, "*")]
    marks = select_layer(export, "NamedEntity.value").marks
    assert (marks.documents, marks.annotators) == (("document",), ("user1",))
    assert marks.texts == ("Ada met Bob .",)


def test_signs_that_are_escaped(tmp_path):
    rows = with_columns(("_", r"a\|b\[1\]\_\\"), ("_", "_"), ("_", "_"), ("_", "_"))
    assert of_layer(parsed(tmp_path, tsv(NER, *rows)), "NamedEntity.value") == [
        (0, 3, r"a|b[1]_" + "\\")
    ]


def test_parts_of_tokens_and_annotations_without_width(tmp_path):
    rows = [
        ("1-1", "0-3", "Ada", "_", "_"),
        ("1-1.1", "1-3", "da", "_", "SUFFIX"),
        ("1-1.2", "3-3", "", "*", "*"),
    ]
    export = parsed(tmp_path, tsv(NER, *rows))
    assert of_layer(export, "NamedEntity.value") == [(1, 3, "SUFFIX")]
    ledger = select_layer(export, "NamedEntity.value").ledger
    assert ("left out: annotations without width", 1) in zip(
        ledger["what"], ledger["rows"], strict=True
    )
    assert ledger.loc[0, "rows"] == 2


def test_offsets_count_units_of_utf_16(tmp_path):
    rows = [("1-1", "0-2", "\U0001f600", "_", "_"), ("1-2", "3-6", "Bob", "_", "PER")]
    export = parsed(tmp_path, tsv(NER, *rows))
    marks = select_layer(export, "NamedEntity.value").marks
    assert marks.texts == ("\U0001f600 Bob",)
    assert marks.spans_frame()["text"].tolist() == ["Bob"]


def test_relations_between_stacked_annotations(tmp_path):
    types = "#T_SP=custom.Span|f\n#T_RL=custom.Rel|kind|BT_custom.Span\n"
    rows = with_columns(
        ("A[1]|B[2]", "_", "_"),
        ("A[1]", "_", "_"),
        ("C", "r|*", "1-1[1_0]|1-1[2_0]"),
        ("_", "_", "_"),
    )
    export = parsed(tmp_path, tsv(types, *rows))
    assert relations(export, "Rel.kind") == [((0, 7), (8, 11), "r"), ((0, 3), (8, 11), "*")]
    assert of_layer(export, "Rel.kind") == []


def test_slots(tmp_path):
    types = (
        "#T_SP=custom.SimpleSpan|\n"
        "#T_SP=custom.Host|ROLE_custom.Host:links_custom.LinkType|custom.SimpleSpan\n"
    )
    rows = with_columns(
        ("_", "agent;patient", "1-2[1];1-4"),
        ("*[1]", "_", "_"),
        ("*[1]", "_", "_"),
        ("*", "_", "_"),
    )
    export = parsed(tmp_path, tsv(types, *rows))
    assert layers(export) == ["SimpleSpan", "Host.links"]
    assert of_layer(export, "SimpleSpan") == [(4, 11, "*"), (12, 13, "*")]
    assert of_layer(export, "Host.links") == [(0, 3, "*")]
    assert relations(export, "Host.links") == [
        ((0, 3), (4, 11), "agent"),
        ((0, 3), (12, 13), "patient"),
    ]


def test_chains(tmp_path):
    types = "#T_CH=custom.CorefLink|referenceRelation|referenceType\n"
    rows = with_columns(
        ("same->1-1", "name[1]"),
        ("*->2-1", "*[2]"),
        ("*->1-2", "pronoun[1]"),
        ("*->1-3", "pronoun[1]"),
    )
    export = parsed(tmp_path, tsv(types, *rows))
    assert of_layer(export, "CorefLink") == [
        (0, 3, "name"),
        (4, 7, "*"),
        (8, 11, "pronoun"),
        (12, 13, "pronoun"),
    ]
    assert relations(export, "CorefLink") == [((0, 3), (8, 11), "same"), ((8, 11), (12, 13), "*")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1-4\t12-13\t.\t_\t", "1 columns where the head announces 2"),
        ("1-4\t13-12\t.\t_\t_\t", "the offsets 13-12 are impossible"),
        ("garbage", "'garbage' is no line of WebAnno TSV 3"),
    ],
)
def test_faults_name_file_line_and_remedy(tmp_path, row, said):
    text = tsv(NER, *with_columns(*[("_", "_")] * 4)) + row + "\n"
    with pytest.raises(ReaderError) as raised:
        parsed(tmp_path, text)
    assert f"document/user1.tsv, line 10: {said}" in str(raised.value)


TSV2 = (
    " # custom.POS | PosValue # custom.Dep | kind | AttachTo=custom.POS\n#id=1\n#text=Ada met Bob\n"
    "1-1\tAda\tB-NN\tB-subj\t1-2\t\n1-2\tmet\tB-V\t_\t_\t\n1-3\tBob\tI-V\tB-obj\t1-2\t\n"
)


def test_the_older_format(tmp_path):
    export = parsed(tmp_path, TSV2)
    assert export.variant == "WebAnno TSV 2"
    assert of_layer(export, "POS.PosValue") == [(0, 3, "NN"), (4, 11, "V")]
    assert relations(export, "Dep.kind") == [((4, 7), (0, 3), "subj"), ((4, 7), (8, 11), "obj")]
    with pytest.raises(ReaderError, match="line 7: a relation comes from '9-9'"):
        parsed(tmp_path, TSV2.replace("Bob\n", "Bob!\n") + "1-4\t!\t_\tB-x\t9-9\t\n")


#: Of the older format a head and its text.
STACKS = " # custom.NE | value\n#id=1\n#text=Ada met Bob\n"


def stacked(*cells):
    return STACKS + "".join(
        f"1-{n}\t{form}\t{cell}\t\n"
        for n, (form, cell) in enumerate(zip(("Ada", "met", "Bob"), cells, strict=True), start=1)
    )


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        # Layers of single tokens are written without B- and I-.
        (("NN", "_", "custom.NE_"), [(0, 3, "NN"), (8, 11, "*")]),
        (("B-A|B-B", "I-A|I-B", "O-_|I-B"), [(0, 7, "A"), (0, 11, "B")]),
        (("B-A|B-A", "I-A|I-A", "O-_|I-A"), [(0, 7, "A"), (0, 11, "A")]),
        (("B-A", "B-_", "O"), [(0, 3, "A")]),
    ],
)
def test_cells_of_the_older_format(tmp_path, cells, spans):
    assert of_layer(parsed(tmp_path, stacked(*cells)), "NE.value") == spans


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (stacked("B-A", "O", "I-A"), "line 6: 'I-A' goes on from no token before"),
        (stacked("B-A", "", "O"), "line 5: '' is no annotation"),
        (stacked("B-A||B", "O", "O"), "line 4: '' is no annotation"),
        (stacked("B-A", "O", "O").replace("1-2\tmet\tO\t\n", ""), "line 5: before the token 'Bob'"),
        (
            stacked("B-A", "O", "O").replace("1-2", "1-1"),
            "line 5: the token 1-1 stands there twice",
        ),
        (
            stacked("A", "A", "A").replace("value", "value | value"),
            "line 1: a feature is announced",
        ),
        (TSV2.replace("B-subj", "B-subj|B-x"), "line 4: 2 relations from 1 tokens"),
    ],
)
def test_faults_of_the_older_format(tmp_path, text, said):
    with pytest.raises(ReaderError, match=said):
        parsed(tmp_path, text)


def test_features_of_a_relation_share_their_source_in_the_older_format(tmp_path):
    head = " # custom.Rel | kind | sure | AttachTo=custom.POS # custom.Bare | AttachTo=custom.POS\n"
    text = head + "#text=Ada met\n1-1\tAda\t_\t_\t_\t1-2\t\n1-2\tmet\tr\tyes\t1-1\t_\t\n"
    export = parsed(tmp_path, text)
    assert relations(export, "Rel.kind") == [((0, 3), (4, 7), "r")]
    assert relations(export, "Rel.sure") == [((0, 3), (4, 7), "yes")]
    assert relations(export, "Bare") == [((4, 7), (0, 3), "*")]


def xmi(text, spans, links=()):
    """Write a document of UIMA, with the library that INCEpTION's makers publish."""
    system = cassis.TypeSystem()
    entity = system.create_type("custom.Entity", "uima.tcas.Annotation")
    relation = system.create_type("custom.Rel", "uima.tcas.Annotation")
    for type_, name, range_ in (
        (entity, "value", "uima.cas.String"),
        (relation, "Governor", "uima.tcas.Annotation"),
        (relation, "Dependent", "uima.tcas.Annotation"),
        (relation, "kind", "uima.cas.String"),
    ):
        system.create_feature(domainType=type_, name=name, rangeType=range_)
    cas = cassis.Cas(system)
    cas.sofa_string = text
    found = [entity(begin=start, end=end, value=value) for start, end, value in spans]
    found += [
        relation(Governor=found[i], Dependent=found[j], kind=kind, begin=0, end=1)
        for i, j, kind in links
    ]
    cas.add_all(found)
    return cas.to_xmi().encode(), system.to_xml().encode(), cas.to_json().encode()


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            packed.writestr(name, data)
    return stream.getvalue()


def project_files(extra=None):
    """A project: two annotators and a curator, one document as TSV and one as XMI."""
    ada, types, _ = xmi(
        "\U0001f600 Ada met Bob", [(2, 5, "PER"), (10, 13, "PER")], [(0, 1, "knows")]
    )
    rows = tsv(NER, *with_columns(("_", "PER"), ("_", "_"), ("_", "LOC"), ("_", "_")))
    states = [
        ("d.txt", "ann", "FINISHED"),
        ("d.txt", "bob", "IN_PROGRESS"),
        ("e.txt", "ann", "FINISHED"),
    ]
    described = {"annotation_documents": [{"name": d, "user": u, "state": s} for d, u, s in states]}
    return {
        "exportedproject123.json": json.dumps(described),
        "source/d.txt": "Ada met Bob .",
        "log/project.log": "...",
        "annotation_ser/d.txt/ann.ser": b"\xac\xed",
        "annotation/d.txt/ann.tsv": rows,
        "annotation/d.txt/bob.tsv": rows,
        "annotation/d.txt/INITIAL_CAS.tsv": tsv("", *TOKENS),
        "annotation/e.txt/ann.zip": archive({"ann.xmi": ada, "TypeSystem.xml": types}),
        "curation/d.txt/CURATION_USER.tsv": rows,
    } | (extra or {})


@pytest.fixture
def project(tmp_path):
    path = tmp_path / "project.zip"
    path.write_bytes(archive(project_files()))
    return path


def test_a_project_keeps_curation_and_unfinished_work_apart(project):
    assert recognise(project) == {"inception": "project"}
    export = read_export(project)
    assert layers(export) == [
        "NamedEntity.identifier",
        "NamedEntity.value",
        "Entity.value",
        "Rel.kind",
    ]
    found = select_layer(export, "NamedEntity.value")
    assert found.marks.documents == ("d.txt", "e.txt")
    assert found.marks.annotators == ("ann",)
    assert dict(zip(found.ledger["what"], found.ledger["rows"], strict=True)) == {
        "records read": 5,
        "left out: documents as they were before anybody annotated them": 1,
        "documents in 'NamedEntity.value'": 4,
        "left out: unfinished documents": 1,
        "left out: documents of a curator": 1,
        "documents by annotator": 2,
        "spans": 2,
        "relations": 0,
    }
    curated = select_layer(export, "NamedEntity.value", status=("curated",)).marks
    assert curated.annotators == ("CURATION_USER",)
    everyone = select_layer(export, "NamedEntity.value", status=("done", "unfinished")).marks
    assert pairwise_f1(everyone).estimate == 1


def test_xmi_inside_a_project(project):
    export = read_export(project)
    marks = select_layer(export, "Entity.value").marks
    assert marks.spans[1, 0] == (Span(2, 5, "PER"), Span(10, 13, "PER"))
    assert marks.texts[1] == "\U0001f600 Ada met Bob"
    assert marks.spans[0, 0] == ()
    links = select_layer(export, "Rel.kind").marks.relations[1, 0]
    assert [(link.source[:2], link.target[:2], link.label) for link in links] == [
        ((2, 5), (10, 13), "knows")
    ]


def test_annotators_of_a_project_may_have_names_with_dots(tmp_path):
    rows = tsv(NER, *with_columns(("_", "PER"), ("_", "_"), ("_", "LOC"), ("_", "_"))).encode()
    names = {"e.g@x.org": "FINISHED", "e.h@x.org": "IGNORE"}
    described = [{"name": "d.txt", "user": n, "state": state} for n, state in names.items()]
    files = {"exportedproject1.json": json.dumps({"annotation_documents": described})}
    for name in (*names, "unknown"):
        files[f"annotation/d.txt/{name}.zip"] = archive({"CURATION.tsv": rows})
    path = tmp_path / "project.zip"
    path.write_bytes(archive(files))
    marked = read_export(path, keep_names=True).marks("NamedEntity.value", status=STATUSES)
    assert {m.annotator: m.status for m in marked} == {
        "e.g@x.org": "done",
        "e.h@x.org": "skipped",
        "unknown": "unfinished",
    }


def test_a_project_with_a_damaged_name_is_refused(tmp_path):
    data = archive(project_files())
    path = tmp_path / "project.zip"
    at = data.rindex(b"curation/")
    path.write_bytes(data[:at] + b"x" + data[at + 1 :])
    with pytest.raises(ReaderError, match=r"xuration/d\.txt/CURATION_USER\.tsv can't be unpacked"):
        read_export(path)


def test_an_unpacked_project_is_the_same(project, tmp_path):
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(project) as packed:
        packed.extractall(folder)
    assert recognise(folder) == {"inception": "project, unpacked"}
    both = [select_layer(read_export(path), "NamedEntity.value") for path in (project, folder)]
    assert both[0].marks.spans_frame().equals(both[1].marks.spans_frame())
    assert both[0].ledger.equals(both[1].ledger)


def test_single_documents_of_uima(tmp_path):
    data, types, as_json = xmi("Ada met Bob", [(0, 3, "PER")])
    (tmp_path / "a.xmi").write_bytes(data)
    with pytest.raises(ReaderError, match=r"TypeSystem.xml is missing"):
        read_export(tmp_path / "a.xmi")
    (tmp_path / "TypeSystem.xml").write_bytes(types)
    (tmp_path / "b.json").write_bytes(as_json)
    (tmp_path / "c.zip").write_bytes(archive({"a.xmi": data, "TypeSystem.xml": types}))
    for name in ("a.xmi", "b.json", "c.zip"):
        export = read_export(tmp_path / name)
        assert export.format.name == "inception"
        assert of_layer(export, "Entity.value") == [(0, 3, "PER")], name


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/passwd", "annotation/../../x.tsv", "C:/x.tsv", "a\\..\\b.tsv"]
)
def test_names_that_lead_out_of_the_archive_are_refused(tmp_path, name):
    path = tmp_path / "project.zip"
    path.write_bytes(archive(project_files({name: "x"})))
    with pytest.raises(ReaderError, match="leads out of the archive"):
        read_export(path)
    assert list(tmp_path.parent.glob("evil.txt")) == []


def test_bombs_are_refused_without_unpacking(tmp_path, monkeypatch):
    path = tmp_path / "project.zip"
    path.write_bytes(archive(project_files({"annotation/d.txt/cat.tsv": b"0" * 2_000_000})))
    monkeypatch.setattr(inception, "LARGE", 1_000_000)
    with pytest.raises(ReaderError, match="unpacks from"):
        read_export(path)
    monkeypatch.setattr(inception, "MAX_BYTES", 1_000_000)
    with pytest.raises(ReaderError, match="above the limit for archives"):
        read_export(path)


def test_entities_are_refused(tmp_path):
    data, types, _ = xmi("Ada", [(0, 3, "PER")])
    bomb = data.replace(b"?>", b'?><!DOCTYPE x [<!ENTITY a "aaaa">]>', 1)
    (tmp_path / "a.xmi").write_bytes(bomb)
    (tmp_path / "TypeSystem.xml").write_bytes(types)
    with pytest.raises(ReaderError, match="document type declaration"):
        read_export(tmp_path / "a.xmi")


FACES = xmi("\U0001f600 Ada met Bob", [(2, 5, "PER"), (10, 13, "PER")], [(0, 1, "knows")])


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('xmi:id="3"', 'xmi:id="2"', "two parts have the number 2"),
        ('members="2 3 4"', 'members="2 2 3 4"', "holds a part twice"),
        ('members="2 3 4"', 'members="3 4"', "in no view"),
        ('<cas:View sofa="1"', '<cas:View sofa="9"', "a view of the text 9, which is not there"),
        ("<cas:View", '<cas:View sofa="1"/><cas:View', "two views of the text 1"),
        ('begin="3"', 'begin="1"', r"Not mapping external offset \[1\]"),
        ('end="14"', 'end="15"', r"Not mapping external offset \[15\]"),
        ('begin="3"', 'begin="1_0"', "'1_0' stands for numbers"),
        ('begin="3"', f'begin="{"1" * 99}x"', "'111.*stands for numbers"),
        (' begin="3"', "", "without its begin or end"),
        ("custom:Entity", "custom:Place", "custom.Place"),
        ('value="PER"/>', "><value>PER</value></custom:Entity>", "stands for a value of"),
    ],
)
def test_xmi_that_cassis_alone_reads_in_its_own_way(tmp_path, old, new, said):
    data = FACES[0].decode()
    assert old in data
    (tmp_path / "a.xmi").write_text(data.replace(old, new, 1), encoding="utf-8")
    (tmp_path / "TypeSystem.xml").write_bytes(FACES[1])
    with pytest.raises(ReaderError, match=said):
        read_export(tmp_path / "a.xmi")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"%ID": 3', '"%ID": 2', "two parts have the number 2"),
        ("[2, 3, 4]", "[2, 3, 3, 4]", "holds a part twice"),
        ('"begin": 3', '"begin": 0.5', "0.5 stands for a number"),
        ('"begin": 3', '"begin": true', "True stands for a number"),
        ('"begin": 3, ', "", "without its begin or end"),
        ('"value": "PER"', '"value": ["PER"]', "stands for a value of uima.cas.String"),
        ('"value": "PER"', '"value": "A", "value": "PER"', "occurs twice in one object"),
        ('"@Governor": 2', '"@Governor": 99', "a reference to what is not there"),
    ],
)
def test_json_that_cassis_alone_reads_in_its_own_way(tmp_path, old, new, said):
    data = FACES[2].decode()
    assert old in data
    (tmp_path / "a.json").write_text(data.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ReaderError, match=said):
        read_export(tmp_path / "a.json")


def refusal(path):
    """Return what is said of a damaged file; its name if it can still be read."""
    try:
        export = read_export(path, format="inception")
        for layer in layers(export):
            select_layer(export, layer, status=("done", "curated"))
    except (ReaderError, AnnotationError) as error:
        return str(error)
    return str(path)


def test_damage_never_ends_in_a_traceback(tmp_path, rng):
    data, types, as_json = xmi("Ada met Bob", [(0, 3, "PER")])
    (tmp_path / "TypeSystem.xml").write_bytes(types)
    text = tsv(
        NER, *with_columns(("*[1]|*[2]", "PER[1]|X[2]"), ("*[1]", "PER[1]"), ("_", "_"), ("_", "_"))
    )
    whole = {
        "a.xmi": data,
        "b.json": as_json,
        "c.tsv": text.encode(),
        "d.tsv": TSV2.encode(),
        "e.zip": archive(project_files()),
    }
    for name, content in whole.items():
        path = tmp_path / name
        for _ in range(25):
            damaged = bytearray(content)
            for at in rng.integers(0, len(damaged), 3):
                damaged[at] = rng.integers(0, 256)
            path.write_bytes(bytes(damaged[: rng.integers(1, len(damaged) + 1)]))
            assert str(tmp_path) in refusal(path)


def test_layers_have_to_be_named(project):
    export = read_export(project)
    with pytest.raises(
        AnnotationError, match=r"'Entity.value', 'Rel.kind'. Name one with --question"
    ):
        select_layer(export)
    with pytest.raises(AnnotationError, match=r"There is no 'Entity\.valu'"):
        select_layer(export, "Entity.valu")
    with pytest.raises(AnnotationError, match=r"no document of 'Entity\.value' is rejected"):
        select_layer(export, "Entity.value", status=("rejected",))


# The suites of INCEpTION's curation: two annotators, and what is left after merging them.

SUITES = [
    *("multipleStackedAnnotationsAreNotMergedTest", "relationLabelTest", "relStackedTest"),
    *("simpleRelGovDiffTest", "simpleRelGovStackedTest", "simpleRelNoDiffTest"),
    *("simpleRelTypeDiffTest", "simpleSpanDiffIncompleteTest", "simpleSpanDiffMultiFeatureTest"),
    *("simpleSpanDiffNoLabelTest", "simpleSpanDiffWithLabelStacking2Test"),
    *("simpleSpanDiffWithLabelStackingTest", "simpleSpanDiffWithLabelTest"),
    *("simpleSpanNoDiffMultiFeatureTest", "simpleSpanNoDiffNoLabelTest"),
    "simpleSpanNoDiffWithLabelTest",
]


def annotations_of(export, annotator):
    """Return spans and relations of every type: limits and the values of all features."""
    spans, links = {}, {}
    for layer in layers(export):
        type_, _, feature = layer.partition(".")
        marks = select_layer(export, layer, status=("done", "curated")).marks
        key = 0, marks.annotators.index(annotator)
        for found, own, place in (
            (spans, marks.spans[key], lambda mark: mark[:2]),
            (links, marks.relations[key], lambda mark: (mark.source[:2], mark.target[:2])),
        ):
            for n, mark in enumerate(own):
                found.setdefault((type_, n), {"at": place(mark)})[feature] = mark.label
    return [
        sorted((type_, *sorted(values.items())) for (type_, _), values in found.items())
        for found in (spans, links)
    ]


@pytest.mark.parametrize("suite", SUITES)
def test_what_curation_keeps_is_what_both_marked_alike(mirror, suite):
    export = read_export(mirror / "exports" / "inception" / suite)
    assert select_layer(export, layers(export)[0]).ledger.loc[0, "rows"] == 3
    (first, one_links), (second, two_links), (kept, kept_links) = (
        annotations_of(export, name) for name in ("user1", "user2", "curator")
    )

    def alone(found):
        # Several annotations of one type in one place are left to the curator.
        places = [(type_, dict(values)["at"]) for type_, *values in found]
        return {row for row, place in zip(found, places, strict=True) if places.count(place) == 1}

    # Its test of dependencies does not merge lemmas.
    merged = {row for row in alone(first) & alone(second) if row[0] != "Lemma"}
    assert set(kept) == merged
    ends = {dict(values)["at"] for _, *values in kept}
    expected = {row for row in set(one_links) & set(two_links) if set(dict(row[1:])["at"]) <= ends}
    assert set(kept_links) == expected


def test_the_project_of_inception(mirror):
    [path] = (mirror / "exports" / "inception" / "exports").glob("*.zip")
    export = read_export(path)
    with pytest.raises(AnnotationError, match="there are only curated ones"):
        select_layer(export)
    found = select_layer(export, status=("curated",))
    assert found.marks.spans_frame()["text"].tolist() == ["This"]
    assert dict(zip(found.ledger["what"], found.ledger["rows"], strict=True)) == {
        "records read": 2,  # one annotator's document and the curator's
        "left out: documents exported in a format without annotations": 1,
        "documents in 'Chunk.chunkValue'": 1,
        "documents by annotator": 1,
        "spans": 1,
        "relations": 0,
    }


def test_kappa_on_positions_as_inception_prints_it(mirror):
    export = read_export(mirror / "exports" / "inception" / "resources" / "kappatest.tsv")
    marks = select_layer(export, "POS.PosValue").marks
    [own] = marks.spans.values()
    assert len(own) == 9  # testTwoUserSameAnnotation: nine positions, none differs

    def kappa(other):
        both = Marks.collect(
            {("d", "user1"): own, ("d", "user2"): other}, texts={"d": marks.texts[0]}
        )
        return agreement.cohen_kappa(candidate_items(both)[0]).estimate

    assert kappa(own) == 1
    # testTwoUserDiffSpanAnnotation: one position differs, printed 0.86153. Of nine positions that
    # is one of the three adjectives with a label that no other token has.
    changed = [s._replace(label="X") if s.start == 4 else s for s in own]
    assert kappa(changed) == pytest.approx(0.86153, abs=1e-5)
    links = select_layer(export, "Dependency.DependencyType").marks
    assert links.n_relations == 9
