"""Between real numbers and quantised ones, and between scales."""
import numpy

import arithmetic
import schema
from operators.node import Contradiction, operator


@operator("QUANTIZE")
def quantize(node):
    """To a scale and a zero point."""
    values, output = node.input(0), node.output
    node.need(values, "FLOAT32", "INT8", "UINT8", "INT16", "INT32")
    if values.type == "FLOAT32":
        return arithmetic.saturate(arithmetic.round_away(values.data / output.scale) + output.zero_point, output.dtype)
    multiplier = arithmetic.quantize_multiplier(float(values.scale) / float(output.scale))
    result = arithmetic.multiply(arithmetic.wrap(values.wide()), *multiplier)
    return arithmetic.saturate(arithmetic.wrap(result + output.zero_point), output.dtype)


@operator("DEQUANTIZE")
def dequantize(node):
    """To real numbers: the product is double precision."""
    node.need(node.input(0), "INT8", "UINT8", "INT16")
    return (float(node.input(0).scale) * node.input(0).wide()).astype(numpy.float32)


@operator("CAST")
def cast(node):
    """Numbers as they are, whatever their scales; what is too large keeps its low bits."""
    node.need(node.input(0), "INT8", "INT16", "INT32", "BOOL")
    named = node.options["in_type"], node.options["out_type"]
    if any(named) and named != tuple(schema.TYPE_NUMBERS[end.type] for end in (node.input(0), node.output)):
        raise Contradiction("in_type or out_type")
    return node.input(0).data.astype(node.output.dtype)


@operator("SHAPE")
def shape_of(node):
    """The lengths of a tensor's axes."""
    if node.options["out_type"] not in (0, schema.TYPE_NUMBERS[node.output.type]):
        raise Contradiction("out_type")
    return numpy.array(node.input(0).data.shape, node.output.dtype)
