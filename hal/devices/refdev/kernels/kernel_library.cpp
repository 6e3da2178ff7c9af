#include "hal/devices/refdev/kernels/kernel_library.h"

#include <cstring>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "hal/devices/refdev/kernels/kernels.h"
#include "pianola/bytes.h"
#include "pianola/sha256.h"

namespace pianola::refdev {
namespace {

// An entry of the ROM whose launches carry Arguments.
template <typename Arguments>
[[nodiscard]] constexpr Kernel entry(KernelId id, std::uint32_t version, const char* name,
                                     decltype(Kernel::describe) describe, decltype(Kernel::compute) compute) noexcept {
    return Kernel{id,
                  version,
                  name,
                  kArgumentWords<Arguments>,
                  words_of<Arguments>(ArgumentRole::kAddress),
                  words_of<Arguments>(ArgumentRole::kValue),
                  describe,
                  compute};
}

constexpr std::array<Kernel, 37> kRom{{
    entry<FullyConnectedArguments>(KernelId::kFullyConnected, 1U, "fully_connected", describe_fully_connected,
                                   compute_fully_connected),
    entry<Conv2dArguments>(KernelId::kConv2d, 1U, "conv2d", describe_conv2d, compute_conv2d),
    entry<DepthwiseConv2dArguments>(KernelId::kDepthwiseConv2d, 1U, "depthwise_conv2d", describe_depthwise_conv2d,
                                    compute_depthwise_conv2d),
    entry<Pool2dArguments>(KernelId::kAveragePool2d, 2U, "average_pool2d", describe_pool2d, compute_average_pool2d),
    entry<Pool2dArguments>(KernelId::kMaxPool2d, 2U, "max_pool2d", describe_pool2d, compute_max_pool2d),
    entry<MeanArguments>(KernelId::kMean, 2U, "mean", describe_mean, compute_mean),
    entry<AddArguments>(KernelId::kAdd, 1U, "add", describe_add, compute_add),
    entry<SoftmaxArguments>(KernelId::kSoftmax, 2U, "softmax", describe_softmax, compute_softmax),
    entry<RequantizeArguments>(KernelId::kRequantize, 1U, "requantize", describe_requantize, compute_requantize),
    entry<PadArguments>(KernelId::kPad, 2U, "pad", describe_pad, compute_pad),
    entry<CopyArguments>(KernelId::kCopy, 1U, "copy", describe_copy, compute_copy),
    entry<FillArguments>(KernelId::kFill, 1U, "fill", describe_fill, compute_fill),
    entry<GatherArguments>(KernelId::kGather, 1U, "gather", describe_gather, compute_gather),
    entry<UnaryArguments>(KernelId::kUnary, 1U, "unary", describe_unary, compute_unary),
    entry<BinaryArguments>(KernelId::kBinary, 1U, "binary", describe_binary, compute_binary),
    entry<MatmulArguments>(KernelId::kMatmul, 1U, "matmul", describe_matmul, compute_matmul),
    entry<ReduceArguments>(KernelId::kReduce, 1U, "reduce", describe_reduce, compute_reduce),
    entry<SemaphoreArguments>(KernelId::kSemaphore, 1U, "semaphore", describe_semaphore, compute_semaphore),
    entry<ViewArguments>(KernelId::kView, 1U, "view", describe_view, compute_view),
    entry<TakeArguments>(KernelId::kTake, 1U, "take", describe_take, compute_take),
    entry<LookupArguments>(KernelId::kLookup, 1U, "lookup", describe_lookup, compute_lookup),
    entry<QuantizedBinaryArguments>(KernelId::kQuantizedBinary, 1U, "quantized_binary", describe_quantized_binary,
                                    compute_quantized_binary),
    entry<SelectArguments>(KernelId::kSelect, 1U, "select", describe_select, compute_select),
    entry<QuantizeArguments>(KernelId::kQuantize, 1U, "quantize", describe_quantize, compute_quantize),
    entry<DequantizeArguments>(KernelId::kDequantize, 1U, "dequantize", describe_dequantize, compute_dequantize),
    entry<RescaleArguments>(KernelId::kRescale, 1U, "rescale", describe_rescale, compute_rescale),
    entry<SvdfFeatureArguments>(KernelId::kSvdfFeature, 1U, "svdf_feature", describe_svdf_feature,
                                compute_svdf_feature),
    entry<SvdfTimeArguments>(KernelId::kSvdfTime, 1U, "svdf_time", describe_svdf_time, compute_svdf_time),
    entry<LstmArguments>(KernelId::kLstm, 2U, "lstm", describe_lstm, compute_lstm),
    entry<FullyConnectedInt16Arguments>(KernelId::kFullyConnectedInt16, 1U, "fully_connected_int16",
                                        describe_fully_connected_int16, compute_fully_connected_int16),
    entry<Conv2dInt16Arguments>(KernelId::kConv2dInt16, 1U, "conv2d_int16", describe_conv2d_int16,
                                compute_conv2d_int16),
    entry<DepthwiseConv2dInt16Arguments>(KernelId::kDepthwiseConv2dInt16, 1U, "depthwise_conv2d_int16",
                                         describe_depthwise_conv2d_int16, compute_depthwise_conv2d_int16),
    entry<SoftmaxInt16Arguments>(KernelId::kSoftmaxInt16, 1U, "softmax_int16", describe_softmax_int16,
                                 compute_softmax_int16),
    entry<SigmoidInt16Arguments>(KernelId::kSigmoidInt16, 1U, "sigmoid_int16", describe_sigmoid_int16,
                                 compute_sigmoid_int16),
    entry<L2NormalizationArguments>(KernelId::kL2Normalization, 1U, "l2_normalization", describe_l2_normalization,
                                    compute_l2_normalization),
    entry<LogSoftmaxArguments>(KernelId::kLogSoftmax, 1U, "log_softmax", describe_log_softmax, compute_log_softmax),
    entry<MatmulInt16Arguments>(KernelId::kMatmulInt16, 1U, "matmul_int16", describe_matmul_int16,
                                compute_matmul_int16),
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
