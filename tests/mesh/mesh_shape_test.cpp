// Shapes, coordinates and ranges: against counting by hand, and against sets of coordinates.
#include <set>

#include "tests/mesh/mesh_support.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using host::MeshCoordinateRangeSet;

TEST(MeshShape, CountsRowMajor) {
    const MeshShape shape{2U, 3U};
    EXPECT_EQ(shape.mesh_size(), 6U);
    EXPECT_EQ(host::to_string(shape), "2x3");
    EXPECT_EQ(MeshCoordinate::at(shape, 4U), (MeshCoordinate{1U, 1U}));
    EXPECT_EQ((MeshCoordinate{1U, 2U}).index_in(shape), 5U);
    EXPECT_EQ(MeshCoordinateRange{shape}.coordinates().at(3U), (MeshCoordinate{1U, 0U}));
    EXPECT_TRUE((MeshShape{1U, 4U}).is_line());
    EXPECT_FALSE(shape.is_line());
    const MeshShape cube{2U, 2U, 2U};
    EXPECT_EQ(MeshCoordinate::at(cube, 5U), (MeshCoordinate{1U, 0U, 1U}));
}

TEST(MeshShape, WhatDoesNotFitIsRefused) {
    expect_mesh_rule(MeshRule::kShape, "dimensions", [] { const MeshShape none{std::vector<std::uint32_t>{}}; });
    expect_mesh_rule(MeshRule::kShape, "[2, 0]", [] { const MeshShape empty{2U, 0U}; });
    expect_mesh_rule(MeshRule::kShape, "4096", [] { const MeshShape large{65536U, 65536U}; });
    expect_mesh_rule(MeshRule::kShape, "(2, 0) lies outside of 2x3",
                     [] { static_cast<void>((MeshCoordinate{2U, 0U}).index_in(MeshShape{2U, 3U})); });
    expect_mesh_rule(MeshRule::kShape, "outside", [] { static_cast<void>((MeshCoordinate{0U}).index_in({2U, 3U})); });
    expect_mesh_rule(MeshRule::kShape, "has 6", [] { static_cast<void>(MeshCoordinate::at({2U, 3U}, 6U)); });
    expect_mesh_rule(MeshRule::kShape, "before it", [] { box({1U, 1U}, {0U, 2U}); });
    expect_mesh_rule(MeshRule::kShape, "rank", [] { box({1U, 1U}, {1U}); });
    expect_mesh_rule(MeshRule::kShape, "in common",
                     [] { static_cast<void>(box({0U, 0U}, {0U, 1U}).common(box({1U, 0U}, {1U, 1U}))); });
}

TEST(MeshRange, ContainsIntersectsAndSubtracts) {
    const MeshCoordinateRange all{MeshShape{3U, 4U}};
    const MeshCoordinateRange inner = box({1U, 1U}, {1U, 2U});
    EXPECT_TRUE(all.contains(inner));
    EXPECT_FALSE(inner.contains(all));
    EXPECT_TRUE(all.intersects(inner));
    EXPECT_EQ(inner.shape(), (MeshShape{1U, 2U}));
    EXPECT_EQ(host::to_string(inner), "(1, 1) to (1, 2)");
    const std::vector<MeshCoordinateRange> rest = host::subtract(all, inner);
    EXPECT_EQ(rest, (std::vector{box({0U, 0U}, {0U, 3U}), box({2U, 0U}, {2U, 3U}), box({1U, 0U}, {1U, 0U}),
                                 box({1U, 3U}, {1U, 3U})}));
    EXPECT_TRUE(host::subtract(inner, all).empty());
    EXPECT_EQ(host::subtract(inner, box({2U, 0U}, {2U, 0U})), std::vector{inner});
}

TEST(MeshRangeSet, NeighboursBecomeOneBox) {
    const MeshCoordinateRangeSet rows{{box({0U, 0U}, {0U, 3U}), box({1U, 0U}, {1U, 3U})}};
    EXPECT_EQ(rows.ranges(), std::vector{box({0U, 0U}, {1U, 3U})});
    const MeshCoordinateRangeSet corners{{box({0U, 0U}, {0U, 0U}), box({1U, 1U}, {1U, 1U})}};
    EXPECT_EQ(corners.ranges().size(), 2U);
    expect_mesh_rule(MeshRule::kShape, "rank", [&] {
        MeshCoordinateRangeSet mixed = corners;
        mixed.merge(box({0U}, {0U}));
    });
}

// Against sets of coordinates.
TEST(MeshRangeSet, HoldsWhatWasMerged) {
    test::Random random{5U};
    for (std::uint32_t round = 0U; round < 200U; ++round) {
        std::set<MeshCoordinate> expected;
        MeshCoordinateRangeSet set;
        for (std::uint32_t i = 0U; i < 4U; ++i) {
            const std::uint32_t row = random.below(4U);
            const std::uint32_t column = random.below(4U);
            const MeshCoordinateRange range =
                box({row, column}, {row + random.below(4U - row), column + random.below(4U - column)});
            for (const MeshCoordinate& place : range.coordinates()) {
                expected.insert(place);
            }
            set.merge(range);
        }
        const std::vector<MeshCoordinate> held = set.coordinates();
        ASSERT_EQ(held.size(), expected.size());  // nothing twice
        EXPECT_EQ((std::set<MeshCoordinate>{held.begin(), held.end()}), expected);
        for (const MeshCoordinate& place : MeshCoordinateRange{MeshShape{4U, 4U}}.coordinates()) {
            EXPECT_EQ(set.contains(place), expected.count(place) == 1U);
        }
    }
}

}  // namespace
}  // namespace pianola::test
