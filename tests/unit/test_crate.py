"""The crate of a run has all its files with their digests, and says what was made of what."""

import base64
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from compared import comparison_of, remarks_of
from rocrate.rocrate import ROCrate

from annobench import datasets
from annobench_replication import ledger
from commands import crate, crate_check, crate_packing, release
from pages.runner import RUNNER

TOP = Path(__file__).parents[2]
ENVIRONMENT = TOP / ".venv-crate"
SOURCE = datasets.get("snow2008_rte").source
READ = {"path": SOURCE.files[0].path, "sha256": "a" * 64, "bytes": 12}
ROWS = [
    {"erratum": "slip"},
    {"verdict": "reproduced", "erratum": "", "provenance": "real"},
    {"verdict": "input", "erratum": ""},
]
SOURCES = {
    "Snakefile": "rule all:\n",
    "README.md": "# Read me\n",
    "config/config.yaml": "seed: 1\n",
    "config/other.yaml": "seed: 2\n",
    "workflow/papers/study/analysis.py": "def analyse(): ...\n",
    "workflow/papers/study/tables/printed.csv": "key,n\n",
    "results/README.md": "What stands here\n",
    "docs/a name with spaces.md": "text\n",
}

RESULTS = [
    *("papers/study/computed.csv", "papers/study/captions.json", "papers/study/figures/one.svg"),
    *("papers/study/comparison.csv", "site/index.html"),
]


@pytest.fixture
def top(tmp_path):
    """Return a clone, and the results of a run in it."""
    record = {"key": "study", "title": "A study", "authors": "A. One", "year": 2008}
    record |= {"venue": "Somewhere", "datasets": ["snow2008_rte", "muc6_person"]}
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "workflow/papers/study/paper.yaml").write_text(yaml.safe_dump(record))
    remarks_of(tmp_path / "workflow/papers/study/remarks.csv")
    (tmp_path / ".gitignore").write_text("/results/*\n!/results/README.md\n/.snakemake/\n")
    commit(tmp_path, "--quiet")
    results = tmp_path / "results"
    for name in RESULTS:
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(f"content of {name}\n")
    (results / "site/.timestamp").write_text("")
    for path in ("comparison.csv", "papers/study/comparison.csv"):
        ledger.write_comparison(comparison_of(*ROWS), results / path)
    sizes = {"n_items": 3, "n_labels": 9, "licence": "none stated", "citation": "A. One (2008)"}
    sizes["home"] = ["https://example.org/data"]
    for id, own in {
        "snow2008_rte": {"provenance": "real", "files": [READ]},
        "muc6_person": {"provenance": "simulated", "files": [], "why_simulated": "no network"},
    }.items():
        (results / "data" / id).mkdir(parents=True)
        meta = {"id": id, "title": f"Title of {id}"} | sizes | own
        (results / f"data/{id}/meta.json").write_text(json.dumps(meta))
        (results / f"data/{id}/labels.parquet").write_text("labels of others")
    return tmp_path


def commit(top, *options):
    release.git(top, "init", "--quiet")
    release.git(top, "add", ".")
    release.git(top, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "all", *options)


@pytest.fixture
def packed(top):
    """Return the folder of the crate of that run."""
    crate.pack(top / "results", top / "results/crate", top)
    return top / "results/crate"


def graph_of(folder):
    read = json.loads((folder / crate_check.METADATA).read_text())
    return {entity["@id"]: entity for entity in read["@graph"]}


def ids(entities):
    return {entity["@id"] for entity in entities}


def test_a_crate_has_all_of_the_run_but_the_labels(packed):
    assert crate_check.faults(packed) == []
    files = {path.relative_to(packed).as_posix() for path in packed.rglob("*") if path.is_file()}
    assert {*SOURCES, "results/site/index.html", "results/data/muc6_person/meta.json"} <= files
    assert not [name for name in files if "labels.parquet" in name or ".timestamp" in name]


def test_the_library_of_the_format_reads_it(packed):
    read = ROCrate(packed)
    assert read.mainEntity["programmingLanguage"]["name"] == "Snakemake"
    assert read.mainEntity["programmingLanguage"]["version"]
    assert read.root_dataset["author"]["name"] == RUNNER
    assert len(read.root_dataset["conformsTo"]) == len(crate_packing.PROFILES)


def test_an_analysis_is_an_action_with_what_it_read_and_made(packed):
    graph = graph_of(packed)
    action = graph["#analysis-study"]
    assert action["instrument"]["@id"] == "workflow/papers/study/analysis.py"
    assert ids(action["object"]) == {
        *("results/data/snow2008_rte/", "results/data/muc6_person/"),
        "workflow/papers/study/tables/printed.csv",
    }
    made = ("computed.csv", "captions.json", "figures/one.svg")
    assert ids(action["result"]) == {f"results/papers/study/{name}" for name in made}
    assert "startTime" not in action  # Snakemake has no record of it here
    assert ids(graph["#run"]["result"]) > ids(action["result"])
    assert "results/README.md" not in ids(graph["#run"]["result"])
    assert graph["#step-study"]["workExample"] == action["instrument"]


def test_times_are_those_of_snakemakes_record(top):
    name = base64.b64encode(b"results/papers/study/computed.csv").decode()
    record = top / ".snakemake/metadata" / name
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"starttime": 86400.25, "endtime": 86407.75}))
    crate.pack(top / "results", top / "results/crate", top)
    action = graph_of(top / "results/crate")["#analysis-study"]
    assert action["startTime"] == "1970-01-02T00:00:00+00:00"
    assert action["endTime"] == "1970-01-02T00:00:07+00:00"


def test_the_run_ends_with_the_site(top):
    record = top / ".snakemake/metadata" / base64.b64encode(b"results/index.html").decode()
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"starttime": 0, "endtime": 60}))
    crate.pack(top / "results", top / "results/crate", top)
    run = graph_of(top / "results/crate")["#run"]
    assert run["endTime"] == "1970-01-01T00:01:00+00:00"
    assert "startTime" not in run  # the last run may have made a part alone


def test_data_are_named_by_address_digest_licence_and_provenance(packed):
    graph = graph_of(packed)
    real, simulated = (graph[f"results/data/{id}/"] for id in ("snow2008_rte", "muc6_person"))
    [url] = ids(real["isBasedOn"])
    assert (
        url
        == f"https://raw.githubusercontent.com/{SOURCE.repository}/{SOURCE.commit}/{READ['path']}"
    )
    assert graph[url]["sha256"] == READ["sha256"]
    assert graph[real["license"]["@id"]]["name"] == "none stated"
    assert real["url"] == "https://example.org/data"
    assert real["description"] == "9 labels of 3 items: real."
    assert simulated["description"].endswith("simulated. Why they are simulated: no network")
    assert simulated["isBasedOn"] == []


def test_the_format_of_a_file_is_that_of_its_name_or_of_its_content(packed):
    formats = {
        name: graph_of(packed)[name]["encodingFormat"] for name in ("README.md", "Snakefile")
    }
    assert formats == {"README.md": "text/markdown", "Snakefile": "text/plain"}
    assert crate_packing.format_of("unknown", b"\xff\xfe") == "application/octet-stream"
    assert crate_packing.format_of("a.csv", b"a,b") == "text/csv"


def test_settings_are_part_of_what_the_run_was_given(top):
    crate.pack(top / "results", top / "results/crate", top, ["config/other.yaml"])
    given = ids(graph_of(top / "results/crate")["#run"]["object"])
    assert {"config/config.yaml", "config/other.yaml"} <= given
    with pytest.raises(SystemExit, match=r"config/lost\.yaml: not part of the commit"):
        crate.pack(top / "results", top / "results/crate", top, ["config/lost.yaml"])


def test_the_counts_of_verdicts_are_in_the_crate(packed):
    graph = graph_of(packed)
    for whose in ("all", "study"):
        found = {v: graph[f"#verdicts-{whose}-{v}"]["value"] for v in ("reproduced", "deviates")}
        assert found == {"reproduced": 1, "deviates": 1}
    said = graph["./"]["description"]
    assert said.startswith("SIMULATED, not real: 1 of 2 data sets (muc6_person). muc6_person: no ")
    assert "of 3 values in print, 2 can be judged" in said.lower()


def edited(folder, change):
    path = folder / crate_check.METADATA
    read = json.loads(path.read_text())
    change({entity["@id"]: entity for entity in read["@graph"]})
    path.write_text(json.dumps(read))


def change_url(graph):
    [source] = graph["results/data/snow2008_rte/"]["isBasedOn"]
    graph[source["@id"]]["sha256"] = "b" * 64


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (
            lambda folder: (folder / "results/site/index.html").write_text("changed"),
            r"results/site/index\.html: its SHA-256 is",
        ),
        (
            lambda folder: (folder / "results/papers/study/new.csv").write_text("x"),
            r"results/papers/study/new\.csv is not listed",
        ),
        (
            lambda folder: os.remove(folder / "Snakefile"),
            "Snakefile is listed in ro-crate-metadata.json, and is missing",
        ),
        (
            lambda folder: edited(folder, lambda g: g["Snakefile"].update(contentSize="1")),
            "Snakefile: its SHA-256",
        ),
        (
            lambda folder: edited(folder, lambda g: g["#verdicts-all-deviates"].update(value=0)),
            "Verdicts of all: deviates 1, and 0 listed",
        ),
        (
            lambda folder: edited(
                folder, lambda g: g["#verdicts-study-reproduced"].update(value=2)
            ),
            "Verdicts of study: reproduced 1, and 2 listed",
        ),
        (lambda folder: edited(folder, change_url), "snow2008_rte: the digests"),
        (
            lambda folder: edited(
                folder,
                lambda g: g["results/data/muc6_person/"].update(
                    description="9 labels of 3 items: real."
                ),
            ),
            "muc6_person: nothing says that it is simulated",
        ),
    ],
)
def test_a_crate_that_is_wrong_is_found_out(packed, damage, fault):
    damage(packed)
    [found] = crate_check.faults(packed)
    assert re.search(fault, found), found


def test_a_crate_is_of_a_commit(top):
    crate.pack(top / "results", top / "results/crate", top)
    root = graph_of(top / "results/crate")["./"]
    assert root["identifier"] == f"commit {release.git(top, 'log', '-1', '--format=%H')}"
    (top / "Snakefile").write_text("changed\n")
    with pytest.raises(SystemExit, match="commit the changes first"):
        crate.pack(top / "results", top / "results/crate", top)


def test_results_that_are_missing_are_named(top):
    (top / "results/papers/study/comparison.csv").unlink()
    with pytest.raises(SystemExit, match=r"papers/study/comparison\.csv missing.*make crate"):
        crate.pack(top / "results", top / "results/crate", top)


@pytest.mark.skipif(
    not (ENVIRONMENT / "contexts.sqlite").exists(),
    reason="`make crate` makes the validator's environment",
)
def test_the_formats_validator_accepts_a_crate_and_refuses_one_without_its_action(packed):
    assert validated(packed).returncode == 0, validated(packed).stdout
    edited(packed, lambda graph: graph["#run"].update({"@type": "Thing"}))
    refused = validated(packed)
    assert refused.returncode == 1
    assert "CreateAction" in refused.stdout


def validated(folder):
    command = [ENVIRONMENT / "bin/rocrate-validator", "--no-interactive", "validate", "--offline"]
    command += ["--cache-path", ENVIRONMENT / "contexts"]
    command += ["--profile-identifier", "provenance-run-crate", "--verbose", "--no-paging", folder]
    return subprocess.run(command, capture_output=True, text=True)
