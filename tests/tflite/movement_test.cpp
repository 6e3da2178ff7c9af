// Operators that move elements: where each element of the output comes from, for elements of every size, against what
// NumPy gives; and what they refuse.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <random>
#include <vector>

#include "capture_host/tflite/import.h"
#include "tests/tflite/flat_device.h"
#include "tests/tflite/model_builder.h"
#include "tests/tflite/one_import.h"

namespace pianola::tflite {
namespace {

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

// What GoogleTest prints of one, instead of its bytes.
inline void PrintTo(const Case& test, std::ostream* out) {
    *out << test.name;
}

std::vector<Case> cases() {
    return {
        // clang-format off
        {"transpose", 39, {{2, 3, 4}}, {{{3}, {2, 0, 1}}}, {0, -1}, 0U, {}, {{4, 2, 3}}, {0, 4, 8, 12, 16, 20, 1,
         5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
        {"transpose_of_rank_6", 39, {{1, 2, 1, 2, 1, 3}}, {{{6}, {5, 1, 0, 3, 2, 4}}}, {0, -1}, 0U, {}, {{3, 2, 1,
         2, 1, 1}}, {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}},
        {"reverse_v2", 105, {{2, 3, 4}}, {{{1}, {-2}}}, {0, -1}, 0U, {}, {{2, 3, 4}}, {8, 9, 10, 11, 4, 5, 6, 7,
         0, 1, 2, 3, 20, 21, 22, 23, 16, 17, 18, 19, 12, 13, 14, 15}},
        {"reverse_v2_of_two", 105, {{2, 3, 4}}, {{{2}, {0, 2}}}, {0, -1}, 0U, {}, {{2, 3, 4}}, {15, 14, 13, 12,
         19, 18, 17, 16, 23, 22, 21, 20, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}},
        {"slice", 65, {{2, 3, 4}}, {{{3}, {0, 1, 2}}, {{3}, {2, -1, 1}}}, {0, -1, -2}, 0U, {}, {{2, 2, 1}}, {6,
         10, 18, 22}},
        {"strided_slice", 45, {{2, 3, 4}}, {{{3}, {-1, 2, 3}}, {{3}, {-9, 0, 0}}, {{3}, {-1, -1, -2}}}, {0, -1,
         -2, -3}, 32U, {{1U, 4, false}}, {{2, 2, 2}}, {23, 21, 19, 17, 11, 9, 7, 5}},
        {"strided_slice_shrinks", 45, {{2, 3, 4}}, {{{2}, {1, -1}}, {{2}, {2, 0}}, {{2}, {1, 1}}}, {0, -1, -2,
         -3}, 32U, {{4U, 2, false}}, {{1, 4}}, {20, 21, 22, 23}},
        {"strided_slice_begins_anywhere", 45, {{2, 3, 4}}, {{{3}, {1, 2, 1}}, {{3}, {2, 2, 4}}, {{3}, {1, 1, 2}}},
         {0, -1, -2, -3}, 32U, {{0U, 3, false}, {1U, 2, false}}, {{2, 3, 2}}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
         21, 23}},
        {"strided_slice_by_offset", 45, {{2, 3, 4}}, {{{3}, {1, 1, 1}}, {{3}, {1, 2, 2}}, {{3}, {1, 1, 1}}}, {0,
         -1, -2, -3}, 32U, {{5U, 1, true}}, {{1, 2, 2}}, {17, 18, 21, 22}},
        {"split", 49, {{2, 6}}, {{{}, {-1}}}, {-1, 0}, 35U, {{0U, 3, false}}, {{2, 2}, {2, 2}, {2, 2}}, {0, 1, 6,
         7, 2, 3, 8, 9, 4, 5, 10, 11}},
        {"split_v", 102, {{2, 6}}, {{{3}, {2, -1, 1}}, {{}, {1}}}, {0, -1, -2}, 79U, {{0U, 3, false}}, {{2, 2},
         {2, 3}, {2, 1}}, {0, 1, 6, 7, 2, 3, 4, 8, 9, 10, 5, 11}},
        {"unpack", 88, {{2, 3, 2}}, {}, {0}, 64U, {{0U, 3, false}, {1U, 1, false}}, {{2, 2}, {2, 2}, {2, 2}}, {0,
         1, 6, 7, 2, 3, 8, 9, 4, 5, 10, 11}},
        {"concatenation", 2, {{2, 1, 2}, {2, 3, 2}, {2, 2, 2}, {2, 1, 2}, {2, 1, 2}}, {}, {0, 1, 2, 3, 4}, 10U,
         {{0U, -2, false}}, {{2, 8, 2}}, {0, 1, 4, 5, 6, 7, 8, 9, 16, 17, 18, 19, 24, 25, 28, 29, 2, 3, 10, 11, 12,
         13, 14, 15, 20, 21, 22, 23, 26, 27, 30, 31}},
        {"concatenation_of_rows", 2, {{1, 3}, {2, 3}, {1, 3}, {1, 3}, {1, 3}, {2, 3}}, {}, {0, 1, 2, 3, 4, 5}, 0U,
         {}, {{8, 3}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
        {"pack", 83, {{2, 3}, {2, 3}, {2, 3}}, {}, {0, 1, 2}, 59U, {{0U, 3, false}, {1U, 2, false}}, {{2, 3, 3}},
         {0, 6, 12, 1, 7, 13, 2, 8, 14, 3, 9, 15, 4, 10, 16, 5, 11, 17}},
        {"resize_nearest_neighbor", 97, {{1, 2, 3, 2}}, {{{2}, {4, 2}}}, {0, -1}, 74U, {}, {{1, 4, 2, 2}}, {0, 1,
         2, 3, 0, 1, 2, 3, 6, 7, 8, 9, 6, 7, 8, 9}},
        {"resize_nearest_neighbor_aligned", 97, {{1, 2, 3, 2}}, {{{2}, {3, 5}}}, {0, -1}, 74U, {{0U, 1, true}},
         {{1, 3, 5, 2}}, {0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 8, 9, 10, 11, 10, 11, 6, 7, 8, 9, 8, 9, 10, 11,
         10, 11}},
        {"resize_nearest_neighbor_of_centers", 97, {{1, 2, 3, 2}}, {{{2}, {1, 4}}}, {0, -1}, 74U, {{1U, 1, true}},
         {{1, 1, 4, 2}}, {6, 7, 8, 9, 8, 9, 10, 11}},
        {"resize_nearest_neighbor_aligned_centers", 97, {{1, 2, 3, 2}}, {{{2}, {2, 3}}}, {0, -1}, 74U,
         {{0U, 1, true}, {1U, 1, true}}, {{1, 2, 3, 2}}, {8, 9, 10, 11, 10, 11, 8, 9, 10, 11, 10, 11}},
        {"resize_nearest_neighbor_to_the_same", 97, {{1, 2, 3, 2}}, {{{2}, {2, 3}}}, {0, -1}, 0U, {}, {{1, 2, 3,
         2}}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
        {"gather", 36, {{2, 4, 2}}, {{{2, 2}, {3, 0, 1, 1}}}, {0, -1}, 23U, {{0U, 1, false}}, {{2, 2, 2, 2}}, {6,
         7, 0, 1, 2, 3, 2, 3, 14, 15, 8, 9, 10, 11, 10, 11}},
        {"gather_of_batches", 36, {{2, 4, 2}}, {{{2, 3}, {3, 0, 1, 2, 2, 0}}}, {0, -1}, 23U, {{0U, 1, false}, {1U,
         1, false}}, {{2, 3, 2}}, {6, 7, 0, 1, 2, 3, 12, 13, 12, 13, 8, 9}},
        {"gather_nd", 107, {{2, 4, 2}}, {{{3, 2}, {1, 3, 0, 0, 1, 1}}}, {0, -1}, 0U, {}, {{3, 2}}, {14, 15, 0, 1,
         10, 11}},
        {"gather_nd_of_rows", 107, {{2, 4, 2}}, {{{2, 2, 1}, {1, 0, 0, 1}}}, {0, -1}, 0U, {}, {{2, 2, 4, 2}}, {8,
         9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
        {"embedding_lookup", 7, {{5, 3}}, {{{3}, {4, 0, 4}}}, {-1, 0}, 0U, {}, {{3, 3}}, {12, 13, 14, 0, 1, 2, 12,
         13, 14}},
        {"space_to_depth", 26, {{1, 2, 4, 3}}, {}, {0}, 19U, {{0U, 2, false}}, {{1, 1, 2, 12}}, {0, 1, 2, 3, 4, 5,
         12, 13, 14, 15, 16, 17, 6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}},
        {"depth_to_space", 5, {{1, 1, 2, 8}}, {}, {0}, 94U, {{0U, 2, false}}, {{1, 2, 4, 2}}, {0, 1, 2, 3, 8, 9,
         10, 11, 4, 5, 6, 7, 12, 13, 14, 15}},
        {"space_to_batch_nd", 38, {{2, 3, 2, 1}}, {{{2}, {2, 2}}, {{2, 2}, {1, 0, 0, 2}}}, {0, -1, -2}, 0U, {},
         {{8, 2, 2, 1}}, {-1, -1, 2, -1, -1, -1, 8, -1, -1, -1, 3, -1, -1, -1, 9, -1, 0, -1, 4, -1, 6, -1, 10, -1,
         1, -1, 5, -1, 7, -1, 11, -1}},
        {"space_to_batch_nd_without_padding", 38, {{1, 4, 3}}, {{{1}, {2}}, {{1, 2}, {0, 0}}}, {0, -1, -2}, 0U,
         {}, {{2, 2, 3}}, {0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11}},
        {"batch_to_space_nd", 37, {{8, 1, 2, 1}}, {{{2}, {2, 2}}, {{2, 2}, {0, 0, 1, 0}}}, {0, -1, -2}, 0U, {},
         {{2, 2, 3, 1}}, {4, 1, 5, 12, 9, 13, 6, 3, 7, 14, 11, 15}},
        {"batch_to_space_nd_without_crops", 37, {{4, 2, 2}}, {{{1}, {2}}, {{1, 2}, {0, 0}}}, {0, -1, -2}, 0U, {},
         {{2, 4, 2}}, {0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15}},
        {"mirror_pad_reflect", 100, {{2, 3}}, {{{2, 2}, {1, 0, 2, 1}}}, {0, -1}, 77U, {}, {{3, 6}}, {5, 4, 3, 4,
         5, 4, 2, 1, 0, 1, 2, 1, 5, 4, 3, 4, 5, 4}},
        {"mirror_pad_symmetric", 100, {{2, 3}}, {{{2, 2}, {0, 0, 3, 2}}}, {0, -1}, 77U, {{0U, 1, true}}, {{2, 8}},
         {2, 1, 0, 0, 1, 2, 2, 1, 5, 4, 3, 3, 4, 5, 5, 4}},
        {"pad", 34, {{2, 3}}, {{{2, 2}, {1, 0, 0, 2}}}, {0, -1}, 0U, {}, {{3, 5}}, {-1, -1, -1, -1, -1, 0, 1, 2,
         -1, -1, 3, 4, 5, -1, -1}},
        {"pad_of_rank_5", 34, {{2, 1, 2, 1, 2}}, {{{5, 2}, {0, 0, 1, 0, 0, 0, 0, 1, 0, 0}}}, {0, -1}, 0U, {}, {{2,
         2, 2, 2, 2}}, {-1, -1, -1, -1, -1, -1, -1, -1, 0, 1, -1, -1, 2, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
         4, 5, -1, -1, 6, 7, -1, -1}},
        {"broadcast_to", 130, {{3, 1}}, {{{3}, {2, 3, 4}}}, {0, -1}, 0U, {}, {{2, 3, 4}}, {0, 0, 0, 0, 1, 1, 1, 1,
         2, 2, 2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}},
        {"tile", 69, {{2, 1, 3}}, {{{3}, {2, 3, 2}}}, {0, -1}, 0U, {}, {{4, 3, 6}}, {0, 1, 2, 0, 1, 2, 0, 1, 2, 0,
         1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 0, 1, 2, 0, 1, 2, 0, 1, 2,
         0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5, 3, 4, 5}},
        {"squeeze", 43, {{1, 2, 1, 3}}, {}, {0}, 0U, {}, {{2, 3}}, {0, 1, 2, 3, 4, 5}},
        {"expand_dims", 70, {{2, 3}}, {{{}, {-1}}}, {0, -1}, 0U, {}, {{2, 3, 1}}, {0, 1, 2, 3, 4, 5}},
        {"fill", 94, {{1}}, {{{2}, {2, 3}}}, {-1, 0}, 0U, {}, {{2, 3}}, {0, 0, 0, 0, 0, 0}},
        {"zeros_like", 93, {{2, 3}}, {}, {0}, 0U, {}, {{2, 3}}, {-1, -1, -1, -1, -1, -1}},
        // clang-format on
    };
}

struct TypeOfElements {
    const char* name;
    std::int8_t type;
    std::size_t bytes;
    std::int64_t zero_point;
    bool is_quantised;
};

constexpr TypeOfElements kPlainInt8{"int8", 9, 1U, -7, true};

ModelSpec model_of(const Case& test, const TypeOfElements& type) {
    ModelSpec model;
    const auto add = [&](const std::vector<std::int32_t>& shape) {
        TensorSpec tensor{"t" + std::to_string(model.tensors.size()), shape, 0U, type.type};
        tensor.scales = type.is_quantised ? std::vector<float>{0.5F} : std::vector<float>{};
        tensor.zero_points =
            type.is_quantised ? std::vector<std::int64_t>{type.zero_point} : std::vector<std::int64_t>{};
        model.tensors.push_back(tensor);
        return static_cast<std::int32_t>(model.tensors.size() - 1U);
    };
    for (const auto& shape : test.inputs) {
        model.inputs.push_back(add(shape));
    }
    for (const Constant& constant : test.constants) {
        model.contents.push_back(words(constant.values));
        TensorSpec tensor{"c" + std::to_string(model.tensors.size()), constant.shape,
                          static_cast<std::uint32_t>(model.contents.size()), kInt32};
        tensor.scales = {};
        tensor.zero_points = {};
        model.tensors.push_back(tensor);
    }
    for (const auto& shape : test.outputs) {
        model.outputs.push_back(add(shape));
    }
    std::vector<std::int32_t> operands;
    for (const std::int32_t operand : test.operands) {
        operands.push_back((operand >= 0) ? operand : (static_cast<std::int32_t>(test.inputs.size()) - 1 - operand));
    }
    model.operators = {OperatorSpec{test.code, operands, model.outputs, test.options_type, test.options}};
    return model;
}

// The bytes of all outputs, for random bytes in `inputs`, one after the other.
std::vector<std::uint8_t> run(const capture::Recorder& recorder, std::vector<std::uint8_t>& inputs) {
    FlatDevice device{recorder};
    std::mt19937 random{53U};
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].role != capture::BufferRole::kInput) {
            continue;
        }
        for (std::size_t at = 0U; at < recorder.buffers()[i].size_bytes; ++at) {
            inputs.push_back(static_cast<std::uint8_t>(random() & 0xFFU));
            device.bytes(i)[at] = inputs.back();
        }
    }
    device.run();
    std::vector<std::uint8_t> outputs;
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].role == capture::BufferRole::kOutput) {
            const std::uint8_t* const bytes = device.bytes(i);
            outputs.insert(outputs.end(), bytes, bytes + recorder.buffers()[i].size_bytes);
        }
    }
    return outputs;
}

class Movement : public testing::TestWithParam<Case> {};

TEST_P(Movement, PutsEveryElementWhereNumPyDoes) {
    constexpr std::int32_t kZerosLike = 93;
    for (const TypeOfElements& type :
         {kPlainInt8, TypeOfElements{"int16", 7, 2U, 0, true}, TypeOfElements{"int32", kInt32, 4U, 0, false},
          TypeOfElements{"float32", 0, 4U, 0, false}, TypeOfElements{"bool", 6, 1U, 0, false}}) {
        std::vector<std::uint8_t> inputs;
        const std::vector<std::uint8_t> outputs = run(import(model_of(GetParam(), type)), inputs);
        std::vector<std::uint8_t> expected;
        for (const std::int32_t element : GetParam().expected) {
            for (std::size_t byte = 0U; byte < type.bytes; ++byte) {
                const std::int64_t zero = (GetParam().code == kZerosLike) ? 0 : type.zero_point;
                expected.push_back((element < 0) ? static_cast<std::uint8_t>(zero)
                                                 : inputs.at((static_cast<std::size_t>(element) * type.bytes) + byte));
            }
        }
        EXPECT_EQ(outputs, expected) << type.name;
    }
}

TEST_P(Movement, RefusesAnotherShapeTypeOrQuantisationOfItsOutput) {
    const std::vector<std::function<void(TensorSpec&)>> changes{
        [](TensorSpec& output) { output.shape.push_back(2); },
        [](TensorSpec& output) { output.type = 7; },
        [](TensorSpec& output) { output.zero_points = {-6}; },
        [](TensorSpec& output) { output.scales = {0.25F}; },
    };
    constexpr std::int32_t kZerosLike = 93;
    const std::size_t checked = (GetParam().code == kZerosLike) ? 2U : changes.size();  // zeros have no scale
    for (std::size_t i = 0U; i < checked; ++i) {
        ModelSpec model = model_of(GetParam(), kPlainInt8);
        changes.at(i)(model.tensors.at(static_cast<std::size_t>(model.outputs.back())));
        EXPECT_THROW(static_cast<void>(import(model)), ImportError) << i;
    }
}

TEST_P(Movement, RefusesOperandsThatAreComputedWhereTheyShapeTheOutput) {
    for (std::size_t i = 0U; i < GetParam().constants.size(); ++i) {
        const bool are_indices = (GetParam().code == 36) || (GetParam().code == 107) || (GetParam().code == 7);
        ModelSpec model = model_of(GetParam(), kPlainInt8);
        const std::size_t tensor = GetParam().inputs.size() + i;
        model.tensors.at(tensor).buffer = 0U;
        model.inputs.push_back(static_cast<std::int32_t>(tensor));
        if (are_indices && (GetParam().constants[i].shape.back() != 2 || GetParam().code != 107)) {
            EXPECT_NO_THROW(static_cast<void>(import(model)));
            continue;
        }
        try {
            static_cast<void>(import(model));
            ADD_FAILURE() << "imported with constant " << i << " computed";
        } catch (const ImportError& error) {
            EXPECT_NE(std::string{error.what()}.find("computed"), std::string::npos) << error.what();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Operators, Movement, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case>& test) { return test.param.name; });

Case case_of(const std::string& name) {
    for (const Case& test : cases()) {
        if (test.name == name) {
            return test;
        }
    }
    throw std::runtime_error{"no case " + name};
}

struct Refusal {
    const char* name;
    std::function<void(Case&)> change;
    const char* message;
};

std::vector<Refusal> refusals() {
    const auto constant = [](std::size_t index, const std::vector<std::int32_t>& values) {
        return [index, values](Case& test) {
            test.constants.at(index) = {{static_cast<std::int32_t>(values.size())}, values};
        };
    };
    const auto table = [](std::size_t index, const std::vector<std::int32_t>& values) {
        return [index, values](Case& test) { test.constants.at(index).values = values; };
    };
    const auto option = [](std::uint32_t id, std::int32_t value, bool is_byte) {
        return [id, value, is_byte](Case& test) { test.options = {{id, value, is_byte}}; };
    };
    return {
        {"transpose", constant(0U, {0, 1}), "its permutation does not fit its rank"},
        {"transpose", constant(0U, {0, 1, 3}), "it names an axis that does not exist"},
        {"transpose", constant(0U, {0, 1, 1}), "its permutation repeats an axis"},
        {"reverse_v2", constant(0U, {1, -2}), "it reverses an axis twice"},
        {"reverse_v2", constant(0U, {-4}), "it names an axis that does not exist"},
        {"slice", constant(0U, {0, 1}), "its begin and size do not fit its rank"},
        {"slice", constant(0U, {-1, 1, 2}), "it slices what its input lacks"},
        {"slice", constant(0U, {1, 1, 2}), "it slices what its input lacks"},
        {"slice", constant(1U, {2, 0, 1}), "it slices what its input lacks"},
        {"strided_slice", constant(0U, {0, 0}), "its begin, end and strides differ in size"},
        {"strided_slice", constant(2U, {-1, 0, -2}), "a stride of 0 is not supported"},
        {"strided_slice", constant(1U, {-9, 2, 0}), "an empty output is not supported"},
        {"strided_slice", option(2U, 1, false), "an ellipsis is not supported"},
        {"strided_slice", option(3U, 1, false), "a new axis is not supported"},
        {"strided_slice_shrinks", constant(0U, {2, -1}), "an empty output is not supported"},
        {"strided_slice_shrinks", constant(2U, {1, -1}),
         "a negative stride of an axis that goes away is not supported"},
        {"squeeze", [](Case& test) { test.outputs[0] = {2, 1, 3}; }, "its output shape does not follow from its input"},
        {"expand_dims", table(0U, {-4}), "it names an axis that does not exist"},
        {"expand_dims", table(0U, {0}), "its output shape does not follow from its input"},
        {"split", table(0U, {2}), "it names an axis that does not exist"},
        {"split", table(0U, {0}), "its outputs do not divide its input"},
        {"split_v", constant(0U, {2, 3, 2}), "its sizes do not add up to its input"},
        {"split_v", constant(0U, {2, -1, -1}), "its sizes do not add up to its input"},
        {"split_v", constant(0U, {5, -1, 1}), "its sizes do not add up to its input"},
        {"split_v", constant(0U, {2, 4, 0}), "an empty output is not supported"},
        {"split_v", constant(0U, {2, 4}), "3 outputs are not supported; 2 are"},
        {"unpack", option(1U, 0, false), "its num 0 differs from its 3 outputs"},
        {"concatenation", option(0U, 3, false), "it names an axis that does not exist"},
        {"concatenation", option(1U, 1, true), "a fused activation is not supported"},
        {"concatenation", [](Case& test) { test.inputs[0] = {4}; }, "its inputs differ in rank from its output"},
        {"pack", [](Case& test) { test.inputs[0] = {3, 2}; }, "its output shape does not follow from its input"},
        {"gather", option(0U, 3, false), "it names an axis that does not exist"},
        {"gather", table(0U, {3, 0, 4, 1}), "one of its indices is outside its input"},
        {"gather_of_batches", option(1U, 2, false), "its batch dimensions do not fit its axis"},
        {"gather_nd", table(0U, {1, 3, 0, 4, 1, 1}), "one of its indices is outside its input"},
        {"embedding_lookup", table(0U, {4, 0, -1}), "one of its indices is outside its input"},
        {"resize_nearest_neighbor", table(0U, {4, 0}), "its size is not positive"},
        {"space_to_depth", option(0U, 3, false), "its blocks do not divide its input"},
        {"space_to_depth", option(0U, 0, false), "a block size below 1 is not supported"},
        {"depth_to_space", option(0U, 3, false), "its blocks do not divide its input"},
        {"depth_to_space", option(0U, INT32_MAX, false), "its blocks do not divide its input"},
        {"space_to_batch_nd", table(0U, {2, 3}), "its blocks do not divide its input"},
        {"space_to_batch_nd", table(1U, {1, 0, 0, -2}), "its margins are out of range"},
        {"space_to_batch_nd", table(0U, {0, 2}), "a block size below 1 is not supported"},
        {"batch_to_space_nd", table(0U, {2, 3}), "its blocks do not divide its input"},
        {"batch_to_space_nd", table(1U, {1, 1, 1, 0}), "an empty output is not supported"},
        {"mirror_pad_reflect", table(0U, {2, 0, 2, 1}), "its output size does not follow from its input"},
        {"mirror_pad_reflect", option(0U, 2, true), "its mode is not supported"},
        {"mirror_pad_reflect", [](Case& test) { test.constants[0].values = {1, 0, 3, 0}; },
         "a padding that mirrors more than its input is not supported"},
        {"broadcast_to", constant(0U, {2, 3, 0}), "an empty output is not supported"},
        {"broadcast_to", [](Case& test) { test.inputs[0] = {2, 1}; }, "its shapes cannot be broadcast"},
        {"tile", constant(0U, {2, 3}), "its multiples do not fit its rank"},
        {"tile", constant(0U, {2, 3, 0}), "an empty output is not supported"},
        {"tile", constant(0U, {2, INT32_MAX, 2}), "its multiples are too large"},
        {"fill", [](Case& test) { test.inputs[0] = {2}; }, "more than one value is not supported"},
        {"pad_of_rank_5", table(0U, {0, 0, 1, 0, 0, 0, 0, 1, 0, -1}), "negative paddings are not supported"},
    };
}

TEST(MovementRefusals, SayWhatIsMissing) {
    for (const Refusal& refusal : refusals()) {
        Case test = case_of(refusal.name);
        refusal.change(test);
        std::string message = "imported";
        try {
            static_cast<void>(import(model_of(test, kPlainInt8)));
        } catch (const ImportError& error) {
            message = error.missing();
            EXPECT_EQ(error.operator_index(), std::optional<std::uint32_t>{0U}) << refusal.name;
        }
        EXPECT_EQ(message, refusal.message) << refusal.name;
    }
}

TEST(MovementRefusals, AFillWhoseValueAndOutputDifferInQuantisation) {
    ModelSpec model;
    model.tensors = {TensorSpec{"value", {}}, plain("lengths", {2}, 2), TensorSpec{"y", {2, 3}}};
    model.tensors[1].buffer = 1U;
    model.contents = {words({2, 3})};
    model.operators = {OperatorSpec{94, {1, 0}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    const auto with = [&](float scale, std::int64_t zero_point) {
        return refusal(model, [&](ModelSpec& changed) {
            changed.tensors[2].scales = {scale};
            changed.tensors[2].zero_points = {zero_point};
        });
    };
    const std::string refused = "different quantisation of input and output is not supported";
    EXPECT_EQ(with(0.5F, 0), "imported");
    EXPECT_EQ(with(0.25F, 0), refused);
    EXPECT_EQ(with(0.5F, 1), refused);
}

TEST(MovementRefusals, TablesOfMoreIndicesThanThereIsRoomFor) {
    Case test = case_of("resize_nearest_neighbor");
    test.inputs = {{1, 1, 1, 1}};
    test.constants[0].values = {64 * 1024 * 1024, 1};
    test.outputs = {{1, 64 * 1024 * 1024, 1, 1}};
    EXPECT_THROW(static_cast<void>(import(model_of(test, kPlainInt8))), ImportError);
}

TEST(MovementRefusals, MoreLaunchesThanAMovementMayTake) {
    Case test = case_of("tile");
    test.inputs = {{129, 2, 2, 2, 2}};
    test.constants = {{{5}, {2, 2, 2, 2, 2}}};
    test.outputs = {{258, 4, 4, 4, 4}};
    EXPECT_THROW(static_cast<void>(import(model_of(test, kPlainInt8))), ImportError);
}

// Seven axes that do not lie together: two launches.
TEST(MovementOfManyAxes, TakesALaunchForEachOfTheOutermost) {
    Case test = case_of("tile");
    test.inputs = {{2, 2, 2, 2}};
    test.constants = {{{4}, {2, 2, 2, 2}}};
    test.outputs = {{4, 4, 4, 4}};
    const capture::Recorder recorder = import(model_of(test, kPlainInt8));
    EXPECT_EQ(recorder.launches().size(), 2U);
    std::vector<std::uint8_t> inputs;
    const std::vector<std::uint8_t> outputs = run(recorder, inputs);
    ASSERT_EQ(outputs.size(), 256U);
    for (std::size_t i = 0U; i < outputs.size(); ++i) {
        const std::size_t from = (((i / 64U) % 2U) * 8U) + (((i / 16U) % 2U) * 4U) + (((i / 4U) % 2U) * 2U) + (i % 2U);
        EXPECT_EQ(outputs[i], inputs.at(from)) << i;
    }
}

// Indices that a model computes may be anything: the nearest entry is taken.
TEST(MovementOfComputedIndices, IsClamped) {
    const Case test = case_of("embedding_lookup");
    ModelSpec model = model_of(test, kPlainInt8);
    model.tensors[1].buffer = 0U;
    model.inputs.push_back(1);
    const capture::Recorder recorder = import(model);
    FlatDevice device{recorder};
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].name == "t0") {
            for (std::uint8_t at = 0U; at < 15U; ++at) {
                device.bytes(i)[at] = at;
            }
        } else if (recorder.buffers()[i].role == capture::BufferRole::kInput) {
            const std::vector<std::uint8_t> indices = words({-2, 3, 5});
            std::copy(indices.begin(), indices.end(), device.bytes(i));
        } else {
            // the output
        }
    }
    device.run();
    for (std::size_t i = 0U; i < recorder.buffers().size(); ++i) {
        if (recorder.buffers()[i].role == capture::BufferRole::kOutput) {
            const std::vector<std::uint8_t> output(device.bytes(i), device.bytes(i) + 9);
            EXPECT_EQ(output, (std::vector<std::uint8_t>{0U, 1U, 2U, 9U, 10U, 11U, 12U, 13U, 14U}));
        }
    }
}

}  // namespace
}  // namespace pianola::tflite
