#include "hal/boards/common/shared_memory.h"

namespace pianola::board {
namespace {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): DEV-033
[[gnu::section(".shared")]] refdev::SharedState g_shared_state;

}  // namespace

refdev::SharedState& shared_state() noexcept {
    return g_shared_state;
}

}  // namespace pianola::board
