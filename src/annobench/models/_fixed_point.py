"""Fixed points of EM and its relatives: acceleration with a safeguard, and one stopping rule.

The stopping rule. An iteration has arrived if no probability of a category is farther from its
limit than the tolerance. A small step is no such evidence, as EM may advance by a ten-thousandth of
the distance at a time. If steps shrink by the rate r, a step that follows one of length d has the
length r d, and the distance left is at most r d / (1 - r). Parameters are converted to
probabilities by the last step, whose length in both is known. The rate is the largest ratio of
changes of images to changes of points among the last iterations.

The acceleration is Anderson's. A proposal that lowers the objective is refused and shortened, as in
Henderson and Varadhan (2019), Damped Anderson acceleration with restarts and monotonicity control
for accelerating EM and EM-like algorithms, Journal of Computational and Graphical Statistics 28,
834-846. A proposal that goes against the iteration's own step leads back to an unstable point, such
as a saddle; the opposite step leads on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np

from annobench.models._anderson import KEPT, Anderson, inner
from annobench.models._votes import Floats

#: How far a category's probability may be from its limit.
TOLERANCE: Final = 1e-6
#: The stopping rule in the records of models.
SETTLED: Final = "no posterior is farther than 1e-6 from its limit"
#: Updates before any is accelerated: far from the limit the iteration itself chooses the optimum.
PLAIN: Final = 10
#: Of the tolerance: after ten updates that move no probability by more, what is left is rounding
#: error, whose rate means nothing. EM advances by a ten-thousandth of the distance at least.
_STILL: Final = 1e-4
#: Of the objective: it may fall by this share without falling.
_ROUNDING: Final = 1e-13
#: Of the objective, a change that is quadratic in those of probabilities.
_NEAR: Final = 1e-6
#: A proposal keeps this share of an image's distance from a bound, as EM never leaves one.
_INSIDE: Final = 0.1
#: By which steps are lengthened after a success and shortened after a failure, and the shortest.
_LONGER, _SHORTER, _SHORTEST = 2.0, 0.25, 0.05

P = TypeVar("P")
E = TypeVar("E")
#: Makes a proposal possible, given the image that the iteration itself would go to.
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


def kept_shares(proposal: Floats, image: Floats) -> Floats:
    """Keep proposed shares positive; they sum to 1 along the last axis, as those of the image."""
    shares = kept_positive(proposal, image)
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))


class Settling:
    """The stopping rule."""

    def __init__(self, tolerance: float) -> None:
        self._tolerance = tolerance
        self.before: tuple[Floats, Floats] | None = None
        self.rates: deque[float] = deque(maxlen=KEPT)
        self._moves: deque[float] = deque(maxlen=PLAIN)

    @property
    def rate(self) -> float:
        """The rate of convergence; at least 1 while the iteration moves away from a point."""
        return max(self.rates, default=1.0)

    def may_settle(self, moved: float) -> bool:
        """Say whether probabilities that moved by so much may have settled."""
        return 0 < self._tolerance >= moved

    @property
    def _is_still(self) -> bool:
        """Whether the last moves are rounding errors, and do not grow, as they do from a saddle."""
        moves = self._moves
        is_small = max(moves) <= _STILL * self._tolerance
        return len(moves) == PLAIN and is_small and moves[-1] <= moves[0]

    def has_settled(self, point: Floats, image: Floats, moved: float | None = None) -> bool:
        """Say whether the probabilities at a point are at most the tolerance from their limit.

        `moved` is the largest change of a probability since the last point; by default the points
        are the probabilities. With a tolerance of 0 nothing settles.
        """
        before, self.before = self.before, (point, image)
        if before is None:
            return False
        step, change = _length(point - before[0]), _length(image - before[1])
        if moved is None:
            moved = float(np.abs(point - before[0]).max(initial=0))
        if step > 0:
            self.rates.append(change / step)
        self._moves.append(moved)
        if not self.may_settle(moved):
            return False
        left = _length(image - point)
        if left <= 4 * np.finfo(float).eps * _length(point) or self._is_still:
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
    is_plain : bool
        Whether no update is accelerated.
    """

    def __init__(
        self, start: Floats, tolerance: float, max_iterations: int, mend: Mend = as_proposed
    ) -> None:
        self.point = start
        self.history: list[float] = []
        self.converged = False
        self._settling = Settling(tolerance)
        self._anderson = Anderson(max(start.size, 1))
        self.is_plain = tolerance == 0
        self._tolerance, self._max_iterations = tolerance, max_iterations
        self._mend = mend
        self._step, self._length = np.zeros_like(start), 1.0
        self._extrapolates, self._refused = False, False

    @property
    def n_iterations(self) -> int:
        """Updates so far; refused ones do not count."""
        return len(self.history) - 1

    @property
    def is_on(self) -> bool:
        """Whether `point` is to be evaluated."""
        return not self.converged and (self._refused or self.n_iterations < self._max_iterations)

    def receive(self, image: Floats, moved: float | None, value: float) -> None:
        """Take the image of `point`, and choose the next point.

        `moved` is the largest change of a probability since the point evaluated before, None if
        points are probabilities, and `value` what the iteration maximises, NaN if nothing known.
        """
        if self.refuses(value):
            return
        # After a refusal the change since the last accepted point is unknown.
        since = np.inf if self._refused else moved
        self._refused = False
        self.history.append(value)
        if self._settling.has_settled(self.point, image, since):
            self.converged = True
            return
        if self.n_iterations == self._max_iterations:
            return
        if self._extrapolates:
            self._length = min(self._length * _LONGER, 1.0)
        memory = self._anderson
        memory.add(self.point, image)
        if np.isnan(value) and memory.grows:
            memory.clear()
        if self.is_plain or len(self.history) < PLAIN:
            self.point = image
            return
        self._step, own = memory.proposal() - image, memory.residuals[-1]
        if inner(self._step + own, own) < 0 and not np.isnan(value):
            self._step = -self._step
        self._extrapolate()

    def refuses(self, value: float) -> bool:
        """Say whether the value at `point` is too low, and if so choose a point nearer by."""
        least = self.history[-1] - _ROUNDING * abs(self.history[-1]) if self.history else -np.inf
        if not (self._extrapolates and value < least):
            return False
        self._refused = True
        self._length *= _SHORTER
        self._extrapolate()
        return True

    def _extrapolate(self) -> None:
        image = self._anderson.images[-1]
        self._extrapolates = self._length >= _SHORTEST
        if self._extrapolates:
            self.point = self._mend(image + self._length * self._step, image)
        else:
            self.point, self._length = image, 1.0
            self._anderson.clear()

    def is_last(self, moved: float) -> bool:
        """Say whether `point` is the last, and its image not needed to see that it has not settled.

        `moved` as for `receive`.
        """
        return len(self.history) == self._max_iterations and not self._settling.may_settle(moved)

    @property
    def is_near(self) -> bool:
        """Whether the objective hardly changes any more, without which nothing has settled."""
        last = self.history[-2:]
        change = max(_NEAR, self._tolerance)
        return len(last) == 2 and abs(last[1] - last[0]) <= change * abs(last[1])

    def state(self) -> dict[str, Floats]:
        """Return what another search needs to go on, before `receive`."""
        memory, settling = self._anderson, self._settling
        vectors = [self._step, *memory.images, *memory.residuals, *(settling.before or ())]
        numbers = [self._length, self._extrapolates, self._refused, len(memory.images)]
        return {
            "vectors": np.array(vectors),
            "numbers": np.array(numbers, dtype=np.float64),
            "rates": np.array(settling.rates),
            "history": np.array(self.history),
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Go on from the state of another search, whose point is this one's start."""
        self._length, extrapolates, refused, number = state["numbers"].tolist()
        self._extrapolates, self._refused, n = bool(extrapolates), bool(refused), int(number)
        self._step, *vectors = state["vectors"]
        self._anderson.images.extend(vectors[:n])
        self._anderson.residuals.extend(vectors[n : 2 * n])
        self._settling.before = tuple(vectors[2 * n :]) or None
        self._settling.rates.extend(state["rates"].tolist())
        self.history.extend(state["history"].tolist())


def _length(vector: Floats) -> float:
    return float(np.sqrt(inner(vector, vector)))


class Space(NamedTuple):
    """How parameters are laid out as a vector.

    Attributes
    ----------
    pack, unpack : callable
        From parameters to a vector, shape (size,), and back.
    mend : callable
        Makes a proposed vector possible.
    is_whole : bool
        Whether a vector holds all parameters; otherwise none is accelerated.
    """

    pack: Callable[[Any], Floats]
    unpack: Callable[[Floats], Any]
    mend: Mend = as_proposed
    is_whole: bool = True


def space_of(example: tuple[Any, ...], mends: Sequence[Mend]) -> Space:
    """Lay out a named tuple of arrays, each of which is mended by a function of its own."""
    shapes = [np.shape(part) for part in example]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]

    def parts(vector: Floats) -> list[Floats]:
        return [
            part.reshape(shape) for part, shape in zip(np.split(vector, ends), shapes, strict=True)
        ]

    def pack(parameters: tuple[Any, ...]) -> Floats:
        return np.concatenate([np.ravel(part) for part in parameters])

    def mend(proposal: Floats, image: Floats) -> Floats:
        pairs = zip(mends, parts(proposal), parts(image), strict=True)
        return pack(tuple(one(part, of_image) for one, part, of_image in pairs))

    return Space(pack, lambda vector: type(example)(*parts(vector)), mend)


@dataclass(eq=False)
class EMTrace(Generic[P, E]):
    """The state of EM after the last update, and how it was reached.

    Attributes
    ----------
    parameters : object
        The last parameters; the other attributes refer to them.
    expected : object
        Result of the E-step: the items' posterior, or sums over items.
    log_likelihood : float
        Log likelihood of the labels.
    history : list of float
        The objective at the start and after every update.
    converged : bool
        Whether the items' probabilities have settled.
    """

    parameters: P
    expected: E
    log_likelihood: float
    history: list[float] = field(default_factory=list)
    converged: bool = False

    @property
    def n_iterations(self) -> int:
        """Updates of the parameters."""
        return len(self.history) - 1


def run_em(
    start: P,
    expect: Callable[[P], tuple[E, float, float]],
    maximise: Callable[[E, P], P],
    tolerance: float,
    max_iterations: int,
    *,
    space: Space,
    moved: Callable[[E, E], float],
    resumed: Mapping[str, Any] | None = None,
    follow: Callable[[P, Search], None] = lambda parameters, search: None,
) -> EMTrace[P, E]:
    """Run EM from a start.

    `expect` returns the result of an E-step, the log likelihood and the objective, and `moved` the
    largest change of a posterior between two E-steps. `follow` gets the parameters after each.
    """
    search = Search(space.pack(start), tolerance, max_iterations, space.mend)
    search.is_plain |= not space.is_whole
    if resumed is not None:
        search.resume(resumed)
    parameters, before = start, None
    while True:
        expected, log_likelihood, value = expect(parameters)
        follow(parameters, search)
        change = np.inf if before is None else moved(before, expected)
        before = expected
        if not search.refuses(value):
            state = EMTrace(parameters, expected, log_likelihood, search.history)
            image, packed = parameters, search.point
            if not search.is_last(change):
                image = maximise(expected, parameters)
                packed = space.pack(image)
            search.receive(packed, change, value)
            if not search.is_on:
                state.converged = search.converged
                return state
            if search.point is packed:
                parameters = image
                continue
        parameters = space.unpack(search.point)


def largest_change(before: Floats, after: Floats) -> float:
    """Return the largest change of a probability."""
    return float(np.abs(after - before).max(initial=0))
