// The conformance kit on the reference device's simulator. usage: pianola_port_conformance [threaded] [PREFIX]
#include <cstring>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/sim/sim_device.h"
#include "hal/sim/sim_platform.h"
#include "tests/port/conformance.h"
#include "tests/port/refdev_port.h"
#include "tests/port/stdout_sink.h"

int main(int argc, char** argv) {
    using namespace pianola;
    const bool is_threaded = (argc > 1) && (std::strcmp(argv[1], "threaded") == 0);
    const char* const prefix = (argc > (is_threaded ? 2 : 1)) ? argv[is_threaded ? 2 : 1] : "";
    static port::Kit kit;
    port::SimulatedPort simulated{is_threaded ? sim::Threading::kThreaded : sim::Threading::kInProcess};
    port::StdoutSink sink;
    return run_conformance(simulated.under_test(), kit, sink, prefix).conforms() ? 0 : 1;
}
