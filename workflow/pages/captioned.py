"""The figures of a paper with their captions, as pages show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annobench.reporting.pages import picture_size
from annobench_replication.exhibit import figures_in, heading


def figures_of(
    paper: dict[str, Any], captions: dict[str, dict[str, Any]], folder: Path
) -> list[dict[str, Any]]:
    """Join the record of each figure with its size and the caption that the analysis wrote.

    Raises
    ------
    ValueError
        If a figure has no caption.
    """
    names = [figure["name"] for figure in paper["figures"]]
    uncaptioned = [name for name in names if name not in captions]
    if uncaptioned:
        raise ValueError(
            f"{paper['key']}: captions.json has no entry for {', '.join(uncaptioned)}. "
            "Let analysis.py write title, caption, provenance and seed of every figure."
        )
    contents = figures_in(paper.get("contents", ()))
    joined = []
    for figure in paper["figures"]:
        width, height = picture_size(folder / f"{figure['name']}.svg")
        caption = captions[figure["name"]]
        shown = {"heading": heading(figure["source"], figure["title"], contents)}
        joined.append(figure | caption | shown | {"width": width, "height": height})
    return joined
