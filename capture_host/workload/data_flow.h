// DataFlow: what a sequence of calls computes, without the addresses in between.
//
// Place in the whole: how a capture tells that two turns of a program's loop are the same step although the program
// took new memory in each. Every operand that is read is named by what wrote it - the number of the write in the
// sequence, and the place in what was written - or by its address where the sequence found it there. So two sequences
// with equal flows compute the same of what they are given and of what they find, and leave the same behind where they
// will look again. Internal to the host API.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "capture_host/workload/call_log.h"

namespace pianola::host {

// Equal for two calls that differ in addresses and in data alone.
[[nodiscard]] std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set);

class DataFlow {
  public:
    explicit DataFlow(const CommandSet& command_set) : command_set_{command_set} {}

    // Where bytes that are read come from: the n-th byte that a writer wrote, or, of none, from its address.
    struct Source {
        std::uint64_t writer{0U};  // 0: what was there at first
        std::uint64_t offset{0U};
        std::uint64_t bytes{0U};

        friend bool operator==(const Source& left, const Source& right) noexcept {
            return (left.writer == right.writer) && (left.offset == right.offset) && (left.bytes == right.bytes);
        }
    };

    void add(const Call& call);
    // The same; the writers are named by their call's number, so that sequences of the same calls in another order
    // compare. What the call reads.
    [[nodiscard]] std::vector<Source> add_named(const Call& call);
    [[nodiscard]] static std::uint64_t call_of(std::uint64_t writer) noexcept { return writer >> kWriterBits; }
    // Whether the host has read what depends on what it wrote in this sequence.
    [[nodiscard]] bool answers() const noexcept { return answers_; }
    // Compares equal where the flows are; the sequence ends here.
    [[nodiscard]] std::vector<std::uint64_t> end();
    // Read before it was written.
    [[nodiscard]] const RangeSet& found() const noexcept { return found_; }
    // The first of these bytes that a program was the last to write, and the host some time before.
    [[nodiscard]] std::optional<ByteRange> recomputed(const RangeSet& bytes) const;

  private:
    static constexpr unsigned kWriterBits = 32U;  // of a writer's number in its call

    struct Written {
        std::uint64_t end{0U};
        std::uint64_t writer{0U};
        std::uint64_t offset{0U};
    };

    void read(std::uint64_t begin, std::uint64_t end);
    void write(std::uint64_t begin, std::uint64_t end);
    [[nodiscard]] std::vector<Source> sources(std::uint64_t begin, std::uint64_t end) const;
    void say_source(std::uint64_t begin, std::uint64_t end);
    void commands(const std::vector<std::uint32_t>& words);

    const CommandSet& command_set_;
    std::map<std::uint64_t, Written> written_;  // by first address
    std::set<std::uint64_t> host_writers_;
    std::set<std::uint64_t> given_;  // writers of what depends on what the host wrote
    std::vector<Source> read_;       // by the last call
    RangeSet host_written_;
    RangeSet written_set_;
    RangeSet found_;
    std::uint64_t writers_{0U};
    bool reads_given_{false};  // the last command, or transfer
    bool answers_{false};
    std::vector<std::uint64_t> said_;
};

}  // namespace pianola::host
