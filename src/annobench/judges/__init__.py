"""Judges: annotators that are programs, such as language models, beside the humans of a panel."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=[
        "agreement",
        "assessment",
        "baselines",
        "consistency",
        "planning",
        "rates",
        "worth",
    ],
    submod_attrs={
        "alternative_annotators": ["alternative_annotator_test"],
        "assessment": ["assess"],
        "panel": ["split_judges"],
        "prevalence": ["JudgedCounts", "estimate_prevalence"],
    },
)
