# Run the notebooks on the results: for reading beside the paper, and for courses.


rule notebooks:
    """Run every notebook."""
    input:
        expand("results/notebooks/{notebook}.ipynb", notebook=PAPER_OF_NOTEBOOK),


rule run_notebook:
    """Run a paper's notebook on its results; the site shows it."""
    input:
        unpack(notebook_inputs),
        notebook=f"{NOTEBOOKS}/{{notebook}}.ipynb",
    output:
        notebook="results/notebooks/{notebook}.ipynb",
    log:
        "results/logs/notebooks/{notebook}.log",
    benchmark:
        "results/logs/notebooks/{notebook}.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        library=notebook_sources,
        paper=lambda wildcards: PAPER_OF_NOTEBOOK[wildcards.notebook].key,
    script:
        "../scripts/papers/run_notebook.py"
