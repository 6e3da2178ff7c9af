// A captured workload taken apart, verified, and replayed on inputs that the captured run did not have.
#pragma once

#include <memory>

#include "capture_host/binary/verify.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "pianola_host/workload_capture.h"
#include "tests/api/support.h"

namespace pianola::test {

inline host::TensorDeclaration tensor(const std::string& name, std::uint32_t bytes) {
    return {name, ElementType::kInt8, {bytes}, 0.5F, 0};
}

inline std::vector<ScriptKind> script_kinds(const host::CapturedWorkload& workload) {
    std::vector<ScriptKind> kinds;
    for (const capture::ManifestScript& script : workload.manifest.scripts) {
        kinds.push_back(script.kind);
    }
    return kinds;
}

inline std::vector<ScriptCommandKind> commands_of(const host::CapturedWorkload& workload, ScriptKind kind) {
    std::vector<ScriptCommandKind> commands;
    for (const capture::ManifestScript& script : workload.manifest.scripts) {
        if (script.kind == kind) {
            for (const capture::ManifestCommand& command : script.commands) {
                commands.push_back(command.kind);
            }
        }
    }
    return commands;
}

// New inputs, which the captured run did not have, against arithmetic.
template <typename Model>
void expect_model(const host::CapturedWorkload& workload, const DeviceDescription& spec, std::uint32_t bytes,
                  Model model) {
    std::vector<std::vector<Bytes>> inputs;
    std::vector<std::vector<Bytes>> golden;
    for (std::uint32_t i = 0U; i < 7U; ++i) {
        inputs.push_back({pattern(bytes, 1000U + i)});
        golden.push_back({model(inputs.back().front())});
    }
    host::compare_to_golden(host::replay_workload(workload, spec, inputs, tested_vulkan()), golden);
}

inline void expect_verified(const host::CapturedWorkload& workload, const DeviceDescription& spec) {
    const files::AlignedBytes file{workload.file};
    const refdev::RefdevCommandSet command_set;
    capture::Verification proofs;
    EXPECT_EQ(proofs.verify(file.view(), spec, command_set, kDevelopmentTrust), Status::kOk)
        << rule_id(proofs.verdict.rule);
}

}  // namespace pianola::test
