// Work: what a launch does, in numbers from its argument words alone, before it runs.
//
// A cost model (cost_model.h) makes device cycles of them. Only decoding and capture ask for it: a device that executes
// a launch does not. Each kernel's function stands next to the loops whose turns it counts.
#pragma once

#include <array>
#include <cstdint>

namespace pianola::refdev {

// The inner loops that a core has (folders portable, dsp, mve). They decide how many turns a launch takes.
enum class Loops : std::uint8_t {
    kPortable = 1U,
    kDsp = 2U,
    kMve = 3U,
};

inline constexpr std::uint32_t kWorkTerms = 24U;

// Depends neither on addresses nor on words that are values alone (kernel.h).
struct Work {
    std::uint64_t operations{0U};                   // multiply-accumulates, or as simple
    std::array<std::uint64_t, kWorkTerms> turns{};  // of the kernel's loops, in an order of the kernel
};

}  // namespace pianola::refdev
