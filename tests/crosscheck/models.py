"""A .tflite file as plain objects."""
import dataclasses

import numpy

import schema
from flatbuffer import Table


@dataclasses.dataclass
class Tensor:
    """A tensor's description, and its content if it is constant."""
    name: str
    type: str
    shape: tuple
    scales: numpy.ndarray
    zero_points: numpy.ndarray
    quantized_dimension: int
    is_variable: bool
    content: numpy.ndarray | None

    @property
    def dtype(self):
        """The element type."""
        return schema.TYPES[schema.TYPE_NUMBERS[self.type]][1]

    @property
    def scale(self):
        """The scale of the whole tensor, in single precision."""
        return self.scales[0] if len(self.scales) else numpy.float32(0)

    @property
    def zero_point(self):
        """The zero point of the whole tensor."""
        return int(self.zero_points[0]) if len(self.zero_points) else 0


@dataclasses.dataclass
class Operator:
    """One step of a graph; tensors by number, -1 for an optional input that is absent."""
    name: str
    inputs: list
    outputs: list
    options: dict
    version: int = 1


@dataclasses.dataclass
class Subgraph:
    """Tensors and the operators in their order."""
    tensors: list
    inputs: list
    outputs: list
    operators: list


@dataclasses.dataclass
class Model:
    """All subgraphs; the first is the entry."""
    subgraphs: list


def _options(name, table):
    """Options by name, absent ones with their defaults."""
    options = schema.OPERATORS[name][1]
    found = {}
    for number, field in enumerate(schema.OPTIONS[options][1] if options else ()):
        if field is None:
            continue
        key, kind, default = field
        if table is None:
            found[key] = default
        elif kind == "vector":
            found[key] = tuple(int(entry) for entry in table.vector(number, numpy.int32))
        elif kind == "text":
            found[key] = table.text(number)
        else:
            found[key] = table.scalar(number, kind, default)
    return found


def _content(buffer):
    """The bytes of a buffer, in the FlatBuffer or after it; an offset of 0 or 1 is none."""
    offset, size = buffer.scalar(1, "Q"), buffer.scalar(2, "Q")
    inside = buffer.vector(0, numpy.uint8)
    if offset <= 1 or len(inside):
        return inside
    if offset + size > len(buffer.data):
        raise ValueError(f"a buffer of {size} bytes at {offset} of {len(buffer.data)}")
    return numpy.frombuffer(buffer.data, numpy.uint8, size, offset)


def _tensor(table, buffers):
    number = table.scalar(1, "b")
    name, dtype = schema.TYPES.get(number, (f"type {number}", None))
    shape = tuple(int(extent) for extent in table.vector(0, numpy.int32))
    quantization = table.table(4)
    if table.scalar(10, "I"):
        raise NotImplementedError("contents in another file")
    content = _content(buffers[table.scalar(2, "I")])
    if dtype is not None and len(content):
        content = numpy.frombuffer(content.tobytes(), numpy.dtype(dtype).newbyteorder("<")).astype(dtype).reshape(shape)
    else:
        content = None
    return Tensor(
        table.text(3), name, shape,
        quantization.vector(2, numpy.float32) if quantization else numpy.zeros(0, numpy.float32),
        quantization.vector(3, numpy.int64) if quantization else numpy.zeros(0, numpy.int64),
        quantization.scalar(6, "i") if quantization else 0, table.scalar(5, "?", False), content)


def _operator(table, codes):
    code = codes[table.scalar(0, "I")]
    # Old files hold the number in the one field, new files in the other; the larger one counts.
    number = max(code.scalar(0, "b"), code.scalar(3, "i"))
    name = schema.OPERATOR_NAMES.get(number)
    if name is None:
        raise NotImplementedError(f"operator {number}")
    return Operator(name, table.vector(1, numpy.int32).tolist(), table.vector(2, numpy.int32).tolist(),
                    _options(name, table.table(4)), code.scalar(2, "i", 1))


def _subgraph(table, codes, buffers):
    return Subgraph([_tensor(entry, buffers) for entry in table.tables(0)], table.vector(1, numpy.int32).tolist(),
                    table.vector(2, numpy.int32).tolist(), [_operator(entry, codes) for entry in table.tables(3)])


def read(data):
    """A model from the bytes of its file."""
    root = Table.root(data)
    codes, buffers = root.tables(1), root.tables(4)
    if buffers and len(_content(buffers[0])):
        raise ValueError("buffer 0 must be empty")
    return Model([_subgraph(entry, codes, buffers) for entry in root.tables(2)])
