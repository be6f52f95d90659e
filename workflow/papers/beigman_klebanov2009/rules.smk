# Recompute Beigman Klebanov and Beigman (2009).


rule replicate_beigman_klebanov2009:
    """Recompute every number of Beigman Klebanov and Beigman (2009) from its formulas."""
    input:
        **paper_inputs("beigman_klebanov2009"),
    output:
        **paper_outputs("beigman_klebanov2009"),
    log:
        "results/logs/papers/beigman_klebanov2009.log",
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
