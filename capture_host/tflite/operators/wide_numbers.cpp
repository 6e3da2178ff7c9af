#include "capture_host/tflite/operators/wide_numbers.h"

#include <cstddef>

namespace pianola::tflite {
FixedPoint sum_scale(const OperatorContext& context, float input_scale, float output_scale) {
    const double unit = static_cast<double>(std::int64_t{1} << (kSumFractionBits + 1U));
    return context.in_range(operators::quantize_fraction((2.0 * static_cast<double>(input_scale)) /
                                                         (unit * static_cast<double>(output_scale))));
}

capture::BufferId add_wide(OperatorContext& context, std::uint64_t count) {
    context.require(count <= (kMaxTensorBytes / sizeof(std::int32_t)), "tensors of so many elements are not supported");
    return context.add_temporary(static_cast<std::uint32_t>(count * sizeof(std::int32_t)));
}

void record_widening(OperatorContext& context, const Int8Tensor& input, std::int32_t zero_point,
                     const FixedPoint& scale, capture::BufferId wide) {
    refdev::RescaleArguments arguments =
        operators::rescale_arguments(refdev::kTypeInt8, refdev::kTypeInt32, scale, zero_point);
    arguments.count = input.tensor->elements;
    context.launch(refdev::KernelId::kRescale, arguments, {{context.buffer(input)}, {wide}});
}

void record_narrowing(OperatorContext& context, capture::BufferId wide, const FixedPoint& scale,
                      std::int32_t zero_point, const Int8Tensor& output) {
    refdev::RescaleArguments arguments =
        operators::rescale_arguments(refdev::kTypeInt32, refdev::kTypeInt8, scale, 0, zero_point);
    arguments.count = output.tensor->elements;
    context.launch(refdev::KernelId::kRescale, arguments, {{wide}, {context.buffer(output)}});
}

void record_product(OperatorContext& context, const WideMatrix& a, const WideMatrix& b, const WideMatrix& c,
                    const ProductSize& size, bool accumulates) {
    using Arguments = refdev::MatmulArguments;
    const Arguments arguments{0U, 0U, 0U, size.m, size.k, size.n, refdev::kTypeInt32, accumulates ? 1U : 0U};
    std::vector<AddressWord> addresses{{offsetof(Arguments, a), a.buffer, Access::kRead, a.offset_bytes},
                                       {offsetof(Arguments, b), b.buffer, Access::kRead, b.offset_bytes},
                                       {offsetof(Arguments, c), c.buffer, Access::kWrite, c.offset_bytes}};
    if (accumulates) {
        addresses.push_back({offsetof(Arguments, c), c.buffer, Access::kRead, c.offset_bytes});
    }
    context.launch(refdev::KernelId::kMatmul, arguments, addresses);
}

}  // namespace pianola::tflite
