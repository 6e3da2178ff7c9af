// A small workload whose results are known by arithmetic alone.
//
// Input -> requantize (by one) -> add a constant -> output, so that every kind of region, both scripts and, with two
// queues, events are in the binary, and everything is small enough to be mutated and replayed often.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/capture/link.h"
#include "hal/devices/refdev/host/command_words.h"
#include "pianola_host/manifest.h"

namespace pianola::test {

inline constexpr std::uint32_t kWorkloadBytes = 96U;  // of the input, and of the output

struct Workload {
    capture::Manifest manifest;
    capture::Segments segments;

    [[nodiscard]] std::vector<std::uint8_t> file() const { return capture::write_trace_binary(manifest, segments); }
};

// Queues: 1 or 2. Self-test vectors hold an input and workload_output() of it.
[[nodiscard]] Workload make_workload(std::uint32_t queues, std::uint32_t self_tests = 0U);
// Its constant has so many bytes, of which the first kWorkloadBytes are used.
[[nodiscard]] Workload make_workload_with_constant(std::uint32_t bytes, const refdev::DeviceSpec& spec = {});

// The same for a device that reads the weights in the file.
[[nodiscard]] refdev::DeviceSpec file_device();
[[nodiscard]] Workload make_file_workload(std::uint32_t queues, std::uint32_t self_tests = 0U);

// The workload of one queue for core_device(). Its step's deadline is the time of its bound.
[[nodiscard]] Workload make_core_workload();

// A device just large enough for it, so that checking all device memory is cheap.
[[nodiscard]] refdev::DeviceSpec small_device();
[[nodiscard]] Workload make_small_workload(std::uint32_t queues, std::uint32_t self_tests = 0U);

[[nodiscard]] std::vector<std::uint8_t> workload_input(std::uint32_t seed);
// clamp(input + constant), element by element: what the workload means, without any code of the device.
[[nodiscard]] std::vector<std::uint8_t> workload_output(const std::vector<std::uint8_t>& input);

using targets::bytes_of;
using targets::words_of;

// Gives the workload another trace, and makes its counts, cost, programs and budgets those of the new words; of those
// in front of the first that can not be decoded, where there is one. True where there is none.
bool set_trace(Workload& workload, const std::vector<std::uint32_t>& words);

// Adds a trace behind the others, which set-up loads and no script replays yet. The words can be decoded.
void add_trace(Workload& workload, const std::vector<std::uint32_t>& words);

}  // namespace pianola::test
