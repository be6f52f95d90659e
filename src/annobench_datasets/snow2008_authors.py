"""What only the repository of Snow et al. (2008) has: sentence pairs labelled fifty times each.

An archive holds the eleven tables of `annobench_datasets.snow2008` again, byte for byte, and a
twelfth, of 80 sentence pairs of another study of textual entailment, in the same layout.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench.simulation.difficulty import Difficulty
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import Forms, Stratum
from annobench_datasets.snow2008 import HOME, parse_table, simulate_nominal

_SOURCE = pinned(
    "snow2008_authors",
    repository="brendano/nlp_jobs",
    commit="621865057b0701d4e0364a31f86c7caec65d86fc",
    licence="none stated (authors' research release)",
)
_ARCHIVE = _SOURCE.file("unified/all_standardized.tgz")
#: A member larger than this is not the pinned one.
_LARGEST = 1 << 22


def read_member(path: Path, name: str) -> bytes:
    """Return the bytes of a table of the archive."""
    with tarfile.open(path) as archive:
        found = [member for member in archive if Path(member.name).name == name]
        stream = archive.extractfile(found[0]) if found and found[0].size <= _LARGEST else None
        if stream is None:
            raise ReaderError(f"{path}: no file {name} in it. Supply the pinned archive.")
        return stream.read()


def _parse(files: Mapping[str, Path]) -> DataTables:
    name = "zaenen_rte.standardized.tsv"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(read_member(files[_ARCHIVE.path], name))
        return parse_table(path, ("0", "1"))


#: Every pair is a form of its own; how many forms how many annotators took.
_FORMS = Forms(
    80,
    1,
    50,
    (
        *((1, 9), (2, 2), (3, 6), (4, 5), (5, 5), (6, 4), (7, 6), (8, 3), (9, 3), (10, 4)),
        *((11, 6), (12, 2), (13, 7), (14, 1), (15, 1), (16, 5), (17, 2), (19, 1), (20, 1)),
        *((21, 2), (23, 2), (24, 2), (25, 1), (27, 3), (28, 5), (29, 2), (30, 1), (31, 4)),
        *((32, 3), (34, 2), (35, 1), (37, 2), (38, 1), (39, 1), (40, 1), (42, 1), (51, 1)),
        *((52, 1), (55, 1), (56, 1), (58, 1), (59, 1), (60, 1), (65, 2), (66, 1), (68, 1)),
        *((71, 1), (72, 1), (73, 1), (75, 1), (78, 2), (79, 4), (80, 12)),
    ),
)
#: Pooled shares of labels by gold category, with the concentration by the method of moments.
_STRATUM = Stratum(1, ((0.8361, 0.1639), (0.1205, 0.8795)), (6.2, 8.2))

DATASETS = (
    DataSet(
        id="snow2008_zaenen",
        title="Entailment of 80 sentence pairs, fifty labels each",
        citation=(
            "Released with Snow, O'Connor, Jurafsky and Ng (2008). Cheap and fast - but is it "
            "good? Evaluating non-expert annotations for natural language tasks. EMNLP, 254-263. "
            "https://aclanthology.org/D08-1027/"
        ),
        home=HOME,
        source=_SOURCE,
        files=(_ARCHIVE,),
        scale="nominal",
        categories=("0", "1"),
        parse=_parse,
        simulate=partial(
            simulate_nominal,
            forms=_FORMS,
            categories=("0", "1"),
            gold_counts=(41, 39),
            strata=(_STRATUM,),
            difficulty=Difficulty(misleading=0.3),
        ),
        calibration=(
            "sizes and the number of items an annotator labelled",
            "counts of the gold standard's categories",
            "mean confusion matrix of annotators against the gold, and its spread",
            "difficulty of items: errors of the majority vote, 4, and of Dawid and Skene's model, "
            "5 (counted in the release)",
        ),
        targets={
            "n_items": 80,
            "n_annotators": 140,
            "n_labels": 4000,
            "median_load": 17,
            "max_load": 80,
            "gold:1": 0.4875,
            "label:1": 0.51275,
            "label:1|0": 0.1639,
            "label:1|1": 0.8795,
        },
    ),
)
