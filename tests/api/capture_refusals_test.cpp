// What a capture refuses: states, tensors, steps that differ, contents, limits.
#include <fmt/format.h>

#include <memory>

#include "tests/api/capture_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::CaptureGuard;
using host::HostRule;
using host::Layout;
using host::Memory;
using host::Program;
using host::TraceId;
using host::WorkloadCapture;

struct Small {
    explicit Small(std::uint32_t queues = 1U) : device{host::open_device(small_device(queues))} {
        input = device->allocate(flat(64U));
        output = device->allocate(flat(64U));
        program = constant_program(input, output, 1);
        device->compile(program);
    }
    void step(std::uint32_t queue = 0U) {
        device->enqueue_write(queue, input, view(Bytes(64U, 1U)));
        device->enqueue_program(queue, program);
        (void)device->enqueue_read(queue, output);
    }
    void declare(WorkloadCapture& capture) const {
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
    }
    std::shared_ptr<host::Device> device;
    BufferPtr input;
    BufferPtr output;
    Program program;
};

TEST(CaptureRefusals, States) {
    Small small{1U};
    expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)host::end_capture(small.device); });
    expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)host::current_capture(small.device); });
    host::begin_capture(small.device);
    expect_rule(HostRule::kCaptureState, "already", [&] { host::begin_capture(small.device); });
    expect_rule(HostRule::kCaptureState, "already", [&] { const WorkloadCapture other{small.device}; });
    WorkloadCapture& capture = host::current_capture(small.device);
    small.declare(capture);
    expect_rule(HostRule::kCaptureState, "epilogue comes after a step", [&] { capture.begin_epilogue(); });
    capture.begin_step();
    expect_rule(HostRule::kCaptureState, "prologue comes first", [&] { capture.begin_prologue(); });
    small.step();
    capture.begin_epilogue();
    expect_rule(HostRule::kCaptureState, "no step comes after", [&] { capture.begin_step(); });
    (void)host::end_capture(small.device);
    {
        // Nobody ends it: the guard does, without a result.
        CaptureGuard guard{small.device};
        guard.capture().begin_prologue();
        guard.capture().discard();
        expect_rule(HostRule::kCaptureState, "not being captured", [&] { (void)guard.capture(); });
    }
    try {
        const CaptureGuard guard{small.device};
        throw std::runtime_error{"the application failed"};
    } catch (const std::runtime_error&) {
        CaptureGuard again{small.device};  // free again
        expect_rule(HostRule::kCaptureState, "no step", [&] {
            again.capture().begin_prologue();
            (void)again.end();
        });
    }
}

TEST(CaptureRefusals, Tensors) {
    Small small;
    WorkloadCapture capture{small.device};
    expect_rule(HostRule::kCaptureTensor, "declared with 63 bytes",
                [&] { capture.declare_input(small.input, tensor("in", 63U)); });
    small.declare(capture);
    expect_rule(HostRule::kCaptureTensor, "declared already",
                [&] { capture.declare_input(small.input, tensor("twice", 64U)); });
    const BufferPtr constant = small.device->allocate(flat(64U));
    capture.declare_constant(constant, "table");
    small.step();
    expect_rule(HostRule::kCaptureTensor, "'table' (buffer", [&] { (void)capture.end(); });
    const auto refused = [&](const std::string& part, const auto& calls) {
        WorkloadCapture other{small.device};
        small.declare(other);
        other.begin_step();
        calls();
        expect_rule(HostRule::kCaptureTensor, part, [&] { (void)other.end(); });
    };
    refused("written 0 times", [] {});
    refused("written 2 times", [&] {
        small.step();
        small.step();
    });
    refused("no declared output", [&] {
        small.step();
        (void)small.device->enqueue_read(0U, small.input);
    });
    refused("no declared input", [&] { small.device->enqueue_write(0U, constant, view(Bytes(64U))); });
}

TEST(CaptureRefusals, StepsThatDiffer) {
    Small small;
    Program other = constant_program(small.input, small.output, 2, "other");
    const auto differ = [&](const std::string& part, const auto& second) {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        capture.begin_step();
        small.step();
        capture.begin_step();
        second();
        expect_rule(HostRule::kCaptureStep, part, [&] { (void)capture.end(); });
    };
    differ(
        "step 2 differs from step 1 at its call 2: program 'other' on queue 0 where step 1 has program 'add constant'",
        [&] {
            small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
            small.device->enqueue_program(0U, other);
        });
    differ("at its call 3: nothing where step 1 has a read", [&] {
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.device->enqueue_program(0U, small.program);
    });
    differ("with other commands or addresses", [&] {
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.program.set_common_runtime_args({0U}, add_constant_tail(64U, 3));
        small.device->enqueue_program(0U, small.program);
        small.program.set_common_runtime_args({0U}, add_constant_tail(64U, 1));
    });
}

TEST(CaptureRefusals, Contents) {
    Small small{2U};
    const BufferPtr state = small.device->allocate(flat(64U));
    Program read_state = constant_program(state, small.output, 1);
    const auto refused = [&](HostRule rule, const std::string& part, const auto& calls) {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        calls(capture);
        expect_rule(rule, part, [&] { (void)capture.end(); });
    };
    refused(HostRule::kCaptureContent, "reads 64 bytes", [&](WorkloadCapture& capture) {
        capture.begin_step();
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        small.device->enqueue_program(0U, read_state);
        (void)small.device->enqueue_read(0U, small.output);
    });
    refused(HostRule::kCaptureContent, "begin_epilogue()", [&](WorkloadCapture& capture) {
        capture.begin_prologue();
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        capture.begin_step();
        small.step();
    });
    {
        // Nothing at all, with marks and without.
        WorkloadCapture nothing{small.device};
        expect_rule(HostRule::kCaptureContent, "nothing was captured", [&] { (void)nothing.end(); });
        WorkloadCapture marked{small.device};
        marked.begin_step();
        marked.begin_step();
        expect_rule(HostRule::kCaptureContent, "nothing was captured", [&] { (void)marked.end(); });
    }
    refused(HostRule::kCaptureContent, "record of one step only", [&](WorkloadCapture& capture) {
        const host::EventId once = small.device->create_event();
        small.device->record_event(1U, once);
        capture.begin_step();
        small.device->wait_for_event(0U, once);
        small.step();
    });
}

TEST(CaptureRefusals, Limits) {
    Small small{2U};
    {
        // 200 runs of one input.
        const BufferPtr wide =
            small.device->allocate(sharded(Layout::kWidthSharded, Memory::kDram, 100U, 64U, 100U, 32U));
        WorkloadCapture capture{small.device};
        small.declare(capture);
        capture.declare_input(wide, tensor("wide", 6400U));
        small.device->enqueue_write(0U, wide, view(Bytes(6400U)));
        small.step();
        expect_rule(HostRule::kCaptureLimit,
                    "200 transfers for input 'wide' are needed, 64 fit; use an interleaved DRAM buffer",
                    [&] { (void)capture.end(); });
    }
    {
        WorkloadCapture capture{small.device};
        small.declare(capture);
        small.device->enqueue_write(0U, small.input, view(Bytes(64U)));
        std::vector<host::EventId> events;
        for (int i = 0; i < 20; ++i) {
            small.device->enqueue_program(0U, small.program);
            events.push_back(small.device->create_event());
            small.device->record_event(0U, events.back());
        }
        for (const host::EventId event : events) {
            small.device->wait_for_event(1U, event);
        }
        (void)small.device->enqueue_read(0U, small.output);
        expect_rule(HostRule::kCaptureLimit, "20 events are needed, 8 fit", [&] { (void)capture.end(); });
    }
    {
        host::CaptureOptions options;
        options.step_deadline_us = 1U;
        host::DeviceOptions slow = small_device();
        slow.spec.clock_khz = 1000U;
        const auto device = host::open_device(slow);
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        WorkloadCapture capture{device, options};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        device->enqueue_write(0U, input, view(Bytes(64U)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
        expect_rule(HostRule::kCaptureLimit, "deadline is too short", [&] { (void)capture.end(); });
    }
    {
        const host::DeviceOptions tiny = small_device(1U, 64U);
        const auto device = host::open_device(tiny);
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program = constant_program(input, output, 1);
        add_constant(program, {0U, 0U}, output, output, 64U, 1);
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        device->enqueue_write(0U, input, view(Bytes(64U)));
        device->enqueue_program(0U, program);
        (void)device->enqueue_read(0U, output);
        expect_rule(HostRule::kTraceRegion, "trace_region_size 128 or more", [&] { (void)capture.end(); });
    }
}

// Words that parameters set, and parameters: as many as fit are taken, one more is refused with need, limit and remedy.
TEST(CaptureRefusals, LimitsOfParameters) {
    struct Case {
        std::uint32_t parameters;
        std::uint32_t kernels;  // that each of them sets a word of
        std::uint32_t executions;
        std::string refusal;
        const Capacities* profile{&profiles::kSmallEcu};
    };
    ASSERT_EQ(kMaxParameters, 8U);
    const std::vector<Case> cases{
        {1U, 16U, 1U, ""},
        {1U, 17U, 1U, "17 words that parameters set are needed, 16 fit; declare fewer, or use them in fewer places"},
        {2U, 8U, 1U, ""},
        {2U, 9U, 1U, "18 words that parameters set are needed, 16 fit; declare fewer"},
        {1U, 8U, 2U, ""},
        {1U, 9U, 2U, "18 words that parameters set are needed, 16 fit; declare fewer"},
        {8U, 2U, 1U, ""},
        {9U, 1U, 1U, "9 parameters are needed, 8 fit; declare fewer"},
        {8U, 16U, 2U, "", &profiles::kDefault},
        {2U, 129U, 1U, "258 words that parameters set are needed, 256 fit; declare fewer", &profiles::kDefault},
    };
    for (const Case& each : cases) {
        SCOPED_TRACE(fmt::format("{} x {} x {}", each.parameters, each.kernels, each.executions));
        host::DeviceOptions options = small_device();
        options.spec.capacities = each.profile;
        const auto device = host::open_device(options);
        const BufferPtr input = device->allocate(flat(64U));
        const BufferPtr output = device->allocate(flat(64U));
        Program program;
        for (std::uint32_t i = 0U; i < (each.parameters * each.kernels); ++i) {
            add_constant(program, {0U, 0U}, input, output, 64U, 1);
        }
        device->compile(program);
        const TraceId trace = device->begin_trace_capture(0U);
        device->enqueue_program(0U, program);
        device->end_trace_capture(0U, trace);
        WorkloadCapture capture{device};
        capture.declare_input(input, tensor("in", 64U));
        capture.declare_output(output, tensor("out", 64U));
        for (std::uint32_t p = 0U; p < each.parameters; ++p) {
            host::TraceParameter parameter{
                fmt::format("p{}", p), host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U, {}};
            for (std::uint32_t i = 0U; i < each.kernels; ++i) {
                parameter.words.push_back(device->argument_words(trace, 0U, {(p * each.kernels) + i}, 6U).front());
            }
            capture.declare_parameter(trace, parameter);
        }
        device->enqueue_write(0U, input, view(Bytes(64U)));
        for (std::uint32_t i = 0U; i < each.executions; ++i) {
            device->execute_trace(0U, trace);
        }
        (void)device->enqueue_read(0U, output);
        if (each.refusal.empty()) {
            expect_verified(capture.end(), device->spec());
        } else {
            expect_rule(HostRule::kCaptureLimit, each.refusal, [&] { (void)capture.end(); });
        }
    }
}

TEST(CaptureCompare, NamesTheFirstDifference) {
    const std::vector<std::vector<Bytes>> golden{{{1U, 2U, 3U}}, {{4U, 5U, 6U}}};
    std::vector<std::vector<Bytes>> outputs = golden;
    host::compare_to_golden(outputs, golden);
    outputs[1][0][2] = 9U;
    expect_rule(HostRule::kCompare, "output 0 of inference 1 differs at byte 2: it is 0x09, 0x06 is right",
                [&] { host::compare_to_golden(outputs, golden); });
    outputs[1][0].pop_back();
    expect_rule(HostRule::kCompare, "has 2 bytes, 3 are right", [&] { host::compare_to_golden(outputs, golden); });
    outputs.pop_back();
    expect_rule(HostRule::kCompare, "1 inferences", [&] { host::compare_to_golden(outputs, golden); });
}

}  // namespace
}  // namespace pianola::test
