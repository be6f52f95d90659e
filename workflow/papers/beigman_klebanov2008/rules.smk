# Recompute Beigman Klebanov, Beigman and Diermeier (2008).


rule replicate_beigman_klebanov2008:
    """Recompute what the tables of Beigman Klebanov et al. (2008) determine, and simulate the rest."""
    input:
        **paper_inputs("beigman_klebanov2008"),
    output:
        **paper_outputs("beigman_klebanov2008"),
    log:
        "results/logs/papers/beigman_klebanov2008.log",
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
