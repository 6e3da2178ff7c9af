// Ids of the host API's objects.
//
// The API gives ids to objects on a device. Each kind of object has its own id type, so that one id cannot be passed
// for another. One process never gives an id twice, not even after its object was destroyed.
#pragma once

#include <cstdint>

namespace pianola::host {

template <typename Tag>
struct Id {
    std::uint64_t value{0U};  // 0: no object

    [[nodiscard]] bool valid() const noexcept { return value != 0U; }
    friend bool operator==(Id left, Id right) noexcept { return left.value == right.value; }
    friend bool operator!=(Id left, Id right) noexcept { return left.value != right.value; }
    friend bool operator<(Id left, Id right) noexcept { return left.value < right.value; }
};

using BufferId = Id<struct BufferTag>;
using ProgramId = Id<struct ProgramTag>;
using EventId = Id<struct EventTag>;
using TraceId = Id<struct TraceTag>;

// An index in one program, in the order of adding.
struct KernelHandle {
    std::uint32_t index{0U};
};
struct CircularBufferHandle {
    std::uint32_t index{0U};
};
struct SemaphoreHandle {
    std::uint32_t index{0U};
};

}  // namespace pianola::host
