// What tests and measurements share around a replay: models to binaries, binaries onto a simulator, records in and out.
//
// Throws std::runtime_error wherever something does not work, so that no caller goes on with half a result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "capture_host/capture/capture.h"
#include "capture_host/tflite/import.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/config.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola/sha256.h"
#include "pianola_host/files.h"

namespace pianola::replay {

using Bytes = std::vector<std::uint8_t>;
using Tensors = std::vector<Bytes>;

// As `pianola capture` does it. Throws tflite::ImportError and capture::LinkError as well.
inline Bytes capture_model(const std::filesystem::path& model, const capture::CaptureOptions& options) {
    const Bytes file = files::load_file(model, kMaxFileBytes);
    const ByteSpan bytes{file.data(), file.size()};
    capture::Recorder recorder;
    tflite::import_model(bytes, model.filename().string(), sha256(bytes), recorder);
    return capture::capture_workload(recorder, options).file;
}

inline capture::CaptureOptions with_queues(std::uint32_t queues) {
    capture::CaptureOptions options;
    options.link.queues = queues;
    return options;
}

// One binary, loaded on a simulator of its own.
class Player {
  public:
    // The configuration must outlive the player.
    Player(const Bytes& file, const sim::SimOptions& options, const SessionConfig& config = kDevelopmentConfig)
        : file_{file}, device_{options}, session_{device_, platform_, command_set_, config} {
        Verdict verdict;
        const auto workspace = std::make_unique<PlanWorkspace>();
        if (!is_ok(session_.load(file_.view(), *workspace, verdict))) {
            throw std::runtime_error{std::string{"load: "} + rule_id(verdict.rule)};
        }
    }

    // The outputs of one inference.
    Tensors run(const Tensors& inputs) {
        Tensors outputs;
        for (std::uint32_t i = 0U; i < plan().output_count; ++i) {
            outputs.emplace_back(plan().outputs.at(i).bytes);
        }
        std::vector<ByteSpan> input_views;
        std::vector<MutableByteSpan> output_views;
        for (const Bytes& input : inputs) {
            input_views.emplace_back(input.data(), input.size());
        }
        for (Bytes& output : outputs) {
            output_views.emplace_back(output.data(), output.size());
        }
        if (!is_ok(
                session_.run({input_views.data(), input_views.size()}, {output_views.data(), output_views.size()}))) {
            throw std::runtime_error{"the step failed in stage " +
                                     std::to_string(static_cast<int>(session_.fault().stage))};
        }
        return outputs;
    }

    // Inputs that differ from step to step and are the same in every run.
    [[nodiscard]] Tensors seeded_inputs(std::uint32_t seed) const {
        Tensors inputs;
        for (std::uint32_t i = 0U; i < plan().input_count; ++i) {
            inputs.emplace_back(plan().inputs.at(i).bytes);
        }
        capture::fill_with_seed(seed, inputs);
        return inputs;
    }

    [[nodiscard]] const Plan& plan() const { return session_.plan(); }
    [[nodiscard]] Session& session() { return session_; }
    [[nodiscard]] sim::SimDevice& device() { return device_; }
    [[nodiscard]] sim::SimPlatform& platform() { return platform_; }

  private:
    files::AlignedBytes file_;
    refdev::RefdevCommandSet command_set_;
    sim::SimDevice device_;
    sim::SimPlatform platform_{device_};
    Session session_;
};

// The tensors "<kind>_<record>_0.bin", "<kind>_<record>_1.bin", ... of a model's folder; empty where there is no such
// record.
inline Tensors load_record(const std::filesystem::path& folder, const std::string& kind, std::size_t record) {
    Tensors tensors;
    for (;;) {
        const std::filesystem::path file =
            folder / (kind + "_" + std::to_string(record) + "_" + std::to_string(tensors.size()) + ".bin");
        if (!std::filesystem::exists(file)) {
            return tensors;
        }
        tensors.push_back(files::load_file(file));
    }
}

}  // namespace pianola::replay
