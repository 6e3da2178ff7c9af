// The device is not the one that the binary was captured for.
#include <fmt/format.h>

#include <utility>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

capture::ManifestTarget& target(Draft& draft) {
    return draft.manifest().target;
}

void take_largest_profile(Draft& draft) {
    if (draft.device().capacities->number == static_cast<std::uint32_t>(CapacityProfile::kHost)) {
        throw NotApplicable{"no profile is larger than the device's"};
    }
    target(draft).profile = CapacityProfile::kHost;
}

// The first kernel that the file names.
capture::ManifestKernel& kernel(Draft& draft) {
    if (target(draft).kernels.empty()) {
        throw NotApplicable{"the file launches no kernel"};
    }
    return target(draft).kernels.front();
}

// The id after the last that the file names: of a kernel that the device has, or not.
void name_kernel(Draft& draft, bool device_has_it) {
    auto& kernels = target(draft).kernels;
    constexpr std::uint32_t kMostIds = 4096U;
    for (std::uint32_t id = kernels.empty() ? 1U : (kernels.back().id + 1U); id < kMostIds; ++id) {
        const KernelIdentity identity = draft.command_set().kernel(id);
        if ((identity.version != 0U) == device_has_it) {
            kernels.push_back({id, device_has_it ? identity : KernelIdentity{1U, 1U, 1U}});
            return;
        }
    }
    throw NotApplicable{"the device has no such kernel"};
}

// Both kernels are right; they stand in the other order.
void exchange_kernels(Draft& draft) {
    auto& kernels = target(draft).kernels;
    if (kernels.size() < 2U) {
        name_kernel(draft, true);
        draft.confirm("a kernel that is not launched");
    }
    if (kernels.size() < 2U) {
        throw NotApplicable{"the file names one kernel, and the device has no further one"};
    }
    std::swap(kernels.front(), kernels.back());
    draft.expect_path("target.kernels[1].id");
}

constexpr std::array kTargetOperators{
    Operator{Rule::kTgtFamily, "family", "another family of devices", true,
             [](Draft& draft) { target(draft).device_family += "x"; }, "target.device_family"},
    Operator{Rule::kTgtCommandSet, "id", "another command set", true,
             [](Draft& draft) { target(draft).command_set_id ^= 1U; }, "target.command_set_id"},
    Operator{Rule::kTgtCommandSet, "version", "another version of the command set", true,
             [](Draft& draft) { target(draft).command_set_version += 1U; }, "target.command_set_version"},
    Operator{Rule::kTgtKernelLibrary, "digest", "another kernel library", true,
             [](Draft& draft) { target(draft).kernel_library.back() ^= 1U; }, "target.kernel_library"},
    Operator{Rule::kTgtKernel, "version", "another version of a kernel", true,
             [](Draft& draft) { kernel(draft).identity.version += 1U; }, "target.kernels[0].version"},
    Operator{Rule::kTgtKernel, "arguments", "a kernel with more argument words", true,
             [](Draft& draft) { kernel(draft).identity.argument_words += 1U; }, "target.kernels[0].argument_words"},
    Operator{Rule::kTgtKernel, "costs", "another version of a kernel's costs", true,
             [](Draft& draft) { kernel(draft).identity.cost_version += 1U; }, "target.kernels[0].cost_version"},
    Operator{Rule::kTgtKernel, "missing", "a kernel that the device does not have", true,
             [](Draft& draft) {
                 name_kernel(draft, false);
                 draft.expect_path(fmt::format("target.kernels[{}].id", target(draft).kernels.size() - 1U));
             }},
    Operator{Rule::kTgtKernelOrder, "exchanged", "kernels in another order", false, exchange_kernels},
    Operator{Rule::kTgtKernelOrder, "twice", "a kernel that is named twice", true,
             [](Draft& draft) { target(draft).kernels.insert(target(draft).kernels.begin(), kernel(draft)); },
             "target.kernels[1].id"},
    Operator{Rule::kTgtMemory, "dram-base", "DRAM elsewhere", true,
             [](Draft& draft) { target(draft).dram_base += 64U; }, "target.dram_base"},
    Operator{Rule::kTgtMemory, "dram-bytes", "less DRAM", true, [](Draft& draft) { target(draft).dram_bytes -= 64U; },
             "target.dram_bytes"},
    Operator{Rule::kTgtMemory, "l1-base", "L1 elsewhere", true, [](Draft& draft) { target(draft).l1_base ^= 64U; },
             "target.l1_base"},
    Operator{Rule::kTgtMemory, "l1-bytes", "more L1", true, [](Draft& draft) { target(draft).l1_bytes += 64U; },
             "target.l1_bytes"},
    Operator{Rule::kTgtMemory, "file-base", "a file window elsewhere", true,
             [](Draft& draft) { target(draft).file_base ^= 64U; }, "target.file_base"},
    Operator{Rule::kTgtMemory, "file-bytes", "a longer file window", true,
             [](Draft& draft) { target(draft).file_bytes += 64U; }, "target.file_bytes"},
    Operator{Rule::kTgtTraceRegion, "size", "another trace region", true,
             [](Draft& draft) { target(draft).trace_region_bytes ^= 64U; }, "target.trace_region_bytes"},
    Operator{Rule::kTgtClock, "frequency", "another clock", true, [](Draft& draft) { target(draft).clock_khz += 1U; },
             "target.clock_khz"},
    Operator{Rule::kTgtClock, "core", "a clock that is that of a core", true,
             [](Draft& draft) { target(draft).core_khz += 1U; }, "target.core_khz"},
    Operator{Rule::kTgtClock, "instruction", "a core with other cycles for an instruction", true,
             [](Draft& draft) { target(draft).millicycles_per_instruction += 1U; },
             "target.millicycles_per_instruction"},
    Operator{Rule::kTgtQueues, "count", "another number of queues", true,
             [](Draft& draft) { target(draft).queue_count ^= 3U; }, "target.queue_count"},
    Operator{Rule::kTgtQueues, "ring", "longer rings", true, [](Draft& draft) { target(draft).ring_words *= 2U; },
             "target.ring_words"},
    Operator{Rule::kTgtGrid, "columns", "another grid", true, [](Draft& draft) { target(draft).grid_columns += 1U; },
             "target.grid_columns"},
    Operator{Rule::kTgtGrid, "rows", "another number of rows", true,
             [](Draft& draft) { target(draft).grid_rows += 1U; }, "target.grid_rows"},
    Operator{Rule::kTgtGrid, "banks", "another number of DRAM banks", true,
             [](Draft& draft) { target(draft).dram_banks += 1U; }, "target.dram_banks"},
    Operator{Rule::kTgtAttestation, "other", "a device that attests more or less", true,
             [](Draft& draft) {
                 target(draft).attestation =
                     (target(draft).attestation == Attestation::kNothing) ? Attestation::kCount : Attestation::kNothing;
             },
             "target.attestation"},
    Operator{Rule::kTgtCosts, "other", "costs of another kind", true,
             [](Draft& draft) {
                 target(draft).costs =
                     (target(draft).costs == CostKind::kUpperBound) ? CostKind::kExact : CostKind::kUpperBound;
             },
             "target.costs"},
    Operator{Rule::kTgtCosts, "model", "costs of another model", true,
             [](Draft& draft) { target(draft).cost_model += 1U; }, "target.cost_model"},
    Operator{Rule::kTgtWeightsLayout, "number", "weights that lie in another way", true,
             [](Draft& draft) { target(draft).weights_layout += 1U; }, "target.weights_layout"},
    Operator{Rule::kTgtProfile, "larger", "a runtime with the largest capacities", true, take_largest_profile,
             "target.profile"},
    Operator{Rule::kTgtMesh, "none", "a mesh without rows", false, [](Draft& draft) { target(draft).mesh_rows = 0U; },
             "target.mesh_rows"},
    Operator{Rule::kTgtMesh, "beyond", "a mesh of more devices than a session drives", true,
             [](Draft& draft) {
                 target(draft).mesh_columns = (draft.device().capacities->mesh_devices / target(draft).mesh_rows) + 1U;
             },
             "target.mesh_rows"},
};

}  // namespace

Span<const Operator> target_operators() {
    return kTargetOperators;
}

}  // namespace pianola::mutate
