#include <fmt/format.h>

#include "capture_host/host/tensor/each_device.h"
#include "capture_host/host/tensor/row_work.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

// Dense bytes to dense bytes: each core copies a range.
void copy_run(const Tensor& source, const Tensor& result, std::uint32_t queue) {
    Launches launches{*result.device()};
    const std::uint32_t begin = run_address(result);
    for_dense_rows(launches, result, [&](std::uint32_t to, host::CoreCoord core, const Block& block) {
        launches.add(refdev::KernelId::kCopy, core,
                     {address_in(source.buffer(), run_address(source) + (to - begin)), address_in(result.buffer(), to),
                      word(block.rows * block.column_bytes)});
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
    return through_one_run(result, options.queue, [&](const Tensor& run) {
        copy_run(in_one_run(operand, options.queue), run, options.queue);
    });
}

}  // namespace pianola::tensor
