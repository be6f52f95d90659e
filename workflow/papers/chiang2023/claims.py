"""What the paper says of differences on Topical-Chat, with Williams' test as it used it."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from annobench.evaluation.correlations import WilliamsTest, williams_test
from annobench_datasets.chiang2023 import PROMPTS

from .values import ATTRIBUTES, Correlations, Rated

Tests = dict[tuple[str, str, str], WilliamsTest]
#: Score only, with auto CoT and without.
BASE, PLAIN = "geval", "geval_no_auto_cot"
EXPLAIN, ANALYZE = "rate_explain", "analyze_rate"


def tests(rated: Mapping[str, Rated]) -> Tests:
    """Test each pair of prompts on the responses that both have."""
    found: Tests = {}
    for name, attribute in rated.items():
        scores = dict(zip(PROMPTS, attribute.ratings(), strict=True))
        for first, second in combinations(PROMPTS, 2):
            both = ~np.isnan(scores[first]) & ~np.isnan(scores[second])
            three = np.corrcoef([attribute.people[both], scores[first][both], scores[second][both]])
            n = int(both.sum())
            found[name, first, second] = williams_test(three[0, 1], three[0, 2], three[1, 2], n)
    return found


def p_value(tests: Tests, name: str, first: str, second: str) -> float:
    """Return the p-value of a pair of prompts in either order."""
    return (tests.get((name, first, second)) or tests[name, second, first]).p_value


def claims(found: Correlations, tests: Tests) -> dict[str, float]:
    """Return what the statements of Sections 3.1 to 3.3 and Appendix B.1 are about."""

    def r(name: str, prompt: str) -> float:
        return found[name, prompt]["r"]

    def least_gain(prompt: str, over: str, measure: str) -> float:
        return min(found[a, prompt][measure] - found[a, over][measure] for a in ATTRIBUTES)

    close = ATTRIBUTES[:3]
    values = {
        "cot.difference": max(abs(r(name, BASE) - r(name, PLAIN)) for name in close),
        "cot.p_value": min(p_value(tests, name, BASE, PLAIN) for name in close),
        "cot.groundedness": r("groundedness", BASE) - r("groundedness", PLAIN),
        "free_text.least_gain.r": least_gain("llm_eval_no_cot", PLAIN, "r"),
        "free_text.least_gain.tau": least_gain("llm_eval_no_cot", PLAIN, "tau"),
        "rate_explain.least_gain": least_gain(EXPLAIN, PLAIN, "r"),
        "analyze_rate.least_gain": least_gain(ANALYZE, PLAIN, "r"),
        "explain_or_analyze.p_value": min(
            p_value(tests, name, EXPLAIN, ANALYZE) for name in ATTRIBUTES
        ),
    }
    for name in ATTRIBUTES:
        values[f"free_text.{name}.p_value"] = p_value(tests, name, "llm_eval_no_cot", PLAIN)
        values[f"explained_cot.{name}"] = r(name, "rate_explain_auto_cot") - r(name, EXPLAIN)
    for row, name in MARKED:
        values[f"marked.{row}.{name}"] = p_value(tests, name, row, BASE)
    return values


def one_sided(tests: Tests) -> dict[str, float]:
    """Return p-values of the gains that are called significant, against the gain alone."""
    pairs = {f"free_text.{name}.p_value": (name, "llm_eval_no_cot", PLAIN) for name in ATTRIBUTES}
    pairs |= {f"marked.{row}.{name}": (name, row, BASE) for row, name in MARKED}
    found = {}
    for target, (name, first, second) in pairs.items():
        if (name, first, second) in tests:
            test, sign = tests[name, first, second], 1
        else:
            test, sign = tests[name, second, first], -1
        half = test.p_value / 2
        found[target] = half if sign * test.difference > 0 else 1 - half
    return found


#: Cells of Tables 2 and 3 that are bold or underlined, by the prompt that they are said to be of.
MARKED = (
    (PLAIN, "engagingness"),
    (PLAIN, "groundedness"),
    *(("llm_eval_no_cot", name) for name in ("naturalness", "engagingness", "groundedness")),
    *((EXPLAIN, name) for name in ATTRIBUTES),
    *((ANALYZE, name) for name in ATTRIBUTES),
    *(("rate_explain_auto_cot", name) for name in ATTRIBUTES),
)


def as_good_as(found: Correlations, gpt4: Mapping[str, float]) -> int:
    """Count attributes with a prompt with reasons that correlates as well as GPT-4 is said to."""
    best = {
        name: max(found[name, prompt]["r_within"] for prompt in (EXPLAIN, ANALYZE))
        for name in ATTRIBUTES
    }
    return sum(best[name] >= gpt4[name] for name in ATTRIBUTES)
