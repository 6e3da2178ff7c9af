#include "hal/kernels/kernel_library.h"

#include <cstring>

#include "hal/kernels/argument_words.h"
#include "hal/kernels/kernels.h"
#include "pianola/sha256.h"

namespace pianola::refdev {
namespace {

// An entry of the ROM whose launches carry Arguments.
template <typename Arguments>
[[nodiscard]] constexpr Kernel entry(KernelId id, std::uint32_t version, const char* name,
                                     decltype(Kernel::describe) describe, decltype(Kernel::run) run) noexcept {
    return Kernel{id,
                  version,
                  name,
                  kArgumentWords<Arguments>,
                  words_of<Arguments>(ArgumentRole::kAddress),
                  words_of<Arguments>(ArgumentRole::kValue),
                  describe,
                  run};
}

constexpr std::array<Kernel, 26> kRom{{
    entry<FullyConnectedArguments>(KernelId::kFullyConnected, 1U, "fully_connected", describe_fully_connected,
                                   run_fully_connected),
    entry<Conv2dArguments>(KernelId::kConv2d, 1U, "conv2d", describe_conv2d, run_conv2d),
    entry<DepthwiseConv2dArguments>(KernelId::kDepthwiseConv2d, 1U, "depthwise_conv2d", describe_depthwise_conv2d,
                                    run_depthwise_conv2d),
    entry<Pool2dArguments>(KernelId::kAveragePool2d, 1U, "average_pool2d", describe_pool2d, run_average_pool2d),
    entry<Pool2dArguments>(KernelId::kMaxPool2d, 1U, "max_pool2d", describe_pool2d, run_max_pool2d),
    entry<MeanArguments>(KernelId::kMean, 1U, "mean", describe_mean, run_mean),
    entry<AddArguments>(KernelId::kAdd, 1U, "add", describe_add, run_add),
    entry<SoftmaxArguments>(KernelId::kSoftmax, 1U, "softmax", describe_softmax, run_softmax),
    entry<RequantizeArguments>(KernelId::kRequantize, 1U, "requantize", describe_requantize, run_requantize),
    entry<PadArguments>(KernelId::kPad, 2U, "pad", describe_pad, run_pad),
    entry<CopyArguments>(KernelId::kCopy, 1U, "copy", describe_copy, run_copy),
    entry<FillArguments>(KernelId::kFill, 1U, "fill", describe_fill, run_fill),
    entry<GatherArguments>(KernelId::kGather, 1U, "gather", describe_gather, run_gather),
    entry<UnaryArguments>(KernelId::kUnary, 1U, "unary", describe_unary, run_unary),
    entry<BinaryArguments>(KernelId::kBinary, 1U, "binary", describe_binary, run_binary),
    entry<MatmulArguments>(KernelId::kMatmul, 1U, "matmul", describe_matmul, run_matmul),
    entry<ReduceArguments>(KernelId::kReduce, 1U, "reduce", describe_reduce, run_reduce),
    entry<SemaphoreArguments>(KernelId::kSemaphore, 1U, "semaphore", describe_semaphore, run_semaphore),
    entry<ViewArguments>(KernelId::kView, 1U, "view", describe_view, run_view),
    entry<TakeArguments>(KernelId::kTake, 1U, "take", describe_take, run_take),
    entry<LookupArguments>(KernelId::kLookup, 1U, "lookup", describe_lookup, run_lookup),
    entry<QuantizedBinaryArguments>(KernelId::kQuantizedBinary, 1U, "quantized_binary", describe_quantized_binary,
                                    run_quantized_binary),
    entry<SelectArguments>(KernelId::kSelect, 1U, "select", describe_select, run_select),
    entry<QuantizeArguments>(KernelId::kQuantize, 1U, "quantize", describe_quantize, run_quantize),
    entry<DequantizeArguments>(KernelId::kDequantize, 1U, "dequantize", describe_dequantize, run_dequantize),
    entry<RescaleArguments>(KernelId::kRescale, 1U, "rescale", describe_rescale, run_rescale),
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
