"""The vectors of `compiled_vectors` as small arrays, for loops that are not compiled."""

from __future__ import annotations

from operator import add, mul, truediv

__all__ = [
    "add",
    "divide",
    "least",
    "length",
    "load",
    "load_eight",
    "load_four",
    "load_pair",
    "multiply",
    "quotient",
    "scale",
    "store",
    "total",
]

multiply = scale = mul
quotient = divide = truediv
length = len


def load_pair(array, at):
    """Return the two numbers that begin at a position."""
    return _load(array, at, 2)


def load_four(array, at):
    """Return the four numbers that begin at a position."""
    return _load(array, at, 4)


def load_eight(array, at):
    """Return the eight numbers that begin at a position."""
    return _load(array, at, 8)


def load(like, array, at):
    """Return as many numbers as another vector has."""
    return _load(array, at, len(like))


def _load(array, at, size):
    at = int(at)
    return array.reshape(-1)[at : at + size].copy()


def store(array, at, vector):
    """Write the numbers of a vector from a position on."""
    at = int(at)
    array.reshape(-1)[at : at + len(vector)] = vector


def total(vector):
    """Return the sum of a vector's numbers, from the first to the last."""
    found = vector[0]
    for number in vector[1:]:
        found += number
    return found


def least(vector):
    """Return the least of a vector's numbers, ignoring NaN."""
    found = vector[0]
    for number in vector[1:]:
        if number < found:
            found = number
    return found
