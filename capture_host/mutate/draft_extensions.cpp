// Extensions of a draft's workload, for files without a place at which a rule could be broken.
#include <fmt/format.h>

#include <algorithm>

#include "capture_host/mutate/draft.h"
#include "capture_host/mutate/file_bytes.h"

namespace pianola::mutate {
namespace {

using capture::ManifestCommand;
using capture::ManifestRegion;

constexpr std::uint8_t kFillValue = 0x5AU;  // of added outputs

std::uint64_t end_of(const ManifestRegion& region) {
    return std::uint64_t{region.base} + region.size_bytes;
}

}  // namespace

Draft::Gap Draft::find_gap(std::uint32_t size_bytes) const {
    struct Memory {
        MemoryKind kind;
        std::uint64_t base;
        std::uint64_t end;
    };
    const DeviceDescription& of = device();
    const std::array<Memory, 2> memories{
        {{MemoryKind::kDram, of.dram_base, (std::uint64_t{of.dram_base} + of.dram_bytes) - of.trace_region_bytes},
         {MemoryKind::kL1, of.l1_base, std::uint64_t{of.l1_base} + of.l1_bytes}}};
    std::vector<ManifestRegion> regions = manifest_.regions;
    std::sort(regions.begin(), regions.end(),
              [](const ManifestRegion& left, const ManifestRegion& right) { return left.base < right.base; });
    for (const Memory& memory : memories) {
        std::uint64_t at = memory.base;
        for (const ManifestRegion& region : regions) {
            const bool meets = (region.base < (at + size_bytes)) && (end_of(region) > at);
            at = meets ? align_up(end_of(region)) : at;
        }
        if ((at + size_bytes) <= memory.end) {
            return {memory.kind, static_cast<std::uint32_t>(at)};
        }
    }
    throw NotApplicable{fmt::format("the device has no {} bytes that no region has", size_bytes)};
}

std::uint32_t Draft::add_region(const std::string& name, RegionKind kind, std::uint32_t size_bytes) {
    if (manifest_.regions.size() >= kMaxRegions) {
        throw NotApplicable{fmt::format("the file has all {} regions", kMaxRegions)};
    }
    const Gap gap = find_gap(static_cast<std::uint32_t>(align_up(size_bytes)));
    manifest_.regions.push_back({name, kind, gap.memory, gap.base, size_bytes});
    return static_cast<std::uint32_t>(manifest_.regions.size() - 1U);
}

std::uint32_t Draft::add_buffer(const std::string& name, std::uint32_t region, std::uint32_t offset_bytes,
                                std::uint32_t size_bytes) {
    manifest_.buffers.push_back({name, region, offset_bytes, size_bytes});
    return static_cast<std::uint32_t>(manifest_.buffers.size() - 1U);
}

std::uint32_t Draft::add_scratch(std::uint32_t size_bytes) {
    return manifest_.regions[add_region("scratch", RegionKind::kActivation, size_bytes)].base;
}

// A vector is all inputs, then all outputs. The new tensor is the last of its list.
void Draft::extend_self_tests(std::uint32_t size_bytes, std::uint8_t value, bool is_input) {
    const std::size_t vectors_there = manifest_.self_test_origins.size();
    if (vectors_there == 0U) {
        return;
    }
    const std::size_t old_bytes = segments_.self_tests.size() / vectors_there;
    std::size_t place = old_bytes;
    if (is_input) {
        place = 0U;
        for (const capture::ManifestTensor& tensor : manifest_.inputs) {
            for (std::uint32_t i = 0U; i < tensor.buffer_count; ++i) {
                place += manifest_.buffers.at(tensor.buffer + i).size_bytes;
            }
        }
        place -= size_bytes;  // the new one is in the list already
    }
    Bytes vectors;
    for (std::size_t i = 0U; i < vectors_there; ++i) {
        const auto first = segments_.self_tests.begin() + static_cast<std::ptrdiff_t>(i * old_bytes);
        vectors.insert(vectors.end(), first, first + static_cast<std::ptrdiff_t>(place));
        vectors.insert(vectors.end(), size_bytes, value);
        vectors.insert(vectors.end(), first + static_cast<std::ptrdiff_t>(place),
                       first + static_cast<std::ptrdiff_t>(old_bytes));
    }
    segments_.self_tests = vectors;
}

std::uint32_t Draft::add_tensor(RegionKind kind, std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const bool is_input = kind == RegionKind::kInput;
    const std::string name = is_input ? "added input" : "added output";
    std::vector<capture::ManifestTensor>& list = is_input ? manifest_.inputs : manifest_.outputs;
    const std::uint32_t most = is_input ? kMaxInputs : kMaxOutputs;
    if (list.size() >= most) {
        throw NotApplicable{fmt::format("the file has all {} {}puts", most, is_input ? "in" : "out")};
    }
    const std::uint32_t size_bytes = buffers * buffer_bytes;
    const std::uint32_t region = add_region(name, kind, size_bytes);
    const auto first = static_cast<std::uint32_t>(manifest_.buffers.size());
    for (std::uint32_t i = 0U; i < buffers; ++i) {
        static_cast<void>(add_buffer(name, region, i * buffer_bytes, buffer_bytes));
    }
    list.push_back({name, first, ElementType::kInt8, {size_bytes}, 1.0F, 0, buffers});
    extend_self_tests(size_bytes, is_input ? std::uint8_t{0U} : kFillValue, is_input);
    return static_cast<std::uint32_t>(list.size() - 1U);
}

std::uint32_t Draft::add_input(std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const std::uint32_t index = add_tensor(RegionKind::kInput, buffers, buffer_bytes);
    const ManifestCommand write{ScriptCommandKind::kWriteInput, 0U, index, 0U};
    if (has_command(ScriptKind::kPrologue, ScriptCommandKind::kWriteInput)) {
        auto& prologue = commands(ScriptKind::kPrologue);
        prologue.insert(prologue.begin(), write);
    }
    auto& step = commands(ScriptKind::kStep);
    step.insert(step.begin(), write);
    return index;
}

std::uint32_t Draft::add_output(std::uint32_t buffers, std::uint32_t buffer_bytes) {
    const std::uint32_t index = add_tensor(RegionKind::kOutput, buffers, buffer_bytes);
    static_cast<void>(append_commands(fill(manifest_.regions.back().base, buffers * buffer_bytes, kFillValue)));
    const std::uint32_t replay = main_replay();
    auto& step = commands(ScriptKind::kStep);
    const ManifestCommand read{ScriptCommandKind::kReadOutput, step.at(replay).queue, index, 0U};
    step.insert(step.begin() + static_cast<std::ptrdiff_t>(replay) + 1, read);
    if (has_command(ScriptKind::kEpilogue, ScriptCommandKind::kReadOutput)) {
        commands(ScriptKind::kEpilogue).push_back(read);
    }
    return index;
}

std::uint32_t Draft::add_weights() {
    const std::uint32_t region = add_region("added weights", RegionKind::kWeights, kFileAlignmentBytes);
    const std::uint32_t buffer = add_buffer("added weights", region, 0U, kFileAlignmentBytes);
    const auto offset = static_cast<std::uint32_t>(segments_.weights.size());
    segments_.weights.resize(offset + kFileAlignmentBytes);
    auto& setup = commands(ScriptKind::kSetup);
    setup.push_back({ScriptCommandKind::kWriteBuffer, 0U, buffer, offset});
    return static_cast<std::uint32_t>(setup.size() - 1U);
}

void Draft::drop_self_tests() {
    if (!manifest_.self_test_origins.empty()) {
        manifest_.self_test_origins.clear();
        segments_.self_tests.clear();
        confirm("no self-tests");
    }
}

DeviceRange Draft::require_mesh() const {
    const capture::ManifestTarget& target = manifest_.target;
    if ((target.mesh_rows * target.mesh_columns) < 2U) {
        throw NotApplicable{"the file is for one device"};
    }
    return {0U, 0U, static_cast<std::uint8_t>(target.mesh_rows), static_cast<std::uint8_t>(target.mesh_columns)};
}

void Draft::give_to(ScriptCommandKind kind, std::uint32_t object, const DeviceRange& devices) {
    for (capture::ManifestScript& script : manifest_.scripts) {
        for (ManifestCommand& command : script.commands) {
            if ((command.kind == kind) && (command.object == object)) {
                command.devices = devices;
            }
        }
    }
}

capture::ManifestTensor& Draft::first_tensor() {
    if (manifest_.inputs.empty() && manifest_.outputs.empty()) {
        throw NotApplicable{"the file has neither inputs nor outputs"};
    }
    return manifest_.inputs.empty() ? manifest_.outputs.front() : manifest_.inputs.front();
}

}  // namespace pianola::mutate
