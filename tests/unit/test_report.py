"""The report of agreement: one tidy table, and one page."""

from __future__ import annotations

import html
import math
import re
import time
import warnings
from dataclasses import replace
from html.parser import HTMLParser
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from annobench import agreement
from annobench.agreement import report_rows
from annobench.agreement.annotators import annotator_agreement
from annobench.agreement.record import Coefficient
from annobench.core.errors import AnnotationError
from annobench.core.texts import counted
from annobench.labels.annotations import Annotations
from annobench.reporting import figures, formats, report_page

NASTY = "<script>alert('x')</script>"


def crowd(rng, n_items, n_annotators, per_item, n_categories=3, scale="nominal"):
    """Simulate labels that are right seven times of ten."""
    item = np.repeat(np.arange(n_items), per_item)
    annotator = np.concatenate(
        [rng.choice(n_annotators, per_item, replace=False) for _ in range(n_items)]
    )
    truth = rng.integers(0, n_categories, n_items)[item]
    noise = rng.integers(0, n_categories, item.size)
    label = np.where(rng.random(item.size) < 0.7, truth, noise)
    return Annotations.from_arrays(item, annotator, label, scale=scale)


def rows(table, breakdown, coefficient=None):
    chosen = table["breakdown"].eq(breakdown)
    if coefficient is not None:
        chosen &= table["coefficient"].eq(coefficient)
    return table[chosen]


def value(table, coefficient, options="", breakdown="overall", of=""):
    found = rows(table, breakdown, coefficient)
    found = found[found["options"].eq(options) & found["of"].eq(of)]
    assert len(found) == 1
    return found.iloc[0]


def only(names):
    return Annotations.from_arrays(*zip(*names, strict=True))


POOR = {
    "one annotator": only([("x", "a", "1"), ("y", "a", "2")]),
    "no overlap": only([("x", "a", "1"), ("y", "b", "2"), ("z", "c", "2")]),
    "two without overlap": only([("x", "a", "1"), ("y", "b", "2")]),
    "one item": only([("x", "a", "1"), ("x", "b", "2")]),
    "all equal": only([(i, a, "same") for i in range(5) for a in "abc"]),
    "no labels": Annotations.from_arrays(["x"], ["a"], [None]),
    "nothing": Annotations.from_arrays([], [], []),
    "perfect": only([(i, a, str(i % 2)) for i in range(5) for a in "ab"]),
}


# ---------------------------------------------------------------------------- the table


def test_every_value_is_that_of_its_coefficient(rng):
    a = crowd(rng, 40, 3, 3)
    table = agreement.report(a, level=0.9)
    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "conger_kappa", "light_kappa"):
        one, row = getattr(agreement, name)(a), value(table, name)
        ends = one.interval(level=0.9)
        assert row["estimate"] == one.estimate
        assert row["standard_error"] == one.standard_error
        assert (row["lower"], row["upper"], row["level"]) == (ends.lower, ends.upper, 0.9)
        assert row["observed_agreement"] == one.observed_agreement
        assert row["interval"] == "analytic"


def test_all_coefficients_that_apply_are_there(rng):
    for scale in ("nominal", "ordinal", "interval"):
        table = agreement.report(crowd(rng, 30, 2, 2, 2, scale))
        applying = {
            name
            for name, module in agreement.discover().items()
            if scale in module.METHOD.accepts and module.METHOD.variants.get(scale)
        }
        assert applying == set(table["coefficient"])
        assert table.loc[table["breakdown"].eq("overall"), "estimate"].notna().all()


def test_a_new_coefficient_appears_without_an_edit(rng, monkeypatch):
    made = ModuleType("made")
    made.METHOD = Coefficient(
        "made", "Made", "-", frozenset({"nominal"}), "any", "-", "-", "-", assumes="-"
    )
    made.made = lambda annotations: replace(agreement.fleiss_kappa(annotations), method=made.METHOD)
    known = agreement.discover()
    for home in (agreement, report_rows):
        monkeypatch.setattr(home, "discover", lambda: {**known, "made": made})
    a = crowd(rng, 20, 3, 3)
    table = agreement.report(a)
    assert value(table, "made")["estimate"] == agreement.fleiss_kappa(a).estimate
    assert "Made" in report_page.render(a, table, source="x")


@pytest.mark.parametrize("name", agreement.discover())
def test_every_record_says_what_it_assumes_and_what_to_show(name):
    method = agreement.discover()[name].METHOD
    assert method.assumes.endswith(".")
    assert method.variants
    assert set(method.variants) <= method.accepts


def test_categories_are_set_against_the_rest(rng):
    a = crowd(rng, 40, 3, 3)
    table = agreement.report(a)
    expected = agreement.krippendorff_alpha(a).by_category().set_index("category")
    for category in a.categories:
        row = value(table, "krippendorff_alpha", breakdown="category", of=category)
        np.testing.assert_allclose(
            row[["estimate", "lower", "upper", "n_labels"]].astype(float),
            expected.loc[category, ["estimate", "lower", "upper", "n_labels"]].astype(float),
        )


def test_annotators_are_compared_with_the_others_and_left_out(rng):
    a = crowd(rng, 60, 5, 3)
    table = agreement.report(a)
    expected = agreement.krippendorff_alpha(a).by_annotator()
    shares = rows(table, "annotator")
    np.testing.assert_allclose(shares["estimate"], expected["observed_agreement"])
    without = rows(table, "without annotator", "krippendorff_alpha")
    np.testing.assert_allclose(without["estimate"], expected["without"])
    assert list(without["of"]) == list(a.annotators)


@pytest.mark.parametrize("scale", ["interval", "set"])
def test_agreement_with_the_others_is_that_of_all_pairs(rng, scale):
    a = crowd(rng, 30, 5, 3, 4, scale="interval")
    if scale == "set":
        choices = [{"p"}, {"q"}, {"p", "q"}, set()]
        a = Annotations.from_sets(a.item, a.annotator, [choices[k] for k in a.label])
    found = agreement.report(a)
    observed = agreement.krippendorff_alpha(a).by_annotator()["observed_agreement"]
    np.testing.assert_allclose(rows(found, "annotator")["estimate"], observed)


def test_leaving_one_out_of_an_intraclass_correlation_regains_items(rng):
    a = crowd(rng, 20, 3, 3, 5, scale="interval")
    partial = replace(
        a, item=a.item[1:], annotator=a.annotator[1:], label=a.label[1:]
    )  # the first item lacks a label
    table = agreement.report(partial)
    row = value(
        table,
        "icc",
        "model=two-way-random, ratings=single",
        "without annotator",
        partial.annotators[int(a.annotator[0])],
    )
    keep = np.arange(3) != a.annotator[0]
    assert row["estimate"] == agreement.icc(partial.select(annotators=keep)).estimate


def test_annotators_are_left_out_in_turn_where_two_remain_and_are_known(rng):
    assert rows(agreement.report(crowd(rng, 30, 2, 2)), "without annotator").empty
    assert not rows(agreement.report(crowd(rng, 30, 3, 3)), "without annotator").empty
    anonymous = Annotations.from_counts(crowd(rng, 30, 3, 3).counts)
    assert rows(agreement.report(anonymous), "without annotator").empty


def test_coefficients_of_two_annotators_appear_by_pair(rng):
    a = crowd(rng, 50, 4, 3)
    table = agreement.report(a)
    assert rows(table, "overall", "cohen_kappa").empty
    found = rows(table, "pair", "cohen_kappa")
    assert len(found) == 6
    first, second = found["of"].iloc[0].split(" × ")
    keep = np.isin(a.annotators, [first, second])
    assert found["estimate"].iloc[0] == agreement.cohen_kappa(a.select(annotators=keep)).estimate
    assert found["n_items"].is_monotonic_decreasing


def test_the_pairs_with_the_most_common_items_are_shown_and_the_note_says_so(rng):
    found = rows(agreement.report(crowd(rng, 100, 12, 4)), "pair", "cohen_kappa")
    assert len(found) == 45
    assert found["note"].str.contains("Of 66 pairs with common items, the 45 with the most").all()


def test_ordinal_labels_get_weights_and_ordinal_alpha(rng):
    a = crowd(rng, 40, 2, 2, 4, scale="ordinal")
    table = agreement.report(a)
    for weights in ("linear", "quadratic"):
        expected = agreement.cohen_kappa(a, weights=weights).estimate
        assert value(table, "cohen_kappa", f"weights={weights}")["estimate"] == expected
    ordinal = agreement.krippendorff_alpha(a, metric="ordinal").estimate
    assert value(table, "krippendorff_alpha")["estimate"] == ordinal
    assert not math.isnan(value(table, "krippendorff_alpha", "metric=nominal")["estimate"])


def test_interval_labels_get_six_intraclass_correlations_and_correlations_by_pair(rng):
    table = agreement.report(crowd(rng, 40, 3, 3, 5, scale="interval"))
    assert len(rows(table, "overall", "icc")) == 8
    assert len(rows(table, "pair", "pearson")) == len(rows(table, "pair", "spearman")) == 3
    assert rows(table, "category").empty


def test_sets_get_both_distances_the_paired_measure_and_their_elements(rng):
    choices = [{"joy"}, {"fear"}, {"joy", "fear"}, set()]
    a = crowd(rng, 40, 3, 3, 4)
    a = Annotations.from_sets(a.item, a.annotator, [choices[k] for k in a.label])
    table = agreement.report(a)
    for options, metric in (("", "masi"), ("metric=jaccard", "jaccard")):
        expected = agreement.krippendorff_alpha(a, metric=metric).estimate
        assert value(table, "krippendorff_alpha", options)["estimate"] == expected
    assert set(rows(table, "overall", "paired_agreement")["options"]) == {
        "combinations=3",
        "combinations=4",
    }
    assert set(rows(table, "category")["of"]) == {"joy", "fear"}


def test_conditional_kappa_stands_by_category(rng):
    a = crowd(rng, 40, 2, 2)
    table = agreement.report(a)
    expected = agreement.conditional_kappa(a, "1").estimate
    assert value(table, "conditional_kappa", breakdown="category", of="1")["estimate"] == expected
    assert rows(table, "overall", "conditional_kappa").empty


def test_a_seed_bootstraps_the_overall_intervals_and_repeats_itself(rng):
    a = crowd(rng, 40, 3, 3)
    once, again = (agreement.report(a, rng=5, replicates=200) for _ in range(2))
    pd.testing.assert_frame_equal(once, again)
    row = value(once, "gwet_ac1")
    assert row["interval"] == "percentile"
    assert row["lower"] < row["estimate"] < row["upper"]
    other = agreement.report(a, rng=np.random.default_rng(6), replicates=200)
    assert value(other, "gwet_ac1")["lower"] != row["lower"]


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "set"])
@pytest.mark.parametrize("case", POOR)
def test_poor_data_give_notes_and_no_warning(case, scale):
    a = POOR[case]
    if scale == "interval" and case == "all equal":
        a = replace(a, categories=("7",))
    if scale == "set":
        names = a.to_frame()
        sets = [{name} for name in names["label"]]
        a = Annotations.from_sets(names["item"], names["annotator"], sets)
    else:
        a = replace(a, scale=scale)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in (None, 1):
            table = agreement.report(a, rng=seed, replicates=100)
            page = report_page.render(a, table, source="poor.csv")
    overall = rows(table, "overall")
    missing = overall[overall["estimate"].isna()]
    assert missing["note"].str.len().gt(10).all()
    assert not overall.empty
    check_self_contained(page)
    assert not re.search(r"\bnan\b", page.split("</style>")[-1], re.IGNORECASE)


def test_missing_labels_are_spoken_of(rng):
    notes = rows(agreement.report(crowd(rng, 30, 5, 3)), "overall").set_index("coefficient")["note"]
    assert "Items with fewer than two labels are left out" in notes["krippendorff_alpha"]
    complete = rows(agreement.report(crowd(rng, 30, 3, 3)), "overall")
    assert complete["note"].eq("").all()


def test_repeated_labels_are_refused_and_the_first_can_be_kept():
    a = only([("x", "a", "1"), ("x", "b", "1"), ("x", "a", "2"), ("y", "a", "2"), ("y", "b", "2")])
    with pytest.raises(AnnotationError, match=r"annotator 'a' labelled an item twice: 'x'\. Keep"):
        agreement.report(a)
    kept = a.first_labels()
    assert kept.to_frame().to_numpy().tolist() == [
        ["x", "a", "1"],
        ["x", "b", "1"],
        ["y", "a", "2"],
        ["y", "b", "2"],
    ]
    assert value(agreement.report(kept), "percent_agreement")["estimate"] == 1


def test_a_level_outside_the_unit_interval_is_refused(rng):
    with pytest.raises(AnnotationError, match="level"):
        agreement.report(crowd(rng, 10, 2, 2), level=95)


def test_many_categories_by_mistake_end_soon(rng):
    item = np.repeat(np.arange(1_500), 2)
    a = Annotations.from_arrays(item, np.tile(["a", "b"], 1_500), np.arange(3_000))
    table = agreement.report(a)
    assert rows(table, "category")["of"].nunique() == agreement_limit()
    assert rows(table, "category")["note"].str.contains("Of 3,000 categories, 30 are shown").all()
    page = report_page.render(a, table, source="x.csv")
    assert "is this the column of labels?" in page
    assert len(page) < 500_000


def agreement_limit():
    from annobench.agreement.report_table import MAX_CATEGORIES

    return MAX_CATEGORIES


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "per_item"), [(10_000, 10), (1_000, 100)])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_a_hundred_thousand_labels_take_seconds(rng, scale, n_items, per_item):
    a = crowd(rng, n_items, 100, per_item, 5, scale)
    start = time.process_time()
    agreement.report(a)
    assert time.process_time() - start < 20  # the time that the project promises


# ---------------------------------------------------------------------------- the page


class Page(HTMLParser):
    """Collect elements and what they refer to; complain of elements that don't close."""

    VOID = frozenset({"meta", "link", "br", "wbr", "img"})

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.references, self.ids = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.references += [v for name, v in attrs if name in ("src", "href", "xlink:href")]
        self.ids += [v for name, v in attrs if name == "id"]
        assert not [name for name, _ in attrs if name.startswith("on")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_self_contained(page):
    read = Page(page)
    assert "script" not in read.tags
    assert not re.search(r"https?://|@import|url\((?!#)", page)
    assert all(target.startswith(("#", "data:")) for target in read.references)
    assert {t[1:] for t in read.references if t.startswith("#")} <= set(read.ids)
    assert len(set(read.ids)) == len(read.ids)


@pytest.mark.parametrize(
    ("n_annotators", "scale"),
    [(2, "nominal"), (4, "ordinal"), (4, "interval"), (4, "set"), (35, "nominal"), (60, "nominal")],
)
def test_the_page_holds_all_it_needs(rng, scale, n_annotators):
    a = crowd(rng, 60, n_annotators, min(n_annotators, 4), 4, scale="interval")
    if scale == "set":
        choices = [{"p"}, {"q"}, {"p", "q"}, set()]
        a = Annotations.from_sets(a.item, a.annotator, [choices[k] for k in a.label])
    else:
        a = replace(a, scale=scale)
    page = report_page.render(a, agreement.report(a), source="labels.csv")
    check_self_contained(page)
    for section in ("coefficients", "annotators", "items", "reading"):
        assert f'id="{section}"' in page
    assert ('id="pairs"' in page) == (n_annotators > 2)


def test_the_page_lists_other_coefficients_by_category_beside_alpha(rng):
    a = crowd(rng, 60, 4, 3)
    page = report_page.render(a, agreement.report(a), source="labels.csv")
    section = html.unescape(page[page.index('<h2 id="categories">') :].partition("</table>")[0])
    head, *lines = section.partition("<thead>")[2].split("<tr>")[1:]
    titles = re.findall(r"<th[^>]*>(.*?)</th>", head, re.DOTALL)
    fleiss = agreement.fleiss_kappa(a).by_category().set_index("category")["estimate"]
    assert len(lines) == len(a.categories) == 3
    for category, line in zip(fleiss.index, lines, strict=True):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", line, re.DOTALL)
        assert cells[0] == category
        assert cells[titles.index("Fleiss' kappa")] == formats.number(fleiss[category])


def test_pairs_with_fewer_than_five_common_items_are_left_out_where_others_have_more():
    # The first pair has five items in common, all other pairs of annotators have four.
    rows = [(f"i{i}", f"a{j}", str((i + j) % 3 % 2)) for i in range(4) for j in range(32)]
    rows += [("i4", "a0", "0"), ("i4", "a1", "1")]
    a = only(rows)
    page = report_page.render(a, agreement.report(a), source="labels.csv")
    text = " ".join(page.split())
    assert "496 pairs with common items, too many for a table; below, those with at least 5" in text


def test_names_are_text_wherever_they_stand():
    names = [NASTY, "a & b", '"quoted"', "ünïcödé 标注"]
    labels = [NASTY, "<img src=x onerror=alert(1)>", "no & no"]
    a = only(
        [
            (f"<b>{i}</b>{NASTY}", name, labels[(i + (j == i % 4)) % 3])
            for i in range(12)
            for j, name in enumerate(names)
        ]
    )
    page = report_page.render(
        a, agreement.report(a), source=f"{NASTY}.csv", remarks=[f"kept {NASTY}"]
    )
    check_self_contained(page)
    body = page.split("</style>")[-1]
    assert "<script" not in page
    assert "<b>0" not in page
    assert "<img" not in page
    assert body.count("&lt;script&gt;") > 10
    assert "ünïcödé 标注" in page


def test_coincidences_are_counted_by_hand():
    # x: 1 1 2 gives the pairs 11 (twice), 12 (twice each way), each half; y: one label, none.
    a = only([("x", "a", "1"), ("x", "b", "1"), ("x", "c", "2"), ("y", "a", "2")])
    np.testing.assert_allclose(report_page.coincidences(a, np.arange(2)), [[1, 1], [1, 0]])
    assert report_page.coincidence_totals(a).tolist() == [2, 1]
    np.testing.assert_allclose(report_page.coincidences(a, np.array([1])), [[0]])


def test_cautions_name_what_makes_numbers_rough(rng):
    def said(annotations):
        return " ".join(report_page.cautions(annotations))

    assert "Only 5 items" in said(POOR["perfect"])
    assert "one annotator" in said(POOR["one annotator"])
    assert "nothing to compare" in said(POOR["no overlap"])
    assert "All labels are “same”" in said(POOR["all equal"])
    assert "treated as names" in said(crowd(rng, 40, 6, 6, 4))
    assert "treated as names" not in said(crowd(rng, 40, 6, 6, 4, "ordinal"))
    spelled = [(i, a, "yes" if i % 2 else "Yes ") for i in range(40) for a in "abcdef"]
    assert "“Yes” and “yes”" in said(only(spelled)) or "differ only by spaces" in said(
        only(spelled)
    )
    rare = [(i, a, "yes" if i == 3 else "no") for i in range(40) for a in "abcdef"]
    assert "98% of the labels are “no”" in said(only(rare))
    assert said(crowd(rng, 40, 6, 6, 2)) == ""


def test_intervals_without_width_are_explained_once_on_the_page():
    # Of 5 items that agree, 1 - 0.05 ** (1 / 5) = 45% of others may not; at 90%, 37%.
    for level, limit in ((0.95, "45%"), (0.9, "37%")):
        table = agreement.report(POOR["perfect"], level=level)
        (said,) = report_page.without_width(table)
        assert "zero width, as the labels of each of the 5 items agree" in said
        share = f"Up to {limit} of other items may show a disagreement"
        assert f"{share} ({100 * level:g}% limit)" in said
        page = report_page.render(POOR["perfect"], table, source="x")
        assert page.count("have zero width") == 1
    # In the table each value has its own note, with what to take instead.
    note = value(agreement.report(POOR["perfect"]), "cohen_kappa")["note"]
    assert note.startswith("The analytic interval has zero width")
    assert "Bayesian" in note


def test_intervals_with_width_have_no_explanation(rng):
    table = agreement.report(crowd(rng, 40, 3, 3))
    assert report_page.without_width(table) == []
    assert not table["note"].str.contains("zero width").any()


def test_one_interval_without_width_is_named():
    # Half of the items are opposed, and the index of prevalence is 0 on all of them.
    opposed = only([(i, a, str(int((a == "a") == (i % 2 == 0)))) for i in range(6) for a in "ab"])
    (said,) = report_page.without_width(agreement.report(opposed))
    assert "items agree" not in said
    assert "zero width, although the labels of some items differ" in said


def test_an_interval_beside_its_estimate_is_replaced_by_the_analytic_one():
    labels = Annotations.from_contingency([[600, 400], [400, 600]])
    row = value(agreement.report(labels, rng=4, replicates=500), "kappa_maximum")
    assert row["interval"] == "analytic"
    assert "the bootstrap's excludes the estimate" in row["note"]
    assert row["lower"] <= row["estimate"] <= row["upper"]


def test_an_axis_reaches_down_to_what_it_must_hold():
    limits = figures.limits_of([-0.31, 0.5, math.nan])
    assert limits == (-0.4, 1.0)
    assert figures.ticks(limits) == [-0.4, -0.2, 0, 0.2, 0.4, 0.6, 0.8, 1]
    assert figures.ticks(figures.limits_of([]))[:2] == [0, 0.2]


def test_what_lies_beyond_an_axis_is_drawn_at_its_end():
    rows = [{"estimate": x, "lower": math.nan, "upper": math.nan} for x in (-0.4, 1.0, 7.0)]
    drawn = figures.estimates("one", rows, (-0.4, 1.0))
    assert drawn.n_rows == 3
    places = re.findall(r'<use href="#\w+" x="([\d.]+)" y="([\d.]+)"', drawn.svg)
    # The axis begins and ends a margin in from the edge; the first row is that of the axis.
    width, height = figures.WIDTH, figures.HEIGHT
    ends = figures.MARGIN, width - figures.MARGIN
    expected = [(ends[0], 1.5 * height), *((ends[1], n * height) for n in (2.5, 3.5))]
    np.testing.assert_allclose(np.array(places, dtype=float), expected, atol=1e-6)
    assert "−0.4" in drawn.svg


def test_numbers_are_written_as_a_reader_expects():
    assert formats.number(-0.0001) == "0.000"
    assert formats.signed(0.0123) == "+0.012"
    assert formats.signed(-0.5) == "−0.500"
    assert formats.percent(0.5) == "50%"
    assert formats.percent(0.0123) == "1.2%"
    assert formats.level(0.999) == "99.9%"
    assert formats.shorten("a" * 30, 5) == "aaaa…"
    assert counted(1, "item") == "1 item"
    assert counted(2000, "item") == "2,000 items"


def without_width(*labels, scale):
    """Return what is said of intervals of zero width of items with two labels each."""
    n = len(labels)
    a = Annotations.from_arrays(
        np.repeat(np.arange(n), 2).astype(str), list("ab") * n, np.ravel(labels), scale=scale
    )
    return report_page.without_width(agreement.report(a))


def test_no_interval_with_a_width_is_said_to_have_none():
    # ICC(A,1) has a lower limit of -1.18 here, below the pole of Spearman and Brown's formula.
    apart = [(4, 5), (2, 2), (99, 3), (1, 1), (5, 99), (3, 4)]
    assert without_width(*apart, scale="interval") == []


def test_the_reason_why_an_interval_has_no_width_is_true():
    [said] = without_width(*[(n, n) for n in range(6)], scale="interval")
    assert "as the labels of each of the 6 items agree" in said
    # A correlation of 1 without a single item whose labels agree.
    found = without_width(*[(n, n + 1) for n in range(6)], scale="interval")
    assert found
    assert not [text for text in found if "agree." in text]


def test_agreement_of_each_annotator_on_numbers_does_not_depend_on_their_zero():
    rng = np.random.default_rng(5)
    item, annotator = np.repeat(np.arange(30), 3), np.tile(list("abc"), 30)
    label = rng.integers(0, 5, 90)
    found = [
        annotator_agreement(
            Annotations.from_arrays(item, annotator, label + zero, scale="interval")
        )["observed_agreement"]
        for zero in (0, 10**9)
    ]
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_an_interval_of_a_mean_of_annotators_is_not_upside_down():
    labels = [(4, 5), (2, 2), (99, 3), (1, 1), (5, 99), (3, 4)]
    a = Annotations.from_arrays(
        np.repeat(np.arange(6), 2).astype(str), list("ab") * 6, np.ravel(labels), scale="interval"
    )
    found = agreement.icc(a, ratings="average")
    interval = found.interval()
    assert interval.lower == -math.inf
    assert found.estimate < interval.upper < 1
