// Expected outputs: inferences that another program computed, and the results of a new binary for the same inputs.
//
// A binary is returned only if it computes the expected outputs, to the byte; the inferences then become its self-test
// vectors.
#pragma once

#include <cstdint>
#include <optional>
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

// The first element that differs, and how many do.
struct OutputDifference {
    std::size_t inference{0U};  // of the expected ones, from 0
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
    bool has_state{false};  // inferences were consecutive steps from a reset
};

// The binary's outputs differ.
class NotAsExpected : public std::runtime_error {
  public:
    explicit NotAsExpected(const OutputDifference& difference);
    [[nodiscard]] const OutputDifference& difference() const noexcept { return difference_; }

  private:
    OutputDifference difference_;
};

// Two tensors of one size: the first element that differs, and how many do.
struct TensorDifference {
    std::uint64_t element{0U};
    std::uint64_t differing{0U};
};
[[nodiscard]] std::optional<TensorDifference> compare_tensors(const std::vector<std::uint8_t>& expected,
                                                              const std::vector<std::uint8_t>& got,
                                                              std::size_t element_bytes);

// A value as text; for floating-point numbers also the bits, which are compared.
[[nodiscard]] std::string element_text(ElementType type, ByteSpan element);

// Replays all inferences, in order, from the start of a binary that was just loaded; a pipelined one overlaps them.
// Throws NotAsExpected; std::invalid_argument if a tensor's size differs from the binary's.
void compare_expected(replay::Replay& trial, const std::vector<ExpectedInference>& expected);

}  // namespace pianola::capture
