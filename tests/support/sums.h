// A workload with state whose results are known by arithmetic alone.
//
// Each step adds its input to sums that the device keeps, and gives these; they saturate. In front of the first step
// they are what they were captured with.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/capture/recorder.h"

namespace pianola::test {

inline constexpr std::uint32_t kSumsBytes = 16U;  // of the input, the sums, and the output

// first: kSumsBytes.
[[nodiscard]] capture::Recorder record_sums(const std::vector<std::uint8_t>& first);

// A launch that adds kSumsBytes of two buffers into a third.
[[nodiscard]] capture::Launch launch_of_add(const char* label, capture::BufferId input1, capture::BufferId input2,
                                            capture::BufferId output);

// The step behind `sums`, which it changes: its output, without any code of the device.
[[nodiscard]] std::vector<std::uint8_t> step_of_sums(const std::vector<std::uint8_t>& input,
                                                     std::vector<std::uint8_t>& sums);

}  // namespace pianola::test
