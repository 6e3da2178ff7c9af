// State as evidence: which memory a binary keeps from step to step, what writes its first contents, and from which
// constants.
//
// Receipts and `pianola inspect` report it. It is computed from scripts and the published extents of commands only,
// whatever the device.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::evidence {

// The writes of one script to a state region.
struct FirstContents {
    std::uint64_t bytes{0U};           // of the region, each counted once
    std::uint64_t constant_bytes{0U};  // read to compute them
    Sha256Digest constants{};          // of these bytes, in the order in which commands read them
    std::uint32_t commands{0U};
    Sha256Digest command_words{};  // of the trace commands that write them, in order: includes the values of fills
};

struct StateRegion {
    std::string name;
    MemoryKind memory{MemoryKind::kUnspecified};
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    std::optional<FirstContents> prologue;  // at every start of the session, which resets state
    std::optional<FirstContents> set_up;    // at load() only
};

// The regions of kind State, in the manifest's order. The validator has accepted the image.
[[nodiscard]] std::vector<StateRegion> state_of(const Image& image, const CommandSet& command_set);

// A list of objects; null for a script that writes nothing there.
[[nodiscard]] nlohmann::json to_json(const std::vector<StateRegion>& regions);

}  // namespace pianola::evidence
