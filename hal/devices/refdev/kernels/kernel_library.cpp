#include "hal/devices/refdev/kernels/kernel_library.h"

#include <cstring>

#include "pianola/sha256.h"

namespace pianola::refdev {
namespace {

// Includes the terminating NUL; in pieces, because each call of the digest costs as much as several bytes.
void hash_text(Sha256& hash, const char* text) noexcept {
    std::array<std::uint8_t, 32> piece{};
    const std::size_t size_bytes = std::strlen(text) + 1U;  // NOLINT(pianola-misra-21.2.2): DEV-062
    std::size_t used = 0U;
    for (std::size_t i = 0U; i < size_bytes; ++i) {
        piece[used] = static_cast<std::uint8_t>(text[i]);  // NOLINT(pianola-misra-7.0.3): DEV-061
        used += 1U;
        if ((used == piece.size()) || ((i + 1U) == size_bytes)) {
            hash.update(ByteSpan{piece.data(), used});
            used = 0U;
        }
    }
}

}  // namespace

void kernel_library_hash(std::array<std::uint8_t, 32>& hash) noexcept {
    Sha256 digest;
    hash_text(digest, kKernelLibraryName);
    hash_text(digest, kKernelLibraryRounding);
    hash = digest.finish();
}

}  // namespace pianola::refdev
