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
    benchmark:
        "results/logs/data/network.benchmark.tsv"
    # All data wait for it, and most papers for them.
    priority: 100
    conda:
        "../../envs/annobench.yaml"
    resources:
        mem_mb=500,
        runtime=2,
    params:
        library=imports_of(WORKFLOW / "scripts/data/probe_network.py"),
        base_url=default_base_url(),
    script:
        "../scripts/data/probe_network.py"


for name, ids in IDS_OF_MODULE.items():

    rule:
        """Fetch the data sets of the module of this name, or simulate them."""
        name:
            f"fetch_{name}"
        input:
            network=sorted({answer for id in ids for answer in network_of(id)}),
            pins=sorted({path for id in ids for path in pins_of(id)}),
        output:
            labels=expand("results/data/{dataset}/labels.parquet", dataset=ids),
            item_tables=expand("results/data/{dataset}/items.parquet", dataset=ids),
            metas=expand("results/data/{dataset}/meta.json", dataset=ids),
        log:
            f"results/logs/data/{name}.log",
        benchmark:
            f"results/logs/data/{name}.benchmark.tsv"
        # What papers wait for; the longest of these are then begun first.
        priority: 100
        # A cluster may run several in one submission, as its profile says.
        group:
            "data"
        conda:
            "../../envs/annobench.yaml"
        resources:
            mem_mb=2000,
            runtime=30,
        params:
            library=dataset_sources(name),
            ids=ids,
            modes={id: mode_of(config, id) for id in ids},
            # With another seed this changes of a simulated data set, and not of a real one.
            upgrades={id: UPGRADES[id] for id in ids},
        script:
            "../scripts/data/fetch_datasets.py"
