"""Write what the stored benchmark says of models into the pages about them."""

import re
from pathlib import Path

from annobench.benchmark.tables import read_tables
from pages.benchmark_quotes import quote_paun_models, quote_random_clumped

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured/aggregation"
#: Pages, and what writes their part from the tables.
PAGES = {
    TOP / "docs/models/random_clumped.md": quote_random_clumped,
    TOP / "docs/explanation/baselines.md": quote_paun_models,
}
BEGIN, END = "<!-- from the stored tables: make aggregation -->", "<!-- end of what is stored -->"


def quoting(page: Path, text: str, folder: Path) -> str:
    """Return the page's text with what the tables of a folder say between its two marks."""
    block = f"{BEGIN}\n{PAGES[page](read_tables(folder))}\n{END}"
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{page}: there must be one {BEGIN!r} with {END!r} after it.")
    return pattern.sub(lambda _: block, text)


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(quoting(page, text, STORED), encoding="utf-8")
