# Run the notebooks on the results: for reading beside the paper, and for courses.


rule notebooks:
    """Run every notebook."""
    input:
        expand("results/notebooks/{notebook}.ipynb", notebook=[*PAPERS, *GUIDES]),


rule run_notebook:
    """Run a notebook on the results; the site shows it."""
    input:
        unpack(notebook_inputs),
        notebook=f"{NOTEBOOKS}/{{notebook}}.ipynb",
    output:
        notebook="results/notebooks/{notebook}.ipynb",
        fault="results/faults/{notebook}/notebook.txt",
    log:
        "results/logs/notebooks/{notebook}.log",
    benchmark:
        "results/logs/notebooks/{notebook}.benchmark.tsv"
    # Two kernels that start at once may choose the same port.
    retries: 1
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=15,
    params:
        library=notebook_sources,
        parameters={},
    script:
        "../scripts/papers/run_notebook.py"


rule variations:
    """Run the notebooks with the parameters that the configuration names."""
    input:
        expand("results/variations/{variation}.ipynb", variation=VARIATIONS),


rule run_variation:
    """Run a paper's notebook with other parameters: the paper's own functions redraw it."""
    input:
        unpack(variation_inputs),
    output:
        notebook="results/variations/{variation}.ipynb",
    log:
        "results/logs/notebooks/{variation}.variation.log",
    benchmark:
        "results/logs/notebooks/{variation}.variation.benchmark.tsv"
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=lambda wildcards: paper_of_variation(wildcards).mem_mb + 500,
        runtime=lambda wildcards: paper_of_variation(wildcards).minutes + 5,
    params:
        library=lambda wildcards: imports_of_paper(
            WORKFLOW / "scripts/papers/run_notebook.py",
            NOTEBOOKS / f"{paper_of_variation(wildcards).key}.ipynb",
            *paper_of_variation(wildcards).sources,
        ),
        parameters=lambda wildcards: {
            name: value
            for name, value in VARIATIONS[wildcards.variation].items()
            if name != "paper"
        },
    script:
        "../scripts/papers/run_notebook.py"
