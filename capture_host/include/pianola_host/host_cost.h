// HostCost: the time that a host takes to enqueue work for the device.
//
// The only model of it, for the host API, the timelines and the Python package; docs/guide/timeline.md gives the origin
// of the figures. There are two kinds of work. An operation without a trace is made and enqueued anew, however many
// commands it takes. All other work is counted by the commands that are put into a ring: transfers, replays, records
// and waits of events, completion records.
#pragma once

#include <cstdint>

namespace pianola {

struct HostCost {
    std::uint64_t dispatch_ns{0U};  // one operation, without trace
    std::uint64_t replay_ns{0U};    // one queue command
};

// tt-metal's dispatch micro-benchmark takes 9.3 us per program without a trace and 8.1 with one, on the same device
// (its issue 15336): without a trace the host limits it. Replayed, a command takes about 0.3 us (19998).
inline constexpr HostCost kDefaultHostCost{9'300U, 300U};

}  // namespace pianola
