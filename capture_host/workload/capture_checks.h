// What a capture demands of its sections and of the scripts that they become.
//
// Place in the whole: before capture_scripts makes scripts, and behind it. All throw API-CAPTURE-*. Internal to the
// host API.
#pragma once

#include "capture_host/workload/capture_scripts.h"

namespace pianola::host {

// A loop's steps are one step.
void check_steps_alike(const std::vector<const Section*>& steps);

// A step does something; every tensor is moved once; first inputs go with last outputs.
void check_scripts(const Scripts& scripts, const Declarations& declarations);

}  // namespace pianola::host
