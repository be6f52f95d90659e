"""Let names of methods and data sets in the documentation lead to their pages."""

import os
import re
from collections.abc import Mapping
from html import escape, unescape
from itertools import pairwise
from pathlib import Path

#: What of a page is no text: fences, formulas, headings, links and pictures, code within a line.
_NO_TEXT = re.compile(
    r"^```.*?^```[^\n]*$|\$\$.*?\$\$|\$[^$\n]+\$|^#[^\n]*$|!?\[[^\]]*\]\([^)]*\)|\{\w+\}`[^`]*`|`[^`\n]+`",
    re.DOTALL | re.MULTILINE,
)
_TARGET = re.compile(r"\]\(([^)#\s]+)")
#: A title that is a name, as "Scott's pi" and "GLAD" are and "Voting" isn't.
_NAME = re.compile(r"'s |.[A-Z]")


def known(source: Path) -> dict[str, Path]:
    """Return the pages of a site by the names that documents have for them.

    Parameters
    ----------
    source : Path
        Folder of the site's sources.

    Returns
    -------
    dict of str to Path
        Titles of coefficients and models that are names, and ids of data sets as code.
    """
    titles = {
        page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# "): page
        for folder in ("coefficients", "models")
        for page in sorted((source / folder).glob("*.md"))
        if page.stem != "index"
    }
    ids = {f"`{page.parent.name}`": page for page in (source / "datasets").glob("*/index.html")}
    return {title: page for title, page in titles.items() if _NAME.search(title)} | ids


def linked(text: str, page: Path, names: Mapping[str, Path]) -> str:
    """Link each name where a page first says it, unless the page links to its target anyway.

    Parameters
    ----------
    text : str
        Markdown.
    page : Path
        Where it stands.
    names : mapping of str to Path
        What `known` returns.

    Returns
    -------
    str
        The text with links.
    """
    targets = {os.path.normpath(page.parent / target) for target in _TARGET.findall(text)}
    open_names = {
        name: target
        for name, target in names.items()
        if target != page and os.path.normpath(target) not in targets
    }

    def link(name: str, words: str) -> str:
        target = open_names.pop(name)
        for other in [other for other, its in open_names.items() if its == target]:
            del open_names[other]
        return f"[{words}]({os.path.relpath(target, page.parent)})"

    def in_text(plain: str) -> str:
        for name in sorted(open_names, key=len, reverse=True):
            pattern = r"\b" + r"\s+".join(map(re.escape, name.split())) + r"\b"
            found = None if name.startswith("`") else re.search(pattern, plain)
            if found:
                return (
                    in_text(plain[: found.start()])
                    + (link(name, found[0]) if name in open_names else found[0])
                    + in_text(plain[found.end() :])
                )
        return plain

    parts, end = [], 0
    for other in _NO_TEXT.finditer(text):
        parts.append(in_text(text[end : other.start()]))
        parts.append(link(other[0], other[0]) if other[0] in open_names else other[0])
        end = other.end()
    return "".join([*parts, in_text(text[end:])])


#: A piece of HTML: an element whose text stays as it is, a tag, or text.
_PIECE = re.compile(
    r"<(script|style|svg|math|pre|a|h[1-6]|thead|summary|figcaption)\b.*?</\1>|<[^>]*>|[^<]+",
    re.DOTALL,
)


def linked_in_html(text: str, page: Path, names: Mapping[str, Path]) -> str:
    """Link the names of methods and data sets on a computed page.

    A cell, or code, that is a name is linked always; within a text the first one of a page is, if
    it can't be a word of the language.

    Parameters
    ----------
    text : str
        HTML.
    page : Path
        Where it stands.
    names : mapping of str to Path
        What `known` returns, and pages by their names.

    Returns
    -------
    str
        The text with links.
    """
    plain = {name.strip("`"): target for name, target in names.items() if target != page}
    names_in_text = sorted((n for n in plain if re.search(r"\W|_|\d", n)), key=len, reverse=True)
    words_of_names = "|".join(map(re.escape, names_in_text))
    pattern = re.compile(rf"(?<![\w./])({words_of_names})(?![\w/]|\.\w)")
    linked_once: set[Path] = set()

    def link(words: str) -> str:
        target = plain[words].with_suffix(".html")
        return f'<a href="{os.path.relpath(target, page.parent)}">{escape(words)}</a>'

    def first(found: re.Match[str]) -> str:
        target = plain[found[0]]
        if target in linked_once:
            return escape(found[0], quote=False)
        linked_once.add(target)
        return link(found[0])

    def mended(piece: re.Match[str]) -> str:
        if piece[0].startswith("<"):
            return piece[0]
        words = unescape(piece[0])
        if words.strip() in plain:
            linked_once.add(plain[words.strip()])
            return words.replace(words.strip(), link(words.strip()))
        if not names_in_text or not pattern.search(words):
            return piece[0]
        ends = [0, *(end for found in pattern.finditer(words) for end in found.span()), len(words)]
        parts = [words[a:b] for a, b in pairwise(ends)]
        return "".join(
            pattern.sub(first, part) if n % 2 else escape(part, quote=False)
            for n, part in enumerate(parts)
        )

    return _PIECE.sub(mended, text)


def ids(source: Path) -> dict[str, Path]:
    """Return the pages of coefficients, models and data sets by the names that code has for them.

    Parameters
    ----------
    source : Path
        Folder of the site's sources.

    Returns
    -------
    dict of str to Path
        By file or, of data sets, folder.
    """
    pages = {
        page.stem: page
        for folder in ("coefficients", "models")
        for page in sorted((source / folder).glob("*.md"))
        if page.stem not in ("index", "intervals")
    }
    return pages | {page.parent.name: page for page in (source / "datasets").glob("*/index.html")}
