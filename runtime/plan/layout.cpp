#include <cstring>
#include <limits>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

[[nodiscard]] constexpr bool overlap(std::uint32_t base1, std::uint32_t bytes1, std::uint32_t base2,
                                     std::uint32_t bytes2) noexcept {
    return (base1 < base2) ? ((base2 - base1) < bytes1) : ((base1 - base2) < bytes2);
}

// A region of each kind, before its place is known: the permissions; schema/buffer.fbs says the same in words.
constexpr std::array<RegionConfig, 7> kRegionsByKind{{
    {0U, 0U, false, false, false, false, false},  // kUnspecified: refused as an enumerator
    {0U, 0U, true, false, false, true, false},    // kWeights
    {0U, 0U, true, false, false, true, false},    // kInput
    {0U, 0U, true, true, true, false, false},     // kOutput
    {0U, 0U, true, true, false, false, false},    // kActivation
    {0U, 0U, false, false, false, true, true},    // kTrace
    {0U, 0U, true, true, true, true, false},      // kShared
}};
static_assert(kRegionsByKind.size() == (static_cast<std::size_t>(RegionKind::kShared) + 1U));

Status check_region_bounds(const Context& context, const Place& place, const RegionView& region) noexcept {
    const DeviceDescription& device = context.device;
    if (((region.base % kFileAlignmentBytes) != 0U) || (region.size_bytes == 0U)) {
        return refuse_at(context, place, Rule::kLayRegionAlignment, "base", region.base, kFileAlignmentBytes);
    }
    if (region.kind == RegionKind::kTrace) {
        const bool is_where_traces_are = (region.memory == MemoryKind::kDram) &&
                                         (region.base == context.plan.trace_region_base) &&
                                         (region.size_bytes == device.trace_region_bytes);
        return is_where_traces_are ? Status::kOk
                                   : refuse_at(context, place, Rule::kLayTraceRegion, "base", region.base,
                                               context.plan.trace_region_base);
    }
    const bool in_dram = region.memory == MemoryKind::kDram;
    const std::uint32_t memory_base = in_dram ? device.dram_base : device.l1_base;
    const std::uint32_t memory_bytes = in_dram ? (device.dram_bytes - device.trace_region_bytes) : device.l1_bytes;
    const std::uint32_t offset =
        region.base - memory_base;  // wraps below the base: to more than memory_bytes (target.cpp)
    if ((offset > memory_bytes) || (region.size_bytes > (memory_bytes - offset))) {
        return refuse_at(context, place, Rule::kLayRegionBounds, "size_bytes", region.size_bytes, memory_bytes);
    }
    return Status::kOk;
}

Status check_region(const Context& context, std::uint32_t index, const RegionView& region) noexcept {
    const Place place{"regions", index, region.file_offset};
    const Status inside = check_region_bounds(context, place, region);
    if (!is_ok(inside)) {
        return inside;
    }
    for (const RegionConfig& other : Span<const RegionConfig>{context.plan.regions.data(), index}) {
        if (overlap(region.base, region.size_bytes, other.base, other.size_bytes)) {
            return refuse_at(context, place, Rule::kLayRegionOverlap, "base", region.base, other.base);
        }
    }
    return Status::kOk;
}

Status check_regions(Context& context) noexcept {
    const std::uint32_t count = context.image.region_count();
    std::uint32_t trace_regions = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const RegionView region = context.image.region(i);
        const Status status = check_region(context, i, region);
        if (!is_ok(status)) {
            return status;
        }
        RegionConfig& config = context.plan.regions[i];
        config = kRegionsByKind[static_cast<std::size_t>(region.kind)];
        config.base = region.base;
        config.size_bytes = region.size_bytes;
        context.workspace.region_kinds[i] = region.kind;
        trace_regions += (region.kind == RegionKind::kTrace) ? 1U : 0U;
    }
    context.plan.region_count = count;
    if (trace_regions != 1U) {
        return refuse_at(context, root_place(context, "regions"), Rule::kLayTraceRegion, nullptr, trace_regions, 1U);
    }
    return Status::kOk;
}

Status check_buffers(const Context& context) noexcept {
    const std::uint32_t count = context.image.buffer_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        const BufferView buffer = context.image.buffer(i);
        const bool has_region = buffer.region < context.plan.region_count;
        const std::uint32_t region_bytes = has_region ? context.plan.regions[buffer.region].size_bytes : 0U;
        if ((buffer.size_bytes == 0U) || (buffer.offset_bytes > region_bytes) ||
            (buffer.size_bytes > (region_bytes - buffer.offset_bytes))) {
            return refuse_at(context, Place{"buffers", i, buffer.file_offset}, Rule::kLayBuffer,
                             has_region ? "size_bytes" : "region", buffer.size_bytes, region_bytes);
        }
    }
    return Status::kOk;
}

// The zero points that a type can have; none where first > last.
struct ZeroPoints {
    std::int32_t first;
    std::int32_t last;
};
constexpr std::array<ZeroPoints, 7> kZeroPoints{{
    {1, 0},  // kUnspecified: refused as an enumerator
    {INT8_MIN, INT8_MAX},
    {0, UINT8_MAX},
    {INT16_MIN, INT16_MAX},
    {0, 0},  // kInt32
    {0, 0},  // kFloat32
    {0, 0},  // kBool
}};
static_assert(kZeroPoints.size() == (static_cast<std::size_t>(ElementType::kBool) + 1U));

// Finite, not negative, and not NaN: told from its bits, because not every core has a unit for floating point. -0 is 0.
[[nodiscard]] bool is_scale(float scale) noexcept {
    static_assert(std::numeric_limits<float>::is_iec559);
    constexpr std::uint32_t kLargestFinite = 0x7F7F'FFFFU;
    constexpr std::uint32_t kMinusZero = 0x8000'0000U;
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &scale, sizeof(bits));
    return (bits <= kLargestFinite) || (bits == kMinusZero);
}

[[nodiscard]] bool quantisation_fits(const TensorView& tensor) noexcept {
    const ZeroPoints& range = kZeroPoints[static_cast<std::size_t>(tensor.type)];
    return is_scale(tensor.scale) && (tensor.zero_point >= range.first) && (tensor.zero_point <= range.last);
}

// Product of shape and element size; 0 where it exceeds 32 bits or a dimension is 0.
[[nodiscard]] std::uint32_t tensor_bytes(const TensorView& tensor) noexcept {
    std::uint64_t bytes = element_bytes(tensor.type);
    for (std::uint32_t i = 0U; i < tensor.rank; ++i) {
        bytes *= tensor.shape[i];
        if (bytes > UINT32_MAX) {
            return 0U;
        }
    }
    return static_cast<std::uint32_t>(bytes);
}

// The inputs, or the outputs.
struct TensorList {
    const char* name;
    RegionKind kind;
};

[[nodiscard]] TensorView tensor_of(const Context& context, const TensorList& list, std::uint32_t index) noexcept {
    return (list.kind == RegionKind::kInput) ? context.image.input(index) : context.image.output(index);
}

// One buffer of a tensor. workspace.written holds those that the list has named before.
Status check_tensor_buffer(const Context& context, const Place& place, const TensorList& list,
                           const BufferView& buffer) noexcept {
    const RegionKind kind = context.workspace.region_kinds[buffer.region];
    if ((kind != list.kind) && (kind != RegionKind::kShared)) {
        return refuse_at(context, place, Rule::kLayTensorRegion, "buffer", buffer.region);
    }
    IntervalMap& named = context.workspace.written;
    const std::uint32_t address = context.plan.regions[buffer.region].base + buffer.offset_bytes;
    if (named.largest_tag(address, buffer.size_bytes, 0U) != 0U) {
        return refuse_at(context, place, Rule::kLayTensorOverlap, "buffer", address, buffer.size_bytes);
    }
    if (!is_ok(named.assign(address, buffer.size_bytes, kWrittenTag))) {
        return refuse_at(context, place, Rule::kCapIntervals, "buffer", kMaxIntervals, kMaxIntervals);
    }
    return Status::kOk;
}

// Checks one tensor; bytes becomes its size.
Status check_tensor(const Context& context, const TensorList& list, std::uint32_t index,
                    std::uint32_t& bytes) noexcept {
    const TensorView tensor = tensor_of(context, list, index);
    const Place place{list.name, index, tensor.file_offset};
    const std::uint32_t buffers = context.image.buffer_count();
    if ((tensor.buffer_count == 0U) || (tensor.buffer_count > kMaxTensorBuffers)) {
        return refuse_at(context, place, Rule::kLayTensorSize, "buffer_count", tensor.buffer_count, kMaxTensorBuffers);
    }
    if ((tensor.buffer + tensor.buffer_count) > buffers) {
        return refuse_at(context, place, Rule::kScrIndex, "buffer", tensor.buffer, buffers);
    }
    std::uint64_t buffer_bytes = 0U;
    for (std::uint32_t i = tensor.buffer; i < (tensor.buffer + tensor.buffer_count); ++i) {
        const BufferView buffer = context.image.buffer(i);
        const Status placed = check_tensor_buffer(context, place, list, buffer);
        if (!is_ok(placed)) {
            return placed;
        }
        buffer_bytes += buffer.size_bytes;
    }
    bytes = tensor_bytes(tensor);
    if (bytes != buffer_bytes) {
        return refuse_wide_at(context, place, Rule::kLayTensorSize, "shape", bytes, buffer_bytes);
    }
    if (!quantisation_fits(tensor)) {
        return refuse_at(context, place, Rule::kLayQuantisation, "scale");
    }
    return Status::kOk;
}

// Checks a list, with one of `sizes` for each tensor; vector_bytes rises by their sum.
Status check_tensors(const Context& context, const TensorList& list, Span<std::uint32_t> sizes,
                     std::uint64_t& vector_bytes) noexcept {
    context.workspace.written.clear();
    for (std::uint32_t i = 0U; i < sizes.size(); ++i) {
        const Status status = check_tensor(context, list, i, sizes[i]);
        if (!is_ok(status)) {
            return status;
        }
        vector_bytes += sizes[i];
    }
    return Status::kOk;
}

Status check_self_tests(const Context& context, std::uint64_t vector_bytes) noexcept {
    const std::uint32_t count = context.image.self_test_count();
    const Segment& segment = context.image.envelope().self_tests;
    if ((count > kMaxSelfTests) || ((count * vector_bytes) != segment.size_bytes)) {
        return refuse_wide_at(context, root_place(context, "self_test_count"), Rule::kLaySelfTest, nullptr,
                              segment.size_bytes, count * vector_bytes);
    }
    return Status::kOk;
}

}  // namespace

Status check_layout(Context& context) noexcept {
    const Status regions = check_regions(context);
    if (!is_ok(regions)) {
        return regions;
    }
    const Status buffers = check_buffers(context);
    if (!is_ok(buffers)) {
        return buffers;
    }
    Plan& plan = context.plan;
    plan.input_count = context.image.input_count();
    plan.output_count = context.image.output_count();
    constexpr TensorList kInputs{"inputs", RegionKind::kInput};
    constexpr TensorList kOutputs{"outputs", RegionKind::kOutput};
    std::uint64_t vector_bytes = 0U;  // at most 16 tensors of 32-bit size
    const Status inputs = check_tensors(context, kInputs, {plan.input_bytes.data(), plan.input_count}, vector_bytes);
    if (!is_ok(inputs)) {
        return inputs;
    }
    const Status outputs =
        check_tensors(context, kOutputs, {plan.output_bytes.data(), plan.output_count}, vector_bytes);
    if (!is_ok(outputs)) {
        return outputs;
    }
    return check_self_tests(context, vector_bytes);
}

}  // namespace pianola::proof
