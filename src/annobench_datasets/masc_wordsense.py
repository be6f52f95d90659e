"""Word senses in MASC by trained annotators: the 36 words of `masc_crowd` beyond the full sets.

The MASC Word Sense Sentence Corpus is published as one archive of all rounds. It could not be
had when this was written: the reader knows the archive from its README and from the round of
`masc_trained`, which a public repository holds unpacked, and is untested on the real file.
"""

from __future__ import annotations

import logging
import re
import tarfile
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets.masc_crowd import WORDS, draw_with_alpha
from annobench_datasets.masc_trained import joined, labels_of, senses_of, tables_of

_LOG = logging.getLogger("annobench.datasets.masc_wordsense")

_SOURCE = pinned(
    "masc_wordsense",
    repository="nancyide/anc-website",
    commit="datasets-2026-09-25",
    licence="MASC release, open data (see its README)",
    release=True,
)
(_ARCHIVE,) = _SOURCE.files

# Alpha of the words' samples, as Figure 3 of Passonneau and Carpenter (2014) prints it.
_ALPHAS = """
add-v 0.55, appear-v 0.63, ask-v 0.20, board-n 0.56, book-n 0.60, color-n 0.15,
common-j 0.40, control-n 0.34, date-n 0.47, family-n 0.14, find-v 0.28, fold-v 0.52,
full-j 0.57, help-v 0.26, high-j 0.84, image-n 0.57, kill-v 0.26, late-j 0.85, level-n 0.21,
life-n 0.43, live-v 0.69, lose-v 0.43, meet-v 0.58, normal-j 0.02, number-n 0.62,
paper-n 0.57, particular-j 0.20, poor-j 0.57, read-v 0.64, sense-n 0.54, serve-v 0.57,
suggest-v 0.56, wait-v 0.49, way-n 0.49, win-v 0.25, window-n 0.48
"""
_ALPHA = {
    word: float(alpha)
    for word, alpha in (pair.split() for pair in _ALPHAS.replace("\n", " ").split(","))
}
#: A member of the archive is read if it has such a name; others are passed over.
_LABELS = re.compile(r"(?:[^/]+/)*Full_set/round[\w.]+/[^/]+/([a-z]+-[nvj])-wn\.xml")
_README = re.compile(r"(?:[^/]+/)*Full_set/round[\w.]+/README\.round[\w.]+")
#: Bytes that a member may have, ten times the largest known one; how many members are looked at.
_LARGEST, _MEMBERS = 1 << 24, 20_000
_REMEDY = "Supply the pinned file; this reader is untested on it, so please report what it holds."

#: Of the thousand sentences of a simulated word a tenth is labelled by five annotators.
_N_ITEMS, _N_SHARED, _ANNOTATORS = 1000, 100, ("101", "102", "105", "107", "108")


def _parse(files: Mapping[str, Path]) -> DataTables:
    """Read the archive member by member; nothing of it is written to disk."""
    path = files[_ARCHIVE.path]
    senses: dict[str, dict[str, str]] = {}
    roots: dict[str, ET.Element] = {}
    try:
        with tarfile.open(path, "r:gz") as archive:
            for n, member in enumerate(archive):
                if n == _MEMBERS:
                    raise ReaderError(f"{path}: more than {_MEMBERS:,} members. {_REMEDY}")
                of_labels, of_senses = (
                    _LABELS.fullmatch(member.name),
                    _README.fullmatch(member.name),
                )
                word = of_labels[1] if of_labels else ""
                if not member.isfile() or not (word in _ALPHA or of_senses):
                    continue
                data = _bytes(path, member, archive.extractfile(member))
                if of_senses:
                    senses |= senses_of(data.decode("utf-8", errors="replace"))
                else:
                    roots[word] = _root(path, member.name, data)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise ReaderError(f"{path}: not a whole archive ({error}). {_REMEDY}") from error
    if not roots:
        raise ReaderError(f"{path}: no member Full_set/round*/<word>/<word>-wn.xml. {_REMEDY}")
    if lost := [word for word in _ALPHA if word not in roots]:
        _LOG.warning("%s has no labels of %s: these words are left out", path, ", ".join(lost))
    return joined([_word(word, root, senses.get(word, {})) for word, root in roots.items()])


def _bytes(path: Path, member: tarfile.TarInfo, stream: IO[bytes] | None) -> bytes:
    if member.size > _LARGEST or stream is None:
        raise ReaderError(
            f"{path}, member {member.name!r}: {member.size:,} bytes, more than the {_LARGEST:,} "
            f"that are read. {_REMEDY}"
        )
    return stream.read()


def _root(path: Path, name: str, data: bytes) -> ET.Element:
    where = f"{path}, member {name!r}"
    # Entities are declared in a document type, which the known files have not.
    if b"<!DOCTYPE" in data.upper():
        raise ReaderError(f"{where}: it has a document type. {_REMEDY}")
    try:
        return ET.fromstring(data)  # noqa: S314 -- no document type, so no entities
    except ET.ParseError as error:
        raise ReaderError(f"{where}: not well-formed XML ({error}). {_REMEDY}") from error


def _word(word: str, root: ET.Element, senses: Mapping[str, str]) -> DataTables:
    """Lay out a word's labels: the number of a sense, or what stands there if it has none."""
    nodes, item, annotator, label = labels_of(root)
    label = [senses.get(key, key) for key in label]
    return tables_of(word, np.array(item, dtype=np.int64), annotator, label, len(nodes), _of(word))


def _of(word: str) -> dict[str, str]:
    return {"word": word}


def _simulate(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    return joined([_simulate_word(rng, word, alpha) for word, alpha in _ALPHA.items()])


def _simulate_word(rng: np.random.Generator, word: str, alpha: float) -> DataTables:
    shared = np.repeat(np.arange(_N_SHARED), len(_ANNOTATORS))
    item = np.concatenate([shared, np.arange(_N_SHARED, _N_ITEMS)])
    one = rng.integers(len(_ANNOTATORS), size=_N_ITEMS - _N_SHARED)
    annotator = np.concatenate([np.tile(np.arange(len(_ANNOTATORS)), _N_SHARED), one])
    code = draw_with_alpha(rng, np.array(WORDS[word].counts), alpha, item, annotator)
    # The crowd's 0 is "none of the above", the trained annotators' N.
    label = pd.Series(code).astype("str").where(code > 0, "N").tolist()
    names = [_ANNOTATORS[j] for j in annotator]
    return tables_of(word, item, names, label, _N_ITEMS, _of(word))


DATASETS = (
    DataSet(
        id="masc_trained_rest",
        title="Word senses of 36 words in MASC: labels of trained annotators",
        citation=(
            "Passonneau, Baker, Fellbaum and Ide (2012). The MASC word sense corpus. LREC, "
            "3025-3030. https://aclanthology.org/L12-1335/"
        ),
        home=("http://www.anc.org/data/masc/",),
        source=_SOURCE,
        files=(_ARCHIVE,),
        scale="nominal",
        categories=(),
        parse=_parse,
        simulate=_simulate,
        calibration=(
            f"all 36 words are simulated: {', '.join(_ALPHA)}",
            "Krippendorff's alpha of each word (Passonneau and Carpenter 2014, Figure 3)",
            "shares of the senses: those of the crowd's labels in masc_crowd (the release)",
            "assumed: a thousand sentences of a word, a hundred of them labelled by five people",
        ),
        targets={
            "n_items": len(_ALPHA) * _N_ITEMS,
            "n_annotators": len(_ANNOTATORS),
            "n_labels": len(_ALPHA) * (_N_ITEMS + (len(_ANNOTATORS) - 1) * _N_SHARED),
        },
    ),
)
