# Recompute Bhowmick, Mitra and Basu (2008).


rule replicate_bhowmick2008:
    """Check the printed tables against each other, and run A_m on simulated and real data."""
    input:
        **paper_inputs("bhowmick2008"),
    output:
        **paper_outputs("bhowmick2008"),
    log:
        "results/logs/papers/bhowmick2008.log",
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
