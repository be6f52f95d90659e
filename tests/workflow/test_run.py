"""The workflow run end to end, in a copy of the repository with the worked example."""

import json
import os
import re
import shutil
import signal
import socket
import time
from contextlib import suppress

import links
import pytest
import unrendered
from clones import TOP, jobs_of, jobs_with

from annobench_replication.ledger import read_comparison
from annobench_replication.verdicts import check
from commands import crate, crate_check, new_paper, release

pytestmark = pytest.mark.workflow

#: What follows from a paper's computed values.
SHOWN = {
    *("compare_paper", "collect_comparisons", "write_printed_tables", "run_notebook"),
    *("render_paper", "render_lists", "render_index", "site", "check_paper"),
}
COMPUTED = SHOWN | {"replicate_example_paper", "trace_paper"}
FETCHED = COMPUTED | {"fetch_anesthesia", "render_datasets"}
AUDITS = {"measure_audit", "analyse_audit", "render_audit", "site"}
COVERAGE = {"measure_coverage", "analyse_coverage", "render_coverage", "site"}
INTERVALS = {"measure_intervals", "analyse_intervals", "render_intervals", "site"}
GUARD = {"measure_guard", "analyse_guard", "render_guard", "site"}
BASELINES = {"fit_models", "refit_models", "score_models", "render_baselines", "site"}
NOISE = {
    *("measure_noise", "analyse_noise", "render_noise"),
    *("analyse_certificate", "render_certificate"),
}
CONFORMANCE = {"analyse_conformance", "render_conformance"}


def test_everything_is_built(built):
    clone, _ = built
    results = clone.top / "results"
    for path in (
        "data/anesthesia/labels.parquet",
        "data/anesthesia/meta.json",
        "papers/example_paper/computed.csv",
        "papers/example_paper/dependence.csv",
        "papers/example_paper/comparison.csv",
        "papers/example_paper/figures/figure1.svg",
        "papers/example_paper/figures/figure1.png",
        "pages/papers/example_paper/index.html",
        "notebooks/example_paper.ipynb",
        "comparison.csv",
        "pages/studies/conformance/index.html",
        "studies/coverage/coverage.csv",
        "pages/studies/coverage/items.svg",
        "pages/studies/coverage/index.html",
        "studies/baselines/scores.csv",
        "pages/studies/baselines/index.html",
        "pages/studies/aggregation/index.html",
        "studies/noise/simulated.csv",
        "pages/studies/noise/simulated.svg",
        "pages/studies/noise/index.html",
        "pages/studies/certificate/index.html",
        "studies/audit/coverage.csv",
        "pages/studies/audit/index.html",
        "pages/studies/audit_stored/index.html",
        "pages/studies/faults/index.html",
        "studies/coverage_stored/coverage.csv",
        "pages/studies/coverage_stored/index.html",
        "pages/studies/noise_stored/index.html",
        "index.html",
        "site/index.html",
        "site/papers/example_paper/index.html",
        "site/papers/example_paper/notebook.html",
        "site/papers/example_paper/figures/figure1.svg",
        "site/coefficients/cohen_kappa.html",
        "site/studies/coverage/items.svg",
        "site/searchindex.js",
        "site/datasets/index.html",
        "site/datasets/anesthesia/index.html",
    ):
        assert (results / path).stat().st_size > 0, path
    assert not list(results.rglob(".draft*")), "drafts were left behind"


def test_values_from_simulated_data_are_stand_ins_and_a_formula_reproduces(built):
    clone, _ = built
    frame = read_comparison(clone.top / "results" / "comparison.csv").set_index("target")
    assert frame["verdict"].to_dict() == {
        "table1.patients": "stand_in",
        "table1.labels": "stand_in",
        "table1.ties": "stand_in",
        "section2.accuracy_of_three": "reproduced",
    }


def test_a_fall_back_to_simulated_data_is_loud(built):
    clone, output = built
    assert "WARNING: data set anesthesia is SIMULATED: data/anesthesia.rda" in output
    assert "http://127.0.0.1:9/" in output
    assert "WARNING: SIMULATED, not real: anesthesia." in output
    pages = ("index.html", "papers/example_paper/index.html", "papers/example_paper/notebook.html")
    for page in pages:
        html = (clone.top / "results/site" / page).read_text()
        assert 'class="banner"' in html
        assert "ANNOBENCH_DATA_MIRROR" in html
    network = json.loads((clone.top / "results" / "data" / "network.json").read_text())
    assert network["reachable"] is False


def test_the_site_opens_from_disk_and_every_link_leads_somewhere(built):
    clone, _ = built
    site = clone.top / "results/site"
    assert len(list(site.rglob("*.html"))) > 40
    assert not list(links.fetched(site))
    assert not list(links.broken(site))
    declared = '<meta http-equiv="Content-Security-Policy" content="default-src \'none\';'
    assert not [path for path in site.rglob("*.html") if declared not in path.read_text()]


def test_no_page_of_the_site_shows_a_formula_as_typed(built):
    clone, _ = built
    assert not list(unrendered.in_folder(clone.top / "results/site"))


def test_the_notebook_was_executed_with_the_papers_folder(built):
    clone, _ = built
    path = clone.top / "results" / "notebooks" / "example_paper.ipynb"
    cells = json.loads(path.read_text())["cells"]
    assert all(cell["execution_count"] for cell in cells if cell["cell_type"] == "code")
    html = (clone.top / "results/site/papers/example_paper/notebook.html").read_text()
    assert "section2.accuracy_of_three" in html
    assert re.search(
        r'<img [^>]*src="data:image/svg[^>]* alt="[^"]+" width="\d+" height="\d+"', html
    )
    assert "<math" in html
    assert "$J" not in html
    folded, invited = html.count("hide above-input"), html.count("above and run again:")
    assert (folded, invited) == (3, 3)
    assert not re.search(r'"(papermill|execution)"', path.read_text()), "times differ between runs"


def test_a_second_run_has_nothing_to_do(built):
    clone, _ = built
    assert "Nothing to be done" in clone.snakemake()


def test_the_report_is_made(built, tmp_path):
    clone, _ = built
    report = tmp_path / "report.html"
    clone.snakemake("--report", str(report))
    html = report.read_text()
    assert "figure1.svg" in html
    for what in ("Figure 1. Labels by annotator", "Table 1. Patients and labels", "its verdict"):
        assert what in html
    assert "without random numbers" in html
    assert "recomputes published studies" in html


# --- what reruns ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reruns"),
    [
        ("src/annobench/models/voting.py", COMPUTED | BASELINES | AUDITS),
        # Neither the analysis nor the coefficients of agreement import this model.
        ("src/annobench/models/hierarchical_binary.py", BASELINES),
        # Notebooks reach coefficients by the package of all.
        (
            "src/annobench/agreement/coefficients/icc.py",
            {"render_index", "run_notebook", "render_datasets", "check_paper", "site"}
            | CONFORMANCE
            | COVERAGE
            | INTERVALS,
        ),
        ("src/annobench_datasets/anesthesia.py", FETCHED),
        ("src/annobench_datasets/pins/anesthesia.csv", FETCHED),
        ("src/annobench_datasets/pins/caries.csv", set()),
        ("workflow/papers/example_paper/analysis.py", COMPUTED),
        ("workflow/papers/example_paper/errata.csv", SHOWN),
        ("workflow/papers/example_paper/remarks.csv", SHOWN),
        ("workflow/papers/example_paper/standing.csv", SHOWN),
        ("src/annobench_replication/tracing.py", SHOWN | {"trace_paper"}),
        ("notebooks/example_paper.ipynb", {"run_notebook", "check_paper", "site"}),
        ("workflow/site/index.html.j2", {"render_index", "site"}),
        ("docs/coefficients/cohen_kappa.md", {"site"}),
        ("workflow/generator/static/site.css", {"site"}),
        (
            "src/annobench/reporting/templates/parts.css",
            {"render_baselines", "render_stored_benchmarks", "site"},
        ),
        ("tests/reference/agreement/disagreements.csv", CONFORMANCE | {"render_index", "site"}),
        ("workflow/studies/coverage/page.html.j2", {"render_coverage", "site"}),
        ("workflow/studies/coverage/page.py", {"render_coverage", "site"}),
        ("workflow/studies/coverage/analysis.py", COVERAGE - {"measure_coverage"}),
        ("workflow/studies/coverage/cells.py", COVERAGE),
        ("workflow/pages/counts.py", {"render_index", "render_lists", "site"}),
        ("workflow/scripts/papers/check.py", set()),
    ],
)
def test_an_edit_reruns_exactly_what_depends_on_it(built, path, reruns):
    clone, _ = built
    # Blank lines mean nothing in any of these files.
    with clone.edited(path, "\n\n"):
        assert set(clone.planned()) == reruns


#: What draws random numbers and follows from nothing that does, where the data are simulated.
DRAWN = {
    "fetch_anesthesia",
    *("measure_coverage", "measure_noise", "measure_audit", "analyse_certificate"),
    *("measure_guard", "measure_intervals", "fit_models", "refit_models"),
}


def test_another_seed_reruns_what_draws_and_what_follows_from_it(built):
    clone, _ = built
    output = clone.snakemake("--dry-run", "--config", "seed=1")
    # Of a job with other inputs, too, Snakemake names no other reason.
    assert jobs_with(output, "Params have changed") == DRAWN
    studies = COVERAGE | INTERVALS | GUARD | BASELINES | NOISE | AUDITS
    assert set(jobs_of(output)) == FETCHED | studies


def test_another_seed_draws_simulated_data_anew_and_leaves_real_ones_alone(clone):
    fetched = {"fetch_anesthesia"}
    assert set(clone.planned("data", "--config", "seed=1")) - {"data"} == fetched
    clone.snakemake("data", "--config", "seed=1")
    assert clone.planned("data", "--config", "seed=1") == {}
    assert set(clone.planned("data")) - {"data"} == fetched
    meta = clone.top / "results/data/anesthesia/meta.json"
    meta.write_text(meta.read_text().replace('"simulated"', '"real"', 1))
    assert clone.planned("data") == {}
    # The analysis of the example draws nothing; tracing changes numbers at random.
    clone.snakemake("papers", "--rerun-triggers", "code", "--touch")
    following = {"trace_paper", "compare_paper", "collect_comparisons"}
    assert set(clone.planned("papers", "--config", "seed=2")) - {"papers"} == following


def test_a_mirror_makes_simulated_data_real_and_its_absence_undoes_nothing(clone, mirror):
    source = clone.top / "mirror"
    shutil.copytree(mirror / "anesthesia", source / "anesthesia")
    assert clone.planned(ANNOBENCH_DATA_MIRROR=str(clone.top / "empty")) == {}
    named = {"ANNOBENCH_DATA_MIRROR": str(source)}
    fetched = set(clone.ran("data", **named))
    assert "fetch_anesthesia" in fetched
    meta = clone.top / "results/data/anesthesia/meta.json"
    assert json.loads(meta.read_text())["provenance"] == "real"
    assert set(clone.planned(**named)) == set(clone.planned()) == FETCHED - fetched


def test_a_server_that_takes_calls_and_never_answers_is_asked_twice_by_all(sources, tmp_path):
    clone = sources.copy(tmp_path / "clone")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        output = clone.snakemake("data", ANNOBENCH_DATA_URL=address)
        silent.setblocking(False)
        for _ in range(2):
            silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()
    answer = json.loads((clone.top / "results/data/network.json").read_text())
    assert answer["reachable"] is False
    assert "data set anesthesia is SIMULATED: data/anesthesia.rda" in output


def test_the_network_is_asked_again_on_demand(built):
    clone, _ = built
    assert set(clone.planned("--forcerun", "probe_network")) == FETCHED | {"probe_network"}


def test_a_simulated_run_never_asks_the_network(sources):
    with sources.edited("config/config.yaml", old="mode: auto", new="mode: simulated"):
        planned = sources.planned()
    shown = {
        *CONFORMANCE,
        *("render_benchmarks", "render_faults", "render_stored_benchmarks"),
        *("restore_coverage", "restore_noise", "restore_audit"),
        *("restore_guard", "restore_intervals", "score_submissions"),
    }
    studies = COVERAGE | INTERVALS | GUARD | BASELINES | NOISE | AUDITS
    assert set(planned) == FETCHED | studies | shown


# --- a paper by itself ---------------------------------------------------------------


#: The jobs of a paper by itself.
OWN = (
    *("trace_paper", "compare_paper", "run_notebook"),
    *("render_paper", "render_alone", "check_paper"),
)


@pytest.fixture(scope="module")
def two(built, tmp_path_factory):
    """A copy in which a second paper was made by its name, and what the run printed."""
    clone = built[0].copy(tmp_path_factory.mktemp("two") / "clone")
    new_paper.main("second_paper", clone.top)
    return clone, clone.snakemake("second_paper")


def test_a_paper_is_a_target_that_runs_no_other_papers_job(two):
    clone, output = two
    jobs = dict.fromkeys(("replicate_second_paper", *OWN), 1)
    assert jobs_of(output) == jobs | {"second_paper": 1}
    results = clone.top / "results"
    for path in (
        "papers/second_paper/computed.csv",
        "papers/second_paper/comparison.csv",
        "notebooks/second_paper.ipynb",
        "pages/papers/second_paper/index.html",
        "pages/papers/second_paper/source.html",
    ):
        assert (results / path).stat().st_size > 0, path
    assert clone.planned("second_paper") == clone.planned("example_paper") == {}


@pytest.mark.parametrize("table", ["published", "errata", "remarks", "standing"])
def test_an_edit_of_a_papers_table_reruns_no_other_papers_job(two, table):
    clone, _ = two
    with clone.edited(f"workflow/papers/example_paper/{table}.csv", "\n\n"):
        planned = clone.planned("all")
        assert clone.planned("second_paper") == {}
    assert {planned[rule] for rule in ("compare_paper", "render_paper", "run_notebook")} == {1}
    assert not {"trace_paper", "replicate_example_paper"} & set(planned)


def add_broken(clone):
    """Add a paper for each kind of fault, and return what is said of each."""
    folder, notebooks = clone.paper.parent, clone.top / "notebooks"
    for key in ("bad_yaml", "no_notebook", "no_python", "raises", "bad_table"):
        new_paper.main(key, clone.top)
    shutil.copytree(clone.paper, folder / "Bad Name")
    (folder / "bad_yaml/paper.yaml").write_text("title: [\n")
    (notebooks / "no_notebook.ipynb").unlink()
    (folder / "no_python/analysis.py").write_text("def (\n")
    analysis = (folder / "raises/analysis.py").read_text()
    drawn = "    figure, (axes,) = plotting.panels(1)\n"
    assert drawn in analysis
    raised = '    raise ValueError("no annotator is left")\n'
    (folder / "raises/analysis.py").write_text(analysis.replace(drawn, raised + drawn))
    with (folder / "bad_table/published.csv").open("a") as stream:
        stream.write("table9.lost,Table 9,eq\n")
    return {
        "bad_name": "name is not of small letters",
        "bad_yaml": "no valid YAML",
        "no_notebook": "no_notebook.ipynb: missing",
        "no_python": "invalid syntax",
        "raises": "no annotator is left",
        "bad_table": "3 fields where the header has 10",
    }


@pytest.fixture(scope="module")
def broken(built, tmp_path_factory):
    """A copy with broken papers, what is said of each, and what a run of everything printed."""
    clone = built[0].copy(tmp_path_factory.mktemp("broken") / "clone")
    said = add_broken(clone)
    return clone, said, clone.snakemake(fails=True)


def test_a_broken_paper_costs_itself_alone_and_the_run_fails(broken):
    clone, said, output = broken
    results = clone.top / "results"
    for key, message in said.items():
        assert message in output, key
        assert message in (results / f"pages/papers/{key}/index.html").read_text(), key
        assert not (results / f"faults/{key}/none").exists()
    papers = (results / "site/papers/index.html").read_text()
    assert all(f"{key}/index.html" in papers for key in said)
    assert (results / "site/papers/raises/index.html").is_file()
    assert not list(links.broken(results / "site"))
    assert clone.planned("example_paper") == {}
    # Nothing is computed again that would fail again.
    assert set(clone.planned()) == {"check_paper"}
    clone.snakemake("papers", fails=True)
    clone.snakemake("bad_yaml", fails=True)


def test_of_a_broken_paper_what_does_not_depend_on_the_fault_is_made(broken):
    clone, *_ = broken
    verdicts = read_comparison(clone.top / "results/comparison.csv").set_index("paper")["verdict"]
    assert verdicts["raises"].tolist() == verdicts["example_paper"].tolist()
    assert set(verdicts["no_python"]) == {"missing"}
    assert not {"bad_yaml", "bad_table"} & set(verdicts.index)
    captions = json.loads((clone.top / "results/papers/raises/captions.json").read_text())
    assert captions["figure1"]["caption"] == "Not made: no annotator is left"
    assert captions["tables/table1"]["provenance"] == "simulated"


def test_the_check_names_broken_papers_once(broken):
    clone, said, _ = broken
    output = clone.snakemake("check", fails=True)
    assert [key for key in said if key not in output] == []
    assert "failure(s), listed above" in output
    assert "no value was computed" not in output


def test_a_paper_that_is_broken_later_leaves_no_results_of_before(two, tmp_path):
    clone = two[0].copy(tmp_path / "clone")
    results = clone.top / "results"
    with clone.edited("workflow/papers/second_paper/paper.yaml", "sumary: a\n"):
        output = clone.snakemake("second_paper", fails=True)
        assert "key sumary: 'sumary' is not known" in output
        left = {path.name for path in (results / "papers/second_paper").iterdir()}
        assert left == {"comparison.csv", "page.html", "page_source.html"}
        assert read_comparison(results / "papers/second_paper/comparison.csv").empty
        assert (
            "Is &#39;summary&#39; meant?" in (results / "papers/second_paper/page.html").read_text()
        )
    clone.snakemake("second_paper")
    assert clone.planned("second_paper") == {}
    page = (results / "papers/second_paper/page.html").read_text()
    assert "Broken" not in page
    assert "Majority votes" in page


def test_a_new_paper_reproduces_all_its_values_from_real_data(sources, tmp_path, mirror):
    clone = sources.copy(tmp_path / "clone")
    new_paper.main("smith2026", clone.top)
    clone.snakemake("smith2026", ANNOBENCH_DATA_MIRROR=str(mirror))
    comparison = read_comparison(clone.top / "results/papers/smith2026/comparison.csv")
    assert comparison["verdict"].tolist() == ["reproduced"] * 4


# --- what is missing -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("workflow/site/paper.html.j2", "Restore it"),
        ("src/annobench/reporting/templates/parts.css", "Restore it"),
        ("workflow/generator/conf.py", "Restore it"),
        ("tests/reference/agreement/peers.csv", "Restore it"),
        ("benchmarks/measured/aggregation/scores.csv", "Restore it"),
        ("benchmarks/measured/noise/power.csv", "Restore it"),
        ("CONTRIBUTING.md", "Restore it"),
    ],
)
def test_a_source_that_is_gone_is_named_before_any_job_though_its_results_are_there(
    built, path, remedy
):
    clone, _ = built
    source = clone.top / path
    away = source.with_name("away")
    source.rename(away)
    try:
        output = clone.snakemake("--dry-run", fails=True)
    finally:
        away.rename(source)
    assert f"{path}: missing" in output
    assert remedy in output
    assert "Traceback" not in output


def test_each_rule_says_in_a_sentence_what_it_is(sources):
    listed = sources.snakemake("--list-rules")
    rules = [line for line in listed.splitlines() if re.match(r"[a-z_0-9]+($| \()", line)]
    assert {"all", "example_paper", "fetch_anesthesia", "site"} <= {r.split()[0] for r in rules}
    said = [re.fullmatch(r"[a-z_0-9]+ \(([A-Z].+\.)\)", rule) for rule in rules]
    assert [rule for rule, found in zip(rules, said, strict=True) if not found] == []


def test_the_picture_of_the_workflow_shows_what_is_made_of_what(sources, monkeypatch):
    monkeypatch.syspath_prepend(TOP / "docs/pictures")
    import stages

    # The copy has no session of the course, and no data set that a study uses.
    drawn = {a for a in stages.ARROWS if a[1] != "course" and a != ("data", "studies")}
    graph = sources.snakemake("all", "check", "--rulegraph")
    rules = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)"', graph, flags=re.M))
    edges = {
        (stage_of(rules[made_of], stages), stage_of(rules[made], stages))
        for made_of, made in re.findall(r"^\s*(\d+) -> (\d+)", graph, flags=re.M)
        if rules[made] != "all"
    }
    edges = {(start, end) for start, end in edges if start != end}
    following = {start: reached(start, edges) for start, _ in edges}
    direct = {
        (start, end)
        for start, end in edges
        if not any(end in following.get(other, ()) for first, other in edges if first == start)
    }
    assert drawn == direct


def stage_of(rule, stages):
    """Return the stage of the picture that names a rule, by the longest beginning."""
    begins = {
        begin: stage
        for stage, (names, *_) in stages.STAGES.items()
        for begin in names
        if rule.startswith(begin)
    }
    return begins[max(begins, key=len)]


def reached(start, edges):
    """Return what follows from a stage, directly or not."""
    after = {end for first, end in edges if first == start}
    return after.union(*(reached(end, edges) for end in after))


def test_a_run_is_packed_with_the_times_of_its_jobs(clone):
    (clone.top / ".gitignore").write_text(
        "/results/\n/.snakemake/\n/cache/\n*.egg-info/\n__pycache__\n"
    )
    release.git(clone.top, "init", "--quiet")
    release.git(clone.top, "add", ".")
    release.git(
        clone.top,
        *("-c", "user.name=a", "-c", "user.email=a@b"),
        *("commit", "--quiet", "-m", "all"),
    )
    folder = clone.top / "results/crate"
    crate.pack(clone.top / "results", folder, clone.top)
    assert crate_check.faults(folder) == []
    graph = json.loads((folder / crate_check.METADATA).read_text())["@graph"]
    [action] = [entity for entity in graph if entity["@id"] == "#analysis-example_paper"]
    assert action["startTime"] <= action["endTime"]
    assert [each["@id"] for each in action["object"]] == ["results/data/anesthesia/"]


# --- the check -----------------------------------------------------------------------


def test_the_check_passes(built):
    clone, _ = built
    output = clone.snakemake("check")
    assert "Nothing is missing, unexplained or stale." in output


def test_the_check_fails_on_what_is_missing_and_stale_and_not_on_what_is_explained(clone):
    published, errata = clone.paper / "published.csv", clone.paper / "errata.csv"
    before = published.read_text()
    published.write_text(f"{before}section3.more,§3,eq,1,,result,closed_form,,,\n")
    with errata.open("a") as stream:
        stream.write("section2.accuracy_of_three,slip,misprint,value,why,sums,,,2026-11-26\n")
    output = clone.snakemake("check", fails=True)
    assert "§3 prints 1; no value was computed" in output
    assert "explained in errata.csv, but its verdict is reproduced" in output
    assert "2 failure(s), listed above" in output
    # The pages are rendered all the same.
    assert (
        "section3.more" in (clone.top / "results/pages/papers/example_paper/index.html").read_text()
    )
    published.write_text(before.replace(".784", ".786"))
    clone.snakemake("results/comparison.csv")
    assert check(read_comparison(clone.top / "results/comparison.csv")) == []


# --- what goes wrong -----------------------------------------------------------------


def test_an_unknown_key_is_refused_before_any_job_with_its_path(sources):
    with sources.edited("config/config.yaml", old="mode: auto", new="modus: auto"):
        output = sources.snakemake(fails=True)
    assert "configuration, key data.modus: 'modus' is not known" in output
    assert "Is 'mode' meant?" in output
    assert not (sources.top / "results").exists()


def test_an_unknown_data_set_is_refused_with_its_path(sources):
    output = sources.snakemake("--config", "data={datasets: {anestesia: real}}", fails=True)
    assert "key data.datasets.anestesia: 'anestesia' is not known" in output


def test_real_data_that_are_missing_are_listed_with_a_remedy(sources, tmp_path):
    clone = sources.copy(tmp_path / "clone")
    output = clone.snakemake("data", "--config", "data={mode: real}", fails=True)
    assert "data set anesthesia: 1 of 1 file(s) missing" in output
    assert "Set ANNOBENCH_DATA_MIRROR" in output
    assert not (clone.top / "results/data/anesthesia/labels.parquet").exists()


def test_a_results_folder_that_is_a_file_is_refused_with_a_remedy(sources):
    path = sources.top / "results"
    path.write_text("")
    try:
        output = sources.snakemake(fails=True)
    finally:
        path.unlink()
    assert "results: the workflow writes into this folder, but it is a file" in output
    assert "Traceback" not in output


def test_an_analysis_that_fails_leaves_its_message_and_its_log(clone):
    analysis = clone.paper / "analysis.py"
    old = "    sizes = table1_sizes(labels)\n"
    new = '    raise ValueError("labels.parquet, row 3: no such patient")\n'
    assert old in analysis.read_text()
    analysis.write_text(analysis.read_text().replace(old, new))
    output = clone.snakemake(fails=True)
    assert "replicate_example_paper: labels.parquet, row 3: no such patient" in output
    log = clone.top / "results/logs/papers/example_paper.log"
    assert "Traceback" in log.read_text()


#: Scripts of rules that follow one another, and what a kill leaves half-written.
KILLED = {
    "workflow/scripts/data/fetch_datasets.py": "results/data/anesthesia/meta.json",
    "workflow/scripts/papers/run_paper.py": "results/papers/example_paper/computed.csv",
    "workflow/scripts/site/build_site.py": "results/index.html",
}


def kill_in_the_middle(clone, script, output, *options):
    """Start a run, and kill it in a script that has left half of its output."""
    half = clone.top / output
    # What a kill in the middle of a write leaves: half a file under its final name, or a draft,
    # here of a file that no other run writes.
    stop = (
        "        import os, time\n\n"
        "        from annobench.core.files import replacing\n\n"
        '        with replacing(f"results/strays/{os.getpid()}/stray.svg"):\n'
        f'            Path("{output}").write_text("half")\n'
        "            time.sleep(600)\n"
    )
    [line] = re.findall(r"^    with recording\(.*\n", (clone.top / script).read_text(), re.M)
    with clone.edited(script, old=line, new=line + stop):
        process = clone.start(*options)
        deadline = time.monotonic() + 600
        try:
            while not (half.exists() and half.read_text() == "half"):
                assert process.poll() is None, process.communicate()
                assert time.monotonic() < deadline, "the rule did not start"
                time.sleep(0.1)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert list((clone.top / "results" / "strays").rglob(".draft.*"))


@pytest.mark.slow
def test_runs_that_were_killed_in_the_middle_of_a_rule_are_resumed(clone):
    before = {output: (clone.top / output).read_text() for output in KILLED.values()}
    first, *others = KILLED.items()
    kill_in_the_middle(clone, *first)
    assert "--unlock" in clone.snakemake(fails=True)
    clone.snakemake("--unlock")
    # Each run is the resumption of the one before; without a lock, none has to be removed.
    for script, output in others:
        kill_in_the_middle(clone, script, output, "--nolock")
    clone.snakemake()
    assert not list((clone.top / "results").rglob(".draft.*"))
    for output, text in before.items():
        assert (clone.top / output).read_text() == text
    assert "Nothing to be done" in clone.snakemake()
