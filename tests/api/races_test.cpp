// Races between queues, outside of captures: what is reported, and how.
#include <fmt/format.h>

#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Program;
using host::TraceId;

class TwoQueues : public ::testing::Test {
  protected:
    [[nodiscard]] static std::shared_ptr<host::Device> open(host::Races races) {
        host::DeviceOptions options = small_device(2U);
        options.races = races;
        return host::open_device(options);
    }

    std::shared_ptr<host::Device> device_{open(host::Races::kRaise)};
    BufferPtr input_{device_->allocate(flat(kBufferBytes))};
    BufferPtr output_{device_->allocate(flat(kBufferBytes))};
    Program program_{constant_program(input_, output_, 1)};
    Bytes data_{pattern(kBufferBytes, 1U)};
};
using Races = TwoQueues;

TEST_F(Races, AreRefusedWithBothCallsTheBytesAndTheMissingEvent) {
    device_->enqueue_write(1U, input_, view(data_));
    const std::string address =
        fmt::format("reads 64 bytes at 0x{:08X} of buffer {}", input_->address(), input_->id().value);
    expect_rule(HostRule::kRace, address, [&] { device_->enqueue_program(0U, program_); });
    expect_rule(HostRule::kRace,
                fmt::format("program 'add constant' on queue 0 {}, which the write of buffer {} on queue 1 writes, and "
                            "nothing puts one of them first. Record an event on queue 1 after the latter and wait for "
                            "it on queue 0 before the former",
                            address, input_->id().value),
                [&] { device_->enqueue_program(0U, program_); });
    // As the message says.
    const host::EventId event = device_->create_event();
    device_->record_event(1U, event);
    device_->wait_for_event(0U, event);
    device_->enqueue_program(0U, program_);
    EXPECT_EQ(read(*device_, output_), plus(data_, 1));
}

TEST_F(Races, ReadsOfTheSameBytesAreNone) {
    device_->enqueue_write(0U, input_, view(data_), true);
    const host::ReadHandle first = device_->enqueue_read(0U, input_);
    const host::ReadHandle second = device_->enqueue_read(1U, input_);
    EXPECT_EQ(first.data(), second.data());
}

TEST_F(Races, WhatTheHostHasSeenIsOver) {
    device_->enqueue_write(1U, input_, view(data_));
    device_->finish(1U);
    device_->enqueue_program(0U, program_);
    const host::ReadHandle result = device_->enqueue_read(0U, output_);
    const host::EventId event = device_->create_event();
    device_->record_event(0U, event);
    expect_rule(HostRule::kRace, "which program 'add constant'",
                [&] { device_->enqueue_write(1U, output_, view(data_)); });
    EXPECT_EQ(result.data(), plus(data_, 1));
    device_->enqueue_write(1U, output_, view(data_));
    expect_rule(HostRule::kRace, "the write of buffer", [&] { device_->enqueue_program(0U, program_); });
    device_->synchronize();
    device_->enqueue_program(0U, program_);
}

TEST_F(Races, OfTracesAreThoseOfTheirCommands) {
    const TraceId trace = captured(*device_, {&program_});
    device_->enqueue_write(1U, input_, view(data_));
    expect_rule(HostRule::kRace, fmt::format("trace {} on queue 0 reads 64 bytes", trace.value),
                [&] { device_->execute_trace(0U, trace); });
    device_->finish(1U);
    device_->execute_trace(0U, trace);
    expect_rule(HostRule::kRace, "which trace", [&] { (void)device_->enqueue_read(1U, output_); });
    device_->enqueue_write(1U, device_->allocate(flat(kBufferBytes)), view(data_));  // elsewhere
}

// An operand that a parameter has moved is where it is now, and no more where it was.
// The library waits by itself where a trace changes its queue, and when it is released; the program has not.
TEST_F(Races, AreNotHiddenByTheLibrarysOwnWaits) {
    const TraceId trace = captured(*device_, {&program_}, 0U);
    device_->enqueue_write(0U, input_, view(data_));
    expect_rule(HostRule::kRace, "", [&] { device_->execute_trace(1U, trace); });
    device_->execute_trace(0U, trace);
    expect_rule(HostRule::kRace, "", [&] { device_->execute_trace(1U, trace); });
    device_->release_trace(trace);
    expect_rule(HostRule::kRace, "", [&] { (void)device_->enqueue_read(1U, output_); });
    device_->finish(0U);
    (void)device_->enqueue_read(1U, output_);
}

TEST_F(Races, AParameterMovesWhatATraceTouches) {
    const BufferPtr other = device_->allocate(flat(kBufferBytes));
    const TraceId trace = captured(*device_, {&program_});
    device_->declare_parameter(trace, {"output", host::TraceParameterKind::kBufferAddress, output_->address(),
                                       other->address(), kBufferBytes, device_->address_words(trace, output_)});
    device_->enqueue_write(0U, input_, view(data_), true);
    device_->execute_trace(0U, trace, true);
    device_->set_parameter(trace, "output", other->address());
    device_->execute_trace(0U, trace);
    EXPECT_EQ(read(*device_, output_, 1U), plus(data_, 1));
    expect_rule(HostRule::kRace, "which trace", [&] { (void)device_->enqueue_read(1U, other); });
}

TEST_F(Races, AWarningNamesTheSameTwoOnce) {
    const auto device = open(host::Races::kWarn);
    const BufferPtr buffer = device->allocate(flat(kBufferBytes));
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        device->enqueue_write(1U, buffer, view(data_));
        (void)device->enqueue_read(0U, buffer);
    }
    const std::vector<std::string> warnings = device->warnings();
    ASSERT_EQ(warnings.size(), 2U);  // the write against the read, and the next write against that
    EXPECT_EQ(warnings[0].find("API-RACE: the read of buffer"), 0U) << warnings[0];
    EXPECT_EQ(warnings[1].find("API-RACE: the write of buffer"), 0U) << warnings[1];
}

TEST_F(Races, MayBeLeftToTheProgram) {
    const auto device = open(host::Races::kOff);
    const BufferPtr buffer = device->allocate(flat(kBufferBytes));
    device->enqueue_write(1U, buffer, view(data_));
    EXPECT_EQ(read(*device, buffer), data_);
    EXPECT_TRUE(device->warnings().empty());
}

TEST_F(Races, NameWhereTheProgramCalls) {
    host::DeviceOptions options = small_device(2U);
    std::uint32_t line = 0U;
    options.call_site = [&line] { return fmt::format("serve.cpp:{}", line); };
    const auto device = host::open_device(options);
    const BufferPtr buffer = device->allocate(flat(kBufferBytes));
    line = 7U;
    device->enqueue_write(1U, buffer, view(data_));
    line = 8U;
    expect_rule(HostRule::kRace, "on queue 0 (serve.cpp:8) reads", [&] { (void)device->enqueue_read(0U, buffer); });
    expect_rule(HostRule::kRace, "on queue 1 (serve.cpp:7) writes", [&] { (void)device->enqueue_read(0U, buffer); });
}

// Memory that was given back and out again is the same memory.
TEST_F(Races, AreBetweenBytesAndNotBetweenBuffers) {
    device_->enqueue_write(1U, output_, view(data_));
    const std::uint32_t address = output_->address();
    device_->deallocate(output_);
    const BufferPtr again = device_->allocate(flat(kBufferBytes));
    ASSERT_EQ(again->address(), address);
    expect_rule(HostRule::kRace, "which the write of buffer", [&] { (void)device_->enqueue_read(0U, again); });
}

// Millions of operations in bounded memory: what is ordered is forgotten, and what is not is one mark for each byte.
TEST_F(Races, AreFoundBehindManyOperations) {
    const BufferPtr mine = device_->allocate(flat(kBufferBytes));
    for (std::uint32_t i = 0U; i < 5000U; ++i) {
        device_->enqueue_write(1U, output_, view(data_));
        device_->enqueue_write(0U, mine, view(data_));
    }
    expect_rule(HostRule::kRace, "the write of buffer", [&] { (void)device_->enqueue_read(0U, output_); });
    const host::EventId event = device_->create_event();
    device_->record_event(1U, event);
    device_->wait_for_event(0U, event);
    (void)device_->enqueue_read(0U, output_);
    expect_rule(HostRule::kRace, "the write of buffer", [&] { (void)device_->enqueue_read(1U, mine); });
}

}  // namespace
}  // namespace pianola::test
