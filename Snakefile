# The entry: `snakemake --cores all` from a clone. Everything else is in workflow/Snakefile.

import gc

from annobench.core.files import remove_abandoned_drafts

# Some hundred thousand objects of rules and jobs stay to the end: looking for cycles among them, as
# often as Python does by default, takes a fifth of a run that has nothing to do.
gc.set_threshold(1_000_000, 20, 20)


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
    # The limit on jobs per second is for clusters. Because of it Snakemake chooses jobs again after its
    # time, once for each time that it chose before, which takes a third of a core.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None
