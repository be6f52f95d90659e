"""Find formulas in pages that stand there as they were typed."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

#: Where text is shown as typed, or isn't shown.
VERBATIM = {"code", "pre", "script", "style", "kbd", "samp", "textarea", "title", "annotation"}

#: A formula of TeX between dollars: with a command, an index or an exponent, or a lone symbol; not
#: a price, and not a prompt.
_FORMULA = re.compile(
    r"\$\$[^$]+\$\$|\$(?=[^$\s])(?:[^$\n]*[\\^_={}][^$\n]*|[A-Za-z])(?<=\S)\$|\\\(|\\\[|\\begin\{"
)

#: What a converter to MathML doesn't know, and leaves.
_COMMAND = re.compile(r"\\\w+")


class _Text(HTMLParser):
    """Collect text that is not verbatim, and commands left in formulas, by their lines."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.in_math = False
        self.found: list[tuple[int, str]] = []
        self.commands: list[tuple[int, str]] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.in_math = self.in_math or tag == "math"
        if tag in VERBATIM:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        self.in_math = self.in_math and tag != "math"
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        if self.in_math:
            self.commands += [(self.getpos()[0], found) for found in _COMMAND.findall(data)]
        elif not self.open:
            self.found.append((self.getpos()[0], data))


def in_page(html: str) -> list[tuple[int, str]]:
    """Return the formulas that a page shows as typed, each with its line.

    Parameters
    ----------
    html : str
        A page. What it shows as code is not searched.

    Returns
    -------
    list of tuple of int and str
        Line, counted from 1, and formula.
    """
    if "$" not in html and "\\" not in html:
        return []
    parser = _Text()
    parser.feed(html)
    parser.close()
    typed = [(line, found[0]) for line, text in parser.found for found in _FORMULA.finditer(text)]
    return sorted(typed + parser.commands)


def in_folder(folder: Path) -> Iterator[str]:
    """Name the formulas that the pages of a folder show as typed.

    Parameters
    ----------
    folder : Path
        Searched with all below it.

    Yields
    ------
    str
        Page, line and formula.
    """
    for page in sorted(folder.rglob("*.html")):
        for line, formula in in_page(page.read_text(encoding="utf-8")):
            yield f"{page.relative_to(folder)}, line {line}: {formula}"
