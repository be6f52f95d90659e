"""A report of agreement on spans as one page that opens offline.

Names of documents, annotators and labels are untrusted: the template escapes everything.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd

from annobench.core.texts import plural
from annobench.reporting import figures, pages
from annobench.reporting.formats import percent, shorten
from annobench.reporting.pages import records
from annobench.spans.marks import Marks

__all__ = ["TITLES", "advice", "cautions", "facts", "render"]

#: Rows of tables and of the map of pairs.
MAX_ROWS: Final = 40
#: Spans that are shown as examples of disagreement.
MAX_EXAMPLES: Final = 12
#: Below, the page says that the intervals are rough.
FEW_DOCUMENTS: Final = 20
#: A label on whose limits annotators agree this much better by overlap than exactly.
LOOSE: Final = 0.15

TITLES: Final = {
    "f1_exact": "F1, equal limits",
    "f1_overlap": "F1, overlapping",
    "f1_token": "F1 of tokens",
    "gamma": "Gamma",
    "gamma_cat": "Gamma of categories",
    "alpha_u": "Unitizing alpha",
    "alpha_binary_u": "Unitizing alpha, marked or not",
    "alpha_cu": "Unitizing alpha, labels alone",
    "one_minus_window_diff": "1 − WindowDiff",
    "one_minus_pk": "1 − Pk",
    "relation_f1_exact": "F1 of relations, exact spans",
    "relation_f1_overlap": "F1 of relations, overlapping spans",
}

_MEANING: Final = {
    "f1_exact": "Spans with the same boundaries and label, as a share of what two annotators "
    "marked; the mean over pairs.",
    "f1_overlap": "Spans with the same label that share a character, matched one to one.",
    "f1_token": "Tokens with the same label; long spans have more weight than short ones.",
    "gamma": "1 minus the disagreement of the best alignment divided by the disagreement expected "
    "for randomly shifted spans.",
    "gamma_cat": "The labels of aligned spans, whatever their boundaries.",
    "alpha_u": "Boundaries and labels together, corrected for chance, character by character.",
    "alpha_binary_u": "What is marked, whatever the label.",
    "alpha_cu": "The labels, where two annotators marked the same text.",
    "one_minus_window_diff": "Windows of text, half a segment long, in which both place the same "
    "number of boundaries.",
    "one_minus_pk": "Windows in which both, or neither, place at least one boundary.",
    "relation_f1_exact": "Relations with the same label between the same two spans.",
    "relation_f1_overlap": "Relations with the same label between overlapping spans.",
}


def render(marks: Marks, table: pd.DataFrame, *, source: str, remarks: Sequence[str] = ()) -> str:
    """Render the page of a report on spans.

    Parameters
    ----------
    marks : Marks
        The annotators' marks in one layer.
    table : DataFrame
        The result of `annobench.spans.report_spans`.
    source : str
        Source of the marks, such as the name of the folder.
    remarks : sequence of str
        How the marks were prepared.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    overall = table[table["breakdown"].eq("overall")]
    rows = [
        {**row, "title": TITLES[row["measure"]], "meaning": _MEANING[row["measure"]]}
        for row in records(overall)
    ]
    defined = [row for row in rows if not math.isnan(row["estimate"])]
    leading = "f1_exact" if marks.n_spans else "relation_f1_exact"
    content: dict[str, Any] = {
        "source": source,
        "layer": marks.layer,
        "remarks": list(remarks),
        "facts": facts(marks),
        "warnings": cautions(marks, table),
        "advice": advice(marks, table),
        "level": f"{100 * table['level'].iloc[0]:g}%",
        "lead": next((row for row in defined if row["measure"] == leading), None),
        "rows": defined,
        "undefined": [row for row in rows if math.isnan(row["estimate"])],
        "plot": _plot("measures-plot", defined),
        "labels": _labels(table, leading),
        "pairs": _pairs(table, leading),
        "documents": _documents(table, leading),
        "examples": _examples(marks),
    }
    return pages.render("spans_report.html.j2", title=f"Spans: {source}", **content)


def facts(marks: Marks) -> list[tuple[str, str, str]]:
    """Describe the marks.

    Parameters
    ----------
    marks : Marks
        The marks of one layer.

    Returns
    -------
    list of (value, name, explanation)
        Documents, annotators, spans, labels and relations.
    """
    opened = [len(marks.opened_by(d)) for d in range(marks.n_documents)]
    spread = f"{min(opened)} to {max(opened)}" if len(set(opened)) > 1 else str(opened[0])
    who = "annotator opened" if spread == "1" else "annotators opened"
    found = [
        (
            f"{marks.n_documents:,}",
            plural(marks.n_documents, "document"),
            f"{spread} {who} each; {len(marks.shared):,} shared",
        ),
        (
            f"{marks.n_annotators:,}",
            plural(marks.n_annotators, "annotator"),
            f"of the layer “{shorten(marks.layer)}”",
        ),
        (
            f"{marks.n_spans:,}",
            plural(marks.n_spans, "span"),
            f"{len(marks.unmarked):,} opened {plural(len(marks.unmarked), 'document')} without any",
        ),
        (
            f"{len(marks.labels):,}",
            plural(len(marks.labels), "label"),
            ", ".join(shorten(label, 18) for label in marks.labels[:6])
            + (" …" if len(marks.labels) > 6 else ""),
        ),
    ]
    if marks.n_relations:
        kinds = ", ".join(shorten(label, 18) for label in marks.relation_labels[:6])
        found.append((f"{marks.n_relations:,}", plural(marks.n_relations, "relation"), kinds))
    return found


def cautions(marks: Marks, table: pd.DataFrame) -> list[str]:
    """Warn of what makes the values imprecise, and of likely mistakes.

    Parameters
    ----------
    marks : Marks
        The marks of one layer.
    table : DataFrame
        The result of `annobench.spans.report_spans`.

    Returns
    -------
    list of str
        Sentences.
    """
    found = []
    n = len(marks.shared)
    if n < FEW_DOCUMENTS:
        found.append(
            f"Only {n} {plural(n, 'document')} that two annotators opened: intervals come from "
            "resampling documents, and with so few they are too narrow."
            if n > 1
            else "Only one document: there are no intervals."
        )
    if n < marks.n_documents:
        rest = marks.n_documents - n
        found.append(
            f"{rest:,} {plural(rest, 'document')} opened by one annotator only are not used."
        )
    if marks.unmarked:
        k = len(marks.unmarked)
        found.append(
            f"In {k:,} opened {plural(k, 'document')} nobody marked anything. This raises "
            "unitizing alpha, and does not affect F1 and gamma."
        )
    if any(text is None for text in marks.texts):
        found.append(
            "The text of some documents is missing: there each character counts as a token, and "
            "the text is taken to end with the last span."
        )
    notes = table[table["measure"].eq("gamma") & table["breakdown"].eq("overall")]["note"]
    found += [f"Gamma: {note}" for note in notes if note.startswith("Not computed")]
    return found


def advice(marks: Marks, table: pd.DataFrame) -> list[str]:
    """Advise what to do next.

    Parameters
    ----------
    marks : Marks
        The marks of one layer.
    table : DataFrame
        The result of `annobench.spans.report_spans`.

    Returns
    -------
    list of str
        Sentences; empty if nothing stands out.
    """
    found = []
    by_label = table[table["breakdown"].eq("label")].set_index(["measure", "of"])["estimate"]
    for label in marks.labels:
        exact, overlap = (by_label.get((f"f1_{match}", label), math.nan) for match in _TWO)
        if overlap - exact > LOOSE:
            found.append(
                f"“{shorten(label)}”: annotators mark the same places with different boundaries "
                f"(F1 {exact:.2f} for exact matches, {overlap:.2f} for overlaps). Define in the "
                "guidelines where such a span begins and ends."
            )
        elif overlap < 1 / 2:
            found.append(
                f"“{shorten(label)}”: annotators mark different places (F1 {overlap:.2f} even for "
                "overlaps). Define the label with examples, or merge it with another."
            )
    pairs = table[table["breakdown"].eq("pair") & table["measure"].eq("f1_exact")]
    alone = _least(marks, pairs)
    if alone is not None:
        found.append(alone)
    return found


_TWO: Final = ("exact", "overlap")


def _least(marks: Marks, pairs: pd.DataFrame) -> str | None:
    """Name the annotator whose pairs agree much less than the other pairs."""
    if marks.n_annotators < 3 or pairs["estimate"].isna().all():
        return None
    with_each = {
        name: pairs["of"].isin([f"{a} - {b}" for a, b in _named(marks) if name in (a, b)])
        for name in marks.annotators
    }
    values = {
        name: (pairs["estimate"][own].mean(), pairs["estimate"][~own].mean())
        for name, own in with_each.items()
    }
    name, (own, others) = min(
        values.items(), key=lambda pair: pair[1][0] if math.isfinite(pair[1][0]) else math.inf
    )
    if not others - own > LOOSE:
        return None
    return (
        f"“{shorten(name)}” agrees less with the others (mean F1 {own:.2f}) than they do among "
        f"themselves ({others:.2f}). Go through the differences below together."
    )


def _named(marks: Marks) -> set[tuple[str, str]]:
    names = marks.annotators
    pairs = {pair for d in marks.shared for pair in marks.pairs(d)}
    return {(names[i], names[j]) for i, j in pairs}


def _plot(name: str, rows: list[dict[str, Any]]) -> figures.RowFigure:
    limits = figures.limits_of([[row["lower"], row["estimate"]] for row in rows] or [[0.0, 1.0]])
    return figures.estimates(name, rows, limits)


def _labels(table: pd.DataFrame, leading: str) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("label") & table["measure"].eq(leading)]
    if len(rows) < 2:
        return None
    rows = rows.sort_values("marked", ascending=False).head(MAX_ROWS)
    others = ["gamma_k", "alpha_ku", "f1_overlap", "f1_token"]
    if leading.startswith("relation"):
        others = ["relation_f1_overlap"]
    values = table[table["breakdown"].eq("label")].set_index(["measure", "of"])["estimate"]
    titles = {
        "alpha_ku": "unitizing alpha of the label",
        "gamma_k": "gamma of the label",
        **TITLES,
    }
    listed = [
        {**row, "others": [values.get((name, row["of"]), math.nan) for name in others]}
        for row in records(rows)
    ]
    return {
        "rows": listed,
        "titles": [titles[name] for name in others],
        "plot": _plot("labels-plot", listed),
        "total": int((table["breakdown"].eq("label") & table["measure"].eq(leading)).sum()),
    }


def _pairs(table: pd.DataFrame, leading: str) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("pair") & table["measure"].eq(leading)]
    if len(rows) < 2:
        return None
    shown = rows.sort_values("estimate").head(MAX_ROWS)
    return {"rows": records(shown), "total": len(rows)}


def _documents(table: pd.DataFrame, leading: str) -> dict[str, Any] | None:
    rows = table[table["breakdown"].eq("document") & table["measure"].eq(leading)]
    values = rows["estimate"].to_numpy(dtype=float)
    if len(rows) < 2 or not np.isfinite(values).any():
        return None
    kept = values[np.isfinite(values)]
    return {
        "histogram": figures.distribution(
            "documents-histogram", kept, (0.0, 1.0), of="documents", over="F1, mean over pairs"
        ),
        "rows": records(rows[rows["estimate"].lt(1)].sort_values("estimate").head(15)),
        "perfect": int((kept >= 1).sum()),
        "n": int(kept.size),
    }


def _examples(marks: Marks) -> list[dict[str, Any]]:
    """Show stretches on whose marking annotators are most divided, most annotators first."""
    found = []
    for d in marks.shared:
        said: dict[Any, list[str]] = {}
        readers = marks.opened_by(d)
        for j in readers:
            for limits in {(span.limits, span.label) for span in marks.spans[d, j]}:
                said.setdefault(limits, []).append(marks.annotators[j])
        text = marks.texts[d]
        for (limits, label), names in said.items():
            if len(names) < len(readers):
                start, end = limits[0][0], limits[-1][1]
                found.append(
                    {
                        "document": marks.documents[d],
                        "place": f"{start}–{end}",
                        "before": text[max(0, start - 30) : start] if text else "",
                        "text": shorten(text[start:end], 80) if text else "",
                        "after": text[end : end + 30] if text else "",
                        "label": label,
                        "names": names,
                        "share": percent(len(names) / len(readers)),
                        "key": (abs(len(names) / len(readers) - 0.5), -len(readers)),
                    }
                )
    found.sort(key=lambda example: example["key"])
    return found[:MAX_EXAMPLES]
