"""Operators that move elements and change none."""
import numpy

from operators.node import Contradiction, operator


def _ints(value):
    return [int(entry) for entry in value.data.ravel()]


@operator("RESHAPE")
def reshape(node):
    """The same elements in the shape that a list names, of which one length may be -1. Without a list the output has
    it; a list in the options counts where there is no input, and does not contradict it."""
    data, listed = node.input(0).data, node.input(1)
    named = tuple(node.options.get("new_shape", ()))
    made = data.reshape(_ints(listed) if listed else named or node.output.shape)
    if named and data.reshape(named).shape != made.shape:
        raise Contradiction("new_shape")
    return made


@operator("SQUEEZE")
def squeeze(node):
    """Without some axes of length one, or without all of them."""
    data, axes = node.input(0).data, node.options["squeeze_dims"]
    return numpy.squeeze(data, tuple({axis % data.ndim for axis in axes}) if axes else None)


@operator("EXPAND_DIMS")
def expand_dims(node):
    """With a new axis."""
    return numpy.expand_dims(node.input(0).data, _ints(node.input(1))[0])


@operator("CONCATENATION")
def concatenation(node):
    """Along an axis that there is."""
    return numpy.concatenate([value.data for value in node.inputs], node.options["axis"])


@operator("PACK")
def pack(node):
    """Along a new axis."""
    node.count("values_count", node.inputs)
    return numpy.stack([value.data for value in node.inputs], node.options["axis"])


@operator("UNPACK")
def unpack(node):
    """One output for each element of an axis, which goes."""
    node.count("num", node.outputs)
    return list(numpy.moveaxis(node.input(0).data, node.options["axis"], 0))


@operator("SPLIT")
def split(node):
    """Equal parts of an axis."""
    node.count("num_splits", node.outputs)
    return numpy.split(node.input(1).data, node.options["num_splits"], _ints(node.input(0))[0])


@operator("SPLIT_V")
def split_v(node):
    """Parts of an axis of given sizes; one of them may be -1, the rest."""
    node.count("num_splits", node.outputs)
    data, axis = node.input(0).data, _ints(node.input(2))[0]
    sizes = _ints(node.input(1))
    sizes = [data.shape[axis] - sum(sizes) - 1 if size == -1 else size for size in sizes]
    return numpy.split(data, numpy.cumsum(sizes)[:-1], axis)


@operator("TRANSPOSE")
def transpose(node):
    """Axes in another order."""
    return node.input(0).data.transpose(_ints(node.input(1)))


@operator("SLICE")
def cut(node):
    """From a start; a size of -1 is the rest."""
    parts = [slice(begin, None if size == -1 else begin + size)
             for begin, size in zip(_ints(node.input(1)), _ints(node.input(2)))]
    return node.input(0).data[tuple(parts)]


@operator("STRIDED_SLICE")
def strided_slice(node):
    """With steps, negative ones too. Masks open an end, or take one element and drop the axis. With `offset` an end
    counts from where its axis begins."""
    data, options = node.input(0).data, node.options
    parts = []
    for axis, (begin, end, stride) in enumerate(zip(*(_ints(node.input(index)) for index in (1, 2, 3)))):
        bit, size = 1 << axis, data.shape[axis]
        first, last = (0, size) if stride > 0 else (-1, size - 1)
        begin = (first if stride > 0 else last) if options["begin_mask"] & bit else begin + size * (begin < 0)
        begin = min(max(begin, first), last)
        if options["shrink_axis_mask"] & bit:
            parts.append(begin)
            continue
        end += begin * options["offset"]
        end = (last if stride > 0 else first) if options["end_mask"] & bit else end + size * (end < 0)
        parts.append(numpy.arange(begin, min(max(end, first), last), stride))
    for axis in reversed(range(len(parts))):
        data = numpy.take(data, parts[axis], axis)
    return data


@operator("PAD", "PADV2")
def pad(node):
    """With the number that stands for zero, or with a given one."""
    value = node.input(2)
    with_what = (int(value.data.ravel()[0]) if value.type != "FLOAT32" else value.data.ravel()[0]) if value else (
        node.output.zero_point if node.input(0).type == "INT8" else 0)
    return numpy.pad(node.input(0).data, node.input(1).data.astype(numpy.int64), constant_values=with_what)


@operator("MIRROR_PAD")
def mirror_pad(node):
    """With the elements behind the edge, the edge itself among them or not."""
    node.need(node.input(0), "INT8", "FLOAT32")
    mode = "symmetric" if node.options["mode"] == 1 else "reflect"
    return numpy.pad(node.input(0).data, node.input(1).data.astype(numpy.int64), mode)


@operator("SPACE_TO_DEPTH")
def space_to_depth(node):
    """Blocks of an image to channels."""
    node.need(node.input(0), "INT8", "FLOAT32")
    data, block = node.input(0).data, node.options["block_size"]
    batch, height, width, depth = data.shape
    parts = data.reshape(batch, height // block, block, width // block, block, depth)
    return parts.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height // block, width // block, -1)


@operator("DEPTH_TO_SPACE")
def depth_to_space(node):
    """Channels to blocks of an image."""
    node.need(node.input(0), "INT8", "FLOAT32")
    data, block = node.input(0).data, node.options["block_size"]
    batch, height, width, depth = data.shape
    parts = data.reshape(batch, height, width, block, block, depth // block**2)
    return parts.transpose(0, 1, 3, 2, 4, 5).reshape(batch, height * block, width * block, -1)


@operator("SPACE_TO_BATCH_ND")
def space_to_batch(node):
    """Blocks to batches. Padding is the zero point, as in TensorFlow Lite; its Micro version leaves that unset."""
    node.need(node.input(0), "INT8", "FLOAT32")
    data, block = node.input(0).data, _ints(node.input(1))
    pads = [(0, 0), *node.input(2).data.tolist()] + [(0, 0)] * (data.ndim - 1 - len(block))
    data = numpy.pad(data, pads, constant_values=node.output.zero_point)
    shape = [data.shape[0]]
    for extent, size in zip(data.shape[1:], block):
        shape += [extent // size, size]
    blocks = list(range(2, 2 * len(block) + 1, 2))
    kept = list(range(1, 2 * len(block), 2))
    parts = data.reshape(*shape, *data.shape[1 + len(block):])
    rest = list(range(len(shape), parts.ndim))
    return parts.transpose([*blocks, 0, *kept, *rest]).reshape(
        -1, *(extent // size for extent, size in zip(data.shape[1:], block)), *data.shape[1 + len(block):])


@operator("BATCH_TO_SPACE_ND")
def batch_to_space(node):
    """Batches to blocks, then cut at the edges."""
    node.need(node.input(0), "INT8", "FLOAT32")
    data, block = node.input(0).data, _ints(node.input(1))
    crops = node.input(2).data.tolist()
    count = len(block)
    parts = data.reshape(*block, -1, *data.shape[1:])
    order = [count]
    for axis in range(count):
        order += [count + 1 + axis, axis]
    order += list(range(2 * count + 1, parts.ndim))
    inner = [data.shape[1 + axis] * block[axis] for axis in range(count)]
    whole = parts.transpose(order).reshape(-1, *inner, *data.shape[1 + count:])
    cuts = [slice(None)] + [slice(before, extent - after) for extent, (before, after) in zip(inner, crops)]
    return whole[tuple(cuts)]


@operator("REVERSE_V2")
def reverse(node):
    """Some axes backwards."""
    return numpy.flip(node.input(0).data, tuple(_ints(node.input(1))))


@operator("TILE")
def tile(node):
    """Repeated along each axis."""
    return numpy.tile(node.input(0).data, _ints(node.input(1)))


@operator("BROADCAST_TO")
def broadcast_to(node):
    """To a larger shape."""
    return numpy.broadcast_to(node.input(0).data, _ints(node.input(1)))


@operator("FILL")
def fill(node):
    """One number everywhere."""
    return numpy.full(_ints(node.input(0)), node.input(1).data.ravel()[0], node.output.dtype)


@operator("ZEROS_LIKE")
def zeros_like(node):
    """The number 0 everywhere, whatever the zero point is."""
    return numpy.zeros_like(node.input(0).data)
