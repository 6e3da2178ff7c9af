// Kernels that quantise and dequantise, against the host's own floating point.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

class SinglePrecision : public testing::Test {
  protected:
    SmallDevice device_{4096U};
    std::mt19937 random_{31U};

    std::int32_t short_at(std::uint32_t address) {
        return static_cast<std::int16_t>(device_.at(address) | (device_.at(address + 1U) << 8U));
    }
    std::int32_t value_at(std::uint32_t type, std::uint32_t tensor, std::uint32_t index) {
        if (type == kTypeUint8) {
            return device_.at(tensor + index);
        }
        return (type == kTypeInt8) ? device_.element(tensor + index) : short_at(tensor + (2U * index));
    }
};

std::uint32_t bits_of(float value) {
    std::uint32_t bits = 0U;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// Random bits, ties on purpose, and the ends of the range.
TEST_F(SinglePrecision, QuantizeIsTheHostsDivisionAndRounding) {
    for (const float scale : {0.05F, 1.0F, 0.5F, 0.3333333F, 0x1p-124F, 3.0e38F, 0.0078125F, 1.7F}) {
        for (std::uint32_t round = 0U; round < 200U; ++round) {
            const QuantizeArguments a{kBase, kBase + 2048U, 100U, kTypeInt16, bits_of(scale), -3};
            std::vector<float> values;
            for (std::uint32_t i = 0U; i < a.count; ++i) {
                std::uint32_t bits = static_cast<std::uint32_t>(random_());
                float value = 0.0F;
                std::memcpy(&value, &bits, sizeof(value));
                if ((i % 4U) != 0U) {
                    const auto steps = static_cast<float>(static_cast<std::int32_t>(random_() % 65536U) - 32768);
                    value = scale * (steps + (((i % 4U) == 1U) ? 0.5F : 0.0F));
                }
                if ((i % 4U) == 3U) {
                    value = std::nextafter(value, (i % 8U == 3U) ? INFINITY : -INFINITY);
                }
                values.push_back(value);
                device_.store_word(kBase + (4U * i), static_cast<std::int32_t>(bits_of(value)));
            }
            ASSERT_EQ(device_.run(KernelId::kQuantize, words_of(a)), Status::kOk);
            for (std::uint32_t i = 0U; i < a.count; ++i) {
                const float quotient = std::round(values[i] / scale);
                const float bounded = std::clamp(std::isnan(quotient) ? 0.0F : quotient, -100000.0F, 100000.0F);
                const std::int32_t expected = std::clamp(static_cast<std::int32_t>(bounded) - 3, -32768, 32767);
                ASSERT_EQ(short_at(a.output + (2U * i)), expected) << values[i] << " by " << scale;
            }
        }
    }
}

TEST_F(SinglePrecision, QuantizeSaturatesBytes) {
    const std::array<float, 5> values{1.0e30F, -1.0e30F, INFINITY, -INFINITY, NAN};
    for (std::uint32_t i = 0U; i < 5U; ++i) {
        device_.store_word(kBase + (4U * i), static_cast<std::int32_t>(bits_of(values.at(i))));
    }
    QuantizeArguments a{kBase, kBase + 2048U, 5U, kTypeInt8, bits_of(0.5F), 9};
    ASSERT_EQ(device_.run(KernelId::kQuantize, words_of(a)), Status::kOk);
    const std::array<std::int32_t, 5> signed_bytes{127, -128, 127, -128, 9};
    for (std::uint32_t i = 0U; i < 5U; ++i) {
        EXPECT_EQ(device_.element(a.output + i), signed_bytes.at(i));
    }
    a.type = kTypeUint8;
    ASSERT_EQ(device_.run(KernelId::kQuantize, words_of(a)), Status::kOk);
    const std::array<std::uint8_t, 5> bytes{255U, 0U, 255U, 0U, 9U};
    for (std::uint32_t i = 0U; i < 5U; ++i) {
        EXPECT_EQ(device_.at(a.output + i), bytes.at(i));
    }
}

TEST_F(SinglePrecision, DequantizeIsTheHostsProduct) {
    for (const std::uint32_t type : {kTypeInt8, kTypeUint8, kTypeInt16}) {
        for (const float scale : {0.05F, 1.0F, 0.0117647061F, 0x1p-124F, 3.0e38F, 1.9999999F}) {
            for (const std::int32_t zero_point : {0, -128, 127}) {
                const DequantizeArguments a{kBase, kBase + 2048U, 300U, type, bits_of(scale), zero_point};
                device_.randomise(random_);
                ASSERT_EQ(device_.run(KernelId::kDequantize, words_of(a)), Status::kOk);
                for (std::uint32_t i = 0U; i < a.count; ++i) {
                    const std::int32_t value = value_at(type, a.input, i);
                    const auto expected = static_cast<float>(static_cast<double>(scale) * (value - zero_point));
                    ASSERT_EQ(static_cast<std::uint32_t>(device_.word(a.output + (4U * i))), bits_of(expected))
                        << value << " times " << scale;
                }
            }
        }
    }
}

}  // namespace
}  // namespace pianola::refdev
