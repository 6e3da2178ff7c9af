// Origins: the writer of every byte of device memory.
//
// Used by the analyses of a capture that walk its calls. Writers are numbers; each analysis defines their meaning.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "pianola/command_set.h"

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

class Origins {
  public:
    void write(std::uint64_t begin, std::uint64_t end, std::uint64_t writer, std::uint64_t offset);
    [[nodiscard]] std::vector<Origin> of(std::uint64_t begin, std::uint64_t end) const;

    struct Written {
        std::uint64_t end{0U};
        std::uint64_t writer{0U};
        std::uint64_t offset{0U};
    };
    [[nodiscard]] const std::map<std::uint64_t, Written>& by_address() const noexcept { return written_; }

  private:
    std::map<std::uint64_t, Written> written_;  // by first address
};

// Calls visit(begin, end) for the runs of bytes of an extent. Runs that touch are one.
template <typename Visit>
void for_each_run(const Extent& extent, Visit visit) {
    const bool is_dense = extent.inner.stride_bytes == extent.size_bytes;
    const std::uint64_t bytes = std::uint64_t{extent.size_bytes} * (is_dense ? extent.inner.count : 1U);
    for (std::uint64_t i = 0U; i < extent.outer.count; ++i) {
        for (std::uint64_t k = 0U; k < (is_dense ? 1U : extent.inner.count); ++k) {
            const std::uint64_t begin =
                extent.address + (i * extent.outer.stride_bytes) + (k * extent.inner.stride_bytes);
            visit(begin, begin + bytes);
        }
    }
}

}  // namespace pianola::host
