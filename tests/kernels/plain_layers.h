// The quantised layers against their plain formulas, on random geometries and parameters: for the host's tests and for
// boards, whose inner loops are others. No heap: a case lives in a piece of memory that the caller has.
#pragma once

#include <cstdint>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/packed_weights.h"

namespace pianola::refdev {

// Bytes of memory that a case needs.
inline constexpr std::uint32_t kPlainLayersBytes = 0x3'0000U;

struct PlainResult {
    std::uint32_t elements{0U};
    std::uint32_t differences{0U};  // elements that are not the formula's, and launches that were refused
    std::uint32_t ties{0U};         // elements that are another where halves are rounded upwards
    std::uint32_t packed{0U};       // launches with packed weights
    // Convolutions and depthwise ones are run again with an output that overlaps the input. How many; how many of them
    // have another result, or are refused; how many have another result at the next smaller distance.
    std::uint32_t over{0U};
    std::uint32_t over_differences{0U};
    std::uint32_t nearer_differences{0U};
};

class PlainLayers {
  public:
    // kPlainLayersBytes of memory, 4-byte aligned.
    explicit PlainLayers(std::uint8_t* memory, std::uint32_t seed) noexcept;

    // One launch each, compared element by element; the bytes behind the output must stay.
    void fully_connected() noexcept;
    void conv2d() noexcept;
    void depthwise_conv2d() noexcept;
    // Fully connected, a 1x1 convolution and a depthwise one whose sums are exact halves after scaling.
    void ties() noexcept;
    // The first two again, and with sums that are halves, in every packed layout that the inner loops read: packed, run
    // and compared as above, and unpacked again. The other layouts must be refused.
    void packed_fully_connected() noexcept;
    void packed_conv2d() noexcept;

    [[nodiscard]] const PlainResult& result() const noexcept { return result_; }

  private:
    [[nodiscard]] std::uint32_t random() noexcept;
    [[nodiscard]] std::uint32_t pick(std::uint32_t lowest, std::uint32_t highest) noexcept;
    [[nodiscard]] std::int32_t offset() noexcept;
    [[nodiscard]] std::int32_t element(std::uint32_t address) const noexcept;
    [[nodiscard]] ChannelParameters parameters(std::uint32_t channel) const noexcept;
    void store_parameters(std::uint32_t channel, const ChannelParameters& parameters) noexcept;
    [[nodiscard]] ChannelParameters far_parameters() noexcept;
    void fill(std::uint32_t channels) noexcept;
    void fill_usual(std::uint32_t channels) noexcept;
    template <typename Arguments>
    [[nodiscard]] bool run(KernelId id, const Arguments& arguments) noexcept;
    template <typename Arguments>
    void expect(const Arguments& a, std::uint32_t index, std::uint32_t channel, std::int32_t sum) noexcept;
    template <typename Arguments>
    void expect_over_input(KernelId id, const Arguments& a, std::uint32_t output_bytes, std::uint32_t unit) noexcept;
    template <typename Arguments>
    [[nodiscard]] bool is_refused_by_name(KernelId id, const Arguments& arguments) const noexcept;
    template <typename Arguments>
    void expect_packed(KernelId id, const Arguments& a, const LayerShape& shape, std::uint32_t rows) noexcept;
    template <typename Arguments>
    [[nodiscard]] std::int32_t sum_of_row(const Arguments& a, std::uint32_t row, std::uint32_t channel) const noexcept;
    [[nodiscard]] std::uint32_t digest(std::uint32_t from, std::uint32_t end) const noexcept;
    void expect_unpacked(WeightsLayout layout, const LayerShape& shape) noexcept;
    void expect_end(std::uint32_t output_bytes) noexcept;
    template <typename Arguments>
    void aim_at_halves(const Arguments& a, std::uint32_t channel, std::int32_t sum) noexcept;
    [[nodiscard]] std::int32_t sum_of(const FullyConnectedArguments& a, std::uint32_t batch,
                                      std::uint32_t channel) const noexcept;
    [[nodiscard]] std::int32_t sum_of(const Conv2dArguments& a, std::uint32_t batch, std::uint32_t pixel,
                                      std::uint32_t channel) const noexcept;
    [[nodiscard]] std::int32_t sum_of(const DepthwiseConv2dArguments& a, std::uint32_t batch, std::uint32_t pixel,
                                      std::uint32_t channel) const noexcept;
    [[nodiscard]] FullyConnectedArguments random_fully_connected() noexcept;
    [[nodiscard]] Conv2dArguments random_conv2d() noexcept;
    [[nodiscard]] DepthwiseConv2dArguments random_depthwise_conv2d() noexcept;

    std::uint8_t* memory_;
    DeviceMemory device_;
    std::uint32_t state_;
    bool has_constants_{false};  // among the channels
    PlainResult result_;
};

}  // namespace pianola::refdev
