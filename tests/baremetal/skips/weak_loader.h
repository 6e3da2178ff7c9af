// A loader as one would write it without a thought for faults: it validates once, and one branch decides.
//
// The campaign must find skips that make this one start a binary that is to be refused; that it finds none in the
// product means something then.
#pragma once

#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/session.h"

namespace pianola::baremetal {

struct WeakLoader {
    Device& device;
    const CommandSet& command_set;
    const Trust& trust;
    Image image;
    Plan plan;

    // kOk, or kRefused; the set-up has been started then.
    Status load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept;
};

}  // namespace pianola::baremetal
