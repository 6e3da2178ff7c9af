// The strictness check is made from the schema: these run the one that was made from a schema of our own, which has more than
// the manifest has today.
#include "runtime/image/strictness.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/runtime/probe_check.h"
#include "tests/runtime/probe_schema/probe_generated.h"
#include "tests/support/trace_file.h"

namespace pianola {

namespace test {
namespace {

using flatbuffers::FlatBufferBuilder;
using probe::Colour;
using probe::Thing;
using probe::Wide;

// What a buffer says; every member starts legal.
struct Values {
    std::uint8_t colour{1U};
    std::uint16_t wide{2U};
    std::vector<std::uint8_t> colours{1U, 3U, 1U};
    std::vector<std::uint16_t> wides{258U, 2U};
    std::vector<std::uint8_t> flags{0U, 1U, 1U};
    std::vector<std::string> names{"one", "two"};
    std::size_t points{2U};
    std::string twig_name{"twig"};
    std::vector<std::uint8_t> leaf_colours{1U, 3U};
    std::size_t twigs{2U};
    std::uint8_t last_twig_colour{3U};
    bool has_spare{true};
    std::uint8_t spare_flag{1U};
    std::uint8_t thing_type{1U};
    std::uint8_t thing_colour{3U};
    bool thing_is_there{true};
};

flatbuffers::Offset<probe::Leaf> make_leaf(FlatBufferBuilder& builder, std::uint8_t colour, std::uint8_t flag) {
    probe::LeafBuilder leaf{builder};
    leaf.add_colour(static_cast<Colour>(colour));
    builder.AddElement<std::uint8_t>(probe::Leaf::VT_FLAG, flag, 0U);
    return leaf.Finish();
}

flatbuffers::Offset<probe::Twig> make_twig(FlatBufferBuilder& builder, const std::string& name,
                                           const std::vector<std::uint8_t>& colours) {
    std::vector<flatbuffers::Offset<probe::Leaf>> leaves;
    for (const std::uint8_t colour : colours) {
        leaves.push_back(make_leaf(builder, colour, 1U));
    }
    return probe::CreateTwigDirect(builder, name.c_str(), &leaves);
}

std::vector<std::uint8_t> encode(const Values& values) {
    FlatBufferBuilder builder;
    std::vector<Colour> colours;
    for (const std::uint8_t colour : values.colours) {
        colours.push_back(static_cast<Colour>(colour));
    }
    std::vector<Wide> wides;
    for (const std::uint16_t wide : values.wides) {
        wides.push_back(static_cast<Wide>(wide));
    }
    std::vector<flatbuffers::Offset<flatbuffers::String>> names;
    for (const std::string& name : values.names) {
        names.push_back(builder.CreateString(name));
    }
    const std::vector<probe::Point> points(values.points);
    const auto twig = make_twig(builder, values.twig_name, values.leaf_colours);
    std::vector<flatbuffers::Offset<probe::Twig>> twigs;
    for (std::size_t i = 0U; i < values.twigs; ++i) {
        twigs.push_back(
            make_twig(builder, "t", {((i + 1U) == values.twigs) ? values.last_twig_colour : std::uint8_t{1U}}));
    }
    const auto spare = values.has_spare ? make_leaf(builder, 1U, values.spare_flag) : 0U;
    const auto thing = values.thing_is_there ? make_leaf(builder, values.thing_colour, 0U).Union() : 0U;
    const auto root = probe::CreateProbeDirect(
        builder, static_cast<Colour>(values.colour), static_cast<Wide>(values.wide), &colours, &wides, &values.flags,
        &names, &points, twig, &twigs, spare, static_cast<Thing>(values.thing_type), thing);
    probe::FinishProbeBuffer(builder, root);
    return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

// The verdict on a buffer whose structure the FlatBuffers verifier has accepted, as it is for the manifest.
Verdict verdict_of(const std::vector<std::uint8_t>& bytes) {
    const files::AlignedBytes aligned{bytes};
    Verdict verdict;
    flatbuffers::Verifier verifier{aligned.view().data(), aligned.view().size()};
    EXPECT_TRUE(probe::VerifyProbeBuffer(verifier));
    StrictnessWalk walk{aligned.view(), verdict};
    if (check_strictness(walk, *probe::GetProbe(aligned.view().data()))) {
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
