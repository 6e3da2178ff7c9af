"""How operators with weights, windows and reductions are appended to a random graph."""
import math

import numpy

import schema
from graph import MOST_ELEMENTS, recipe

QUANTISED = ("INT8", "INT16")


def _window(graph, shape):
    """Taps, strides, padding scheme and the output's height and width, or None if nothing fits."""
    taps = [graph.count(1, 4), graph.count(1, 4)]
    strides = [graph.count(1, 3), graph.count(1, 3)]
    dilation = [1, 1]
    if graph.chance(0.2):
        dilation, strides = [graph.count(1, 3), graph.count(1, 3)], [1, 1]
    padding = graph.choice(schema.SAME, schema.VALID)
    out = []
    for axis in (0, 1):
        reach = (taps[axis] - 1) * dilation[axis] + 1
        size = shape[1 + axis]
        extent = -(-size // strides[axis]) if padding == schema.SAME else -(-(size - reach + 1) // strides[axis])
        if extent < 1:
            return None
        out.append(extent)
    return taps, strides, dilation, padding, out


def _strides(window):
    _, strides, _, padding, _ = window
    return {"padding": padding, "stride_h": strides[0], "stride_w": strides[1]}


def _dilation(window):
    return {"dilation_h": window[2][0], "dilation_w": window[2][1]}


@recipe("CONV_2D", QUANTISED, (4,), 3)
def conv_2d(graph, source):
    """Grouped at times."""
    shape = graph.tensors[source].shape
    window = _window(graph, shape)
    if window is None:
        return None
    groups = graph.choice(1, 1, 1, *[n for n in (2, 3) if shape[3] % n == 0])
    filters, depth = groups * graph.count(1, 6), shape[3] // groups
    terms = window[0][0] * window[0][1] * depth
    weights, scale = graph.weights(source, (filters, *window[0], depth), 0, terms)
    inputs = [source, weights, graph.bias(source, weights, filters, terms)]
    output = graph.activation(graph.tensors[source].type, (shape[0], *window[4], filters), scale)
    return graph.add("CONV_2D", inputs, output, activation=graph.fused(), **_strides(window), **_dilation(window))


@recipe("DEPTHWISE_CONV_2D", QUANTISED, (4,), 3)
def depthwise_conv_2d(graph, source):
    """With a multiplier of channels."""
    shape = graph.tensors[source].shape
    window = _window(graph, shape)
    if window is None:
        return None
    multiplier = graph.choice(1, 1, 2, 3)
    filters = shape[3] * multiplier
    terms = window[0][0] * window[0][1]
    weights, scale = graph.weights(source, (1, *window[0], filters), 3, terms)
    inputs = [source, weights, graph.bias(source, weights, filters, terms)]
    output = graph.activation(graph.tensors[source].type, (shape[0], *window[4], filters), scale)
    return graph.add("DEPTHWISE_CONV_2D", inputs, output, activation=graph.fused(), depth_multiplier=multiplier,
                     **_strides(window), **_dilation(window))


@recipe("TRANSPOSE_CONV", QUANTISED, (4,), 2)
def transpose_conv(graph, source):
    """To a larger image."""
    shape = graph.tensors[source].shape
    taps = [graph.count(1, 4), graph.count(1, 4)]
    strides = [graph.count(1, 2), graph.count(1, 2)]
    padding = graph.choice(schema.SAME, schema.VALID)
    out = [shape[1 + axis] * strides[axis] if padding == schema.SAME
           else shape[1 + axis] * strides[axis] + max(0, taps[axis] - strides[axis]) for axis in (0, 1)]
    filters = graph.count(1, 4)
    if shape[0] * out[0] * out[1] * filters > MOST_ELEMENTS:
        return None
    terms = taps[0] * taps[1] * shape[3]
    weights, scale = graph.weights(source, (filters, *taps, shape[3]), 0, terms)
    output_shape = (shape[0], *out, filters)
    inputs = [graph.ints(*output_shape), weights, source]
    bias = graph.bias(source, weights, filters, terms)
    output = graph.activation(graph.tensors[source].type, output_shape, scale)
    return graph.add("TRANSPOSE_CONV", inputs + [bias] * (bias >= 0), output, padding=padding, stride_h=strides[0],
                     stride_w=strides[1], activation=graph.fused())


@recipe("FULLY_CONNECTED", QUANTISED, None, 3)
def fully_connected(graph, source):
    """One scale with a zero point at times, or one for each channel."""
    shape = graph.tensors[source].shape
    depth, units = shape[-1], graph.count(1, 12)
    rows = math.prod(shape) // depth
    weights, scale = graph.weights(source, (units, depth), 0, depth)
    if len(graph.tensors[weights].scales) == 1 and graph.tensors[source].type == "INT8" and graph.chance(0.2):
        graph.tensors[weights].zero_points = numpy.array([graph.count(-20, 20)])
    keep = graph.chance(0.5)
    output = graph.activation(graph.tensors[source].type, (*shape[:-1], units) if keep else (rows, units), scale)
    return graph.add("FULLY_CONNECTED", [source, weights, graph.bias(source, weights, units, depth)], output,
                     activation=graph.fused(), keep_num_dims=keep)


@recipe("BATCH_MATMUL", QUANTISED, (2, 3, 4))
def batch_matmul(graph, source):
    """With a constant or an input."""
    tensor = graph.tensors[source]
    adj_x, adj_y = graph.chance(0.2), graph.chance(0.4)
    rows, depth = (tensor.shape[-1], tensor.shape[-2]) if adj_x else tensor.shape[-2:]
    columns = graph.count(1, 6)
    shape = (*tensor.shape[:-2], *((columns, depth) if adj_y else (depth, columns)))
    if graph.chance(0.5):
        scale = graph.scale(tensor.type)
        other = graph.constant(graph.data(tensor.type, shape), scale, graph.zero_point(tensor.type))
    else:
        other = graph.input(tensor.type, shape)
    wide = 256 if tensor.type == "INT16" else 1
    spread = 127 * wide * math.sqrt(depth) * 2.0**graph.rng.uniform(-1, 2)
    scale = float(tensor.scale) * float(graph.tensors[other].scale) * spread
    output = graph.activation(tensor.type, (*tensor.shape[:-2], rows, columns), scale)
    return graph.add("BATCH_MATMUL", [source, other], output, adj_x=adj_x, adj_y=adj_y)


@recipe("AVERAGE_POOL_2D", QUANTISED, (4,), 2)
def average_pool(graph, source):
    """Input and output have one scale."""
    return _pool(graph, source, "AVERAGE_POOL_2D")


@recipe("MAX_POOL_2D", QUANTISED, (4,), 2)
def max_pool(graph, source):
    """The same."""
    return _pool(graph, source, "MAX_POOL_2D")


def _pool(graph, source, name):
    shape = graph.tensors[source].shape
    window = _window(graph, shape)
    if window is None or window[2] != [1, 1]:
        return None
    return graph.add(name, [source], graph.like(source, (shape[0], *window[4], shape[3])), activation=graph.fused(),
                     filter_h=window[0][0], filter_w=window[0][1], **_strides(window))


def _axes(graph, rank):
    chosen = [axis for axis in range(rank) if graph.chance(0.5)] or [rank - 1]
    if len(chosen) == rank and rank > 1:
        chosen = chosen[1:]
    return chosen


def _reduced(shape, axes, keep):
    kept = tuple(1 if axis in axes else extent for axis, extent in enumerate(shape) if keep or axis not in axes)
    return kept or (1,)


def _reduce(graph, source, name, make):
    shape = graph.tensors[source].shape
    axes, keep = _axes(graph, len(shape)), graph.chance(0.5)
    if len(shape) == 1:
        keep = True
    written = [axis - len(shape) if graph.chance(0.3) else axis for axis in axes]
    output = make(_reduced(shape, axes, keep), math.prod(shape[axis] for axis in axes))
    return graph.add(name, [source, graph.ints(*written)], output, keep_dims=keep)


@recipe("MEAN", QUANTISED, None, 2)
def mean(graph, source):
    """At times with another scale."""
    tensor = graph.tensors[source]

    def make(shape, _count):
        if graph.chance(0.4):
            return graph.like(source, shape)
        return graph.activation(tensor.type, shape, float(tensor.scale) * 2.0**graph.rng.uniform(-2, 2))
    return _reduce(graph, source, "MEAN", make)


@recipe("SUM", QUANTISED)
def total(graph, source):
    """To a larger scale."""
    tensor = graph.tensors[source]
    return _reduce(graph, source, "SUM", lambda shape, count: graph.activation(
        tensor.type, shape, float(tensor.scale) * count**0.5 * 2.0**graph.rng.uniform(-1, 2)))


@recipe("REDUCE_MAX")
def reduce_max(graph, source):
    """One scale."""
    return _reduce(graph, source, "REDUCE_MAX", lambda shape, _count: graph.like(source, shape))


@recipe("REDUCE_MIN")
def reduce_min(graph, source):
    """One scale."""
    return _reduce(graph, source, "REDUCE_MIN", lambda shape, _count: graph.like(source, shape))


def _arg(graph, source, name):
    shape = graph.tensors[source].shape
    axis = graph.count(0, len(shape) - 1)
    kept = (shape[:axis] + shape[axis + 1:]) or (1,)
    if len(shape) == 1:
        return None
    return graph.add(name, [source, graph.ints(axis)], graph.tensor("INT32", kept),
                     output_type=schema.TYPE_NUMBERS["INT32"])


@recipe("ARG_MAX")
def arg_max(graph, source):
    """An end of the graph: nothing reads integers."""
    return _arg(graph, source, "ARG_MAX")


@recipe("ARG_MIN")
def arg_min(graph, source):
    """The same."""
    return _arg(graph, source, "ARG_MIN")


@recipe("CUMSUM")
def cumsum(graph, source):
    """To a larger scale."""
    tensor = graph.tensors[source]
    axis = graph.count(-len(tensor.shape), len(tensor.shape) - 1)
    output = graph.activation("INT8", tensor.shape, float(tensor.scale) * 2.0**graph.rng.uniform(0, 4))
    return graph.add("CUMSUM", [source, graph.ints(axis)], output, exclusive=graph.chance(0.5),
                     reverse=graph.chance(0.5))


@recipe("SVDF", ("INT8",), (2,))
def svdf(graph, source):
    """With a state of 16 or of 8 bits. TensorFlow Lite Micro does not run it without a bias."""
    tensor = graph.tensors[source]
    batches, depth = tensor.shape
    rank, units, memory = graph.count(1, 3), graph.count(1, 6), graph.count(1, 6)
    filters = rank * units
    kind = graph.choice("INT16", "INT16", "INT8")
    dtype = schema.TYPES[schema.TYPE_NUMBERS[kind]][1]
    held, timed = (64 * 256, 64 * 256) if kind == "INT16" else (64, 64)  # the usual magnitudes
    out_scale, state_scale = graph.scale(), graph.scale(kind)
    spread, reach = 2.0**graph.rng.uniform(-1, 1), math.sqrt(memory * rank)
    features = graph.constant(graph.data("INT8", (filters, depth)),
                              state_scale * held / (float(tensor.scale) * 64 * 64 * math.sqrt(depth)) * spread)
    time_scale = out_scale * 64 / (state_scale * held * timed * reach)
    low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    times = graph.constant(graph.rng.integers(low, high + 1, (filters, memory)).astype(dtype), time_scale)
    state = graph.tensor(kind, (batches, filters * memory), state_scale, 0, is_variable=True)
    most = int(held * timed * reach / 2)
    bias = graph.constant(graph.rng.integers(-most, most, units).astype(numpy.int32),
                          float(graph.tensors[state].scale) * float(graph.tensors[times].scale))
    return graph.add("SVDF", [source, features, times, bias, state],
                     graph.activation("INT8", (batches, units), out_scale), rank=rank)


@recipe("UNIDIRECTIONAL_SEQUENCE_LSTM", QUANTISED, (3,))
def lstm(graph, source):
    """Gates of one kind of weights, states of their own."""
    tensor = graph.tensors[source]
    time_major = graph.chance(0.3)
    batches, steps = (tensor.shape[1], tensor.shape[0]) if time_major else tensor.shape[:2]
    depth, units = tensor.shape[2], graph.count(1, 6)
    if steps > 12:
        return None
    is_wide = tensor.type == "INT16"
    hidden = graph.tensor(tensor.type, (batches, units), 1 / 32768 if is_wide else 1 / 128,
                          0 if is_wide else graph.count(-5, 5), is_variable=True)
    cell = graph.tensor("INT16", (batches, units), 2.0**-graph.count(10, 12), is_variable=True)

    def matrix(columns, source_scale):
        scale = 2.0**graph.rng.uniform(-2, 2) / (float(source_scale) * 127 * 127 * math.sqrt(columns))
        return graph.constant(graph.data("INT8", (units, columns)), scale / (256 if is_wide else 1))

    inputs = [source] + [matrix(depth, tensor.scale) for _ in range(4)]
    inputs += [matrix(units, graph.tensors[hidden].scale) for _ in range(4)] + [-1] * 3
    for gate in range(4):
        scale = float(tensor.scale) * float(graph.tensors[inputs[1 + gate]].scale)
        most = int(2 / scale) + 1
        data = graph.rng.integers(-most, most + 1, units).astype(numpy.int64 if is_wide else numpy.int32)
        inputs.append(graph.constant(data, scale))
    inputs += [-1, -1, hidden, cell] + [-1] * 4
    output = graph.like(hidden, (*tensor.shape[:2], units))
    return graph.add("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, output, activation=schema.ACTIVATIONS.index("TANH"),
                     cell_clip=graph.choice(0.0, 10.0, 1.0), time_major=time_major)
