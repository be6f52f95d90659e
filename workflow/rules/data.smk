# Bring every data set into one layout, real where its files can be had: for all analyses.


rule data:
    """Make every data set."""
    input:
        expand("results/data/{dataset}/meta.json", dataset=DATASETS),


# On a cluster it runs where the run was started: nodes often have no way out.
localrules:
    probe_network,


rule probe_network:
    """Ask once for the whole run whether the data's home answers, if any file is missing."""
    output:
        answer="results/data/network.json",
    log:
        "results/logs/data/network.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=2,
    params:
        library=imports_of(WORKFLOW / "scripts/probe_network.py"),
        base_url=default_base_url(),
    script:
        "../scripts/probe_network.py"


rule fetch_dataset:
    """Bring one data set into the common layout, real or simulated as its mode allows."""
    input:
        network=lambda wildcards: network_of(wildcards.dataset),
        pins=pins_of,
    output:
        labels="results/data/{dataset}/labels.parquet",
        item_table="results/data/{dataset}/items.parquet",
        meta="results/data/{dataset}/meta.json",
    log:
        "results/logs/data/{dataset}.log",
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        library=dataset_sources,
        mode=lambda wildcards: mode_of(config, wildcards.dataset),
        seed=config["seed"],
        upgrades=lambda wildcards: UPGRADES[wildcards.dataset],
    script:
        "../scripts/fetch_dataset.py"
