# Recompute Volk, Marek and Samuelsson (2008).


rule replicate_volk2008:
    """Check the printed tables against each other, and simulate the students."""
    input:
        **paper_inputs("volk2008"),
    output:
        **paper_outputs("volk2008"),
    log:
        "results/logs/papers/volk2008.log",
    conda:
        "../../../envs/annobench.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
