#include "capture_host/capture/fit.h"

#include <algorithm>

#include "pianola/config.h"

namespace pianola::capture {
namespace {

[[nodiscard]] std::uint32_t whole_lines(std::uint64_t size_bytes) {
    constexpr std::uint64_t kLine = kFileAlignmentBytes;
    return static_cast<std::uint32_t>(std::max(((size_bytes + kLine - 1U) / kLine) * kLine, kLine));
}

}  // namespace

DeviceDescription fit_memories(const Recorder& recorded, LinkOptions options) {
    constexpr std::uint32_t kTrialTraceBytes = 4U << 20U;
    constexpr std::uint32_t kTrialDramBytes = 1U << 30U;
    const DeviceDescription most = options.spec;
    options.spec.trace_region_bytes = kTrialTraceBytes;
    options.spec.dram_bytes = kTrialDramBytes;
    options.step_deadline_us = 0U;
    options.setup_deadline_us = 0U;
    const LinkSummary needed = link(recorded, options).summary;
    DeviceDescription fitted = most;
    fitted.l1_bytes = whole_lines(needed.activations_in_l1 ? needed.activation_bytes : 0U);
    fitted.trace_region_bytes = whole_lines(needed.trace_bytes);
    const std::uint64_t dram_bytes = whole_lines(needed.dram_bytes) + std::uint64_t{fitted.trace_region_bytes};
    if (dram_bytes > most.dram_bytes) {
        throw MemoryError{"dram_bytes", dram_bytes,
                          "the board's memory is too small: " + std::to_string(dram_bytes) + " bytes are needed, " +
                              std::to_string(most.dram_bytes) + " are there"};
    }
    fitted.dram_bytes = static_cast<std::uint32_t>(dram_bytes);
    return fitted;
}

}  // namespace pianola::capture
