// From a file to a device that is ready for steps.
#include <array>
#include <cstring>

#include "pianola/session.h"
#include "runtime/session/armed.h"
#include "runtime/session/validate.h"

namespace pianola {
namespace {

// Without the unused bytes, which a port may leave undefined.
[[nodiscard]] bool is_same(const RegionConfig& one, const RegionConfig& other) noexcept {
    return std::memcmp(&one, &other, sizeof(one) - sizeof(one.unused)) == 0;
}

// The least ftti_us that leaves two periods after the reaction; UINT32_MAX if period_us is 0.
[[nodiscard]] std::uint32_t least_ftti_us(const FaultInterval& interval) noexcept {
    const std::uint64_t least = std::uint64_t{interval.reaction_us} + (std::uint64_t{interval.period_us} * 2U);
    const bool is_admitted = (interval.period_us != 0U) && (least <= UINT32_MAX);
    return is_admitted ? static_cast<std::uint32_t>(least) : UINT32_MAX;
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
    if (call_ == kInCall) {
        return Status::kInvalidState;  // the verdict may belong to the outer call
    }
    if (running_.under_way != 0U) {
        reset(verdict);
        verdict.status = Status::kInvalidState;
        return verdict.status;
    }
    enter();
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
    const Status valid = validate_twice(description, workspace, verdict);
    if (!is_ok(valid)) {
        return valid;
    }
    loaded_.reads_file = loaded_.plan.constants.count != workspace.setup.count;
    plan_release();
    const Status programmed = program_devices(workspace.image);
    if (!is_ok(programmed)) {
        return programmed;
    }
    const Status set_up = run_setup(workspace);
    if (!is_ok(set_up)) {
        return set_up;
    }
    find_views();
    running_.state = idle_state();
    return Status::kOk;
}

// Programs are in place: writes weights, state and traces, and reads them back.
Status Session::run_setup(const PlanWorkspace& workspace) noexcept {
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
    running_.verified_us = platform_.now_us();
    return check_read_back(workspace.image.envelope(), workspace.authentication.sum);
}

// The same checks twice, on separate state: if the core skips an instruction or computes wrongly once, one of the two
// verdicts lacks its flow sum, or they come to different plans. Nothing branches on this sum; the code that starts the
// device checks it. The file is hashed once: the second validation compares that digest again, and proves the file's
// bytes by sums.
Status Session::validate_twice(const DeviceDescription& description, PlanWorkspace& workspace,
                               Verdict& verdict) noexcept {
    constexpr std::uint32_t kTimes = 2U;
    std::array<Status, kTimes> said{Status::kRefused, Status::kRefused};
    workspace.authentication = Authentication{};
    std::uint32_t earlier_flow = 0U;
    Status earlier_status = Status::kRefused;
    std::uint32_t difference = 0U;  // of what both have come to
    for (Status& status : said) {
        earlier_flow = verdict.flow;
        earlier_status = verdict.status;
        status = validate_once(description, workspace, verdict);
        if (!is_ok(status)) {
            return status;
        }
        difference = seal_of_validated(workspace) - difference;
    }
    loaded_.armed = follow(follow(follow(follow(earlier_flow, said[0]), said[1]), earlier_status), verdict.status) +
                    verdict.flow + difference;
    return Status::kOk;
}

// Never inlined: a compiler could hoist code such as the address of the trust out of a loop over both, and one skipped
// instruction would then affect both.
[[gnu::noinline]] Status Session::validate_once(const DeviceDescription& description, PlanWorkspace& workspace,
                                                Verdict& verdict) noexcept {
    reset(verdict);
    // Until the platform gives its version, no version is high enough.
    std::uint32_t lowest = UINT32_MAX;
    if (!is_ok(platform_.lowest_security_version(lowest))) {
        return refuse(verdict, Rule::kAutCounter, 0U);
    }
    if (!is_enough(description.attestation, config_.least_evidence)) {
        verdict.path.enter("device.attestation");
        return refuse(verdict, Rule::kTgtEvidence, 0U, static_cast<std::uint32_t>(description.attestation));
    }
    if ((config_.release == Release::kWithinInterval) && (shared_steps(config_.interval) == 0U)) {
        verdict.path.enter("session.interval");
        return refuse(verdict, Rule::kTgtInterval, 0U, config_.interval.ftti_us, least_ftti_us(config_.interval));
    }
    const Status alike = check_alike(description, verdict);
    if (!is_ok(alike)) {
        return alike;
    }
    Trust trust = config_.trust;
    if (lowest > trust.lowest_security_version) {
        trust.lowest_security_version = lowest;
    }
    const Status valid = validate_same_file(loaded_.file, description, command_set_, trust, workspace, workspace.image,
                                            loaded_.plan, verdict);
    if (is_ok(valid)) {  // everything that is needed from the manifest later
        loaded_.security_version = workspace.image.envelope().security_version;
        loaded_.self_test_count = workspace.image.self_test_count();
        loaded_.self_tests = workspace.image.self_tests();
        loaded_.checks = workspace.image.checks();
    }
    return valid;
}

// One description represents all devices.
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

// All are reset before any receives work.
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
    if (!is_ok(device.bind_source(kWeightsSlot, image.weights())) ||
        !is_ok(device.bind_source(kTracesSlot, image.trace_segment()))) {
        return latch(Status::kDeviceFault, FaultStage::kProgram, index);
    }
    for (std::uint32_t i = 0U; i < loaded_.plan.region_count; ++i) {
        const RegionConfig& region = loaded_.plan.regions[i];
        RegionConfig programmed;
        if (!is_ok(device.program_region(region)) || !is_ok(device.programmed_region(i, programmed)) ||
            !is_same(programmed, region)) {
            return latch(Status::kDeviceFault, FaultStage::kProgram, index);
        }
    }
    return Status::kOk;
}

// Proves that the device holds what the checks say, state included, and that the checks are those of the authenticated
// file.
Status Session::check_read_back(const Envelope& envelope, std::uint64_t sum) noexcept {
    Status compared = sum_state(running_.state_sum);
    if (is_ok(compared) && (loaded_.plan.constants.count != 0U)) {
        compared = Status::kPending;
    }
    while (compared == Status::kPending) {  // ends with the ranges, which the set-up's commands bound
        compared = compare(loaded_.plan.constants.count, kScrubSliceBytes, running_.background, FaultStage::kReadBack);
    }
    if (is_ok(compared) && (sum_outside_slices(loaded_.file, envelope) != sum)) {
        compared = latch(Status::kIntegrity, FaultStage::kReadBack);
    }
    return compared;
}

// A status that the device may not return becomes kDeviceFault.
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
    const Status ready = check(running_.under_way == 0U);
    if (!is_ok(ready)) {
        return ready;
    }
    enter();
    running_.state = State::kEmpty;
    return reseal(reset_devices());
}

}  // namespace pianola
