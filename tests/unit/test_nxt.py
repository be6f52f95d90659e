"""The reader of NXT stand-off XML, on small documents, sound and malformed."""

import numpy as np
import pytest

from annobench.core.errors import ReaderError
from annobench_datasets import nxt

HEAD = '<?xml version="1.0" encoding="ISO-8859-1" standalone="yes"?>\n'
ROOT = '<nite:root nite:id="r" xmlns:nite="http://nite.sourceforge.net/">\n{}</nite:root>\n'
WORDS = """<w nite:id="w0" starttime="1.0" endtime="1.5">Caf\xe9</w>
<w nite:id="w1" starttime="1.5" endtime="1.5" punc="true">,</w>
<vocalsound nite:id="w2" type="laugh"/>
<w nite:id="w3" starttime="2.0" endtime="2.25">it&apos;s</w>
"""
CHILD = '<nite:child href="a.words.xml#{}"/>'
DACT = '<dact nite:id="{}"><nite:pointer role="type" href="types.xml#id({})"/>{}</dact>\n'


@pytest.fixture
def write(tmp_path):
    def call(name, body, *, head=HEAD):
        path = tmp_path / name
        path.write_bytes((head + ROOT.format(body)).encode("iso-8859-1"))
        return path

    return call


@pytest.fixture
def words(write):
    return nxt.read_layer(write("a.words.xml", WORDS))


def acts(write, *links, kind="t1"):
    rows = [DACT.format(f"d{n}", kind, CHILD.format(link)) for n, link in enumerate(links)]
    return nxt.read_layer(write("a.acts.xml", "".join(rows)))


def test_elements_stand_in_columns_in_the_order_of_the_document(words):
    assert words.tag == ["w", "w", "vocalsound", "w"]
    assert words.text == ["Café", ",", "", "it's"]
    assert words.ids == ["w0", "w1", "w2", "w3"]
    assert words.column("punc") == [None, "true", None, None]
    assert words.line == [3, 4, 5, 6]
    assert words.parent == [-1] * 4
    assert len(words) == 4


def test_a_missing_time_is_nan_and_no_fault(words):
    assert words.numbers("starttime") == pytest.approx([1, 1.5, np.nan, 2], nan_ok=True)


def test_nested_elements_know_their_parent(write):
    body = '<meeting nite:id="m"><speaker nite:id="s"/></meeting><meeting nite:id="n"/>'
    layer = nxt.read_layer(write("meetings.xml", body))
    assert layer.parent == [-1, 0, -1]


def test_spans_are_the_places_of_the_elements_covered(write, words):
    layer = acts(write, "id(w0)..id(w2)", "id(w3)")
    assert nxt.spans(layer, words).tolist() == [[0, 2], [3, 3]]


def test_a_pointer_finds_its_target_and_only_in_its_role(write):
    types = nxt.read_layer(write("types.xml", '<type nite:id="t0"/><type nite:id="t1"/>'))
    layer = acts(write, "id(w0)", "id(w1)")
    assert nxt.pointed(layer, "type", types).tolist() == [1, 1]
    assert nxt.pointed(layer, "other", types).tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (["id(w0)..id(w9)"], "line 3: a dangling link: a.words.xml has no id 'w9'"),
        (["id(w9)..id(w0)"], "line 3: a dangling link: a.words.xml has no id 'w9'"),
        (["id(x)", "id(y)"], "line 3: .*'x'.*line 4: .*'y'"),
        (["id(w3)..id(w0)"], "line 3: from 'w3' to 'w0' runs backwards"),
        (["id(w0)..id(w2)", "id(w2)..id(w3)"], "line 4: 'd1' overlaps 'd0' on 'w2'"),
        (["id(w0)..id(w3)", "id(w1)", "id(w2)"], "line 4: 'd1' overlaps 'd0' on 'w1'"),
    ],
)
def test_links_that_lead_nowhere_or_overlap_are_errors_with_their_line(
    write, words, links, message
):
    with pytest.raises(ReaderError, match=rf"(?s)a\.acts\.xml:.*{message}"):
        nxt.spans(acts(write, *links), words)


def test_an_element_must_cover_something_once_and_in_the_right_document(write, words):
    body = (
        '<dact nite:id="d0"/>\n'
        f'<dact nite:id="d1">{CHILD.format("id(w0)")}{CHILD.format("id(w1)")}</dact>\n'
        '<dact nite:id="d2"><nite:child href="b.words.xml#id(w2)"/></dact>\n'
    )
    with pytest.raises(ReaderError) as caught:
        nxt.spans(nxt.read_layer(write("a.acts.xml", body)), words)
    said = str(caught.value)
    places = [
        said.index(message)
        for message in (
            "line 3: 'd0' covers nothing",
            "line 4: 'd1' has several child links",
            "line 5: a link into 'b.words.xml', where 'a.words.xml' is due",
        )
    ]
    assert places == sorted(places)


def test_a_dangling_pointer_is_an_error(write):
    types = nxt.read_layer(write("types.xml", '<type nite:id="t0"/>'))
    with pytest.raises(ReaderError, match=r"line 3: a dangling link: types\.xml has no id 't7'"):
        nxt.pointed(acts(write, "id(w0)", kind="t7"), "type", types)


POINTER = '<nite:pointer role="type" href="{}#id({})"/>'


def test_an_element_points_once_in_a_role(write):
    types = nxt.read_layer(write("types.xml", '<type nite:id="t0"/><type nite:id="t1"/>'))

    def pointed(*links):
        pointers = "".join(POINTER.format(*link) for link in links)
        body = f'<dact nite:id="d0">{pointers}</dact>'
        return nxt.pointed(nxt.read_layer(write("a.acts.xml", body)), "type", types)

    assert pointed(("types.xml", "t0")).tolist() == [0]
    assert pointed(("types.xml", "t0)..id(t1")).tolist() == [0]  # of a range the first
    with pytest.raises(ReaderError, match="line 3: 'd0' has several 'type'"):
        pointed(("types.xml", "t0"), ("types.xml", "t1"))
    # A link that leads nowhere is a fault of its own, and none of the next.
    with pytest.raises(ReaderError, match=r"where 'types\.xml' is due") as caught:
        pointed(("other.xml", "t0"), ("types.xml", "t1"))
    assert "several" not in str(caught.value)


def test_two_elements_of_one_id_are_an_error(write):
    rows = '<w nite:id="w0"/>\n<w nite:id="w0"/>\n<w nite:id="w1"/>'
    layer = nxt.read_layer(write("a.words.xml", rows))
    with pytest.raises(ReaderError, match="line 3: the id 'w0' occurs twice") as caught:
        _ = layer.place
    assert "'w1'" not in str(caught.value)


def test_only_the_times_that_are_no_numbers_are_errors(write):
    body = '<w nite:id="w0"/>\n<w nite:id="w1" starttime="1"/>\n<w nite:id="w2" starttime="soon"/>'
    layer = nxt.read_layer(write("a.words.xml", body))
    with pytest.raises(ReaderError, match="line 5: starttime 'soon' is not a number") as caught:
        layer.numbers("starttime")
    assert str(caught.value).count("is not a number") == 1


@pytest.mark.parametrize("value", ["soon", "nan", "inf", ""])
def test_a_time_that_is_no_number_is_an_error(write, value):
    layer = nxt.read_layer(write("a.words.xml", f'<w nite:id="w0" starttime="{value}"/>'))
    with pytest.raises(ReaderError, match=f"line 3: starttime '{value}' is not a number"):
        layer.numbers("starttime")


@pytest.mark.parametrize(
    "href", ["a.words.xml", "a.words.xml#id()", "../b.xml#id(w0)", "a.xml#id(w0)..id(w1)..id(w2)"]
)
def test_a_link_of_another_form_is_an_error(write, href):
    path = write("a.acts.xml", f'<dact nite:id="d"><nite:child href="{href}"/></dact>')
    with pytest.raises(ReaderError, match=r"line 3: the link .* is not file#id"):
        nxt.read_layer(path)


def test_a_link_outside_every_element_is_an_error(write):
    with pytest.raises(ReaderError, match="has no element around it"):
        nxt.read_layer(write("a.acts.xml", CHILD.format("id(w0)")))


def test_text_between_children_is_joined_in_proportional_time(tmp_path):
    path = tmp_path / "a.words.xml"
    n = 100_000
    path.write_text("<r><a>" + "some text<b/>" * n + "end</a></r>", encoding="utf-8")
    layer = nxt.read_layer(path)
    assert layer.text[0] == "some text" * n + "end"
    assert layer.text[1:] == [""] * n


BOMB = """<?xml version="1.0"?>
<!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>
"""
OUTSIDE = '<?xml version="1.0"?>\n<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n'


@pytest.mark.parametrize("head", [BOMB, OUTSIDE, '<!DOCTYPE r SYSTEM "r.dtd">\n'])
def test_entities_can_not_be_defined(write, head):
    path = write("a.words.xml", '<w nite:id="w0">x</w>', head=head)
    with pytest.raises(ReaderError, match="a document type declaration"):
        nxt.read_layer(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1: not well-formed XML"),
        (b"<r>", "line 1: not well-formed XML"),
        (b"<r>&a;</r>", "undefined entity"),
        (b'<?xml version="1.0" encoding="klingon"?><r/>', "unknown encoding"),
        (b'<?xml version="1.0" encoding="shift_jis"?><r/>', "multi-byte .* Save it as UTF-8"),
        (b'<?xml version="1.0" encoding="idna"?><r/>', "line 1: .* Save it as UTF-8"),
        (b"<r>\xff</r>", "not well-formed XML"),
        (b"<r><s></r></s>", "mismatched tag"),
        (b"<r>" + b"<s>" * 100 + b"</s>" * 100 + b"</r>", "nested more than 32 deep"),
    ],
)
def test_what_is_no_annotation_is_an_error(tmp_path, content, message):
    path = tmp_path / "a.words.xml"
    path.write_bytes(content)
    with pytest.raises(ReaderError, match=rf"a\.words\.xml, line \d+: .*{message}|{message}"):
        nxt.read_layer(path)


def test_a_missing_document_is_an_error(tmp_path):
    with pytest.raises(ReaderError, match="can't be read"):
        nxt.read_layer(tmp_path / "none.xml")


@pytest.mark.parametrize("depth", [32, 33])
def test_elements_may_be_nested_so_deep_and_no_deeper(tmp_path, depth):
    path = tmp_path / "a.words.xml"
    path.write_text("<r>" + "<s>" * depth + "</s>" * depth + "</r>")
    if depth > nxt.MAX_DEPTH:
        with pytest.raises(ReaderError, match="nested more than 32 deep"):
            nxt.read_layer(path)
    else:
        assert len(nxt.read_layer(path)) == depth
