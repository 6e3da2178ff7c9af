// The report of the conformance kit on standard output.
#pragma once

#include <iostream>

#include "hal/port_kit/conformance.h"

namespace pianola::port {

class StdoutSink final : public Sink {
  public:
    StdoutSink() = default;
    ~StdoutSink() = default;
    StdoutSink(const StdoutSink&) = delete;
    StdoutSink(StdoutSink&&) = delete;
    StdoutSink& operator=(const StdoutSink&) = delete;
    StdoutSink& operator=(StdoutSink&&) = delete;

    void text(const char* text) noexcept override { std::cout << text; }
    void number(std::uint64_t number) noexcept override { std::cout << number; }
};

}  // namespace pianola::port
