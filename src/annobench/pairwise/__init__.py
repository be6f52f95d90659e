"""Pairwise judgements and rankings from them."""

import lazy_loader

# Listed in one place for tab completion; imported when they are used.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "comparisons": ["Comparisons"],
        "strengths": ["BradleyTerry", "bradley_terry"],
    },
)
