"""Anderson acceleration of fixed-point iterations.

Walker and Ni (2011), Anderson acceleration for fixed-point iterations, SIAM Journal on Numerical
Analysis 49, 1715-1735, algorithm AA. Least squares are solved by orthogonal factors, not by normal
equations: where EM is slow, residuals change by little, and their squares by nothing.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from annobench.models._votes import Floats

#: Differences of points that are kept, and the numbers that all of them may have.
KEPT, _NUMBERS = 10, 20_000_000

#: Of the largest singular value; directions with less are not used.
_NEGLIGIBLE = 1e-12


def inner(one: Floats, other: Floats) -> float:
    """Return the inner product, without BLAS, whose threads wait long where cores are busy."""
    return float(np.einsum("i,i->", one, other))


class Anderson:
    """Extrapolates to the fixed point of a map by least squares over the last points."""

    def __init__(self, size: int) -> None:
        kept = min(KEPT, max(2, _NUMBERS // (2 * size)))
        self.images: deque[Floats] = deque(maxlen=kept + 1)
        self.residuals: deque[Floats] = deque(maxlen=kept + 1)

    @property
    def grows(self) -> bool:
        """Whether the last residual is longer than the one before it."""
        if len(self.residuals) < 2:
            return False
        before, last = self.residuals[-2], self.residuals[-1]
        return inner(last, last) > inner(before, before)

    def clear(self) -> None:
        """Forget all points but the last."""
        for several in (self.images, self.residuals):
            last = several.pop()
            several.clear()
            several.append(last)

    def add(self, point: Floats, image: Floats) -> None:
        """Add a point and its image, each of shape (size,)."""
        self.images.append(image)
        self.residuals.append(image - point)

    def proposal(self) -> Floats:
        """Return the next point; the last image while there is one point alone."""
        changes = np.diff(np.array(self.residuals), axis=0)
        length = np.sqrt(np.einsum("ij,ij->i", changes, changes))
        moves = length > 0
        if not moves.any():
            return self.images[-1]
        changes, length = changes[moves], length[moves]
        orthogonal, triangular = np.linalg.qr((changes / length[:, None]).T)
        weights = np.linalg.lstsq(triangular, orthogonal.T @ self.residuals[-1], rcond=_NEGLIGIBLE)[
            0
        ]
        steps = np.diff(np.array(self.images), axis=0)[moves]
        return np.asarray(self.images[-1] - (weights / length) @ steps)
