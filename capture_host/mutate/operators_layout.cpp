// Regions, buffers, tensors and self-tests.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capture_host/mutate/file_bytes.h"
#include "capture_host/mutate/operators.h"
#include "pianola/slice_check.h"

namespace pianola::mutate {
namespace {

using capture::ManifestRegion;
using capture::ManifestTensor;

// A region that nothing uses, at an allowed address.
ManifestRegion& add_spare(Draft& draft) {
    const std::uint32_t region = draft.add_region("spare", RegionKind::kActivation, kBlockBytes);
    draft.confirm("a region");
    return draft.manifest().regions[region];
}

void place_outside(Draft& draft) {
    ManifestRegion& spare = add_spare(draft);
    const DeviceDescription& device = draft.device();
    const bool in_dram = spare.memory == MemoryKind::kDram;
    // The last block of the address space is in no memory: memories end below it.
    spare.base = UINT32_MAX - (kBlockBytes - 1U);
    const std::uint64_t end = in_dram ? (std::uint64_t{device.dram_base} + device.dram_bytes)
                                      : (std::uint64_t{device.l1_base} + device.l1_bytes);
    if (end > spare.base) {
        throw NotApplicable{"the device's memory reaches to the end of the address space"};
    }
}

capture::ManifestBuffer& add_spare_buffer(Draft& draft) {
    const std::uint32_t buffer = draft.add_buffer("spare", 0U, 0U, 1U);
    draft.confirm("a buffer");
    return draft.manifest().buffers[buffer];
}

void flip_in_first_check(Draft& draft) {
    draft.edit([](Bytes& file) { flip(file, segment_of(file, SegmentKind::kChecks).offset, 1U); });
}

void append_check(Draft& draft) {
    draft.edit([](Bytes& file) { grow_segment(file, SegmentKind::kChecks, kCheckBytes); });
}

ManifestTensor& tensor_without_self_tests(Draft& draft) {
    draft.drop_self_tests();
    return draft.first_tensor();
}

void grow_shape(Draft& draft) {
    ManifestTensor& tensor = tensor_without_self_tests(draft);
    const bool is_sharded = tensor.placement == Placement::kSharded;
    const std::uint32_t pieces = is_sharded ? (std::uint32_t{tensor.devices.rows} * tensor.devices.columns) : 1U;
    if (tensor.shape.empty()) {
        tensor.shape.push_back(2U);
    } else {
        tensor.shape.back() += pieces;  // which stay equal
    }
}

void change_region_of_input(Draft& draft) {
    const std::uint32_t input = draft.add_input(1U, kBlockBytes);
    draft.confirm("an input");
    draft.manifest().regions.back().kind = RegionKind::kActivation;
    draft.expect_path(fmt::format("inputs[{}].buffer", input));
}

// Writes a second one immediately after the one with the same bytes.
void repeat_write(std::vector<capture::ManifestCommand>& commands, std::uint32_t index) {
    for (std::size_t i = 0U; i < commands.size(); ++i) {
        if ((commands[i].kind == ScriptCommandKind::kWriteInput) && (commands[i].object == 0U)) {
            capture::ManifestCommand again = commands[i];
            again.object = index;
            commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(i) + 1, again);
            return;
        }
    }
}

void repeat_input(Draft& draft) {
    capture::Manifest& manifest = draft.manifest();
    if (manifest.inputs.empty() || (manifest.inputs.size() >= kMaxInputs)) {
        throw NotApplicable{"the file has no input, or all that it may have"};
    }
    draft.drop_self_tests();
    const auto index = static_cast<std::uint32_t>(manifest.inputs.size());
    const ManifestTensor again = manifest.inputs.front();
    manifest.inputs.push_back(again);
    for (capture::ManifestScript& script : manifest.scripts) {
        repeat_write(script.commands, index);
    }
    draft.settle();
    draft.expect_path(fmt::format("inputs[{}].buffer", index));
}

// An input on one device, which a place is expected to be wrong of.
ManifestTensor& add_input(Draft& draft) {
    const std::uint32_t input = draft.add_input(1U, kBlockBytes);
    draft.confirm("an input");
    draft.expect_path(fmt::format("inputs[{}].devices", input));
    return draft.manifest().inputs.at(input);
}

// Without the commands that write it: none of them is for a device that has a part of it.
void place_beyond(Draft& draft) {
    add_input(draft).devices.row = static_cast<std::uint8_t>(draft.manifest().target.mesh_rows);
    const std::size_t input = draft.manifest().inputs.size() - 1U;
    for (capture::ManifestScript& script : draft.manifest().scripts) {
        auto& commands = script.commands;
        commands.erase(std::remove_if(commands.begin(), commands.end(),
                                      [input](const capture::ManifestCommand& command) {
                                          return (command.kind == ScriptCommandKind::kWriteInput) &&
                                                 (command.object == input);
                                      }),
                       commands.end());
    }
    draft.settle();
}

void cut_unevenly(Draft& draft) {
    const DeviceRange mesh = draft.require_mesh();
    draft.drop_self_tests();
    const std::uint32_t input = draft.add_input(1U, kBlockBytes);
    ManifestTensor& tensor = draft.manifest().inputs.at(input);
    tensor.placement = Placement::kSharded;
    tensor.devices = mesh;
    tensor.shape = {kBlockBytes * mesh.rows * mesh.columns};
    draft.give_to(ScriptCommandKind::kWriteInput, input, mesh);
    draft.confirm("an input in equal pieces");
    tensor.shape.front() += 1U;
    draft.expect_path(fmt::format("inputs[{}].devices", input));
}

void copy_output(Draft& draft) {
    const DeviceRange mesh = draft.require_mesh();
    const std::uint32_t output = draft.add_output(1U, kBlockBytes);
    draft.confirm("an output of one device");
    draft.manifest().outputs.at(output).devices = mesh;
    draft.give_to(ScriptCommandKind::kReadOutput, output, mesh);
    draft.settle();
    draft.expect_path(fmt::format("outputs[{}].devices", output));
}

constexpr std::array kLayoutOperators{
    Operator{Rule::kLayRegionAlignment, "misaligned", "an unused region four bytes behind an aligned address", true,
             [](Draft& draft) { add_spare(draft).base += 4U; }, "regions[last].base"},
    Operator{Rule::kLayRegionAlignment, "empty", "an unused region without bytes", true,
             [](Draft& draft) { add_spare(draft).size_bytes = 0U; }, "regions[last].base"},
    Operator{Rule::kLayRegionBounds, "outside", "an unused region outside its memory", true, place_outside,
             "regions[last].size_bytes"},
    Operator{Rule::kLayRegionBounds, "other-memory", "the first region says that it lies in the other memory", false,
             [](Draft& draft) {
                 ManifestRegion& region = draft.manifest().regions.front();
                 if (region.kind == RegionKind::kTrace) {
                     throw NotApplicable{"the first region is the trace region"};
                 }
                 region.memory = (region.memory == MemoryKind::kL1) ? MemoryKind::kDram : MemoryKind::kL1;
             },
             "regions[0].size_bytes"},
    Operator{Rule::kLayRegionOverlap, "the-same-bytes", "an unused region on the bytes of another", true,
             [](Draft& draft) {
                 ManifestRegion& spare = add_spare(draft);
                 const auto& regions = draft.manifest().regions;
                 const auto other = std::find_if(regions.begin(), regions.end(), [](const ManifestRegion& region) {
                     return (region.kind != RegionKind::kTrace) && (region.memory != MemoryKind::kFile);
                 });
                 spare.memory = other->memory;
                 spare.base = other->base;
             },
             "regions[last].base"},
    Operator{Rule::kLayTraceRegion, "second", "a second trace region, where the device has none", true,
             [](Draft& draft) { add_spare(draft).kind = RegionKind::kTrace; }, "regions[last].base"},
    Operator{Rule::kLayTraceRegion, "none", "no trace region", false,
             [](Draft& draft) {
                 auto& regions = draft.manifest().regions;
                 if (regions.back().kind != RegionKind::kTrace) {
                     throw NotApplicable{
                         "the trace region is not the last: without it, others would have other indices"};
                 }
                 regions.pop_back();
             },
             "regions"},
    Operator{Rule::kLayBuffer, "empty", "an unused buffer without bytes", true,
             [](Draft& draft) { add_spare_buffer(draft).size_bytes = 0U; }, "buffers[last].size_bytes"},
    Operator{
        Rule::kLayBuffer, "too-long", "an unused buffer that is a byte longer than its region", true,
        [](Draft& draft) { add_spare_buffer(draft).size_bytes = draft.manifest().regions.front().size_bytes + 1U; },
        "buffers[last].size_bytes"},
    Operator{Rule::kLayBuffer, "wraps-round", "an unused buffer whose end wraps round 32 bits", true,
             [](Draft& draft) { add_spare_buffer(draft).offset_bytes = UINT32_MAX; }, "buffers[last].size_bytes"},
    Operator{Rule::kLayBuffer, "no-region", "an unused buffer in a region that is not there", true,
             [](Draft& draft) {
                 add_spare_buffer(draft).region = static_cast<std::uint32_t>(draft.manifest().regions.size());
             },
             "buffers[last].region"},
    Operator{Rule::kLayTensorRegion, "activation", "an input in a region for activations", true,
             change_region_of_input},
    Operator{Rule::kLayTensorSize, "shape", "a shape that is larger than the buffer", true, grow_shape, "tensor.shape"},
    Operator{Rule::kLayTensorSize, "no-buffer", "a tensor in no buffer", false,
             [](Draft& draft) { tensor_without_self_tests(draft).buffer_count = 0U; }, "tensor.buffer_count"},
    Operator{Rule::kLayTensorOverlap, "the-same-bytes", "a second input on the bytes of the first", true, repeat_input},
    Operator{Rule::kLayPlacement, "in-pieces", "an input in pieces on one device", true,
             [](Draft& draft) { add_input(draft).placement = Placement::kSharded; }},
    Operator{Rule::kLayPlacement, "beyond", "an input on a device that is not there", true, place_beyond},
    Operator{Rule::kLayPlacement, "uneven", "an input in pieces that are not equal", true, cut_unevenly},
    Operator{Rule::kLayPlacement, "copies", "an output of which several devices have all", true, copy_output},
    Operator{Rule::kLayQuantisation, "not-a-number", "a scale that is not a number", true,
             [](Draft& draft) { tensor_without_self_tests(draft).scale = std::numeric_limits<float>::quiet_NaN(); },
             "tensor.scale"},
    Operator{Rule::kLayQuantisation, "infinite", "an infinite scale", true,
             [](Draft& draft) { tensor_without_self_tests(draft).scale = std::numeric_limits<float>::infinity(); },
             "tensor.scale"},
    Operator{Rule::kLayQuantisation, "negative", "a negative scale", true,
             [](Draft& draft) { tensor_without_self_tests(draft).scale = -1.0F; }, "tensor.scale"},
    Operator{
        Rule::kLayQuantisation, "zero-point", "a zero point that no type has", true,
        [](Draft& draft) { tensor_without_self_tests(draft).zero_point = std::numeric_limits<std::int32_t>::min(); },
        "tensor.scale"},
    Operator{Rule::kLayCheck, "bit", "a bit of a check", true, flip_in_first_check, "checks[0]"},
    Operator{Rule::kLayCheck, "one-more", "a check of a slice that is not there", true, append_check},
    Operator{Rule::kLaySelfTest, "one-more", "a self-test that is not there", true,
             [](Draft& draft) { draft.manifest().self_test_origins.push_back(SelfTestOrigin::kCaptured); },
             "self_test_origins"},
    Operator{Rule::kLaySelfTest, "byte", "a byte behind the last self-test", true,
             [](Draft& draft) { draft.segments().self_tests.push_back(0U); }, "self_test_origins"},
    Operator{Rule::kLayRegionFile, "activations", "an unused region for activations in the file", true,
             [](Draft& draft) { add_spare(draft).memory = MemoryKind::kFile; }, "regions[last].memory"},
    Operator{Rule::kLayRegionFile, "part", "an unused region that is no weights segment in the file", false,
             [](Draft& draft) {
                 ManifestRegion& spare = add_spare(draft);
                 spare.kind = RegionKind::kWeights;
                 spare.memory = MemoryKind::kFile;
             },
             "regions[last].size_bytes"},
};

}  // namespace

Span<const Operator> layout_operators() {
    return kLayoutOperators;
}

}  // namespace pianola::mutate
