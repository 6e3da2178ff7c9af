// A session on the simulator, with everything that it needs.
#pragma once

#include <memory>
#include <vector>

#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "tests/support/workload.h"

namespace pianola::test {

// The device of the small workloads.
inline sim::SimOptions small_options(const sim::FaultScript& faults = {}) {
    sim::SimOptions options;
    options.spec = small_device();
    options.faults = faults;
    return options;
}

struct Bench {
    explicit Bench(const sim::SimOptions& options) : device{options} {}
    explicit Bench(const sim::FaultScript& faults = {}) : device{options_for(faults)} {}

    static sim::SimOptions options_for(const sim::FaultScript& faults) {
        sim::SimOptions options;
        options.faults = faults;
        options.write_back_cache = true;
        return options;
    }

    Status load(ByteSpan file) { return session.load(file, *workspace, verdict); }

    // One step with an output of `output.size()` bytes.
    Status run(const std::vector<std::uint8_t>& input, std::vector<std::uint8_t>& output) {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session.run(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }
    Status submit(const std::vector<std::uint8_t>& input, std::vector<std::uint8_t>& output) {
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        return session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs});
    }

    sim::SimDevice device;
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    Session session{device, platform, command_set, kDevelopmentConfig};
    std::unique_ptr<PlanWorkspace> workspace{std::make_unique<PlanWorkspace>()};
    Verdict verdict;
};

}  // namespace pianola::test
