// Executor: something besides the simulator that executes a family's binaries, such as a GPU or a board on a bus.
//
// A Target lists its executors, also one of a plugin. Users name a device of one NAME (its first) or NAME:N; `pianola
// devices` lists them.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/host/simulator.h"
#include "pianola/device.h"
#include "pianola/span.h"

namespace pianola {

// The devices that an executor finds on this machine. A device's number is its position.
struct ExecutorDevices {
    struct Device {
        std::string name;
        std::string version;  // of its interface
        std::string missing;  // what it lacks; empty if it can be opened
    };
    std::vector<Device> devices;
    std::string why_none;  // reason if there are none; may be empty
};

// Number of objects of one kind that an executor makes on its device.
struct ObjectCount {
    const char* kind{nullptr};  // for people, in the plural; static lifetime
    std::uint64_t count{0U};
};

// The device does not exist, or lacks the feature named by what().
class ExecutorRefused : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Executor {
  public:
    Executor() = default;
    virtual ~Executor() = default;
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    // The users' name, and its form in sentences. Static lifetime.
    [[nodiscard]] virtual const char* name() const noexcept = 0;
    [[nodiscard]] virtual const char* title() const noexcept = 0;
    // Whether this build contains it. If not, it finds no device and opens none.
    [[nodiscard]] virtual bool is_built() const noexcept = 0;
    // Features of the simulators that it makes.
    [[nodiscard]] virtual Offers offers() const noexcept = 0;
    [[nodiscard]] virtual ExecutorDevices devices() const = 0;
    // The objects for a trace of the device with these words; without words, those of the device itself. Empty if it
    // is not built.
    [[nodiscard]] virtual std::vector<ObjectCount> objects(const DeviceDescription& device, WordSpan words) const = 0;
    // `device` on the executor's device options.executor.number. The device must be valid, and the requested options
    // offered. Throws ExecutorRefused.
    [[nodiscard]] virtual std::unique_ptr<Simulator> simulate(const DeviceDescription& device,
                                                              const SimulatorOptions& options) const = 0;
};

}  // namespace pianola
