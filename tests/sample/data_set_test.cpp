#include "docs/examples/road_signs/data_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "docs/examples/road_signs/contact_sheet.h"
#include "docs/examples/road_signs/font.h"
#include "docs/examples/road_signs/signs.h"

namespace pianola::sample {
namespace {

TEST(Prng, StreamsAndIndicesAreUnrelated) {
    // Different indices and streams must not run in step.
    std::set<std::uint64_t> seen;
    for (std::uint64_t stream = 0U; stream < 8U; ++stream) {
        for (std::uint64_t index = 0U; index < 64U; ++index) {
            Prng prng{1U, stream, index};
            seen.insert(prng.next());
            seen.insert(prng.next());
        }
    }
    EXPECT_EQ(seen.size(), 8U * 64U * 2U);
}

TEST(Prng, MomentsAreRight) {
    Prng prng{7U, 1U, 0U};
    constexpr int kCount = 200000;
    double sum = 0.0;
    double squares = 0.0;
    std::array<int, 5> hits{};
    for (int i = 0; i < kCount; ++i) {
        const double value = prng.normal();
        ASSERT_LT(value, 3.5);
        ASSERT_GT(value, -3.5);
        sum += value;
        squares += value * value;
        ++hits.at(prng.below(5U));
    }
    EXPECT_NEAR(sum / kCount, 0.0, 0.01);
    EXPECT_NEAR(squares / kCount, 1.0, 0.02);
    for (const int count : hits) {
        EXPECT_NEAR(static_cast<double>(count) / kCount, 0.2, 0.01);
    }
}

TEST(DataSet, ClassesAreBalanced) {
    std::array<std::size_t, kClassCount> counts{};
    for (const Example& example : make_examples(1U, Stream::kTest, kClassCount * 8U)) {
        ++counts.at(example.label);
    }
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 8U), static_cast<std::ptrdiff_t>(kClassCount));
}

TEST(DataSet, SamePictureForSameNumberAndAnotherForAnother) {
    const Image image = make_example(1U, Stream::kTest, 5U).image;
    EXPECT_EQ(make_example(1U, Stream::kTest, 5U).image, image);
    EXPECT_NE(make_example(2U, Stream::kTest, 5U).image, image);
    EXPECT_NE(make_example(1U, Stream::kTraining, 5U).image, image);
    EXPECT_NE(make_example(1U, Stream::kTest, 5U + kClassCount).image, image);
}

TEST(DataSet, ModelInputCoversInt8) {
    EXPECT_EQ(to_model_input(0U), -128);
    EXPECT_EQ(to_model_input(128U), 0);
    EXPECT_EQ(to_model_input(255U), 127);
}

TEST(Signs, TurnsAreMirrorImagesAndDiffer) {
    bool differ = false;
    for (int i = -20; i <= 20; ++i) {
        for (int j = -20; j <= 20; ++j) {
            const double u = static_cast<double>(i) * 0.05;
            const double v = static_cast<double>(j) * 0.05;
            Colour left;
            Colour right;
            Colour straight;
            const bool in_left = sign_colour({SignClass::kTurnLeft, 0U}, u, v, left);
            const bool in_right = sign_colour({SignClass::kTurnRight, 0U}, -u, v, right);
            ASSERT_EQ(in_left, in_right);
            ASSERT_EQ(left.red, right.red);
            (void)sign_colour({SignClass::kTurnRight, 0U}, u, v, straight);
            differ = differ || (straight.red != left.red);
        }
    }
    EXPECT_TRUE(differ);
}

TEST(Signs, EverySignHasAColourInItsMiddleAndNoneFarOutside) {
    for (std::size_t c = 0U; c < kClassCount; ++c) {
        const SignFace face{static_cast<SignClass>(c), 3U};
        Colour colour{9.0, 9.0, 9.0};
        EXPECT_FALSE(sign_colour(face, 1.5, 1.5, colour));
        EXPECT_EQ(colour.red, 9.0) << "untouched where the sign does not reach";
        EXPECT_TRUE(sign_colour(face, 0.0, 0.0, colour));
        EXPECT_LE(colour.red, 1.0);
    }
}

TEST(Font, DrawsDotsWhereTheGlyphHasThem) {
    // I is a column between two bars.
    for (std::size_t row = 0U; row < kGlyphHeight; ++row) {
        EXPECT_TRUE(text_dot("i", 1U, row));
        EXPECT_EQ(text_dot("I", 0U, row), (row == 0U) || (row == 4U));
        EXPECT_FALSE(text_dot("II", 3U, row)) << "gap between glyphs";
        EXPECT_FALSE(text_dot("I", 5U, row)) << "behind the text";
    }
    EXPECT_FALSE(text_dot("I", 1U, kGlyphHeight));
    EXPECT_FALSE(text_dot("_", 1U, 2U)) << "not in the font";
}

TEST(ContactSheet, IsACompletePpm) {
    const std::string ppm = image_to_ppm(make_example(1U, Stream::kTest, 0U).image, 2U);
    const std::string header = "P6\n64 64\n255\n";
    EXPECT_EQ(ppm.substr(0U, header.size()), header);
    EXPECT_EQ(ppm.size(), header.size() + (std::size_t{64U} * 64U * 3U));
}

TEST(ContactSheet, HasRowsOfEightPicturesAndNotMoreThanEight) {
    const auto header_of = [](std::size_t pictures) {
        const std::string ppm = make_sheet(make_examples(1U, Stream::kTest, pictures));
        return ppm.substr(0U, ppm.find("255"));
    };
    EXPECT_EQ(header_of(3U), "P6\n868 122\n");
    EXPECT_EQ(header_of(9U), "P6\n868 240\n");
    EXPECT_EQ(header_of(80U), header_of(64U));
}

}  // namespace
}  // namespace pianola::sample
