// Rules that schemac makes from no schema: tables that hold themselves, and names, lists and values of unions that may
// be absent. Both checks stay inside their memory and say what is wrong, whatever rules they are given.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "runtime/image/schema_check.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Table;
using NodeOffset = flatbuffers::Offset<Table>;

constexpr const char* kIdentifier = "HAND";
constexpr std::uint16_t kLongestName = 4U;

// A node: another one, a list of others, a name, a list of numbers, and a union of which a node is the only kind.
// Nothing is required.
enum NodeEntry : flatbuffers::voffset_t {
    kChild = 4U,
    kChildren = 6U,
    kName = 8U,
    kNumbers = 10U,
    kType = 12U,
    kUnion = 14U
};
constexpr std::array<FieldRule, 5> kFields{{
    {"child", 0U, kChild, FieldKind::kTable, 0U, 0U, 0U, false},
    {"children", 2U, kChildren, FieldKind::kTables, 4U, 0U, 0U, false},
    {"name", kLongestName, kName, FieldKind::kName, 0U, 0U, 0U, false},
    {"numbers", 2U, kNumbers, FieldKind::kNumbers, 1U, 0U, 0U, false},
    {"either", 0U, kUnion, FieldKind::kUnion, 0U, 0U, 0U, false},
}};
constexpr std::array<TableRule, 1> kTables{{{0U, kFields.size()}}};
// The same without name and union, which are refused where they are absent.
constexpr std::array<TableRule, 1> kTablesOfTables{{{0U, 2U}}};
constexpr std::array<EnumerationRule, 1> kEnumerations{{{0U, 1U}}};
constexpr std::uint16_t kNodeType = 1U;
constexpr std::array<EnumeratorRule, 1> kEnumerators{{{kNodeType, 0U}}};

SchemaRules rules_of(Span<const TableRule> tables) {
    return {Span<const FieldRule>{kFields}, tables, Span<const EnumerationRule>{kEnumerations},
            Span<const EnumeratorRule>{kEnumerators}, 0U};
}

struct Judged {
    bool has_structure{false};
    bool is_strict{false};
    std::uint32_t tables{0U};
    Verdict verdict;
    std::vector<std::uint8_t> bytes;
};

Judged judge(FlatBufferBuilder& builder, NodeOffset root, const SchemaRules& rules) {
    builder.Finish(root, kIdentifier);
    Judged judged;
    judged.bytes.assign(builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize());
    const files::AlignedBytes aligned{judged.bytes};
    flatbuffers::Verifier verifier{aligned.view().data(), aligned.view().size()};
    judged.has_structure = check_structure(rules, aligned.view(), kIdentifier, verifier, judged.tables);
    judged.is_strict =
        check_strictness(rules, aligned.view(), *flatbuffers::GetRoot<Table>(aligned.view().data()), judged.verdict);
    return judged;
}

// What a node has; it has none of the others.
struct Node {
    std::uint32_t child{0U};
    std::uint32_t name{0U};
    std::uint8_t type{0U};
    std::uint32_t either{0U};
};

NodeOffset make_node(FlatBufferBuilder& builder, const Node& node) {
    const flatbuffers::uoffset_t start = builder.StartTable();
    builder.AddOffset(kChild, flatbuffers::Offset<void>{node.child});
    builder.AddOffset(kName, flatbuffers::Offset<void>{node.name});
    builder.AddElement<std::uint8_t>(kType, node.type, 0U);
    builder.AddOffset(kUnion, flatbuffers::Offset<void>{node.either});
    return NodeOffset{builder.EndTable(start)};
}

// A chain of nodes, each the child of the one before.
Judged judge_chain(std::uint32_t nodes) {
    FlatBufferBuilder builder;
    NodeOffset last;
    for (std::uint32_t i = 0U; i < nodes; ++i) {
        last = make_node(builder, {last.o});
    }
    return judge(builder, last, rules_of(Span<const TableRule>{kTablesOfTables}));
}

TEST(RulesByHand, TablesNestAsDeepAsThereIsRoom) {
    for (std::uint32_t depth = 1U; depth <= (2U * kMaxManifestDepth); ++depth) {
        const Judged judged = judge_chain(depth);
        EXPECT_EQ(judged.has_structure, depth <= kMaxManifestDepth) << depth;
        EXPECT_EQ(judged.is_strict, depth <= kMaxManifestDepth) << depth;
        EXPECT_EQ(judged.tables, std::min(depth, kMaxManifestDepth)) << depth;
    }
}

// The last table that there is room for may be the last of a list as well.
TEST(RulesByHand, TablesOfAListNestAsDeepAsThereIsRoom) {
    for (const std::uint32_t below : {kMaxManifestDepth - 2U, kMaxManifestDepth - 1U}) {
        FlatBufferBuilder builder;
        NodeOffset last;
        for (std::uint32_t i = 0U; i < below; ++i) {
            last = make_node(builder, {last.o});
        }
        const NodeOffset leaf = make_node(builder, {});
        const auto children = builder.CreateVector(std::vector<NodeOffset>{leaf, last});
        const flatbuffers::uoffset_t start = builder.StartTable();
        builder.AddOffset(kChildren, children);
        const Judged judged =
            judge(builder, NodeOffset{builder.EndTable(start)}, rules_of(Span<const TableRule>{kTablesOfTables}));
        const bool fits = below < kMaxManifestDepth;
        EXPECT_EQ(judged.has_structure, fits) << below;
        EXPECT_EQ(judged.is_strict, fits) << below;
    }
}

TEST(RulesByHand, ANameThatIsAbsentIsNone) {
    FlatBufferBuilder builder;
    const NodeOffset leaf = make_node(builder, {});
    const Judged judged = judge(builder, leaf, rules_of(Span<const TableRule>{kTables}));
    EXPECT_TRUE(judged.has_structure);
    EXPECT_FALSE(judged.is_strict);
    EXPECT_EQ(judged.verdict.rule, Rule::kImgName);
    EXPECT_EQ(path_text(judged.verdict), "name");
    EXPECT_EQ(judged.verdict.actual, 0U);
    EXPECT_EQ(judged.verdict.limit, kLongestName);
    EXPECT_EQ(judged.verdict.file_offset, load32(judged.bytes, 0U)) << "the table, which begins where the root says";
}

TEST(RulesByHand, AUnionNeedsAValueOfItsType) {
    for (const bool has_value : {false, true}) {
        FlatBufferBuilder builder;
        const std::uint32_t name = builder.CreateString("n").o;
        const NodeOffset value = make_node(builder, {0U, name, kNodeType, 0U});
        const Node node{0U, name, kNodeType, has_value ? value.o : 0U};
        const Judged judged = judge(builder, make_node(builder, node), rules_of(Span<const TableRule>{kTables}));
        EXPECT_TRUE(judged.has_structure);
        EXPECT_EQ(judged.tables, has_value ? 2U : 1U);
        EXPECT_FALSE(judged.is_strict);
        EXPECT_EQ(judged.verdict.rule, Rule::kImgUnion);
        EXPECT_EQ(path_text(judged.verdict), has_value ? "either.either" : "either");
        EXPECT_EQ(judged.verdict.actual, kNodeType);
    }
}

// The numbers are absent from every node, and are not what is refused: that is the union behind them.
TEST(RulesByHand, AListThatIsAbsentIsEmpty) {
    FlatBufferBuilder builder;
    const std::uint32_t name = builder.CreateString("n").o;
    const Judged judged = judge(builder, make_node(builder, {0U, name}), rules_of(Span<const TableRule>{kTables}));
    EXPECT_TRUE(judged.has_structure);
    EXPECT_EQ(judged.verdict.rule, Rule::kImgUnion);
    EXPECT_EQ(path_text(judged.verdict), "either");
}

}  // namespace
}  // namespace pianola::test
