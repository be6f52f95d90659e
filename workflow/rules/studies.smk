# Studies that no paper printed, for who must choose a coefficient or trust an interval.

PEERS = WORKFLOW.parent / "tests/reference/agreement"


rule conformance:
    """Compare our coefficients with those of other packages, stored, on small data sets."""
    input:
        peers=str(PEERS / "peers.csv"),
        datasets=str(PEERS / "datasets.py"),
        disagreements=str(PEERS / "disagreements.csv"),
        site=site_files("conformance.html.j2"),
    output:
        matrix="results/studies/conformance/matrix.csv",
        disagreements="results/studies/conformance/disagreements.csv",
        page="results/pages/studies/conformance/index.html",
    log:
        "results/logs/studies/conformance.log",
    benchmark:
        "results/logs/studies/conformance.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_conformance.py"),
    script:
        "../scripts/studies/render_conformance.py"


for study, files in STORED_STUDIES.items():

    rule:
        """Take the tables of a full grid from where `make coverage` or `make audits` stored them."""
        name:
            f"restore_{study}"
        input:
            [str(STORED / study / file) for file in files],
        output:
            expand("results/studies/{study}_stored/{file}", study=study, file=files),
        log:
            f"results/logs/studies/{study}_stored.log",
        conda:
            "../../envs/annobench.yaml"
        resources:
            mem_mb=100,
            runtime=5,
        params:
            folder=lambda wildcards, output: Path(output[0]).parent,
        shell:
            "cp {input:q} {params.folder:q} 2>&1 | tee {log:q} >&2"


rule studies:
    """Run the long studies in full."""
    input:
        "results/pages/studies/coverage_full/index.html",
        "results/pages/studies/baselines_full/index.html",
        "results/pages/studies/noise_full/index.html",
        "results/pages/studies/audit_full/index.html",


rule measure_coverage:
    """Measure the empirical coverage of nominal 95% intervals on simulated labels."""
    output:
        table="results/studies/{study}/parts/{part}.parquet",
    log:
        "results/logs/studies/{study}/{part}.log",
    benchmark:
        "results/logs/studies/{study}/{part}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(COVERAGE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=lambda wildcards: 15 if wildcards.study == "coverage" else 60,
    params:
        settings=coverage_settings,
        seed=config["seed"],
        library=imports_of(WORKFLOW / "scripts/studies/measure_coverage.py"),
        n_parts=lambda wildcards: N_PARTS[wildcards.study],
    script:
        "../scripts/studies/measure_coverage.py"


rule collect_coverage:
    """Put the parts of the coverage study together."""
    input:
        parts=parts_of,
    output:
        table="results/studies/{study}/coverage.csv",
        settings="results/studies/{study}/settings.json",
    log:
        "results/logs/studies/{study}.log",
    benchmark:
        "results/logs/studies/{study}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(COVERAGE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        settings=coverage_settings,
        library=imports_of(WORKFLOW / "scripts/studies/collect_coverage.py"),
    script:
        "../scripts/studies/collect_coverage.py"


rule render_coverage:
    """Render the page of the coverage study, which names the intervals that do badly."""
    input:
        table="results/studies/{study}/coverage.csv",
        settings="results/studies/{study}/settings.json",
        site=site_files("coverage.html.j2"),
    output:
        figures=expand(
            "results/pages/studies/{{study}}/{unit}.{suffix}",
            unit=["items", "annotators"],
            suffix=FIGURE_FORMATS,
        ),
        page="results/pages/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    benchmark:
        "results/logs/studies/{study}.page.benchmark.tsv"
    wildcard_constraints:
        study=one_of([*COVERAGE_GRIDS, "coverage_stored"]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_coverage.py"),
    script:
        "../scripts/studies/render_coverage.py"


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
            }
            for name, folder in STORED_BENCHMARKS.items()
        },


#: What is certified, of the data sets that there are.
CERTIFIED = [each for each in config["studies"]["noise"]["data"] if each["dataset"] in DATASETS]


rule measure_certificate_coverage:
    """Measure how often the noise certificate holds on simulated labels."""
    output:
        table="results/studies/{study}/parts/{part}.parquet",
    log:
        "results/logs/studies/{study}/{part}.log",
    benchmark:
        "results/logs/studies/{study}/{part}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(NOISE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=lambda wildcards: 5 if wildcards.study == "noise" else 60,
    params:
        settings=noise_settings,
        seed=config["seed"],
        library=imports_of(WORKFLOW / "scripts/studies/measure_certificate_coverage.py"),
        n_parts=lambda wildcards: N_PARTS[wildcards.study],
    script:
        "../scripts/studies/measure_certificate_coverage.py"


rule collect_certificate_coverage:
    """Put the simulated coverage of the noise certificate beside the exact one and the power."""
    input:
        parts=parts_of,
    output:
        tables=expand("results/studies/{{study}}/{table}.csv", table=NOISE_TABLES),
        settings="results/studies/{study}/settings.json",
    log:
        "results/logs/studies/{study}.log",
    benchmark:
        "results/logs/studies/{study}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(NOISE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=lambda wildcards: 5 if wildcards.study == "noise" else 60,
    params:
        settings=noise_settings,
        # The power is simulated here.
        seed=config["seed"],
        library=imports_of(WORKFLOW / "scripts/studies/collect_certificate_coverage.py"),
    script:
        "../scripts/studies/collect_certificate_coverage.py"


rule render_certificate_coverage:
    """Render the page of the coverage of the noise certificate."""
    input:
        tables=expand("results/studies/{{study}}/{table}.csv", table=NOISE_TABLES),
        settings="results/studies/{study}/settings.json",
        site=site_files("certificate_coverage.html.j2"),
    output:
        figures=expand(
            "results/pages/studies/{{study}}/{figure}.{suffix}",
            figure=["exact", "simulated"],
            suffix=FIGURE_FORMATS,
        ),
        page="results/pages/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    benchmark:
        "results/logs/studies/{study}.page.benchmark.tsv"
    wildcard_constraints:
        study=one_of([*NOISE_GRIDS, "noise_stored"]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_certificate_coverage.py"),
    script:
        "../scripts/studies/render_certificate_coverage.py"


rule certify:
    """Certify the noise of labels of several kinds, and compare with gold."""
    input:
        metas=[f"results/data/{each['dataset']}/meta.json" for each in CERTIFIED],
        tables=[path for each in CERTIFIED for path in data_of(each["dataset"])],
    output:
        summary="results/studies/certificate/summary.csv",
        rules="results/studies/certificate/rules.csv",
        shares="results/studies/certificate/shares.csv",
        heterogeneity="results/studies/certificate/heterogeneity.csv",
        hard_items="results/studies/certificate/hard_items.csv",
        plans="results/studies/certificate/plans.csv",
    log:
        "results/logs/studies/certificate.log",
    benchmark:
        "results/logs/studies/certificate.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/certify.py"),
        data=CERTIFIED,
        seed=config["seed"],
    script:
        "../scripts/studies/certify.py"


rule render_certificate:
    """Render the page of noise certificates, with the truth from gold beside them."""
    input:
        summary="results/studies/certificate/summary.csv",
        rules="results/studies/certificate/rules.csv",
        shares="results/studies/certificate/shares.csv",
        heterogeneity="results/studies/certificate/heterogeneity.csv",
        hard_items="results/studies/certificate/hard_items.csv",
        plans="results/studies/certificate/plans.csv",
        site=site_files("certificate.html.j2"),
    output:
        figure=expand("results/pages/studies/certificate/rates.{suffix}", suffix=FIGURE_FORMATS),
        page="results/pages/studies/certificate/index.html",
    log:
        "results/logs/studies/certificate.page.log",
    benchmark:
        "results/logs/studies/certificate.page.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_certificate.py"),
        data=CERTIFIED,
        unknown=[
            each["dataset"] for each in config["studies"]["noise"]["data"] if each not in CERTIFIED
        ],
    script:
        "../scripts/studies/render_certificate.py"
