"""The option `--require`: exit with status 3 unless the intervals support a value."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer

from annobench.core.discovery import did_you_mean
from annobench.core.errors import AnnotationError
from annobench.core.files import replacing

#: The status of a command whose requirements are not supported.
NOT_SUPPORTED = 3

#: The file that says what was required and found.
RECORD = "requirements.json"

_WRITTEN = re.compile(r"\s*([a-z][a-z0-9_]*)\s*>=\s*([-+]?[0-9]*\.?[0-9]+)\s*")


@dataclass(frozen=True)
class Requirement:
    """A quantity and its required minimum.

    Attributes
    ----------
    quantity : str
        Name of the quantity.
    least : float
        The minimum.
    """

    quantity: str
    least: float

    @classmethod
    def of(cls, text: str, command: str, known: Iterable[str]) -> Requirement:
        """Parse a requirement."""
        names = list(known)
        found = _WRITTEN.fullmatch(text)
        if found is None:
            raise AnnotationError(
                f"{command}: --require {text!r} is not a requirement. Write a quantity, >= and a "
                f'value, in quotes: "{names[0]}>=0.67".'
            )
        if found[1] not in names:
            raise AnnotationError(
                f"{command}: --require {text!r}: {found[1]!r} can't be required."
                f"{did_you_mean(found[1], names)} Name one of {', '.join(names)}."
            )
        return cls(found[1], float(found[2]))


@dataclass(frozen=True)
class Outcome:
    """The result of checking a requirement.

    Attributes
    ----------
    quantity : str
        Name of the quantity.
    least : float
        The required minimum.
    of : str
        The annotator, system or window concerned, where there are several.
    estimate, lower, upper : float
        Estimate and interval; NaN if undefined.
    """

    quantity: str
    least: float
    of: str
    estimate: float
    lower: float
    upper: float

    @property
    def supported(self) -> bool:
        """Whether the whole interval lies at or above the minimum."""
        return self.lower >= self.least

    def __str__(self) -> str:
        """Report the result in a sentence."""
        name = f"{self.quantity} of {self.of}" if self.of else self.quantity
        if math.isnan(self.estimate) or math.isnan(self.lower):
            return f"{name} >= {self.least:g} is not supported: it is undefined, or has no interval"
        said = "is supported" if self.supported else "is not supported"
        return (
            f"{name} >= {self.least:g} {said}: {self.estimate:.3f}, interval {self.lower:.3f} to "
            f"{self.upper:.3f}"
        )


def decide(
    outcomes: Sequence[Outcome],
    folder: Path,
    *,
    command: str,
    data: Path,
    options: Mapping[str, Any],
) -> None:
    """Write the record, report the results, and exit with status 3 if any is not supported."""
    from annobench import __version__

    record = {
        "supported": all(outcome.supported for outcome in outcomes),
        "requirements": [_plain(asdict(o) | {"supported": o.supported}) for o in outcomes],
        "command": command,
        "data": data.name,
        "sha256": _digest(data),
        "version": __version__,
        "options": {name: str(value) for name, value in sorted(options.items())},
    }
    with replacing(folder / RECORD) as draft:
        draft.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for outcome in outcomes:
        typer.echo(f"{outcome}")
    if not record["supported"]:
        raise typer.Exit(NOT_SUPPORTED)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Replace undefined values by null for JSON."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in row.items()
    }


def _digest(data: Path) -> str:
    """Return the SHA-256 of a file, or of the names and files of a folder."""
    import hashlib

    from annobench.scale._format import digest_of_file

    if data.is_file():
        return digest_of_file(data)
    digest = hashlib.sha256()
    for path in sorted(path for path in data.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(data)}\0{digest_of_file(path)}".encode())
    return digest.hexdigest()
