// BoardPlatform: clock and idling of a board, for an ECU application's Platform.
//
// A base class for applications, which add their watchdog and their safe state: these belong to the ECU and not to the
// board.
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
        if (device_cores() != 0U) {  // otherwise the device needs this core: do not wait
            wait_for_signal();
        }
    }

  protected:
    BoardPlatform() = default;
    ~BoardPlatform() = default;
};

}  // namespace pianola::board
