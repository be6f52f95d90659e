"""Verdicts follow from the tables alone, by the printed precision."""

import math
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annobench.core.errors import PublicationError
from annobench.reporting.printed import RELATIONS, agrees, parse_printed
from annobench_replication import ledger, verdicts, vocabulary
from annobench_replication.ledger import Computed

PUBLISHED = "target,source,relation,value,unit,kind,basis,rivals,label,note\n"
ERRATA = "target,id,cause,weight,explanation,evidence,search,condition,status,date\n"
DAY = "2026-11-26"
STANDING = "target,counts,reason,test\n"


@pytest.fixture
def judge(tmp_path):
    """Judge one printed value; return the row of its comparison."""

    def judge(
        value,
        computed=None,
        *,
        explanation=None,
        cause="misprint",
        weight="value",
        search="",
        beside=(),
        others=(),
        standing="",
        traced=None,
        second_hand=(),
        **claim,
    ):
        blank = {
            "relation": "eq",
            "kind": "result",
            "basis": "public_data",
            "unit": "",
            "rivals": "of its kind" if beside else "",
        }
        claim = blank | {"note": ""} | claim
        rows = [("a.b", value, claim)] + [
            (f"a.c{n}", other, claim | {"kind": "input", "rivals": "of its kind"})
            for n, other in enumerate(beside)
        ]
        (tmp_path / "published.csv").write_text(
            PUBLISHED
            + "".join(
                f'{target},Table 1,{c["relation"]},"{printed}",{c["unit"]},{c["kind"]},'
                f"{c['basis']},{c['rivals']},,{c['note']}\n"
                for target, printed, c in rows
            )
        )
        reason = (
            ""
            if explanation is None
            else f"a.b,slip,{cause},{weight},{explanation},tried all readings,{search},,,{DAY}\n"
        )
        (tmp_path / "errata.csv").write_text(ERRATA + reason)
        (tmp_path / "standing.csv").write_text(STANDING + standing)
        ledger.write_computed(
            [*([] if computed is None else [computed]), *others], tmp_path / "computed.csv"
        )
        dependence = None
        if traced is not None:
            columns = ["rests_on", "restates", "values", "data_values"]
            row = {"target": "a.b", "base": computed.value, "data_values": ""}
            dependence = pd.DataFrame([row | dict(zip(columns, traced, strict=False))])
        frame = verdicts.compare(
            ledger.read_published(tmp_path / "published.csv"),
            ledger.read_computed(tmp_path / "computed.csv"),
            ledger.read_errata(tmp_path / "errata.csv"),
            standing=ledger.read_standing(tmp_path / "standing.csv"),
            dependence=dependence,
            paper="study",
            second_hand=second_hand,
        )
        assert list(frame.columns) == list(ledger.COMPARISON_COLUMNS)
        return frame.head(1)

    return judge


def value(number, provenance="real", **more):
    return Computed("a.b", number, provenance=provenance, **more)


def verdict(frame):
    return frame["verdict"].iloc[0]


# --- the rules, in their order -------------------------------------------------------


@pytest.mark.parametrize("kind", ["input", "cited"])
def test_an_input_or_a_citation_is_never_judged(judge, kind):
    assert verdict(judge("1", kind=kind)) == kind
    assert verdict(judge("1", value(2.0), kind=kind, basis="none")) == kind


def test_what_is_known_at_second_hand_is_shown_and_never_judged(judge):
    for number in (1.0, 2.0):
        frame = judge("1", value(number), second_hand=["Table 1"])
        assert (verdict(frame), frame["computed"].iloc[0]) == ("second_hand", number)
    differing = judge("1", value(2.0), explanation="a later version", second_hand=["Table 1"])
    assert verdicts.check(differing) == []
    assert verdict(judge("1", value(2.0, "simulated"), second_hand=["Table 1"])) == "stand_in"
    assert verdict(judge("1", second_hand=["Table 1"])) == "missing"


def test_basis_none_makes_no_claim_and_shows_the_computed_value(judge):
    frame = judge("1", value(2.0, "simulated"), basis="none", note="labels were not published")
    assert verdict(frame) == "not_public"
    assert frame["computed"].iloc[0] == 2.0
    assert verdict(judge("1", basis="none", note="labels were not published")) == "not_public"


def test_a_result_without_a_computed_value_is_missing(judge):
    assert verdict(judge("1")) == "missing"
    assert verdict(judge("1", value(math.nan))) == "missing"
    assert verdict(judge("1", value(math.nan, "simulated"))) == "missing"


def test_simulated_public_data_are_a_stand_in_even_where_the_value_agrees(judge):
    assert verdict(judge("1", value(1.0, "simulated"))) == "stand_in"
    frame = judge("1", value(1.0, "simulated", check_lower=0.5, check_upper=1.5))
    assert verdict(frame) == "stand_in"


def test_a_simulation_study_is_judged_on_its_simulated_value(judge):
    assert verdict(judge("1", value(1.0, "simulated"), basis="simulation")) == "reproduced"


def test_a_given_result_makes_no_claim(judge):
    assert verdict(judge("1", basis="given")) == "given"
    assert verdict(judge("1", value(1.0), basis="given")) == "given"


RIVALS = (".40", ".60", ".70")


def test_a_check_interval_decides_a_sampled_value_and_shows_its_width(judge):
    frame = judge(".50", value(0.8, check_lower=0.45, check_upper=0.55), beside=RIVALS)
    assert verdict(frame) == "within_interval"
    assert frame["interval_width"].iloc[0] == pytest.approx(0.1)
    assert frame["rivals_excluded"].iloc[0] == "3/3"
    missed = value(0.5, check_lower=0.51, check_upper=0.6)
    assert verdict(judge(".50", missed, beside=RIVALS)) == "deviates"


def test_a_check_interval_holds_what_rounds_to_the_printed_value(judge):
    # .50 stands for everything from .495 to .505.
    met = value(0.6, check_lower=0.505, check_upper=0.65)
    assert verdict(judge(".50", met, beside=RIVALS)) == "within_interval"
    missed = value(0.6, check_lower=0.5051, check_upper=0.65)
    assert verdict(judge(".50", missed, beside=RIVALS)) == "deviates"


@pytest.mark.parametrize(
    ("upper", "share", "expected"),
    [
        # Rivals .40, .60, .70, .80; the interval from .45 on meets none, one, two of them.
        (0.55, "4/4", "within_interval"),
        (0.65, "3/4", "within_interval"),
        (0.75, "2/4", "inconclusive"),
    ],
)
def test_an_interval_that_meets_half_of_the_rivals_shows_nothing(judge, upper, share, expected):
    frame = judge(
        ".50", value(0.5, check_lower=0.45, check_upper=upper), beside=(*RIVALS, ".80", ".80")
    )
    assert verdict(frame) == expected
    assert frame["rivals_excluded"].iloc[0] == share


@pytest.mark.parametrize("beside", [(), (".40",), (".50", ".50")])
def test_a_sampled_value_without_two_rivals_shows_nothing(judge, beside):
    frame = judge(".50", value(0.5, check_lower=0.49, check_upper=0.51), beside=beside)
    assert verdict(frame) == "inconclusive"


def test_rivals_are_of_the_same_unit(judge, tmp_path):
    judge(".50", value(0.5, check_lower=0.45, check_upper=0.55), beside=(".40", ".60"))
    published = ledger.read_published(tmp_path / "published.csv")
    published.loc[1:, "unit"] = "errors"
    computed = ledger.read_computed(tmp_path / "computed.csv")
    errata = ledger.read_errata(tmp_path / "errata.csv")
    assert verdict(verdicts.compare(published, computed, errata)) == "inconclusive"
    published["unit"] = "errors"
    assert verdict(verdicts.compare(published, computed, errata)) == "within_interval"


def test_rivals_are_of_the_same_class(judge, tmp_path):
    judge(".50", value(0.5, check_lower=0.45, check_upper=0.55), beside=(".40", ".60"))
    published = ledger.read_published(tmp_path / "published.csv")
    computed = ledger.read_computed(tmp_path / "computed.csv")
    errata = ledger.read_errata(tmp_path / "errata.csv")
    assert verdict(verdicts.compare(published, computed, errata)) == "within_interval"
    published.loc[2, "rivals"] = ""
    assert verdict(verdicts.compare(published, computed, errata)) == "inconclusive"


def test_a_rival_with_fewer_places_is_one_number(judge):
    # .5 stands for .45 to .55 where it is printed, but a value of two places is not .50.
    near = value(0.45, check_lower=0.446, check_upper=0.455)
    frame = judge(".45", near, beside=("0.5", ".60"))
    assert frame["rivals_excluded"].iloc[0] == "2/2"
    assert verdict(frame) == "within_interval"


def test_a_method_is_the_only_rival(judge):
    sampled = value(0.5, check_lower=0.45, check_upper=0.75)
    by_chance = value(0.0012, method="by chance")
    frame = judge(".50", sampled, rivals="by chance", others=[by_chance])
    assert verdict(frame) == "within_interval"
    assert frame["rivals_excluded"].iloc[0] == "1/1"
    frame = judge(".50", sampled, rivals="vote", others=[by_chance, value(0.7, method="vote")])
    assert verdict(frame) == "inconclusive"
    assert frame["rivals_excluded"].iloc[0] == "0/1"
    with pytest.raises(PublicationError, match="has the rivals 'typed', but no method"):
        judge(".50", sampled, rivals="typed", others=[by_chance])


def test_a_method_that_was_not_computed_is_no_class(judge):
    # Printed values have the same rivals; for them the method was computed, for this one not.
    of_another = Computed("a.c0", 0.7, provenance="real", method="of its kind")
    with pytest.raises(PublicationError, match="has the rivals 'of its kind', but no method"):
        judge(".50", value(0.5), beside=RIVALS, others=[of_another])


@pytest.mark.parametrize(
    ("lower", "upper", "expected"),
    [(0.1, 0.4, "within_interval"), (0.1, 0.6, "inconclusive"), (0.6, 0.7, "deviates")],
)
def test_a_sampled_inequality_must_hold_throughout_its_interval(judge, lower, upper, expected):
    sampled = value(0.3, check_lower=lower, check_upper=upper)
    assert verdict(judge(".50", sampled, relation="lt", beside=RIVALS)) == expected


@pytest.mark.parametrize(("lower", "upper"), [(-1.0, 50.0), (50.0, 100.5)])
@pytest.mark.parametrize("unit", ["percent", "%"])
def test_the_check_interval_of_a_percentage_stays_within_0_and_100(judge, lower, upper, unit):
    sampled = value(50.0, check_lower=lower, check_upper=upper)
    with pytest.raises(PublicationError, match="is a percentage, and its check interval is"):
        judge("50", sampled, unit=unit)
    judge("50", value(50.0, check_lower=0.0, check_upper=100.0), unit=unit)


# --- restatement and rounding ----------------------------------------------------------


def test_a_value_that_is_a_number_typed_in_is_restated(judge):
    frame = judge("1", value(1.0), traced=("table1.csv", "table1.csv, row 2, n", "2 0 3"))
    assert verdict(frame) == "restated"
    assert frame["restates"].iloc[0] == "table1.csv, row 2, n"
    assert frame["rests_on"].iloc[0] == "table1.csv"


def test_a_value_that_moves_with_several_numbers_is_evidence(judge):
    frame = judge("10", value(9.8), traced=("table1.csv", "", "8.8 11 10.3 10.8"))
    assert verdict(frame) == "reproduced"
    # 10.3 moved by less than the unit; 10.8 would be printed as 11.
    assert frame[["changes", "changes_refuted"]].iloc[0].tolist() == [3, 3]


@pytest.mark.parametrize(
    "traced",
    [
        ("data", "", "", ""),
        ("data", "", "", "nan nan nan"),
        # Over the border of rounding, by less than a unit
        ("data", "", "", "0.515 0.5049"),
        ("data", "", "", "0.5050000001"),
        ("table1.csv; data", "", "0.50499", "nan"),
    ],
    ids=["nothing moves it", "undefined", "below a unit", "tiny", "numbers"],
)
def test_a_value_that_nothing_refuted_is_inconclusive(judge, traced):
    frame = judge(".51", value(0.505000001), traced=traced)
    assert verdict(frame) == "inconclusive"
    assert frame["changes_refuted"].iloc[0] == 0
    # Where it disagrees, it does so without being moved.
    unexplained = judge(".52", value(0.505), traced=traced)
    assert verdict(unexplained) == "deviates"


def test_a_value_that_moved_and_agreed_all_the_same_is_inconclusive(judge):
    frame = judge("1", value(3.0), relation="gt", traced=("data", "", "", "5 4 2"))
    assert frame[["changes", "changes_refuted"]].iloc[0].tolist() == [3, 0]
    assert verdict(frame) == "inconclusive"
    assert verdict(judge("1", value(3.0), relation="gt", traced=("data", "", "", "1"))) == (
        "reproduced"
    )


@pytest.mark.parametrize(("of_vote", "expected"), [(0.0, "reproduced"), (2.0, "inconclusive")])
def test_a_method_that_disagrees_refutes_a_value(judge, of_vote, expected):
    claim = {"relation": "gt", "rivals": "vote", "traced": ("data", "", "", "5")}
    frame = judge("1", value(3.0), others=[value(of_vote, method="vote")], **claim)
    assert verdict(frame) == expected


@pytest.mark.parametrize(
    ("base_rate", "expected"),
    [(0.1, "reproduced"), (0.5, "reproduced"), (0.51, "inconclusive"), (1.0, "inconclusive")],
)
def test_what_is_true_of_most_of_its_kind_shows_nothing(judge, base_rate, expected):
    claimed = value(5.0, base_rate=base_rate)
    refuted = ("data", "", "", "9")
    assert verdict(judge("4 to 7", claimed, relation="within", traced=refuted)) == expected
    # A low base rate refutes by itself: most others of its kind would have disagreed.
    assert verdict(judge("4 to 7", claimed, relation="within", traced=("data", "", "", ""))) == (
        expected
    )


def test_a_range_is_one_claim(judge):
    for number, expected in ((3.9, "deviates"), (4.0, "reproduced"), (7.0, "reproduced")):
        assert verdict(judge("4 to 7", value(number), relation="within")) == expected
    # Its limits are crossed, or nothing has moved it.
    moved = judge("4 to 7", value(5.0), relation="within", traced=("data", "", "", "6.5 7.5"))
    assert moved[["changes", "changes_refuted"]].iloc[0].tolist() == [2, 1]


def test_a_restatement_is_withdrawn_if_data_move_it_by_a_unit(judge):
    number = "table1.csv, row 2, n"
    moved = judge("10", value(10.0), traced=("data", number, "12", "9 12 10"))
    assert verdict(moved) == "reproduced"
    # A number typed in, and a billionth of an honest value
    cheat = judge("10", value(10.0), traced=("data", number, "12", "10.000000001"))
    assert verdict(cheat) == "restated"


def test_changed_inputs_shift_the_check_interval_with_the_value(judge):
    sampled = value(0.52, check_lower=0.45, check_upper=0.55)
    frame = judge(".50", sampled, beside=RIVALS, traced=("data", "", "0.54 0.60 0.46"))
    # Intervals .47 to .57, .53 to .63 and .39 to .49; .50 is .495 to .505.
    assert frame[["changes", "changes_refuted"]].iloc[0].tolist() == [3, 2]


def test_a_standing_decides_what_changed_numbers_can_not_show(judge):
    found_by_fit = "a.b,no,the histogram was chosen by it,\n"
    frame = judge("1", value(1.0), standing=found_by_fit, traced=("table1.csv", "", "2"))
    assert verdict(frame) == "restated"
    assert frame["restates"].iloc[0] == "the histogram was chosen by it"
    counts = "a.b,yes,the median moves to another item,tests/x.py::test_median\n"
    frame = judge("1", value(1.0), standing=counts, traced=("table1.csv", "row 2", "2"))
    assert verdict(frame) == "reproduced"
    assert "tests/x.py::test_median" in frame["restates"].iloc[0]


@pytest.mark.parametrize("row", ["a.b,no,why,tests/x.py::test_y\n", "a.b,yes,why,\n"])
def test_a_standing_has_a_test_exactly_where_it_counts(judge, row):
    with pytest.raises(PublicationError, match="needs a test where it counts"):
        judge("1", value(1.0), standing=row)


def test_a_standing_of_nothing_published_is_an_error(judge):
    with pytest.raises(PublicationError, match=r"'c.d' is in standing.csv but not published"):
        judge("1", value(1.0), standing="c.d,no,why,\n")


def test_a_value_from_rounded_inputs_agrees_if_its_rounding_interval_does(judge):
    near = value(0.512, rounding_lower=0.503, rounding_upper=0.521)
    assert verdict(judge(".50", near, beside=RIVALS)) == "reproduced"
    assert verdict(judge(".50", value(0.512))) == "deviates"
    far = value(0.512, rounding_lower=0.506, rounding_upper=0.521)
    assert verdict(judge(".50", far)) == "deviates"


def test_a_rounding_interval_that_meets_half_of_the_rivals_shows_nothing(judge):
    wide = value(0.55, rounding_lower=0.45, rounding_upper=0.65)
    frame = judge(".50", wide, beside=(".60", ".40"))
    assert verdict(frame) == "inconclusive"
    assert frame["rivals_excluded"].iloc[0] == "1/2"
    # Nor does one without rivals, or one on both sides of a bound.
    near = value(0.512, rounding_lower=0.503, rounding_upper=0.521)
    assert verdict(judge(".50", near)) == "inconclusive"
    assert verdict(judge(".51", near, relation="lt")) == "inconclusive"
    assert verdict(judge(".50", near, relation="lt")) == "deviates"
    # Where the value itself agrees, the width decides nothing.
    own = value(0.5, rounding_lower=0.3, rounding_upper=0.7)
    assert verdict(judge(".50", own, beside=(".60", ".40"))) == "reproduced"


def test_what_a_simulation_was_calibrated_to_is_left_blank(judge):
    frame = judge("239", value(239.0, "simulated", method=ledger.CALIBRATION_METHOD))
    assert verdict(frame) == "stand_in"
    assert math.isnan(frame["computed"].iloc[0])
    assert frame["method"].iloc[0] == "calibration target"
    with pytest.raises(PublicationError, match="is a calibration target, but its provenance is"):
        judge("239", value(239.0, "real", method=ledger.CALIBRATION_METHOD))


def test_the_interval_of_the_estimate_never_decides(judge):
    assert verdict(judge("1", value(2.0, lower=0.0, upper=9.0, level=0.95))) == "deviates"


def test_a_deterministic_value_is_reproduced_or_deviates(judge):
    assert verdict(judge("0.93", value(0.9349))) == "reproduced"
    assert verdict(judge("0.93", value(0.936))) == "deviates"


def test_only_the_papers_own_method_is_compared(judge):
    assert verdict(judge("1", value(1.0, method="better"))) == "missing"


def test_the_verdicts_are_those_that_exist(judge):
    assert verdict(judge("1", value(1.0))) in vocabulary.VERDICTS


# --- the printed precision -----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number", "unit", "last"),
    [
        (".928", "0.928", "0.001", "0.001"),
        ("0.50", "0.50", "0.01", "0.1"),
        ("800", "800", "1", "100"),
        ("1,600", "1600", "1", "100"),
        ("12,345.6", "12345.6", "0.1", "0.1"),
        ("92.5%", "92.5", "0.1", "0.1"),
        ("-3", "-3", "1", "1"),
        ("\u22120.25", "-0.25", "0.01", "0.01"),
        ("2e-5", "0.00002", "0.00001", "0.00001"),
        ("1.50e2", "150", "1", "10"),
        ("0", "0", "1", "1"),
        ("0.0", "0", "0.1", "0.1"),
        ("10.", "10", "1", "10"),
    ],
)
def test_a_printed_number_knows_its_last_place(text, number, unit, last):
    printed = parse_printed(text)
    assert printed.value == Decimal(number)
    assert printed.unit == Decimal(unit)
    assert printed.last_unit == Decimal(last)


@pytest.mark.parametrize("text", ["", ".", "one", "1,60", "1 600", "0.5-0.6", "--1", "1e", "nan"])
def test_other_text_is_no_printed_number(text):
    with pytest.raises(ValueError, match="is not a printed number"):
        parse_printed(text)


def test_a_tie_agrees_with_both_neighbours():
    assert agrees(".928", "eq", 0.9275)
    assert agrees(".927", "eq", 0.9275)
    assert not agrees(".928", "eq", 0.92749)
    assert not agrees(".927", "eq", 0.92751)


def test_dust_in_the_last_bits_never_decides():
    assert 0.1 + 0.2 > 0.3
    assert agrees(".3", "le", 0.1 + 0.2)
    # 1.005 * 100 is 100.49999999999999 in binary.
    assert agrees("100", "eq", 1.005 * 100)
    assert agrees("101", "eq", 1.005 * 100)


def test_about_allows_one_unit_of_the_last_nonzero_digit_and_a_fifth_of_the_number():
    assert agrees("1600", "about", 1_700)
    assert not agrees("1600", "about", 1_701)
    assert agrees("0.93", "about", 0.94)
    assert not agrees("0.93", "about", 0.941)
    # One unit of the 2 would be half of 20, a fifth is 4.
    assert agrees("20", "about", 24)
    assert not agrees("20", "about", 24.1)


@pytest.mark.parametrize(
    ("relation", "below", "equal", "above"),
    [
        ("lt", True, False, False),
        ("le", True, True, False),
        ("gt", False, False, True),
        ("ge", False, True, True),
    ],
)
def test_an_inequality_is_taken_at_its_word(relation, below, equal, above):
    assert agrees(".05", relation, 0.0499) is below
    assert agrees(".05", relation, 0.05) is equal
    assert agrees(".05", relation, 0.0501) is above


@pytest.mark.parametrize("relation", ["lt", "le"])
def test_an_interval_meets_an_upper_bound_by_its_lower_end(relation):
    assert agrees(".05", relation, 0.01, 0.09)
    assert not agrees(".05", relation, 0.06, 0.09)


@pytest.mark.parametrize("relation", ["gt", "ge"])
def test_an_interval_meets_a_lower_bound_by_its_upper_end(relation):
    assert agrees(".05", relation, 0.01, 0.09)
    assert not agrees(".05", relation, 0.01, 0.04)


def test_an_unknown_relation_is_an_error():
    with pytest.raises(ValueError, match="relation 'ne' is not one of eq, about"):
        agrees("1", "ne", 1.0)


@given(st.decimals(-1000, 1000, places=6), st.integers(0, 4))
def test_a_rounded_number_agrees_with_what_it_was_rounded_from(exact, places):
    assert agrees(f"{exact:.{places}f}", "eq", float(exact))


@given(st.decimals(-1000, 1000, places=3), st.decimals("0.00051", 5, places=5))
def test_a_number_more_than_half_a_unit_away_does_not_agree(printed, distance):
    assert not agrees(str(printed), "eq", float(printed + distance))
    assert not agrees(str(printed), "eq", float(printed - distance))


@given(
    st.decimals(-1000, 1000, places=4), st.floats(-1000, 1000), st.floats(0, 10), st.floats(0, 10)
)
def test_a_wider_interval_agrees_with_no_less(printed, centre, below, above):
    for relation in RELATIONS:
        text = f"{printed} to {printed + 1}" if relation == "within" else str(printed)
        if agrees(text, relation, centre):
            assert agrees(text, relation, centre - below, centre + above)


@settings(deadline=None)
@given(
    st.decimals(-1000, 1000, places=2),
    st.floats(-1100, 1100),
    st.sampled_from(vocabulary.BASES),
    st.sampled_from(vocabulary.KINDS),
    st.sampled_from(["real", "printed_table", "closed_form"]),
)
def test_every_row_gets_one_verdict(printed, computed, basis, kind, provenance):
    published = pd.DataFrame(
        [["a.b", "Table 1", "eq", str(printed), "", kind, basis, "", "", "why"]],
        columns=PUBLISHED.strip().split(","),
    )
    row = pd.DataFrame(
        [["a.b", computed, *[math.nan] * 8, "paper", provenance, ""]],
        columns=list(ledger.COMPUTED_COLUMNS),
    )
    errata = pd.DataFrame([], columns=ERRATA.strip().split(","))
    assert verdict(verdicts.compare(published, row, errata)) in vocabulary.VERDICTS


# --- what the tables must be ---------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A,T,eq,1,,result,none,,,why", "line 2: target 'A' is not of small letters"),
        ("a,,eq,1,,result,none,,,why", "line 2: source '' is empty"),
        ("a,T,near,1,,result,none,,,why", "relation 'near' is not one of eq, about"),
        ("a,T,eq,one,,result,none,,,why", "'a' has a value that is not a printed number"),
        ("a,T,within,4,,result,none,,,why", "'a' has a value .* no range where it is 'within'"),
        ("a,T,within,7 to 4,,result,none,,,why", "'a' has a value .* no range"),
        ("a,T,eq,4 to 7,,result,none,,,why", "'a' has a value that is not a printed number"),
        ("a,T,eq,1,,outcome,none,,,why", "kind 'outcome' is not one of result"),
        ("a,T,eq,1,,result,guess,,,why", "basis 'guess' is not one of closed_form"),
        ("a,T,eq,1,,result,none,,,", "'a' has basis 'none' and no note"),
        ("a,T,eq,1,000,,result,none,,,why", "line 2: 11 fields where the header has 10. Quote"),
        (
            "a,T,eq,1,,input,none,,,\na,T,eq,1,,input,none,,,",
            "line 3: target 'a' stands there twice",
        ),
        ("a,T,about,0,,result,none,,,why", "'a' says 'about 0'"),
        ("a,T,eq,1,,input,given,,,why", "'a' has basis 'given', which only a result has"),
    ],
)
def test_a_published_table_names_the_line_of_a_fault(tmp_path, row, message):
    path = tmp_path / "published.csv"
    path.write_text(f"{PUBLISHED}{row}\n")
    with pytest.raises(PublicationError, match=message):
        ledger.read_published(path)


@pytest.mark.parametrize("row", ["a,T,eq,0,,result,none,,,why", "a,T,about,10,,result,none,,,why"])
def test_zero_may_be_printed_and_other_numbers_may_be_about(tmp_path, row):
    path = tmp_path / "published.csv"
    path.write_text(f"{PUBLISHED}{row}\n")
    assert len(ledger.read_published(path)) == 1


def test_faults_of_one_file_are_reported_together_each_with_its_line(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(f'{PUBLISHED}a,T,eq,1,,input,none,,,"two\nlines"\nb,T,eq,x,,foo,none,,,\n')
    with pytest.raises(PublicationError) as error:
        ledger.read_published(path)
    lines = str(error.value).splitlines()
    assert [line.split(": ")[0].rsplit(", ", 1)[1] for line in lines[:2]] == ["line 4", "line 4"]


def test_another_header_is_an_error_that_says_which_is_wanted(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text("target,value\n")
    with pytest.raises(PublicationError, match=r"line 1: .* Write 'target,source,relation"):
        ledger.read_published(path)


def test_bytes_that_are_no_text_are_an_error(tmp_path):
    path = tmp_path / "errata.csv"
    path.write_bytes(ERRATA.encode() + b"\xff\xfe,x,y,z,z\n")
    with pytest.raises(PublicationError, match="no table of comma-separated UTF-8 text"):
        ledger.read_errata(path)


def test_an_explanation_needs_evidence(tmp_path):
    path = tmp_path / "errata.csv"
    path.write_text(f"{ERRATA}a,slip,misprint,value,because,,,,,{DAY}\n")
    with pytest.raises(PublicationError, match="line 2: evidence '' is empty"):
        ledger.read_errata(path)


def test_values_that_one_slip_explains_share_its_explanation(tmp_path):
    path = tmp_path / "errata.csv"
    first = f"a,slip,misprint,digit,because,seen,,its sum is right,disputed,{DAY}"
    path.write_text(f"{ERRATA}{first}\nb,slip,,,,,,,,\nc,slip,,,,its own,,,,\n")
    frame = ledger.read_errata(path)
    assert frame["cause"].tolist() == ["misprint"] * 3
    assert frame["weight"].tolist() == ["digit"] * 3
    assert frame["explanation"].tolist() == ["because"] * 3
    assert frame["condition"].tolist() == ["its sum is right"] * 3
    assert frame["status"].tolist() == ["disputed"] * 3
    assert frame["date"].tolist() == [DAY] * 3
    assert frame["evidence"].tolist() == ["seen", "seen", "its own"]


def test_an_unknown_cause_is_an_error(tmp_path):
    path = tmp_path / "errata.csv"
    path.write_text(f"{ERRATA}a,slip,carelessness,value,because,seen,,,,{DAY}\n")
    with pytest.raises(PublicationError, match="cause 'carelessness' is not one of misprint"):
        ledger.read_errata(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("a,slip,misprint,,because,seen,,,,\n", "line 2: weight '' is not one of conclusion"),
        ("a,slip,misprint,heavy,because,seen,,,,\n", "weight 'heavy' is not one of conclusion"),
        (
            f"a,slip,misprint,value,because,seen,,,,{DAY}\nb,slip,,digit,,,,,,\n",
            "line 3: target 'b' has another weight than the first value of its id",
        ),
        ("a,slip,misprint,value,because,seen,,if so,,\n", "does not complete 'It holds only if'"),
        ("a,slip,misprint,value,because,seen,,it is so.,,\n", "not complete 'It holds only if'"),
        ("a,slip,misprint,value,because,seen,,,asked,\n", "status 'asked' is not one of"),
        ("a,slip,misprint,value,because,seen,,,,\n", "line 2: date '' is not a day"),
        ("a,slip,misprint,value,because,seen,,,,20261126\n", "date '20261126' is not a day"),
    ],
)
def test_an_explanation_has_one_weight_and_a_condition_that_completes_a_sentence(
    tmp_path, rows, message
):
    path = tmp_path / "errata.csv"
    path.write_text(ERRATA + rows)
    with pytest.raises(PublicationError, match=message):
        ledger.read_errata(path)


REMARKS = "id,source,printed,should_be,cause,weight,explanation,evidence,condition,status,date\n"


def test_a_mistake_of_a_formula_has_no_number_to_compare(tmp_path):
    path = tmp_path / "remarks.csv"
    row = f"eq1,Eq. 1,1 - q,q,formula,value,turned round,q is 0,p is 0,,{DAY}\n"
    path.write_text(f"{REMARKS}{row}")
    remark = ledger.read_remarks(path).iloc[0]
    assert remark.tolist()[1:4] == ["Eq. 1", "1 - q", "q"]
    assert (remark["status"], remark["date"]) == ("not_contacted", DAY)


@pytest.mark.parametrize(
    ("cause", "condition", "part"),
    [
        ("misprint", "", "proven"),
        ("rounding", "", "proven"),
        ("formula", "", "proven"),
        ("contradiction", "", "proven"),
        ("contradiction", "it rains", "conditional"),
        ("method", "", "difference"),
        ("other_data", "it rains", "difference"),
        ("unexplained", "it rains", "open"),
        ("", "", "open"),
    ],
)
def test_what_holds_under_a_condition_is_no_proven_erratum(cause, condition, part):
    assert vocabulary.part_of(cause, condition) == part


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("a,Eq. 1,,q,formula,value,why,seen,,,", "printed '' is empty"),
        ("a,Eq. 1,$p$,q,formula,value,why,seen,,,", "printed '\\$p\\$' has TeX in it"),
        ("a,Eq. 1,p,q,formula,,why,seen,,,", "weight '' is not one of conclusion"),
        ("a,Eq. 1,p,q,wrong,value,why,seen,,,", "cause 'wrong' is not one of misprint"),
        ("a,Eq. 1,p,q,formula,value,why,seen,,,\na,T,p,q,formula,value,why,seen,,,", "twice"),
    ],
)
def test_a_remark_names_the_line_of_a_fault(tmp_path, row, message):
    path = tmp_path / "remarks.csv"
    path.write_text(f"{REMARKS}{row}\n")
    with pytest.raises(PublicationError, match=message):
        ledger.read_remarks(path)


def test_a_header_alone_is_an_empty_table(tmp_path):
    path = tmp_path / "published.csv"
    path.write_text(PUBLISHED)
    assert ledger.read_published(path).empty


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([value(1.0), value(2.0)], "line 3: target 'a.b' stands there twice with one method"),
        ([value(math.inf)], "has an infinite value"),
        ([value(-math.inf)], "has an infinite value"),
        ([value(1.0, "guessed")], "provenance 'guessed' is not one of real"),
        ([value(1.0, lower=0.0)], "has some of lower, upper and level"),
        ([value(1.0, lower=0.0, upper=2.0)], "has some of lower, upper and level"),
        ([value(1.0, lower=0.0, upper=2.0, level=95)], "level that is not between 0 and 1"),
        ([value(1.0, check_lower=0.0)], "has one end of a check or rounding interval"),
        ([value(1.0, check_lower=2.0, check_upper=0.0)], "lower end lies above its upper"),
        ([value(1.0, rounding_upper=2.0)], "has one end of a check or rounding interval"),
        ([value(1.0, rounding_lower=2.0, rounding_upper=0.0)], "lower end lies above its upper"),
        (
            [value(1.0, check_lower=0, check_upper=2, rounding_lower=0, rounding_upper=2)],
            "has both a check interval",
        ),
        ([value(1.0, method="")], "method '' is empty"),
    ],
)
def test_computed_values_that_break_the_contract_are_not_written(tmp_path, rows, message):
    path = tmp_path / "computed.csv"
    with pytest.raises(PublicationError, match=message):
        ledger.write_computed(rows, path)
    assert list(tmp_path.iterdir()) == []


def test_a_computed_value_that_is_no_number_is_named_with_its_line(tmp_path):
    path = tmp_path / "computed.csv"
    path.write_text(",".join(ledger.COMPUTED_COLUMNS) + "\na.b,many,,,,,,,,,paper,real,\n")
    with pytest.raises(PublicationError, match="line 2: value 'many' is not a number"):
        ledger.read_computed(path)


def test_computed_values_are_read_back_to_the_last_bit(tmp_path):
    path = tmp_path / "computed.csv"
    ledger.write_computed([value(0.1 + 0.2), value(math.nan, method="other")], path)
    frame = ledger.read_computed(path)
    assert frame["value"].iloc[0] == 0.1 + 0.2
    assert math.isnan(frame["value"].iloc[1])
    assert list(verdicts.other_methods(frame)["method"]) == ["other"]


def test_a_comparison_is_read_back_as_it_was_written(judge, tmp_path):
    frame = judge("1", value(2.0, lower=1.0, upper=3.0, level=0.95), explanation="a misprint")
    ledger.write_comparison(frame, tmp_path / "comparison.csv")
    pd.testing.assert_frame_equal(ledger.read_comparison(tmp_path / "comparison.csv"), frame)


# --- what can't be compared ----------------------------------------------------------


def test_a_computed_value_that_nobody_published_is_an_error(judge):
    with pytest.raises(PublicationError, match=r"'c.d' is computed by method 'paper' but not"):
        judge("1", Computed("c.d", 1.0, provenance="real"))


def test_another_method_may_answer_what_was_not_published(judge):
    judge("1", Computed("c.d", 1.0, provenance="real", method="better"))


@pytest.mark.parametrize("basis", ["closed_form", "printed_table"])
def test_a_simulation_can_not_stand_for_a_table_or_a_formula(judge, basis):
    with pytest.raises(PublicationError, match=f"has basis '{basis}', but was computed from"):
        judge("1", value(1.0, "simulated"), basis=basis)


def test_an_explanation_of_nothing_published_is_an_error(tmp_path):
    row = f"c.d,slip,misprint,value,because,evidence,,,,{DAY}\n"
    (tmp_path / "errata.csv").write_text(ERRATA + row)
    (tmp_path / "published.csv").write_text(PUBLISHED)
    ledger.write_computed([], tmp_path / "computed.csv")
    with pytest.raises(PublicationError, match=r"'c.d' is in errata.csv but not"):
        verdicts.compare(
            ledger.read_published(tmp_path / "published.csv"),
            ledger.read_computed(tmp_path / "computed.csv"),
            ledger.read_errata(tmp_path / "errata.csv"),
        )


# --- the check -----------------------------------------------------------------------


MOVED = ("table1.csv", "", "2")


def test_the_check_passes_what_reproduces_and_what_is_explained(judge):
    assert verdicts.check(judge("1", value(1.0), traced=MOVED)) == []
    assert verdicts.check(judge("1", value(2.0), explanation="a misprint")) == []


def test_the_check_fails_on_a_missing_value(judge):
    [failure] = verdicts.check(judge("1"))
    assert (failure.paper, failure.target) == ("study", "a.b")
    assert "no value was computed" in failure.problem


def test_the_check_fails_on_an_unexplained_deviation(judge):
    [failure] = verdicts.check(judge("1", value(2.0)))
    assert failure.problem == "Table 1 prints 1, computed 2, unexplained"
    assert "errata.csv" in failure.remedy


def test_the_check_fails_on_an_explanation_of_what_does_not_deviate(judge):
    [failure] = verdicts.check(judge("1", value(1.0), explanation="a misprint", traced=MOVED))
    assert "its verdict is reproduced" in failure.problem


def test_a_value_that_no_known_reading_gives_is_unresolved_not_wrong(judge):
    frame = judge("1", value(2.0), explanation="no reading gives it", cause="unexplained")
    assert verdict(frame) == "unresolved"
    assert frame[["erratum", "cause"]].iloc[0].tolist() == ["slip", "unexplained"]
    assert verdicts.check(frame) == []


def test_the_check_fails_on_evidence_that_nothing_is_known_to_move(judge):
    [failure] = verdicts.check(judge("1", value(1.0)))
    assert "no input is known to move it" in failure.problem


def test_the_check_spares_an_explanation_that_a_stand_in_can_not_judge(judge):
    assert verdicts.check(judge("1", value(2.0, "simulated"), explanation="a misprint")) == []


@pytest.mark.parametrize(
    ("published", "computed", "failures"),
    [
        (".85", 0.84, 0),
        (".85", 0.865, 0),
        (".85", 0.8651, 1),
        ("85", 86.5, 0),
        ("85", 87.0, 1),
        ("85.0", 86.5, 1),
    ],
)
def test_the_check_holds_a_slip_of_the_last_digit_to_one_unit(judge, published, computed, failures):
    frame = judge(published, value(computed), explanation="a misprint", weight="digit")
    found = verdicts.check(frame)
    assert len(found) == failures
    assert all("more than the last digit" in failure.problem for failure in found)


def test_the_check_reports_both_faults_of_an_explained_missing_value(judge):
    assert len(verdicts.check(judge("1", explanation="a misprint"))) == 2


# --- causes found by search ----------------------------------------------------------


@pytest.mark.parametrize(
    ("rate", "cause", "expected"),
    [
        (0.2, "other_data", 1),
        (0.2, "method", 1),
        (0.05, "other_data", 0),
        (0.2, "unexplained", 0),
        # The paper contradicts itself, whatever a search finds.
        (0.2, "contradiction", 0),
    ],
)
def test_a_search_that_finds_anything_shows_no_cause(judge, rate, cause, expected):
    nearest = value(1.0, method="best of 1,024 readings", base_rate=rate)
    frame = judge("1", value(3.0), explanation="other items", cause=cause, others=[nearest])
    assert frame["search_rate"].iloc[0] == rate
    problems = [failure.problem for failure in verdicts.check(frame)]
    assert len(problems) == expected
    assert all("finds 20% of the values" in problem for problem in problems)


def test_a_cause_that_was_found_by_search_needs_its_chance(judge):
    claim = {"explanation": "other items", "cause": "other_data", "search": "yes"}
    [failure] = verdicts.check(judge("1", value(3.0), **claim))
    assert "its probability by chance is not known" in failure.problem
    for rate, n_failures in ((0.01, 0), (0.2, 1)):
        nearest = value(1.0, method="best of 3 readings", base_rate=rate)
        claim["cause"] = "misprint"
        found = verdicts.check(judge("1", value(3.0), others=[nearest], **claim))
        assert len(found) == n_failures
