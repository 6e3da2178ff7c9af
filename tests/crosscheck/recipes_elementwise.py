"""How functions of one or two operands are appended to a random graph."""
import numpy

import schema
from graph import recipe

QUANTISED = ("INT8", "INT16")


def _operand(graph, shape):
    """A shape that broadcasts to another."""
    style = graph.count(0, 4)
    if style == 0:
        return tuple(1 if graph.chance(0.4) else extent for extent in shape)
    if style == 1:
        return shape[graph.count(0, len(shape) - 1):]
    return shape


def _other(graph, source, shape, like=False):
    """A second operand: a constant, or an input."""
    tensor = graph.tensors[source]
    if graph.chance(0.4):
        made = graph.constant(graph.data(tensor.type, shape), graph.scale(tensor.type), graph.zero_point(tensor.type))
    else:
        made = graph.input(tensor.type, shape)
    if like:
        graph.tensors[made].scales, graph.tensors[made].zero_points = tensor.scales, tensor.zero_points
    return made


def _ordered(graph, source, other):
    return [source, other] if graph.chance(0.7) else [other, source]


def _sum(graph, source, name):
    tensor = graph.tensors[source]
    other = _other(graph, source, _operand(graph, tensor.shape))
    scale = float(max(tensor.scale, graph.tensors[other].scale)) * 2.0**graph.rng.uniform(-1, 2)
    options = {"pot_scale_int16": False} if tensor.type == "INT16" else {}
    return graph.add(name, _ordered(graph, source, other), graph.activation(tensor.type, tensor.shape, scale),
                     activation=graph.fused(), **options)


@recipe("ADD", QUANTISED, None, 2)
def add(graph, source):
    """With broadcast."""
    return _sum(graph, source, "ADD")


@recipe("SUB", QUANTISED)
def sub(graph, source):
    """With broadcast."""
    return _sum(graph, source, "SUB")


@recipe("MUL", QUANTISED, None, 2)
def mul(graph, source):
    """With broadcast."""
    tensor = graph.tensors[source]
    other = _other(graph, source, _operand(graph, tensor.shape))
    wide = 128 if tensor.type == "INT8" else 32768
    scale = float(tensor.scale * graph.tensors[other].scale) * wide * 2.0**graph.rng.uniform(-2, 2)
    return graph.add("MUL", _ordered(graph, source, other), graph.activation(tensor.type, tensor.shape, scale),
                     activation=graph.fused())


@recipe("SQUARED_DIFFERENCE")
def squared_difference(graph, source):
    """To a larger scale."""
    tensor = graph.tensors[source]
    other = _other(graph, source, _operand(graph, tensor.shape))
    scale = float(max(tensor.scale, graph.tensors[other].scale))**2 * 2.0**graph.rng.uniform(5, 9)
    return graph.add("SQUARED_DIFFERENCE", _ordered(graph, source, other),
                     graph.activation("INT8", tensor.shape, scale))


def _extremum(graph, source, name):
    tensor = graph.tensors[source]
    other = _other(graph, source, _operand(graph, tensor.shape), like=True)
    return graph.add(name, _ordered(graph, source, other), graph.like(source))


@recipe("MAXIMUM", QUANTISED)
def maximum(graph, source):
    """One scale."""
    return _extremum(graph, source, "MAXIMUM")


@recipe("MINIMUM", QUANTISED)
def minimum(graph, source):
    """One scale."""
    return _extremum(graph, source, "MINIMUM")


def _bent(graph, source, ratio=3.0):
    """An output whose scale is near the operand's."""
    tensor = graph.tensors[source]
    return graph.activation(tensor.type, tensor.shape, float(tensor.scale) * 2.0**graph.rng.uniform(-ratio, ratio))


@recipe("RELU", QUANTISED)
def relu(graph, source):
    """To another scale."""
    return graph.add("RELU", [source], graph.like(source) if graph.chance(0.3) else _bent(graph, source))


@recipe("RELU_N1_TO_1", QUANTISED)
def relu1(graph, source):
    """To another scale."""
    return graph.add("RELU_N1_TO_1", [source], _bent(graph, source))


@recipe("RELU6", QUANTISED)
def relu6(graph, source):
    """One scale."""
    return graph.add("RELU6", [source], graph.like(source))


@recipe("LEAKY_RELU", QUANTISED)
def leaky_relu(graph, source):
    """Of negative slope too."""
    alpha = float(numpy.float32(graph.choice(0.1, 0.01, 0.3, 1.5, -0.2)))
    return graph.add("LEAKY_RELU", [source], _bent(graph, source), alpha=alpha)


@recipe("PRELU", QUANTISED)
def prelu(graph, source):
    """One slope for each channel, or for each element."""
    tensor = graph.tensors[source]
    shape = tensor.shape[-1:] if graph.chance(0.6) else tensor.shape
    slopes = graph.constant(graph.data("INT8", shape), graph.scale(), graph.zero_point("INT8")
                            if tensor.type == "INT8" else 0)
    return graph.add("PRELU", [source, slopes], _bent(graph, source))


@recipe("ELU")
def elu(graph, source):
    """To another scale."""
    return graph.add("ELU", [source], _bent(graph, source))


@recipe("HARD_SWISH")
def hard_swish(graph, source):
    """Not to a much smaller scale: the specification shifts to the right only."""
    scale = float(graph.tensors[source].scale) * 2.0**graph.rng.uniform(-1, 3)
    return graph.add("HARD_SWISH", [source], graph.activation("INT8", graph.tensors[source].shape, scale))


def _bounded(graph, source, name, scale8, zero_point8):
    """The output's scale is the specification's."""
    tensor = graph.tensors[source]
    is_wide = tensor.type == "INT16"
    output = graph.tensor(tensor.type, tensor.shape, 1 / 32768 if is_wide else scale8, 0 if is_wide else zero_point8)
    return graph.add(name, [source], output)


@recipe("LOGISTIC", QUANTISED)
def logistic(graph, source):
    """8 and 16 bits."""
    return _bounded(graph, source, "LOGISTIC", 1 / 256, -128)


@recipe("TANH", QUANTISED)
def tanh(graph, source):
    """8 and 16 bits."""
    return _bounded(graph, source, "TANH", 1 / 128, 0)


@recipe("SOFTMAX", QUANTISED)
def softmax(graph, source):
    """16 bits from 8 at times."""
    tensor = graph.tensors[source]
    beta = float(numpy.float32(graph.choice(1.0, 1.0, 0.5, 2.0)))
    if tensor.type == "INT8" and graph.chance(0.15):
        output = graph.tensor("INT16", tensor.shape, 1 / 65536, -32768)
    elif tensor.type == "INT16":
        output = graph.tensor("INT16", tensor.shape, 1 / 32768, 0)
    else:
        output = graph.tensor("INT8", tensor.shape, 1 / 256, -128)
    made = graph.add("SOFTMAX", [source], output, beta=beta)
    # Nothing else takes 16 bits with a zero point.
    return [] if graph.tensors[output].zero_points[0] == -32768 else made


@recipe("LOG_SOFTMAX")
def log_softmax(graph, source):
    """The scale is the specification's."""
    return graph.add("LOG_SOFTMAX", [source], graph.tensor("INT8", graph.tensors[source].shape, 16 / 256, 127))


@recipe("L2_NORMALIZATION")
def l2_normalization(graph, source):
    """The scale is the specification's."""
    return graph.add("L2_NORMALIZATION", [source], graph.tensor("INT8", graph.tensors[source].shape, 1 / 128, 0))


@recipe("ABS", QUANTISED)
def absolute(graph, source):
    """To another scale at times."""
    return graph.add("ABS", [source], graph.like(source) if graph.chance(0.5) else _bent(graph, source, 1))


@recipe("RSQRT")
def inverse_square_root(graph, source):
    """Of numbers that are not negative: of what REDUCE_MAX, RELU and others leave. An ABS to the lowest zero point
    before it makes them so."""
    tensor = graph.tensors[source]
    positive = graph.tensor("INT8", tensor.shape, float(tensor.scale) * 2, -128)
    graph.add("ABS", [source], positive)
    scale = float(tensor.scale * 2)**-0.5 * 2.0**graph.rng.uniform(-8, -5)
    return graph.add("RSQRT", [positive], graph.activation("INT8", tensor.shape, scale))


@recipe("QUANTIZE", QUANTISED, None, 2)
def quantize(graph, source):
    """To another scale, or another width."""
    tensor = graph.tensors[source]
    kind = graph.choice(tensor.type, "INT8", "INT16")
    if graph.chance(0.1):
        scale = float(tensor.scale) * 2.0**graph.rng.uniform(-8, 2)
        graph.add("QUANTIZE", [source], graph.tensor("INT32", tensor.shape, scale, 0))
        return []
    if graph.chance(0.1) and tensor.type == "INT8":
        zero_point = int(tensor.zero_points[0]) + 128
        back = graph.tensor("UINT8", tensor.shape, float(tensor.scale), zero_point)
        graph.add("QUANTIZE", [source], back)
        return graph.add("QUANTIZE", [back], graph.like(source))
    width = {"INT8": 0, "INT16": 8}
    scale = float(tensor.scale) * 2.0**(width[tensor.type] - width[kind] + graph.rng.uniform(-2, 2))
    return graph.add("QUANTIZE", [source], graph.activation(kind, tensor.shape, scale))


@recipe("DEQUANTIZE", QUANTISED)
def dequantize(graph, source):
    """To real numbers, and back at times."""
    tensor = graph.tensors[source]
    real = graph.tensor("FLOAT32", tensor.shape)
    graph.add("DEQUANTIZE", [source], real)
    if graph.chance(0.3):
        return []
    scale = float(tensor.scale) * 2.0**graph.rng.uniform(-2, 2)
    return graph.add("QUANTIZE", [real], graph.activation(tensor.type, tensor.shape, scale))


def _real(graph, source, name, prepare=None, shape=None, **options):
    """A function of real numbers, between DEQUANTIZE and QUANTIZE."""
    tensor = graph.tensors[source]
    shape = tensor.shape if shape is None else shape
    if prepare:
        source = graph.add(prepare, [source], graph.tensor(tensor.type, tensor.shape, float(tensor.scale) * 2,
                                                           -128 if tensor.type == "INT8" else 0))[0]
    operand, result = graph.tensor("FLOAT32", tensor.shape), graph.tensor("FLOAT32", shape)
    graph.add("DEQUANTIZE", [source], operand)
    graph.add(name, [operand], result, **options)
    return graph.add("QUANTIZE", [result], graph.activation(tensor.type, shape))


@recipe("NEG", QUANTISED)
def negate(graph, source):
    """Real numbers only."""
    return _real(graph, source, "NEG")


@recipe("SQRT", QUANTISED)
def square_root(graph, source):
    """Real numbers only."""
    return _real(graph, source, "SQRT", "ABS")


@recipe("EXP", ("INT8",))
def exponential(graph, source):
    """Results of all magnitudes; of real numbers at times."""
    tensor = graph.tensors[source]
    if float(tensor.scale) < 0.05 and graph.chance(0.1):
        return _real(graph, source, "EXP")
    return graph.add("EXP", [source], graph.activation("INT8", tensor.shape, 2.0**graph.rng.uniform(-12, 2)))


@recipe("L2_POOL_2D", QUANTISED, (4,))
def l2_pool(graph, source):
    """Real numbers only."""
    shape = graph.tensors[source].shape
    taps = [graph.count(1, min(3, extent)) for extent in shape[1:3]]
    options = {"padding": schema.VALID, "filter_h": taps[0], "filter_w": taps[1], "stride_h": 1, "stride_w": 1}
    pooled = (shape[0], shape[1] - taps[0] + 1, shape[2] - taps[1] + 1, shape[3])
    return _real(graph, source, "L2_POOL_2D", shape=pooled, **options)


def _selected(graph, source, truth):
    """Truth values made use of."""
    tensor = graph.tensors[source]
    other = _other(graph, source, tensor.shape, like=True)
    return graph.add("SELECT_V2", [truth, source, other], graph.like(source))


def _compared(graph, source, name):
    tensor = graph.tensors[source]
    same = graph.chance(0.5)
    if float(tensor.scale) >= 1:
        return None
    truth = graph.tensor("BOOL", tensor.shape)
    graph.add(name, [source, _other(graph, source, tensor.shape, like=same)], truth)
    return _selected(graph, source, truth) if graph.chance(0.6) else []


for comparison in ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL"):
    recipe(comparison)(lambda graph, source, name=comparison: _compared(graph, source, name))


def _logical(graph, source, name):
    shape = graph.tensors[source].shape
    operands = [graph.input("BOOL", shape) for _ in range(1 if name == "LOGICAL_NOT" else 2)]
    truth = graph.tensor("BOOL", shape)
    graph.add(name, operands, truth)
    return _selected(graph, source, truth)


for connective in ("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"):
    recipe(connective)(lambda graph, source, name=connective: _logical(graph, source, name))


@recipe("SELECT_V2", QUANTISED)
def select(graph, source):
    """By an input of truth values."""
    return _selected(graph, source, graph.input("BOOL", graph.tensors[source].shape))
