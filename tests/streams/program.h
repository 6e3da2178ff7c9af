// A random program of the host API, as data: what a device runs, and what the model computes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pianola::streams {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::uint32_t kBytes = 64U;  // of a buffer
inline constexpr std::uint32_t kNobody = UINT32_MAX;
inline constexpr std::uint32_t kOtherData = 1U << 20U;  // from the seed of a program's data to that of other data

enum class Code : std::uint8_t { kPlus, kAdd, kSubtract, kMultiply, kMinimum, kMaximum };  // as the device numbers them

// output[out_first...] = left[left_first...] op right[right_first...], or + constant, of int8.
struct Launch {
    Code code{Code::kPlus};
    std::uint32_t left{0U};
    std::uint32_t right{0U};
    std::uint32_t output{0U};
    std::uint32_t left_first{0U};
    std::uint32_t right_first{0U};
    std::uint32_t output_first{0U};
    std::uint32_t count{kBytes};
    int constant{0};
};

enum class Kind : std::uint8_t {
    kAllocate,
    kFree,
    kWrite,
    kRead,
    kRun,
    kCaptureTrace,
    kExecuteTrace,
    kRecord,
    kWait,
    kSynchronise
};

struct Op {
    Kind kind{Kind::kRun};
    std::uint32_t queue{0U};
    std::uint32_t object{0U};      // buffer, event or trace
    std::uint32_t role{kNobody};   // of a write or read: which of an inference's tensors it is
    bool is_data{false};           // a write whose bytes another run may change
    Launch launch;                 // kRun
    std::vector<Launch> launches;  // kCaptureTrace
};

struct Program {
    std::vector<Op> ops;
    std::uint32_t queues{1U};
    bool keeps_state{false};  // outputs may depend on earlier inferences
    std::string shape;        // for people
};

// What the program's writes bring, in their order. `data`: of those that may change; `set_up`: of the others.
enum class Data : std::uint8_t { kRandom, kZeros, kEqual };
[[nodiscard]] std::vector<Bytes> data_of(const Program& program, std::uint32_t seed, Data kind);

[[nodiscard]] Program make_program(std::uint32_t seed);
// What the reads give, in their order. A model that lies computes the last byte of every launch wrongly.
[[nodiscard]] std::vector<Bytes> results_of(const Program& program, const std::vector<Bytes>& data,
                                            bool is_lying = false);

}  // namespace pianola::streams
