// The reference device's firmware: what each device core of a board does for ever.
#include "hal/boards/common/board.h"
#include "hal/boards/common/device_server.h"
#include "hal/boards/common/shared_memory.h"

namespace {

// Works until there is nothing to do, then tells the ECU core and sleeps. The ECU core is woken too often rather than
// too seldom: it looks at completion records, not at the signal.
template <typename Server>
[[noreturn]] void serve(Server& server) noexcept {
    bool worked = false;
    for (;;) {  // the device never ends
        if (server.step()) {
            worked = true;
            continue;
        }
        if (worked) {
            worked = false;
            pianola::board::signal_ecu();
        }
        pianola::board::wait_for_signal();
    }
}

}  // namespace

extern "C" void pianola_device_main(std::uint32_t core) noexcept {
    pianola::refdev::SharedState& shared = pianola::board::shared_state();
    if (pianola::board::device_cores() == 1U) {
        pianola::board::DeviceServer server{shared};
        serve(server);
    }
    pianola::board::QueueServer server{core, shared};
    serve(server);
}
