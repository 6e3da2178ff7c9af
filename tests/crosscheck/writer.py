"""A model as the bytes of a .tflite file."""
import numpy

import schema
from flatbuffer import Scalar, Vector, Writer, string

_VERSION = 3  # of the schema
_OLD_CODES = 127  # numbers below this stand in the old field too


def _ints(numbers, dtype=numpy.int32):
    return Vector(numpy.array(numbers, numpy.dtype(dtype).newbyteorder("<")), numpy.dtype(dtype).itemsize)


def _options(operator):
    """The union's number and its table, or nothing."""
    name = schema.OPERATORS[operator.name][1]
    if name is None:
        return None, None
    number, fields = schema.OPTIONS[name]
    table = {}
    for index, field in enumerate(fields):
        if field is None or operator.options.get(field[0], field[2]) == field[2]:
            continue
        value = operator.options[field[0]]
        table[index] = (_ints(value) if field[1] == "vector" else string(value) if field[1] == "text"
                        else Scalar(field[1], value))
    return Scalar("B", number), table


class _Outside:
    """Constants after the FlatBuffer: buffers with places that are known when it has been written."""
    ALIGNMENT = 16

    def __init__(self):
        self.contents = []

    def add(self, content):
        """A buffer, whose offset is its number until then."""
        self.contents.append(content)
        return {1: Scalar("Q", len(self.contents)), 2: Scalar("Q", len(content))}

    def place(self, size, tables):
        """Sets the offsets behind `size` bytes, and gives what follows these."""
        tail = b""
        for content, table in zip(self.contents, tables, strict=True):
            tail += bytes(-(size + len(tail)) % self.ALIGNMENT)
            table[1] = Scalar("Q", size + len(tail))
            tail += content
        return tail


def _tensor(tensor, buffers, outside):
    number = 0  # an empty buffer
    if tensor.content is not None:
        number = len(buffers)
        content = tensor.content.tobytes()
        buffers.append(outside.add(content) if outside is not None and content
                       else {0: Vector(numpy.frombuffer(content, numpy.uint8), 16)})
    quantization = None
    if len(tensor.scales):
        quantization = {2: _ints(tensor.scales, numpy.float32), 3: _ints(tensor.zero_points, numpy.int64),
                        6: Scalar("i", tensor.quantized_dimension)}
    return {0: _ints(tensor.shape), 1: Scalar("b", schema.TYPE_NUMBERS[tensor.type]), 2: Scalar("I", number),
            3: string(tensor.name), 4: quantization, 5: Scalar("?", True) if tensor.is_variable else None}


def _operator(operator, codes):
    number, table = _options(operator)
    return {0: Scalar("I", codes.index((operator.name, operator.version))), 1: _ints(operator.inputs),
            2: _ints(operator.outputs), 3: number, 4: table}


def _code(name, version):
    number = schema.OPERATORS[name][0]
    return {0: Scalar("b", min(number, _OLD_CODES)), 2: Scalar("i", version), 3: Scalar("i", number)}


def write(model, is_outside=False):
    """The bytes of a file, with constants in the FlatBuffer or after it."""
    outside = _Outside() if is_outside else None
    codes = sorted({(operator.name, operator.version)
                    for subgraph in model.subgraphs for operator in subgraph.operators})
    buffers = [{}]
    subgraphs = [{0: Vector([_tensor(tensor, buffers, outside) for tensor in subgraph.tensors]),
                  1: _ints(subgraph.inputs), 2: _ints(subgraph.outputs),
                  3: Vector([_operator(operator, codes) for operator in subgraph.operators])}
                 for subgraph in model.subgraphs]
    root = {0: Scalar("I", _VERSION), 1: Vector([_code(*code) for code in codes]), 2: Vector(subgraphs),
            4: Vector(buffers)}
    file = Writer().write(root)
    if outside is None:
        return file
    tail = outside.place(len(file), [buffer for buffer in buffers if 1 in buffer])
    return Writer().write(root) + tail
