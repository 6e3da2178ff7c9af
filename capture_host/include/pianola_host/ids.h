// Ids of the host API's objects.
//
// What the API hands out for things that live on a device. Each kind of object has a type of its own, so that one id
// cannot be passed for another. An id is never given twice by one process, not even after its object has gone.
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

// Of one program: an index in the order of adding.
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
