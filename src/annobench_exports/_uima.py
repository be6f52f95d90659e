"""Documents of UIMA, as XMI or JSON, read by dkpro-cassis; untrusted XML is checked before."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from annobench.core.optional import require
from annobench.io.formats.base import Relation, Span
from annobench.io.formats.records import load_json
from annobench_exports._webanno_tsv import NO_VALUE, Content, Layer

if TYPE_CHECKING:
    from cassis import Cas

#: What every document has, and nobody annotated.
_GIVEN = frozenset(
    {
        "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token",
        "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence",
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData",
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagsetDescription",
        "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.TagDescription",
    }
)
_GIVEN_PACKAGES = ("uima.", "de.tudarmstadt.ukp.clarin.webanno.api.type.")
_OWN = frozenset({"begin", "end", "sofa", "Governor", "Dependent", "next", "first"})
#: What a value of each type is in Python.
_PRIMITIVE: dict[str, tuple[type, ...]] = {
    "uima.cas.String": (str,),
    "uima.cas.Boolean": (bool,),
    **dict.fromkeys((f"uima.cas.{n}" for n in ("Byte", "Short", "Integer", "Long")), (int,)),
    **dict.fromkeys(("uima.cas.Float", "uima.cas.Double"), (int, float)),
}
_SEVERAL = frozenset(f"uima.cas.{n}" for n in ("StringArray", "IntegerArray", "StringList"))
_VALUES = frozenset(_PRIMITIVE) | _SEVERAL

_XMI, _CAS = "http://www.omg.org/XMI ", "http:///uima/cas.ecore "
_NUMBERS = re.compile(r"[0-9\s]*")


class UimaError(ValueError):
    """A document of UIMA that can't be read; says why."""


def parse(data: bytes, types: bytes | None, *, is_json: bool = False) -> Content:
    """Read a document."""
    cassis = require("cassis", "An export of INCEpTION")

    try:
        with warnings.catch_warnings():
            # Of an offset that is none of the text cassis only warns.
            warnings.filterwarnings("error", "Not mapping", UserWarning)
            if is_json:
                _check_json(load_json(data))
                cas = cassis.load_cas_from_json(io.BytesIO(data))
            else:
                if types is None:
                    raise UimaError("its TypeSystem.xml is missing; export the document with it")
                _check_xml(types)
                _check_xmi(data)
                system = cassis.load_typesystem(io.BytesIO(types))
                cas = cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=system)
        return _content(cas)
    except UimaError:
        raise
    # A damaged document fails in cassis in whatever way it may.
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise UimaError(f"not a document of UIMA ({type(error).__name__}: {said})") from error


def _check_xml(data: bytes, start: Callable[[str, dict[str, str]], None] | None = None) -> None:
    """Refuse entities before a parser that would expand them sees them."""
    parser = expat.ParserCreate(namespace_separator=" ")

    def refuse(*_: object) -> None:
        raise UimaError("a document type declaration, which could define entities; remove it")

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UimaError(f"not well-formed XML ({error})") from error


def _check_xmi(data: bytes) -> None:
    """Refuse what cassis would read in a way of its own: see `_Parts`."""
    parts = _Parts()

    def start(name: str, attributes: dict[str, str]) -> None:
        for key in (f"{_XMI}id", "begin", "end", "sofa", "members"):
            if not _NUMBERS.fullmatch(attributes.get(key, "")):
                raise UimaError(f"{attributes[key][:40]!r} stands for numbers")
        sofa = attributes.get("sofa")
        if name == f"{_CAS}View":
            members = attributes.get("members", "").split()
            parts.add_view(int(sofa or -1), [int(member) for member in members])
        elif f"{_XMI}id" in attributes:
            _both_ends(attributes)
            text = attributes.get("sofaID") if name == f"{_CAS}Sofa" else None
            parts.add(int(attributes[f"{_XMI}id"]), int(sofa) if sofa else None, text)

    _check_xml(data, start)
    parts.check()


def _check_json(found: Any) -> None:
    """Refuse what cassis would read in a way of its own: see `_Parts`."""
    parts = _Parts()
    listed = found["%FEATURE_STRUCTURES"]
    structures = (
        [(int(key), part) for key, part in listed.items()]
        if isinstance(listed, dict)
        else [(part["%ID"], part) for part in listed]
    )
    references: list[Any] = []
    for key, part in structures:
        text = part["sofaID"] if part["%TYPE"] == "uima.cas.Sofa" else None
        parts.add(_whole(key), part.get("@sofa"), text)
        _both_ends(part)
        for name, value in part.items():
            if name in ("begin", "end"):
                _whole(value)
            elif name.startswith("@") and value is not None:
                references.append(_whole(value))
    for view in found["%VIEWS"].values():
        parts.add_view(_whole(view["%SOFA"]), [_whole(member) for member in view["%MEMBERS"]])
    if not parts.sofa_of.keys() >= set(references):
        raise UimaError("a reference to what is not there")
    parts.check()


def _both_ends(part: dict[str, Any]) -> None:
    if ("begin" in part) != ("end" in part):
        raise UimaError("an annotation without its begin or end")


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise UimaError(f"{value!r:.40} stands for a number")
    return value


class _Parts:
    """What refers to what; of two parts with one number cassis takes the last, and says nothing."""

    def __init__(self) -> None:
        self.sofa_of: dict[int, int | None] = {}
        self.texts: dict[str, int] = {}
        self.members: dict[int, list[int]] = {}

    def add(self, key: int, sofa: int | None, text: str | None) -> None:
        """Take a part; `text` is the name of a text."""
        if key in self.sofa_of or text in self.texts:
            raise UimaError(f"two parts have the number {key} or its name")
        self.sofa_of[key] = sofa
        if text is not None:
            self.texts[text] = key

    def add_view(self, sofa: int, members: list[int]) -> None:
        """Take what is indexed for a text."""
        if sofa in self.members:
            raise UimaError(f"two views of the text {sofa}")
        self.members[sofa] = members

    def check(self) -> None:
        """Be sure that views hold what is there, once."""
        for sofa, members in self.members.items():
            if sofa not in self.texts.values():
                raise UimaError(f"a view of the text {sofa}, which is not there")
            if len(set(members)) < len(members):
                raise UimaError(f"the view of the text {sofa} holds a part twice")
            if any(self.sofa_of.get(member) not in (None, sofa) for member in members):
                raise UimaError(f"the view of the text {sofa} holds a part of another text")


def _content(cas: Cas) -> Content:
    text = cas.sofa_string or ""
    layers: dict[str, Layer] = {}
    n_empty = 0
    annotations = list(cas.select_all_annotations())
    # Of others the offsets are not translated.
    indexed = {found.xmiID for found in annotations}
    for found in annotations:
        if found.type.name in _GIVEN or found.type.name.startswith(_GIVEN_PACKAGES):
            continue
        if not 0 <= found.begin <= found.end <= len(text):
            raise UimaError(f"an annotation from {found.begin} to {found.end}, outside the text")
        short = found.type.name.rpartition(".")[2]
        features = [f for f in found.type.all_features if f.name not in _OWN]
        if hasattr(found, "Governor") and hasattr(found, "Dependent"):
            n_empty += _add_relation(layers, short, features, found, indexed)
            continue
        if found.begin == found.end:
            n_empty += 1
            continue
        span = _span(found, NO_VALUE)
        if hasattr(found, "next"):
            _add_element(layers.setdefault(short, Layer()), found, span, indexed)
            continue
        plain = [f for f in features if f.rangeType.name in _VALUES]
        links = [f for f in features if f.rangeType.name == "uima.cas.FSArray"]
        for feature in plain:
            layer = layers.setdefault(f"{short}.{feature.name}", Layer())
            layer.spans.append(span._replace(label=_value(found, feature)))
        for feature in links:
            layer = layers.setdefault(f"{short}.{feature.name}", Layer())
            layer.spans.append(span)
            array = getattr(found, feature.name)
            for link in (array.elements or []) if array is not None else []:
                target = _end(getattr(link, "target", None), indexed)
                if target is not None:
                    role = _text(getattr(link, "role", None))
                    layer.relations.append(Relation(span._replace(label=""), target, role))
        if not plain and not links:
            layers.setdefault(short, Layer()).spans.append(span)
    return Content(text, layers, n_empty)


def _span(found: Any, label: str) -> Span:
    return Span(int(found.begin), int(found.end), label)


def _end(found: Any, indexed: set[int]) -> Span | None:
    """Return an end of a relation, None if it is missing or has no width."""
    if found is None:
        return None
    if found.xmiID not in indexed:
        raise UimaError("a relation to an annotation that is in no view")
    return _span(found, "") if found.begin < found.end else None


def _add_relation(
    layers: dict[str, Layer], short: str, features: list[Any], found: Any, indexed: set[int]
) -> int:
    """Add a relation to the layer of each of its features; return 1 if it has no ends."""
    source, target = (_end(end, indexed) for end in (found.Governor, found.Dependent))
    if source is None or target is None:
        return 1
    plain = [f for f in features if f.rangeType.name in _VALUES]
    for feature in plain or [None]:
        label = _value(found, feature) if feature else NO_VALUE
        layer = layers.setdefault(f"{short}.{feature.name}" if feature else short, Layer())
        layer.relations.append(Relation(source, target, label))
    return 0


def _add_element(layer: Layer, found: Any, span: Span, indexed: set[int]) -> None:
    """Add an element of a chain, and the relation to the next one."""
    layer.spans.append(span._replace(label=_text(getattr(found, "referenceType", None))))
    target = _end(found.next, indexed)
    if target is not None:
        label = _text(getattr(found, "referenceRelation", None))
        layer.relations.append(Relation(span._replace(label=""), target, label))


def _value(found: Any, feature: Any) -> str:
    """Return the value of a feature as a label; refuse one that its type does not allow."""
    value, kind = getattr(found, feature.name), feature.rangeType.name
    if value is None or value == "":
        return NO_VALUE
    if kind in _SEVERAL:
        # An element without content is an empty text.
        parts = ["" if part is None else part for part in value.elements or []]
        if any(type(part) not in (str, int) for part in parts):
            raise UimaError(f"{parts!r:.60} stands for several values")
        return "; ".join(sorted(map(str, parts))) or NO_VALUE
    if type(value) not in _PRIMITIVE[kind]:
        raise UimaError(f"{value!r:.60} stands for a value of {kind}")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _text(value: Any) -> str:
    if value is None or value == "":
        return NO_VALUE
    if not isinstance(value, str):
        raise UimaError(f"{value!r:.60} stands for a text")
    return value
