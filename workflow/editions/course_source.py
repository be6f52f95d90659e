"""The editions of a session: what each takes from the one source; and faults of a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import jupytext
from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_markdown_cell, new_notebook

from annobench_course.errors import CourseError
from annobench_course.exercise import Lesson
from annobench_course.results import Results
from annobench_course.source import TEACHERS

#: Tags of cells, by the type of the cell.
TAGS = {
    "markdown": {"exercise", "hint", "asked", "teacher", "open", "rubric", "slide", "noslide"},
    "code": {"figure", "exercise", "solution", "check", "noslide"},
}
#: The cell in whose place teachers get the solution.
STUB = "exercise"
#: A hint that no notebook shows, and that `session.hint` gives.
ASKED = "asked"

#: What students import of the library and of the course; what they hold is reached from there.
_IMPORTS = ("import annobench as ab", "import annobench_course as course")
#: And the module of a public data set.
_DATA_IMPORT = re.compile(r"from annobench_datasets import \w+")

_QUOTED = re.compile(r'{{\s*(result|printed)\("([\w.-]+)",\s*"([^"]+)"\)\s*}}')
#: What begins the statement of an exercise, with its title if it has one.
_STATEMENT = re.compile(r"\*\*Exercise (\w+\.\w+)[^*]*\*\*")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.S)
_FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$\n]+(?:\n[^$\n]+)*?\$", re.S)
_DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?!\.?\w)")
#: Where numbers are no values: links and the identifiers of what is read, numbers of exercises.
_NAMES = re.compile(
    r"\]\([^)]*\)|https?://\S+|\b10\.\d{4,}/\S+|\b(?:Exercise|Session)s?\s[\d.,and\s–-]+"
)


def read_source(path: Path) -> NotebookNode:
    """Read a session's source; its cells are numbered, so that an edition is the same each time."""
    notebook = jupytext.read(path, fmt="md:myst")
    session = path.parent.name.removeprefix("s").replace("_", "-")
    shown = (cell for cell in notebook.cells if ASKED not in tags(cell))
    for n, cell in enumerate(shown):
        cell.id = f"{session}-{n:03d}"
    return notebook


def tags(cell: NotebookNode) -> set[str]:
    """Return the tags of a cell."""
    return set(cell.metadata.get("tags", ()))


def planned(source: NotebookNode, lesson: Lesson, exercises: Iterable[str]) -> NotebookNode:
    """Return a source that says of each exercise when it is done, and teachers their timing.

    The plan is told after the heading, and each exercise is marked. A session without a worksheet
    has no plan.
    """
    if not lesson.worksheet:
        return source
    found = source.copy()  # type: ignore[no-untyped-call]
    found.cells = [cell.copy() for cell in source.cells]
    for cell in found.cells:
        if cell.cell_type == "markdown" and "exercise" in tags(cell):
            cell.source = _STATEMENT.sub(
                lambda stated: f"{stated[0]} *({lesson.when(stated[1])})*", cell.source
            )
    texts = {"noslide": _plan(lesson, exercises)}
    notes = next((cell for cell in found.cells if "teacher" in tags(cell)), None)
    if notes is None:
        texts["teacher"] = _timing(lesson)
    else:
        notes.source += f"\n\n{_timing(lesson)}"
    for place, (tag, text) in enumerate(texts.items(), 1):
        cell = new_markdown_cell(text)  # type: ignore[no-untyped-call]
        cell.id, cell.metadata = f"{source.cells[0].id}-{tag}", from_dict({"tags": [tag]})
        found.cells.insert(place, cell)
    return found


def _plan(lesson: Lesson, exercises: Iterable[str]) -> str:
    home = [id for id in exercises if lesson.when(id) == "homework"]
    rest = f"homework: {_listed(home)}, and the open questions" if home else "the open questions"
    inside = f" In class: {_listed(lesson.in_class)}." if lesson.in_class else ""
    return (
        f"**Plan.** Before class, the worksheet: {_listed(lesson.worksheet)}, with the text before "
        f"each.{inside} Afterwards, {rest}."
    )


def _timing(lesson: Lesson) -> str:
    rows = [f"| {n} | {what} | {', '.join(ids)} |" for n, what, ids in lesson.timing]
    return "\n".join(["| minutes | in class | exercises |", "|--:|---|---|", *rows])


def _listed(exercises: Sequence[str]) -> str:
    *others, last = exercises
    return f"Exercises {', '.join(others)} and {last}" if others else f"Exercise {last}"


def quote(text: str, results: Results) -> str:
    """Put values in place of `{{ result("paper", "id") }}` and `{{ printed("paper", "id") }}`."""

    def value(match: re.Match[str]) -> str:
        kind, paper, target = match.groups()
        found = results.value(paper, target)
        if kind == "printed":
            return found.published
        mark = " (from simulated labels)" if found.is_simulated else ""
        return found.rounded() + mark

    return _QUOTED.sub(value, text)


def student_edition(source: NotebookNode, results: Results) -> NotebookNode:
    """Return the notebook that students fill in."""
    return _edition(source, results, lambda cell: not tags(cell) & TEACHERS)


def solutions_edition(source: NotebookNode, results: Results) -> NotebookNode:
    """Return the notebook with solutions, rubrics and notes for the teacher."""
    return _edition(source, results, lambda cell: not _is_stub(cell))


def page_edition(student: NotebookNode, executed: NotebookNode) -> NotebookNode:
    """Return the student edition with outputs of the cells that it shares with the solutions."""
    outputs = {cell.id: cell.outputs for cell in executed.cells if cell.cell_type == "code"}
    page = student.copy()
    page.cells = []
    for cell in student.cells:
        shown = cell.copy()
        if cell.cell_type == "code" and not tags(cell) & {STUB, "check"}:
            shown.outputs = outputs[cell.id]
        page.cells.append(shown)
    return page


#: Cells that are folded, or that one edition lacks: no section begins in them.
_CLOSED = {"hint", "exercise", "teacher", "open", "rubric"}


def faults(source: NotebookNode, exercises: list[str]) -> Iterator[str]:
    """Yield what is wrong with a source: tags, the order of an exercise's cells, typed values."""
    checked: list[str] = []
    cells = source.cells
    for n, cell in enumerate(cells):
        where = f"cell {n} ({cell.source.splitlines()[0][:50] if cell.source else 'empty'!r})"
        if unknown := tags(cell) - TAGS.get(cell.cell_type, set()):
            yield f"{where}: unknown tags {', '.join(sorted(unknown))}"
        if cell.cell_type == "code":
            imported = re.findall(r"^\s*((?:from|import) annobench.*)", cell.source, re.MULTILINE)
            yield from (
                f"{where}: {line!r}; write {' or '.join(map(repr, _IMPORTS))}"
                for line in imported
                if line not in _IMPORTS and not _DATA_IMPORT.fullmatch(line)
            )
        if cell.cell_type == "markdown":
            yield from (f"{where}: {fault}" for fault in _typed(cell.source))
            if tags(cell) & _CLOSED and (
                heading := re.search(r"^#+ .*", cell.source, re.MULTILINE)
            ):
                yield f"{where}: the section {heading[0]!r} stands in it; end the cell by +++"
        if _is_stub(cell) and (n + 1 == len(cells) or "solution" not in tags(cells[n + 1])):
            yield f"{where}: no solution follows the stub"
        if "solution" in tags(cell) and not _is_stub(cells[n - 1]):
            yield f"{where}: a solution without a stub before it"
        if "check" in tags(cell):
            checked += re.findall(r'session\.check\("([\w.]+)"', cell.source)
        if "open" in tags(cell) and (n + 1 == len(cells) or "rubric" not in tags(cells[n + 1])):
            yield f"{where}: no rubric follows the open question"
    if checked != exercises:
        yield f"cells tagged check have the exercises {checked}, the module has {exercises}"
    stated = [
        name
        for cell in cells
        if cell.cell_type == "markdown" and "exercise" in tags(cell)
        for name in re.findall(r"\*\*Exercise (\w+\.\w+)", cell.source)
    ]
    if stated != exercises:
        yield f"statements of exercises have the numbers {stated}, the module has {exercises}"


def _typed(markdown: str) -> Iterator[str]:
    """Yield decimal numbers that are typed in prose, and substitutions that are none."""
    rest = _QUOTED.sub(" ", markdown)
    for pattern in (_CODE, _FORMULA, _NAMES):
        rest = pattern.sub(" ", rest)
    for number in _DECIMAL.findall(rest):
        yield f"the number {number} is typed; quote it by result(...), or compute it in a cell"
    if "{{" in rest:
        yield 'a substitution is none of {{ result("paper", "id") }}, {{ printed("paper", "id") }}'


def _edition(
    source: NotebookNode, results: Results, keep: Callable[[NotebookNode], bool]
) -> NotebookNode:
    edition = new_notebook(metadata={"kernelspec": source.metadata["kernelspec"]})
    edition.metadata["language_info"] = {"name": "python"}
    for cell in filter(keep, source.cells):
        own, shown = tags(cell), cell.copy()
        if ASKED in own:
            continue
        shown.metadata = from_dict({"tags": sorted(own)} if own else {})
        if cell.cell_type == "markdown":
            try:
                shown.source = _dressed(quote(cell.source, results), own)
            except CourseError as error:
                raise CourseError(f"{cell.id}: {error}") from None
        if "check" in own:
            shown.metadata.update(editable=False, deletable=False)
        edition.cells.append(shown)
    return edition


def _dressed(markdown: str, own: set[str]) -> str:
    """Fold a hint, and name what is for the teacher."""
    if "hint" in own:
        return f"<details><summary>Hint</summary>\n\n{markdown}\n\n</details>"
    for tag, name in {"teacher": "Teacher's note", "rubric": "Rubric"}.items():
        if tag in own and not markdown.startswith("**"):
            return f"**{name}.** {markdown}"
    return markdown


def _is_stub(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and STUB in tags(cell)
