"""Pack the course for students, and for their teacher, who gets the students' archive with it."""

import hashlib
import json
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annobench.core.files import recording, replacing


@dataclass(frozen=True)
class Permission:
    """Why anyone may pass on the labels of a data set; `licences.toml` explains."""

    stated: str
    because: str
    text: str


def read_permissions(path: Path) -> dict[str, Permission]:
    """Read who allows what, by data set."""
    entries = tomllib.loads(path.read_text("utf-8"))
    return {id: Permission(**entry) for id, entry in entries.items()}


def may_be_passed_on(meta: dict[str, Any], permissions: dict[str, Permission]) -> bool:
    """Tell whether labels are real and anyone may pass them on."""
    found = permissions.get(meta["id"])
    return found is not None and meta["provenance"] == "real" and meta["licence"] == found.stated


def licences(metas: Iterable[dict[str, Any]], permissions: dict[str, Permission]) -> str:
    """Return the page of licences."""
    lines = [
        "# The data of the course",
        "",
        "A data set lies in this folder if those who made its labels let anyone pass them on, or "
        "if its labels are printed in a paper. The others are fetched by the first cell of a "
        "session, from the source that is named here. Without a network, simulated labels stand "
        "in, and the notebook says SIMULATED.",
        "",
    ]
    for meta in metas:
        lines += [
            f"## {meta['title']} (`{meta['id']}`)",
            "",
            meta["citation"],
            "",
            f"Licence, as stated: {meta['licence']}. Source: "
            f"https://github.com/{meta['repository']}, commit {meta['commit']}.",
            "",
        ]
        if may_be_passed_on(meta, permissions):
            found = permissions[meta["id"]]
            lines += [
                f"**Here.** {found.because} Its text: `licences/{found.text}`. The labels are in "
                "another format, otherwise unchanged.",
                "",
            ]
        elif meta["id"] in permissions:
            lines += ["**Fetched.** They were not available when the archive was made.", ""]
        else:
            lines += [
                "**Fetched.** Those who made the labels state no licence that lets others pass "
                "them on.",
                "",
            ]
    return "\n".join(lines)


def with_wheel(requirements: Path, wheel: Path) -> bytes:
    """Return requirements to which a wheel beside them is added, with its hash."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    own = f"./{wheel.name} \\\n    --hash=sha256:{digest}\n"
    return own.encode() + requirements.read_bytes()


def _filled(path: Path, wheel: Path) -> bytes:
    """Return a text with the name and the version of the wheel that lies with it."""
    text = path.read_text("utf-8")
    return text.replace("WHEEL", wheel.name).replace("VERSION", wheel.name.split("-")[1]).encode()


#: Where the part of the guide to projects begins that is for teachers.
_FOR_TEACHERS = "\n## For the teacher\n"


def project_guide(guide: Path) -> bytes:
    """Return the students' part of the guide to a project with one's own labels."""
    students, _, _ = guide.read_text("utf-8").partition(_FOR_TEACHERS)
    return students.encode()


def students_files(
    inputs: dict[str, list[Path]], metas: dict[str, dict[str, Any]]
) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the students' archive."""
    [wheel], [requirements] = inputs["wheel"], inputs["requirements"]
    permissions = read_permissions(inputs["permissions"][0])
    here = {id for id, meta in metas.items() if may_be_passed_on(meta, permissions)}
    yield "README.md", _filled(inputs["readme"][0], wheel)
    yield "LICENSE", inputs["licence"][0].read_bytes()
    yield "TERMS.md", _filled(inputs["terms"][0], wheel)
    yield "PROJECT.md", project_guide(inputs["project"][0])
    yield "requirements.txt", with_wheel(requirements, wheel)
    yield wheel.name, wheel.read_bytes()
    for path in inputs["student"]:
        yield (path.name if path.suffix == ".ipynb" else f"pages/{path.name}"), path.read_bytes()
    yield "data/results.csv", inputs["results"][0].read_bytes()
    yield "data/LICENCES.md", licences(metas.values(), permissions).encode()
    needed = {permissions[id].text for id in here}
    for path in inputs["licences"]:
        if path.name in needed:
            yield f"data/licences/{path.name}", path.read_bytes()
    for path in inputs["tables"]:
        yield f"data/{path.parent.name}/{path.name}", path.read_bytes()
    for path in inputs["data"]:
        if path.parent.name in here:
            yield f"data/{path.parent.name}/{path.name}", path.read_bytes()


def teachers_files(inputs: dict[str, list[Path]], students: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the teacher's archive, in which the students' lies."""
    [package], [requirements] = inputs["package"], inputs["requirements"]
    yield "README.md", _filled(inputs["teacher"][0], package)
    yield "TERMS.md", _filled(inputs["terms"][0], package)
    yield students.name, students.read_bytes()
    yield f"package/{package.name}", package.read_bytes()
    yield "package/requirements.txt", with_wheel(requirements, package)
    yield "package/Containerfile", _filled(inputs["container"][0], package)
    yield "bank.html", inputs["bank"][0].read_bytes()
    for path in [
        *inputs["guide"],
        *inputs["project"],
    ]:  # in folders of their names, so that links lead on
        yield f"guide/{path.parent.name}/{path.name}", path.read_bytes()
    for kind in ("solutions", "slides"):
        for path in inputs[kind]:
            yield f"{kind}/{path.name}", path.read_bytes()


def pack(target: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip file whose bytes depend on its files alone."""
    with replacing(target) as draft, zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files):
            entry = zipfile.ZipInfo(f"{target.stem}/{name}")
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)


def main(inputs: dict[str, list[Path]], students: Path, teacher: Path) -> None:
    """Write both archives."""
    metas = {
        path.parent.name: json.loads(path.read_text("utf-8"))
        for path in inputs["data"]
        if path.name == "meta.json"
    }
    pack(students, students_files(inputs, metas))
    pack(teacher, teachers_files(inputs, students))


if snakemake := globals().get("snakemake"):
    with recording(snakemake.log[0], name=snakemake.rule):
        named = (
            *(
                "wheel",
                "package",
                "container",
                "requirements",
                "readme",
                "teacher",
                "licence",
                "terms",
                "permissions",
                "licences",
            ),
            *(
                "results",
                "data",
                "tables",
                "student",
                "solutions",
                "slides",
                "bank",
                "guide",
                "project",
            ),
        )
        paths = {}
        for name in named:
            value = snakemake.input[name]
            paths[name] = [Path(p) for p in ([value] if isinstance(value, str) else value)]
        main(paths, Path(snakemake.output.students), Path(snakemake.output.teacher))
