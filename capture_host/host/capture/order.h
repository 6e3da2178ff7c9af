// Checks that an interpretation of a capture computes what the program computed, whatever the data.
//
// A replay of captured data does not show it: with zeros as inputs, wrong weights give right outputs.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/discovery.h"

namespace pianola::host {

// The bytes that the trace's commands touch with all values of an address: from the smallest value to the largest.
// Empty for a parameter that is no address.
[[nodiscard]] RangeSet reach_of(const DeclaredParameter& declared, const std::vector<Section>& sections,
                                const CommandSet& command_set);

// Refuses an interpretation whose only fault is the program's order: among several refusals its remedy helps.
class OrderRefused : public HostError {
  public:
    explicit OrderRefused(const std::string& message) : HostError{HostRule::kCaptureContent, message} {}
};

// The binary does set-up first and uses the first step's addresses: its calls must still read what they read in the
// program, `sections`. The captured data do not show that. Throws OrderRefused.
void check_order(const Interpretation& interpretation, const Scripts& scripts, const std::vector<Section>& sections,
                 const CommandSet& command_set);

}  // namespace pianola::host
