#include "capture_host/tflite/import.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "capture_host/tflite/model/graph.h"
#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/operators/operators.h"

namespace pianola::tflite {
namespace {

struct Lowering {
    format::BuiltinOperator code;
    void (*lower)(OperatorContext& context);
    bool is_alias;
};

constexpr std::array<Lowering, 63> kLowerings{{
    {format::BuiltinOperator_ADD, lower_add, false},
    {format::BuiltinOperator_AVERAGE_POOL_2D, lower_average_pool_2d, false},
    {format::BuiltinOperator_CONV_2D, lower_conv_2d, false},
    {format::BuiltinOperator_DEPTHWISE_CONV_2D, lower_depthwise_conv_2d, false},
    {format::BuiltinOperator_FULLY_CONNECTED, lower_fully_connected, false},
    {format::BuiltinOperator_MAX_POOL_2D, lower_max_pool_2d, false},
    {format::BuiltinOperator_RESHAPE, lower_reshape, true},
    {format::BuiltinOperator_SOFTMAX, lower_softmax, false},
    {format::BuiltinOperator_PAD, lower_pad, false},
    {format::BuiltinOperator_MEAN, lower_mean, false},
    {format::BuiltinOperator_SQUEEZE, lower_reshape, true},
    {format::BuiltinOperator_PADV2, lower_pad_v2, false},
    {format::BuiltinOperator_EXPAND_DIMS, lower_reshape, true},
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
    {format::BuiltinOperator_RESIZE_NEAREST_NEIGHBOR, lower_resize_nearest_neighbor, false},
    {format::BuiltinOperator_TRANSPOSE, lower_transpose, false},
    {format::BuiltinOperator_RELU, lower_relu, false},
    {format::BuiltinOperator_RELU6, lower_relu6, false},
    {format::BuiltinOperator_RELU_N1_TO_1, lower_relu_n1_to_1, false},
    {format::BuiltinOperator_LEAKY_RELU, lower_leaky_relu, false},
    {format::BuiltinOperator_PRELU, lower_prelu, false},
    {format::BuiltinOperator_ELU, lower_elu, false},
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

}  // namespace

void import_model(Span<const std::uint8_t> file, const std::string& name, const std::array<std::uint8_t, 32>& sha256,
                  capture::Recorder& recorder) {
    const Model model = read_model(file);
    const auto operator_count = static_cast<std::uint32_t>(model.operators.size());
    for (std::uint32_t i = 0U; i < operator_count; ++i) {
        if (find_lowering(model.operators[i].code) == nullptr) {
            throw ImportError(i, model.operators[i].name, "not supported");
        }
    }
    if (model.subgraph_count != 1U) {
        throw ImportError(std::to_string(model.subgraph_count) + " graphs in one model are not supported; 1 is");
    }

    Graph graph{model, is_alias, recorder};
    std::uint64_t table_bytes = 0U;
    for (std::uint32_t i = 0U; i < operator_count; ++i) {
        OperatorContext context{model, i, graph, recorder, table_bytes};
        try {
            find_lowering(model.operators[i].code)->lower(context);
        } catch (const ImportError& error) {
            if (error.operator_index().has_value()) {
                throw;
            }
            throw ImportError(i, model.operators[i].name, error.missing());
        }
    }
    graph.record_output_copies();
    recorder.set_source(name, sha256);
}

}  // namespace pianola::tflite
