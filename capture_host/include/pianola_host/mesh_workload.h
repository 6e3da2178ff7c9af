// MeshWorkload: one program for each range of a mesh.
//
// MeshDevice::enqueue_workload() runs it. Devices outside of all ranges do nothing. Programs name buffers by
// MeshBuffer::any(). Not for several threads at once.
#pragma once

#include <vector>

#include "pianola_host/mesh_shape.h"
#include "pianola_host/program.h"

namespace pianola::host {

class MeshWorkload {
  public:
    struct Entry {
        MeshCoordinateRange range;
        Program program;
    };

    // Throws API-MESH-OVERLAP if a device has a program already.
    void add_program(const MeshCoordinateRange& range, Program program);
    // To be given other arguments between two enqueues. Throws API-MESH-SHAPE for a range that was not added.
    [[nodiscard]] Program& program(const MeshCoordinateRange& range);
    [[nodiscard]] const std::vector<Entry>& entries() const noexcept { return entries_; }

  private:
    std::vector<Entry> entries_;
};

}  // namespace pianola::host
