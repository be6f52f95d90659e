"""The slides of a session: its executed solutions, cut into pieces that fit on a slide."""

from __future__ import annotations

import base64
import math
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_markdown_cell, new_notebook

from editions.course_source import tags

#: Lines of text that a slide holds below its heading, and characters of a line.
LINES, WIDTH = 12, 76
#: What a line of code or print and a row of a table take of a line of text.
CODE_LINE, ROW = 0.6, 0.65
#: Characters of a line of code.
CODE_WIDTH = 98
#: Pixels of a figure that take the height of a line, and the most lines that a figure is given.
FIGURE_PIXELS, FIGURE_LINES = 30, 11.5

#: Tag of a cell on a slide whose code is not shown.
OUTPUT_ALONE = "output-alone"

#: Cells that are on no slide.
_LEFT_OUT = {"noslide", "solution", "check", "hint", "rubric"}
#: Cells that begin a slide; what follows a question begins one, too.
_ASKS = {"exercise", "open"}
_BEGINS = {"slide", *_ASKS}

_FENCE = re.compile(r"^(```|\$\$)")
_HEADING = re.compile(r"#{1,3} ")
_ITEM = re.compile(r"([-*]|\d+\.) ")
_SENTENCE = re.compile(r"(?<=[.?!:]) (?=[A-Z*`$])")


@dataclass
class Slide:
    """A slide: its heading, what stands below it in so many lines, and notes for the speaker."""

    heading: str
    cells: list[NotebookNode] = field(default_factory=list)
    notes: list[NotebookNode] = field(default_factory=list)
    lines: float = 0


def slides_edition(executed: NotebookNode) -> NotebookNode:
    """Return the slides of an executed solutions edition: explanation, figures and exercises."""
    edition: NotebookNode = new_notebook(metadata=executed.metadata)  # type: ignore[no-untyped-call]
    for slide in cut(executed):
        edition.cells += _shown(slide)
    for number, cell in enumerate(edition.cells):
        cell.id = f"slide-{number:03d}"
    return edition


def cut(executed: NotebookNode) -> list[Slide]:
    """Cut a notebook into slides.

    A slide begins at every heading, exercise and open question and at cells tagged `slide`, and
    where the last one is full; then the heading is repeated.
    """
    slides, asked = [Slide("")], False
    for cell in executed.cells:
        own = tags(cell)
        if own & _LEFT_OUT:
            continue
        if "teacher" in own:
            slides[-1].notes.append(cell.copy())
            continue
        begins = own & _BEGINS or (asked and cell.cell_type == "markdown")
        if begins and slides[-1].cells and not _HEADING.match(cell.source):
            slides.append(Slide(slides[-1].heading))
        if cell.cell_type == "markdown":
            asked = bool(own & _ASKS)
        for piece, lines in _pieces(cell):
            if piece.cell_type == "markdown" and _HEADING.match(piece.source):
                if slides[-1].cells:
                    slides.append(Slide(""))
                above = slides[-1].heading
                slides[-1].heading = f"{above}\n\n{piece.source}" if above else piece.source
                continue
            if slides[-1].cells and slides[-1].lines + lines > LINES:
                slides.append(Slide(slides[-1].heading))
            slides[-1].cells.append(piece)
            slides[-1].lines += lines
    if stand_ins := re.findall(r"^(\w+): SIMULATED", _printed(executed), re.MULTILINE):
        note = f"SIMULATED data stand in for the real labels of {', '.join(stand_ins)}."
        slides[0].cells.append(new_markdown_cell(f"**{note}**"))  # type: ignore[no-untyped-call]
    return [slide for slide in slides if slide.cells]


def _printed(executed: NotebookNode) -> str:
    outputs = (output for cell in executed.cells for output in cell.get("outputs", ()))
    return "".join(output.text for output in outputs if output.output_type == "stream")


def _shown(slide: Slide) -> Iterator[NotebookNode]:
    """Yield the cells of a slide."""
    heading = new_markdown_cell(slide.heading)  # type: ignore[no-untyped-call]
    kinds = [(heading, "slide"), *((cell, "-") for cell in slide.cells)]
    for cell, kind in [*kinds, *((note, "notes") for note in slide.notes)]:
        cell.metadata = from_dict({**cell.metadata, "slideshow": {"slide_type": kind}})  # type: ignore[no-untyped-call]
        yield cell


def _pieces(cell: NotebookNode) -> Iterator[tuple[NotebookNode, float]]:
    """Yield what a slide may show of a cell, and the lines that it takes."""
    if cell.cell_type == "markdown":
        for block in _with_announced_lists(_blocks(cell.source)):
            piece = new_markdown_cell(block)  # type: ignore[no-untyped-call]
            piece.metadata = cell.metadata
            yield piece, text_lines(block)
        return
    out = sum(_output_lines(output) for output in cell.get("outputs", ()))
    if not out:
        return  # what only prepares the next cell is for the notebook
    code = CODE_LINE * (cell.source.count("\n") + 1) + 0.5
    shown = cell.copy()  # type: ignore[no-untyped-call]
    too_wide = max(map(len, cell.source.splitlines())) > CODE_WIDTH
    if "figure" in tags(cell) or too_wide or code + out > LINES:
        shown.metadata = from_dict({**cell.metadata, "tags": [*tags(cell), OUTPUT_ALONE]})  # type: ignore[no-untyped-call]
        code = 0.0
    yield shown, code + out


def _output_lines(output: NotebookNode) -> float:
    if output.output_type == "stream":
        return float(CODE_LINE * (output.text.count("\n") + 1))
    data = output.get("data", {})
    if "image/png" in data:
        _, height = struct.unpack(">II", base64.b64decode(data["image/png"])[16:24])
        return min(float(height) / FIGURE_PIXELS, FIGURE_LINES)
    if "text/html" in data:
        html = "".join(data["text/html"])
        if "<p" in html:  # the options of a choice
            return sum(text_lines(re.sub(r"<[^>]*>", "", p)) for p in html.split("</p>"))
        return ROW * (html.count("<tr") + 1)
    return CODE_LINE * ("".join(data.get("text/plain", "")).count("\n") + 1)


def text_lines(block: str) -> float:
    """Estimate the lines that a block of markdown takes on a slide."""
    lines = block.splitlines()
    if block.startswith("$$"):
        return 2.5 * max(1, block.count(r"\\") + 1)
    if block.startswith("```"):
        return CODE_LINE * len(lines)
    if block.startswith("|"):
        rows = [line for line in lines if not re.fullmatch(r"[|\s:-]+", line)]
        return sum(ROW * math.ceil(ROW * len(row) / WIDTH) for row in rows) + 0.5
    items = re.split(r"\n(?=\s*(?:[-*]|\d+\.) )", block)
    paragraphs = 1 + block.count("\n\n")
    return sum(math.ceil(len(_read(item)) / WIDTH) for item in items) + 0.5 * paragraphs


def _read(text: str) -> str:
    """Return a text about as long as it is read: without addresses and marks."""
    return re.sub(r"\]\([^)]*\)|[*`$\\{}]", "", text)


def _blocks(source: str) -> Iterator[str]:
    """Yield the paragraphs, formulas, lists and tables of a text, none longer than a slide."""
    block: list[str] = []
    fence = ""
    for line in [*source.splitlines(), ""]:
        opened = _FENCE.match(line.strip())
        if fence:
            block.append(line)
            if line.rstrip().endswith(fence):
                fence = ""
            continue
        if opened and not (line.strip() != opened[1] and line.rstrip().endswith(opened[1])):
            fence = opened[1]
        if line.strip():
            block.append(line)
        elif block:
            yield from _cut("\n".join(block))
            block = []


def _with_announced_lists(blocks: Iterator[str]) -> Iterator[str]:
    """Join a line that announces a list with the list, if a slide holds both."""
    line = ""
    for block in blocks:
        if line:
            both = f"{line}\n\n{block}"
            if _ITEM.match(block) and text_lines(both) <= LINES:
                yield both
                line = ""
                continue
            yield line
            line = ""
        if block.endswith((":", "**")) and not _ITEM.match(block):
            line = block
        else:
            yield block
    if line:
        yield line


def _cut(block: str) -> Iterator[str]:
    """Cut a paragraph or list that is longer than a slide at sentences or items."""
    if text_lines(block) <= LINES or block.startswith(("$$", "```", "|", "<")):
        yield block
        return
    between = "\n" if _ITEM.match(block) else " "
    whole = block if between == "\n" else " ".join(block.split())
    parts = re.split(r"\n(?=[-*\d])", whole) if between == "\n" else _SENTENCE.split(whole)
    kept = ""
    for part in parts:
        longer = f"{kept}{between}{part}" if kept else part
        if kept and text_lines(longer) > LINES:
            yield kept
            longer = part
        kept = longer
    yield kept
