# The site: one page for everything, from disk or any web server, with search.


GENERATOR = WORKFLOW / "generator"


#: The computed pages of the site, by where they stand on it. Rules of studies add theirs.
PAGES = [
    "index",
    "papers/index",
    *expand("papers/{paper}/{page}", paper=PAPERS, page=["index", "source"]),
    *expand("papers/{paper}/index", paper=BROKEN),
    "discrepancies",
    "learned",
    "values",
    "figures",
    "studies/index",
    "datasets/index",
    *expand("datasets/{id}/index", id=DATASETS),
    "studies/conformance/index",
    *expand("studies/{study}{grid}/index", study=STORED_STUDIES, grid=["", "_stored"]),
    "studies/baselines/index",
    "studies/aggregation/index",
    "studies/certificate/index",
    "studies/benchmarks/index",
    "studies/faults/index",
    *expand("studies/peers_{peer}/index", peer=PEER_STUDIES),
]


#: Tables that pages of studies offer.
STUDY_TABLES = [
    f"results/studies/{folder}/{table}.csv"
    for key, tables in {
        "conformance": ["matrix", "disagreements"],
        "coverage": STUDIES["coverage"].tables,
        "intervals": STUDIES["intervals"].tables,
        "noise": STUDIES["noise"].tables,
        "certificate": STUDIES["certificate"].tables,
    }.items()
    for folder in ([key, f"{key}_stored"] if STUDIES[key].grids else [key])
    for table in tables
]


rule render_paper:
    """Render a paper's page: figures, tables, findings, every value, and sources."""
    input:
        unpack(page_inputs),
        inputs=f"{WORKFLOW}/inputs.csv",
        site=site_files("paper.html.j2", "source.html.j2", "broken.html.j2", "filter.js"),
    output:
        index="results/pages/papers/{paper}/index.html",
        source="results/pages/papers/{paper}/source.html",
        fault="results/faults/{paper}/page.txt",
    log:
        "results/logs/papers/{paper}.page.log",
    benchmark:
        "results/logs/papers/{paper}.page.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_paper.py"),
    script:
        "../scripts/site/render_paper.py"


rule render_alone:
    """Make the page of a paper that was made alone, beside its figures and tables."""
    input:
        index="results/pages/papers/{paper}/index.html",
        source="results/pages/papers/{paper}/source.html",
        template=f"{WORKFLOW}/site/alone/alone.html.j2",
        styles=[
            str(PACKAGE.parent / "annobench_replication/templates/printed_table.css"),
            f"{GENERATOR}/static/results.css",
        ],
        library_templates=templates(),
    output:
        index="results/papers/{paper}/page.html",
        source="results/papers/{paper}/page_source.html",
    log:
        "results/logs/papers/{paper}.alone.log",
    benchmark:
        "results/logs/papers/{paper}.alone.benchmark.tsv"
    wildcard_constraints:
        paper=one_of([*PAPERS, *BROKEN]),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_alone.py"),
    script:
        "../scripts/site/render_alone.py"


rule render_broken:
    """Say in place of a paper's results why it can't be run."""
    input:
        site=site_files("broken.html.j2"),
    output:
        index="results/pages/papers/{paper}/index.html",
        source="results/pages/papers/{paper}/source.html",
        comparison="results/papers/{paper}/comparison.csv",
        fault="results/faults/{paper}/record.txt",
    log:
        "results/logs/papers/{paper}.broken.log",
    wildcard_constraints:
        paper=one_of(BROKEN),
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_broken.py"),
        fault=lambda wildcards: BROKEN[wildcards.paper],
    script:
        "../scripts/site/render_broken.py"


rule render_lists:
    """Render the pages across papers, and the records: discrepancies, all values, all figures."""
    input:
        comparison="results/comparison.csv",
        papers=[str(paper.folder / "paper.yaml") for paper in PAPERS.values()],
        remarks=[f"{paper.folder}/remarks.csv" for paper in PAPERS.values()],
        captions=[paper_results(key)["captions"] for key in PAPERS],
        figures=[path for key in PAPERS for path in paper_results(key)["figures"]],
        faults=faults_of(*PAPERS, parts=["comparison"]),
        site=site_files("discrepancies.html.j2", "values.html.j2", "figures.html.j2", "filter.js"),
    output:
        discrepancies="results/pages/discrepancies.html",
        values="results/pages/values.html",
        figures="results/pages/figures.html",
        table="results/discrepancies.csv",
        values_json="results/values.json",
        errata_json="results/errata.json",
    log:
        "results/logs/lists.log",
    benchmark:
        "results/logs/lists.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_lists.py"),
    script:
        "../scripts/site/render_lists.py"


rule render_index:
    """Render the overviews: findings, papers with their verdicts, studies, what was learned."""
    input:
        comparison="results/comparison.csv",
        metas=expand("results/data/{dataset}/meta.json", dataset=DATASETS),
        network=sorted({answer for dataset in DATASETS for answer in network_of(dataset)}),
        papers=[str(paper.folder / "paper.yaml") for paper in PAPERS.values()],
        remarks=[f"{paper.folder}/remarks.csv" for paper in PAPERS.values()],
        studies=[str(study.folder / "study.yaml") for study in STUDIES.values()],
        faults=faults_of(*PAPERS, *BROKEN, parts=PARTS[:3]),
        site=site_files(
            "index.html.j2", "papers.html.j2", "studies.html.j2", "learned.html.j2", "sort.js"
        ),
        # Findings are read from these, where a run has them.
        matrix="results/studies/conformance/matrix.csv",
    output:
        index="results/pages/index.html",
        papers="results/pages/papers/index.html",
        studies="results/pages/studies/index.html",
        learned="results/pages/learned.html",
    log:
        "results/logs/index.log",
    benchmark:
        "results/logs/index.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_index.py"),
        peers=PEER_STUDIES,
    script:
        "../scripts/site/render_index.py"


#: Data sets whose labels anyone may pass on: the site offers them, as the course's archive does.
PERMISSIONS = COURSE / "teacher/archive/licences.toml"
OFFERED = sorted(
    set(tomllib.loads(PERMISSIONS.read_text("utf-8")) if PERMISSIONS.is_file() else [])
    & set(DATASETS)
)


rule render_datasets:
    """Render the data sets: one page each, and the table of all."""
    input:
        data=tables_of(DATASETS),
        docs=sorted(map(str, DOCS.glob("datasets/*.md"))),
        site=site_files("dataset.html.j2", "datasets.html.j2"),
    output:
        index="results/pages/datasets/index.html",
        pages=expand("results/pages/datasets/{id}/index.html", id=DATASETS),
        labels=expand("results/pages/datasets/{id}/labels.parquet", id=OFFERED),
    log:
        "results/logs/datasets.log",
    benchmark:
        "results/logs/datasets.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=1500,
        runtime=5,
    params:
        library=imports_of(WORKFLOW / "scripts/site/render_datasets.py"),
        ids=DATASETS,
        about={
            "documented": {id: documentation_of(id) for id in DATASETS},
            "users": [
                dict(zip(["title", "page", "datasets"], user, strict=True)) for user in users()
            ],
            "offered": OFFERED,
        },
    script:
        "../scripts/site/render_datasets.py"


rule site:
    """Make the site: documentation, computed pages, notebooks and reference."""
    input:
        pages=expand("results/pages/{page}.html", page=PAGES),
        notebooks=rules.notebooks.input,
        files=[
            f"results/{name}"
            for name in ("comparison.csv", "discrepancies.csv", "values.json", "errata.json")
        ]
        + [path for paper in PAPERS for path in offered(paper)]
        + STUDY_TABLES,
        docs=sorted(map(str, DOCS.rglob("*.md"))) + sorted(map(str, DOCS.rglob("*.svg"))),
        stored=[
            str(STORED_BENCHMARK / f"{table}.csv") for table in ["averages", "scores", "problems"]
        ],
        contributing=str(WORKFLOW.parent / "CONTRIBUTING.md"),
        conf=str(GENERATOR / "conf.py"),
        sources=sorted(str(path) for path in GENERATOR.rglob("*.*") if path.suffix != ".pyc")
        + sorted(map(str, PACKAGE.parent.glob("annobench*/**/templates/*.css"))),
    output:
        site=directory("results/site"),
        index="results/index.html",
    log:
        "results/logs/site.log",
    benchmark:
        "results/logs/site.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    threads: 2
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        library=imports_of(WORKFLOW / "scripts/site/build_site.py"),
        # The reference shows the whole library, and the course.
        reference=config["site"]["reference"]
        and digest([*PACKAGE.rglob("*.py"), *COURSE.rglob("*.py")]),
        # By their places on the site.
        notebooks={
            **{f"papers/{key}/notebook": key for key in PAPERS},
            **{f"how-to/{name}": name for name in GUIDES},
        },
    script:
        "../scripts/site/build_site.py"
