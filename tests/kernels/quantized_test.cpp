// Kernels for quantised pairs, rescaling, tables and selection, against the published formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/refusals.h"

namespace pianola::refdev {
namespace {

class Quantized : public testing::Test {
  protected:
    SmallDevice device_{4096U};
    std::mt19937 random_{29U};

    std::int32_t short_at(std::uint32_t address) {
        return static_cast<std::int16_t>(device_.at(address) | (device_.at(address + 1U) << 8U));
    }
    void store_short(std::uint32_t address, std::int32_t value) {
        device_.at(address) = static_cast<std::uint8_t>(static_cast<std::uint32_t>(value) & 0xFFU);
        device_.at(address + 1U) = static_cast<std::uint8_t>((static_cast<std::uint32_t>(value) >> 8U) & 0xFFU);
    }
    std::int32_t element(std::uint32_t type, std::uint32_t tensor, std::uint32_t index) {
        return (type == kTypeInt8) ? device_.element(tensor + index) : short_at(tensor + (2U * index));
    }
};

struct Numbers {
    std::int32_t element1;
    std::int32_t element2;
    std::int32_t number1;
    std::int32_t number2;
    std::int64_t term1;
    std::int64_t term2;
};

std::int64_t expected_of(const QuantizedBinaryArguments& a, const Numbers& n) {
    const auto placed = [&a](std::int64_t value) {
        return std::clamp<std::int64_t>(value + a.output_offset, a.activation_min, a.activation_max);
    };
    const auto rescaled = [&](std::int64_t value) {
        return placed(published_rescale(static_cast<std::int32_t>(value), a.output_multiplier, a.output_shift));
    };
    switch (a.op) {
        case QuantizedBinaryOp::kAdd:
            return rescaled(n.term1 + n.term2);
        case QuantizedBinaryOp::kSubtract:
            return rescaled(n.term1 - n.term2);
        case QuantizedBinaryOp::kMultiply:
            return rescaled(std::int64_t{n.number1} * n.number2);
        case QuantizedBinaryOp::kMinimum:
            return std::min(n.element1, n.element2);
        case QuantizedBinaryOp::kMaximum:
            return std::max(n.element1, n.element2);
        case QuantizedBinaryOp::kSquaredDifference:
            return rescaled((n.term1 - n.term2) * (n.term1 - n.term2));
        case QuantizedBinaryOp::kEqual:
            return (n.term1 == n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kNotEqual:
            return (n.term1 != n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kGreater:
            return (n.term1 > n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kGreaterEqual:
            return (n.term1 >= n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kLess:
            return (n.term1 < n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kLessEqual:
            return (n.term1 <= n.term2) ? 1 : 0;
        case QuantizedBinaryOp::kLogicalAnd:
            return ((n.element1 != 0) && (n.element2 != 0)) ? 1 : 0;
        case QuantizedBinaryOp::kLogicalOr:
            return ((n.element1 != 0) || (n.element2 != 0)) ? 1 : 0;
        case QuantizedBinaryOp::kPrelu:
            return (n.number1 >= 0) ? placed(n.term1) : rescaled(std::int64_t{n.number1} * n.number2);
        default:
            throw std::runtime_error("no operation");
    }
}

// Scales that keep every intermediate within 32 bits: terms of at most 2^14 where they are squared.
QuantizedBinaryArguments arguments_for(QuantizedBinaryOp op, std::uint32_t type) {
    QuantizedBinaryArguments a{};
    a.input1 = kBase;
    a.input2 = kBase + 1024U;
    a.output = kBase + 2048U;
    a.dims = {2U, 3U, 4U, 10U};
    a.strides1 = {120U, 40U, 10U, 1U};
    a.strides2 = {0U, 10U, 0U, 1U};
    a.type = type;
    a.op = op;
    const bool is_int8 = type == kTypeInt8;
    a.input1_offset = is_int8 ? 5 : 0;
    a.input2_offset = is_int8 ? -128 : 0;
    a.input1_multiplier = 1 << 30;
    a.input2_multiplier = (1 << 30) + 98765432;
    a.input1_shift = (op == QuantizedBinaryOp::kSquaredDifference) ? -2 : 0;
    a.input2_shift = -2;
    const std::uint32_t left_shift = is_int8 ? 20U : 15U;
    const bool small = (op == QuantizedBinaryOp::kSquaredDifference) || (op == QuantizedBinaryOp::kPrelu);
    a.left_shift = small ? 0U : left_shift;
    a.output_offset = is_int8 ? -4 : 0;
    a.output_multiplier = (1 << 30) + 12345;
    a.output_shift = is_int8 ? -7 : -14;
    a.activation_min = is_int8 ? -100 : -30000;
    a.activation_max = is_int8 ? 120 : 32767;
    return a;
}

TEST_F(Quantized, EveryOperationOfPairsFollowsThePublishedFormula) {
    for (const std::uint32_t type : {kTypeInt8, kTypeInt16}) {
        for (std::uint32_t op = 1U; op <= 15U; ++op) {
            const QuantizedBinaryArguments a = arguments_for(static_cast<QuantizedBinaryOp>(op), type);
            device_.randomise_with_extremes(random_, kTypeInt8);
            ASSERT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kOk) << op;
            const bool bytes = (op >= 7U) && (op <= 14U);
            for (std::uint32_t i = 0U; i < 240U; ++i) {
                Numbers n{};
                n.element1 = element(type, a.input1, i);
                n.element2 = element(type, a.input2, (((i / 40U) % 3U) * 10U) + (i % 10U));
                n.number1 = n.element1 + a.input1_offset;
                n.number2 = n.element2 + a.input2_offset;
                n.term1 = published_rescale(n.number1 * (1 << a.left_shift), a.input1_multiplier, a.input1_shift);
                n.term2 = published_rescale(n.number2 * (1 << a.left_shift), a.input2_multiplier, a.input2_shift);
                ASSERT_EQ(element(bytes ? kTypeInt8 : type, a.output, i), expected_of(a, n)) << op << " " << i;
            }
        }
    }
}

TEST_F(Quantized, PairsRunInPlaceOfAnOperandThatIsNotRepeated) {
    QuantizedBinaryArguments a = arguments_for(QuantizedBinaryOp::kMultiply, kTypeInt16);
    device_.randomise(random_);
    ASSERT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kOk);
    std::vector<std::int32_t> apart;
    for (std::uint32_t i = 0U; i < 240U; ++i) {
        apart.push_back(short_at(a.output + (2U * i)));
    }
    a.output = a.input2;  // repeated: its elements are needed again
    EXPECT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kRefused);
    a.output = a.input1;
    ASSERT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kOk);
    for (std::uint32_t i = 0U; i < 240U; ++i) {
        ASSERT_EQ(short_at(a.output + (2U * i)), apart[i]) << i;
    }
    a.op = QuantizedBinaryOp::kEqual;  // gives bytes: not the same extent
    EXPECT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kRefused);
    // The same extent, but other elements: half as many of two bytes, repeated.
    a.dims = {1U, 1U, 1U, 2U};
    a.strides1 = {0U, 0U, 0U, 0U};
    a.strides2 = {0U, 0U, 0U, 1U};
    EXPECT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kRefused);
    a.output += 512U;
    EXPECT_EQ(device_.run(KernelId::kQuantizedBinary, words_of(a)), Status::kOk);
}

// Exact ties at both roundings of the scheme: the high product's halves go upwards, those of the shift away from 0.
TEST_F(Quantized, TiesRoundAsPublished) {
    RescaleArguments a{kBase, kBase + 2048U, 200U, kTypeInt16, kTypeInt16, 0, 1 << 30, 0, 1 << 30, 0, 0, -32768, 32767};
    for (std::int32_t i = 0; i < 200; ++i) {
        store_short(kBase + (2U * static_cast<std::uint32_t>(i)), i - 100);
    }
    // A half: -99 / 2 is -49.5 and becomes -49, 99 / 2 becomes 50.
    ASSERT_EQ(device_.run(KernelId::kRescale, words_of(a)), Status::kOk);
    for (std::int32_t i = 0; i < 200; ++i) {
        const auto expected = static_cast<std::int32_t>(std::floor(((i - 100) / 2.0) + 0.5));
        ASSERT_EQ(short_at(a.output + (2U * static_cast<std::uint32_t>(i))), expected) << (i - 100);
    }
    // One, then an eighth by the shift: -12 / 8 is -1.5 and becomes -2.
    a.multiplier = 1 << 30;
    a.shift = -2;
    a.negative_shift = -2;
    for (std::int32_t i = 0; i < 200; ++i) {
        store_short(kBase + (2U * static_cast<std::uint32_t>(i)), 2 * (i - 100));
    }
    ASSERT_EQ(device_.run(KernelId::kRescale, words_of(a)), Status::kOk);
    for (std::int32_t i = 0; i < 200; ++i) {
        const auto expected = static_cast<std::int32_t>(std::round((i - 100) / 4.0));
        ASSERT_EQ(short_at(a.output + (2U * static_cast<std::uint32_t>(i))), expected) << (i - 100);
    }
}

TEST_F(Quantized, RescaleBetweenAllTypesWithTwoScales) {
    for (const std::uint32_t from : {kTypeInt8, kTypeInt16, kTypeInt32}) {
        for (const std::uint32_t to : {kTypeInt8, kTypeInt16, kTypeInt32}) {
            const bool wide = to == kTypeInt32;
            const std::int32_t limit = (to == kTypeInt8) ? 127 : 32767;
            const RescaleArguments a{kBase,
                                     kBase + 2048U,
                                     100U,
                                     from,
                                     to,
                                     (from == kTypeInt32) ? 0 : -7,
                                     (1 << 30) + 4321,
                                     -3,
                                     (1 << 30) + 99,
                                     -5,
                                     wide ? 0 : 3,
                                     wide ? INT32_MIN : -limit,
                                     wide ? INT32_MAX : limit};
            device_.randomise(random_);
            ASSERT_EQ(device_.run(KernelId::kRescale, words_of(a)), Status::kOk);
            for (std::uint32_t i = 0U; i < a.count; ++i) {
                const std::int32_t value =
                    ((from == kTypeInt32) ? device_.word(a.input + (4U * i)) : element(from, a.input, i)) -
                    a.input_zero_point;
                const std::int64_t scaled = (value < 0)
                                                ? published_rescale(value, a.negative_multiplier, a.negative_shift)
                                                : published_rescale(value, a.multiplier, a.shift);
                const std::int64_t expected =
                    std::clamp<std::int64_t>(scaled + a.output_zero_point, a.activation_min, a.activation_max);
                ASSERT_EQ(wide ? device_.word(a.output + (4U * i)) : element(to, a.output, i), expected)
                    << from << " to " << to << " " << i;
            }
        }
    }
}

TEST_F(Quantized, RescaleSaturatesWhatAShiftToTheLeftWouldLose) {
    const RescaleArguments a{kBase, kBase + 2048U, 2U, kTypeInt32, kTypeInt32, 0,        1 << 30,
                             20,    1 << 30,       20, 0,          INT32_MIN,  INT32_MAX};
    device_.store_word(kBase, 1 << 20);
    device_.store_word(kBase + 4U, -(1 << 20));
    ASSERT_EQ(device_.run(KernelId::kRescale, words_of(a)), Status::kOk);
    EXPECT_EQ(device_.word(a.output), 1 << 30);
    EXPECT_EQ(device_.word(a.output + 4U), -(1 << 30));
}

TEST_F(Quantized, LookupTakesEntriesOfEverySize) {
    for (const std::uint32_t size : {1U, 2U, 4U}) {
        const LookupArguments a{kBase + 1U, kBase + 512U, kBase + 2048U, 300U, size};
        device_.randomise(random_);
        ASSERT_EQ(device_.run(KernelId::kLookup, words_of(a)), Status::kOk);
        for (std::uint32_t i = 0U; i < (a.count * size); ++i) {
            const std::uint32_t entry = device_.at(a.input + (i / size));
            ASSERT_EQ(device_.at(a.output + i), device_.at(a.table + (entry * size) + (i % size))) << size << " " << i;
        }
    }
    LookupArguments a{kBase, kBase + 512U, kBase, 256U, 1U};  // in place
    EXPECT_EQ(device_.run(KernelId::kLookup, words_of(a)), Status::kOk);
    a.output = a.table;  // of the same size
    EXPECT_EQ(device_.run(KernelId::kLookup, words_of(a)), Status::kRefused);
}

TEST_F(Quantized, SelectBroadcastsEveryOperand) {
    for (const std::uint32_t size : {1U, 2U, 4U}) {
        SelectArguments a{kBase,
                          kBase + 1024U,
                          kBase + 1536U,
                          kBase + 2048U,
                          {2U, 3U, 4U, 5U},
                          {0U, 4U, 1U, 0U},
                          {60U, 20U, 5U, 1U},
                          {0U, 0U, 0U, 1U},
                          size};
        device_.randomise(random_);
        for (std::uint32_t i = 0U; i < 12U; ++i) {
            device_.at(a.condition + i) = static_cast<std::uint8_t>((random_() % 2U) * (1U + (random_() % 255U)));
        }
        const std::vector<std::uint8_t> before = device_.bytes();
        const auto check = [&](std::uint32_t output) {
            for (std::uint32_t i = 0U; i < 120U; ++i) {
                const bool first = before.at(((i / 5U) % 12U)) != 0U;
                for (std::uint32_t byte = 0U; byte < size; ++byte) {
                    const std::uint32_t from = first ? (1024U + (i * size) + byte) : (1536U + ((i % 5U) * size) + byte);
                    ASSERT_EQ(device_.at(output + (i * size) + byte), before.at(from)) << size << " " << i;
                }
            }
        };
        ASSERT_EQ(device_.run(KernelId::kSelect, words_of(a)), Status::kOk);
        check(a.output);
        a.output = a.input1;
        ASSERT_EQ(device_.run(KernelId::kSelect, words_of(a)), Status::kOk);
        check(a.output);
    }
}

TEST_F(Quantized, WhatIsOutOfTheContractIsRefusedByName) {
    const std::vector<Refusal> refusals{
        {KernelId::kQuantizedBinary, "_int16", 0U, "input1", {kBase + 1U}},
        {KernelId::kQuantizedBinary, "_int16", 1U, "input2", {kBase + 257U}},
        {KernelId::kQuantizedBinary, "_int16", 2U, "output", {kBase + 769U}},
        {KernelId::kQuantizedBinary, "", 2U, "output", {kBase + 1U}},
        {KernelId::kQuantizedBinary, "", 6U, "dims", {0U}},
        {KernelId::kQuantizedBinary, "", 9U, "strides1", {4U}},
        {KernelId::kQuantizedBinary, "", 14U, "strides2", {2U}},
        {KernelId::kQuantizedBinary, "", 15U, "type", {2U, 4U}},
        {KernelId::kQuantizedBinary, "", 16U, "op", {0U, 16U}},
        {KernelId::kQuantizedBinary, "", 17U, "input1_offset", {32769U}},
        {KernelId::kQuantizedBinary, "", 23U, "left_shift", {23U}},
        {KernelId::kQuantizedBinary, "", 27U, "activation_min", {0xFFFF'FF00U}},
        {KernelId::kQuantizedBinary, "", 28U, "activation_min", {128U}},
        {KernelId::kQuantizedBinary, "_int16", 28U, "activation_max", {32768U}},
        {KernelId::kRescale, "", 0U, "input", {kBase + 2U}},
        {KernelId::kRescale, "", 1U, "output", {kBase + 769U, kBase + 100U}},
        {KernelId::kRescale, "", 3U, "input_type", {2U}},
        {KernelId::kRescale, "", 4U, "output_type", {2U, 5U}},
        {KernelId::kRescale, "", 5U, "input_zero_point", {1U}},
        {KernelId::kRescale, "", 4U, "output_zero_point", {4U}},
        {KernelId::kRescale, "", 11U, "activation_min", {0xFFFF'7FFFU}},
        {KernelId::kRescale, "_int16", 12U, "activation_min", {32768U}},
        {KernelId::kQuantize, "", 0U, "input", {kBase + 2U}},
        {KernelId::kQuantize, "", 1U, "output", {kBase + 769U, kBase + 198U}},
        {KernelId::kQuantize, "", 3U, "type", {4U}},
        {KernelId::kQuantize, "", 4U, "scale", {0x017F'FFFFU, 0x7F80'0000U, 0xBF80'0000U}},
        {KernelId::kQuantize, "", 5U, "zero_point", {32768U}},
        {KernelId::kDequantize, "", 1U, "output", {kBase + 770U, kBase}},
        {KernelId::kDequantize, "", 3U, "type", {0U}},
        {KernelId::kDequantize, "", 4U, "scale", {0U}},
    };
    expect_refused(refusals, layer_launches());
}

// 64 cycles, operations / 16, operand bytes / 8; worked out by hand.
TEST_F(Quantized, CostsFollowThePublishedModel) {
    for (const auto& [id, variant, cost] : std::vector<std::tuple<KernelId, const char*, std::uint64_t>>{
             {KernelId::kQuantizedBinary, "_int16", 64U + 6U + 13U},  // 24 elements, 48 + 8 + 48 bytes
             {KernelId::kQuantizedBinary, "_less", 64U + 6U + 10U},   // 24 elements, 48 + 8 + 24 bytes
             {KernelId::kRescale, "", 64U + 7U + 38U},                // 50 elements, 200 + 100 bytes
             {KernelId::kQuantize, "", 64U + 100U + 38U},             // 50 elements, 200 + 100 bytes
             {KernelId::kDequantize, "", 64U + 100U + 32U},           // 50 elements, 50 + 200 bytes
         }) {
        for (const Sample& sample : layer_launches()) {
            if ((sample.id == id) && (std::string{sample.variant} == variant)) {
                ExtentList extents;
                ArgumentError error;
                ASSERT_EQ(kernel(id).describe(span_of(sample.words), extents, error), Status::kOk) << error.field;
                EXPECT_EQ(launch_cost(kVirtualCosts, kernel(id), span_of(sample.words), extents), cost)
                    << sample_name(sample);
            }
        }
    }
}

}  // namespace
}  // namespace pianola::refdev
