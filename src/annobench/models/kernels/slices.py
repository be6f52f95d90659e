"""Compiled slice sampling (Neal 2003) of one parameter, one evaluation of its density at a time.

A slice is an array: its ends, its level, what it began from and with, and its phase::

    x = begin_slice(rng, place, origin, log density there, width, lowest, highest)
    while not isnan(x):
        x = next_point(rng, place, x, log density at x)

When it ends the last x is the draw.
"""

from __future__ import annotations

import numpy as np

from annobench.core.compiled import kernel, math

#: Numbers of a slice.
SIZE = 8
BEGIN, END, LEVEL, ORIGIN, WIDTH, LOWEST, HIGHEST, PHASE = range(SIZE)
#: Phases: looking for the ends below and above, drawing, and going back to the origin.
DOWN, UP, DRAW, BACK = range(4)


@kernel()
def begin_slice(rng, place, origin, log_density, width, lowest, highest):
    """Write a new slice, and return where the density is needed first."""
    place[BEGIN] = max(origin - width * rng.random(), lowest)
    place[END] = min(place[BEGIN] + width, highest)
    place[LEVEL] = log_density + math.log(1.0 - rng.random())
    place[ORIGIN], place[WIDTH], place[LOWEST], place[HIGHEST] = origin, width, lowest, highest
    place[PHASE] = DOWN
    return _next(rng, place)


@kernel()
def next_point(rng, place, x, log_density):
    """Return where the density is needed next, given what it is at x; NaN if x is the draw."""
    inside = log_density > place[LEVEL]
    if place[PHASE] == DOWN:
        if inside:
            place[BEGIN] = max(place[BEGIN] - place[WIDTH], place[LOWEST])
        else:
            place[PHASE] = UP
    elif place[PHASE] == UP:
        if inside:
            place[END] = min(place[END] + place[WIDTH], place[HIGHEST])
        else:
            place[PHASE] = DRAW
    elif inside or place[PHASE] == BACK:
        return np.nan
    elif x < place[ORIGIN]:
        place[BEGIN] = x
    else:
        place[END] = x
    return _next(rng, place)


@kernel()
def _next(rng, place):
    if place[PHASE] == DOWN:
        if place[BEGIN] > place[LOWEST]:
            return place[BEGIN]
        place[PHASE] = UP
    if place[PHASE] == UP:
        if place[END] < place[HIGHEST]:
            return place[END]
        place[PHASE] = DRAW
    if place[END] - place[BEGIN] < 1e-10:
        place[PHASE] = BACK
        return place[ORIGIN]
    return place[BEGIN] + (place[END] - place[BEGIN]) * rng.random()
