// Kernels of plain arithmetic: unary, binary, matmul and reduce, against 64-bit references.
#include <gtest/gtest.h>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kFirst = kBase;
constexpr std::uint32_t kSecond = kBase + 2048U;
constexpr std::uint32_t kOutput = kBase + 4096U;

std::int32_t modulo(std::int64_t value) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) & UINT32_MAX));
}

// The exact result as the type holds it.
std::int32_t fitted(std::uint32_t type, std::int64_t exact) {
    return (type == kTypeInt8) ? static_cast<std::int32_t>(std::clamp<std::int64_t>(exact, -128, 127)) : modulo(exact);
}

std::int64_t unary_reference(UnaryOp op, std::int64_t value, std::int64_t scalar) {
    const std::array<std::int64_t, 8> results{0,
                                              value,
                                              -value,
                                              std::abs(value),
                                              std::max<std::int64_t>(value, 0),
                                              value + scalar,
                                              value * scalar,
                                              value * value};
    return results.at(static_cast<std::size_t>(op));
}

std::int64_t binary_reference(BinaryOp op, std::int64_t left, std::int64_t right) {
    const std::array<std::int64_t, 7> results{0,
                                              left + right,
                                              left - right,
                                              left * right,
                                              std::min(left, right),
                                              std::max(left, right),
                                              std::int64_t{left == right}};
    return results.at(static_cast<std::size_t>(op));
}

class PlainArithmetic : public testing::TestWithParam<std::uint32_t> {
  protected:
    const std::uint32_t type_ = GetParam();
    SmallDevice device_{8192U};
    std::mt19937 random_{31U};

    std::uint32_t from_1_to(std::uint32_t highest) { return 1U + static_cast<std::uint32_t>(random_() % highest); }
    std::vector<std::int32_t> tensor(std::uint32_t type, std::uint32_t address, std::uint32_t count) {
        std::vector<std::int32_t> elements;
        for (std::uint32_t i = 0U; i < count; ++i) {
            elements.push_back(device_.typed(type, address, i));
        }
        return elements;
    }
};

TEST_P(PlainArithmetic, UnaryFollowsItsOperationAlsoInPlace) {
    const std::vector<std::int32_t> scalars = (type_ == kTypeInt8)
                                                  ? std::vector<std::int32_t>{-128, 127, -1, 0, 3, 77}
                                                  : std::vector<std::int32_t>{INT32_MIN, INT32_MAX, -1, 0, 3, 65537};
    for (std::uint32_t round = 0U; round < 600U; ++round) {
        device_.randomise_with_extremes(random_, type_);
        const auto op = static_cast<UnaryOp>(1U + (round % 7U));
        const bool has_scalar = (op == UnaryOp::kAddScalar) || (op == UnaryOp::kMulScalar);
        const UnaryArguments a{kFirst,
                               ((round % 2U) == 0U) ? kFirst : kOutput,
                               from_1_to(500U),
                               type_,
                               op,
                               has_scalar ? scalars.at(random_() % scalars.size()) : 0};
        std::vector<std::int32_t> expected;
        for (const std::int32_t value : tensor(type_, a.input, a.count)) {
            expected.push_back(fitted(type_, unary_reference(op, value, a.scalar)));
        }
        ASSERT_EQ(device_.run(KernelId::kUnary, words_of(a)), Status::kOk);
        ASSERT_EQ(tensor(type_, a.output, a.count), expected) << round;
    }
}

TEST_P(PlainArithmetic, BinaryFollowsItsOperationAlsoInPlace) {
    const std::array<std::uint32_t, 3> outputs{kFirst, kSecond, kOutput};
    for (std::uint32_t round = 0U; round < 600U; ++round) {
        device_.randomise_with_extremes(random_, type_);
        const auto op = static_cast<BinaryOp>(1U + (round % 6U));
        const BinaryArguments a{
            kFirst, ((round % 5U) == 0U) ? kFirst : kSecond, outputs.at((round / 6U) % 3U), from_1_to(500U), type_, op};
        const std::vector<std::int32_t> left = tensor(type_, a.input1, a.count);
        const std::vector<std::int32_t> right = tensor(type_, a.input2, a.count);
        std::vector<std::int32_t> expected;
        for (std::uint32_t i = 0U; i < a.count; ++i) {
            expected.push_back(fitted(type_, binary_reference(op, left[i], right[i])));
        }
        ASSERT_EQ(device_.run(KernelId::kBinary, words_of(a)), Status::kOk);
        ASSERT_EQ(tensor(type_, a.output, a.count), expected) << round;
    }
}

TEST_P(PlainArithmetic, MatmulSumsProductsAndAccumulates) {
    for (std::uint32_t round = 0U; round < 300U; ++round) {
        device_.randomise_with_extremes(random_, type_);
        const std::uint32_t most = ((round % 10U) == 0U) ? 1U : 9U;
        // Wider than the block of columns that the kernel keeps, now and then.
        const std::uint32_t n = from_1_to(((round % 3U) == 0U) ? 50U : 9U);
        const MatmulArguments a{kFirst, kSecond, kOutput, from_1_to(most), from_1_to(most), n, type_, round % 2U};
        const std::vector<std::int32_t> left = tensor(type_, a.a, a.m * a.k);
        const std::vector<std::int32_t> right = tensor(type_, a.b, a.k * a.n);
        std::vector<std::int32_t> expected = tensor(kTypeInt32, a.c, a.m * a.n);
        for (std::uint32_t i = 0U; i < (a.m * a.n); ++i) {
            std::int32_t sum = (a.accumulate == 1U) ? expected[i] : 0;
            for (std::uint32_t k = 0U; k < a.k; ++k) {
                const std::int64_t product = std::int64_t{left[((i / a.n) * a.k) + k]} * right[(k * a.n) + (i % a.n)];
                sum = modulo(std::int64_t{sum} + modulo(product));
            }
            expected[i] = sum;
        }
        ASSERT_EQ(device_.run(KernelId::kMatmul, words_of(a)), Status::kOk);
        ASSERT_EQ(tensor(kTypeInt32, a.c, a.m * a.n), expected) << round;
    }
}

TEST_P(PlainArithmetic, ReduceCombinesRowsOrColumns) {
    for (std::uint32_t round = 0U; round < 600U; ++round) {
        device_.randomise_with_extremes(random_, type_);
        const auto op = static_cast<ReduceOp>(1U + (round % 5U));
        const std::uint32_t most = ((round % 10U) == 0U) ? 1U : 22U;
        const ReduceArguments a{kFirst, kOutput, from_1_to(most), from_1_to(22U), type_, op, (round / 5U) % 2U};
        std::vector<std::vector<std::int32_t>> groups((a.axis == 0U) ? a.columns : a.rows);
        for (std::uint32_t i = 0U; i < (a.rows * a.columns); ++i) {
            groups.at((a.axis == 0U) ? (i % a.columns) : (i / a.columns)).push_back(device_.typed(type_, a.input, i));
        }
        std::vector<std::int32_t> expected;
        for (const std::vector<std::int32_t>& group : groups) {
            std::int64_t sum = 0;
            for (const std::int32_t element : group) {
                sum += element;
            }
            const auto largest = std::max_element(group.begin(), group.end());
            const auto smallest = std::min_element(group.begin(), group.end());
            const std::array<std::int32_t, 6> results{0,
                                                      modulo(sum),
                                                      *largest,
                                                      *smallest,
                                                      static_cast<std::int32_t>(largest - group.begin()),
                                                      static_cast<std::int32_t>(smallest - group.begin())};
            expected.push_back(results.at(static_cast<std::size_t>(op)));
        }
        ASSERT_EQ(device_.run(KernelId::kReduce, words_of(a)), Status::kOk);
        ASSERT_EQ(tensor(kTypeInt32, a.output, static_cast<std::uint32_t>(groups.size())), expected) << round;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, PlainArithmetic, testing::Values(kTypeInt8, kTypeInt32),
                         [](const testing::TestParamInfo<std::uint32_t>& type) {
                             return std::string{(type.param == kTypeInt8) ? "int8" : "int32"};
                         });

TEST(PlainArithmeticLimits, LongestInt8ProductIsExact) {
    SmallDevice device{262144U};
    const MatmulArguments a{kBase, kBase + 65536U, kBase + 196608U, 1U, 65536U, 2U, kTypeInt8, 0U};
    device.bytes().assign(device.bytes().size(), 0x80U);
    ASSERT_EQ(device.run(KernelId::kMatmul, words_of(a)), Status::kOk);
    EXPECT_EQ(device.word(a.c), 65536 * 128 * 128);
    EXPECT_EQ(device.word(a.c + 4U), 65536 * 128 * 128);
}

TEST(PlainArithmeticLimits, SumOfInt8OverOneColumnIsExact) {
    SmallDevice device{262144U};
    const ReduceArguments a{kBase, kBase + 200000U, 200000U, 1U, kTypeInt8, ReduceOp::kSum, 0U};
    device.bytes().assign(device.bytes().size(), 0x80U);
    ASSERT_EQ(device.run(KernelId::kReduce, words_of(a)), Status::kOk);
    EXPECT_EQ(device.word(a.output), 200000 * -128);
}

// The host need not see the device's words at an aligned address.
TEST(PlainArithmeticLimits, Int32WorksWhereTheHostsAddressIsOdd) {
    alignas(4) std::array<std::uint8_t, 128> bytes{};
    DeviceMemory memory;
    ASSERT_EQ(memory.program(MemoryRegion{kBase, 120U, &bytes.at(1U), true, true}), Status::kOk);
    bytes.at(1U) = 2U;   // the first word of the first operand
    bytes.at(33U) = 3U;  // and of the second
    const Words binary =
        words_of(BinaryArguments{kBase, kBase + 32U, kBase + 64U, 2U, kTypeInt32, BinaryOp::kMultiply});
    EXPECT_EQ(refdev::run(kernel(KernelId::kBinary), span_of(binary), memory), Status::kOk);
    EXPECT_EQ(bytes.at(65U), 6U);
    const Words matmul = words_of(MatmulArguments{kBase, kBase + 32U, kBase + 64U, 1U, 1U, 2U, kTypeInt32, 1U});
    EXPECT_EQ(refdev::run(kernel(KernelId::kMatmul), span_of(matmul), memory), Status::kOk);
    EXPECT_EQ(bytes.at(65U), 12U);
    const Words semaphore = words_of(SemaphoreArguments{kBase + 64U, SemaphoreOp::kIncrement, 30U});
    EXPECT_EQ(refdev::run(kernel(KernelId::kSemaphore), span_of(semaphore), memory), Status::kOk);
    EXPECT_EQ(bytes.at(65U), 42U);
}

}  // namespace
}  // namespace pianola::refdev
