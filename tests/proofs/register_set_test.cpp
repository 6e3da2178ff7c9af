// Streams of a command set with registers and strided operands, held against what they touch, byte by byte.
#include "tests/proofs/register_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>

#include "capture_host/files/files.h"
#include "pianola/development_config.h"
#include "tests/support/random.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Words = std::vector<std::uint32_t>;

// Memory: weights, of which set-up writes the first half; an input; and what the device writes.
constexpr std::uint32_t kBase = 0x8000'0000U;
constexpr std::uint32_t kWeightsBytes = 512U;
constexpr std::uint32_t kInputBytes = 256U;
constexpr std::uint32_t kScratchBytes = 2048U;
constexpr std::uint32_t kInputBase = kBase + kWeightsBytes;
constexpr std::uint32_t kScratchBase = kInputBase + kInputBytes;
constexpr std::uint32_t kEnd = kScratchBase + kScratchBytes;
constexpr std::uint32_t kWrittenWeights = kWeightsBytes / 2U;
constexpr std::uint32_t kTraceBytes = 64U * 1024U;

DeviceDescription register_device() {
    DeviceDescription device;
    device.family = "register-engine";
    device.command_set_id = 7U;
    device.command_set_version = 1U;
    device.dram_base = kBase;
    device.dram_bytes = 1024U * 1024U;
    device.trace_region_bytes = kTraceBytes;
    device.clock_khz = 1000U;
    device.queue_count = 2U;
    device.ring_words = 64U;
    device.grid_columns = 1U;
    device.grid_rows = 1U;
    device.attestation = Attestation::kNothing;
    device.costs = CostKind::kNotPublished;
    device.weights_layout = 1U;
    device.capacities = &profiles::kDefault;
    return device;
}

// A binary that replays the streams, in order on one queue; or each on a queue of its own, behind the input.
std::vector<std::uint8_t> binary_of(const std::vector<Words>& streams, bool on_two_queues) {
    const DeviceDescription device = register_device();
    Workload workload;
    capture::Manifest& manifest = workload.manifest;
    capture::ManifestTarget& target = manifest.target;
    target.device_family = device.family;
    target.command_set_id = device.command_set_id;
    target.command_set_version = device.command_set_version;
    target.dram_base = device.dram_base;
    target.dram_bytes = device.dram_bytes;
    target.trace_region_bytes = device.trace_region_bytes;
    target.clock_khz = device.clock_khz;
    target.queue_count = device.queue_count;
    target.ring_words = device.ring_words;
    target.grid_columns = 1U;
    target.grid_rows = 1U;
    target.attestation = device.attestation;
    target.costs = device.costs;
    target.profile = CapacityProfile::kDefault;
    target.weights_layout = 1U;
    manifest.regions = {{"weights", RegionKind::kWeights, MemoryKind::kDram, kBase, kWeightsBytes},
                        {"input", RegionKind::kInput, MemoryKind::kDram, kInputBase, kInputBytes},
                        {"scratch", RegionKind::kActivation, MemoryKind::kDram, kScratchBase, kScratchBytes},
                        {"traces", RegionKind::kTrace, MemoryKind::kDram,
                         device.dram_base + device.dram_bytes - kTraceBytes, kTraceBytes}};
    manifest.buffers = {{"weights", 0U, 0U, kWrittenWeights}, {"input", 1U, 0U, kInputBytes}};
    capture::ManifestTensor input;
    input.name = "input";
    input.buffer = 1U;
    input.type = ElementType::kInt8;
    input.shape = {kInputBytes};
    manifest.inputs = {input};
    workload.segments.weights.assign(kWrittenWeights, 1U);
    capture::ManifestScript setup{ScriptKind::kSetup, {{ScriptCommandKind::kWriteBuffer, 0U, 0U, 0U}}};
    capture::ManifestScript step{ScriptKind::kStep, {{ScriptCommandKind::kWriteInput, 0U, 0U, 0U}}};
    if (on_two_queues) {
        step.commands.push_back({ScriptCommandKind::kRecordEvent, 0U, 0U, 0U});
        step.commands.push_back({ScriptCommandKind::kWaitEvent, 1U, 0U, 0U});
    }
    Words all;
    for (std::uint32_t i = 0U; i < streams.size(); ++i) {
        constexpr std::size_t kAlignmentWords = kFileAlignmentBytes / sizeof(std::uint32_t);
        all.resize(((all.size() + kAlignmentWords - 1U) / kAlignmentWords) * kAlignmentWords);
        capture::ManifestTrace trace;
        trace.name = "stream";
        trace.offset_bytes = static_cast<std::uint32_t>(all.size() * sizeof(std::uint32_t));
        trace.word_count = static_cast<std::uint32_t>(streams[i].size());
        for (std::size_t at = 0U; at < streams[i].size();) {
            at += ((streams[i][at] & kCodeMask) == kSetCode) ? 2U : 1U;
            trace.command_count += 1U;
        }
        trace.programs = {{"all", trace.command_count - 1U}};
        manifest.traces.push_back(trace);
        all.insert(all.end(), streams[i].begin(), streams[i].end());
        setup.commands.push_back({ScriptCommandKind::kLoadTrace, 0U, i, 0U});
        step.commands.push_back({ScriptCommandKind::kReplayTrace, on_two_queues ? i : 0U, i, 0U});
    }
    workload.segments.traces = bytes_of(all);
    manifest.scripts = {setup, step};
    manifest.step_deadline_us = 1000U;
    manifest.setup_deadline_us = 1000U;
    manifest.source_name = "registers";
    manifest.tool_version = "0";
    return workload.file();
}

class Streams : public testing::Test {
  protected:
    // The rule that refuses it; "accepted".
    std::string judge(const std::vector<std::uint8_t>& file) {
        const files::AlignedBytes bytes{file};
        const RegisterCommandSet command_set;
        const Status status =
            validate(bytes.view(), device_, command_set, kDevelopmentTrust, *workspace_, image_, *plan_, verdict_);
        EXPECT_EQ(status, verdict_.status);
        return is_ok(status) ? "accepted" : rule_id(verdict_.rule);
    }
    std::string judge(const std::vector<Words>& streams, bool on_two_queues = false) {
        return judge(binary_of(streams, on_two_queues));
    }

    DeviceDescription device_ = register_device();
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan_{std::make_unique<Plan>()};
    Image image_;
    Verdict verdict_;
};

// An operand, as a unit's registers have it.
struct Operand {
    std::uint32_t address{0U};
    std::uint32_t bytes{1U};
    std::uint32_t inner{1U};
    std::uint32_t inner_stride{0U};
    std::uint32_t outer{1U};
    std::uint32_t outer_stride{0U};
};

void set_operand(Words& words, std::uint32_t unit, std::uint32_t operand, const Operand& value) {
    const std::uint32_t first = (unit * kUnitRegisters) + (operand * kOperandRegisters);
    const std::array<std::uint32_t, kOperandRegisters> values{value.address,      value.bytes, value.inner,
                                                              value.inner_stride, value.outer, value.outer_stride};
    for (std::uint32_t i = 0U; i < values.size(); ++i) {
        words.push_back(kSetCode | (first + i));
        words.push_back(values.at(i));
    }
}

// One start of unit 0.
Words one_start(const Operand& first, const Operand& second, const Operand& result) {
    Words words;
    set_operand(words, 0U, 0U, first);
    set_operand(words, 0U, 1U, second);
    set_operand(words, 0U, 2U, result);
    words.push_back(kStartCode);
    words.push_back(kEndCode);
    return words;
}

constexpr Operand kAnInput{kInputBase};

TEST_F(Streams, AreAcceptedWhereEveryRunIsInside) {
    EXPECT_EQ(judge({one_start(kAnInput, {kBase, 4U, 8U, 16U, 2U, 128U}, {kScratchBase, 3U, 10U, 7U, 5U, 100U})}),
              "accepted");
}

// Between the runs lie bytes that nobody has written: a hull would be refused.
TEST_F(Streams, MayReadWhatWasWrittenRunByRun) {
    const Operand runs{kScratchBase, 4U, 8U, 16U};
    Words words = one_start(kAnInput, kAnInput, runs);
    words.pop_back();
    set_operand(words, 1U, 0U, runs);
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "accepted");
    Operand one_more = runs;
    one_more.inner += 1U;
    words.resize(words.size() - 38U);
    set_operand(words, 1U, 0U, one_more);
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "TRC-UNWRITTEN");
}

TEST_F(Streams, AreRefusedWhereTheLastRunLeavesItsRegion) {
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 4U, 4U, 20U})}), "accepted");
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 5U, 4U, 20U})}), "TRC-BOUNDS");
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, {kEnd - 64U, 4U, 2U, 20U, 3U, 40U})}), "TRC-BOUNDS");
}

TEST_F(Streams, AreRefusedWhereRunsWrapRound) {
    for (const Operand& operand :
         {Operand{kScratchBase, 4U, UINT32_MAX, UINT32_MAX}, Operand{kScratchBase, 4U, 2U, UINT32_MAX},
          Operand{kScratchBase, 4U, 1U, 0U, UINT32_MAX, UINT32_MAX},
          Operand{kScratchBase, 4U, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, Operand{kScratchBase, 0U},
          Operand{kScratchBase, 4U, 0U}, Operand{kScratchBase, 4U, 1U, 0U, 0U}, Operand{0U, UINT32_MAX, 2U, 1U}}) {
        EXPECT_EQ(judge({one_start(kAnInput, kAnInput, operand)}), "TRC-ARGUMENT");
    }
}

// More runs than the proofs look at: they stand for their hull, and none of them counts as written.
TEST_F(Streams, OfTooManyRunsTakeTheirHull) {
    const Operand many{kScratchBase, 2U, kMaxRunsPerExtent + 1U, 4U};
    EXPECT_EQ(judge({one_start(kAnInput, kAnInput, many)}), "accepted");
    Words words = one_start(kAnInput, kAnInput, many);
    words.pop_back();
    Words exact = one_start(kAnInput, kAnInput, {kScratchBase, 2U, kMaxRunsPerExtent, 4U});
    exact.pop_back();
    for (Words* const stream : {&words, &exact}) {
        set_operand(*stream, 1U, 0U, {kScratchBase, 2U});
        set_operand(*stream, 1U, 1U, kAnInput);
        set_operand(*stream, 1U, 2U, {kScratchBase + 1024U, 1U});
        stream->push_back(kStartCode | 1U);
        stream->push_back(kEndCode);
    }
    EXPECT_EQ(judge({words}), "TRC-UNWRITTEN");
    EXPECT_EQ(judge({exact}), "accepted");
}

// Any number of runs that touch are one.
TEST_F(Streams, OfRunsThatTouchAreOneRun) {
    Words words = one_start(kAnInput, kAnInput, {kScratchBase, 4U, 20U, 4U, 10U, 80U});
    words.pop_back();
    set_operand(words, 1U, 0U, {kScratchBase, 800U});
    set_operand(words, 1U, 1U, kAnInput);
    set_operand(words, 1U, 2U, {kScratchBase + 1024U, 1U});
    words.push_back(kStartCode | 1U);
    words.push_back(kEndCode);
    EXPECT_EQ(judge({words}), "accepted");
}

TEST_F(Streams, BeginWithRegistersThatHaveNoValue) {
    const Words whole = one_start(kAnInput, kAnInput, {kScratchBase, 4U});
    EXPECT_EQ(judge({whole, {kStartCode, kEndCode}}), "TRC-ARGUMENT") << "the first trace's registers are not its own";
    EXPECT_EQ(judge({whole, whole}), "accepted");
    Words without = whole;
    without.erase(without.begin() + 4, without.begin() + 6);
    EXPECT_EQ(judge({without}), "TRC-ARGUMENT");
}

// The command set calls a register's value patchable, which it is not: what later commands touch hangs on it.
TEST_F(Streams, MayNotHaveRegistersPatched) {
    Workload workload;
    const std::vector<std::uint8_t> file = binary_of({one_start(kAnInput, kAnInput, {kScratchBase, 4U})}, false);
    ASSERT_EQ(judge(file), "accepted");
    const files::AlignedBytes bytes{file};
    Image image;
    ASSERT_TRUE(is_ok(validate(bytes.view(), device_, RegisterCommandSet{}, kDevelopmentTrust, *workspace_, image,
                               *plan_, verdict_)));
    workload.manifest = capture::read_manifest(image);
    workload.segments.weights.assign(image.weights().begin(), image.weights().end());
    workload.segments.traces.assign(image.trace_segment().begin(), image.trace_segment().end());
    workload.manifest.parameters = {{"bytes", ParameterKind::kRuntimeArgument, 1U, 4U, 1U, {{0U, 27U}}}};
    EXPECT_EQ(judge(workload.file()), "PAR-ACCEPTED");
    workload.manifest.parameters[0].minimum = 4U;
    EXPECT_EQ(judge(workload.file()), "accepted") << "one value is no change";
}

// ---- random streams

class StreamMaker {
  public:
    explicit StreamMaker(Random& random) : random_{random} {}

    Words make() {
        Words words;
        const std::uint32_t starts = 1U + random_.below(6U);
        for (std::uint32_t i = 0U; i < starts; ++i) {
            const std::uint32_t unit = random_.below(kUnits);
            for (std::uint32_t operand = 0U; operand < kOperands; ++operand) {
                if (random_.below(20U) != 0U) {  // else with what the unit has from before, if it has
                    set_operand(words, unit, operand, make_operand(operand == (kOperands - 1U)));
                }
            }
            words.push_back(kStartCode | unit);
        }
        words.push_back(kEndCode);
        return words;
    }

  private:
    Operand make_operand(bool writes) {
        Operand operand;
        operand.bytes = 1U + random_.below(24U);
        operand.inner = 1U + random_.below(random_.below(8U) == 0U ? 40U : 6U);
        operand.inner_stride = random_.below(48U);
        operand.outer = 1U + random_.below(4U);
        operand.outer_stride = random_.below(200U);
        const std::uint32_t length = static_cast<std::uint32_t>(hull_bytes({0U,
                                                                            operand.bytes,
                                                                            Access::kRead,
                                                                            "",
                                                                            {operand.inner, operand.inner_stride},
                                                                            {operand.outer, operand.outer_stride}}));
        // Mostly where it may lie, and of what has been written before.
        const bool anywhere = random_.below(40U) == 0U;
        if (!writes && !anywhere && !written_.empty() && (random_.below(3U) == 0U)) {
            return written_[random_.below(static_cast<std::uint32_t>(written_.size()))];
        }
        const std::uint32_t base = writes ? kScratchBase : ((random_.below(2U) == 0U) ? kBase : kInputBase);
        const std::uint32_t room = writes ? kScratchBytes : kInputBytes;
        if (!anywhere && (length <= room)) {
            operand.address = base + random_.below(room - length + 1U);
        } else if (anywhere) {
            operand.address = kBase - 64U + random_.below((kEnd - kBase) + 128U);
        } else {
            operand = Operand{base, 1U + random_.below(64U)};
        }
        if (writes) {
            written_.push_back(operand);
        }
        return operand;
    }

    Random& random_;
    std::vector<Operand> written_;
};

// Whether the streams, one after the other, touch only what they may, and read only what was written.
bool is_safe(const std::vector<Accesses>& streams) {
    std::vector<bool> written(kEnd - kBase, false);
    std::fill_n(written.begin(), kWrittenWeights, true);
    std::fill_n(written.begin() + (kInputBase - kBase), kInputBytes, true);
    for (const Accesses& accesses : streams) {
        if (!accesses.is_whole) {
            return false;
        }
        for (const ByteAccess& byte : accesses.bytes) {
            if ((byte.address < kBase) || (byte.address >= kEnd) || (byte.writes && (byte.address < kScratchBase)) ||
                (!byte.writes && !written[byte.address - kBase])) {
                return false;
            }
            written[byte.address - kBase] = written[byte.address - kBase] || byte.writes;
        }
    }
    return true;
}

bool conflict(const Accesses& one, const Accesses& other) {
    std::map<std::uint32_t, bool> first;  // whether it writes
    for (const ByteAccess& byte : one.bytes) {
        first[byte.address] = first[byte.address] || byte.writes;
    }
    return std::any_of(other.bytes.begin(), other.bytes.end(), [&first](const ByteAccess& byte) {
        const auto found = first.find(byte.address);
        return (found != first.end()) && (byte.writes || found->second);
    });
}

TEST_F(Streams, ThatAreAcceptedTouchNoByteOutside) {
    constexpr std::uint32_t kStreams = 20'000U;
    Random random{20U};
    std::uint32_t accepted = 0U;
    std::uint32_t safe = 0U;
    std::uint32_t refused_although_safe = 0U;
    std::map<std::string, std::uint32_t> rules;
    for (std::uint32_t i = 0U; i < kStreams; ++i) {
        StreamMaker maker{random};
        std::vector<Words> streams{maker.make()};
        const bool on_two_queues = random.below(4U) == 0U;
        if (on_two_queues) {
            StreamMaker of_its_own{random};
            streams.push_back(of_its_own.make());
        }
        if (random.below(20U) == 0U) {  // any word, changed in any way
            Words& words = streams.back();
            words[random.below(static_cast<std::uint32_t>(words.size()))] ^= 1U << random.below(32U);
        }
        std::vector<Accesses> accesses;
        for (const Words& words : streams) {
            accesses.push_back(run_registers(words));
        }
        const bool is_right = is_safe(accesses) && (!on_two_queues || !conflict(accesses.front(), accesses.back()));
        const std::string verdict = judge(streams, on_two_queues);
        rules[verdict] += 1U;
        accepted += (verdict == "accepted") ? 1U : 0U;
        safe += is_right ? 1U : 0U;
        refused_although_safe += (is_right && (verdict != "accepted")) ? 1U : 0U;
        ASSERT_TRUE(is_right || (verdict != "accepted")) << "stream " << i;
    }
    std::string text;
    for (const auto& [rule, count] : rules) {
        text += rule + " " + std::to_string(count) + ", ";
    }
    std::cout << "accepted " << accepted << " of " << safe << " safe streams of " << kStreams
              << "; refused although safe " << refused_although_safe << "; " << text << '\n';
    RecordProperty("safe", static_cast<int>(safe));
    RecordProperty("refused_although_safe", static_cast<int>(refused_although_safe));
    // It is about something: many are safe, many are not, and few of the safe ones are refused.
    EXPECT_GT(accepted, kStreams / 4U);
    EXPECT_GT(kStreams - safe, kStreams / 10U);
    EXPECT_LT(refused_although_safe, safe / 20U);
    for (const char* const rule : {"TRC-UNWRITTEN", "TRC-BOUNDS", "TRC-PERMISSION", "TRC-ARGUMENT", "ORD-RACE"}) {
        EXPECT_GT(rules[rule], 0U) << rule;
    }
}

}  // namespace
}  // namespace pianola::test
