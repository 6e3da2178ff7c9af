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

    void add(const Call& call);
    // Compares equal where the flows are; the sequence ends here.
    [[nodiscard]] std::vector<std::uint64_t> end();
    // Read before it was written.
    [[nodiscard]] const RangeSet& found() const noexcept { return found_; }
    // The first of these bytes that a program was the last to write, and the host some time before.
    [[nodiscard]] std::optional<ByteRange> recomputed(const RangeSet& bytes) const;

  private:
    struct Written {
        std::uint64_t end{0U};
        std::uint64_t writer{0U};
        std::uint64_t offset{0U};
    };

    void read(std::uint64_t begin, std::uint64_t end);
    void write(std::uint64_t begin, std::uint64_t end);
    void say_source(std::uint64_t begin, std::uint64_t end);
    void commands(const std::vector<std::uint32_t>& words);

    const CommandSet& command_set_;
    std::map<std::uint64_t, Written> written_;  // by first address
    std::set<std::uint64_t> host_writers_;
    RangeSet host_written_;
    RangeSet written_set_;
    RangeSet found_;
    std::uint64_t writers_{0U};
    std::vector<std::uint64_t> said_;
};

}  // namespace pianola::host
