// Runs the conformance kit on the example port. Exits with 0 where it conforms.
#include "hal/port_kit/conformance.h"

#include "hal/port_kit/stdout_sink.h"
#include "npu_samples.h"

namespace {

pianola::port::Kit g_kit;
npu::Device g_device;
npu::Platform g_platform;

}  // namespace

int main() {
    const npu::CommandSet command_set;
    pianola::port::PortUnderTest port{g_device, g_platform, command_set, npu::kKitMemory, npu::sample, npu::kEndWords};
    port.watched = npu::kWatched;
    port.safe_state_entries = [](void* /*context*/) noexcept { return g_platform.safe_state_entries(); };
    port.watchdog_services = [](void* /*context*/) noexcept { return g_platform.watchdog_services(); };
    port.may_raise_counter = true;
    pianola::port::StdoutSink sink;
    return run_conformance(port, g_kit, sink).conforms() ? 0 : 1;
}
