#include <cstring>
#include <limits>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

// A region of each kind without its address: the permissions that schema/buffer.fbs describes.
constexpr std::array<RegionConfig, 8> kRegionsByKind{{
    {0U, 0U, false, false, false, false, false},  // kUnspecified: refused as an enumerator
    {0U, 0U, true, false, false, true, false},    // kWeights
    {0U, 0U, true, false, false, true, false},    // kInput
    {0U, 0U, true, true, true, false, false},     // kOutput
    {0U, 0U, true, true, false, false, false},    // kActivation
    {0U, 0U, false, false, false, true, true},    // kTrace
    {0U, 0U, true, true, true, true, false},      // kShared
    {0U, 0U, true, true, false, true, false},     // kState
}};
static_assert(kRegionsByKind.size() == (static_cast<std::size_t>(RegionKind::kState) + 1U));

// All of the weights segment, at the start of the window: two such regions would overlap.
bool check_region_in_file(Context& context, const RegionView& region) noexcept {
    const DeviceDescription& device = context.device;
    const std::uint32_t segment_bytes = context.image.envelope().weights.size_bytes;
    if (region.kind != RegionKind::kWeights) {
        return refuse_at(context, Rule::kLayRegionFile, Field::kMemory, static_cast<std::uint32_t>(region.kind));
    }
    if ((region.base != device.file_base) || (region.size_bytes != segment_bytes)) {
        return refuse_at(context, Rule::kLayRegionFile, Field::kSizeBytes, region.size_bytes, segment_bytes);
    }
    return (region.size_bytes <= device.file_bytes)
               ? true
               : refuse_at(context, Rule::kLayRegionBounds, Field::kSizeBytes, region.size_bytes, device.file_bytes);
}

bool check_region_bounds(Context& context, const RegionView& region) noexcept {
    const DeviceDescription& device = context.device;
    if (((region.base % kFileAlignmentBytes) != 0U) || (region.size_bytes == 0U)) {
        return refuse_at(context, Rule::kLayRegionAlignment, Field::kBase, region.base, kFileAlignmentBytes);
    }
    if (region.memory == MemoryKind::kFile) {
        return check_region_in_file(context, region);
    }
    const bool in_dram = region.memory == MemoryKind::kDram;
    if (region.kind == RegionKind::kTrace) {
        return (in_dram && (region.base == context.plan.trace_region_base) &&
                (region.size_bytes == device.trace_region_bytes))
                   ? true
                   : refuse_at(context, Rule::kLayTraceRegion, Field::kBase, region.base,
                               context.plan.trace_region_base);
    }
    const std::uint32_t memory_base = in_dram ? device.dram_base : device.l1_base;
    const std::uint32_t memory_bytes = in_dram ? (device.dram_bytes - device.trace_region_bytes) : device.l1_bytes;
    const std::uint32_t offset =
        region.base - memory_base;  // wraps below the base: to more than memory_bytes (target.cpp)
    return ((offset <= memory_bytes) && (region.size_bytes <= (memory_bytes - offset)))
               ? true
               : refuse_at(context, Rule::kLayRegionBounds, Field::kSizeBytes, region.size_bytes, memory_bytes);
}

bool check_region(Context& context, std::uint32_t index, const RegionView& region) noexcept {
    enter(context, Field::kRegions, index, region.file_offset);
    if (!check_region_bounds(context, region)) {
        return false;
    }
    const Span<const RegionConfig> before{context.plan.regions.data(), index};
    for (const RegionConfig& other : before) {
        if (overlap(region.base, region.size_bytes, other.base, other.size_bytes)) {
            return refuse_at(context, Rule::kLayRegionOverlap, Field::kBase, region.base, other.base);
        }
    }
    return true;
}

bool check_regions(Context& context) noexcept {
    const std::uint32_t count = context.image.region_count();
    std::uint32_t trace_regions = 0U;
    for (std::uint32_t i = 0U; i < count; ++i) {
        const RegionView region = context.image.region(i);
        if (!check_region(context, i, region)) {
            return false;
        }
        RegionConfig& config = context.plan.regions[i];
        config = kRegionsByKind[static_cast<std::size_t>(region.kind)];
        config.base = region.base;
        config.size_bytes = region.size_bytes;
        config.queues_write = config.queues_write && (region.memory != MemoryKind::kFile);
        context.workspace.region_kinds[i] = region.kind;
        trace_regions += (region.kind == RegionKind::kTrace) ? 1U : 0U;
    }
    context.plan.region_count = count;
    enter_root(context, Field::kRegions);
    return (trace_regions == 1U) ? true : refuse_at(context, Rule::kLayTraceRegion, Field::kNone, trace_regions, 1U);
}

bool check_buffers(Context& context) noexcept {
    const std::uint32_t count = context.image.buffer_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        const BufferView buffer = context.image.buffer(i);
        const bool has_region = buffer.region < context.plan.region_count;
        const std::uint32_t region_bytes = has_region ? context.plan.regions[buffer.region].size_bytes : 0U;
        if ((buffer.size_bytes == 0U) || (buffer.offset_bytes > region_bytes) ||
            (buffer.size_bytes > (region_bytes - buffer.offset_bytes))) {
            enter(context, Field::kBuffers, i, buffer.file_offset);
            return refuse_at(context, Rule::kLayBuffer, has_region ? Field::kSizeBytes : Field::kRegion,
                             buffer.size_bytes, region_bytes);
        }
    }
    return true;
}

// The zero points that a type can have; none if first > last.
struct ZeroPoints {
    std::int32_t first;
    std::int32_t last;
};
constexpr std::array<ZeroPoints, 10> kZeroPoints{{
    {1, 0},  // kUnspecified: refused as an enumerator
    {INT8_MIN, INT8_MAX},
    {0, UINT8_MAX},
    {INT16_MIN, INT16_MAX},
    {0, 0},  // kInt32
    {0, 0},  // kFloat32
    {0, 0},  // kBool
    {0, UINT16_MAX},
    {0, 0},  // kUint32
    {0, 0},  // kBfloat16
}};
static_assert(kZeroPoints.size() == (static_cast<std::size_t>(ElementType::kBfloat16) + 1U));

// Finite, not negative, and not NaN: tested on its bits, because not every core has a floating-point unit. -0 is 0.
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

// Product of shape and element size; 0 if it exceeds 32 bits or a dimension is 0.
[[nodiscard]] std::uint32_t tensor_bytes(const TensorView& tensor) noexcept {
    std::uint32_t bytes = element_bytes(tensor.type);
    for (std::uint32_t i = 0U; i < tensor.rank; ++i) {
        const std::uint64_t product = std::uint64_t{bytes} * tensor.shape[i];
        bytes = static_cast<std::uint32_t>(product);
        if (bytes != product) {
            return 0U;
        }
    }
    return bytes;
}

// The inputs, or the outputs.
struct TensorList {
    Field name;
    RegionKind kind;
};
constexpr std::array<TensorList, 2> kTensorLists{
    {{Field::kInputs, RegionKind::kInput}, {Field::kOutputs, RegionKind::kOutput}}};

[[nodiscard]] TensorView tensor_of(const Context& context, const TensorList& list, std::uint32_t index) noexcept {
    return context.image.tensor(list.kind == RegionKind::kInput, index);
}

// Fills in the tensor's location. An output is read from one whole copy. Pieces are equal and divide no element.
bool place_tensor(Context& context, const TensorList& list, const TensorView& tensor, PlannedTensor& planned) noexcept {
    planned.devices = devices_in(context.workspace.mesh, tensor.devices);
    planned.piece_bytes = planned.bytes;
    planned.stride_bytes = 0U;
    const std::uint32_t devices = count_of(planned.devices);
    const bool is_sharded = tensor.placement == Placement::kSharded;
    bool is_right = !is_sharded && ((devices == 1U) || (list.kind == RegionKind::kInput));
    if (!kDrivesOneDevice && is_sharded && (devices > 1U)) {
        const std::uint32_t in_element = element_bytes(tensor.type) - 1U;  // bits
        planned.piece_bytes = planned.bytes / devices;
        planned.stride_bytes = planned.piece_bytes;
        is_right = ((planned.bytes % devices) == 0U) && ((planned.piece_bytes & in_element) == 0U);
    }
    return (is_right && (devices != 0U))
               ? true
               : refuse_at(context, Rule::kLayPlacement, Field::kDevices,
                           std::uint32_t{tensor.devices.rows} * tensor.devices.columns, context.plan.device_count);
}

// The buffers of a tensor: permitted locations, and sizes.
bool check_tensor_buffers(Context& context, const TensorList& list, const TensorView& tensor,
                          std::uint64_t& buffer_bytes) noexcept {
    bool good = true;
    for (std::uint32_t i = tensor.buffer; good && (i < (tensor.buffer + tensor.buffer_count)); ++i) {
        const BufferView buffer = context.image.buffer(i);
        const RegionKind kind = context.workspace.region_kinds[buffer.region];
        good = ((kind == list.kind) || (kind == RegionKind::kShared))
                   ? true
                   : refuse_at(context, Rule::kLayTensorRegion, Field::kBuffer, buffer.region);
        buffer_bytes += buffer.size_bytes;
    }
    return good;
}

// Checks one tensor, and plans it.
bool check_tensor(Context& context, const TensorList& list, std::uint32_t index, PlannedTensor& planned) noexcept {
    const TensorView tensor = tensor_of(context, list, index);
    enter(context, list.name, index, tensor.file_offset);
    const std::uint32_t buffers = context.image.buffer_count();
    if ((tensor.buffer_count == 0U) || (tensor.buffer_count > kMaxTensorBuffers)) {
        return refuse_at(context, Rule::kLayTensorSize, Field::kBufferCount, tensor.buffer_count, kMaxTensorBuffers);
    }
    if ((tensor.buffer + tensor.buffer_count) > buffers) {
        return refuse_at(context, Rule::kScrIndex, Field::kBuffer, tensor.buffer, buffers);
    }
    std::uint64_t buffer_bytes = 0U;
    planned.bytes = tensor_bytes(tensor);
    if (!check_tensor_buffers(context, list, tensor, buffer_bytes) || !place_tensor(context, list, tensor, planned)) {
        return false;
    }
    if (planned.piece_bytes != buffer_bytes) {
        return refuse_wide_at(context, Rule::kLayTensorSize, Field::kShape, planned.piece_bytes, buffer_bytes);
    }
    return quantisation_fits(tensor) ? true : refuse_at(context, Rule::kLayQuantisation, Field::kScale);
}

// The plan's tensors of a list.
[[nodiscard]] Span<PlannedTensor> planned_of(Plan& plan, const TensorList& list) noexcept {
    return (list.kind == RegionKind::kInput) ? Span<PlannedTensor>{plan.inputs.data(), plan.input_count}
                                             : Span<PlannedTensor>{plan.outputs.data(), plan.output_count};
}

bool check_self_tests(Context& context, std::uint64_t vector_bytes) noexcept {
    const std::uint64_t expected = context.image.self_test_count() * vector_bytes;
    const Segment& segment = context.image.envelope().self_tests;
    enter_root(context, Field::kSelfTestOrigins);
    return (expected == segment.size_bytes)
               ? true
               : refuse_wide_at(context, Rule::kLaySelfTest, Field::kNone, segment.size_bytes, expected);
}

// No two inputs, nor outputs, of a device share a byte.
bool check_tensors_apart(Context& context, const TensorList& list, std::uint32_t device) noexcept {
    const Span<const PlannedTensor> tensors = planned_of(context.plan, list);
    IntervalMap& named = context.workspace.written;  // buffers that the list has named
    named.clear();
    bool good = true;
    for (std::uint32_t index = 0U; good && (index < tensors.size()); ++index) {
        const TensorView tensor = tensor_of(context, list, index);
        const std::uint32_t buffers = has_device(tensors[index].devices, device) ? tensor.buffer_count : 0U;
        enter(context, list.name, index, tensor.file_offset);
        for (std::uint32_t i = 0U; good && (i < buffers); ++i) {
            const BufferView buffer = context.image.buffer(tensor.buffer + i);
            good = claim(context, named, context.plan.regions[buffer.region].base + buffer.offset_bytes,
                         buffer.size_bytes, Rule::kLayTensorOverlap);
        }
    }
    return good;
}

// Checks a list; adds the sizes of its tensors to vector_bytes.
bool check_tensors(Context& context, const TensorList& list, std::uint64_t& vector_bytes) noexcept {
    const Span<PlannedTensor> tensors = planned_of(context.plan, list);
    bool good = true;
    for (std::uint32_t i = 0U; good && (i < tensors.size()); ++i) {
        good = check_tensor(context, list, i, tensors[i]);
        vector_bytes += tensors[i].bytes;
    }
    for (std::uint32_t device = 0U; good && (device < device_count(context.plan)); ++device) {
        good = check_tensors_apart(context, list, device);
    }
    return good;
}

}  // namespace

bool check_layout(Context& context) noexcept {
    if (!check_regions(context) || !check_buffers(context)) {
        return false;
    }
    context.plan.input_count = context.image.input_count();
    context.plan.output_count = context.image.output_count();
    std::uint64_t vector_bytes = 0U;  // at most 16 tensors of 32-bit size
    for (const TensorList& list : kTensorLists) {
        if (!check_tensors(context, list, vector_bytes)) {
            return false;
        }
    }
    return check_self_tests(context, vector_bytes);
}

}  // namespace pianola::proof
