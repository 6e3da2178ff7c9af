#include "tests/vulkan/agreement.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "hal/devices/refdev/command_encoding.h"

namespace pianola::vulkan {
namespace {

constexpr std::uint32_t kRightTraces = 120U;
constexpr std::uint32_t kSeed = 15U;
constexpr const char* kRaceRule = "TRC-CORE-RACE";

MachineOptions watched_by(Judge judge, std::vector<std::string>& messages) {
    // Else the layer keeps silent after ten messages of a kind. Read by the layer when an instance is made.
    (void)setenv("VK_LAYER_DUPLICATE_MESSAGE_LIMIT", "1000000", 1);
    MachineOptions options;
    options.context.judge = judge;
    options.context.user = &messages;
    options.context.sink = [](void* user, const char* text) {
        static_cast<std::vector<std::string>*>(user)->emplace_back(text);
    };
    return options;
}

}  // namespace

bool layer_is_there() {
    std::uint32_t count = 0U;
    if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) {
        return false;
    }
    std::vector<VkLayerProperties> layers(count);
    (void)vkEnumerateInstanceLayerProperties(&count, layers.data());
    return std::any_of(layers.begin(), layers.end(), [](const VkLayerProperties& layer) {
        return std::strcmp(&layer.layerName[0], "VK_LAYER_KHRONOS_validation") == 0;
    });
}

Watched::Watched(Judge judge) : opened_{watched_by(judge, messages_)} {}

std::uint32_t trace_address(const refdev::DeviceSpec& spec) {
    return spec.dram_base + spec.dram_bytes - spec.trace_region_bytes;
}

void submit(VulkanDevice& device, QueueCommand command, std::uint32_t token) {
    QueueCommand notify;
    notify.kind = QueueCommandKind::kNotify;
    notify.value = token;
    (void)device.append(0U, command);
    (void)device.append(0U, notify);
    (void)device.ring_doorbell(0U);
    (void)device.service();
}

bool Watched::wait(std::uint32_t token) {
    Completion completion;
    Status status = Status::kPending;
    while (status == Status::kPending) {
        (void)opened_.device.service();
        status = opened_.device.completion(0U, token, completion);
        std::this_thread::yield();
    }
    return is_ok(status);
}

bool Watched::load(const std::vector<std::uint32_t>& words) {
    VulkanDevice& device = opened_.device;
    const refdev::DeviceSpec& spec = device.spec();
    const std::uint32_t region = trace_address(spec);
    if (!is_ok(device.reset()) ||
        !is_ok(device.program_region({spec.dram_base, region - spec.dram_base, true, true, true, true, false})) ||
        !is_ok(device.program_region({spec.l1_base, spec.l1_bytes, true, true, true, true, false})) ||
        !is_ok(device.program_region({region, spec.trace_region_bytes, false, false, false, true, true}))) {
        return false;
    }
    std::vector<std::uint8_t> source(words.size() * sizeof(std::uint32_t));
    std::memcpy(source.data(), words.data(), source.size());
    (void)device.bind_source(0U, {source.data(), source.size()});
    QueueCommand write;
    write.kind = QueueCommandKind::kWrite;
    write.address = region;
    write.size_bytes = static_cast<std::uint32_t>(source.size());
    submit(device, write, 1U);
    const bool ok = wait(1U);
    (void)device.bind_source(0U, {});
    return ok;
}

bool Watched::replay(const std::vector<std::uint32_t>& words,
                     const std::optional<std::pair<std::uint32_t, std::uint32_t>>& changed) {
    VulkanDevice& device = opened_.device;
    const std::uint32_t region = trace_address(device.spec());
    const auto bytes = static_cast<std::uint32_t>(words.size() * sizeof(std::uint32_t));
    if (!load(words)) {
        return false;
    }
    if (changed.has_value()) {
        std::uint8_t* const memory = device.machine().memory_at(region, bytes);
        std::memcpy(memory + (changed->first * sizeof(std::uint32_t)), &changed->second, sizeof(std::uint32_t));
    }
    QueueCommand command;
    command.kind = QueueCommandKind::kReplay;
    command.address = region;
    command.size_bytes = bytes;
    submit(device, command, 2U);
    return wait(2U);
}

Agreement compare_judges() {
    Agreement agreement;
    const SmallTraces traces;
    Watched watched{Judge::kSynchronization};
    test::Random random{kSeed};
    const auto has_hazard = [&](const Pieces& pieces) {
        watched.clear();
        if (!watched.replay(traces.words(pieces))) {
            agreement.disagreements.emplace_back("the device does not complete a trace");
        }
        return std::any_of(watched.messages().begin(), watched.messages().end(),
                           [](const std::string& message) { return message.find("SYNC-HAZARD") != std::string::npos; });
    };
    for (std::uint32_t i = 0U; i < kRightTraces; ++i) {
        const Pieces right = ordered_pieces(random);
        const std::string rule = traces.verdict(right);
        const bool hazard = has_hazard(right);
        agreement.right_traces += 1U;
        agreement.right_hazards += hazard ? 1U : 0U;
        if (!rule.empty() || explored_race(right) || hazard) {
            agreement.disagreements.push_back("right trace " + std::to_string(i) + " " + rule);
        }
        for (const TraceMutant& mutant : mutants_of(right)) {
            Agreement::Counts& counts = agreement.mutants[mutant.what];
            const std::string refused = traces.verdict(mutant.pieces);
            const bool race = explored_race(mutant.pieces);
            const bool seen = has_hazard(mutant.pieces);
            counts.mutants += 1U;
            counts.refused += (refused == kRaceRule) ? 1U : 0U;
            counts.racy += race ? 1U : 0U;
            const bool has_to_be_seen = race && !writers_meet(mutant.pieces);
            counts.written_once += has_to_be_seen ? 1U : 0U;
            counts.hazards += seen ? 1U : 0U;
            const bool is_other = !refused.empty() && (refused != kRaceRule);
            if (is_other || (race != !refused.empty()) || (has_to_be_seen && !seen) || (seen && !race)) {
                agreement.disagreements.push_back("trace " + std::to_string(i) + " without " + mutant.what + ": " +
                                                  refused + ", explorer " + std::to_string(race ? 1 : 0) +
                                                  ", Khronos " + std::to_string(seen ? 1 : 0));
            }
        }
    }
    return agreement;
}

std::string Agreement::table() const {
    std::string text =
        "| traces | number | refused by the validator | racy to the explorer | of these no byte is written twice | "
        "SYNC-HAZARD "
        "|\n|---|---:|---:|---:|---:|---:|\n";
    text += "| right | " + std::to_string(right_traces) + " | 0 | 0 | 0 | " + std::to_string(right_hazards) + " |\n";
    for (const auto& [what, counts] : mutants) {
        text += "| without " + what + " | " + std::to_string(counts.mutants) + " | " + std::to_string(counts.refused) +
                " | " + std::to_string(counts.racy) + " | " + std::to_string(counts.written_once) + " | " +
                std::to_string(counts.hazards) + " |\n";
    }
    return text;
}

}  // namespace pianola::vulkan
