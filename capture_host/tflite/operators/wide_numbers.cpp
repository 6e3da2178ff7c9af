#include "capture_host/tflite/operators/wide_numbers.h"

#include <cstddef>

namespace pianola::tflite {
namespace {

void record_rescale(OperatorContext& context, refdev::RescaleArguments arguments, const FixedPoint& scale,
                    capture::BufferId input, capture::BufferId output) {
    using Arguments = refdev::RescaleArguments;
    arguments.multiplier = scale.multiplier;
    arguments.shift = scale.shift;
    arguments.negative_multiplier = scale.multiplier;
    arguments.negative_shift = scale.shift;
    context.launch(
        refdev::KernelId::kRescale, arguments,
        {{offsetof(Arguments, input), input, Access::kRead}, {offsetof(Arguments, output), output, Access::kWrite}});
}

}  // namespace

capture::BufferId add_wide(OperatorContext& context, std::uint64_t count) {
    context.require(count <= (kMaxTensorBytes / sizeof(std::int32_t)), "tensors of so many elements are not supported");
    return context.add_temporary(static_cast<std::uint32_t>(count * sizeof(std::int32_t)));
}

void record_widening(OperatorContext& context, const Int8Tensor& input, std::int32_t zero_point,
                     const FixedPoint& scale, capture::BufferId wide) {
    refdev::RescaleArguments arguments{};
    arguments.count = input.tensor->elements;
    arguments.input_type = refdev::kTypeInt8;
    arguments.output_type = refdev::kTypeInt32;
    arguments.input_zero_point = zero_point;
    arguments.activation_min = INT32_MIN;
    arguments.activation_max = INT32_MAX;
    record_rescale(context, arguments, scale, context.buffer(input), wide);
}

void record_narrowing(OperatorContext& context, capture::BufferId wide, const FixedPoint& scale,
                      std::int32_t zero_point, const Int8Tensor& output) {
    refdev::RescaleArguments arguments{};
    arguments.count = output.tensor->elements;
    arguments.input_type = refdev::kTypeInt32;
    arguments.output_type = refdev::kTypeInt8;
    arguments.output_zero_point = zero_point;
    arguments.activation_min = INT8_MIN;
    arguments.activation_max = INT8_MAX;
    record_rescale(context, arguments, scale, wide, context.buffer(output));
}

void record_product(OperatorContext& context, const WideMatrix& a, const WideMatrix& b, const WideMatrix& c,
                    const ProductSize& size, bool accumulates) {
    using Arguments = refdev::MatmulArguments;
    Arguments arguments{};
    arguments.m = size.m;
    arguments.k = size.k;
    arguments.n = size.n;
    arguments.type = refdev::kTypeInt32;
    arguments.accumulate = accumulates ? 1U : 0U;
    std::vector<AddressWord> addresses{{offsetof(Arguments, a), a.buffer, Access::kRead, a.offset_bytes},
                                       {offsetof(Arguments, b), b.buffer, Access::kRead, b.offset_bytes},
                                       {offsetof(Arguments, c), c.buffer, Access::kWrite, c.offset_bytes}};
    if (accumulates) {
        addresses.push_back({offsetof(Arguments, c), c.buffer, Access::kRead, c.offset_bytes});
    }
    context.launch(refdev::KernelId::kMatmul, arguments, addresses);
}

}  // namespace pianola::tflite
