// View work: results whose elements are those of one operand, in another order.
//
// Between operations and the view kernel.
#pragma once

#include <string>

#include "capture_host/host/tensor/work.h"
#include "capture_host/operators/strided_view.h"

namespace pianola::tensor {

// Writes what `view` sees of `source` to `destination`; each of them lies in one run of memory. Each core takes a share
// of the outermost axis. Throws TENSOR-SHAPE where that takes too many launches.
void run_view(const Tensor& destination, const Tensor& source, const operators::StridedView& view,
              const std::string& name, std::uint32_t queue);

// The same for an operation: from and to wherever the operand and the result lie.
[[nodiscard]] Tensor viewed(const char* name, const Tensor& operand, const operators::StridedView& view,
                            const Shape& shape, const OperationOptions& options);

// The operand in its own order.
[[nodiscard]] operators::StridedView view_of(const Tensor& operand);

}  // namespace pianola::tensor
