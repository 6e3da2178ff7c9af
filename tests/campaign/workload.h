// What a session runs in a mode, and what it means.
//
// On a mesh every device computes its piece of the outputs in another way than the others, from a piece of the first
// input and from all of the other inputs.
#pragma once

#include <cstdint>
#include <deque>

#include "tests/campaign/mode.h"
#include "tests/proofs/small_case.h"

namespace pianola::campaign {

[[nodiscard]] test::SmallCase case_of(const Mode& mode);

// The parameter's value that case_of() does not have, in the meaning; returns it.
std::uint32_t change_value(test::SmallCase& small);

// Of the application's memory for an input.
[[nodiscard]] std::size_t input_bytes(const test::SmallCase& small, std::uint32_t input);

// The meaning on all devices: no device sees another one's memory, so that each has an interpreter of its own.
class Meaning {
  public:
    using Tensors = test::Interpreter::Tensors;

    explicit Meaning(const test::SmallCase& small);

    // Outputs, put together of all devices' pieces, are empty where the script reads none.
    [[nodiscard]] Tensors run(const test::Commands& commands, const Tensors& inputs);

  private:
    [[nodiscard]] Tensors run_on(std::uint32_t device, const test::Commands& commands, const Tensors& inputs);

    const test::SmallCase& small_;
    std::deque<test::Interpreter> devices_;
};

}  // namespace pianola::campaign
