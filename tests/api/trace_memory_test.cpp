// Memory under traces: allocations near them, inputs that move, buffers made during a capture.
#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Memory;
using host::Program;
using host::TraceId;

// What a trace reads and writes stays its own, also where its buffers have been freed.
TEST(Traces, AllocationsKeepClearOfLiveTraces) {
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    BufferPtr scratch = device->allocate(flat(128U));
    const std::uint32_t scratch_address = scratch->address();
    Program first;
    add_constant(first, {0U, 0U}, input, scratch, 64U, 1);
    Program second;
    add_constant(second, {0U, 0U}, scratch, output, 64U, 1);
    const TraceId trace = captured(*device, {&first, &second});
    scratch.reset();
    EXPECT_EQ(device->memory_report().dram.free_under_trace_bytes, 64U);
    const BufferPtr next = device->allocate(flat(64U));  // first fit would take scratch's place
    EXPECT_EQ(next->address(), scratch_address + 64U);   // the half of it that no command touches
    device->enqueue_write(0U, next, view(dead_beef(64U)));
    device->enqueue_write(0U, input, view(Bytes(64U, 5U)));
    device->execute_trace(0U, trace);
    EXPECT_EQ(read(*device, output), Bytes(64U, 7U));
    EXPECT_EQ(read(*device, next), dead_beef(64U));
    device->release_trace(trace);
    EXPECT_EQ(device->allocate(flat(64U))->address(), scratch_address);
}

TEST(Traces, AllocatingOverALiveTraceIsRefusedOrNamed) {
    for (const bool allowed : {false, true}) {
        host::DeviceOptions options = small_device();
        options.allow_allocation_under_trace = allowed;
        const auto device = host::open_device(options);
        const std::uint64_t all = device->memory_report().dram.total_bytes;
        const BufferPtr input = device->allocate(flat(64U));
        BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        const TraceId trace = captured(*device, {&program});
        output.reset();
        if (!allowed) {
            expect_rule(HostRule::kMemoryUnderTrace, "destroys its contents",
                        [&] { (void)device->allocate(flat(all - 64U)); });
            EXPECT_TRUE(device->warnings().empty());
            continue;
        }
        const BufferPtr large = device->allocate(flat(all - 64U));
        ASSERT_EQ(device->warnings().size(), 1U);
        EXPECT_NE(device->warnings()[0].find("destroys its contents"), std::string::npos);
        device->execute_trace(0U, trace);
        ASSERT_EQ(device->warnings().size(), 2U);
        EXPECT_NE(device->warnings()[1].find("executed all the same"), std::string::npos);
    }
}

// The guide's second pattern: the input leaves L1 while the model runs, and comes back to the same address.
TEST(Traces, AnInputInL1ThatIsReallocatedWhereItWas) {
    const auto device = host::open_device(small_device());
    const std::uint64_t share = device->memory_report().l1.total_bytes;
    const std::uint64_t half = share / 2U;
    const BufferPtr output = device->allocate(flat(share));  // in DRAM
    BufferPtr input = device->allocate(flat(half, Memory::kL1));
    const std::uint32_t trace_address = input->address();
    const auto model = [&] {
        // The first program frees the input before the second one's buffer, which needs its place.
        const BufferPtr moved = device->allocate(flat(half, Memory::kL1));
        Program to = constant_program(input, moved, 1, "to");
        device->enqueue_program(0U, to);
        device->deallocate(input);
        const BufferPtr again = device->allocate(flat(half, Memory::kL1));
        Program back = constant_program(moved, again, 1, "back");
        device->enqueue_program(0U, back);
        Program out = constant_program(again, output, 1, "out");
        out.set_common_runtime_args({0U}, add_constant_tail(static_cast<std::uint32_t>(half), 1));
        device->enqueue_program(0U, out);
    };
    model();
    input = device->allocate(flat(half, Memory::kL1));
    ASSERT_EQ(input->address(), trace_address);
    const TraceId trace = device->begin_trace_capture(0U);
    model();
    input = device->allocate(flat(half, Memory::kL1));
    ASSERT_EQ(input->address(), trace_address);
    device->end_trace_capture(0U, trace);
    for (std::uint32_t i = 0U; i < 3U; ++i) {
        const Bytes data = pattern(half, i);
        device->enqueue_write(0U, input, view(data));
        device->execute_trace(0U, trace);
        Bytes result = read(*device, output);
        result.resize(half);
        EXPECT_EQ(result, plus(plus(plus(data, 1), 1), 1));
    }
    EXPECT_TRUE(device->warnings().empty());
    device->execute_trace(0U, trace);  // on what the model has left in its input's place
    ASSERT_EQ(device->warnings().size(), 1U);
    EXPECT_NE(device->warnings()[0].find("is read after an execution"), std::string::npos);
}

// What is allocated during a capture may lie where the trace itself writes: then an execution destroys it, which is
// said when it is read before it was written anew, and not before: an input that is written for every execution loses
// nothing.
TEST(Traces, ABufferAllocatedDuringTheCaptureIsNamed) {
    for (const std::string reader : {"host", "program", "trace", "nobody"}) {
        const auto device = host::open_device(small_device());
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        const BufferPtr elsewhere = device->allocate(flat(64U));
        const auto capture = [&](BufferPtr& kept) {
            const TraceId trace = device->begin_trace_capture(0U);
            BufferPtr scratch = device->allocate(flat(64U));
            Program first = constant_program(input, scratch, 1);
            Program second = constant_program(scratch, output, 1);
            device->compile(first);
            device->enqueue_program(0U, first);
            device->enqueue_program(0U, second);
            scratch.reset();
            kept = device->allocate(flat(64U));
            device->end_trace_capture(0U, trace);
            return trace;
        };
        BufferPtr kept;
        const TraceId trace = capture(kept);
        Program program = constant_program(kept, elsewhere, 1);
        const TraceId other = captured(*device, {&program});
        const auto look = [&] {
            if (reader == "host") {
                (void)device->enqueue_read(0U, kept);
            } else if (reader == "program") {
                device->enqueue_program(0U, program);
            } else if (reader == "trace") {
                device->execute_trace(0U, other);
            } else {
                // Nothing is lost that anybody misses.
            }
        };
        for (std::uint32_t i = 0U; i < 3U; ++i) {
            device->enqueue_write(0U, kept, view(dead_beef(64U)));
            look();
            device->execute_trace(0U, trace);
            device->execute_trace(0U, trace);
        }
        EXPECT_TRUE(device->warnings().empty()) << reader;
        look();
        look();
        ASSERT_EQ(device->warnings().size(), (reader == "nobody") ? 0U : 1U) << reader;
        if (reader != "nobody") {
            EXPECT_NE(device->warnings()[0].find("is read after an execution of trace"), std::string::npos);
        }
    }
}

TEST(Traces, InputsMustLieWhereTheyWereCaptured) {
    const auto device = host::open_device(small_device());
    BufferPtr input = device->allocate(flat(64U));
    const BufferPtr output = device->allocate(flat(64U));
    const BufferPtr elsewhere = device->allocate(flat(64U));
    Program program = constant_program(input, output, 1);
    const TraceId trace = captured(*device, {&program});
    device->execute_trace(0U, trace);  // nothing is expected yet
    expect_rule(HostRule::kTraceInput, "at another address", [&] { device->expect_input(trace, elsewhere); });
    expect_rule(HostRule::kTraceInput, "at another address", [&] { device->expect_input(trace, output); });
    device->expect_input(trace, input);
    device->execute_trace(0U, trace);
    input.reset();
    expect_rule(HostRule::kTraceInput, "deallocated", [&] { device->execute_trace(0U, trace); });
    // Its bytes are the trace's: nobody else gets them, and so nobody overwrites them by accident.
    const BufferPtr other = device->allocate(flat(64U));
    EXPECT_NE(other->address(), 0x80000000U);
}

TEST(Traces, AnInputThatReturnsToItsAddress) {
    const auto device = host::open_device(small_device());
    BufferPtr input = device->allocate(flat(64U, Memory::kL1));
    const BufferPtr output = device->allocate(flat(64U));
    Program program = constant_program(input, output, 1);
    device->compile(program);
    const TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, program);
    input.reset();
    input = device->allocate(flat(64U, Memory::kL1));
    device->end_trace_capture(0U, trace);
    device->expect_input(trace, input);
    device->enqueue_write(0U, input, view(Bytes(64U, 1U)));
    device->execute_trace(0U, trace);
    EXPECT_EQ(read(*device, output), Bytes(64U, 2U));
}

}  // namespace
}  // namespace pianola::test
