// Footprint: RAM of the reference device's driver and of what it shares with the device, on a 32-bit core.
//
// Place in the whole: the counterpart of runtime/include/pianola/footprint.h, which says how it is kept right and
// refreshed.
#pragma once

#include <cstdint>

namespace pianola::refdev {

inline constexpr std::uint32_t kDriverBytes32 = 96U;          // RefdevDriver
inline constexpr std::uint32_t kSharedStateBytes32 = 21712U;  // SharedState, execution logs included
inline constexpr std::uint32_t kDeviceCoreBytes32 = 408U;     // DeviceCore; one per queue, on whichever core serves it

}  // namespace pianola::refdev
