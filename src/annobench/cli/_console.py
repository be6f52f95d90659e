"""A rich console that displays untrusted text literally."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from annobench.core.texts import visible


class VisibleConsole(Console):
    """Prints control and bidirectional characters as escapes, in tables too."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Render a text; rich calls this for every text that it prints."""
        return super().render_str(visible(text), **options)
