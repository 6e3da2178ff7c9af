// WriteBackCache: the application's memory as the device sees it, where caches are not coherent.
//
// Place in the whole: how missing and excess cache maintenance shows in tests. What a test has in its buffers is the
// cache; of every buffer that is lent to the device this keeps what memory holds. Host only.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola::sim {

class WriteBackCache {
  public:
    // Where the device finds `memory` in a slot.
    [[nodiscard]] ByteSpan lend_source(std::uint32_t slot, ByteSpan memory);
    [[nodiscard]] MutableByteSpan lend_destination(std::uint32_t slot, MutableByteSpan memory);
    // The other way round; what was not lent is its own.
    [[nodiscard]] ByteSpan lender_of(ByteSpan memory) const noexcept;

    // Of memory as the device finds it. Nothing where it was not lent.
    void clean(ByteSpan memory) noexcept;
    void invalidate(MutableByteSpan memory) noexcept;

  private:
    struct Loan {
        const std::uint8_t* source{nullptr};
        std::uint8_t* destination{nullptr};  // nullptr where the device only reads
        std::vector<std::uint8_t> memory;
        bool is_clean{false};
    };

    MutableByteSpan lend(std::shared_ptr<Loan>& slot, const std::uint8_t* source, std::uint8_t* destination,
                         std::size_t bytes);
    [[nodiscard]] Loan* find(const std::uint8_t* memory) const noexcept;

    std::array<std::shared_ptr<Loan>, kSourceSlots + kDestinationSlots> slots_{};
    std::deque<std::shared_ptr<Loan>> earlier_;  // so that maintenance of what was given back shows
};

}  // namespace pianola::sim
