// Opening, sub-meshes, reshaping, lifetime.
#include "tests/mesh/mesh_support.h"

namespace pianola::test {
namespace {

using Ids = std::vector<std::uint32_t>;

TEST(MeshDevice, NamesItsDevices) {
    const auto mesh = small_mesh({2U, 3U});
    EXPECT_EQ(mesh->device_ids(), (Ids{0U, 1U, 2U, 3U, 4U, 5U}));
    EXPECT_EQ(mesh->device_id({1U, 0U}), 3U);
    EXPECT_NE(mesh->device({1U, 0U}), mesh->device({0U, 0U}));
    EXPECT_NE(mesh->name().find("(2x3)"), std::string::npos);
    expect_mesh_rule(MeshRule::kShape, "(2, 0) lies outside of 2x3",
                     [&] { static_cast<void>(mesh->device({2U, 0U})); });
    const std::string table = host::visualize(*mesh);
    EXPECT_NE(table.find("(1, 2)     device 5\n"), std::string::npos) << table;
}

TEST(MeshDevice, SubMeshesAreViews) {
    const auto mesh = small_mesh({2U, 4U});
    const auto right = mesh->create_submesh({2U, 2U}, MeshCoordinate{0U, 2U});
    EXPECT_EQ(right->device_ids(), (Ids{2U, 3U, 6U, 7U}));
    EXPECT_EQ(right->device({1U, 0U}), mesh->device({1U, 2U}));
    const auto inner = right->create_submesh({1U, 1U}, MeshCoordinate{1U, 1U});
    EXPECT_EQ(inner->device_ids(), Ids{7U});
    const auto tiles = mesh->create_submeshes({1U, 2U});
    ASSERT_EQ(tiles.size(), 4U);
    EXPECT_EQ(tiles[1U]->device_ids(), (Ids{2U, 3U}));
    EXPECT_EQ(tiles[2U]->device_ids(), (Ids{4U, 5U}));
    EXPECT_EQ(mesh->submeshes().size(), 5U);
    EXPECT_EQ(right->submeshes(), std::vector{inner});
    EXPECT_EQ(right->parent(), mesh);
}

TEST(MeshDevice, SubMeshesThatDoNotFitAreRefused) {
    const auto mesh = small_mesh({2U, 4U});
    expect_mesh_rule(MeshRule::kShape, "3x1 at (0, 0) does not fit",
                     [&] { static_cast<void>(mesh->create_submesh({3U, 1U})); });
    expect_mesh_rule(MeshRule::kShape, "1x2 at (0, 3) does not fit",
                     [&] { static_cast<void>(mesh->create_submesh({1U, 2U}, MeshCoordinate{0U, 3U})); });
    expect_mesh_rule(MeshRule::kShape, "2 dimensions, not 4 at (0)",
                     [&] { static_cast<void>(mesh->create_submesh({4U})); });
    expect_mesh_rule(MeshRule::kShape, "parts of 2x3", [&] { static_cast<void>(mesh->create_submeshes({2U, 3U})); });
    expect_mesh_rule(MeshRule::kShape, "outside",
                     [&] { static_cast<void>(mesh->coordinates(box({0U, 0U}, {2U, 0U}))); });
}

TEST(MeshDevice, ReshapingKeepsTheOrder) {
    const auto mesh = small_mesh({1U, 4U});
    mesh->reshape({2U, 2U});
    EXPECT_EQ(mesh->device_id({1U, 0U}), 2U);
    expect_mesh_rule(MeshRule::kShape, "has 4 devices, 2x4 would have 8", [&] { mesh->reshape({2U, 4U}); });
    EXPECT_EQ(mesh->shape(), (MeshShape{2U, 2U}));
    {
        const auto part = mesh->create_submesh({1U, 2U});
        expect_mesh_rule(MeshRule::kShape, "sub-meshes", [&] { mesh->reshape({1U, 4U}); });
    }
    mesh->reshape({1U, 4U});
    EXPECT_EQ(mesh->device_id({0U, 2U}), 2U);
}

TEST(MeshDevice, APartOfAClosedMeshSaysSo) {
    const auto mesh = small_mesh({1U, 2U});
    const auto part = mesh->create_submesh({1U, 1U});
    const auto closed = mesh->create_submesh({1U, 1U});
    const auto buffer = replicated(*part, 64U);
    closed->close();
    EXPECT_FALSE(closed->is_open());
    expect_mesh_rule(MeshRule::kClosed, "has been closed", [&] { closed->finish(0U); });
    EXPECT_TRUE(mesh->is_open());
    EXPECT_TRUE(part->is_open());
    mesh->close();
    mesh->close();  // nothing is left to be closed
    EXPECT_FALSE(part->is_open());
    expect_mesh_rule(MeshRule::kClosed, "which has been closed",
                     [&] { part->write(0U, buffer, view(pattern(64U, 1U))); });
    expect_mesh_rule(MeshRule::kClosed, "open one", [&] { static_cast<void>(mesh->device({0U, 0U})); });
}

TEST(MeshDevice, ASubMeshOutlivesItsParentsHandle) {
    auto mesh = small_mesh({1U, 2U});
    const auto part = mesh->create_submesh({1U, 1U}, MeshCoordinate{0U, 1U});
    mesh.reset();
    const auto buffer = replicated(*part, 64U);
    part->write(0U, buffer, view(pattern(64U, 3U)));
    EXPECT_EQ(part->read(0U, buffer), pattern(64U, 3U));
}

TEST(MeshDevice, OneByOneIsADevice) {
    const auto mesh = small_mesh({1U, 1U});
    const auto device = host::open_device(small_device(1U, 16U * 1024U));
    const auto here = replicated(*mesh, 200U);
    const auto there = device->allocate(flat(200U));
    EXPECT_EQ(here->address(), there->address());
    host::MeshWorkload workload;
    workload.add_program(MeshCoordinateRange{mesh->shape()}, plus_program(here, here, 3));
    host::Program program = constant_program(there, there, 3);
    mesh->write(0U, here, view(pattern(200U, 1U)));
    device->enqueue_write(0U, there, view(pattern(200U, 1U)));
    mesh->enqueue_workload(0U, workload, true);
    device->enqueue_program(0U, program);
    device->finish(0U);
    EXPECT_EQ(mesh->read(0U, here), read(*device, there));
    EXPECT_EQ(mesh->device({0U, 0U})->now().device_cycles, device->now().device_cycles);
}

// The devices' memories differ, and still a buffer has one address.
TEST(MeshDevice, ParentAndPartNeverOverlap) {
    const auto mesh = small_mesh({1U, 2U});
    const auto left = mesh->create_submesh({1U, 1U});
    const auto right = mesh->create_submesh({1U, 1U}, MeshCoordinate{0U, 1U});
    const auto small = replicated(*left, 64U);
    const auto large = replicated(*right, 640U);
    const auto both = replicated(*mesh, 64U);
    EXPECT_EQ(small->address(), large->address());  // equal sub-meshes, equal addresses
    EXPECT_EQ(both->address(), large->address() + 640U);
    EXPECT_EQ(both->on({0U, 0U})->address(), both->on({0U, 1U})->address());
    const auto behind = replicated(*left, 64U);
    EXPECT_EQ(behind->address(), small->address() + 64U);
    const auto far = replicated(*left, 1024U);
    EXPECT_EQ(far->address(), both->address() + 64U);
    for (const auto& [buffer, seed] : {std::pair{small, 1U}, std::pair{behind, 2U}, std::pair{far, 3U}}) {
        left->write(0U, buffer, view(pattern(buffer->size_bytes(), seed)));
    }
    mesh->write(0U, both, view(pattern(64U, 4U)));
    EXPECT_EQ(left->read(0U, small), pattern(64U, 1U));
    EXPECT_EQ(left->read(0U, behind), pattern(64U, 2U));
    EXPECT_EQ(left->read(0U, far), pattern(1024U, 3U));
    EXPECT_EQ(read_shard(*mesh, both, {0U, 1U}), pattern(64U, 4U));
}

}  // namespace
}  // namespace pianola::test
