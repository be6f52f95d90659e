"""The README as a package index shows it: its links lead to the repository's address."""

import re
import tomllib
from pathlib import Path

from setuptools import setup

TOP = Path(__file__).parent
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ADDRESS = PROJECT["urls"]["Homepage"]


def absolute(link: re.Match[str]) -> str:
    """Let a link that is relative to the README lead to the repository."""
    picture, words, path = link.groups()
    kind = "raw" if picture else "tree" if (TOP / path).is_dir() else "blob"
    return f"{picture}{words}{ADDRESS}/{kind}/main/{path}"


readme = (TOP / "README.md").read_text(encoding="utf-8")
if not ADDRESS.endswith(".invalid"):
    readme = re.sub(r"(!?)(\[[^\]]*\]\()([^)\s:#]+)", absolute, readme)
setup(long_description=readme, long_description_content_type="text/markdown")
