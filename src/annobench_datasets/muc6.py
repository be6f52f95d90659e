"""Person names in MUC-6: the gold standard, and the labels of 239 annotators.

Carpenter (2008, section 5) had the tokens of MUC-6 labelled anew on Mechanical Turk. The
gold standard is a file of one number a token; the labels are a file of three numbers a
row (token, annotator, label). Annotators ticked names in whole sentences, so almost all
tokens are plainly not names; as in the paper, the analysis keeps the tokens that the
gold standard or at least one annotator marks as part of a name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtri

from annobench.core.errors import ReaderError
from annobench.datasets.base import DataSet, DataTables
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import (
    Forms,
    Given,
    Stratum,
    draw_confusions,
    draw_labels,
    give_out,
)
from annobench_datasets._text import read_text, report

_SOURCE = pinned(
    "muc6_person",
    repository="lingpipe/sandbox",
    commit="0b8042fc9c6d5dd947f41deb33af5b3c93c346ae",
    licence="none stated (LingPipe sandbox)",
)
_FOLDER = "hierAnno/trunk/R/data/mturk-ne/"
GOLD = _SOURCE.file(_FOLDER + "per.gold.tsv")
LABELS = _SOURCE.file(_FOLDER + "per.anno.tsv")
_CITATION = (
    "Carpenter (2008). A multilevel Bayesian model of categorical data annotation. "
    "Technical report, Alias-i, section 5. "
    "http://lingpipe.files.wordpress.com/2008/11/carp-bayesian-multilevel-annotation.pdf"
)
_HOME = ("https://github.com/lingpipe/sandbox/tree/master/hierAnno/trunk/R/data/mturk-ne",)
_CATEGORIES = ("0", "1")

# Codes of the gold file.
_CAPITALISED, _PLAIN, _NAME = -1, 0, 1

#: Tokens of the corpus, and those of each code of the gold file.
N_TOKENS = 190_124
_N_NAMES = 4_155
_N_CAPITALISED = 59_537

#: What the paper prints: tokens kept, and annotators. The author's own table (ne-resid-by-J.R,
#: beside the labels) has 4,155 names among the tokens kept, as the gold file has; the paper prints
#: 4,127.
N_KEPT = 6_753
_N_ANNOTATORS = 239

#: Tokens by how many labels they have, from the same table: it counts 20,256 labels if at most
#: three of a token are used, and 27,006, 33,680, 40,307, 46,860, 53,295, 59,620 and 65,860 if four
#: to ten are. A difference is the number of tokens with so many labels or more; three share six.
_LABELS_OF_TOKENS = {10: 6_240, 9: 85, 8: 110, 7: 118, 6: 74, 5: 47, 4: 76, 2: 3}
N_LABELS = sum(n * tokens for n, tokens in _LABELS_OF_TOKENS.items())

# Assumptions of the simulator that nothing published determines. Forms held at least 400 tokens,
# which makes about fifteen of the tokens kept. Loads follow a log-normal distribution about as
# skewed as that of RTE-1.
_LABELS_PER_TOKEN = max(_LABELS_OF_TOKENS)
_KEPT_PER_FORM = 15
_LOAD_SIGMA = 1.3

# The same table has errors and ties of the vote with three to ten labels a token (431.5, 401,
# 314.5, 294.5, 257.5, 264, 240.5 and 242.5 expected errors, 87 ties of ten labels), and 109 false
# positives and 123 false negatives of the model. Few of these errors go away with more labels, so
# some names must be hard and some gold categories wrong. The shares and accuracies below were
# fitted to the table by weighted least squares, for annotators who are alike. The specificity is
# low because tokens that nobody marks are left out. The concentration spreads annotators over the
# upper quadrant of Figure 9, from about 0.75 to 1.
_WRONG_GOLD = {0: 0.0382, 1: 0.0038}
_HARD_NAMES, _HARD_ACCURACY = 0.0620, 0.5324
_SENSITIVITY, _SPECIFICITY = 0.9823, 0.8590
_CONCENTRATION = 20.0


def _read_gold(path: Path) -> NDArray[np.int64]:
    codes = _integers(path, columns=1)
    if codes is not None and not np.isin(codes, (_CAPITALISED, _PLAIN, _NAME)).all():
        codes = None
    if codes is None:
        lines = [line.strip() for line in read_text(path).splitlines()]
        report(
            path,
            (
                (number, f"{line!r} is not one of -1, 0, 1")
                for number, line in enumerate(lines, start=1)
                if line not in ("-1", "0", "1")
            ),
        )
        codes = np.array(lines, dtype=np.int64)[:, None]
    if len(codes) != N_TOKENS:
        raise ReaderError(
            f"{path}: {len(codes)} tokens, but MUC-6 has {N_TOKENS}; the file is truncated or "
            "not the pinned version. Supply the pinned file."
        )
    return codes[:, 0]


def _read_labels(path: Path) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return token (counted from 0), annotator and label of every row."""
    rows = _integers(path, columns=3)
    if rows is None or not _sound(rows).all():
        # A label that R wrote as NA was not given. Any other invalid row is reported.
        fields = [line.split() for line in read_text(path).splitlines()]
        report(
            path,
            (
                (number, f"{' '.join(f)!r} is not 'item annotator label' with label 0, 1 or NA")
                for number, f in enumerate(fields, start=1)
                if f and not _sound_fields(f)
            ),
        )
        given = [list(map(int, f)) for f in fields if f and f[2] != "NA"]
        rows = np.array(given, dtype=np.int64).reshape(-1, 3)
    if not len(rows):
        raise ReaderError(f"{path}: no labels. Supply the pinned file.")
    token = rows[:, 0] - (0 if (rows[:, 0] == 0).any() else 1)
    beyond = np.flatnonzero(token >= N_TOKENS)
    report(
        path, ((f"of item {rows[n, 0]}", f"MUC-6 has only {N_TOKENS} tokens") for n in beyond[:1])
    )
    return token, rows[:, 1], rows[:, 2]


def _integers(path: Path, columns: int) -> NDArray[np.int64] | None:
    """Read a table of integers; None where it is anything else."""
    if not path.stat().st_size:
        return np.zeros((0, columns), dtype=np.int64)
    try:
        table = np.loadtxt(path, dtype=np.int64, ndmin=2, comments=None, encoding="utf-8")
    except ValueError:
        return None
    return table if table.shape[1] == columns else None


def _sound(rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (rows[:, 0] >= 0) & (rows[:, 1] >= 0) & np.isin(rows[:, 2], (0, 1))


def _sound_fields(fields: list[str]) -> bool:
    digits = "0123456789"
    return (
        len(fields) == 3
        and all(field.strip(digits) == "" and len(field) < 18 for field in fields[:2])
        and fields[2] in ("0", "1", "NA")
    )


def _names(codes: NDArray[Any]) -> pd.Series[str]:
    return pd.Series(codes).astype("str")


def _items(token: NDArray[np.int64], code: NDArray[np.int64]) -> pd.DataFrame:
    """Make the table of items from token numbers (from 0) and codes of the gold file."""
    # The gold file doesn't say whether a name is capitalised.
    capitalised = pd.array(code == _CAPITALISED, dtype="boolean")
    capitalised[code == _NAME] = pd.NA
    gold = _names((code == _NAME).astype(int))
    return pd.DataFrame({"item": _names(token + 1), "gold": gold, "capitalised": capitalised})


def _gold_tables(code: NDArray[np.int64]) -> DataTables:
    items = _items(np.arange(code.size), code)
    labels = pd.DataFrame({"item": items["item"], "annotator": "gold", "label": items["gold"]})
    return DataTables(labels.astype("str"), items)


def _parse_gold(files: Mapping[str, Path]) -> DataTables:
    return _gold_tables(_read_gold(files[GOLD.path]))


def _simulate_gold(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    code = np.full(N_TOKENS, _PLAIN)
    code[:_N_NAMES] = _NAME
    code[_N_NAMES : _N_NAMES + _N_CAPITALISED] = _CAPITALISED
    return _gold_tables(rng.permutation(code))


def _parse_person(files: Mapping[str, Path]) -> DataTables:
    code = _read_gold(files[GOLD.path])
    token, annotator, label = _read_labels(files[LABELS.path])
    keep = code == _NAME
    keep[token[label == 1]] = True
    kept = np.flatnonzero(keep)
    stays = keep[token]
    labels = pd.DataFrame(
        {
            "item": _names(token[stays] + 1),
            "annotator": _names(annotator[stays]),
            "label": _names(label[stays]),
        }
    )
    return DataTables(labels, _items(kept, code[kept]))


def _simulate_person(rng: np.random.Generator, files: Mapping[str, Path]) -> DataTables:
    if GOLD.path in files:
        code = _read_gold(files[GOLD.path])
        names = np.flatnonzero(code == _NAME)
        others = rng.choice(
            np.flatnonzero(code == _CAPITALISED), N_KEPT - names.size, replace=False
        )
        token = np.sort(np.concatenate([names, others]))
        code = code[token]
    else:
        token = np.sort(rng.choice(N_TOKENS, N_KEPT, replace=False))
        code = np.full(N_KEPT, _CAPITALISED)
        code[rng.choice(N_KEPT, _N_NAMES, replace=False)] = _NAME
    gold = (code == _NAME).astype(np.int64)
    category = gold.copy()
    for name, share in _WRONG_GOLD.items():
        of_gold = np.flatnonzero(gold == name)
        category[rng.choice(of_gold, round(share * of_gold.size), replace=False)] ^= 1
    names_of_both = np.flatnonzero((gold == 1) & (category == 1))
    hard = np.zeros(N_KEPT, dtype=bool)
    hard[rng.choice(names_of_both, round(_HARD_NAMES * gold.sum()), replace=False)] = True
    forms = _forms()
    given = _as_many(rng, give_out(rng, forms))
    rows = ((_SPECIFICITY, 1 - _SPECIFICITY), (1 - _SENSITIVITY, _SENSITIVITY))
    annotators = Stratum(1, rows, (_CONCENTRATION, _CONCENTRATION))
    confusion = draw_confusions(rng, (annotators,), forms.load)
    label = np.zeros(given.item.size, dtype=np.int64)
    # Every token kept is marked by someone or by the gold: labels of a token that would
    # not have been kept are drawn again.
    again = np.ones(N_KEPT, dtype=bool)
    while again.any():
        drawn = np.flatnonzero(again[given.item])
        item = given.item[drawn]
        label[drawn] = draw_labels(rng, confusion, given.annotator[drawn], category[item])
        at_random = drawn[hard[item]]
        label[at_random] = rng.random(at_random.size) < _HARD_ACCURACY
        marks = np.bincount(given.item, weights=label, minlength=N_KEPT)
        again = (marks == 0) & (gold == 0)
    labels = pd.DataFrame(
        {
            "item": _names(token[given.item] + 1),
            "annotator": _names(given.annotator + 1),
            "label": _names(label),
        }
    )
    return DataTables(labels, _items(token, code))


def _as_many(rng: np.random.Generator, given: Given) -> Given:
    """Leave out labels at random, so that tokens have as many as in the author's table."""
    numbers, tokens = np.array(list(_LABELS_OF_TOKENS.items())).T
    wanted = rng.permutation(np.repeat(numbers, tokens))
    order = np.lexsort((rng.random(given.item.size), given.item))
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.tile(np.arange(_LABELS_PER_TOKEN), N_KEPT)
    stays = place < wanted[given.item]
    return Given(given.item[stays], given.annotator[stays], given.submission[stays])


def _forms() -> Forms:
    n_forms = -(-N_KEPT // _KEPT_PER_FORM)
    total = n_forms * _LABELS_PER_TOKEN
    shape = np.exp(_LOAD_SIGMA * ndtri((np.arange(_N_ANNOTATORS) + 0.5) / _N_ANNOTATORS))
    load = np.maximum(1, np.floor(total * shape / shape.sum()).astype(int))
    load[_N_ANNOTATORS - (total - int(load.sum())) :] += 1
    loads = tuple((int(n), int((load == n).sum())) for n in np.unique(load))
    return Forms(N_KEPT, _KEPT_PER_FORM, _LABELS_PER_TOKEN, loads)


DATASETS = (
    DataSet(
        id="muc6_gold",
        title="MUC-6 person names: the gold standard of all tokens, as one annotator",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(GOLD,),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse_gold,
        simulate=_simulate_gold,
        calibration=("numbers of tokens: in all, names, capitalised others (the gold file)",),
        targets={
            "n_items": N_TOKENS,
            "n_annotators": 1,
            "n_labels": N_TOKENS,
            "gold:1": _N_NAMES / N_TOKENS,
        },
    ),
    DataSet(
        id="muc6_person",
        title="MUC-6 person names: labels of 239 annotators for the tokens anyone marked",
        citation=_CITATION,
        home=_HOME,
        source=_SOURCE,
        files=(GOLD, LABELS),
        scale="nominal",
        categories=_CATEGORIES,
        parse=_parse_person,
        simulate=_simulate_person,
        calibration=(
            "6,753 tokens kept and 239 annotators (Carpenter 2008, section 5)",
            "4,155 names, and how many labels tokens have (the author's table ne-resid-by-J.R)",
            "errors and ties of the majority vote with three to ten labels a token, and false "
            "positives and negatives of the model (the same table), targets of calibration",
            "assumed, not found: log-normal loads, and which tokens share a form",
        ),
        targets={
            "n_items": N_KEPT,
            "n_annotators": _N_ANNOTATORS,
            "n_labels": N_LABELS,
            "gold:1": _N_NAMES / N_KEPT,
            "vote_errors": 242.5,
        },
        simulate_from=(GOLD,),
    ),
)
