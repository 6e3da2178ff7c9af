// Launches that move elements, and helpers of the operators that use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture_host/operators/strided_view.h"
#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

using operators::product;
using operators::StridedView;
using Shape = std::vector<std::uint32_t>;

inline constexpr std::size_t kAxesPosition = 1U;  // of a list of axes among an operator's inputs

[[nodiscard]] StridedView view_of(const AnyTensor& operand);

// `axis` of `rank` dimensions; negative ones count from the last.
[[nodiscard]] std::size_t axis_of(const OperatorContext& context, std::int64_t axis, std::size_t rank);
// A shape without the reduced axes, or with 1 in their place.
[[nodiscard]] Shape reduced_shape(const Shape& shape, const std::vector<bool>& goes, bool keeps);
void require_shape(const OperatorContext& context, const AnyTensor& output, const Shape& expected);

// The operand broadcast to `result`: axes count from the last, and one of size 1 is repeated.
[[nodiscard]] StridedView broadcast_view(const OperatorContext& context, const AnyTensor& operand, const Shape& result);

void record_view(OperatorContext& context, const StridedView& view, capture::BufferId input, capture::BufferId output);

// Indices are a table: checks that `count` fit before the list is made.
void require_indices(const OperatorContext& context, std::uint64_t count);

// The entries that each axis of the result takes. An empty list leaves the axis as it is.
using AxisIndices = std::vector<std::vector<std::int32_t>>;
void record_takes(OperatorContext& context, const AnyTensor& input, const AxisIndices& indices,
                  capture::BufferId output);

// `indices` is not set if it is in a buffer.
void record_take(OperatorContext& context, const refdev::TakeArguments& arguments, capture::BufferId input,
                 capture::BufferId indices, capture::BufferId output);
// A constant of int32.
[[nodiscard]] capture::BufferId add_words(OperatorContext& context, const char* what,
                                          const std::vector<std::int32_t>& words);

// Zeros if there is no padding.
struct AxisPadding {
    std::uint32_t before{0U};
    std::uint32_t after{0U};
};
// `value` is one element.
void record_pad(OperatorContext& context, const AnyTensor& input, const std::vector<AxisPadding>& padding,
                std::int32_t value, capture::BufferId output);
// The element that represents 0.
[[nodiscard]] std::int32_t zero_of(const AnyTensor& operand);

}  // namespace pianola::tflite
