"""Put the parts of the study of audits together."""

import json

from annobench.core.files import recording, replacing
from annobench.studies.parts import join_parts

if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        collected = join_parts(snakemake.input.parts)
        with replacing(snakemake.output.table) as draft:
            collected.to_csv(draft, index=False, float_format="%.6g")
        with replacing(snakemake.output.settings) as draft:
            draft.write_text(json.dumps(snakemake.params.settings) + "\n")
