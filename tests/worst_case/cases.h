// Trace binaries that take the validator as long as the schema and the runtime's capacities admit.
//
// maxima.cpp makes files that are accepted, with one thing at its maximum or all together; hostile.cpp makes files that
// look for the most instructions per byte, accepted or not. measure.py counts the instructions.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/rule.h"
#include "tests/support/workload.h"
#include "tests/worst_case/worst_device.h"

namespace pianola::test {

// Command words of a trace, written one by one. Costs of kernels come from the kernels themselves.
class TraceWords {
  public:
    void barrier() { words_.push_back(header_word(refdev::Opcode::kBarrier, 1U)); }
    void end() { words_.push_back(header_word(refdev::Opcode::kEnd, 1U)); }
    void fill(std::uint32_t destination, std::uint32_t size_bytes) {
        append({header_word(refdev::Opcode::kFill, refdev::kFillWords), destination, size_bytes, 0U});
    }
    void copy(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes) {
        append({header_word(refdev::Opcode::kCopy, refdev::kCopyWords), destination, source, size_bytes});
    }
    template <typename Arguments>
    void launch(refdev::KernelId kernel, const Arguments& arguments) {
        const std::vector<std::uint32_t> words = words_of(arguments);
        append({head(refdev::Opcode::kLaunch, refdev::kLaunchHeadWords, words), static_cast<std::uint32_t>(kernel),
                cost_of(kernel, words)});
        append(words);
    }
    template <typename Arguments>
    void dispatch(std::uint32_t core, refdev::KernelId kernel, const Arguments& arguments) {
        const std::vector<std::uint32_t> words = words_of(arguments);
        append({head(refdev::Opcode::kDispatch, refdev::kDispatchHeadWords, words), core,
                static_cast<std::uint32_t>(kernel), cost_of(kernel, words)});
        append(words);
    }
    void append(const std::vector<std::uint32_t>& words) { words_.insert(words_.end(), words.begin(), words.end()); }

    [[nodiscard]] const std::vector<std::uint32_t>& words() const noexcept { return words_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() * sizeof(std::uint32_t); }

  private:
    template <typename Arguments>
    [[nodiscard]] static std::vector<std::uint32_t> words_of(const Arguments& arguments) {
        std::vector<std::uint32_t> words(refdev::kArgumentWords<Arguments>);
        std::memcpy(words.data(), &arguments, sizeof(Arguments));
        return words;
    }
    [[nodiscard]] static std::uint32_t head(refdev::Opcode opcode, std::uint32_t head_words,
                                            const std::vector<std::uint32_t>& arguments) {
        return header_word(opcode, head_words + static_cast<std::uint32_t>(arguments.size()));
    }
    // Throws std::invalid_argument where the kernel does not accept its arguments.
    [[nodiscard]] static std::uint32_t cost_of(refdev::KernelId kernel, const std::vector<std::uint32_t>& arguments);

    std::vector<std::uint32_t> words_;
};

// The profile that the page is about, and what makes files of the same kind as before.
inline constexpr const Capacities& kJudged = profiles::kSmallEcu;
inline constexpr std::uint32_t kLongestTraceWords = 1U << 20U;
inline constexpr std::uint32_t kTracePrograms = 16384U;

struct WorstCase {
    const char* name{""};
    Rule expected{Rule::kNotRun};  // kNotRun: it is accepted
    std::function<Workload()> make;
    bool shares_tables{false};  // the manifest has each program and each name once, however often it is named
    bool is_long{false};        // takes minutes to count
    refdev::DeviceSpec spec{worst_device()};  // that the workload is for
    std::uint32_t devices{1U};                // of a mesh with one row
};

[[nodiscard]] const std::vector<WorstCase>& maxima();
[[nodiscard]] const std::vector<WorstCase>& hostile();

// What the formula of docs/evidence/worst_case.md counts, but for bytes of the file and work of the proofs.
struct Counts {
    std::uint64_t tables{0U};
    std::uint64_t name_bytes{0U};
    std::uint64_t script_commands{0U};  // transfers of a tensor in several buffers count for each
    std::uint64_t tensor_buffers{0U};
};
[[nodiscard]] Counts counts_of(const Workload& workload);

// The file. Sets the length of the step to what the proof says.
[[nodiscard]] std::vector<std::uint8_t> file_of(const WorstCase& worst);

// builder.cpp: the smallest workload: a region of memory, the trace region, an empty set-up and an empty step.
[[nodiscard]] Workload empty_workload();
void add_trace(Workload& workload, TraceWords trace);  // with its end command; set-up loads it
[[nodiscard]] capture::ManifestCommand replay(std::uint32_t queue, std::uint32_t trace);
[[nodiscard]] capture::ManifestCommand record(std::uint32_t queue, std::uint32_t event);
[[nodiscard]] capture::ManifestCommand wait(std::uint32_t queue, std::uint32_t event);
using Commands = std::vector<capture::ManifestCommand>;

// shared_manifest.cpp: a manifest in which equal names and equal programs of a trace lie once.
[[nodiscard]] std::vector<std::uint8_t> encode_shared(const capture::Manifest& manifest);

}  // namespace pianola::test
