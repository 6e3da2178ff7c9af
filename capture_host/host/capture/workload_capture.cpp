#include "pianola_host/workload_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <mutex>

#include "capture_host/host/capture/make.h"

namespace pianola::host {

namespace {

[[noreturn]] void refuse_state(const std::string& message) {
    throw HostError{HostRule::kCaptureState, message};
}

// A buffer may be an input and an output.
void check_new(const BufferPtr& buffer, const std::vector<DeclaredTensor>& tensors,
               const std::map<std::uint64_t, DeclaredConstant>& constants) {
    const std::uint64_t id = buffer->id().value;
    const bool is_tensor = std::any_of(tensors.begin(), tensors.end(),
                                       [id](const DeclaredTensor& tensor) { return tensor.id.value == id; });
    if (is_tensor || (constants.count(id) != 0U)) {
        throw HostError{HostRule::kCaptureTensor,
                        fmt::format("buffer {} has been declared already; a buffer is one input and one output at "
                                    "most, or one constant",
                                    id)};
    }
}

void check_shape(const BufferPtr& buffer, const TensorDeclaration& tensor) {
    std::uint64_t bytes = std::max(element_bytes(tensor.type), 1U);  // without a type: refused with the file
    for (const std::uint32_t dimension : tensor.shape) {
        bytes *= dimension;
    }
    if ((bytes != buffer->size_bytes()) || (tensor.shape.size() > kMaxRank)) {
        throw HostError{
            HostRule::kCaptureTensor,
            fmt::format("'{}' is declared with {} bytes in {} dimensions, its buffer has {} bytes; at most {} "
                        "dimensions, and exactly the buffer's size",
                        tensor.name, bytes, tensor.shape.size(), buffer->size_bytes(), kMaxRank)};
    }
}

#if PIANOLA_RECORDING
// For messages about calls; empty for a single device.
std::string place_of(const DeviceGrid& grid, std::uint32_t device) {
    return (grid.devices.size() == 1U)
               ? std::string{}
               : fmt::format(" of device ({}, {})", device / grid.columns, device % grid.columns);
}
#endif

}  // namespace

struct WorkloadCapture::State {
    DeviceGrid grid;
    CaptureOptions options;
    std::shared_ptr<CallLog> log;
    Declarations declarations;
    bool active{true};

    void check_active() const {
        if (!active) {
            refuse_state("the capture has ended");
        }
    }
    // In order: all code that locks several devices locks those of a mesh, in its order.
    [[nodiscard]] std::vector<std::unique_lock<std::recursive_mutex>> locks() const {
        std::vector<std::unique_lock<std::recursive_mutex>> all;
        for (const std::shared_ptr<Device>& device : grid.devices) {
            all.emplace_back(device->state().mutex);
        }
        return all;
    }
    // The device of the buffer.
    [[nodiscard]] std::uint32_t check_declared(const BufferPtr& buffer,
                                               const std::vector<DeclaredTensor>& tensors) const {
        check_active();
        const auto owner = (buffer == nullptr) ? grid.devices.end()
                                               : std::find(grid.devices.begin(), grid.devices.end(), buffer->device());
        ((owner == grid.devices.end()) ? grid.devices.front() : *owner)->check_buffer(buffer);
        check_new(buffer, tensors, declarations.constants);
        return static_cast<std::uint32_t>(owner - grid.devices.begin());
    }
    void declare(std::vector<DeclaredTensor>& tensors, const BufferPtr& buffer, const TensorDeclaration& tensor) const {
        const std::uint32_t device = check_declared(buffer, tensors);
        check_shape(buffer, tensor);
        tensors.push_back({buffer->id(), captured_buffer(*buffer), tensor, device, false, {}});
    }
    void begin(ScriptKind kind, std::initializer_list<ScriptKind> behind, const char* why_not) {
        check_active();
        const ScriptKind last = log->sections().back().kind;
        if (std::find(behind.begin(), behind.end(), last) == behind.end()) {
            refuse_state(why_not);
        }
        log->begin_section(kind);
    }
};

WorkloadCapture::WorkloadCapture(std::shared_ptr<Device> device, CaptureOptions options)
    : WorkloadCapture{DeviceGrid{{std::move(device)}, 1U, 1U}, std::move(options)} {}

WorkloadCapture::WorkloadCapture(DeviceGrid grid, CaptureOptions options) : state_{std::make_shared<State>()} {
#if PIANOLA_RECORDING
    if (grid.devices.empty() || (grid.devices.size() != (std::size_t{grid.rows} * grid.columns))) {
        refuse_state(fmt::format("{} devices are no grid of {} x {}", grid.devices.size(), grid.rows, grid.columns));
    }
    state_->grid = std::move(grid);
    const std::vector<std::unique_lock<std::recursive_mutex>> locks = state_->locks();
    for (const std::shared_ptr<Device>& device : state_->grid.devices) {
        device->state().check_open();
        if (device->state().recorder != nullptr) {
            state_->active = false;
            refuse_state("the device is being captured already; end that capture first");
        }
    }
    state_->options = std::move(options);
    state_->log = std::make_shared<CallLog>();
    for (std::uint32_t i = 0U; i < state_->grid.devices.size(); ++i) {
        DeviceState& device = state_->grid.devices[i]->state();
        device.recorder = std::make_shared<DeviceRecorder>(state_->log, device, i, place_of(state_->grid, i));
    }
#else
    (void)grid;
    (void)options;
    throw HostError{HostRule::kCaptureOff,
                    "this library was built with PIANOLA_RECORDING=OFF; build it with ON to capture"};
#endif
}

WorkloadCapture::~WorkloadCapture() {
    discard();
}

void WorkloadCapture::discard() noexcept {
    for (const std::shared_ptr<Device>& device : state_->grid.devices) {
        if (state_->active) {
            const Lock lock{device->state().mutex};
            device->state().recorder.reset();
        }
    }
    state_->active = false;
}

bool WorkloadCapture::is_active() const noexcept {
    return state_->active;
}

void WorkloadCapture::declare_input(const BufferPtr& buffer, const TensorDeclaration& tensor) {
    state_->declare(state_->declarations.inputs, buffer, tensor);
}

void WorkloadCapture::declare_output(const BufferPtr& buffer, const TensorDeclaration& tensor) {
    state_->declare(state_->declarations.outputs, buffer, tensor);
}

void WorkloadCapture::declare_constant(const BufferPtr& buffer, const std::string& name) {
    const std::uint32_t device = state_->check_declared(buffer, state_->declarations.inputs);
    state_->declarations.constants[buffer->id().value] = {name, device};
}

void WorkloadCapture::declare_input(const std::vector<BufferPtr>& shards, const TensorDeclaration& tensor) {
    for (const BufferPtr& shard : shards) {
        declare_input(shard, tensor);
    }
}

void WorkloadCapture::declare_output(const std::vector<BufferPtr>& shards, const TensorDeclaration& tensor) {
    for (const BufferPtr& shard : shards) {
        declare_output(shard, tensor);
    }
}

void WorkloadCapture::declare_constant(const std::vector<BufferPtr>& shards, const std::string& name) {
    for (const BufferPtr& shard : shards) {
        declare_constant(shard, name);
    }
}

void WorkloadCapture::declare_parameter(TraceId trace, const TraceParameter& parameter) {
    state_->check_active();
    if (state_->grid.devices.size() > 1U) {
        throw HostError{HostRule::kTraceParameter,
                        "a capture of several devices takes no parameters; capture one device, or give the value as an "
                        "input"};
    }
    Device& device = *state_->grid.devices.front();
    const Lock lock{device.state().mutex};
    const TraceState& target = device.state().trace(trace);
    // The binary's user sets a parameter by name only.
    std::vector<DeclaredParameter>& declared = state_->declarations.parameters;
    if (std::any_of(declared.begin(), declared.end(),
                    [&](const DeclaredParameter& other) { return other.parameter.name == parameter.name; })) {
        throw HostError{HostRule::kTraceParameter,
                        fmt::format("the capture has a parameter '{}' already; those of another trace need other names",
                                    parameter.name)};
    }
    const bool known = std::any_of(target.parameters.begin(), target.parameters.end(),
                                   [&](const TraceParameter& other) { return other.name == parameter.name; });
    if (!known) {
        device.declare_parameter(trace, parameter);
    }
    declared.push_back({trace, parameter});
}

void WorkloadCapture::begin_prologue() {
    state_->begin(ScriptKind::kPrologue, {ScriptKind::kUnspecified}, "a prologue comes first, and once");
}

void WorkloadCapture::begin_step() {
    state_->begin(ScriptKind::kStep, {ScriptKind::kUnspecified, ScriptKind::kPrologue, ScriptKind::kStep},
                  "no step comes after the epilogue");
}

void WorkloadCapture::begin_epilogue() {
    state_->begin(ScriptKind::kEpilogue, {ScriptKind::kStep}, "an epilogue comes after a step, and once");
}

CapturedWorkload WorkloadCapture::end() {
    state_->check_active();
    const std::vector<std::unique_lock<std::recursive_mutex>> locks = state_->locks();
    discard();
    for (const std::shared_ptr<Device>& each : state_->grid.devices) {
        DeviceState& device = each->state();
        for (std::uint32_t queue = 0U; queue < device.spec.queue_count; ++queue) {
            device.check_not_capturing(queue, "ending a capture");
        }
        device.drain();
    }
    return make_workload(state_->grid, state_->log->sections(), state_->declarations, state_->options);
}

namespace {

// The captures of begin_capture().
struct OpenCaptures {
    std::mutex mutex;
    std::map<std::weak_ptr<Device>, std::shared_ptr<WorkloadCapture>, std::owner_less<>> by_device;
};
OpenCaptures& open_captures() {
    static OpenCaptures captures;
    return captures;
}

std::shared_ptr<WorkloadCapture> find_capture(const std::shared_ptr<Device>& device, bool remove) {
    OpenCaptures& open = open_captures();
    const std::lock_guard<std::mutex> lock{open.mutex};
    const auto found = open.by_device.find(device);
    if (found == open.by_device.end()) {
        return nullptr;
    }
    std::shared_ptr<WorkloadCapture> capture = found->second;
    if (remove || !capture->is_active()) {
        open.by_device.erase(found);
    }
    return capture;
}

}  // namespace

void begin_capture(const std::shared_ptr<Device>& device, const CaptureOptions& options) {
    auto capture = std::make_shared<WorkloadCapture>(device, options);
    OpenCaptures& open = open_captures();
    const std::lock_guard<std::mutex> lock{open.mutex};
    open.by_device[device] = std::move(capture);
}

WorkloadCapture& current_capture(const std::shared_ptr<Device>& device) {
    const std::shared_ptr<WorkloadCapture> capture = find_capture(device, false);
    if ((capture == nullptr) || !capture->is_active()) {
        refuse_state("the device is not being captured; call begin_capture() first");
    }
    return *capture;
}

CapturedWorkload end_capture(const std::shared_ptr<Device>& device) {
    const std::shared_ptr<WorkloadCapture> capture = find_capture(device, true);
    if (capture == nullptr) {
        refuse_state("the device is not being captured; call begin_capture() first");
    }
    return capture->end();
}

CaptureGuard::CaptureGuard(std::shared_ptr<Device> device, const CaptureOptions& options) : device_{std::move(device)} {
    begin_capture(device_, options);
}

CaptureGuard::~CaptureGuard() {
    const std::shared_ptr<WorkloadCapture> capture = find_capture(device_, true);
    if (capture != nullptr) {
        capture->discard();
    }
}

WorkloadCapture& CaptureGuard::capture() {
    return current_capture(device_);
}

CapturedWorkload CaptureGuard::end() {
    return end_capture(device_);
}

}  // namespace pianola::host
