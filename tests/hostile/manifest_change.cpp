#include <limits>

#include "tests/hostile/mutator.h"

namespace pianola::test {
namespace {

using capture::Manifest;

// Every 32-bit number of the manifest.
std::vector<std::uint32_t*> numbers_of(Manifest& manifest) {
    capture::ManifestTarget& target = manifest.target;
    std::vector<std::uint32_t*> numbers{&target.command_set_id,
                                        &target.command_set_version,
                                        &target.dram_base,
                                        &target.dram_bytes,
                                        &target.l1_base,
                                        &target.l1_bytes,
                                        &target.file_base,
                                        &target.file_bytes,
                                        &target.trace_region_bytes,
                                        &target.clock_khz,
                                        &target.queue_count,
                                        &target.ring_words,
                                        &target.mesh_rows,
                                        &target.mesh_columns,
                                        &manifest.step_deadline_us,
                                        &manifest.setup_deadline_us};
    for (auto& region : manifest.regions) {
        numbers.insert(numbers.end(), {&region.base, &region.size_bytes});
    }
    for (auto& buffer : manifest.buffers) {
        numbers.insert(numbers.end(), {&buffer.region, &buffer.offset_bytes, &buffer.size_bytes});
    }
    for (auto* const tensors : {&manifest.inputs, &manifest.outputs}) {
        for (auto& tensor : *tensors) {
            numbers.push_back(&tensor.buffer);
            for (std::uint32_t& dimension : tensor.shape) {
                numbers.push_back(&dimension);
            }
        }
    }
    for (auto& trace : manifest.traces) {
        numbers.insert(numbers.end(), {&trace.offset_bytes, &trace.word_count, &trace.command_count});
        for (auto& program : trace.programs) {
            numbers.push_back(&program.command_count);
        }
    }
    for (auto& script : manifest.scripts) {
        for (auto& command : script.commands) {
            numbers.insert(numbers.end(), {&command.queue, &command.object, &command.segment_offset});
        }
    }
    return numbers;
}

// Repeats, drops or swaps elements.
template <typename Item>
void change_list(Random& random, std::vector<Item>& list) {
    const auto count = static_cast<std::uint32_t>(list.size());
    if (count == 0U) {
        return;
    }
    const std::uint32_t index = random.below(count);
    switch (random.below(4U)) {
        case 0U: {
            const Item copy = list[index];
            list.insert(list.begin() + random.below(count + 1U), copy);
            break;
        }
        case 1U:
            list.erase(list.begin() + index);
            break;
        case 2U:
            list.resize(count + random.below(70U), Item{list[index]});
            break;
        default:
            std::swap(list[index], list[random.below(count)]);
            break;
    }
}

void change_lists(Random& random, Manifest& manifest) {
    switch (random.below(9U)) {
        case 0U:
            change_list(random, manifest.regions);
            break;
        case 1U:
            change_list(random, manifest.buffers);
            break;
        case 2U:
            change_list(random, manifest.inputs);
            break;
        case 3U:
            change_list(random, manifest.outputs);
            break;
        case 4U:
            change_list(random, manifest.traces);
            break;
        case 5U:
            change_list(random, manifest.scripts);
            break;
        case 6U:
            if (!manifest.traces.empty()) {
                change_list(random, manifest.traces.front().programs);
            }
            break;
        case 7U:
            change_list(random, manifest.self_test_origins);
            break;
        default:
            if (!manifest.scripts.empty()) {
                change_list(
                    random,
                    manifest.scripts[random.below(static_cast<std::uint32_t>(manifest.scripts.size()))].commands);
            }
            break;
    }
}

DeviceRange some_devices(Random& random) {
    const auto below = [&random](std::uint32_t limit) { return static_cast<std::uint8_t>(random.below(limit)); };
    return {below(2U), below(3U), below(3U), below(4U)};
}

// Spreads tensors over devices, outputs in pieces.
void spread_tensors(Random& random, Manifest& manifest, const DeviceRange& devices) {
    for (auto* const tensors : {&manifest.inputs, &manifest.outputs}) {
        const bool is_output = tensors == &manifest.outputs;
        for (auto& tensor : *tensors) {
            tensor.devices = devices;
            tensor.placement = (is_output || random.one_in(2U)) ? Placement::kSharded : Placement::kReplicated;
            if ((tensor.placement == Placement::kSharded) && !tensor.shape.empty()) {
                tensor.shape.front() *= std::uint32_t{devices.rows} * devices.columns;
            }
        }
    }
}

// Another mesh: with what is on one device on all of them, or with devices that have nothing to do.
void change_mesh(Random& random, Manifest& manifest) {
    const DeviceRange mesh{0U, 0U, static_cast<std::uint8_t>(1U + random.below(2U)),
                           static_cast<std::uint8_t>(2U + random.below(2U))};
    manifest.target.mesh_rows = mesh.rows;
    manifest.target.mesh_columns = mesh.columns;
    if (random.one_in(3U)) {
        return;
    }
    for (auto& script : manifest.scripts) {
        for (auto& command : script.commands) {
            command.devices = mesh;
        }
    }
    spread_tensors(random, manifest, mesh);
}

void change_script_command(Random& random, Manifest& manifest) {
    if (manifest.scripts.empty()) {
        return;
    }
    auto& commands = manifest.scripts[random.below(static_cast<std::uint32_t>(manifest.scripts.size()))].commands;
    if (commands.empty()) {
        return;
    }
    capture::ManifestCommand& command = commands[random.below(static_cast<std::uint32_t>(commands.size()))];
    if (random.one_in(2U)) {
        command.kind = static_cast<ScriptCommandKind>(1U + random.below(7U));
    } else if (random.one_in(3U)) {
        command.devices = some_devices(random);
    } else if (random.one_in(2U)) {
        command.queue = random.below(3U);
    } else {
        command.object = random.below(9U);
    }
}

void change_kinds(Random& random, Manifest& manifest) {
    if (!manifest.regions.empty()) {
        auto& region = manifest.regions[random.below(static_cast<std::uint32_t>(manifest.regions.size()))];
        region.kind = random.one_in(2U) ? static_cast<RegionKind>(random.below(8U)) : region.kind;
        region.memory = random.one_in(2U) ? static_cast<MemoryKind>(random.below(4U)) : region.memory;
    }
    if (!manifest.inputs.empty()) {
        auto& tensor = manifest.inputs.front();
        tensor.type = random.one_in(2U) ? static_cast<ElementType>(random.below(12U)) : tensor.type;
        tensor.zero_point = random.one_in(4U) ? static_cast<std::int32_t>(interesting(random, 0U)) : tensor.zero_point;
        tensor.scale = random.one_in(4U) ? std::numeric_limits<float>::infinity() : tensor.scale;
    }
}

void change_rest(Random& random, Manifest& manifest) {
    switch (random.below(4U)) {
        case 0U:
            manifest.step_cycles += random.below(3U);
            break;
        case 1U:
            if (!manifest.traces.empty()) {
                manifest.traces.front().cost_cycles -= random.below(3U);
            }
            break;
        case 2U:
            manifest.source_name += static_cast<char>(random.byte());
            break;
        default:
            if (!manifest.regions.empty()) {
                manifest.regions.front().name.assign(random.below(140U), static_cast<char>(random.byte()));
            }
            break;
    }
}

}  // namespace

void change_something(Random& random, Manifest& manifest) {
    switch (random.below(9U)) {
        case 0U:
        case 1U:
        case 2U: {
            const std::vector<std::uint32_t*> numbers = numbers_of(manifest);
            std::uint32_t& number = *numbers[random.below(static_cast<std::uint32_t>(numbers.size()))];
            number = random.one_in(3U) ? *numbers[random.below(static_cast<std::uint32_t>(numbers.size()))]
                                       : interesting(random, number);
            break;
        }
        case 3U:
        case 4U:
            change_lists(random, manifest);
            break;
        case 5U:
            change_script_command(random, manifest);
            break;
        case 6U:
            change_kinds(random, manifest);
            break;
        case 7U:
            change_mesh(random, manifest);
            break;
        default:
            change_rest(random, manifest);
            break;
    }
}

}  // namespace pianola::test
