"""Files that hold tables in another form: archives, UTF-16, columns separated by blanks."""

from __future__ import annotations

import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from annobench.core.errors import AnnotationError, FullDiskError, ReaderError
from annobench.core.files import naming_full_disk
from annobench.io.cells import NO_TEXT, PARQUET, TABBED
from annobench.io.formats.base import DAMAGED_ARCHIVE, Source
from annobench.io.formats.recognition import variants_of
from annobench.io.texts import has_blanks, is_utf_16, write_readable

#: An archive that holds more is refused.
_MAX_FILES, _MAX_BYTES = 10_000, 2**32

#: How the names of tables end.
_TABLES = (".csv", *TABBED, *NO_TEXT, *PARQUET)


def content_of(path: str | Path) -> Source:
    """Return the content of a path; of an archive of tables alone, what it holds.

    Text in UTF-16 becomes UTF-8; blanks between columns, as R's `write.table` writes them, become
    tabs.

    Parameters
    ----------
    path : str or Path
        A file or folder.

    Returns
    -------
    Source
        Its content. Copies are in a folder that is removed with the content.

    Raises
    ------
    ReaderError
        If there is nothing at the path, or an archive is damaged or too large.
    """
    source = Source(path)
    is_archive = source.head.startswith(b"PK") and _holds_tables(source.path)
    if not is_archive and not (is_utf_16(source.head) or has_blanks(source.head)):
        return source
    if variants_of(source):
        return source
    place = tempfile.mkdtemp()
    folder = Path(place)
    with _removing(place, source.path):
        if is_archive:
            with zipfile.ZipFile(source.path) as archive:
                unpack(archive, folder, source.path, _TABLES)
        else:
            write_readable(source.path, folder)
    files = list(folder.iterdir())
    content = Source(files[0] if len(files) == 1 else folder)
    content.shared["archive"] = source.path
    weakref.finalize(content, shutil.rmtree, place, ignore_errors=True)
    return content


def _holds_tables(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [
                info.filename
                for info in archive.infolist()
                if not info.is_dir() and "__MACOSX" not in info.filename
            ]
    except DAMAGED_ARCHIVE:
        return False
    return bool(names) and all(PurePosixPath(n).suffix.lower() in _TABLES for n in names)


@contextmanager
def _removing(place: str, path: Path) -> Iterator[None]:
    """Remove a folder if unpacking into it fails."""
    try:
        yield
    except (ReaderError, FullDiskError):
        shutil.rmtree(place, ignore_errors=True)
        raise
    except DAMAGED_ARCHIVE as error:
        shutil.rmtree(place, ignore_errors=True)
        raise ReaderError(
            f"{path}: damaged or encrypted ({error}). Unpack it yourself, or save it as UTF-8."
        ) from error


@contextmanager
def naming_archive(content: Source) -> Iterator[None]:
    """Name the archive, not the folder into which it was unpacked, in errors."""
    try:
        yield
    except (AnnotationError, ReaderError) as error:
        archive = content.shared.get("archive")
        if archive is None:
            raise
        kind = ReaderError if isinstance(error, ReaderError) else AnnotationError
        raise kind(str(error).replace(str(content.path), str(archive))) from error


def unpack(
    archive: zipfile.ZipFile, folder: Path, path: Path, endings: Collection[str]
) -> list[str]:
    """Unpack the files with some endings into a folder; return the names of the others."""
    members = [
        (member, PurePosixPath(member.filename.replace("\\", "/")).name)
        for member in archive.infolist()
        if not member.is_dir() and "__MACOSX" not in member.filename
    ]
    wanted = [(m, name) for m, name in members if Path(name).suffix.lower() in endings]
    if len(wanted) > _MAX_FILES or sum(m.file_size for m, _ in wanted) > _MAX_BYTES:
        raise ReaderError(
            f"{path}: the archive holds more than {_MAX_FILES:,} files or "
            f"{_MAX_BYTES // 2**30} GiB. Unpack it yourself, and give the folder."
        )
    for member, name in wanted:
        target = folder / name
        if target.exists():
            raise ReaderError(f"{path}: two files are called {name!r}. Unpack and rename them.")
        # No more than the size that was checked is ever read of a member.
        with naming_full_disk(target), archive.open(member) as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file)
    taken = {member.filename for member, _ in wanted}
    return [member.filename for member, _ in members if member.filename not in taken]
