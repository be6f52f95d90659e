"""Mutated records of papers, configurations and methods from outside."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from random import Random

import pytest
import yaml
from faults.fuzzing import FEWER, UnclearError, count, feed, folder_in_memory
from faults.mutations import mixed, of_bytes, of_cells, of_parts
from faults.rows import decoded, table_of

from annobench import Annotations
from annobench.benchmark.external_methods.answers import to_posterior
from annobench.benchmark.external_methods.program import _read
from annobench.benchmark.external_methods.python import from_python
from annobench.core.errors import MethodError
from catalogue import read_paper
from documents import DocumentError
from settings import check_config

TOP = Path(__file__).parents[2]
AREA = "Configuration and records"
EXAMPLE = (TOP / "tests" / "workflow" / "example_paper" / "paper.yaml").read_bytes()
DATASETS = ("anesthesia", "snow2008_rte", "ti_bluebird")


class BrokenError(ValueError):
    """A document that whoever reads it has to refuse."""


def schema_of(name: str) -> dict:
    return yaml.safe_load((TOP / "workflow" / "schemas" / f"{name}.schema.yaml").read_text())


def obeys(value, schema, whole) -> bool:
    """A slow and obvious validator of the few words that our schemas use."""
    if "$ref" in schema:
        return obeys(value, whole["$defs"][schema["$ref"].removeprefix("#/$defs/")], whole)
    unknown = schema.keys() - {
        *("$schema", "$defs", "type", "additionalProperties", "required", "properties", "items"),
        *(
            "enum",
            "pattern",
            "minLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "minItems",
            "minProperties",
        ),
        *("exclusiveMaximum", "uniqueItems", "propertyNames", "oneOf", "anyOf", "const"),
    }
    assert not unknown, unknown
    types = schema.get("type", [])
    kinds = [types] if isinstance(types, str) else types
    if kinds and not any(is_kind(value, kind) for kind in kinds):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if "const" in schema and value != schema["const"]:
        return False
    if "anyOf" in schema and not any(obeys(value, part, whole) for part in schema["anyOf"]):
        return False
    if "oneOf" in schema and sum(obeys(value, part, whole) for part in schema["oneOf"]) != 1:
        return False
    if isinstance(value, str):
        pattern = schema.get("pattern", "")
        if len(value) < schema.get("minLength", 0) or not re.search(pattern, value):
            return False
    if is_kind(value, "number"):
        lower, upper = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        above, below = (
            schema.get("exclusiveMinimum", -math.inf),
            schema.get("exclusiveMaximum", math.inf),
        )
        if not (lower <= value <= upper and above < value < below):
            return False
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            return False
        texts = [json.dumps(part, sort_keys=True) for part in value]
        if schema.get("uniqueItems") and len(set(texts)) < len(texts):
            return False
        return all(obeys(part, schema.get("items", {}), whole) for part in value)
    if isinstance(value, dict):
        if len(value) < schema.get("minProperties", 0):
            return False
        known = schema.get("properties", {})
        others = schema.get("additionalProperties", {})
        if not set(schema.get("required", ())) <= value.keys():
            return False
        for key, part in value.items():
            if not obeys(key, schema.get("propertyNames", {}), whole):
                return False
            of_key = known.get(key, others)
            if of_key is False or (of_key is not True and not obeys(part, of_key, whole)):
                return False
    return True


def is_kind(value, kind: str) -> bool:
    if kind in ("integer", "number"):
        number = type(value) is int or (kind == "number" and type(value) is float)
        return number and (type(value) is int or math.isfinite(value))
    kinds = {"string": str, "array": list, "object": dict, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[kind])


def plain_yaml(text: str) -> object:
    """Read YAML node by node; a plain scalar is a number only if JSON says so."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        # The two parsers differ in which signs they take.
        raise UnclearError from error
    return of_node(node, [])


def of_node(node, seen) -> object:
    if node is None:
        return None
    if any(node is other for other in seen):
        raise BrokenError("an alias")
    seen.append(node)
    if isinstance(node, yaml.ScalarNode):
        if node.tag.startswith("!") or (node.style is None and node.value in ("=", "<<")):
            raise UnclearError
        if node.style is not None:
            return node.value
        if node.value in ("", "~"):
            return None
        if re.fullmatch(r"null|true|false|[-+]?\d+(\.\d+)?([eE][-+]?\d+)?", node.value, re.ASCII):
            written = node.value.removeprefix("+")
            try:
                return json.loads(written)
            except ValueError:  # such as 007
                return node.value
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [of_node(part, seen) for part in node.value]
    found = {}
    for key, part in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise BrokenError("a key that is no text")
        name = of_node(key, seen)
        if name in found:
            raise BrokenError("a key that occurs twice")
        found[name] = of_node(part, seen)
    return found


def test_papers(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "example_paper" / "paper.yaml"
    path.parent.mkdir()
    schema = schema_of("paper")
    small = EXAMPLE.partition(b"\n")[2].replace(b"summary: >-\n  The", b"summary: The")
    record = yaml.safe_load(EXAMPLE)
    values = [
        b"0",
        b"1:30",
        b"010",
        b"0x10",
        b"1_0",
        b"yes",
        b"no",
        b"2010-01-01",
        b".nan",
        b"&a x",
    ]
    values += [
        b"*a",
        b"<<: {}",
        b"!!python/name:os.system x",
        b"? a",
        b"- x",
        b"1979.0",
        b"[" * 400,
    ]
    seeds = [EXAMPLE, small, *(small.replace(b" 1979", b" " + value) for value in values)]
    seeds += [small.replace(b" 500", b" " + value) for value in values]

    def read(data):
        path.write_bytes(data)
        paper = read_paper(path, DATASETS)
        return paper.title, paper.year, paper.mem_mb, paper.minutes, paper.datasets, paper.figures

    def second(data):
        found = plain_yaml(decoded(data))
        assert obeys(found, schema, schema)
        assert set(found["datasets"]) <= set(DATASETS)
        figures = [
            tuple(figure[k] for k in ("name", "title", "source", "caption"))
            for figure in found["figures"]
        ]
        return [found[k] for k in ("title", "year", "mem_mb", "minutes", "datasets")], figures

    def alike(data):
        title, year, mem_mb, minutes, datasets, figures = read(data)
        of_figures = [(f.name, f.title, f.source, f.caption) for f in figures]
        return [title, year, mem_mb, minutes, list(datasets)], of_figures

    outcome = feed(
        alike,
        second,
        mixed(
            lambda draw: of_bytes(seeds, draw),
            lambda draw: json.dumps(of_parts(record, draw)).encode(),
        ),
        refusals=(DocumentError,),
        folder=tmp_path,
        seed="paper",
        named="paper.yaml",
    )
    fault = "paper.yaml: bytes, keys and values"
    count(outcome, tried, AREA, fault)


def shortened(part):
    """Keep the first entry of each list."""
    if isinstance(part, dict):
        return {key: shortened(value) for key, value in part.items()}
    return [shortened(value) for value in part[:1]] if isinstance(part, list) else part


@pytest.mark.long
def test_configuration(tried, tmp_path):
    whole = yaml.safe_load((TOP / "config" / "ci.yaml").read_text())
    whole = yaml.safe_load((TOP / "config" / "config.yaml").read_text()) | whole
    small = shortened(whole)
    schema = schema_of("config")

    def read(data):
        found = json.loads(data)
        check_config(copy.deepcopy(found), known)
        return found

    def second(data):
        found = json.loads(data)
        assert obeys(found, schema, schema)
        assert set(found["data"]["datasets"]) <= set(known)
        return found

    known = sorted({*DATASETS, *whole["data"]["datasets"]})
    outcome = feed(
        read,
        second,
        lambda draw: json.dumps(of_parts(small, draw)).encode(),
        refusals=(DocumentError,),
        folder=tmp_path,
        seed="configuration",
        named="configuration",
    )
    fault = "config.yaml: keys and values"
    count(outcome, tried, AREA, fault)


SOURCES = [
    b"def fit(labels, rng):\n    'Votes.'\n    return labels.counts\n",
    b"fit = max\n",
    b"NAME = 'x'\n\nclass Votes:\n    def fit_predict(self, X):\n        return X\n",
    b"def fit(labels, rng=None, weight=1.5):\n    return labels\n",
]


def test_methods_in_python(tried, tmp_path, tmp_path_factory, monkeypatch):
    import sys

    folder = folder_in_memory(tmp_path_factory)
    path = folder / "mine.py"
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def read(data):
        sys.modules.pop("mine", None)
        path.write_bytes(data)
        candidate = from_python(str(path))
        return candidate.METHOD.name, candidate.METHOD.deterministic

    def second(data):
        """What the source says of its one function or class."""
        text = data.decode("utf-8-sig")
        found = re.search(r"^def fit\((.*)\):", text, re.MULTILINE)
        if text.count("def fit(") + text.count("fit =") != 1:
            raise UnclearError
        if found is None or ("Votes" in text and "class" in text):
            raise UnclearError
        arguments = [argument.strip() for argument in found[1].split(",") if argument.strip()]
        needed = [argument for argument in arguments if "=" not in argument]
        names = {argument.partition("=")[0].strip() for argument in arguments}
        if "*" in found[1] or "/" in found[1] or not all(n.isidentifier() for n in names):
            raise UnclearError
        assert 1 <= len(needed) <= 2
        return "mine", not (len(needed) == 2 or "rng" in names)

    outcome = feed(
        read,
        second,
        lambda draw: of_bytes(SOURCES, draw),
        refusals=(MethodError,),
        folder=tmp_path,
        seed="python",
        named="mine.py",
    )
    fault = "methods in Python: bytes"
    count(outcome, tried, AREA, fault)


ANSWERS = [
    [["item", "no", "yes"], ["x", "0.25", "0.75"], ["y, z", "1", "0"]],
    [["yes", "item", "no"], ["1e-4", "x", "0.9999"], ["0.5", "y, z", "0.5"]],
    [["item", "label"], ["y, z", "no"], ["x", "yes"]],
]


@pytest.mark.filterwarnings("error")
def test_answers_of_programs(tried, tmp_path, tmp_path_factory):
    path = folder_in_memory(tmp_path_factory) / "probabilities.csv"
    labels = Annotations.from_arrays(
        ["x", "y, z", "x"], ["ann", "ann", "bob"], ["no", "yes", "yes"], categories=["no", "yes"]
    )
    seeds = [of_cells(ANSWERS, Random(n)) for n in range(30)]

    def read(data):
        path.write_bytes(data)
        return to_posterior(_read(path, labels), labels).tolist()

    def second(data):
        rows = table_of(data, ",")
        by_item = {row["item"]: row for row in rows}
        assert by_item.keys() == {"x", "y, z"}
        assert len(rows) == 2
        found = []
        for item in ("x", "y, z"):
            row = by_item[item]
            if row.keys() == {"item", "label"}:
                found.append([float(row["label"] == name) for name in ("no", "yes")])
                assert sum(found[-1]) == 1
                continue
            assert row.keys() <= {"item", "no", "yes"}
            chances = [number(row.get(name, "0")) for name in ("no", "yes")]
            assert min(chances) >= 0
            assert abs(sum(chances) - 1) <= 1.001e-3
            found.append([chance / sum(chances) for chance in chances])
        return found

    def number(text):
        assert re.fullmatch(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*", text, re.ASCII), text
        return float(text)

    outcome = feed(
        read,
        second,
        mixed(lambda draw: of_bytes(seeds, draw), lambda draw: of_cells(ANSWERS, draw)),
        refusals=(MethodError,),
        folder=tmp_path,
        seed="program",
        times=FEWER,
    )
    fault = "probabilities that a program wrote: bytes and cells"
    count(outcome, tried, AREA, fault)
