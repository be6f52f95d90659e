# The entry: `snakemake --cores all` from a clone. Everything else is in workflow/Snakefile.


configfile: "config/config.yaml"


module annobench:
    snakefile:
        "workflow/Snakefile"
    config:
        config


use rule * from annobench
