#include "hal/devices/refdev/sim/write_back_cache.h"

#include <algorithm>
#include <cstring>

namespace pianola::sim {
namespace {

constexpr std::uint8_t kStale = 0xDBU;  // contents of memory if all data is in the cache
constexpr std::size_t kEarlierLoans = 64U;

}  // namespace

MutableByteSpan WriteBackCache::lend(std::shared_ptr<Loan>& slot, const std::uint8_t* source, std::uint8_t* destination,
                                     std::size_t bytes) {
    if (slot) {
        earlier_.push_back(slot);
    }
    if (earlier_.size() > kEarlierLoans) {
        earlier_.pop_front();
    }
    slot = std::make_shared<Loan>();
    slot->source = source;
    slot->destination = destination;
    slot->memory.assign(bytes, kStale);
    return {slot->memory.data(), bytes};
}

ByteSpan WriteBackCache::lend_source(std::uint32_t slot, ByteSpan memory) {
    return ((slot < kSourceSlots) && !memory.empty())
               ? ByteSpan{lend(slots_.at(slot), memory.data(), nullptr, memory.size())}
               : memory;
}

MutableByteSpan WriteBackCache::lend_destination(std::uint32_t slot, MutableByteSpan memory) {
    return ((slot < kDestinationSlots) && !memory.empty())
               ? lend(slots_.at(kSourceSlots + slot), memory.data(), memory.data(), memory.size())
               : memory;
}

WriteBackCache::Loan* WriteBackCache::find(const std::uint8_t* memory) const noexcept {
    const auto is_it = [memory](const std::shared_ptr<Loan>& loan) { return loan && (loan->memory.data() == memory); };
    const auto* const current = std::find_if(slots_.begin(), slots_.end(), is_it);
    if (current != slots_.end()) {
        return current->get();
    }
    const auto earlier = std::find_if(earlier_.begin(), earlier_.end(), is_it);
    return (earlier == earlier_.end()) ? nullptr : earlier->get();
}

ByteSpan WriteBackCache::lender_of(ByteSpan memory) const noexcept {
    const Loan* const loan = memory.empty() ? nullptr : find(memory.data());
    return (loan == nullptr) ? memory : ByteSpan{loan->source, memory.size()};
}

void WriteBackCache::clean(ByteSpan memory) noexcept {
    Loan* const loan = memory.empty() ? nullptr : find(memory.data());
    if (loan != nullptr) {
        std::memcpy(loan->memory.data(), loan->source, loan->memory.size());
        loan->is_clean = true;
    }
}

// Lines that were never cleaned are written back at the worst moment: over what the device has written. All others are
// dropped.
void WriteBackCache::invalidate(MutableByteSpan memory) noexcept {
    Loan* const loan = memory.empty() ? nullptr : find(memory.data());
    if ((loan != nullptr) && (loan->destination != nullptr) && loan->is_clean) {
        std::memcpy(loan->destination, loan->memory.data(), loan->memory.size());
    }
}

}  // namespace pianola::sim
