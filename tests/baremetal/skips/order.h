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
enum class Runs : std::uint32_t { kOne = 1U, kBatch = 2U };
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
    Runs runs{Runs::kOne};
    std::array<std::uint32_t, 3U> reserved{};
};
static_assert(sizeof(Order) == 192U, "the host writes it");

// Words that are zero unless something was done. They lie in the load area, where no overrun of the image's own data gets to.
struct Evidence {
    // What load() said; what each later call said, none of which may say kOk after a refusal.
    std::uint32_t load{0U};
    std::uint32_t rule{0U};  // address of its name
    std::uint32_t file_offset{0U};
    std::array<std::uint32_t, 10U> calls{};
    std::uint32_t fault_status{0U};
    std::uint32_t fault_stage{0U};
    // Calls of the device.
    std::uint32_t regions{0U};
    std::uint32_t enqueued{0U};
    std::uint32_t doorbells{0U};
    std::uint32_t output_bytes{0U};  // of the view of the first output that the session gave out
};

}  // namespace pianola::baremetal
