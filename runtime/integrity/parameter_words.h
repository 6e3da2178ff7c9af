// Words of traces that declared parameters have set: device memory holds them instead of the file's words.
#pragma once

#include "pianola/scrub.h"

namespace pianola {

// Writes the set words that lie in [address, address + bytes.size()). Omitted with parameters:
// runtime/without/parameters.cpp.
void put_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address,
                    MutableByteSpan bytes) noexcept;

}  // namespace pianola
