// Activations that overlap: random workloads compute the same on a core's device, where outputs lie over inputs, as on
// the virtual one, where they do not; and nothing accepts an operand that is nearer than the kernel permits.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>

#include "capture_host/binary/trace_walk.h"
#include "capture_host/binary/verify.h"
#include "capture_host/capture/capture.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"

namespace pianola::capture {
namespace {

using refdev::KernelId;

struct Image3 {
    std::uint32_t height;
    std::uint32_t width;
    std::uint32_t channels;
    [[nodiscard]] std::uint32_t bytes() const { return height * width * channels; }
};

// A chain of layers over int8 images, which now and then adds an earlier image.
class RandomWorkload {
  public:
    explicit RandomWorkload(std::uint32_t seed) : random_{seed} {
        const Image3 first{pick(1U, 20U), pick(1U, 20U), pick(1U, 20U)};
        const BufferId input = recorder_.add_input({"in", {first.bytes()}, ElementType::kInt8, 0.5F, 0}, first.bytes());
        images_.emplace_back(first, recorder_.add_activation("first", first.bytes()));
        requantize(input, images_.back().second, first.bytes());
        const std::uint32_t layers = pick(3U, 8U);
        for (std::uint32_t i = 0U; i < layers; ++i) {
            add_layer();
        }
        const auto& [last, from] = images_.back();
        requantize(from, recorder_.add_output({"out", {last.bytes()}, ElementType::kInt8, 0.5F, 0}, last.bytes()),
                   last.bytes());
    }
    [[nodiscard]] const Recorder& recorder() const { return recorder_; }

  private:
    std::uint32_t pick(std::uint32_t lowest, std::uint32_t highest) {
        return lowest + static_cast<std::uint32_t>(random_() % (highest - lowest + 1U));
    }
    BufferId constant(std::uint32_t size_bytes) {
        std::vector<std::uint8_t> bytes(size_bytes);
        for (std::uint8_t& byte : bytes) {
            byte = static_cast<std::uint8_t>(random_());
        }
        return recorder_.add_constant("constant", bytes);
    }
    BufferId parameters(std::uint32_t channels) {
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t i = 0U; i < channels; ++i) {
            const refdev::ChannelParameters each{static_cast<std::int32_t>(pick(0U, 2000U)), 1 << 30, -6};
            bytes.resize(bytes.size() + sizeof(each));
            std::memcpy(&bytes[bytes.size() - sizeof(each)], &each, sizeof(each));
        }
        return recorder_.add_constant("parameters", bytes);
    }

    template <typename Arguments>
    void launch(KernelId kernel, const Arguments& arguments, std::vector<Operand> operands) {
        Launch made;
        made.label = std::to_string(recorder_.launches().size());
        made.kernel = kernel;
        made.arguments = refdev::to_words(arguments);
        made.operands = std::move(operands);
        recorder_.launch(std::move(made));
    }
    void requantize(BufferId from, BufferId to, std::uint32_t count) {
        refdev::RequantizeArguments a{};
        a.count = count;
        a.multiplier = INT32_MAX;
        launch(KernelId::kRequantize, a, {{0U, from, 0U, Access::kRead}, {1U, to, 0U, Access::kWrite}});
    }

    template <typename Arguments>
    void set_window(const Image3& from, Image3& to, Arguments& a) {
        a.batches = 1U;
        a.input_height = from.height;
        a.input_width = from.width;
        a.filter_height = pick(1U, 3U);
        a.filter_width = pick(1U, 3U);
        a.stride_height = pick(1U, 2U);
        a.stride_width = pick(1U, 2U);
        a.pad_top = pick(0U, a.filter_height - 1U);
        a.pad_left = pick(0U, a.filter_width - 1U);
        to.height = 1U + ((from.height + a.pad_top - 1U) / a.stride_height);
        to.width = 1U + ((from.width + a.pad_left - 1U) / a.stride_width);
        a.output_height = to.height;
        a.output_width = to.width;
        a.activation_min = -128;
        a.activation_max = 127;
    }
    BufferId add_image(const Image3& image) {
        images_.emplace_back(image, recorder_.add_activation("image", image.bytes()));
        return images_.back().second;
    }

    void add_layer() {
        const auto [from, input] = images_.back();
        Image3 to = from;
        switch (pick(0U, 4U)) {
            case 0U: {
                refdev::Conv2dArguments a{};
                set_window(from, to, a);
                to.channels = pick(1U, 24U);
                a.input_channels = from.channels;
                a.filter_channels = from.channels;
                a.output_channels = to.channels;
                a.dilation_height = 1U;
                a.dilation_width = 1U;
                const BufferId filter = constant(to.channels * a.filter_height * a.filter_width * from.channels);
                const BufferId channels = parameters(to.channels);
                launch(KernelId::kConv2d, a,
                       {{0U, input, 0U, Access::kRead},
                        {1U, filter, 0U, Access::kRead},
                        {2U, channels, 0U, Access::kRead},
                        {3U, add_image(to), 0U, Access::kWrite}});
                break;
            }
            case 1U: {
                refdev::DepthwiseConv2dArguments a{};
                set_window(from, to, a);
                a.depth_multiplier = (from.channels < 12U) ? pick(1U, 2U) : 1U;
                to.channels = from.channels * a.depth_multiplier;
                a.input_channels = from.channels;
                a.dilation_height = 1U;
                a.dilation_width = 1U;
                const BufferId filter = constant(to.channels * a.filter_height * a.filter_width);
                const BufferId channels = parameters(to.channels);
                launch(KernelId::kDepthwiseConv2d, a,
                       {{0U, input, 0U, Access::kRead},
                        {1U, filter, 0U, Access::kRead},
                        {2U, channels, 0U, Access::kRead},
                        {3U, add_image(to), 0U, Access::kWrite}});
                break;
            }
            case 2U: {
                refdev::Pool2dArguments a{};
                set_window(from, to, a);
                a.channels = from.channels;
                a.type = refdev::kTypeInt8;
                launch(KernelId::kMaxPool2d, a,
                       {{0U, input, 0U, Access::kRead}, {1U, add_image(to), 0U, Access::kWrite}});
                break;
            }
            case 3U: {
                refdev::PadArguments a{};
                a.dims = {1U, from.height, from.width, from.channels};
                a.before = {0U, pick(0U, 2U), pick(0U, 2U), 0U};
                a.after = {0U, pick(0U, 2U), pick(0U, 2U), 0U};
                a.element_bytes = 1U;
                to = {from.height + a.before[1] + a.after[1], from.width + a.before[2] + a.after[2], from.channels};
                launch(KernelId::kPad, a, {{0U, input, 0U, Access::kRead}, {1U, add_image(to), 0U, Access::kWrite}});
                break;
            }
            default: {
                refdev::BinaryArguments a{};
                a.count = to.bytes();
                a.type = refdev::kTypeInt8;
                a.op = refdev::BinaryOp::kMaximum;
                BufferId other = input;
                for (const auto& [image, buffer] : images_) {
                    other = (image.bytes() == to.bytes()) ? other : buffer;
                    other = (image.bytes() == to.bytes()) ? buffer : input;
                }
                launch(KernelId::kBinary, a,
                       {{0U, input, 0U, Access::kRead},
                        {1U, other, 0U, Access::kRead},
                        {2U, add_image(to), 0U, Access::kWrite}});
                break;
            }
        }
    }

    std::mt19937 random_;
    Recorder recorder_;
    std::vector<std::pair<Image3, BufferId>> images_;
};

DeviceDescription core_device(const refdev::CostModel& costs) {
    DeviceDescription device = refdev::target().with_cost_model(costs.number)->usual_device();
    device.clock_khz = 1'000'000U;
    device.core_khz = 1'000'000U;
    device.millicycles_per_instruction = 1000U;
    return device;
}

// A launch whose output overlaps its first operand: words of the trace.
struct OverlappingLaunch {
    std::size_t command;
    std::size_t size;
    std::size_t output;
};

// Of the binary's trace, whose words begin the segment.
std::vector<OverlappingLaunch> overlapping_launches(const targets::Words& words, const CommandSet& command_set) {
    std::vector<OverlappingLaunch> found;
    const targets::WalkEnd end =
        targets::for_each_command(command_set, words, [&](std::uint32_t word, const DecodedCommand& command) {
            const Span<const Extent> extents = command.extents.view();
            const bool is_launch = command.kind == CommandKind::kLaunch;
            const Extent output = is_launch ? extents[extents.size() - 1U] : Extent{};
            const Extent input = is_launch ? extents[0U] : Extent{};
            const bool is_in_place = (input.address == output.address) && (input.size_bytes == output.size_bytes);
            if (is_launch && !is_in_place && (output.address <= input.address) &&
                ((input.address - output.address) < output.size_bytes)) {
                const bool is_layer = extents.size() > 2U;  // with a filter and parameters
                found.push_back({word, command.length_words, word + refdev::kLaunchHeadWords + (is_layer ? 3U : 1U)});
            }
        });
    EXPECT_TRUE(end.is_whole() || (std::string{end.refused} == "output"));
    return found;
}

targets::Words words_of(const LinkedWorkload& workload) {
    targets::Words words(workload.manifest.traces.front().word_count);
    std::memcpy(words.data(), workload.segments.traces.data(), words.size() * sizeof(words[0]));
    return words;
}

Verdict verdict_of(const LinkedWorkload& workload, const DeviceDescription& device, const CommandSet& command_set,
                   Verification& verification) {
    const std::vector<std::uint8_t> bytes = write_trace_binary(workload.manifest, workload.segments);
    const files::AlignedBytes file{bytes};
    static_cast<void>(verification.verify(file.view(), device, command_set, kDevelopmentTrust));
    return verification.verdict;
}

constexpr std::uint32_t kSeeds = 250U;

// The seeds of WorkloadsComputeWhatTheyDoApart: `count` of them from `first` on.
struct Seeds {
    std::uint32_t first{1U};
    std::uint32_t count{kSeeds};
};

Seeds asked_seeds() {
    Seeds seeds;
    if (const char* const first = std::getenv("PIANOLA_OVERLAPPING_FIRST"); first != nullptr) {
        seeds.first = static_cast<std::uint32_t>(std::strtoul(first, nullptr, 10));
    }
    if (const char* const count = std::getenv("PIANOLA_OVERLAPPING_COUNT"); count != nullptr) {
        seeds.count = static_cast<std::uint32_t>(std::strtoul(count, nullptr, 10));
    }
    return seeds;
}

class Overlapping : public testing::Test {
  protected:
    [[nodiscard]] LinkOptions options_of(const refdev::CostModel& costs, refdev::WeightsLayout layout) const {
        LinkOptions options;
        options.spec = core_device(costs);
        options.pack = layout;
        return options;
    }
    LinkOptions core_{options_of(refdev::kCortexM7DspCosts, refdev::WeightsLayout::kDsp)};
};

TEST_F(Overlapping, WorkloadsComputeWhatTheyDoApart) {
    std::uint64_t apart_bytes = 0U;
    std::uint64_t overlapping_bytes = 0U;
    const Seeds seeds = asked_seeds();
    for (std::uint32_t seed = seeds.first; (seed - seeds.first) < seeds.count; ++seed) {
        SCOPED_TRACE(seed);
        const RandomWorkload workload{seed};
        CaptureOptions apart;
        apart.self_tests = 2U;
        const Capture captured = capture_workload(workload.recorder(), apart);
        replay::Replay virtual_device{{captured.file.data(), captured.file.size()}, refdev::target(), apart.link.spec};
        virtual_device.load();
        CaptureOptions over;
        over.link = (seed % 2U == 0U) ? core_ : options_of(refdev::kRv32imPortableCosts, refdev::WeightsLayout::kPlain);
        for (std::uint32_t vector = 1U; vector <= apart.self_tests; ++vector) {
            ExpectedInference expected{virtual_device.empty_inputs(), {}};
            fill_with_seed(vector, expected.inputs);
            expected.outputs = virtual_device.run({expected.inputs}).front();
            over.expected.push_back(expected);
        }
        const Capture overlapped = capture_workload(workload.recorder(), over);  // throws where an output differs
        EXPECT_LE(overlapped.summary.activation_bytes, captured.summary.activation_bytes);
        apart_bytes += captured.summary.activation_bytes;
        overlapping_bytes += overlapped.summary.activation_bytes;
    }
    EXPECT_LT(5U * overlapping_bytes, 4U * apart_bytes);  // a fifth less
    std::cout << seeds.count << " workloads compute what they do apart\n";
}

TEST_F(Overlapping, NearerOutputsAreRefusedByName) {
    const CommandSet& command_set = refdev::target_of(core_.spec).command_set();
    std::uint32_t mutants = 0U;
    for (std::uint32_t seed = 1U; seed <= kSeeds; ++seed) {
        const LinkedWorkload workload = link(RandomWorkload{seed}.recorder(), core_);
        const targets::Words words = words_of(workload);
        for (const OverlappingLaunch& each : overlapping_launches(words, command_set)) {
            targets::Words command{words.begin() + static_cast<std::ptrdiff_t>(each.command),
                                   words.begin() + static_cast<std::ptrdiff_t>(each.command + each.size)};
            std::uint32_t& output = command.at(each.output - each.command);
            DecodeState state;
            DecodedCommand decoded;
            DecodeError error;
            do {
                output += 1U;
            } while (is_ok(command_set.decode({command.data(), command.size()}, state, decoded, error)));
            EXPECT_STREQ(error.field, "output");
            LinkedWorkload mutant = workload;
            std::memcpy(&mutant.segments.traces.at(each.output * sizeof(output)), &output, sizeof(output));
            Verification verification;
            const Verdict verdict = verdict_of(mutant, core_.spec, command_set, verification);
            EXPECT_EQ(verdict.rule, Rule::kTrcArgument) << seed;
            EXPECT_EQ(verdict.file_offset,
                      verification.image.envelope().traces.offset + (each.output * sizeof(output)));
            mutants += 1U;
        }
    }
    EXPECT_GT(mutants, kSeeds / 2U);
}

// Even where every value leaves the kernel's distance.
TEST_F(Overlapping, AParameterMovesNoneOfThem) {
    constexpr std::uint32_t kStep = 64U;
    const CommandSet& command_set = refdev::target_of(core_.spec).command_set();
    std::uint32_t refused = 0U;
    for (std::uint32_t seed = 1U; seed <= kSeeds; ++seed) {
        LinkedWorkload workload = link(RandomWorkload{seed}.recorder(), core_);
        const targets::Words words = words_of(workload);
        for (const OverlappingLaunch& each : overlapping_launches(words, command_set)) {
            const std::uint32_t output = words.at(each.output);
            for (const std::uint32_t lowest : {output, output - kStep}) {
                workload.manifest.parameters = {{"moves",
                                                 ParameterKind::kBufferAddress,
                                                 lowest,
                                                 output,
                                                 kStep,
                                                 {{0U, static_cast<std::uint32_t>(each.output)}}}};
                Verification verification;
                const Verdict verdict = verdict_of(workload, core_.spec, command_set, verification);
                const bool moves = lowest != output;
                EXPECT_EQ(verdict.rule, moves ? Rule::kParAccepted : Rule::kAccepted) << seed;
                refused += moves ? 1U : 0U;
            }
        }
    }
    EXPECT_GT(refused, kSeeds / 2U);
}

// By the same rule: a device that executes a launch on several cores at once, and a launch on one of several cores.
TEST_F(Overlapping, DevicesWithoutAnOrderRefuseThem) {
    const refdev::RefdevCommandSet parallel{refdev::kCortexM7DspCosts, false};
    const CommandSet& in_order = refdev::target_of(core_.spec).command_set();
    std::uint32_t found = 0U;
    for (std::uint32_t seed = 1U; seed <= kSeeds; ++seed) {
        const LinkedWorkload workload = link(RandomWorkload{seed}.recorder(), core_);
        const targets::Words words = words_of(workload);
        const std::vector<OverlappingLaunch> launches = overlapping_launches(words, in_order);
        Verification verification;
        const Verdict verdict = verdict_of(workload, core_.spec, parallel, verification);
        if (launches.empty()) {
            continue;
        }
        found += 1U;
        EXPECT_EQ(verdict.rule, Rule::kTrcArgument);
        const OverlappingLaunch& first = launches.front();
        const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first.command);
        const targets::Words arguments{begin + refdev::kLaunchHeadWords,
                                       begin + static_cast<std::ptrdiff_t>(first.size)};
        const targets::Words dispatch =
            refdev::dispatch_words(0U, static_cast<KernelId>(begin[1]), arguments, refdev::kCortexM7DspCosts);
        DecodeState state;
        DecodedCommand decoded;
        DecodeError error;
        EXPECT_FALSE(is_ok(in_order.decode({dispatch.data(), dispatch.size()}, state, decoded, error)));
        EXPECT_STREQ(error.field, "output");
    }
    EXPECT_GT(found, kSeeds / 4U);
}

TEST_F(Overlapping, TheVirtualDeviceHasNone) {
    for (std::uint32_t seed = 1U; seed <= kSeeds; ++seed) {
        const LinkedWorkload workload = link(RandomWorkload{seed}.recorder(), {});
        EXPECT_TRUE(overlapping_launches(words_of(workload), refdev::target().command_set()).empty());
    }
}

}  // namespace
}  // namespace pianola::capture
