"""Documents of UIMA, as XMI or JSON, read by dkpro-cassis; untrusted XML is checked before."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from annobench.io.exports._webanno_tsv import NO_VALUE, Content, Layer
from annobench.io.exports.base import Relation, Span

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
_PRIMITIVE = frozenset(
    f"uima.cas.{name}"
    for name in (
        *("String", "Boolean", "Byte", "Short", "Integer", "Long", "Float", "Double"),
        *("StringArray", "IntegerArray", "StringList"),
    )
)


class UimaError(ValueError):
    """A document of UIMA that can't be read; says why."""


def parse(data: bytes, types: bytes | None, *, is_json: bool = False) -> Content:
    """Read a document.

    Parameters
    ----------
    data : bytes
        XMI, or JSON.
    types : bytes or None
        The type system of an XMI document; JSON brings its own.
    is_json : bool, default False
        Which it is.

    Returns
    -------
    Content
        What it holds.

    Raises
    ------
    UimaError
        If it can't be read, or its XML has a document type declaration.
    """
    import cassis

    try:
        if is_json:
            cas = cassis.load_cas_from_json(io.BytesIO(data))
        else:
            if types is None:
                raise UimaError("its TypeSystem.xml is missing; export the document with it")
            for part in (types, data):
                _check_xml(part)
            system = cassis.load_typesystem(io.BytesIO(types))
            cas = cassis.load_cas_from_xmi(io.BytesIO(data), typesystem=system, lenient=True)
        return _content(cas)
    except UimaError:
        raise
    # A damaged document fails in cassis in whatever way it may.
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise UimaError(f"not a document of UIMA ({type(error).__name__}: {said})") from error


def _check_xml(data: bytes) -> None:
    """Refuse entities before a parser that would expand them sees them."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise UimaError("a document type declaration, which could define entities; remove it")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UimaError(f"not well-formed XML ({error})") from error


def _content(cas: Cas) -> Content:
    text = cas.sofa_string or ""
    layers: dict[str, Layer] = {}
    n_empty = 0
    for found in cas.select_all_annotations():
        name = found.type.name
        if name in _GIVEN or name.startswith(_GIVEN_PACKAGES):
            continue
        short = name.rpartition(".")[2]
        features = [f for f in found.type.all_features if f.name not in _OWN]
        if hasattr(found, "Governor") and hasattr(found, "Dependent"):
            n_empty += _add_relation(layers, short, features, found)
            continue
        if found.begin >= found.end:
            n_empty += 1
            continue
        span = Span(int(found.begin), int(found.end), NO_VALUE)
        if hasattr(found, "next"):
            _add_element(layers.setdefault(short, Layer()), found, span)
            continue
        plain = [f for f in features if f.rangeType.name in _PRIMITIVE]
        links = [f for f in features if f.rangeType.name == "uima.cas.FSArray"]
        for feature in plain:
            label = _value(getattr(found, feature.name))
            layers.setdefault(f"{short}.{feature.name}", Layer()).spans.append(
                span._replace(label=label)
            )
        for feature in links:
            layer = layers.setdefault(f"{short}.{feature.name}", Layer())
            layer.spans.append(span)
            array = getattr(found, feature.name)
            for link in (array.elements or []) if array is not None else []:
                target = getattr(link, "target", None)
                if target is not None and target.begin < target.end:
                    end = Span(int(target.begin), int(target.end), "")
                    role = _value(getattr(link, "role", None))
                    layer.relations.append(Relation(span._replace(label=""), end, role))
        if not plain and not links:
            layers.setdefault(short, Layer()).spans.append(span)
    return Content(text, layers, n_empty)


def _add_relation(layers: dict[str, Layer], short: str, features: list[Any], found: Any) -> int:
    """Add a relation to the layer of each of its features; return 1 if it has no ends."""
    ends = found.Governor, found.Dependent
    if any(end is None or end.begin >= end.end for end in ends):
        return 1
    source, target = (Span(int(end.begin), int(end.end), "") for end in ends)
    named = [f.name for f in features if f.rangeType.name in _PRIMITIVE]
    for name in named or [""]:
        label = _value(getattr(found, name)) if name else NO_VALUE
        layer = layers.setdefault(f"{short}.{name}" if name else short, Layer())
        layer.relations.append(Relation(source, target, label))
    return 0


def _add_element(layer: Layer, found: Any, span: Span) -> None:
    """Add an element of a chain, and the relation to the next one."""
    layer.spans.append(span._replace(label=_value(getattr(found, "referenceType", None))))
    following = found.next
    if following is not None and following.begin < following.end:
        target = Span(int(following.begin), int(following.end), "")
        label = _value(getattr(found, "referenceRelation", None))
        layer.relations.append(Relation(span._replace(label=""), target, label))


def _value(value: Any) -> str:
    if value is None or value == "":
        return NO_VALUE
    if isinstance(value, bool):
        return "true" if value else "false"
    elements = getattr(value, "elements", None)
    if elements is not None:
        return "; ".join(sorted(map(str, elements))) or NO_VALUE
    return str(value)
