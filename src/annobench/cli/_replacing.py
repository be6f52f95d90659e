"""Which files a command may replace: never its input, and other files only with --force."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from annobench.core.errors import AnnotationError
from annobench.core.files import replacing

#: In each folder of tables: by command, what it wrote there and the digests.
RECORD = ".annobench.json"

ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace files that the command did not write itself.")
]


def refuse_to_replace(
    command: str, targets: Sequence[Path], *, sources: Iterable[Path], force: bool
) -> None:
    """Check in advance that a command replaces only files that it may replace."""
    targets = list(targets)
    for target in targets:
        for source in sources:
            if _is_of(target, source, command):
                raise AnnotationError(
                    f"{command}: {target} is part of the input, {source}, which is never replaced. "
                    "Write to another place."
                )
    for n, target in enumerate(targets):
        if target.resolve() in {other.resolve() for other in targets[:n]}:
            raise AnnotationError(
                f"{command}: {target} is the name of two outputs. Name two files."
            )
    foreign = [path for path in targets if os.path.lexists(path) and not _is_own(path, command)]
    if foreign and not force:
        names = ", ".join(path.name for path in foreign)
        raise AnnotationError(
            f"{command}: {foreign[0].absolute().parent} holds {names}, which this command did not "
            "write, or which was changed since. Write to another place, or replace what is there "
            "with --force."
        )


def record(command: str, folder: Path, names: Iterable[str]) -> None:
    """Record the files that a command wrote, so that it recognises them in a later run."""
    known = _recorded(folder)
    names = list(names)
    for files in known.values():
        for name in names:
            files.pop(name, None)
    known.setdefault(command, {}).update({name: _digest(folder / name) for name in names})
    with replacing(folder / RECORD) as draft:
        draft.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def _is_of(target: Path, source: Path, command: str) -> bool:
    """Whether a target is, belongs to, or would replace a source."""
    if target.resolve() == source.resolve():
        return True
    if source.is_dir() and target.parent.resolve() == source.resolve():
        return not _is_own(target, command)  # a table there would be read as one of the source's
    if not target.exists() or not source.exists():
        return False
    if target.samefile(source) or (
        target.is_dir() and source.resolve().is_relative_to(target.resolve())
    ):
        return True
    if not source.is_dir() or _is_own(target, command):
        return False
    return target.resolve().is_relative_to(source.resolve()) or any(
        path.exists() and target.samefile(path) for path in source.rglob("*")
    )


def _is_own(path: Path, command: str) -> bool:
    """Whether the command wrote a file that has not changed since."""
    files = _recorded(path.parent).get(command, {})
    return path.name in files and files[path.name] in (None, _digest(path))


def _recorded(folder: Path) -> dict[str, dict[str, str | None]]:
    try:
        known = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # none, or a damaged one: nothing is known to be the command's
        return {}
    return known if isinstance(known, dict) else {}


def _digest(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
