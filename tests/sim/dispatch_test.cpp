// DISPATCH: kernels on cores of their own, in virtual time against arithmetic, in results against LAUNCH.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"

namespace pianola::sim {
namespace {

using refdev::header_word;
using refdev::Opcode;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kDataRegionBytes = 256U;
constexpr std::uint32_t kElements = 16U;
constexpr std::uint32_t kArguments = refdev::kArgumentWords<refdev::RequantizeArguments>;
const auto kRequantize = static_cast<std::uint32_t>(refdev::KernelId::kRequantize);
constexpr std::uint32_t kPublishedCost = 64U + 2U + 4U;  // 16 x 2 operations, 16 at a time, and 32 bytes, 8 at a time
constexpr std::uint64_t kQueueCycles = 16U;              // docs/reference/device.md: every command

// A kernel that doubles 16 bytes. The device takes the cost as it is written, the command set does not.
Words requantize(std::uint32_t input, std::uint32_t output) {
    const refdev::RequantizeArguments arguments{input, output, kElements, 0, 1 << 30, 2, 0};
    Words words(kArguments);
    std::memcpy(words.data(), &arguments, sizeof(arguments));
    return words;
}

Words joined(Words head, const Words& tail) {
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

Words dispatch(std::uint32_t core, std::uint32_t cost_cycles, const Words& arguments) {
    return joined({header_word(Opcode::kDispatch, 4U + kArguments), core, kRequantize, cost_cycles}, arguments);
}

Words launch(std::uint32_t cost_cycles, const Words& arguments) {
    return joined({header_word(Opcode::kLaunch, 3U + kArguments), kRequantize, cost_cycles}, arguments);
}

const Words kBarrier{header_word(Opcode::kBarrier, 1U)};
const Words kEnd{header_word(Opcode::kEnd, 1U)};

class Dispatch : public testing::Test {
  protected:
    explicit Dispatch(bool check_accesses = true, const refdev::CostModel& costs = refdev::kVirtualCosts)
        : device_{options(check_accesses, costs)} {
        restart();
    }

    void restart() {
        ASSERT_EQ(device_.reset(), Status::kOk);
        RegionConfig data;
        data.base = spec_.l1_base;
        data.size_bytes = kDataRegionBytes;
        data.kernels_read = data.kernels_write = true;
        RegionConfig trace;
        trace.base = trace_base();
        trace.size_bytes = spec_.trace_region_bytes;
        trace.queues_write = trace.fetch = true;
        ASSERT_EQ(device_.program_region(data), Status::kOk);
        ASSERT_EQ(device_.program_region(trace), Status::kOk);
        device_.clear_log();
    }
    static SimOptions options(bool check_accesses, const refdev::CostModel& costs) {
        SimOptions options;
        options.spec.cost_model = &costs;
        options.keep_log = true;
        options.check_accesses = check_accesses;
        return options;
    }
    [[nodiscard]] std::uint32_t trace_base() const {
        return spec_.dram_base + spec_.dram_bytes - spec_.trace_region_bytes;
    }
    [[nodiscard]] Words doubling() const { return requantize(spec_.l1_base, spec_.l1_base + 128U); }

    // Runs a trace that lies in the trace region already; the log then holds replay, trace and notify.
    Completion run(const Words& trace) {
        const auto size_bytes = static_cast<std::uint32_t>(trace.size() * sizeof(std::uint32_t));
        std::uint8_t* const memory = device_.memory_at(trace_base(), size_bytes);
        std::memcpy(memory, trace.data(), size_bytes);
        device_.give_to_device({memory, size_bytes});  // tells the checker of accesses that the test has written
        device_.clear_log();
        QueueCommand replay;
        replay.kind = QueueCommandKind::kReplay;
        replay.address = trace_base();
        replay.size_bytes = size_bytes;
        QueueCommand notify;
        notify.kind = QueueCommandKind::kNotify;
        notify.value = ++token_;
        EXPECT_EQ(device_.append(0U, replay), Status::kOk);
        EXPECT_EQ(device_.append(0U, notify), Status::kOk);
        EXPECT_EQ(device_.ring_doorbell(0U), Status::kOk);
        EXPECT_EQ(device_.service(), Status::kOk);
        Completion completion;
        (void)device_.completion(0U, token_, completion);
        return completion;
    }

    refdev::DeviceSpec spec_;
    SimDevice device_;
    std::uint32_t token_{0U};
};

// With costs that are not the published ones: the device takes them, and the checker refuses them.
class DispatchAtAnyCost : public Dispatch {
  protected:
    DispatchAtAnyCost() : Dispatch{false} {}
};

// A device whose core executes dispatches itself.
class DispatchOfACore : public Dispatch {
  protected:
    DispatchOfACore() : Dispatch{false, refdev::kCortexM7DspCosts} {}
};

TEST_F(DispatchOfACore, TwoDispatchesTakeTheirSum) {
    const refdev::CommandCosts& costs = refdev::kCortexM7DspCosts.commands;
    constexpr std::uint32_t kFirst = 5000U;
    constexpr std::uint32_t kSecond = 700U;
    const Words both = joined(dispatch(0U, kFirst, doubling()), dispatch(1U, kSecond, doubling()));
    const Completion completion = run(joined(both, kEnd));
    ASSERT_EQ(completion.fault, DeviceFault::kNone);
    const std::vector<refdev::ExecutedCommand>& log = device_.log(0U);
    ASSERT_EQ(log.size(), 5U);  // replay, two dispatches, end, notify
    const std::uint64_t start = log[0].end_cycles;
    const std::uint64_t front = std::uint64_t{costs.launch} + costs.dispatch;
    EXPECT_EQ(log[1].end_cycles, start + front + kFirst);
    EXPECT_EQ(log[2].end_cycles, start + (2U * front) + kFirst + kSecond);
    EXPECT_EQ(log[3].end_cycles, log[2].end_cycles + costs.end);
    EXPECT_EQ(completion.time_cycles, log[3].end_cycles + costs.notify);
}

TEST_F(Dispatch, RunsTheKernel) {
    std::uint8_t* const input = device_.memory_at(spec_.l1_base, kElements);
    std::vector<std::uint8_t> expected;
    for (std::uint8_t i = 0U; i < kElements; ++i) {
        input[i] = i;
        expected.push_back(static_cast<std::uint8_t>(2U * i));
    }
    EXPECT_EQ(run(joined(dispatch(3U, kPublishedCost, doubling()), kEnd)).fault, DeviceFault::kNone);
    std::vector<std::uint8_t> output(kElements);
    ASSERT_EQ(device_.read_back(spec_.l1_base + 128U, {output.data(), output.size()}), Status::kOk);
    EXPECT_EQ(output, expected);
    EXPECT_EQ(device_.access_violations(), 0U);
}

// To the checker a command that it cannot decode may touch nothing: it looks at dispatches as it looks at launches. In
// a process of its own, which AddressSanitizer ends at the first byte, where there is one.
TEST_F(Dispatch, AccessesAreChecked) {
    EXPECT_EXIT(
        {
            *device_.memory_at(spec_.l1_base, 1U) = 1U;
            (void)run(joined(dispatch(3U, kPublishedCost + 1U, doubling()), kEnd));
            std::cerr << "violations: " << device_.access_violations() << "." << std::flush;
            std::_Exit(1);
        },
        testing::ExitedWithCode(1), "use-after-poison|violations: 1\\.");
}

TEST_F(DispatchAtAnyCost, CoresRunSideBySideAndOneCoreInOrder) {
    Words trace = dispatch(0U, 1000U, doubling());
    trace = joined(trace, dispatch(1U, 100U, doubling()));
    trace = joined(trace, dispatch(0U, 50U, doubling()));
    trace = joined(trace, kEnd);
    const Completion completion = run(trace);
    const std::vector<refdev::ExecutedCommand>& log = device_.log(0U);
    ASSERT_EQ(log.size(), 6U);  // replay, three dispatches, end, notify
    const std::uint64_t start = log[0].end_cycles;
    EXPECT_EQ(log[1].core, 0U);
    EXPECT_EQ(log[1].start_cycles, start + 16U);
    EXPECT_EQ(log[1].end_cycles, start + 1016U);
    EXPECT_EQ(log[2].core, 1U);
    EXPECT_EQ(log[2].start_cycles, start + 32U);
    EXPECT_EQ(log[2].end_cycles, start + 132U);
    EXPECT_EQ(log[3].core, 0U);
    EXPECT_EQ(log[3].start_cycles, start + 1016U);
    EXPECT_EQ(log[3].end_cycles, start + 1066U);
    EXPECT_EQ(log[3].kernel_id, kRequantize);
    EXPECT_EQ(log[4].core, refdev::kNoCore);
    EXPECT_EQ(log[4].start_cycles, start + 48U);  // the end waits for all cores
    EXPECT_EQ(log[4].end_cycles, start + 1066U + 16U);
    EXPECT_EQ(completion.time_cycles, start + 1066U + 16U + 16U);
}

// Random traces against the rule of docs/reference/device.md, word by word. One device, so that a trace meets what
// earlier ones have left.
TEST_F(DispatchAtAnyCost, TimeFollowsTheRule) {
    std::mt19937 random{29U};
    std::uint32_t waits = 0U;
    for (std::uint32_t round = 0U; round < 100U; ++round) {
        if ((round % 20U) == 19U) {
            restart();
        }
        Words trace;
        std::vector<std::uint64_t> core_free(kMaxCores, 0U);
        std::vector<std::pair<std::uint64_t, std::uint64_t>> expected;
        std::uint64_t time = 0U;  // since the end of the replay command
        const auto join = [&] {
            const std::uint64_t all = *std::max_element(core_free.begin(), core_free.end());
            waits += (all > time) ? 1U : 0U;
            time = std::max(time, all);
        };
        const auto on_queue = [&](std::uint64_t cycles) {
            const std::uint64_t began = time;  // its length shows how long it waits
            join();
            time += kQueueCycles + cycles;
            expected.emplace_back(began, time);
        };
        const std::uint32_t cores = 1U + static_cast<std::uint32_t>(random() % kMaxCores);
        for (std::uint32_t i = 0U; i < 40U; ++i) {
            const auto cost = static_cast<std::uint32_t>(random() % 400U);
            switch (random() % 10U) {
                case 0U:
                    trace = joined(trace, launch(cost, doubling()));
                    on_queue(cost);
                    break;
                case 1U:
                    trace = joined(trace, kBarrier);
                    on_queue(0U);
                    break;
                case 2U:
                    trace = joined(trace, {header_word(Opcode::kFill, 4U), spec_.l1_base, 20U, 1U});
                    on_queue(64U + 3U);
                    break;
                case 3U:
                    trace = joined(trace, {header_word(Opcode::kCopy, 4U), spec_.l1_base + 64U, spec_.l1_base, 32U});
                    on_queue(64U + 4U);
                    break;
                default: {
                    const auto core = static_cast<std::uint32_t>(random() % cores);
                    trace = joined(trace, dispatch(core, cost, doubling()));
                    time += kQueueCycles;
                    const std::uint64_t start = std::max(core_free.at(core), time);
                    core_free.at(core) = start + cost;
                    expected.emplace_back(start, start + cost);
                    break;
                }
            }
        }
        trace = joined(trace, kEnd);
        on_queue(0U);
        const Completion completion = run(trace);
        ASSERT_EQ(completion.fault, DeviceFault::kNone);
        const std::vector<refdev::ExecutedCommand>& log = device_.log(0U);
        ASSERT_EQ(log.size(), expected.size() + 2U);
        const std::uint64_t origin = log[0].end_cycles;
        for (std::size_t i = 0U; i < expected.size(); ++i) {
            ASSERT_EQ(log[i + 1U].start_cycles - origin, expected[i].first) << round << " " << i;
            ASSERT_EQ(log[i + 1U].end_cycles - origin, expected[i].second) << round << " " << i;
        }
        ASSERT_EQ(completion.time_cycles - origin, time + kQueueCycles);
    }
    EXPECT_GT(waits, 100U);
}

// FNV-1a over the words that docs/reference/device.md names.
std::uint64_t chained(std::uint64_t digest, const Words& words) {
    for (const std::uint32_t word : words) {
        digest = (digest ^ word) * 0x100000001B3U;
    }
    return digest;
}

TEST_F(DispatchAtAnyCost, TheDigestCoversTheCoreAndEveryWordOfTheQueue) {
    const auto expected = [this](std::uint32_t core, std::uint32_t bytes) {
        const std::uint64_t trace =
            chained(0U, {header_word(Opcode::kDispatch, 4U + kArguments), kRequantize, core, kEnd[0]});
        const std::uint64_t replayed =
            chained(0U, {header_word(Opcode::kReplay, 3U), trace_base(), bytes, static_cast<std::uint32_t>(trace),
                         static_cast<std::uint32_t>(trace >> 32U)});
        return chained(replayed, {header_word(Opcode::kNotify, 2U), token_});
    };
    for (const std::uint32_t core : {0U, 1U, 3U}) {
        restart();
        const Words trace = joined(dispatch(core, 9U, doubling()), kEnd);
        const std::uint64_t digest = run(trace).digest;  // takes the next token
        EXPECT_EQ(digest, expected(core, static_cast<std::uint32_t>(4U * trace.size()))) << core;
    }
}

TEST_F(DispatchAtAnyCost, WhatIsOutsideTheContractIsAFault) {
    const auto fault_of = [this](const Words& trace) {
        restart();
        const DeviceFault fault = run(joined(trace, kEnd)).fault;
        EXPECT_EQ(device_.log(0U).back().core, refdev::kNoCore);
        return fault;
    };
    EXPECT_EQ(fault_of(dispatch(kMaxCores, 9U, doubling())), DeviceFault::kBadArgument);
    EXPECT_EQ(fault_of(dispatch(UINT32_MAX, 9U, doubling())), DeviceFault::kBadArgument);
    EXPECT_EQ(device_.log(0U).back().digest, 0U) << "no kernel ran, not even a little";
    EXPECT_EQ(fault_of({header_word(Opcode::kDispatch, 3U), 0U, kRequantize}), DeviceFault::kUnknownCommand);
    Words unknown = dispatch(0U, 9U, doubling());
    unknown[2] = 0U;
    EXPECT_EQ(fault_of(unknown), DeviceFault::kUnknownKernel);
    Words short_by_one = dispatch(0U, 9U, doubling());
    short_by_one.pop_back();
    short_by_one[0] = header_word(Opcode::kDispatch, 3U + kArguments);
    EXPECT_EQ(fault_of(short_by_one), DeviceFault::kUnknownCommand);
    EXPECT_EQ(fault_of(dispatch(0U, 9U, requantize(spec_.l1_base, spec_.l1_base + 1U))), DeviceFault::kBadArgument);
    EXPECT_EQ(fault_of(dispatch(0U, 9U, requantize(spec_.l1_base, spec_.l1_base + kDataRegionBytes))),
              DeviceFault::kBus);
}

TEST_F(Dispatch, NoQueueCommand) {
    Words words = dispatch(0U, 9U, doubling());
    const auto shared = std::make_unique<refdev::QueueMemory>();
    refdev::EventFile events;
    const refdev::DeviceMemory memory;
    const refdev::HostMemory host;
    refdev::CommandProcessor processor{0U, *shared, events, memory, host, nullptr};
    words.resize(4U);
    words[0] = header_word(Opcode::kDispatch, 4U);
    std::copy(words.begin(), words.end(), shared->ring.begin());
    shared->published.store(4U);
    EXPECT_EQ(processor.step(), refdev::Progress::kStopped);
    EXPECT_EQ(shared->fault.fault, DeviceFault::kUnknownCommand);
}

class DecodeDispatch : public testing::Test {
  protected:
    Status decode(const Words& words) { return set_.decode({words.data(), words.size()}, state_, command_, error_); }
    refdev::RefdevCommandSet set_;
    DecodeState state_;
    DecodedCommand command_;
    DecodeError error_;
    Words good_ = joined(dispatch(5U, kPublishedCost, requantize(4096U, 8192U)), kEnd);
};

TEST_F(DecodeDispatch, SaysWhatItDoesToQueueAndCore) {
    ASSERT_EQ(decode(good_), Status::kOk) << error_.field;
    EXPECT_EQ(command_.kind, CommandKind::kDispatch);
    EXPECT_EQ(command_.length_words, 4U + kArguments);
    EXPECT_EQ(command_.kernel_id, kRequantize);
    EXPECT_EQ(command_.core, 5U);
    EXPECT_EQ(command_.cost_cycles, 16U);
    EXPECT_EQ(command_.core_cycles, kPublishedCost);
    ASSERT_EQ(command_.extents.view().size(), 2U);
    EXPECT_EQ(command_.extents.view()[1].address, 8192U);
    EXPECT_EQ(command_.extents.view()[1].size_bytes, kElements);
    EXPECT_EQ(command_.extents.view()[1].access, Access::kWrite);
}

// 2^44 products of operands of 1 GiB each, as a core executes them: 2^62 instructions, which no cost word says.
TEST_F(DecodeDispatch, WhatTakesTooManyTurnsIsRefused) {
    constexpr std::uint32_t kGibibyte = 1U << 30U;
    const refdev::MatmulArguments large{0U,        kGibibyte, 2U * kGibibyte,    1U << 14U,
                                        1U << 16U, 1U << 14U, refdev::kTypeInt8, 0U};
    Words arguments(refdev::kArgumentWords<refdev::MatmulArguments>);
    std::memcpy(arguments.data(), &large, sizeof(large));
    const refdev::RefdevCommandSet set{refdev::kCortexM7DspCosts};
    for (const std::uint32_t cost : {0U, 1U << 30U, UINT32_MAX}) {
        const Words words = joined({header_word(Opcode::kLaunch, 3U + static_cast<std::uint32_t>(arguments.size())),
                                    static_cast<std::uint32_t>(refdev::KernelId::kMatmul), cost},
                                   arguments);
        EXPECT_EQ(set.decode({words.data(), words.size()}, state_, command_, error_), Status::kRefused);
        EXPECT_STREQ(error_.field, "cost_cycles");
    }
}

TEST_F(DecodeDispatch, ALaunchTakesNothingOfACore) {
    ASSERT_EQ(decode(launch(kPublishedCost, requantize(4096U, 8192U))), Status::kOk);
    EXPECT_EQ(command_.kind, CommandKind::kLaunch);
    EXPECT_EQ(command_.cost_cycles, 16U + kPublishedCost);
    EXPECT_EQ(command_.core_cycles, 0U);
    EXPECT_EQ(command_.core, 0U);
}

TEST_F(DecodeDispatch, ErrorsNameTheirWord) {
    struct Change {
        std::size_t word;
        std::uint32_t value;
        const char* field;
    };
    for (const Change& change :
         {Change{1U, kMaxCores, "core"}, Change{2U, 0xFFFFU, "kernel"}, Change{3U, kPublishedCost + 1U, "cost_cycles"},
          Change{4U + 1U, 4097U, "output"}, Change{4U + 2U, 0U, "count"}, Change{4U + 5U, 31U, "shift"}}) {
        Words words = good_;
        words.at(change.word) = change.value;
        ASSERT_EQ(decode(words), Status::kRefused) << change.field;
        EXPECT_STREQ(error_.field, change.field);
        EXPECT_EQ(error_.word, change.word);
        EXPECT_FALSE(error_.unknown_command);
        EXPECT_EQ(error_.unknown_kernel, change.word == 2U);
    }
    Words last_core = good_;
    last_core[1] = kMaxCores - 1U;
    EXPECT_EQ(decode(last_core), Status::kOk);
}

TEST_F(DecodeDispatch, WrongLengthsAreNoCommand) {
    for (std::uint32_t length = 0U; length < 4U + kArguments; ++length) {
        Words words = good_;
        words[0] = header_word(Opcode::kDispatch, length);
        ASSERT_EQ(decode(words), Status::kRefused);
        EXPECT_TRUE(error_.unknown_command);
    }
}

TEST(Grid, CoresShareL1AndBanksShareDram) {
    refdev::DeviceSpec spec;
    spec.l1_base = 0x1000'0000U;
    spec.l1_bytes = 6U * 640U;
    spec.grid_columns = 3U;
    spec.grid_rows = 2U;
    spec.dram_base = 0x8000'0400U;
    spec.dram_banks = 3U;
    EXPECT_EQ(refdev::core_count(spec), 6U);
    EXPECT_EQ(refdev::core_l1_bytes(spec), 640U);
    EXPECT_EQ(refdev::core_l1_base(spec, 0U), 0x1000'0000U);
    EXPECT_EQ(refdev::core_l1_base(spec, 5U), 0x1000'0000U + 3200U);
    EXPECT_EQ(refdev::bank_of(spec, 0x8000'0400U), 0U);
    EXPECT_EQ(refdev::bank_of(spec, 0x8000'07FFU), 0U);
    EXPECT_EQ(refdev::bank_of(spec, 0x8000'0800U), 1U);
    EXPECT_EQ(refdev::bank_of(spec, 0x8000'0400U + (3U * 1024U)), 0U);
    DeviceDescription description;
    refdev::describe(spec, description);
    EXPECT_EQ(description.grid_columns, 3U);
    EXPECT_EQ(description.grid_rows, 2U);
    EXPECT_EQ(description.dram_banks, 3U);
}

TEST(Grid, TheDefaultIsTwoByTwoCoresAndFourBanks) {
    const refdev::DeviceSpec spec;
    EXPECT_EQ(refdev::core_count(spec), 4U);
    EXPECT_EQ(refdev::core_l1_bytes(spec), 64U * 1024U);
    EXPECT_EQ(spec.dram_banks, 4U);
}

}  // namespace
}  // namespace pianola::sim
