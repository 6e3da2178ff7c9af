#include "capture_host/binary/verify.h"

#include "pianola_host/manifest.h"

namespace pianola::capture {

Status verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
              PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict) {
    const Status valid = validate(file, device, command_set, trust, workspace, image, plan, verdict);
    if (!is_ok(valid) || is_canonical(file, image)) {
        return valid;
    }
    verdict.path.enter("manifest");
    return refuse(verdict, Rule::kHstCanonical, image.envelope().manifest.offset);
}

}  // namespace pianola::capture
