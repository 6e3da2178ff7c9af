"""Variables, which outlive an invocation."""
import numpy

import schema
from operators.node import operator


@operator("VAR_HANDLE")
def var_handle(node):
    """A handle by name."""
    handles = node.interpreter.handles
    key = (node.options["container"], node.options["shared_name"])
    return numpy.full(node.output.shape, handles.setdefault(key, len(handles)), numpy.int32)


@operator("READ_VARIABLE")
def read_variable(node):
    """What was written last."""
    variables = node.interpreter.variables
    handle = int(node.input(0).data.ravel()[0])
    if handle not in variables:
        variables[handle] = node.interpreter.initial(handle, node.output)
    return variables[handle].reshape(node.output.shape).copy()


@operator("ASSIGN_VARIABLE")
def assign_variable(node):
    """Kept until it is written again."""
    node.interpreter.variables[int(node.input(0).data.ravel()[0])] = node.input(1).data.copy()
    return []


@operator("CALL_ONCE")
def call_once(node):
    """A subgraph that runs in the first invocation only."""
    node.interpreter.call_once(node.options["init_subgraph_index"])
    return []


def initial_content(tensor):
    """What a variable holds before it is written: the low byte of its zero point in every byte."""
    count = int(numpy.prod(tensor.shape, dtype=numpy.int64)) * numpy.dtype(tensor.dtype).itemsize
    content = bytes([tensor.zero_point & 0xFF]) * count if tensor.type == "INT8" else bytes(count)
    return numpy.frombuffer(content, schema.TYPES[schema.TYPE_NUMBERS[tensor.type]][1]).reshape(tensor.shape).copy()
