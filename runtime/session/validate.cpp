#include "pianola/session.h"

namespace pianola {

Status validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
                PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict) noexcept {
    Envelope envelope;
    const Status parsed = parse_envelope(file, envelope, verdict);
    if (!is_ok(parsed)) {
        return parsed;
    }
    const Status authentic = authenticate(file, envelope, trust, verdict);
    if (!is_ok(authentic)) {
        return authentic;
    }
    const Status opened = open_image(file, envelope, *device.capacities, image, verdict);
    if (!is_ok(opened)) {
        return opened;
    }
    const Status proved = prove_plan(image, device, command_set, workspace, plan, verdict);
    verdict.flow = follow(follow(follow(follow(kFlowStart, parsed), authentic), opened), proved);
    if (is_ok(proved)) {
        verdict.rule = Rule::kAccepted;
    }
    return proved;
}

}  // namespace pianola
