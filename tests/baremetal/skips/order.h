// What the host orders of the image whose instructions it skips, and what the image leaves for it to see.
//
// Place in the whole: on-target tests only. tests/baremetal/skip_board.py knows the same bytes: it writes the order into memory before the
// core starts, and reads the evidence through the debug stub, whatever state the core is in by then.
#pragma once

#include <array>
#include <cstdint>

#include "hal/refdev/shared_state.h"
#include "runtime/trust/trust.h"

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

// Words that are zero unless something was done: zeroed memory, written by the image.
struct Evidence {
    // What load() said; what each later call said, none of which may say kOk after a refusal.
    std::uint32_t load;
    std::uint32_t rule;  // address of its name
    std::uint32_t file_offset;
    std::array<std::uint32_t, 10U> calls;
    std::uint32_t fault_status;
    std::uint32_t fault_stage;
    // Calls of the device.
    std::uint32_t regions;
    std::uint32_t enqueued;
    std::uint32_t doorbells;
};

}  // namespace pianola::baremetal
