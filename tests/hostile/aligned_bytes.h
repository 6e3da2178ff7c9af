// A file in memory of exactly its size, where the runtime accepts it.
//
// files::AlignedBytes rounds up; here AddressSanitizer must see the first byte behind the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "pianola/span.h"

namespace pianola::test {

template <typename T>
struct FileAllocator {
    using value_type = T;
    static constexpr std::align_val_t kAlignment{64U};

    [[nodiscard]] T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
    }
    void deallocate(T* memory, std::size_t /*count*/) noexcept { ::operator delete(memory, kAlignment); }
    bool operator==(const FileAllocator& /*other*/) const noexcept { return true; }
    bool operator!=(const FileAllocator& /*other*/) const noexcept { return false; }
};

using ExactBytes = std::vector<std::uint8_t, FileAllocator<std::uint8_t>>;

inline ByteSpan view_of(const ExactBytes& bytes) {
    return {bytes.data(), bytes.size()};
}

}  // namespace pianola::test
