// What a refused expectation calls the two values that differ.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "capture_host/capture/expected.h"

namespace pianola {
namespace {

using Bytes = std::vector<std::uint8_t>;

TEST(ExpectedValues, AreShownAsTheirTypeHasThem) {
    struct Case {
        ElementType type;
        Bytes bytes;
        const char* text;
    };
    for (const Case& each : {Case{ElementType::kInt8, {0x80U}, "-128"}, Case{ElementType::kUint8, {0x80U}, "128"},
                             Case{ElementType::kBool, {0x01U}, "1"}, Case{ElementType::kInt16, {0xFEU, 0xFFU}, "-2"},
                             Case{ElementType::kUint16, {0xFEU, 0xFFU}, "65534"},
                             Case{ElementType::kInt32, {0x00U, 0x00U, 0x00U, 0x80U}, "-2147483648"},
                             Case{ElementType::kUint32, {0x00U, 0x00U, 0x00U, 0x80U}, "2147483648"},
                             Case{ElementType::kFloat32, {0x00U, 0x00U, 0x80U, 0x3FU}, "1 (0x3F800000)"},
                             Case{ElementType::kFloat32, {0x00U, 0x00U, 0x00U, 0x80U}, "-0 (0x80000000)"},
                             Case{ElementType::kBfloat16, {0x20U, 0xC0U}, "-2.5 (0xC020)"}}) {
        EXPECT_EQ(capture::element_text(each.type, {each.bytes.data(), each.bytes.size()}), each.text);
    }
}

}  // namespace
}  // namespace pianola
