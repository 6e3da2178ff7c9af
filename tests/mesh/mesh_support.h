// Small meshes, and programs on them whose results follow from plain arithmetic.
#pragma once

#include "pianola_host/mesh_device.h"
#include "tests/api/support.h"

namespace pianola::test {

using host::MeshCoordinate;
using host::MeshCoordinateRange;
using host::MeshRule;
using host::MeshShape;

inline MeshCoordinateRange box(MeshCoordinate start, MeshCoordinate end) {
    return {std::move(start), std::move(end)};
}

inline host::MeshPtr small_mesh(const MeshShape& shape, std::uint32_t queues = 1U,
                                std::uint32_t trace_region = 16U * 1024U) {
    return host::open_mesh(shape, small_device(queues, trace_region));
}

inline host::MeshBufferPtr replicated(host::MeshDevice& mesh, std::uint64_t bytes) {
    return mesh.allocate({flat(bytes), std::nullopt});
}

// output = input + constant, on every device of a range.
inline host::Program plus_program(const host::MeshBufferPtr& input, const host::MeshBufferPtr& output, int constant) {
    return constant_program(input->any(), output->any(), constant);
}

inline Bytes read_shard(host::MeshDevice& mesh, const host::MeshBufferPtr& buffer, const MeshCoordinate& place) {
    return mesh.read_shard(0U, buffer, place, true).data();
}

// Runs `action`, which must break `rule`; the message must contain `part`.
template <typename Action>
void expect_mesh_rule(MeshRule rule, const std::string& part, Action action) {
    try {
        action();
        ADD_FAILURE() << "accepted, although it breaks " << host::id_of(rule);
    } catch (const host::MeshError& error) {
        EXPECT_EQ(error.rule(), rule) << error.what();
        EXPECT_NE(std::string{error.what()}.find(part), std::string::npos) << error.what() << "\nlacks: " << part;
    }
}

}  // namespace pianola::test
