# Recompute the worked example.


rule replicate_example_paper:
    """Recompute every number, table and figure of the worked example."""
    input:
        **paper_inputs("example_paper"),
    output:
        **paper_outputs("example_paper"),
    log:
        "results/logs/papers/example_paper.log",
    conda:
        "../../../envs/annobench.yaml"
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
