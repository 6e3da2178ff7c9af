// DataFlow: what a sequence of calls computes, without the addresses in between.
//
// A capture uses it to tell that two turns of a program's loop are the same step although the program took new memory
// in each. Every operand is named by its writer - the number of the write in the sequence, and the place in the written
// bytes - or by its address if the sequence found it there. So two sequences with equal flows compute the same results
// from equal inputs and equal found data, and leave the same data where they will read it again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "capture_host/host/capture/origins.h"

namespace pianola::host {

// Appends the words of a command; operand addresses are only marked as such.
void say_command(WordSpan words, const CommandSet& command_set, std::vector<std::uint64_t>& said);
// Equal for two calls that differ only in addresses and data.
[[nodiscard]] std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set);
// The words of a program or of an executed trace.
[[nodiscard]] const std::vector<std::uint32_t>& words_of(const Call& call);

class DataFlow {
  public:
    explicit DataFlow(const CommandSet& command_set) : command_set_{command_set} {}

    void add(const Call& call);
    // The same, but writers are named by their call's number, so that sequences of the same calls in another order can
    // be compared. Returns what the call reads.
    [[nodiscard]] std::vector<Origin> add_named(const Call& call);
    [[nodiscard]] static std::uint64_t call_of(std::uint64_t writer) noexcept { return writer >> kWriterBits; }
    // Compares equal if the flows are equal; the sequence ends here.
    [[nodiscard]] std::vector<std::uint64_t> end();
    // The bytes that are read before they are written.
    [[nodiscard]] const RangeSet& found() const noexcept { return found_; }
    [[nodiscard]] const RangeSet& written() const noexcept { return written_set_; }
    // The writers of these bytes.
    [[nodiscard]] std::vector<Origin> origins_of(const RangeSet& bytes) const;
    // The first of these bytes that were last written by a program, and earlier by the host.
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
