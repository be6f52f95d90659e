"""Links among the files of the repository lead to files, and to headings of these."""

import re
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt

from commands import release

TOP = Path(__file__).parents[2]
PAGES = {
    str(path.relative_to(TOP)): path
    for pattern in ("*.md", "docs/**/*.md", "*/README.md", "benchmarks/*/README.md")
    for path in sorted(TOP.glob(pattern))
}
#: Beside the pages: what hosts, archives and indexes read.
OTHERS = [
    *("CITATION.cff", ".zenodo.json", "pyproject.toml", "workflow/generator/conf.py"),
    *(str(path.relative_to(TOP)) for path in sorted(TOP.glob(".github/ISSUE_TEMPLATE/*"))),
]
#: Of a host, below the repository's address.
OF_HOST = {"", "/issues", "/security/advisories/new"}


def slug(heading: str) -> str:
    """Return a heading's anchor, as hosts of repositories form it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(text: str) -> set[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    titles = [
        "".join(part.content for part in inline.children or () if part.type != "html_inline")
        for heading, inline in pairwise(tokens)
        if heading.type == "heading_open"
    ]
    times: Counter[str] = Counter()
    found = set()
    for name in map(slug, titles):
        found.add(f"{name}-{times[name]}" if times[name] else name)
        times[name] += 1
    return found


@cache
def anchors_of(path: Path) -> set[str]:
    return anchors(path.read_text(encoding="utf-8"))


def targets(text: str) -> list[str]:
    """Return where links and pictures of a page lead."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    parts = [part for token in tokens for part in token.children or ()]
    links = [part.attrGet("href") or part.attrGet("src") for part in parts]
    return [str(link) for link in links if link]


def broken(path: Path, text: str) -> list[str]:
    """Return the links of a page that lead to no file, or to no heading."""
    wrong = []
    for link in targets(text):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, anchor = unquote(link).partition("#")
        target = (path.parent / place).resolve() if place else path
        if (
            not target.exists()
            or not target.is_relative_to(TOP)
            or (anchor and target.suffix == ".md" and anchor not in anchors_of(target))
        ):
            wrong.append(link)
    return wrong


@pytest.mark.parametrize("name", PAGES)
def test_links_of_a_page_lead_to_files_and_headings(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert broken(PAGES[name], text) == []
    assert release.PLACEHOLDER not in "".join(targets(text)), "a link to nowhere"


def test_links_that_lead_nowhere_are_reported():
    page = TOP / "docs/page.md"
    text = (
        "# A `b`: c\n\n## Twice\n\n## Twice\n\n[1](README.md) ![2](verdicts.svg) [3](#twice-1) "
        "[4](none.md) ![5](none.svg) [6](README.md#none) [7](../../none)\n\n`[8](none)`\n"
    )
    assert anchors(text) == {"a-b-c", "twice", "twice-1"}
    assert broken(page, text.replace("#twice-1", "README.md#documentation")) == [
        *("none.md", "none.svg", "README.md#none", "../../none"),
    ]


@pytest.mark.parametrize("name", OTHERS)
def test_addresses_within_the_repository_lead_to_files(name):
    text = (TOP / name).read_text(encoding="utf-8")
    address = re.escape(release.address())
    for place in re.findall(rf"{address}([^\s\"'>)]*)", text):
        file = re.fullmatch(r"/(?:blob|tree|raw)/main/([^#]+)", place)
        assert (TOP / file[1]).exists() if file else place in OF_HOST, place


def readme_of(top: Path) -> str:
    """Return the description that an index would show of a copy of the project."""
    build = "import setuptools.build_meta as b; print(b.prepare_metadata_for_build_wheel('.'))"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=top, check=True, capture_output=True, text=True
    )
    metadata = top / done.stdout.splitlines()[-1] / "METADATA"
    return metadata.read_text(encoding="utf-8").partition("\n\n")[2]


def test_an_index_shows_the_readme_with_links_to_the_address_once_there_is_one(tmp_path):
    package = tmp_path / "src/annobench"
    package.mkdir(parents=True)
    (package / "__init__.py").symlink_to(TOP / "src/annobench/__init__.py")
    for name in ("README.md", "LICENSE", "setup.py", "docs", "notebooks"):
        (tmp_path / name).symlink_to(TOP / name)
    settings = (TOP / "pyproject.toml").read_text(encoding="utf-8")
    readme = (TOP / "README.md").read_text(encoding="utf-8")
    for address in (release.PLACEHOLDER, "https://example.org/lab/annobench"):
        text = settings.replace(release.address(), address)
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        shown = readme_of(tmp_path)
        if address == release.PLACEHOLDER:
            assert shown.strip() == readme.strip()
            continue
        links = targets(shown)
        assert len(links) == len(targets(readme)) > 10
        for link, own in zip(links, targets(readme), strict=True):
            file = own.partition("#")[0]
            kind = "tree" if (TOP / file).is_dir() else "raw" if file.endswith("svg") else "blob"
            assert link == f"{address}/{kind}/main/{own}"
