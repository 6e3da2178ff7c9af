// Watched: a Vulkan device under a judge; and the comparison of three judges of races.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/vulkan/traces.h"
#include "tests/vulkan/vulkan_port.h"

namespace pianola::vulkan {

[[nodiscard]] bool layer_is_there();

// Where a device of these sizes has its traces.
[[nodiscard]] std::uint32_t trace_address(const refdev::DeviceSpec& spec);
// The command and a notification behind it, up to what the driver is given: what a step costs its thread.
[[gnu::noinline]] void submit(VulkanDevice& device, QueueCommand command, std::uint32_t token);

class Watched {
  public:
    explicit Watched(Judge judge);

    [[nodiscard]] Opened& opened() { return opened_; }
    [[nodiscard]] const std::vector<std::string>& messages() const { return messages_; }
    void clear() { messages_.clear(); }
    // Brings the words to the device and replays them, whatever anybody says of them. With `changed`, that word is
    // another one by then. True where the device has completed it.
    // Both wait until it has completed; load() does not replay.
    bool load(const std::vector<std::uint32_t>& words);
    bool wait(std::uint32_t token);
    bool replay(const std::vector<std::uint32_t>& words,
                const std::optional<std::pair<std::uint32_t, std::uint32_t>>& changed = {});

  private:
    std::vector<std::string> messages_;
    Opened opened_;
};

struct Agreement {
    struct Counts {
        std::uint32_t mutants{0U};
        std::uint32_t refused{0U};       // by the validator, for TRC-CORE-RACE
        std::uint32_t racy{0U};          // by the explorer
        std::uint32_t written_once{0U};  // of these, where no byte is written by two
        std::uint32_t hazards{0U};       // by Khronos' synchronization validation
    };
    std::uint32_t right_traces{0U};
    std::uint32_t right_hazards{0U};
    std::map<std::string, Counts> mutants;  // by what is left out
    std::vector<std::string> disagreements;

    [[nodiscard]] std::string table() const;
};
// The same traces in every run.
[[nodiscard]] Agreement compare_judges();

}  // namespace pianola::vulkan
