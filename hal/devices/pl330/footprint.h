// Footprint: RAM of the PL330's driver on a 32-bit core. runtime/include/pianola/footprint.h says how it is kept right.
#pragma once

#include <cstdint>

namespace pianola::pl330 {

inline constexpr std::uint32_t kDriverBytes32 = 5128U;  // Pl330Driver, with the programs that the engine fetches

}  // namespace pianola::pl330
