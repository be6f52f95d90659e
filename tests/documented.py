"""The commands of the documentation, where they stand, and which test runs each.

`python tests/documented.py` prints the table of those that are run, and of those that are not with
the reasons that stand beside them.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import makefile

TOP = Path(__file__).parents[1]
PAGES = {
    str(path.relative_to(TOP)): path
    for path in [*sorted(TOP.glob("*.md")), *sorted((TOP / "docs").rglob("*.md"))]
    if path.name != "CHANGELOG.md"
}
#: What a command begins with.
PROGRAMS = {
    *("annobench", "make", "snakemake", "python", "python3", "pip", "git", "dask"),
    *("podman", "docker", "conda", "uv", "jupyter"),
}
#: Groups of commands, whose name says nothing without that of a command.
GROUPS = {"data", "course"}
#: Commands that need nothing beside their names; others without anything are named and not typed.
COMPLETE = {"annobench --version", "annobench data list"}
#: Pages with a test of their own, which runs all their blocks.
FOLLOWED = {
    "docs/how-to/compare-a-method.md": "tests/contract/test_compare_how_to.py",
    "docs/how-to/large-labels.md": "tests/contract/test_large_labels_how_to.py",
    "docs/how-to/own-session.md": "tests/course/test_own_session.py",
}
#: Who runs commands of other pages.
HERE = "tests/contract/test_documented_commands.py"
DRY = "tests/contract/test_make_targets.py, by dry runs"
#: A report has no dry run.
REPORTED = "tests/workflow/test_run.py"

#: Of the environment, before a command.
SETTINGS = re.compile(r"^(?:\w+=\S* )+")
FENCE = re.compile(r"^```([\w-]*)\n(.*?)^```$", flags=re.M | re.S)
#: A mark; in CONTRIBUTING one is shown as code.
MARK = re.compile(r"<!-- not run: ((?:(?!-->).)+) -->(?!`)", flags=re.S)
FILE = re.compile(r"^`([\w./-]+)`:?\n\n```\w*\n(.*?)^```$", flags=re.M | re.S)


@dataclass(frozen=True)
class Command:
    """A command as a page shows it."""

    page: str
    text: str
    #: Where it stands in the page.
    start: int
    #: Why it is not run, if the page says so.
    reason: str = ""
    #: What the page says that it prints.
    prints: str = ""
    #: Whether it stands in a sentence, and not in a block.
    in_sentence: bool = False

    @property
    def words(self) -> list[str]:
        """The words of the command, without settings before it and a comment behind it."""
        return shlex.split(SETTINGS.sub("", self.text), comments=True)

    @property
    def runner(self) -> str:
        """The test that runs it, or nothing."""
        program, *words = self.words
        if program == "make" and (words == ["help"] or makefile.runs_of_snakemake(words[0])):
            return DRY
        if self.reason:
            return ""
        if program == "snakemake":
            return REPORTED if "--report" in words else DRY
        followed = "" if self.in_sentence else FOLLOWED.get(self.page, "")
        if program == "annobench":
            return followed or HERE
        return followed


@cache
def text_of(page: str) -> str:
    """Return the text of a page."""
    return PAGES[page].read_text(encoding="utf-8")


def files(page: str) -> dict[str, str]:
    """Return the files that a page shows, each below its name."""
    return dict(FILE.findall(text_of(page)))


def commands(page: str) -> list[Command]:
    """Return the commands of a page, in its order."""
    return sorted([*_in_blocks(page), *_within_lines(page)], key=lambda command: command.start)


def scripts(page: str) -> Iterator[tuple[int, str]]:
    """Yield the places and texts of the Python that a page shows, but for sessions and files."""
    text, shown = text_of(page), files(page).values()
    if page in FOLLOWED:
        return
    for block in FENCE.finditer(text):
        language, code = block.groups()
        is_script = language == "python" and ">>>" not in code and code not in shown
        if is_script and not _mark_before(text, block.start()):
            yield block.start(), code


def _in_blocks(page: str) -> Iterator[Command]:
    text, shown = text_of(page), files(page).values()
    for block in FENCE.finditer(text):
        language, body = block.groups()
        if body in shown:  # a script, which has a test of its own
            continue
        lines = [line for line in body.replace("\\\n", " ").splitlines() if line.strip()]
        of_commands = any(SETTINGS.sub("", line).split()[0] in PROGRAMS for line in lines)
        if language not in ("", "sh", "shell", "bash", "console") or not of_commands:
            continue
        after = re.match(r"\n\n```text\n(.*?)^```$", text[block.end() :], flags=re.M | re.S)
        for n, line in enumerate(lines):
            last = n == len(lines) - 1
            yield Command(
                page,
                line,
                block.start() + n,
                reason=_mark_before(text, block.start()),
                prints=after[1] if after and last else "",
            )


def _within_lines(page: str) -> Iterator[Command]:
    text = FENCE.sub(lambda block: " " * len(block[0]), text_of(page))
    for code in re.finditer(r"(?<!`)`([^`]+)`(?!`)", text):
        line = " ".join(code[1].split())
        if line.split()[:1] and line.split()[0] in PROGRAMS and _is_whole(line):
            mark = re.match(rf"\s*{MARK.pattern}", text[code.end() :], flags=re.S)
            yield Command(page, line, code.start(), _reason(mark), in_sentence=True)


def _is_whole(line: str) -> bool:
    """Say whether code within a line is a command to type, and not the name of one."""
    program, *words = line.split()
    if program != "annobench":
        return bool(words)
    return line in COMPLETE or len(words) > 1 + (words[:1] != [] and words[0] in GROUPS)


def _mark_before(text: str, start: int) -> str:
    """Return the reason of a mark on the lines straight before a place."""
    marks = list(MARK.finditer(text, 0, start))
    is_beside = marks and not text[marks[-1].end() : start].strip()
    return _reason(marks[-1] if is_beside else None)


def _reason(mark: re.Match[str] | None) -> str:
    """Return the reason of a mark, in one line."""
    return " ".join(mark[1].split()) if mark else ""


def main() -> None:
    """Print which commands are run, by which test, and which are not, and why."""
    found = [command for page in PAGES for command in commands(page)]
    for runner, count in sorted(Counter(command.runner for command in found).items()):
        print(f"{count:4}  {runner or 'not run'}")
    for command in found:
        if not command.runner:
            print(f"      {command.page}: {command.text}\n        {command.reason or 'NO REASON'}")


if __name__ == "__main__":
    sys.exit(main())
