// WriteBackCache: the application's memory as the device sees it, where caches are not coherent.
//
// Detects missing and superfluous cache maintenance in tests. A test's buffers are the cache; for every buffer that is
// lent to the device this keeps the contents of memory.
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
    // The device's copy of `memory` in a slot.
    [[nodiscard]] ByteSpan lend_source(std::uint32_t slot, ByteSpan memory);
    [[nodiscard]] MutableByteSpan lend_destination(std::uint32_t slot, MutableByteSpan memory);
    // The reverse conversion; memory that was not lent maps to itself.
    [[nodiscard]] ByteSpan lender_of(ByteSpan memory) const noexcept;

    // For the device's copy. No effect if it was not lent.
    void clean(ByteSpan memory) noexcept;
    void invalidate(MutableByteSpan memory) noexcept;

  private:
    struct Loan {
        const std::uint8_t* source{nullptr};
        std::uint8_t* destination{nullptr};  // nullptr if the device only reads
        std::vector<std::uint8_t> memory;
        bool is_clean{false};
    };

    MutableByteSpan lend(std::shared_ptr<Loan>& slot, const std::uint8_t* source, std::uint8_t* destination,
                         std::size_t bytes);
    [[nodiscard]] Loan* find(const std::uint8_t* memory) const noexcept;

    std::array<std::shared_ptr<Loan>, kSourceSlots + kDestinationSlots> slots_{};
    std::deque<std::shared_ptr<Loan>> earlier_;  // so that maintenance of returned memory is detected
};

}  // namespace pianola::sim
