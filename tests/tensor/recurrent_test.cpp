// Operations of int16 and layers with memory from C++: results that follow from plain arithmetic, so that sanitizers
// see the code. The Python package's tests hold the same functions to the interpreter of tests/crosscheck.

#include "pianola_host/recurrent.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

template <typename Element>
std::vector<Element> numbers_of(const Tensor& tensor) {
    const Tensor here = tensor.cpu();
    std::vector<Element> numbers(here.bytes().size() / sizeof(Element));
    std::memcpy(numbers.data(), here.bytes().data(), here.bytes().size());
    return numbers;
}

class RecurrentTest : public ::testing::Test {
  protected:
    template <typename Element>
    [[nodiscard]] Tensor on_device(const Shape& shape, ElementType type, const std::vector<Element>& numbers) const {
        std::vector<std::uint8_t> bytes(numbers.size() * sizeof(Element));
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
        return here(Tensor::on_host({shape, type, kDramInterleaved}, bytes));
    }
    [[nodiscard]] Tensor here(const Tensor& tensor) const { return tensor.to(device_, kDramInterleaved); }
    [[nodiscard]] Tensor int8(const Shape& shape, const std::vector<std::int8_t>& numbers) const {
        return on_device(shape, ElementType::kInt8, numbers);
    }
    [[nodiscard]] Tensor int16(const Shape& shape, const std::vector<std::int16_t>& numbers) const {
        return on_device(shape, ElementType::kInt16, numbers);
    }

    std::shared_ptr<host::Device> device_{host::open_device({})};
    LayerQuantization one_{{1.0F, 1.0F, 1.0F}, 0, 0, 0, {}};
};

TEST_F(RecurrentTest, LayersOfInt16) {
    const Tensor rows = int16({2U, 2U}, {300, -2, 20000, 5});
    const Tensor weights = int8({3U, 2U}, {1, 1, -2, 3, 100, 0});
    using Int16Numbers = std::vector<std::int16_t>;
    EXPECT_EQ(numbers_of<std::int16_t>(quantized_linear(rows, weights, true, std::nullopt, one_)),
              (Int16Numbers{298, -606, 30000, 20005, -32768, 32767}));
    LayerQuantization clamped = one_;
    clamped.clamp = {0, 25000};
    EXPECT_EQ(numbers_of<std::int16_t>(quantized_linear(rows, weights, true, std::nullopt, clamped)),
              (Int16Numbers{298, 0, 25000, 20005, 0, 25000}));
    EXPECT_EQ(numbers_of<std::int16_t>(quantized_linear(rows, int16({2U, 1U}, {1, 1000}), false, std::nullopt, one_)),
              (Int16Numbers{-1700, 25000}));
    const Tensor prepared = here(prepare_wide_bias({1, -2, std::int64_t{1} << 30U}, 1.0F, {1.0F, 1.0F, 1.0F}, 1.0F));
    EXPECT_EQ(numbers_of<std::int16_t>(quantized_linear(rows, weights, true, prepared, LayerQuantization{})),
              (Int16Numbers{299, -608, 32767, 20006, -32768, 32767}));
    const Tensor image = int16({1U, 2U, 2U, 1U}, {100, 200, 300, 400});
    const Tensor filter = int8({1U, 2U, 2U, 1U}, {1, 1, 1, -1});
    EXPECT_EQ(numbers_of<std::int16_t>(conv2d(image, filter, std::nullopt, {}, 1U, one_)), (Int16Numbers{200}));
    EXPECT_EQ(numbers_of<std::int16_t>(depthwise_conv2d(image, filter, std::nullopt, {}, one_)), (Int16Numbers{200}));
    EXPECT_EQ(numbers_of<std::int16_t>(pool2d(Pool::kMaximum, image, 2U, 2U, {})), (Int16Numbers{400}));
    EXPECT_EQ(numbers_of<std::int16_t>(pool2d(Pool::kAverage, image, 2U, 2U, {})), (Int16Numbers{250}));
}

TEST_F(RecurrentTest, FunctionsOfInt16) {
    const Tensor table = here(prepare_sigmoid_table());
    const Tensor numbers = int16({3U}, {0, 32767, -32768});
    const std::vector<std::int16_t> curve =
        numbers_of<std::int16_t>(sigmoid_int16(Sigmoid::kLogistic, numbers, table, 1.0F / 2048.0F));
    EXPECT_EQ(curve.at(0), 16384);
    EXPECT_EQ(curve.at(1), 32767);
    EXPECT_LE(curve.at(2), 1);
    EXPECT_EQ(numbers_of<std::int16_t>(sigmoid_int16(Sigmoid::kTanh, numbers, table, 1.0F / 2048.0F)).front(), 0);
    const std::vector<std::int16_t> shares =
        numbers_of<std::int16_t>(softmax_int16(int16({1U, 2U}, {7, 7}), here(prepare_softmax_tables()), 0.001F, 1.0F));
    EXPECT_NEAR(shares.at(0), 16384, 16);
    EXPECT_EQ(shares.at(0), shares.at(1));
}

TEST_F(RecurrentTest, SvdfMovesItsMemory) {
    const Tensor memory = int16({1U, 2U, 2U}, {1, 2, 3, 4});
    const SvdfQuantization quantization{};
    EXPECT_EQ(numbers_of<std::int8_t>(
                  svdf(int8({1U, 2U}, {5, 6}), int8({2U, 2U}, {1, 0, 0, 1}), int16({2U, 2U}, {1, 1, 1, 1}),
                       on_device({1U}, ElementType::kInt32, std::vector<std::int32_t>{100}), memory, 2U, quantization)),
              (std::vector<std::int8_t>{117}));  // 2 + 5 + 4 + 6 and the bias
    EXPECT_EQ(numbers_of<std::int16_t>(memory), (std::vector<std::int16_t>{2, 5, 4, 6}));
}

TEST_F(RecurrentTest, AnLstmThatForgetsAndAdmitsNothingEmitsNothing) {
    const LstmGateWeights zeros{{0, 0}, {0}, {0}};
    for (const ElementType type : {ElementType::kInt8, ElementType::kInt16}) {
        const LstmTensors made = prepare_lstm({zeros, zeros, zeros, zeros}, type, 1U, 0);
        const LstmTensors layer{here(made.weights), here(made.parameters), here(made.state)};
        const LstmQuantization quantization{
            {0.1F, 0}, {0.01F, 0}, 1.0F / 2048.0F, 0.0F, {0.1F, 0.1F, 0.1F, 0.1F}, {0.1F, 0.1F, 0.1F, 0.1F}};
        const Tensor input =
            (type == ElementType::kInt8) ? int8({1U, 2U, 2U}, {1, 2, 3, 4}) : int16({1U, 2U, 2U}, {1, 2, 3, 4});
        const Tensor result = lstm(input, layer, quantization, false);
        EXPECT_EQ(result.shape(), (Shape{1U, 2U, 1U}));
        EXPECT_EQ(result.type(), type);
        for (const std::int8_t byte : numbers_of<std::int8_t>(result)) {
            EXPECT_EQ(byte, 0);
        }
    }
}

TEST_F(RecurrentTest, NumbersOfInt16AreCastWithTheirSign) {
    const Tensor numbers = int16({2U, 2U}, {-32768, 32767, -1, 300});
    EXPECT_EQ(numbers_of<std::int32_t>(typecast(numbers, ElementType::kInt32)),
              (std::vector<std::int32_t>{-32768, 32767, -1, 300}));
    EXPECT_EQ(numbers_of<std::int8_t>(typecast(numbers, ElementType::kInt8)),
              (std::vector<std::int8_t>{-128, 127, -1, 127}));
    EXPECT_EQ(numbers_of<std::int16_t>(typecast(int8({2U}, {-128, 5}), ElementType::kInt16)),
              (std::vector<std::int16_t>{-128, 5}));
    fill(numbers, -3);
    EXPECT_EQ(numbers_of<std::int16_t>(numbers), (std::vector<std::int16_t>{-3, -3, -3, -3}));
}

}  // namespace
}  // namespace pianola::tensor
