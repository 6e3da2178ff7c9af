// MeasuringBoard: a board under QEMU that runs the measuring image (hal/measure).
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/base/child.h"
#include "pianola/span.h"

namespace pianola::cli {

// What the image is to do with a binary.
struct MeasureOrder {
    ByteSpan binary;
    std::vector<std::uint8_t> inputs;  // of one step; empty: zeros
    std::uint32_t steps{1U};
    bool transfers{false};
};
// The bytes that lie at the start of the board's memory: order, binary, inputs.
[[nodiscard]] std::vector<std::uint8_t> order_bytes(const MeasureOrder& order, bool is_counted_outside);

// What a run has left.
struct MeasureRun {
    std::string log;                    // all that the image and QEMU have printed
    std::vector<std::uint64_t> counts;  // of the markers' intervals; empty if the image counted
};

class MeasuringBoard {
  public:
    // `images` is the folder with the board's folder, or that folder itself; empty: beside the program, where packages
    // have it. Throws CliError.
    MeasuringBoard(const std::string& name, const std::string& images);

    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] std::string device_file() const { return folder_ + "/device.json"; }
    [[nodiscard]] std::string pack() const { return facts_.at("pack").get<std::string>(); }
    // Throws Interrupted, and CliError: QEMU is missing, does not end in time, or has not counted.
    [[nodiscard]] MeasureRun run(const MeasureOrder& order, bool own_counter, std::chrono::seconds limit,
                                 const files::HeldSignals& held) const;

  private:
    [[nodiscard]] std::string setup_text() const;
    [[nodiscard]] std::vector<std::string> command(const files::TemporaryFolder& folder, bool own_counter) const;

    std::string name_;
    std::string folder_;
    nlohmann::json facts_;                         // measure.json
    std::pair<std::uint64_t, std::uint64_t> ram_;  // where it begins and ends
};

}  // namespace pianola::cli
