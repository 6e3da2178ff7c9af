#include <algorithm>
#include <limits>
#include <utility>

#include "hal/host/device_numbers.h"
#include "pianola/slice_check.h"
#include "tests/runtime/rule_case.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using capture::Manifest;
using capture::ManifestTarget;
using schema::TraceBinary;

constexpr std::uint32_t kSizeOfChecks = kSegmentTableOffset + (4U * kSegmentEntryBytes) + 8U;

std::uint32_t start_of_checks(const std::vector<std::uint8_t>& file) {
    return segment_offset(file, 4U);
}

RuleCase target_case(Rule rule, const char* path, const std::function<void(ManifestTarget&)>& edit) {
    return {rule, "another value", path, table({{TraceBinary::VT_TARGET}}),
            manifest_edit([edit](Manifest& manifest) { edit(manifest.target); })};
}

RuleCase region_case(Rule rule, const char* what, const char* path, std::uint32_t index,
                     const std::function<void(capture::ManifestRegion&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_REGIONS, index}}),
            manifest_edit([index, edit](Manifest& manifest) { edit(manifest.regions.at(index)); })};
}

RuleCase buffer_case(const char* what, const char* path, const std::function<void(capture::ManifestBuffer&)>& edit) {
    return {Rule::kLayBuffer, what, path, table({{TraceBinary::VT_BUFFERS, 1U}}),
            manifest_edit([edit](Manifest& manifest) { edit(manifest.buffers.at(1U)); })};
}

RuleCase input_case(Rule rule, const char* what, const char* path,
                    const std::function<void(capture::ManifestTensor&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_INPUTS, 0U}}),
            manifest_edit([edit](Manifest& manifest) { edit(manifest.inputs.at(0U)); })};
}

RuleCase kernel_case(Rule rule, const char* what, const char* path, std::uint32_t index,
                     const std::function<void(std::vector<capture::ManifestKernel>&)>& edit) {
    return {rule, what, path, table({{TraceBinary::VT_TARGET}, {schema::Target::VT_KERNELS, index}}),
            manifest_edit([edit](Manifest& manifest) { edit(manifest.target.kernels); })};
}

// Binary and device agree on a core's clock that does not give the device's, 500 MHz.
RuleCase core_clock_case(const char* what, std::uint32_t core_khz, std::uint32_t millicycles) {
    return {Rule::kTgtClock, what, "target.core_khz", table({{TraceBinary::VT_TARGET}}),
            workload_edit([=](Workload& workload, DeviceDescription& device) {
                device.core_khz = core_khz;
                device.millicycles_per_instruction = millicycles;
                copy_sizes(device, workload.manifest.target);
            })};
}

std::vector<RuleCase> target_cases() {
    return {
        target_case(Rule::kTgtFamily, "target.device_family", [](auto& target) { target.device_family += "x"; }),
        target_case(Rule::kTgtFamily, "target.device_family", [](auto& target) { target.device_family.pop_back(); }),
        target_case(Rule::kTgtCommandSet, "target.command_set_id", [](auto& target) { target.command_set_id ^= 1U; }),
        target_case(Rule::kTgtCommandSet, "target.command_set_version",
                    [](auto& target) { target.command_set_version += 1U; }),
        target_case(Rule::kTgtKernelLibrary, "target.kernel_library",
                    [](auto& target) { target.kernel_library.back() ^= 1U; }),
        kernel_case(Rule::kTgtKernel, "another version", "target.kernels[0].version", 0U,
                    [](auto& kernels) { kernels[0].identity.version += 1U; }),
        kernel_case(Rule::kTgtKernel, "version 0", "target.kernels[1].version", 1U,
                    [](auto& kernels) { kernels[1].identity.version = 0U; }),
        kernel_case(Rule::kTgtKernel, "an argument less", "target.kernels[1].argument_words", 1U,
                    [](auto& kernels) { kernels[1].identity.argument_words -= 1U; }),
        kernel_case(Rule::kTgtKernel, "other costs", "target.kernels[0].cost_version", 0U,
                    [](auto& kernels) { kernels[0].identity.cost_version += 1U; }),
        kernel_case(Rule::kTgtKernel, "not in the ROM", "target.kernels[2].id", 2U,
                    [](auto& kernels) { kernels.push_back({UINT32_MAX, KernelIdentity{1U, 1U, 1U}}); }),
        kernel_case(Rule::kTgtKernelOrder, "id 0", "target.kernels[0].id", 0U,
                    [](auto& kernels) { kernels[0].id = 0U; }),
        kernel_case(Rule::kTgtKernelOrder, "exchanged", "target.kernels[1].id", 1U,
                    [](auto& kernels) { std::swap(kernels[0], kernels[1]); }),
        kernel_case(Rule::kTgtKernelOrder, "twice", "target.kernels[2].id", 2U,
                    [](auto& kernels) { kernels.push_back(kernels.back()); }),
        target_case(Rule::kTgtMemory, "target.dram_base", [](auto& target) { target.dram_base += 64U; }),
        target_case(Rule::kTgtMemory, "target.dram_bytes", [](auto& target) { target.dram_bytes -= 64U; }),
        target_case(Rule::kTgtMemory, "target.l1_base", [](auto& target) { target.l1_base = 0U; }),
        target_case(Rule::kTgtMemory, "target.l1_bytes", [](auto& target) { target.l1_bytes += 64U; }),
        target_case(Rule::kTgtTraceRegion, "target.trace_region_bytes",
                    [](auto& target) { target.trace_region_bytes *= 2U; }),
        target_case(Rule::kTgtClock, "target.clock_khz", [](auto& target) { target.clock_khz = 0U; }),
        target_case(Rule::kTgtClock, "target.core_khz", [](auto& target) { target.core_khz = target.clock_khz; }),
        target_case(Rule::kTgtClock, "target.millicycles_per_instruction",
                    [](auto& target) { target.millicycles_per_instruction = 1000U; }),
        core_clock_case("a cycle too many for an instruction", 500'000U, 1001U),
        core_clock_case("a kHz too few", 499'999U, 1000U),
        core_clock_case("a kHz too many", 500'001U, 1000U),
        core_clock_case("a core without cycles", 500'000U, 0U),
        core_clock_case("cycles without a core", 0U, 1000U),
        core_clock_case("the largest numbers", UINT32_MAX, UINT32_MAX),
        target_case(Rule::kTgtQueues, "target.queue_count", [](auto& target) { target.queue_count = 1U; }),
        target_case(Rule::kTgtQueues, "target.ring_words", [](auto& target) { target.ring_words *= 2U; }),
        target_case(Rule::kTgtGrid, "target.grid_columns", [](auto& target) { target.grid_columns += 1U; }),
        target_case(Rule::kTgtGrid, "target.grid_rows", [](auto& target) { target.grid_rows = 0U; }),
        target_case(Rule::kTgtGrid, "target.dram_banks", [](auto& target) { target.dram_banks *= 2U; }),
        target_case(Rule::kTgtAttestation, "target.attestation",
                    [](auto& target) { target.attestation = Attestation::kCount; }),
        target_case(Rule::kTgtCosts, "target.costs", [](auto& target) { target.costs = CostKind::kNotPublished; }),
        target_case(Rule::kTgtCosts, "target.cost_model", [](auto& target) { target.cost_model += 1U; }),
        target_case(Rule::kTgtWeightsLayout, "target.weights_layout", [](auto& target) { target.weights_layout = 0U; }),
        target_case(Rule::kTgtProfile, "target.profile",
                    [](auto& target) { target.profile = CapacityProfile::kDefault; }),
        target_case(Rule::kTgtMesh, "target.mesh_rows", [](auto& target) { target.mesh_columns = 0U; }),
        target_case(Rule::kTgtMesh, "target.mesh_rows", [](auto& target) { target.mesh_rows = kMaxMeshDevices + 1U; }),
        target_case(Rule::kTgtMesh, "target.mesh_rows",
                    [](auto& target) {
                        target.mesh_rows = 16U;
                        target.mesh_columns = 16U;  // 256: no byte
                    }),
        {Rule::kTgtMemory, "a device whose costs have no model", "target", table({{TraceBinary::VT_TARGET}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.cost_model = 0U;
             workload.manifest.target.cost_model = 0U;
         })},
        {Rule::kTgtMemory, "a device whose weights lie in no known way", "target", table({{TraceBinary::VT_TARGET}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.weights_layout = 0U;
             workload.manifest.target.weights_layout = 0U;
         })},
        {Rule::kTgtMemory, "a device with more cores than the runtime holds", "target",
         table({{TraceBinary::VT_TARGET}}), workload_edit([](Workload& workload, DeviceDescription& device) {
             device.grid_columns = (kMaxCores / 2U) + 1U;
             device.grid_rows = 2U;
             workload.manifest.target.grid_columns = device.grid_columns;
         })},
        {Rule::kTgtMemory, "a device without cores", "target", table({{TraceBinary::VT_TARGET}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.grid_rows = 0U;
             workload.manifest.target.grid_rows = 0U;
         })},
        {Rule::kTgtMemory, "a device whose clock stands still", "target", table({{TraceBinary::VT_TARGET}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.clock_khz = 0U;
             workload.manifest.target.clock_khz = 0U;
         })},
        {Rule::kTgtMemory, "a device whose memory wraps round", "target", table({{TraceBinary::VT_TARGET}}),
         workload_edit([](Workload& workload, DeviceDescription& device) {
             device.dram_bytes = 0x8000'0000U;
             workload.manifest.target.dram_bytes = device.dram_bytes;
         })},
        {Rule::kTgtMemory, "a device with more queues than the runtime holds", "target",
         table({{TraceBinary::VT_TARGET}}), workload_edit([](Workload& workload, DeviceDescription& device) {
             device.queue_count = kMaxQueues + 1U;
             workload.manifest.target.queue_count = device.queue_count;
         })},
    };
}

std::vector<RuleCase> region_cases() {
    return {
        region_case(Rule::kLayRegionAlignment, "misaligned", "regions[1].base", 1U,
                    [](auto& region) { region.base += 4U; }),
        region_case(Rule::kLayRegionAlignment, "empty", "regions[1].base", 1U,
                    [](auto& region) { region.size_bytes = 0U; }),
        region_case(Rule::kLayRegionBounds, "a byte longer than L1", "regions[3].size_bytes", 3U,
                    [](auto& region) { region.size_bytes = (256U * 1024U) + 1U; }),
        region_case(Rule::kLayRegionBounds, "reaches into the trace region", "regions[2].size_bytes", 2U,
                    [](auto& region) { region.size_bytes = 4U * 1024U * 1024U; }),
        region_case(Rule::kLayRegionBounds, "below DRAM", "regions[2].size_bytes", 2U,
                    [](auto& region) { region.base = 0x7FFF'FFC0U; }),
        region_case(Rule::kLayRegionBounds, "wraps round the address space", "regions[2].size_bytes", 2U,
                    [](auto& region) { region.base = 0xFFFF'FFC0U; }),
        region_case(Rule::kLayRegionBounds, "in the other memory", "regions[2].size_bytes", 2U,
                    [](auto& region) { region.memory = MemoryKind::kL1; }),
        {Rule::kLayRegionOverlap, "share their last byte", "regions[2].base", table({{TraceBinary::VT_REGIONS, 2U}}),
         manifest_edit([](Manifest& manifest) {
             manifest.regions[1].size_bytes = (manifest.regions[2].base - manifest.regions[1].base) + 1U;
         })},
        region_case(Rule::kLayTraceRegion, "at another place", "regions[4].base", 4U,
                    [](auto& region) { region.base -= 64U; }),
        region_case(Rule::kLayTraceRegion, "of another size", "regions[4].base", 4U,
                    [](auto& region) { region.size_bytes -= 64U; }),
        region_case(Rule::kLayTraceRegion, "in L1", "regions[4].base", 4U,
                    [](auto& region) { region.memory = MemoryKind::kL1; }),
        {Rule::kLayTraceRegion, "none", "regions", manifest_start(),
         manifest_edit([](Manifest& manifest) { manifest.regions.pop_back(); })},
    };
}

std::vector<RuleCase> tensor_cases() {
    return {
        buffer_case("empty", "buffers[1].size_bytes", [](auto& buffer) { buffer.size_bytes = 0U; }),
        buffer_case("a byte too long", "buffers[1].size_bytes", [](auto& buffer) { buffer.size_bytes += 1U; }),
        buffer_case("wraps round", "buffers[1].size_bytes", [](auto& buffer) { buffer.offset_bytes = UINT32_MAX; }),
        buffer_case("in no region", "buffers[1].region", [](auto& buffer) { buffer.region = 5U; }),
        input_case(Rule::kLayTensorRegion, "an input in the outputs", "inputs[0].buffer",
                   [](auto& tensor) { tensor.buffer = 2U; }),
        input_case(Rule::kLayTensorSize, "too small", "inputs[0].shape",
                   [](auto& tensor) { tensor.shape = {kWorkloadBytes - 1U}; }),
        input_case(Rule::kLayTensorSize, "a zero", "inputs[0].shape", [](auto& tensor) { tensor.shape[0] = 0U; }),
        input_case(Rule::kLayTensorSize, "right modulo 2^32", "inputs[0].shape",
                   [](auto& tensor) { tensor.shape = {0x1000'0000U + (kWorkloadBytes / 16U), 16U}; }),
        input_case(Rule::kLayTensorSize, "another type", "inputs[0].shape",
                   [](auto& tensor) { tensor.type = ElementType::kInt16; }),
        input_case(Rule::kLayPlacement, "in pieces on one device", "inputs[0].devices",
                   [](auto& tensor) { tensor.placement = Placement::kSharded; }),
        input_case(Rule::kLayPlacement, "on no device", "inputs[0].devices",
                   [](auto& tensor) { tensor.devices.columns = 0U; }),
        input_case(Rule::kLayPlacement, "in the row behind the mesh", "inputs[0].devices",
                   [](auto& tensor) { tensor.devices.row = 1U; }),
        input_case(Rule::kLayPlacement, "on two devices of one", "inputs[0].devices",
                   [](auto& tensor) { tensor.devices.columns = 2U; }),
        input_case(Rule::kLayQuantisation, "not a number", "inputs[0].scale",
                   [](auto& tensor) { tensor.scale = std::numeric_limits<float>::quiet_NaN(); }),
        input_case(Rule::kLayQuantisation, "infinite", "inputs[0].scale",
                   [](auto& tensor) { tensor.scale = std::numeric_limits<float>::infinity(); }),
        input_case(Rule::kLayQuantisation, "negative", "inputs[0].scale", [](auto& tensor) { tensor.scale = -1.0F; }),
        input_case(Rule::kLayQuantisation, "zero point above int8", "inputs[0].scale",
                   [](auto& tensor) { tensor.zero_point = 128; }),
        input_case(Rule::kLayQuantisation, "zero point of a bool", "inputs[0].scale",
                   [](auto& tensor) { tensor.type = ElementType::kBool; }),
        input_case(Rule::kLayQuantisation, "zero point of a bfloat16", "inputs[0].scale",
                   [](auto& tensor) {
                       tensor.type = ElementType::kBfloat16;
                       tensor.shape = {kWorkloadBytes / 2U};
                       tensor.zero_point = 1;
                   }),
        input_case(Rule::kLayTensorSize, "no buffer", "inputs[0].buffer_count",
                   [](auto& tensor) { tensor.buffer_count = 0U; }),
        input_case(Rule::kLayTensorSize, "more buffers than a session moves", "inputs[0].buffer_count",
                   [](auto& tensor) { tensor.buffer_count = kMaxTensorBuffers + 1U; }),
        input_case(Rule::kLayTensorRegion, "a second buffer in the outputs", "inputs[0].buffer",
                   [](auto& tensor) { tensor.buffer_count = 2U; }),
        {Rule::kLayTensorSize, "a byte more in two buffers", "inputs[0].shape", table({{TraceBinary::VT_INPUTS, 0U}}),
         manifest_edit([](Manifest& manifest) {
             manifest.buffers.push_back({"half", 1U, 0U, kWorkloadBytes / 2U});
             manifest.buffers.push_back({"half", 1U, kWorkloadBytes / 2U, kWorkloadBytes / 2U});
             manifest.inputs[0].buffer = 4U;
             manifest.inputs[0].buffer_count = 2U;
             manifest.inputs[0].shape = {kWorkloadBytes + 1U};
         })},
        {Rule::kLayTensorOverlap, "two buffers of one input share a byte", "inputs[0].buffer",
         table({{TraceBinary::VT_INPUTS, 0U}}), manifest_edit([](Manifest& manifest) {
             manifest.buffers.push_back({"half", 1U, 0U, kWorkloadBytes / 2U});
             manifest.buffers.push_back({"half", 1U, (kWorkloadBytes / 2U) - 1U, kWorkloadBytes / 2U});
             manifest.inputs[0].buffer = 4U;
             manifest.inputs[0].buffer_count = 2U;
         })},
        {Rule::kLayTensorOverlap, "two inputs in one buffer", "inputs[1].buffer", table({{TraceBinary::VT_INPUTS, 1U}}),
         manifest_edit([](Manifest& manifest) { manifest.inputs.push_back(manifest.inputs[0]); })},
        {Rule::kLayTensorOverlap, "two outputs share a byte", "outputs[1].buffer",
         table({{TraceBinary::VT_OUTPUTS, 1U}}), manifest_edit([](Manifest& manifest) {
             manifest.regions[2].size_bytes += kWorkloadBytes;
             manifest.buffers.push_back({"second", 2U, kWorkloadBytes - 1U, kWorkloadBytes});
             manifest.outputs.push_back(manifest.outputs[0]);
             manifest.outputs[1].buffer = 4U;
             manifest.regions[3].base += 1024U;
         })},
        {Rule::kLaySelfTest, "a vector that is not there", "self_test_origins", manifest_start(),
         manifest_edit([](Manifest& manifest) { manifest.self_test_origins = {SelfTestOrigin::kCaptured}; })},
        {Rule::kLayCheck, "the first check", "checks[0]", start_of_checks,
         bytes_edit([](auto& file) { file.at(start_of_checks(file)) ^= 1U; })},
        {Rule::kLayCheck, "the last check", "checks[1]",
         [](const auto& file) { return start_of_checks(file) + kCheckBytes; },
         bytes_edit([](auto& file) { file.at(start_of_checks(file) + (2U * kCheckBytes) - 1U) ^= 0x80U; })},
        {Rule::kLayCheck, "one check too few", "checks[1]",
         [](const auto& file) { return start_of_checks(file) + kCheckBytes; }, bytes_edit([](auto& file) {
             std::fill_n(file.begin() + start_of_checks(file) + kCheckBytes, kCheckBytes, std::uint8_t{0U});
             store32(file, kSizeOfChecks, kCheckBytes);
         })},
        {Rule::kLayCheck, "half a check too much", "checks[2]",
         [](const auto& file) { return start_of_checks(file) + (2U * kCheckBytes); },
         bytes_edit([](auto& file) { store32(file, kSizeOfChecks, (2U * kCheckBytes) + (kCheckBytes / 2U)); })},
        {Rule::kLaySelfTest, "bytes of no vector", "self_test_origins", manifest_start(),
         workload_edit([](Workload& workload, DeviceDescription&) { workload.segments.self_tests.resize(10U); })},
    };
}

}  // namespace

std::vector<RuleCase> layout_cases() {
    std::vector<RuleCase> cases = target_cases();
    for (const auto& more : {region_cases(), tensor_cases()}) {
        cases.insert(cases.end(), more.begin(), more.end());
    }
    return cases;
}

}  // namespace pianola::test
