"""Comparisons: quantised operands are brought to real numbers in fixed point first."""
import numpy

import arithmetic
from operators.node import operator

_FUNCTIONS = {
    "EQUAL": numpy.equal, "NOT_EQUAL": numpy.not_equal, "GREATER": numpy.greater,
    "GREATER_EQUAL": numpy.greater_equal, "LESS": numpy.less, "LESS_EQUAL": numpy.less_equal,
}
_SHIFT = 8


def _scaled(value):
    """A quantised operand times its scale, with eight more bits."""
    return arithmetic.multiply(value.wide() << _SHIFT, *arithmetic.quantize_multiplier(float(value.scale)))


@operator(*_FUNCTIONS)
def compare(node):
    """A truth value for each element."""
    left, right = node.input(0), node.input(1)
    node.need(left, "INT8", "INT32", "INT64", "FLOAT32", "BOOL")
    if left.type == "INT8":
        return _FUNCTIONS[node.name](_scaled(left), _scaled(right))
    return _FUNCTIONS[node.name](left.data, right.data)
