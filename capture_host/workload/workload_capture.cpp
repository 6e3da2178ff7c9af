#include "capture_host/workload/workload_capture.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <mutex>

#include "capture_host/files/files.h"
#include "capture_host/link/link.h"
#include "capture_host/workload/capture_discovery.h"
#include "capture_host/workload/capture_link.h"
#include "capture_host/workload/capture_meaning.h"
#include "capture_host/workload/capture_order.h"
#include "capture_host/workload/capture_refusal.h"
#include "capture_host/workload/capture_staging.h"
#include "capture_host/workload/workload_trial.h"

namespace pianola::host {

namespace {

[[noreturn]] void refuse_state(const std::string& message) {
    throw HostError{HostRule::kCaptureState, message};
}

// A buffer may be an input and an output.
void check_new(const BufferPtr& buffer, const std::vector<DeclaredTensor>& tensors,
               const std::map<std::uint64_t, std::string>& constants) {
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
    std::uint64_t bytes = std::max(element_bytes(tensor.type), 1U);  // of no type: refused with the file
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

}  // namespace

struct WorkloadCapture::State {
    std::shared_ptr<Device> device;
    CaptureOptions options;
    std::shared_ptr<CallLog> log;
    Declarations declarations;
    bool active{true};

    void check_active() const {
        if (!active) {
            refuse_state("the capture has ended");
        }
    }
    void check_declared(const BufferPtr& buffer, const std::vector<DeclaredTensor>& tensors) const {
        check_active();
        device->check_buffer(buffer);
        check_new(buffer, tensors, declarations.constants);
    }
    void declare(std::vector<DeclaredTensor>& tensors, const BufferPtr& buffer, const TensorDeclaration& tensor) const {
        check_declared(buffer, tensors);
        check_shape(buffer, tensor);
        tensors.push_back({buffer->id(), captured_buffer(*buffer), tensor});
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

namespace {

// The workload, with vectors from the captured run, tried.
CapturedWorkload make_workload(const DeviceState& device, const Scripts& scripts, const Declarations& declarations,
                               const CaptureOptions& options, std::uint32_t steps_in_flight,
                               const std::string& why_no_vectors) {
    LinkedCapture linked = link_capture(device.family, device.spec, scripts, declarations, options, steps_in_flight);
    if (scripts.inputs.size() != scripts.outputs.size()) {
        throw HostError{HostRule::kCaptureContent,
                        fmt::format("the captured run gave inputs {} times and took outputs {} times",
                                    scripts.inputs.size(), scripts.outputs.size())};
    }
    const bool has_vectors = options.self_tests && why_no_vectors.empty();
    const std::size_t vectors = has_vectors ? std::min<std::size_t>(scripts.inputs.size(), kMaxSelfTests) : 0U;
    for (std::size_t i = 0U; i < vectors; ++i) {
        for (const auto* tensors : {&scripts.inputs[i], &scripts.outputs[i]}) {
            for (const std::vector<std::uint8_t>& tensor : *tensors) {
                linked.segments.self_tests.insert(linked.segments.self_tests.end(), tensor.begin(), tensor.end());
            }
        }
    }
    linked.manifest.self_test_count = static_cast<std::uint32_t>(vectors);
    CapturedWorkload workload;
    workload.file = capture::write_trace_binary(linked.manifest, linked.segments);
    workload.manifest = linked.manifest;
    workload.profile = device.spec.capacities->name;
    workload.steps = scripts.steps;
    workload.inputs = scripts.inputs;
    workload.outputs = scripts.outputs;
    if (options.self_tests && !has_vectors) {
        workload.warnings.push_back(
            fmt::format("the binary has no self-test vectors, because its outputs depend on earlier steps: {}. Vectors "
                        "must hold at any time and in any order: initialise in the step what it keeps on the device, "
                        "or test the binary on target by other means",
                        why_no_vectors));
    }
    try {
        try_workload(workload, device.spec);
    } catch (const TrialRefused& refused) {
        if (!options.refused_file.empty()) {
            files::store_file(options.refused_file, workload.file);
        }
        throw HostError{HostRule::kCaptureRefused,
                        explain_refusal(linked, refused.verdict(), device) + refused.remedy()};
    }
    return workload;
}

// Where steps do not overlap although something was to let them: a wait that is missing shows nowhere else.
void warn_of_idle_records(const Scripts& scripts, std::vector<std::string>& warnings) {
    for (const std::string& record : scripts.idle_records) {
        warnings.push_back(
            fmt::format("captured with one step in flight: {} has no effect, because no other queue waits for it; wait "
                        "for it where a step needs what it stands for, and record it anew in every step",
                        record));
    }
    if (scripts.lost_prologue && scripts.idle_records.empty()) {
        warnings.emplace_back(
            "captured with one step in flight: a prologue was marked, and nothing in it has an effect; what a "
            "prologue can hold are inputs, programs, traces, and records that a step waits for");
    }
}

// The calls so read, with as many steps in flight as the options or the events allow.
CapturedWorkload captured(const DeviceState& device, const Reading& found, const std::vector<Section>& sections,
                          const CaptureOptions& options) {
    check_front(found, device.command_set);
    const Scripts as_found = make_scripts(found.sections, found.declarations);
    check_order(found, as_found, sections, device.command_set);
    const Reading reading = with_staging(found, device.family, device.spec);
    const Scripts scripts = make_scripts(reading.sections, reading.declarations);
    const std::string why_no_vectors = check_meaning(reading, scripts, sections, device.command_set);
    std::vector<std::string> warnings;
    if (!reading.warning.empty()) {
        warnings.push_back(reading.warning);
    }
    const auto make = [&](std::uint32_t steps_in_flight) {
        CapturedWorkload workload =
            make_workload(device, scripts, reading.declarations, options, steps_in_flight, why_no_vectors);
        if (workload.manifest.steps_in_flight == 1U) {
            warn_of_idle_records(scripts, warnings);
        }
        workload.warnings.insert(workload.warnings.begin(), warnings.begin(), warnings.end());
        return workload;
    };
    if (options.steps_in_flight != 0U) {
        return make(options.steps_in_flight);
    }
    // Steps that events alone keep apart may overlap; others, where the host waited in between, may not.
    if (as_found.find(ScriptKind::kPrologue) != nullptr) {
        try {
            return make_workload(device, scripts, reading.declarations, options, capture::kUsualStepsInFlight,
                                 why_no_vectors);
        } catch (const HostError& error) {
            if (error.rule() != HostRule::kCaptureRefused) {
                throw;
            }
            warnings.push_back(fmt::format("captured with one step in flight, because with {}: {}",
                                           capture::kUsualStepsInFlight, error.what()));
        }
    }
    return make(1U);
}

HostError with_remark(const HostError& error, const std::string& remark) {
    const std::string text = error.what();
    const std::string rule = fmt::format("{}: ", error.rule_id());
    return HostError{error.rule(),
                     fmt::format("{} ({})", text.substr((text.find(rule) == 0U) ? rule.size() : 0U), remark)};
}

// Another reading may still be right.
bool is_reading_wrong(HostRule rule) {
    return (rule == HostRule::kCaptureRefused) || (rule == HostRule::kCaptureContent) ||
           (rule == HostRule::kCaptureTensor) || (rule == HostRule::kCaptureLimit) || (rule == HostRule::kCompare);
}

}  // namespace

WorkloadCapture::WorkloadCapture(std::shared_ptr<Device> device, CaptureOptions options)
    : state_{std::make_shared<State>()} {
#if PIANOLA_RECORDING
    const Lock lock{device->state().mutex};
    device->state().check_open();
    if (device->state().recorder != nullptr) {
        refuse_state("the device is being captured already; end that capture first");
    }
    state_->device = std::move(device);
    state_->options = std::move(options);
    state_->log = std::make_shared<CallLog>(state_->device->state());
    state_->device->state().recorder = state_->log;
#else
    (void)device;
    (void)options;
    throw HostError{HostRule::kCaptureOff,
                    "this library was built with PIANOLA_RECORDING=OFF; build it with ON to capture"};
#endif
}

WorkloadCapture::~WorkloadCapture() {
    discard();
}

void WorkloadCapture::discard() noexcept {
    if (state_->active && (state_->device != nullptr)) {
        const Lock lock{state_->device->state().mutex};
        state_->device->state().recorder.reset();
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
    state_->check_declared(buffer, state_->declarations.inputs);
    state_->declarations.constants[buffer->id().value] = name;
}

void WorkloadCapture::declare_parameter(TraceId trace, const TraceParameter& parameter) {
    state_->check_active();
    const Lock lock{state_->device->state().mutex};
    const TraceState& target = state_->device->state().trace(trace);
    // The binary's user sets a parameter by its name alone.
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
        state_->device->declare_parameter(trace, parameter);
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
    const Lock lock{state_->device->state().mutex};
    discard();
    DeviceState& device = state_->device->state();
    for (std::uint32_t queue = 0U; queue < device.spec.queue_count; ++queue) {
        device.check_not_capturing(queue, "ending a capture");
    }
    device.drain();
    const std::vector<Reading> readings =
        readings_of(state_->log->sections(), state_->declarations, device.command_set);
    CaptureOptions options = state_->options;
    std::exception_ptr refusal;  // of the likeliest; rather of the likeliest that has no fault but its order
    bool is_order = false;
    for (const Reading& reading : readings) {
        const auto keep = [&](const HostError& error, bool is_better) {
            if ((refusal == nullptr) || is_better) {
                refusal = std::make_exception_ptr(reading.found.empty() ? error : with_remark(error, reading.found));
            }
        };
        try {
            return captured(device, reading, state_->log->sections(), options);
        } catch (const OrderRefused& error) {
            keep(error, !is_order);
            is_order = true;
        } catch (const HostError& error) {
            keep(error, false);
            if (!is_reading_wrong(error.rule())) {
                break;
            }
        }
        options.refused_file.clear();
    }
    std::rethrow_exception(refusal);
}

namespace {

// Captures that were begun with begin_capture().
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
