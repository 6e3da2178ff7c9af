// A defect of an importer, a planner or a linker, and the lists of them that stand in files of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

#include "capture_host/capture/link.h"
#include "capture_host/capture/recorder.h"
#include "capture_host/decompile/decompile.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/decompile/defect_models.h"

namespace pianola::decompile {

using capture::BufferId;
using tflite::ModelSpec;

// Of model_of_all().
enum LaunchIndex : std::size_t { kFirst, kSecond, kAdd, kSub, kPool, kFull };

inline constexpr std::size_t kWeights = 1U;
inline constexpr std::size_t kTable = 2U;

// What an importer has made, open to change.
struct Program {
    std::vector<capture::Buffer> buffers;
    std::vector<capture::Launch> launches;
    std::vector<capture::Launch> resets;  // of state
    std::uint8_t first{0U};               // every byte of state that has no contents of its own

    std::vector<std::uint8_t>& constant(std::size_t launch, std::size_t operand) {
        return buffers.at(static_cast<std::size_t>(launches.at(launch).operands.at(operand).buffer)).contents;
    }
    template <typename Arguments>
    void change(std::size_t launch, const std::function<void(Arguments&)>& change) {
        Arguments arguments{};
        std::memcpy(&arguments, launches.at(launch).arguments.data(), sizeof(Arguments));
        change(arguments);
        std::memcpy(launches.at(launch).arguments.data(), &arguments, sizeof(Arguments));
    }
    BufferId& buffer(std::size_t launch, std::size_t operand) {
        return launches.at(launch).operands.at(operand).buffer;
    }
};

struct Defect {
    const char* part;
    const char* what;
    std::function<void(Program&)> in_program;
    std::function<void(capture::LinkedWorkload&)> in_binary;
    ModelSpec (*model)(){model_of_all};
    bool is_pipelined{false};
    refdev::WeightsLayout pack{refdev::WeightsLayout::kPlain};
};

// Of what a step leaves to the next one, and of inferences that overlap; of names.
[[nodiscard]] std::vector<Defect> defects_of_steps();
[[nodiscard]] std::vector<Defect> defects_of_names();
// The model of some of them.
[[nodiscard]] ModelSpec model_of_twins();

[[nodiscard]] std::vector<Defect> all_defects();
// The binary that has it; one of no defect where it changes nothing.
[[nodiscard]] capture::LinkedWorkload linked(const Defect& defect);

struct Verdicts {
    Report report;
    bool is_refused{false};  // by the validator, which looks at a binary without its model
};
[[nodiscard]] Verdicts judge(const capture::LinkedWorkload& work, const ModelSpec& against);

}  // namespace pianola::decompile
