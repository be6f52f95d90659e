"""Write what the stored study of the pool says into the pages about it."""

import re
from pathlib import Path

from studies.pool.quotes import quote_data_sets, quote_decision

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured/pool"
#: Pages, and what writes their part from the tables.
PAGES = {
    TOP / "docs/explanation/pool.md": quote_decision,
    TOP / "docs/models/pool.md": quote_data_sets,
}
BEGIN, END = "<!-- from the stored tables: make pool -->", "<!-- end of what is stored -->"


def quoting(page: Path, text: str) -> str:
    """Return the page's text with what the stored tables say between its two marks."""
    block = f"{BEGIN}\n{PAGES[page](STORED)}\n{END}"
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{page}: there must be one {BEGIN!r} with {END!r} after it.")
    return pattern.sub(lambda _: block, text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(quoting(page, text), encoding="utf-8")
