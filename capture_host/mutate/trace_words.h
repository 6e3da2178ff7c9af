// Trace words: commands of the reference device as words, and what a trace says of itself.
//
// Place in the whole: the mutation kit writes and measures traces with it; the tests' workloads are measured by it as
// well. Sizes are in bytes, costs in device cycles. Host only.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/kernels/arguments.h"
#include "hal/kernels/kernel.h"

namespace pianola::mutate {

using Words = std::vector<std::uint32_t>;

// The words of a trace segment, and back. Bytes beyond the last whole word are left out.
[[nodiscard]] Words words_of(const std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::vector<std::uint8_t> bytes_of(const Words& words);

// Of the commands in front of the first that can not be decoded.
struct TraceMeasure {
    std::size_t words{0U};
    std::uint32_t commands{0U};
    std::uint64_t cycles{0U};  // kernels on single cores run beside the queue; every other command waits for them first
};
[[nodiscard]] TraceMeasure measure_trace(const Words& words);

[[nodiscard]] Words fill_words(std::uint32_t address, std::uint32_t size_bytes, std::uint32_t value);
[[nodiscard]] Words copy_words(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes);
[[nodiscard]] Words barrier_words();
[[nodiscard]] Words end_words();

// A launch on the whole grid, with the cost that the kernel publishes. Throws std::invalid_argument where it does not
// accept the arguments.
[[nodiscard]] Words launch_words(refdev::KernelId kernel, const Words& arguments);
// The same on one core.
[[nodiscard]] Words dispatch_words(std::uint32_t core, refdev::KernelId kernel, const Words& arguments);

template <typename Arguments>
[[nodiscard]] Words to_words(const Arguments& arguments) {
    Words words(refdev::kArgumentWords<Arguments>);
    std::memcpy(words.data(), &arguments, sizeof(Arguments));
    return words;
}

inline void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

}  // namespace pianola::mutate
