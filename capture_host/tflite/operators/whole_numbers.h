// Operators on whole numbers: int32 without a scale.
//
// Models compute shapes and indices with them. Sums and products wrap.
#pragma once

#include "capture_host/tflite/operators/operator_context.h"

namespace pianola::tflite {

[[nodiscard]] bool has_whole_numbers(const OperatorContext& context);

// For two operands, which broadcast.
void lower_whole_numbers(OperatorContext& context, refdev::BinaryOp op);

// Which of two unequal numbers makes a comparison true, and whether equal ones do.
enum class Order : std::uint8_t { kNone, kLessFirst, kGreaterFirst };
struct Comparison {
    Order order{Order::kNone};
    bool holds_for_equal{true};
};
void lower_whole_comparison(OperatorContext& context, const Comparison& comparison);

}  // namespace pianola::tflite
