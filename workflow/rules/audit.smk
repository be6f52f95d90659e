# Whether audits are right as often as they say, and whether labels placed by information pay.


rule measure_audits:
    """Audit items whose categories are known, again and again."""
    input:
        metas=lambda wildcards: metas_of(audit_grid(wildcards)["datasets"]),
        tables=lambda wildcards: tables_of(audit_grid(wildcards)["datasets"]),
    output:
        table="results/studies/{study}/parts/{part}.parquet",
    log:
        "results/logs/studies/{study}/{part}.log",
    benchmark:
        "results/logs/studies/{study}/{part}.benchmark.tsv"
    wildcard_constraints:
        study=one_of(AUDIT_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1500,
        runtime=lambda wildcards: 5 if wildcards.study == "audit" else 60,
    params:
        library=lambda wildcards: imports_of(
            WORKFLOW / "scripts/studies/measure_audits.py",
            also=[f"annobench.models.{name}" for name in audit_grid(wildcards)["models"]],
        ),
        grid=audit_grid,
        seed=config["seed"],
        n_parts=lambda wildcards: N_PARTS[wildcards.study],
    script:
        "../scripts/studies/measure_audits.py"


rule collect_audits:
    """Put the parts of the study of audits together."""
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
        study=one_of(AUDIT_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/collect_audits.py"),
        settings=lambda wildcards: {
            "grid": AUDIT_GRIDS[wildcards.study],
            "design": audit_grid(wildcards),
        },
    script:
        "../scripts/studies/collect_audits.py"


rule replay_labels:
    """Buy real labels again in the order of strategies."""
    input:
        metas=lambda wildcards: metas_of(replay_grid(wildcards)["datasets"]),
        tables=lambda wildcards: tables_of(replay_grid(wildcards)["datasets"]),
    output:
        table="results/studies/{study}/replay.csv",
    log:
        "results/logs/studies/{study}.replay.log",
    benchmark:
        "results/logs/studies/{study}.replay.benchmark.tsv"
    wildcard_constraints:
        study=one_of(AUDIT_GRIDS),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=lambda wildcards: 5 if wildcards.study == "audit" else 60,
    params:
        library=imports_of(
            WORKFLOW / "scripts/studies/replay_labels.py", also=["annobench.models.dawid_skene"]
        ),
        grid=replay_grid,
        seed=config["seed"],
    script:
        "../scripts/studies/replay_labels.py"


rule render_audits:
    """Render the page of the study of audits that this run made."""
    input:
        coverage="results/studies/{study}/coverage.csv",
        replay="results/studies/{study}/replay.csv",
        settings="results/studies/{study}/settings.json",
        site=site_files("audit_coverage.html.j2"),
    output:
        figures=expand(
            "results/pages/studies/{{study}}/{figure}.{suffix}",
            figure=["held", "released", "gains"],
            suffix=FIGURE_FORMATS,
        ),
        page="results/pages/studies/{study}/index.html",
    log:
        "results/logs/studies/{study}.page.log",
    benchmark:
        "results/logs/studies/{study}.page.benchmark.tsv"
    wildcard_constraints:
        study=one_of([*AUDIT_GRIDS, "audit_stored"]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/studies/render_audits.py"),
    script:
        "../scripts/studies/render_audits.py"
