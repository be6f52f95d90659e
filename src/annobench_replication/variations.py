"""Run a paper's analysis with another seed, fewer labels per item, or another printed setting.

The analysis, its tables and its figures are the paper's own; only what it reads is changed.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd

from annobench.core.errors import PublicationError
from annobench.datasets import LoadedData, read
from annobench_replication import dependence, ledger, verdicts
from annobench_replication.analysis import Analysis, Effort
from annobench_replication.exhibit import Exhibit
from annobench_replication.results import Results
from annobench_replication.study import Study

__all__ = ["Variation", "vary"]


#: Parameters that are whole numbers, with the smallest of each.
LEAST = {"seed": 0, "per_item": 1}


@dataclass(frozen=True)
class Variation:
    """How an analysis differs from the published one.

    Attributes
    ----------
    seed : int or None
        Of its random numbers; None for that of the published run.
    per_item : int or None
        Labels that are kept of each item, at most; None for all.
    settings : dict of str to str
        The choice of each setting that `paper.yaml` names and that differs.
    effort : {"full", "quick"}
        How many repetitions; few are too short to interpret.
    """

    seed: int | None = None
    per_item: int | None = None
    settings: dict[str, str] = field(default_factory=dict)
    effort: Effort = "full"

    @classmethod
    def of(
        cls, record: Mapping[str, Any], parameters: Mapping[str, Any], effort: Effort = "full"
    ) -> Variation | None:
        """Check the parameters of a variation.

        Parameters
        ----------
        record : mapping
            What `paper.yaml` says.
        parameters : mapping of str to Any
            By name; None is what was published.
        effort : {"full", "quick"}
            How many repetitions.

        Returns
        -------
        Variation or None
            None if nothing differs.

        Raises
        ------
        PublicationError
            If the paper has no such parameter, or the parameter no such value.
        """
        given = {name: value for name, value in parameters.items() if value is not None}
        offered = record.get("variations", {})
        settings = offered.get("settings", {})
        known = [
            *(["seed"] if record["random"] else []),
            *(["per_item"] if offered.get("per_item") else []),
            *settings,
        ]
        if effort not in get_args(Effort):
            raise PublicationError(
                f"{record['key']}, effort: {effort!r}. Choose one of {', '.join(get_args(Effort))}."
            )
        for name, value in given.items():
            if name not in known:
                raise PublicationError(
                    f"{record['key']} has no parameter {name!r}; it has "
                    f"{', '.join(known) or 'none'}. Correct the name, or leave it out."
                )
            if name in settings and value not in settings[name]:
                raise PublicationError(
                    f"{record['key']}, {name}: {value!r} is not among "
                    f"{', '.join(settings[name])}. Choose one of these."
                )
            if name in LEAST:
                # A configuration on the command line has numbers as texts.
                if not str(value).isdecimal() or int(value) < LEAST[name]:
                    raise PublicationError(
                        f"{record['key']}, {name}: {value!r}. Give a whole number of at least "
                        f"{LEAST[name]}."
                    )
                given[name] = int(value)
        if not given and effort == "full":
            return None
        return cls(
            given.pop("seed", None),
            given.pop("per_item", None),
            {n: str(v) for n, v in given.items()},
            effort,
        )

    def __str__(self) -> str:
        """Say what differs."""
        parts = [f"{name} {value}" for name, value in self.settings.items()]
        if self.per_item is not None:
            parts.append(f"at most {self.per_item} labels per item")
        if self.seed is not None:
            parts.append(f"seed {self.seed}")
        if self.effort == "quick":
            parts.append("few repetitions")
        return ", ".join(parts)


def vary(
    source: Path,
    record: Mapping[str, Any],
    published: Path,
    target: Path,
    variation: Variation,
) -> None:
    """Run a variation, and judge its values as those of the published analysis are.

    Parameters
    ----------
    source : Path
        The paper's folder, below `workflow/papers`.
    record : mapping
        What its `paper.yaml` says.
    published : Path
        Folder of the results of the workflow, below `results/papers`.
    target : Path
        Where the results of the variation go.
    variation : Variation
        What differs.

    Raises
    ------
    PublicationError
        If a setting changes a number that the analysis does not read.
    """
    folders = {id: published.parents[1] / "data" / id for id in record["datasets"]}
    thinned = record.get("variations", {}).get("per_item", ())
    data = {
        id: _thinned(read(folder), variation.per_item, variation.seed or 0)
        if variation.per_item is not None and id in thinned
        else folder
        for id, folder in folders.items()
    }
    study = Study(data, _tables(source, record, variation))
    seed = _seed(published, variation) if record["random"] else None
    results = Results(
        study,
        target,
        figures=_exhibits(record["figures"]),
        tables=_exhibits(record["tables"]),
        calibrated=record.get("calibrated", ()),
        seed=seed,
        mark=f"Variation: {variation}",
    )
    Analysis(source).run(study, results, seed, variation.effort)
    shutil.copy(published / "dependence.csv", target)
    judged = verdicts.compare(
        ledger.read_published(source / "published.csv"),
        ledger.read_computed(target / "computed.csv"),
        ledger.read_errata(source / "errata.csv"),
        standing=ledger.read_standing(source / "standing.csv"),
        dependence=dependence.read(target / "dependence.csv"),
        paper=source.name,
        second_hand=record.get("second_hand", ()),
    )
    ledger.write_comparison(judged, target / "comparison.csv")


def _exhibits(entries: Sequence[Mapping[str, str]]) -> list[Exhibit]:
    return [Exhibit(**entry) for entry in entries]


def _seed(published: Path, variation: Variation) -> int | None:
    if variation.seed is not None:
        return variation.seed
    captions = json.loads((published / "captions.json").read_text(encoding="utf-8"))
    return next((each["seed"] for each in captions.values() if each["seed"] is not None), None)


def _thinned(data: LoadedData, per_item: int, seed: int) -> LoadedData:
    mixed = data.labels.reset_index(drop=True).sample(frac=1, random_state=seed)
    kept = np.sort(mixed.groupby("item", sort=False, observed=True).head(per_item).index)
    thinned = replace(data, labels=data.labels.iloc[kept])
    # Annotators keep their codes, whoever comes first now: drawings are matched by them.
    vars(thinned)["annotations"] = data.annotations.select(labels=kept)
    return thinned


def _tables(source: Path, record: Mapping[str, Any], variation: Variation) -> dict[str, str]:
    """Return the printed tables that the analysis reads, with the numbers of the settings."""
    paths = sorted((source / "tables").glob("*.csv"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    for name, choice in variation.settings.items():
        for table, numbers in record["variations"]["settings"][name][choice].items():
            frame = pd.read_csv(io.StringIO(texts[table]), comment="#", dtype=object)
            for number, value in numbers.items():
                is_changed = frame["name"] == number
                if not is_changed.any():
                    raise PublicationError(
                        f"{source / 'paper.yaml'}, variations, {name}: tables/{table}.csv has no "
                        f"number {number!r}. Correct the name."
                    )
                frame.loc[is_changed, "value"] = value
            texts[table] = frame.to_csv(index=False)
    return texts
