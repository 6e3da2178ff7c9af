"""Elements found by index."""
import numpy

from operators.node import Unsupported, operator


def _checked(indices, size):
    if ((indices < 0) | (indices >= size)).any():
        raise Unsupported("an index outside of the tensor")
    return indices.astype(numpy.int64)


@operator("GATHER")
def gather(node):
    """Parts of an axis, by batch where the first axes are common."""
    data, indices = node.input(0).data, node.input(1).data
    axis, common = node.options["axis"] % data.ndim, node.options["batch_dims"] % max(indices.ndim, 1)
    indices = _checked(indices, data.shape[axis])
    if common == 0:
        return numpy.take(data, indices, axis)
    shape = data.shape[:common]
    parts = [numpy.take(data[at], indices[at], axis - common) for at in numpy.ndindex(*shape)]
    return numpy.stack(parts).reshape(*shape, *parts[0].shape)


@operator("GATHER_ND")
def gather_nd(node):
    """Parts by tuples of indices."""
    data, indices = node.input(0).data, node.input(1).data
    columns = [_checked(indices[..., axis], data.shape[axis]) for axis in range(indices.shape[-1])]
    return data[tuple(columns)]


@operator("EMBEDDING_LOOKUP")
def embedding_lookup(node):
    """Rows of a table; rows of 8 bits may come out as real numbers."""
    indices, table = node.input(0).data, node.input(1)
    node.need(table, "INT8", "FLOAT32")
    rows = table.data[_checked(indices, table.data.shape[0])]
    if table.type == "INT8" and node.output.type == "FLOAT32":
        return rows.astype(numpy.float32) * table.scale
    return rows
