#include "tests/library/library_checks.h"

#include <array>
#include <cstring>
#include <limits>

namespace pianola::library {
namespace {

constexpr std::uint32_t kAlignments = 8U;
constexpr std::uint32_t kEveryLength = 72U;
constexpr std::array<std::uint32_t, 9U> kLongLengths{{127U, 128U, 129U, 255U, 256U, 257U, 511U, 1024U, 4099U}};
constexpr std::uint32_t kBesides = 16U;     // bytes before and behind that must stay
constexpr std::uint32_t kSecond = 0x2000U;  // where the second operand lies
constexpr std::uint8_t kGuard = 0xA5U;
constexpr std::uint32_t kDivisions = 4'000U;
constexpr std::uint32_t kBits = 64U;

// No two bytes in a row are equal, and none is zero.
[[nodiscard]] std::uint8_t pattern(std::uint32_t index) noexcept {
    return static_cast<std::uint8_t>(1U + (((index * 97U) + (index >> 8U)) % 251U));
}

void paint(std::uint8_t* bytes, std::uint32_t count) noexcept {
    for (std::uint32_t i = 0U; i < count; ++i) {
        bytes[i] = pattern(i);
    }
}

[[nodiscard]] bool is_all(const std::uint8_t* bytes, std::uint32_t from, std::uint32_t to,
                          std::uint8_t value) noexcept {
    std::uint32_t others = 0U;
    for (std::uint32_t i = from; i < to; ++i) {
        others += (bytes[i] == value) ? 0U : 1U;
    }
    return others == 0U;
}

void set_all(std::uint8_t* bytes, std::uint32_t count, std::uint8_t value) noexcept {
    for (std::uint32_t i = 0U; i < count; ++i) {
        // The compiler must not make a call of this: that call may be what is checked.
        static_cast<volatile std::uint8_t*>(bytes)[i] = value;
    }
}

// The first, a middle and the last; the last of none is none.
[[nodiscard]] std::array<std::uint32_t, 3U> places(std::uint32_t length) noexcept {
    return {{0U, length / 2U, length - 1U}};
}

[[nodiscard]] int sign(int value) noexcept {
    return (value > 0) ? 1 : ((value < 0) ? -1 : 0);
}

struct Division {
    std::uint64_t quotient{0U};
    std::uint64_t remainder{0U};
};

// Bit by bit.
[[nodiscard]] Division long_division(std::uint64_t dividend, std::uint64_t divisor) noexcept {
    Division result;
    for (std::uint32_t bit = kBits; bit > 0U; --bit) {
        const bool carries = (result.remainder >> (kBits - 1U)) != 0U;
        result.remainder = (result.remainder << 1U) | ((dividend >> (bit - 1U)) & 1U);
        if (carries || (result.remainder >= divisor)) {
            result.remainder -= divisor;
            result.quotient |= std::uint64_t{1U} << (bit - 1U);
        }
    }
    return result;
}

[[nodiscard]] std::uint64_t magnitude(std::int64_t value) noexcept {
    return (value < 0) ? (std::uint64_t{0U} - static_cast<std::uint64_t>(value)) : static_cast<std::uint64_t>(value);
}

template <typename Call>
void at_each_length(const Call& call) noexcept {
    for (std::uint32_t length = 0U; length <= kEveryLength; ++length) {
        call(length);
    }
    for (const std::uint32_t length : kLongLengths) {
        call(length);
    }
}

template <typename Call>
void at_each_place(const Call& call) noexcept {
    at_each_length([&call](std::uint32_t length) {
        for (std::uint32_t place = 0U; place < (kAlignments * kAlignments); ++place) {
            call(place / kAlignments, place % kAlignments, length);
        }
    });
}

std::size_t length_of(const void* text) noexcept {
    return std::strlen(static_cast<const char*>(text));
}
int texts_compared(const void* left, const void* right) noexcept {
    return std::strcmp(static_cast<const char*>(left), static_cast<const char*>(right));
}
int starts_compared(const void* left, const void* right, std::size_t length) noexcept {
    return std::strncmp(static_cast<const char*>(left), static_cast<const char*>(right), length);
}
std::uint64_t quotient_of(std::uint64_t dividend, std::uint64_t divisor) noexcept {
    return dividend / divisor;
}
std::uint64_t remainder_of(std::uint64_t dividend, std::uint64_t divisor) noexcept {
    return dividend % divisor;
}
std::int64_t signed_quotient_of(std::int64_t dividend, std::int64_t divisor) noexcept {
    return dividend / divisor;
}
std::int64_t signed_remainder_of(std::int64_t dividend, std::int64_t divisor) noexcept {
    return dividend % divisor;
}

std::uint32_t narrow_quotient_of(std::uint32_t dividend, std::uint32_t divisor) noexcept {
    return dividend / divisor;
}
std::uint32_t narrow_remainder_of(std::uint32_t dividend, std::uint32_t divisor) noexcept {
    return dividend % divisor;
}
std::uint64_t shifted_left(std::uint64_t value, std::uint32_t count) noexcept {
    return value << count;
}
std::uint64_t shifted_right(std::uint64_t value, std::uint32_t count) noexcept {
    return value >> count;
}
std::int64_t shifted_signed(std::int64_t value, std::uint32_t count) noexcept {
    return value >> count;
}

}  // namespace

Functions linked_functions() noexcept {
    return {&std::memcpy,         &std::memmove,       &std::memset,         &std::memcmp,
            &length_of,           &texts_compared,     &starts_compared,     &quotient_of,
            &remainder_of,        &signed_quotient_of, &signed_remainder_of, &narrow_quotient_of,
            &narrow_remainder_of, &shifted_left,       &shifted_right,       &shifted_signed};
}

void Checks::expect(bool good) noexcept {
    result_.calls += 1U;
    result_.differences += good ? 0U : 1U;
}

std::uint64_t Checks::random() noexcept {  // xorshift
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return state_;
}

bool Checks::is_pattern(const std::uint8_t* bytes, std::uint32_t from, std::uint32_t to,
                        std::uint32_t shift) const noexcept {
    std::uint32_t others = 0U;
    for (std::uint32_t i = from; i < to; ++i) {
        others += (bytes[i] == pattern(i + shift)) ? 0U : 1U;
    }
    return others == 0U;
}

void Checks::copy(std::uint32_t to, std::uint32_t from, std::uint32_t length) noexcept {
    std::uint8_t* const source = memory_ + from;
    std::uint8_t* const target = memory_ + kSecond + to;
    const std::uint32_t end = kBesides + length;
    paint(source, end + kBesides);
    set_all(target, end + kBesides, kGuard);
    const void* const returned = functions_.copy(target + kBesides, source + kBesides, length);
    expect((returned == target + kBesides) && is_pattern(target, kBesides, end, 0U) &&
           is_pattern(source, 0U, end + kBesides, 0U) && is_all(target, 0U, kBesides, kGuard) &&
           is_all(target, end, end + kBesides, kGuard));
}

void Checks::move(std::uint32_t to, std::uint32_t from, std::uint32_t length) noexcept {
    const std::uint32_t end = to + length;
    const std::uint32_t all = length + (2U * kAlignments) + kBesides;
    paint(memory_, all);
    const void* const returned = functions_.move(memory_ + to, memory_ + from, length);
    // The addition wraps where bytes have moved upwards.
    expect((returned == memory_ + to) && is_pattern(memory_, 0U, to, 0U) && is_pattern(memory_, to, end, from - to) &&
           is_pattern(memory_, end, all, 0U));
}

void Checks::fill(std::uint32_t at, std::uint32_t length, int value) noexcept {
    const std::uint32_t from = at + kBesides;
    const std::uint32_t end = from + length;
    set_all(memory_, end + kBesides, kGuard);
    const void* const returned = functions_.fill(memory_ + from, value, length);
    expect((returned == memory_ + from) && is_all(memory_, 0U, from, kGuard) &&
           is_all(memory_, from, end, static_cast<std::uint8_t>(value)) &&
           is_all(memory_, end, end + kBesides, kGuard));
}

void Checks::compare(std::uint32_t left, std::uint32_t right, std::uint32_t length) noexcept {
    std::uint8_t* const one = memory_ + left;
    std::uint8_t* const other = memory_ + kSecond + right;
    paint(one, length + 1U);
    paint(other, length + 1U);
    other[length] = kGuard;  // not compared
    expect(functions_.compare(one, other, length) == 0);
    for (const std::uint32_t at : places(length)) {
        if (at < length) {
            other[at] = static_cast<std::uint8_t>(one[at] ^ 0x80U);  // bytes are not signed
            const int expected = (one[at] > other[at]) ? 1 : -1;
            expect(sign(functions_.compare(one, other, length)) == expected);
            expect(sign(functions_.compare(other, one, length)) == -expected);
            other[at] = one[at];
        }
    }
}

void Checks::compare_text(std::uint32_t left, std::uint32_t right, std::uint32_t length) noexcept {
    std::uint8_t* const one = memory_ + left;
    std::uint8_t* const other = memory_ + kSecond + right;
    paint(one, length + 2U);
    paint(other, length + 2U);
    one[length] = 0U;
    other[length] = 0U;
    other[length + 1U] = kGuard;  // behind the end
    expect(functions_.length(one) == length);
    expect(functions_.compare_texts(one, other) == 0);
    expect(functions_.compare_starts(one, other, length + 2U) == 0);
    for (const std::uint32_t at : places(length)) {
        if (at < length) {
            // Another letter, then an earlier end.
            for (const std::uint8_t letter : {static_cast<std::uint8_t>(one[at] ^ 0x80U), std::uint8_t{0U}}) {
                other[at] = letter;
                const int expected = (one[at] > letter) ? 1 : ((one[at] < letter) ? -1 : 0);
                expect(sign(functions_.compare_texts(one, other)) == expected);
                expect(sign(functions_.compare_texts(other, one)) == -expected);
                expect(functions_.compare_starts(one, other, at) == 0);
                expect(sign(functions_.compare_starts(one, other, at + 1U)) == expected);
            }
            other[at] = one[at];
        }
    }
}

void Checks::divide(std::uint64_t dividend, std::uint64_t divisor) noexcept {
    if (divisor == 0U) {
        return;  // not defined
    }
    const Division plain = long_division(dividend, divisor);
    expect(functions_.quotient(dividend, divisor) == plain.quotient);
    expect(functions_.remainder(dividend, divisor) == plain.remainder);
    const auto low = static_cast<std::uint32_t>(dividend);
    const auto low_divisor = static_cast<std::uint32_t>(divisor);
    if (low_divisor != 0U) {
        const Division narrow = long_division(low, low_divisor);
        expect(functions_.narrow_quotient(low, low_divisor) == narrow.quotient);
        expect(functions_.narrow_remainder(low, low_divisor) == narrow.remainder);
    }
    const auto number = static_cast<std::int64_t>(dividend);
    const auto by = static_cast<std::int64_t>(divisor);
    if ((number == std::numeric_limits<std::int64_t>::min()) && (by == -1)) {
        return;  // not defined
    }
    const Division plain_signed = long_division(magnitude(number), magnitude(by));
    const bool negative = (number < 0) != (by < 0);
    const std::uint64_t quotient = negative ? (std::uint64_t{0U} - plain_signed.quotient) : plain_signed.quotient;
    const std::uint64_t remainder =
        (number < 0) ? (std::uint64_t{0U} - plain_signed.remainder) : plain_signed.remainder;
    expect(static_cast<std::uint64_t>(functions_.signed_quotient(number, by)) == quotient);
    expect(static_cast<std::uint64_t>(functions_.signed_remainder(number, by)) == remainder);
}

void Checks::copies() noexcept {
    at_each_place([this](std::uint32_t to, std::uint32_t from, std::uint32_t length) { copy(to, from, length); });
}

void Checks::moves() noexcept {
    at_each_place([this](std::uint32_t to, std::uint32_t from, std::uint32_t length) {
        move(kAlignments + to, kAlignments + from, length);
    });
}

void Checks::fills() noexcept {
    at_each_length([this](std::uint32_t length) {
        for (std::uint32_t at = 0U; at < kAlignments; ++at) {
            for (const int value : {0, 0x5A, -5, 0x1FE}) {  // of more than a byte, the lowest counts
                fill(at, length, value);
            }
        }
    });
}

void Checks::comparisons() noexcept {
    at_each_place(
        [this](std::uint32_t left, std::uint32_t right, std::uint32_t length) { compare(left, right, length); });
}

void Checks::texts() noexcept {
    at_each_place(
        [this](std::uint32_t left, std::uint32_t right, std::uint32_t length) { compare_text(left, right, length); });
}

void Checks::divisions() noexcept {
    constexpr std::array<std::uint64_t, 8U> kEnds{
        {0U, 1U, 2U, 0x7FFF'FFFFU, 0xFFFF'FFFFU, 0x1'0000'0000U, 0x8000'0000'0000'0000U, 0xFFFF'FFFF'FFFF'FFFFU}};
    for (const std::uint64_t dividend : kEnds) {
        for (const std::uint64_t divisor : kEnds) {
            divide(dividend, divisor);
        }
    }
    for (std::uint32_t count = 0U; count < kDivisions; ++count) {
        const std::uint64_t widths = random();
        const std::uint64_t dividend = random() >> (widths % kBits);
        divide(dividend, random() >> ((widths >> 8U) % kBits));
    }
}

void Checks::shifts() noexcept {
    for (std::uint32_t round = 0U; round < kEveryLength; ++round) {
        const std::uint64_t value = random();
        std::uint64_t left = value;
        std::uint64_t right = value;
        std::uint64_t with_sign = value;
        for (std::uint32_t count = 0U; count < kBits; ++count) {
            expect(functions_.shift_left(value, count) == left);
            expect(functions_.shift_right(value, count) == right);
            expect(static_cast<std::uint64_t>(functions_.shift_signed(static_cast<std::int64_t>(value), count)) ==
                   with_sign);
            left += left;  // bit by bit
            right = (right >> 1U);
            with_sign = (with_sign >> 1U) | (with_sign & (std::uint64_t{1U} << (kBits - 1U)));
        }
    }
}

Result check_all(const Functions& functions, std::uint8_t* memory) noexcept {
    Checks checks{functions, memory};
    checks.copies();
    checks.moves();
    checks.fills();
    checks.comparisons();
    checks.texts();
    checks.divisions();
    checks.shifts();
    return checks.result();
}

}  // namespace pianola::library
