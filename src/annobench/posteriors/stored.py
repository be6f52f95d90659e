"""The reference posteriors that come with the library: three files each, and how they are written.

``NAME.json`` has provenance and checks of the draws, ``NAME.csv`` has the statistics of all draws
by parameter, and ``NAME.parquet`` every tenth draw (of many parameters, every twentieth, ...),
without the items' probabilities. These are rounded to a fiftieth of the standard deviation or to a
128th of the distance from the nearer end of the parameter's range, whichever is smaller.
"""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from annobench.core.errors import AnnotationError
from annobench.core.files import replacing
from annobench.core.optional import optional
from annobench.posteriors import records
from annobench.posteriors.draws import Draws, Floats, is_on_log_scale
from annobench.posteriors.making import Reference

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq
else:
    pa = optional("pyarrow", "A file of draws")
    pq = optional("pyarrow.parquet", "A file of draws")

__all__ = ["INPUTS", "file_names", "folder", "index", "information", "load", "write"]

#: Every how many draws one is stored, and how many numbers at most: with more, every second, ...
STEP, _MOST = 10, 250_000
#: Steps of the rounded draws, at least: in a standard deviation, and to an end of the range.
_RESOLUTION, _TO_THE_END = 50, 128

#: What `write_inputs` writes.
INPUTS = ("data.json", "labels.csv", "draws.csv", "summary.csv")


def folder() -> Path:
    """Return the folder of the stored reference posteriors.

    Returns
    -------
    Path
        Inside the package.
    """
    return Path(str(resources.files("annobench.posteriors"))) / "reference_draws"


def information(name: str, home: Path | None = None) -> dict[str, Any]:
    """Read how a stored reference posterior was made.

    Parameters
    ----------
    name : str
        Of the posterior.
    home : Path, optional
        Folder of the files, by default that of the library.

    Returns
    -------
    dict
        In posteriordb's layout.

    Raises
    ------
    AnnotationError
        If no draws are stored.
    """
    path = (home or folder()) / f"{name}.json"
    if not path.is_file():
        raise AnnotationError(
            f"{path}: no reference draws are stored. Make them with "
            f"`annobench reference-posterior {name} --make`."
        )
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def index() -> pd.DataFrame:
    """List the reference posteriors.

    Returns
    -------
    DataFrame
        By name: `title`, `model`, `data`, its sizes, `n_parameters`, `priors`, `modes`, `method`,
        settings, and whether the draws are checked against sums over all categories.
    """
    rows = []
    for name in records.names():
        record, info = records.get(name), information(name)
        rows.append(
            {
                "posterior": name,
                "title": record.title,
                "model": record.model,
                "data": record.origin(),
                "n_items": info["data"]["n_items"],
                "n_annotators": info["data"]["n_annotators"],
                "n_categories": info["data"]["n_categories"],
                "n_parameters": info["diagnostics"]["n_parameters"],
                "priors": "; ".join(records.priors(record.model)),
                "modes": record.modes,
                "method": info["inference"]["method"],
                "enumerated": record.enumerated,
                **info["inference"]["method_arguments"],
            }
        )
    return pd.DataFrame(rows).set_index("posterior")


def load(name: str, home: Path | None = None) -> Reference:
    """Read a stored reference posterior.

    Parameters
    ----------
    name : str
        Of the posterior.
    home : Path, optional
        Folder of the files, by default that of the library.

    Returns
    -------
    Reference
        The statistics of all draws, and the draws that are stored.

    Raises
    ------
    AnnotationError
        If there is none of this name, or no draws are stored.

    Examples
    --------
    >>> load("two_camps-hierarchical_binary").draws.array.shape[:2]
    (10, 100)
    """
    record = records.get(name)
    facts = information(name, home)
    place = home or folder()
    table = pd.read_csv(place / f"{name}.csv", index_col="parameter", keep_default_na=True)
    table["axes"] = table["axes"].fillna("")
    frame = pq.read_table(place / f"{name}.parquet").to_pandas()
    n_chains = int(frame["chain"].max())
    names = tuple(str(column) for column in frame.columns[2:])
    values = frame[list(names)].to_numpy(dtype=np.float64).reshape(n_chains, -1, len(names))
    return Reference(record, Draws(names, values), table, facts)


def write(reference: Reference, home: Path) -> list[str]:
    """Write a reference posterior.

    Parameters
    ----------
    reference : Reference
        With all draws.
    home : Path
        The folder; created if necessary. Files are written atomically.

    Returns
    -------
    list of str
        Names of the files. The same draws give the same bytes.
    """
    name, table = reference.record.name, reference.table
    axes = table["axes"].to_dict()
    names = [n for n in reference.draws.names if "item" not in axes[n].split()]
    step = STEP * -(-reference.draws.array[..., 0].size * len(names) // (STEP * _MOST))
    values = _rounded(reference.draws.select(names).array[:, ::step], names)
    n_chains, n_draws, _ = values.shape
    columns = {
        "chain": np.repeat(np.arange(1, n_chains + 1, dtype=np.int8), n_draws),
        "draw": np.tile(np.arange(1, n_draws + 1, dtype=np.int16), n_chains),
    }
    flat = values.reshape(-1, len(names)).astype(np.float32)
    columns |= {n: flat[:, p] for p, n in enumerate(names)}
    with replacing(home / f"{name}.parquet") as draft:
        pq.write_table(
            pa.table(columns),
            draft,
            compression="zstd",
            compression_level=19,
            use_dictionary=False,
            use_byte_stream_split=names,
            write_statistics=False,
        )
    with replacing(home / f"{name}.csv") as draft:
        table.to_csv(draft, float_format="%.6g", lineterminator="\n")
    with replacing(home / f"{name}.json") as draft:
        text = json.dumps(reference.information, indent=1, ensure_ascii=False)
        draft.write_text(text + "\n", encoding="utf-8")
    return file_names(name)


def file_names(name: str) -> list[str]:
    """Return the names of the files of a reference posterior.

    Parameters
    ----------
    name : str
        Of the posterior.

    Returns
    -------
    list of str
        What `write` writes.
    """
    return [f"{name}.{kind}" for kind in ("json", "csv", "parquet")]


def _rounded(values: Floats, names: list[str]) -> Floats:
    """Round draws to powers of two, whose trailing zeros take no space."""
    inside = ((values >= 0) & (values <= 1)).all(axis=(0, 1))
    concentration = np.array([is_on_log_scale(name) for name in names])
    end = np.where(inside, np.minimum(values, 1 - values), np.inf)
    end = np.where(concentration, values - 1, end)
    unit = np.minimum(values.std(axis=(0, 1)) / _RESOLUTION, end / _TO_THE_END)
    # Single precision has no more digits than that.
    unit = np.exp2(np.floor(np.log2(np.maximum(unit, 2.0**-24))))
    return np.asarray(np.round(values / unit) * unit)


def same_as_stored(reference: Reference, home: Path) -> str:
    """Report whether new draws equal the stored ones."""
    name = reference.record.name
    if home.resolve() == folder().resolve():
        return ""
    if not (folder() / f"{name}.json").is_file():
        return "No draws of this posterior were stored before."
    files = [f"{name}.csv", f"{name}.parquet"]
    if all((home / file).read_bytes() == (folder() / file).read_bytes() for file in files):
        return "The draws equal the stored ones byte for byte."
    from annobench.posteriors.comparison import compare

    old = load(name)
    versions = {
        package: number
        for package, number in old.information["versions"].items()
        if reference.information["versions"].get(package) != number
    }
    why = ", ".join(f"{package} {number}" for package, number in versions.items())
    return (
        f"The draws are other ones than those stored{f', made with {why}' if why else ''}. "
        f"Compared with those: {compare(reference.draws, old)!r}"
    )


def write_inputs(name: str, home: Path) -> list[str]:
    """Write the input for another sampler, and the reference draws."""
    reference = load(name)
    annotations = reference.record.annotations()
    if records.fingerprint(annotations) != reference.information["data"]["sha256"]:
        raise AnnotationError(
            f"{name}: the labels differ from those of the stored draws. Make the draws again with "
            f"`annobench reference-posterior {name} --make`."
        )
    labels = records.labels_frame(annotations)
    data = {
        "I": annotations.n_items,
        "J": annotations.n_annotators,
        "K": annotations.n_categories,
        "N": annotations.n_labels,
        **{column: labels[column].tolist() for column in labels},
    }
    n_chains, n_draws, _ = reference.draws.array.shape
    draws = pd.DataFrame(
        reference.draws.array.reshape(n_chains * n_draws, -1), columns=list(reference.draws.names)
    )
    draws.insert(0, "chain", np.repeat(np.arange(1, n_chains + 1), n_draws))
    with replacing(home / "data.json") as draft:
        draft.write_text(json.dumps(data) + "\n", encoding="utf-8")
    for file, table in {"labels": labels, "draws": draws}.items():
        with replacing(home / f"{file}.csv") as draft:
            table.to_csv(draft, index=False, lineterminator="\n")
    with replacing(home / "summary.csv") as draft:
        reference.table.to_csv(draft, lineterminator="\n")
    return list(INPUTS)
