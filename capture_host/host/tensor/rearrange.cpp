// The elements of a tensor in another order, or several times.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/view_work.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

void require_dimension(const char* name, const Tensor& operand, std::uint32_t dimension) {
    if (dimension >= operand.shape().size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: dimension {} of {}, which has {}", name, dimension,
                                                             to_string(operand.shape()), operand.shape().size())};
    }
}

// Throws where a dimension does not exist or is named twice.
void require_dimensions(const char* name, const Tensor& operand, const std::vector<std::uint32_t>& dimensions) {
    for (const std::uint32_t dimension : dimensions) {
        require_dimension(name, operand, dimension);
        if (std::count(dimensions.begin(), dimensions.end(), dimension) != 1) {
            throw TensorError{TensorRule::kArgument, fmt::format("{}: dimension {} is named twice", name, dimension)};
        }
    }
}

void require_one_for_each(const char* name, const char* what, const Tensor& operand, std::size_t given) {
    if (given != operand.shape().size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: {} {} for {}; there is one for each dimension", name,
                                                             given, what, to_string(operand.shape()))};
    }
}

}  // namespace

Tensor permute(const Tensor& operand, const std::vector<std::uint32_t>& order, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "permute", [](const auto&... each) { return permute(each...); }, operand, order, options);
    }
    const char* const name = "permute";
    static_cast<void>(operand.buffer());
    require_one_for_each(name, "dimensions", operand, order.size());
    require_dimensions(name, operand, order);
    Shape shape;
    for (const std::uint32_t dimension : order) {
        shape.push_back(operand.shape()[dimension]);
    }
    operators::StridedView view = view_of(operand);
    view.permute(std::vector<std::size_t>(order.begin(), order.end()));
    return viewed(name, operand, view, shape, options);
}

Tensor flip(const Tensor& operand, const std::vector<std::uint32_t>& dimensions, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device("flip", [](const auto&... each) { return flip(each...); }, operand, dimensions, options);
    }
    const char* const name = "flip";
    static_cast<void>(operand.buffer());
    require_dimensions(name, operand, dimensions);
    operators::StridedView view = view_of(operand);
    for (const std::uint32_t dimension : dimensions) {
        view.reverse(dimension);
    }
    return viewed(name, operand, view, operand.shape(), options);
}

Tensor repeat(const Tensor& operand, const std::vector<std::uint32_t>& times, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device("repeat", [](const auto&... each) { return repeat(each...); }, operand, times, options);
    }
    const char* const name = "repeat";
    static_cast<void>(operand.buffer());
    require_one_for_each(name, "repetitions", operand, times.size());
    operators::StridedView view = view_of(operand);
    Shape shape = operand.shape();
    for (std::size_t axis = shape.size(); axis > 0U; --axis) {
        const std::uint32_t count = times[axis - 1U];
        if ((count == 0U) || (count > (UINT32_MAX / shape[axis - 1U]))) {
            throw TensorError{TensorRule::kArgument, fmt::format("{}: {} times dimension {} of {}", name, count,
                                                                 axis - 1U, to_string(operand.shape()))};
        }
        shape[axis - 1U] *= count;
        view.insert(axis - 1U);
        view.repeat(axis - 1U, count);
    }
    return viewed(name, operand, view, shape, options);
}

}  // namespace pianola::tensor
