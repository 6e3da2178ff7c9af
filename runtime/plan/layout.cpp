#include <cfloat>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

[[nodiscard]] constexpr bool overlap(std::uint32_t base1, std::uint32_t bytes1, std::uint32_t base2,
                                     std::uint32_t bytes2) noexcept {
    return (base1 < base2) ? ((base2 - base1) < bytes1) : ((base1 - base2) < bytes2);
}

// The permissions that a kind of region has; schema/buffer.fbs says the same in words.
[[nodiscard]] constexpr RegionConfig permissions(RegionKind kind) noexcept {
    RegionConfig config;
    config.kernels_read = kind != RegionKind::kTrace;
    config.kernels_write = (kind == RegionKind::kOutput) || (kind == RegionKind::kActivation);
    config.queues_read = kind == RegionKind::kOutput;
    config.queues_write =
        (kind == RegionKind::kWeights) || (kind == RegionKind::kInput) || (kind == RegionKind::kTrace);
    config.fetch = kind == RegionKind::kTrace;
    return config;
}

Status refuse_region(Context& context, std::uint32_t index, const RegionView& region, Rule rule, const char* field,
                     std::uint64_t actual, std::uint64_t limit) noexcept {
    context.verdict.path.enter("regions", index);
    context.verdict.path.enter(field);
    return refuse(context.verdict, rule, region.file_offset, actual, limit);
}

Status check_region_bounds(Context& context, std::uint32_t index, const RegionView& region) noexcept {
    const DeviceDescription& device = context.device;
    if (((region.base % kFileAlignmentBytes) != 0U) || (region.size_bytes == 0U)) {
        return refuse_region(context, index, region, Rule::kLayRegionAlignment, "base", region.base,
                             kFileAlignmentBytes);
    }
    if (region.kind == RegionKind::kTrace) {
        if ((region.memory != MemoryKind::kDram) || (region.base != context.plan.trace_region_base) ||
            (region.size_bytes != device.trace_region_bytes)) {
            return refuse_region(context, index, region, Rule::kLayTraceRegion, "base", region.base,
                                 context.plan.trace_region_base);
        }
        return Status::kOk;
    }
    const bool in_dram = region.memory == MemoryKind::kDram;
    const std::uint32_t memory_base = in_dram ? device.dram_base : device.l1_base;
    const std::uint32_t memory_bytes = in_dram ? (device.dram_bytes - device.trace_region_bytes) : device.l1_bytes;
    const std::uint32_t offset = region.base - memory_base;
    if ((region.base < memory_base) || (offset > memory_bytes) || (region.size_bytes > (memory_bytes - offset))) {
        return refuse_region(context, index, region, Rule::kLayRegionBounds, "size_bytes", region.size_bytes,
                             memory_bytes);
    }
    return Status::kOk;
}

Status check_regions(Context& context) noexcept {
    std::uint32_t trace_regions = 0U;
    context.plan.region_count = 0U;
    for (std::uint32_t i = 0U; i < context.image.region_count(); ++i) {
        const RegionView region = context.image.region(i);
        const Status inside = check_region_bounds(context, i, region);
        if (!is_ok(inside)) {
            return inside;
        }
        for (std::uint32_t earlier = 0U; earlier < i; ++earlier) {
            const RegionConfig& other = context.plan.regions[earlier];
            if (overlap(region.base, region.size_bytes, other.base, other.size_bytes)) {
                return refuse_region(context, i, region, Rule::kLayRegionOverlap, "base", region.base, other.base);
            }
        }
        RegionConfig config = permissions(region.kind);
        config.base = region.base;
        config.size_bytes = region.size_bytes;
        context.plan.regions[i] = config;
        context.workspace.region_kinds[i] = region.kind;
        context.plan.region_count = i + 1U;
        trace_regions += (region.kind == RegionKind::kTrace) ? 1U : 0U;
    }
    if (trace_regions != 1U) {
        context.verdict.path.enter("regions");
        return refuse(context.verdict, Rule::kLayTraceRegion, context.image.envelope().manifest.offset, trace_regions,
                      1U);
    }
    return Status::kOk;
}

Status check_buffers(Context& context) noexcept {
    for (std::uint32_t i = 0U; i < context.image.buffer_count(); ++i) {
        const BufferView buffer = context.image.buffer(i);
        const bool has_region = buffer.region < context.plan.region_count;
        const std::uint32_t region_bytes = has_region ? context.plan.regions[buffer.region].size_bytes : 0U;
        if ((buffer.size_bytes == 0U) || (buffer.offset_bytes > region_bytes) ||
            (buffer.size_bytes > (region_bytes - buffer.offset_bytes))) {
            context.verdict.path.enter("buffers", i);
            context.verdict.path.enter(has_region ? "size_bytes" : "region");
            return refuse(context.verdict, Rule::kLayBuffer, buffer.file_offset, buffer.size_bytes, region_bytes);
        }
    }
    return Status::kOk;
}

[[nodiscard]] bool quantisation_fits(const TensorView& tensor) noexcept {
    if (!((tensor.scale >= 0.0F) && (tensor.scale <= FLT_MAX))) {  // false for NaN too
        return false;
    }
    switch (tensor.type) {
        case ElementType::kInt8:
            return (tensor.zero_point >= INT8_MIN) && (tensor.zero_point <= INT8_MAX);
        case ElementType::kUint8:
            return (tensor.zero_point >= 0) && (tensor.zero_point <= UINT8_MAX);
        case ElementType::kInt16:
            return (tensor.zero_point >= INT16_MIN) && (tensor.zero_point <= INT16_MAX);
        case ElementType::kInt32:
        case ElementType::kFloat32:
        case ElementType::kBool:
            return tensor.zero_point == 0;
        case ElementType::kUnspecified:
        default:
            return false;
    }
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
    RegionKind region_kind;
    std::uint32_t count;
    TensorView (Image::*view)(std::uint32_t) const noexcept;
};

Status refuse_tensor(Context& context, const TensorList& list, std::uint32_t index, Rule rule, const char* field,
                     std::uint64_t actual = 0U, std::uint64_t limit = 0U) noexcept {
    context.verdict.path.enter(list.name, index);
    context.verdict.path.enter(field);
    return refuse(context.verdict, rule, (context.image.*list.view)(index).file_offset, actual, limit);
}

Status check_tensor(Context& context, const TensorList& list, std::uint32_t index) noexcept {
    const TensorView tensor = (context.image.*list.view)(index);
    if (tensor.buffer >= context.image.buffer_count()) {
        return refuse_tensor(context, list, index, Rule::kScrIndex, "buffer", tensor.buffer,
                             context.image.buffer_count());
    }
    const BufferView buffer = context.image.buffer(tensor.buffer);
    if (context.workspace.region_kinds[buffer.region] != list.region_kind) {
        return refuse_tensor(context, list, index, Rule::kLayTensorRegion, "buffer", tensor.buffer);
    }
    if (tensor_bytes(tensor) != buffer.size_bytes) {
        return refuse_tensor(context, list, index, Rule::kLayTensorSize, "shape", tensor_bytes(tensor),
                             buffer.size_bytes);
    }
    if (!quantisation_fits(tensor)) {
        return refuse_tensor(context, list, index, Rule::kLayQuantisation, "scale");
    }
    for (std::uint32_t earlier = 0U; earlier < index; ++earlier) {
        const BufferView other = context.image.buffer((context.image.*list.view)(earlier).buffer);
        if ((buffer.region == other.region) &&
            overlap(buffer.offset_bytes, buffer.size_bytes, other.offset_bytes, other.size_bytes)) {
            return refuse_tensor(context, list, index, Rule::kLayTensorOverlap, "buffer", index, earlier);
        }
    }
    return Status::kOk;
}

// Checks a list and notes each tensor's size; vector_bytes rises by their sum.
template <std::size_t kCapacity>
Status check_tensors(Context& context, const TensorList& list, std::array<std::uint32_t, kCapacity>& sizes,
                     std::uint64_t& vector_bytes) noexcept {
    for (std::uint32_t i = 0U; i < list.count; ++i) {
        const Status status = check_tensor(context, list, i);
        if (!is_ok(status)) {
            return status;
        }
        sizes[i] = context.image.buffer((context.image.*list.view)(i).buffer).size_bytes;
        vector_bytes += sizes[i];
    }
    return Status::kOk;
}

Status check_self_tests(Context& context, std::uint64_t vector_bytes) noexcept {
    const std::uint32_t count = context.image.self_test_count();
    const Segment& segment = context.image.envelope().self_tests;
    if ((count > kMaxSelfTests) || ((count * vector_bytes) != segment.size_bytes)) {
        context.verdict.path.enter("self_test_count");
        return refuse(context.verdict, Rule::kLaySelfTest, context.image.envelope().manifest.offset, segment.size_bytes,
                      count * vector_bytes);
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
    const TensorList inputs{"inputs", RegionKind::kInput, context.image.input_count(), &Image::input};
    const TensorList outputs{"outputs", RegionKind::kOutput, context.image.output_count(), &Image::output};
    context.plan.input_count = inputs.count;
    context.plan.output_count = outputs.count;
    std::uint64_t vector_bytes = 0U;  // at most 16 tensors of 32-bit size
    const Status checked_inputs = check_tensors(context, inputs, context.plan.input_bytes, vector_bytes);
    if (!is_ok(checked_inputs)) {
        return checked_inputs;
    }
    const Status checked_outputs = check_tensors(context, outputs, context.plan.output_bytes, vector_bytes);
    if (!is_ok(checked_outputs)) {
        return checked_outputs;
    }
    return check_self_tests(context, vector_bytes);
}

}  // namespace pianola::proof
