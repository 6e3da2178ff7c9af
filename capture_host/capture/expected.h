// Expected outputs: inferences that something else has computed, and what a new binary makes of the same inputs.
//
// A binary is given out only where it computes what was expected, to the byte; the inferences then become its self-test
// vectors.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "pianola_host/replay.h"

namespace pianola::capture {

// The tensors of one inference, in the binary's order.
struct ExpectedInference {
    replay::Tensors inputs;
    replay::Tensors outputs;
};

// The first element that is another, and how many are.
struct OutputDifference {
    std::size_t inference{0U};  // of those that were expected, from 0
    std::uint32_t output{0U};
    std::string tensor;  // its name
    ElementType type{ElementType::kUnspecified};
    std::uint64_t element{0U};  // of the tensor, in memory order
    std::string expected;       // its values
    std::string got;
    std::uint64_t differing{0U};  // elements of this output of this inference
    std::uint64_t elements{0U};   // of the output
    std::uint64_t differing_in_all{0U};
    std::uint64_t differing_inferences{0U};
    std::uint64_t inferences{0U};
    bool has_state{false};  // inferences were steps that follow each other from a reset
};

// The binary computes something else.
class NotAsExpected : public std::runtime_error {
  public:
    explicit NotAsExpected(const OutputDifference& difference);
    [[nodiscard]] const OutputDifference& difference() const noexcept { return difference_; }

  private:
    OutputDifference difference_;
};

// A value as text; of floating-point numbers the bits too, which are what is compared.
[[nodiscard]] std::string element_text(ElementType type, ByteSpan element);

// Replays all inferences, in order, from the start of a binary that was just loaded; a pipelined one overlaps them.
// Throws NotAsExpected; std::invalid_argument where a tensor has another size than the binary's.
void compare_expected(replay::Replay& trial, const std::vector<ExpectedInference>& expected);

}  // namespace pianola::capture
