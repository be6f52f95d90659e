"""A console of rich on which texts of others are shown and not obeyed."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from annobench.core.texts import visible


class VisibleConsole(Console):
    """Prints control and directing characters of texts as escapes, in tables too."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Make what is printed of a text: here rich gets each one."""
        return super().render_str(visible(text), **options)
