# Studies that no paper printed, for who must choose a coefficient or trust an interval.

PEERS = WORKFLOW.parent / "tests/reference/agreement"


rule conformance:
    """Compare our coefficients with those of other packages, stored, on small data sets."""
    input:
        peers=str(PEERS / "peers.csv"),
        datasets=str(PEERS / "datasets.py"),
        disagreements=str(PEERS / "disagreements.csv"),
        site=site_files("conformance.html.j2"),
        library=imports_of(WORKFLOW / "scripts/conformance.py"),
    output:
        matrix="results/studies/conformance/matrix.csv",
        disagreements="results/studies/conformance/disagreements.csv",
        page="results/studies/conformance/index.html",
    log:
        "results/logs/studies/conformance.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/conformance.py"


#: The folder of a study, by the grid that it shows.
COVERAGE_GRIDS = {"coverage": "reduced", "coverage_full": "full"}


#: What decides the table of a study.
coverage_settings = {
    "grid": lambda wildcards: config["studies"]["coverage"][COVERAGE_GRIDS[wildcards.study]],
    "estimand_items": config["studies"]["coverage"]["estimand_items"],
    "seed": config["seed"],
}


rule studies:
    """Run the long studies in full."""
    input:
        "results/studies/coverage_full/index.html",
        "results/studies/baselines_full/index.html",
        "results/studies/noise_full/index.html",


rule measure_coverage:
    """Measure the empirical coverage of nominal 95% intervals on simulated labels."""
    input:
        library=imports_of(WORKFLOW / "scripts/measure_coverage.py"),
    output:
        table="results/studies/{study}/coverage.csv",
    log:
        "results/logs/studies/{study}.log",
    wildcard_constraints:
        study=one_of(COVERAGE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=lambda wildcards: 15 if wildcards.study == "coverage" else 240,
    params:
        **coverage_settings,
    script:
        "../scripts/measure_coverage.py"


rule render_coverage:
    """Render the page of the coverage study, which names the intervals that do badly."""
    input:
        table="results/studies/{study}/coverage.csv",
        site=site_files("coverage.html.j2"),
        library=imports_of(WORKFLOW / "scripts/render_coverage.py"),
    output:
        figures=expand(
            "results/studies/{{study}}/{unit}.{suffix}",
            unit=["items", "annotators"],
            suffix=FIGURE_FORMATS,
        ),
        page="results/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    wildcard_constraints:
        study=one_of(COVERAGE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        **coverage_settings,
        grid_name=lambda wildcards: COVERAGE_GRIDS[wildcards.study],
    script:
        "../scripts/render_coverage.py"


rule render_benchmarks:
    """Show what `make bench` measured last."""
    input:
        measured=sorted(map(str, (WORKFLOW.parent / "benchmarks/measured").glob("*.csv"))),
        site=site_files("benchmarks.html.j2"),
        library=imports_of(WORKFLOW / "scripts/render_benchmarks.py"),
    output:
        page="results/studies/benchmarks/index.html",
    log:
        "results/logs/studies/benchmarks.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/render_benchmarks.py"


rule score_baselines:
    """Score every model on labels with a gold standard, under the same rules."""
    input:
        metas=lambda wildcards: [f"results/data/{id}/meta.json" for id in graded(wildcards)],
        tables=lambda wildcards: [path for id in graded(wildcards) for path in data_of(id)],
        library=imports_of(
            WORKFLOW / "scripts/score_baselines.py",
            also=[f"annobench.models.{path.stem}" for path in (PACKAGE / "models").iterdir()],
        ),
    output:
        scores="results/studies/{study}/scores.csv",
        attempts="results/studies/{study}/attempts.csv",
        methods="results/studies/{study}/methods.csv",
    log:
        "results/logs/studies/{study}.log",
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=lambda wildcards: 10 if wildcards.study == "baselines" else 240,
    params:
        grid=baselines_settings,
        seed=config["seed"],
    script:
        "../scripts/score_baselines.py"


rule render_baselines:
    """Render the page that shows which models do better than the majority vote, and where."""
    input:
        scores="results/studies/{study}/scores.csv",
        attempts="results/studies/{study}/attempts.csv",
        methods="results/studies/{study}/methods.csv",
        site=site_files("baselines.html.j2"),
        library=imports_of(WORKFLOW / "scripts/render_baselines.py"),
    output:
        figure=expand("results/studies/{{study}}/accuracy.{suffix}", suffix=FIGURE_FORMATS),
        page="results/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    wildcard_constraints:
        study=one_of(BASELINE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        grid=baselines_settings,
        grid_name=lambda wildcards: BASELINE_GRIDS[wildcards.study],
        seed=config["seed"],
    script:
        "../scripts/render_baselines.py"


#: The folder of the study of the noise certificate, by the grid that it shows.
NOISE_GRIDS = {"noise": "reduced", "noise_full": "full"}

#: What is certified, of the data sets that there are.
CERTIFIED = [each for each in config["studies"]["noise"]["data"] if each["dataset"] in DATASETS]


#: What decides the tables of the study.
noise_settings = {
    "grid": lambda wildcards: config["studies"]["noise"][NOISE_GRIDS[wildcards.study]],
    "seed": config["seed"],
}


rule measure_promise:
    """Count how often the noise certificate holds, exactly where it can be."""
    input:
        library=imports_of(WORKFLOW / "scripts/measure_promise.py"),
    output:
        curves="results/studies/{study}/curves.csv",
        exact="results/studies/{study}/exact.csv",
        simulated="results/studies/{study}/simulated.csv",
        power="results/studies/{study}/power.csv",
    log:
        "results/logs/studies/{study}.log",
    wildcard_constraints:
        study=one_of(NOISE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    threads: 2
    resources:
        mem_mb=1000,
        runtime=lambda wildcards: 5 if wildcards.study == "noise" else 120,
    params:
        **noise_settings,
    script:
        "../scripts/measure_promise.py"


rule render_promise:
    """Render the page that shows where the noise certificate keeps its promise."""
    input:
        curves="results/studies/{study}/curves.csv",
        exact="results/studies/{study}/exact.csv",
        simulated="results/studies/{study}/simulated.csv",
        power="results/studies/{study}/power.csv",
        site=site_files("promise.html.j2"),
        library=imports_of(WORKFLOW / "scripts/render_promise.py"),
    output:
        figures=expand(
            "results/studies/{{study}}/{figure}.{suffix}",
            figure=["exact", "simulated"],
            suffix=FIGURE_FORMATS,
        ),
        page="results/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    wildcard_constraints:
        study=one_of(NOISE_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        **noise_settings,
        grid_name=lambda wildcards: NOISE_GRIDS[wildcards.study],
    script:
        "../scripts/render_promise.py"


rule certify:
    """Certify the noise of labels of several kinds, and compare with gold."""
    input:
        metas=[f"results/data/{each['dataset']}/meta.json" for each in CERTIFIED],
        tables=[path for each in CERTIFIED for path in data_of(each["dataset"])],
        library=imports_of(WORKFLOW / "scripts/certify.py"),
    output:
        summary="results/studies/certificate/summary.csv",
        rules="results/studies/certificate/rules.csv",
        shares="results/studies/certificate/shares.csv",
        heterogeneity="results/studies/certificate/heterogeneity.csv",
        hard_items="results/studies/certificate/hard_items.csv",
        plans="results/studies/certificate/plans.csv",
    log:
        "results/logs/studies/certificate.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1500,
        runtime=5,
    params:
        data=CERTIFIED,
        seed=config["seed"],
    script:
        "../scripts/certify.py"


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
        library=imports_of(WORKFLOW / "scripts/render_certificate.py"),
    output:
        figure=expand("results/studies/certificate/rates.{suffix}", suffix=FIGURE_FORMATS),
        page="results/studies/certificate/index.html",
    log:
        "results/logs/studies/certificate.page.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        data=CERTIFIED,
        unknown=[
            each["dataset"] for each in config["studies"]["noise"]["data"] if each not in CERTIFIED
        ],
        seed=config["seed"],
    script:
        "../scripts/render_certificate.py"
