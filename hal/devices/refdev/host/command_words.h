// Command words: functions that write the commands of a trace.
//
// Linkers, the mutation kit's samples and the tests' workloads write traces with them. Sizes are in bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::refdev {

using Words = std::vector<std::uint32_t>;

[[nodiscard]] Words fill_words(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t value);
[[nodiscard]] Words copy_words(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes);
[[nodiscard]] Words barrier_words();
[[nodiscard]] Words end_words();

// A launch on the whole grid, with the cost that the model gives. Throws std::invalid_argument if the kernel does not
// accept the arguments.
[[nodiscard]] Words launch_words(KernelId kernel, const Words& arguments, const CostModel& costs = kVirtualCosts);
// The launch on one core.
[[nodiscard]] Words dispatch_words(std::uint32_t core, KernelId kernel, const Words& arguments,
                                   const CostModel& costs = kVirtualCosts);

template <typename Arguments>
[[nodiscard]] Words to_words(const Arguments& arguments) {
    Words words(kArgumentWords<Arguments>);
    std::memcpy(words.data(), &arguments, sizeof(Arguments));
    return words;
}

inline void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

}  // namespace pianola::refdev
