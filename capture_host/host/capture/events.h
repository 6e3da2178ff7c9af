// Which records and waits of a capture have an effect.
//
// In a script, records and waits of an event alternate; in a program they need not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "capture_host/host/capture/call_log.h"

namespace pianola::host {

// Events of the manifest by call; calls that are missing have no effect.
struct EffectiveEvents {
    std::map<const Call*, std::uint32_t> events;
    std::vector<const Call*> before;  // records before the first mark that a later section waits for
};

// `marked`: prologue and epilogue if present, and the step twice, because what holds for two steps holds for all.
// Throws API-CAPTURE-*.
[[nodiscard]] EffectiveEvents effective_events(const Section& before, const std::vector<const Section*>& marked);

}  // namespace pianola::host
