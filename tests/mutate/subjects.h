// The files that mutants are made of in these tests.
//
// Place in the whole: tests only. Small files of our own need nothing from outside; captured models are there where PIANOLA_SHARED is.
#pragma once

#include <string>
#include <vector>

#include "capture_host/mutate/subject.h"

namespace pianola::test {

struct NamedSubject {
    std::string name;
    mutate::Subject subject;
};

// One queue, two queues, declared parameters, and a device with short rings.
[[nodiscard]] std::vector<NamedSubject> small_subjects();

// A model on one queue and pipelined on two; empty without models.
[[nodiscard]] std::vector<NamedSubject> model_subjects();

}  // namespace pianola::test
