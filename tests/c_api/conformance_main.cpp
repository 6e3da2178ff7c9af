// The conformance kit on a port in C: docs/examples/port as tables of C functions, reached as docs/guide/c_api.md says.
#include "docs/examples/c/tables.h"
#include "docs/examples/port/npu_samples.h"
#include "hal/port_kit/conformance.h"
#include "hal/port_kit/stdout_sink.h"
#include "runtime/c/cpp_ports.h"

namespace {

using pianola::c_api::as_cpp;

pianola::port::Kit g_kit;
npu::Device g_npu;
npu::Platform g_ecu;
pnl_device_t g_device;
pnl_platform_t g_platform;
pnl_command_set_t g_command_set;

}  // namespace

int main() {
    const npu::CommandSet decoder;
    const bool is_made =
        (pnl_device_init(&g_device, &pianola::tables::device(), static_cast<pianola::Device*>(&g_npu)) == PNL_OK) &&
        (pnl_platform_init(&g_platform, &pianola::tables::platform(), static_cast<pianola::Platform*>(&g_ecu)) ==
         PNL_OK) &&
        (pnl_command_set_init(&g_command_set, &pianola::tables::command_set(),
                              static_cast<const pianola::CommandSet*>(&decoder)) == PNL_OK);
    if (!is_made) {
        return 1;
    }
    pianola::port::PortUnderTest port{as_cpp(g_device), as_cpp(g_platform), as_cpp(g_command_set),
                                      npu::kKitMemory,  npu::sample,        npu::kEndWords};
    port.watched = npu::kWatched;
    port.safe_state_entries = [](void* /*context*/) noexcept { return g_ecu.safe_state_entries(); };
    port.watchdog_services = [](void* /*context*/) noexcept { return g_ecu.watchdog_services(); };
    port.may_raise_counter = true;
    pianola::port::StdoutSink sink;
    return run_conformance(port, g_kit, sink).conforms() ? 0 : 1;
}
