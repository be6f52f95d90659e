# Recompute Carpenter (2008).


rule replicate_carpenter2008:
    """Recompute every number, table and figure of Carpenter (2008) from raw labels."""
    input:
        **paper_inputs("carpenter2008"),
    output:
        **paper_outputs("carpenter2008"),
    log:
        "results/logs/papers/carpenter2008.log",
    # Among the longest: begun first, no other job waits for it at the end.
    priority: 1
    conda:
        "../../../envs/annobench.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
