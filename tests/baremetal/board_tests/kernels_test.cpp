// kernels ROUNDS: the core's own variant of the quantised layers' inner loops against the plain formulas.
#include "tests/baremetal/board_tests/bench.h"
#include "tests/kernels/plain_layers.h"

namespace pianola::baremetal {

std::int32_t test_kernels(const Arguments& arguments) noexcept {
    constexpr std::uint32_t kSeed = 88172645U;
    LoadArea area;
    const MutableByteSpan memory = area.allocate(refdev::kPlainLayersBytes);
    if (memory.empty() || (arguments.count() != 2U)) {
        return kWrongUsage;
    }
    refdev::PlainLayers layers{memory.data(), kSeed};
    for (std::uint32_t round = 0U; round < arguments.number_at(1U); ++round) {
        layers.fully_connected();
        layers.conv2d();
        layers.depthwise_conv2d();
        layers.ties();
        layers.packed_fully_connected();
        layers.packed_conv2d();
    }
    report("elements", layers.result().elements);
    report("ties", layers.result().ties);
    report("packed", layers.result().packed);
    report("over", layers.result().over);
    report("nearer_differences", layers.result().nearer_differences);
    report("over_differences", layers.result().over_differences);
    report("differences", layers.result().differences);
    return ((layers.result().differences | layers.result().over_differences) == 0U) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
