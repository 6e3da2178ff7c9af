// DataFlow: what a sequence of calls computes, without the addresses in between.
//
// A capture uses it to tell that two turns of a program's loop are the same step although the program took new memory
// in each. Every operand is named by its writer - the number of the write in the sequence, and the place in the written
// bytes - or by its address if the sequence found it there. So two sequences with equal flows compute the same results
// from equal inputs and equal initial data, and leave the same data where they will read it again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "capture_host/base/range_map.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/host/capture/call_log.h"

namespace pianola::host {

// Bytes of a writer, or, without one, bytes at their address.
struct Origin {
    std::uint64_t writer{0U};  // 0: there at first
    std::uint64_t offset{0U};  // in the written bytes; without a writer, the address
    std::uint64_t bytes{0U};

    friend bool operator==(const Origin& left, const Origin& right) noexcept {
        return (left.writer == right.writer) && (left.offset == right.offset) && (left.bytes == right.bytes);
    }
};
// Appends; extends the last piece if the origin continues it.
void append(std::vector<Origin>& origins, const Origin& origin);

// The writer of every byte of device memory. Writers are numbers; each analysis defines their meaning.
class Origins {
  public:
    void write(std::uint64_t begin, std::uint64_t end, std::uint64_t writer, std::uint64_t offset) {
        bytes_.set(begin, end, {writer, offset - begin});
    }
    [[nodiscard]] std::vector<Origin> of(std::uint64_t begin, std::uint64_t end) const;

  private:
    struct Writer {
        std::uint64_t number{0U};
        std::uint64_t distance{0U};  // from a byte's address to its offset in the written bytes, modulo 2^64
    };
    RangeMap<Writer> bytes_;
};

// Appends the words of a command; operand addresses are only marked as such.
void append_command(WordSpan words, const CommandSet& command_set, std::vector<std::uint64_t>& description);
// Equal for two calls that differ only in addresses and data.
[[nodiscard]] std::vector<std::uint64_t> call_shape(const Call& call, const CommandSet& command_set);
// The words of a program or of an executed trace.
[[nodiscard]] const std::vector<std::uint32_t>& words_of(const Call& call);
// Calls visit(access, begin, end) for the runs of device memory that a call reads and writes, in order.
template <typename Visit>
void for_each_access(const Call& call, const CommandSet& command_set, Visit visit) {
    if (call.buffer != nullptr) {
        const Access access = (call.kind == CallKind::kRead) ? Access::kRead : Access::kWrite;
        for (const AddressRange& run : call.buffer->runs) {
            visit(access, std::uint64_t{run.address}, std::uint64_t{run.address} + run.bytes);
        }
    } else if (call.trace != nullptr) {
        (void)targets::for_each_access(command_set, words_of(call), visit);
    } else {
        // Events touch no memory.
    }
}

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
    [[nodiscard]] const RangeSet& read_first() const noexcept { return read_first_; }
    [[nodiscard]] const RangeSet& written() const noexcept { return written_set_; }
    // The writers of these bytes.
    [[nodiscard]] std::vector<Origin> origins_of(const RangeSet& bytes) const;
    // The first of these bytes that were last written by a program, and earlier by the host.
    [[nodiscard]] std::optional<ByteRange> recomputed(const RangeSet& bytes) const;

  private:
    static constexpr unsigned kWriterBits = 32U;  // of a writer's number in its call

    void read(std::uint64_t begin, std::uint64_t end);
    void write(std::uint64_t begin, std::uint64_t end);
    void describe_source(std::uint64_t begin, std::uint64_t end);

    const CommandSet& command_set_;
    Origins memory_;
    std::set<std::uint64_t> host_writers_;
    std::vector<Origin> read_;  // by the last call
    RangeSet host_written_;
    RangeSet written_set_;
    RangeSet read_first_;
    std::uint64_t writers_{0U};
    std::vector<std::uint64_t> description_;
};

}  // namespace pianola::host
