"""Pinned source files: location, fetching and verification.

A file is looked for in a local mirror, then in the cache, then on the network, and its
bytes are checked against the pin each time. Nothing unverified is ever left in the cache.
"""

from __future__ import annotations

import csv
import hashlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from annobench.core.errors import (
    ChecksumError,
    DataUnavailableError,
    ReaderError,
    report_faults,
)
from annobench.core.files import replacing
from annobench.core.optional import require

__all__ = [
    "CacheError",
    "Source",
    "SourceFile",
    "address",
    "cache_folder",
    "data_mirror",
    "default_base_url",
    "fetch",
    "probe_network",
]

_LOG = logging.getLogger(__name__)

#: Where the raw files of public repositories are served.
DEFAULT_BASE_URL = "https://raw.githubusercontent.com"

#: Where files that are attached to releases of public repositories are served.
RELEASES_BASE_URL = "https://github.com"

#: Seconds to wait for a connection and for the next bytes of an answer.
TIMEOUT = (5.0, 10.0)

#: How often a file is asked for, and the seconds before the second time; each pause is twice the
#: one before it.
ATTEMPTS, PAUSE = 4, 1.0

#: Seconds that a server may ask us to wait; one that asks for more is given up.
LONGEST_PAUSE = 30.0

#: An answer must be complete after DEADLINE seconds and one more for SLOWEST bytes, and is never
#: longer than its pin; a file whose pin has no size, than LARGEST bytes.
DEADLINE, SLOWEST, LARGEST = 30.0, 1 << 14, 1 << 24

#: The same for an archive whose pin has no size.
LARGEST_ARCHIVE = 1 << 28

_CHUNK = 1 << 20
_DIGITS = {"sha256": 64, "git_blob": 40}


class CacheError(DataUnavailableError):
    """A file that can be fetched but not stored: the cache can't be written."""


@dataclass(frozen=True)
class SourceFile:
    """One pinned file of a source.

    Attributes
    ----------
    path : str
        Path inside the repository, with forward slashes.
    sha256 : str or None
        SHA-256 of the bytes, in hexadecimal.
    git_blob : str or None
        Git's blob id of the bytes; the pin of files whose SHA-256 is unknown.
    size : int or None
        Number of bytes, where known.
    """

    path: str
    sha256: str | None = None
    git_blob: str | None = None
    size: int | None = None

    def __post_init__(self) -> None:
        _check_relative(self.path)
        if self.sha256 is None and self.git_blob is None:
            raise ValueError(
                f"SourceFile {self.path!r} has no checksum. Give its sha256 or its git_blob."
            )
        for name, digits in _DIGITS.items():
            value = getattr(self, name)
            if value is not None and not re.fullmatch(f"[0-9a-f]{{{digits}}}", value):
                raise ValueError(
                    f"SourceFile {self.path!r}: {name} must be {digits} hexadecimal digits, got "
                    f"{value!r}."
                )


@dataclass(frozen=True)
class Source:
    """One commit of a public repository that holds data.

    Attributes
    ----------
    name : str
        Name of the source, and of its folder in a mirror.
    repository : str
        Owner and name of the repository.
    commit : str
        The pinned commit.
    licence : str
        Licence of the data as the source states it.
    files : tuple of SourceFile
        The pinned files.
    mirrored : str or None
        Folder of a mirror that holds the files by their names alone; by default a mirror has a
        folder of the source's name, with their paths inside.
    release : bool
        Whether the files are attached to a release; `commit` is then its tag.
    """

    name: str
    repository: str
    commit: str
    licence: str
    files: tuple[SourceFile, ...]
    mirrored: str | None = None
    release: bool = False

    @classmethod
    def pinned(
        cls,
        name: str,
        *,
        repository: str,
        commit: str,
        licence: str,
        folder: Path,
        mirrored: str | None = None,
        release: bool = False,
    ) -> Source:
        """Return a source with the files that a table of pins lists.

        Parameters
        ----------
        name, repository, commit, licence
            As in `Source`.
        folder : Path
            Where the table is, called `<name>.csv`.
        mirrored, release
            As in `Source`.

        Returns
        -------
        Source
            Its files stand in the order of the table.

        Raises
        ------
        ReaderError
            If the table is missing or malformed.
        """
        files = read_pins(folder / f"{name}.csv")
        return cls(name, repository, commit, licence, files, mirrored, release)

    def file(self, path: str) -> SourceFile:
        """Return the file of a path.

        Parameters
        ----------
        path : str
            Path inside the repository.

        Returns
        -------
        SourceFile
            The file.

        Raises
        ------
        KeyError
            If it is not pinned.
        """
        found = self.below("").get(path)
        if found is None:
            raise KeyError(f"source {self.name!r} has no file {path!r}. Add it to the pins.")
        return found

    def below(self, folder: str) -> dict[str, SourceFile]:
        """Return the files of a folder.

        Parameters
        ----------
        folder : str
            Folder inside the repository, with a slash at its end.

        Returns
        -------
        dict of str to SourceFile
            By path inside the folder, in the order of `files`.
        """
        return {
            file.path.removeprefix(folder): file
            for file in self.files
            if file.path.startswith(folder)
        }


def read_pins(path: Path) -> tuple[SourceFile, ...]:
    """Read a table of pinned files."""
    remedy = "Correct the table, or install annobench again."
    try:
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError) as error:
        raise ReaderError(f"{path}: no table of pinned files ({error}). {remedy}") from error
    columns = ["path", "bytes", *_DIGITS]
    if header not in (columns, columns[:-1]):
        raise ReaderError(
            f"{path}: the columns must be {', '.join(columns)} (the last may be left out), got "
            f"{', '.join(header)}. {remedy}"
        )
    found: dict[str, SourceFile] = {}
    faults = []
    for line, row in enumerate(rows, start=2):
        if not row:
            continue
        try:
            file = _pin(header, row)
            if found.setdefault(file.path, file) is not file:
                faults.append(f"line {line}: the path {file.path!r} stands above")
        except ValueError as error:
            faults.append(f"line {line}: {error}")
    report_faults(path, faults, remedy)
    return tuple(found.values())


def _pin(header: list[str], row: list[str]) -> SourceFile:
    if len(row) != len(header):
        raise ValueError(f"{len(row)} fields where {len(header)} are needed")
    path, size, *checksums = row
    if size and not size.isdecimal():
        raise ValueError(f"bytes must be a number, got {size!r}")
    named = {name: value or None for name, value in zip(_DIGITS, checksums, strict=False)}
    return SourceFile(path, size=int(size) if size else None, **named)


def data_mirror() -> Path | None:
    """Return the mirror's folder.

    Returns
    -------
    Path or None
        What ANNOBENCH_DATA_MIRROR says; None where it is unset.
    """
    value = os.environ.get("ANNOBENCH_DATA_MIRROR")
    return Path(value) if value else None


def cache_folder() -> Path:
    """Return the folder of downloaded files.

    Returns
    -------
    Path
        What ANNOBENCH_CACHE says, or the system's place for caches.
    """
    return Path(os.environ.get("ANNOBENCH_CACHE") or _system_cache())


def _system_cache() -> Path:
    if sys.platform == "win32":
        home = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local"
        return Path(home, "annobench", "annobench", "Cache")
    if sys.platform == "darwin":
        return Path.home() / "Library/Caches/annobench"
    return Path(os.environ.get("XDG_CACHE_HOME", "").strip() or Path.home() / ".cache", "annobench")


def default_base_url() -> str:
    """Return the address that serves repositories.

    Returns
    -------
    str
        What ANNOBENCH_DATA_URL says, or the public one.
    """
    return os.environ.get("ANNOBENCH_DATA_URL") or DEFAULT_BASE_URL


def verify(path: Path, file: SourceFile) -> str:
    """Check that the bytes of a file are the pinned ones."""
    size = path.stat().st_size
    if file.size is not None and size != file.size:
        raise ChecksumError(
            f"{path}: {size} bytes, but {file.path} has {file.size}; the file is truncated or "
            "not the pinned version. Remove it, and supply the pinned file."
        )
    sha256 = hashlib.sha256()
    blob = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            sha256.update(chunk)
            blob.update(chunk)
    checks = (
        ("SHA-256", file.sha256, sha256.hexdigest()),
        ("git blob id", file.git_blob, blob.hexdigest()),
    )
    for kind, wanted, got in checks:
        if wanted is not None and wanted != got:
            raise ChecksumError(
                f"{path}: its {kind} is {got}, but that of {file.path} is {wanted}. "
                "Remove it, and supply the pinned file."
            )
    return sha256.hexdigest()


def locate(
    source: Source, file: SourceFile, mirror: Path | None, cache: Path
) -> tuple[Path, str] | None:
    """Find a file on this machine, without reading it."""
    if mirror is not None:
        place = f"{source.name}/{file.path}"
        if source.mirrored is not None:
            place = f"{source.mirrored}/{PurePosixPath(file.path).name}"
        path = _inside(mirror, place)
        if path.is_file():
            return path, "mirror"
    path = _inside(cache, _cached(source, file))
    return (path, "cache") if path.is_file() else None


def fetch(
    source: Source,
    file: SourceFile,
    *,
    mirror: Path | None,
    cache: Path,
    base_url: str,
    allow_network: bool,
    timeout: tuple[float, float] = TIMEOUT,
) -> tuple[Path, str, str]:
    """Get a verified file from the mirror, the cache or the network, in this order.

    Parameters
    ----------
    source : Source
        The source it belongs to.
    file : SourceFile
        The file.
    mirror : Path or None
        Folder laid out as ``<source>/<path>``.
    cache : Path
        Folder that keeps downloads.
    base_url : str
        Address in front of ``<repository>/<commit>/<path>``.
    allow_network : bool
        Whether the network may be asked.
    timeout : tuple of float, default (5, 10)
        Seconds to wait for a connection and for the next bytes.

    Returns
    -------
    tuple of (Path, str, str)
        Path, origin ("mirror", "cache" or "network") and SHA-256.

    Raises
    ------
    ChecksumError
        If the bytes found or received are not the pinned ones.
    DataUnavailableError
        If no place has the file.
    CacheError
        If the cache can't be written.
    """
    held = locate(source, file, mirror, cache)
    if held is not None:
        path, origin = held
        return path, origin, verify(path, file)
    if not allow_network:
        raise DataUnavailableError(
            f"{source.name}/{file.path}: neither mirror nor cache has it, and the network was "
            "not asked."
        )
    target = _inside(cache, _cached(source, file))
    url = address(base_url, source, file)
    return target, "network", _download(url, target, file, timeout)


def address(base_url: str, source: Source, file: SourceFile) -> str:
    """Return the address of a file.

    Parameters
    ----------
    base_url : str
        Address in front.
    source : Source
        Repository and commit.
    file : SourceFile
        The file.

    Returns
    -------
    str
        ``<base_url>/<repository>/<commit>/<path>``, or where releases are served.
    """
    server, within = server_of(base_url, source).rstrip("/"), ""
    if source.release:
        within = "releases/download/"
    return f"{server}/{source.repository}/{within}{source.commit}/{file.path}"


def server_of(base_url: str, source: Source) -> str:
    """Return the address in front of a source's files."""
    return RELEASES_BASE_URL if source.release and base_url == DEFAULT_BASE_URL else base_url


def probe_network(url: str, timeout: float = 8.0) -> tuple[bool, str]:
    """Ask whether an address answers, down to its first bytes, within a bounded time.

    Parameters
    ----------
    url : str
        The address; any HTTP answer counts.
    timeout : float, default 8
        Seconds after which the answer is no, also when looking up the name hangs. After a reset
        connection, or half of the time without an answer, it is asked once more.

    Returns
    -------
    tuple of (bool, str)
        Whether it answered, and the reason if not.

    Raises
    ------
    MissingLibraryError
        If requests is not installed.
    """
    requests = require("requests", "Fetching a data set")
    # Other addresses of the server share the answer.
    scheme, _, rest = url.partition("://")
    server = f"{scheme}://{rest.partition('/')[0]}"
    answer: list[tuple[bool, str]] = []
    pause = min(PAUSE, timeout / 8)
    each = (timeout - pause) / 2

    def ask() -> None:
        for last in (False, True):
            try:
                with requests.get(url, timeout=each, stream=True) as response:
                    next(response.iter_content(1), b"")
                answer.append((True, ""))
                return
            except (requests.RequestException, OSError, ValueError) as error:
                if last or _pause(error, 0) is None:
                    answer.append((False, f"{server} does not answer ({_reason(error)})"))
                    return
            time.sleep(pause)

    # A name server that never replies can't be timed out from inside, so the waiting is
    # done outside, and the thread may outlive it.
    thread = threading.Thread(target=ask, name="annobench-probe", daemon=True)
    thread.start()
    thread.join(timeout)
    return answer[0] if answer else (False, f"{server} did not answer within {timeout:g} s")


def _check_relative(path: str) -> None:
    parts = path.split("/")
    if (
        not path
        or "\\" in path
        or "\0" in path
        or ":" in parts[0]
        or any(part in ("", ".", "..") for part in parts)
        or PurePosixPath(path).is_absolute()
    ):
        raise ValueError(
            f"path {path!r} may leave its folder. Give a relative path with forward slashes, "
            "without '.' or '..'."
        )


def _inside(folder: Path, path: str) -> Path:
    """Join, and refuse a result that symbolic links lead out of the folder."""
    _check_relative(path)
    root = folder.resolve()
    target = (root / path).resolve()
    if not target.is_relative_to(root):
        raise DataUnavailableError(
            f"{folder / path}: a symbolic link leads out of {folder}. Put the file itself there."
        )
    return target


def _cached(source: Source, file: SourceFile) -> str:
    return f"{source.name}/{source.commit}/{file.path}"


def _download(url: str, target: Path, file: SourceFile, timeout: tuple[float, float]) -> str:
    try:
        with replacing(target) as draft:
            try:
                _ask(url, draft, file, timeout)
                return verify(draft, file)
            except ChecksumError as error:
                raise ChecksumError(
                    f"{url}: the bytes received are not those of the pinned file: {error} "
                    "Nothing was kept; try again, or set ANNOBENCH_DATA_MIRROR to a folder that "
                    "has the file."
                ) from error
    except _FailedError as failed:
        times = f" in {failed.attempts} attempts" if failed.attempts > 1 else ""
        raise DataUnavailableError(
            f"{url}: the download failed ({_reason(failed.error)}{times}). Nothing was kept; try "
            "again, or set ANNOBENCH_DATA_MIRROR to a folder that has the file."
        ) from failed.error
    except OSError as error:
        raise CacheError(
            f"{target}: the cache can't be written ({error}). Set ANNOBENCH_CACHE to a folder "
            "that can."
        ) from error


class _FailedError(Exception):
    """A download that failed, how often it was tried, and the last error."""

    def __init__(self, error: Exception, attempts: int) -> None:
        super().__init__(str(error))
        self.error, self.attempts = error, attempts


class _LateError(Exception):
    """An answer that was not complete at its deadline."""


def _ask(url: str, draft: Path, file: SourceFile, timeout: tuple[float, float]) -> None:
    """Download a file, again after a pause where the fault may pass."""
    requests = require("requests", "Fetching a data set")

    for attempt in range(ATTEMPTS):
        try:
            with _progress(PurePosixPath(file.path).name, file.size) as advance:
                _receive_in_time(url, draft, file, timeout, advance)
            return
        except _LateError as error:
            raise _FailedError(error, attempt + 1) from error
        except requests.RequestException as error:
            pause = _pause(error, attempt)
            if pause is None or attempt == ATTEMPTS - 1:
                raise _FailedError(error, attempt + 1) from error
            _LOG.info("%s: %s; trying again in %g s", url, _reason(error), pause)
            time.sleep(pause)


def _receive_in_time(
    url: str,
    draft: Path,
    file: SourceFile,
    timeout: tuple[float, float],
    advance: Callable[[int], None],
) -> None:
    """Receive a file, or give up at its deadline, whatever the server is doing then."""
    allowed = DEADLINE + _limit(file) / SLOWEST
    stopped = threading.Event()
    outcome: list[BaseException | None] = []

    def receive() -> None:
        try:
            _receive(url, draft, file, timeout, advance, stopped)
            outcome.append(None)
        except BaseException as error:  # raised again where it is waited for
            outcome.append(error)

    # A server that sends a byte now and then can't be timed out from inside, so the waiting is
    # done outside; the thread ends with the next chunk, and may outlive the waiting until then.
    thread = threading.Thread(target=receive, name="annobench-download", daemon=True)
    thread.start()
    try:
        thread.join(allowed)
    finally:
        stopped.set()
    if not outcome:
        raise _LateError(f"not complete after {allowed:.3g} s")
    if outcome[0] is not None:
        raise outcome[0]


def _receive(
    url: str,
    draft: Path,
    file: SourceFile,
    timeout: tuple[float, float],
    advance: Callable[[int], None],
    stopped: threading.Event,
) -> None:
    requests = require("requests", "Fetching a data set")

    limit = _limit(file)
    with requests.get(url, timeout=timeout, stream=True) as response, draft.open("wb") as stream:
        response.raise_for_status()
        for chunk in response.iter_content(_CHUNK >> 4):
            if stopped.is_set():
                return
            stream.write(chunk)
            advance(len(chunk))
            if stream.tell() > limit:
                raise ChecksumError(f"more than {limit:,} bytes, the size of {file.path}.")


def _limit(file: SourceFile) -> int:
    """Return how many bytes an answer may have."""
    if file.size is not None:
        return file.size
    return LARGEST_ARCHIVE if file.path.endswith(".tgz") else LARGEST


def _pause(error: Exception, attempt: int) -> float | None:
    """Return how long to wait before the next attempt; None if the fault will not pass."""
    requests = require("requests", "Fetching a data set")
    from urllib3.exceptions import InvalidHeader, NewConnectionError
    from urllib3.util import Retry

    growing: float = PAUSE * 2**attempt
    response = getattr(error, "response", None)
    if response is not None:
        if response.status_code != 429 and response.status_code < 500:
            return None
        asked = response.headers.get("Retry-After")
        try:
            wanted = Retry().parse_retry_after(asked) if asked else 0.0
        except InvalidHeader:  # neither a number nor a date
            wanted = 0.0
        return None if wanted > LONGEST_PAUSE else max(growing, wanted)
    if isinstance(error, requests.Timeout | requests.exceptions.ChunkedEncodingError):
        return growing
    if type(error) is not requests.ConnectionError:  # its kinds are faults of proxies and of TLS
        return None
    cause = error.args[0] if error.args else None
    return None if isinstance(getattr(cause, "reason", cause), NewConnectionError) else growing


def _reason(error: Exception) -> str:
    """Name an error in a few words: its status, or the kind of its innermost cause."""
    if isinstance(error, _LateError):
        return str(error)
    response = getattr(error, "response", None)
    if response is not None:
        asked = response.headers.get("Retry-After")
        return f"HTTP {response.status_code}" + (f", Retry-After: {asked}" if asked else "")
    kinds = [type(error).__name__]
    inner: object = error
    while isinstance(inner, BaseException):
        inner = getattr(inner, "reason", None) or next(
            (part for part in inner.args if isinstance(part, BaseException)), None
        )
        if isinstance(inner, BaseException):
            kinds.append(type(inner).__name__)
    return kinds[0] if len(kinds) == 1 else f"{kinds[0]}: {kinds[-1]}"


@contextmanager
def _progress(name: str, size: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on a terminal; elsewhere, in logs and for one of many files, stay quiet."""
    if not sys.stderr.isatty() or threading.current_thread() is not threading.main_thread():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=size)
        yield lambda amount: progress.advance(task, amount)
