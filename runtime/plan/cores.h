// Cores of the grid inside one trace, for kernels that are dispatched to single ones.
//
// A runtime without such traces has runtime/without/dispatch.cpp instead of cores.cpp.
#pragma once

#include "runtime/plan/proof.h"

namespace pianola::proof {

// Inputs of a proof about the extents of a command, which is the context's place.
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

// The bytes that the cores have touched since the last barrier, and the time at which they are free again.
class Cores {
  public:
    explicit Cores(Context& context) noexcept : context_{context} {}

    // A command that is not a dispatch starts when all cores are done.
    void join(std::uint64_t& cycles) noexcept;
    // A dispatch.
    [[nodiscard]] bool dispatch(const ExtentCheck& check, std::uint64_t cycles) noexcept;

  private:
    [[nodiscard]] bool touch(const ExtentCheck& check, const ByteRun& run, std::uint32_t tag) noexcept;

    Context& context_;
    std::uint64_t last_cycles_{0U};  // time at which the last core is free
    bool idle_{true};
};

}  // namespace pianola::proof
