// What the host orders of the image whose instructions it skips, and what the image leaves for it to see.
//
// tests/baremetal/campaigns/skip_board.py knows the same bytes: it writes the order into memory before the core starts,
// and reads the evidence through the debug stub, whatever state the core is in by then.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/trust.h"

namespace pianola::baremetal {

inline constexpr std::uint32_t kOrderMagic = 0x5049'4B53U;  // "SKIP"

enum class Loader : std::uint32_t {
    kSession = 1U,  // the product's
    kWeak = 2U,     // one check and one branch: proof that the campaign sees a start
};
enum class Verifier : std::uint32_t { kStandIn = 1U, kBearSsl = 2U };

// At the start of the load area; the file follows. All numbers little-endian.
struct Order {
    std::uint32_t magic{0U};
    std::uint32_t file_bytes{0U};
    Loader loader{Loader::kSession};
    Verifier verifier{Verifier::kStandIn};
    std::uint32_t lowest_version{0U};  // what the platform's counter says
    std::uint32_t watchdog_ticks{0U};  // of the board's watchdog, of 40 counted instructions each
    std::array<TrustedKey, 2U> keys{};
    std::array<std::uint32_t, 4U> reserved{};
};
static_assert(sizeof(Order) == 192U, "the host writes it");

// Words that are zero unless something was done. They lie in the load area, where no overrun of the image's own data
// gets to.
struct Evidence {
    // What load() said; what each later call said, none of which may say kOk after a refusal.
    std::uint32_t load{0U};
    std::uint32_t rule{0U};  // address of its name
    std::uint32_t file_offset{0U};
    std::array<std::uint32_t, 10U> calls{};
    std::uint32_t fault_status{0U};
    std::uint32_t fault_stage{0U};
    // Calls of the device, and what it did.
    std::uint32_t regions{0U};
    std::uint32_t enqueued{0U};
    std::uint32_t doorbells{0U};
    std::uint32_t executed{0U};      // commands, by the device's own side: see ends.cpp
    std::uint32_t output_bytes{0U};  // of the view of the first output that the session gave out
};

}  // namespace pianola::baremetal

extern "C" {
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
// Places in the load area, which the linker is told (option --defsym): what the host wrote, the file behind it, and the
// evidence.
extern pianola::baremetal::Order pianola_skip_host_order;
extern std::uint8_t pianola_skip_file;
extern pianola::baremetal::Evidence pianola_skip_evidence;
// The order as the application goes by it: in the image's own data.
extern pianola::baremetal::Order pianola_skip_order;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
// One run. Instructions of this function are the application's own: none of them is skipped.
void pianola_skip_attempt() noexcept;
}
