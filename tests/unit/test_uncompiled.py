"""Loops that are not compiled compute as compiled ones do."""

import math
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from annobench.core import uncompiled
from annobench.core.compiled import kernel
from annobench.models.kernels import compiled_vectors, plain_vectors


class Data(NamedTuple):
    code: np.ndarray
    scale: float


def of_narrow(code, out):
    for n in range(code.size):
        out[n] = code[n] * 1000 + code[n]
    return out[:2], code.size


def of_tuple(data):
    return data.code[1] * 100, data.scale / 0.0


def quotients(x, zero):
    return x[0] / zero, -x[0] / zero


def both(function, *arguments):
    return uncompiled.as_compiled(function, lambda: None)(*arguments), kernel()(function)(
        *arguments
    )


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_narrow_integers_do_not_overflow(kind):
    code, out = np.array([100, 127, 3], dtype=kind), np.zeros(3, dtype=np.int32)
    (found, size), (compiled, _) = both(of_narrow, code, out)
    np.testing.assert_array_equal(found, [100_100, 127_127])
    np.testing.assert_array_equal(out, [100_100, 127_127, 3003])
    np.testing.assert_array_equal(compiled, found)
    assert type(found) is np.ndarray
    assert size == 3


def test_parts_of_tuples_are_as_wide_and_a_division_by_zero_is_infinite():
    product, quotient = uncompiled.as_compiled(of_tuple, lambda: None)(
        Data(np.array([1, 100], dtype=np.int8), 2.0)
    )
    assert product == 10_000
    assert quotient == math.inf
    found = uncompiled.as_compiled(quotients, lambda: None)(np.array([1.0]), 0.0)
    assert found == (math.inf, -math.inf)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        *(("log", 0.0, -math.inf), ("log", -1.0, math.nan), ("log", math.e, 1.0)),
        *(("log1p", -1.0, -math.inf), ("log1p", -2.0, math.nan), ("sqrt", -1.0, math.nan)),
        *(("exp", 1e4, math.inf), ("exp", -1e4, 0.0), ("lgamma", 0.0, math.inf)),
    ],
)
@pytest.mark.filterwarnings("ignore:(divide by zero|invalid value):RuntimeWarning")
def test_functions_stop_at_nothing(name, x, expected):
    assert getattr(uncompiled.math, name)(x) == pytest.approx(expected, nan_ok=True)


def test_a_kernel_that_another_calls_is_not_prepared_again():
    begun = []
    inner = uncompiled.as_compiled(lambda x: x[0] + 1, lambda: begun.append("inner"))
    outer = uncompiled.as_compiled(lambda x: inner(x) + 1, lambda: begun.append("outer"))
    assert outer(np.array([250], dtype=np.uint8)) == 252
    assert begun == ["outer"]
    assert inner(np.array([255], dtype=np.uint8)) == 256
    with pytest.raises(IndexError):
        outer(np.array([]))
    assert inner(np.array([1])) == 2
    assert begun == ["outer", "inner", "outer", "inner"]


#: Uses every function of vectors on numbers that begin at a place of a table.
def of_vectors(vectors, load):
    multiply, add, quotient = vectors.multiply, vectors.add, vectors.quotient
    scale, divide, total, least = vectors.scale, vectors.divide, vectors.total, vectors.least
    again, store, length = vectors.load, vectors.store, vectors.length

    def run(table, out):
        first = load(table, np.uint64(1))
        second = again(first, table, np.uint64(2))
        found = add(multiply(first, second), quotient(first, second))
        found = divide(scale(found, 3.0), 7.0)
        store(out, np.uint64(length(found)), found)
        return total(found), least(found), least(quotient(first, scale(first, 0.0)))

    return run


@pytest.mark.parametrize(("name", "size"), [("load_pair", 2), ("load_four", 4), ("load_eight", 8)])
def test_plain_vectors_are_those_of_the_compiler(name, size):
    table = np.random.default_rng(1).random((3, 4))
    outs = np.zeros((2, 4, 4))
    run = of_vectors(plain_vectors, getattr(plain_vectors, name))
    found = uncompiled.as_compiled(run, lambda: None)(table, outs[0])
    run = of_vectors(compiled_vectors, getattr(compiled_vectors, name))
    compiled = kernel(error_model="numpy")(run)(table, outs[1])
    assert found == compiled
    np.testing.assert_array_equal(outs[0], outs[1])
    assert np.count_nonzero(outs[0]) == size


def test_a_library_that_is_there_and_can_not_be_loaded_is_named_once():
    program = (
        "import sys; sys.modules['llvmlite'] = None\n"
        "import numpy as np\n"
        "from annobench.core.compiled import default_threads\n"
        "from annobench.resampling._tally import tally\n"
        "for _ in range(2): print(tally(np.array([[0, 0, 1]]), 2).tolist())\n"
        "assert default_threads() >= 1\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["[[2.0, 1.0]]"] * 2
    assert done.stderr.count("Loops run uncompiled, as numba can't be imported (") == 1
    assert "llvmlite" in done.stderr
    assert done.stderr.endswith("pip install numba\n")
