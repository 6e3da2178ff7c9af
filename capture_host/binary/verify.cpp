#include "capture_host/binary/verify.h"

#include "pianola_host/manifest.h"

namespace pianola::capture {

Status Verification::validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                              const Trust& trust) {
    image = Image{};
    verdict = Verdict{};
    return pianola::validate(file, device, command_set, trust, *workspace, image, *plan, verdict);
}

Status Verification::verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                            const Trust& trust) {
    const Status valid = validate(file, device, command_set, trust);
    if (!is_ok(valid) || is_canonical(file, image)) {
        return valid;
    }
    verdict.path.enter("manifest");
    return refuse(verdict, Rule::kHstCanonical, image.envelope().manifest.offset);
}

}  // namespace pianola::capture
