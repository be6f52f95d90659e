# Test the claim of Palmer and Brown (2008), which print no number, on the crowd's senses.

from annobench.io.wordnet import has_wordnet

WORDNET = config["data"].get("wordnet") or ""


rule replicate_palmer2008:
    """Merge senses of MASC by the crowd's labels and by WordNet, and count gains and losses."""
    input:
        **paper_inputs("palmer2008"),
    output:
        **paper_outputs("palmer2008"),
    log:
        "results/logs/papers/palmer2008.log",
    conda:
        "../../../envs/annobench.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        seed=config["seed"],
        # Optional: empty where it is not installed, and the page says so.
        wordnet=WORDNET if has_wordnet(WORDNET) else "",
    script:
        "analysis.py"
