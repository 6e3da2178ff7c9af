// Words of traces that declared parameters have set: device memory holds them instead of the file's words.
#pragma once

#include "pianola/scrub.h"

namespace pianola {

// `held` is what a device holds in [address, address + held.size()), and `file` the bytes that the set-up wrote there.
// Puts the file's words back where parameters are set; false if one of these words does not have its parameter's value.
// Omitted with parameters: runtime/without/parameters.cpp.
[[nodiscard]] bool take_out_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address,
                                       ByteSpan file, MutableByteSpan held) noexcept;

}  // namespace pianola
