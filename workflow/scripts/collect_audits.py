"""Put the parts of the study of audits together."""

from annobench.core.files import recording, replacing
from annobench.studies.parts import join_parts, write_settings

if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        collected = join_parts(snakemake.input.parts)
        with replacing(snakemake.output.table) as draft:
            collected.to_csv(draft, index=False, float_format="%.6g")
        write_settings(snakemake.output.settings, snakemake.params.settings)
