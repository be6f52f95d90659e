"""Data that are damaged, fetched twice at once, or to be kept where nothing can be."""

import hashlib
import random
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from disks import mounted

from annobench import datasets
from annobench.core.errors import ChecksumError, ReaderError
from annobench.datasets.sources import CacheError, Source, SourceFile, fetch

AREA = "Data"

ROUNDS = 200
#: Files that two processes fetch at once.
N_FILES = 100


def body(n):
    """Return the bytes of a made-up file, some hundred thousand."""
    return random.Random(n).randbytes(200_000 + n)


def source(n_files):
    files = (
        SourceFile(f"data/{n}.bin", sha256=hashlib.sha256(body(n)).hexdigest(), size=len(body(n)))
        for n in range(n_files)
    )
    return Source("toy", "owner/toy", "c0ffee", "none", tuple(files))


@pytest.fixture
def address(monkeypatch):
    """The address of a server that takes its time over a file, so that others ask meanwhile."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            content = body(int(self.path.rpartition("/")[2].partition(".")[0]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[:1000])
            pause.wait(0.01)
            self.wfile.write(content[1000:])

        def log_message(self, *_):
            pass

    pause = threading.Event()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def flip(content, rng):
    """Return bytes of which one bit is another."""
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)]) + content[place + 1 :]


def truncate(content, rng):
    """Return bytes without some at their end."""
    return content[: rng.randrange(len(content))]


def swap(content, rng):
    """Return the bytes of another file of the same size."""
    return rng.randbytes(len(content))


HARMS = {"One bit flipped": flip, "Truncated": truncate, "Swapped with another file": swap}


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("place", ["mirror/toy", "cache/toy/c0ffee"])
def test_a_damaged_file_is_refused_until_it_is_removed(tmp_path, address, tried, place, harm):
    toy = source(1)
    [file] = toy.files
    damaged = tmp_path / place / file.path
    damaged.parent.mkdir(parents=True)

    def get():
        path, _, _ = fetch(
            toy,
            file,
            mirror=tmp_path / "mirror",
            cache=tmp_path / "cache",
            base_url=address,
            allow_network=True,
        )
        return path.read_bytes()

    for seed in range(ROUNDS):
        damaged.write_bytes(HARMS[harm](body(0), random.Random(f"{harm} {seed}")))
        with pytest.raises(ChecksumError, match=rf"{damaged}: .*Remove it, and supply"):
            get()
        damaged.unlink()
        if seed % 20 == 0:
            assert get() == body(0), seed
    what = "of the mirror" if "mirror" in place else "of the cache"
    tried(AREA, f"{harm}: a file {what}", times=ROUNDS, refused=ROUNDS)


@pytest.mark.parametrize("harm", HARMS)
def test_prepared_data_that_are_damaged_are_refused(tmp_path, tried, harm):
    datasets.prepare("anesthesia", tmp_path, mode="simulated", network=False)
    for table in ("labels", "items"):
        path = tmp_path / f"{table}.parquet"
        whole = path.read_bytes()
        for seed in range(ROUNDS // 2):
            path.write_bytes(HARMS[harm](whole, random.Random(f"{harm} {seed}")))
            with pytest.raises(ReaderError, match=r"SHA-256 .* Prepare the data set again"):
                datasets.read(tmp_path)
        path.write_bytes(whole)
    tried(AREA, f"{harm}: a table of a prepared data set", times=ROUNDS, refused=ROUNDS)


FETCH = """
import sys
from pathlib import Path
from annobench.datasets.sources import Source, SourceFile, fetch

url, cache, *pins = sys.argv[1:]
files = tuple(SourceFile(f"data/{n}.bin", sha256=pin) for n, pin in enumerate(pins))
toy = Source("toy", "owner/toy", "c0ffee", "none", files)
for file in files:
    print(sys.stdin.readline() and file.path, flush=True)
    path, origin, sha256 = fetch(
        toy, file, mirror=None, cache=Path(cache), base_url=url, allow_network=True
    )
    print(origin, flush=True)
"""


def test_two_processes_that_fetch_one_file_both_get_it(tmp_path, address, tried):
    toy, cache = source(N_FILES), tmp_path / "cache"
    command = [sys.executable, "-c", FETCH, address, str(cache), *(f.sha256 for f in toy.files)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as first, subprocess.Popen(command, **pipes) as second:
        origins = []
        for _ in toy.files:
            # A line lets each begin with the next file, both at once.
            for process in (first, second):
                print(file=process.stdin, flush=True)
            for process in (first, second):
                assert process.stdout.readline().startswith("data/")
            origins += [process.stdout.readline().strip() for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0)
    assert origins.count("network") > N_FILES, "they never met"
    kept = {path.name: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    assert kept == {f"{n}.bin": body(n) for n in range(N_FILES)}
    tried(AREA, "Two processes that fetch one file at once", times=N_FILES, same=N_FILES)


@pytest.mark.parametrize(
    ("fault", "option"), {"Read-only": "ro", "Full disk of a": "size=100k"}.items()
)
def test_a_cache_that_can_not_be_written_is_refused(tmp_path, address, tried, fault, option):
    toy, cache = source(1), tmp_path / "cache"
    cache.mkdir()
    with (
        mounted(cache, "-t", "tmpfs", "-o", option, "tmpfs"),
        pytest.raises(CacheError, match=r"can't be written .* Set ANNOBENCH_CACHE"),
    ):
        fetch(toy, toy.files[0], mirror=None, cache=cache, base_url=address, allow_network=True)
    tried(AREA, f"{fault} cache", times=1, refused=1)
