"""The program: `annobench`, and `python -m annobench`."""

from __future__ import annotations

import gc

__all__ = ["main"]


def main() -> None:
    """Run a command."""
    # Imports make half a million objects that stay to the end. Looking for cycles among them, as
    # often as Python does by default, takes a sixth of the time of a command on few labels.
    gc.set_threshold(1_000_000, 20, 20)

    from annobench.cli import app

    app(prog_name="annobench")


if __name__ == "__main__":
    main()
