// ConsoleSink: where the conformance kit's report goes on a board.
#pragma once

#include "hal/boards/common/semihosting.h"
#include "hal/port_kit/conformance.h"

namespace pianola::baremetal {

class ConsoleSink final : public port::Sink {
  public:
    void text(const char* text) noexcept override { semihosting::print(text); }
    void number(std::uint64_t number) noexcept override { semihosting::print_number(number); }
};

}  // namespace pianola::baremetal
