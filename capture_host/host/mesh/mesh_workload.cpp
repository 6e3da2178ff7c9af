#include "pianola_host/mesh_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pianola_host/mesh_error.h"

namespace pianola::host {

void MeshWorkload::add_program(const MeshCoordinateRange& range, Program program) {
    for (const Entry& entry : entries_) {
        if (entry.range.intersects(range)) {
            throw MeshError{MeshRule::kOverlap,
                            fmt::format("program '{}' is for {}, and '{}' for {}: {} would have two programs",
                                        program.name(), to_string(range), entry.program.name(), to_string(entry.range),
                                        to_string(entry.range.common(range)))};
        }
    }
    entries_.push_back({range, std::move(program)});
}

Program& MeshWorkload::program(const MeshCoordinateRange& range) {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.range == range; });
    if (found == entries_.end()) {
        throw MeshError{MeshRule::kShape, fmt::format("the workload has no program for {}", to_string(range))};
    }
    return found->program;
}

}  // namespace pianola::host
