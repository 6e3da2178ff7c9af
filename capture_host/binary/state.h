// State as evidence: which memory a binary keeps from step to step, what gives it its first contents, and of which
// constants.
//
// What receipts and `pianola inspect` say of state. From scripts and the published extents of commands alone, whatever
// the device.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::evidence {

// What one script writes there.
struct FirstContents {
    std::uint64_t bytes{0U};           // of the region, each counted once
    std::uint64_t constant_bytes{0U};  // that are read for them
    Sha256Digest constants{};          // of these bytes, in the order in which commands read them
    std::uint32_t commands{0U};
    Sha256Digest command_words{};  // of the trace commands that write them, in order: a fill's value is there
};

struct StateRegion {
    std::string name;
    MemoryKind memory{MemoryKind::kUnspecified};
    std::uint32_t base{0U};
    std::uint32_t size_bytes{0U};
    std::optional<FirstContents> prologue;  // again with every start of the session, which is what resets state
    std::optional<FirstContents> set_up;    // with load() alone
};

// The regions of kind State, in the manifest's order. The validator has accepted the image.
[[nodiscard]] std::vector<StateRegion> state_of(const Image& image, const CommandSet& command_set);

// A list of objects; a script that writes nothing there is null.
[[nodiscard]] nlohmann::json to_json(const std::vector<StateRegion>& regions);

}  // namespace pianola::evidence
