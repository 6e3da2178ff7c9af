// PlainLayers with an output that overlaps the input, as far as the kernel accepts it.
#include "tests/kernels/plain_layers_cases.h"

namespace pianola::refdev {
namespace {

template <typename Arguments>
struct Launch {
    const Kernel& kernel;
    Arguments arguments;
    std::uint32_t input_bytes;
    std::uint32_t output_bytes;

    // Of a launch whose output begins that many bytes below its input.
    [[nodiscard]] std::array<std::uint32_t, kArgumentWords<Arguments>> words(std::uint32_t distance) const noexcept {
        Arguments a = arguments;
        a.output = kBaseAddress + kOverAt;
        a.input = a.output + distance;
        std::array<std::uint32_t, kArgumentWords<Arguments>> words{};
        std::memcpy(words.data(), &a, sizeof(a));
        return words;
    }
    [[nodiscard]] bool accepts(std::uint32_t distance) const noexcept {
        const auto with = words(distance);
        ExtentList extents;
        ArgumentError error;
        return is_ok(kernel.describe(WordSpan{with.data(), with.size()}, extents, error));
    }
    // The least multiple of the unit that is accepted; at most that at which the two are apart.
    [[nodiscard]] std::uint32_t least(std::uint32_t unit) const noexcept {
        std::uint32_t low = 0U;
        std::uint32_t high = (output_bytes + (unit - 1U)) / unit;
        while (low < high) {
            const std::uint32_t middle = (low + high) / 2U;
            const bool accepted = accepts(middle * unit);
            high = accepted ? middle : high;
            low = accepted ? low : (middle + 1U);
        }
        return low * unit;
    }
};

}  // namespace

// The launch has been run with its operands apart. Once more at the least distance that is accepted, where the result
// must be the same; and at the next smaller one, without the check of its arguments, where it may be another.
template <typename Arguments>
void PlainLayers::expect_over_input(KernelId id, const Arguments& a, std::uint32_t output_bytes,
                                    std::uint32_t unit) noexcept {
    const std::uint32_t input_bytes = a.batches * a.input_height * a.input_width * a.input_channels;
    const Launch<Arguments> launch{*find_kernel(static_cast<std::uint32_t>(id)), a, input_bytes, output_bytes};
    const std::uint32_t least = launch.least(unit);
    result_.over_differences += launch.accepts(least) ? 0U : 1U;
    if ((least >= output_bytes) || ((least + input_bytes) > kOverBytes)) {
        return;
    }
    result_.over += 1U;
    const bool is_between = (unit > 1U) && ((least + 1U) < output_bytes);
    result_.over_differences += (is_between && launch.accepts(least + 1U)) ? 1U : 0U;
    std::memcpy(memory_ + kOverAt + least, memory_ + kInputAt, input_bytes);
    const auto words = launch.words(least);
    const bool is_run = is_ok(refdev::run(launch.kernel, WordSpan{words.data(), words.size()}, device_));
    const bool is_same = std::memcmp(memory_ + kOverAt, memory_ + kOutputAt, output_bytes) == 0;
    result_.over_differences += (is_run && is_same) ? 0U : 1U;
    if (least < unit) {
        return;
    }
    const std::uint32_t nearer = least - unit;
    std::memcpy(memory_ + kOverAt + nearer, memory_ + kInputAt, input_bytes);
    const auto bytes_of = [this](std::uint32_t address) { return tensor_of(memory_) + (address - kBaseAddress); };
    BoundOperands bound{};
    bound.inputs[0U] = tensor_of(memory_) + kOverAt + nearer;
    bound.inputs[1U] = bytes_of(a.filter);
    bound.inputs[2U] = bytes_of(a.channel_parameters);
    bound.output = tensor_of(memory_) + kOverAt;
    static_cast<void>(launch.kernel.compute(WordSpan{words.data(), words.size()}, bound));
    result_.nearer_differences += (std::memcmp(memory_ + kOverAt, memory_ + kOutputAt, output_bytes) == 0) ? 0U : 1U;
}

template void PlainLayers::expect_over_input(KernelId id, const Conv2dArguments& a, std::uint32_t output_bytes,
                                             std::uint32_t unit) noexcept;
template void PlainLayers::expect_over_input(KernelId id, const DepthwiseConv2dArguments& a, std::uint32_t output_bytes,
                                             std::uint32_t unit) noexcept;

}  // namespace pianola::refdev
