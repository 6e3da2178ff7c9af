"""How operators on shapes and other whole numbers are appended to a random graph."""
import numpy

from graph import recipe

QUANTISED = ("INT8", "INT16")


@recipe("SHAPE", QUANTISED)
def shape_of(graph, source):
    """Calculated with, or compared."""
    rank = len(graph.tensors[source].shape)
    lengths = graph.tensor("INT32", (rank,))
    graph.add("SHAPE", [source], lengths)
    other = graph.input("INT32", graph.choice((rank,), (3, rank), (1,)))
    shape = (3, rank) if len(graph.tensors[other].shape) > 1 else (rank,)
    operands = [lengths, other] if graph.chance(0.7) else [other, lengths]
    if graph.chance(0.4):
        name = graph.choice("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
        graph.add(name, operands, graph.tensor("BOOL", shape))
    else:
        graph.add(graph.choice("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"), operands, graph.tensor("INT32", shape))
    return []


@recipe("CAST", QUANTISED)
def cast(graph, source):
    """To every width, and some to real numbers or from truth values."""
    shape = graph.tensors[source].shape
    if graph.chance(0.3):
        source = graph.input(graph.choice("BOOL", "INT32"), shape)
    kinds = ("INT8", "INT16", "INT32") + (("FLOAT32",) if graph.tensors[source].type != "INT32" else ())
    graph.add("CAST", [source], graph.tensor(graph.choice(*kinds), shape))
    return []


@recipe("ADD_N")
def add_n(graph, source):
    """Of itself and inputs."""
    tensor = graph.tensors[source]
    others = [graph.input("INT8", tensor.shape) for _ in range(graph.count(1, 3))]
    for other in others:
        graph.tensors[other].scales, graph.tensors[other].zero_points = tensor.scales, tensor.zero_points
    scale = float(tensor.scale) * 2.0**graph.rng.uniform(-1, 3)
    return graph.add("ADD_N", [source, *others], graph.activation("INT8", tensor.shape, scale))


@recipe("REDUCE_ALL")
def reduce_all(graph, source):
    """Of an input of truth values."""
    shape = graph.tensors[source].shape
    axes = sorted(int(axis) for axis in graph.rng.permutation(len(shape))[:graph.count(1, len(shape))])
    keeps = graph.chance(0.5)
    left = [1 if axis in axes else extent for axis, extent in enumerate(shape) if keeps or axis not in axes]
    truth = graph.input("BOOL", shape)
    graph.add("REDUCE_ALL", [truth, graph.constant(numpy.array(axes, numpy.int32))], graph.tensor("BOOL", left),
              keep_dims=keeps)
    return []
