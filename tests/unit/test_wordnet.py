"""WordNet's files, on a small database made here: keys, relations, and what is malformed."""

from __future__ import annotations

import pytest

from annobench.core.errors import ReaderError
from annobench_datasets.wordnet import LEX_FILES, has_wordnet, parse_key, read_wordnet

LICENCE = "  1 This is a made-up database.  \n"
#: Offsets are names here: the reader takes them from the lines, as WordNet repeats them there.
DATA = {
    "noun": [
        "00000100 03 n 01 entity 0 002 ~ 00000200 n 0000 ~ 00000300 n 0000 | what is",
        "00000200 14 n 02 board 0 committee 0 001 @ 00000100 n 0000 | a committee",
        "00000300 06 n 02 board 0 plank 0 001 @ 00000100 n 0000 | a piece of timber",
        '00000400 06 n 03 board 1 plank 1 desk 0 001 @ 00000300 n 0000 | table; "on | the board"',
    ],
    "verb": [
        "00000500 30 v 01 add 0 001 $ 00000600 v 0000 01 + 08 00 | join",
        "00000600 42 v 01 add 0 001 $ 00000500 v 0000 00 | be an addition",
        "00000700 32 v 02 add 1 Append 0 000 00 | say further",
    ],
    "adj": [
        "00000800 00 a 01 whole 0 002 & 00000900 a 0000 & 00001000 s 0000 | all of it",
        "00000900 00 s 01 full(a) 0 001 & 00000800 a 0000 | complete",
        "00001000 00 s 01 full 1 001 & 00000800 a 0000 | entire",
        "00001100 00 a 01 full 0 000 | holding all it can",
    ],
    "adv": [],
}
INDEX = {
    "noun": [
        "board n 3 1 @ 3 2 00000200 00000300 00000400",
        "plank n 2 1 @ 2 0 00000300 00000400",
        "entity n 1 1 ~ 1 0 00000100",
    ],
    "verb": ["add v 3 1 $ 3 0 00000500 00000700 00000600"],
    "adj": ["full a 3 1 & 3 0 00000900 00001000 00001100", "whole a 1 1 & 1 0 00000800"],
    "adv": [],
}


def written(folder, data=DATA, index=INDEX):
    for name in data:
        for kind, lines in (("data", data[name]), ("index", index[name])):
            text = LICENCE + "".join(line + "  \n" for line in lines)
            (folder / f"{kind}.{name}").write_text(text, encoding="latin-1")
    return folder


@pytest.fixture
def wordnet(tmp_path):
    return read_wordnet(written(tmp_path))


def replaced(tables, name, old, new):
    return tables | {name: [line.replace(old, new) for line in tables[name]]}


def test_a_key_is_taken_apart():
    key = parse_key("full%5:00:01:whole:00")
    assert key == ("full", "a", "adj.all", 1, "whole:00")
    assert parse_key("full%3:00:01:whole:00") == key
    assert parse_key("al-Qur'an%1:10:00::").lemma == "al-qur'an"
    assert len(LEX_FILES) == 45
    for wrong in ("", "add", "add%2:30:00", "add%6:30:00::", "add%2:45:00::", "a b%2:30:00::"):
        with pytest.raises(ReaderError, match="not of the form"):
            parse_key(wrong)


def test_senses_stand_in_their_order(wordnet):
    assert [synset.offset for synset in wordnet.senses("board", "n")] == [200, 300, 400]
    assert [synset.lex_file for synset in wordnet.senses("add", "v")] == [
        "verb.change",
        "verb.communication",
        "verb.stative",
    ]
    assert wordnet.senses("nothing", "n") == ()
    assert wordnet.n_synsets == 11
    synset = wordnet.synset("n", 400)
    assert synset.words == (("board", 1), ("plank", 1), ("desk", 0))
    assert synset.gloss == 'table; "on | the board"'


def test_keys_find_their_senses(wordnet):
    assert wordnet.by_key("board%1:06:01::").offset == 400
    assert wordnet.by_key("add%2:42:00::").offset == 600
    # Two satellites of one head, distinguished by their numbers; and an adjective without a head.
    assert wordnet.by_key("full%5:00:00:whole:00").offset == 900
    assert wordnet.by_key("full%3:00:01:whole:00").offset == 1000
    assert wordnet.by_key("full%3:00:00::").offset == 1100
    assert wordnet.by_key("add%2:41:00::") is None
    assert wordnet.by_key("full%5:00:00:empty:00") is None


def test_relations_of_senses(wordnet):
    def related(first, second):
        keys = (wordnet.by_key(key) for key in (first, second))
        return {name for name, holds in wordnet.relations(*keys).items() if holds}

    assert related("board%1:14:00::", "board%1:06:00::") == {"sisters"}
    assert related("board%1:06:00::", "board%1:06:01::") == {"same file", "synonyms", "hypernym"}
    assert related("add%2:30:00::", "add%2:42:00::") == {"group"}
    assert related("add%2:30:00::", "add%2:32:01::") == set()
    assert related("full%5:00:00:whole:00", "full%5:00:01:whole:00") == {"same file", "similar"}
    assert related("full%5:00:00:whole:00", "full%3:00:00::") == {"same file"}


def test_hypernyms_are_counted_in_steps(wordnet):
    found = wordnet.ancestors(wordnet.by_key("board%1:06:01::"))
    assert found == {("n", 400): 0, ("n", 300): 1, ("n", 100): 2}


def test_ways_up_that_part_and_meet_again_are_climbed_once(tmp_path):
    n = 40
    lines = [
        f"{k:08d} 03 n 01 w{k} 0 002 @ {k + 1:08d} n 0000 @ {k + 1:08d} n 0000 | twice"
        for k in range(1, n)
    ]
    lines.append(f"{n:08d} 03 n 01 w{n} 0 000 | top")
    index = {**INDEX, "noun": [f"w{k} n 1 0 1 0 {k:08d}" for k in range(1, n + 1)]}
    wordnet = read_wordnet(written(tmp_path, {**DATA, "noun": lines}, index))
    assert wordnet.ancestors(wordnet.synset("n", 1))["n", n] == n - 1


def test_a_part_of_speech_there_is_not_is_refused(tmp_path):
    with pytest.raises(ReaderError, match="'x' in parts is no part of speech"):
        read_wordnet(written(tmp_path), parts="nx")


@pytest.mark.parametrize("other", ["00000400", "00000100"])
def test_a_cycle_is_refused(tmp_path, other):
    # Entity below itself, or below one of those that are below it.
    data = replaced(DATA, "noun", "~ 00000200", f"@ {other}")
    wordnet = read_wordnet(written(tmp_path, data))
    with pytest.raises(ReaderError, match=r"of itself: the hierarchy has a cycle|go on for more"):
        wordnet.ancestors(wordnet.synset("n", 100))


@pytest.mark.parametrize(
    ("data", "index", "message"),
    [
        (
            DATA,
            replaced(INDEX, "noun", "00000400", "00000999"),
            r"index\.noun, line 2: 'board' points to 00000999, which is no synset",
        ),
        (
            DATA,
            replaced(INDEX, "noun", "board n 3", "board n x"),
            r"index\.noun, line 2: no entry of a word",
        ),
        (
            replaced(DATA, "noun", "00000100 03", "x 03"),
            INDEX,
            r"data\.noun, line 2: does not begin with an offset",
        ),
        (
            replaced(DATA, "noun", "n 02 board", "n zz board"),
            INDEX,
            r"data\.noun, line 3: no set of synonyms",
        ),
        (replaced(DATA, "noun", "00000200 14", "00000200 99"), INDEX, "no set of synonyms"),
        (replaced(DATA, "noun", "n 02 board 0 committee 0", "n 00"), INDEX, "no set of synonyms"),
        (replaced(DATA, "noun", "@ 00000300", "@ 00000777"), INDEX, "no synset 00000777"),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path, data, index, message):
    folder = written(tmp_path, data, index)
    with pytest.raises(ReaderError, match=message):
        climbed(folder)


def climbed(folder):
    """Read everything above the senses of one word."""
    wordnet = read_wordnet(folder)
    return [wordnet.ancestors(synset) for synset in wordnet.senses("board", "n")]


def test_a_folder_without_the_files_is_none(tmp_path):
    assert not has_wordnet(tmp_path)
    with pytest.raises(ReaderError, match=r"data\.noun: can't be read"):
        read_wordnet(tmp_path)
    assert has_wordnet(written(tmp_path))


def test_a_folder_that_lacks_one_of_the_files_is_none(tmp_path):
    folder = written(tmp_path)
    assert has_wordnet(folder)
    (folder / "index.verb").unlink()
    assert not has_wordnet(folder)


def test_numbers_of_words_are_hexadecimal(tmp_path):
    words = [f"word{n}" for n in range(17)]
    line = f"00000500 30 v 11 {' '.join(f'{word} 0' for word in words)} 000 00 | many words"
    data = DATA | {"verb": [line]}
    index = INDEX | {"verb": ["word16 v 1 0 1 0 00000500"]}
    [synset] = read_wordnet(written(tmp_path, data, index)).senses("word16", "v")
    assert [word for word, _ in synset.words] == words


def test_hypernyms_that_go_on_are_refused(wordnet, monkeypatch):
    [board, *_] = wordnet.senses("board", "n")
    assert len(wordnet.ancestors(board)) == 2
    monkeypatch.setattr("annobench_datasets.wordnet._MAX_DEPTH", 1)
    with pytest.raises(ReaderError, match="go on for more than 1 steps"):
        wordnet.ancestors(board)
