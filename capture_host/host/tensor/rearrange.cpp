// The elements of a tensor in another order, several times, in part, or with others.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/gather_rows.h"
#include "capture_host/host/tensor/operands.h"
#include "capture_host/host/tensor/views.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

void require_dimension(const char* name, const Tensor& operand, std::uint32_t dimension) {
    if (dimension >= operand.shape().size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: dimension {} of {}, which has {}", name, dimension,
                                                             to_string(operand.shape()), operand.shape().size())};
    }
}

// Throws if a dimension does not exist or is named twice.
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
        throw TensorError{TensorRule::kArgument, fmt::format("{}: {} {} for {}; give one for each dimension", name,
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
    return view_result(name, operand, view, shape, options);
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
    return view_result(name, operand, view, operand.shape(), options);
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
    return view_result(name, operand, view, shape, options);
}

namespace {

[[nodiscard]] Shape sliced_shape(const Shape& shape, const std::vector<SliceRange>& ranges) {
    if (ranges.size() != shape.size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("slice: {} ranges for {}; give one for each dimension",
                                                             ranges.size(), to_string(shape))};
    }
    Shape sliced;
    for (std::size_t i = 0U; i < shape.size(); ++i) {
        const SliceRange& range = ranges[i];
        if ((range.begin >= range.end) || (range.end > shape[i]) || (range.step == 0U)) {
            throw TensorError{
                TensorRule::kArgument,
                fmt::format("slice: dimension {} of {} from {} to {} by {}; a slice must have one element at "
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
                fmt::format("concat: {} of {} and {} of {}; types must be equal, and shapes except for dimension "
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
    return view_result(name, operand, view, shape, options);
}

Tensor concat(const std::vector<Tensor>& operands, std::uint32_t dimension, const OperationOptions& options) {
    if (is_distributed(operands, options)) {
        return for_each_device(
            "concat", [](const auto&... each) { return concat(each...); }, operands, dimension, options);
    }
    const char* const name = "concat";
    if (operands.empty()) {
        throw TensorError{TensorRule::kArgument, "concat: there are no tensors; give one at least"};
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
        const Tensor source = as_contiguous(operand, options.queue);
        const std::uint32_t bytes =
            elements_of(operand.shape().begin() + axis, operand.shape().end()) * bytes_per_element(operand.type());
        parts.push_back({source, first_address(source), bytes, bytes});
    }
    return into_contiguous(result, options.queue,
                           [&](const Tensor& run) { gather_rows(run, {{rows, parts}}, name, options.queue); });
}

namespace {

using refdev::TakeArguments;

// Divides the outer dimensions among the cores, or the indices if the outer dimensions have one element.
void run_take(const Tensor& destination, const Tensor& source, const Tensor& indices, const TakeArguments& whole,
              std::uint32_t queue) {
    Launches launches{*destination.device()};
    const bool shares_tables = whole.outer > 1U;
    const std::uint32_t size = shares_tables ? whole.outer : whole.count;
    const std::uint32_t share = word((size + (launches.core_count() - 1U)) / launches.core_count());
    const std::uint32_t source_step = shares_tables ? (whole.entries * whole.entry_bytes) : 0U;
    const std::uint32_t index_step = shares_tables ? 0U : word(sizeof(std::int32_t));
    const std::uint32_t destination_step = (shares_tables ? whole.count : 1U) * whole.entry_bytes;
    for (std::uint32_t first = 0U; first < size; first += share) {
        TakeArguments arguments = whole;
        (shares_tables ? arguments.outer : arguments.count) = std::min(share, size - first);
        launches.add(
            refdev::KernelId::kTake, std::nullopt,
            words_of(arguments, {argument_at(source, first * source_step), argument_at(indices, first * index_step),
                                 argument_at(destination, first * destination_step)}));
    }
    enqueue(destination, launches, "take", queue);
}

}  // namespace

Tensor take(const Tensor& operand, const Tensor& indices, std::uint32_t dimension, const OperationOptions& options) {
    if (is_distributed(operand, indices, options)) {
        return for_each_device(
            "take", [](const auto&... each) { return take(each...); }, operand, indices, dimension, options);
    }
    const char* const name = "take";
    require_same_device(name, operand, indices);
    if (indices.type() != ElementType::kInt32) {
        throw TensorError{TensorRule::kType,
                          fmt::format("{}: indices are of {}; they must be of int32", name, type_name(indices.type()))};
    }
    const Shape& from = operand.shape();
    if (dimension >= from.size()) {
        throw TensorError{TensorRule::kArgument, fmt::format("{}: dimension {} of {}, which has {}", name, dimension,
                                                             to_string(from), from.size())};
    }
    const auto axis = from.begin() + static_cast<std::ptrdiff_t>(dimension);
    Shape shape(from.begin(), axis);
    shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
    shape.insert(shape.end(), axis + 1, from.end());
    const TensorSpec spec = spec_of_shape(operand, shape, operand.type());
    check_spec(spec);

    const TakeArguments arguments =
        operators::take_arguments(from, 0U, dimension, elements_of(indices.shape().begin(), indices.shape().end()),
                                  bytes_per_element(operand.type()));
    const Tensor result = result_for(name, spec, options, operand.device());
    require_apart(name, result, operand);
    require_apart(name, result, indices);
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
        run_take(run, as_contiguous(operand, options.queue), as_contiguous(indices, options.queue), arguments,
                 options.queue);
    });
}

namespace {

// Copies between contiguous tensors: each core copies a range.
void copy_run(const Tensor& source, const Tensor& result, std::uint32_t queue) {
    Launches launches{*result.device()};
    const std::uint32_t begin = first_address(result);
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        launches.add(refdev::KernelId::kCopy, core,
                     {address_in(source.buffer(), first_address(source) + (to - begin)),
                      address_in(result.buffer(), to), word(block.rows * block.column_bytes)});
    });
    enqueue(result, launches, "reshape", queue);
}

}  // namespace

Tensor reshape(const Tensor& operand, const Shape& shape, const OperationOptions& options) {
    if (is_distributed(operand, options)) {
        return for_each_device(
            "reshape", [](const auto&... each) { return reshape(each...); }, operand, shape, options);
    }
    const char* const name = "reshape";
    check_spec({shape, operand.type(), kDramInterleaved});
    if (element_count(shape) != element_count(operand.shape())) {
        throw TensorError{TensorRule::kShape,
                          fmt::format("{}: {} has {} elements and {} has {}; both must have as many", name,
                                      to_string(operand.shape()), element_count(operand.shape()), to_string(shape),
                                      element_count(shape))};
    }
    const bool same_rows =
        (operand.layout() == ElementLayout::kRowMajor) && (columns_of(shape) == columns_of(operand.shape()));
    const bool elsewhere =
        options.output.has_value() || (options.memory.has_value() && (*options.memory != operand.memory_config()));
    if (!operand.is_on_device() || (same_rows && !elsewhere)) {
        return operand.viewed_as(shape);
    }
    TensorSpec spec = spec_of_shape(operand, shape, operand.type());
    spec.memory = same_rows ? operand.memory_config() : spec.memory;
    Tensor result = result_for(name, spec, options, operand.device());
    require_apart(name, result, operand);
    if (same_rows) {
        copy(operand.viewed_as(shape), result, options.queue);
        return result;
    }
    return into_contiguous(result, options.queue, [&](const Tensor& run) {
        copy_run(as_contiguous(operand, options.queue), run, options.queue);
    });
}

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
        throw TensorError{TensorRule::kArgument,
                          fmt::format("{}: padding has {} pairs for {}; it must have one for each "
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
            throw TensorError{
                TensorRule::kArgument,
                fmt::format("{}: {} elements before and {} after {} of them; each number must be at most {}", name,
                            before, after, shape[i], kMaxPadded)};
        }
        arguments.dims.at(front + i) = shape[i];
        arguments.before.at(front + i) = before;
        arguments.after.at(front + i) = after;
        padded.push_back(before + shape[i] + after);
    }
    arguments.value = static_cast<std::int32_t>(pattern_of(operand.type(), value));
    const Tensor result = result_for(name, spec_of_shape(operand, padded, operand.type()), options, operand.device());
    require_apart(name, result, operand);
    return into_contiguous(result, options.queue, [&](const Tensor& output) {
        const Tensor input = as_contiguous(operand, options.queue);
        Launches launches{*output.device()};
        launches.add(refdev::KernelId::kPad, cores_for(result).front(),
                     words_of(arguments, {argument_at(input), argument_at(output)}));
        enqueue(output, launches, name, options.queue);
    });
}

}  // namespace pianola::tensor
