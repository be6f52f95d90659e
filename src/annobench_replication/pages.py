"""Pages that show verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from annobench.reporting import pages
from annobench_replication.faces import FACES, RELATIONS

#: The templates of printed tables.
TEMPLATES = Path(__file__).with_name("templates")


def render(template: str, folder: Path | Sequence[Path] = (), **content: Any) -> str:
    """Fill a template that may show verdicts, with those of the library and of this package."""
    first = [folder] if isinstance(folder, Path) else folder
    return pages.render(template, [*first, TEMPLATES], faces=FACES, relations=RELATIONS, **content)
