// pianola_bench_races raise|off: a program of two queues, 300 steps eager and 300 with a trace, with the search for
// races or without. Instructions of both are compared by race_cost.py.
#include <cstdio>
#include <cstring>

#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kSteps = 300U;
constexpr std::uint32_t kBytes = 1024U;

int run(host::Races races) {
    host::DeviceOptions options = small_device(2U);
    options.races = races;
    const auto device = host::open_device(options);
    const host::BufferPtr input = device->allocate(flat(kBytes));
    const host::BufferPtr middle = device->allocate(flat(kBytes));
    const host::BufferPtr output = device->allocate(flat(kBytes));
    host::Program first = constant_program(input, middle, 1);
    host::Program second = constant_program(middle, output, 2);
    const host::TraceId trace = captured(*device, {&second});
    const host::EventId taken = device->create_event();
    const host::EventId written = device->create_event();
    device->record_event(0U, taken);
    bool is_right = true;
    for (std::uint32_t i = 0U; i < (2U * kSteps); ++i) {
        const Bytes data = pattern(kBytes, i);
        device->wait_for_event(1U, taken);
        device->enqueue_write(1U, input, view(data));
        device->record_event(1U, written);
        device->wait_for_event(0U, written);
        device->enqueue_program(0U, first);
        device->record_event(0U, taken);
        if (i < kSteps) {
            device->enqueue_program(0U, second);
        } else {
            device->execute_trace(0U, trace);
        }
        is_right = is_right && (device->enqueue_read(0U, output).data() == plus(data, 3));
    }
    return is_right ? 0 : 1;
}

}  // namespace
}  // namespace pianola::test

int main(int argc, char** argv) {
    using pianola::host::Races;
    if (argc != 2) {
        (void)std::fputs("usage: pianola_bench_races raise|off\n", stderr);
        return 2;
    }
    return pianola::test::run((std::strcmp(argv[1], "off") == 0) ? Races::kOff : Races::kRaise);
}
