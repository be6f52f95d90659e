"""What studies found about a coefficient or a model, as sections of its page of the documentation.

A page is named after what it describes, and so are the rows of the studies' tables: a new
coefficient or model gets its sections without an edit.
"""

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pandas as pd

from annobench.reporting.formats import number

#: What is compared with other packages, by the words for it.
QUANTITIES = {
    "estimates": ["estimate"],
    "standard errors": ["standard_error"],
    "interval ends": ["lower", "upper"],
}


def _table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    headings = list(headings)
    lines = [headings, ["---"] * len(headings), *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def conformance(name: str, matrix: pd.DataFrame, disagreements: pd.DataFrame) -> str:
    """Return what other packages do differently, in Markdown.

    Parameters
    ----------
    name : str
        Of a coefficient.
    matrix, disagreements : DataFrame
        The tables of the study of conformance.
    """
    own = matrix[matrix["coefficient"] == name]
    lines = ["## What other packages do differently", ""]
    study = "{doc}`study of conformance </studies/conformance/index>`"
    if own.empty:
        return "\n".join([*lines, f"No package of the {study} has this coefficient.", ""])
    rows = []
    for (package, version), of_package in own.groupby(["package", "version"], sort=True):
        cells = []
        for quantities in QUANTITIES.values():
            counts = of_package[of_package["quantity"].isin(quantities)]
            n = int(
                counts[["equal", "undefined", "different", "refused", "answered"]].to_numpy().sum()
            )
            same = int(counts[["equal", "undefined"]].to_numpy().sum())
            cells.append(f"{same} of {n}" if n else "none")
        rows.append([f"{package} {version}", *cells])
    lines += [
        "Values that are equal to ours, or undefined in both, on the small data sets of the "
        + study
        + ":",
        "",
    ]
    lines += [*_table(["package", *QUANTITIES], rows), ""]
    named = disagreements["coefficients"].str.split(", ").map(lambda names: name in names)
    entries = disagreements[named]
    if entries.empty:
        lines += ["None of them differs by a convention.", ""]
    for _, entry in entries.iterrows():
        of_package = own.loc[own["package"] == entry["package"], "function"].unique()
        functions = ", ".join(
            f"`{function}`" for function in entry["functions"].split(", ") if function in of_package
        )
        lines.append(
            f"- **{entry['package']}**, {functions}: {entry['convention']}. {entry['explanation']}"
        )
    return "\n".join([*lines, ""])


def coverage(name: str, measured: pd.DataFrame) -> str:
    """Return the empirical coverage of a coefficient's intervals, in Markdown.

    Parameters
    ----------
    name : str
        Of a coefficient.
    measured : DataFrame
        The table of the study of coverage.
    """
    own = measured[(measured["coefficient"] == name) & measured["coverage"].notna()]
    lines = ["## How its intervals fare", ""]
    study = "{doc}`study of coverage </studies/coverage_stored/index>`"
    if own.empty:
        return "\n".join([*lines, f"The {study} doesn't include it.", ""])
    settings = [
        "options",
        "scale",
        "n_categories",
        "n_items",
        "n_annotators",
        "prevalence",
        "missing",
    ]
    n_settings = len(own[settings].drop_duplicates())
    repetitions = int(own["repetitions"].min())
    lines += [
        f"Empirical coverage of 95% intervals on simulated labels, {n_settings} "
        f"setting{'s' if n_settings != 1 else ''} with {repetitions:,} repetitions or more each, "
        f"from the {study}:",
        "",
    ]
    rows = [
        [
            str(unit),
            str(kind),
            str(len(of_kind)),
            number(of_kind["coverage"].mean()),
            number(of_kind["coverage"].min()),
        ]
        for (unit, kind), of_kind in own.groupby(["unit", "kind"], sort=False)
    ]
    headings = ["interval over", "kind", "settings", "mean coverage", "lowest"]
    return "\n".join([*lines, *_table(headings, rows), ""])


def benchmark(
    name: str,
    averages: pd.DataFrame,
    scores: pd.DataFrame,
    problems: pd.DataFrame,
    described: Collection[str] = (),
) -> str:
    """Return how a model fares on labels with a gold standard, in Markdown.

    Parameters
    ----------
    name : str
        Of a model.
    averages, scores, problems : DataFrame
        Tables of the benchmark of models.
    described : collection of str
        Data sets that have a page.
    """
    lines = ["## How it fares", ""]
    study = "{doc}`benchmark of models </studies/aggregation/index>`"
    own = averages[averages["method"] == name]
    if own.empty:
        return "\n".join([*lines, f"The {study} doesn't include it.", ""])
    most = int(averages["n_datasets"].max())
    fitted = int(own["n_datasets"].iloc[0])
    complete = averages[averages["n_datasets"] == most]
    words = {"accuracy": False, "log_loss": True, "calibration_error": True}
    averaged = []
    for score, ascending in words.items():
        value = f"mean {score.replace('_', ' ')} {number(own[f'mean_{score}'].iloc[0])}"
        if fitted == most:
            rank = complete[f"mean_{score}"].rank(ascending=ascending, method="min")
            value += f" (rank {int(rank[own.index[0]])} of {len(complete)})"
        averaged.append(value)
    partly = "" if fitted == most else f", of {most}, so that it has no rank"
    lines += [f"On {fitted} real data sets of the {study}{partly}: {', '.join(averaged)}.", ""]
    real = problems.loc[problems["provenance"] == "real", "problem"]
    wide = scores[scores["problem"].isin(real) & scores["score"].isin(["accuracy", "log_loss"])]
    mine = wide[wide["method"] == name].set_index(["problem", "score"])
    best = wide[wide["score"] == "accuracy"].groupby("problem")["estimate"].max()
    votes = wide[(wide["method"] == "voting") & (wide["score"] == "accuracy")].set_index("problem")
    rows = []
    for problem in real:
        if (problem, "accuracy") not in mine.index:
            continue
        row = mine.loc[(problem, "accuracy")]
        loss = mine["estimate"].get((problem, "log_loss"))
        rows.append(
            [
                f"{{doc}}`{problem} </datasets/{problem}/index>`"
                if problem in described
                else problem,
                f"{number(row['estimate'])} [{number(row['lower'])}, {number(row['upper'])}]",
                number(votes["estimate"].get(problem)),
                number(best[problem]),
                number(loss),
            ]
        )
    headings = ["data set", "accuracy, 95% interval", "by votes", "best of all", "log loss"]
    return "\n".join([*lines, *_table(headings, rows), ""])


def sections(studies: Path, stored: Path, source: Path) -> dict[str, str]:
    """Return what is appended to pages, in Markdown by their place.

    Parameters
    ----------
    studies : Path
        Folder of the studies' tables.
    stored : Path
        Folder of the stored tables of the benchmark of models.
    source : Path
        Folder of the site's sources.
    """
    matrix, disagreements = (
        pd.read_csv(studies / f"conformance/{name}.csv", keep_default_na=False)
        for name in ("matrix", "disagreements")
    )
    measured = pd.read_csv(studies / "coverage_stored/coverage.csv")
    averages, scores, problems = (
        pd.read_csv(stored / f"{name}.csv") for name in ("averages", "scores", "problems")
    )
    described = {page.parent.name for page in (source / "datasets").glob("*/index.html")}
    found = {
        f"coefficients/{name}.md": conformance(name, matrix, disagreements)
        + "\n"
        + coverage(name, measured)
        for name in _pages(source / "coefficients")
        if name != "intervals"
    }
    return found | {
        f"models/{name}.md": benchmark(name, averages, scores, problems, described)
        for name in _pages(source / "models")
    }


def _pages(folder: Path) -> list[str]:
    return sorted(page.stem for page in folder.glob("*.md") if page.stem != "index")


def append(source: Path, added: Mapping[str, str]) -> None:
    """Append sections to the pages of a site's sources.

    Parameters
    ----------
    source : Path
        Folder of the sources.
    added : mapping of str to str
        What `sections` returns.
    """
    for place, markdown in added.items():
        with (source / place).open("a", encoding="utf-8") as file:
            file.write("\n" + markdown)
