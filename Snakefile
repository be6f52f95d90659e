# The entry: `snakemake --cores all` from a clone. Everything else is in workflow/Snakefile.

from annobench.core.files import remove_abandoned_drafts


configfile: "config/config.yaml"


module annobench:
    snakefile:
        "workflow/Snakefile"
    config:
        config


use rule * from annobench


# Snakemake calls the handlers of this file alone, and not those of the module.
onstart:
    remove_abandoned_drafts("results")
