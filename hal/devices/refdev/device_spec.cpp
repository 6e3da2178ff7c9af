#include "hal/devices/refdev/device_spec.h"

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/kernel_library.h"

namespace pianola::refdev {

void describe(const DeviceSpec& spec, DeviceDescription& description) noexcept {
    description.family = &kDeviceFamily[0];
    description.command_set_id = kCommandSetId;
    description.command_set_version = kCommandSetVersion;
    kernel_library_hash(description.kernel_library);
    description.dram_base = spec.dram_base;
    description.dram_bytes = spec.dram_bytes;
    description.l1_base = spec.l1_base;
    description.l1_bytes = spec.l1_bytes;
    description.file_base = spec.file_base;
    description.file_bytes = spec.file_bytes;
    description.trace_region_bytes = spec.trace_region_bytes;
    description.clock_khz = spec.clock_khz;
    description.core_khz = spec.core_khz;
    description.millicycles_per_instruction = spec.millicycles_per_instruction;
    description.queue_count = spec.queue_count;
    description.ring_words = kRingWords;
    description.grid_columns = spec.grid_columns;
    description.grid_rows = spec.grid_rows;
    description.dram_banks = spec.dram_banks;
    description.attestation = Attestation::kDigest;
    description.costs = spec.cost_model->kind;
    description.cost_model = spec.cost_model->number;
    description.weights_layout = kWeightsLayout;
    description.capacities = spec.capacities;
}

}  // namespace pianola::refdev
