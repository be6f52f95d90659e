"""A study of our own, from its inputs to its page, without Snakemake."""

from pathlib import Path

from scripts.studies import analyse_study, render_study
from study_contract.record import read_study

WORKFLOW = Path(__file__).parents[1] / "workflow"


def run_study(key, study, folder):
    """Write the tables, figures and page of a study into a folder, and return the page."""
    record = read_study(WORKFLOW / "studies" / key / "study.yaml")
    analyse_study.main(key, study, folder, record.tables)
    templates = [record.folder, WORKFLOW / "site"]
    render_study.main(key, folder, study.files, folder, templates)
    assert all((folder / f"{name}.svg").stat().st_size for name in record.figures)
    return (folder / "index.html").read_text(encoding="utf-8")
