// Parts of tensors, and tensors put together.
#include <fmt/format.h>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/host/tensor/view_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

[[nodiscard]] Shape sliced_shape(const Shape& shape, const std::vector<SliceRange>& ranges) {
    if (ranges.size() != shape.size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("slice: {} ranges for {}; there is one for each dimension",
                                                             ranges.size(), to_string(shape))};
    }
    Shape sliced;
    for (std::size_t i = 0U; i < shape.size(); ++i) {
        const SliceRange& range = ranges[i];
        if ((range.begin >= range.end) || (range.end > shape[i]) || (range.step == 0U)) {
            throw TensorError{TensorRule::kArgument,
                              fmt::format("slice: dimension {} of {} from {} to {} by {}; a slice has one element at "
                                          "least, ends inside, and its step is at least 1",
                                          i, to_string(shape), range.begin, range.end, range.step)};
        }
        sliced.push_back(((range.end - range.begin - 1U) / range.step) + 1U);
    }
    return sliced;
}

[[nodiscard]] Shape joined_shape(const std::vector<Tensor>& operands, std::uint32_t dimension) {
    Shape shape = operands.front().shape();
    if (dimension >= shape.size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("concat: dim is {}; {} has {} dimensions", dimension,
                                                             to_string(shape), shape.size())};
    }
    std::uint64_t size = 0U;
    for (const Tensor& operand : operands) {
        require_same_device("concat", operands.front(), operand);
        Shape other = operand.shape();
        size += (dimension < other.size()) ? other[dimension] : 0U;
        if (other.size() == shape.size()) {
            other[dimension] = shape[dimension];
        }
        if ((other != shape) || (operand.type() != operands.front().type())) {
            throw TensorError{
                (other != shape) ? TensorRule::kShape : TensorRule::kType,
                fmt::format("concat: {} of {} and {} of {}; types are equal, and shapes but for dimension "
                            "{}",
                            to_string(shape), type_name(operands.front().type()), to_string(operand.shape()),
                            type_name(operand.type()), dimension)};
        }
    }
    shape[dimension] = word(std::min<std::uint64_t>(size, UINT32_MAX));
    return shape;
}

}  // namespace

Tensor slice(const Tensor& operand, const std::vector<SliceRange>& ranges, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device("slice", [](const auto&... each) { return slice(each...); }, operand, ranges, options);
    }
    const char* const name = "slice";
    static_cast<void>(operand.buffer());
    const Shape shape = sliced_shape(operand.shape(), ranges);
    operators::StridedView view = view_of(operand);
    for (std::size_t i = 0U; i < ranges.size(); ++i) {
        view.slice(i, ranges[i].begin, ranges[i].step, shape[i]);
    }
    return viewed(name, operand, view, shape, options);
}

Tensor concat(const std::vector<Tensor>& operands, std::uint32_t dimension, const OperationOptions& options) {
    if (is_distributed(operands, options)) {
        return for_each_device(
            "concat", [](const auto&... each) { return concat(each...); }, operands, dimension, options);
    }
    const char* const name = "concat";
    if (operands.empty()) {
        throw TensorError{TensorRule::kArgument, "concat: there are no tensors; it takes one at least"};
    }
    const Tensor& first = operands.front();
    const TensorSpec spec = spec_of_shape(first, joined_shape(operands, dimension), first.type());
    check_spec(spec);
    const Tensor result = result_for(name, spec, options, first.device());
    const auto axis = static_cast<std::ptrdiff_t>(dimension);
    const std::uint32_t rows = elements_of(spec.shape.begin(), spec.shape.begin() + axis);
    std::vector<RowPart> parts;
    for (const Tensor& operand : operands) {
        require_apart(name, result, operand);
        const Tensor source = in_one_run(operand, options.queue);
        const std::uint32_t bytes =
            elements_of(operand.shape().begin() + axis, operand.shape().end()) * bytes_per_element(operand.type());
        parts.push_back({source, run_address(source), bytes, bytes});
    }
    return through_one_run(result, options.queue,
                           [&](const Tensor& run) { gather_rows(run, {{rows, parts}}, name, options.queue); });
}

}  // namespace pianola::tensor
