// The constants of a binary, by the commands that read them.

#include "capture_host/binary/diff/parts.h"

namespace pianola::diff {
namespace {

// A write of the set-up from the weights segment to device memory.
struct Placed {
    std::uint64_t address{0U};
    std::uint64_t offset{0U};  // in the segment
    std::uint64_t size{0U};
};

std::vector<Placed> placed_constants(const Side& side, const capture::Manifest& manifest) {
    std::vector<Placed> all;
    for (const capture::ManifestScript& script : manifest.scripts) {
        for (const capture::ManifestCommand& command : script.commands) {
            if ((command.kind != ScriptCommandKind::kWriteBuffer) || (command.object >= manifest.buffers.size())) {
                continue;
            }
            const capture::ManifestBuffer& buffer = manifest.buffers[command.object];
            const bool is_inside =
                (buffer.region < manifest.regions.size()) &&
                ((std::uint64_t{command.segment_offset} + buffer.size_bytes) <= side.image.weights().size());
            if (is_inside) {
                all.push_back({std::uint64_t{manifest.regions[buffer.region].base} + buffer.offset_bytes,
                               command.segment_offset, buffer.size_bytes});
            }
        }
    }
    return all;
}

}  // namespace

Constants constants_of(const Side& side, const capture::Manifest& manifest,
                       const std::vector<OperatorCommands>& operators) {
    const std::vector<Placed> placed = placed_constants(side, manifest);
    const ByteSpan weights = side.image.weights();
    Constants constants;
    const auto add = [&](const OperatorCommands& of, std::size_t command, const Extent& extent) {
        const std::uint64_t bytes = hull_bytes(extent);
        for (const Placed& each : placed) {
            if ((extent.address < each.address) || ((extent.address + bytes) > (each.address + each.size))) {
                continue;
            }
            const ByteSpan contents =
                weights.subspan(static_cast<std::size_t>(each.offset + (extent.address - each.address)),
                                static_cast<std::size_t>(bytes));
            const std::string launch = (of.kinds.size() == 1U)
                                           ? of.kinds[command]
                                           : fmt::format("commands[{}] {}", command, of.kinds[command]);
            constants[fmt::format("{}: {} {}", of.name, launch, extent.field)] = {contents.begin(), contents.end()};
            return;
        }
    };
    for (const OperatorCommands& each : operators) {
        for (std::size_t command = 0U; command < each.decoded.size(); ++command) {
            for (const Extent& extent : each.decoded[command].extents.view()) {
                if (extent.access == Access::kRead) {
                    add(each, command, extent);
                }
            }
        }
    }
    return constants;
}

}  // namespace pianola::diff
