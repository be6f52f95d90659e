# Recompute papers, and compare what they printed with what was computed: for the replicator.


rule papers:
    """Compare every paper."""
    input:
        "results/comparison.csv",


for key in (key for key, paper in PAPERS.items() if not paper.rules.is_file()):

    rule:
        name:
            f"replicate_{key}"
        input:
            **paper_inputs(key),
        output:
            **paper_outputs(key),
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
            library=imports_of(*PAPERS[key].sources),
            seed=config["seed"],
            datasets=list(PAPERS[key].datasets),
            resources={n: RESOURCES[n] for n in PAPERS[key].resources if n in RESOURCES},
        script:
            "../scripts/run_paper.py"


rule trace_paper:
    """Find what each value of a paper rests on, by changing numbers, constants and data."""
    input:
        unpack(traced_inputs),
    output:
        table="results/papers/{paper}/dependence.csv",
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
        seed=config["seed"],
        datasets=lambda wildcards: PAPERS[wildcards.paper].datasets,
        results=lambda wildcards: PAPERS[wildcards.paper].results,
    script:
        "../scripts/trace_paper.py"


rule compare_papers:
    """Give every printed value of every paper its verdict.

    All in one job, which takes less time than to start one for each.
    """
    input:
        computed=expand("results/papers/{paper}/computed.csv", paper=PAPERS),
        dependence=expand("results/papers/{paper}/dependence.csv", paper=PAPERS),
        published=[str(paper.folder / "published.csv") for paper in PAPERS.values()],
        errata=[str(paper.folder / "errata.csv") for paper in PAPERS.values()],
        remarks=[str(paper.folder / "remarks.csv") for paper in PAPERS.values()],
        standing=[str(paper.folder / "standing.csv") for paper in PAPERS.values()],
    output:
        comparisons=expand("results/papers/{paper}/comparison.csv", paper=PAPERS),
        others=expand("results/papers/{paper}/others.csv", paper=PAPERS),
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
        library=imports_of(WORKFLOW / "scripts/compare_papers.py"),
        results={key: paper.results for key, paper in PAPERS.items()},
    script:
        "../scripts/compare_papers.py"


rule check:
    """Fail on missing values, unexplained deviations and stale explanations."""
    input:
        comparison="results/comparison.csv",
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
        library=imports_of(WORKFLOW / "scripts/check.py"),
    script:
        "../scripts/check.py"
