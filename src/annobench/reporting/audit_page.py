"""The pages of `annobench audit`: items to check, and results."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

from markupsafe import Markup

from annobench import plotting
from annobench.audit.assessment import Assessment
from annobench.audit.design import Design
from annobench.audit.release import Release
from annobench.core.texts import counted, plural, visible
from annobench.evaluation.calibration import BIASED, MAP_TAKEN_AS_KNOWN
from annobench.plotting import BLUE, GREY, INK, VERMILION, house_figure
from annobench.reporting import figures, pages
from annobench.reporting.formats import by_interval, level, percent

__all__ = ["SHOWN", "TITLES", "render"]

#: Errors that are listed, and sets of the table of what can be released.
SHOWN: Final = 25

#: Scores in words.
TITLES: Final = {
    "accuracy": "accuracy",
    "confidence": "mean confidence",
    "log_loss": "log loss",
    "brier": "Brier score",
    "calibration_error": "calibration error",
}


def render_draw(
    design: Design, *, source: str, model: str, texts: Mapping[str, str] | None = None
) -> str:
    """Render the page of a draw."""
    strata = design.summary()
    n = int(design.drawn.sum())
    expected = float(strata["expected_errors"].sum())
    script = resources.files("annobench.reporting") / "templates" / "audit_draw.js"
    return pages.render(
        "audit_draw.html.j2",
        title=f"To be checked: {source}",
        source=source,
        model=model,
        n_items=len(design.items),
        n_drawn=n,
        facts=[
            (f"{n:,}", "items to check", f"of {len(design.items):,}"),
            (f"{len(strata)}", plural(len(strata), "stratum", "strata"), "by certainty"),
            (
                percent(expected / len(design.items)),
                "errors expected by the model",
                f"{counted(round(expected), 'item')}, if its probabilities hold",
            ),
        ],
        next=[
            "Choose the right category of each item below, and save checked.csv; or write it into "
            f"the column gold of to_check.csv, one of: {', '.join(design.categories[:12])}"
            f"{' …' if len(design.categories) > 12 else ''}.",
            "Keep the order. You may stop at any point, but don't skip items: leaving out hard "
            "ones biases accuracy upwards. If you can't decide, follow your guidelines, as the "
            "annotators had to.",
            "Have two people check, if you can, and resolve their differences: the audit "
            "assumes that checks are right.",
            "Run the command again with --checked and the file, checked.csv or to_check.csv.",
        ],
        strata=pages.records(strata),
        certainty=_certainty(design),
        items=pages.records(design.to_check(texts)) if texts else [],
        about=_about(design, texts or {}),
        script=Markup(script.read_text(encoding="utf-8")),  # noqa: S704  (our own file)
    )


def _about(design: Design, texts: Mapping[str, str]) -> Markup:
    """Return the data for the script as JSON that is safe inside an HTML element."""
    names = design.to_check()["item"].tolist()
    about = {
        "design": hashlib.sha256(json.dumps([names, design.categories]).encode()).hexdigest()[:16],
        # Each name as it is written, and as it is shown.
        "items": [(name, visible(name), visible(texts.get(name, ""))) for name in names],
        "categories": [(name, visible(name)) for name in design.categories],
    }
    return pages.json_of(about)


def render(found: Assessment, *, source: str, remarks: Sequence[str] = ()) -> str:
    """Write the page of an audit.

    Parameters
    ----------
    found : Assessment
        The results of the checks.
    source : str
        Where the labels come from, such as the name of the file.
    remarks : sequence of str
        How labels or checks were prepared.

    Returns
    -------
    str
        HTML with its style and plots inside.
    """
    strata, prevalence = _strata(found), pages.records(found.prevalence)
    accuracy, given = found.accuracy, found.release
    lowest = figures.limits_of([0.0])
    return pages.render(
        "audit.html.j2",
        title=f"Audit: {source}",
        source=source,
        accuracy=accuracy,
        level=level(accuracy.level),
        release=given,
        release_sentence=release_sentence(given),
        twice=1 - (1 - given.confidence) / 2,
        facts=_facts(found),
        remarks=[*remarks, *found.remarks],
        next=next_steps(found),
        strata=strata,
        strata_plot=figures.estimates("strata-plot", strata, lowest),
        powered=found.accuracy_by_probabilities,
        release_plot=_release_plot(given),
        sets=_sets(given),
        prevalence=prevalence,
        prevalence_plot=figures.estimates("prevalence-plot", prevalence, lowest),
        calibration=found.calibration,
        calibration_sentence=_calibration_sentence(found),
        calibration_plot=_calibration_plot(found),
        scores=[]
        if found.calibration is None
        else [
            {"title": TITLES[str(name)], **row}
            for name, row in found.calibration.scores.to_dict("index").items()
        ],
        wrong=pages.records(found.wrong.head(SHOWN)),
        n_wrong=len(found.wrong),
    )


def next_steps(found: Assessment) -> list[str]:
    """Say what to do after an audit."""
    steps = []
    given, design = found.release, found.design
    rest = len(design.items) - given.n_items
    if given.n_items:
        steps.append(
            f"Use the {counted(given.n_items, 'item')} with released true in items.csv."
            + (f" The other {rest:,} need{'s' * (rest == 1)} more labels, or a check." * (rest > 0))
        )
    more = _more(given)
    if more:
        steps.append(more)
    last = found.strata.iloc[-1]
    if len(found.strata) > 1 and last["wrong"]:
        least, errors, most = (
            f"{(1 - last[name]) * last['n_items']:,.0f}" for name in ("upper", "accuracy", "lower")
        )
        steps.append(
            f"The least certain {counted(int(last['n_items']), 'item')} hold about "
            f"{errors} {'error' if errors == '1' else 'errors'} (interval {least} to {most}): have "
            "these labelled again first. annobench plan lists the items for which another label is "
            "most informative."
        )
    if len(found.wrong):
        pairs = Counter(zip(found.wrong["category"], found.wrong["gold"], strict=True))
        (category, gold), times = pairs.most_common(1)[0]
        if times > 1:
            steps.append(
                f"{times} of {counted(len(found.wrong), 'error')} found have “{category}” where "
                f"the check has “{gold}”: see whether the guidelines distinguish the two."
            )
    if found.calibration is not None and found.calibration.kind != "none":
        loss: dict[str, float] = found.calibration.scores.loc["log_loss"].to_dict()  # type: ignore[assignment]
        steps.append(
            "Use the probabilities in items.csv, which are calibrated on the checks, instead of "
            "the model's own."
            if loss["after"] < loss["before"]
            else "With so few checks, calibration does not lower the log loss."
        )
    steps.append("Replace consensus categories by checked ones, as items.csv does.")
    return steps


def _more(given: Release) -> str:
    """Say how many checks would allow a larger release."""
    if not len(given.sets) or given.sets["released"].iloc[-1]:
        return ""
    rest = given.sets[given.sets["n_items"] > given.n_items]
    rest = rest[rest["checks_needed"].map(math.isfinite)]
    if rest.empty:
        return (
            f"No larger set can be expected to pass at {level(given.error_rate)}: there are too "
            "many errors. More labels or a better model would help; more checks would not."
        )
    least, largest = rest.iloc[int(rest["checks_needed"].argmin())], rest.iloc[-1]
    first = (
        f"A new audit of about {counted(int(least['checks_needed']), 'check')} would release "
        f"{counted(int(least['n_items']), 'item')}"
    )
    if largest["n_items"] > least["n_items"]:
        first += f", one of about {largest['checks_needed']:,.0f} {largest['n_items']:,.0f}"
    return f"{first}, if their error rates are as estimated."


def release_sentence(given: Release) -> str:
    """Say what can be released."""
    if not given.n_items:
        return (
            f"No set of items can be released with confidence {level(given.confidence)} that at "
            f"most {level(given.error_rate)} are wrong."
        )
    return (
        f"{given.n_items:,} of {given.items.size:,} items can be released: with confidence "
        f"{level(given.confidence)} at most {level(given.error_rate)} of them are wrong."
    )


def _facts(found: Assessment) -> list[tuple[str, str, str]]:
    design, accuracy = found.design, found.accuracy
    n = len(design.items)
    promised = float(design.certainty.mean())
    return [
        (f"{n:,}", "items", f"{found.n_checked:,} of them checked"),
        (
            f"{len(found.wrong):,}",
            f"{plural(len(found.wrong), 'error')} found",
            f"among {counted(found.n_checked, 'check')}",
        ),
        (
            percent(accuracy.estimate),
            "accuracy",
            f"{percent(accuracy.lower)} to {percent(accuracy.upper)}; by the model, "
            f"{percent(promised)}",
        ),
        (
            f"{found.release.n_items:,}",
            "items can be released",
            f"{percent(found.release.n_items / n)} of all, at most "
            f"{level(found.release.error_rate)} wrong",
        ),
    ]


def _strata(found: Assessment) -> list[dict[str, Any]]:
    whole = {
        "name": "all",
        "n_items": len(found.design.items),
        "checked": found.n_checked,
        "wrong": len(found.wrong),
        "estimate": found.accuracy.estimate,
        "lower": found.accuracy.lower,
        "upper": found.accuracy.upper,
        "probability": float(found.design.certainty.mean()),
    }
    rows = [
        {**row, "name": f"stratum {h + 1}", "estimate": row["accuracy"]}
        for h, row in enumerate(pages.records(found.strata))
    ]
    return [whole, *rows]


def _sets(given: Release) -> list[dict[str, Any]]:
    rows = pages.records(given.sets)
    for row in rows:
        row["chosen"] = row["released"] and row["n_items"] == given.n_items
        needed = row["checks_needed"]
        row["needed"] = f"{needed:,.0f}" if math.isfinite(needed) else "–"
    return rows


def _certainty(design: Design) -> Markup:
    with house_figure(1, height=2.6) as (figure, (axes,)):
        figure.set_size_inches(6, 2.6)
        plotting.certainty(axes, design.certainty)
        axes.set_title("")
        figure.patch.set_visible(False)
        return figures.inline_svg(figure, "certainty-curve")


def _release_plot(given: Release) -> Markup:
    table = given.sets
    with house_figure(1, height=3.2) as (figure, (axes,)):
        figure.set_size_inches(6, 3.2)
        axes.plot(table["share"], table["estimate"], color=GREY, linewidth=1.2, zorder=1)
        for released, colour, marker in ((True, BLUE, "o"), (False, VERMILION, "x")):
            rows = table[table["released"] == released]
            label = "released" if released else "not released"
            axes.plot(
                rows["share"], rows["estimate"], marker, color=colour, markersize=6, label=label
            )
        axes.axhline(given.error_rate, color=INK, linestyle="--", linewidth=1)
        top = max(2 * given.error_rate, 1.15 * float(table["estimate"].max()))
        axes.set(
            xlim=(0, 1.03),
            ylim=(-0.02 * top, top),
            xlabel="share of items, most certain first",
            ylabel="share of errors found",
        )
        plotting.legend_below(figure, axes)
        figure.patch.set_visible(False)
        return figures.inline_svg(figure, "release-curve")


def _calibration_plot(found: Assessment) -> Markup:
    if found.calibration is None:
        return Markup()
    with house_figure(1, height=3.4) as (figure, (axes,)):
        figure.set_size_inches(4.6, 3.4)
        found.calibration.plot(axes)
        figure.patch.set_visible(False)
        return figures.inline_svg(figure, "reliability-curve")


def _calibration_sentence(found: Assessment) -> str:
    calibration = found.calibration
    if calibration is None:
        return ""
    promised, accuracy = float(found.design.certainty.mean()), found.accuracy
    how = by_interval(
        accuracy.lower,
        accuracy.upper,
        promised,
        above="it is not confident enough",
        below="it is overconfident",
        neither="the checks do not contradict it",
    )
    said = (
        f"The model's mean confidence on all items is {promised:.3f}, and their accuracy "
        f"{accuracy.estimate:.3f} ({accuracy.lower:.3f} to {accuracy.upper:.3f}): {how}. "
    )
    if calibration.kind == "none":
        return said + (
            f"{counted(calibration.n_gold, 'check')} are too few to calibrate probabilities, "
            f"which are unchanged. {BIASED}"
        )
    map_ = {
        "temperature": f"one temperature, T = {calibration.parameters.get('T', 1):.2f}",
        "beta": "beta calibration",
        "isotonic": "isotonic regression",
    }[calibration.kind]
    return said + (
        f"They were calibrated by {map_}, chosen by the number of checks; each check is scored by "
        f"a fit to the others. {BIASED} {MAP_TAKEN_AS_KNOWN}"
    )
