# What the rule files share. The papers and data sets found, the configuration checked,
# and the inputs and outputs that papers have in common.

import json
import math
import os
import re
import time
from pathlib import Path

import pandas as pd
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.utils import update_config

from annobench import __version__, datasets, models
from annobench.datasets.discovery import modules
from annobench.datasets.sources import default_base_url
from annobench_course import sessions
from annobench_datasets.wordnet import has_wordnet
from annobench.reporting.pages import STYLES
from annobench_replication.exhibit import figures_in, heading
from annobench.benchmark.external_methods.data import DATA_SETS
from annobench.benchmark.files import SETTINGS, file_names

from catalogue import FIGURE_FORMATS, LEDGERS, is_key, names_of_rules, read_notebook, read_papers
from dependencies import digest, library_sources
from documents import DocumentError
from study_contract.record import read_studies
from settings import (
    ahead_of_clock,
    check_config,
    check_results,
    missing_sources,
    mode_of,
    upgrades,
)

WORKFLOW = Path(os.path.relpath(str(workflow.current_basedir), Path.cwd())).parent
PACKAGE = WORKFLOW.parent / "src" / "annobench"
COURSE = PACKAGE.parent / "annobench_course"
#: The package of public data sets.
PUBLIC = PACKAGE.parent / "annobench_datasets"
NOTEBOOKS = WORKFLOW.parent / "notebooks"
DOCS = WORKFLOW.parent / "docs"
DATASETS = datasets.names()


#: What no paper may be called, as each paper has a rule of its name.
TAKEN = names_of_rules(WORKFLOW)

# A configuration need only say what differs from the one beside the workflow.
defaults = load_configfile(WORKFLOW.parent / "config/config.yaml")
update_config(defaults, config)
config.update(defaults)

try:
    check_config(config, DATASETS)
    check_results(Path("results"))
    # What is wrong with a paper is said by rules, and stops no other.
    PAPERS, BROKEN = read_papers(WORKFLOW / "papers", DATASETS, NOTEBOOKS, TAKEN)
    STUDIES = read_studies(WORKFLOW / "studies")
    #: The notebooks of no paper, such as one to compare a method of one's own. Each says in its
    #: metadata which papers and data sets it shows.
    GUIDES = {
        path.stem: guide
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
        if path.stem not in {*PAPERS, *BROKEN}
        and (guide := read_notebook(path)["metadata"].get("annobench"))
        and {*guide["papers"]} <= {*PAPERS, *BROKEN}
    }
except (DocumentError, OSError) as error:
    raise WorkflowError(str(error)) from None

MODULE_OF_DATASET = {id: module.__name__.rpartition(".")[2] for id, module in modules().items()}
#: The data sets of a module are made in one job: most take less time than to start one.
IDS_OF_MODULE = {
    name: [id for id in DATASETS if MODULE_OF_DATASET[id] == name]
    for name in sorted(set(MODULE_OF_DATASET.values()))
}

# Said once for the whole run, and not by the processes that run jobs.
if "ANNOBENCH_UPGRADES" not in os.environ and (
    warning := ahead_of_clock(Path("results"), time.time())
):
    logger.warning(f"WARNING: {warning}")

# Settled once for the whole run: the processes that run jobs inherit it, as to them the
# outputs of a job that is to be done again are already gone.
UPGRADES = json.loads(
    os.environ.setdefault(
        "ANNOBENCH_UPGRADES",
        json.dumps(
            {
                id: upgrades(Path("results"), id, mode_of(config, id), config["seed"])
                for id in DATASETS
            }
        ),
    )
)
METHODS = models.names()


#: Optional files that papers may ask for, by name; absent where they are not installed.
RESOURCES = {
    name: path
    for name in ("wordnet", "treebank")
    if (path := config["data"].get(name)) and (name != "wordnet" or has_wordnet(path))
}


def one_of(names):
    """Constrain a wildcard to names; without names it matches nothing."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    dataset=one_of(DATASETS),
    paper=one_of(PAPERS),
    notebook=one_of([*PAPERS, *GUIDES]),


def imports_of(*scripts, also=()):
    """Return a digest of the library sources that scripts import: they decide reruns as these do.

    It is a parameter of the rules. Of files that are input Snakemake looks up the size each time
    that it chooses the next job, and a job has a hundred of these.
    """
    return digest(
        path for script in scripts for path in library_sources(script, PACKAGE, also=also)
    )


def imports_of_paper(*scripts):
    """Return a digest as `imports_of`; where a module is no Python, what is wrong with it.

    The job of the paper then fails, and no other.
    """
    try:
        return imports_of(*scripts)
    except SyntaxError as error:
        return str(error)


def site_files(*names):
    """Return the sources of a page of the site."""
    return [f"{WORKFLOW}/site/{name}" for name in (*names, "base.html.j2", "macros.html.j2")]


def templates(*own):
    """Return the library's sources of a page's looks."""
    names = (*own, "base.html.j2", *STYLES)
    return [str(PACKAGE / "reporting/templates" / name) for name in names]


def data_of(dataset, folder="results/data"):
    """Return the three files of a data set."""
    return [
        f"{folder}/{dataset}/{name}" for name in ("labels.parquet", "items.parquet", "meta.json")
    ]


def dataset_sources(module):
    """Return a digest of a module of data sets, which is found by discovery, and of its imports."""
    script = WORKFLOW / "scripts/data/fetch_datasets.py"
    return imports_of(script, also=[f"{PUBLIC.name}.{module}"])


def pins_of(dataset):
    """Return the checksums of a data set's files; a module may also hold those of a few itself."""
    pins = PUBLIC / "pins" / f"{datasets.get(dataset).source.name}.csv"
    return [str(path) for path in [pins] if path.is_file()]


def network_of(dataset):
    """Return where the network's answer stands, for a data set that may ask it."""
    simulated = mode_of(config, dataset) == "simulated"
    return [] if simulated else ["results/data/network.json"]


def paper_inputs(key):
    """Return what a paper's analysis reads: its data sets by id, printed tables, sources."""
    paper = PAPERS[key]
    return {
        **{dataset: data_of(dataset) for dataset in paper.datasets},
        "record": str(paper.folder / "paper.yaml"),
        "printed_tables": [str(path) for path in paper.printed_tables],
        "analysis": [str(path) for path in paper.sources],
    }


def traced_inputs(wildcards):
    """Return the data sets by id, and the paper's own files, that a traced analysis reads."""
    inputs = paper_inputs(wildcards.paper)
    return {name: files for name, files in inputs.items() if name != "record"}


def traced_sources(wildcards):
    """Return a digest of the library sources that decide what a paper's values rest on."""
    script = WORKFLOW / "scripts/papers/trace_paper.py"
    return imports_of_paper(script, *PAPERS[wildcards.paper].sources)


#: What the jobs of a paper may find to be broken, beside its record.
PARTS = ("analysis", "dependence", "comparison", "notebook", "page")


def faults_of(*names, parts=PARTS):
    """Return the files that hold the faults of papers, or of guides, which are notebooks alone."""
    return [
        f"results/faults/{name}/{part}.txt"
        for name in names
        for part in (["record"] if name in BROKEN else ["notebook"] if name in GUIDES else parts)
    ]


def paper_outputs(key):
    """Return what a paper's analysis writes: values, captions, figures, tables."""
    files, paper = paper_results(key), PAPERS[key]
    drawn = list(zip(files["figures"], paper.figures * len(FIGURE_FORMATS)))
    return files | {
        # In the one format that scales.
        "figures": [
            reported(path, key, exhibit, "figure") if path.endswith(".svg") else path
            for path, exhibit in drawn
        ],
        "tables": [
            reported(path, key, exhibit, "table")
            for path, exhibit in zip(files["tables"], paper.tables)
        ],
    }


def reported(path, key, exhibit, kind):
    """Mark a figure or a table for `snakemake --report`."""
    contents = PAPERS[key].contents
    answered = {"figure": figures_in(contents), "table": [], "printed_table": contents}[kind]
    return report(
        path,
        caption=f"../report/{kind}.rst",
        category=key,
        labels={
            "what": heading(exhibit.source, exhibit.title, answered),
            "kind": kind.replace("_", " "),
        },
    )


def paper_results(key):
    """Return the paths of a paper's values, captions, figures and tables."""
    paper, folder = PAPERS[key], f"results/papers/{key}"
    return {
        "computed": f"{folder}/computed.csv",
        "captions": f"{folder}/captions.json",
        "figures": [
            f"{folder}/figures/{figure.name}.{suffix}"
            for suffix in FIGURE_FORMATS
            for figure in paper.figures
        ],
        "tables": [f"{folder}/tables/{table.name}.csv" for table in paper.tables],
    }


def notebook_inputs(wildcards):
    """Return what a notebook shows."""
    if wildcards.notebook in GUIDES:
        guide = GUIDES[wildcards.notebook]
        return {
            "data": tables_of(guide["datasets"]),
            "papers": expand("results/papers/{paper}/comparison.csv", paper=guide["papers"]),
        }
    return shown(PAPERS[wildcards.notebook])


#: Notebooks with other parameters, by their names in the configuration.
VARIATIONS = config.get("variations", {})
if unknown_papers := sorted({each["paper"] for each in VARIATIONS.values()} - {*PAPERS, *BROKEN}):
    raise WorkflowError(
        f"config, key variations: there is no paper {', '.join(unknown_papers)}. "
        f"Name one of {', '.join(PAPERS)}."
    )


VARIATIONS = {name: each for name, each in VARIATIONS.items() if each["paper"] in PAPERS}


def paper_of_variation(wildcards):
    """Return the paper whose notebook is run with other parameters."""
    return PAPERS[VARIATIONS[wildcards.variation]["paper"]]


def variation_inputs(wildcards):
    """Return what a notebook shows, and what the analysis of its paper reads."""
    paper = paper_of_variation(wildcards)
    return shown(paper) | {
        "notebook": f"{NOTEBOOKS}/{paper.key}.ipynb",
        "dependence": f"results/papers/{paper.key}/dependence.csv",
        "data": tables_of(paper.datasets),
        "analysis": [str(path) for path in (*paper.sources, *paper.printed_tables)],
    }


def page_inputs(wildcards):
    """Return what a paper's page and that of its sources show."""
    paper = PAPERS[wildcards.paper]
    return shown(paper) | {
        "modules": [str(path) for path in paper.sources],
        "faults": faults_of(paper.key, parts=PARTS[:3]),
    }


def notebook_sources(wildcards):
    """Return a digest of the library sources that a notebook imports."""
    notebook = NOTEBOOKS / f"{wildcards.notebook}.ipynb"
    return imports_of_paper(WORKFLOW / "scripts/papers/run_notebook.py", notebook)


def shown(paper):
    """Return a paper's record and everything computed for it."""
    return paper_results(paper.key) | {
        "record": f"{paper.folder}/paper.yaml",
        "layouts": [str(paper.layout(table)) for table in paper.layouts],
        "templates": [
            *(
                str(PACKAGE.parent / "annobench_replication/templates" / name)
                for name in (
                    "printed_table.html.j2",
                    "printed_table_alone.html.j2",
                    "printed_table.css",
                )
            ),
            str(PACKAGE / "reporting/templates/verdicts.css"),
        ],
        "remarks": f"{paper.folder}/remarks.csv",
        "comparison": f"results/papers/{paper.key}/comparison.csv",
        "others": f"results/papers/{paper.key}/others.csv",
        "metas": [f"results/data/{dataset}/meta.json" for dataset in paper.datasets],
    }


#: The folder of the comparison of models, by the grid that it shows.
BASELINE_GRIDS = {"baselines": "reduced", "baselines_full": "full"}


def baselines_settings(wildcards):
    """Return the settings of a grid of the comparison of models."""
    return config["studies"]["baselines"][BASELINE_GRIDS[wildcards.study]]


def graded(wildcards):
    """Return the data sets of several annotators that models can be scored on, by their records."""
    most = baselines_settings(wildcards)["max_labels"]
    return [
        id
        for id in DATASETS
        if datasets.get(id).scale in ("nominal", "ordinal")
        and any(name.startswith("gold:") for name in datasets.get(id).targets)
        and datasets.get(id).targets.get("n_annotators", 2) > 1
        and (most is None or datasets.get(id).targets.get("n_labels", most + 1) <= most)
    ]


def fitted_cases(wildcards):
    """Return what one job fits to: a data set or the regimes, or all where that is quick.

    A job takes some seconds to start, longer than most fits of the reduced grid.
    """
    return ["all"] if wildcards.study == "baselines" else [*graded(wildcards), "regimes"]


def fitted_methods(wildcards):
    """Return what one job fits: a model, or all where that is quick."""
    return ["all"] if wildcards.study == "baselines" else METHODS


def fitted(wildcards):
    """Return the data sets that a job fits a model to."""
    known = graded(wildcards)
    return known if wildcards.case == "all" else [id for id in known if id == wildcards.case]


def seed_of_fits(wildcards):
    """Return the seed of fits, or none where no model draws and no labels are simulated."""
    fitted_alone = wildcards.method != "all" and wildcards.case not in ("regimes", "all")
    if fitted_alone and models.get(wildcards.method).METHOD.deterministic:
        return None
    return config["seed"]


def refitted(wildcards):
    """Return the data sets to parts of whose labels models are fitted.

    Those of learning curves, and those of enough annotators to resample and not too many labels.
    """
    refits = baselines_settings(wildcards)["refits"]

    def is_resampled(id):
        sizes = datasets.get(id).targets
        enough = sizes.get("n_annotators", 0) >= refits["min_annotators"]
        return enough and sizes.get("n_labels", math.inf) <= refits["max_labels"]

    learning = [id for id in refits["datasets"] if id in DATASETS]
    return [*learning, *(id for id in graded(wildcards) if id not in learning and is_resampled(id))]


def metas_of(ids):
    """Return what data sets say of themselves."""
    return [f"results/data/{id}/meta.json" for id in ids]


def tables_of(ids):
    """Return the files of data sets."""
    return [path for id in ids for path in data_of(id)]


def model_sources(script, wildcards):
    """Return a digest of the library sources of a job that fits a model, or all."""
    names = METHODS if wildcards.method == "all" else [wildcards.method]
    return imports_of(
        WORKFLOW / "scripts/studies" / script, also=[f"annobench.models.{name}" for name in names]
    )


#: The files of a benchmark of models, and where those of the full grid are stored.
BENCHMARK_FILES = [*file_names().values(), SETTINGS]
STORED = WORKFLOW.parent / "benchmarks/measured"
STORED_BENCHMARK = STORED / "aggregation"
#: Where the tables of full grids are stored, by the studies that have grids.
STORED_STUDIES = [key for key, study in STUDIES.items() if study.grids]
#: The study and its grid, by the folder of the results.
STUDY_RUNS = {
    folder: (key, grid) for key, study in STUDIES.items() for folder, grid in study.runs.items()
}


wildcard_constraints:
    part="[0-9]+",


def parts_of(wildcards):
    """Return the tables of all parts of a study; none where one job computes it all."""
    key, grid = STUDY_RUNS[wildcards.study]
    n = STUDIES[key].grids[grid].jobs if grid else 0
    return [f"results/studies/{wildcards.study}/parts/{part}.parquet" for part in range(n)]


def designed(key):
    """Return what the configuration says of a study's design."""
    found = config["studies"]
    for name in STUDIES[key].design.split("."):
        found = found[name]
    return found


def study_settings(wildcards):
    """Return what decides a study's tables: grid, design with the data sets that there are, seed.

    What the configuration has beside the grids by their names, such as the items of estimands,
    goes with the grid.
    """
    key, grid = STUDY_RUNS[wildcards.study]
    seed = {"seed": config["seed"]} if STUDIES[key].random else {}
    if not STUDIES[key].design:
        return seed
    own = designed(key)
    if not grid:
        gone = [id for id in named_in(own) if id not in DATASETS]
        return {"design": at_hand(own)} | ({"left_out": gone} if gone else {}) | seed
    of_grid = {
        name: each[grid] for name, each in own.items() if isinstance(each, dict) and grid in each
    }
    return {"grid": grid, "design": at_hand(own[grid])} | at_hand(of_grid) | seed


def named_in(design):
    """Return the data sets that a design names, under `dataset` or `datasets`."""
    if isinstance(design, list):
        return list(dict.fromkeys(id for each in design for id in named_in(each)))
    if not isinstance(design, dict):
        return []
    own = [*design.get("datasets", []), *([design["dataset"]] if "dataset" in design else [])]
    return list(dict.fromkeys([*own, *(id for each in design.values() for id in named_in(each))]))


def at_hand(design):
    """Return a design without the data sets that there are not."""
    if isinstance(design, list):
        return [at_hand(each) for each in design if set(named_in(each)) <= set(DATASETS)]
    if not isinstance(design, dict):
        return design
    return {
        name: [id for id in each if id in DATASETS] if name == "datasets" else at_hand(each)
        for name, each in design.items()
    }


def study_data(wildcards):
    """Return the data sets that a study reads."""
    return named_in(list(study_settings(wildcards).values()))


def study_models(wildcards):
    """Return the models that a study's design names, which are found by discovery."""
    design = study_settings(wildcards).get("design")
    return design.get("models", []) if isinstance(design, dict) else []


def module_sources(key, name, models=()):
    """Return a digest of a study's module and of all that it imports."""
    path = STUDIES[key].module(name)
    also = [f"annobench.models.{model}" for model in models]
    script = WORKFLOW / "scripts/studies/analyse_study.py"
    # Rows of a study are found by discovery, which no import statement shows.
    paths = [path, *sorted((STUDIES[key].folder / "rows").glob("*.py"))]
    found = [source for each in paths for source in library_sources(each, PACKAGE, also=also)]
    return digest([*paths, *library_sources(script, PACKAGE), *found])


def study_sources(wildcards, name):
    """Return a digest of a study's module and of all that a job of it imports."""
    return module_sources(STUDY_RUNS[wildcards.study][0], name, study_models(wildcards))


def session_sources(wildcards):
    """Return a digest of the sources of a session: its exercises, and all that its cells may use."""
    script = WORKFLOW / "scripts/course/execute_course.py"
    used = imports_of(script, also=["annobench_course.student"])
    return [used, modules_of(wildcards.session, ["exercises.py"])]


def modules_of(session, names):
    """Return a digest of modules in the folder of a session, and of all that they import."""
    paths = [SESSIONS[session].folder / name for name in names]
    found = [os.path.relpath(path) for path in paths if path.is_file()]
    return digest([*found, *(each for path in found for each in library_sources(path, PACKAGE))])


def offered(key):
    """Return the files of a paper that its page shows or offers."""
    files = paper_results(key)
    folder = f"results/papers/{key}"
    tables = expand(f"{folder}/{{table}}.csv", table=["comparison", "dependence"])
    own = [files["computed"], *tables, *files["figures"], *files["tables"]]
    return [*own, *printed_tables(key)]


def printed_tables(key):
    """Return the paths of a paper's printed tables with their computed values."""
    return [
        f"results/papers/{key}/printed/{table.name}.{suffix}"
        for suffix in ("csv", "tex")
        for table in PAPERS[key].layouts
    ]


def documentation_of(dataset):
    """Return the page of the documentation on a data set, if there is one, and its title."""
    page = DOCS / "datasets" / f"{MODULE_OF_DATASET[dataset]}.md"
    if not page.is_file():
        naming = (
            page
            for page in sorted(DOCS.glob("datasets/*.md"))
            if f"`{dataset}`" in page.read_text(encoding="utf-8")
        )
        page = next(naming, None)
    if page is None:
        return None
    return {"page": page.stem, "title": page.read_text(encoding="utf-8").split("\n")[0][2:]}


def users():
    """Yield who uses data sets: papers, studies of our own, sessions of the course."""
    for key, paper in PAPERS.items():
        yield paper.title, f"papers/{key}/index", list(paper.datasets)
    problems = pd.read_csv(STORED_BENCHMARK / "problems.csv")["problem"]
    yield "The benchmark of models", "studies/aggregation/index", sorted(problems)
    for key in sorted(STUDIES.keys() & {"audit", "pool"}):
        title, used = STUDIES[key].title, config["studies"][key]["full"]["datasets"]
        yield f"The study “{title}”", f"studies/{key}_stored/index", sorted(used)
    certified = [id for id in named_in(designed("certificate")) if id in DATASETS]
    yield "Noise certificates", "studies/certificate/index", sorted(certified)
    for lesson in LESSONS.values():
        title = f"Session {int(lesson.id[:2])} of the course: {lesson.title}"
        yield title, "how-to/teach", list(lesson.data)
