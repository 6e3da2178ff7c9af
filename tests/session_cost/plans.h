// Binaries that make calls of a session as long as capacities admit.
//
// Those of tests/worst_case with something at its maximum, and others that cost a session, not a validation: large
// outputs, large weights, many steps in flight, a mesh.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"

namespace pianola::test {

struct CostPlan {
    std::string name;
    std::vector<std::uint8_t> (*make)(const std::string& name);
    refdev::DeviceSpec spec;
    std::uint32_t devices{1U};      // of a mesh with one row
    bool memory_is_visible{false};  // to the ECU core
    bool is_largest{false};         // the formula must not be more than twice what it takes
};

[[nodiscard]] const std::vector<CostPlan>& cost_plans();

}  // namespace pianola::test
