"""Fixed points of EM and its relatives: acceleration with a safeguard, and one stopping rule.

The stopping rule. An iteration has arrived if no probability of a category is farther from its
limit than the tolerance. A small step is no such evidence, as EM may advance by a ten-thousandth of
the distance at a time. If steps shrink by the rate r, a step that follows one of length d has the
length r d, and the distance left is at most r d / (1 - r). Parameters are converted to
probabilities by the last step, whose length in both is known. The rate is the largest ratio of
changes of images to changes of points among the last iterations.

The acceleration is Anderson's. A proposal that lowers the objective is refused, as in Henderson and
Varadhan (2019), Damped Anderson acceleration with restarts and monotonicity control for
accelerating EM and EM-like algorithms, Journal of Computational and Graphical Statistics 28,
834-846. Then EM's own step is taken, lengthened as long as the objective rises: adaptive
overrelaxed EM of Salakhutdinov and Roweis (2003), ICML, 664-671.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from annobench.models._anderson import KEPT, Anderson
from annobench.models._votes import Floats

#: How far a category's probability may be from its limit.
TOLERANCE: Final = 1e-6
#: The stopping rule in the records of models.
SETTLED: Final = "no posterior is farther than 1e-6 from its limit"
#: Updates before any is accelerated: far from the limit the iteration itself chooses the optimum.
PLAIN: Final = 10
#: Of the objective: it may fall by this share without falling.
_ROUNDING: Final = 1e-13
#: A proposal keeps this share of an image's distance from a bound, as EM never leaves one.
_INSIDE: Final = 0.1
#: By which a step is lengthened after a success, and shortened after a failure.
_LONGER, _SHORTER = 2.0, 0.25

Mend = Callable[[Floats, Floats], Floats]


def as_proposed(proposal: Floats, image: Floats) -> Floats:
    """Return a proposal of parameters without bounds."""
    return proposal


def kept_positive(proposal: Floats, image: Floats) -> Floats:
    """Keep proposed parameters above 0, as those of the image are."""
    return np.maximum(proposal, _INSIDE * image)


def kept_probable(proposal: Floats, image: Floats) -> Floats:
    """Keep proposed probabilities between 0 and 1, as those of the image are."""
    return 1 - kept_positive(1 - kept_positive(proposal, image), 1 - image)


class Settling:
    """The stopping rule."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self._before: tuple[Floats, Floats] | None = None
        self._rates: deque[float] = deque(maxlen=KEPT)

    @property
    def rate(self) -> float:
        """The rate of convergence; at least 1 while the iteration moves away from a point."""
        return max(self._rates, default=1.0)

    def has_settled(self, point: Floats, image: Floats, moved: float | None = None) -> bool:
        """Say whether the probabilities at a point are at most the tolerance from their limit.

        `moved` is the largest change of a probability since the last point; by default the points
        are the probabilities. With a tolerance of 0 nothing settles.
        """
        before, self._before = self._before, (point, image)
        if before is None:
            return False
        step, change = _length(point - before[0]), _length(image - before[1])
        if moved is None:
            moved = float(np.abs(point - before[0]).max(initial=0))
        if step > 0:
            self._rates.append(change / step)
        if not (0 < self._tolerance >= moved):
            return False
        left = _length(image - point)
        if left <= 4 * np.finfo(float).eps * _length(point):
            return True
        return self.rate < 1 and moved * left <= self._tolerance * (1 - self.rate) * step


class Search:
    """The search for a fixed point.

    The caller evaluates `point`, hands its image to `receive`, and goes on while `is_on`. With a
    tolerance of 0 all updates are done, and none is accelerated.

    Attributes
    ----------
    point : ndarray, shape (size,)
        The point to be evaluated; at the end the last one that was accepted.
    history : list of float
        The objective at the start and after every update.
    converged : bool
        Whether the probabilities have settled.
    """

    def __init__(
        self, start: Floats, tolerance: float, max_iterations: int, mend: Mend = as_proposed
    ) -> None:
        self.point = start
        self.history: list[float] = []
        self.converged = False
        self._settling = Settling(tolerance)
        self._anderson = Anderson(max(start.size, 1))
        self._plain = PLAIN if tolerance > 0 else np.inf
        self._max_iterations = max_iterations
        self._mend = mend
        self._accepted = start
        self._kind, self._stretch, self._refused = "plain", 1.0, False

    @property
    def n_iterations(self) -> int:
        """Updates so far; refused ones do not count."""
        return len(self.history) - 1

    @property
    def is_on(self) -> bool:
        """Whether `point` is to be evaluated."""
        return not self.converged and (self._refused or self.n_iterations < self._max_iterations)

    def receive(self, image: Floats, moved: float, value: float) -> None:
        """Take the image of `point`, and choose the next point.

        `moved` is the largest change of a probability since the point evaluated before, and `value`
        what the iteration maximises, NaN if it maximises nothing.
        """
        if self._kind != "plain" and value < self.history[-1] - _ROUNDING * abs(self.history[-1]):
            self._refuse()
            return
        # After a refusal the change since the last accepted point is unknown.
        since = np.inf if self._refused else moved
        self._refused, self._accepted = False, self.point
        self.history.append(value)
        if self._settling.has_settled(self.point, image, since):
            self.converged = True
            return
        if self.n_iterations == self._max_iterations:
            return
        if self._kind == "lengthened":
            self._stretch *= _LONGER
        memory = self._anderson
        memory.add(self.point, image)
        if np.isnan(value) and memory.grows:
            memory.clear()
        if len(self.history) < self._plain:
            self.point = image
        elif self._kind == "lengthened" and self._settling.rate >= 1:
            self._lengthen()
        else:
            self._kind = "accelerated"
            self.point = self._mend(memory.proposal(), image)

    def _refuse(self) -> None:
        """Go back to the last accepted point, and take the iteration's own step, or more of it."""
        self._refused = True
        if self._kind == "accelerated":
            self._anderson.clear()
            self._stretch = max(self._stretch, _LONGER)
        else:
            self._stretch = max(self._stretch * _SHORTER, 1.0)
        self._lengthen()

    def _lengthen(self) -> None:
        image = self._anderson.images[-1]
        if self._stretch > 1:
            self._kind = "lengthened"
            proposal = self._accepted + self._stretch * (image - self._accepted)
            self.point = self._mend(proposal, image)
        else:
            self._kind, self.point = "plain", image


def _length(vector: Floats) -> float:
    return float(np.sqrt(vector @ vector))
