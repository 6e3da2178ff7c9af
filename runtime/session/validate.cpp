#include "runtime/session/validate.h"

#include "pianola/session.h"

namespace pianola {

Status validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
                PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict) noexcept {
    workspace.authentication = Authentication{};
    return validate_same_file(file, device, command_set, trust, workspace, image, plan, verdict);
}

Status validate_same_file(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                          const Trust& trust, PlanWorkspace& workspace, Image& image, Plan& plan,
                          Verdict& verdict) noexcept {
    const Status parsed = image.parse(file, verdict);
    if (!is_ok(parsed)) {
        return parsed;
    }
    const Envelope& envelope = image.envelope();
    const Status authentic = authenticate(file, envelope, trust, workspace.authentication, verdict);
    if (!is_ok(authentic)) {
        return authentic;
    }
    const Status opened = open_image(file, envelope, *device.capacities, image, verdict);
    if (!is_ok(opened)) {
        return opened;
    }
    const Status proved = prove_plan(image, device, command_set, workspace, plan, verdict);
    if (!is_ok(proved)) {
        return proved;
    }
    const Status checked = prove_checks(file, envelope.checks, plan.constants, verdict);
    verdict.flow = follow(follow(follow(follow(follow(kFlowStart, parsed), authentic), opened), proved), checked);
    if (is_ok(checked)) {
        verdict.rule = Rule::kAccepted;
    }
    return checked;
}

}  // namespace pianola
