// The report of the conformance kit on standard output.
#pragma once

#include <cstdio>

#include "tests/port/conformance.h"

namespace pianola::port {

class StdoutSink final : public Sink {
  public:
    StdoutSink() = default;
    ~StdoutSink() = default;
    StdoutSink(const StdoutSink&) = delete;
    StdoutSink(StdoutSink&&) = delete;
    StdoutSink& operator=(const StdoutSink&) = delete;
    StdoutSink& operator=(StdoutSink&&) = delete;

    void text(const char* text) noexcept override { static_cast<void>(std::fputs(text, stdout)); }
    void number(std::uint64_t number) noexcept override {
        static_cast<void>(std::printf("%llu", static_cast<unsigned long long>(number)));  // NOLINT(*-vararg)
    }
};

}  // namespace pianola::port
