# Recompute Beigman Klebanov and Beigman (2010).


rule replicate_beigman_klebanov2010:
    """Recompute every number of Beigman Klebanov and Beigman (2010) and refit RTE-1."""
    input:
        **paper_inputs("beigman_klebanov2010"),
    output:
        **paper_outputs("beigman_klebanov2010"),
    log:
        "results/logs/papers/beigman_klebanov2010.log",
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
