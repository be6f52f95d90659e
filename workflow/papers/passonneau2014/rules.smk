# Recompute Passonneau and Carpenter (2014).


rule replicate_passonneau2014:
    """Recompute Passonneau and Carpenter (2014) from the crowd's and trained annotators' labels."""
    input:
        **paper_inputs("passonneau2014"),
    output:
        **paper_outputs("passonneau2014"),
    log:
        "results/logs/papers/passonneau2014.log",
    # Among the longest: begun first, no other job waits for it at the end.
    priority: 1
    conda:
        "../../../envs/annobench.yaml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
