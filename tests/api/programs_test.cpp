// Programs: kernels on cores, arguments, order, circular buffers, semaphores, the program cache.
#include <limits>

#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::BufferArgument;
using host::CoreCoord;
using host::HostRule;
using host::Layout;
using host::Memory;
using host::Program;

host::CoreRangeSet four_cores() {
    return {{CoreCoord{0U, 0U}, CoreCoord{1U, 1U}}};
}

TEST(Programs, AnEagerProgramComputes) {
    for (const bool threaded : {false, true}) {
        host::DeviceOptions options = small_device();
        options.threaded = threaded;
        const auto device = host::open_device(options);
        const host::BufferPtr input = device->allocate(flat(1000U));
        const host::BufferPtr output = device->allocate(flat(1000U));
        const Bytes data = pattern(1000U, 3U);
        device->enqueue_write(0U, input, view(data));
        Program program = constant_program(input, output, 5);
        for (int i = 0; i < 3; ++i) {
            device->enqueue_write(0U, output, view(dead_beef(1000U)));
            device->enqueue_program(0U, program, i == 1);
            EXPECT_EQ(read(*device, output), plus(data, 5));
        }
        EXPECT_EQ(device->program_cache_entries(), 1U);
    }
}

TEST(Programs, PerCoreArgumentsOnShards) {
    const auto device = host::open_device(small_device());
    const auto config = sharded(Layout::kHeightSharded, Memory::kL1, 8U, 50U, 2U, 50U, four_cores());
    const host::BufferPtr input = device->allocate(config);
    const host::BufferPtr output = device->allocate(config);
    const Bytes data = pattern(400U, 4U);
    device->enqueue_write(0U, input, view(data));
    Program program;
    const host::KernelHandle kernel = program.add_kernel("requantize", four_cores());
    // The whole list per core: core i adds i + 1 to its shard.
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        host::Arguments arguments{BufferArgument{input, {}, 0U}, BufferArgument{output, {}, 0U}};
        const host::Arguments tail = add_constant_tail(100U, static_cast<int>(i) + 1);
        arguments.insert(arguments.end(), tail.begin(), tail.end());
        program.set_runtime_args(kernel, CoreCoord{i % 2U, i / 2U}, arguments);
    }
    device->enqueue_program(0U, program);
    const Bytes result = read(*device, output);
    for (std::size_t i = 0U; i < 4U; ++i) {
        const auto at = [i](const Bytes& bytes) {
            return Bytes{bytes.begin() + static_cast<std::ptrdiff_t>(i * 100U),
                         bytes.begin() + static_cast<std::ptrdiff_t>((i + 1U) * 100U)};
        };
        EXPECT_EQ(at(result), plus(at(data), static_cast<int>(i) + 1)) << i;
    }
    // New values, without a new compilation.
    for (const CoreCoord core : host::cores_of(four_cores())) {
        host::Arguments arguments{BufferArgument{input, {}, 0U}, BufferArgument{output, {}, 0U}};
        const host::Arguments tail = add_constant_tail(100U, -3);
        arguments.insert(arguments.end(), tail.begin(), tail.end());
        program.set_runtime_args(kernel, host::one_core(core), arguments);
    }
    device->enqueue_program(0U, program);
    EXPECT_EQ(read(*device, output), plus(data, -3));
    EXPECT_EQ(device->program_cache_entries(), 1U);
}

TEST(Programs, KernelsOnOneCoreRunInTheOrderOfAdding) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    const host::BufferPtr c = device->allocate(flat(64U));
    const Bytes data = pattern(64U, 5U);
    device->enqueue_write(0U, a, view(data));
    Program program;
    add_constant(program, {1U, 0U}, a, b, 64U, 100);
    add_constant(program, {1U, 0U}, b, c, 64U, 100);  // saturates: the order shows
    add_constant(program, {1U, 0U}, c, a, 64U, -50);
    device->enqueue_program(0U, program);
    EXPECT_EQ(read(*device, a), plus(plus(plus(data, 100), 100), -50));
}

TEST(Programs, ADataConflictBetweenCoresIsABarrier) {
    host::DeviceOptions options = small_device();
    options.keep_log = true;
    const auto device = host::open_device(options);
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    const host::BufferPtr c = device->allocate(flat(64U));
    const auto barriers_between_kernels = [&](Program& program) {
        device->clear_log();
        device->enqueue_program(0U, program, true);
        int barriers = 0;
        int kernels = 0;
        for (const LoggedCommand& command : device->log(0U)) {
            kernels += (command.kernel_id != 0U) ? 1 : 0;
            barriers +=
                ((static_cast<refdev::Opcode>(command.kind) == refdev::Opcode::kBarrier) && (kernels == 1)) ? 1 : 0;
        }
        EXPECT_EQ(kernels, 2);
        return barriers;
    };
    Program apart;
    add_constant(apart, {0U, 0U}, a, b, 64U, 1);
    add_constant(apart, {1U, 0U}, a, c, 64U, 1);  // both only read a
    EXPECT_EQ(barriers_between_kernels(apart), 0);
    Program chained;
    add_constant(chained, {0U, 0U}, a, b, 64U, 1);
    add_constant(chained, {1U, 0U}, b, c, 64U, 1);
    EXPECT_EQ(barriers_between_kernels(chained), 1);
    Program overwritten;
    add_constant(overwritten, {0U, 0U}, a, b, 64U, 1);
    add_constant(overwritten, {1U, 0U}, c, a, 64U, 1);
    EXPECT_EQ(barriers_between_kernels(overwritten), 1);
    Program same_core;
    add_constant(same_core, {0U, 0U}, a, b, 64U, 1);
    add_constant(same_core, {0U, 0U}, b, c, 64U, 1);
    EXPECT_EQ(barriers_between_kernels(same_core), 0);
}

TEST(Programs, SemaphoresOrderWhatIsAddedInAnotherOrder) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    const host::BufferPtr c = device->allocate(flat(64U));
    const Bytes data = pattern(64U, 6U);
    device->enqueue_write(0U, a, view(data));
    Program program;
    const host::SemaphoreHandle ready = program.add_semaphore(four_cores());
    const host::KernelHandle consumer = add_constant(program, {1U, 1U}, b, c, 64U, 7);
    const host::KernelHandle producer = add_constant(program, {0U, 0U}, a, b, 64U, 100);
    program.signal(producer, ready);
    program.wait(consumer, ready);
    device->enqueue_program(0U, program);
    EXPECT_EQ(read(*device, c), plus(plus(data, 100), 7));
}

TEST(Programs, SemaphoreCountersStartAnewInEveryRun) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr count = device->allocate(flat(4U));
    Program program;
    const host::SemaphoreHandle done = program.add_semaphore(host::one_core({1U, 1U}), 5U);
    const auto at = [&] { return host::SemaphoreArgument{done, CoreCoord{1U, 1U}}; };
    const std::uint32_t increment = static_cast<std::uint32_t>(refdev::SemaphoreOp::kIncrement);
    const std::uint32_t wait = static_cast<std::uint32_t>(refdev::SemaphoreOp::kWait);
    // Two cores count to 5 + 2 + 3; a third one copies the counter when both have.
    const host::KernelHandle first = program.add_kernel("semaphore", host::one_core({0U, 0U}));
    program.set_common_runtime_args(first, {at(), increment, 2U});
    const host::KernelHandle second = program.add_kernel("semaphore", host::one_core({1U, 0U}));
    program.set_common_runtime_args(second, {at(), increment, 3U});
    const host::KernelHandle waiter = program.add_kernel("semaphore", host::one_core({0U, 1U}));
    program.set_common_runtime_args(waiter, {at(), wait, 10U});
    const host::KernelHandle copy = program.add_kernel("copy", host::one_core({0U, 1U}));
    program.set_common_runtime_args(copy, {at(), BufferArgument{count, {}, 0U}, 4U});
    for (const host::KernelHandle signaller : {first, second}) {
        program.signal(signaller, done);
    }
    program.wait(waiter, done);
    for (int i = 0; i < 3; ++i) {
        device->enqueue_program(0U, program);
        EXPECT_EQ(read(*device, count), (Bytes{10U, 0U, 0U, 0U})) << i;
    }
}

TEST(Programs, SemaphoresThatCannotWork) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    Program alone;
    const host::SemaphoreHandle never = alone.add_semaphore(four_cores());
    alone.wait(add_constant(alone, {0U, 0U}, a, b, 64U, 1), never);
    expect_rule(HostRule::kProgramSemaphore, "wait for ever", [&] { device->enqueue_program(0U, alone); });
    Program initial;
    const host::SemaphoreHandle open = initial.add_semaphore(four_cores(), 1U);
    initial.wait(add_constant(initial, {0U, 0U}, a, b, 64U, 1), open);
    device->enqueue_program(0U, initial, true);
    Program circle;
    const host::SemaphoreHandle first = circle.add_semaphore(four_cores());
    const host::SemaphoreHandle second = circle.add_semaphore(four_cores());
    const host::KernelHandle left = add_constant(circle, {0U, 0U}, a, b, 64U, 1);
    const host::KernelHandle right = add_constant(circle, {1U, 0U}, a, b, 64U, 1);
    circle.signal(left, first);
    circle.wait(right, first);
    circle.signal(right, second);
    circle.wait(left, second);
    expect_rule(HostRule::kProgramSemaphore, "circle", [&] { device->enqueue_program(0U, circle); });
    Program behind;  // the signal comes later on the same core
    const host::SemaphoreHandle late = behind.add_semaphore(four_cores());
    behind.wait(add_constant(behind, {0U, 0U}, a, b, 64U, 1), late);
    behind.signal(add_constant(behind, {0U, 0U}, a, b, 64U, 1), late);
    expect_rule(HostRule::kProgramSemaphore, "circle", [&] { device->enqueue_program(0U, behind); });
}

TEST(Programs, CircularBuffersComeFromTheTopOfL1AndGoWithTheProgram) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    const Bytes data = pattern(64U, 8U);
    device->enqueue_write(0U, a, view(data));
    {
        Program program;
        const host::CircularBufferHandle ring = program.add_circular_buffer(four_cores(), 4U, 1000U);
        const CoreCoord core{1U, 0U};
        const host::KernelHandle in = program.add_kernel("requantize", host::one_core(core));
        const host::KernelHandle out = program.add_kernel("requantize", host::one_core(core));
        program.set_runtime_args(in, core, {BufferArgument{a, {}, 0U}, host::CircularBufferArgument{ring, 8U}});
        program.set_runtime_args(out, core, {host::CircularBufferArgument{ring, 8U}, BufferArgument{b, {}, 0U}});
        program.set_common_runtime_args(in, add_constant_tail(64U, 1));
        program.set_common_runtime_args(out, add_constant_tail(64U, 2));
        EXPECT_EQ(device->memory_report().l1.used_bytes, 0U);
        device->enqueue_program(0U, program);
        EXPECT_EQ(read(*device, b), plus(plus(data, 1), 2));
        EXPECT_EQ(device->memory_report().l1.used_bytes, 4032U);  // 4000 and up to 64
        // In the top 4032 bytes of core 1's 64 KiB, behind the page's first 8.
        const std::uint32_t address = 0x10000000U + (2U * 65536U) - 4032U + 8U;
        const std::uint8_t* const ring_memory = device->simulator().device().host_view(address, 64U).data();
        EXPECT_EQ(Bytes(ring_memory, ring_memory + 64U), plus(data, 1));
        // Early deallocation, and another one.
        program.deallocate_circular_buffer(ring);
        EXPECT_EQ(device->memory_report().l1.used_bytes, 0U);
        expect_rule(HostRule::kBufferFreed, "resize", [&] { device->enqueue_program(0U, program); });
        program.resize_circular_buffer(ring, 1U, 128U);
        device->enqueue_program(0U, program);
        EXPECT_EQ(device->memory_report().l1.used_bytes, 128U);
        const auto other = host::open_device(small_device());
        expect_rule(HostRule::kProgramDevice, "another device", [&] { other->compile(program); });
    }
    EXPECT_EQ(device->memory_report().l1.used_bytes, 0U);
}

TEST(Programs, Refusals) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    Program empty;
    expect_rule(HostRule::kProgramEmpty, "no kernel", [&] { device->enqueue_program(0U, empty); });
    expect_rule(HostRule::kProgramKernel, "requantize", [&] { (void)empty.add_kernel("nonsense", four_cores()); });
    expect_rule(HostRule::kProgramKernel, "no kernel 0",
                [&] { (void)empty.add_kernel(refdev::KernelId::kUnspecified, four_cores()); });
    expect_rule(HostRule::kProgramUnknown, "number 3", [&] { empty.set_common_runtime_args({3U}, {}); });
    expect_rule(HostRule::kBufferConfig, "holds nothing",
                [&] { (void)empty.add_circular_buffer(four_cores(), 0U, 5U); });
    Program outside;
    (void)outside.add_kernel("requantize", {{CoreCoord{0U, 0U}, CoreCoord{2U, 0U}}});
    expect_rule(HostRule::kProgramCores, "grid of 2 x 2", [&] { device->enqueue_program(0U, outside); });
    Program stray;
    const host::KernelHandle kernel = add_constant(stray, {0U, 0U}, a, b, 64U, 1);
    stray.set_runtime_args(kernel, CoreCoord{1U, 1U}, {});
    expect_rule(HostRule::kProgramCores, "does not run on this core", [&] { device->enqueue_program(0U, stray); });
    Program missing;
    (void)missing.add_kernel("requantize", host::one_core({0U, 0U}));
    expect_rule(HostRule::kProgramArguments, "7 argument words are needed, 0 are given",
                [&] { device->enqueue_program(0U, missing); });
    Program wrong;
    add_constant(wrong, {0U, 0U}, a, b, 64U, 1000);
    expect_rule(HostRule::kProgramArguments, "output_zero_point = 1000", [&] { device->enqueue_program(0U, wrong); });
    Program beyond;
    const host::BufferPtr neighbour = device->allocate(flat(64U));
    const host::BufferPtr roomy = device->allocate(flat(128U));
    add_constant(beyond, {0U, 0U}, b, roomy, 65U, 1);  // the byte behind b is allocated, but not b's
    expect_rule(HostRule::kProgramExtent, "65 bytes", [&] { device->enqueue_program(0U, beyond); });
    const host::BufferPtr gone = device->allocate(flat(64U));
    Program stale = constant_program(a, gone, 1);
    device->deallocate(gone);
    expect_rule(HostRule::kBufferFreed, "deallocated", [&] { device->enqueue_program(0U, stale); });
    Program no_shard;
    const host::BufferPtr l1 =
        device->allocate(sharded(Layout::kHeightSharded, Memory::kL1, 1U, 64U, 1U, 64U, host::one_core({0U, 0U})));
    add_constant(no_shard, {1U, 0U}, a, l1, 64U, 1);
    expect_rule(HostRule::kProgramArguments, "no shard on this core", [&] { device->enqueue_program(0U, no_shard); });
}

TEST(Programs, APlainAddressOfFreedMemoryIsRefused) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    Program program;
    const host::KernelHandle kernel = program.add_kernel("requantize", host::one_core({0U, 0U}));
    program.set_runtime_args(kernel, CoreCoord{0U, 0U}, {a->address(), b->address()});
    program.set_common_runtime_args(kernel, add_constant_tail(64U, 1));
    device->enqueue_program(0U, program, true);
    device->deallocate(b);
    expect_rule(HostRule::kProgramExtent, "not allocated", [&] { device->enqueue_program(0U, program); });
}

TEST(Programs, TooLongForTheDispatchArea) {
    host::DeviceOptions options = small_device();
    options.dispatch_area_bytes = 64U;
    const auto device = host::open_device(options);
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    Program small = constant_program(a, b, 1);  // 11 words and the end
    device->enqueue_program(0U, small, true);
    Program large = constant_program(a, b, 1);
    add_constant(large, {0U, 0U}, b, a, 64U, 1);
    expect_rule(HostRule::kProgramSize, "92 bytes of commands, the dispatch area has 64",
                [&] { device->enqueue_program(0U, large); });
}

TEST(Programs, HostTimeShowsAsGapsOnTheDevice) {
    host::DeviceOptions options = small_device();
    options.keep_log = true;
    options.host_cost.dispatch_ns = 9300U;  // 4650 cycles at 500 MHz; a small program takes far less
    const auto device = host::open_device(options);
    const host::BufferPtr a = device->allocate(flat(64U));
    const host::BufferPtr b = device->allocate(flat(64U));
    Program program = constant_program(a, b, 1);
    for (int i = 0; i < 4; ++i) {
        device->enqueue_program(0U, program);
    }
    std::vector<std::uint64_t> starts;
    for (const LoggedCommand& command : device->log(0U)) {
        if (static_cast<refdev::Opcode>(command.kind) == refdev::Opcode::kWrite) {
            starts.push_back(command.start_cycles);
        }
    }
    ASSERT_EQ(starts.size(), 4U);
    for (std::size_t i = 0U; i < starts.size(); ++i) {
        EXPECT_EQ(starts[i], (i + 1U) * 4650U);
    }
    EXPECT_GE(device->now().host_ns, 4U * 9300U);
}

}  // namespace
}  // namespace pianola::test
