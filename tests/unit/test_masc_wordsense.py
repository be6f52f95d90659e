"""The archive of trained word senses: from a server of the test's own, read as untrusted."""

import functools
import gzip
import hashlib
import http.server
import io
import tarfile
import threading
from dataclasses import replace

import pytest

from annobench import datasets
from annobench.core.errors import ReaderError
from annobench.datasets import sources
from annobench.datasets.sources import SourceFile
from annobench_datasets import masc_wordsense

README = b"""SENSE INVENTORY
  \twn-3.1 sense  |   wn-sense-key
  \t--------------+---------------
  \tADD, verb
  \t         1    |   add%2:30:00::
  \t         2    |   add%2:32:01::
  \tASK, verb
  \t         1    |   ask%2:32:00::
"""
FOLDER = "masc_wordsense/data/Full_set/round5"
PATH = "/nancyide/anc-website/releases/download/datasets-2026-09-25/masc_wordsense.tgz"


def graph(*items):
    """Write stand-off annotations: for each item its pairs of annotator and sense."""
    nodes = "".join(
        f'<a label="WordNet" ref="wn_n{n}" as="WordNet"><fs>'
        + "".join(
            f'<f name="annotation{k}"><fs><f name="sense" value="{sense}"/>'
            f'<f name="annotator" value="ann{who}"/></fs></f>'
            for k, (who, sense) in enumerate(labels)
        )
        + "</fs></a>"
        for n, labels in enumerate(items)
    )
    return f'<graph xmlns="http://www.xces.org/ns/GrAF/1.0/">{nodes}</graph>'.encode()


ADD = graph([("101", "add%2:30:00::"), ("102", "add%2:32:01::")], [("101", "P")])
ASK = graph([("107", "ask%2:99:00::")])
MEMBERS = {
    f"{FOLDER}/README.round5": README,
    f"{FOLDER}/add-v/add-v-wn.xml": ADD,
    # As in round 3, a folder may be misspelt.
    f"{FOLDER}/aks-v/ask-v-wn.xml": ASK,
    f"{FOLDER}/add-v/add-v-s.xml": b"<graph/>",
    f"{FOLDER}/tell-v/tell-v-wn.xml": graph([("101", "x")]),
}


def packed(members, special=()):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in special:
            archive.addfile(info)
    return gzip.compress(buffer.getvalue(), mtime=0)


def parsed(tmp_path, data):
    path = tmp_path / "masc_wordsense.tgz"
    path.write_bytes(data)
    return datasets.get("masc_trained_rest").parse({"masc_wordsense.tgz": path})


@pytest.fixture
def served():
    """Serve pages on the loopback interface."""
    pages = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            body = pages.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield pages, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_the_labels_are_real_where_the_archive_can_be_reached(served, tmp_path, monkeypatch):
    pages, url = served
    body = pages[PATH] = packed(MEMBERS)
    dataset = datasets.get("masc_trained_rest")
    file = SourceFile("masc_wordsense.tgz", sha256=hashlib.sha256(body).hexdigest())
    source = replace(dataset.source, files=(file,))
    known = {dataset.id: replace(dataset, source=source, files=(file,))}
    monkeypatch.setattr(datasets, "_known", functools.cache(lambda: known))
    places = {"mirror": tmp_path / "none", "cache": tmp_path / "cache"}
    data = datasets.load(dataset.id, base_url=url, network=True, **places)
    assert data.provenance == "real"
    assert data.meta["files"][0]["origin"] == "network"
    assert data.labels.to_numpy().tolist() == [
        ["add-v/1", "101", "1", "add-v"],
        ["add-v/1", "102", "2", "add-v"],
        ["add-v/2", "101", "P", "add-v"],
        # Not in the round's inventory.
        ["ask-v/1", "107", "ask%2:99:00::", "ask-v"],
    ]
    assert datasets.load(dataset.id, network=False, **places).provenance == "real"


def test_without_the_archive_all_36_words_are_simulated_and_the_record_lists_them(tmp_path):
    data = datasets.load("masc_trained_rest", mirror=tmp_path, cache=tmp_path, network=False)
    assert data.provenance == "simulated"
    words = set(data.items["word"])
    assert len(words) == 36
    listed = data.meta["calibration"][0].removeprefix("all 36 words are simulated: ").split(", ")
    assert set(listed) == words
    full = set(datasets.load("masc_trained_full", mode="simulated").items["word"])
    assert words | full == set(masc_wordsense.WORDS)
    assert not words & full


def test_words_that_are_not_found_are_named(tmp_path, caplog):
    parsed(tmp_path, packed(MEMBERS))
    assert "has no labels of appear-v, board-n" in caplog.text


def test_links_devices_and_other_members_are_passed_over(tmp_path):
    special = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        info = tarfile.TarInfo(f"{FOLDER}/wait-v/wait-v-wn.xml")
        info.type, info.linkname = kind, "/etc/passwd"
        special.append(info)
    outside = {"../../add-v-wn.xml": b"x", "/etc/passwd": b"x"}
    tables = parsed(tmp_path, packed(MEMBERS | outside, special))
    assert set(tables.items["word"]) == {"add-v", "ask-v"}
    assert [path.name for path in tmp_path.iterdir()] == ["masc_wordsense.tgz"]


BOMB = b'<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaa">]><g>&a;</g>'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"no archive", "not a whole archive"),
        (packed(MEMBERS)[:-400], "not a whole archive"),
        (gzip.compress(b"no tar", mtime=0), "not a whole archive"),
        (packed(MEMBERS)[:20] + b"\xff" * 40 + packed(MEMBERS)[60:], "not a whole archive"),
        (packed({"a": b"x"}), r"no member Full_set/round\*/<word>"),
        (
            packed({f"{FOLDER}/add-v/add-v-wn.xml": BOMB}),
            "'.*add-v-wn.xml': it has a document type",
        ),
        (packed({f"{FOLDER}/add-v/add-v-wn.xml": b"<g>"}), "not well-formed XML"),
    ],
)
def test_a_faulty_archive_is_an_error_that_says_where(tmp_path, data, message):
    with pytest.raises(ReaderError, match=rf"masc_wordsense\.tgz.*{message}.*untested"):
        parsed(tmp_path, data)


def test_a_member_that_is_too_large_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(masc_wordsense, "_LARGEST", 100)
    with pytest.raises(ReaderError, match="bytes, more than the 100 that are read"):
        parsed(tmp_path, packed(MEMBERS))


def test_more_members_than_are_looked_at_are_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(masc_wordsense, "_MEMBERS", 3)
    with pytest.raises(ReaderError, match="more than 3 members"):
        parsed(tmp_path, packed(MEMBERS))


def test_files_of_releases_are_asked_for_where_these_are_served():
    source = datasets.get("masc_trained_rest").source
    found = sources.address(sources.DEFAULT_BASE_URL, source, source.files[0])
    assert found == "https://github.com" + PATH
    other = datasets.get("masc_trained_full").source
    assert sources.address("http://x/", other, other.files[0]).startswith("http://x/konrad")
