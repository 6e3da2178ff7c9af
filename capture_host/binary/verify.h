// Verify: whether the target accepts this binary, and whether it is in the writer's form.
//
// Used by `pianola verify`, the tests and the benchmark.
#pragma once

#include "pianola/session.h"

namespace pianola::capture {

// Runs validate(), the target's own checks, and then the check that needs a heap: the manifest is in canonical form
// (rule HST-CANONICAL). Arguments and results are those of validate().
Status verify(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set, const Trust& trust,
              PlanWorkspace& workspace, Image& image, Plan& plan, Verdict& verdict);

}  // namespace pianola::capture
