"""Render the data sets: one page each, and the table of all."""

import json
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from annobench.agreement.coefficients.krippendorff_alpha import krippendorff_alpha
from annobench.agreement.coefficients.percent_agreement import percent_agreement
from annobench.agreement.result import Agreement
from annobench.core.errors import AnnotationError
from annobench.core.files import recording, replacing
from annobench.datasets.base import LoadedData
from annobench.labels.annotations import Annotations
from annobench_replication.pages import render

COEFFICIENTS: dict[str, tuple[str, Callable[[Annotations], Agreement]]] = {
    "percent_agreement": ("percent agreement", percent_agreement),
    "krippendorff_alpha": ("Krippendorff's alpha", krippendorff_alpha),
}

#: With more categories a table of their counts says little.
MAX_CATEGORIES = 20


def read(folder: Path) -> LoadedData:
    """Read a data set as the workflow wrote it."""
    labels, items = (pd.read_parquet(folder / f"{name}.parquet") for name in ("labels", "items"))
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    return LoadedData(meta["id"], labels, items, meta)


def groups(data: LoadedData) -> dict[str, Annotations]:
    """Return the labels that are to be compared with each other, by whose they are.

    Of an annotator who labelled an item again the first label counts.
    """
    labels = data.annotations.first_labels()
    again = ", first labels" if labels.n_labels < data.annotations.n_labels else ""
    if "role" not in data.labels:
        return {f"all annotators{again}": labels}
    roles = data.labels.groupby("role", sort=True)["annotator"].unique()
    return {
        f"{role}s{again}": labels.select(annotators=list(names)) for role, names in roles.items()
    }


def at_a_glance(data: LoadedData) -> list[dict[str, Any]]:
    """Return percent agreement and alpha with their intervals, or why there are none.

    Labels that mean something else for every word are compared word by word: the values are then
    the median over words, and the smallest and largest.
    """
    if "word" in data.items and "word" in data.labels:
        return list(_by_word(data))
    return [row for name, labels in groups(data).items() for row in _overall(name, labels)]


def _overall(group: str, labels: Annotations) -> Iterator[dict[str, Any]]:
    for name, (title, coefficient) in COEFFICIENTS.items():
        if name == "percent_agreement" and labels.scale == "interval":
            continue
        row = {"group": group, "name": name, "title": title}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                result = coefficient(labels)
                ends = result.interval()
            except AnnotationError as error:
                yield row | {"note": str(error)}
                continue
        yield row | {
            "estimate": result.estimate,
            "lower": ends.lower,
            "upper": ends.upper,
            "n_items": result.n_items,
            "note": "",
        }


def _by_word(data: LoadedData) -> Iterator[dict[str, Any]]:
    # Imported here because a repository need not hold data sets of words.
    from annobench_datasets.masc_crowd import by_word

    rows = [row for labels in by_word(data).values() for row in _overall("", labels)]
    for name, (title, _) in COEFFICIENTS.items():
        own = [row for row in rows if row["name"] == name and "estimate" in row]
        estimates = [row["estimate"] for row in own if np.isfinite(row["estimate"])]
        row = {"group": f"{len(own)} words", "name": name, "title": title}
        if not estimates:
            yield row | {"note": "No word has an item with two labels."}
            continue
        yield row | {
            "estimate": float(np.median(estimates)),
            "lower": min(estimates),
            "upper": max(estimates),
            "n_items": sum(row["n_items"] for row in own),
            "note": "median, smallest and largest of the words",
        }


def histogram(sizes: np.ndarray, bins: int = 24) -> list[dict[str, Any]]:
    """Count numbers of labels in at most so many bins.

    The bins are whole numbers, as wide as each other or, where the largest number is far above the
    others, growing by a factor.
    """
    low, high = int(sizes.min()), int(sizes.max())
    if high - low < bins:
        edges = np.arange(low, high + 2)
    elif high > 20 * max(np.median(sizes), 1):
        edges = np.unique(np.geomspace(max(low, 1), high + 1, bins + 1).astype(int))
        edges[[0, -1]] = low, high + 1
    else:
        width = -(-(high + 1 - low) // bins)
        edges = low + width * np.arange(-(-(high + 1 - low) // width) + 1)
    counts, _ = np.histogram(sizes, edges)
    return [
        {"first": int(first), "last": int(end - 1), "n": int(n)}
        for first, end, n in zip(edges[:-1], edges[1:], counts, strict=True)
    ]


def sizes(labels: Annotations) -> dict[str, list[dict[str, Any]]]:
    """Return the histograms of the numbers of labels of items and of annotators."""
    counted = {
        "items": np.bincount(labels.item, minlength=labels.n_items),
        "annotators": np.bincount(labels.annotator, minlength=labels.n_annotators),
    }
    return {of: histogram(numbers) for of, numbers in counted.items()}


def shares(data: LoadedData) -> list[dict[str, Any]]:
    """Return how often each category was given, and is gold; empty where they are many."""
    labels = data.annotations
    if labels.scale == "interval" or labels.n_categories > MAX_CATEGORIES:
        return []
    given = np.bincount(labels.label, minlength=labels.n_categories)
    gold = np.bincount(data.gold[data.gold >= 0], minlength=labels.n_categories)
    return [
        {"category": name, "given": int(n), "share": n / given.sum(), "gold": int(g)}
        for name, n, g in zip(labels.categories, given, gold, strict=True)
    ]


def main(
    folders: Mapping[str, Path], site: Path, about: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield the names of pages and their HTML, the table of all last.

    Parameters
    ----------
    folders : mapping of str to Path
        Of the data, by data set.
    site : Path
        The templates.
    about : mapping
        What is known beside the data: `documented`, the page of the documentation on each data set,
        `users`, of which each has `title`, `page` and `datasets`, and `offered`.
    """
    listed = []
    for id, folder in folders.items():
        data = read(folder)
        labels = data.annotations
        glance = at_a_glance(data)
        used = [user for user in about["users"] if id in user["datasets"]]
        has_gold = int(data.items["gold"].notna().sum())
        documented = about["documented"][id]
        yield (
            id,
            render(
                "dataset.html.j2",
                site,
                meta=data.meta,
                n_gold=has_gold,
                agreement=glance,
                shares=shares(data),
                uses=used,
                documented=documented,
                is_offered=id in about["offered"],
                sizes=sizes(labels),
                per_item=labels.n_labels / max(labels.n_items, 1),
            ),
        )
        alpha = [row for row in glance if row["name"] == "krippendorff_alpha" and "estimate" in row]
        listed.append(
            data.meta
            | {
                "documented": documented,
                "page": documented["page"] if documented else "",
                "alpha": alpha[0]["estimate"] if alpha else None,
                "n_gold": has_gold,
                "n_uses": len(used),
            }
        )
    yield "index", render("datasets.html.j2", site, metas=listed)


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        pages = Path(snakemake.output.index).parent
        data = {id: Path("results/data") / id for id in snakemake.params.ids}
        about = snakemake.params.about
        for name, html in main(data, Path(snakemake.input.site[0]).parent, about):
            page = pages / "index.html" if name == "index" else pages / name / "index.html"
            page.parent.mkdir(parents=True, exist_ok=True)
            with replacing(page) as draft:
                draft.write_text(html, encoding="utf-8")
        for id, folder in data.items():
            if id in about["offered"]:
                shutil.copyfile(folder / "labels.parquet", pages / id / "labels.parquet")
