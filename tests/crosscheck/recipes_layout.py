"""How operators that move elements or keep them are appended to a random graph."""
import math

import numpy

from graph import MOST_ELEMENTS, recipe
from models import Operator, Subgraph

QUANTISED = ("INT8", "INT16")


def _moved(graph, name, inputs, source, shape, **options):
    if math.prod(shape) > MOST_ELEMENTS:
        return None
    return graph.add(name, inputs, graph.like(source, shape), **options)


@recipe("RESHAPE", QUANTISED)
def reshape(graph, source):
    """The factors in another order."""
    factors = list(graph.tensors[source].shape)
    graph.rng.shuffle(factors)
    while len(factors) > 1 and graph.chance(0.4):
        factors = [factors[0] * factors[1], *factors[2:]]
    return _moved(graph, "RESHAPE", [source, graph.ints(*factors)], source, factors)


@recipe("SQUEEZE", QUANTISED)
def squeeze(graph, source):
    """Axes of length one."""
    shape = graph.tensors[source].shape
    axes = [axis for axis, extent in enumerate(shape) if extent == 1]
    if not axes or len(axes) == len(shape):
        return None
    kept = [extent for extent in shape if extent != 1]
    return _moved(graph, "SQUEEZE", [source], source, kept, squeeze_dims=tuple(axes))


@recipe("EXPAND_DIMS", QUANTISED, (1, 2, 3))
def expand_dims(graph, source):
    """A new axis."""
    shape = list(graph.tensors[source].shape)
    axis = graph.count(0, len(shape))
    return _moved(graph, "EXPAND_DIMS", [source, graph.ints(axis)], source, shape[:axis] + [1] + shape[axis:])


@recipe("CONCATENATION", QUANTISED, None, 2)
def concatenation(graph, source):
    """With inputs and constants."""
    tensor = graph.tensors[source]
    axis, inputs, length = graph.count(0, len(tensor.shape) - 1), [source], tensor.shape[0]
    length = tensor.shape[axis]
    for _ in range(graph.count(1, 2)):
        shape = list(tensor.shape)
        shape[axis] = graph.count(1, 3)
        length += shape[axis]
        other = (graph.input(tensor.type, shape) if graph.chance(0.6)
                 else graph.constant(graph.data(tensor.type, shape), 1.0))
        graph.tensors[other].scales, graph.tensors[other].zero_points = tensor.scales, tensor.zero_points
        inputs.insert(graph.count(0, len(inputs)), other)
    shape = list(tensor.shape)
    shape[axis] = length
    return _moved(graph, "CONCATENATION", inputs, source, shape, axis=axis - len(shape) * graph.chance(0.3))


@recipe("PACK", QUANTISED, (1, 2, 3))
def pack(graph, source):
    """Of itself and an input."""
    tensor = graph.tensors[source]
    other = graph.input(tensor.type, tensor.shape)
    graph.tensors[other].scales, graph.tensors[other].zero_points = tensor.scales, tensor.zero_points
    axis = graph.count(0, len(tensor.shape))
    shape = list(tensor.shape)
    shape.insert(axis, 3)
    return _moved(graph, "PACK", [source, other, source], source, shape, axis=axis, values_count=3)


@recipe("UNPACK", QUANTISED, (2, 3, 4))
def unpack(graph, source):
    """Few parts."""
    shape = list(graph.tensors[source].shape)
    axis = graph.count(0, len(shape) - 1)
    if shape[axis] > 3:
        return None
    outputs = [graph.like(source, shape[:axis] + shape[axis + 1:]) for _ in range(shape[axis])]
    return graph.add("UNPACK", [source], outputs, axis=axis, num=shape[axis])


@recipe("SPLIT", QUANTISED)
def split(graph, source):
    """Equal parts."""
    shape = list(graph.tensors[source].shape)
    axis, parts = graph.count(0, len(shape) - 1), graph.count(2, 3)
    if shape[axis] % parts:
        return None
    shape[axis] //= parts
    outputs = [graph.like(source, shape) for _ in range(parts)]
    return graph.add("SPLIT", [graph.ints(axis), source], outputs, num_splits=parts)


@recipe("SPLIT_V", QUANTISED)
def split_v(graph, source):
    """Parts of any size."""
    shape = list(graph.tensors[source].shape)
    axis = graph.count(0, len(shape) - 1)
    if shape[axis] < 2:
        return None
    first = graph.count(1, shape[axis] - 1)
    sizes = [first, shape[axis] - first]
    outputs = [graph.like(source, shape[:axis] + [size] + shape[axis + 1:]) for size in sizes]
    written = [sizes[0], -1] if graph.chance(0.3) else sizes
    return graph.add("SPLIT_V", [source, graph.ints(*written), graph.ints(axis)], outputs, num_splits=2)


@recipe("TRANSPOSE", QUANTISED)
def transpose(graph, source):
    """Any order."""
    shape = graph.tensors[source].shape
    order = [int(axis) for axis in graph.rng.permutation(len(shape))]
    return _moved(graph, "TRANSPOSE", [source, graph.ints(*order)], source, [shape[axis] for axis in order])


@recipe("SLICE", QUANTISED)
def cut(graph, source):
    """From any start."""
    shape = graph.tensors[source].shape
    begins = [graph.count(0, extent - 1) for extent in shape]
    sizes = [graph.count(1, extent - begin) for begin, extent in zip(begins, shape)]
    written = [-1 if begin + size == extent and graph.chance(0.5) else size
               for begin, size, extent in zip(begins, sizes, shape)]
    return _moved(graph, "SLICE", [source, graph.ints(*begins), graph.ints(*written)], source, sizes)


@recipe("STRIDED_SLICE", QUANTISED, None, 2)
def strided_slice(graph, source):
    """With masks and negative steps; at times ends count from begins."""
    shape, kept, numbers, masks = graph.tensors[source].shape, [], ([], [], []), [0, 0, 0]
    for axis, extent in enumerate(shape):
        stride = graph.choice(1, 1, 2, -1, -2, 3)
        low, high = sorted((graph.count(0, extent - 1), graph.count(0, extent - 1)))
        begin, end = (low, high + 1) if stride > 0 else (high, low - 1)
        drops = len(shape) > 1 and len(kept) + len(shape) - axis > 1 and graph.chance(0.15)
        if drops:
            stride, end = 1, begin + 1
            masks[2] |= 1 << axis
        elif graph.chance(0.2):
            masks[0] |= 1 << axis
            begin = 0 if stride > 0 else extent - 1
        if not drops and (end < 0 or graph.chance(0.2)):
            masks[1] |= 1 << axis
            end = extent if stride > 0 else -1
        if not drops:
            kept.append(len(range(begin, end, stride)))
        written = (begin - extent if graph.chance(0.2) else begin, end, stride)
        for numbers_of, number in zip(numbers, written):
            numbers_of.append(number)
    # No draw of its own: graphs stay as they are otherwise.
    offset = sum(numbers[0]) % 3 == 0
    if offset:
        numbers[1][:] = [end - begin % extent for begin, end, extent in zip(numbers[0], numbers[1], shape)]
    inputs = [source, *(graph.ints(*entries) for entries in numbers)]
    return _moved(graph, "STRIDED_SLICE", inputs, source, kept, begin_mask=masks[0], end_mask=masks[1],
                  shrink_axis_mask=masks[2], offset=offset)


def _pads(graph, shape, most):
    return numpy.array([[graph.count(0, min(most, extent - 1)) for _ in range(2)] for extent in shape], numpy.int32)


@recipe("PAD", QUANTISED, None, 2)
def pad(graph, source):
    """With zero."""
    shape = graph.tensors[source].shape
    pads = _pads(graph, [extent + 9 for extent in shape], 2)
    return _moved(graph, "PAD", [source, graph.constant(pads)], source, numpy.add(shape, pads.sum(1)))


@recipe("PADV2", QUANTISED)
def padv2(graph, source):
    """With any number."""
    tensor = graph.tensors[source]
    pads = _pads(graph, [extent + 9 for extent in tensor.shape], 2)
    value = graph.constant(graph.data(tensor.type, (1,)), 1.0)
    graph.tensors[value].scales, graph.tensors[value].zero_points = tensor.scales, tensor.zero_points
    return _moved(graph, "PADV2", [source, graph.constant(pads), value], source, numpy.add(tensor.shape, pads.sum(1)))


@recipe("MIRROR_PAD")
def mirror_pad(graph, source):
    """Both modes."""
    shape = graph.tensors[source].shape
    pads = _pads(graph, shape, 3)
    return _moved(graph, "MIRROR_PAD", [source, graph.constant(pads)], source, numpy.add(shape, pads.sum(1)),
                  mode=graph.count(0, 1))


@recipe("SPACE_TO_DEPTH", ("INT8",), (4,))
def space_to_depth(graph, source):
    """Blocks of two or three."""
    batch, height, width, depth = graph.tensors[source].shape
    block = graph.count(2, 3)
    if height % block or width % block:
        return None
    shape = (batch, height // block, width // block, depth * block**2)
    return _moved(graph, "SPACE_TO_DEPTH", [source], source, shape, block_size=block)


@recipe("DEPTH_TO_SPACE", ("INT8",), (4,))
def depth_to_space(graph, source):
    """Blocks of two."""
    batch, height, width, depth = graph.tensors[source].shape
    if depth % 4:
        return None
    return _moved(graph, "DEPTH_TO_SPACE", [source], source, (batch, 2 * height, 2 * width, depth // 4), block_size=2)


@recipe("SPACE_TO_BATCH_ND", ("INT8",), (4,))
def space_to_batch(graph, source):
    """Without padding, whose value TensorFlow Lite Micro leaves open."""
    batch, height, width, depth = graph.tensors[source].shape
    block = (graph.count(1, 2), graph.count(1, 3))
    if height % block[0] or width % block[1]:
        return None
    inputs = [source, graph.ints(*block), graph.constant(numpy.zeros((2, 2), numpy.int32))]
    shape = (batch * block[0] * block[1], height // block[0], width // block[1], depth)
    return _moved(graph, "SPACE_TO_BATCH_ND", inputs, source, shape)


@recipe("BATCH_TO_SPACE_ND", ("INT8",), (4,))
def batch_to_space(graph, source):
    """With cuts at the edges; a SPACE_TO_BATCH_ND before it makes the batches."""
    shape = list(graph.tensors[source].shape)
    if shape[1] % 2:
        return None
    cut_off = graph.count(0, 1) if shape[2] > 1 else 0
    blocks = graph.ints(2, 1)
    none, crops = (graph.constant(numpy.array(numbers, numpy.int32)) for numbers in
                   (((0, 0), (0, 0)), ((0, 0), (0, cut_off))))
    middle = graph.add("SPACE_TO_BATCH_ND", [source, blocks, none],
                       graph.like(source, (shape[0] * 2, shape[1] // 2, *shape[2:])))[0]
    return _moved(graph, "BATCH_TO_SPACE_ND", [middle, blocks, crops], source,
                  (*shape[:2], shape[2] - cut_off, shape[3]))


def _resized(graph, source, name):
    batch, height, width, depth = graph.tensors[source].shape
    size = (graph.count(1, 2 * height + 1), graph.count(1, 2 * width + 1))
    style = graph.count(0, 2)
    return _moved(graph, name, [source, graph.ints(*size)], source, (batch, *size, depth), align_corners=style == 1,
                  half_pixel_centers=style == 2)


@recipe("RESIZE_NEAREST_NEIGHBOR", QUANTISED, (4,))
def resize_nearest(graph, source):
    """Larger or smaller."""
    return _resized(graph, source, "RESIZE_NEAREST_NEIGHBOR")


@recipe("RESIZE_BILINEAR", ("INT8",), (4,))
def resize_bilinear(graph, source):
    """Larger or smaller."""
    return _resized(graph, source, "RESIZE_BILINEAR")


@recipe("REVERSE_V2", QUANTISED)
def reverse(graph, source):
    """One axis."""
    axis = graph.count(0, len(graph.tensors[source].shape) - 1)
    return _moved(graph, "REVERSE_V2", [source, graph.ints(axis)], source, graph.tensors[source].shape)


@recipe("TILE")
def tile(graph, source):
    """Twice or thrice."""
    shape = graph.tensors[source].shape
    times = [graph.count(1, 2) for _ in shape]
    return _moved(graph, "TILE", [source, graph.ints(*times)], source, numpy.multiply(shape, times))


@recipe("BROADCAST_TO")
def broadcast_to(graph, source):
    """Axes of length one made longer."""
    shape = [graph.count(2, 4) if extent == 1 else extent for extent in graph.tensors[source].shape]
    return _moved(graph, "BROADCAST_TO", [source, graph.ints(*shape)], source, shape)


@recipe("GATHER")
def gather(graph, source):
    """By constant indices."""
    shape = list(graph.tensors[source].shape)
    axis = graph.count(0, len(shape) - 1)
    indices = graph.rng.integers(0, shape[axis], graph.count(1, 5)).astype(numpy.int32)
    return _moved(graph, "GATHER", [source, graph.constant(indices)], source,
                  shape[:axis] + [len(indices)] + shape[axis + 1:], axis=axis)


@recipe("GATHER_ND", ("INT8",), (2, 3, 4))
def gather_nd(graph, source):
    """By pairs of indices."""
    shape = list(graph.tensors[source].shape)
    pairs = graph.rng.integers(0, shape[:2], (graph.count(1, 4), 2)).astype(numpy.int32)
    return _moved(graph, "GATHER_ND", [source, graph.constant(pairs)], source, [len(pairs), *shape[2:]])


@recipe("EMBEDDING_LOOKUP", ("INT8",), (2,))
def embedding_lookup(graph, source):
    """By constant indices."""
    shape = graph.tensors[source].shape
    indices = graph.rng.integers(0, shape[0], graph.count(1, 4)).astype(numpy.int32)
    return _moved(graph, "EMBEDDING_LOOKUP", [graph.constant(indices), source], source, (len(indices), *shape[1:]))


@recipe("FILL")
def fill(graph, source):
    """One number, then joined to the rest."""
    tensor = graph.tensors[source]
    value = graph.constant(graph.data("INT8", ()).reshape(()))
    graph.tensors[value].scales, graph.tensors[value].zero_points = tensor.scales, tensor.zero_points
    made = _moved(graph, "FILL", [graph.ints(*tensor.shape), value], source, tensor.shape)
    return graph.add("MAXIMUM", [source, made[0]], graph.like(source))


@recipe("ZEROS_LIKE")
def zeros_like(graph, source):
    """Joined to the rest."""
    made = _moved(graph, "ZEROS_LIKE", [source], source, graph.tensors[source].shape)
    return graph.add("MAXIMUM", [source, made[0]], graph.like(source))


@recipe("ASSIGN_VARIABLE", ("INT8",), (3, 4))
def stream(graph, source):
    """The last rows of all invocations before, joined to this one's: what streaming convolutions keep."""
    tensor = graph.tensors[source]
    shape, kept = list(tensor.shape), graph.count(1, 4)
    name = f"stream_{len(graph.operators)}"
    handle, held = graph.tensor("RESOURCE", ()), graph.like(source, [shape[0], kept, *shape[2:]])
    if graph.chance(0.5):
        number = len(graph.more_subgraphs) + 1
        inner = type(graph)(0)
        inner.rng = graph.rng
        start = inner.constant(graph.data(tensor.type, graph.tensors[held].shape), 1.0)
        inner.tensors[start].scales, inner.tensors[start].zero_points = tensor.scales, tensor.zero_points
        place = inner.tensor("RESOURCE", ())
        inner.operators = [Operator("VAR_HANDLE", [], [place], {"container": "", "shared_name": name}),
                           Operator("ASSIGN_VARIABLE", [place, start], [], {})]
        graph.more_subgraphs.append(Subgraph(inner.tensors, [], [], inner.operators))
        graph.add("CALL_ONCE", [], [], init_subgraph_index=number)
    graph.add("VAR_HANDLE", [], handle, container="", shared_name=name)
    graph.add("READ_VARIABLE", [handle], held)
    joined = graph.like(source, [shape[0], kept + shape[1], *shape[2:]])
    graph.add("CONCATENATION", [held, source], joined, axis=1)
    last = graph.like(source, graph.tensors[held].shape)
    rank = len(shape)
    begins, ends = [0] * rank, list(graph.tensors[joined].shape)
    begins[1] = shape[1]
    graph.add("STRIDED_SLICE", [joined, graph.ints(*begins), graph.ints(*ends), graph.ints(*[1] * rank)], last)
    graph.add("ASSIGN_VARIABLE", [handle, last], [])
    graph.shown.append(joined)
    return [joined]
