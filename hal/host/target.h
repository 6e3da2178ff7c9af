// Target: the host tools' interface to a family of devices.
//
// The only interface between capture_host and a device. The tools read a binary's device family, and do the rest
// through the Target of that family: hal/registry lists the built-in ones, a plugin (hal/host/plugin.h) adds
// another. A port implements the four methods without a body; the tools report by name any other method that it does
// not offer. A device in the field has Device, Platform and CommandSet.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/host/executor.h"
#include "hal/host/simulator.h"
#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola {

// Commands of a trace that tools write directly: timelines stage transfers, the mutation kit breaks rules.
// A copy or fill may take several commands of a device; the others take one.
enum class Sample : std::uint8_t {
    kCopy,            // destination, source, size_bytes
    kFill,            // destination, size_bytes, value
    kBarrier,         // waits for all cores
    kEnd,             // of a trace
    kCopyLaunch,      // a kernel that copies: destination, source, size_bytes
    kCopyDispatch,    // the same on one core: core
    kLongLaunch,      // a kernel that takes very long on [destination, destination + size_bytes)
    kUnknownCommand,  // a word that does not begin a command
    kUnknownKernel,   // a launch of a kernel that the device does not have
    kQueueCommand,    // a command for queues, which is not permitted in traces
    kReservedBits,    // the first word `value` of a command, with bits that no command has
    kNoLength,        // the first word `value` of a command, of no words
    kWrongCost,       // kCopyLaunch with another cost
};
struct SampleOperands {
    std::uint32_t destination{0U};
    std::uint32_t source{0U};
    std::uint32_t size_bytes{0U};
    std::uint32_t value{0U};
    std::uint32_t core{0U};
};

// RAM that a device's software takes on the target besides the session, on a 32-bit core.
struct RamPart {
    std::string name;   // of members and constants: "shared_state"
    std::string title;  // for people
    std::string remark;
    std::string type;         // in C++, so that a target's build can compare
    std::string header;       // that declares it
    std::uint32_t bytes{0U};  // of one object
    bool is_placed{false};    // a linker script gives its address
};

// The commands that a dumped log of one queue still holds, oldest first.
struct QueueLog {
    std::uint32_t written{0U};  // since reset
    std::vector<LoggedCommand> commands;
};

class Target {
  public:
    Target() = default;
    virtual ~Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;

    // A device of the family, in its usual sizes. All of them have its identity (family, command set, kernel library).
    [[nodiscard]] virtual DeviceDescription usual_device() const = 0;
    // Why no device of the family can have these sizes, with member names; empty if one can.
    [[nodiscard]] virtual std::string what_is_wrong_with(const DeviceDescription& device) const = 0;
    [[nodiscard]] virtual const CommandSet& command_set() const noexcept = 0;
    // The target for devices of the family with this cost model (DeviceDescription::cost_model): this one, or one whose
    // usual device, command set and samples have its costs. nullptr if there is no such model; the numbers of a family
    // have no gaps, from 1. Static lifetime.
    [[nodiscard]] virtual const Target* with_cost_model(std::uint32_t number) const noexcept {
        return (number == usual_device().cost_model) ? this : nullptr;
    }
    // For people; empty if the family has one model. Static lifetime.
    [[nodiscard]] virtual const char* cost_model_name() const noexcept { return ""; }
    // nullptr for a kernel that the device does not have. Static lifetime.
    [[nodiscard]] virtual const char* kernel_name(std::uint32_t kernel_id) const noexcept = 0;

    [[nodiscard]] virtual Offers offers() const noexcept { return {}; }
    // nullptr if there is none. The device must be valid, and the requested options offered; no executor.
    [[nodiscard]] virtual std::unique_ptr<Simulator> simulate(const DeviceDescription& /*device*/,
                                                              const SimulatorOptions& /*options*/) const {
        return nullptr;
    }
    // What else executes the family's binaries, also if this build lacks it. Static lifetime.
    [[nodiscard]] virtual Span<const Executor* const> executors() const noexcept { return {}; }
    // Its words; empty if the device has no such command.
    [[nodiscard]] virtual std::vector<std::uint32_t> sample(Sample /*which*/,
                                                            const SampleOperands& /*operands*/) const {
        return {};
    }
    // The kind of core for which this command of a trace has packed weights, as named by `capture --pack`: others
    // refuse the binary. Empty if every core accepts the command.
    [[nodiscard]] virtual std::string packed_for(WordSpan /*command*/) const { return {}; }
    // Multiply-accumulate operations of this command of a trace, by its shapes alone, padding included. 0 if it
    // multiplies nothing.
    [[nodiscard]] virtual std::uint64_t multiply_accumulates(WordSpan /*command*/) const { return 0U; }
    [[nodiscard]] virtual std::vector<RamPart> ram(const Capacities& /*capacities*/) const { return {}; }
    // A C++ constant kDeviceSpec, from which a target's build makes its driver; empty if there is no such form.
    [[nodiscard]] virtual std::string device_constant(const DeviceDescription& /*device*/) const { return {}; }
    // A C++ source that defines the ROM of a device's image with these kernels alone, in ascending order; the image's
    // build compiles it. Empty if there is no such form, or if one of the kernels is not the device's.
    [[nodiscard]] virtual std::string kernel_rom(Span<const std::uint32_t> /*ids*/) const { return {}; }
    // One log per queue, from a dump. The problem of the dump, with its byte; empty if there is none.
    [[nodiscard]] virtual std::string read_execution_logs(ByteSpan /*dump*/, std::vector<QueueLog>& /*logs*/) const {
        return "the device keeps none";
    }
};

// The target of the family with the cost model of this name; nullptr if there is none.
[[nodiscard]] inline const Target* with_cost_model(const Target& target, const std::string& name) {
    for (std::uint32_t number = 1U;; ++number) {
        const Target* const found = target.with_cost_model(number);
        if ((found == nullptr) || (name == found->cost_model_name())) {
            return found;
        }
    }
}

// The device that `text`, NAME or NAME:N, names of these targets' executors. Without an executor for other text.
[[nodiscard]] inline ExecutorDevice find_executor(Span<const Target* const> targets, const std::string& text) {
    constexpr std::size_t kMostDigits = 4U;
    const std::size_t colon = text.find(':');
    const std::string digits = (colon == std::string::npos) ? "0" : text.substr(colon + 1U);
    if (digits.empty() || (digits.size() > kMostDigits) ||
        (digits.find_first_not_of("0123456789") != std::string::npos)) {
        return {};
    }
    for (const Target* const target : targets) {
        for (const Executor* const executor : target->executors()) {
            if (text.substr(0U, colon) == executor->name()) {
                return {executor, static_cast<std::uint32_t>(std::stoul(digits))};
            }
        }
    }
    return {};
}

}  // namespace pianola
