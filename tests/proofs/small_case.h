// SmallCase: a workload of a few bytes and commands, small enough to try everything that it can do.
//
// It exists three times: as a real trace binary that validate() judges, as a sequence of scripts for the explorer, and
// as a meaning, an interpreter that runs the commands in program order. The three share nothing but this structure.
// Memory is 60 bytes, numbered 0 to 59: inputs 0-15, outputs 16-31, activations 32-47, weights 48-59. Where a case has
// shared memory, the first 48 are one region.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/proofs/explorer.h"
#include "tests/support/workload.h"

namespace pianola::test {

inline constexpr std::uint32_t kInputFirst = 0U;
inline constexpr std::uint32_t kOutputFirst = 16U;
inline constexpr std::uint32_t kActivationFirst = 32U;
inline constexpr std::uint32_t kWeightsFirst = 48U;
inline constexpr std::uint32_t kAreaBytes = 16U;
inline constexpr std::uint32_t kWeightsBytes = 12U;
inline constexpr std::uint32_t kSmallMemoryBytes = 60U;
// Bits of a mask behind those for bytes: the compute cores, which whoever uses them writes to.
inline constexpr std::uint32_t kFirstCoreBit = 60U;
inline constexpr std::uint32_t kSmallCores = 4U;

struct ByteRange {
    std::uint32_t first{0U};
    std::uint32_t count{0U};

    [[nodiscard]] std::uint64_t mask() const noexcept { return ((std::uint64_t{1} << count) - 1U) << first; }
};

// One command of a trace: target[i] := source[i], or value.
struct SmallStep {
    enum class Kind { kCopy, kFill, kLaunch, kDispatch };  // launches copy too, with all cores, dispatches with one

    Kind kind{Kind::kCopy};
    ByteRange target;
    std::uint32_t source{0U};
    std::uint8_t value{0U};
    std::uint32_t core{0U};
};
using SmallTrace = std::vector<SmallStep>;
using Commands = std::vector<capture::ManifestCommand>;

struct SmallCase {
    std::vector<ByteRange> inputs;
    std::vector<ByteRange> outputs;
    std::vector<SmallTrace> traces;
    std::optional<Commands> prologue;
    Commands step;
    std::optional<Commands> epilogue;
    std::uint32_t in_flight{1U};
    bool shared{false};
    std::vector<capture::ManifestParameter> parameters;
    // Every device has a piece of each output and of the first inputs, and all of the other inputs.
    std::uint32_t mesh_rows{1U};
    std::uint32_t mesh_columns{1U};
    std::uint32_t sharded_inputs{0U};

    [[nodiscard]] std::uint32_t devices() const noexcept { return mesh_rows * mesh_columns; }
    [[nodiscard]] bool takes(const capture::ManifestCommand& command, std::uint32_t device) const noexcept;

    [[nodiscard]] bool pipelined() const;  // the prologue writes inputs
};

// What a command reads and writes; a bit per byte.
struct Footprint {
    std::uint64_t reads{0U};
    std::uint64_t writes{0U};
};
[[nodiscard]] Footprint footprint_of(const SmallCase& small, const capture::ManifestCommand& command);

// The scripts in the order of their submission: cycles from prologue to epilogue, each with so many steps. Steps may
// overlap; prologue and epilogue run alone.
[[nodiscard]] std::vector<Submission> submissions_of(const SmallCase& small,
                                                     const std::vector<std::uint32_t>& cycles = {4U, 1U});

// The trace binary. Every count and every budget is right, so that only scripts and order can be wrong.
[[nodiscard]] std::vector<std::uint8_t> binary_of(const SmallCase& small);

// True where, in program order, nothing is read that has not been written.
[[nodiscard]] bool data_flows(const SmallCase& small);

// All of it, for people.
[[nodiscard]] std::string text_of(const SmallCase& small);

[[nodiscard]] std::uint8_t weight_at(std::uint32_t byte);

// The meaning: commands in program order, one after the other.
class Interpreter {
  public:
    using Tensors = std::vector<std::vector<std::uint8_t>>;

    explicit Interpreter(const SmallCase& small);

    // Outputs are empty where the script reads none.
    Tensors run(const Commands& commands, const Tensors& inputs);

  private:
    const SmallCase& small_;
    std::array<std::uint8_t, kSmallMemoryBytes> memory_{};
};

}  // namespace pianola::test
