// A workload of the host API: one region for everything, a kernel on one core, and a declared parameter.
#include "pianola_host/workload_capture.h"
#include "tests/api/support.h"
#include "tests/mutate/subjects.h"

namespace pianola::test {

NamedSubject api_subject() {
    constexpr std::uint32_t kBytes = 64U;
    constexpr std::uint32_t kConstantWord = 6U;  // of requantize
    const auto device = host::open_device(small_device(2U));
    const host::BufferPtr input = device->allocate(flat(kBytes));
    const host::BufferPtr output = device->allocate(flat(kBytes));
    host::Program program = constant_program(input, output, 1);
    device->compile(program);
    const host::TraceId trace = device->begin_trace_capture(0U);
    device->enqueue_program(0U, program);
    device->end_trace_capture(0U, trace);
    host::WorkloadCapture capture{device};
    capture.declare_input(input, {"in", ElementType::kInt8, {kBytes}, 0.5F, 0});
    capture.declare_output(output, {"out", ElementType::kInt8, {kBytes}, 0.5F, 0});
    capture.declare_parameter(trace, {"constant", host::TraceParameterKind::kRuntimeArgument, 0U, 100U, 1U,
                                      device->argument_words(trace, 0U, {0U}, kConstantWord)});
    device->enqueue_write(0U, input, view(pattern(kBytes, 1U)));
    device->execute_trace(0U, trace);
    static_cast<void>(device->enqueue_read(0U, output));
    return make_subject("host API", capture.end().file, device->spec());
}

}  // namespace pianola::test
