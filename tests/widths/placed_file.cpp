#include "tests/widths/placed_file.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace pianola::test {
namespace {

constexpr std::size_t kAlignment = 64U;
constexpr std::size_t kLargest = std::size_t{96U} << 20U;  // the longest mutant is one that no capacity profile takes
constexpr std::size_t kSmall = std::size_t{64U} << 10U;    // fits above most stacks

}  // namespace

Places::Arena Places::take(std::uint64_t first, std::size_t bytes, bool at_end) {
    const auto address = static_cast<std::uintptr_t>(first);
    void* wanted = nullptr;
    std::memcpy(static_cast<void*>(&wanted), &address, sizeof(wanted));
    void* const memory =
        mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory == MAP_FAILED) {
        return {};
    }
    if (memory != wanted) {  // an old kernel takes the address for a wish
        static_cast<void>(munmap(memory, bytes));
        return {};
    }
    return {static_cast<std::uint8_t*>(memory), bytes, at_end};
}

// The highest addresses that are free: the stack may lie there.
Places::Arena Places::take_highest(std::size_t bytes) {
    constexpr std::uint64_t kStep = 0x1'0000U;
    Arena arena;
    for (std::uint64_t end = kHighestEnd; (arena.begin == nullptr) && (end > 0xE000'0000U); end -= kStep) {
        arena = take(end - bytes, bytes, true);
    }
    return arena;
}

Places::Places() {
    constexpr std::uint64_t kLow = 0x0020'0000U;
    constexpr std::uint64_t kSignChanges = 0x8000'0000U;
    arenas_ = {take(kLow, kLargest, true), take(kSignChanges - (kLargest / 2U), kLargest, false)};
    if constexpr (sizeof(void*) > sizeof(std::uint32_t)) {
        constexpr std::uint64_t kBehindWords = 0x1'0000'0000U;
        arenas_.push_back(take(kBehindWords - (kSmall / 2U), kSmall, false));
    } else {
        arenas_.push_back(take_highest(kSmall));
    }
    for (const Arena& arena : arenas_) {
        if (arena.begin == nullptr) {
            throw std::runtime_error{"the system gives no memory where a place has to be: " + describe()};
        }
    }
}

Places::~Places() {
    for (const Arena& arena : arenas_) {
        static_cast<void>(munmap(arena.begin, arena.bytes));
    }
}

std::string Places::describe() const {
    std::ostringstream text;
    for (const Arena& arena : arenas_) {
        const void* const begin = arena.begin;
        text << " " << arena.bytes << " bytes at " << begin;
    }
    return text.str();
}

std::vector<ByteSpan> Places::put(const std::vector<std::uint8_t>& bytes, std::size_t shift) {
    std::vector<ByteSpan> views;
    const std::size_t room = ((bytes.size() + shift + kAlignment - 1U) / kAlignment) * kAlignment;
    for (const Arena& arena : arenas_) {
        if (room > arena.bytes) {
            continue;
        }
        const std::size_t half = ((arena.bytes - room) / (2U * kAlignment)) * kAlignment;
        const std::size_t start = (arena.at_end ? (arena.bytes - room) : half) + shift;
        std::copy(bytes.begin(), bytes.end(), arena.begin + start);
        views.emplace_back(arena.begin + start, bytes.size());
    }
    if (views.empty()) {
        throw std::runtime_error{"a file is longer than every place"};
    }
    return views;
}

}  // namespace pianola::test
