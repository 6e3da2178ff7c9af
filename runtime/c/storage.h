// Storage: the contents of the opaque objects of pianola.h and pianola_port.h.
//
// sizes.cpp gives their sizes to the build, for pianola_sizes.h. Interface objects begin with the C++ object, so that a
// C++ port object can replace one of them (cpp_ports.h).
#pragma once

#include "runtime/c/adapters.h"
#include "runtime/c/cpp_ports.h"

namespace pianola::c_api {

// Returns whether an object was made there: uninitialised static storage is zero, and no object begins with a zero.
[[nodiscard]] bool is_made(const void* object) noexcept;
// The same check for the optional parts of a trust; keys must not be NULL.
[[nodiscard]] bool is_whole(const pnl_trust_t& trust) noexcept;

struct ValidationStorage {
    DeviceDescription description;
    PlanWorkspace workspace;
    Plan plan;
};

// Number of 64-bit words that hold that many bytes.
[[nodiscard]] constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + (sizeof(std::uint64_t) - 1U)) / sizeof(std::uint64_t);
}
template <typename Object>
inline constexpr std::size_t kWordsOf = words_for(sizeof(Object));

}  // namespace pianola::c_api
