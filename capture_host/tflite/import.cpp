#include "capture_host/tflite/import.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>

#include "capture_host/tflite/model/graph.h"
#include "capture_host/tflite/model/outside_buffers.h"
#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/model/support.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

struct Lowering {
    format::BuiltinOperator code;
    void (*lower)(OperatorContext& context);
    bool is_alias;
};

constexpr std::array<Lowering, 85> kLowerings{{
    {format::BuiltinOperator_ADD, lower_add, false},
    {format::BuiltinOperator_ADD_N, lower_add_n, false},
    {format::BuiltinOperator_AVERAGE_POOL_2D, lower_average_pool_2d, false},
    {format::BuiltinOperator_CONV_2D, lower_conv_2d, false},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, lower_depthwise_conv_2d, false},
    {format::BuiltinOperator_TRANSPOSE_CONV, lower_transpose_conv, false},
    {format::BuiltinOperator_FULLY_CONNECTED, lower_fully_connected, false},
    {format::BuiltinOperator_BATCH_MATMUL, lower_batch_matmul, false},
    {format::BuiltinOperator_MAX_POOL_2D, lower_max_pool_2d, false},
    {format::BuiltinOperator_RESHAPE, lower_reshape, true},
    {format::BuiltinOperator_SOFTMAX, lower_softmax, false},
    {format::BuiltinOperator_LOG_SOFTMAX, lower_log_softmax, false},
    {format::BuiltinOperator_L2_NORMALIZATION, lower_l2_normalization, false},
    {format::BuiltinOperator_PAD, lower_pad, false},
    {format::BuiltinOperator_MEAN, lower_mean, false},
    {format::BuiltinOperator_SUM, lower_sum, false},
    {format::BuiltinOperator_REDUCE_MAX, lower_reduce_max, false},
    {format::BuiltinOperator_REDUCE_MIN, lower_reduce_min, false},
    {format::BuiltinOperator_REDUCE_ALL, lower_reduce_all, false},
    {format::BuiltinOperator_SHAPE, lower_shape, false},
    {format::BuiltinOperator_CAST, lower_cast, false},
    {format::BuiltinOperator_ARG_MAX, lower_arg_max, false},
    {format::BuiltinOperator_ARG_MIN, lower_arg_min, false},
    {format::BuiltinOperator_CUMSUM, lower_cumsum, false},
    {format::BuiltinOperator_SQUEEZE, lower_squeeze, true},
    {format::BuiltinOperator_PADV2, lower_pad_v2, false},
    {format::BuiltinOperator_EXPAND_DIMS, lower_expand_dims, true},
    {format::BuiltinOperator_QUANTIZE, lower_quantize, false},
    {format::BuiltinOperator_CONCATENATION, lower_concatenation, false},
    {format::BuiltinOperator_MUL, lower_mul, false},
    {format::BuiltinOperator_LOGISTIC, lower_logistic, false},
    {format::BuiltinOperator_STRIDED_SLICE, lower_strided_slice, false},
    {format::BuiltinOperator_SPLIT, lower_split, false},
    {format::BuiltinOperator_SPLIT_V, lower_split_v, false},
    {format::BuiltinOperator_DEQUANTIZE, lower_dequantize, false},
    {format::BuiltinOperator_SUB, lower_sub, false},
    {format::BuiltinOperator_HARD_SWISH, lower_hard_swish, false},
    {format::BuiltinOperator_RESIZE_BILINEAR, lower_resize_bilinear, false},
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, lower_resize_nearest_neighbor, false},
    {format::BuiltinOperator_TRANSPOSE, lower_transpose, false},
    {format::BuiltinOperator_RELU, lower_relu, false},
    {format::BuiltinOperator_RELU6, lower_relu6, false},
    {format::BuiltinOperator_RELU_N1_TO_1, lower_relu_n1_to_1, false},
    {format::BuiltinOperator_LEAKY_RELU, lower_leaky_relu, false},
    {format::BuiltinOperator_PRELU, lower_prelu, false},
    {format::BuiltinOperator_ELU, lower_elu, false},
    {format::BuiltinOperator_EXP, lower_exp, false},
    {format::BuiltinOperator_TANH, lower_tanh, false},
    {format::BuiltinOperator_SLICE, lower_slice, false},
    {format::BuiltinOperator_PACK, lower_pack, false},
    {format::BuiltinOperator_UNPACK, lower_unpack, false},
    {format::BuiltinOperator_MAXIMUM, lower_maximum, false},
    {format::BuiltinOperator_MINIMUM, lower_minimum, false},
    {format::BuiltinOperator_GATHER, lower_gather, false},
    {format::BuiltinOperator_GATHER_ND, lower_gather_nd, false},
    {format::BuiltinOperator_SPACE_TO_DEPTH, lower_space_to_depth, false},
    {format::BuiltinOperator_DEPTH_TO_SPACE, lower_depth_to_space, false},
    {format::BuiltinOperator_SPACE_TO_BATCH_ND, lower_space_to_batch_nd, false},
    {format::BuiltinOperator_BATCH_TO_SPACE_ND, lower_batch_to_space_nd, false},
    {format::BuiltinOperator_MIRROR_PAD, lower_mirror_pad, false},
    {format::BuiltinOperator_EQUAL, lower_equal, false},
    {format::BuiltinOperator_NOT_EQUAL, lower_not_equal, false},
    {format::BuiltinOperator_GREATER, lower_greater, false},
    {format::BuiltinOperator_GREATER_EQUAL, lower_greater_equal, false},
    {format::BuiltinOperator_LESS, lower_less, false},
    {format::BuiltinOperator_LESS_EQUAL, lower_less_equal, false},
    {format::BuiltinOperator_LOGICAL_AND, lower_logical_and, false},
    {format::BuiltinOperator_LOGICAL_OR, lower_logical_or, false},
    {format::BuiltinOperator_LOGICAL_NOT, lower_logical_not, false},
    {format::BuiltinOperator_SELECT_V2, lower_select_v2, false},
    {format::BuiltinOperator_BROADCAST_TO, lower_broadcast_to, false},
    {format::BuiltinOperator_SQUARED_DIFFERENCE, lower_squared_difference, false},
    {format::BuiltinOperator_RSQRT, lower_rsqrt, false},
    {format::BuiltinOperator_ABS, lower_abs, false},
    {format::BuiltinOperator_ZEROS_LIKE, lower_zeros_like, false},
    {format::BuiltinOperator_FILL, lower_fill, false},
    {format::BuiltinOperator_REVERSE_V2, lower_reverse_v2, false},
    {format::BuiltinOperator_TILE, lower_tile, false},
    {format::BuiltinOperator_EMBEDDING_LOOKUP, lower_embedding_lookup, false},
    {format::BuiltinOperator_VAR_HANDLE, lower_var_handle, false},
    {format::BuiltinOperator_READ_VARIABLE, lower_read_variable, false},
    {format::BuiltinOperator_ASSIGN_VARIABLE, lower_assign_variable, false},
    {format::BuiltinOperator_CALL_ONCE, lower_call_once, false},
    {format::BuiltinOperator_SVDF, lower_svdf, false},
    {format::BuiltinOperator_UNIDIRECTIONAL_SEQUENCE_LSTM, lower_unidirectional_sequence_lstm, false},
}};

const Lowering* find_lowering(std::int32_t code) {
    const auto* const found =
        std::find_if(kLowerings.begin(), kLowerings.end(), [code](const Lowering& l) { return l.code == code; });
    return (found == kLowerings.end()) ? nullptr : found;
}

bool is_alias(const Operator& op) {
    const Lowering* const lowering = find_lowering(op.code);
    return (lowering != nullptr) && lowering->is_alias;
}

bool is_float_only(std::int32_t code) {
    const Span<const std::int32_t> codes = float_only_operators();
    return std::find(codes.begin(), codes.end(), code) != codes.end();
}

// The tensor that identifies an operator if none of its operands is to blame.
std::string first_output(const Model& model, const Operator& op) {
    const bool is_there =
        !op.outputs.empty() && (static_cast<std::uint32_t>(op.outputs.front()) < model.tensors.size());
    return is_there ? model.tensors[static_cast<std::uint32_t>(op.outputs.front())].name : std::string{};
}

// Why an operator is refused without a check; empty if it is checked.
std::string refusal_of(const Operator& op) {
    const OperatorSupport* const support = find_support(op.code);
    if ((find_lowering(op.code) == nullptr) || (support == nullptr)) {
        return is_float_only(op.code) ? "not supported; TensorFlow Lite Micro computes it in float only"
                                      : "not supported";
    }
    std::string version = version_refusal(*support, op.version);
    if (!version.empty()) {
        return version;
    }
    return outside_options_defect(*op.stored);
}

std::vector<Finding> unknown_operators(const Model& model) {
    std::vector<Finding> findings;
    for (std::uint32_t i = 0U; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[i];
        const std::string refusal = refusal_of(op);
        if (!refusal.empty()) {
            findings.push_back({i, op.name, first_output(model, op), refusal});
        }
    }
    return findings;
}

bool has_finding(const std::vector<Finding>& findings, std::uint32_t operator_index) {
    return std::any_of(findings.begin(), findings.end(),
                       [operator_index](const Finding& finding) { return finding.operator_index == operator_index; });
}

// For an unknown operator nothing else is reported.
void add_new(const std::vector<Finding>& more, std::vector<Finding>& findings) {
    const std::vector<Finding> known = findings;
    for (const Finding& finding : more) {
        if (!finding.operator_index.has_value() || !has_finding(known, *finding.operator_index)) {
            findings.push_back(finding);
        }
    }
}

// Continues after an operator that it cannot lower, so that all of them are found.
void lower_operators(const Model& model, Graph& graph, capture::Recorder& recorder, std::vector<Finding>& findings) {
    std::uint64_t table_bytes = 0U;
    for (std::uint32_t i = 0U; i < model.operators.size(); ++i) {
        const Operator& op = model.operators[i];
        const Lowering* const lowering = find_lowering(op.code);
        if (has_finding(findings, i) || (lowering == nullptr) || !graph.is_sound(i)) {
            continue;
        }
        OperatorContext context{model, i, graph, recorder, table_bytes};
        try {
            lowering->lower(context);
        } catch (const ImportError& error) {
            const std::string& tensor = error.findings().front().tensor;
            findings.push_back({i, op.name, tensor.empty() ? first_output(model, op) : tensor, error.missing()});
        }
    }
}

}  // namespace

void import_model(Span<const std::uint8_t> file, const std::string& name, const std::array<std::uint8_t, 32>& sha256,
                  capture::Recorder& recorder) {
    const Model model = read_model(file);
    std::vector<Finding> findings = unknown_operators(model);
    Graph graph{model, is_alias, recorder};
    add_new(graph.findings(), findings);
    lower_operators(model, graph, recorder, findings);
    if (!findings.empty()) {
        // A multimap keeps equal keys in the order they came in.
        std::multimap<std::uint32_t, Finding> by_operator;
        for (const Finding& finding : findings) {
            by_operator.emplace(finding.operator_index.value_or(UINT32_MAX), finding);
        }
        findings.clear();
        for (const auto& [operator_index, finding] : by_operator) {
            findings.push_back(finding);
        }
        throw ImportError{findings};
    }
    graph.record_output_copies();
    recorder.set_source(name, sha256);
}

std::vector<std::int32_t> imported_operators() {
    std::vector<std::int32_t> codes;
    for (const Lowering& lowering : kLowerings) {
        codes.push_back(lowering.code);
    }
    return codes;
}

}  // namespace pianola::tflite
