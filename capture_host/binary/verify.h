// Verify: would the target take this binary, and is it what the writer writes?
//
// What `pianola verify` says, the tests rely on and the benchmark counts.
#pragma once

#include "pianola/session.h"

namespace pianola::capture {

// Runs validate(), the target's own checks, and then the one that needs a heap: the manifest is in canonical form (rule
// HST-CANONICAL). Arguments and results are those of validate().
Status verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
              PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict);

}  // namespace pianola::capture
