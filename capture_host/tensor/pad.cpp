#include <fmt/format.h>

#include "capture_host/tensor/each_device.h"
#include "capture_host/tensor/quantized.h"
#include "capture_host/tensor/row_work.h"
#include "capture_host/tensor/tensor_error.h"

namespace pianola::tensor {
namespace {

constexpr std::uint32_t kMaxPadded = INT32_MAX / 4;  // the kernel's limit of each number

// The byte that padding consists of.
[[nodiscard]] std::int32_t byte_of(ElementType type, std::int64_t value) {
    const bool is_unsigned = type == ElementType::kUint8;
    const bool is_byte = is_unsigned || (type == ElementType::kInt8);
    const std::int64_t lowest = (is_byte && !is_unsigned) ? INT8_MIN : 0;
    const std::int64_t highest = is_byte ? (is_unsigned ? std::int64_t{UINT8_MAX} : std::int64_t{INT8_MAX}) : 0;
    if ((value < lowest) || (value > highest)) {
        throw TensorError{TensorRule::kValue, fmt::format("pad: value is {}; for {} it is from {} to {}", value,
                                                          type_name(type), lowest, highest)};
    }
    return static_cast<std::int8_t>(static_cast<std::uint8_t>(value));
}

}  // namespace

Tensor pad(const Tensor& operand, const Padding& padding, std::int64_t value, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "pad", [](const auto&... each) { return pad(each...); }, operand, padding, value, options);
    }
    using Arguments = refdev::PadArguments;
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
    const std::uint32_t element = bytes_per_element(operand.type());
    arguments.dims = {1U, 1U, 1U, 1U};
    Shape padded;
    for (std::size_t i = 0U; i < shape.size(); ++i) {
        const auto& [before, after] = padding[i];
        const std::uint32_t unit = ((i + 1U) == shape.size()) ? element : 1U;
        const std::uint32_t limit = kMaxPadded / unit;
        if ((before > limit) || (after > limit) || (shape[i] > limit)) {
            throw TensorError{TensorRule::kArgument,
                              fmt::format("{}: {} elements before and {} after {} of them; each number is at most {}",
                                          name, before, after, shape[i], limit)};
        }
        arguments.dims.at(front + i) = shape[i] * unit;
        arguments.before.at(front + i) = before * unit;
        arguments.after.at(front + i) = after * unit;
        padded.push_back(before + shape[i] + after);
    }
    arguments.value = byte_of(operand.type(), value);
    const Tensor result = result_for(name, spec_of_shape(operand, padded, operand.type()), options, operand.device());
    require_apart(name, result, operand);
    return through_one_run(result, options.queue, [&](const Tensor& output) {
        const Tensor input = in_one_run(operand, options.queue);
        host::Arguments words = words_of(arguments);
        set_address(words, offsetof(Arguments, input), input, run_address(input));
        set_address(words, offsetof(Arguments, output), output, run_address(output));
        Launches launches{*output.device()};
        launches.add(refdev::KernelId::kPad, cores_for(result).front(), std::move(words));
        enqueue(output, launches, name, options.queue);
    });
}

}  // namespace pianola::tensor
