# Compare what papers printed with what their analyses computed: for the replicator.
# The analyses themselves are in papers/<key>/rules.smk.


rule papers:
    """Compare every paper."""
    input:
        "results/comparison.csv",


rule compare_paper:
    """Give every printed value of a paper its verdict."""
    input:
        computed="results/papers/{paper}/computed.csv",
        published=f"{WORKFLOW}/papers/{{paper}}/published.csv",
        errata=f"{WORKFLOW}/papers/{{paper}}/errata.csv",
        library=imports_of(WORKFLOW / "scripts/compare_paper.py"),
    output:
        comparison="results/papers/{paper}/comparison.csv",
        others="results/papers/{paper}/others.csv",
    log:
        "results/logs/papers/{paper}.compare.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        results=lambda wildcards: PAPERS[wildcards.paper].results,
    script:
        "../scripts/compare_paper.py"


rule combine_comparisons:
    """Put the comparisons of all papers into one table."""
    input:
        comparisons=expand("results/papers/{paper}/comparison.csv", paper=PAPERS),
        library=imports_of(WORKFLOW / "scripts/combine_comparisons.py"),
    output:
        comparison="results/comparison.csv",
    log:
        "results/logs/comparison.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/combine_comparisons.py"


rule check:
    """Fail on missing values, unexplained deviations and stale explanations."""
    input:
        comparison="results/comparison.csv",
        # The page is rendered first, so that a failure can be read there.
        page="results/index.html",
        library=imports_of(WORKFLOW / "scripts/check.py"),
    log:
        "results/logs/check.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    script:
        "../scripts/check.py"
