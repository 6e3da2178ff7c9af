// Logs of executed commands, made comparable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/devices/refdev/sim/sim_device.h"

namespace pianola::sim {

// One line per command, with times from `origin_cycles` on and without counts since reset: equal for equal steps.
inline std::vector<std::string> relative_log(const SimDevice& device, std::uint32_t queue,
                                             std::uint64_t origin_cycles) {
    std::vector<std::string> lines;
    for (const refdev::ExecutedCommand& command : device.log(queue)) {
        lines.push_back(std::to_string(static_cast<unsigned>(command.opcode)) + " " +
                        std::to_string(command.kernel_id) + " " + std::to_string(command.start_cycles - origin_cycles) +
                        " " + std::to_string(command.end_cycles - origin_cycles));
    }
    return lines;
}

}  // namespace pianola::sim
