# The benchmark of models, and what else is measured: for who must choose a model.


rule render_benchmarks:
    """Show what `make bench` measured last."""
    input:
        measured=sorted(map(str, (WORKFLOW.parent / "benchmarks/measured").glob("*.csv"))),
        site=site_files("benchmarks.html.j2"),
    output:
        page="results/pages/studies/benchmarks/index.html",
    log:
        "results/logs/studies/benchmarks.log",
    benchmark:
        "results/logs/studies/benchmarks.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_benchmarks.py"),
    script:
        "../scripts/studies/render_benchmarks.py"


rule render_faults:
    """Show what `make test-faults` tried last."""
    input:
        tried=str(WORKFLOW.parent / "benchmarks/measured/faults/tried.csv"),
        memory=str(WORKFLOW.parent / "benchmarks/measured/faults/memory.csv"),
        site=site_files("faults.html.j2"),
    output:
        page="results/pages/studies/faults/index.html",
    log:
        "results/logs/studies/faults.log",
    benchmark:
        "results/logs/studies/faults.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_faults.py"),
    script:
        "../scripts/studies/render_faults.py"


rule fit_models:
    """Fit a model, or all, to labels with a gold standard, or to all and to simulated regimes."""
    input:
        metas=lambda wildcards: metas_of(fitted(wildcards)),
        tables=lambda wildcards: tables_of(fitted(wildcards)),
    output:
        records="results/studies/{study}/fits/{method}/{case}.json",
        arrays="results/studies/{study}/fits/{method}/{case}.npz",
    log:
        "results/logs/studies/{study}/{method}/{case}.log",
    benchmark:
        "results/logs/studies/{study}/{method}/{case}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
        method=one_of([*METHODS, "all"]),
        case=one_of([*DATASETS, "regimes", "all"]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        library=lambda wildcards: model_sources("fit_models.py", wildcards),
        regimes=lambda wildcards: (
            baselines_settings(wildcards)["regimes"]
            if wildcards.case in ("regimes", "all")
            else None
        ),
        limit=lambda wildcards: baselines_settings(wildcards)["limit"],
        seed=seed_of_fits,
    script:
        "../scripts/studies/fit_models.py"


rule refit_models:
    """Fit a model, or all, to parts of the labels, for learning curves and resampled annotators."""
    input:
        metas=lambda wildcards: metas_of(refitted(wildcards)),
        tables=lambda wildcards: tables_of(refitted(wildcards)),
    output:
        table="results/studies/{study}/refits/{method}.csv",
    log:
        "results/logs/studies/{study}/{method}/refits.log",
    benchmark:
        "results/logs/studies/{study}/{method}/refits.benchmark.tsv"
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
        method=one_of([*METHODS, "all"]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        library=lambda wildcards: model_sources("refit_models.py", wildcards),
        refits=lambda wildcards: baselines_settings(wildcards)["refits"],
        seed=config["seed"],
    script:
        "../scripts/studies/refit_models.py"


rule score_models:
    """Score every model on labels with a gold standard, under the same rules."""
    input:
        metas=lambda wildcards: metas_of(graded(wildcards)),
        tables=lambda wildcards: tables_of(graded(wildcards)),
        fits=lambda wildcards: expand(
            "results/studies/{study}/fits/{method}/{case}.json",
            study=wildcards.study,
            method=fitted_methods(wildcards),
            case=fitted_cases(wildcards),
        ),
        refits=lambda wildcards: expand(
            "results/studies/{study}/refits/{method}.csv",
            study=wildcards.study,
            method=fitted_methods(wildcards),
        ),
    output:
        tables=expand("results/studies/{{study}}/{file}", file=BENCHMARK_FILES),
    log:
        "results/logs/studies/{study}.log",
    benchmark:
        "results/logs/studies/{study}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=60,
    params:
        library=imports_of(
            WORKFLOW / "scripts/studies/score_models.py",
            also=[f"annobench.models.{name}" for name in METHODS],
        ),
        grid=baselines_settings,
        grid_name=lambda wildcards: BASELINE_GRIDS[wildcards.study],
        seed=config["seed"],
    script:
        "../scripts/studies/score_models.py"


rule render_baselines:
    """Render the page of the benchmark of models that this run made."""
    input:
        tables=expand("results/studies/{{study}}/{file}", file=BENCHMARK_FILES),
        site=site_files() + templates("benchmark.html.j2", "benchmark.js"),
    output:
        pages=["results/pages/studies/{study}/index.html"],
    log:
        "results/logs/studies/{study}.page.log",
    benchmark:
        "results/logs/studies/{study}.page.benchmark.tsv"
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_baselines.py"),
        pages=lambda wildcards: {
            f"results/studies/{wildcards.study}": {
                "other": "../aggregation/index.html",
                "methods": METHODS,
            }
        },
    script:
        "../scripts/studies/render_baselines.py"


#: Answers of methods that others submitted, and the data sets that they answer.
SUBMISSIONS = sorted(map(str, (WORKFLOW.parent / "benchmarks/submissions").glob("*.json")))
SUBMISSION_DATA = [id for id in DATA_SETS if id in DATASETS]
SUBMITTED = "results/studies/submissions/submissions.csv"


rule score_submissions:
    """Check and score the methods that others submitted."""
    input:
        submissions=SUBMISSIONS,
        metas=metas_of(SUBMISSION_DATA),
        tables=tables_of(SUBMISSION_DATA),
    output:
        table=SUBMITTED,
    log:
        "results/logs/studies/submissions.log",
    benchmark:
        "results/logs/studies/submissions.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        library=imports_of(
            WORKFLOW / "scripts/studies/score_submissions.py",
            also=["annobench.models.dawid_skene"],
        ),
        replicates=1000,
    script:
        "../scripts/studies/score_submissions.py"


#: Packages whose methods `make peer` compared with ours.
PEERS_STORED = WORKFLOW.parent / "benchmarks/measured/peers"
PEER_STUDIES = sorted(path.name for path in PEERS_STORED.glob("*") if path.is_dir())
#: Benchmarks that `make aggregation` and `make peer` stored, by their pages.
STORED_BENCHMARKS = {
    "aggregation": STORED_BENCHMARK,
    **{f"peers_{peer}": PEERS_STORED / peer for peer in PEER_STUDIES},
}


use rule render_baselines as render_stored_benchmarks with:
    """Render the pages of the benchmarks of models that `make aggregation` and `make peer` stored."""

    # All in one job, which takes less time than to start one for each.
    input:
        tables=[
            str(folder / file) for folder in STORED_BENCHMARKS.values() for file in BENCHMARK_FILES
        ],
        submitted=SUBMITTED,
        site=site_files() + templates("benchmark.html.j2", "benchmark.js"),
    output:
        pages=expand("results/pages/studies/{study}/index.html", study=STORED_BENCHMARKS),
    log:
        "results/logs/studies/stored_benchmarks.pages.log",
    benchmark:
        "results/logs/studies/stored_benchmarks.pages.benchmark.tsv"
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_baselines.py"),
        pages={
            str(folder): {
                "other": (
                    "../baselines/index.html"
                    if name == "aggregation"
                    else "../aggregation/index.html"
                ),
                "methods": METHODS if name == "aggregation" else [],
                "submitted": SUBMITTED if name == "aggregation" else None,
            }
            for name, folder in STORED_BENCHMARKS.items()
        },
