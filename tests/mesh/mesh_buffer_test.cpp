// Replicated and sharded buffers, against slices that are cut here.
#include "tests/mesh/mesh_support.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using host::GlobalMatrix;
using host::ShardOrder;

host::BufferConfig matrix(std::uint64_t rows, std::uint64_t row_bytes, host::Memory memory = host::Memory::kDram) {
    host::BufferConfig config;
    config.rows = rows;
    config.row_bytes = row_bytes;
    config.memory = memory;
    return config;
}

Bytes slice(const Bytes& bytes, std::uint64_t row_bytes, std::uint64_t row, std::uint64_t rows, std::uint64_t column,
            std::uint64_t columns) {
    Bytes part;
    for (std::uint64_t i = row; i < (row + rows); ++i) {
        for (std::uint64_t k = column; k < (column + columns); ++k) {
            part.push_back(bytes.at((i * row_bytes) + k));
        }
    }
    return part;
}

TEST(MeshBuffer, SixteenKibibytesInEightParts) {
    const auto mesh = small_mesh({2U, 4U});
    const auto buffer = mesh->allocate({matrix(8U, 256U), GlobalMatrix{16U, 1024U, ShardOrder::kRowMajor}});
    EXPECT_EQ(buffer->size_bytes(), 16384U);
    EXPECT_EQ(buffer->shard_bytes(), 2048U);
    const Bytes bytes = pattern(16384U, 1U);
    mesh->write(0U, buffer, view(bytes));
    EXPECT_EQ(mesh->read(0U, buffer), bytes);
    for (const MeshCoordinate& place : mesh->coordinates()) {
        EXPECT_EQ(read_shard(*mesh, buffer, place),
                  slice(bytes, 1024U, std::uint64_t{place[0U]} * 8U, 8U, std::uint64_t{place[1U]} * 256U, 256U));
    }
}

TEST(MeshBuffer, OrdersAndReplicatedSides) {
    const auto mesh = small_mesh({2U, 2U});
    const Bytes bytes = pattern(512U, 2U);
    for (const ShardOrder order : {ShardOrder::kRowMajor, ShardOrder::kColumnMajor}) {
        for (const std::uint64_t rows : {16U, 8U}) {
            for (const std::uint64_t columns : {32U, 16U}) {
                const auto buffer = mesh->allocate({matrix(rows, columns), GlobalMatrix{16U, 32U, order}});
                mesh->write(0U, buffer, view(bytes));
                EXPECT_EQ(mesh->read(0U, buffer), bytes);
                const bool is_turned = order == ShardOrder::kColumnMajor;
                for (const MeshCoordinate& place : mesh->coordinates()) {
                    const std::uint64_t down = (rows == 16U) ? 0U : place[is_turned ? 1U : 0U];
                    const std::uint64_t across = (columns == 32U) ? 0U : place[is_turned ? 0U : 1U];
                    EXPECT_EQ(read_shard(*mesh, buffer, place),
                              slice(bytes, 32U, down * rows, rows, across * columns, columns));
                }
            }
        }
    }
}

TEST(MeshBuffer, FewerShardsThanDevices) {
    const auto mesh = small_mesh({1U, 4U});
    const auto buffer = mesh->allocate({matrix(4U, 8U), GlobalMatrix{4U, 16U, ShardOrder::kRowMajor}});
    const Bytes bytes = pattern(64U, 3U);
    mesh->write(0U, buffer, view(bytes));
    EXPECT_EQ(mesh->read(0U, buffer), bytes);
    EXPECT_TRUE(buffer->parts().at({0U, 1U}).is_used);
    EXPECT_FALSE(buffer->parts().at({0U, 2U}).is_used);
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 1U}), slice(bytes, 16U, 0U, 4U, 8U, 8U));
}

TEST(MeshBuffer, UnevenCutsNameTheNumbers) {
    const auto mesh = small_mesh({2U, 2U});
    const auto allocate = [&](const host::BufferConfig& shard, std::uint64_t rows, std::uint64_t row_bytes) {
        static_cast<void>(mesh->allocate({shard, GlobalMatrix{rows, row_bytes, ShardOrder::kRowMajor}}));
    };
    expect_mesh_rule(MeshRule::kUneven, "7 rows of the matrix cannot be cut into shards of 4",
                     [&] { allocate(matrix(4U, 8U), 7U, 16U); });
    expect_mesh_rule(MeshRule::kUneven, "24 bytes of a row in shards of 8 are 3 shards, for 2 devices",
                     [&] { allocate(matrix(4U, 8U), 8U, 24U); });
    expect_mesh_rule(MeshRule::kUneven, "into shards of 0", [&] { allocate(matrix(0U, 8U), 8U, 16U); });
    const auto cube = small_mesh({1U, 1U, 2U});
    expect_mesh_rule(MeshRule::kShape, "1x1x2", [&] {
        static_cast<void>(cube->allocate({matrix(4U, 8U), GlobalMatrix{4U, 16U, ShardOrder::kRowMajor}}));
    });
}

TEST(MeshBuffer, ReplicatedToARange) {
    const auto mesh = small_mesh({2U, 2U});
    const auto buffer = replicated(*mesh, 100U);
    mesh->write(0U, buffer, view(pattern(100U, 1U)));
    mesh->write(0U, buffer, view(pattern(100U, 2U)), true, box({1U, 0U}, {1U, 1U}));
    mesh->write_shard(0U, buffer, {0U, 1U}, view(pattern(100U, 3U)));
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 0U}), pattern(100U, 1U));
    EXPECT_EQ(read_shard(*mesh, buffer, {0U, 1U}), pattern(100U, 3U));
    EXPECT_EQ(read_shard(*mesh, buffer, {1U, 0U}), pattern(100U, 2U));
    EXPECT_EQ(read_shard(*mesh, buffer, {1U, 1U}), pattern(100U, 2U));
    expect_rule(host::HostRule::kBufferSize, "99 bytes are given",
                [&] { mesh->write(0U, buffer, view(pattern(99U, 1U))); });
    expect_rule(host::HostRule::kBufferSize, "device (0, 1) of mesh",
                [&] { mesh->write_shard(0U, buffer, {0U, 1U}, view(pattern(99U, 1U))); });
    expect_mesh_rule(MeshRule::kShape, "no shard at (2, 0)", [&] { static_cast<void>(buffer->on({2U, 0U})); });
}

TEST(MeshBuffer, AddressesAreUsedAgainAndOthersAreForeign) {
    const auto mesh = small_mesh({1U, 2U});
    std::uint32_t address = 0U;
    for (std::uint32_t i = 0U; i < 20U; ++i) {
        const auto buffer = mesh->allocate({flat(256U, host::Memory::kL1), std::nullopt});
        address = (i == 0U) ? buffer->address() : address;
        EXPECT_EQ(buffer->address(), address);
    }
    const auto buffer = replicated(*mesh, 64U);
    mesh->deallocate(buffer);
    expect_rule(host::HostRule::kBufferFreed, "deallocated",
                [&] { mesh->write_shard(0U, buffer, {0U, 0U}, view(pattern(64U, 1U))); });
    const auto other = small_mesh({1U, 2U});
    const auto foreign = replicated(*other, 64U);
    expect_mesh_rule(MeshRule::kForeign, "not part of mesh", [&] { mesh->write(0U, foreign, view(pattern(64U, 1U))); });
    // What lies on all of the mesh is not a part's alone.
    const auto part = mesh->create_submesh({1U, 1U});
    const auto whole = replicated(*mesh, 64U);
    expect_mesh_rule(MeshRule::kForeign, "not part of mesh", [&] { static_cast<void>(part->read(0U, whole)); });
}

TEST(MeshBuffer, OutlivesItsMesh) {
    for (std::uint32_t i = 0U; i < 10U; ++i) {
        auto mesh = small_mesh({1U, 2U});
        const auto buffer = replicated(*mesh, 64U);
        mesh->close();
        mesh.reset();
        EXPECT_FALSE(buffer->on({0U, 1U})->is_allocated());
    }
}

TEST(MeshBuffer, RandomAllocationsKeepOneAddress) {
    const auto mesh = small_mesh({2U, 2U}, 2U);
    const auto tiles = mesh->create_submeshes({1U, 2U});
    const auto single = mesh->create_submesh({1U, 1U}, MeshCoordinate{1U, 1U});
    test::Random random{11U};
    std::vector<std::pair<host::MeshBufferPtr, std::uint32_t>> held;
    for (std::uint32_t i = 0U; i < 120U; ++i) {
        const std::vector<host::MeshPtr> meshes{mesh, tiles[0U], tiles[1U], single};
        const host::MeshPtr& on = meshes.at(random.below(4U));
        if (!held.empty() && random.one_in(3U)) {
            held.erase(held.begin() + random.below(static_cast<std::uint32_t>(held.size())));
        }
        const auto memory = random.one_in(2U) ? host::Memory::kDram : host::Memory::kL1;
        const auto buffer = on->allocate({flat(64U * (1U + std::uint64_t{random.below(8U)}), memory), std::nullopt});
        on->write(0U, buffer, view(pattern(buffer->size_bytes(), i)));
        held.emplace_back(buffer, i);
        for (const auto& [place, part] : buffer->parts()) {
            EXPECT_EQ(part.buffer->address(), buffer->address());
        }
    }
    for (const auto& [buffer, seed] : held) {
        for (const auto& [place, part] : buffer->parts()) {
            EXPECT_EQ(read(*part.buffer->device(), part.buffer), pattern(buffer->size_bytes(), seed));
        }
    }
}

}  // namespace
}  // namespace pianola::test
