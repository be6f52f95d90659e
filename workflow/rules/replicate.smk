# Recompute papers, and compare what they printed with what was computed: for the replicator.


rule papers:
    """Compare every paper."""
    input:
        "results/comparison.csv",
        faults=faults_of(*PAPERS, *BROKEN, parts=PARTS[:3]),
    log:
        "results/logs/papers.log",
    conda:
        "../../envs/annobench.yaml"
    shell:
        "! grep . /dev/null {input.faults} > {log}"


for key in [*PAPERS, *(name for name in BROKEN if is_key(name, TAKEN))]:

    rule:
        """Make the paper of this name alone: analysis, verdicts, notebook and page."""
        name:
            key
        input:
            f"results/faults/{key}/none",
            f"results/papers/{key}/page.html",
            [f"results/notebooks/{key}.ipynb"] if key in PAPERS else [],


for key in PAPERS:

    rule:
        """Recompute the values, tables and figures of the paper of this name."""
        name:
            f"replicate_{key}"
        input:
            **paper_inputs(key),
        output:
            **paper_outputs(key),
            fault=f"results/faults/{key}/analysis.txt",
        log:
            f"results/logs/papers/{key}.log",
        benchmark:
            f"results/logs/papers/{key}.benchmark.tsv"
        # Those that take longest are begun first, so that no other job waits for them.
        priority: PAPERS[key].minutes
        conda:
            "../../envs/annobench.yaml"
        resources:
            mem_mb=PAPERS[key].mem_mb,
            runtime=PAPERS[key].minutes,
        params:
            library=lambda wildcards, key=key: imports_of_paper(*PAPERS[key].sources),
            seed=config["seed"] if PAPERS[key].random else None,
            datasets=list(PAPERS[key].datasets),
            resources={n: RESOURCES[n] for n in PAPERS[key].resources if n in RESOURCES},
        script:
            "../scripts/papers/run_paper.py"


rule trace_paper:
    """Find what each value of a paper rests on, by changing numbers, constants and data."""
    input:
        unpack(traced_inputs),
    output:
        table="results/papers/{paper}/dependence.csv",
        fault="results/faults/{paper}/dependence.txt",
    log:
        "results/logs/papers/{paper}.trace.log",
    benchmark:
        "results/logs/papers/{paper}.trace.benchmark.tsv"
    # After the analyses, whose compiled loops these find then and don't compile at the same time,
    # and before studies: the comparison, and all that shows it, waits for the last of them.
    priority: 0.5
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        library=traced_sources,
        # Of a paper without numbers nothing is traced.
        seed=lambda wildcards: (
            None if PAPERS[wildcards.paper].results == "none" else config["seed"]
        ),
        datasets=lambda wildcards: PAPERS[wildcards.paper].datasets,
        results=lambda wildcards: PAPERS[wildcards.paper].results,
    script:
        "../scripts/papers/trace_paper.py"


rule compare_paper:
    """Give every printed value of a paper its verdict."""
    input:
        **{name: f"{WORKFLOW}/papers/{{paper}}/{name}.csv" for name in LEDGERS},
        computed="results/papers/{paper}/computed.csv",
        dependence="results/papers/{paper}/dependence.csv",
        untraced="results/faults/{paper}/dependence.txt",
    output:
        comparison=report(
            "results/papers/{paper}/comparison.csv",
            caption="../report/verdicts.rst",
            category="{paper}",
            labels={"what": "Every printed value and its verdict", "kind": "verdicts"},
        ),
        others="results/papers/{paper}/others.csv",
        fault="results/faults/{paper}/comparison.txt",
    log:
        "results/logs/papers/{paper}.comparison.log",
    benchmark:
        "results/logs/papers/{paper}.comparison.benchmark.tsv"
    priority: 0.5
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/papers/compare_paper.py"),
        results=lambda wildcards: PAPERS[wildcards.paper].results,
        second_hand=lambda wildcards: PAPERS[wildcards.paper].second_hand,
    script:
        "../scripts/papers/compare_paper.py"


rule collect_comparisons:
    """Put the verdicts of all papers into one table."""
    input:
        comparisons=expand("results/papers/{paper}/comparison.csv", paper=[*PAPERS, *BROKEN]),
    output:
        comparison="results/comparison.csv",
    log:
        "results/logs/comparison.log",
    benchmark:
        "results/logs/comparison.benchmark.tsv"
    priority: 0.5
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/papers/collect_comparisons.py"),
    script:
        "../scripts/papers/collect_comparisons.py"


rule write_printed_tables:
    """Write each printed table with its computed values, as CSV and LaTeX."""
    input:
        records=[f"{paper.folder}/paper.yaml" for paper in PAPERS.values() if paper.layouts],
        layouts=[str(paper.layout(table)) for paper in PAPERS.values() for table in paper.layouts],
        comparisons=[
            f"results/papers/{key}/comparison.csv"
            for key, paper in PAPERS.items()
            if paper.layouts
        ],
    output:
        [
            reported(path, key, table, "printed_table") if path.endswith(".csv") else path
            for key in PAPERS
            for path, table in zip(printed_tables(key), PAPERS[key].layouts * 2)
        ],
    log:
        "results/logs/printed_tables.log",
    benchmark:
        "results/logs/printed_tables.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/papers/write_printed_tables.py"),
    script:
        "../scripts/papers/write_printed_tables.py"


rule check_paper:
    """Fail on a fault of a paper or of a guide, and print it: all else is made by then."""
    input:
        lambda wildcards: faults_of(wildcards.paper),
    output:
        touch("results/faults/{paper}/none"),
    log:
        "results/logs/papers/{paper}.check.log",
    wildcard_constraints:
        paper=one_of([*PAPERS, *BROKEN, *GUIDES]),
    conda:
        "../../envs/annobench.yaml"
    shell:
        "! grep . /dev/null {input} > {log}"


rule check:
    """Fail on faults, missing values, unexplained deviations and stale explanations."""
    input:
        comparison="results/comparison.csv",
        faults=faults_of(*PAPERS, *BROKEN, *GUIDES),
        # The page is rendered first, so that a failure can be read there.
        page="results/index.html",
    log:
        "results/logs/check.log",
    benchmark:
        "results/logs/check.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/papers/check.py"),
    script:
        "../scripts/papers/check.py"
