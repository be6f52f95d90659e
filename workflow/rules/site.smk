# The result pages, which open from disk: an overview, and a page a paper.


rule site:
    """Make the result pages."""
    input:
        "results/index.html",
        expand("results/papers/{paper}/index.html", paper=PAPERS),


rule render_paper:
    """Render a paper's page: figures, tables and every value with its verdict."""
    input:
        unpack(page_inputs),
        site=site_files("paper.html.j2"),
    output:
        page="results/papers/{paper}/index.html",
    log:
        "results/logs/papers/{paper}.page.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/render_paper.py"),
    script:
        "../scripts/render_paper.py"


rule build_site:
    """Render the overview: papers, verdicts, data sets, and a banner where data are simulated."""
    input:
        comparison="results/comparison.csv",
        metas=expand("results/data/{dataset}/meta.json", dataset=DATASETS),
        network=sorted({answer for dataset in DATASETS for answer in network_of(dataset)}),
        papers=[str(paper.folder / "paper.yaml") for paper in PAPERS.values()],
        pages=expand("results/papers/{paper}/index.html", paper=PAPERS),
        site=site_files("index.html.j2"),
    output:
        page="results/index.html",
    log:
        "results/logs/site.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/build_site.py"),
    script:
        "../scripts/build_site.py"
