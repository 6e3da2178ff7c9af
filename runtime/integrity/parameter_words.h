// Words of traces that declared parameters have set: what device memory holds in place of the file's.
#pragma once

#include "pianola/scrub.h"

namespace pianola {

// Puts the words that lie in [address, address + bytes.size()) as they were set. Left out with parameters:
// runtime/without/parameters.cpp.
void put_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address,
                    MutableByteSpan bytes) noexcept;

}  // namespace pianola
