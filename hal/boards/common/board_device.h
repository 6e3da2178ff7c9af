// BoardDevice: the Device of an ECU application on a board.
//
// A RefdevDriver on the board's shared memory.
#pragma once

#include "hal/devices/refdev/refdev_driver.h"

namespace pianola::board {

class BoardDevice final : public refdev::RefdevDriver {
  public:
    using RefdevDriver::RefdevDriver;
    ~BoardDevice() = default;
    BoardDevice(const BoardDevice&) = delete;
    BoardDevice(BoardDevice&&) = delete;
    BoardDevice& operator=(const BoardDevice&) = delete;
    BoardDevice& operator=(BoardDevice&&) = delete;
};

}  // namespace pianola::board
