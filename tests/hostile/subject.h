// The trace binaries that are damaged on purpose.
//
// A subject is a valid file and the device that it is for: our own small workload, a keyword spotter captured from a
// real model where the models are there, and every file that the environment variable PIANOLA_HOSTILE_FILES names
// (separated by colons, for the default device).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "tests/support/workload.h"

namespace pianola::test {

struct Subject {
    std::string name;
    refdev::DeviceSpec spec;
    std::vector<std::uint8_t> file;
    Workload parts;        // what the file says: writing it gives the file again
    bool is_small{false};  // cheap enough to replay every accepted mutant with all memory watched
};

// The small workload alone needs nothing from outside.
[[nodiscard]] Subject small_subject();

// The large ones. Both throw where a file is not valid to start with.
[[nodiscard]] std::optional<Subject> model_subject();  // the keyword spotter, where the models are there
[[nodiscard]] std::vector<Subject> named_subjects();   // the files that the environment names

}  // namespace pianola::test
