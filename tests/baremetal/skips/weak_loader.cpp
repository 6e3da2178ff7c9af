#include "tests/baremetal/skips/weak_loader.h"

#include <array>

namespace pianola::baremetal {

Status WeakLoader::load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    DeviceDescription description;
    static_cast<void>(is_ok(device.describe(description)));
    const Status status = validate(file, description, command_set, trust, workspace, image, plan, verdict);
    if (!is_ok(status)) {
        return status;
    }
    bool good = is_ok(device.reset());
    for (std::uint32_t i = 0U; i < plan.region_count; ++i) {
        good = is_ok(device.program_region(plan.regions[i])) && good;
    }
    good = is_ok(device.bind_source(kWeightsSlot, image.weights())) && good;
    good = is_ok(device.bind_source(kTracesSlot, image.trace_segment())) && good;
    std::array<std::uint32_t, kMaxQueues> enqueued{};
    for (std::uint32_t i = 0U; i < workspace.setup.count; ++i) {
        const PlannedCommand& planned = workspace.setup_commands[i];
        QueueCommand command = planned.command;
        static_cast<void>(command_set.seal(0U, enqueued[planned.queue]++, 0U, command));
        good = is_ok(device.enqueue(planned.queue, command)) && good;
    }
    for (std::uint32_t queue = 0U; queue < plan.queue_count; ++queue) {
        good = is_ok(device.ring_doorbell(queue)) && good;
    }
    good = is_ok(device.service()) && good;
    return good ? Status::kOk : Status::kDeviceFault;
}

}  // namespace pianola::baremetal
