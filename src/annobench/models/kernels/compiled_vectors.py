"""Two or four numbers as one vector, for compiled loops over few categories.

Numba leaves ``a *= x[n]`` and ``b *= x[n + 1]`` two loads and two multiplications, and two stores
where they end in an array. A vector needs one of each, which halves or quarters the work of a
label. Positions count numbers from the start of an array of any dimensions, and nothing checks
them. Where a processor has no registers of that size the compiler takes smaller ones.
"""

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model


class Vector(types.Type):
    """The type of a vector of `size` float64."""

    def __init__(self, size):
        self.size = size
        super().__init__(name=f"Vector({size})")


@register_model(Vector)
class _VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), kind.size))


PAIR, FOUR, EIGHT = Vector(2), Vector(4), Vector(8)


@intrinsic
def load_pair(typing, array, at):
    """Return the two numbers that begin at a position."""
    return PAIR(array, at), _load


@intrinsic
def load_four(typing, array, at):
    """Return the four numbers that begin at a position."""
    return FOUR(array, at), _load


@intrinsic
def load_eight(typing, array, at):
    """Return the eight numbers that begin at a position."""
    return EIGHT(array, at), _load


@intrinsic
def load(typing, like, array, at):
    """Return as many numbers as another vector has."""
    return like(like, array, at), _load


def _load(context, builder, signature, values):
    place = _address(context, builder, signature.return_type, signature.args[-2], *values[-2:])
    found = builder.load(place)
    found.align = 8  # arrays promise no more
    return found


@intrinsic
def store(typing, array, at, vector):
    """Write the numbers of a vector from a position on."""

    def code(context, builder, signature, values):
        kind = signature.args[2]
        done = builder.store(
            values[2], _address(context, builder, kind, signature.args[0], *values[:2])
        )
        done.align = 8
        return context.get_dummy_value()

    return types.void(array, at, vector), code


def _address(context, builder, kind, array_kind, array, at):
    data = context.make_array(array_kind)(context, builder, array).data
    pointer = context.get_value_type(kind).as_pointer()
    return builder.bitcast(builder.gep(data, [at]), pointer)


@intrinsic
def multiply(typing, first, second):
    """Return the products of two vectors' numbers."""
    return first(first, second), lambda _c, builder, _s, values: builder.fmul(*values)


@intrinsic
def add(typing, first, second):
    """Return the sums of two vectors' numbers."""
    return first(first, second), lambda _c, builder, _s, values: builder.fadd(*values)


@intrinsic
def quotient(typing, first, second):
    """Return the quotients of two vectors' numbers."""
    return first(first, second), lambda _c, builder, _s, values: builder.fdiv(*values)


@intrinsic
def scale(typing, vector, factor):
    """Return a vector times a number."""
    return vector(vector, types.float64), lambda c, builder, s, values: builder.fmul(
        values[0], _spread(c, builder, s, values[1])
    )


@intrinsic
def divide(typing, vector, divisor):
    """Return a vector divided by a number."""
    return vector(vector, types.float64), lambda c, builder, s, values: builder.fdiv(
        values[0], _spread(c, builder, s, values[1])
    )


def _spread(context, builder, signature, number):
    kind = context.get_value_type(signature.return_type)
    nothing = ir.Constant(kind, ir.Undefined)
    alone = builder.insert_element(nothing, number, _index(0))
    everywhere = ir.Constant(ir.VectorType(ir.IntType(32), kind.count), [0] * kind.count)
    return builder.shuffle_vector(alone, nothing, everywhere)


@intrinsic
def total(typing, vector):
    """Return the sum of a vector's numbers, from the first to the last."""

    def code(context, builder, signature, values):
        found = builder.extract_element(values[0], _index(0))
        for k in range(1, signature.args[0].size):
            found = builder.fadd(found, builder.extract_element(values[0], _index(k)))
        return found

    return types.float64(vector), code


def _index(k):
    return ir.Constant(ir.IntType(32), k)


@intrinsic
def least(typing, vector):
    """Return the least of a vector's numbers, ignoring NaN."""

    def code(context, builder, signature, values):
        found = builder.extract_element(values[0], _index(0))
        for k in range(1, signature.args[0].size):
            other = builder.extract_element(values[0], _index(k))
            found = builder.select(builder.fcmp_ordered("<", other, found), other, found)
        return found

    return types.float64(vector), code


@intrinsic
def length(typing, vector):
    """Return how many numbers a vector has."""
    return types.int64(vector), lambda _c, _b, signature, _v: ir.Constant(
        ir.IntType(64), signature.args[0].size
    )
