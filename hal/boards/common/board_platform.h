// BoardPlatform: clock and idling of a board, for an ECU application's Platform.
//
// Place in the whole: a base for applications, which add their watchdog and their safe state: these belong to the ECU
// and not to a board. Bare metal only.
#pragma once

#include <cstdint>

#include "hal/boards/common/board.h"
#include "pianola/platform.h"

namespace pianola::board {

class BoardPlatform : public Platform {
  public:
    BoardPlatform(const BoardPlatform&) = delete;
    BoardPlatform(BoardPlatform&&) = delete;
    BoardPlatform& operator=(const BoardPlatform&) = delete;
    BoardPlatform& operator=(BoardPlatform&&) = delete;

    [[nodiscard]] std::uint64_t now_us() noexcept final { return board::now_us(); }
    void idle() noexcept final {
        if (device_cores() != 0U) {  // else the device needs this core: there is nothing to wait for
            wait_for_signal();
        }
    }

  protected:
    BoardPlatform() = default;
    ~BoardPlatform() = default;
};

}  // namespace pianola::board
