// Verification: whether the target accepts a binary, and whether it is in the writer's form.
//
// Used wherever a host tool or a test needs a binary's proofs.
#pragma once

#include <memory>

#include "pianola/session.h"

namespace pianola::capture {

// The results of the last call, with the memory that the proofs take. The image points into the file.
struct Verification {
    // Runs the target's own checks. A file of which `known` is computed is not hashed again: authenticate() of the
    // runtime, as in a load's second validation.
    Status validate(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
                    const Authentication& known = {});
    // The same, and then the check that needs a heap: the manifest is in canonical form (rule HST-CANONICAL).
    Status verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
                  const Authentication& known = {});

    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan{std::make_unique<Plan>()};
    Image image;
    Verdict verdict;
};

}  // namespace pianola::capture
