// Player: a trace binary on an open Vulkan device, behind the runtime.
//
// Throws std::runtime_error where something does not work.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/models/replay.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::vulkan {

using pianola::replay::Bytes;
using pianola::replay::Tensors;

// One binary on the device that is open, which forgets what was there before.
class Player {
  public:
    Player(Opened& opened, const Bytes& file)
        : file_{file}, session_{opened.device, opened.platform, opened.command_set, kDevelopmentConfig} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        if (!is_ok(session_.load(file_.view(), *workspace, verdict))) {
            throw std::runtime_error{std::string{"load: "} + rule_id(verdict.rule)};
        }
    }
    Tensors run(const Tensors& inputs) {
        Tensors outputs;
        std::vector<ByteSpan> sources;
        std::vector<MutableByteSpan> destinations;
        for (const Bytes& input : inputs) {
            sources.emplace_back(input.data(), input.size());
        }
        for (std::uint32_t i = 0U; i < session_.plan().output_count; ++i) {
            outputs.emplace_back(session_.plan().outputs.at(i).bytes);
        }
        for (Bytes& output : outputs) {
            destinations.emplace_back(output.data(), output.size());
        }
        const Status status =
            session_.run({sources.data(), sources.size()}, {destinations.data(), destinations.size()});
        if (!is_ok(status)) {
            throw std::runtime_error{"the step failed in stage " +
                                     std::to_string(static_cast<int>(session_.fault().stage)) + ", fault " +
                                     std::to_string(static_cast<int>(session_.fault().device_fault))};
        }
        return outputs;
    }
    [[nodiscard]] Session& session() { return session_; }

  private:
    files::AlignedBytes file_;
    Session session_;
};

}  // namespace pianola::vulkan
