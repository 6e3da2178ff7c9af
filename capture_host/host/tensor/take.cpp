// Entries of a tensor along one dimension, chosen by a tensor of indices.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "capture_host/operators/kernel_arguments.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using refdev::TakeArguments;

// Each core takes a share of what lies outside of the dimension; where that is one table, a share of the indices.
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
            words_of(arguments, {run_argument(source, first * source_step), run_argument(indices, first * index_step),
                                 run_argument(destination, first * destination_step)}));
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
    return through_one_run(result, options.queue, [&](const Tensor& run) {
        run_take(run, in_one_run(operand, options.queue), in_one_run(indices, options.queue), arguments, options.queue);
    });
}

}  // namespace pianola::tensor
