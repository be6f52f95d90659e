"""Tolerances used in several packages, each defined once and named after its purpose.

Tolerances of a single module are defined there, under other names.
"""

from __future__ import annotations

from typing import Final

#: What is at most this, or a share of its own parts, is 0: parts that cancel leave some 1e-16.
ZERO: Final = 1e-12
#: A number of items that is computed so close to a whole number is that number: 0.8 of 10 labels
#: are 8.
WHOLE: Final = 1e-9
#: How far the probabilities of a distribution may be from summing to 1.
SUM_TO_ONE: Final = 1e-6
