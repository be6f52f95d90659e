"""What hosts, archives and journals read: issue forms, citation, the paper, the sdist."""

import json
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml

from annobench_replication.schemas import BASES
from commands import release

TOP = Path(__file__).parents[2]
FORMS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in (TOP / ".github/ISSUE_TEMPLATE").glob("*.yml")
    if path.stem != "config"
}
CITATION = yaml.safe_load((TOP / "CITATION.cff").read_text(encoding="utf-8"))
ARCHIVE = json.loads((TOP / ".zenodo.json").read_text(encoding="utf-8"))
PROJECT = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAPER = (TOP / "paper.md").read_text(encoding="utf-8")
#: What a form may ask with, and what each of these needs beside its label.
ELEMENTS = {"input": set(), "textarea": set(), "dropdown": {"options"}, "checkboxes": {"options"}}


def test_there_is_a_form_for_a_number_a_paper_and_a_method():
    assert set(FORMS) == {"wrong_number", "new_paper", "new_method"}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_one_that_the_host_shows(name):
    form = FORMS[name]
    assert (
        {"name", "description", "body"}
        <= set(form)
        <= {*("name", "description", "title", "labels", "body")}
    )
    ids = [element["id"] for element in form["body"]]
    labels = [element["attributes"]["label"] for element in form["body"]]
    assert len(set(ids)) == len(ids)
    assert len(set(labels)) == len(labels)
    for element in form["body"]:
        assert set(element) <= {"type", "id", "attributes", "validations"}
        assert ELEMENTS[element["type"]] <= set(element["attributes"])
        options = element["attributes"].get("options", [])
        if element["type"] == "dropdown":
            # Unquoted, "none" alone and "no" would not be texts, which the host refuses.
            assert all(isinstance(option, str) for option in options)
            assert len(set(options)) == len(options) > 1
    assert any(element.get("validations", {}).get("required") for element in form["body"])


def options(form, id):
    [element] = [element for element in FORMS[form]["body"] if element["id"] == id]
    return element["attributes"]["options"]


def test_the_forms_use_the_words_of_the_repository():
    asked = {option.partition(" ")[0] for option in options("new_paper", "basis")}
    assert asked == set(BASES) - {"given"}
    known = re.findall(r"^\| ([^|]+) \|", (TOP / "CONTRIBUTING.md").read_text("utf-8"), re.M)
    *kinds, other = options("new_method", "kind")
    assert set(kinds) <= set(known)
    assert other == "something else"


def test_package_citation_and_archive_say_the_same():
    assert CITATION["title"] == ARCHIVE["title"]
    assert CITATION["title"] in PAPER
    assert CITATION["license"] == ARCHIVE["license"] == PROJECT["license"]
    assert CITATION["keywords"] == ARCHIVE["keywords"]
    names = [author["name"] for author in CITATION["authors"]]
    assert names == [creator["name"] for creator in ARCHIVE["creators"]]
    assert names == [author["name"] for author in PROJECT["authors"]]


def test_a_release_with_placeholders_is_refused_wherever_they_are():
    refused = {line.partition(":")[0] for line in release.unready()}
    for name in ("pyproject.toml", "CITATION.cff", ".zenodo.json", "paper.md"):
        assert name in refused, name
    assert "workflow/pages/runner.py" in refused


def test_the_paper_has_the_sections_and_the_length_that_the_journal_asks_for():
    _, _, text = PAPER.split("---\n", 2)
    assert re.findall(r"^# (.+)", text, re.M) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(text.split()) <= 1750


def test_the_paper_cites_what_its_bibliography_has():
    _, _, text = PAPER.split("---\n", 2)
    entries = re.findall(r"^@\w+\{(\w+),", (TOP / "paper.bib").read_text("utf-8"), re.M)
    assert set(re.findall(r"@(\w+)", text)) == set(entries)


def test_the_paper_counts_the_papers_and_the_dependencies_that_there_are():
    records = [yaml.safe_load(p.read_text()) for p in TOP.glob("workflow/papers/*/paper.yaml")]
    added = sum(record.get("collection", "added") == "added" for record in records)
    numbers = {12: "twelve", 13: "thirteen"}
    assert f"{numbers[len(records) - added]} papers on annotation" in PAPER.replace("\n", " ")
    assert f"{numbers[added]} further studies" in PAPER.replace("\n", " ")
    counted = f"{numbers[len(PROJECT['dependencies'])]} direct dependencies"
    assert counted in PAPER.replace("\n", " ")


def test_the_sdist_has_what_the_tests_need(tmp_path):
    """All that is tracked, as MANIFEST.in says."""
    tracked = release.git(TOP, "ls-files").splitlines()
    for name in tracked:
        target = tmp_path / "clone" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(TOP / name)
    build = "import setuptools.build_meta as b, sys; print(b.build_sdist(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", build, tmp_path],
        cwd=tmp_path / "clone",
        check=True,
        capture_output=True,
    )
    [path] = tmp_path.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in tracked if name not in packed] == []


def test_the_workflow_is_described_as_the_catalog_of_workflows_reads_it():
    text = (TOP / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8")
    usage = yaml.safe_load(text)["usage"]
    assert (
        {"software-stack-deployment"}
        <= set(usage)
        <= {*("mandatory-flags", "software-stack-deployment", "report")}
    )
    assert set(usage["software-stack-deployment"]) <= {"conda", "singularity", "singularity+conda"}
    assert set(usage["mandatory-flags"]) == {"desc", "flags"}
    for name in ("workflow/Snakefile", "config/README.md", ".test/config/config.yaml"):
        assert (TOP / name).is_file(), name


def test_the_page_of_the_configuration_names_every_key():
    schema = yaml.safe_load((TOP / "workflow/schemas/config.schema.yaml").read_text("utf-8"))
    named = set(re.findall(r"^\| `([\w: ]+)`", (TOP / "config/README.md").read_text("utf-8"), re.M))
    keys = {
        f"{name}: {inner}" if name in ("data", "site") else name
        for name, part in schema["properties"].items()
        for inner in part.get("properties", {name: None})
    }
    assert named == keys


def test_pages_deploy_the_version_that_there_is():
    text = (TOP / "docs/how-to/run.md").read_text(encoding="utf-8")
    tags = set(re.findall(r"(?:--tag |tag=\")v([\w.]+)", text))
    assert tags == {CITATION["version"]}
