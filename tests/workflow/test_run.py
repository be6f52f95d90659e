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
from annobench.replication.ledger import read_comparison
from annobench.replication.verdicts import check

pytestmark = pytest.mark.workflow

#: What follows from a paper's computed values.
SHOWN = {
    *("compare_papers", "run_notebook"),
    *("render_papers", "render_lists", "render_index", "site"),
}
COMPUTED = SHOWN | {"replicate_example_paper", "trace_paper"}
FETCHED = COMPUTED | {"fetch_anesthesia", "render_datasets"}
AUDITS = {"measure_audits", "collect_audits", "replay_labels", "render_audits", "site"}
COVERAGE = {"measure_coverage", "collect_coverage", "render_coverage", "site"}
BASELINES = {"fit_models", "refit_models", "score_models", "render_baselines", "site"}
NOISE = {
    *("measure_certificate_coverage", "collect_certificate_coverage"),
    *("render_certificate_coverage", "certify", "render_certificate"),
}


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
    assert "(http://127.0.0.1:9" in output
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
    folded, invited = html.count("hide above-input"), html.count("Change this and run again:")
    assert (folded, invited) == (4, 3)
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
    assert "seed 20081" in html
    assert "recomputes published studies" in html


# --- what reruns ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reruns"),
    [
        ("src/annobench/models/voting.py", COMPUTED | BASELINES | AUDITS - {"replay_labels"}),
        # Neither the analysis nor the coefficients of agreement import this model.
        ("src/annobench/models/hierarchical_binary.py", BASELINES),
        # Notebooks reach coefficients by the package of all.
        (
            "src/annobench/agreement/coefficients/icc.py",
            {"conformance", "render_index", "run_notebook", "render_datasets", "site"} | COVERAGE,
        ),
        ("src/annobench/datasets/anesthesia.py", FETCHED),
        ("src/annobench/datasets/pins/anesthesia.csv", FETCHED),
        ("src/annobench/datasets/pins/caries.csv", set()),
        ("workflow/papers/example_paper/analysis.py", COMPUTED),
        ("workflow/papers/example_paper/errata.csv", SHOWN),
        ("workflow/papers/example_paper/remarks.csv", SHOWN),
        ("workflow/papers/example_paper/standing.csv", SHOWN),
        ("src/annobench/replication/tracing.py", SHOWN | {"trace_paper"}),
        ("notebooks/example_paper.ipynb", {"run_notebook", "site"}),
        ("workflow/site/index.html.j2", {"render_index", "site"}),
        ("docs/coefficients/cohen_kappa.md", {"site"}),
        ("workflow/generator/static/site.css", {"site"}),
        (
            "src/annobench/reporting/templates/parts.css",
            {"render_baselines", "render_stored_benchmarks", "site"},
        ),
        ("tests/reference/agreement/disagreements.csv", {"conformance", "render_index", "site"}),
        ("workflow/scripts/check.py", set()),
    ],
)
def test_an_edit_reruns_exactly_what_depends_on_it(built, path, reruns):
    clone, _ = built
    # Blank lines mean nothing in any of these files.
    with clone.edited(path, "\n\n"):
        assert set(clone.planned()) == reruns


def test_another_seed_reruns_what_is_drawn(built):
    clone, _ = built
    assert (
        set(clone.planned("--config", "seed=1")) == FETCHED | COVERAGE | BASELINES | NOISE | AUDITS
    )


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
        *("conformance", "render_benchmarks", "render_faults", "render_stored_benchmarks"),
        "restore_study",
    }
    assert set(planned) == FETCHED | COVERAGE | BASELINES | NOISE | AUDITS | shown


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
        stream.write("section2.accuracy_of_three,slip,misprint,value,a digit,the formula,\n")
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
    "workflow/scripts/fetch_datasets.py": "results/data/anesthesia/meta.json",
    "workflow/scripts/run_paper.py": "results/papers/example_paper/computed.csv",
    "workflow/scripts/build_site.py": "results/index.html",
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
