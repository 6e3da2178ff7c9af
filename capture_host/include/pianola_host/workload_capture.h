// WorkloadCapture: from a program against the host API to a trace binary.
//
// Records the calls that are made on a device between begin and end, and makes of them what the runtime proves and
// replays: set-up, prologue, step and epilogue. The calls are carried out as usual while they are recorded.
//
// Without marks the loop is found (docs/guide/host_api.md); a program without a loop is one step. Only the outermost
// API call counts, whatever calls it makes by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pianola_host/device.h"
#include "pianola_host/manifest.h"

namespace pianola::host {

struct CaptureOptions {
    std::string source_name{"host program"};
    // 0: four times the duration of the step, on a core with that of a verified release, and no less than 10 ms.
    std::uint32_t step_deadline_us{0U};
    std::uint32_t setup_deadline_us{0U};
    // The most steps under way at once, at most kMaxStepsInFlight. 0: 2 for a workload with a prologue whose events
    // order overlapping steps; else 1, and CapturedWorkload::warnings says why.
    std::uint32_t steps_in_flight{0U};
    bool self_tests{true};  // inputs and outputs of the captured steps become self-test vectors
    // The path for a file that the runtime refused, for `pianola verify`; empty: none.
    std::string refused_file;
};

struct TensorDeclaration {
    std::string name;
    ElementType type{ElementType::kInt8};
    std::vector<std::uint32_t> shape;
    float scale{0.0F};
    std::int32_t zero_point{0};
};

struct CapturedWorkload {
    std::vector<std::uint8_t> file;  // a .ptb, validated, and replayed on the simulator
    capture::Manifest manifest;
    const char* profile{""};  // of the device's runtime; static lifetime
    std::uint32_t steps{0U};  // that were captured and folded into one
    std::vector<std::string> warnings;
    // The captured run's data: per inference, per tensor in the order of declaration.
    std::vector<std::vector<std::vector<std::uint8_t>>> inputs;
    std::vector<std::vector<std::vector<std::uint8_t>>> outputs;
};

// Devices that are captured together, row-major, all with the same options: MeshDevice::grid().
struct DeviceGrid {
    std::vector<std::shared_ptr<Device>> devices;
    std::uint32_t rows{1U};
    std::uint32_t columns{1U};
};

class WorkloadCapture {
  public:
    // Throws API-CAPTURE-STATE if the device is being captured already, API-CAPTURE-OFF if recording was compiled out.
    explicit WorkloadCapture(std::shared_ptr<Device> device, CaptureOptions options = {});
    explicit WorkloadCapture(DeviceGrid grid, CaptureOptions options = {});
    // Ends a capture under way without a result.
    ~WorkloadCapture();
    WorkloadCapture(const WorkloadCapture&) = delete;
    WorkloadCapture& operator=(const WorkloadCapture&) = delete;

    // Declares data that crosses the boundary between host and device in every step. In the order of declaration.
    void declare_input(const BufferPtr& buffer, const TensorDeclaration& tensor);
    void declare_output(const BufferPtr& buffer, const TensorDeclaration& tensor);
    // Written before the first step, and never again.
    void declare_constant(const BufferPtr& buffer, const std::string& name = "constant");
    // For several devices: one tensor, with a part in each of their buffers. Pieces are consecutive in the first
    // dimension, row-major over the devices; data that the mesh writes to all of them is one piece.
    void declare_input(const std::vector<BufferPtr>& shards, const TensorDeclaration& tensor);
    void declare_output(const std::vector<BufferPtr>& shards, const TensorDeclaration& tensor);
    void declare_constant(const std::vector<BufferPtr>& shards, const std::string& name = "constant");
    // A parameter of a trace of the only device, which the binary's user may set between steps.
    void declare_parameter(TraceId trace, const TraceParameter& parameter);

    // Marks. begin_step() again begins the next step; N >= 2 identical steps become one.
    void begin_prologue();
    void begin_step();
    void begin_epilogue();

    // Ends recording, and makes the binary. Throws API-CAPTURE-*; the capture has ended then, too.
    [[nodiscard]] CapturedWorkload end();
    // Ends recording without a result.
    void discard() noexcept;
    [[nodiscard]] bool is_active() const noexcept;

    struct State;

  private:
    std::shared_ptr<State> state_;
};

// Begin and end beside the object: one capture per device.
void begin_capture(const std::shared_ptr<Device>& device, const CaptureOptions& options = {});
[[nodiscard]] WorkloadCapture& current_capture(const std::shared_ptr<Device>& device);
[[nodiscard]] CapturedWorkload end_capture(const std::shared_ptr<Device>& device);

// The guard: ends the capture without a result if it is still under way.
class CaptureGuard {
  public:
    explicit CaptureGuard(std::shared_ptr<Device> device, const CaptureOptions& options = {});
    ~CaptureGuard();
    CaptureGuard(const CaptureGuard&) = delete;
    CaptureGuard& operator=(const CaptureGuard&) = delete;
    [[nodiscard]] WorkloadCapture& capture();
    [[nodiscard]] CapturedWorkload end();

  private:
    std::shared_ptr<Device> device_;
};

// Replays the binary with the target's runtime on a new device: a simulated one, or the Vulkan device with that number.
// inputs and result: per inference, per tensor in the order of declaration. Throws API-CAPTURE-REFUSED, and
// API-DEVICE-OPTIONS if there is no such device.
[[nodiscard]] std::vector<std::vector<std::vector<std::uint8_t>>> replay_workload(
    const CapturedWorkload& workload, const DeviceDescription& spec,
    const std::vector<std::vector<std::vector<std::uint8_t>>>& inputs,
    std::optional<std::uint32_t> vulkan = std::nullopt);
// Throw API-COMPARE, which names inference, output, byte and both values at the first difference. compare_to_capture()
// replays the inputs of the captured run, and compares with the outputs of that run.
void compare_to_capture(const CapturedWorkload& workload, const DeviceDescription& spec,
                        std::optional<std::uint32_t> vulkan = std::nullopt);
void compare_to_golden(const std::vector<std::vector<std::vector<std::uint8_t>>>& outputs,
                       const std::vector<std::vector<std::vector<std::uint8_t>>>& golden);

}  // namespace pianola::host
