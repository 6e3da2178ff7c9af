// From a file to a device that is ready for steps.
#include <array>
#include <cstring>

#include "pianola/session.h"
#include "runtime/session/armed.h"

namespace pianola {
namespace {

[[nodiscard]] bool is_same(const RegionConfig& one, const RegionConfig& other) noexcept {
    return (one.base == other.base) && (one.size_bytes == other.size_bytes) &&
           (one.kernels_read == other.kernels_read) && (one.kernels_write == other.kernels_write) &&
           (one.queues_read == other.queues_read) && (one.queues_write == other.queues_write) &&
           (one.fetch == other.fetch);
}

// Whether a view is the device's memory at an address: what this core writes to its ends, the control path reads there.
// Leaves it as it was.
[[nodiscard]] bool shows(Device& device, std::uint32_t address, MutableByteSpan view) noexcept {
    if (view.empty()) {
        return false;
    }
    bool is_shown = true;
    for (const std::size_t offset : {std::size_t{0U}, view.size() - 1U}) {
        const MutableByteSpan end = view.subspan(offset, 1U);
        const std::uint8_t before = end[0];
        for (const std::uint32_t bits : {0xFFU, 0x55U, 0U}) {
            end[0] = static_cast<std::uint8_t>(before ^ bits);
            device.give_to_device(end);
            std::array<std::uint8_t, 1> held{};
            is_shown = is_ok(device.read_back(address + static_cast<std::uint32_t>(offset), held)) &&
                       (held[0] == end[0]) && is_shown;
        }
    }
    return is_shown;
}

}  // namespace

bool is_enough(Attestation attestation, Evidence least) noexcept {
    switch (least) {
        case Evidence::kNotification:
            return true;
        case Evidence::kCount:
            return attestation >= Attestation::kCount;
        case Evidence::kDigest:
        default:
            return attestation == Attestation::kDigest;
    }
}

Status Session::load(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    if (running_.under_way != 0U) {
        reset(verdict);
        verdict.status = Status::kInvalidState;
        return verdict.status;
    }
    return seal(load_whole(file, workspace, verdict));
}

Status Session::load_whole(ByteSpan file, PlanWorkspace& workspace, Verdict& verdict) noexcept {
    fault_ = FaultRecord{};
    running_ = Running{};
    bound_ = Bound{};
    seal_bound();  // a fault from here on withholds nothing
    loaded_.armed = 0U;
    loaded_.has_views = false;
    loaded_.file = file;
    oldest().started_us = platform_.now_us();

    if (device_count_ == 0U) {
        reset(verdict);
        verdict.path.enter("devices");
        return refuse(verdict, Rule::kTgtMesh, 0U, 0U, kMaxMeshDevices);
    }
    DeviceDescription description;
    const Status described = devices_[0]->describe(description);
    if (!is_ok(described)) {
        reset(verdict);
        verdict.status = described;
        return latch(Status::kDeviceFault, FaultStage::kReset);
    }
    description.mesh_rows = rows_;
    description.mesh_columns = columns_;
    const Status valid = validate_twice(file, description, workspace, verdict);
    if (!is_ok(valid)) {
        return valid;
    }
    // All that is wanted of the manifest later on.
    loaded_.security_version = workspace.image.envelope().security_version;
    loaded_.self_test_count = workspace.image.self_test_count();
    loaded_.self_tests = workspace.image.self_tests();
    const Status programmed = program_devices(workspace.image);
    if (!is_ok(programmed)) {
        return programmed;
    }
    while (bound_.mask < (loaded_.plan.steps_in_flight - 1U)) {  // of those, none share a place
        bound_.mask = (bound_.mask * 2U) + 1U;
    }
    seal_bound();
    open_flight(ScriptKind::kSetup, Io::kTransfers);
    supervise(workspace.setup);
    const Status started = enqueue(workspace.setup, workspace.setup_commands, FaultStage::kSetup);
    if (!is_ok(started)) {
        return started;
    }
    const Status set_up = wait_for_setup(workspace.setup);
    if (!is_ok(set_up)) {
        return set_up;
    }
    running_.under_way = 0U;
    find_constants(workspace, loaded_.plan, workspace.image.envelope(), loaded_.constants);
    const Status read_back = check_read_back(workspace.image.envelope());
    if (!is_ok(read_back)) {
        return read_back;
    }
    find_views();
    running_.state = idle_state();
    return Status::kOk;
}

// The same checks twice, on state of their own: a core that skips an instruction, or computes wrongly once, leaves one
// of the two verdicts without its flow. Nothing branches on what is added up here; who starts the device looks at the
// sum.
Status Session::validate_twice(ByteSpan file, const DeviceDescription& description, PlanWorkspace& workspace,
                               Verdict& verdict) noexcept {
    constexpr std::uint32_t kTimes = 2U;
    std::array<Status, kTimes> said{Status::kRefused, Status::kRefused};
    Verdict earlier;
    for (Status& status : said) {
        earlier = verdict;
        status = validate_once(file, description, workspace, verdict);
        if (!is_ok(status)) {
            return status;
        }
    }
    loaded_.armed =
        follow(follow(follow(follow(earlier.flow, said[0]), said[1]), earlier.status), verdict.status) + verdict.flow;
    return Status::kOk;
}

// Never inlined: what a compiler moved in front of a loop over both, the address of the trust for one, a single skipped
// instruction would take away from both.
[[gnu::noinline]] Status Session::validate_once(ByteSpan file, const DeviceDescription& description,
                                                PlanWorkspace& workspace, Verdict& verdict) noexcept {
    reset(verdict);
    // Until the platform has said otherwise, no version is high enough.
    std::uint32_t lowest = UINT32_MAX;
    if (!is_ok(platform_.lowest_security_version(lowest))) {
        return refuse(verdict, Rule::kAutCounter, 0U);
    }
    if (!is_enough(description.attestation, config_.least_evidence)) {
        verdict.path.enter("device.attestation");
        return refuse(verdict, Rule::kTgtEvidence, 0U, static_cast<std::uint32_t>(description.attestation));
    }
    const Status alike = check_alike(description, verdict);
    if (!is_ok(alike)) {
        return alike;
    }
    Trust trust = config_.trust;
    if (lowest > trust.lowest_security_version) {
        trust.lowest_security_version = lowest;
    }
    return validate(file, description, command_set_, trust, workspace, workspace.image, loaded_.plan, verdict);
}

// One description stands for all devices.
Status Session::check_alike(const DeviceDescription& description, Verdict& verdict) noexcept {
    for (std::uint32_t device = 1U; device < device_count(); ++device) {
        DeviceDescription other = description;
        if (!is_ok(devices_[device]->describe(other)) || !are_alike(description, other)) {
            verdict.path.enter("devices", device);
            return refuse(verdict, Rule::kTgtMesh, 0U, device);
        }
    }
    return Status::kOk;
}

// Looks where the step's transfers go to and come from in device memory, where the plan has proved that they may be
// left out. In that memory an input starts as zeros, so that a first step depends on nothing that was there before.
void Session::find_views() noexcept {
    loaded_.views = Tensors{};
    loaded_.transfers.fill(0U);
    bool all_seen = loaded_.plan.views.answer == ViewsAnswer::kProved;
    const std::uint32_t end = loaded_.plan.step.first + loaded_.plan.step.count;
    for (std::uint32_t i = loaded_.plan.step.first; all_seen && (i < end); ++i) {
        const QueueCommand& command = loaded_.plan.commands[i].command;
        if (!is_transfer(command.kind)) {
            continue;
        }
        loaded_.transfers[loaded_.plan.commands[i].queue] += 1U;
        MutableByteSpan view = devices_[0]->host_view(command.address, command.size_bytes);
        view = shows(*devices_[0], command.address, view) ? view : MutableByteSpan{};
        const bool reads = command.kind == QueueCommandKind::kRead;
        (reads ? loaded_.views.outputs[command.slot] : loaded_.views.inputs[command.slot - kFirstInputSlot]) = view;
        all_seen = view.size() == command.size_bytes;
        if (!reads && all_seen) {
            std::memset(view.data(), 0, view.size());
        }
    }
    loaded_.has_views = all_seen;
}

// What the application may have written, or load() as zeros, goes to memory before the step that reads it or writes
// over it: else a cache could write it back later.
void Session::give_views() noexcept {
    for (std::uint32_t i = 0U; loaded_.has_views && (i < loaded_.plan.input_count); ++i) {
        devices_[0]->give_to_device(loaded_.views.inputs[i]);
    }
}

// What the step has written to memory is what the application sees: outputs, and inputs only where they were
// transferred.
void Session::take_views() noexcept {
    const bool has_inputs = loaded_.has_views && (running_.io == Io::kTransfers);
    for (std::uint32_t i = 0U; has_inputs && (i < loaded_.plan.input_count); ++i) {
        devices_[0]->take_from_device(loaded_.views.inputs[i]);
    }
    for (std::uint32_t i = 0U; loaded_.has_views && (i < loaded_.plan.output_count); ++i) {
        devices_[0]->take_from_device(loaded_.views.outputs[i]);
    }
}

// All are reset before one is given anything to do.
Status Session::program_devices(const Image& image) noexcept {
    if (!is_armed(loaded_.armed)) {
        return latch(Status::kIntegrity, FaultStage::kArm);
    }
    Status status = reset_devices();
    for (std::uint32_t device = 0U; is_ok(status) && (device < device_count()); ++device) {
        status = program_device(device, image);
    }
    return status;
}

Status Session::program_device(std::uint32_t index, const Image& image) noexcept {
    Device& device = *devices_[index];
    for (std::uint32_t i = 0U; i < loaded_.plan.region_count; ++i) {
        const RegionConfig& region = loaded_.plan.regions[i];
        RegionConfig programmed;
        if (!is_ok(device.program_region(region)) || !is_ok(device.programmed_region(i, programmed)) ||
            !is_same(programmed, region)) {
            return latch(Status::kDeviceFault, FaultStage::kProgram, index);
        }
    }
    if (!is_ok(device.bind_source(kWeightsSlot, image.weights())) ||
        !is_ok(device.bind_source(kTracesSlot, image.trace_segment()))) {
        return latch(Status::kDeviceFault, FaultStage::kProgram, index);
    }
    return Status::kOk;
}

// What the device holds is what was authenticated, even if the file is not any more. Where it is not, a comparison with
// the file finds the place; none is found where both were changed alike.
Status Session::check_read_back(const Envelope& envelope) noexcept {
    std::uint32_t suspect = 0U;
    const Status held = authenticate_constants(devices(), loaded_.file, envelope, loaded_.constants, suspect);
    if (is_ok(held)) {
        return held;
    }
    Status compared = (held == Status::kIntegrity) ? Status::kPending : Status::kOk;
    while (compared == Status::kPending) {  // ends with the constants, which the setup's commands bound
        compared = compare_constants(running_.background, FaultStage::kReadBack);
    }
    return is_ok(compared) ? latch(held, FaultStage::kReadBack, (suspect == device_count()) ? 0U : suspect) : compared;
}

// Where a device answers anything else than it may, the answer is kDeviceFault: it is not passed on unread.
Status Session::reset_devices() noexcept {
    for (std::uint32_t device = 0U; (device < kMaxMeshDevices) && (devices_[device] != nullptr); ++device) {
        const Status reset = devices_[device]->reset();
        if (!is_ok(reset)) {
            return latch((reset == Status::kTimeout) ? reset : Status::kDeviceFault, FaultStage::kReset, device);
        }
    }
    return Status::kOk;
}

Status Session::wait_for_setup(const PlannedScript& setup) noexcept {
    Status status = Status::kPending;
    while (status == Status::kPending) {  // ends at the deadline, which the platform's clock reaches
        status = check_completions(setup, FaultStage::kSetup);
        if (status == Status::kPending) {
            platform_.idle();
        }
    }
    return status;
}

Status Session::unload() noexcept {
    const Status sealed = check_seals();
    const Status ready = is_ok(sealed) ? refuse_unless(running_.under_way == 0U) : sealed;
    if (!is_ok(ready)) {
        return ready;
    }
    running_.state = State::kEmpty;
    return reseal(reset_devices());
}

}  // namespace pianola
