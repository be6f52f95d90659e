"""Certify the noise of labels of several kinds, and compare with gold where there is one."""

from pathlib import Path

from annobench.core.files import recording, replacing
from annobench.studies.certificates import certify

if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        tables = certify(
            folders=[Path(meta).parent for meta in snakemake.input.metas],
            wanted=snakemake.params.data,
            seed=snakemake.params.seed,
        )
        for path, table in zip(snakemake.output, tables, strict=True):
            with replacing(path) as draft:
                table.to_csv(draft, index=False, float_format="%.6g")
