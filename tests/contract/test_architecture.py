"""The map of ARCHITECTURE.md is that of the code: every package, no upward import, no circle."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
SOURCE = TOP / "src" / "annobench"
#: Packages beside it, which depend on it and on which it does not depend.
EXPORTS, COURSE, DATASETS, REPLICATION = BESIDE = [
    SOURCE.parent / f"annobench_{name}" for name in ("exports", "course", "datasets", "replication")
]
MAX_LINES = 900


def layers():
    """Read the table of packages: the layer of each."""
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", (TOP / "ARCHITECTURE.md").read_text(), re.M)
    return {
        package: int(layer)
        for layer, text in rows
        for part in text.split("; ")
        for package in re.findall(r"`(\w+)`", part.partition(":")[0])
    }


@cache
def modules():
    """Return the file of every module, by its dotted name."""
    files = {}
    for path in SOURCE.rglob("*.py"):
        *parents, name = path.relative_to(SOURCE.parent).with_suffix("").parts
        files[".".join(parents if name == "__init__" else [*parents, name])] = path
    return files


@cache
def imports(module):
    """Return the modules of the library that a module imports, at any depth of its code."""
    found, own = set(), modules()[module]
    for node in ast.walk(ast.parse(own.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{own}, line {node.lineno}: write the import in full"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                found.add(full if full in modules() else node.module)
    return {name for name in found if name in modules() and name != module}


def package(module):
    return module.split(".")[1] if "." in module else ""


def test_every_package_is_on_the_map_and_nothing_else():
    found = {package(module) for module in modules()} - {""}
    assert set(layers()) == found


@pytest.mark.parametrize("name", sorted(layers()))
def test_a_package_imports_only_lower_layers(name):
    layer = layers()
    upward = [
        f"{module} imports {other}"
        for module in modules()
        if package(module) == name
        for other in imports(module)
        if package(other) not in ("", name) and layer[package(other)] >= layer[name]
    ]
    assert not upward


def test_no_modules_import_one_another_in_a_circle():
    def others(module):
        # A package's __init__ gathers its modules, which do not ask it for anything but names.
        return {other for other in imports(module) if modules()[other].name != "__init__.py"}

    plain = [module for module, path in modules().items() if path.name != "__init__.py"]
    try:
        list(TopologicalSorter({module: others(module) for module in plain}).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


@pytest.mark.parametrize("beside", BESIDE, ids=lambda path: path.name)
def test_the_library_never_names_a_package_beside_it(beside):
    """It finds formats, data sets and commands by entry points, whoever wrote them."""
    sources = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyi")]
    assert [path for path in sources if beside.name in path.read_text(encoding="utf-8")] == []


def imported_by(beside):
    """Return what a package beside the library imports of it, by the name of the file."""
    for path in sorted(beside.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == SOURCE.name:
                yield path.name, [node.module, *(alias.name for alias in node.names)]


@pytest.mark.parametrize(
    ("beside", "packages"),
    [
        (EXPORTS, {"core", "io", "labels", "spans"}),
        (DATASETS, {"core", "datasets", "io", "labels", "simulation"}),
        (REPLICATION, {"agreement", "core", "datasets", "labels", "plotting", "reporting"}),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_readers_import_of_the_library_what_others_may_import_too(beside, packages):
    found = list(imported_by(beside))
    assert len({file for file, _ in found}) > 12
    assert {package(".".join(names)) for _, names in found} <= packages
    assert [each for each in found if "._" in each[1][0] or each[1][1].startswith("_")] == []


def test_the_course_imports_of_the_library_what_others_may_import_too():
    found = [names for _, names in imported_by(COURSE)]
    assert len(found) > 40
    private = {names[0] for names in found if "._" in names[0] or names[1].startswith("_")}
    # A command writes and speaks as the library's own do.
    assert private == {f"annobench.cli.{name}" for name in ("_replacing", "_shared", "_writing")}


def test_only_teachers_have_what_only_teachers_need():
    """The students' package is built without that folder and without banks."""
    teacher = f"{COURSE.name}.teacher"
    paths = [
        path
        for path in COURSE.rglob("*.py")
        if "teacher" not in path.parts and path.name != "bank.py"
    ]
    assert [path for path in paths if teacher in path.read_text()] == []


def test_no_module_is_long():
    beside = (EXPORTS, DATASETS, REPLICATION)
    paths = [*modules().values(), *(path for each in beside for path in each.glob("*.py"))]
    lines = {path.name: path.read_text().count("\n") for path in paths}
    assert {name: n for name, n in lines.items() if n > MAX_LINES} == {}


def test_the_map_is_one_page():
    assert len((TOP / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()) <= 80


def test_the_walks_name_files_that_exist():
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    walks = text.partition("## Three walks")[2].partition("\n## ")[0]
    named = re.findall(r"`([\w/]+\.(?:py|smk|csv))`", walks)
    assert len(named) > 40
    assert [
        path for path in named if not any((top / path).is_file() for top in (SOURCE, TOP))
    ] == []
    for walk in ("**From a label to a report**", "**From a label to a consensus**"):
        passed = re.findall(r"`[\w/]+\.py`", walks.partition(walk)[2].partition("\n\n")[0])
        assert len(set(passed)) <= 25


#: Writes the files of the library whose functions a command calls; the body of a class is none.
WALK = """
import sys
from annobench.cli import app
source, command = sys.argv[1:]
passed = {}

def note(frame, event, arg):
    code = frame.f_code
    if event == "call" and code.co_flags & 1 and code.co_filename.startswith(source):
        passed.setdefault(code.co_filename.removeprefix(source))

sys.setprofile(note)
try:
    app([command, "labels.csv"], standalone_mode=False)
finally:
    sys.setprofile(None)
print("passed:", *passed)
"""


@pytest.mark.parametrize("command", ["report", "consensus"])
def test_a_command_passes_the_files_of_its_walk(command, tmp_path):
    rows = [
        f"i{i},a{j},{'yes' if i % 2 ^ (i * j % 5 == 1) else 'no'}"
        for i in range(20)
        for j in range(3)
    ]
    (tmp_path / "labels.csv").write_text("\n".join(["item,annotator,label", *rows]) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", WALK, f"{SOURCE}/", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    passed = done.stdout.partition("passed: ")[2].split()
    text = (TOP / "ARCHITECTURE.md").read_text(encoding="utf-8")
    walk = text.partition(f"**From a label to a {command}**")[2].partition("\n\n")[0]
    named = re.findall(r"`([\w/]+\.py)`", walk)
    assert len(named) > 10
    assert set(named) <= set(passed)
