// Which records and waits of a capture have an effect.
//
// A script's records and waits of an event take turns; a program's need not.
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

// `marked`: prologue and epilogue where there are such, and the step twice, because what holds from step to step holds
// for ever. Throws API-CAPTURE-*.
[[nodiscard]] EffectiveEvents effective_events(const Section& before, const std::vector<const Section*>& marked);

}  // namespace pianola::host
