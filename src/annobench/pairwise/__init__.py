"""Pairwise judgements: which of two was better, and the ranking that follows."""

import lazy_loader

# Listed in one place for tab completion; imported when they are used.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "comparisons": ["Comparisons"],
        "strengths": ["BradleyTerry", "bradley_terry"],
    },
)
