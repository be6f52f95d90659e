"""Every public name is documented in numpydoc's form, every other by a sentence; examples run.

A name is public if the `__all__` of its module has it: the reference shows these. There is no list
of exceptions. Compiled kernels are private to their models, and commands of the command line are
documented by the help that typer makes of them.
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import functools
import importlib
import inspect
import pkgutil
import textwrap
import warnings
from collections.abc import Iterator
from itertools import chain
from types import ModuleType
from typing import Any

import pytest

import annobench
import annobench_course
import annobench_datasets
import annobench_exports
import annobench_replication

with warnings.catch_warnings():  # numpydoc imports Sphinx, which deprecates things of its own
    warnings.simplefilter("ignore")
    from numpydoc.docscrape import get_doc_object
    from numpydoc.validate import Validator, validate

#: Missing docstring; summary missing, without capital, without period, indented, "Returns" for
#: "Return", over several lines; parameters undocumented, unknown, in another order; no Returns.
CHECKS = {"GL08", "SS01", "SS02", "SS03", "SS04", "SS05", "SS06", "PR01", "PR02", "PR03", "RT01"}


#: What is documented elsewhere: kernels with their models, commands by their help.
HELPED = ("annobench.models.kernels", "annobench.cli", "annobench_course.teacher.commands")


#: The packages of the distribution.
PACKAGES = (
    *(annobench, annobench_course, annobench_datasets, annobench_exports),
    annobench_replication,
)


def modules() -> list[str]:
    found = [package.__name__ for package in PACKAGES]
    for entry in chain.from_iterable(
        pkgutil.walk_packages(package.__path__, f"{package.__name__}.") for package in PACKAGES
    ):
        private = any(part.startswith("_") for part in entry.name.split("."))
        if not private and not entry.name.startswith(HELPED):
            found.append(entry.name)
    return found


MODULES = modules()


def members(name: str, value: Any) -> Iterator[str]:
    """Yield the name of a function or class, and those of a class's methods and properties."""
    yield name
    if inspect.isclass(value):
        for member, what in vars(value).items():
            described = (property, functools.cached_property, classmethod, staticmethod)
            if not member.startswith("_") and (
                inspect.isfunction(what) or isinstance(what, described)
            ):
                yield f"{name}.{member}"


def defined(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions and classes that a module defines."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(value) or inspect.isclass(value):
            yield name, value


def public_names(module: ModuleType) -> Iterator[str]:
    """Yield the public functions and classes that a module defines, and their members."""
    for name, value in defined(module):
        if name in getattr(module, "__all__", ()):
            yield from members(f"{module.__name__}.{name}", value)


def internal_names(module: ModuleType) -> Iterator[str]:
    """Yield the other functions and classes that a module defines, and their members."""
    for name, value in defined(module):
        if name not in getattr(module, "__all__", ()):
            yield from members(f"{module.__name__}.{name}", value)


PUBLIC = {module: list(public_names(importlib.import_module(module))) for module in MODULES}


def resolve(name: str) -> Any:
    return Validator._load_obj(name)


def fields_of(value: Any) -> set[str] | None:
    """Name the fields of a record, which are documented as attributes; None if it is none."""
    if not inspect.isclass(value):
        return None
    if dataclasses.is_dataclass(value):
        return {field.name for field in dataclasses.fields(value)}
    if issubclass(value, tuple):
        return set(value._fields)
    return None


def statements_of(value: Any) -> list[ast.AST]:
    """List the nodes of a function's body, without those of the functions inside it."""
    value = getattr(value, "fget", None) or getattr(value, "func", value)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(value)))
    except (OSError, TypeError):
        return []
    if not isinstance(tree.body[0], ast.FunctionDef):
        return []
    nodes, todo = [], list(tree.body[0].body)
    while todo:
        node = todo.pop()
        nodes.append(node)
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo.extend(ast.iter_child_nodes(node))
    return nodes


def raised(nodes: list[ast.AST]) -> set[str]:
    """Name the exceptions that are raised by name."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Raise) and node.exc is not None:
            what = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(what, ast.Name) and what.id[:1].isupper():
                found.add(what.id)
    return found


def warns(nodes: list[ast.AST]) -> bool:
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn" for node in nodes
    )


def text_of(name: str) -> tuple[str, bool]:
    """Return the docstring of a name, and whether it is that of what the method overrides."""
    value = resolve(name)
    if value.__doc__ and not isinstance(value, type):
        return inspect.cleandoc(value.__doc__), False
    owner, _, member = name.rpartition(".")
    bases = getattr(resolve(owner), "__mro__", ())[1:]
    for base in bases:
        if text := getattr(vars(base).get(member), "__doc__", None):
            return inspect.cleandoc(text), True
    return inspect.getdoc(value) or "", False


def faults(name: str) -> list[str]:
    """List what is wrong with the docstring of a public name."""
    if text_of(name)[1]:
        return []
    value = resolve(name)
    found = [f"{code} {text}" for code, text in validate(name)["errors"] if code in CHECKS]
    sections = get_doc_object(value)
    fields = fields_of(value)
    if fields is not None or getattr(value, "_is_protocol", False):  # not called with parameters
        found = [fault for fault in found if not fault.startswith("PR01")]
    classes = value.__mro__ if inspect.isclass(value) else ()
    documented = {
        part
        for each in classes
        for row in get_doc_object(each)["Attributes"]
        for part in row.name.split(", ")
    }
    if fields and not fields <= documented:
        found.append(f"Attributes lack {', '.join(sorted(fields - documented))}")
    nodes = statements_of(value)
    missing = raised(nodes) - {row.type for row in sections["Raises"]}
    if missing:
        found.append(f"Raises lacks {', '.join(sorted(missing))}")
    if warns(nodes) and not sections["Warns"]:
        found.append("Warns is missing")
    return found


def test_public_names_are_found():
    assert {
        "annobench.labels.annotations.Annotations.from_arrays",
        "annobench.evaluation.scores.count_errors",
        "annobench.models.base.SampledFit.diagnostics",
        "annobench.models.voting.VotingFit",
    } <= {name for names in PUBLIC.values() for name in names}


@pytest.mark.parametrize("module", MODULES)
def test_what_is_offered_is_public_where_it_is_defined(module):
    offered = importlib.import_module(module)
    for name in vars(offered).get("__all__", ()):
        value = getattr(offered, name)
        home = getattr(value, "__module__", "")
        if (inspect.isfunction(value) or inspect.isclass(value)) and home.startswith("annobench"):
            own = vars(importlib.import_module(home))
            assert value.__qualname__ in own.get("__all__", ()), f"{home}: {value.__qualname__}"


@pytest.mark.parametrize("module", MODULES)
def test_internal_names_say_what_they_are(module):
    for name in internal_names(importlib.import_module(module)):
        text, _ = text_of(name)
        assert text, name
        assert text.partition("\n\n")[0].endswith((".", ":")), name


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is(module):
    text = importlib.import_module(module).__doc__
    assert text
    assert text.strip().splitlines()[0].endswith((".", ":"))


@pytest.mark.parametrize("module", [module for module, names in PUBLIC.items() if names])
def test_public_names_have_valid_docstrings(module):
    found = {name: faults(name) for name in PUBLIC[module]}
    assert not {name: wrong for name, wrong in found.items() if wrong}


#: Modules whose examples compile or draw for seconds.
SLOW_EXAMPLES = {
    *("annobench.aggregation.c45", "annobench_datasets.masc_crowd"),
    *("annobench.models.hierarchical_binary", "annobench.models.hierarchical_dawid_skene"),
    *("annobench.models.item_difficulty", "annobench.models.minimax_entropy"),
    *("annobench.models.mmsr", "annobench.models.pooled_multinomial"),
}


@pytest.mark.parametrize(
    "module",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW_EXAMPLES else [])
        for name in MODULES
    ],
)
def test_examples_give_what_they_show(module):
    result = doctest.testmod(importlib.import_module(module), report=True)
    assert result.failed == 0


def undocumented(first: int) -> int:
    """returns something"""
    if first:
        raise ValueError
    return first


def test_a_bad_docstring_is_found(monkeypatch):
    # The negative control
    monkeypatch.setattr(annobench, "undocumented", undocumented, raising=False)
    found = " ".join(faults("annobench.undocumented"))
    for code in ("SS02", "SS03", "PR01", "RT01", "Raises lacks ValueError"):
        assert code in found
