// The checks hold for the host's libraries, and each of them can fail.
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/library/library_checks.h"

namespace pianola::library {
namespace {

constexpr std::uint32_t kMostCalls = 100'000U;

class Library : public ::testing::Test {
  protected:
    // How often the functions are not as their loops say.
    std::uint32_t differences(const Functions& functions) {
        const Result result = check_all(functions, memory_.data());
        EXPECT_GT(result.calls, kMostCalls / 2U);
        return result.differences;
    }

  private:
    alignas(8) std::array<std::uint8_t, kMemoryBytes> memory_{};
};

TEST_F(Library, EachFunctionIsAsItsLoop) {
    EXPECT_EQ(differences(linked_functions()), 0U);
}

TEST_F(Library, AWrongCopyIsNoticed) {
    Functions functions = linked_functions();
    functions.copy = [](void* to, const void* from, std::size_t length) {  // a word too much, of the longer ones
        return std::memcpy(to, from, (length > 1000U) ? (length + 4U) : length);
    };
    EXPECT_GT(differences(functions), 0U);
    functions.copy = [](void* to, const void* from, std::size_t length) {  // a length taken for a signed one
        return std::memcpy(to, from, (static_cast<signed char>(length) < 0) ? 0U : length);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.move = [](void* to, const void* from, std::size_t length) {  // always upwards
        auto* const target = static_cast<volatile std::uint8_t*>(to);
        for (std::size_t i = 0U; i < length; ++i) {
            target[i] = static_cast<const volatile std::uint8_t*>(from)[i];
        }
        return to;
    };
    EXPECT_GT(differences(functions), 0U);
}

TEST_F(Library, AWrongFillIsNoticed) {
    Functions functions = linked_functions();
    functions.fill = [](void* to, int value, std::size_t length) {  // a negative value takes another path
        return std::memset(to, (value < 0) ? 0xFF : value, length);
    };
    EXPECT_GT(differences(functions), 0U);
}

TEST_F(Library, AWrongComparisonIsNoticed) {
    Functions functions = linked_functions();
    functions.compare = [](const void* left, const void* right, std::size_t length) {  // bytes taken for signed ones
        const auto* const one = static_cast<const signed char*>(left);
        const auto* const other = static_cast<const signed char*>(right);
        for (std::size_t i = 0U; i < length; ++i) {
            if (one[i] != other[i]) {
                return one[i] - other[i];
            }
        }
        return 0;
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.compare_starts = [](const void* left, const void* right, std::size_t /*length*/) {
        return std::strcmp(static_cast<const char*>(left), static_cast<const char*>(right));
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.compare_texts = [](const void* left, const void* right) {  // the first word alone
        return std::strncmp(static_cast<const char*>(left), static_cast<const char*>(right), 4U);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.length = [](const void* text) {  // whole words alone
        return std::strlen(static_cast<const char*>(text)) & ~std::size_t{3U};
    };
    EXPECT_GT(differences(functions), 0U);
}

TEST_F(Library, AWrongShiftIsNoticed) {
    Functions functions = linked_functions();
    functions.shift_left = [](std::uint64_t value, std::uint32_t count) {  // nothing comes out of the lower half
        return ((value >> 32U) << (32U + (count % 32U))) | ((value << count) & 0xFFFF'FFFFU);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.shift_right = [](std::uint64_t value, std::uint32_t count) { return value >> (count & 31U); };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.shift_signed = [](std::int64_t value, std::uint32_t count) {  // zeros move in
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) >> count);
    };
    EXPECT_GT(differences(functions), 0U);
}

TEST_F(Library, AWrongDivisionIsNoticed) {
    Functions functions = linked_functions();
    functions.quotient = [](std::uint64_t dividend, std::uint64_t divisor) {  // an estimate that is not corrected
        return (dividend / divisor) + ((divisor > 0xFFFF'FFFF'0000U) ? 1U : 0U);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.remainder = [](std::uint64_t dividend, std::uint64_t divisor) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(dividend % divisor));
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.narrow_quotient = [](std::uint32_t dividend, std::uint32_t divisor) {  // taken for signed numbers
        const auto by = static_cast<std::int32_t>(divisor);
        return (by == -1) ? dividend : static_cast<std::uint32_t>(static_cast<std::int32_t>(dividend) / by);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.narrow_remainder = [](std::uint32_t dividend, std::uint32_t divisor) {  // one subtraction too few
        return (dividend % divisor) + ((dividend > divisor) ? divisor : 0U);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.signed_quotient = [](std::int64_t dividend, std::int64_t divisor) {  // towards minus infinity
        return (dividend / divisor) - (((dividend % divisor != 0) && ((dividend < 0) != (divisor < 0))) ? 1 : 0);
    };
    EXPECT_GT(differences(functions), 0U);
    functions = linked_functions();
    functions.signed_remainder = [](std::int64_t dividend, std::int64_t divisor) {  // without its sign
        const std::int64_t remainder = dividend % divisor;
        return (remainder < 0) ? -remainder : remainder;
    };
    EXPECT_GT(differences(functions), 0U);
}

}  // namespace
}  // namespace pianola::library
