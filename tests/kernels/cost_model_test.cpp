// Cost models: every launch has a cost, a core's bound counts its turns and saturates, the virtual device's is the
// formula of docs/reference/device.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

constexpr std::uint64_t kMaxTurns = std::uint64_t{1} << 36U;
constexpr std::uint64_t kTooMuch = std::uint64_t{1} << 62U;
constexpr std::array<Loops, 3> kLoops{Loops::kPortable, Loops::kDsp, Loops::kMve};

std::vector<const CostModel*> core_models() {
    std::vector<const CostModel*> models;
    for (const NamedCostModel& each : cost_models()) {
        if (each.model->kind == CostKind::kUpperBound) {
            models.push_back(each.model);
        }
    }
    return models;
}

ExtentList extents_of(const Sample& sample) {
    ExtentList extents;
    ArgumentError error;
    EXPECT_EQ(kernel(sample.id).describe(span_of(sample.words), extents, error), Status::kOk)
        << sample_name(sample) << ": " << error.field;
    return extents;
}

Work work_of(const Kernel& kernel, const Words& words, Loops loops) {
    Work work;
    kernel.work(span_of(words), loops, work);
    return work;
}

// The bound again, in floating point.
double bound_of(const KernelCosts& costs, const Work& work) {
    double bound = 0.0;
    for (std::size_t i = 0U; i < kWorkTerms; ++i) {
        bound += static_cast<double>(work.turns.at(i)) * costs.per_turn.at(i) / kCostScale;
    }
    return bound;
}

TEST(CostModels, NumbersAndNamesAreUnique) {
    std::set<std::uint32_t> numbers;
    std::set<std::string> names;
    for (const NamedCostModel& each : cost_models()) {
        EXPECT_NE(each.model->number, 0U);
        EXPECT_TRUE(numbers.insert(each.model->number).second) << each.model->name;
        EXPECT_TRUE(names.insert(each.model->name).second) << each.model->name;
        EXPECT_EQ(find_cost_model(each.model->number), each.model);
    }
    EXPECT_GT(core_models().size(), 1U);
}

TEST(CostModels, EveryKernelOfACoreHasABoundForALaunchAlone) {
    for (const CostModel* const model : core_models()) {
        ASSERT_EQ(model->kernels.size(), kKernelIds.size()) << model->name;
        for (const Kernel& kernel : kernel_rom()) {
            const KernelCosts& costs = model->kernels[static_cast<std::size_t>(kernel.id) - 1U];
            EXPECT_GT(costs.per_turn.at(0U), 0U) << model->name << " " << kernel.name;
            EXPECT_GT(cost_version(*model, kernel), 0U) << model->name << " " << kernel.name;
        }
        // A device of one core executes dispatches itself.
        EXPECT_FALSE(model->commands.cores_are_parallel) << model->name;
    }
}

TEST(CostModels, ABoundIsTheSumOfItsTurns) {
    for (const Sample& sample : sample_launches()) {
        const Kernel& launched = kernel(sample.id);
        for (const CostModel* const model : core_models()) {
            const Work work = work_of(launched, sample.words, model->loops);
            EXPECT_EQ(work.turns.at(0U), 1U) << sample_name(sample) << ": the launch";
            const double expected = bound_of(model->kernels[static_cast<std::size_t>(sample.id) - 1U], work);
            const auto cost =
                static_cast<double>(launch_cost(*model, launched, span_of(sample.words), extents_of(sample)));
            EXPECT_GE(cost, expected) << model->name << " " << sample_name(sample);
            EXPECT_LT(cost, expected + 1.0) << model->name << " " << sample_name(sample);
        }
        // What is computed does not depend on the core.
        for (const Loops loops : kLoops) {
            EXPECT_EQ(work_of(launched, sample.words, loops).operations,
                      work_of(launched, sample.words, Loops::kPortable).operations)
                << sample_name(sample);
        }
    }
}

// A fill that says that it takes so many turns of its last term.
Kernel fill_of_turns(void (*work)(WordSpan, Loops, Work&) noexcept) {
    Kernel changed = kernel(KernelId::kFill);
    changed.work = work;
    return changed;
}

TEST(CostModels, TooManyTurnsCostTooMuch) {
    const Kernel most =
        fill_of_turns([](WordSpan /*arguments*/, Loops /*loops*/, Work& work) noexcept { work.turns.fill(kMaxTurns); });
    const Kernel more = fill_of_turns([](WordSpan /*arguments*/, Loops /*loops*/, Work& work) noexcept {
        work.turns.fill(0U);
        work.turns[kWorkTerms - 1U] = kMaxTurns + 1U;  // also of a term that costs a fill nothing
    });
    const Kernel wrapping = fill_of_turns(
        [](WordSpan /*arguments*/, Loops /*loops*/, Work& work) noexcept { work.turns.fill(UINT64_MAX); });
    for (const CostModel* const model : core_models()) {
        EXPECT_LT(launch_cost(*model, most, {}, {}), kTooMuch) << model->name;
        EXPECT_GT(launch_cost(*model, most, {}, {}), kMaxTurns) << model->name;
        EXPECT_EQ(launch_cost(*model, more, {}, {}), kTooMuch) << model->name;
        EXPECT_EQ(launch_cost(*model, wrapping, {}, {}), kTooMuch) << model->name;
    }
}

// Taps of all windows are no size of an operand: they may be more than 2^31.
TEST(CostModels, TurnsOfPoolsDoNotSaturate) {
    constexpr std::uint32_t kEdge = 512U;
    constexpr std::uint32_t kFilter = 256U;
    constexpr std::uint32_t kPad = 128U;
    std::uint64_t of_axis = 0U;
    for (std::uint32_t output = 0U; output < kEdge; ++output) {
        for (std::uint32_t tap = 0U; tap < kFilter; ++tap) {
            of_axis += (((output + tap) >= kPad) && ((output + tap) < (kPad + kEdge))) ? 1U : 0U;
        }
    }
    const Pool2dArguments large{0U, kEdge * kEdge, 1U,   kEdge, kEdge, 1U,       kEdge, kEdge, kFilter, kFilter, 1U,
                                1U, kPad,          kPad, -128,  127,   kTypeInt8};
    for (const KernelId id : {KernelId::kAveragePool2d, KernelId::kMaxPool2d}) {
        const Work work = work_of(kernel(id), words_of(large), Loops::kPortable);
        const std::uint64_t most = *std::max_element(work.turns.begin(), work.turns.end());
        EXPECT_EQ(most, of_axis * of_axis);
        EXPECT_GT(most, UINT32_MAX);
    }
}

// 2^44 products of three operands of 1 GiB. tests/sim/dispatch_test.cpp: no cost word says what that takes.
TEST(CostModels, AMatmulMayTakeTooManyTurns) {
    constexpr std::uint32_t kGibibyte = 1U << 30U;
    const MatmulArguments large{0U, kGibibyte, 2U * kGibibyte, 1U << 14U, 1U << 16U, 1U << 14U, kTypeInt8, 0U};
    const Words arguments = words_of(large);
    const Sample sample{KernelId::kMatmul, arguments};
    const ExtentList extents = extents_of(sample);
    for (const CostModel* const model : core_models()) {
        ASSERT_EQ(launch_cost(*model, kernel(KernelId::kMatmul), span_of(arguments), extents), kTooMuch) << model->name;
    }
}

struct Published {
    std::uint32_t operations;
    std::uint32_t bytes;  // of all operands
};

// By sample, worked out by hand from its arguments.
const std::map<std::string, Published>& published() {
    constexpr std::uint32_t kConvolved = 3U * 3U * 6U;
    constexpr std::uint32_t kDeepFilter = 3U * 2U * 2U;
    static const std::map<std::string, Published> kPublished{
        {"fully_connected", {3U * 20U * 7U, 60U + 140U + 84U + 21U}},
        {"fully_connected_int16", {3U * 20U * 7U, 120U + 140U + 112U + 42U}},
        {"fully_connected_int16_narrow", {3U * 20U * 7U, 120U + 140U + 84U + 42U}},
        {"conv2d", {kConvolved * kDeepFilter, 120U + 72U + 72U + 54U}},
        {"conv2d_int16", {kConvolved * kDeepFilter, 240U + 72U + 96U + 108U}},
        {"conv2d_int16_narrow", {kConvolved * kDeepFilter, 240U + 72U + 72U + 108U}},
        {"depthwise_conv2d", {150U * 9U, 75U + 54U + 72U + 150U}},
        {"depthwise_conv2d_int16", {96U * 9U, 150U + 54U + 96U + 192U}},
        {"average_pool2d", {36U * 9U, 120U + 36U}},
        {"average_pool2d_int16", {36U * 9U, 240U + 72U}},
        {"max_pool2d", {36U * 9U, 120U + 36U}},
        {"max_pool2d_int16", {36U * 9U, 240U + 72U}},
        {"mean", {120U, 120U + 10U}},
        {"mean_int16", {120U, 240U + 20U}},
        {"add", {4U * 120U, 120U + 5U + 120U}},
        {"softmax", {32U * 60U, 60U + 60U}},
        {"softmax_to_int16", {32U * 60U, 60U + 120U}},
        {"softmax_int16", {16U * 60U, 120U + 120U + 2052U}},
        {"log_softmax", {32U * 60U, 60U + 60U}},
        {"l2_normalization", {4U * 60U, 60U + 60U}},
        {"sigmoid_int16", {8U * 100U, 200U + 512U + 200U}},
        {"requantize", {2U * 150U, 150U + 150U}},
        {"rescale", {2U * 50U, 200U + 100U}},
        {"rescale_int16", {2U * 100U, 200U + 200U}},
        {"quantize", {32U * 50U, 200U + 100U}},
        {"dequantize", {32U * 50U, 50U + 200U}},
        {"quantized_binary", {4U * 120U, 120U + 5U + 120U}},
        {"quantized_binary_int16", {4U * 24U, 48U + 8U + 48U}},
        {"quantized_binary_less", {4U * 24U, 48U + 8U + 24U}},
        {"pad", {0U, 36U + 240U}},
        {"pad_int16", {0U, 12U + 192U}},
        {"copy", {0U, 101U + 101U}},
        {"fill", {0U, 100U}},
        {"gather", {5U * 3U, 33U + 6U + 128U + 95U}},
        {"gather_widest", {4U * 4U, 36U + 49U + 11U + 136U + 124U}},
        {"view", {70U, 69U + 70U}},
        {"view_transposed", {30U, 120U + 120U}},
        {"take", {24U, 140U + 48U + 168U}},
        {"unary", {50U, 200U + 200U}},
        {"unary_int8", {77U, 77U + 77U}},
        {"binary", {61U, 3U * 244U}},
        {"binary_int8", {61U, 3U * 61U}},
        {"matmul", {5U * 19U * 7U, 95U + 133U + 140U}},
        {"matmul_accumulate", {3U * 5U * 11U, 60U + 220U + 132U + 132U}},
        {"matmul_int16", {7U * 9U * 11U, 126U + 198U + 154U}},
        {"reduce", {9U * 21U, 189U + 84U}},
        {"reduce_rows", {9U * 7U, 252U + 36U}},
        {"lookup", {101U, 101U + 256U + 101U}},
        {"lookup_pairs", {70U, 70U + 512U + 140U}},
        {"select", {2U * 30U, 6U + 120U + 20U + 120U}},
        {"svdf_feature", {(2U * 6U * 5U) + (2U * 6U * 4U), 10U + 30U + 48U + 48U}},
        {"svdf_time", {2U * 3U * 2U * 4U, 48U + 24U + 12U + 6U}},
        {"lstm", {6U * 4U * 3U * (4U + 3U), 24U + 84U + 560U + 18U + 18U + 18U}},
        {"lstm_int16", {6U * 4U * 3U * (4U + 3U), 48U + 84U + 608U + 24U + 24U + 36U}},
        {"semaphore_set", {1U, 4U}},
        {"semaphore_increment", {1U, 4U + 4U}},
        {"semaphore_wait", {1U, 4U}},
    };
    return kPublished;
}

TEST(VirtualCosts, AreThePublishedFormulaForEverySample) {
    std::set<std::string> seen;
    for (const Sample& sample : sample_launches()) {
        const std::string name = sample_name(sample);
        ASSERT_EQ(published().count(name), 1U) << name;
        seen.insert(name);
        const Published& numbers = published().at(name);
        const std::uint32_t expected = 64U + ((numbers.operations + 15U) / 16U) + ((numbers.bytes + 7U) / 8U);
        EXPECT_EQ(launch_cost(kVirtualCosts, kernel(sample.id), span_of(sample.words), extents_of(sample)), expected)
            << name;
        EXPECT_EQ(work_of(kernel(sample.id), sample.words, Loops::kPortable).operations, numbers.operations) << name;
    }
    EXPECT_EQ(seen.size(), published().size());
}

}  // namespace
}  // namespace pianola::refdev
