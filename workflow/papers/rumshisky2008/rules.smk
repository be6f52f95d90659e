# Recompute Rumshisky and Batiukova (2008).


rule replicate_rumshisky2008:
    """Recompute what Rumshisky and Batiukova (2008) determine, and simulate the rest."""
    input:
        **paper_inputs("rumshisky2008"),
    output:
        **paper_outputs("rumshisky2008"),
    log:
        "results/logs/papers/rumshisky2008.log",
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
