"""Ten sets labelled by humans and by language models: the data of the alternative annotator test.

Calderon, Reichart and Dror (2025) collected the labels of humans from ten sources and those of four
to six language models for the same items. Humans and models are annotators alike here; the column
`role` distinguishes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from annobench.datasets.base import DataSet, DataTables
from annobench.simulation.difficulty import both, rate_for, shared_ranks
from annobench_datasets._pins import pinned
from annobench_datasets._simulators import numbered
from annobench_datasets._text import read_json, wrong

_REPOSITORY = "nitaytech/AltTest"
_SOURCE = pinned(
    "alt_test",
    repository=_REPOSITORY,
    commit="18428b1f4f34ac61c4978bc180263b90111e7337",
    licence="none stated",
)
_FILES = {"human": "human_annotations.json", "model": "llm_annotations.json"}
#: Between the parts of an item's name; the last part is the question asked about a text.
_BETWEEN = "__"

Role = Literal["human", "model"]
_FOUR = ("gemini_flash", "gemini_pro", "gpt-4o", "gpt-4o-mini")
_SIX = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")


@dataclass(frozen=True)
class _Set:
    """One set: its name, title and origin, and what was counted in its files.

    `loads` has the labels of each human, `counts` those of each category. Two humans agree on an
    item with probability ``agreement[0]``, a human and a model with ``agreement[1]``, two models
    with ``agreement[2]``.
    """

    name: str
    title: str
    citation: str
    n_items: int
    models: tuple[str, ...]
    loads: tuple[int, ...]
    counts: Mapping[str, int]
    agreement: tuple[float, float, float]
    correlation: float = 0.0
    scale: Literal["nominal", "ordinal"] = "nominal"

    @property
    def n_labels(self) -> int:
        return sum(self.loads) + self.n_items * len(self.models)

    def record(self) -> DataSet:
        """Return the record of the data set."""
        files = tuple(_SOURCE.file(f"data/{self.name}/{name}") for name in _FILES.values())
        loads = [*self.loads, *[self.n_items] * len(self.models)]
        return DataSet(
            id=f"alt_{self.name}",
            title=self.title,
            citation=self.citation,
            home=(f"https://github.com/{_REPOSITORY}",),
            source=_SOURCE,
            files=files,
            scale=self.scale,
            categories=tuple(self.counts),
            parse=partial(_parse, folder=f"data/{self.name}", categories=tuple(self.counts)),
            simulate=partial(_simulate, design=self),
            calibration=_CALIBRATION,
            targets={
                "n_items": self.n_items,
                "n_annotators": len(loads),
                "n_labels": self.n_labels,
                "median_load": float(np.median(loads)),
                "max_load": max(loads),
                **{f"label:{name}": n / self.n_labels for name, n in self.counts.items()},
            },
        )


_CALIBRATION = (
    "numbers of items, and of labels of each human and model",
    "shares of the categories among all labels",
    "agreement of two humans, of a human and a model, and of two models (counted in the release)",
    "nominal sets: share of unanimous items (counted in the release), by how far those who know "
    "an item's category are the same for all annotators; not calibrated to Krippendorff's alpha",
)


def _parse(files: Mapping[str, Path], folder: str, categories: tuple[str, ...]) -> DataTables:
    """Read the labels of the humans, then those of the models."""
    columns: dict[str, list[str]] = {"item": [], "annotator": [], "label": [], "role": []}
    for role, name in _FILES.items():
        path = files[f"{folder}/{name}"]
        for annotator, given in _read(path).items():
            if not isinstance(given, dict):
                raise wrong(path, f"{annotator!r} has no labels by item")
            for item, label in given.items():
                if not isinstance(label, str | int) or isinstance(label, bool):
                    raise wrong(path, f"{annotator!r} gives {item!r} the label {label!r}")
                if categories and str(label) not in categories:
                    raise wrong(path, f"{annotator!r} gives {item!r} the unknown label {label!r}")
                for column, value in zip(columns, (item, annotator, label, role), strict=True):
                    columns[column].append(str(value))
    return _tables(pd.DataFrame(columns, dtype="str"))


def _read(path: Path) -> dict[str, Any]:
    found = read_json(path)
    if not isinstance(found, dict):
        raise wrong(path, "no labels by annotator")
    return found


def _tables(labels: pd.DataFrame) -> DataTables:
    """Make the tables; items have the text that they are about."""
    tables = DataTables.without_gold(labels)
    names = tables.items["item"]
    text = [name.rpartition(_BETWEEN)[0] or name for name in names]
    return DataTables(tables.labels, tables.items.assign(text=pd.Series(text, dtype="str")))


def _simulate(rng: np.random.Generator, files: Mapping[str, Path], design: _Set) -> DataTables:
    """Draw labels that agree as often as the real ones; all have the same categories' shares."""
    names = tuple(design.counts) or tuple(f"shape {n}" for n in range(200))
    share = np.array([*design.counts.values()] or [1] * len(names)) / (
        sum(design.counts.values()) or len(names)
    )
    n_labelled = np.zeros(design.n_items)
    item, annotator, role = [], [], []
    # Who labels most comes first, and takes what has the fewest labels.
    for human in np.argsort(-np.array(design.loads), kind="stable"):
        own = np.lexsort((rng.random(design.n_items), n_labelled))[: design.loads[human]]
        n_labelled[own] += 1
        item.append(own)
        annotator += [f"human_{human}"] * own.size
        role += ["human"] * own.size
    for model in design.models:
        item.append(np.arange(design.n_items))
        annotator += [model] * design.n_items
        role += ["model"] * design.n_items
    items, is_model = np.concatenate(item), np.array(role) == "model"
    draw = _grades if design.scale == "ordinal" else _choices
    columns = {
        "item": numbered(items, "item_") + f"{_BETWEEN}q",
        "annotator": annotator,
        "label": np.array(names, dtype=object)[draw(rng, design, share, items, is_model)],
        "role": role,
    }
    return _tables(pd.DataFrame(columns).astype("str"))


def _above_chance(design: _Set, share: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the three agreements, corrected for chance."""
    chance = float((share**2).sum())
    humans, mixed, models = (max(0.0, (a - chance) / (1 - chance)) for a in design.agreement)
    return humans, mixed, models


def _choices(
    rng: np.random.Generator,
    design: _Set,
    share: NDArray[np.float64],
    item: NDArray[np.int64],
    is_model: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Draw nominal labels; on a hard item all know less often."""
    humans, mixed, models = _above_chance(design, share)
    know_human, know_model = (rate_for(known, design.correlation) for known in (humans, models))
    same = min(1.0, mixed / both([know_human], [know_model], design.correlation))
    category = rng.choice(share.size, (2, design.n_items), p=share)
    category[1] = np.where(rng.random(design.n_items) < same, category[0], category[1])
    knows = shared_ranks(rng, item, design.n_items, design.correlation) < np.where(
        is_model, know_model, know_human
    )
    guess = rng.choice(share.size, item.size, p=share)
    return np.where(knows, category[is_model.astype(int), item], guess)


def _grades(
    rng: np.random.Generator,
    design: _Set,
    share: NDArray[np.float64],
    item: NDArray[np.int64],
    is_model: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Draw ordinal labels, in which near grades are taken for one another."""
    # Imported here, as every job that names a data set imports this module.
    from annobench.simulation.panels import correlation_from_kappa, cut

    humans, mixed, models = (
        correlation_from_kappa(kappa, share) for kappa in _above_chance(design, share)
    )
    same = min(1.0, mixed / np.sqrt(humans * models))
    trait = rng.standard_normal((2, design.n_items))
    trait[1] = same * trait[0] + np.sqrt(1 - same**2) * trait[1]
    shared = np.where(is_model, models, humans)
    noise = rng.standard_normal(item.size)
    seen = np.sqrt(shared) * trait[is_model.astype(int), item] + np.sqrt(1 - shared) * noise
    return cut(seen, share)


def _counts(names: str, *numbers: int) -> dict[str, int]:
    return dict(zip(names.split(", "), numbers, strict=True))


_STARS = "1, 2, 3, 4, 5"
_SETS = (
    _Set(
        name="wax",
        title="Why two words are associated: relation in 246 explanations, and six models",
        citation=(
            "Liu, Cohn and Frermann (2022). WAX: A new dataset for word association explanations. "
            "AACL-IJCNLP, 106-120. "
            "https://aclanthology.org/2022.aacl-main.9/"
        ),
        n_items=246,
        models=_SIX,
        loads=(246, 246, 89, 233, 121, 110, 186, 149),
        counts=_counts(
            "Action, Antonym, Category-Exemplar-Pairs, Common-Phrase, Emotion-Evaluation, "
            "Function, Has-Prerequisite, HasProperty, Location, Material-MadeOf, "
            "Members-of-the-same-Category, None-of-the-above, PartOf, Result-In, Synonym, "
            "Thematic, Time",
            *(223, 17, 122, 121, 144, 389, 262, 304, 105, 25, 92, 15, 175, 298, 191, 330, 43),
        ),
        agreement=(0.326, 0.251, 0.417),
    ),
    _Set(
        name="lgbteen",
        title="Ten questions about answers to queer teenagers, and six models",
        citation=(
            "Lissak, Calderon, Shenkman, Ophir, Fruchter, Brunstein Klomek and Reichart (2024). "
            "The colorful future of LLMs: Evaluating and improving LLMs as emotional supporters "
            "for queer youth. NAACL, 2040-2079. "
            "https://doi.org/10.18653/v1/2024.naacl-long.113"
        ),
        n_items=880,
        models=_SIX,
        loads=(840, 880, 720, 120),
        counts=_counts(
            "Ignore, Irrelevant, No, No response, Partially, Yes", 163, 101, 1179, 120, 2567, 3710
        ),
        agreement=(0.689, 0.538, 0.608),
        correlation=0.4,
    ),
    _Set(
        name="mtbench",
        title="Which of two answers is better: 120 pairs of MT-Bench, and six models",
        citation=(
            "Zheng et al. (2023). Judging LLM-as-a-judge with MT-Bench and Chatbot Arena. Advances "
            "in Neural Information Processing Systems 36, 46595-46623. "
            "https://doi.org/10.48550/arXiv.2306.05685"
        ),
        n_items=120,
        models=_SIX,
        loads=(74, 84, 88),
        counts=_counts("model_a, model_b, tie", 395, 421, 150),
        agreement=(0.659, 0.522, 0.625),
        correlation=0.6,
    ),
    _Set(
        name="framing",
        title="Questions about the framing of articles on the climate, and six models",
        citation=(
            "Frermann, Li, Khanehzar and Mikolajczak (2023). Conflicts, villains, resolutions: "
            "Towards models of narrative media framing. ACL, 8712-8732. "
            "https://doi.org/10.18653/v1/2023.acl-long.486"
        ),
        n_items=2_552,
        models=_SIX,
        loads=(2_200, 2_552, 2_266, 638),
        counts=_counts("n/a: problem is resolved, no, yes", 8, 12_251, 10_709),
        agreement=(0.787, 0.706, 0.750),
        correlation=0.5,
    ),
    _Set(
        name="cebab_aspects",
        title="Sentiment on aspects of restaurants, and six models",
        citation=(
            "Abraham et al. (2022). CEBaB: Estimating the causal effects of real-world concepts on "
            "NLP model behavior. Advances in Neural Information Processing Systems 35, 17582-17596."
            " https://doi.org/10.48550/arXiv.2205.14140"
        ),
        n_items=1_008,
        models=_SIX,
        loads=(228, 697, 434, 502, 485, 214, 211, 407, 514, 340),
        counts=_counts("Negative, Positive, unknown", 688, 4_904, 4_488),
        agreement=(0.861, 0.831, 0.896),
        correlation=0.4,
    ),
    _Set(
        name="summeval",
        title="Four qualities of 1,600 summaries from 1 to 5, and six models",
        citation=(
            "Fabbri, Kryscinski, McCann, Xiong, Socher and Radev (2021). SummEval: Re-evaluating "
            "summarization evaluation. TACL 9, 391-409. "
            "https://doi.org/10.1162/tacl_a_00373"
        ),
        n_items=6_400,
        models=_SIX,
        loads=(6_400, 6_400, 6_400),
        counts=_counts(_STARS, 1_265, 7_668, 14_734, 14_981, 18_952),
        agreement=(0.604, 0.293, 0.371),
        scale="ordinal",
    ),
    _Set(
        name="10k_prompts",
        title="Quality of 1,698 prompts from 1 to 5, and six models",
        citation="Argilla and Hugging Face (2024). Data is better together: 10k_prompts_ranked.",
        n_items=1_698,
        models=_SIX,
        loads=(328, 663, 643, 898, 325, 414, 224, 54, 50, 53, 40, 101, 51),
        counts=_counts(_STARS, 368, 1_802, 2_935, 4_380, 4_547),
        agreement=(0.374, 0.353, 0.401),
        scale="ordinal",
    ),
    _Set(
        name="cebab_stars",
        title="Stars of 711 reviews of restaurants from 1 to 5, and six models",
        citation=(
            "Abraham et al. (2022). CEBaB: Estimating the causal effects of real-world concepts on "
            "NLP model behavior. Advances in Neural Information Processing Systems 35, 17582-17596."
            " https://doi.org/10.48550/arXiv.2205.14140"
        ),
        n_items=711,
        models=_SIX,
        loads=(331, 240, 200, 230, 210, 221, 170, 271, 160, 160),
        counts=_counts(_STARS, 945, 1_805, 1_368, 1_317, 1_024),
        agreement=(0.493, 0.528, 0.678),
        scale="ordinal",
    ),
    _Set(
        name="lesion",
        title="Five features of 100 images of skin lesions from 0 to 6, and four models",
        citation=(
            "Cheplygina and Pluim (2018). Crowd disagreement about medical images is informative. "
            "LABELS, MICCAI workshop, 105-111. "
            "https://doi.org/10.1007/978-3-030-01364-6_12"
        ),
        n_items=500,
        models=_FOUR,
        loads=(500, 500, 488, 499, 500, 493),
        counts=_counts("0, 1, 2, 3, 4, 5, 6", 1_653, 1_826, 1_114, 277, 77, 28, 5),
        agreement=(0.597, 0.512, 0.557),
        scale="ordinal",
    ),
    _Set(
        name="kilogram",
        title="What 993 tangram shapes look like, in free text, and four models",
        citation=(
            "Ji et al. (2022). Abstract visual reasoning with tangram shapes. EMNLP, 582-601. "
            "https://doi.org/10.18653/v1/2022.emnlp-main.38"
        ),
        n_items=993,
        models=_FOUR,
        loads=(
            *(107, 173, 175, 199, 117, 201, 237, 199, 139, 155, 85, 58, 160, 196, 200, 66, 199),
            *(199, 195, 189, 199, 200, 197, 79, 99, 199, 118, 143, 171, 199, 84, 197, 111, 95),
            *(110, 123, 190, 173, 68, 200, 200, 194, 65, 78, 75, 65, 79, 138, 76, 41),
        ),
        counts={},
        agreement=(0.032, 0.009, 0.115),
    ),
)

DATASETS = tuple(design.record() for design in _SETS)
