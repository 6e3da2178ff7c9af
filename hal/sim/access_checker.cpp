#include "hal/sim/access_checker.h"

#include <algorithm>
#include <cstring>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define PIANOLA_SIM_ASAN 1  // NOLINT(cppcoreguidelines-macro-usage): DEV-009
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PIANOLA_SIM_ASAN 1  // NOLINT(cppcoreguidelines-macro-usage): DEV-009
#endif
#endif
#if defined(PIANOLA_SIM_ASAN)
#include <sanitizer/asan_interface.h>
#endif

namespace pianola::sim {
namespace {

#if defined(PIANOLA_SIM_ASAN)
void close_memory(const std::uint8_t* first, std::size_t count) {
    __asan_poison_memory_region(first, count);
}
void open_memory(const std::uint8_t* first, std::size_t count) {
    __asan_unpoison_memory_region(first, count);
}
#else
void close_memory(const std::uint8_t* /*first*/, std::size_t /*count*/) {}
void open_memory(const std::uint8_t* /*first*/, std::size_t /*count*/) {}
#endif

// Bytes of an extent that lie in a memory, from `offset` on: a damaged trace may reach beyond its end.
std::size_t bytes_inside(const Extent& extent, std::size_t offset, const std::vector<std::uint8_t>& memory) {
    return std::min<std::size_t>(extent.size_bytes, memory.size() - offset);
}

}  // namespace

AccessChecker::AccessChecker(std::vector<Memory> memories) : memories_{std::move(memories)} {
    for (const Memory& memory : memories_) {
        snapshots_.push_back(*memory.bytes);
    }
}

AccessChecker::~AccessChecker() {
    guard(false);
}

void AccessChecker::guard(bool closed) {
    for (const Memory& memory : memories_) {
        if (closed) {
            close_memory(memory.bytes->data(), memory.bytes->size());
        } else {
            open_memory(memory.bytes->data(), memory.bytes->size());
        }
    }
}

void AccessChecker::open(const Extent& extent) {
    for (const Memory& memory : memories_) {
        const std::uint32_t offset = extent.address - memory.base;
        if ((extent.address >= memory.base) && (offset < memory.bytes->size())) {
            open_memory(memory.bytes->data() + offset, bytes_inside(extent, offset, *memory.bytes));
        }
    }
}

void AccessChecker::before(WordSpan words) {
    DecodeState state;
    DecodedCommand command;
    DecodeError error;
    extents_ = is_ok(command_set_.decode(words, state, command, error)) ? command.extents : ExtentList{};
    guard(true);
    // The processor reads the command's own words while it runs.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    open_memory(bytes, words.size() * sizeof(std::uint32_t));
    for (const Extent& extent : extents_.view()) {
        open(extent);
    }
}

void AccessChecker::after() {
    guard(false);
    // Bring the permitted writes into the snapshot; everything must then be equal.
    for (const Extent& extent : extents_.view()) {
        for (std::size_t i = 0U; i < memories_.size(); ++i) {
            const std::uint32_t offset = extent.address - memories_[i].base;
            if ((extent.access == Access::kWrite) && (extent.address >= memories_[i].base) &&
                (offset < snapshots_[i].size())) {
                std::memcpy(snapshots_[i].data() + offset, memories_[i].bytes->data() + offset,
                            bytes_inside(extent, offset, snapshots_[i]));
            }
        }
    }
    for (std::size_t i = 0U; i < memories_.size(); ++i) {
        if (snapshots_[i] != *memories_[i].bytes) {
            violations_ += 1U;
            snapshots_[i] = *memories_[i].bytes;
        }
    }
}

void AccessChecker::refresh() {
    for (std::size_t i = 0U; i < memories_.size(); ++i) {
        snapshots_[i] = *memories_[i].bytes;
    }
}

}  // namespace pianola::sim
