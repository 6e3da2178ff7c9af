"""A model of the size and shape of MobileNet V1 1.0 224: 27 convolutions and depthwise convolutions of an image of
224 x 224 pixels, a layer of classes, 4.2 million weights. Its numbers are drawn at random."""
import math

import schema
from graph import Graph

PIXELS = 224
CLASSES = 1001
# Output channels and stride of each pair of a depthwise and a pointwise convolution.
PAIRS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *(((512, 1),) * 5), (1024, 2), (1024, 1))
RELU = 1
_SCALE = 2.0**-5  # of every activation
_LOGITS = 2.0**-4
_SPREAD = math.sqrt(2.0) / 73  # weights of 8 bits have a deviation of 73: activations neither vanish nor saturate


def _quantised(graph, shape, channels, dimension, terms):
    """Weights with a scale for each channel, such that sums of random products fill the range; and a bias."""
    scales = _SPREAD / math.sqrt(terms) * 2.0**graph.rng.uniform(-0.5, 0.5, channels)
    content = graph.rng.integers(-127, 128, shape).astype("int8")
    weights = graph.constant(content, scales=scales, dimension=dimension)
    bias = graph.rng.integers(-1000, 1001, channels).astype("int32")
    return [weights, graph.constant(bias, scales=_SCALE * scales)]


def _convolved(graph, source, filters, taps, stride):
    _, height, width, depth = graph.tensors[source].shape
    parameters = _quantised(graph, (filters, taps, taps, depth), filters, 0, taps * taps * depth)
    output = graph.tensor("INT8", (1, height // stride, width // stride, filters), _SCALE, -128)
    return graph.add("CONV_2D", [source, *parameters], output, padding=schema.SAME, stride_h=stride, stride_w=stride,
                     activation=RELU)[0]


def _depthwise(graph, source, stride):
    _, height, width, depth = graph.tensors[source].shape
    parameters = _quantised(graph, (1, 3, 3, depth), depth, 3, 9)
    output = graph.tensor("INT8", (1, height // stride, width // stride, depth), _SCALE, -128)
    return graph.add("DEPTHWISE_CONV_2D", [source, *parameters], output, padding=schema.SAME, stride_h=stride,
                     stride_w=stride, depth_multiplier=1, activation=RELU)[0]


def model(seed=1):
    """The model; the same for the same seed."""
    graph = Graph(seed)
    graph.inputs.append(graph.tensor("INT8", (1, PIXELS, PIXELS, 3), _SCALE, -1))
    last = _convolved(graph, 0, 32, 3, 2)
    for filters, stride in PAIRS:
        last = _depthwise(graph, last, stride)
        last = _convolved(graph, last, filters, 1, 1)
    side, depth = graph.tensors[last].shape[1], graph.tensors[last].shape[3]
    pooled = graph.tensor("INT8", (1, 1, 1, depth), _SCALE, -128)
    last = graph.add("AVERAGE_POOL_2D", [last], pooled, padding=schema.VALID, stride_h=side, stride_w=side,
                     filter_h=side, filter_w=side)[0]
    parameters = _quantised(graph, (CLASSES, 1, 1, depth), CLASSES, 0, depth)
    logits = graph.tensor("INT8", (1, 1, 1, CLASSES), _LOGITS, 0)
    last = graph.add("CONV_2D", [last, *parameters], logits, padding=schema.SAME, stride_h=1, stride_w=1)[0]
    flat = graph.tensor("INT8", (1, CLASSES), _LOGITS, 0)
    last = graph.add("RESHAPE", [last, graph.ints(1, CLASSES)], flat)[0]
    graph.add("SOFTMAX", [last], graph.tensor("INT8", (1, CLASSES), 2.0**-8, -128), beta=1.0)
    return graph.finish()
