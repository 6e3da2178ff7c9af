// The device is not the one that the binary was captured for.
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using Fields = capture::ManifestTarget;

// Changes a field of the target, which the verdict names.
Operator field(Rule rule, const char* name, const char* what, const std::string& path, void (*change)(Fields& t),
               bool is_alone = true) {
    const auto apply = [path, change](Draft& draft) {
        change(draft.manifest().target);
        draft.expect_path("target." + path);
    };
    return {rule, name, what, is_alone, apply};
}

void take_largest_profile(Draft& draft) {
    if (draft.device().capacities->number == static_cast<std::uint32_t>(CapacityProfile::kHost)) {
        throw NotApplicable{"no profile is larger than the device's"};
    }
    draft.manifest().target.profile = CapacityProfile::kHost;
    draft.expect_path("target.profile");
}

}  // namespace

std::vector<Operator> target_operators() {
    return {
        field(Rule::kTgtFamily, "family", "another family of devices", "device_family",
              [](Fields& t) { t.device_family += "x"; }),
        field(Rule::kTgtCommandSet, "id", "another command set", "command_set_id",
              [](Fields& t) { t.command_set_id ^= 1U; }),
        field(Rule::kTgtCommandSet, "version", "another version of the command set", "command_set_version",
              [](Fields& t) { t.command_set_version += 1U; }),
        field(Rule::kTgtKernelLibrary, "digest", "another kernel library", "kernel_library",
              [](Fields& t) { t.kernel_library.back() ^= 1U; }),
        field(Rule::kTgtMemory, "dram-base", "DRAM elsewhere", "dram_base", [](Fields& t) { t.dram_base += 64U; }),
        field(Rule::kTgtMemory, "dram-bytes", "less DRAM", "dram_bytes", [](Fields& t) { t.dram_bytes -= 64U; }),
        field(Rule::kTgtMemory, "l1-base", "L1 elsewhere", "l1_base", [](Fields& t) { t.l1_base ^= 64U; }),
        field(Rule::kTgtMemory, "l1-bytes", "more L1", "l1_bytes", [](Fields& t) { t.l1_bytes += 64U; }),
        field(Rule::kTgtTraceRegion, "size", "another trace region", "trace_region_bytes",
              [](Fields& t) { t.trace_region_bytes ^= 64U; }),
        field(Rule::kTgtClock, "frequency", "another clock", "clock_khz", [](Fields& t) { t.clock_khz += 1U; }),
        field(Rule::kTgtQueues, "count", "another number of queues", "queue_count",
              [](Fields& t) { t.queue_count ^= 3U; }),
        field(Rule::kTgtQueues, "ring", "longer rings", "ring_words", [](Fields& t) { t.ring_words *= 2U; }),
        field(Rule::kTgtGrid, "columns", "another grid", "grid_columns", [](Fields& t) { t.grid_columns += 1U; }),
        field(Rule::kTgtGrid, "rows", "another number of rows", "grid_rows", [](Fields& t) { t.grid_rows += 1U; }),
        field(Rule::kTgtGrid, "banks", "another number of DRAM banks", "dram_banks",
              [](Fields& t) { t.dram_banks += 1U; }),
        field(Rule::kTgtAttestation, "other", "a device that attests more or less", "attestation",
              [](Fields& t) {
                  t.attestation =
                      (t.attestation == Attestation::kNothing) ? Attestation::kCount : Attestation::kNothing;
              }),
        field(
            Rule::kTgtCosts, "other", "costs of another kind", "costs",
            [](Fields& t) { t.costs = (t.costs == CostKind::kUpperBound) ? CostKind::kExact : CostKind::kUpperBound; }),
        field(Rule::kTgtWeightsLayout, "number", "weights that lie in another way", "weights_layout",
              [](Fields& t) { t.weights_layout += 1U; }),
        {Rule::kTgtProfile, "larger", "a runtime with the largest capacities", true, take_largest_profile},
        field(
            Rule::kTgtMesh, "none", "a mesh without rows", "mesh_rows", [](Fields& t) { t.mesh_rows = 0U; }, false),
        field(Rule::kTgtMesh, "two", "a mesh of two devices", "mesh_rows", [](Fields& t) { t.mesh_columns = 2U; }),
    };
}

}  // namespace pianola::mutate
