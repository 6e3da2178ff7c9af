#include "hal/devices/refdev/kernels/kernel_library.h"

#include <cstring>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "pianola/bytes.h"
#include "pianola/sha256.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, compute) \
    Kernel{KernelId::enumerator,                                                    \
           version,                                                                 \
           name,                                                                    \
           kArgumentWords<arguments>,                                               \
           words_of<arguments>(ArgumentRole::kAddress),                             \
           words_of<arguments>(ArgumentRole::kValue),                               \
           describe,                                                                \
           compute},
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
};
// GCC places constants of deduced types in writable memory.
constexpr std::array<Kernel, kKernels.size()> kRom{kKernels};

// Id 1 comes first; no id is left out.
[[nodiscard]] constexpr bool is_without_gaps() noexcept {
    for (std::size_t i = 0U; i < kRom.size(); ++i) {
        if (static_cast<std::size_t>(kRom[i].id) != (i + 1U)) {
            return false;
        }
    }
    return true;
}
static_assert(is_without_gaps(), "find_kernel uses ids as indices");

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

void hash_words(Sha256& hash, const std::array<std::uint32_t, 3>& words) noexcept {
    std::array<std::uint8_t, sizeof(words)> bytes{};
    for (std::size_t i = 0U; i < words.size(); ++i) {
        store_le32(bytes, i * sizeof(std::uint32_t), words[i]);
    }
    hash.update(bytes);
}

}  // namespace

Span<const Kernel> kernel_rom() noexcept {
    return kRom;
}

const Kernel* find_kernel(std::uint32_t id) noexcept {
    const std::uint32_t index = id - 1U;  // id 0 wraps to a large value: refused next
    return (index < kRom.size()) ? &kRom[index] : nullptr;
}

void kernel_library_hash(std::array<std::uint8_t, 32>& hash) noexcept {
    Sha256 digest;
    hash_text(digest, kKernelLibraryName);
    hash_text(digest, kKernelLibraryRounding);
    for (const Kernel& kernel : kRom) {
        hash_words(digest, {static_cast<std::uint32_t>(kernel.id), kernel.version, kernel.argument_words});
        hash_text(digest, kernel.name);
    }
    hash = digest.finish();
}

}  // namespace pianola::refdev
