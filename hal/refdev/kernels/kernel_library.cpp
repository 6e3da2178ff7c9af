#include "hal/refdev/kernels/kernel_library.h"

#include <cstring>

#include "hal/refdev/kernels/add.h"
#include "hal/refdev/kernels/arguments.h"
#include "hal/refdev/kernels/average_pool2d.h"
#include "hal/refdev/kernels/conv2d.h"
#include "hal/refdev/kernels/depthwise_conv2d.h"
#include "hal/refdev/kernels/fully_connected.h"
#include "hal/refdev/kernels/max_pool2d.h"
#include "hal/refdev/kernels/mean.h"
#include "hal/refdev/kernels/pad.h"
#include "hal/refdev/kernels/pool2d.h"
#include "hal/refdev/kernels/requantize.h"
#include "hal/refdev/kernels/softmax.h"
#include "runtime/digest/sha256.h"

namespace pianola::refdev {
namespace {

constexpr std::array<Kernel, 10> kRom{{
    {KernelId::kFullyConnected, 1U, "fully_connected", kArgumentWords<FullyConnectedArguments>, 0U, 0U,
     describe_fully_connected, run_fully_connected},
    {KernelId::kConv2d, 1U, "conv2d", kArgumentWords<Conv2dArguments>, 0U, 0U, describe_conv2d, run_conv2d},
    {KernelId::kDepthwiseConv2d, 1U, "depthwise_conv2d", kArgumentWords<DepthwiseConv2dArguments>, 0U, 0U,
     describe_depthwise_conv2d, run_depthwise_conv2d},
    {KernelId::kAveragePool2d, 1U, "average_pool2d", kArgumentWords<Pool2dArguments>, 0U, 0U, describe_pool2d,
     run_average_pool2d},
    {KernelId::kMaxPool2d, 1U, "max_pool2d", kArgumentWords<Pool2dArguments>, 0U, 0U, describe_pool2d, run_max_pool2d},
    {KernelId::kMean, 1U, "mean", kArgumentWords<MeanArguments>, 0U, 0U, describe_mean, run_mean},
    {KernelId::kAdd, 1U, "add", kArgumentWords<AddArguments>, 0U, 0U, describe_add, run_add},
    {KernelId::kSoftmax, 1U, "softmax", kArgumentWords<SoftmaxArguments>, 0U, 0U, describe_softmax, run_softmax},
    {KernelId::kRequantize, 1U, "requantize", kArgumentWords<RequantizeArguments>, 0U, 0U, describe_requantize,
     run_requantize},
    {KernelId::kPad, 1U, "pad", kArgumentWords<PadArguments>, 0U, 0U, describe_pad, run_pad},
}};

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

void hash_text(Sha256& hash, const char* text) noexcept {
    const std::size_t size_bytes = std::strlen(text) + 1U;
    for (std::size_t i = 0U; i < size_bytes; ++i) {
        hash.update(std::array<std::uint8_t, 1>{static_cast<std::uint8_t>(text[i])});
    }
}

void hash_word(Sha256& hash, std::uint32_t word) noexcept {
    const std::array<std::uint8_t, 4> bytes{
        static_cast<std::uint8_t>(word & 0xFFU), static_cast<std::uint8_t>((word >> 8U) & 0xFFU),
        static_cast<std::uint8_t>((word >> 16U) & 0xFFU), static_cast<std::uint8_t>((word >> 24U) & 0xFFU)};
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
        hash_word(digest, static_cast<std::uint32_t>(kernel.id));
        hash_word(digest, kernel.version);
        hash_word(digest, kernel.argument_words);
        hash_text(digest, kernel.name);
    }
    hash = digest.finish();
}

}  // namespace pianola::refdev
