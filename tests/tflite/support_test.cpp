// What the importer says that it supports, and what it says of all that is in the way.

#include <gtest/gtest.h>

#include <istream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "capture_host/tflite/model/reader.h"
#include "capture_host/tflite/operators/operators.h"
#include "one_import.h"

namespace pianola::tflite {
namespace {

// operators.inc; crosscheck.operators captures a model of each row.
TEST(Support, EachRowOfTheTableIsWhole) {
    const std::set<std::string> known{"int8", "int16", "int32", "uint8", "float32", "bool"};
    for (const ImportedOperator& imported : imported_operators()) {
        const std::string name = operator_name(imported.code);
        EXPECT_EQ(name.rfind("BUILTIN_", 0U), std::string::npos) << name;
        EXPECT_NE(imported.lower, nullptr) << name;
        EXPECT_GE(imported.highest_version, 1) << name;
        ASSERT_NE(imported.limits, nullptr) << name;
        ASSERT_NE(imported.types, nullptr) << name;
        std::istringstream types{imported.types};
        std::size_t count = 0U;
        for (std::string type; std::getline(types >> std::ws, type, ','); ++count) {
            EXPECT_EQ(known.count(type), 1U) << name << ": " << type;
        }
        EXPECT_GT(count, 0U) << name;
    }
}

TEST(Support, NothingIsListedTwice) {
    std::vector<std::int32_t> codes;
    std::set<Lowering> lowerings;
    for (const ImportedOperator& imported : imported_operators()) {
        codes.push_back(imported.code);
        EXPECT_TRUE(lowerings.insert(imported.lower).second) << operator_name(imported.code);
        EXPECT_EQ(find_imported(imported.code), &imported);
    }
    EXPECT_FALSE(codes.empty());
    const std::set<std::int32_t> in_order{codes.begin(), codes.end()};
    EXPECT_EQ(codes, std::vector<std::int32_t>(in_order.begin(), in_order.end()));
    for (const std::int32_t code : float_only_operators()) {
        EXPECT_EQ(find_imported(code), nullptr) << operator_name(code);
    }
}

TEST(Support, EverythingInTheWayIsFoundAtOnce) {
    constexpr std::int32_t kRelu = 19;
    constexpr std::int32_t kUnknown = 999;
    ModelSpec model;
    model.tensors = {{"in", {1, 4}}, {"a", {1, 4}}, {"b", {1, 4}}, {"c", {1, 4}, 0U, 0}, {"out", {1, 4}}};
    model.operators = {{kUnknown, {0}, {1}}, {kRelu, {1}, {2}}, {kRelu, {2}, {3}}, {kUnknown, {3}, {4}}};
    model.inputs = {0};
    model.outputs = {4};
    const std::vector<std::uint8_t> file = build_model(model);
    capture::Recorder recorder;
    try {
        import_model(Span<const std::uint8_t>{file.data(), file.size()}, "name", {}, recorder);
        FAIL();
    } catch (const ImportError& error) {
        std::vector<std::string> found;
        for (const Finding& finding : error.findings()) {
            found.push_back(finding.text() + ": " + finding.tensor);
        }
        const std::vector<std::string> expected{
            "operator 0 (BUILTIN_999): not supported: a",
            "operator 2 (RELU): float32 output is not supported; int8, int16 are: c",
            "operator 3 (BUILTIN_999): not supported: out"};
        EXPECT_EQ(found, expected);
    }
}

// A type that has no description on the device hides nothing of what other operators lack.
TEST(Support, TypesThatCannotBeDescribedHideNothing) {
    constexpr std::int32_t kRelu = 19;
    ModelSpec model;
    model.tensors = {{"in", {1, 4}, 0U, 1}, {"a", {1, 4}, 0U, 3}, {"b", {1, 4}, 0U, 3}, {"c", {1, 4}, 0U, 4}};
    model.operators = {{kRelu, {0}, {1}}, {kRelu, {1}, {2}}, {kRelu, {0}, {3}}, {kRelu, {3}, {3}}};
    model.inputs = {0};
    model.outputs = {3};
    const std::vector<std::uint8_t> file = build_model(model);
    capture::Recorder recorder;
    try {
        import_model(Span<const std::uint8_t>{file.data(), file.size()}, "name", {}, recorder);
        FAIL();
    } catch (const ImportError& error) {
        EXPECT_EQ(std::string{error.what()},
                  "operator 1 (RELU): uint8 input is not supported; int8, int16 are\n"
                  "operator 3 (RELU): 'c': int64 is not supported\n"
                  "graph input 'in': float16 is not supported");
    }
}

}  // namespace
}  // namespace pianola::tflite
