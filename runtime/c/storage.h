// Storage: what lies inside of the opaque objects of pianola.h and pianola_port.h.
//
// Place in the whole: sizes.cpp tells the build how large they are, for pianola_sizes.h. Objects of interfaces begin
// with what C++ calls: so that an object of a port in C++ can stand in for one of them (cpp_ports.h).
#pragma once

#include "runtime/c/adapters.h"
#include "runtime/c/cpp_ports.h"

namespace pianola::c_api {

// Whether something has been made there: storage that nobody has initialised is zero where it is static, and no object
// begins with a zero.
[[nodiscard]] bool is_made(const void* object) noexcept;
// The same of what a trust may leave out, and no keys at NULL.
[[nodiscard]] bool is_whole(const pnl_trust_t& trust) noexcept;

struct ValidationStorage {
    DeviceDescription description;
    PlanWorkspace workspace;
    Plan plan;
};

// 64-bit words that hold so many bytes.
[[nodiscard]] constexpr std::size_t words_for(std::size_t bytes) noexcept {
    return (bytes + (sizeof(std::uint64_t) - 1U)) / sizeof(std::uint64_t);
}
template <typename Object>
inline constexpr std::size_t kWordsOf = words_for(sizeof(Object));

}  // namespace pianola::c_api
