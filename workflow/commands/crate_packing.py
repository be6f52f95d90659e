"""Put sources, results, data and actions of a run into an RO-Crate, each with what it is."""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pandas as pd
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from annobench import __version__, datasets
from annobench.datasets.sources import DEFAULT_BASE_URL, address
from annobench_replication.faces import FACES, Tally
from commands import release
from commands.conclude import counts_of, data_of
from pages.counts import sentences
from pages.runner import RUNNER

#: Terms of the profiles that RO-Crate 1.1 lacks, such as sha256.
TERMS = "https://w3id.org/ro/terms/workflow-run/context"

#: What a crate conforms to; the profiles extend one another.
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}

#: What of the results is packed, beside those of the papers.
OUTPUTS = ("*.csv", "*.json", "data/*/meta.json", "notebooks/*", "studies/*/*.csv", "site/**/*")

#: Formats that Python's table of them lacks.
FORMATS = {
    ".ipynb": "application/x-ipynb+json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
}

#: What describes a workflow.
BIOSCHEMAS = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"

#: Where the sources are.
REPOSITORY = dict(entry.split(", ") for entry in metadata("annobench").get_all("Project-URL", []))[
    "Source"
]

WORKFLOW, README, PAPERS = "Snakefile", "README.md", "workflow/papers"


def tool_of(key: str) -> str:
    """Return the place of the module that analyses a paper."""
    return f"{PAPERS}/{key}/analysis.py"


def format_of(name: str, content: bytes) -> str:
    """Return the media type of a file: that of its name, or else text if it is text."""
    by_name = FORMATS.get(Path(name).suffix) or mimetypes.MimeTypes().guess_type(name)[0]
    if by_name:
        return by_name
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain"


def empty_crate() -> ROCrate:
    """Return a crate without files that knows the terms of the profiles."""
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    return crate


@dataclass
class Packing:
    """A run, and the crate that it goes into.

    Attributes
    ----------
    results, top : Path
        The results of the run, and the clone.
    crate : ROCrate
        The crate.
    files : dict of str to Entity
        What is in the crate, by its place there.
    """

    results: Path
    top: Path
    crate: ROCrate = field(default_factory=empty_crate)
    files: dict[str, Entity] = field(default_factory=dict)

    def add(self, id: str, kind: str, **properties: Any) -> Entity:
        """Add an entity that is no file; those with a value alone are described."""
        entity = self.crate.add(ContextEntity(self.crate, id, {"@type": kind}))
        for name, value in properties.items():
            entity[name] = value
        return entity

    def add_file(self, path: Path, name: str, *kinds: str, **properties: Any) -> None:
        """Add a file with its digest; the workflow itself is the crate's main entity."""
        content = path.read_bytes()
        described = {"name": name, "sha256": hashlib.sha256(content).hexdigest()} | properties
        described |= {"contentSize": str(len(content)), "encodingFormat": format_of(name, content)}
        if kinds:
            described |= {"@type": ["File", *kinds], "version": __version__, "url": REPOSITORY}
        if name == WORKFLOW:
            self.files[name] = self.crate.add_workflow(
                path,
                name,
                main=True,
                lang="snakemake",
                lang_version=version("snakemake"),
                properties=described,
            )
        else:
            self.files[name] = self.crate.add_file(path, name, properties=described)

    def add_sources(self, tools: Iterable[str]) -> None:
        """Add the files of the commit: the workflow, and the tools that it runs."""
        kinds = {name: ["SoftwareSourceCode"] for name in tools}
        kinds[WORKFLOW] = ["SoftwareSourceCode", "ComputationalWorkflow", "HowTo"]
        about = {README: {"about": {"@id": "./"}}, WORKFLOW: {"conformsTo": {"@id": BIOSCHEMAS}}}
        for name in release.git(self.top, "ls-files", "-z").strip("\0").split("\0"):
            self.add_file(self.top / name, name, *kinds.get(name, []), **about.get(name, {}))

    def add_results(self, keys: Iterable[str]) -> list[Entity]:
        """Add the results of the run, and return them."""
        patterns = [*OUTPUTS, *(f"papers/{key}/**/*" for key in keys)]
        found = {path for pattern in patterns for path in self.results.glob(pattern)}
        names = {
            f"results/{path.relative_to(self.results).as_posix()}": path
            for path in sorted(found)
            if path.is_file() and not path.name.startswith(".")
        }
        for name, path in names.items():
            self.add_file(path, name)
        return [self.files[name] for name in names]

    def below(self, folder: str) -> list[Entity]:
        """Return the files of a folder."""
        return [file for name, file in self.files.items() if name.startswith(f"{folder}/")]

    def add_data(self, meta: dict[str, Any]) -> Entity:
        """Add a data set with its provenance, and the files at its source."""
        source, place = datasets.get(meta["id"]).source, f"results/data/{meta['id']}"
        licence = self.add(f"#licence-{meta['id']}", "CreativeWork", name=meta["licence"])
        read = []
        for file in meta["files"]:
            url = quote(address(DEFAULT_BASE_URL, source, source.file(file["path"])), safe=":/%")
            described = {"name": file["path"], "sha256": file["sha256"]}
            described |= {"contentSize": str(file["bytes"]), "license": {"@id": licence.id}}
            read.append(
                self.crate.dereference(url) or self.crate.add_file(url, properties=described)
            )
        told = f"{meta['n_labels']:,} labels of {meta['n_items']:,} items: {meta['provenance']}."
        if meta["provenance"] == "simulated":
            told += f" Why they are simulated: {meta['why_simulated']}"
        described = {"name": meta["title"], "description": told, "citation": meta["citation"]}
        described |= {"url": meta["home"][0]}
        entity = self.crate.add_dataset(dest_path=place, properties=described)
        entity["license"], entity["isBasedOn"] = licence, read
        entity["hasPart"] = self.below(place)
        return entity

    def verdicts(self, whose: str, comparison: pd.DataFrame) -> list[Entity]:
        """Add how often each verdict was given."""
        return [
            self.add(
                f"#verdicts-{whose}-{verdict}",
                "PropertyValue",
                name=FACES[verdict].words,
                description=FACES[verdict].meaning,
                value=n,
            )
            for verdict, n in Tally.of(comparison).counts.items()
        ]

    def add_analysis(
        self,
        n: int,
        record: dict[str, Any],
        sets: dict[str, Entity],
        comparison: pd.DataFrame,
    ) -> Entity:
        """Add a paper with its verdicts, and the action that computed them, as step n."""
        key, place = record["key"], f"results/papers/{record['key']}"
        tool = self.files[tool_of(key)]
        folder = self.crate.add_dataset(dest_path=place, properties={"name": record["title"]})
        folder["hasPart"] = self.below(place)
        folder["about"] = self.add(
            record.get("url") or f"#paper-{key}",
            "ScholarlyArticle",
            name=record["title"],
            author=record["authors"],
            datePublished=str(record["year"]),
        )
        folder["variableMeasured"] = self.verdicts(key, comparison[comparison["paper"] == key])
        step = self.add(
            f"#step-{key}", "HowToStep", name=f"replicate_{key}", position=str(n), workExample=tool
        )
        self.files[WORKFLOW].append_to("step", step)
        self.files[WORKFLOW].append_to("hasPart", tool)
        action = self.add(
            f"#analysis-{key}",
            "CreateAction",
            name=f"Analysis of {record['title']}",
            description="Computes the values, tables and figures of the paper.",
            instrument=tool,
            object=[
                *(sets[id] for id in record["datasets"]),
                *self.below(f"workflow/papers/{key}/tables"),
            ],
            result=[
                *(self.files[f"{place}/{name}"] for name in ("computed.csv", "captions.json")),
                *self.below(f"{place}/figures"),
                *self.below(f"{place}/tables"),
            ],
            agent=self.crate.get("#runner"),
            **self.times(f"{place}/computed.csv"),
        )
        self.crate.root_dataset.append_to("mentions", action)
        return self.add(
            f"#control-{key}", "ControlAction", name=f"Step {n}", instrument=step, object=action
        )

    def times(self, output: str) -> dict[str, str]:
        """Return when the job of an output began and ended, if Snakemake has a record of it."""
        name = base64.b64encode(output.encode()).decode()
        try:
            record = json.loads((self.results.parent / ".snakemake/metadata" / name).read_bytes())
        except OSError:
            return {}
        return {
            term: datetime.fromtimestamp(int(record[kept]), UTC).isoformat()
            for term, kept in (("startTime", "starttime"), ("endTime", "endtime"))
        }

    def describe(self, comparison: pd.DataFrame, metas: list[dict[str, Any]], commit: str) -> None:
        """Describe the whole: which commit, which profiles, who, on which data, which verdicts."""
        root = self.crate.root_dataset
        root["name"] = f"annobench {__version__}: published numbers on annotation, computed again"
        counts = counts_of(comparison, self.top / PAPERS)
        root["description"] = " ".join([data_of(metas), *sentences(counts)])
        root["version"], root["identifier"] = __version__, f"commit {commit}"
        root["author"] = self.add("#runner", "Person", name=RUNNER)
        root["license"] = self.add(
            "https://spdx.org/licenses/MIT",
            "CreativeWork",
            name="MIT",
            description="Of code and results. Each data set has its own licence.",
        )
        root["conformsTo"] = [
            self.add(id, "CreativeWork", name=name, version=id.rpartition("/")[2])
            for id, name in PROFILES.items()
        ]
        root["variableMeasured"] = self.verdicts("all", comparison)
