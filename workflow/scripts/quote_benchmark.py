"""Write what the stored benchmark says of a model into the model's page."""

import re
from pathlib import Path

from annobench.studies.benchmark.tables import read_tables
from annobench.studies.calibration import quote

TOP = Path(__file__).parents[2]
STORED = TOP / "benchmarks/measured/aggregation"
PAGE = TOP / "docs/models/random_clumped.md"
BEGIN, END = "<!-- from the stored tables: make aggregation -->", "<!-- end of what is stored -->"


def quoting(text: str, folder: Path) -> str:
    """Return the page with what the tables of a folder say between its two marks."""
    block = f"{BEGIN}\n{quote(read_tables(folder))}\n{END}"
    pattern = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise SystemExit(f"{PAGE}: there must be one {BEGIN!r} with {END!r} after it.")
    return pattern.sub(lambda _: block, text)


if __name__ == "__main__":
    PAGE.write_text(quoting(PAGE.read_text(encoding="utf-8"), STORED), encoding="utf-8")
