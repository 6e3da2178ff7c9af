// Whether a reading of a capture computes what the program has computed, whatever the data.
//
// The replay of captured data alone does not show it: on zeros, wrong weights give right outputs.
#pragma once

#include <string>
#include <vector>

#include "capture_host/host/capture/capture_discovery.h"

namespace pianola::host {

// What the trace's commands touch with all values of an address: from what they touch with the least of them to what
// they touch with the greatest. Empty of a parameter that is no address.
[[nodiscard]] RangeSet reach_of(const DeclaredParameter& declared, const std::vector<Section>& sections,
                                const CommandSet& command_set);

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
