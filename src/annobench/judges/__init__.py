"""Judges: programs as annotators, such as language models, compared with a panel of humans."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "agreement",
        "assessment",
        "baselines",
        "consistency",
        "groups",
        "jury",
        "planning",
        "rates",
        "worth",
    ],
    submod_attrs={
        "alternative_annotators": ["alternative_annotator_test"],
        "assessment": ["assess"],
        "jury": ["effective_judges"],
        "panel": ["split_judges"],
        "prevalence": ["JudgedCounts", "estimate_prevalence"],
    },
)
