// PlainLayers with packed weights.
#include <type_traits>

#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/kernels/packed_layer.h"
#include "tests/kernels/plain_layers_cases.h"

namespace pianola::refdev {

// A layout that the core's loops do not read.
template <typename Arguments>
bool PlainLayers::is_refused_by_name(KernelId id, const Arguments& arguments) const noexcept {
    std::array<std::uint32_t, kArgumentWords<Arguments>> words{};
    std::memcpy(words.data(), &arguments, sizeof(arguments));
    ExtentList extents;
    ArgumentError error;
    const Kernel* const kernel = find_kernel(static_cast<std::uint32_t>(id));
    return !is_ok(kernel->describe(WordSpan{words.data(), words.size()}, extents, error)) &&
           (std::strcmp(error.field, "weights_layout") == 0);
}

// As models have them: every layout packs these. Some are of channels that training has left without a use.
void PlainLayers::fill_usual(std::uint32_t channels) noexcept {
    fill(0U);
    has_constants_ = pick(0U, 1U) == 0U;
    for (std::uint32_t channel = 0U; channel < channels; ++channel) {
        store_parameters(channel, ChannelParameters{static_cast<std::int32_t>(pick(0U, 20000U)) - 10000,
                                                    static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)),
                                                    -static_cast<std::int32_t>(pick(1U, 22U))});
        if (has_constants_ && (pick(0U, 2U) == 0U)) {
            store_parameters(channel,
                             ChannelParameters{(1 << 30) + 31, static_cast<std::int32_t>(pick(1U << 30U, INT32_MAX)),
                                               -static_cast<std::int32_t>(pick(30U, 31U))});
        }
    }
}

template <>
std::int32_t PlainLayers::sum_of_row(const FullyConnectedArguments& a, std::uint32_t row,
                                     std::uint32_t channel) const noexcept {
    return sum_of(a, row, channel);
}

template <>
std::int32_t PlainLayers::sum_of_row(const Conv2dArguments& a, std::uint32_t row,
                                     std::uint32_t channel) const noexcept {
    const std::uint32_t pixels = a.output_height * a.output_width;
    return sum_of(a, row / pixels, row % pixels, channel);
}

template <typename Arguments>
void PlainLayers::expect_packed(KernelId id, const Arguments& a, const LayerShape& shape, std::uint32_t rows) noexcept {
    constexpr std::uint32_t kFilterBytes = kParametersAt - kFilterAt;
    std::int8_t* const bytes = tensor_of(memory_);
    for (const WeightsLayout layout : {WeightsLayout::kDsp, WeightsLayout::kMve}) {
        Arguments packed = a;
        packed.weights_layout = layout;
        packed.filter = kBaseAddress + kPackedFilterAt;
        packed.channel_parameters = kBaseAddress + kPackedParametersAt;
        if (!can_pack(layout, shape, {bytes + kFilterAt, bytes + kParametersAt}) ||
            ((shape.channels * shape.taps) > kFilterBytes)) {
            continue;
        }
        pack_weights(layout, shape, {bytes + kFilterAt, bytes + kParametersAt},
                     {bytes + kPackedFilterAt, bytes + kPackedParametersAt});
        result_.differences += (reads_layout(layout) || is_refused_by_name(id, packed)) ? 0U : 1U;
        if (reads_layout(layout) && run(id, packed)) {
            result_.packed += 1U;
            for (std::uint32_t index = 0U; index < (rows * shape.channels); ++index) {
                const std::uint32_t channel = index % shape.channels;
                expect(a, index, channel, sum_of_row(a, index / shape.channels, channel));
            }
            expect_end(rows * shape.channels);
            if constexpr (std::is_same_v<Arguments, Conv2dArguments>) {
                expect_over_input(id, packed, rows * shape.channels, 1U);
            }
        }
        expect_unpacked(layout, shape);
    }
}

// Unpacked over the plain weights, which are then what they were but for channels of constants; and packed again.
void PlainLayers::expect_unpacked(WeightsLayout layout, const LayerShape& shape) noexcept {
    std::int8_t* const bytes = tensor_of(memory_);
    const std::uint32_t plain = digest(kFilterAt, kOutputAt);
    const std::uint32_t packed = digest(kPackedFilterAt, kOverAt);
    for (std::uint32_t at = kFilterAt; at < (kFilterAt + (shape.channels * shape.taps)); ++at) {
        memory_[at] ^= kGuard;
    }
    const LayerWeights from{bytes + kPackedFilterAt, bytes + kPackedParametersAt};
    const WritableWeights to{bytes + kFilterAt, bytes + kParametersAt};
    unpack_weights(layout, shape, from, to);
    result_.differences += (has_constants_ || (plain == digest(kFilterAt, kOutputAt))) ? 0U : 1U;
    std::memset(memory_ + kPackedFilterAt, kGuard,
                static_cast<std::size_t>(packed_row_bytes(layout, shape.taps)) * shape.channels);
    pack_weights(layout, shape, {to.filter, to.parameters}, {bytes + kPackedFilterAt, bytes + kPackedParametersAt});
    result_.differences += (packed == digest(kPackedFilterAt, kOverAt)) ? 0U : 1U;
}

std::uint32_t PlainLayers::digest(std::uint32_t from, std::uint32_t end) const noexcept {
    constexpr std::uint32_t kPrime = 16777619U;
    std::uint32_t hash = kPrime;
    for (std::uint32_t at = from; at < end; ++at) {
        hash = (hash ^ memory_[at]) * kPrime;
    }
    return hash;
}

void PlainLayers::packed_fully_connected() noexcept {
    FullyConnectedArguments a = random_fully_connected();
    a.filter_offset = 0;
    a.output_depth = pick(1U, 70U);
    a.input_depth = pick(1U, (pick(0U, 3U) == 0U) ? 340U : 40U);
    fill_usual(a.output_depth);
    const LayerShape shape{a.output_depth, a.input_depth, a.input_offset};
    expect_packed(KernelId::kFullyConnected, a, shape, a.batches);
    has_constants_ = false;
    for (std::uint32_t channel = 0U; channel < a.output_depth; ++channel) {
        aim_at_halves(a, channel, sum_of(a, 0U, channel));
    }
    expect_packed(KernelId::kFullyConnected, a, shape, a.batches);
}

void PlainLayers::packed_conv2d() noexcept {
    Conv2dArguments a = random_conv2d();
    a.input_channels = a.filter_channels;
    a.output_channels = pick(1U, (a.filter_channels < 7U) ? 70U : 30U);
    fill_usual(a.output_channels);
    const std::uint32_t taps = a.filter_height * a.filter_width * a.filter_channels;
    const std::uint32_t pixels = a.output_height * a.output_width;
    const LayerShape shape{a.output_channels, taps, a.input_offset};
    expect_packed(KernelId::kConv2d, a, shape, a.batches * pixels);
    has_constants_ = false;
    for (std::uint32_t channel = 0U; channel < a.output_channels; ++channel) {
        aim_at_halves(a, channel, sum_of(a, 0U, channel % pixels, channel));
    }
    expect_packed(KernelId::kConv2d, a, shape, a.batches * pixels);
}

}  // namespace pianola::refdev
