// The device is not the one that the binary was captured for.
#include "capture_host/mutate/operators.h"

namespace pianola::mutate {

std::vector<Operator> target_operators() {
    return {
        {Rule::kTgtFamily, "family", "another family of devices",
         [](Draft& draft) {
             draft.manifest().target.device_family += "x";
             draft.expect_path("target.device_family");
         },
         true},
        {Rule::kTgtCommandSet, "id", "another command set",
         [](Draft& draft) {
             draft.manifest().target.command_set_id ^= 1U;
             draft.expect_path("target.command_set_id");
         },
         true},
        {Rule::kTgtCommandSet, "version", "another version of the command set",
         [](Draft& draft) {
             draft.manifest().target.command_set_version += 1U;
             draft.expect_path("target.command_set_version");
         },
         true},
        {Rule::kTgtKernelLibrary, "digest", "another kernel library",
         [](Draft& draft) {
             draft.manifest().target.kernel_library.back() ^= 1U;
             draft.expect_path("target.kernel_library");
         },
         true},
        {Rule::kTgtMemory, "dram-base", "DRAM elsewhere",
         [](Draft& draft) {
             draft.manifest().target.dram_base += 64U;
             draft.expect_path("target.dram_base");
         },
         true},
        {Rule::kTgtMemory, "dram-bytes", "less DRAM",
         [](Draft& draft) {
             draft.manifest().target.dram_bytes -= 64U;
             draft.expect_path("target.dram_bytes");
         },
         true},
        {Rule::kTgtMemory, "l1-base", "L1 elsewhere",
         [](Draft& draft) {
             draft.manifest().target.l1_base ^= 64U;
             draft.expect_path("target.l1_base");
         },
         true},
        {Rule::kTgtMemory, "l1-bytes", "more L1",
         [](Draft& draft) {
             draft.manifest().target.l1_bytes += 64U;
             draft.expect_path("target.l1_bytes");
         },
         true},
        {Rule::kTgtTraceRegion, "size", "another trace region",
         [](Draft& draft) {
             draft.manifest().target.trace_region_bytes ^= 64U;
             draft.expect_path("target.trace_region_bytes");
         },
         true},
        {Rule::kTgtClock, "frequency", "another clock",
         [](Draft& draft) {
             draft.manifest().target.clock_khz += 1U;
             draft.expect_path("target.clock_khz");
         },
         true},
        {Rule::kTgtQueues, "count", "another number of queues",
         [](Draft& draft) {
             draft.manifest().target.queue_count ^= 3U;
             draft.expect_path("target.queue_count");
         },
         true},
        {Rule::kTgtQueues, "ring", "longer rings",
         [](Draft& draft) {
             draft.manifest().target.ring_words *= 2U;
             draft.expect_path("target.ring_words");
         },
         true},
        {Rule::kTgtGrid, "columns", "another grid",
         [](Draft& draft) {
             draft.manifest().target.grid_columns += 1U;
             draft.expect_path("target.grid_columns");
         },
         true},
        {Rule::kTgtGrid, "rows", "another number of rows",
         [](Draft& draft) {
             draft.manifest().target.grid_rows += 1U;
             draft.expect_path("target.grid_rows");
         },
         true},
        {Rule::kTgtGrid, "banks", "another number of DRAM banks",
         [](Draft& draft) {
             draft.manifest().target.dram_banks += 1U;
             draft.expect_path("target.dram_banks");
         },
         true},
        {Rule::kTgtAttestation, "other", "a device that attests more or less",
         [](Draft& draft) {
             Attestation& attestation = draft.manifest().target.attestation;
             attestation = (attestation == Attestation::kNothing) ? Attestation::kCount : Attestation::kNothing;
             draft.expect_path("target.attestation");
         },
         true},
        {Rule::kTgtCosts, "other", "costs of another kind",
         [](Draft& draft) {
             CostKind& costs = draft.manifest().target.costs;
             costs = (costs == CostKind::kUpperBound) ? CostKind::kExact : CostKind::kUpperBound;
             draft.expect_path("target.costs");
         },
         true},
        {Rule::kTgtWeightsLayout, "number", "weights that lie in another way",
         [](Draft& draft) {
             draft.manifest().target.weights_layout += 1U;
             draft.expect_path("target.weights_layout");
         },
         true},
        {Rule::kTgtProfile, "larger", "a runtime with the largest capacities",
         [](Draft& draft) {
             if (draft.device().capacities->number == static_cast<std::uint32_t>(CapacityProfile::kHost)) {
                 throw NotApplicable{"no profile is larger than the device's"};
             }
             draft.manifest().target.profile = CapacityProfile::kHost;
             draft.expect_path("target.profile");
         },
         true},
        {Rule::kTgtMesh, "none", "a mesh without rows",
         [](Draft& draft) {
             draft.manifest().target.mesh_rows = 0U;
             draft.expect_path("target.mesh_rows");
         },
         false},
        {Rule::kTgtMesh, "two", "a mesh of two devices",
         [](Draft& draft) {
             draft.manifest().target.mesh_columns = 2U;
             draft.expect_path("target.mesh_rows");
         },
         true},
    };
}

}  // namespace pianola::mutate
