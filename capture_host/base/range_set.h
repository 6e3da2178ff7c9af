// RangeSet: a set of bytes as sorted, disjoint ranges.
//
// The bytes that programs and traces touch, and that allocations must avoid; also a set of times, in cycles.
#pragma once

#include <cstdint>
#include <vector>

namespace pianola::host {

struct ByteRange {
    std::uint64_t begin{0U};
    std::uint64_t end{0U};  // one past the last

    friend bool operator==(const ByteRange& left, const ByteRange& right) noexcept {
        return (left.begin == right.begin) && (left.end == right.end);
    }
};

class RangeSet {
  public:
    void add(std::uint64_t begin, std::uint64_t end);
    void add(const ByteRange& range) { add(range.begin, range.end); }
    void add(const RangeSet& other);
    void remove(std::uint64_t begin, std::uint64_t end);
    [[nodiscard]] bool intersects(std::uint64_t begin, std::uint64_t end) const;
    [[nodiscard]] bool intersects(const ByteRange& range) const { return intersects(range.begin, range.end); }
    [[nodiscard]] bool intersects(const RangeSet& other) const;
    [[nodiscard]] bool contains(std::uint64_t begin, std::uint64_t end) const;
    // The bytes of [begin, end) that are not in the set.
    [[nodiscard]] std::vector<ByteRange> missing(std::uint64_t begin, std::uint64_t end) const;
    [[nodiscard]] RangeSet common(const RangeSet& other) const;
    // Number of bytes in the set, in the set within [begin, end), and in both sets.
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] std::uint64_t size_in(std::uint64_t begin, std::uint64_t end) const;
    [[nodiscard]] std::uint64_t common_bytes(const RangeSet& other) const { return common(other).size(); }
    [[nodiscard]] const std::vector<ByteRange>& ranges() const noexcept { return ranges_; }
    [[nodiscard]] bool empty() const noexcept { return ranges_.empty(); }
    void clear() noexcept { ranges_.clear(); }

  private:
    std::vector<ByteRange> ranges_;
};

}  // namespace pianola::host
