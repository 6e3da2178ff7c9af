// The conformance kit on the reference device's simulator. usage: pianola_port_conformance [threaded] [PREFIX]
#include <cstring>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "hal/port_kit/conformance.h"
#include "hal/port_kit/stdout_sink.h"
#include "tests/port/refdev_port.h"
#include "tests/port/software_engine.h"

int main(int argc, char** argv) {
    const bool is_threaded = (argc > 1) && (std::strcmp(argv[1], "threaded") == 0);
    const int prefix_at = is_threaded ? 2 : 1;
    const char* const prefix = (argc > prefix_at) ? argv[prefix_at] : "";
    static pianola::port::Kit kit;
    pianola::port::SimulatedPort simulated{is_threaded ? pianola::sim::Threading::kThreaded
                                                       : pianola::sim::Threading::kInProcess};
    pianola::port::StdoutSink sink;
    static pianola::port::SoftwareEngine engine;
    pianola::port::PortUnderTest port = simulated.under_test();
    port.digest_engine = &engine;
    return run_conformance(port, kit, sink, prefix).conforms() ? 0 : 1;
}
