"""Verdicts of judges on exam-takers: pi, scores, ranks and errors, by the names of the paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from annobench.datasets import LoadedData
from annobench.judges.groups import GroupedAgreement, agreement_by_group, bias_of_errors
from annobench.judges.panel import NO_LABEL
from annobench.judges.rates import JudgeRates, rates_by_gold
from annobench_replication.analysis import Effort

#: Targets by the names of the files.
JUDGES = {
    "Gemma-2B": "gemma_2b",
    "EM": "em",
    "Llama-7B": "llama2_7b",
    "Llama3-8B": "llama3_8b",
    "Contains": "contains",
    "JudgeLM": "judgelm_7b",
    "Mistral-7B": "mistral_7b",
    "Llama-70B": "llama2_70b",
    "Llama-13B": "llama2_13b",
    "GPT-4": "gpt4",
    "Llama3-70B": "llama3_70b",
}
TAKERS = {
    "llama2-7b-base": "llama2_7b_base",
    "llama2-13b-base": "llama2_13b_base",
    "llama2-70b-base": "llama2_70b_base",
    "llama2-7b-chat": "llama2_7b_chat",
    "llama2-13b-chat": "llama2_13b_chat",
    "llama2-70b-chat": "llama2_70b_chat",
    "mistral-7B": "mistral_7b_base",
    "mistral-7b-chat": "mistral_7b_instruct",
    "gpt-4t": "gpt4",
}
#: Pairs of Table 7, whose judges are em, contains, the human, and two language models.
PAIRS = {
    "llama2_7b": ("llama2-7b-base", "llama2-7b-chat"),
    "mistral_7b": ("mistral-7B", "mistral-7b-chat"),
    "llama2_13b": ("llama2-13b-base", "llama2-13b-chat"),
    "llama2_70b": ("llama2-70b-base", "llama2-70b-chat"),
}
OF_TABLE7 = ("EM", "Contains", "GPT-4", "Llama3-70B")
TRUE = 1
N_TAKERS, N_QUESTIONS = 6, 300
REPLICATES = {"full": 1_000, "quick": 30}
SAMPLES = {"full": 200, "quick": 20}
#: Limits that the paper names: pi above which scores are close, and percent agreement.
CLOSE_PI, HIGH_AGREEMENT = 0.8, 0.9


@dataclass(frozen=True, eq=False)
class Judged:
    """A file: the human's verdict on each answer, and those of the judges."""

    name: str
    human: np.ndarray
    judges: Mapping[str, np.ndarray]
    taker: np.ndarray
    question: np.ndarray
    categories: tuple[str, ...]

    @classmethod
    def of(cls, data: LoadedData) -> "Judged":
        """Take them from a data set."""
        labels = data.annotations
        judges = {}
        for code, name in enumerate(labels.annotators):
            own = labels.annotator == code
            judges[name] = np.full(labels.n_items, NO_LABEL)
            judges[name][labels.item[own]] = labels.label[own]
        return cls(
            data.id.removeprefix("llm_eval_"),
            data.gold,
            {name: judges[name] for name in JUDGES if name in judges},
            data.items["exam_taker"].to_numpy(dtype=object),
            data.items["question"].to_numpy(dtype=object),
            labels.categories,
        )

    @cached_property
    def takers(self) -> tuple[str, ...]:
        """The exam-takers, in the order of the paper's tables."""
        return tuple(name for name in TAKERS if name in set(self.taker))

    @cached_property
    def found(self) -> dict[str, GroupedAgreement]:
        """Each judge's agreement with the human by exam-taker."""
        return {name: self.agreement(verdicts) for name, verdicts in self.judges.items()}

    @cached_property
    def rates(self) -> dict[str, JudgeRates]:
        """Sensitivity and specificity of each judge over all answers, by question."""
        return {
            name: rates_by_gold(verdicts, self.human, self.categories, clusters=self.question)
            for name, verdicts in self.judges.items()
        }

    def agreement(self, verdicts: np.ndarray, kept: np.ndarray | None = None) -> GroupedAgreement:
        """Compare verdicts with the human's."""
        own = verdicts if kept is None else np.where(kept, verdicts, NO_LABEL)
        return agreement_by_group(
            own, self.human, self.taker, len(self.categories), clusters=self.question
        )

    def scores(self, verdicts: np.ndarray) -> dict[str, float]:
        """Return the percentage of answers called correct, by exam-taker."""
        found = {}
        for name in self.takers:
            own = verdicts[(self.taker == name) & (verdicts != NO_LABEL)]
            found[name] = 100 * float((own == TRUE).mean()) if own.size else np.nan
        return found

    def errors(self, verdicts: np.ndarray) -> dict[str, float]:
        """Return the percentages of true and false positives and negatives."""
        seen = verdicts != NO_LABEL
        said, is_true = verdicts[seen] == TRUE, self.human[seen] == TRUE
        cells = {
            "tp": said & is_true,
            "tn": ~said & ~is_true,
            "fn": ~said & is_true,
            "fp": said & ~is_true,
        }
        return {name: 100 * float(cell.mean()) for name, cell in cells.items()}


def printed_values(judged: Judged) -> dict[str, float]:
    """Return what the first file gives of Figures 1, 3 and 9 and Tables 6, 7 and 8."""
    values: dict[str, float] = {}
    human = judged.scores(judged.human)
    values |= {f"table6.human.{TAKERS[name]}": score for name, score in human.items()}
    scored = {"human": human}
    for name, verdicts in judged.judges.items():
        key, agreement = JUDGES[name], judged.found[name]
        scored[key] = judged.scores(verdicts)
        values[f"figure1.{key}.pi"] = 100 * agreement.mean("scott_pi")
        values |= {f"table6.{key}.{TAKERS[taker]}": s for taker, s in scored[key].items()}
        shares = judged.errors(verdicts)
        values |= {f"figure3.{key}.{cell}": shares[cell] for cell in PRINTED_CELLS.get(key, TWO)}
        rho, sd = ranks_of_samples(agreement)
        values |= {f"table8.{key}.rho": rho, f"table8.{key}.sd": sd}
        if name not in STRICT:
            values |= leniency_of(judged, name)
    for pair, sides in PAIRS.items():
        for name in ("human", *(JUDGES[judge] for judge in OF_TABLE7)):
            for side, taker in zip(("base", "chat"), sides, strict=True):
                values[f"table7.{pair}.{name}.{side}"] = scored[name][taker]
    values["rank.contains"] = judged.found["Contains"].rank_correlation
    values["rank.mistral_7b"] = judged.found["Mistral-7B"].rank_correlation
    return values | pairs_of(judged)


def leniency_of(judged: Judged, name: str) -> dict[str, float]:
    """Return P_c, which is Youden's index, and P_+ of a judge over all answers (Figure 16)."""
    rates = judged.rates[name]
    sensitivity, specificity = (
        float(side.estimate[TRUE]) for side in (rates.sensitivity, rates.specificity)
    )
    return {
        f"figure16.{JUDGES[name]}.p_c": sensitivity + specificity - 1,
        f"figure16.{JUDGES[name]}.p_plus": float(bias_of_errors(sensitivity, specificity)),
    }


#: Judges that are rules, for which Figure 16 has no row.
STRICT = ("EM", "Contains")
TWO = ("tp", "tn")
#: Errors whose labels can be read in Figure 3, beside the two.
PRINTED_CELLS = {
    "llama2_13b": (*TWO, "fp"),
    "llama2_70b": (*TWO, "fp"),
    "mistral_7b": (*TWO, "fp"),
    "judgelm_7b": (*TWO, "fp"),
    "contains": (*TWO, "fn"),
    "llama3_8b": (*TWO, "fp"),
    "llama2_7b": (*TWO, "fp"),
    "em": (*TWO, "fn"),
    "gemma_2b": (*TWO, "fn", "fp"),
}


def pairs_of(judged: Judged) -> dict[str, float]:
    """Count on how many questions Llama-2 70B is right as base model, as chat model, or both."""
    base, chat = (
        pd.Series(judged.human[judged.taker == name], judged.question[judged.taker == name])
        for name in PAIRS["llama2_70b"]
    )
    table = pd.DataFrame({"base": base, "chat": chat}).dropna() == TRUE
    n = len(table)
    both = 100 * float((table["base"] & table["chat"]).sum()) / n
    first = 100 * float((table["base"] & ~table["chat"]).sum()) / n
    second = 100 * float((~table["base"] & table["chat"]).sum()) / n
    neither = 100 - both - first - second
    return {
        "figure9.both": both,
        "figure9.base": first,
        "figure9.chat": second,
        "figure9.neither": neither,
        "pairs.base_only": first,
        "pairs.chat_only": second,
        "pairs.shared_errors": neither,
    }


def ranks_of_samples(agreement: GroupedAgreement) -> tuple[float, float]:
    """Average the rank correlation over every choice of six exam-takers."""
    scores = agreement.by_group[["judge_score", "gold_score"]].to_numpy()
    n = min(N_TAKERS, len(scores))
    chosen = scores[np.array(list(combinations(range(len(scores)), n)))]
    ranks = rankdata(chosen, axis=1) - (n + 1) / 2
    both = ranks.prod(axis=2).sum(axis=1)
    norm = np.sqrt((ranks**2).sum(axis=1).prod(axis=1))
    rho = both[norm > 0] / norm[norm > 0]
    return (float(rho.mean()), float(rho.std(ddof=1))) if rho.size > 1 else (np.nan, np.nan)


def samples_of_questions(
    judged: Judged, rng: np.random.Generator, effort: Effort
) -> dict[str, float]:
    """Draw 300 questions, the same for all exam-takers, again and again (Table 4)."""
    questions = np.unique(judged.question.astype(str))
    pi: dict[str, list[float]] = {name: [] for name in judged.judges}
    for _ in range(SAMPLES[effort]):
        kept = rng.permutation(len(questions))[:N_QUESTIONS]
        for name, agreement in judged.found.items():
            own = agreement.counts[kept[kept < agreement.counts.shape[0]]]
            part = GroupedAgreement(agreement.groups, own, agreement.category)
            pi[name].append(part.mean("scott_pi"))
    values = {}
    for name, found in pi.items():
        if name != "GPT-4":  # Table 4 leaves it out
            values[f"table4.{JUDGES[name]}.mean"] = float(np.mean(found))
            values[f"table4.{JUDGES[name]}.sd"] = float(np.std(found, ddof=1))
    return values


def claims(first: Judged, second: Judged) -> dict[str, float]:
    """Return what the statements on scores and ranks are about."""
    largest = largest_difference(second, "scott_pi", CLOSE_PI)
    pi = [found.mean("scott_pi") for found in first.found.values()]
    rates = first.rates.values()
    recall = [rate.sensitivity.estimate[TRUE] for rate in rates]
    precision = [rate.confusion[TRUE, TRUE] / rate.confusion[:, TRUE].sum() for rate in rates]
    return {
        "abstract.difference": largest,
        "figure2.difference": largest,
        "figure2.agreement_difference": largest_difference(first, "agreement", HIGH_AGREEMENT),
        "rank.limit": float(np.median([f.rank_correlation for f in first.found.values()])),
        "figure4.recall_r2": float(np.corrcoef(pi, recall)[0, 1] ** 2),
        "figure4.precision_r2": float(np.corrcoef(pi, precision)[0, 1] ** 2),
    }


def largest_difference(judged: Judged, measure: str, limit: float) -> float:
    """Return the largest difference of a score, in points, by judges above a limit.

    Where no judge is above it, the best is taken.
    """
    means = {name: found.mean(measure) for name, found in judged.found.items()}
    limit = min(limit, max(means.values()))
    return 100 * max(
        float(abs(judged.found[name].by_group["score_difference"]).max())
        for name, mean in means.items()
        if mean >= limit
    )
