# Recompute Reidsma and op den Akker (2008).


rule replicate_reidsma2008:
    """Recompute Reidsma and op den Akker (2008) from the dialogue acts and gazes of AMI."""
    input:
        **paper_inputs("reidsma2008"),
    output:
        **paper_outputs("reidsma2008"),
    log:
        "results/logs/papers/reidsma2008.log",
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
