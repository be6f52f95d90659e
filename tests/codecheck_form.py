"""What version 1.0 of CODECHECK's specification demands of a `codecheck.yml`."""

import re
from datetime import datetime
from pathlib import Path, PurePosixPath

import yaml

SPECIFICATION = "https://codecheck.org.uk/spec/config/1.0/"


def faults(path):
    """Say what is wrong with a `codecheck.yml`, and with the files beside it."""
    path = Path(path)
    text = path.read_bytes().decode("utf-8")
    found = [] if path.name == "codecheck.yml" else ["the file has another name"]
    if "---" not in text.splitlines():
        found.append("there is no explicit document")
    if re.search(r"FIXME|TODO|XXXXX", text):
        found.append("a placeholder that the register refuses")
    try:
        read = yaml.safe_load(text)
    except yaml.YAMLError as error:
        return [*found, f"no YAML: {error}"]
    return [*found, *_of_manifest(read, path.parent), *_of_metadata(read)]


def _of_manifest(read, folder):
    files = read.get("manifest")
    if not isinstance(files, list) or not files:
        yield "no manifest"
        return
    for each in files:
        name = each.get("file")
        if not name or PurePosixPath(name).is_absolute():
            yield f"no relative path: {each}"
        elif not (folder / name).is_file():
            yield f"no file {name}"


def _of_metadata(read):
    if read.get("version") != SPECIFICATION:
        yield "another version"
    paper = read.get("paper", {})
    yield from (f"no paper.{name}" for name in ("title", "reference") if not paper.get(name))
    for name, people in (
        ("authors", paper.get("authors")),
        ("codechecker", read.get("codechecker")),
    ):
        if not people or not all(person.get("name") for person in people):
            yield f"{name}: somebody has no name"
    yield from (f"no {name}" for name in ("report", "summary") if not read.get(name))
    try:
        if datetime.fromisoformat(read["check_time"]).tzinfo is None:
            yield "check_time has no time zone"
    except (KeyError, TypeError, ValueError):
        yield "check_time is no time"
    if "certificate" in read and not re.fullmatch(r"\d{4}-\d{3}", str(read["certificate"])):
        yield "certificate is no identifier of the register"
