// The files that mutants are made of in these tests.
//
// Small files of our own need nothing from outside; captured models are there where PIANOLA_SHARED is.
#pragma once

#include <string>
#include <vector>

#include "capture_host/mutate/subject.h"

namespace pianola::test {

struct NamedSubject {
    std::string name;
    mutate::Subject subject;
};

// Throws where the file is not valid for the device.
[[nodiscard]] NamedSubject make_subject(const std::string& name, const std::vector<std::uint8_t>& file,
                                        const DeviceDescription& device);

[[nodiscard]] NamedSubject two_queues_subject();
[[nodiscard]] NamedSubject short_rings_subject();  // for a device whose rings a set-up can fill
// These two, one queue, declared parameters, long traces, and two meshes.
[[nodiscard]] std::vector<NamedSubject> small_subjects();

// Captured with the host API.
[[nodiscard]] NamedSubject api_subject();

// A model on one queue and pipelined on two; empty without models.
[[nodiscard]] std::vector<NamedSubject> model_subjects();

}  // namespace pianola::test
