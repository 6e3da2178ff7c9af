// Binary: a program as the bytes of a trace binary, through the product's own writer.
#pragma once

#include "tests/random/program.h"

namespace pianola::programs {

[[nodiscard]] Bytes binary_of(const Program& program);

// The program on every device of a mesh, with weights of its own on each: as one binary, and as what each device does
// alone, in row-major order. Of every second input, the first included, each device has a piece; of the others all have
// all. Outputs are in pieces. Throws capture::LinkError where the devices' programs can not be put together.
struct MeshBinary {
    Bytes file;
    std::vector<Bytes> alone;
};
[[nodiscard]] MeshBinary mesh_of(const Program& program, std::uint32_t rows, std::uint32_t columns);

}  // namespace pianola::programs
