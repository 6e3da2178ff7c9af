// Program: a random workload as its maker describes it.
//
// The writer makes a trace binary of it, and the emulator its meaning; they have nothing else in common. The emulator
// must not share code with the product, so that this header names nothing of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace pianola::programs {

using Bytes = std::vector<std::uint8_t>;
using Tensors = std::vector<Bytes>;

// The device that programs are for: docs/reference/device.md, with small memories.
inline constexpr std::uint32_t kDramBase = 0x8000'0000U;
inline constexpr std::uint32_t kDramBytes = 4096U;
inline constexpr std::uint32_t kL1Base = 0x1000'0000U;
inline constexpr std::uint32_t kL1Bytes = 1024U;
inline constexpr std::uint32_t kTraceRegionBytes = 1024U;
inline constexpr std::uint32_t kCores = 4U;

struct Range {
    std::uint32_t address{0U};
    std::uint32_t bytes{0U};
};

enum class Role { kWeights, kInput, kOutput, kActivation, kShared };
struct Region {
    Range range;
    Role role{Role::kShared};
};

enum class Act { kWriteInput, kReplay, kReadOutput, kRecord, kWait };
struct Command {
    Act act{Act::kReplay};
    std::uint32_t queue{0U};
    std::uint32_t object{0U};
};
using Script = std::vector<Command>;

struct Trace {
    std::vector<std::uint32_t> words;
    std::uint32_t commands{0U};
    std::uint64_t cycles{0U};
};

struct Point {
    std::uint32_t trace{0U};
    std::uint32_t word{0U};
};
struct Parameter {
    bool is_address{false};
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t alignment{1U};
    std::vector<Point> points;
};

using Pieces = std::vector<Range>;  // of a tensor, one behind the other

struct Program {
    std::vector<Region> regions;
    std::vector<Range> constants;  // what set-up writes, one behind the other in the weights
    Bytes weights;
    std::vector<Pieces> inputs;
    std::vector<Pieces> outputs;
    std::vector<Trace> traces;
    Script prologue;
    Script step;
    Script epilogue;
    std::vector<Parameter> parameters;
    std::uint32_t queues{1U};
    std::uint32_t in_flight{1U};
    bool is_pipelined{false};
    bool dispatches{false};
    std::uint64_t step_cycles{0U};
    std::vector<std::array<Tensors, 2>> self_tests;  // inputs and outputs
};

[[nodiscard]] inline std::uint32_t bytes_of(const Pieces& pieces) {
    std::uint32_t bytes = 0U;
    for (const Range& piece : pieces) {
        bytes += piece.bytes;
    }
    return bytes;
}

}  // namespace pianola::programs
