#include <cstring>

#include "runtime/plan/proof.h"

namespace pianola::proof {
namespace {

[[nodiscard]] bool equals(NameView name, const char* text) noexcept {
    return (name.size() == std::strlen(text)) && (std::memcmp(name.data(), text, name.size()) == 0);
}

struct Comparison {
    Rule rule;
    const char* field;
    std::uint64_t binary;
    std::uint64_t device;
};

}  // namespace

Status check_target(Context& context) noexcept {
    const TargetView target = context.image.target();
    const DeviceDescription& device = context.device;
    const bool same_family = equals(target.device_family, device.family);
    const bool same_library = digests_equal(target.kernel_library, ByteSpan{device.kernel_library});
    const std::array comparisons{
        Comparison{Rule::kTgtFamily, "device_family", same_family ? 1U : 0U, 1U},
        Comparison{Rule::kTgtCommandSet, "command_set_id", target.command_set_id, device.command_set_id},
        Comparison{Rule::kTgtCommandSet, "command_set_version", target.command_set_version, device.command_set_version},
        Comparison{Rule::kTgtKernelLibrary, "kernel_library", same_library ? 1U : 0U, 1U},
        Comparison{Rule::kTgtMemory, "dram_base", target.dram_base, device.dram_base},
        Comparison{Rule::kTgtMemory, "dram_bytes", target.dram_bytes, device.dram_bytes},
        Comparison{Rule::kTgtMemory, "l1_base", target.l1_base, device.l1_base},
        Comparison{Rule::kTgtMemory, "l1_bytes", target.l1_bytes, device.l1_bytes},
        Comparison{Rule::kTgtTraceRegion, "trace_region_bytes", target.trace_region_bytes, device.trace_region_bytes},
        Comparison{Rule::kTgtClock, "clock_khz", target.clock_khz, device.clock_khz},
        Comparison{Rule::kTgtQueues, "queue_count", target.queue_count, device.queue_count},
        Comparison{Rule::kTgtQueues, "ring_words", target.ring_words, device.ring_words},
    };
    for (const Comparison& comparison : comparisons) {
        if (comparison.binary != comparison.device) {
            context.verdict.path.enter("target");
            context.verdict.path.enter(comparison.field);
            return refuse(context.verdict, comparison.rule, target.file_offset, comparison.binary, comparison.device);
        }
    }
    // A device that says nonsense of itself is refused here, so that later checks can rely on it.
    const bool sane = (device.clock_khz != 0U) && (device.queue_count != 0U) && (device.queue_count <= kMaxQueues) &&
                      (device.trace_region_bytes <= device.dram_bytes) &&
                      (device.dram_bytes <= (UINT32_MAX - device.dram_base)) &&
                      (device.l1_bytes <= (UINT32_MAX - device.l1_base));
    if (!sane) {
        context.verdict.path.enter("target");
        return refuse(context.verdict, Rule::kTgtMemory, target.file_offset);
    }
    context.plan.queue_count = device.queue_count;
    context.plan.trace_region_base = device.dram_base + (device.dram_bytes - device.trace_region_bytes);
    return Status::kOk;
}

}  // namespace pianola::proof
