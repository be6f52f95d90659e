# Studies that no paper printed, for who must choose a coefficient or trust an interval. What each
# is, its `study.yaml` says; how it is computed and shown, the modules of its folder.


rule studies:
    """Run the long studies in full."""
    input:
        expand("results/pages/studies/{study}_full/index.html", study=STORED_STUDIES),
        "results/pages/studies/baselines_full/index.html",


for key, study in STUDIES.items():
    if study.grids:

        rule:
            """Take the tables of a full grid from where they are stored."""
            name:
                f"restore_{key}"
            input:
                [str(STORED / key / f"{table}.csv") for table in study.tables],
                str(STORED / key / SETTINGS),
            output:
                expand(f"results/studies/{key}_stored/{{table}}.csv", table=study.tables),
                f"results/studies/{key}_stored/{SETTINGS}",
            log:
                f"results/logs/studies/{key}_stored.log",
            conda:
                "../../envs/annobench.yaml"
            resources:
                mem_mb=100,
                runtime=5,
            params:
                folder=lambda wildcards, output: Path(output[0]).parent,
            shell:
                "cp {input:q} {params.folder:q} 2>&1 | tee {log:q} >&2"

        rule:
            """Measure a part of the cells of the study of this name."""
            name:
                f"measure_{key}"
            input:
                metas=lambda wildcards: metas_of(study_data(wildcards)),
                tables=lambda wildcards: tables_of(study_data(wildcards)),
            output:
                table="results/studies/{study}/parts/{part}.parquet",
            log:
                "results/logs/studies/{study}/{part}.log",
            benchmark:
                "results/logs/studies/{study}/{part}.benchmark.tsv"
            wildcard_constraints:
                study=one_of(study.runs),
            conda:
                "../../envs/annobench.yaml"
            resources:
                mem_mb=study.mem_mb,
                runtime=lambda wildcards, key=key: (
                    STUDIES[key].grids[STUDY_RUNS[wildcards.study][1]].minutes
                ),
            params:
                library=lambda wildcards: study_sources(wildcards, "cells"),
                key=key,
                settings=study_settings,
                n_parts=lambda wildcards: len(parts_of(wildcards)),
            script:
                "../scripts/studies/measure_study.py"

    rule:
        """Compute the tables of the study of this name."""
        name:
            f"analyse_{key}"
        input:
            metas=lambda wildcards: metas_of(study_data(wildcards)),
            tables=lambda wildcards: tables_of(study_data(wildcards)),
            parts=parts_of,
            files=[str(WORKFLOW.parent / path) for path in study.files.values()],
        output:
            tables=expand("results/studies/{{study}}/{table}.csv", table=study.tables),
            settings=f"results/studies/{{study}}/{SETTINGS}",
        log:
            "results/logs/studies/{study}.log",
        benchmark:
            "results/logs/studies/{study}.benchmark.tsv"
        wildcard_constraints:
            study=one_of(study.runs),
        conda:
            "../../envs/annobench.yaml"
        resources:
            mem_mb=study.mem_mb,
            runtime=study.minutes,
        params:
            library=lambda wildcards: study_sources(wildcards, "analysis"),
            key=key,
            settings=study_settings,
            listed=study.tables,
            files=list(study.files),
        script:
            "../scripts/studies/analyse_study.py"

    rule:
        """Render the page of the study of this name, by this run or as it is stored."""
        name:
            f"render_{key}"
        input:
            tables=expand("results/studies/{{study}}/{table}.csv", table=study.tables),
            settings=f"results/studies/{{study}}/{SETTINGS}",
            files=[str(WORKFLOW.parent / path) for path in study.files.values()],
            template=str(study.template),
            site=site_files(),
        output:
            figures=expand(
                "results/pages/studies/{{study}}/{figure}.{suffix}",
                figure=study.figures,
                suffix=FIGURE_FORMATS,
            ),
            page="results/pages/studies/{study}/index.html",
        log:
            "results/logs/studies/{study}.page.log",
        benchmark:
            "results/logs/studies/{study}.page.benchmark.tsv"
        wildcard_constraints:
            study=one_of([*study.runs, *([f"{key}_stored"] if study.grids else [])]),
        conda:
            "../../envs/annobench.yaml"
        resources:
            mem_mb=500,
            runtime=5,
        params:
            library=module_sources(key, "page"),
            key=key,
            files=list(study.files),
        script:
            "../scripts/studies/render_study.py"
