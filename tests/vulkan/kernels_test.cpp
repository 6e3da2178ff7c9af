// Every shader against the kernel whose results it claims: random and extreme launches, byte for byte, on all of a
// small memory.
#include <gtest/gtest.h>

#include <memory>

#include "hal/devices/refdev/costs/cost_model.h"
#include "tests/vulkan/same_bytes.h"

namespace pianola::vulkan {
namespace {

using refdev::kBase;
using refdev::kernel;
using refdev::KernelId;
using refdev::Opcode;
using refdev::Sample;
using refdev::SmallDevice;
using refdev::Words;

constexpr std::uint64_t kMostCycles = 20'000U;  // of a launch: a bound for the test's time

// Correct launches of all kernels, those with packed weights included.
std::vector<Sample> launches() {
    std::vector<Sample> samples = refdev::sample_launches();
    const auto add_packed = [&samples](Sample sample, std::size_t layout_word) {
        sample.words.at(layout_word) = static_cast<std::uint32_t>(refdev::WeightsLayout::kDsp);
        sample.variant = "_dsp";
        samples.push_back(sample);
        sample.words.at(layout_word) = static_cast<std::uint32_t>(refdev::WeightsLayout::kMve);
        sample.variant = "_mve";
        samples.push_back(sample);
    };
    const auto first_of = [&samples](KernelId id) {
        return *std::find_if(samples.begin(), samples.end(), [id](const Sample& sample) { return sample.id == id; });
    };
    const Sample connected = first_of(KernelId::kFullyConnected);
    Sample convolution = first_of(KernelId::kConv2d);
    convolution.words.at(refdev::word_of(offsetof(refdev::Conv2dArguments, filter_channels))) = 4U;  // one group
    add_packed(connected, refdev::word_of(offsetof(refdev::FullyConnectedArguments, weights_layout)));
    add_packed(convolution, refdev::word_of(offsetof(refdev::Conv2dArguments, weights_layout)));
    return samples;
}

class Launches {
  public:
    explicit Launches(const Sample& sample, std::uint32_t seed)
        : kernel_{kernel(sample.id)}, sample_{sample}, random_{seed} {}

    // The sample, with some of its words changed as the kernel accepts them.
    Words next() {
        Words words = sample_.words;
        for (std::uint32_t attempt = random_word() % 24U; attempt > 0U; --attempt) {
            Words changed = words;
            const std::size_t word = random_() % words.size();
            if (is_address(word)) {
                // Somewhere near, or in the place of another operand.
                const std::size_t other = random_() % words.size();
                const bool moves_there = is_address(other) && ((random_() % 2U) == 0U);
                changed.at(word) = moves_there ? words.at(other) : (words.at(word) + (random_word() % 96U));
            } else {
                changed.at(word) = ((random_() % 2U) == 0U) ? random_value() : (random_word() % 9U);
            }
            words = accepted(changed) ? changed : words;
        }
        return words;
    }
    // Bytes of which many are extremes of some type.
    void fill(SmallDevice& device) {
        switch (random_() % 3U) {
            case 0U:
                device.randomise(random_);
                break;
            case 1U:
                device.randomise_with_extremes(random_, refdev::kTypeInt8);
                break;
            default:
                device.randomise_with_extremes(random_, refdev::kTypeInt32);
                break;
        }
    }

  private:
    [[nodiscard]] bool is_address(std::size_t word) const { return ((kernel_.address_words >> word) & 1U) != 0U; }
    [[nodiscard]] bool accepted(const Words& words) const {
        ExtentList extents;
        refdev::ArgumentError error;
        bool fits =
            is_ok(kernel_.describe(refdev::span_of(words), extents, error)) &&
            (error.field[0] == '\0') &&  // no output over an input
            (refdev::launch_cost(refdev::kVirtualCosts, kernel_, refdev::span_of(words), extents) <= kMostCycles);
        for (const Extent& extent : extents.view()) {
            const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
            fits = fits && (extent.address >= kBase) && (end <= (std::uint64_t{kBase} + kMemoryBytes));
        }
        return fits;
    }
    std::uint32_t random_word() { return static_cast<std::uint32_t>(random_()); }
    std::uint32_t random_value() {
        constexpr std::array<std::uint32_t, 9> kEdges{0U,           1U,           30U,          127U,        128U,
                                                      0x7FFF'FFFFU, 0x8000'0000U, 0xFFFF'FF80U, 0xFFFF'FFE1U};
        if ((random_() % 3U) == 0U) {
            return kEdges.at(random_() % kEdges.size()) + (random_word() % 3U) - 1U;
        }
        const std::uint32_t magnitude = random_word() >> (random_() % 32U);
        return ((random_() % 2U) == 0U) ? magnitude : (0U - magnitude);
    }

    const refdev::Kernel& kernel_;
    const Sample& sample_;
    std::mt19937 random_;
};

class VulkanKernels : public testing::TestWithParam<Sample> {
  protected:
    void SetUp() override {
        if (!KernelRig::has_device()) {
            GTEST_SKIP() << "no Vulkan device";
        }
    }
};

TEST_P(VulkanKernels, GiveTheBytesThatTheLibraryGives) {
    constexpr std::uint32_t kLaunches = 300U;
    KernelRig rig{kBase, kMemoryBytes};
    Launches launches{GetParam(), 47U};
    SmallDevice device{kMemoryBytes};
    for (std::uint32_t i = 0U; i < kLaunches; ++i) {
        const Words words = (i == 0U) ? GetParam().words : launches.next();
        launches.fill(device);
        expect_same(rig, GetParam(), words, device);
        if (HasFatalFailure()) {
            std::string text;
            for (const std::uint32_t word : words) {
                text += " " + std::to_string(static_cast<std::int32_t>(word));
            }
            FAIL() << "launch " << i << ":" << text;
        }
    }
}

// Operands of which a kernel reads what the bytes of another one say.
bool is_chosen_from(KernelId id, std::uint32_t operand) {
    switch (id) {
        case KernelId::kTake:
            return operand == 0U;
        case KernelId::kLookup:
        case KernelId::kSoftmaxInt16:
        case KernelId::kSigmoidInt16:
            return operand == 1U;
        case KernelId::kLstm:
            return operand == 2U;
        case KernelId::kSelect:
            return (operand == 1U) || (operand == 2U);
        default:
            return false;
    }
}

// Without a byte of an operand, or with its first byte alone where nobody knows which bytes are read.
void expect_bounds(KernelRig& rig, const Sample& sample) {
    SmallDevice device{kMemoryBytes};
    std::mt19937 random{53U};
    device.randomise(random);
    for (std::size_t i = 0U; i < device.bytes().size(); i += 3U) {
        device.bytes().at(i) = 0U;  // conditions are of both kinds
    }
    const Words command = launch_command(sample.id, sample.words);
    const std::size_t clean = rig.messages().size();
    static_cast<void>(rig.run(command, device.bytes()));
    EXPECT_EQ(rig.messages().size(), clean) << rig.messages().back();
    Program program;
    ASSERT_TRUE(is_ok(program_of(WordSpan{command.data(), command.size()}, program)));
    for (std::uint32_t i = 0U; i < program.operand_count; ++i) {
        const std::uint32_t size_bytes = program.operands.at(i).size_bytes;
        if (size_bytes <= 1U) {
            continue;
        }
        const std::size_t before = rig.messages().size();
        static_cast<void>(
            rig.run(command, device.bytes(), {i, is_chosen_from(sample.id, i) ? (size_bytes - 1U) : 1U, 0U, {}}));
        ASSERT_GT(rig.messages().size(), before) << "operand " << i;
        EXPECT_NE(rig.messages().back().find("VUID-vkCmdDispatch-None-02706"), std::string::npos)
            << rig.messages().back();
    }
}

INSTANTIATE_TEST_SUITE_P(Rom, VulkanKernels, testing::ValuesIn(launches()),
                         [](const testing::TestParamInfo<Sample>& sample) {
                             return refdev::sample_name(sample.param);
                         });

class VulkanCommands : public testing::Test {
  protected:
    static constexpr std::uint32_t kTo = kBase + 1001U;
    static constexpr std::uint32_t kFrom = kBase + 9003U;

    void SetUp() override {
        if (!KernelRig::has_device()) {
            GTEST_SKIP() << "no Vulkan device";
        }
        std::mt19937 random{59U};
        device_.randomise(random);
    }
    SmallDevice device_{kMemoryBytes};
};

TEST_F(VulkanCommands, CopiesMoveEveryByteAndNoOther) {
    KernelRig rig{kBase, kMemoryBytes};
    for (const std::uint32_t size_bytes : {1U, 2U, 63U, 64U, 65U, 1000U, 5001U}) {
        const Words command{refdev::header_word(Opcode::kCopy, refdev::kCopyWords), kTo, kFrom, size_bytes};
        const Ran ran = rig.run(command, device_.bytes());
        ASSERT_TRUE(is_ok(ran.status));
        EXPECT_EQ(ran.mark, kCopyMark);
        std::vector<std::uint8_t> expected = device_.bytes();
        std::memcpy(&expected.at(kTo - kBase), &device_.at(kFrom), size_bytes);
        EXPECT_EQ(ran.bytes, expected) << size_bytes;
    }
}

TEST_F(VulkanCommands, FillsSetEveryByteAndNoOther) {
    KernelRig rig{kBase, kMemoryBytes};
    for (const std::uint32_t size_bytes : {1U, 3U, 63U, 64U, 65U, 1000U, 5001U}) {
        const Words command{refdev::header_word(Opcode::kFill, refdev::kFillWords), kTo, size_bytes, 0xA5U};
        const Ran ran = rig.run(command, device_.bytes());
        ASSERT_TRUE(is_ok(ran.status));
        EXPECT_EQ(ran.mark, kFillMark);
        std::vector<std::uint8_t> expected = device_.bytes();
        std::memset(&expected.at(kTo - kBase), 0xA5, size_bytes);
        EXPECT_EQ(ran.bytes, expected) << size_bytes;
    }
}

// A dispatch names a core as well; what the kernel is given is the same.
TEST_F(VulkanCommands, DispatchesDoWhatLaunchesDo) {
    KernelRig rig{kBase, kMemoryBytes};
    const Words arguments = refdev::words_of(refdev::CopyArguments{kFrom, kTo, 777U});
    Words command{refdev::header_word(Opcode::kDispatch, refdev::kDispatchHeadWords + 3U), 1U,
                  static_cast<std::uint32_t>(KernelId::kCopy), 0U};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Ran dispatched = rig.run(command, device_.bytes());
    const Ran launched = rig.run(launch_command(KernelId::kCopy, arguments), device_.bytes());
    ASSERT_TRUE(is_ok(dispatched.status));
    EXPECT_EQ(dispatched.mark, launched.mark);
    EXPECT_EQ(dispatched.bytes, launched.bytes);
}

TEST(VulkanPrograms, RefuseWhatIsNoCommandOfATrace) {
    Program program;
    const auto refuses = [&program](const Words& words) {
        return program_of(WordSpan{words.data(), words.size()}, program) == Status::kRefused;
    };
    const Words copy = launch_command(KernelId::kCopy, {kBase, kBase + 64U, 64U});
    EXPECT_TRUE(is_ok(program_of(WordSpan{copy.data(), copy.size()}, program)));
    Words changed = copy;
    changed.at(1) = static_cast<std::uint32_t>(refdev::kernel_rom().size()) + 1U;
    EXPECT_TRUE(refuses(changed));
    changed = copy;
    changed.at(4) = kBase + 1U;  // the kernel refuses what overlaps
    EXPECT_TRUE(refuses(changed));
    changed = copy;
    changed.push_back(0U);
    EXPECT_TRUE(refuses(changed));
    EXPECT_TRUE(refuses({}));
    EXPECT_TRUE(refuses({refdev::header_word(Opcode::kLaunch, 1U)}));
    EXPECT_TRUE(refuses({refdev::header_word(Opcode::kBarrier, 1U)}));
    EXPECT_TRUE(refuses({refdev::header_word(Opcode::kReplay, 3U), kBase, 64U}));
    EXPECT_TRUE(refuses({refdev::header_word(Opcode::kFill, 4U), kBase, 64U, 256U}));
    EXPECT_TRUE(refuses({refdev::header_word(Opcode::kCopy, 4U), kBase, kBase + 64U, 0U}));
}

// The kernel library computes it in order of memory; invocations have none.
TEST(VulkanPrograms, RefuseAnOutputOverAnInput) {
    auto pool = refdev::sample_arguments<refdev::Pool2dArguments>(KernelId::kMaxPool2d);
    constexpr std::uint32_t kOutputBytes = 2U * 3U * 2U * 3U;
    pool.output = kBase;
    for (const std::uint32_t distance : {kOutputBytes, kOutputBytes - 1U}) {
        pool.input = pool.output + distance;
        ExtentList extents;
        refdev::ArgumentError error;
        const Words words = refdev::words_of(pool);
        ASSERT_TRUE(is_ok(kernel(KernelId::kMaxPool2d).describe({words.data(), words.size()}, extents, error)));
        const Words command = launch_command(KernelId::kMaxPool2d, words);
        Program program;
        const Status status = program_of(WordSpan{command.data(), command.size()}, program);
        EXPECT_EQ(status, (distance == kOutputBytes) ? Status::kOk : Status::kRefused);
    }
}

// A memory that is read and written is published twice, and bound once; operands in one place are bound each.
TEST(VulkanPrograms, BindAnOperandForEveryAddressWord) {
    for (const Sample& sample : refdev::sample_launches()) {
        const testing::ScopedTrace trace{__FILE__, __LINE__, refdev::sample_name(sample)};
        const Words command = launch_command(sample.id, sample.words);
        Program program;
        ASSERT_TRUE(is_ok(program_of(WordSpan{command.data(), command.size()}, program)));
        std::uint32_t operand = 0U;
        for (std::size_t word = 0U; word < sample.words.size(); ++word) {
            if (((kernel(sample.id).address_words >> word) & 1U) != 0U) {
                EXPECT_EQ(program.operands.at(operand).address, sample.words.at(word));
                EXPECT_EQ(program.operands.at(operand).size_bytes != 0U, sample.words.at(word) != 0U);
                operand += 1U;
            }
        }
        EXPECT_EQ(program.operand_count, operand);
    }
    const Words in_place = launch_command(
        KernelId::kBinary,
        refdev::words_of(refdev::BinaryArguments{kBase, kBase, kBase, 8U, refdev::kTypeInt8, refdev::BinaryOp::kAdd}));
    Program program;
    ASSERT_TRUE(is_ok(program_of(WordSpan{in_place.data(), in_place.size()}, program)));
    EXPECT_TRUE(program.operands.at(0).is_read && !program.operands.at(0).is_written);
    EXPECT_TRUE(program.operands.at(1).is_read && !program.operands.at(1).is_written);
    EXPECT_TRUE(!program.operands.at(2).is_read && program.operands.at(2).is_written);
}

// Khronos' instrumented shaders are the judge: what a kernel publishes is what its shader touches, to the last byte.
// (Packed weights end with fill, which nobody has to read.)
TEST(VulkanShaders, StayInsideTheirOperandsAndReachTheirEnds) {
    if (!KernelRig::has_device()) {
        GTEST_SKIP() << "no Vulkan device";
    }
    KernelRig rig{kBase, kMemoryBytes, Judge::kAccess};
    for (const Sample& sample : refdev::sample_launches()) {
        const testing::ScopedTrace trace{__FILE__, __LINE__, refdev::sample_name(sample)};
        expect_bounds(rig, sample);
    }
}

TEST(VulkanShaders, EveryKernelOfTheLibraryHasOne) {
    EXPECT_EQ(KernelPipelines::first_without_shader(), nullptr) << KernelPipelines::first_without_shader();
    EXPECT_EQ(KernelPipelines::count(), kHelpers + refdev::kernel_rom().size());
}

}  // namespace
}  // namespace pianola::vulkan
