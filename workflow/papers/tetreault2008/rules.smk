# Recompute Tetreault and Chodorow (2008).


rule replicate_tetreault2008:
    """Recompute what the tables of Tetreault and Chodorow (2008) determine, and simulate the rest."""
    input:
        **paper_inputs("tetreault2008"),
    output:
        **paper_outputs("tetreault2008"),
    log:
        "results/logs/papers/tetreault2008.log",
    conda:
        "../../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        seed=config["seed"],
    script:
        "analysis.py"
