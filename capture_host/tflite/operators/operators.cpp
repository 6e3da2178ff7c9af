#include "capture_host/tflite/operators/operators.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "tflite_subset_generated.h"

namespace pianola::tflite {
namespace {

constexpr const char* kInt8 = "int8";
constexpr const char* kInt8And16 = "int8, int16";
constexpr const char* kArithmetic = "int8, int16, int32";
constexpr const char* kMoved = "int8, int16, int32, uint8, float32, bool";

constexpr const char* kSameQuantization = "equal quantisation of input and output";
constexpr const char* kBroadcasts = "broadcasts along at most 4 dimensions that differ";
constexpr const char* kWraps =
    "broadcasts along at most 4 dimensions that differ; int32 wraps, and has no scale and no fused activation";
constexpr const char* kBroadcastsAlike =
    "broadcasts along at most 4 dimensions that differ; equal quantisation of inputs and output";
constexpr const char* kLarger =
    "broadcasts along at most 4 dimensions that differ; equal quantisation of inputs and output; int32 has no scale";
constexpr const char* kCompares =
    "broadcasts along at most 4 dimensions that differ; scales below 1; int32 has no scale";
constexpr const char* kWeights = "constant int8 weights, int32 bias; of int16: bias of int64 or int32";
constexpr const char* kAnyWeights = "int8 weights, constant or computed, int32 bias; of int16: bias of int64 or int32";
constexpr const char* kWideWeights = "constant int8 weights, int32 bias; of int16: bias of int64";
constexpr const char* kPaddings = "constant paddings, of at most 4 dimensions";

constexpr std::array kImported{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_OPERATOR(code, lower, version, types, status, limits) \
    ImportedOperator{format::BuiltinOperator_##code, lower, version, types, OperatorStatus::status, limits},
#include "capture_host/tflite/operators/operators.inc"
#undef PIANOLA_OPERATOR
};

constexpr bool is_in_order() {
    for (std::size_t i = 1U; i < kImported.size(); ++i) {
        if (kImported.at(i).code <= kImported.at(i - 1U).code) {
            return false;
        }
    }
    return true;
}
static_assert(is_in_order(), "operators.inc: one row for each operator, in the order of the format's numbers");

constexpr std::array<std::int32_t, 12> kFloatOnly{
    format::BuiltinOperator_FLOOR,     format::BuiltinOperator_L2_POOL_2D, format::BuiltinOperator_NEG,
    format::BuiltinOperator_SIN,       format::BuiltinOperator_LOG,        format::BuiltinOperator_SQRT,
    format::BuiltinOperator_FLOOR_DIV, format::BuiltinOperator_SQUARE,     format::BuiltinOperator_FLOOR_MOD,
    format::BuiltinOperator_CEIL,      format::BuiltinOperator_COS,        format::BuiltinOperator_ROUND};

}  // namespace

Span<const ImportedOperator> imported_operators() {
    return {kImported.data(), kImported.size()};
}

const ImportedOperator* find_imported(std::int32_t code) {
    const auto* const found = std::find_if(kImported.begin(), kImported.end(),
                                           [code](const ImportedOperator& row) { return row.code == code; });
    return (found == kImported.end()) ? nullptr : found;
}

std::string version_refusal(const ImportedOperator& imported, std::int32_t version) {
    if ((version >= 1) && (version <= imported.highest_version)) {
        return {};
    }
    return "version " + std::to_string(version) + " is not supported; " +
           ((imported.highest_version == 1) ? std::string{"version 1 is"}
                                            : ("versions 1 to " + std::to_string(imported.highest_version) + " are"));
}

Span<const std::int32_t> float_only_operators() {
    return {kFloatOnly.data(), kFloatOnly.size()};
}

}  // namespace pianola::tflite
