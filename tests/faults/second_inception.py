"""Second readers of what INCEpTION and WebAnno write: TSV 2, and UIMA as XMI and as JSON.

They give (layer, spans, relations) by layer, spans and relations sorted; a span is (start, end,
label), a relation (start, end, start, end, label).
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple
from xml.etree import ElementTree

from faults.fuzzing import UnclearError
from faults.rows import decoded
from faults.second_readers import OddError, unique

Spans = list[tuple[int, int, str]]
Relations = list[tuple[int, int, int, int, str]]
Layers = dict[str, tuple[Spans, Relations]]

#: Heads of TSV 2, and the columns: the type, the feature, and for relations where sources stand.
HEADS = {
    " # custom.POS | tag # custom.Dep | kind | AttachTo=custom.POS": [
        ("custom.POS", "tag", None),
        ("custom.Dep", "kind", 2),
    ],
    " # custom.NE | value | link # custom.Rel | kind | sure | AttachTo=custom.NE": [
        ("custom.NE", "value", None),
        ("custom.NE", "link", None),
        ("custom.Rel", "kind", 4),
        ("custom.Rel", "sure", 4),
    ],
}


def need(condition: object) -> None:
    if not condition:
        raise OddError("not what the format says")


def tsv2(data: bytes) -> Layers:
    """Lay out the tokens of each sentence, then follow each column from token to token."""
    head, *lines = (line.rstrip("\r") for line in decoded(data).split("\n"))
    if head not in HEADS:
        raise UnclearError
    columns = HEADS[head]
    width = 1 + max(source or 0 for *_, source in columns)
    shown, rest = "", ""
    tokens: dict[str, tuple[int, int, list[str]]] = {}
    is_first = True
    for line in lines:
        if line.startswith("#text="):
            shown += ("" if is_first else "\n") + line[6:]
            rest, is_first = line[6:], False
        elif line and not line.startswith("#"):
            name, form, *cells = line.rstrip("\t").split("\t")
            need(re.fullmatch(r"[0-9]+-[0-9]+", name) and form and len(cells) == width)
            need(name not in tokens)
            gap, found, after = rest.partition(form)
            need(found and not gap.strip())
            start = len(shown) - len(rest) + len(gap)
            tokens[name], rest = (start, start + len(form), cells), after
    found = {}
    for n, (kind, feature, source) in enumerate(columns):
        own = found_in_column(kind, n, tokens) if source is None else []
        links = linked(kind, n, source, tokens) if source is not None else []
        found[f"{kind.split('.')[1]}.{feature}"] = sorted(own), sorted(links)
    return found


def found_in_column(kind: str, column: int, tokens: dict[str, Any]) -> Spans:
    done: list[list[Any]] = []
    going: list[tuple[int, list[Any]]] = []
    for start, end, cells in tokens.values():
        now: list[tuple[int, list[Any]]] = []
        for place, value in enumerate(cells[column].split("|")):
            if value in ("_", "O", "O-_", "B-_", "I-_"):
                continue
            need(value and not value.startswith("O-"))
            label = value[2:] if value.startswith(("B-", "I-")) else value
            label = "*" if label in ("", f"{kind}_") else label
            if value.startswith("I-"):
                alike = [
                    (at, own)
                    for at, own in going
                    if own[2] == label and all(own is not other for _, other in now)
                ]
                need(alike)
                own = dict(alike).get(place, alike[0][1])
                own[1] = end
            else:
                own = [start, end, label]
                done.append(own)
            now.append((place, own))
        going = now
    return [tuple(own) for own in done]


def linked(kind: str, column: int, source: int, tokens: dict[str, Any]) -> Relations:
    found = []
    for start, end, cells in tokens.values():
        values, names = (
            [] if cell in ("_", "O") else cell.split("|") for cell in (cells[column], cells[source])
        )
        need(len(values) == len(names))
        for value, name in zip(values, names, strict=True):
            label = value[2:] if value.startswith(("B-", "I-", "O-")) else value
            label = "*" if label in ("", f"{kind}_") else label
            found.append((*tokens[name][:2], start, end, label))
    return found


#: Features of the types of a document of UIMA, and what is in them.
TYPES: dict[str, dict[str, str]] = {
    "custom.Entity": {"value": "text", "n": "whole", "sure": "truth", "tags": "texts"},
    "custom.Rel": {"Governor": "part", "Dependent": "part", "kind": "text"},
    "custom.Host": {"links": "parts"},
    "custom.Link": {"role": "text", "target": "part"},
    "custom.Element": {"next": "part", "referenceType": "text", "referenceRelation": "text"},
    "custom.Chain": {"first": "part"},
}
ANNOTATIONS = ("custom.Entity", "custom.Rel", "custom.Host", "custom.Element")
#: What these are, for the type system; all others are annotations.
ABOVE = {"custom.Link": "uima.cas.TOP", "custom.Chain": "uima.cas.AnnotationBase"}


class Part(NamedTuple):
    """A structure of features."""

    type: str
    sofa: int
    begin: int
    end: int
    values: dict[str, Any]


def number(text: str | None) -> int:
    """A whole number; what only Python takes for one is unclear."""
    if text is not None and re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    int(text or "")
    raise UnclearError


def types_of(data: bytes) -> dict[str, tuple[str, dict[str, str]]]:
    """Read a type system: what is above each, and the range of each of its features."""
    need(b"<!DOCTYPE" not in data)
    space = "{http://uima.apache.org/resourceSpecifier}"
    found: dict[str, tuple[str, dict[str, str]]] = {}
    for element in ElementTree.fromstring(data).iter(f"{space}typeDescription"):
        name, above = (element.findtext(f"{space}{n}") for n in ("name", "supertypeName"))
        features = {
            feature.findtext(f"{space}name") or "": feature.findtext(f"{space}rangeTypeName") or ""
            for feature in element.iter(f"{space}featureDescription")
        }
        need(name and above and name not in found)
        found[name or ""] = above or "", features
    return found


def xmi(data: bytes) -> Layers:
    """Read a document whose type system is the one above."""
    need(b"<!DOCTYPE" not in data)
    space = "{http://www.omg.org/XMI}"
    root = ElementTree.fromstring(data)
    need(root.tag == f"{space}XMI")
    if any(True for _ in root.iter(ElementTree.Comment)) or b"<!--" in data or b"<?" in data[5:]:
        raise UnclearError
    parts: dict[int, Part] = {}
    sofas: dict[int, Any] = {}
    views: dict[int, list[int]] = {}
    for element in root:
        given = dict(element.attrib)
        if element.tag == "{http:///uima/cas.ecore}View":
            sofa = number(given["sofa"])
            need(sofa not in views)
            views[sofa] = [number(word) for word in given.get("members", "").split()]
            continue
        key = number(given.pop(f"{space}id"))
        need(key not in parts and key not in sofas)
        if element.tag == "{http:///uima/cas.ecore}Sofa":
            sofas[key] = given
            continue
        if element.tag == "{http:///uima/cas.ecore}NULL":
            continue
        kind = re.fullmatch(r"\{http:///custom\.ecore\}(\w+)", element.tag)
        if kind is None or f"custom.{kind[1]}" not in TYPES:
            raise UnclearError
        kind = f"custom.{kind[1]}"
        limits = [0, 0, 0]
        if kind in ANNOTATIONS:
            limits = [number(n) for n in ends_of(given, "sofa")]
        elif kind == "custom.Chain":
            limits[0] = number(given.pop("sofa", "0"))
        for child in element:
            need(TYPES[kind].get(child.tag) == "texts" and not list(child))
            if child.tag in element.attrib:
                raise UnclearError
            given.setdefault(child.tag, []).append(child.text or "")
        need(given.keys() <= TYPES[kind].keys())
        values = {name: from_xmi(TYPES[kind][name], value) for name, value in given.items()}
        parts[key] = Part(kind, *limits, values)
    return marks(parts, sofas, views)


def ends_of(given: dict[str, Any], sofa: str) -> list[Any]:
    """Take out the text, begin and end; without both ends an annotation is empty."""
    need(("begin" in given) == ("end" in given))
    return [given.pop(sofa), given.pop("begin", "0"), given.pop("end", "0")]


def from_xmi(kind: str, value: Any) -> Any:
    if kind == "texts":
        if not isinstance(value, list):
            raise UnclearError
        return value
    if kind in ("whole", "part"):
        return number(value)
    if kind == "truth":
        return {"true": True, "false": False}[value]
    return [number(word) for word in value.split()] if kind == "parts" else value


def cas_json(data: bytes) -> Layers:
    """Read a document that brings the types above itself."""
    document = json.loads(data.decode("utf-8"), object_pairs_hook=unique)
    if document["%TYPES"] != json.loads(json.dumps(ALL_TYPES)):
        raise UnclearError
    parts: dict[int, Part] = {}
    sofas: dict[int, Any] = {}
    arrays: dict[int, Any] = {}
    if not isinstance(document["%FEATURE_STRUCTURES"], list):
        raise UnclearError
    for entry in document["%FEATURE_STRUCTURES"]:
        key, kind = entry["%ID"], entry["%TYPE"]
        need(type(key) is int and not any(key in known for known in (parts, sofas, arrays)))
        if kind == "uima.cas.Sofa":
            sofas[key] = entry
        elif kind in ("uima.cas.StringArray", "uima.cas.FSArray"):
            arrays[key] = entry
        elif kind in TYPES:
            given = {n: value for n, value in entry.items() if not n.startswith("%")}
            limits = [0, 0, 0]
            if kind in ANNOTATIONS:
                limits = ends_of(given, "@sofa")
            elif kind == "custom.Chain":
                limits[0] = given.pop("@sofa", 0) or 0
            limits = [0 if n == "0" else n for n in limits]
            need(all(type(n) is int for n in limits))
            values = {n.removeprefix("@"): value for n, value in given.items()}
            need(values.keys() <= TYPES[kind].keys())
            for n in given:
                if n.startswith("@") == (TYPES[kind][n.removeprefix("@")] in PLAIN):
                    raise UnclearError
            parts[key] = Part(kind, *limits, values)
        else:
            raise UnclearError
    views = {}
    if any(document["%VIEWS"][n].get("%SOFA") not in sofas for n in document["%VIEWS"]):
        raise OddError("no text")
    for name, view in document["%VIEWS"].items():
        if sofas[view["%SOFA"]]["sofaID"] != name:
            raise UnclearError
        views[view["%SOFA"]] = view["%MEMBERS"]
    indexed = {n for members in views.values() for n in members}
    for key, part in parts.items():
        # What no view lists is not shown, whatever it holds.
        if part.type in ANNOTATIONS and key not in indexed:
            continue
        for name, value in part.values.items():
            kind = TYPES[part.type][name]
            if value is None:
                continue
            if kind in ("texts", "parts"):
                need(type(value) is int)
                expected = "uima.cas.StringArray" if kind == "texts" else "uima.cas.FSArray"
                if arrays[value]["%TYPE"] != expected:
                    raise UnclearError
                elements = arrays[value].get("%ELEMENTS") or []
                one = str if kind == "texts" else int
                if not isinstance(elements, list) or any(type(n) is not one for n in elements):
                    raise UnclearError
                part.values[name] = elements
            elif not isinstance(value, PLAIN.get(kind, int)) or (
                kind in ("whole", "part") and type(value) is not int
            ):
                # A link to which nothing leads is not shown either.
                unclear = value == "" or part.type not in ANNOTATIONS
                raise UnclearError if unclear else OddError("a value of another type")
    return marks(parts, sofas, views)


PLAIN = {"text": str, "whole": int, "truth": bool}
#: The types of a document in JSON; the test fills them in.
ALL_TYPES: dict[str, Any] = {}


def marks(parts: dict[int, Part], sofas: dict[int, Any], views: dict[int, list[int]]) -> Layers:
    """Put together what the view of the first text holds."""
    names = [sofa["sofaID"] for sofa in sofas.values()]
    need(len(set(names)) == len(names) and views.keys() <= sofas.keys())
    for sofa, members in views.items():
        need(len(set(members)) == len(members))
        need(all(type(n) is int for n in members))
        for n in members:
            if n in parts and parts[n].type != "custom.Link":
                # The head of a chain has no begin and end, and need not name its text.
                need(parts[n].sofa in ((0, sofa) if parts[n].type == "custom.Chain" else (sofa,)))
    if "_InitialView" not in names:
        raise UnclearError
    [first] = [key for key, sofa in sofas.items() if sofa["sofaID"] == "_InitialView"]
    units = (sofas[first].get("sofaString") or "").encode("utf-16-le")
    members = views.get(first, [])

    def at(part: Part) -> tuple[int, int]:
        need(0 <= part.begin <= part.end <= len(units) // 2)
        start, end = (len(units[: 2 * n].decode("utf-16-le")) for n in (part.begin, part.end))
        return start, end

    def end_of(key: Any) -> tuple[int, int] | None:
        if key is None:
            return None
        need(key in members and parts[key].type in ANNOTATIONS)
        start, end = at(parts[key])
        return (start, end) if start < end else None

    found: Layers = {}
    for key in members:
        if key not in parts or parts[key].type not in ANNOTATIONS:
            continue
        part = parts[key]
        start, end = at(part)
        short = part.type.split(".")[1]
        get = part.values.get
        if short == "Rel":
            ends = [end_of(get("Governor")), end_of(get("Dependent"))]
            if all(ends):
                links = found.setdefault("Rel.kind", ([], []))[1]
                links.append((*ends[0], *ends[1], get("kind") or "*"))
            continue
        if start == end:
            continue
        if short == "Entity":
            for name in TYPES[part.type]:
                spans, _ = found.setdefault(f"Entity.{name}", ([], []))
                spans.append((start, end, label_of(get(name))))
        elif short == "Element":
            spans, links = found.setdefault(short, ([], []))
            spans.append((start, end, label_of(get("referenceType"))))
            target = end_of(get("next"))
            if target:
                links.append((start, end, *target, label_of(get("referenceRelation"))))
        else:
            spans, links = found.setdefault("Host.links", ([], []))
            spans.append((start, end, "*"))
            for link in get("links") or []:
                if link not in parts or parts[link].type != "custom.Link":
                    raise UnclearError
                target = end_of(parts[link].values.get("target"))
                if target:
                    role = parts[link].values.get("role") or "*"
                    links.append((start, end, *target, role))
    return {name: (sorted(spans), sorted(links)) for name, (spans, links) in found.items()}


def label_of(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(sorted(value)) or "*"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "*" if value in (None, "") else str(value)
