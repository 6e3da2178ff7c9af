"""Random graphs and the records to run them with."""
import numpy

import recipes_elementwise
import recipes_layout
import recipes_linear
import recipes_whole
import schema
from graph import RECIPES, Graph

OPERATORS = sorted(RECIPES)
PAIRS = [(name, kind) for name in OPERATORS for kind in RECIPES[name][1]]
assert recipes_elementwise and recipes_layout and recipes_linear and recipes_whole  # they register themselves

EXTREMES = 4  # of the records of a model
_STEPS = 8  # most operators of one random graph, about
_ATTEMPTS = 40


def _shape(graph, rank):
    if rank == 4:
        return (graph.choice(1, 1, 1, 2), graph.count(2, 9), graph.count(1, 9), graph.count(1, 8))
    return tuple(graph.count(1, 8) for _ in range(rank)) if rank > 1 else (graph.count(1, 40),)


def fits(name, kind, allowed):
    """Whether a tensor of that type may be read; `allowed` holds operators' names with types, None allows all."""
    return kind in RECIPES[name][1] and (allowed is None or (name, kind) in allowed)


def _append(graph, name, source):
    """The outputs of an appended operator, or None where it does not fit the tensor."""
    function, _, ranks, _ = RECIPES[name]
    tensor = graph.tensors[source]
    if len(tensor.shape) > 4 or (ranks and len(tensor.shape) not in ranks):
        return None
    lengths = len(graph.tensors), len(graph.inputs), len(graph.operators), len(graph.more_subgraphs)
    made = function(graph, source)
    if made is None:
        for held, length in zip((graph.tensors, graph.inputs, graph.operators, graph.more_subgraphs), lengths):
            del held[length:]
    return made


def one_operator(name, kind, seed):
    """A graph of one operator that reads such a type, and of the few without which it has no operands."""
    for attempt in range(_ATTEMPTS):
        graph = Graph([seed, attempt])
        source = graph.input(kind, _shape(graph, graph.choice(*(RECIPES[name][2] or (1, 2, 3, 4)))))
        if _append(graph, name, source) is not None:
            return graph.finish()
    raise AssertionError(f"{name} never fitted")


def random_graph(seed, allowed=None, kind_of_graph=Graph):
    """A graph of several operators."""
    graph = kind_of_graph(seed)
    kinds = ["INT8"] * 4 + ["INT16"] * any(fits(name, "INT16", allowed) for name in OPERATORS)
    rank = graph.choice(1, 2, 3, 4, 4, 4, 4)
    sources = [graph.input(graph.choice(*kinds), _shape(graph, rank))]
    steps = graph.count(2, _STEPS)
    for _ in range(_ATTEMPTS):
        source = sources[-1] if graph.chance(0.7) else graph.choice(*sources)
        names = [name for name in OPERATORS if fits(name, graph.tensors[source].type, allowed)]
        if not names:
            continue
        weights = numpy.array([RECIPES[name][3] for name in names], float)
        name = names[int(graph.rng.choice(len(names), p=weights / weights.sum()))]
        sources += _append(graph, name, source) or []
        if len(graph.operators) >= steps:
            break
    return graph.finish()


def _filled(rng, tensor, record):
    """The content of one input: extremes first, then random numbers."""
    if tensor.type == "FLOAT32":
        return (rng.standard_normal(tensor.shape) * 2).astype(numpy.float32)
    if tensor.type == "BOOL":
        return rng.integers(0, 2, tensor.shape).astype(numpy.bool_)
    dtype = schema.TYPES[schema.TYPE_NUMBERS[tensor.type]][1]
    low, high = numpy.iinfo(dtype).min, numpy.iinfo(dtype).max
    count = int(numpy.prod(tensor.shape))
    if record < EXTREMES:
        content = (numpy.full(count, low), numpy.full(count, high), numpy.where(numpy.arange(count) % 2, low, high),
                   numpy.full(count, tensor.zero_point))[record]
        return content.astype(dtype).reshape(tensor.shape)
    return rng.integers(low, high + 1, tensor.shape).astype(dtype)


def records(model, seed, count=7):
    """Inputs to run a model with."""
    rng = numpy.random.default_rng([seed, 1])
    subgraph = model.subgraphs[0]
    return [[_filled(rng, subgraph.tensors[index], record) for index in subgraph.inputs] for record in range(count)]
