// The ROM with every kernel of kernels.inc.
//
// In a separate object: an image whose ROM has some of them defines these functions itself (`pianola embed --rom`), and
// then links neither this object nor the other kernels.
#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/kernels.h"

namespace pianola::refdev {
namespace {

constexpr std::array kKernels{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    Kernel{KernelId::enumerator,                                                          \
           version,                                                                       \
           name,                                                                          \
           kArgumentWords<arguments>,                                                     \
           words_of<arguments>(ArgumentRole::kAddress),                                   \
           words_of<arguments>(ArgumentRole::kValue),                                     \
           describe,                                                                      \
           work,                                                                          \
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

}  // namespace

Span<const Kernel> kernel_rom() noexcept {
    return kRom;
}

const Kernel* find_kernel(std::uint32_t id) noexcept {
    const std::uint32_t index = id - 1U;  // id 0 wraps to a large value: refused next
    return (index < kRom.size()) ? &kRom[index] : nullptr;
}

}  // namespace pianola::refdev
