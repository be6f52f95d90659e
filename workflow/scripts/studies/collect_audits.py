"""Put the parts of the study of audits together."""

from annobench.core.files import recording, replacing
from annobench.studies.parts import join_parts, write_settings

if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        collected = join_parts(snakemake.input.parts)
        with replacing(snakemake.output.table) as draft:
            collected.to_csv(draft, index=False, float_format="%.6g")
        # The seed is that of the parts, which depend on it; nothing is drawn here.
        drawn_with = {"seed": snakemake.config["seed"]}
        write_settings(snakemake.output.settings, snakemake.params.settings | drawn_with)
