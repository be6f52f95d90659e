"""The weights of `annobench.models.pool`: learned here from public labels with gold.

    PYTHONPATH=workflow python -m studies.pool.learning results/studies/pool_full

learns them from what the study fitted there, and writes `src/annobench/models/pool.json`.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from annobench import datasets
from annobench.core.files import replacing
from annobench.core.versions import versions
from annobench.models import pool
from annobench.models._log_linear import FLOOR, log_loss, minimise
from studies.pool.cases import DUPLICATES, Case, by_family, family_of, read
from study_contract.cells import join_parts
from study_contract.running import read_settings

Floats = NDArray[np.float64]
Part = tuple[Floats, NDArray[np.int64], float]

#: Rules of learning. What they are was settled before any weight was learned.
MAX_ITEMS: Final = 1_000
ITEMS_OF_FAMILY: Final = 100
SPREADS: Final = (0.05, 0.1, 0.2, 0.4, 0.8)
OFFSET_SPREADS: Final = (0.1, 0.25, 0.5, 1.0, 2.0)
SEED: Final = 20081

#: What is shipped.
SHIPPED: Final = Path(pool.__file__).with_name("pool.json")


def learn(cases: Sequence[Case], *, floor: float = FLOOR) -> pool.Weights:
    """Learn weights that need no gold, and how much they vary from data set to data set.

    Parameters
    ----------
    cases : sequence of Case
        One at least.
    floor : float, default `FLOOR`
        Of the members' probabilities.

    Returns
    -------
    Weights
        Those of the least log loss, each family counting as `ITEMS_OF_FAMILY` items, under a normal
        prior with mean 1/M and standard deviation 1; spreads of the greatest evidence on a grid.
    """
    parts = parts_of(cases, floor)
    mean = learn_mean(parts)
    candidates = [pool.Weights(mean, *spreads) for spreads in product(SPREADS, OFFSET_SPREADS)]
    return max(candidates, key=lambda each: evidence(each, parts))


def parts_of(cases: Sequence[Case], floor: float = FLOOR) -> list[Part]:
    """Return log probabilities, gold, and the share of its family of each data set."""
    families = by_family(case.sample(MAX_ITEMS, SEED) for case in cases)
    return [
        (case.logs_above(floor), case.gold, 1 / len(members))
        for members in families.values()
        for case in members
    ]


def learn_mean(parts: Sequence[Part]) -> Floats:
    """Learn the weights alone."""
    m = len(pool.MEMBERS)
    return minimise(lambda w: mean_loss(w, parts), np.full(m, 1 / m), np.ones(m)).theta


def mean_loss(weights: Floats, parts: Sequence[Part]) -> tuple[float, Floats, Floats]:
    """Add the log losses of all data sets, each family counting as `ITEMS_OF_FAMILY` items."""
    found = [
        log_loss(weights, logs, gold, ITEMS_OF_FAMILY * share / gold.size)
        for logs, gold, share in parts
    ]
    value, gradient, second = (sum(each) for each in zip(*found, strict=True))
    return float(value), np.asarray(gradient), np.asarray(second)


def evidence(weights: pool.Weights, parts: Sequence[Part]) -> float:
    """Add the log evidence of all data sets, each family counting as one."""
    return sum(share * weights.update(logs, gold).log_evidence for logs, gold, share in parts)


def without_family(cases: Sequence[Case]) -> dict[str, pool.Weights]:
    """Learn weights without each family."""
    return {
        family: learn([case for case in cases if case.family != family])
        for family in by_family(cases)
    }


def record(cases: Sequence[Case]) -> dict[str, Any]:
    """Return what is shipped: weights of all families and without each, and what made them."""
    return {
        "made_by": "PYTHONPATH=workflow python -m studies.pool.learning results/studies/pool_full",
        "members": list(pool.MEMBERS),
        "rules": rules(),
        "versions": versions(),
        "data": {
            case.name: {
                "items": int(case.gold.size),
                "sha256": digest(file.sha256 or "" for file in datasets.get(case.name).files),
            }
            for case in cases
        },
        "families": families_of(case.name for case in cases),
        "all": written(learn(cases)),
        "without": {name: written(found) for name, found in without_family(cases).items()},
    }


def families_of(names: Iterable[str]) -> dict[str, str]:
    """Return the families of data sets, and of those with the same labels."""
    return {name: family_of(name) for name in [*names, *DUPLICATES]}


def rules() -> dict[str, Any]:
    """Return the rules of learning."""
    return {
        "floor": FLOOR,
        "items_of_family": ITEMS_OF_FAMILY,
        "max_items": MAX_ITEMS,
        "seed": SEED,
        "spreads": list(SPREADS),
        "offset_spreads": list(OFFSET_SPREADS),
    }


def written(weights: pool.Weights) -> Mapping[str, Any]:
    """Return weights as they are stored."""
    return {
        "weights": [round(float(each), 6) for each in weights.mean],
        "spread": weights.spread,
        "offset_spread": weights.offset_spread,
    }


def digest(checksums: Any) -> str:
    """Return one checksum of several."""
    return hashlib.sha256("\n".join(sorted(checksums)).encode()).hexdigest()


def main(arguments: Sequence[str]) -> int:
    """Learn weights, and write them into the package.

    Raises
    ------
    SystemExit
        If the folder holds no full run of the study.
    """
    folder = Path(*arguments[:1])
    parts = sorted((folder / "parts").glob("*.parquet"))
    if not parts or read_settings(folder)["grid"] != "full":
        raise SystemExit(
            f"learning: {folder} has no full run of the study. Run "
            "snakemake --cores 1 results/pages/studies/pool_full/index.html"
        )
    cases = [case for case in read(join_parts(parts)) if case.provenance == "real"]
    with replacing(SHIPPED) as draft:
        draft.write_text(json.dumps(record(cases), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
