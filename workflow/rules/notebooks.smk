# Run the notebooks on the results: for reading beside the paper, and for courses.


rule notebooks:
    """Run and render every notebook."""
    input:
        expand("results/notebooks/{notebook}.html", notebook=PAPER_OF_NOTEBOOK),


rule render_notebook:
    """Run a paper's notebook on its results, and render it as a page that opens offline."""
    input:
        unpack(notebook_inputs),
        notebook=f"{NOTEBOOKS}/{{notebook}}.ipynb",
        site=site_files("notebook.html.j2"),
    output:
        notebook="results/notebooks/{notebook}.ipynb",
        html="results/notebooks/{notebook}.html",
    log:
        "results/logs/notebooks/{notebook}.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        library=notebook_sources,
        paper=lambda wildcards: PAPER_OF_NOTEBOOK[wildcards.notebook].key,
    script:
        "../scripts/render_notebook.py"
