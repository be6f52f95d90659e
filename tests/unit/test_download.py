import contextlib
import dataclasses
import hashlib
import http.server
import io
import itertools
import os
import socket
import struct
import threading
import time

import numpy as np
import pytest

from annobench import datasets
from annobench.core.errors import ChecksumError, DataUnavailableError, ReaderError
from annobench.datasets import sources
from annobench.datasets.sources import (
    Source,
    SourceFile,
    fetch,
    locate,
    probe_network,
    read_pins,
    verify,
)

BODY = b"item\tannotator\tlabel\nx\ta\t1\n"
GIT_BLOB = hashlib.sha1(b"blob %d\0" % len(BODY) + BODY).hexdigest()
FILE = SourceFile("data/a.tsv", sha256=hashlib.sha256(BODY).hexdigest(), size=len(BODY))
SOURCE = Source("toy", "owner/toy", "c0ffee", "none", (FILE,))
TIMEOUT = (0.5, 0.5)


class Server:
    """A server on the loopback interface whose pages and manners a test sets."""

    def __init__(self):
        self.pages = {}
        self.requests = []
        self.declared = None
        self.drips = False
        #: How many bytes of pages were sent.
        self.sent = 0
        #: What is answered before the pages: a status with headers, or "reset".
        self.faults = []
        self.hang = threading.Event()
        self.hang.set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append(self.path)
                outer.hang.wait(10)
                if outer.faults:
                    self.fail(outer.faults.pop(0))
                    return
                body = outer.pages.get(self.path)
                if body is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                if outer.drips:
                    self.flush_headers()
                    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                        for _ in drips(range(80)):
                            self.wfile.write(b"X: ")
                if isinstance(body, bytes):
                    self.send_header("Content-Length", str(outer.declared or len(body)))
                self.end_headers()
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    for part in [body] if isinstance(body, bytes) else body:
                        outer.sent += self.wfile.write(part)

            def fail(self, fault):
                if fault == "reset":
                    linger = struct.pack("ii", 1, 0)  # closing then sends a reset
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.close_connection = True
                    self.rfile.close()
                    self.wfile.close()
                    self.connection.close()
                    return
                status, headers = fault
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_HEAD(self):
                self.do_GET()

            def log_message(self, *_):
                pass

        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.httpd.daemon_threads = True
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.02,))
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.httpd.server_port}"

    def offer(self, source, file, body):
        self.pages[f"/{source.repository}/{source.commit}/{file.path}"] = body

    def close(self):
        self.hang.set()
        self.httpd.shutdown()
        self.httpd.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    server = Server()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def nothing_at_hand(monkeypatch, tmp_path):
    """No mirror, an empty cache, and nothing remembered of the network."""
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    datasets._probe.cache_clear()
    datasets._failed.clear()
    monkeypatch.setattr(sources, "PAUSE", 0.01)


@pytest.fixture
def get(server, tmp_path):
    def call(file=FILE, *, mirror=None, cache=None, allow_network=True):
        return fetch(
            dataclasses.replace(SOURCE, files=(file,)),
            file,
            mirror=mirror,
            cache=cache or tmp_path / "cache",
            base_url=server.url,
            allow_network=allow_network,
            timeout=TIMEOUT,
        )

    return call


def files_below(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once_verified_and_kept(server, get, tmp_path):
    server.offer(SOURCE, FILE, BODY)
    path, origin, sha256 = get()
    assert (path.read_bytes(), origin, sha256) == (BODY, "network", FILE.sha256)
    assert get()[1] == "cache"
    assert len(server.requests) == 1
    assert files_below(tmp_path / "cache") == ["a.tsv"]


def test_the_mirror_comes_before_the_cache_and_the_network(server, get, tmp_path):
    (tmp_path / "mirror/toy/data").mkdir(parents=True)
    (tmp_path / "mirror/toy/data/a.tsv").write_bytes(BODY)
    assert get(mirror=tmp_path / "mirror")[1] == "mirror"
    assert server.requests == []


def test_a_git_blob_id_pins_a_file_as_well(server, get):
    file = SourceFile("data/a.tsv", git_blob=GIT_BLOB)
    server.offer(SOURCE, file, BODY)
    assert get(file)[2] == FILE.sha256


@pytest.mark.parametrize(
    ("file", "body", "message"),
    [
        (FILE, BODY.replace(b"1", b"2"), "its SHA-256 is .* but that of data/a.tsv is"),
        (FILE, BODY[:-3], "truncated"),
        (SourceFile("data/a.tsv", git_blob=GIT_BLOB), BODY + b"\n", "its git blob id is"),
    ],
)
def test_other_bytes_than_the_pinned_ones_are_not_kept(server, get, tmp_path, file, body, message):
    server.offer(SOURCE, file, body)
    with pytest.raises(ChecksumError, match=rf"127\.0\.0\.1.*{message}.*Nothing was kept"):
        get(file)
    assert files_below(tmp_path) == []


def test_a_missing_page_is_reported_with_its_status(get, tmp_path):
    with pytest.raises(
        DataUnavailableError, match=r"data/a\.tsv: the download failed \(HTTP 404\)"
    ):
        get()
    assert files_below(tmp_path) == []


PASSING = ["reset", (503, {}), (500, {}), (429, {}), (429, {"Retry-After": "0"})]


@pytest.mark.parametrize("fault", PASSING)
def test_a_fault_that_passes_is_waited_for(server, get, fault):
    server.offer(SOURCE, FILE, BODY)
    server.faults = [fault] * 3
    assert get()[2] == FILE.sha256
    assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("fault", "message"),
    [("reset", "ConnectionError: ConnectionResetError"), ((503, {}), "HTTP 503")],
)
def test_a_fault_that_stays_is_named_with_the_number_of_attempts(server, get, fault, message):
    server.faults = [fault] * 9
    with pytest.raises(DataUnavailableError, match=rf"failed \({message} in 4 attempts\)"):
        get()
    assert len(server.requests) == 4


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that are made, none of which is waited for."""
    made = []
    monkeypatch.setattr(sources, "PAUSE", 1.0)
    monkeypatch.setattr(sources.time, "sleep", made.append)
    return made


def test_pauses_grow_and_a_server_may_ask_for_longer_ones(server, get, pauses):
    server.offer(SOURCE, FILE, BODY)
    server.faults = [(503, {}), (429, {"Retry-After": "7"}), (503, {"Retry-After": "soon"})]
    get()
    assert pauses == [1, 7, 4]


def test_a_server_that_asks_for_too_much_patience_is_given_up(server, get, pauses):
    server.faults = [(429, {"Retry-After": "3600"})]
    with pytest.raises(DataUnavailableError, match=r"\(HTTP 429, Retry-After: 3600\)"):
        get()
    assert (pauses, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_an_answer_that_will_not_change_is_not_asked_for_again(server, get, status):
    server.faults = [(status, {})]
    with pytest.raises(DataUnavailableError, match=rf"\(HTTP {status}\)"):
        get()
    assert len(server.requests) == 1


@pytest.mark.parametrize("host", ["127.0.0.1:9", "annobench.invalid"])
def test_where_nobody_listens_nobody_waits(tmp_path, pauses, monkeypatch, host):
    monkeypatch.setenv("NO_PROXY", "*")
    with pytest.raises(DataUnavailableError, match=r"NewConnectionError|NameResolution"):
        fetch(
            *(SOURCE, FILE),
            mirror=None,
            cache=tmp_path,
            base_url=f"http://{host}",
            allow_network=True,
            timeout=TIMEOUT,
        )
    assert probe_network(f"http://{host}", timeout=2)[0] is False
    assert pauses == []


def test_the_probe_asks_again_after_a_reset(server):
    server.offer(SOURCE, FILE, BODY)
    server.faults = ["reset"]
    assert probe_network(server.url, timeout=5) == (True, "")
    server.faults = ["reset"] * 2
    assert probe_network(server.url, timeout=5)[1].endswith(
        "does not answer (ConnectionError: ConnectionResetError)"
    )


def test_a_simulation_says_which_error_it_stands_in_for(server, tmp_path):
    server.faults = [(503, {})] * 9
    meta = datasets.prepare("snow2008_wsd", tmp_path, base_url=server.url, network=True)
    assert "HTTP 503 in 4 attempts" in meta["why_simulated"]
    meta = datasets.prepare("snow2008_wsd", tmp_path, network="x does not answer (Reset)")
    assert "x does not answer (Reset)" in meta["why_simulated"]


def test_the_reason_of_many_files_is_told_once():
    same = dict.fromkeys([f"{n}.xml" for n in range(59)], "no route")
    assert datasets._reasons(same) == "0.xml and 58 more: no route"
    each = {f"{n}.xml": f"HTTP 40{n}" for n in range(5)}
    told = "0.xml: HTTP 400; 1.xml: HTTP 401; 2.xml: HTTP 402; and 2 more files"
    assert datasets._reasons(each) == told


def test_where_only_texts_are_missing_labels_are_real(person, server, monkeypatch, caplog):
    made = person()
    words = SourceFile("words.tsv", sha256=FILE.sha256)
    with_texts = dataclasses.replace(
        made, files=(*made.files, words), texts=(words,), simulate_from=()
    )
    monkeypatch.setattr(datasets, "_known", lambda: {"muc6_person": with_texts})
    data = datasets.load("muc6_person", base_url=server.url)
    assert data.provenance == "real"
    assert data.meta["without"] == ["words.tsv"]
    assert "HTTP 404" in data.meta["why_without"]
    assert "SIMULATED" not in caplog.text
    assert "has real labels, but lacks texts: words.tsv" in caplog.text
    with pytest.raises(DataUnavailableError, match=r"1 of 3 file"):
        datasets.load("muc6_person", mode="real", base_url=server.url)


def test_a_body_cut_off_leaves_nothing_behind(server, get, tmp_path):
    server.offer(SOURCE, FILE, BODY)
    server.declared = len(BODY) + 100
    with pytest.raises(DataUnavailableError, match="the download failed"):
        get()
    assert files_below(tmp_path) == []


def test_a_server_that_hangs_is_given_up(server, get, tmp_path):
    server.offer(SOURCE, FILE, BODY)
    server.hang.clear()
    start = time.monotonic()
    with pytest.raises(DataUnavailableError, match=r"the download failed.*Timeout"):
        get()
    assert time.monotonic() - start < 5
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("size", [len(BODY), None])
def test_an_endless_answer_is_left_at_the_size_of_the_file(
    server, get, tmp_path, monkeypatch, size
):
    monkeypatch.setattr(sources, "LARGEST", 1 << 18)
    file = dataclasses.replace(FILE, size=size)
    server.offer(SOURCE, file, itertools.repeat(bytes(1 << 16)))
    with pytest.raises(ChecksumError, match=r"a\.tsv: the bytes received are not .* more than"):
        get(file)
    assert files_below(tmp_path) == []
    assert len(server.requests) == 1
    assert server.sent < 1 << 24  # what the buffers of the system hold


def drips(parts):
    for part in parts:
        time.sleep(0.05)
        yield part


@pytest.mark.parametrize("where", ["body", "headers"])
def test_an_answer_that_drips_is_left_at_its_deadline(server, get, tmp_path, monkeypatch, where):
    monkeypatch.setattr(sources, "DEADLINE", 0.6)
    server.offer(SOURCE, FILE, drips([b"x"] * 80))
    server.drips = where == "headers"
    start = time.monotonic()
    with pytest.raises(DataUnavailableError, match=r"failed \(not complete after 0\.602 s\)"):
        get()
    assert time.monotonic() - start < 2
    assert files_below(tmp_path) == []
    assert len(server.requests) == 1


def test_a_download_that_is_given_up_ends_with_the_next_bytes(server, get, monkeypatch):
    monkeypatch.setattr(sources, "DEADLINE", 0.2)
    monkeypatch.setattr(sources, "SLOWEST", 1e12)
    file = dataclasses.replace(FILE, size=1 << 24)
    server.offer(SOURCE, file, drips([bytes(1 << 16)] * 80))
    before = threading.enumerate()
    with pytest.raises(DataUnavailableError, match="not complete after"):
        get(file)
    started = set(threading.enumerate()) - set(before)
    receiving = [each for each in started if each.name == "annobench-download"]
    for each in receiving:
        each.join(2)
    # The server would go on for four seconds.
    assert not any(each.is_alive() for each in receiving)


def test_the_bar_of_a_download_is_gone_when_it_has_ended(server, get, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal := Terminal())
    server.offer(SOURCE, FILE, BODY)
    get()
    shown, _, after = terminal.getvalue().rpartition("a.tsv")
    assert shown
    # The sequence that erases a line.
    assert "\x1b[2K" in after


def test_an_interruption_leaves_nothing_behind(server, get, tmp_path, monkeypatch):
    server.offer(SOURCE, FILE, BODY)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        get()
    assert files_below(tmp_path) == []


def test_a_cache_that_can_not_be_written_is_reported(server, get, tmp_path):
    server.offer(SOURCE, FILE, BODY)
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DataUnavailableError, match=r"can't be written.*Set ANNOBENCH_CACHE"):
        get(cache=tmp_path / "file")


@pytest.mark.parametrize("mode", ["auto", "real"])
def test_data_are_not_simulated_because_the_cache_can_not_be_written(
    server, tmp_path, monkeypatch, mode
):
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "file"))
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(DataUnavailableError, match=r"can't be written.*Set ANNOBENCH_CACHE"):
        datasets.load("snow2008_wsd", mode=mode, base_url=server.url)


def test_without_the_network_a_missing_file_is_reported(server, get):
    with pytest.raises(DataUnavailableError, match=r"toy/data/a\.tsv: neither mirror nor cache"):
        get(allow_network=False)
    assert server.requests == []


@pytest.mark.parametrize("place", ["mirror/toy", "cache/toy/c0ffee"])
def test_a_damaged_local_file_is_an_error_naming_it(get, tmp_path, place):
    damaged = tmp_path / place / "data/a.tsv"
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(BODY[:-1])
    with pytest.raises(ChecksumError, match=rf"{damaged}: 26 bytes, but data/a.tsv has 27"):
        get(mirror=tmp_path / "mirror")


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../a", "a/../../b", "a\\b", "a//b", "./a", "C:/a", "a\0b"]
)
def test_a_path_that_may_leave_its_folder_is_refused(path):
    with pytest.raises(ValueError, match="may leave its folder"):
        SourceFile(path, sha256="0")


def test_a_file_without_a_checksum_is_refused():
    with pytest.raises(ValueError, match="'a' has no checksum"):
        SourceFile("a")


@pytest.mark.parametrize(
    ("checksum", "digits"), [({"sha256": "0"}, 64), ({"git_blob": "g" * 40}, 40)]
)
def test_a_checksum_that_is_none_is_refused(checksum, digits):
    with pytest.raises(ValueError, match=f"must be {digits} hexadecimal digits, got"):
        SourceFile("a", **checksum)


def test_pins_are_read_in_their_order_and_blank_lines_mean_nothing(tmp_path):
    table = tmp_path / "toy.csv"
    table.write_text(
        f"path,bytes,sha256,git_blob\n{FILE.path},{FILE.size},{FILE.sha256},\n\n"
        f"data/A.tsv,,,{GIT_BLOB}\n"
    )
    assert read_pins(table) == (FILE, SourceFile("data/A.tsv", git_blob=GIT_BLOB))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no table of pinned files"),
        ("", "no table of pinned files"),
        ("path,size,sha256\n", "the columns must be path, bytes, sha256, git_blob"),
        (f"{FILE.path},1\n", "line 2: 2 fields where 3 are needed"),
        (f"{FILE.path},many,{FILE.sha256}\n", "line 2: bytes must be a number, got 'many'"),
        (f"{FILE.path},1,\n", "line 2: SourceFile 'data/a.tsv' has no checksum"),
        (f"{FILE.path},1,{FILE.sha256[1:]}\n", "line 2: .* 64 hexadecimal digits"),
        (f"../a.tsv,1,{FILE.sha256}\n", "line 2: path '../a.tsv' may leave its folder"),
        (f"{FILE.path},1,{FILE.sha256}\n" * 2, "line 3: the path 'data/a.tsv' stands above"),
    ],
)
def test_a_malformed_table_of_pins_is_an_error_with_its_line(tmp_path, text, message):
    table = tmp_path / "toy.csv"
    if text is not None:
        table.write_text(text if not text or "path" in text else f"path,bytes,sha256\n{text}")
    with pytest.raises(ReaderError, match=rf"(?s)toy\.csv:.*{message}.*Correct the table"):
        read_pins(table)


def test_files_of_a_source_are_found_by_path_and_by_folder():
    assert SOURCE.file(FILE.path) == FILE
    assert SOURCE.below("data/") == {"a.tsv": FILE}
    assert SOURCE.below("other/") == {}
    with pytest.raises(KeyError, match="'toy' has no file 'b'"):
        SOURCE.file("b")


def test_a_link_out_of_the_mirror_is_refused(tmp_path):
    (tmp_path / "a.tsv").write_bytes(BODY)
    (tmp_path / "mirror/toy/data").mkdir(parents=True)
    (tmp_path / "mirror/toy/data/a.tsv").symlink_to(tmp_path / "a.tsv")
    with pytest.raises(DataUnavailableError, match="a symbolic link leads out"):
        locate(SOURCE, FILE, tmp_path / "mirror", tmp_path / "cache")


def test_verify_returns_the_checksum_of_sound_bytes(tmp_path):
    (tmp_path / "a").write_bytes(BODY)
    assert verify(tmp_path / "a", FILE) == FILE.sha256


def test_the_probe_tells_whether_anything_answers(server):
    assert probe_network(server.url, timeout=5) == (True, "")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        answer, why = probe_network(f"http://127.0.0.1:{unused.getsockname()[1]}", timeout=2)
    assert not answer
    assert "does not answer (ConnectionError: NewConnectionError)" in why


def test_the_probe_is_not_content_with_a_server_that_takes_the_call_and_hangs(server):
    server.hang.clear()
    answer, why = probe_network(f"{server.url}/file", timeout=0.5)
    assert not answer
    # The server is named: its answer holds for all of its addresses.
    assert why.startswith((f"{server.url} did not answer", f"{server.url} does not answer"))


def test_the_probe_is_bounded_even_if_looking_up_the_name_hangs(monkeypatch):
    release = threading.Event()

    def hang(*_, **__):
        release.wait(20)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    start = time.monotonic()
    answer, why = probe_network("http://annobench.invalid", timeout=0.3)
    assert time.monotonic() - start < 3
    assert (answer, why) == (False, "http://annobench.invalid did not answer within 0.3 s")
    release.set()
    for thread in threading.enumerate():
        if thread.name == "annobench-probe":
            thread.join(5)


@pytest.fixture
def many(server, tmp_path):
    """A finder of 60 small files, and the files."""
    bodies = {f"data/{n}.xml": f"<r>{n}</r>".encode() for n in range(60)}
    files = tuple(
        SourceFile(path, sha256=hashlib.sha256(body).hexdigest(), size=len(body))
        for path, body in bodies.items()
    )
    source = dataclasses.replace(SOURCE, files=files)
    for file in files:
        server.offer(source, file, bodies[file.path])
    record = dataclasses.replace(datasets.get("caries"), source=source, files=files)

    def make(persistent=True):
        return datasets._Finder(record, None, tmp_path / "cache", server.url, persistent=persistent)

    return make, files


def test_many_files_are_fetched_once_each_and_verified(many, server, tmp_path):
    make, files = many
    finder = make()
    assert finder.fetch(files, True) == {}
    assert len(server.requests) == len(set(server.requests)) == 60
    assert [finder.facts[file.path]["sha256"] for file in files] == [f.sha256 for f in files]
    assert len(files_below(tmp_path / "cache")) == 60
    umask = os.umask(0)
    os.umask(umask)
    assert all(path.stat().st_mode & 0o777 == 0o666 & ~umask for path in finder._path.values())
    assert make().fetch(files, False) == {}
    assert len(server.requests) == 60


def test_of_many_files_all_that_are_missing_are_named_in_order(many, server):
    make, files = many
    gone = [files[n] for n in (3, 40, 41)]
    for file in gone:
        del server.pages[f"/owner/toy/c0ffee/{file.path}"]
    missing = make().fetch(files, True)
    assert list(missing) == [file.path for file in gone]
    assert all("HTTP 404" in reason for reason in missing.values())


def test_one_damaged_file_of_many_is_an_error(many, server):
    make, files = many
    server.offer(SOURCE, files[7], b"<r>X</r>")
    with pytest.raises(ChecksumError, match=r"data/7\.xml"):
        make().fetch(files, True)


@pytest.fixture
def person(server, monkeypatch):
    """The data set of MUC-6 persons with small made-up files in place of the pinned ones."""
    from annobench_datasets import muc6

    gold = b"-1\n1\n0\n1\n-1\n0\n"
    labels = b"1 1 0\n2 1 1\n3 1 0\n5 2 1\n5 1 0\n2 2 NA\n6 2 0\n"

    def pinned(file, body):
        blob = hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()
        return dataclasses.replace(file, sha256=None, git_blob=blob, size=None)

    def make(labels=labels, gold=gold):
        monkeypatch.setattr(muc6, "N_TOKENS", 6)
        real = datasets.get("muc6_person")
        files = (pinned(muc6.GOLD, gold), pinned(muc6.LABELS, labels))
        made = dataclasses.replace(real, files=files, simulate_from=files[:1])
        known = datasets._known() | {"muc6_person": made}
        monkeypatch.setattr(datasets, "_known", lambda: known)
        for file, body in zip(files, (gold, labels), strict=True):
            server.offer(real.source, file, body)
        return made

    return make


@pytest.mark.parametrize("base", [0, 1])
def test_muc6_labels_are_fetched_and_parsed(person, server, tmp_path, base):
    rows = [(1, 1, "0"), (2, 1, "1"), (5, 2, "1"), (5, 1, "0"), (2, 2, "NA"), (6, 2, "0")]
    if base == 0:
        rows.append((1, 2, "0"))
    text = "".join(f"{i - 1 + base}\t{j}\t{k}\n" for i, j, k in rows)
    made = datasets.load("muc6_person", mode="simulated")
    person(text.encode())
    meta = datasets.prepare("muc6_person", tmp_path / "out", mode="real", base_url=server.url)
    data = datasets.read(tmp_path / "out")
    # Names are tokens 2 and 4; token 5 was marked by annotator 2, tokens 1, 3 and 6 by nobody.
    assert data.items["item"].tolist() == ["2", "4", "5"]
    assert data.gold.tolist() == [1, 1, 0]
    assert data.items["capitalised"].tolist()[2] is True
    assert data.items["capitalised"].isna().tolist() == [True, True, False]
    assert sorted(data.annotations.to_frame().itertuples(index=False, name=None)) == [
        ("2", "1", "1"),
        ("5", "1", "0"),
        ("5", "2", "1"),
    ]
    assert data.annotations.items == ("2", "4", "5")
    assert meta["provenance"] == data.provenance == "real"
    assert [file["origin"] for file in meta["files"]] == ["network", "network"]
    for table in ("labels", "items"):
        assert getattr(data, table).dtypes.to_dict() == getattr(made, table).dtypes.to_dict()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (b"1 1 0\n2 1\n", "line 2: '2 1' is not 'item annotator label'"),
        (b"1 1 0\n2 1 7\n-2 1 1\n", "line 2: '2 1 7' .*line 3: '-2 1 1'"),
        (b"1 1 x\n", "line 1: '1 1 x'"),
        (b"1 1 \xff\n", "byte 4: not UTF-8"),
        (b"1 1 0 # sure\n", "line 1: '1 1 0 # sure' is not"),
        (b"1 1 0 1\n2 1 1 1\n", "line 1: '1 1 0 1' is not .*line 2: '2 1 1 1'"),
        (b"7 1 1\n", "of item 7: MUC-6 has only 6 tokens"),
        (b"", "no labels"),
        (b"1 1 NA\n", "no labels"),
    ],
)
def test_malformed_muc6_labels_are_an_error(person, server, labels, message):
    person(labels)
    with pytest.raises(ReaderError, match=rf"(?s)per\.anno\.tsv.*{message}"):
        datasets.load("muc6_person", mode="real", base_url=server.url)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (b"-1\n1\n0\n1\n-1\n2\n", "line 6: '2' is not one of -1, 0, 1"),
        (b"-1\n1\n\n1\n-1\nx\n", "line 3: '' .*line 6: 'x'"),
        (b"-1 1\n0 1\n1 1\n0 1\n-1 1\n0 1\n", "line 1: '-1 1' is not one of -1, 0, 1"),
        (b"-1\n1\n", "2 tokens, but MUC-6 has 6"),
    ],
)
def test_a_malformed_muc6_gold_is_an_error(person, server, gold, message):
    person(gold=gold)
    with pytest.raises(ReaderError, match=rf"(?s)per\.gold\.tsv.*{message}"):
        datasets.load("muc6_person", mode="real", base_url=server.url)


def test_real_mode_lists_every_missing_file_and_the_remedy(person, server):
    person()
    server.pages.clear()
    with pytest.raises(DataUnavailableError, match="2 of 2 file") as caught:
        datasets.load("muc6_person", mode="real", base_url=server.url)
    message = str(caught.value)
    for part in ("per.gold.tsv", "per.anno.tsv", "HTTP 404", "ANNOBENCH_DATA_MIRROR", "data.mode"):
        assert part in message


def test_auto_mode_falls_back_to_the_simulator_and_says_so(server, caplog):
    data = datasets.load("snow2008_wsd", base_url=server.url)
    assert data.provenance == "simulated"
    assert "HTTP 404" in data.meta["why_simulated"]
    assert "snow2008_wsd is SIMULATED, not real" in caplog.text


def test_auto_mode_asks_a_dead_network_once(monkeypatch):
    asked = []
    monkeypatch.setattr(
        datasets, "probe_network", lambda url: asked.append(url) or (False, "no route")
    )
    for id in ("snow2008_wsd", "snow2008_rte"):
        why = datasets.load(id, base_url="http://annobench.invalid").meta["why_simulated"]
        assert "no route" in why
    assert asked == ["http://annobench.invalid"]


def test_auto_mode_waits_for_no_second_file_of_a_server_that_hangs(server, monkeypatch):
    monkeypatch.setattr(sources, "TIMEOUT", TIMEOUT)
    monkeypatch.setitem(fetch.__kwdefaults__, "timeout", TIMEOUT)
    monkeypatch.setattr(datasets, "probe_network", lambda url: (True, ""))
    server.hang.clear()
    why = datasets.load("snow2008_rte", base_url=server.url).meta["why_simulated"]
    assert "the network failed before" in why
    assert len(server.requests) == sources.ATTEMPTS, "all of them for the first file"


@pytest.mark.parametrize("mode", ["simulated", "auto"])
def test_the_network_is_left_alone_when_told_so(server, mode):
    data = datasets.load("snow2008_wsd", mode=mode, base_url=server.url, network=False)
    assert data.provenance == "simulated"
    assert server.requests == []


def test_a_wrong_file_in_the_mirror_is_an_error_in_every_mode_that_reads_it(tmp_path):
    dataset = datasets.get("snow2008_wsd")
    wrong = tmp_path / "mirror/snow2008" / dataset.files[0].path
    wrong.parent.mkdir(parents=True)
    wrong.write_text("wrong")
    for mode in ("auto", "real"):
        with pytest.raises(ChecksumError, match="5 bytes, but"):
            datasets.load("snow2008_wsd", mode=mode, mirror=tmp_path / "mirror", network=False)


def test_a_mirror_that_is_no_folder_stops_real_mode_and_warns_in_auto_mode(tmp_path, caplog):
    with pytest.raises(DataUnavailableError, match="none: the data mirror is not a folder"):
        datasets.load("snow2008_wsd", mode="real", mirror=tmp_path / "none", network=False)
    data = datasets.load("snow2008_wsd", mirror=tmp_path / "none", network=False)
    assert data.provenance == "simulated"
    assert "the data mirror is not a folder" in caplog.text


def test_missing_files_are_those_neither_in_mirror_nor_cache(tmp_path):
    dataset = datasets.get("snow2008_rte")
    assert datasets.missing_files("snow2008_rte") == list(dataset.files)
    held = tmp_path / "mirror/snow2008" / dataset.files[0].path
    held.parent.mkdir(parents=True)
    held.touch()
    assert datasets.missing_files("snow2008_rte", mirror=tmp_path / "mirror") == [dataset.files[1]]


def test_a_full_disk_leaves_the_data_that_were_there(tmp_path, monkeypatch):
    datasets.prepare("snow2008_wsd", tmp_path, mode="simulated", seed=1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write, done = datasets._write_parquet, []

    def fail_at_the_second(frame, path):
        if done:
            raise OSError("disk full")
        done.append(path)
        write(frame, path)

    monkeypatch.setattr(datasets, "_write_parquet", fail_at_the_second)
    with pytest.raises(DataUnavailableError, match=r"can't be written here \(disk full\)"):
        datasets.prepare("snow2008_wsd", tmp_path, mode="simulated", seed=2)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_mixture_of_old_and_new_tables_is_never_taken_for_whole(tmp_path, monkeypatch):
    datasets.prepare("snow2008_wsd", tmp_path, mode="simulated", seed=1)
    replace, done = os.replace, []

    def fail_at_the_second(source, target):
        if done:
            raise OSError("no rename")
        done.append(target)
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail_at_the_second)
    with pytest.raises(DataUnavailableError, match="no rename"):
        datasets.prepare("snow2008_wsd", tmp_path, mode="simulated", seed=2)
    assert done, "one table was renamed"
    with pytest.raises(ReaderError, match="its SHA-256 is"):
        datasets.read(tmp_path)


def test_a_folder_that_can_not_be_made_is_reported(tmp_path):
    (tmp_path / "file").write_text("kept")
    with pytest.raises(DataUnavailableError, match="can't be written here"):
        datasets.prepare("snow2008_wsd", tmp_path / "file", mode="simulated")
    assert (tmp_path / "file").read_text() == "kept"


def test_what_was_prepared_must_be_whole_when_read_back(tmp_path):
    datasets.prepare("snow2008_wsd", tmp_path, mode="simulated")
    whole = (tmp_path / "labels.parquet").read_bytes()
    (tmp_path / "labels.parquet").write_bytes(whole[:-10])
    with pytest.raises(ReaderError, match=r"labels\.parquet: its SHA-256 is"):
        datasets.read(tmp_path)
    (tmp_path / "labels.parquet").unlink()
    with pytest.raises(ReaderError, match=r"labels\.parquet: can't be read"):
        datasets.read(tmp_path)
    for text in ('{"id": "snow', "[]", "{}", '"x"'):
        (tmp_path / "meta.json").write_text(text)
        with pytest.raises(ReaderError, match=r"meta\.json: truncated or not"):
            datasets.read(tmp_path)
    (tmp_path / "meta.json").unlink()
    with pytest.raises(ReaderError, match=r"meta\.json: can't be read"):
        datasets.read(tmp_path)


def test_an_unknown_mode_is_an_error():
    with pytest.raises(ValueError, match="'fake' is not one of auto, real, simulated"):
        datasets.load("snow2008_wsd", mode="fake")


def test_the_generator_is_the_only_source_of_randomness():
    dataset = datasets.get("snow2008_wsd")
    first, second = (dataset.simulate(np.random.default_rng(7), {}) for _ in range(2))
    assert first.labels.equals(second.labels)
