// Schedule: in which order a program's kernels are written down, by its semaphores and cores.
#pragma once

#include <cstdint>
#include <vector>

#include "capture_host/host/program/program_state.h"

namespace pianola::host {

// Level of every kernel: a barrier stands between two levels. Throws API-PROGRAM-SEMAPHORE.
[[nodiscard]] std::vector<std::uint32_t> levels_of(const Program::State& program);

}  // namespace pianola::host
