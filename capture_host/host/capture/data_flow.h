// DataFlow: what a sequence of calls computes, without the addresses in between.
//
// How a capture tells that two turns of a program's loop are the same step although the program took new memory in
// each. Every operand that is read is named by what wrote it - the number of the write in the sequence, and the place
// in what was written - or by its address where the sequence found it there. So two sequences with equal flows compute
// the same of what they are given and of what they find, and leave the same behind where they will look again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/origins.h"

namespace pianola::host {

// Appends the words of a command; of those that are an operand's address, that they are one.
void say_command(WordSpan words, const CommandSet& command_set, std::vector<std::uint64_t>& said);
// Equal for two calls that differ in addresses and in data alone.
[[nodiscard]] std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set);
// The words of a program or of an executed trace.
[[nodiscard]] const std::vector<std::uint32_t>& words_of(const Call& call);

class DataFlow {
  public:
    explicit DataFlow(const CommandSet& command_set) : command_set_{command_set} {}

    void add(const Call& call);
    // The same; the writers are named by their call's number, so that sequences of the same calls in another order
    // compare. What the call reads.
    [[nodiscard]] std::vector<Origin> add_named(const Call& call);
    [[nodiscard]] static std::uint64_t call_of(std::uint64_t writer) noexcept { return writer >> kWriterBits; }
    // Compares equal where the flows are; the sequence ends here.
    [[nodiscard]] std::vector<std::uint64_t> end();
    // Read before it was written.
    [[nodiscard]] const RangeSet& found() const noexcept { return found_; }
    [[nodiscard]] const RangeSet& written() const noexcept { return written_set_; }
    // What these bytes were written by.
    [[nodiscard]] std::vector<Origin> origins_of(const RangeSet& bytes) const;
    // The first of these bytes that a program was the last to write, and the host some time before.
    [[nodiscard]] std::optional<ByteRange> recomputed(const RangeSet& bytes) const;

  private:
    static constexpr unsigned kWriterBits = 32U;  // of a writer's number in its call

    void read(std::uint64_t begin, std::uint64_t end);
    void write(std::uint64_t begin, std::uint64_t end);
    void say_source(std::uint64_t begin, std::uint64_t end);
    void commands(const std::vector<std::uint32_t>& words);

    const CommandSet& command_set_;
    Origins memory_;
    std::set<std::uint64_t> host_writers_;
    std::vector<Origin> read_;  // by the last call
    RangeSet host_written_;
    RangeSet written_set_;
    RangeSet found_;
    std::uint64_t writers_{0U};
    std::vector<std::uint64_t> said_;
};

}  // namespace pianola::host
