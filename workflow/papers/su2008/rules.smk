# Recompute Su and Markert (2008).


rule replicate_su2008:
    """Recompute every number of Su and Markert (2008) from its tables and from Micro-WNOp."""
    input:
        **paper_inputs("su2008"),
    output:
        **paper_outputs("su2008"),
    log:
        "results/logs/papers/su2008.log",
    conda:
        "../../../envs/annobench.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
