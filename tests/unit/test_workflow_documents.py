"""Configuration and records are refused with the path of the key that is wrong."""

import json
import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from catalogue import read_paper, read_papers
from documents import DocumentError, read_yaml
from settings import (
    ahead_of_clock,
    check_config,
    check_results,
    missing_sources,
    mode_of,
    upgrades,
)

TOP = Path(__file__).parents[2]
DATASETS = ("anesthesia", "snow2008_rte")
SEED = 1
EXAMPLE = TOP / "tests" / "workflow" / "example_paper" / "paper.yaml"


@pytest.fixture
def config():
    part = {
        "unit": "items",
        "items": [20],
        "prevalences": [0.5],
        "annotators": [2],
        "missing": [0],
        "repetitions": 1,
        "replicates": 1,
    }
    coverage = {"estimand_items": {"reduced": 20, "full": 1000}, "reduced": [part], "full": [part]}
    crossed = [{"kinds": ["good"], "categories": [2], "labels_per_item": [3]}]
    grid = {
        "max_labels": None,
        "limit": 0.5,
        "replicates": 2,
        "reference": "voting",
        "regimes": {"items": 10, "annotators": 5, "crossed": crossed},
        "refits": {
            "datasets": ["snow2008_rte"],
            "labels_per_item": [1],
            "annotators": [3],
            "repeats": 1,
            "min_annotators": 20,
            "max_labels": 2000,
            "resamples": 2,
            "limit": 1,
        },
    }
    noise = {
        "exact_items": [20],
        "items": [20],
        "annotators": [2],
        "rate_annotators": [5],
        "guesses": [0.5],
        "hard": [0.1],
        "repetitions": 1,
    }
    audited = {
        "worlds": ["binary"],
        "items": [20],
        "datasets": ["snow2008_rte"],
        "models": ["voting"],
        "checks": [10],
        "repetitions": 1,
    }
    replayed = {"datasets": ["snow2008_rte"], "repeats": 2}
    guarded = {"models": ["voting"], "checked": 1, "fitted": 1, "searched": 1}
    pooled = {
        "datasets": ["snow2008_rte"],
        "models": ["voting"],
        "gold": [20],
        "draws": 1,
        "regimes": grid["regimes"],
    }
    certified = [{"title": "Entailment", "dataset": "snow2008_rte"}]
    return {
        "seed": 1,
        "site": {"reference": True},
        "data": {"mode": "auto", "datasets": {}},
        "studies": {
            "coverage": coverage,
            "baselines": {"reduced": grid, "full": grid},
            "guard": {"reduced": guarded, "full": guarded},
            "pool": {"reduced": pooled, "full": pooled},
            "intervals": {
                grid: {"intervals": None, "data_sets": 1} for grid in ("reduced", "full")
            },
            "noise": {"data": certified, "reduced": noise, "full": noise},
            "audit": {
                "reduced": audited,
                "full": audited,
                "replay": {"reduced": replayed, "full": replayed},
            },
        },
    }


@pytest.mark.parametrize("name", ["config.yaml"])
def test_the_shipped_configuration_is_valid(name):
    check_config(yaml.safe_load((TOP / "config" / name).read_text()), DATASETS)


def test_the_configuration_of_ci_is_valid(config):
    override = yaml.safe_load((TOP / "config" / "ci.yaml").read_text())
    check_config(config | override, override["data"]["datasets"])


def changed(config, path, value):
    """Put a value into a configuration, at a path of keys."""
    part = config
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return config


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["sed"], 1, "configuration, key sed: 'sed' is not known; .* Is 'seed' meant?"),
        (["data", "modus"], "auto", "key data.modus: 'modus' is not known; known are datasets"),
        (["data", "mode"], "reel", "key data.mode: 'reel' is not one of"),
        (["data", "datasets", "anesthesia"], "no", "key data.datasets.anesthesia: 'no' is not"),
        (
            ["data", "datasets", "anestesia"],
            "real",
            "key data.datasets.anestesia: 'anestesia' is not known; .* Is 'anesthesia' meant?",
        ),
        (["seed"], -1, "key seed: -1 is less than the minimum"),
        (["seed"], "1", "key seed: '1' is not of type 'integer'"),
        (["data"], None, "key data: None is not of type 'object'"),
        (["studies", "coverage", "full"], [], "key studies.coverage.full: "),
        (["studies", "baselines", "full", "limit"], 0, "key studies.baselines.full.limit: 0 is "),
        (["studies", "noise", "full", "guesses"], [1], "key studies.noise.full.guesses.0: 1 is "),
    ],
)
def test_a_wrong_key_is_named_with_its_path(config, path, value, message):
    with pytest.raises(DocumentError, match=message):
        check_config(changed(config, path, value), DATASETS)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # JSON Schema takes a whole float for an integer, and NaN for larger than any minimum.
        (["seed"], 1.0, "key seed: 1.0 is not of type 'integer'"),
        (
            ["studies", "baselines", "full", "limit"],
            float("nan"),
            "key .*limit: nan is not of type",
        ),
        (["data", "datasets", 7], "real", "key data.datasets.7: not a text"),
        (["data", "datasets", None], "reel", "key data.datasets.None: not a text"),
        (["data", "datasets", "anesthesia\n"], "real", "does not match"),
    ],
)
def test_a_value_that_only_looks_allowed_is_refused(config, path, value, message):
    with pytest.raises(DocumentError, match=message):
        check_config(changed(config, path, value), DATASETS)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "line 3: the key 'a' occurs twice"),
        ("a: &x [1]\nb: *x\n", "shared by an alias"),
        ("? [a, b]\n: 1\n", "a key that is no text"),
        (b"a: \xff\n", "no valid YAML .*decode"),
        ("a: 2024-13-45\nb: ]\n", "no valid YAML"),
        (f"a: {'9' * 5000}\n", "no valid YAML"),
        ("[" * 3_000, "no valid YAML"),
        ("a: !!python/name:os.system x\n", "no valid YAML"),
    ],
)
def test_yaml_that_is_none_or_means_two_things_is_refused(tmp_path, content, message):
    path = tmp_path / "a.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DocumentError, match=f"a.yaml.*{message}"):
        read_yaml(path)


def test_values_of_yaml_mean_what_they_look_like(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("[1:30, 010, 0x10, 1_0, no, on, 2024-01-01, .nan, 7, -1.5, 1e3, true, null, ~]")
    strings = ["1:30", "010", "0x10", "1_0", "no", "on", "2024-01-01", ".nan"]
    assert read_yaml(path) == [*strings, 7, -1.5, 1000.0, True, None, None]


def test_all_faults_are_reported_together(config):
    config |= {"sed": 1, "extra": 2}
    with pytest.raises(DocumentError) as error:
        check_config(config, DATASETS)
    assert len(str(error.value).splitlines()) == 2


def test_a_data_set_may_have_a_mode_of_its_own(config):
    config["data"]["datasets"]["anesthesia"] = "simulated"
    assert mode_of(config, "anesthesia") == "simulated"
    assert mode_of(config, "snow2008_rte") == "auto"


def test_an_upgrade_counts_only_when_real_files_turn_up_for_simulated_data(tmp_path, monkeypatch):
    mirror, meta = tmp_path / "mirror", tmp_path / "data" / "anesthesia" / "meta.json"
    monkeypatch.setenv("ANNOBENCH_DATA_MIRROR", str(mirror))
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    assert upgrades(tmp_path, "anesthesia", "auto", SEED) == 0, "nothing has run"
    meta.parent.mkdir(parents=True)
    meta.write_text('{"provenance": "simulated", "seed": 1, "files": []}')
    assert upgrades(tmp_path, "anesthesia", "auto", SEED) == 0, "the files are still missing"
    held = mirror / "anesthesia" / "data" / "anesthesia.rda"
    held.parent.mkdir(parents=True)
    held.write_bytes(b"only its existence counts here")
    assert upgrades(tmp_path, "anesthesia", "auto", SEED) == 1
    assert upgrades(tmp_path, "anesthesia", "simulated", SEED) == 0, (
        "a simulation is what was asked for"
    )
    meta.write_text('{"provenance": "real", "upgrades": 1, "files": []}')
    assert upgrades(tmp_path, "anesthesia", "auto", SEED) == 1
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR")
    assert upgrades(tmp_path, "anesthesia", "auto", SEED) == 1, (
        "forgetting the mirror changes nothing"
    )


def test_a_simulation_is_made_anew_when_a_file_it_builds_on_turns_up(tmp_path, monkeypatch):
    gold = "hierAnno/trunk/R/data/mturk-ne/per.gold.tsv"
    meta = tmp_path / "data" / "muc6_person" / "meta.json"
    meta.parent.mkdir(parents=True)
    meta.write_text('{"provenance": "simulated", "seed": 1, "files": []}')
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("ANNOBENCH_DATA_MIRROR", str(tmp_path / "mirror"))
    assert upgrades(tmp_path, "muc6_person", "auto", SEED) == 0
    held = tmp_path / "mirror" / "muc6_person" / gold
    held.parent.mkdir(parents=True)
    held.write_bytes(b"only its existence counts here")
    assert upgrades(tmp_path, "muc6_person", "auto", SEED) == 1
    meta.write_text(
        json.dumps({"provenance": "simulated", "seed": 1, "upgrades": 1, "files": [{"path": gold}]})
    )
    assert upgrades(tmp_path, "muc6_person", "auto", SEED) == 1


def test_simulated_data_alone_are_made_anew_with_another_seed(tmp_path, monkeypatch):
    monkeypatch.setenv("ANNOBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ANNOBENCH_DATA_MIRROR", raising=False)
    meta = tmp_path / "data" / "anesthesia" / "meta.json"
    meta.parent.mkdir(parents=True)
    for mode in ("auto", "simulated"):
        meta.write_text('{"provenance": "simulated", "seed": 1, "upgrades": 2, "files": []}')
        counts = [upgrades(tmp_path, "anesthesia", mode, seed) for seed in (1, 7)]
        assert counts == [2, 3]
    meta.write_text('{"provenance": "real", "upgrades": 2, "files": []}')
    assert [upgrades(tmp_path, "anesthesia", "auto", seed) for seed in (1, 7)] == [2, 2]


def test_a_missing_source_is_named_and_what_a_rule_makes_is_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("")
    inputs = ["there.csv", "gone.csv", "results/made.csv", "papers/{paper}/published.csv"]
    [said] = missing_sources(inputs)
    assert said.startswith("gone.csv: missing, and the workflow reads it. Restore it")


def test_a_results_folder_may_be_missing_or_there(tmp_path):
    check_results(tmp_path)
    check_results(tmp_path / "results")


def test_a_results_folder_that_is_a_file_is_an_error_with_its_remedy(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(NotADirectoryError, match=r"it is a file\. Move the file away"):
        check_results(tmp_path / "results")


@pytest.mark.parametrize("exists", [True, False])
def test_a_results_folder_that_can_not_be_written_is_an_error(tmp_path, monkeypatch, exists):
    folder = tmp_path / "results"
    if exists:
        folder.mkdir()
    # The superuser may write anywhere, so that modes alone would not show it.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError, match=r"is not writable. Make it writable \(chmod"):
        check_results(folder)


def test_a_folder_of_the_results_that_can_not_be_written_is_an_error(tmp_path, monkeypatch):
    (tmp_path / "results/logs").mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, mode: path.name != "logs")
    with pytest.raises(PermissionError, match=r"but \S+/results/logs is not writable"):
        check_results(tmp_path / "results")


def test_a_results_folder_on_a_file_system_that_is_read_only_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setattr(os, "statvfs", lambda path: SimpleNamespace(f_flag=os.ST_RDONLY))
    with pytest.raises(PermissionError, match="mounted read-only: mount it for writing"):
        check_results(tmp_path / "results")


def test_results_ahead_of_the_clock_are_told_of(tmp_path):
    assert ahead_of_clock(tmp_path / "results", time.time()) == ""
    (tmp_path / "index.html").write_text("")
    now = (tmp_path / "index.html").stat().st_mtime
    assert ahead_of_clock(tmp_path, now - 59) == ""
    assert "written 1 day, 0:00:00" in ahead_of_clock(tmp_path, now - 86400)
    assert "`snakemake --cores all --forceall`" in ahead_of_clock(tmp_path, now - 61)


@pytest.fixture
def record():
    return yaml.safe_load(EXAMPLE.read_text())


@pytest.fixture
def write(tmp_path):
    def write(record, folder="example_paper"):
        path = tmp_path / folder / "paper.yaml"
        path.parent.mkdir()
        path.write_text(yaml.safe_dump(record))
        return path

    return write


def test_a_paper_is_read_from_its_record(record, write):
    paper = read_paper(write(record), DATASETS)
    assert paper.key == "example_paper"
    assert [figure.name for figure in paper.figures] == ["figure1"]
    assert paper.analysis == paper.folder / "analysis.py"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"datsets": []}, "key datsets: 'datsets' is not known; .* Is 'datasets' meant?"),
        ({"datasets": ["anesthesi"]}, "key datasets: 'anesthesi' is not known"),
        ({"results": "some"}, "key results: 'some' is not one of"),
        ({"figures": [{"name": "figure1"}]}, "key figures.0: 'title' is a required property"),
        (
            {"tables": [{"name": "t", "title": "t", "source": "t"} for _ in range(2)]},
            "key tables: the name 't' stands there twice",
        ),
        ({"random": "no"}, "key random: 'no' is not of type 'boolean'"),
        ({"title": ""}, "key title: '' should be non-empty"),
    ],
)
def test_a_faulty_record_is_refused_naming_file_and_key(record, write, change, message):
    with pytest.raises(DocumentError, match=rf"paper\.yaml, {message}"):
        read_paper(write(record | change), DATASETS)


@pytest.fixture
def papers(tmp_path):
    """A folder with the worked example, whole; its notebook lies in the example's own folder."""
    folder = tmp_path / "papers"
    shutil.copytree(EXAMPLE.parent, folder / "example_paper")
    return folder


def test_papers_are_found_by_their_folders(papers):
    (papers / "taken_away/__pycache__").mkdir(parents=True)
    found, faults = read_papers(papers, DATASETS, EXAMPLE.parent)
    assert (list(found), faults) == (["example_paper"], {})


@pytest.mark.parametrize(
    ("name", "key", "why"),
    [
        ("Smith 2026", "smith_2026", "not of small letters"),
        ("Example_paper", "example_paper_", "not of small letters"),
        ("site", "site", "the name of a rule"),
    ],
)
def test_a_folders_name_that_is_no_key_is_said_of_it_alone(papers, name, key, why):
    shutil.copytree(EXAMPLE.parent, papers / name)
    found, faults = read_papers(papers, DATASETS, EXAMPLE.parent, taken=["site"])
    assert list(found) == ["example_paper"]
    assert f"{name}: the folder's name is {why}" in faults[key]


def fault_of_second(papers):
    """Return what is said of the second paper; nothing is said of the first."""
    found, faults = read_papers(papers, DATASETS, papers.parent)
    assert list(found) == ["example_paper"]
    return faults["second"]


@pytest.fixture
def second(papers):
    """A second paper beside the worked example, whole; a test takes something away."""
    folder = papers / "second"
    shutil.copytree(EXAMPLE.parent, folder)
    for name in ("example_paper", "second"):
        shutil.copy(EXAMPLE.parent / "example_paper.ipynb", papers.parent / f"{name}.ipynb")
    return folder


@pytest.mark.parametrize(
    "name", ["analysis.py", "published.csv", "errata.csv", "remarks.csv", "standing.csv"]
)
def test_a_paper_that_lacks_a_file_is_named_with_a_remedy(papers, second, name):
    (second / name).unlink()
    assert f"second/{name}: missing, and every paper has one. Write it" in fault_of_second(papers)


def test_a_folder_without_a_record_is_named(papers, second):
    (second / "paper.yaml").unlink()
    assert "second/paper.yaml: missing. Write it." in fault_of_second(papers)


def test_a_record_that_is_faulty_is_a_fault_of_its_paper(papers, second):
    (second / "paper.yaml").write_text("title: [\n")
    assert "second/paper.yaml: no valid YAML" in fault_of_second(papers)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "missing, and every paper has a notebook of its name"),
        ("{", "no notebook"),
        ("[]", "it lacks cells or metadata"),
    ],
)
def test_a_notebook_that_is_none_is_a_fault_of_its_paper(papers, second, tmp_path, text, message):
    notebook = tmp_path / "second.ipynb"
    notebook.unlink()
    if text is not None:
        notebook.write_text(text)
    assert message in fault_of_second(papers)


def test_what_is_no_yaml_is_refused(write, tmp_path):
    path = write({})
    path.write_text("key: [\n")
    with pytest.raises(DocumentError, match="no valid YAML"):
        read_paper(path, DATASETS)
