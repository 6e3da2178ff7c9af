// A validation that can be the second one of a file.
#pragma once

#include "pianola/command_set.h"
#include "pianola/envelope.h"
#include "pianola/image.h"
#include "pianola/plan.h"

namespace pianola {

// As the public validate(). Where `workspace.authentication` is computed, by an earlier validation of the same file, it
// is not hashed again: authenticate().
Status validate_same_file(ByteSpan file, const DeviceDescription& device, const CommandSet& command_set,
                          const Trust& trust, PlanWorkspace& workspace, Image& image, Plan& plan,
                          Verdict& verdict) noexcept;

}  // namespace pianola
