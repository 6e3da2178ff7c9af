// What the importer says that it supports, and what it says of all that is in the way.

#include "capture_host/tflite/model/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "one_import.h"

namespace pianola::tflite {
namespace {

TEST(Support, ListsEveryOperatorThatIsImportedOnce) {
    std::vector<std::int32_t> imported = imported_operators();
    std::sort(imported.begin(), imported.end());
    std::vector<std::int32_t> listed;
    for (const OperatorSupport& support : supported_operators()) {
        listed.push_back(support.code);
        EXPECT_FALSE(std::string_view{support.types}.empty()) << support.code;
    }
    EXPECT_EQ(listed, imported)
        << "capture_host/tflite/model/support.cpp: in the order of the format, one line for each";
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
