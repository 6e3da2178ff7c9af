// Compiler: from a program to the device's command words.
//
// The program cache remembers that check_structure() has accepted a program. assemble() makes the words of one enqueue,
// with every address resolved and every extent proved to lie in allocated memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "capture_host/base/range_set.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/host/program/program_state.h"
#include "pianola/sha256.h"

namespace pianola::host {

// One command of a program or a trace.
struct CommandInfo {
    std::uint32_t word{0U};            // index of its first word
    std::uint32_t argument_word{0U};   // index of its first argument word, from `word`
    std::uint32_t argument_count{0U};  // 0: not a kernel
    std::uint32_t program{0U};         // index in the trace
    std::uint32_t kernel{0U};          // index in the program
    CoreCoord core;
};

struct Assembled {
    std::string name;
    std::vector<std::uint32_t> words;  // without the end command
    std::vector<CommandInfo> commands;
    RangeSet reads;  // device addresses
    RangeSet writes;
};

// Device addresses where operands may lie.
using AddressCheck = std::function<bool(std::uint32_t address, std::uint32_t bytes)>;

// Throws API-PROGRAM-*.
void check_structure(const DeviceDescription& spec, const Program::State& program);
// Digest of everything that check_structure() checks: programs that differ only in arguments have the same.
[[nodiscard]] Sha256Digest structure_digest(const Program::State& program);
// Throws API-PROGRAM-*, API-BUFFER-*. `device` owns the buffers that arguments name.
[[nodiscard]] Assembled assemble(const DeviceDescription& spec, const Program::State& program,
                                 const MemoryHolder& device, const AddressCheck& is_allocated);

// Words before the arguments of a kernel's command.
[[nodiscard]] std::uint32_t kernel_head_words() noexcept;
// The same for a command of a trace; 0 if it runs no kernel.
[[nodiscard]] std::uint32_t kernel_head_words(const DecodedCommand& command) noexcept;

// Words of a whole trace: the programs one after the other, each complete before the next begins, and the end command.
class TraceWords {
  public:
    void append(const Assembled& program);
    [[nodiscard]] std::vector<std::uint32_t> finished() const;
    [[nodiscard]] const std::vector<Assembled>& programs() const noexcept { return programs_; }
    [[nodiscard]] const std::vector<std::uint32_t>& words() const noexcept { return words_; }
    [[nodiscard]] const std::vector<CommandInfo>& commands() const noexcept { return commands_; }

  private:
    std::vector<std::uint32_t> words_;
    std::vector<CommandInfo> commands_;
    std::vector<Assembled> programs_;
};

// Whether the proof of the device's profile holds what the cores of one program touch; Device::fits() asks. From one
// barrier to the next, the runtime's proof keeps which core has touched which bytes, in as many disjoint ranges as the
// profile has (runtime/plan/cores.cpp; rule CAP-INTERVALS). These functions do the same before a capture.
//
// True if a program of so few kernels fits the proof and that many bytes of commands whatever its operands are: then
// there is no need to assemble it.
[[nodiscard]] bool surely_fits(const DeviceDescription& spec, const Program::State& program, std::uint64_t bytes);
// `assembled` is made from this program, whose operands lie in the buffers that its arguments name. The answer does not
// depend on the addresses of these buffers: ranges of two buffers are never joined, though the proof joins ranges that
// touch.
[[nodiscard]] bool fits_proof(const DeviceDescription& spec, const Program::State& program, const Assembled& assembled);

// Programs by their numbers of commands; the end command belongs to none.
[[nodiscard]] std::vector<TraceProgramInfo> program_infos(const TraceWords& words);

}  // namespace pianola::host
