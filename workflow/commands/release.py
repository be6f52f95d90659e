"""Set the repository's address, check that nothing is a placeholder, stamp the site of a release.

The workflow knows neither commit nor date, so that no rerun changes a page. `stamp` writes both
into the foot of a copy of `results/site`.
"""

import argparse
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

TOP = Path(__file__).parents[2]

#: Stands for the repository's address until it has one; names in `.invalid` never exist.
PLACEHOLDER = "https://annobench.invalid"

#: By what stands in its place until the release: what has to be filled in.
PLACEHOLDERS = {
    PLACEHOLDER: "the repository's address",
    "Authors to be named": "the authors' names",
    "To be named: the person who ran the workflow": "your name",
    "to be written by the authors": "what the authors have to say",
}


def git(top: Path, *arguments: str) -> str:
    """Return what git prints."""
    command = ["git", "-C", str(top), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()  # noqa: S603


def commit_of(top: Path, form: str) -> str:
    """Return the commit that the sources are of, in a format of `git log`.

    Raises
    ------
    SystemExit
        If they differ from it.
    """
    if git(top, "status", "--porcelain"):
        sys.exit(f"{top} differs from its last commit: commit the changes first.")
    return git(top, "log", "-1", f"--format={form}")


def address(top: Path = TOP) -> str:
    """Return the repository's address, or what stands for it."""
    project = tomllib.loads((top / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return str(project["urls"]["Homepage"])


def set_address(new: str, top: Path = TOP) -> list[str]:
    """Write the repository's address wherever it belongs; return the files.

    Raises
    ------
    SystemExit
        If it is no address.
    """
    if not re.fullmatch(r"https://[\w.-]+(/[\w.-]+)*", new):
        sys.exit(f"{new!r} is no address: give one such as https://github.com/OWNER/annobench.")
    old, changed = address(top), []
    for name in _tracked(top):
        path = top / name
        if any(old in line for line in _lines(path)):
            path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
            changed.append(name)
    return changed


def _tracked(top: Path) -> list[str]:
    """Return the files that may have a placeholder: all but the tests and this one."""
    return git(top, "ls-files", ":!tests", f":!{Path(__file__).relative_to(TOP)}").splitlines()


def unready(top: Path = TOP) -> list[str]:
    """Return what has to be replaced before a release, as places with what to do."""
    found = []
    for name in _tracked(top):
        for n, line in enumerate(_lines(top / name), 1):
            found += [
                f"{name}:{n}: replace {placeholder!r} with {meant}."
                for placeholder, meant in PLACEHOLDERS.items()
                if placeholder in line
            ]
    if not any(line.startswith("date-released:") for line in _lines(top / "CITATION.cff")):
        found.append("CITATION.cff: add date-released.")
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:  # a picture
        return []


def stamp(site: Path, top: Path = TOP) -> None:
    """Write commit and date into the foot of a site.

    Raises
    ------
    SystemExit
        If the folder is no site, or the sources differ from the commit.
    """
    script = site / "_static/stamp.js"
    if not script.is_file():
        sys.exit(f"{site} has no _static/stamp.js: name a copy of results/site.")
    commit, date = commit_of(top, "%h %cs").split()
    words = json.dumps(f", {date}, commit {commit}")
    script.write_text(f'document.getElementById("stamp").textContent = {words};\n', "utf-8")


def main() -> int:
    """Run what the command line says; return 1 if the repository is not ready."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stamp", metavar="SITE", type=Path, help="a copy of results/site")
    parser.add_argument("--address", metavar="URL", help="of the repository, to be written")
    given = parser.parse_args()
    if given.stamp:
        stamp(given.stamp)
        return 0
    if given.address:
        print("\n".join(set_address(given.address)))
        return 0
    found = unready()
    print("\n".join(found) or "Ready.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
