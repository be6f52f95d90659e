"""Judges: automatic annotators, such as language models, compared with a panel of humans."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "agreement",
        "assessment",
        "at_work",
        "baselines",
        "bias",
        "consistency",
        "drift",
        "groups",
        "jury",
        "planning",
        "rates",
        "scores",
        "systems",
        "worth",
    ],
    submod_attrs={
        "alternative_annotators": ["alternative_annotator_test"],
        "assessment": ["assess"],
        "bias": ["judge_bias"],
        "drift": ["judge_drift"],
        "jury": ["effective_judges"],
        "panel": ["split_judges"],
        "prevalence": ["JudgedCounts", "estimate_prevalence"],
        "scores": ["score_items"],
        "systems": ["compare_systems"],
    },
)
