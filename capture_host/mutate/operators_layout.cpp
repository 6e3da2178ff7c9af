// Regions, buffers, tensors and self-tests.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "capture_host/mutate/operators.h"

namespace pianola::mutate {
namespace {

using capture::ManifestRegion;
using capture::ManifestTensor;

constexpr std::uint32_t kBlock = kFileAlignmentBytes;

// A region that nothing uses, where it may lie.
ManifestRegion& add_spare(Draft& draft) {
    const std::uint32_t region = draft.add_region("spare", RegionKind::kActivation, kBlock);
    draft.confirm("a region");
    return draft.manifest().regions[region];
}

void expect_region(Draft& draft, const char* field) {
    draft.expect_path(fmt::format("regions[{}].{}", draft.manifest().regions.size() - 1U, field));
}

void place_outside(Draft& draft) {
    ManifestRegion& spare = add_spare(draft);
    const DeviceDescription& device = draft.device();
    const bool in_dram = spare.memory == MemoryKind::kDram;
    // The last block of the address space is in no memory: memories end below it.
    spare.base = UINT32_MAX - (kBlock - 1U);
    const std::uint64_t end = in_dram ? (std::uint64_t{device.dram_base} + device.dram_bytes)
                                      : (std::uint64_t{device.l1_base} + device.l1_bytes);
    if (end > spare.base) {
        throw NotApplicable{"the device's memory reaches to the end of the address space"};
    }
    expect_region(draft, "size_bytes");
}

std::vector<Operator> region_operators() {
    return {
        {Rule::kLayRegionAlignment, "misaligned", "an unused region four bytes behind an aligned address", true,
         [](Draft& draft) {
             add_spare(draft).base += 4U;
             expect_region(draft, "base");
         }},
        {Rule::kLayRegionAlignment, "empty", "an unused region without bytes", true,
         [](Draft& draft) {
             add_spare(draft).size_bytes = 0U;
             expect_region(draft, "base");
         }},
        {Rule::kLayRegionBounds, "outside", "an unused region outside its memory", true, place_outside},
        {Rule::kLayRegionBounds, "other-memory", "the first region says that it lies in the other memory", false,
         [](Draft& draft) {
             ManifestRegion& region = draft.manifest().regions.front();
             if (region.kind == RegionKind::kTrace) {
                 throw NotApplicable{"the first region is the trace region"};
             }
             region.memory = (region.memory == MemoryKind::kL1) ? MemoryKind::kDram : MemoryKind::kL1;
             draft.expect_path("regions[0].size_bytes");
         }},
        {Rule::kLayRegionOverlap, "the-same-bytes", "an unused region on the bytes of another", true,
         [](Draft& draft) {
             ManifestRegion& spare = add_spare(draft);
             const auto& regions = draft.manifest().regions;
             const auto other = std::find_if(regions.begin(), regions.end(), [](const ManifestRegion& region) {
                 return region.kind != RegionKind::kTrace;
             });
             spare.memory = other->memory;
             spare.base = other->base;
             expect_region(draft, "base");
         }},
        {Rule::kLayTraceRegion, "second", "a second trace region, where the device has none", true,
         [](Draft& draft) {
             add_spare(draft).kind = RegionKind::kTrace;
             expect_region(draft, "base");
         }},
        {Rule::kLayTraceRegion, "none", "no trace region", false,
         [](Draft& draft) {
             auto& regions = draft.manifest().regions;
             if (regions.back().kind != RegionKind::kTrace) {
                 throw NotApplicable{"the trace region is not the last: without it, others would have other indices"};
             }
             regions.pop_back();
             draft.expect_path("regions");
         }},
    };
}

capture::ManifestBuffer& add_spare_buffer(Draft& draft) {
    const std::uint32_t buffer = draft.add_buffer("spare", 0U, 0U, 1U);
    draft.confirm("a buffer");
    return draft.manifest().buffers[buffer];
}

void expect_buffer(Draft& draft, const char* field) {
    draft.expect_path(fmt::format("buffers[{}].{}", draft.manifest().buffers.size() - 1U, field));
}

std::vector<Operator> buffer_operators() {
    return {
        {Rule::kLayBuffer, "empty", "an unused buffer without bytes", true,
         [](Draft& draft) {
             add_spare_buffer(draft).size_bytes = 0U;
             expect_buffer(draft, "size_bytes");
         }},
        {Rule::kLayBuffer, "too-long", "an unused buffer that is a byte longer than its region", true,
         [](Draft& draft) {
             add_spare_buffer(draft).size_bytes = draft.manifest().regions.front().size_bytes + 1U;
             expect_buffer(draft, "size_bytes");
         }},
        {Rule::kLayBuffer, "wraps-round", "an unused buffer whose end wraps round 32 bits", true,
         [](Draft& draft) {
             add_spare_buffer(draft).offset_bytes = UINT32_MAX;
             expect_buffer(draft, "size_bytes");
         }},
        {Rule::kLayBuffer, "no-region", "an unused buffer in a region that is not there", true,
         [](Draft& draft) {
             add_spare_buffer(draft).region = static_cast<std::uint32_t>(draft.manifest().regions.size());
             expect_buffer(draft, "region");
         }},
    };
}

// The first input; the first output of a file without inputs. Without self-tests, whose bytes would have to fit as
// well.
ManifestTensor& tensor_without_self_tests(Draft& draft, std::string& path) {
    capture::Manifest& manifest = draft.manifest();
    if (manifest.self_test_count != 0U) {
        draft.drop_self_tests();
        draft.confirm("no self-tests");
    }
    if (manifest.inputs.empty() && manifest.outputs.empty()) {
        throw NotApplicable{"the file has neither inputs nor outputs"};
    }
    path = manifest.inputs.empty() ? "outputs[0]" : "inputs[0]";
    return manifest.inputs.empty() ? manifest.outputs.front() : manifest.inputs.front();
}

void grow_shape(Draft& draft) {
    std::string path;
    ManifestTensor& tensor = tensor_without_self_tests(draft, path);
    if (tensor.shape.empty()) {
        tensor.shape.push_back(2U);
    } else {
        tensor.shape.back() += 1U;
    }
    draft.expect_path(path + ".shape");
}

void without_buffers(Draft& draft) {
    std::string path;
    tensor_without_self_tests(draft, path).buffer_count = 0U;
    draft.expect_path(path + ".buffer_count");
}

void change_region_of_input(Draft& draft) {
    const std::uint32_t input = draft.add_input(1U, kBlock);
    draft.confirm("an input");
    draft.manifest().regions.back().kind = RegionKind::kActivation;
    draft.expect_path(fmt::format("inputs[{}].buffer", input));
}

// Written right behind the one whose bytes it has.
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
    if (manifest.self_test_count != 0U) {
        draft.drop_self_tests();
        draft.confirm("no self-tests");
    }
    const auto index = static_cast<std::uint32_t>(manifest.inputs.size());
    const ManifestTensor again = manifest.inputs.front();
    manifest.inputs.push_back(again);
    for (capture::ManifestScript& script : manifest.scripts) {
        repeat_write(script.commands, index);
    }
    draft.settle();
    draft.expect_path(fmt::format("inputs[{}].buffer", index));
}

void set_scale(Draft& draft, float scale) {
    std::string path;
    tensor_without_self_tests(draft, path).scale = scale;
    draft.expect_path(path + ".scale");
}

std::vector<Operator> tensor_operators() {
    return {
        {Rule::kLayTensorRegion, "activation", "an input in a region for activations", true, change_region_of_input},
        {Rule::kLayTensorSize, "shape", "a shape that is larger than the buffer", true, grow_shape},
        {Rule::kLayTensorSize, "no-buffer", "a tensor in no buffer", false, without_buffers},
        {Rule::kLayTensorOverlap, "the-same-bytes", "a second input on the bytes of the first", true, repeat_input},
        {Rule::kLayPlacement, "in-pieces", "an output in pieces on one device", true,
         [](Draft& draft) {
             draft.manifest().outputs.at(0U).placement = Placement::kSharded;
             draft.expect_path("outputs[0].devices");
         }},
        {Rule::kLayPlacement, "beyond", "an output on a device that is not there", true,
         [](Draft& draft) {
             draft.manifest().outputs.at(0U).devices.row = 1U;
             draft.expect_path("outputs[0].devices");
         }},
        {Rule::kLayQuantisation, "not-a-number", "a scale that is not a number", true,
         [](Draft& draft) { set_scale(draft, std::numeric_limits<float>::quiet_NaN()); }},
        {Rule::kLayQuantisation, "infinite", "an infinite scale", true,
         [](Draft& draft) { set_scale(draft, std::numeric_limits<float>::infinity()); }},
        {Rule::kLayQuantisation, "negative", "a negative scale", true, [](Draft& draft) { set_scale(draft, -1.0F); }},
        {Rule::kLayQuantisation, "zero-point", "a zero point that no type has", true,
         [](Draft& draft) {
             std::string path;
             tensor_without_self_tests(draft, path).zero_point = std::numeric_limits<std::int32_t>::min();
             draft.expect_path(path + ".scale");
         }},
        {Rule::kLaySelfTest, "one-more", "a self-test that is not there", true,
         [](Draft& draft) {
             draft.manifest().self_test_count += 1U;
             draft.expect_path("self_test_count");
         }},
        {Rule::kLaySelfTest, "byte", "a byte behind the last self-test", true,
         [](Draft& draft) {
             draft.segments().self_tests.push_back(0U);
             draft.expect_path("self_test_count");
         }},
    };
}

}  // namespace

std::vector<Operator> layout_operators() {
    return joined({region_operators(), buffer_operators(), tensor_operators()});
}

}  // namespace pianola::mutate
