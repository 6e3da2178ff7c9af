// Requirements of a capture on its sections and on their scripts.
//
// Used before and after scripts makes scripts. All throw API-CAPTURE-*.
#pragma once

#include "capture_host/host/capture/scripts.h"

namespace pianola::host {

// Checks that all steps of a loop are alike.
void check_steps_alike(const std::vector<const Section*>& steps);

// Checks that every tensor is moved once in a step.
void check_scripts(const Scripts& scripts, const Declarations& declarations);

// For all devices together: a step has a command; first inputs are paired with last outputs, and each is moved once.
struct DeviceScripts {
    const Scripts* scripts;
    const Declarations* declarations;
};
void check_content(const std::vector<DeviceScripts>& devices);

}  // namespace pianola::host
