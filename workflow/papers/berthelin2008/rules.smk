# Recompute Berthelin et al. (2008).


rule replicate_berthelin2008:
    """Recompute Berthelin et al. (2008) from its printed tables, and simulate the rest."""
    input:
        **paper_inputs("berthelin2008"),
    output:
        **paper_outputs("berthelin2008"),
    log:
        "results/logs/papers/berthelin2008.log",
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
