// Operators that move elements, and where NumPy puts each element.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include "tests/tflite/model_builder.h"

namespace pianola::tflite {

struct Constant {
    std::vector<std::int32_t> shape;
    std::vector<std::int32_t> values;
};

// One operator. Elements are numbered through all inputs; -1 is an element that stands for 0.
struct Case {
    const char* name;
    std::int32_t code;
    std::vector<std::vector<std::int32_t>> inputs;
    std::vector<Constant> constants;
    std::vector<std::int32_t> operands;  // an input, or -1 minus a constant
    std::uint8_t options_type;
    std::vector<OptionSpec> options;
    std::vector<std::vector<std::int32_t>> outputs;
    std::vector<std::int32_t> expected;
};

std::vector<Case> cases();

// What GoogleTest prints of one, instead of its bytes.
inline void PrintTo(const Case& test, std::ostream* out) {
    *out << test.name;
}

}  // namespace pianola::tflite
