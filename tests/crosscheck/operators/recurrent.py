"""Layers with a state in tensors of their own."""
import numpy

import arithmetic
from operators.activations import logistic16, nearest_power, tanh16
from operators.linear import check_bias, exact_product, whole_multiplier
from operators.node import Contradiction, operator, product_of_scales


@operator("SVDF")
def svdf(node):
    """The state holds the last results of each filter, the oldest first; it moves by one element each time."""
    values, features, times, bias, state = (node.input(index) for index in range(5))
    node.need(values, "INT8")
    if features.tensor.zero_points.any() or times.tensor.zero_points.any():
        raise Contradiction("zero points")
    check_bias(bias, state, times, features.data.shape[0] // node.options["rank"])
    batches, filters, memory = values.data.shape[0], features.data.shape[0], times.data.shape[1]
    held = state.data.reshape(-1)
    held[:-1] = held[1:].copy()
    first = arithmetic.quantize_multiplier(float(values.scale * features.scale / state.scale))
    fresh = arithmetic.multiply(exact_product(values.wide(), features.data.T), *first)
    held = held.reshape(batches, filters, memory)
    held[:, :, -1] = (arithmetic.saturate(fresh, state.data.dtype).astype(numpy.int64)
                      + state.zero_point).astype(state.data.dtype)
    weighted = (held.astype(numpy.int64) - state.zero_point) * times.data.astype(numpy.int64)
    total = weighted.sum(2).reshape(batches, -1, node.options["rank"]).sum(2)
    if bias is not None:
        total = total + bias.data.astype(numpy.int64)
    second = arithmetic.quantize_multiplier(float(state.scale * times.scale / node.output.scale))
    result = arithmetic.multiply(arithmetic.wrap(total), *second) + node.output.zero_point
    return arithmetic.saturate(result, numpy.int8)


class _Lstm:
    """One layer during an invocation."""
    FORGET, INPUT, CELL, OUTPUT = 1, 0, 2, 3  # where a gate's tensors lie among the four of a kind
    GATE_SCALE = numpy.float32(2.0**-12)
    UNIT_SCALE = numpy.float32(2.0**-15)

    def __init__(self, node):
        self.node, self.values = node, node.input(0)
        self.hidden, self.cell = node.input(18), node.input(19)
        self.is_wide = self.values.type == "INT16"
        self.cell_power = nearest_power(self.cell.scale)[0]

    def _weighted(self, data, value, weights, bias):
        """A matrix product brought to the scale of a gate."""
        total = exact_product(data.astype(numpy.int64) - value.zero_point, weights.wide().T)
        if bias is not None:
            total = total + bias.data.astype(numpy.int64)
        multiplier = whole_multiplier(value.scale, weights.scale, self.GATE_SCALE)
        scaled = (arithmetic.multiply_wide(total, *multiplier) if self.is_wide
                  else arithmetic.multiply(arithmetic.wrap(total), *multiplier))
        return arithmetic.saturate(scaled, numpy.int16).astype(numpy.int64)

    def _gate(self, gate, data, hidden, function):
        node = self.node
        total = self._weighted(data, self.values, node.input(1 + gate), node.input(12 + gate))
        total = total + self._weighted(hidden, self.hidden, node.input(5 + gate), None)
        return function(arithmetic.saturate(total, numpy.int16), 0, 0).astype(numpy.int64)

    @staticmethod
    def _product(left, right, scales, zero_point, dtype):
        multiplier = arithmetic.quantize_multiplier(product_of_scales(*scales))
        return arithmetic.saturate(arithmetic.multiply(left * right, *multiplier) + zero_point, dtype)

    def step(self, data, hidden, cell):
        """New states from one step's input and the old ones."""
        unit, scale = self.UNIT_SCALE, self.cell.scale
        forget = self._gate(self.FORGET, data, hidden, logistic16)
        admit = self._gate(self.INPUT, data, hidden, logistic16)
        activation = tanh16 if self.node.activation == "TANH" else logistic16
        candidate = self._gate(self.CELL, data, hidden, activation)
        kept = self._product(forget, cell.astype(numpy.int64), (unit, scale, scale), 0, numpy.int16)
        added = self._product(admit, candidate, (unit, unit, scale), 0, numpy.int16)
        cell = arithmetic.saturate(kept.astype(numpy.int64) + added, numpy.int16)
        clip = float(numpy.float32(self.node.options["cell_clip"]))
        if clip > 0:
            bound = int(min(clip / float(scale), 32767.0))
            cell = numpy.clip(cell, -bound, bound)
        emit = self._gate(self.OUTPUT, data, hidden, logistic16)
        shift = 12 + self.cell_power
        bent = tanh16(cell, 0, shift) if shift >= 0 else tanh16(cell, 3, -shift)
        hidden = self._product(bent.astype(numpy.int64), emit, (unit, unit, self.hidden.scale),
                               self.hidden.zero_point, self.hidden.data.dtype)
        return hidden, cell


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM")
def lstm(node):
    """Gates in 16 bits; states of the output (hidden) and of the cell."""
    layer = _Lstm(node)
    for gate in range(4):
        check_bias(node.input(12 + gate), layer.values, node.input(1 + gate), layer.hidden.data.shape[1])
        if node.input(1 + gate).zero_point or node.input(5 + gate).zero_point:
            raise Contradiction("zero points")
    if node.options["proj_clip"] or node.options["diagonal_recurrent"]:
        raise Contradiction("options")
    node.need(layer.values, "INT8", "INT16")
    data = layer.values.data if node.options["time_major"] else numpy.swapaxes(layer.values.data, 0, 1)
    made = []
    for step in data:
        layer.hidden.data[...], layer.cell.data[...] = layer.step(step, layer.hidden.data, layer.cell.data)
        made.append(layer.hidden.data.copy())
    result = numpy.stack(made)
    return result if node.options["time_major"] else numpy.swapaxes(result, 0, 1)
