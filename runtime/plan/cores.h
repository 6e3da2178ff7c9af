// Cores of the grid inside one trace, for kernels that are dispatched to single ones.
//
// Place in the whole: a runtime that takes no such traces has runtime/without/dispatch.cpp for cores.cpp.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

// What a proof asks of the extents of a command, which is the context's place.
struct ExtentCheck {
    WordSpan words;  // from the command on
    const TraceCommand& command;
    TensorUse& use;  // of the trace
};

// traces.cpp: refuses a field of the command that is the context's place; it lies in that word of it.
[[nodiscard]] bool refuse_word(Context& context, std::uint32_t word, Rule rule, const char* field, std::uint32_t actual,
                               std::uint32_t limit) noexcept;
// traces.cpp: refuses one of its runs.
[[nodiscard]] bool refuse_run(Context& context, const ExtentCheck& check, const ByteRun& run, Rule rule) noexcept;

// Which bytes the cores have touched since the last barrier, and when they are free again.
class Cores {
  public:
    explicit Cores(Context& context) noexcept : context_{context} {}

    // A command that is no dispatch starts when all cores are done.
    void join(std::uint64_t& cycles) noexcept;
    // One that is.
    [[nodiscard]] bool dispatch(const ExtentCheck& check, std::uint64_t cycles) noexcept;

  private:
    [[nodiscard]] bool touch(const ExtentCheck& check, const ByteRun& run, std::uint32_t tag) noexcept;

    Context& context_;
    std::uint64_t last_cycles_{0U};  // when the last core is free
    bool idle_{true};
};

}  // namespace pianola::proof
