// MemoryError: which memory of the device is too small for a workload, and the sufficient size.
//
// Thrown by the linker, for callers that know how a user selects another device.
#pragma once

#include <cstdint>
#include <string>

#include "capture_host/capture/link.h"

namespace pianola::capture {

// `member` is the member of the device description, `needed_bytes` its smallest sufficient value.
class MemoryError : public LinkError {
  public:
    MemoryError(const char* member, std::uint64_t needed_bytes, const std::string& what)
        : LinkError{what}, member_{member}, needed_bytes_{needed_bytes} {}
    [[nodiscard]] const char* member() const noexcept { return member_; }
    [[nodiscard]] std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }

  private:
    const char* member_;  // static lifetime
    std::uint64_t needed_bytes_;
};

}  // namespace pianola::capture
