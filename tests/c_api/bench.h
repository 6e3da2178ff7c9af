// A session of the C API on the simulator, whose every object is a table of C functions that a test may change.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "docs/examples/c/tables.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola_host/files.h"
#include "runtime/c/pianola.h"
#include "tests/support/bench.h"
#include "tests/support/workload.h"

namespace pianola::test {

using Bytes = std::vector<std::uint8_t>;

// Objects, configuration and session apart, so that a test can stop between any two of them.
struct CBench {
    explicit CBench(const sim::FaultScript& faults = {}) : device{Bench::options_for(faults)} {}

    [[nodiscard]] pnl_status_t make_objects() {
        if (pnl_device_init(&device_object, &device_ops, static_cast<Device*>(&device)) != PNL_OK) {
            return PNL_INTERNAL;
        }
        if (pnl_platform_init(&platform_object, &platform_ops, static_cast<Platform*>(&platform)) != PNL_OK) {
            return PNL_INTERNAL;
        }
        return pnl_command_set_init(&command_set_object, &command_set_ops,
                                    static_cast<const CommandSet*>(&command_set));
    }
    void configure() {
        config.struct_size = sizeof(config);
        config.version = PNL_API_VERSION;
        config.devices = devices.data();
        config.rows = 1U;
        config.columns = 1U;
        config.platform = &platform_object;
        config.command_set = &command_set_object;
        config.settings.trust.signatures = PNL_SIGNATURE_POLICY_OPTIONAL;
        config.settings.release = PNL_RELEASE_VERIFIED;
        config.settings.least_evidence = PNL_EVIDENCE_DIGEST;
    }
    [[nodiscard]] pnl_status_t init() { return pnl_session_init(session.get(), sizeof(pnl_session_t), &config); }
    // All of it.
    void start() {
        ASSERT_EQ(make_objects(), PNL_OK);
        configure();
        ASSERT_EQ(init(), PNL_OK);
    }
    [[nodiscard]] pnl_status_t load(ByteSpan file) {
        return pnl_session_load(session.get(), file.data(), file.size(), workspace.get(), &verdict);
    }
    [[nodiscard]] pnl_status_t run(const Bytes& input, Bytes& output) const {
        const pnl_bytes_t from{input.data(), input.size()};
        const pnl_memory_t to{output.data(), output.size()};
        return pnl_session_run(session.get(), &from, 1U, &to, 1U);
    }
    [[nodiscard]] pnl_status_t submit(const Bytes& input, Bytes& output) const {
        const pnl_bytes_t from{input.data(), input.size()};
        const pnl_memory_t to{output.data(), output.size()};
        return pnl_session_submit(session.get(), &from, 1U, &to, 1U);
    }

    sim::SimDevice device;
    sim::SimPlatform platform{device};
    refdev::RefdevCommandSet command_set;
    pnl_device_ops_t device_ops{tables::device()};
    pnl_platform_ops_t platform_ops{tables::platform()};
    pnl_command_set_ops_t command_set_ops{tables::command_set()};
    pnl_device_t device_object{};
    pnl_platform_t platform_object{};
    pnl_command_set_t command_set_object{};
    std::array<pnl_device_t*, 1> devices{&device_object};
    pnl_session_config_t config{};
    std::unique_ptr<pnl_session_t> session{std::make_unique<pnl_session_t>()};
    std::unique_ptr<pnl_workspace_t> workspace{std::make_unique<pnl_workspace_t>()};
    pnl_verdict_t verdict{};
};

}  // namespace pianola::test
