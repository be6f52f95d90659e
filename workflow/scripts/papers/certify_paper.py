"""Certify a paper in the form of CODECHECK: what reproduces, what differs and why, on which data.

The form is version 1.0 of https://codecheck.org.uk/spec/config/. Version 2.0 demands what a
self-made certificate can't have: an identifier of the register, and every author's ORCID.
"""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from annobench import __version__
from annobench.core.files import recording, replacing
from annobench.core.texts import counted
from annobench_replication.exhibit import heading
from annobench_replication.faces import GROUNDS, Tally
from annobench_replication.ledger import read_comparison
from annobench_replication.pages import render
from pages.counts import judged
from pages.discrepancies import PART_WORDS, of_paper
from pages.records import read_metas, read_record, simulated
from pages.runner import RUNNER

SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0/"

#: What every certificate says of itself.
SELF_MADE = (
    "This is a self-made certificate in CODECHECK's form, not an independent check by CODECHECK."
)

#: What stands in place of an identifier of CODECHECK's register.
UNREGISTERED = "none: CODECHECK's register has no entry for it"

#: What a record may leave out.
EMPTY: dict[str, Any] = {
    "url": "",
    "contents": [],
    "layouts": [],
    "missing_figures": [],
    "stand_ins": [],
}

#: Where the page of a certificate is, from its `codecheck.yml`.
PAGE = "codecheck/certificate.html"


def manifest(paper: dict[str, Any], folder: Path) -> list[dict[str, str]]:
    """List the files of a paper's results, each with what it is.

    Raises
    ------
    FileNotFoundError
        Naming a file that is missing.
    """
    captions = json.loads((folder / "captions.json").read_text(encoding="utf-8"))
    files = dict(_files(paper, captions))
    if gone := [name for name in files if not (folder / name).is_file()]:
        raise FileNotFoundError(
            f"{folder}: {', '.join(gone)} missing. Make the results first: "
            f"`snakemake --cores all {paper['key']}`."
        )
    return [{"file": name, "comment": comment} for name, comment in files.items()]


def _files(paper: dict[str, Any], captions: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    yield "comparison.csv", "Every printed value, the computed value, and the verdict"
    yield "computed.csv", "Every computed value"
    for table in paper["layouts"]:
        title = f"{table['source']}. {table['title']}"
        yield f"printed/{table['name']}.csv", f"{title}; printed and computed values"
    for kind, suffix, contents in (("figures", "svg", paper["contents"]), ("tables", "csv", ())):
        for each in paper[kind]:
            title = heading(each["source"], each["title"], contents)
            caption = captions[each["name"] if kind == "figures" else f"tables/{each['name']}"]
            yield (
                f"{kind}/{each['name']}.{suffix}",
                f"{title}; {GROUNDS[caption['provenance']]}",
            )


def summary(paper: dict[str, Any], tally: Tally, metas: list[dict[str, Any]]) -> list[str]:
    """Say what became of the printed values, on which data, and who checked."""
    values = "No printed value was checked."
    if tally.total:
        values = (
            f"Of {counted(tally.total, 'printed value')}, {tally.judged:,} can be judged"
            f"{': ' if tally.judged else ''}{judged(tally)}."
        )
    stand_ins = [f"data set {meta['id']}" for meta in simulated(metas)]
    stand_ins += [each["what"] for each in paper["stand_ins"]]
    data = "No data set is used."
    if metas:
        n_real = len(metas) - len(simulated(metas))
        data = f"Data: {counted(n_real, 'real data set')}."
    if stand_ins:
        data += f" Simulated in place of real labels: {', '.join(stand_ins)}."
    return [values, data, SELF_MADE]


def configuration(
    paper: dict[str, Any], files: list[dict[str, str]], said: list[str], checked: datetime
) -> str:
    """Return the `codecheck.yml` of a paper.

    Parameters
    ----------
    paper : dict
        Its record.
    files : list of dict
        The manifest.
    said : list of str
        The summary's sentences.
    checked : datetime
        When the verdicts were computed.
    """
    written = {
        "version": SPECIFICATION,
        "manifest": files,
        "paper": {
            "title": paper["title"],
            "authors": [{"name": name} for name in re.split(r", | and ", paper["authors"])],
            "reference": paper["url"] or f"{paper['venue']}, {paper['year']}",
        },
        "codechecker": [{"name": RUNNER}],
        "report": f"annobench {__version__}, {paper['key']}, {PAGE}",
        "summary": " ".join(said),
        "check_time": checked.isoformat(timespec="seconds"),
        "annobench": {"version": __version__, "certificate": UNREGISTERED},
    }
    text = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=100)
    return f"%YAML 1.1\n---\n{text}"


def main(record: Path, comparison: Path, metas: list[str], checked: datetime) -> tuple[str, str]:
    """Return a paper's `codecheck.yml` and the page of its certificate."""
    paper, compared = EMPTY | read_record(record), read_comparison(comparison)
    data, tally = read_metas(metas), Tally.of(compared)
    files, said = manifest(paper, comparison.parent), summary(paper, tally, data)
    page = render(
        "codecheck.html.j2",
        paper=paper,
        said=said,
        tally=tally,
        found=of_paper(paper["key"], compared, record),
        part_words=PART_WORDS,
        metas=data,
        files=files,
        facts=_facts(checked),
    )
    return configuration(paper, files, said, checked), page


def _facts(checked: datetime) -> dict[str, str]:
    return {
        "Checked by": RUNNER,
        "Verdicts computed": f"{checked:%Y-%m-%d %H:%M} UTC",
        "Software": f"annobench {__version__}",
        "CODECHECK's identifier": UNREGISTERED,
    }


def written_at(path: Path) -> datetime:
    """Return when a file was written."""
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=f"{snakemake.rule} {snakemake.wildcards.paper}"):
        comparison = Path(snakemake.input.comparison)
        written = main(
            record=Path(snakemake.input.record),
            comparison=comparison,
            metas=snakemake.input.get("metas", []),
            checked=written_at(comparison),
        )
        for path, text in zip(snakemake.output, written, strict=True):
            with replacing(path) as draft:
                draft.write_text(text, encoding="utf-8")
