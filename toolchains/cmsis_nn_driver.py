"""Writes a driver of CMSIS-NN's kernels for the layers of a model: a C file (tests/baremetal/peer/peer.h), and the
constants that it reads.

Scales become multipliers as TensorFlow Lite Micro computes them, so that outputs are those of its kernels. What a
library can compute before the first inference, sums of weights, is computed in pianola_peer_prepare().
"""
import math
import struct

SCRATCH_BYTES = 1 << 19
ALIGNMENT = 16
# Operators whose output has the bytes of their input.
# Types of input and output beside those of int8.
OTHER_TYPES = {"SOFTMAX": [("int8", "int16")], "CONV_2D": [("int16", "int16")],
               "DEPTHWISE_CONV_2D": [("int16", "int16")]}
RENAMES = ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")

HEAD = """/* Written by toolchains/cmsis_nn_driver.py. */
#include <arm_nnfunctions.h>
#include <stddef.h>
#include <string.h>

#include "tests/baremetal/peer/peer.h"

static uint8_t* constants;
static uint8_t* workspace;
static cmsis_nn_context scratch;

static uint32_t missing(int32_t wanted, int32_t room) {
    return (wanted > room) ? (uint32_t)(wanted - room) : 0U;
}
"""

PREPARE = """
uint32_t pianola_peer_prepare(uint8_t* constants_start, uint8_t* workspace_start) {{
    constants = constants_start;
    workspace = workspace_start;
    scratch = (cmsis_nn_context){{.buf = workspace + {scratch}, .size = {scratch_bytes}}};
    uint32_t bytes = 0U;
{needs}    return bytes;
}}

typedef int32_t (*layer_function)(void);
static const layer_function functions[] = {{{functions}}};
const uint32_t kPeerLayers = {layers};
const uint32_t kPeerWorkspaceBytes = {workspace_bytes};

int32_t pianola_peer_run(uint32_t layer) {{
    return functions[layer]();
}}
"""


class NotDriven(Exception):
    """The library has no kernel for an operator, or this file none of its calls."""


def to_single(number):
    """Rounded to single precision."""
    return struct.unpack("<f", struct.pack("<f", number))[0]


def away_from_zero(number):
    """The nearest integer; of two, the one away from zero."""
    return int(math.copysign(math.floor(abs(number) + 0.5), number))


def multiplier_of(scale):
    """(multiplier, shift) with scale = multiplier * 2^(shift - 31).

    >>> multiplier_of(0.5), multiplier_of(0.75), multiplier_of(0.0), multiplier_of(1 - 2**-40)
    ((1073741824, 0), (1610612736, 0), (0, 0), (1073741824, 1))
    """
    if scale == 0:
        return 0, 0
    fraction, shift = math.frexp(scale)
    multiplier = away_from_zero(fraction * (1 << 31))
    if multiplier == 1 << 31:
        multiplier, shift = multiplier // 2, shift + 1
    return (0, 0) if shift < -31 else (multiplier, shift)


def clamp_of(tensor, activation):
    """(least, greatest) after an activation of the format: 0 none, 1 RELU, 2 RELU_N1_TO_1, 3 RELU6.

    >>> import types
    >>> tensor = types.SimpleNamespace(type="int8", zero_point=-100, scales=(0.5,))
    >>> [clamp_of(tensor, activation) for activation in (0, 1, 2, 3)]
    [(-128, 127), (-100, 127), (-102, -98), (-100, -88)]
    """
    bounds = {0: (None, None), 1: (0.0, None), 2: (-1.0, 1.0), 3: (0.0, 6.0)}
    if activation not in bounds:
        raise NotDriven(f"activation {activation}")

    def quantised(real):
        return tensor.zero_point + away_from_zero(to_single(real / tensor.scales[0]))

    lowest, highest = {"int8": (-128, 127), "int16": (-32768, 32767)}[tensor.type]
    least, greatest = bounds[activation]
    return (lowest if least is None else max(lowest, quantised(least)),
            highest if greatest is None else min(highest, quantised(greatest)))


def dims(name, n, h, w, c):
    """A definition of dimensions."""
    return f"static const cmsis_nn_dims {name} = {{.n = {n}, .h = {h}, .w = {w}, .c = {c}}};\n"


def nhwc(name, shape):
    """The same of a tensor with at most four dimensions."""
    if len(shape) > 4:
        raise NotDriven(f"{len(shape)} dimensions")
    return dims(name, *((1,) * (4 - len(shape)) + tuple(shape)))


def tile(w, h):
    """An initialiser of a tile."""
    return f"{{.w = {w}, .h = {h}}}"


def padding_of(inputs, outputs, kernel, stride, dilation, is_same):
    """Before the first row or column.

    >>> padding_of(49, 25, 10, 2, 1, True), padding_of(32, 16, 3, 2, 1, True), padding_of(32, 15, 3, 2, 1, False)
    (4, 0, 0)
    """
    return max(0, (outputs - 1) * stride + (kernel - 1) * dilation + 1 - inputs) // 2 if is_same else 0


class Driver:
    """A driver in the making. `values` are bytes of tensors that no layer of it computes."""

    def __init__(self, model, values=None):
        self.model, self.values = model, values or {}
        self.constants = bytearray()
        self.names = {}  # tensor that is another by a new name
        self.layers = []  # numbers of operators, in the order of the functions
        self.places = {}
        self._bytes = 0
        self._text = []
        self._needs = []

    # --- Memory ---

    def constant(self, data):
        """Where bytes lie among the constants."""
        self.constants += bytes(-len(self.constants) % ALIGNMENT)
        offset = len(self.constants)
        self.constants += data
        return f"(constants + {offset})"

    def words(self, numbers):
        """The same, of 32 bit numbers."""
        return f"(int32_t*){self.constant(struct.pack(f'<{len(numbers)}i', *numbers))}"

    def room(self, size_bytes):
        """Where there is memory in the workspace."""
        offset = self._bytes
        self._bytes += size_bytes + (-size_bytes % ALIGNMENT)
        return offset

    def root(self, tensor):
        """The tensor whose bytes these are."""
        while tensor in self.names:
            tensor = self.names[tensor]
        return tensor

    def place(self, number):
        """A pointer to a tensor's bytes."""
        number = self.root(number)
        if number not in self.places:
            tensor = self.model.tensors[number]
            data = tensor.data or self.values.get(number)
            self.places[number] = (self.constant(data) if data else f"(workspace + {self.room(tensor.size_bytes)})")
        return self.places[number]

    def result(self, number, workspace):
        """A tensor's bytes in the memory of the workspace after a run."""
        offset = int(self.places[self.root(number)].split()[-1].rstrip(")"))
        return workspace[offset:offset + self.model.tensors[number].size_bytes]

    # --- Operators ---

    def add(self, operator):
        """Writes one layer. NotDriven where there is no way to."""
        if operator.name in RENAMES:
            self.names[operator.outputs[0]] = operator.inputs[0]
            return
        if operator.name not in WRITERS:
            raise NotDriven("no kernel that is called")
        types = tuple(self.model.tensors[numbers[0]].type for numbers in (operator.inputs, operator.outputs))
        if types != ("int8", "int8") and types not in OTHER_TYPES.get(operator.name, ()):
            raise NotDriven(" to ".join(types))
        index = len(self.layers)
        definitions, needs, call = WRITERS[operator.name](self, operator, index)
        self.layers.append(operator.number)
        self._text.append(f"\n/* {operator.number} {operator.name} */\n{definitions}"
                          f"static int32_t run_{index}(void) {{\n{call}}}\n")
        self._needs.append(needs)

    def tensors(self, numbers):
        """Tensors by their numbers; None for one that is left out."""
        return [self.model.tensors[number] if number >= 0 else None for number in numbers]

    def channel_scales(self, source, weights, target, channels):
        """Pointers to multipliers and shifts of all channels."""
        scales = weights.scales if len(weights.scales) > 1 else weights.scales * channels
        pairs = [multiplier_of(source.scales[0] * scale / target.scales[0]) for scale in scales]
        return self.words([pair[0] for pair in pairs]), self.words([pair[1] for pair in pairs])

    def bias(self, number, kind="int32"):
        """A pointer to the bias."""
        if number < 0:
            return "NULL"
        if self.model.tensors[number].type != kind:
            raise NotDriven(f"bias of {self.model.tensors[number].type}")
        return f"(const {kind}_t*){self.place(number)}"

    def text(self):
        """The whole file."""
        scratch = self.room(SCRATCH_BYTES)
        functions = ", ".join(f"run_{index}" for index in range(len(self.layers)))
        return HEAD + "".join(self._text) + PREPARE.format(
            scratch=scratch, scratch_bytes=SCRATCH_BYTES, needs="".join(self._needs), functions=functions,
            layers=len(self.layers), workspace_bytes=self._bytes)


def weights_of(driver, operator):
    """(input, weights, output, number of the bias) of a layer; its weights are constants."""
    source, weights = driver.tensors(operator.inputs[:2])
    target, = driver.tensors(operator.outputs)
    if weights.type != "int8" or not weights.data:
        raise NotDriven(f"weights of {weights.type}" if weights.data else "weights that are no constant")
    return source, weights, target, operator.inputs[2] if len(operator.inputs) > 2 else -1


def window(operator, source, target, kernel):
    """Initialisers of stride, padding and dilation."""
    options = operator.options
    stride = options["stride_h"], options["stride_w"]
    dilation = options.get("dilation_h_factor", 1), options.get("dilation_w_factor", 1)
    padding = [padding_of(source.shape[axis + 1], target.shape[axis + 1], kernel[axis], stride[axis], dilation[axis],
                          options["padding"] == 0) for axis in (0, 1)]
    return (f".stride = {tile(stride[1], stride[0])}, .padding = {tile(padding[1], padding[0])}",
            f".dilation = {tile(dilation[1], dilation[0])}")


def activation(tensor, operator):
    """The initialiser of a clamp."""
    least, greatest = clamp_of(tensor, operator.options["fused_activation_function"])
    return f".activation = {{.min = {least}, .max = {greatest}}}"


def scratch_need(call):
    """A line of pianola_peer_prepare()."""
    return f"    bytes += missing({call}, {SCRATCH_BYTES});\n"


def convolution(driver, operator, index):
    """CONV_2D and DEPTHWISE_CONV_2D."""
    source, weights, target, bias = weights_of(driver, operator)
    is_depthwise = operator.name == "DEPTHWISE_CONV_2D"
    width = source.type[3:]
    function, kind = ((f"arm_depthwise_conv_wrapper_s{width}", "dw_conv") if is_depthwise else
                      (f"arm_convolve_wrapper_s{width}", "conv"))
    channels = target.shape[3]
    steps, dilation = window(operator, source, target, weights.shape[1:3])
    multiple = f".ch_mult = {channels // source.shape[3]}, " if is_depthwise else ""
    definitions = (f"static const cmsis_nn_{kind}_params params_{index} = {{.input_offset = {-source.zero_point}, "
                   f".output_offset = {target.zero_point}, {multiple}{steps}, {dilation}, "
                   f"{activation(target, operator)}}};\n" + nhwc(f"input_{index}", source.shape) +
                   nhwc(f"filter_{index}", weights.shape) + dims(f"bias_{index}", 1, 1, 1, channels) +
                   nhwc(f"output_{index}", target.shape))
    multipliers, shifts = driver.channel_scales(source, weights, target, channels)
    bias_data, bias_text = driver.bias(bias, "int32" if width == "8" else "int64"), ""
    if width == "16" and not is_depthwise:
        bias_text = f"    const cmsis_nn_bias_data bias = {{.data = {bias_data}, .is_int32_bias = false}};\n"
        bias_data = "&bias" if bias >= 0 else "NULL"
    call = (f"    const cmsis_nn_per_channel_quant_params scales = {{.multiplier = {multipliers}, "
            f".shift = {shifts}}};\n{bias_text}"
            f"    return {function}(&scratch, &params_{index}, &scales, &input_{index},\n"
            f"        (const int{width}_t*){driver.place(operator.inputs[0])}, &filter_{index},\n"
            f"        (const int8_t*){driver.place(operator.inputs[1])}, &bias_{index}, {bias_data},\n"
            f"        &output_{index}, (int{width}_t*){driver.place(operator.outputs[0])});\n")
    size = f"{function}_get_buffer_size(&params_{index}, &input_{index}, &filter_{index}, &output_{index})"
    return definitions, scratch_need(size), call


def fully_connected(driver, operator, index):
    """FULLY_CONNECTED. Its context has the sums of the weights."""
    source, weights, target, bias = weights_of(driver, operator)
    outputs, depth = weights.shape
    rows = target.elements // outputs
    offsets = -source.zero_point, -weights.zero_point
    definitions = (f"static const cmsis_nn_fc_params params_{index} = {{.input_offset = {offsets[0]}, "
                   f".filter_offset = {offsets[1]}, .output_offset = {target.zero_point}, "
                   f"{activation(target, operator)}}};\n" + dims(f"input_{index}", rows, 1, 1, depth) +
                   dims(f"filter_{index}", depth, 1, 1, outputs) + dims(f"bias_{index}", 1, 1, 1, outputs) +
                   dims(f"output_{index}", rows, 1, 1, outputs))
    per_channel = len(weights.scales) > 1
    multipliers, shifts = driver.channel_scales(source, weights, target, outputs if per_channel else 1)
    room = 4 * outputs
    sums = f"(workspace + {driver.room(room)})"
    filter_data = f"(const int8_t*){driver.place(operator.inputs[1])}"
    bias_data = driver.bias(bias)
    definitions += (f"static int32_t sum_{index}(void) {{\n"
                    f"    const int32_t bytes = arm_fully_connected_s8_get_buffer_size(&filter_{index});\n"
                    f"    if ((bytes > 0) && (bytes <= {room})) {{\n"
                    f"        arm_vector_sum_s8((int32_t*){sums}, {depth}, {outputs}, {filter_data}, {offsets[0]},\n"
                    f"            {offsets[1]}, {bias_data});\n"
                    "    }\n    return bytes;\n}\n")
    call = (f"    const cmsis_nn_context context = {{.buf = {sums}, .size = {room}}};\n"
            f"    const cmsis_nn_quant_params scales = {{.multiplier = {multipliers}, .shift = {shifts}, "
            f".is_per_channel = {int(per_channel)}}};\n"
            f"    return arm_fully_connected_wrapper_s8(&context, &params_{index}, &scales, &input_{index},\n"
            f"        (const int8_t*){driver.place(operator.inputs[0])}, &filter_{index}, {filter_data},\n"
            f"        &bias_{index}, {bias_data}, &output_{index},\n"
            f"        (int8_t*){driver.place(operator.outputs[0])});\n")
    return definitions, f"    bytes += missing(sum_{index}(), {room});\n", call


def pool(driver, operator, index):
    """AVERAGE_POOL_2D and MAX_POOL_2D."""
    (source,), (target,) = driver.tensors(operator.inputs), driver.tensors(operator.outputs)
    is_average = operator.name == "AVERAGE_POOL_2D"
    kernel = operator.options["filter_height"], operator.options["filter_width"]
    steps, _ = window(operator, source, target, kernel)
    definitions = (f"static const cmsis_nn_pool_params params_{index} = {{{steps}, "
                   f"{activation(target, operator)}}};\n" + nhwc(f"input_{index}", source.shape) +
                   dims(f"filter_{index}", 1, *kernel, 1) + nhwc(f"output_{index}", target.shape))
    function = "arm_avgpool_s8" if is_average else "arm_max_pool_s8"
    call = (f"    return {function}(&scratch, &params_{index}, &input_{index},\n"
            f"        (const int8_t*){driver.place(operator.inputs[0])}, &filter_{index}, &output_{index},\n"
            f"        (int8_t*){driver.place(operator.outputs[0])});\n")
    size = f"arm_avgpool_s8_get_buffer_size({target.shape[2]}, {target.shape[3]})"
    return definitions, scratch_need(size) if is_average else "", call


def same_shapes(driver, operator):
    """(left, right, output) of an operator on two tensors of one shape."""
    left, right = driver.tensors(operator.inputs)
    target, = driver.tensors(operator.outputs)
    if not left.shape == right.shape == target.shape or right.type != "int8":
        raise NotDriven("inputs of different shapes or types")
    return left, right, target


def addition(driver, operator, _index):
    """ADD."""
    left, right, target = same_shapes(driver, operator)
    left_shift = 20
    unit = 2 * max(left.scales[0], right.scales[0])
    (first, first_shift), (second, second_shift), (last, last_shift) = (multiplier_of(scale) for scale in (
        left.scales[0] / unit, right.scales[0] / unit, unit / ((1 << left_shift) * target.scales[0])))
    least, greatest = clamp_of(target, operator.options["fused_activation_function"])
    sources = [f"(const int8_t*){driver.place(number)}" for number in operator.inputs]
    return "", "", (f"    return arm_elementwise_add_s8({sources[0]}, {sources[1]}, {-left.zero_point}, {first},\n"
                    f"        {first_shift}, {-right.zero_point}, {second}, {second_shift}, {left_shift},\n"
                    f"        (int8_t*){driver.place(operator.outputs[0])}, {target.zero_point}, {last},\n"
                    f"        {last_shift}, {least}, {greatest}, {target.elements});\n")


def multiplication(driver, operator, _index):
    """MUL."""
    left, right, target = same_shapes(driver, operator)
    multiplier, shift = multiplier_of(left.scales[0] * right.scales[0] / target.scales[0])
    least, greatest = clamp_of(target, operator.options["fused_activation_function"])
    sources = [f"(const int8_t*){driver.place(number)}" for number in operator.inputs]
    return "", "", (f"    return arm_elementwise_mul_s8({sources[0]}, {sources[1]}, {-left.zero_point},\n"
                    f"        {-right.zero_point}, (int8_t*){driver.place(operator.outputs[0])}, {target.zero_point},\n"
                    f"        {multiplier}, {shift}, {least}, {greatest}, {target.elements});\n")


def softmax(driver, operator, _index):
    """SOFTMAX over the last dimension."""
    (source,), (target,) = driver.tensors(operator.inputs), driver.tensors(operator.outputs)
    function, steps = {"int8": ("arm_softmax_s8", 256), "int16": ("arm_softmax_s8_s16", 65536)}[target.type]
    if abs(target.scales[0] * steps - 1) > 0.001 or target.zero_point != -steps // 2:
        raise NotDriven("another scale of the output than the operator's")
    integer_bits = 5
    beta = struct.unpack("<f", struct.pack("<I", operator.options["beta"]))[0]
    scale = min(beta * source.scales[0] * (1 << (31 - integer_bits)), (1 << 31) - 1.0)
    multiplier, shift = multiplier_of(scale)
    greatest = ((1 << integer_bits) - 1) * (1 << (31 - integer_bits)) / (1 << shift)
    row = source.shape[-1]
    return "", "", (f"    {function}((const int8_t*){driver.place(operator.inputs[0])}, {source.elements // row}, "
                    f"{row},\n        {multiplier}, {shift}, {-math.floor(greatest)}, "
                    f"({target.type}_t*){driver.place(operator.outputs[0])});\n    return 0;\n")


def pad(driver, operator, index):
    """PAD with the zero point."""
    source, widths = driver.tensors(operator.inputs)
    if not widths.data or len(source.shape) > 4:
        raise NotDriven("widths that are no constant, or more than four dimensions")
    pairs = [(0, 0)] * (4 - len(source.shape)) + list(zip(*[iter(widths.numbers())] * 2))
    definitions = (nhwc(f"input_{index}", source.shape) + dims(f"before_{index}", *(pair[0] for pair in pairs)) +
                   dims(f"after_{index}", *(pair[1] for pair in pairs)))
    return definitions, "", (f"    return arm_pad_s8((const int8_t*){driver.place(operator.inputs[0])},\n"
                             f"        (int8_t*){driver.place(operator.outputs[0])}, {source.zero_point},\n"
                             f"        &input_{index}, &before_{index}, &after_{index});\n")


def gate(driver, numbers, offsets, scales, function):
    """An initialiser of a gate of an LSTM. `numbers` are its tensors: input weights, recurrent weights, bias."""
    weights = driver.tensors(numbers[:2])
    bias, = driver.tensors(numbers[2:])
    if any(each is None or each.type != "int8" or not each.data for each in weights) or bias is None:
        raise NotDriven("a coupled gate, or weights that are no constants of int8")
    sums = []
    for each, offset in zip(weights, offsets):
        rows = list(zip(*[iter(each.numbers())] * each.shape[1]))
        sums.append([offset * sum(row) for row in rows])
    sums[0] = [left + right for left, right in zip(sums[0], bias.numbers())]
    members = []
    for name, number, each, scale, values in zip(("input", "hidden"), numbers, weights, scales, sums):
        multiplier, shift = multiplier_of(to_single(scale * each.scales[0]) * (1 << 12))
        members.append(f".{name}_multiplier = {multiplier}, .{name}_shift = {shift}, .{name}_weights = "
                       f"{driver.place(number)}, .{name}_effective_bias = {driver.words(values)}")
    return "{" + ", ".join([*members, f".activation_type = {function}"]) + "}"


def lstm(driver, operator, index):
    """UNIDIRECTIONAL_SEQUENCE_LSTM with int8 activations and a cell of int16."""
    inputs = operator.inputs
    if any(number >= 0 for number in (*inputs[9:12], *inputs[16:18], *inputs[20:])):
        raise NotDriven("peepholes, a projection or normalisation")
    (source, hidden, cell), (target,) = driver.tensors((inputs[0], *inputs[18:20])), driver.tensors(operator.outputs)
    if (hidden.type, cell.type) != ("int8", "int16"):
        raise NotDriven(f"state of {hidden.type} and {cell.type}")
    offsets, scales = (-source.zero_point, -hidden.zero_point), (source.scales[0], hidden.scales[0])
    gates = [f".{name}_gate = " + gate(driver, (inputs[1 + place], inputs[5 + place], inputs[12 + place]), offsets,
                                       scales, "ARM_TANH" if name == "cell" else "ARM_SIGMOID")
             for name, place in (("forget", 1), ("input", 0), ("cell", 2), ("output", 3))]
    time_major, units = operator.options["time_major"], hidden.shape[-1]
    batches, steps = (source.shape[1], source.shape[0]) if time_major else source.shape[:2]
    unit, clip = 2.0**-15, struct.unpack("<f", struct.pack("<I", operator.options["cell_clip"]))[0]
    products = [multiplier_of(unit * left / right) for left, right in (
        (cell.scales[0], cell.scales[0]), (unit, cell.scales[0]), (unit, hidden.scales[0]))]
    scaling = [f".{name}_multiplier = {multiplier}, .{name}_shift = {shift}" for name, (multiplier, shift) in zip(
        ("forget_to_cell", "input_to_cell", "output"), products)]
    clip_steps = min(int(clip / cell.scales[0]), 32767) if clip > 0 else 32767
    members = [f".time_major = {int(time_major)}, .batch_size = {batches}, .time_steps = {steps}",
               f".input_size = {source.shape[2]}, .hidden_size = {units}, .input_offset = {offsets[0]}", *scaling,
               f".cell_clip = {clip_steps}, .cell_scale_power = {round(math.log2(cell.scales[0]))}",
               f".output_offset = {target.zero_point}", *gates]
    size = 2 * batches * units
    temporary = [f"(workspace + {driver.room(size)})" for _ in range(2)]
    definitions = (f"static cmsis_nn_lstm_params params_{index};\nstatic cmsis_nn_lstm_context context_{index};\n"
                   f"static void set_{index}(void) {{\n    params_{index} = (cmsis_nn_lstm_params){{\n        " +
                   ",\n        ".join(members) + f"}};\n    context_{index} = (cmsis_nn_lstm_context){{"
                   f".temp1 = {temporary[0]}, .temp2 = {temporary[1]},\n        .cell_state = "
                   f"{driver.place(inputs[19])}, .hidden_state = {driver.place(inputs[18])}}};\n"
                   f"    memset({driver.place(inputs[18])}, {hidden.zero_point}, {batches * units});\n}}\n")
    call = (f"    return arm_lstm_unidirectional_s8((const int8_t*){driver.place(inputs[0])},\n"
            f"        (int8_t*){driver.place(operator.outputs[0])}, &params_{index}, &context_{index});\n")
    return definitions, f"    set_{index}();\n", call


def svdf(driver, operator, index):
    """SVDF with a state of int16."""
    (source, features, times), (target,) = driver.tensors(operator.inputs[:3]), driver.tensors(operator.outputs)
    state, = driver.tensors(operator.inputs[4:5])
    if (features.type, times.type, state.type) != ("int8", "int16", "int16") or not (features.data and times.data):
        raise NotDriven("other types than int8 weights of features and int16 of time and state")
    scales = [to_single(to_single(left.scales[0] * right.scales[0]) / product.scales[0]) for left, right, product in (
        (source, features, state), (state, times, target))]
    batches, (filters, depth), rank = source.shape[0], features.shape, operator.options["rank"]
    definitions = (f"static const cmsis_nn_svdf_params params_{index} = {{.rank = {rank}, .input_offset = "
                   f"{source.zero_point}, .output_offset = {target.zero_point},\n    .input_activation = "
                   "{.min = INT16_MIN, .max = INT16_MAX}, .output_activation = {.min = INT8_MIN, .max = INT8_MAX}};\n")
    for number, scale in enumerate(scales):
        multiplier, shift = multiplier_of(scale)
        definitions += (f"static const cmsis_nn_per_tensor_quant_params scale_{index}_{number} = {{.multiplier = "
                        f"{multiplier}, .shift = {shift}}};\n")
    for name, extents in (("input", (batches, depth, 1, 1)), ("state", (batches, filters * times.shape[1], 1, 1)),
                          ("features", (filters, depth, 1, 1)), ("times", (filters, times.shape[1], 1, 1)),
                          ("bias", (filters // rank, 1, 1, 1)), ("output", (batches, filters // rank, 1, 1))):
        definitions += dims(f"{name}_{index}", *extents)
    sizes = 4 * batches * filters, 4 * batches * (filters // rank)
    buffers = [f"{{.buf = workspace + {driver.room(size)}, .size = {size}}}" for size in sizes]
    places = [driver.place(number) for number in (*operator.inputs[:3], operator.inputs[4], operator.outputs[0])]
    call = (f"    const cmsis_nn_context first = {buffers[0]}, second = {buffers[1]};\n"
            f"    return arm_svdf_state_s16_s8(&first, &second, &params_{index}, &scale_{index}_0, &scale_{index}_1,\n"
            f"        &input_{index}, (const int8_t*){places[0]}, &state_{index}, (int16_t*){places[3]},\n"
            f"        &features_{index}, (const int8_t*){places[1]}, &times_{index}, (const int16_t*){places[2]},\n"
            f"        &bias_{index}, {driver.bias(operator.inputs[3])}, &output_{index}, (int8_t*){places[4]});\n")
    return definitions, "", call


WRITERS = {"CONV_2D": convolution, "DEPTHWISE_CONV_2D": convolution, "FULLY_CONNECTED": fully_connected,
           "AVERAGE_POOL_2D": pool, "MAX_POOL_2D": pool, "ADD": addition, "MUL": multiplication, "SOFTMAX": softmax,
           "PAD": pad, "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm, "SVDF": svdf}
