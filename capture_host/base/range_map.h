// RangeMap: a value for every byte of an address space.
//
// The bytes that operations, commands and calls have touched, and what each of these bytes holds. Ranges are split
// where a value changes, so a value must mean the same for each byte of its range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace pianola::host {

template <typename Value>
class RangeMap {
  public:
    // Gives the bytes of [begin, end) the value. An empty range changes nothing, here and below.
    void set(std::uint64_t begin, std::uint64_t end, Value value) {
        if (begin >= end) {
            return;
        }
        const auto first = cut(begin);
        const auto last = cut(end);
        values_.erase(std::next(first), last);
        first->second = std::move(value);
    }
    // Calls change(Value&) for each range of [begin, end), in order.
    template <typename Change>
    void update(std::uint64_t begin, std::uint64_t end, Change change) {
        if (begin >= end) {
            return;
        }
        const auto first = cut(begin);
        const auto last = cut(end);
        for (auto range = first; range != last; ++range) {
            change(range->second);
        }
    }
    // Calls visit(begin, end, const Value&) for each range of [begin, end), in order.
    template <typename Visit>
    void for_each(std::uint64_t begin, std::uint64_t end, Visit visit) const {
        for (auto range = std::prev(values_.upper_bound(begin)); begin < end; ++range) {
            const auto next = std::next(range);
            const std::uint64_t until = (next == values_.end()) ? end : std::min(next->first, end);
            visit(begin, until, range->second);
            begin = until;
        }
    }
    // Calls change(Value&) for all ranges, then joins neighbours with equal values.
    template <typename Change>
    void update_all(Change change) {
        auto last = values_.begin();
        change(last->second);
        for (auto range = std::next(last); range != values_.end();) {
            change(range->second);
            if (range->second == last->second) {
                range = values_.erase(range);
            } else {
                last = range++;
            }
        }
    }
    // The number of ranges.
    [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  private:
    using Values = std::map<std::uint64_t, Value>;

    // Makes a range begin at the address.
    typename Values::iterator cut(std::uint64_t address) {
        const auto range = std::prev(values_.upper_bound(address));
        return (range->first == address) ? range : values_.emplace_hint(std::next(range), address, range->second);
    }

    Values values_{{0U, Value{}}};  // each from its address up to the next one
};

}  // namespace pianola::host
