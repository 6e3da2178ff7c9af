// TracePlan: the dispatches of a trace, as a function of its words.
//
// TraceCommandBuffer records it; the number of objects that it takes can be counted here without a device.
#pragma once

#include <cstdint>
#include <vector>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/vulkan/kernel_pipelines.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::vulkan {

struct PlannedDispatch {
    Program program;
    std::uint32_t first_word{0U};  // of its arguments, in the trace
    std::uint32_t command{0U};     // its number in the trace
    bool waits{false};             // for everything before it
};

struct TracePlan {
    std::vector<PlannedDispatch> dispatches;
    std::uint32_t commands{0U};  // up to the end, or up to and including the one that faults
    std::uint64_t cycles{0U};    // published for them, with parallel cores
    DeviceFault fault{DeviceFault::kNone};
};

// Accepts any words. A faulting command and everything after it is not dispatched.
[[nodiscard]] TracePlan plan_trace(const refdev::CostModel& costs, WordSpan words);

// Vulkan objects that a trace takes, of each kind. All are made while it is loaded.
struct ObjectCounts {
    std::uint32_t dispatches{0U};  // recorded dispatches, which are not objects
    std::uint32_t barriers{0U};
    std::uint32_t pipelines{0U};  // existing ones are not made again
    std::uint32_t buffers{0U};
    std::uint32_t descriptor_sets{0U};
    std::uint32_t command_buffers{0U};
    std::uint32_t memory_objects{0U};
    std::uint32_t descriptor_pools{0U};
    // Except pipelines.
    [[nodiscard]] std::uint32_t all() const noexcept {
        return buffers + descriptor_sets + command_buffers + memory_objects + descriptor_pools;
    }
};
[[nodiscard]] ObjectCounts count_objects(const refdev::CostModel& costs, WordSpan words, std::uint32_t queues);

}  // namespace pianola::vulkan
