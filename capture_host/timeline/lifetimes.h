// Lifetimes: from which operator to which the contents of memory are needed.
//
// The page draws memory with it. It walks one step of a device in program order, over the bytes that transfers and
// commands access. Weights and traces are constant and are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/timeline/step.h"

namespace pianola::timeline {

// One transfer or operator of a step, in program order.
struct Place {
    std::string name;
    std::string kind;             // of an operator
    std::uint32_t operation{0U};  // 0: a transfer
};

// Contents of memory, as one place makes them. The bytes are those from the first to the last that it writes.
struct Value {
    std::string name;        // of the buffer
    std::size_t region{0U};  // index into the workload's
    std::uint64_t address{0U};
    std::uint64_t bytes{0U};
    std::size_t made_at{0U};  // index into the places
    std::size_t used_at{0U};  // by the last place that needs it
    bool from_before{false};  // there before the step: state, or data of the previous step
    bool stays{false};        // for the next step
};

struct Lifetimes {
    std::vector<Place> places;
    std::vector<Value> values;     // in the order in which they are made
    std::uint64_t most_bytes{0U};  // that are needed at once
    std::size_t most_at{0U};       // the first place with that many
    // Likewise, of activations alone.
    std::uint64_t most_activation_bytes{0U};
    std::size_t most_activations_at{0U};
};

[[nodiscard]] Lifetimes find_lifetimes(const Workload& workload);

}  // namespace pianola::timeline
