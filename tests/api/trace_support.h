// Programs captured as a trace, in one call.
#pragma once

#include <initializer_list>

#include "tests/api/support.h"

namespace pianola::test {

inline constexpr std::uint32_t kBufferBytes = 64U;  // of tests of races

inline host::TraceId captured(host::Device& device, std::initializer_list<host::Program*> programs,
                              std::uint32_t queue = 0U) {
    for (host::Program* const program : programs) {
        device.compile(*program);
    }
    const host::TraceId trace = device.begin_trace_capture(queue);
    for (host::Program* const program : programs) {
        device.enqueue_program(queue, *program);
    }
    device.end_trace_capture(queue, trace);
    return trace;
}

}  // namespace pianola::test
