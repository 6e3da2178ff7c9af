#include "capture_host/binary/verify.h"

#include "pianola_host/manifest.h"
#include "runtime/session/validate.h"

namespace pianola::capture {

Status Verification::validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                              const Trust& trust, const Authentication& known) {
    image = Image{};
    verdict = Verdict{};
    workspace->authentication = known;
    return validate_same_file(file, device, command_set, trust, *workspace, image, *plan, verdict);
}

Status Verification::verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                            const Trust& trust, const Authentication& known) {
    const Status valid = validate(file, device, command_set, trust, known);
    if (!is_ok(valid) || is_canonical(file, image)) {
        return valid;
    }
    verdict.path.enter("manifest");
    return refuse(verdict, Rule::kHstCanonical, image.envelope().manifest.offset);
}

}  // namespace pianola::capture
