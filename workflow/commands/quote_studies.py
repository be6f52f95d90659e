"""Write what the stored tables of a study say into the pages about it."""

import re
import sys
from collections.abc import Callable
from pathlib import Path

from studies.default_model import quotes as default_model
from studies.guard.quotes import quote_cautions
from studies.pool import quotes as pool

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured"
#: Pages of each study, and what writes their part from the tables.
PAGES: dict[str, dict[Path, Callable[[Path], str]]] = {
    "default_model": {
        TOP / "docs/explanation/default-model.md": default_model.quote_decision,
        TOP / "docs/models/adjusted_dawid_skene.md": default_model.quote_data_sets,
    },
    "guard": {TOP / "docs/explanation/guard.md": quote_cautions},
    "pool": {
        TOP / "docs/explanation/pool.md": pool.quote_decision,
        TOP / "docs/models/pool.md": pool.quote_data_sets,
    },
}
END = "<!-- end of what is stored -->"


def quoting(study: str, page: Path, text: str) -> str:
    """Return the page's text with what the stored tables say between its two marks."""
    begin = f"<!-- from the stored tables: make {study.replace('_', '-')} -->"
    block = f"{begin}\n{PAGES[study][page](STORED / study)}\n{END}"
    pattern = re.compile(f"{re.escape(begin)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{page}: there must be one {begin!r} with {END!r} after it.")
    return pattern.sub(lambda _: block, text)


if __name__ == "__main__":
    for study in sys.argv[1:]:
        for page in PAGES[study]:
            text = page.read_text(encoding="utf-8")
            page.write_text(quoting(study, page, text), encoding="utf-8")
