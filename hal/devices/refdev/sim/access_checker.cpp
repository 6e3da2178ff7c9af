#include "hal/devices/refdev/sim/access_checker.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "hal/devices/refdev/command_encoding.h"

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

// Calls `use` with the parts of an extent that are in memories: a damaged trace may reach beyond their ends.
template <typename Watched, typename Use>
void for_each_part(std::vector<Watched>& all, const Extent& extent, Use use) {
    for (Watched& watched : all) {
        const std::uint32_t offset = extent.address - watched.memory.base;
        const std::size_t size = watched.snapshot.size();
        if ((extent.address >= watched.memory.base) && (offset < size)) {
            use(watched, std::size_t{offset}, std::min<std::size_t>(extent.size_bytes, size - offset));
        }
    }
}

}  // namespace

AccessChecker::AccessChecker(const std::vector<Memory>& memories, const refdev::CostModel& costs)
    : command_set_{costs} {
    for (const Memory& memory : memories) {
        watched_.push_back({memory, *memory.bytes});
    }
}

AccessChecker::~AccessChecker() {
    guard(false);
}

void AccessChecker::guard(bool closed) {
    for (const Watched& watched : watched_) {
        if (closed) {
            close_memory(watched.memory.bytes->data(), watched.memory.bytes->size());
        } else {
            open_memory(watched.memory.bytes->data(), watched.memory.bytes->size());
        }
    }
}

void AccessChecker::compare(Watched& watched, std::size_t offset, std::size_t count) {
    const std::uint8_t* const now = watched.memory.bytes->data() + offset;
    std::uint8_t* const before = watched.snapshot.data() + offset;
    if (std::memcmp(now, before, count) != 0) {
        violations_ += 1U;
        std::memcpy(before, now, count);
    }
}

// A trace command that cannot be decoded may touch nothing.
void AccessChecker::find_extents(WordSpan words) {
    extents_ = ExtentList{};
    const auto opcode = static_cast<refdev::Opcode>(words[0] & refdev::kOpcodeMask);
    if ((opcode == refdev::Opcode::kWrite) || (opcode == refdev::Opcode::kRead)) {
        const Access access = (opcode == refdev::Opcode::kWrite) ? Access::kWrite : Access::kRead;
        static_cast<void>(extents_.add(words[1], words[2], access, "memory"));
        return;
    }
    DecodeState state;
    DecodedCommand command;
    DecodeError error;
    if (is_ok(command_set_.decode(words, state, command, error))) {
        extents_ = command.extents;
    }
}

void AccessChecker::begin_command(WordSpan words, bool is_of_trace) {
    if (is_between_steps_) {
        refresh();
        is_between_steps_ = false;
    }
    find_extents(words);
    for (const Extent& extent : extents_.view()) {
        for_each_part(watched_, extent, [this](Watched& watched, std::size_t offset, std::size_t count) {
            compare(watched, offset, count);
        });
    }
    if (!is_of_trace) {
        return;
    }
    guard(true);
    // The processor reads the command's own words while it runs.
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    open_memory(bytes, words.size() * sizeof(std::uint32_t));
    for (const Extent& extent : extents_.view()) {
        for_each_part(watched_, extent, [](const Watched& watched, std::size_t offset, std::size_t count) {
            open_memory(watched.memory.bytes->data() + offset, count);
        });
    }
}

void AccessChecker::end_command() {
    guard(false);
    for (const Extent& extent : extents_.view()) {
        if (extent.access == Access::kWrite) {
            for_each_part(watched_, extent, [](Watched& watched, std::size_t offset, std::size_t count) {
                std::memcpy(watched.snapshot.data() + offset, watched.memory.bytes->data() + offset, count);
            });
        }
    }
}

void AccessChecker::end_step() {
    for (Watched& watched : watched_) {
        compare(watched, 0U, watched.snapshot.size());
    }
    is_between_steps_ = true;
}

void AccessChecker::refresh() {
    for (Watched& watched : watched_) {
        watched.snapshot = *watched.memory.bytes;
    }
}

void AccessChecker::refresh(ByteSpan part) {
    for (Watched& watched : watched_) {
        const std::uint8_t* const first = watched.memory.bytes->data();
        if (std::greater_equal<>{}(part.data(), first) && std::less<>{}(part.data(), first + watched.snapshot.size())) {
            std::memcpy(watched.snapshot.data() + (part.data() - first), part.data(), part.size());
        }
    }
}

}  // namespace pianola::sim
