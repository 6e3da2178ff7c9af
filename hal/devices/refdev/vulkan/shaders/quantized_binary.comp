#version 460
#extension GL_GOOGLE_include_directive : require
#define MARK 22u
#include "launch.glsl"
#include "broadcast.glsl"
#include "fixed_point.glsl"

READ8(0, input_a)
READ16(0, input_a)
READ_OF_TYPES_8_16(input_a)
READ8(1, input_b)
READ16(1, input_b)
READ_OF_TYPES_8_16(input_b)
WRITE8(2, output)
WRITE16(2, output)
WRITE_OF_TYPES_8_16(output)

const uint kAdd = 1u;
const uint kSubtract = 2u;
const uint kMultiply = 3u;
const uint kMinimum = 4u;
const uint kMaximum = 5u;
const uint kSquaredDifference = 6u;
const uint kEqual = 7u;
const uint kNotEqual = 8u;
const uint kGreater = 9u;
const uint kGreaterEqual = 10u;
const uint kLess = 11u;
const uint kLessEqual = 12u;
const uint kLogicalAnd = 13u;
const uint kLogicalOr = 14u;

int term_of(int number, uint multiplier_word) {
    return scaled(number << argument(23u), signed_argument(multiplier_word), signed_argument(multiplier_word + 1u));
}

int in_range(int value) {
    return placed(value, signed_argument(24u), signed_argument(27u), signed_argument(28u));
}

int rescaled(int value) {
    return in_range(scaled(value, signed_argument(25u), signed_argument(26u)));
}

bool verdict_of(uint op, int element1, int element2, int left, int right) {
    switch (op) {
        case kEqual:
            return left == right;
        case kNotEqual:
            return left != right;
        case kGreater:
            return left > right;
        case kGreaterEqual:
            return left >= right;
        case kLess:
            return left < right;
        case kLessEqual:
            return left <= right;
        case kLogicalAnd:
            return (element1 != 0) && (element2 != 0);
        default:
            return (element1 != 0) || (element2 != 0);
    }
}

int result_of(uint op, int element1, int element2) {
    const int number1 = element1 + signed_argument(17u);
    const int number2 = element2 + signed_argument(20u);
    const int left = term_of(number1, 18u);
    const int right = term_of(number2, 21u);
    switch (op) {
        case kAdd:
            return rescaled(left + right);
        case kSubtract:
            return rescaled(left - right);
        case kMultiply:
            return rescaled(number1 * number2);
        case kMinimum:
            return min(element1, element2);
        case kMaximum:
            return max(element1, element2);
        case kSquaredDifference:
            return rescaled((left - right) * (left - right));
        default:
            return (number1 >= 0) ? in_range(left) : rescaled(number1 * number2);
    }
}

void main() {
    leave_mark();
    const uint type = argument(15u);
    const uint op = argument(16u);
    const bool gives_bytes = (op >= kEqual) && (op <= kLogicalOr);
    FOR_EACH(at, elements_of(3u)) {
        const Index index = index_of(at, 3u);
        const int element1 = input_a_of(type, element_at(index, 7u));
        const int element2 = input_b_of(type, element_at(index, 11u));
        if (gives_bytes) {
            const int left = term_of(element1 + signed_argument(17u), 18u);
            const int right = term_of(element2 + signed_argument(20u), 21u);
            output8(at, verdict_of(op, element1, element2, left, right) ? 1 : 0);
        } else {
            output_of(type, at, result_of(op, element1, element2));
        }
    }
}
