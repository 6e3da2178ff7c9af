// From recorded calls to a workload: which calls are the loop's turns, and which buffers its inputs and outputs.
//
// Place in the whole: between CallLog and capture_scripts. What the program has marked and declared stands; the rest is
// found by what it does. Several readings may be possible: the capture takes the first that the runtime accepts and
// whose replay gives what the captured run has read. Internal to the host API.
#pragma once

#include <string>
#include <vector>

#include "capture_host/workload/capture_scripts.h"

namespace pianola::host {

struct Reading {
    std::vector<Section> sections;  // all steps with the calls of the first, and their own data
    Declarations declarations;
    std::string found;  // how a program without marks was read; empty where it has marks
};

// The likeliest first, and at least one.
[[nodiscard]] std::vector<Reading> readings_of(const std::vector<Section>& sections, const Declarations& declarations,
                                               const CommandSet& command_set);

// Programs in front of prologue and steps are no part of the binary: what set-up writes must be what the steps find.
// Throws API-CAPTURE-CONTENT.
void check_front(const Reading& reading, const CommandSet& command_set);

// A reading whose only fault is the program's order: of several refusals the one whose remedy helps.
class OrderRefused : public HostError {
  public:
    explicit OrderRefused(const std::string& message) : HostError{HostRule::kCaptureContent, message} {}
};

// The binary does set-up first and has the first step's addresses: what its calls read must all the same be what they
// have read in the program, `sections`. The data that were captured do not show that. Throws OrderRefused.
void check_order(const Reading& reading, const Scripts& scripts, const std::vector<Section>& sections,
                 const CommandSet& command_set);

}  // namespace pianola::host
