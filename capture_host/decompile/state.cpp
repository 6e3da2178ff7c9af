#include <algorithm>
#include <cmath>

#include "capture_host/decompile/curves.h"
#include "capture_host/decompile/operation.h"
#include "capture_host/decompile/scales.h"

namespace pianola::decompile {
namespace {

namespace format = tflite::format;
using refdev::KernelId;

// Unwritten memory.
Tokens unwritten(const Tensor& tensor) {
    return Tokens(tensor.size_bytes, static_cast<Token>(zero_point_of(tensor)) & UINT8_MAX);
}

// A state of layers: numbers that are 0.
Tokens zeros(const Tensor& tensor) {
    Tokens tokens;
    for (std::uint32_t i = 0U; i < tensor.elements; ++i) {
        append_integer(tokens, is_int16(tensor) ? 0 : zero_point_of(tensor), element_bytes_of(tensor));
    }
    return tokens;
}

Multiplier scale_to(float value, float weight, float sum) {  // in single precision
    return multiplier_of(static_cast<double>((value * weight) / sum));
}

// What a layer keeps its state in, and weights that its kernel takes: a kernel knows no zero points of them.
void check_variable(const Tensor& tensor) {
    if (!tensor.is_variable) {
        Operation::not_understood("a state that is no variable tensor");
    }
}

void check_weights(const Tensor& weights, const Shape& shape) {
    if ((weights.shape != shape) || (zero_point_of(weights) != 0)) {
        Operation::not_understood("weights of another shape, or with a zero point");
    }
}

void svdf(Operation& op) {
    const Tensor& memory = op.in(4U);
    check_variable(memory);
    const Shape& features = op.in(1U).shape;
    const auto rank = static_cast<std::uint32_t>(op.options<format::SVDFOptions>().rank());
    if (rank == 0U) {
        Operation::not_understood("a rank of 0");
    }
    const std::uint32_t batches = op.in(0U).shape.at(0U);
    const std::uint32_t units = features.at(0U) / rank;
    const std::uint32_t length = op.in(2U).shape.at(1U);
    check_weights(op.in(1U), {features.at(0U), op.in(0U).shape.at(1U)});
    check_weights(op.in(2U), {features.at(0U), length});
    const auto type = static_cast<std::uint32_t>(tflite::element_type(memory.type));
    const Multiplier first = scale_to(scale_of(op.in(0U)), scale_of(op.in(1U)), scale_of(memory));
    const Multiplier second = scale_to(scale_of(memory), scale_of(op.in(2U)), scale_of(op.out()));
    refdev::SvdfFeatureArguments a{};
    a.batches = batches;
    a.input_depth = features.at(1U);
    a.filters = features.at(0U);
    a.length = length;
    a.type = type;
    a.input_offset = -zero_point_of(op.in(0U));
    a.multiplier = first.mantissa;
    a.shift = first.shift;
    a.memory_zero_point = zero_point_of(memory);
    Tokens& state = op.state_of(4U, zeros(memory));
    state = op.launch(KernelId::kSvdfFeature, a, {op.bytes(0U), op.bytes(1U), state}, memory.size_bytes);
    refdev::SvdfTimeArguments b{};
    b.batches = batches;
    b.units = units;
    b.rank = rank;
    b.length = length;
    b.type = type;
    b.memory_offset = -zero_point_of(memory);
    b.multiplier = second.mantissa;
    b.shift = second.shift;
    b.output_offset = zero_point_of(op.out());
    const Tokens bias = op.has(3U) ? op.bytes(3U) : Tokens(units * sizeof(std::int32_t), 0U);
    op.compute(KernelId::kSvdfTime, b, {state, op.bytes(2U), bias});
}

// The places of the LSTM's operands. Gates are in the kernel's order: input, forget, candidate, output.
constexpr std::size_t kInputWeights = 1U;
constexpr std::size_t kHiddenWeights = 5U;
constexpr std::size_t kBiases = 12U;
constexpr std::size_t kHidden = 18U;
constexpr std::size_t kCell = 19U;

void set_scales(const Operation& op, refdev::LstmArguments& a) {
    constexpr double kGate = 0x1p-12;
    constexpr double kUnit = 0x1p-15;
    for (std::size_t gate = 0U; gate < a.gates.size(); ++gate) {
        const auto scale = [&](const Tensor& value, std::size_t weights) {
            return multiplier_of(static_cast<double>(scale_of(value) * scale_of(op.in(weights + gate))) / kGate);
        };
        const Multiplier input = scale(op.in(0U), kInputWeights);
        const Multiplier hidden = scale(op.in(kHidden), kHiddenWeights);
        a.gates.at(gate) = {input.mantissa, input.shift, hidden.mantissa, hidden.shift};
    }
    const auto cell = static_cast<double>(scale_of(op.in(kCell)));
    const Multiplier forget = multiplier_of(kUnit);  // of a cell times a unit, to a cell
    const Multiplier admit = multiplier_of((kUnit * kUnit) / cell);
    const Multiplier emit = multiplier_of((kUnit * kUnit) / static_cast<double>(scale_of(op.in(kHidden))));
    a.forget_multiplier = forget.mantissa;
    a.forget_shift = forget.shift;
    a.admit_multiplier = admit.mantissa;
    a.admit_shift = admit.shift;
    a.emit_multiplier = emit.mantissa;
    a.emit_shift = emit.shift;
}

// The cell's steps are 2^power, or taken to be; the curve's 1 / (3 * 2^12).
void set_cell(const Operation& op, refdev::LstmArguments& a) {
    constexpr std::int32_t kSteps = 3;
    constexpr std::int32_t kBits = 12;
    constexpr std::int32_t kLeastBits = -15;
    constexpr std::int32_t kMostBits = 14;
    const float scale = scale_of(op.in(kCell));
    const std::int32_t bits = static_cast<std::int32_t>(std::lround(std::log2(scale))) + kBits;
    if ((bits < kLeastBits) || (bits > kMostBits)) {
        Operation::not_understood("the scale of its cell");
    }
    a.cell_multiplier = kSteps * (1 << std::max(bits, 0));
    a.cell_shift = std::max(-bits, 0);
    const float clip = op.options<format::UnidirectionalSequenceLSTMOptions>().cell_clip();
    a.cell_clip = refdev::kLstmUnclipped;
    if (clip > 0.0F) {
        a.cell_clip = static_cast<std::int32_t>(
            std::min(static_cast<double>(clip) / static_cast<double>(scale), static_cast<double>(INT16_MAX)));
    }
}

void lstm(Operation& op) {
    constexpr int kTanh = 4;
    if (op.options<format::UnidirectionalSequenceLSTMOptions>().fused_activation_function() != kTanh) {
        Operation::not_understood("another activation than TANH");
    }
    check_variable(op.in(kHidden));
    check_variable(op.in(kCell));
    for (const std::size_t variant : {9U, 10U, 11U, 16U, 17U, 20U, 21U, 22U, 23U}) {
        if (op.has(variant)) {
            Operation::not_understood("peepholes, a projection or a normalised layer");
        }
    }
    const Shape& shape = op.in(0U).shape;
    const bool time_major = op.options<format::UnidirectionalSequenceLSTMOptions>().time_major();
    refdev::LstmArguments a{};
    a.time_major = time_major ? 1U : 0U;
    a.batches = shape.at(time_major ? 1U : 0U);
    a.steps = shape.at(time_major ? 0U : 1U);
    a.input_depth = shape.at(2U);
    a.units = op.in(kHiddenWeights).shape.at(0U);
    a.input_offset = -zero_point_of(op.in(0U));
    a.hidden_offset = -zero_point_of(op.in(kHidden));
    a.type = is_int16(op.in(0U)) ? refdev::kTypeInt16 : refdev::kTypeInt8;
    const std::size_t bias_bytes = is_int16(op.in(0U)) ? sizeof(std::int64_t) : sizeof(std::int32_t);
    set_scales(op, a);
    set_cell(op, a);
    Tokens weights;
    Tokens parameters;
    for (std::size_t gate = 0U; gate < refdev::kLstmGates; ++gate) {
        check_weights(op.in(kInputWeights + gate), {a.units, a.input_depth});
        check_weights(op.in(kHiddenWeights + gate), {a.units, a.units});
        for (std::size_t unit = 0U; unit < a.units; ++unit) {
            append_element(weights, op.bytes(kInputWeights + gate), unit, a.input_depth);
            append_element(weights, op.bytes(kHiddenWeights + gate), unit, a.units);
        }
        append(parameters, op.has(kBiases + gate) ? op.bytes(kBiases + gate) : Tokens(a.units * bias_bytes, 0U));
    }
    append(parameters, sigmoid_table());
    Tokens& cell = op.state_of(kCell, zeros(op.in(kCell)));
    Tokens& hidden = op.state_of(kHidden, zeros(op.in(kHidden)));
    Tokens state = cell;
    append(state, hidden);
    const Tokens all =
        op.launch(KernelId::kLstm, a, {op.bytes(0U), weights, parameters, state}, state.size() + op.out().size_bytes);
    const auto cell_end = all.begin() + static_cast<std::ptrdiff_t>(cell.size());
    const auto state_end = all.begin() + static_cast<std::ptrdiff_t>(state.size());
    cell.assign(all.begin(), cell_end);
    hidden.assign(cell_end, state_end);
    op.set({state_end, all.end()});
}

// The variable that a tensor of a graph is the handle of.
std::string variable_of(const tflite::Model& graph, std::int32_t handle) {
    for (const tflite::Operator& op : graph.operators) {
        if ((op.code == format::BuiltinOperator_VAR_HANDLE) && (op.outputs.at(0U) == handle)) {
            const auto* const options = op.stored->builtin_options_as_VarHandleOptions();
            const bool has_name = (options != nullptr) && (options->shared_name() != nullptr);
            const bool has_container = (options != nullptr) && (options->container() != nullptr);
            return "variable " + (has_container ? options->container()->str() : std::string{}) + "/" +
                   (has_name ? options->shared_name()->str() : std::string{});
        }
    }
    Operation::not_understood("a handle that is computed");
}

void var_handle(Operation& /*op*/) {}

void read_variable(Operation& op) {
    op.set(op.state(variable_of(op.model(), op.stored().inputs.at(0U)), unwritten(op.out())));
}

void assign_variable(Operation& op) {
    op.state(variable_of(op.model(), op.stored().inputs.at(0U)), {}) = op.bytes(1U);
}

// Variables initially hold what the graph assigns.
void call_once(Operation& op) {
    const std::int32_t index = op.options<format::CallOnceOptions>().init_subgraph_index();
    const tflite::Model graph = tflite::read_inner_graph(op.model(), index);
    for (const tflite::Operator& inner : graph.operators) {
        if (inner.code == format::BuiltinOperator_VAR_HANDLE) {
            continue;
        }
        if (inner.code != format::BuiltinOperator_ASSIGN_VARIABLE) {
            Operation::not_understood("a graph that does more than assign");
        }
        const Tensor& value = graph.tensors.at(static_cast<std::size_t>(inner.inputs.at(1U)));
        if (!value.is_constant) {
            Operation::not_understood("a graph that assigns what is not constant");
        }
        (void)op.state(variable_of(graph, inner.inputs.at(0U)), tokens_of(value.contents));
    }
}

constexpr std::uint32_t kLstmHidden = std::uint32_t{1U} << 18U;  // input of the hidden state
constexpr std::array<Entry, 6> kStates{
    {{format::BuiltinOperator_SVDF, svdf},
     {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, lstm, {Kept::kNumbers, kLstmHidden}},
     {format::BuiltinOperator_VAR_HANDLE, var_handle},
     {format::BuiltinOperator_READ_VARIABLE, read_variable},
     {format::BuiltinOperator_ASSIGN_VARIABLE, assign_variable},
     {format::BuiltinOperator_CALL_ONCE, call_once}}};

}  // namespace

Entries state_operators() {
    return kStates;
}

}  // namespace pianola::decompile
