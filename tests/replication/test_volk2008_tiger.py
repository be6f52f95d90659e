"""TIGER-XML and TreeAligner files of Volk et al. (2008), and what untrusted XML may not do."""

from __future__ import annotations

import pytest

from annobench.alignment import links as alignment
from annobench.core.errors import AnnotationError, ReaderError
from papers.volk2008.tiger import read_folder, read_tiger, read_treealigner

GERMAN = """<?xml version="1.0" encoding="UTF-8"?>
<corpus id="de"><head/><body>
<s id="s1"><graph root="s1_500">
 <terminals><t id="s1_1" word="Sofie" pos="NE"/><t id="s1_2" word="ging" pos="VVFIN"/></terminals>
 <nonterminals>
  <nt id="s1_500" cat="S"><edge label="SB" idref="s1_501"/><edge label="HD" idref="s1_2"/></nt>
  <nt id="s1_501" cat="NP"><edge label="HD" idref="s1_1"/></nt>
 </nonterminals></graph></s>
<s id="s2"><graph root="s2_500">
 <terminals><t id="s2_1" word="Ja" pos="PTK"/></terminals>
 <nonterminals><nt id="s2_500" cat="S"><edge idref="s2_1"/></nt></nonterminals></graph></s>
<s id="s3"><graph><terminals><t id="s3_1" word="Nein"/></terminals></graph></s>
</body></corpus>
"""
ENGLISH = """<corpus id="en"><body>
<s id="s1"><graph>
 <terminals><t id="s1_1" word="Sophie"/><t id="s1_2" word="went"/>
 <t id="s1_3" word="yes"/></terminals><nonterminals>
 <nt id="s1_500" cat="S"><edge idref="s1_1"/><edge idref="s1_2"/></nt></nonterminals>
</graph></s>
</body></corpus>
"""
HEAD = """<treealign><head><treebanks>
<treebank id="de" filename="de.xml" language="de"/><treebank id="en" filename="en.xml"/>
</treebanks></head><alignments>
"""
LINK = """<align type="{}" author="x" last_change="2008-01-01">
<node treebank_id="de" node_id="{}"/><node treebank_id="en" node_id="{}"/></align>
"""
TAIL = "</alignments></treealign>\n"


def aligned(*links):
    return HEAD + "".join(LINK.format(*link) for link in links) + TAIL


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


@pytest.fixture
def banks(write):
    return read_tiger(write("de.xml", GERMAN)), read_tiger(write("en.xml", ENGLISH))


def test_a_tree_is_read(banks):
    german, english = banks
    assert list(german) == ["s1", "s2", "s3"]
    tree = german["s1"]
    assert tree.kinds == {"s1_1": "word", "s1_2": "word", "s1_500": "phrase", "s1_501": "phrase"}
    assert tree.words == {"s1_1": "Sofie", "s1_2": "ging"}
    assert (tree.categories["s1_501"], tree.categories["s1_1"]) == ("NP", "NE")
    assert tree.span("s1_500") == ("Sofie", "ging")
    assert tree.span("s1_501") == ("Sofie",)
    assert english["s1"].span("s1_2") == ("went",)


def test_links_join_sentences_to_pairs_of_one_to_two(write, banks):
    # Both German sentences are linked to the one English sentence; the third is linked to none.
    first = write("x.xml", aligned(("good", "s1_1", "s1_1"), ("fuzzy", "s1_500", "s1_500")))
    second = write("y.xml", aligned(("good", "s2_1", "s1_3")))
    a = read_treealigner({"x": first, "y": second}, *banks)
    [pair] = a.pairs
    assert pair.name == "s1+s2 = s1"
    assert pair.n_nodes == (6, 4)
    assert a.kind == ("word", "phrase", "word")
    assert a.drawn.tolist() == [[1, 0], [2, 0], [0, 1]]
    assert alignment.pool(a, rng=1).union == 3


def test_sentences_are_joined_by_their_roots_as_well(write, banks):
    joint = (
        '<sen-align><node treebank_id="de" node_id="s2_500"/>'
        '<node treebank_id="en" node_id="s1_500"/></sen-align>'
    )
    a = read_treealigner({"x": write("x.xml", HEAD + joint + TAIL)}, *banks)
    assert [pair.name for pair in a.pairs] == ["s2 = s1"]
    assert a.n_links == 0


def test_elements_that_say_no_link_are_passed_over(write, banks):
    text = aligned(("good", "s1_1", "s1_1")).replace("</align>", "<comment/></align>")
    text = text.replace("<alignments>", '<alignments><node treebank_id="de" node_id="s1_2"/>')
    a = read_treealigner({"x": write("x.xml", text)}, *banks)
    assert [link[1:3] for link in a.links] == [("s1_1", "s1_1")]


def test_pairs_and_their_sentences_stand_in_the_order_of_the_documents(write, banks):
    # Named so that the alphabet has another order than the documents, and linked in a third.
    german = read_tiger(write("x.xml", GERMAN.replace('"s1', '"s4')))
    english = ENGLISH.replace(
        "</body>",
        '<s id="s0"><graph><terminals><t id="s0_1" word="no"/></terminals></graph></s></body>',
    )
    english = read_tiger(write("y.xml", english))
    links = (("good", "s3_1", "s0_1"), ("good", "s2_1", "s1_3"), ("good", "s4_1", "s1_1"))
    a = read_treealigner({"x": write("z.xml", aligned(*links))}, german, english)
    assert [pair.name for pair in a.pairs] == ["s4+s2 = s1", "s3 = s0"]


def test_sides_can_be_named(write, banks):
    german, english = banks
    path = write("x.xml", aligned(("good", "s1_1", "s1_2")))
    a = read_treealigner({"x": path}, english, german, treebanks=("en", "de"))
    assert a.links[0][1:3] == ("s1_2", "s1_1")


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([("auto", "s1_1", "s1_1")], "line 4: a link of type 'auto', not one of good, fuzzy"),
        ([("good", "s1_9", "s1_1")], r"line 4: there is no node 's1_9' \(treebank 'de'\)"),
        ([("good", "s1_1", "s9_1")], r"no node 's9_1' \(treebank 'en'\)"),
        ([("good", "s1_1", "s1_1")] * 2, "line 6: 's1_1' and 's1_1' are linked already"),
    ],
)
def test_links_outside_the_trees_are_refused_with_their_line(write, banks, links, message):
    path = write("x.xml", aligned(*links))
    with pytest.raises(ReaderError, match=message):
        read_treealigner({"x": path}, *banks)


def test_a_link_joins_two_nodes_of_two_treebanks(write, banks):
    same = aligned(("good", "s1_1", "s1_1")).replace('"en" node', '"de" node')
    with pytest.raises(ReaderError, match="not one node of 'de' and one of 'en'"):
        read_treealigner({"x": write("x.xml", same)}, *banks)
    with pytest.raises(ReaderError, match="head names 0 treebanks"):
        read_treealigner({"x": write("x.xml", "<treealign/>")}, *banks)
    with pytest.raises(AnnotationError, match="no file"):
        read_treealigner({}, *banks)


def test_a_folder_holds_alignments_and_the_treebanks_that_they_name(write, banks, tmp_path):
    write("novel.xml", aligned(("good", "s1_1", "s1_1"), ("fuzzy", "s1_500", "s1_500")))
    write("notes.txt", "No treebank.")
    found = read_folder(tmp_path)  # the fixture wrote de.xml and en.xml
    assert list(found) == ["novel"]
    assert found["novel"].annotators == ("gold",)
    assert found["novel"].drawn.tolist() == [[1], [2]]


def test_a_folder_without_alignments_or_treebanks_is_refused(write, tmp_path):
    with pytest.raises(ReaderError, match=r"no alignment of the TreeAligner.*data\.treebank"):
        read_folder(tmp_path)
    write("novel.xml", aligned(("good", "s1_1", "s1_1")))
    with pytest.raises(ReaderError, match=r"de\.xml: can't be read"):
        read_folder(tmp_path)
    write("novel.xml", '<treealign><treebank id="de" filename="de.xml"/></treealign>')
    write("de.xml", GERMAN)
    with pytest.raises(ReaderError, match="its head names 1 treebanks"):
        read_folder(tmp_path)


BOMB = """<?xml version="1.0"?>
<!DOCTYPE corpus [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]>
<corpus id="&c;"/>
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (BOMB, "line 2: a document type declaration, which could define entities"),
        ('<!DOCTYPE c SYSTEM "file:///none"><corpus/>', "document type declaration"),
        ("<corpus><s id='s1'>", r"line 1: not well-formed XML \(no element found\)"),
        ("<corpus>&undefined;</corpus>", "not well-formed XML"),
        ("", "not well-formed XML"),
        ("<corpus/>", "no sentence"),
        ("<corpus>\n<s/></corpus>", "line 2: 's' has no id"),
        ("<c><t id='t1'/></c>", "line 1: 't' outside a sentence"),
        (GERMAN.replace('id="s1_2"', 'id="s1_1"', 1), "id 's1_1' stands there twice"),
        (
            GERMAN.replace('idref="s1_501"', 'idref="s1_9"'),
            r"'s1': node 's1_500' has an edge to 's1_9', which is no node of it \(line 6\)",
        ),
        (GERMAN.replace('idref="s1_501"', 'idref="s2_1"'), "edge to 's2_1'"),
        (GERMAN.replace('label="HD" idref="s1_1"', 'idref="s1_500"'), "is below itself"),
        (
            "<c><s id='s'><t id='a'><edge idref='b'/></t><t id='b'/></s></c>",
            "line 1: an edge outside a nonterminal",
        ),
        (
            "<c><s id='r'><nt id='n'/></s>\n<s id='s'><edge idref='a'/><t id='a'/></s></c>",
            "line 2: an edge outside a nonterminal",
        ),
        ("<?xml version='1.0' encoding='nonsense'?><c/>", "line 1: .*nonsense.* Save it as UTF-8"),
        ("<?xml version='1.0' encoding='shift_jis'?><c/>", "line 1: .* Save it as UTF-8"),
        ("<?xml version='1.0' encoding='idna'?><c/>", "line 1: .* Save it as UTF-8"),
    ],
)
def test_files_that_are_no_treebank_are_refused(write, text, message):
    with pytest.raises(ReaderError, match=message):
        read_tiger(write("bank.xml", text))


def test_an_alignment_file_may_define_nothing_either(write, banks):
    with pytest.raises(ReaderError, match=r"x\.xml, line 2: a document type declaration"):
        read_treealigner({"x": write("x.xml", BOMB)}, *banks)
    with pytest.raises(ReaderError, match="can't be read"):
        read_tiger("nowhere.xml")


def test_a_deep_tree_takes_time_in_proportion(write):
    n = 30_000
    phrases = "".join(f"<nt id='n{k}'><edge idref='n{k + 1}'/></nt>" for k in range(n))
    bank = read_tiger(write("deep.xml", f"<c><s id='s'><t id='n{n}' word='a'/>{phrases}</s></c>"))
    assert bank["s"].span("n0") == ("a",)
