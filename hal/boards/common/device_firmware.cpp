// The reference device's firmware if all device cores form one device: the endless loop of each core.
#include "hal/boards/common/board.h"
#include "hal/boards/common/device_server.h"
#include "hal/boards/common/shared_memory.h"

extern "C" void pianola_device_main(std::uint32_t core) noexcept {
    pianola::refdev::SharedState& shared = pianola::board::shared_state();
    if (pianola::board::device_cores() == 1U) {
        pianola::board::DeviceServer server{shared};
        pianola::board::serve(server);
    }
    pianola::board::QueueServer server{core, shared};
    pianola::board::serve(server);
}
