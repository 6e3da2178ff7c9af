#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kFirst = kBase;
constexpr std::uint32_t kSecond = kBase + 256U;
constexpr std::uint32_t kThird = kBase + 512U;
constexpr std::uint32_t kOutput = kBase + 768U;

}  // namespace

std::vector<Sample> plain_launches() {
    const GatherArguments gather{
        kOutput, 5U, 3U, {{{kFirst + 1U, 7U, 5U}, {kSecond, 0U, 6U}, {kThird + 2U, 30U, 8U}, {}}}};
    const GatherArguments widest{
        kOutput, 4U, 4U, {{{kFirst, 9U, 9U}, {kSecond, 16U, 1U}, {kThird, 2U, 5U}, {kThird + 64U, 40U, 16U}}}};
    const UnaryArguments scaled{kFirst, kOutput, 50U, kTypeInt32, UnaryOp::kMulScalar, -70000};
    const UnaryArguments shifted{kFirst, kOutput, 77U, kTypeInt8, UnaryOp::kAddScalar, 100};
    const BinaryArguments sum{kFirst, kSecond, kOutput, 61U, kTypeInt32, BinaryOp::kAdd};
    const BinaryArguments equal{kFirst + 1U, kSecond + 2U, kOutput + 3U, 61U, kTypeInt8, BinaryOp::kEqual};
    const MatmulArguments matmul{kFirst, kSecond, kOutput, 5U, 19U, 7U, kTypeInt8, 0U};
    const MatmulArguments accumulate{kFirst, kSecond, kOutput, 3U, 5U, 11U, kTypeInt32, 1U};
    const ReduceArguments columns{kFirst, kOutput, 9U, 21U, kTypeInt8, ReduceOp::kSum, 0U};
    const ReduceArguments rows{kFirst, kOutput, 9U, 7U, kTypeInt32, ReduceOp::kMinimum, 1U};
    // [5][7] bytes of [9][14], every other column backwards, each row twice.
    const ViewArguments view{kFirst, kOutput, 1U, {1U, 1U, 1U, 5U, 2U, 7U}, {0, 0, 0, 14, 0, -2}};
    // [3][2][5] elements of 4 bytes, transposed.
    const ViewArguments transposed{kSecond, kOutput, 4U, {1U, 5U, 1U, 2U, 3U, 1U}, {-3, 4, 0, 20, 40, 9}};
    const TakeArguments take{kFirst, kSecond, kOutput, 2U, 2U, 5U, 6U, 7U};
    const LookupArguments bytes{kFirst + 3U, kSecond, kOutput + 1U, 101U, 1U};
    const LookupArguments pairs{kFirst + 1U, kSecond, kOutput + 2U, 70U, 2U};
    const SelectArguments choice{kFirst + 1U,      kSecond,           kThird,           kOutput, {2U, 3U, 1U, 5U},
                                 {3U, 1U, 0U, 0U}, {15U, 5U, 0U, 1U}, {0U, 0U, 0U, 1U}, 4U};
    constexpr std::int32_t kHalfway = 1 << 30;
    const SvdfFeatureArguments feature{kFirst, kSecond, kOutput, 2U, 5U, 6U, 4U, kTypeInt8, 7, kHalfway, -3, -9};
    const SvdfTimeArguments time{kFirst, kSecond, kThird, kOutput, 2U, 3U, 2U, 4U, kTypeInt8, 9, kHalfway, -6, 5};
    LstmArguments lstm{};
    lstm.input = kFirst;
    lstm.weights = kFirst + 64U;
    lstm.parameters = kSecond;
    lstm.state = kFirst + 192U;
    lstm.output = kFirst + 224U;
    lstm.batches = 2U;
    lstm.steps = 3U;
    lstm.input_depth = 4U;
    lstm.units = 3U;
    lstm.input_offset = 128;
    lstm.hidden_offset = -3;
    lstm.gates.fill(LstmGateScales{kHalfway, -1, kHalfway, 0});
    lstm.forget_multiplier = kHalfway;
    lstm.forget_shift = -14;
    lstm.admit_multiplier = kHalfway;
    lstm.admit_shift = -17;
    lstm.emit_multiplier = kHalfway;
    lstm.emit_shift = -21;
    lstm.cell_multiplier = 6;
    lstm.cell_clip = 20000;
    lstm.type = kTypeInt8;
    LstmArguments wide = lstm;  // 2 * 3 * 4 inputs, 84 weights, 96 + 512 bytes of parameters, 24 of state
    wide.weights = kFirst + 64U;
    wide.state = kFirst + 160U;
    wide.input_offset = 0;
    wide.hidden_offset = 0;
    wide.output = kFirst + 192U;
    wide.type = kTypeInt16;
    return {
        {KernelId::kCopy, words_of(CopyArguments{kFirst + 3U, kOutput + 1U, 101U})},
        {KernelId::kFill, words_of(FillArguments{kOutput + 4U, 100U, 0x1234'5678U})},
        {KernelId::kGather, words_of(gather)},
        {KernelId::kGather, words_of(widest), "_widest"},
        {KernelId::kView, words_of(view)},
        {KernelId::kView, words_of(transposed), "_transposed"},
        {KernelId::kTake, words_of(take)},
        {KernelId::kUnary, words_of(scaled)},
        {KernelId::kUnary, words_of(shifted), "_int8"},
        {KernelId::kBinary, words_of(sum)},
        {KernelId::kBinary, words_of(equal), "_int8"},
        {KernelId::kMatmul, words_of(matmul)},
        {KernelId::kMatmul, words_of(accumulate), "_accumulate"},
        {KernelId::kReduce, words_of(columns)},
        {KernelId::kReduce, words_of(rows), "_rows"},
        {KernelId::kLookup, words_of(bytes)},
        {KernelId::kLookup, words_of(pairs), "_pairs"},
        {KernelId::kSelect, words_of(choice)},
        {KernelId::kSvdfFeature, words_of(feature)},
        {KernelId::kSvdfTime, words_of(time)},
        {KernelId::kLstm, words_of(lstm)},
        {KernelId::kLstm, words_of(wide), "_int16"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kSet, 3U}), "_set"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kIncrement, 3U}), "_increment"},
        {KernelId::kSemaphore, words_of(SemaphoreArguments{kOutput, SemaphoreOp::kWait, 0U}), "_wait"},
    };
}

void SmallDevice::randomise_with_extremes(std::mt19937& random, std::uint32_t type) {
    constexpr std::array<std::int32_t, 6> kBytes{-128, 127, -127, -1, 0, 1};
    constexpr std::array<std::int32_t, 8> kWords{INT32_MIN, INT32_MAX, INT32_MIN + 1, -1, 0, 1, 65536, -46341};
    const std::uint32_t step = (type == kTypeInt8) ? 1U : 4U;
    randomise(random);
    for (std::uint32_t at = 0U; (at + step) <= bytes_.size(); at += step) {
        if ((random() % 2U) == 0U) {
            continue;
        }
        if (type == kTypeInt8) {
            bytes_.at(at) = static_cast<std::uint8_t>(kBytes.at(random() % kBytes.size()));
        } else {
            store_word(kBase + at, kWords.at(random() % kWords.size()));
        }
    }
}

}  // namespace pianola::refdev
