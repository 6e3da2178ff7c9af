// Operations of tensors from C++: results that follow from plain arithmetic, in DRAM and in shards, so that sanitizers
// see the code. The Python package's tests hold the same functions to the specification over many shapes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "capture_host/host/tensor/bfloat16.h"
#include "capture_host/host/tensor/tiles.h"
#include "pianola_host/quantized.h"
#include "pianola_host/tensor_error.h"

namespace pianola::tensor {
namespace {

using Numbers = std::vector<std::int64_t>;

class OperationsTest : public ::testing::Test {
  protected:
    [[nodiscard]] Tensor on_device(const Shape& shape, const Numbers& numbers, ElementType type = ElementType::kInt8,
                                   const MemoryConfig& memory = kDramInterleaved) const {
        std::vector<std::uint8_t> bytes;
        for (const std::int64_t number : numbers) {
            for (std::uint32_t i = 0U; i < bytes_per_element(type); ++i) {
                bytes.push_back(static_cast<std::uint8_t>((static_cast<std::uint64_t>(number) >> (8U * i)) & 0xFFU));
            }
        }
        return Tensor::on_host({shape, type, kDramInterleaved}, bytes).to(device_, memory);
    }

    [[nodiscard]] MemoryConfig shards(const Shape& shape, host::Layout layout) const {
        return sharded(shape, host::all_cores(device_->spec()), layout);
    }

    [[nodiscard]] static Numbers numbers_of(const Tensor& tensor) {
        const Tensor here = tensor.cpu();
        const std::vector<std::uint8_t>& bytes = here.bytes();
        Numbers numbers;
        for (std::size_t i = 0U; i < bytes.size(); i += bytes_per_element(tensor.type())) {
            if (tensor.type() == ElementType::kInt8) {
                numbers.push_back(static_cast<std::int8_t>(bytes[i]));
            } else if (tensor.type() == ElementType::kUint16) {
                numbers.push_back(bytes[i] + (256 * bytes[i + 1U]));
            } else {
                std::int32_t number = 0;
                std::memcpy(&number, &bytes[i], sizeof(number));
                numbers.push_back(number);
            }
        }
        return numbers;
    }

    template <typename Call>
    static TensorRule rule_of(const Call& call) {
        try {
            call();
        } catch (const TensorError& error) {
            return error.rule();
        }
        return TensorRule::kUnspecified;
    }

    template <typename Call>
    static std::string text_of(const Call& call) {
        try {
            call();
        } catch (const TensorError& error) {
            return error.what();
        }
        return {};
    }

    std::shared_ptr<host::Device> device_{host::open_device({})};
};

// from, from + step, ...
[[nodiscard]] Numbers series(std::int64_t from, std::int64_t step, std::size_t count) {
    Numbers numbers;
    for (std::size_t i = 0U; i < count; ++i) {
        numbers.push_back(from + (step * static_cast<std::int64_t>(i)));
    }
    return numbers;
}

[[nodiscard]] Numbers clamped(Numbers numbers) {
    for (std::int64_t& number : numbers) {
        number = std::clamp<std::int64_t>(number, INT8_MIN, INT8_MAX);
    }
    return numbers;
}

TEST_F(OperationsTest, Int32BecomesInt8InEveryLayout) {
    const Shape shape{8U, 6U};
    const Numbers wide = series(-5000, 211, 48U);
    Numbers halves = wide;  // without a shift, the scheme rounds halves upwards
    for (std::int64_t& number : halves) {
        number = static_cast<std::int64_t>(std::floor((static_cast<double>(number) / 2.0) + 0.5)) + 3;
    }
    for (const MemoryConfig& memory :
         {kDramInterleaved, l1_interleaved(), shards(shape, host::Layout::kHeightSharded),
          shards(shape, host::Layout::kWidthSharded), shards(shape, host::Layout::kBlockSharded)}) {
        const Tensor tensor = on_device(shape, wide, ElementType::kInt32, memory);
        EXPECT_EQ(numbers_of(requantize(tensor, {0.5F, 0}, {1.0F, 3})), clamped(halves)) << to_string(memory);
        EXPECT_EQ(numbers_of(typecast(tensor, ElementType::kInt8)), clamped(wide)) << to_string(memory);
    }
}

TEST_F(OperationsTest, AViewSharesItsMemoryAndACopyDoesNot) {
    const Tensor tensor = on_device({4U, 6U}, series(0, 1, 24U));
    EXPECT_EQ(reshape(tensor, {2U, 2U, 6U}).buffer_address(), tensor.buffer_address());
    const Tensor copied = reshape(tensor, {8U, 3U});
    EXPECT_NE(copied.buffer_address(), tensor.buffer_address());
    EXPECT_EQ(numbers_of(copied), series(0, 1, 24U));
    EXPECT_EQ(rule_of([&] { static_cast<void>(reshape(tensor, {5U, 5U})); }), TensorRule::kShape);
}

TEST_F(OperationsTest, OperandsAreBroadcast) {
    const Tensor column = on_device({3U, 1U}, {1, 2, 3});
    const Tensor row = on_device({5U}, {10, 20, 30, 40, 50});
    EXPECT_EQ(numbers_of(binary(Binary::kAdd, column, row)),
              (Numbers{11, 21, 31, 41, 51, 12, 22, 32, 42, 52, 13, 23, 33, 43, 53}));
    EXPECT_EQ(numbers_of(binary(Binary::kSubtract, row, -128)), (Numbers{127, 127, 127, 127, 127}));
    EXPECT_EQ(numbers_of(binary(Binary::kMaximum, column, 2)), (Numbers{2, 2, 3}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(binary(Binary::kAdd, row, on_device({4U}, {1, 2, 3, 4}))); }),
              TensorRule::kShape);
}

TEST_F(OperationsTest, TilesAreAnotherOrderOfTheSameData) {
    const Shape shape{2U, 5U, 40U};
    const Numbers numbers = series(0, 7, 400U);
    const Tensor rows = on_device(shape, numbers, ElementType::kUint16);
    const Tensor tiles = to_layout(rows, ElementLayout::kTile);
    EXPECT_EQ(tiles.layout(), ElementLayout::kTile);
    EXPECT_EQ(numbers_of(tiles), numbers);
    EXPECT_EQ(numbers_of(to_layout(tiles, ElementLayout::kRowMajor, l1_interleaved())), numbers);
    // Two rows of two tiles; the first row of the first face, then its second; then zeros.
    const Numbers stored = numbers_of(tiles.storage());
    ASSERT_EQ(stored.size(), std::size_t{4U} * kTileElements);
    EXPECT_EQ(Numbers(stored.begin(), stored.begin() + 16), series(0, 7, 16U));
    EXPECT_EQ(Numbers(stored.begin() + 16, stored.begin() + 32), series(std::int64_t{40} * 7, 7, 16U));
    EXPECT_EQ(Numbers(stored.begin() + 80, stored.begin() + 256), Numbers(176U, 0));
    EXPECT_EQ(Numbers(stored.begin() + 256, stored.begin() + 272), series(std::int64_t{16} * 7, 7, 16U));
    EXPECT_EQ(tile_padded(shape), (Shape{2U, 32U, 64U}));
    EXPECT_EQ(tile_padded({5U}), (Shape{32U, 32U}));
    const Tensor host = to_layout(rows.cpu(), ElementLayout::kTile);
    EXPECT_EQ(numbers_of(host.to(device_, kDramInterleaved).storage()), stored) << "as the transfer makes them";
}

TEST_F(OperationsTest, PartsOfTensors) {
    const Tensor tensor = on_device({4U, 5U}, series(0, 1, 20U));
    EXPECT_EQ(numbers_of(slice(tensor, {{1U, 4U, 2U}, {0U, 5U, 3U}})), (Numbers{5, 8, 15, 18}));
    EXPECT_EQ(numbers_of(slice(tensor, {{3U, 4U}, {0U, 5U}})), series(15, 1, 5U));
    const Tensor column = on_device({4U, 1U}, {-1, -2, -3, -4});
    const Tensor joined = concat({column, column, column, column, column, tensor}, 1U);  // more than a gather takes
    EXPECT_EQ(joined.shape(), (Shape{4U, 10U}));
    const Numbers numbers = numbers_of(joined);
    EXPECT_EQ(Numbers(numbers.begin(), numbers.begin() + 10), (Numbers{-1, -1, -1, -1, -1, 0, 1, 2, 3, 4}));
    EXPECT_EQ(Numbers(numbers.begin() + 30, numbers.end()), (Numbers{-4, -4, -4, -4, -4, 15, 16, 17, 18, 19}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(concat({tensor, column}, 0U)); }), TensorRule::kShape);
    EXPECT_EQ(rule_of([&] { static_cast<void>(slice(tensor, {{0U, 5U}, {0U, 5U}})); }), TensorRule::kArgument);
}

TEST_F(OperationsTest, OrdersRepetitionsAndChoices) {
    const Tensor tensor = on_device({2U, 3U}, series(0, 1, 6U), ElementType::kInt32);
    EXPECT_EQ(numbers_of(permute(tensor, {1U, 0U})), (Numbers{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(numbers_of(flip(tensor, {1U})), (Numbers{2, 1, 0, 5, 4, 3}));
    EXPECT_EQ(numbers_of(repeat(tensor, {2U, 1U})), (Numbers{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
    const Tensor indices = on_device({2U, 2U}, {2, 9, -1, 1}, ElementType::kInt32);
    const Tensor taken = take(tensor, indices, 1U);
    EXPECT_EQ(taken.shape(), (Shape{2U, 2U, 2U}));
    EXPECT_EQ(numbers_of(taken), (Numbers{2, 2, 0, 1, 5, 5, 3, 4}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(permute(tensor, {0U, 0U})); }), TensorRule::kArgument);
    EXPECT_EQ(rule_of([&] { static_cast<void>(repeat(tensor, {1U})); }), TensorRule::kArgument);
    // Eight dimensions, none of which lie together: more than a launch has.
    const Tensor cube = on_device({2U, 2U, 2U, 2U, 2U, 2U, 2U, 2U}, series(0, 1, 256U), ElementType::kInt32);
    const Numbers reversed = numbers_of(permute(cube, {7U, 6U, 5U, 4U, 3U, 2U, 1U, 0U}));
    EXPECT_EQ(Numbers(reversed.begin(), reversed.begin() + 4), (Numbers{0, 128, 64, 192}));
    EXPECT_EQ(Numbers(reversed.end() - 2, reversed.end()), (Numbers{127, 255}));
}

TEST_F(OperationsTest, TypesWithoutASign) {
    const Tensor wide = on_device({4U}, {0, 300, 70000, -1}, ElementType::kUint32);  // -1: 2^32 - 1
    EXPECT_EQ(numbers_of(typecast(wide, ElementType::kInt8)), (Numbers{0, 127, 127, 127}));
    EXPECT_EQ(numbers_of(typecast(wide, ElementType::kUint16)), (Numbers{0, 300, 65535, 65535}));
    EXPECT_EQ(numbers_of(typecast(wide, ElementType::kInt32)), (Numbers{0, 300, 70000, INT32_MAX}));
    EXPECT_EQ(numbers_of(binary(Binary::kAdd, wide, 1)), (Numbers{1, 301, 70001, 0}));
    const Tensor below = on_device({3U}, {-7, 0, 7});
    EXPECT_EQ(numbers_of(typecast(below, ElementType::kUint16)), (Numbers{0, 0, 7}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(binary(Binary::kMaximum, wide, 1)); }), TensorRule::kType);
}

TEST(Bfloat16, IsRoundedToTheNearestAndTiesToEven) {
    constexpr float kUnit = 0.0078125F;  // of numbers from 1 to 2
    EXPECT_EQ(to_bfloat16(1.0F), 0x3F80U);
    EXPECT_EQ(to_bfloat16(1.0F + (kUnit / 2.0F)), 0x3F80U);
    EXPECT_EQ(to_bfloat16(1.0F + (kUnit * 1.5F)), 0x3F82U);
    EXPECT_EQ(to_bfloat16(std::nextafter(1.0F + (kUnit / 2.0F), 2.0F)), 0x3F81U);
    EXPECT_EQ(to_bfloat16(std::numeric_limits<float>::max()), 0x7F80U);
    EXPECT_EQ(to_bfloat16(-std::numeric_limits<float>::infinity()), 0xFF80U);
    EXPECT_TRUE(std::isnan(from_bfloat16(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
    EXPECT_EQ(from_bfloat16(0xC040U), -3.0F);
}

TEST_F(OperationsTest, MatricesInBatches) {
    const Tensor left = on_device({2U, 1U, 2U}, {1, 2, 3, 4});
    const Tensor right = on_device({1U, 2U, 1U}, {10, 1});
    EXPECT_EQ(numbers_of(matmul(left, right)), (Numbers{12, 34}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(matmul(left, on_device({1U, 3U, 1U}, {1, 2, 3}))); }),
              TensorRule::kShape);
}

TEST_F(OperationsTest, ShardsWithoutNumbersAreThoseOfTheDevice) {
    const Tensor tensor = on_device({8U, 6U}, series(0, 1, 48U));
    const Tensor moved = to_memory_config(tensor, {host::Layout::kHeightSharded, host::Memory::kL1, std::nullopt});
    EXPECT_EQ(moved.memory_config(), shards({8U, 6U}, host::Layout::kHeightSharded));
    EXPECT_EQ(numbers_of(moved), series(0, 1, 48U));
    const MemoryConfig cut = shards({64U, 64U}, host::Layout::kHeightSharded);
    EXPECT_EQ(
        rule_of([&] {
            static_cast<void>(Tensor::on_device({{64U, 64U}, ElementType::kInt8, cut, ElementLayout::kTile}, device_));
        }),
        TensorRule::kLayout);
}

TEST_F(OperationsTest, LayersWithoutScaling) {
    // 3 x 3 ones over an image of ones count the elements inside.
    const Tensor image = on_device({1U, 4U, 4U, 1U}, series(1, 0, 16U));
    const Tensor ones = on_device({1U, 3U, 3U, 1U}, series(1, 0, 9U));
    const Tensor bias = on_device({1U}, {-5}, ElementType::kInt32);
    LayerQuantization quantization;
    quantization.scales = {1.0F, 1.0F, 1.0F};
    Windows windows;
    windows.same = true;
    const Numbers counts{4, 6, 6, 4, 6, 9, 9, 6, 6, 9, 9, 6, 4, 6, 6, 4};
    EXPECT_EQ(numbers_of(conv2d(image, ones, std::nullopt, windows, 1U, quantization)), counts);
    EXPECT_EQ(numbers_of(depthwise_conv2d(image, ones, bias, windows, quantization)),
              (Numbers{-1, 1, 1, -1, 1, 4, 4, 1, 1, 4, 4, 1, -1, 1, 1, -1}));
    const Tensor table = prepare_bias(bias.cpu(), 1.0F, {1.0F}, 1.0F).to(device_, kDramInterleaved);
    EXPECT_EQ(numbers_of(conv2d(image, ones, table, windows, 1U, LayerQuantization{})),
              numbers_of(depthwise_conv2d(image, ones, bias, windows, quantization)));
    const Tensor numbers = on_device({1U, 4U, 4U, 1U}, series(0, 1, 16U));
    Windows halves;
    halves.height.stride = 2U;
    halves.width.stride = 2U;
    EXPECT_EQ(numbers_of(pool2d(Pool::kMaximum, numbers, 2U, 2U, halves)), (Numbers{5, 7, 13, 15}));
    EXPECT_EQ(numbers_of(pool2d(Pool::kAverage, numbers, 2U, 2U, halves)), (Numbers{3, 5, 11, 13}));
    EXPECT_EQ(numbers_of(quantized_linear(on_device({1U, 2U}, {2, 3}), on_device({2U, 3U}, {1, 2, 3, 4, 5, 6}), false,
                                          std::nullopt, quantization)),
              (Numbers{14, 19, 24}));
    windows.same = false;
    windows.height.stride = 0U;
    EXPECT_EQ(rule_of([&] { static_cast<void>(pool2d(Pool::kMaximum, image, 2U, 2U, windows)); }),
              TensorRule::kArgument);
    quantization.scales.weight = 0.0F;
    EXPECT_EQ(rule_of([&] { static_cast<void>(conv2d(image, ones, bias, halves, 1U, quantization)); }),
              TensorRule::kQuantization);
}

TEST_F(OperationsTest, RowsAndSums) {
    const Tensor tensor = on_device({2U, 3U}, {1, 2, 3, 10, 20, 30});
    EXPECT_EQ(numbers_of(mean(tensor, {0U}, false, {}, {})), (Numbers{6, 11, 17}));
    EXPECT_EQ(numbers_of(mean(tensor, {0U, 1U}, true, {}, {})), (Numbers{11}));
    EXPECT_EQ(numbers_of(reduce(Reduction::kSum, tensor, 0U)), (Numbers{11, 22, 33}));
    EXPECT_EQ(numbers_of(reduce(Reduction::kMin, tensor, 1U)), (Numbers{1, 10}));
    EXPECT_EQ(numbers_of(reduce(Reduction::kArgMax, tensor, 0U)), (Numbers{1, 1, 1}));
    EXPECT_EQ(numbers_of(reduce(Reduction::kArgMin, tensor, 1U)), (Numbers{0, 0}));
    EXPECT_EQ(numbers_of(pad(tensor, {{0U, 1U}, {1U, 0U}}, 7)), (Numbers{7, 1, 2, 3, 7, 10, 20, 30, 7, 7, 7, 7}));
    EXPECT_EQ(numbers_of(softmax(on_device({1U, 4U}, {5, 5, 5, 5}), 0.1F, 1.0F)), (Numbers{-64, -64, -64, -64}));
    EXPECT_EQ(numbers_of(log_softmax(on_device({1U, 4U}, {5, 5, 5, 5}), 0.1F)), (Numbers{105, 105, 105, 105}));
    EXPECT_EQ(numbers_of(l2_normalize(on_device({2U, 2U}, {4, 5, -2, 1}), 1)), (Numbers{77, 102, -128, 0}));
    EXPECT_EQ(rule_of([&] { static_cast<void>(log_softmax(tensor, 16.0F)); }), TensorRule::kQuantization);
    const auto expect_text = [](const std::string& text, const char* part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    expect_text(text_of([&] { static_cast<void>(log_softmax(tensor, 16.0F)); }), "must be above 2^-26 and below 16");
    expect_text(text_of([&] { static_cast<void>(softmax(tensor, 0x1p-26F, 1.0F)); }), "it must be above 2^-26");
    static_cast<void>(softmax(tensor, 0x1.1p-26F, 1.0F));
    const Tensor wide = typecast(tensor, ElementType::kInt16);
    const Tensor tables = prepare_softmax_tables().to(device_, kDramInterleaved);
    expect_text(text_of([&] { static_cast<void>(softmax_int16(wide, tables, 163843.0F, 1.0F)); }), "below 163842");
    static_cast<void>(softmax_int16(wide, tables, 163841.0F, 1.0F));
    EXPECT_EQ(numbers_of(quantized_add(tensor, tensor, {1.0F, 0}, {1.0F, 1}, {2.0F, 0})),
              (Numbers{1, 2, 3, 10, 20, 30}));
}

}  // namespace
}  // namespace pianola::tensor
