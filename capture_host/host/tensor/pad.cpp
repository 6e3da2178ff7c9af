#include <fmt/format.h>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint32_t kMaxPadded = INT32_MAX / 4;  // the kernel's limit of each number

}  // namespace

Tensor pad(const Tensor& operand, const Padding& padding, std::int64_t value, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "pad", [](const auto&... each) { return pad(each...); }, operand, padding, value, options);
    }
    const char* const name = "pad";
    static_cast<void>(operand.buffer());
    const Shape& shape = operand.shape();
    refdev::PadArguments arguments{};
    require_rank(name, "input_tensor", operand, arguments.dims.size());
    if (padding.size() != shape.size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: padding has {} pairs for {}; it has one for each "
                                                             "dimension",
                                                             name, padding.size(), to_string(shape))};
    }
    const std::size_t front = arguments.dims.size() - shape.size();
    arguments.element_bytes = bytes_per_element(operand.type());
    arguments.dims = {1U, 1U, 1U, 1U};
    Shape padded;
    for (std::size_t i = 0U; i < shape.size(); ++i) {
        const auto& [before, after] = padding[i];
        if ((before > kMaxPadded) || (after > kMaxPadded) || (shape[i] > kMaxPadded)) {
            throw TensorError{TensorRule::kArgument,
                              fmt::format("{}: {} elements before and {} after {} of them; each number is at most {}",
                                          name, before, after, shape[i], kMaxPadded)};
        }
        arguments.dims.at(front + i) = shape[i];
        arguments.before.at(front + i) = before;
        arguments.after.at(front + i) = after;
        padded.push_back(before + shape[i] + after);
    }
    arguments.value = static_cast<std::int32_t>(pattern_of(operand.type(), value));
    const Tensor result = result_for(name, spec_of_shape(operand, padded, operand.type()), options, operand.device());
    require_apart(name, result, operand);
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        const Tensor input = in_one_run(operand, options.queue);
        Launches launches{*output.device()};
        launches.add(refdev::KernelId::kPad, cores_for(result).front(),
                     words_of(arguments, {run_argument(input), run_argument(output)}));
        enqueue(output, launches, name, options.queue);
    });
}

}  // namespace pianola::tensor
