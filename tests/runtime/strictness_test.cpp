// The strictness check is made from the schema: these run the one that was made from a schema of our own, which has
// more than the manifest has today.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/image/schema_check.h"
#include "tests/runtime/probe_file.h"
#include "tests/runtime/probe_rules.h"
#include "tests/runtime/probe_schema/probe_generated.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"

namespace pianola {

namespace test {
namespace {

using Values = ProbeValues;

// The verdict on a buffer whose structure the FlatBuffers verifier has accepted, as it is for the manifest.
Verdict verdict_of(const std::vector<std::uint8_t>& bytes) {
    const files::AlignedBytes aligned{bytes};
    Verdict verdict;
    flatbuffers::Verifier verifier{aligned.view().data(), aligned.view().size()};
    EXPECT_TRUE(probe::VerifyProbeBuffer(verifier));
    const auto& root = *flatbuffers::GetRoot<flatbuffers::Table>(aligned.view().data());
    if (check_strictness(probe::kProbeRules, aligned.view(), root, verdict)) {
        EXPECT_TRUE(verdict.path.steps().empty());
        verdict.status = Status::kOk;
    } else {
        EXPECT_EQ(verdict.status, Status::kRefused);
        EXPECT_LT(verdict.file_offset, bytes.size());
    }
    return verdict;
}

void expect_refused(const Values& values, Rule rule, const char* path) {
    const Verdict verdict = verdict_of(encode(values));
    EXPECT_STREQ(rule_id(verdict.rule), rule_id(rule)) << path;
    EXPECT_EQ(path_text(verdict), path);
}

TEST(Strictness, AcceptsWhatTheSchemaAllows) {
    EXPECT_EQ(verdict_of(encode(Values{})).status, Status::kOk);
    Values least;
    least.colours.clear();
    least.wides.clear();
    least.flags.clear();
    least.names.clear();
    least.points = 0U;
    least.leaf_colours.clear();
    least.twigs = 0U;
    least.has_spare = false;
    EXPECT_EQ(verdict_of(encode(least)).status, Status::kOk);
}

TEST(Strictness, RefusesEveryUnknownEnumerator) {
    test::verifies({"swr~strict-manifest~1"});
    const std::set<unsigned> legal{1U, 3U};
    for (unsigned value = 0U; value <= UINT8_MAX; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        Values scalar;
        scalar.colour = byte;
        Values element;
        element.colours[2] = byte;
        Values nested;
        nested.leaf_colours[1] = byte;
        Values in_list;
        in_list.last_twig_colour = byte;
        Values in_union;
        in_union.thing_colour = byte;
        if (legal.count(value) != 0U) {
            for (const Values& values : {scalar, element, nested, in_list, in_union}) {
                EXPECT_EQ(verdict_of(encode(values)).status, Status::kOk) << value;
            }
            continue;
        }
        expect_refused(scalar, Rule::kImgEnum, "colour");
        expect_refused(element, Rule::kImgEnum, "colours[2]");
        expect_refused(nested, Rule::kImgEnum, "twig.leaves[1].colour");
        expect_refused(in_list, Rule::kImgEnum, "twigs[1].leaves[0].colour");
        expect_refused(in_union, Rule::kImgEnum, "thing.colour");
    }
}

TEST(Strictness, LooksAtAllBytesOfWideEnumerators) {
    for (unsigned value = 0U; value <= 1024U; ++value) {
        Values scalar;
        scalar.wide = static_cast<std::uint16_t>(value);
        Values element;
        element.wides[1] = scalar.wide;
        if ((value == 2U) || (value == 258U)) {
            EXPECT_EQ(verdict_of(encode(scalar)).status, Status::kOk);
            EXPECT_EQ(verdict_of(encode(element)).status, Status::kOk);
            continue;
        }
        expect_refused(scalar, Rule::kImgEnum, "wide");
        expect_refused(element, Rule::kImgEnum, "wides[1]");
    }
}

TEST(Strictness, RefusesTruthValuesOtherThanTwo) {
    test::verifies({"rule~IMG-BOOL~1"});
    for (unsigned value = 0U; value <= UINT8_MAX; ++value) {
        const auto byte = static_cast<std::uint8_t>(value);
        Values scalar;
        scalar.spare_flag = byte;
        Values element;
        element.flags[1] = byte;
        if (value <= 1U) {
            EXPECT_EQ(verdict_of(encode(scalar)).status, Status::kOk);
            EXPECT_EQ(verdict_of(encode(element)).status, Status::kOk);
            continue;
        }
        expect_refused(scalar, Rule::kImgBool, "spare.flag");
        expect_refused(element, Rule::kImgBool, "flags[1]");
    }
}

TEST(Strictness, RefusesEveryUnknownUnionType) {
    test::verifies({"swr~strict-manifest~1"});
    for (unsigned value = 0U; value <= UINT8_MAX; ++value) {
        Values values;
        values.thing_type = static_cast<std::uint8_t>(value);
        if ((value == 1U) || (value == 2U)) {
            continue;
        }
        // The verifier wants NONE to come without a value; the field is required, so that there is one.
        expect_refused(values, Rule::kImgUnion, "thing");
    }
}

TEST(Strictness, RefusesListsAndNamesAboveTheirCapacity) {
    test::verifies({"swr~strict-manifest~1"});
    Values colours;
    colours.colours.assign(5U, 1U);
    expect_refused(colours, Rule::kImgCount, "colours");
    Values flags;
    flags.flags.assign(5U, 1U);
    expect_refused(flags, Rule::kImgCount, "flags");
    Values names;
    names.names.assign(3U, "n");
    expect_refused(names, Rule::kImgCount, "names");
    Values points;
    points.points = 3U;
    expect_refused(points, Rule::kImgCount, "points");
    Values twigs;
    twigs.twigs = 3U;
    expect_refused(twigs, Rule::kImgCount, "twigs");
    Values leaves;
    leaves.leaf_colours.assign(4U, 1U);
    expect_refused(leaves, Rule::kImgCount, "twig.leaves");

    Values long_name;
    long_name.twig_name = "twigs";
    expect_refused(long_name, Rule::kImgName, "twig.name");
    Values no_name;
    no_name.twig_name = "";
    expect_refused(no_name, Rule::kImgName, "twig.name");
    Values bad_element;
    bad_element.names[1] = "a\tb";
    expect_refused(bad_element, Rule::kImgName, "names[1]");
}

// The offset leads to the very byte: changing that one byte to a legal value makes the buffer legal.
TEST(Strictness, NamesTheByte) {
    const auto repaired_at_offset = [](const Values& values, std::uint8_t legal) {
        std::vector<std::uint8_t> bytes = encode(values);
        bytes.at(verdict_of(bytes).file_offset) = legal;
        EXPECT_EQ(verdict_of(bytes).status, Status::kOk);
    };
    Values element;
    element.colours[2] = 2U;
    repaired_at_offset(element, 1U);
    Values wide;
    wide.wides[1] = 3U;
    repaired_at_offset(wide, 2U);
    Values flag;
    flag.flags[2] = 2U;
    repaired_at_offset(flag, 1U);
    Values scalar;
    scalar.colour = 2U;
    repaired_at_offset(scalar, 3U);
    Values spare;
    spare.spare_flag = 255U;
    repaired_at_offset(spare, 0U);
    Values thing;
    thing.thing_type = 9U;
    repaired_at_offset(thing, 1U);
}

}  // namespace
}  // namespace test
}  // namespace pianola
