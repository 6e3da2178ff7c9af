// What a capture demands of its sections and of the scripts that they become.
//
// Before capture_scripts makes scripts, and behind it. All throw API-CAPTURE-*.
#pragma once

#include "capture_host/host/capture/capture_scripts.h"

namespace pianola::host {

// A loop's steps are one step.
void check_steps_alike(const std::vector<const Section*>& steps);

// Every tensor is moved once in a step.
void check_scripts(const Scripts& scripts, const Declarations& declarations);

// Of all devices together: a step does something; first inputs go with last outputs, and each is moved once.
struct DeviceScripts {
    const Scripts* scripts;
    const Declarations* declarations;
};
void check_content(const std::vector<DeviceScripts>& devices);

}  // namespace pianola::host
