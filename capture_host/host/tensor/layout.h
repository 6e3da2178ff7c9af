// Conversion between rows and tiles on a device.
//
// Kernels read and write rows. Operations take an operand in tiles to rows where they take one that is scattered to one
// run, and bring a result to tiles in the same way; those that compute each element from elements at the same place
// compute with the storages of tiles.
#pragma once

#include "pianola_host/tensor.h"

namespace pianola::tensor {

// Between layouts, on one device, of one shape and type.
void convert_layout(const Tensor& source, const Tensor& destination, std::uint32_t queue);

}  // namespace pianola::tensor
