"""Anderson acceleration of fixed-point iterations.

Walker and Ni (2011), Anderson acceleration for fixed-point iterations, SIAM Journal on Numerical
Analysis 49, 1715-1735, algorithm AA.
"""

from __future__ import annotations

from collections import deque

import numpy as np

from annobench.models._votes import Floats

#: Differences of points that are kept, and the numbers that all of them may have.
_KEPT, _NUMBERS = 6, 20_000_000

#: Of the trace of the normal equations, which keeps them solvable.
_RIDGE = 1e-10


class Anderson:
    """Extrapolates to the fixed point of a map by least squares over the last points.

    It restarts whenever the residual grows, so that a bad proposal costs one iteration.
    """

    def __init__(self, size: int) -> None:
        kept = min(_KEPT, max(2, _NUMBERS // (2 * size)))
        self._images: deque[Floats] = deque(maxlen=kept + 1)
        self._residuals: deque[Floats] = deque(maxlen=kept + 1)

    def propose(self, point: Floats, image: Floats) -> Floats:
        """Return the next point, given the image of the last one, both of shape (size,)."""
        residual = image - point
        if self._residuals and residual @ residual > self._residuals[-1] @ self._residuals[-1]:
            self._images.clear()
            self._residuals.clear()
        self._images.append(image)
        self._residuals.append(residual)
        if len(self._residuals) < 2:
            return image
        changes = np.diff(np.array(self._residuals), axis=0)
        normal = changes @ changes.T
        normal += (_RIDGE * np.trace(normal) + np.finfo(float).tiny) * np.eye(len(normal))
        weights = np.linalg.solve(normal, changes @ residual)
        return np.asarray(image - weights @ np.diff(np.array(self._images), axis=0))
