// Entry and exit of every session call: the seals of its state, the answers to calls in the wrong state, and latching
// of faults.
#include <cstring>

#include "pianola/session.h"
#include "runtime/integrity/seal.h"

namespace pianola {
namespace {

template <typename Object>
[[nodiscard]] ByteSpan bytes_of(const Object& object) noexcept {
    static_assert(((sizeof(Object) % sizeof(std::uint32_t)) == 0U) && (alignof(Object) >= sizeof(std::uint32_t)));
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    return ByteSpan{reinterpret_cast<const std::uint8_t*>(&object), sizeof(object)};
}

// Number of bytes of an object up to the used elements of its list; later elements are never read.
template <typename Object, typename List>
[[nodiscard]] std::size_t bytes_up_to(const Object& object, const List& list, std::uint32_t count) noexcept {
    // NOLINTNEXTLINE(pianola-misra-8.7.2): DEV-069
    return static_cast<std::size_t>(bytes_of(list).data() - bytes_of(object).data()) + (count * sizeof(list[0]));
}

}  // namespace

std::uint32_t Session::seal_of_bound() const noexcept {
    return seal_of(bytes_of(bound_), bytes_up_to(bound_, bound_.flights, bound_.mask + 1U), kSealOfNothing);
}

std::uint32_t Session::seal_of_loaded() const noexcept {
    const Plan& plan = loaded_.plan;
    const ConstantRanges& constants = plan.constants;
    const std::size_t commands = (plan.epilogue.first + plan.epilogue.count) * sizeof(plan.commands[0]);
    const std::uint32_t sealed =
        seal_of(bytes_of(loaded_), bytes_up_to(loaded_, plan.patch_addresses, plan.patch_count), kSealOfNothing);
    return seal_of(bytes_of(constants), bytes_up_to(constants, constants.ranges, constants.count),
                   seal_of(bytes_of(plan.commands), commands, sealed));
}

// Seal over all that a validation has produced: both validations of a load must have the same.
std::uint32_t Session::seal_of_validated(const PlanWorkspace& workspace) const noexcept {
    const ByteSpan setup = bytes_of(workspace.setup);
    const std::size_t commands = workspace.setup.count * sizeof(workspace.setup_commands[0]);
    return seal_of(bytes_of(workspace.setup_commands), commands, seal_of(setup, setup.size(), seal_of_loaded()));
}

// The state that steps change, without the entries of absent devices.
std::uint32_t Session::seal_of_running() const noexcept {
    const std::uint32_t sealed =
        seal_of(bytes_of(running_), bytes_up_to(running_, running_.courses, device_count()), kSealOfNothing);
    return seal_of(bytes_of(running_.flights), (bound_.mask + 1U) * sizeof(Flight), sealed);
}

// After load() or construction.
Status Session::seal(Status status) noexcept {
    if (config_.release != Release::kAtCompletion) {
        loaded_seal_ = seal_of_loaded();
    }
    seal_bound();
    return reseal(status);
}

// Whether the state that no call of a step changes still has its seals.
bool Session::is_loaded_whole() const noexcept {
    return (seal_of_bound() == bound_seal_) && (seal_of_loaded() == loaded_seal_);
}

// Whether the state is unchanged since the last call. Not checked if memories correct themselves.
bool Session::is_whole() const noexcept {
    return (config_.release == Release::kAtCompletion) || (is_loaded_whole() && (seal_of_running() == running_seal_));
}

Status Session::reseal(Status status) noexcept {
    if (config_.release != Release::kAtCompletion) {
        running_seal_ = seal_of_running();
    }
    call_ = 0U;
    return status;
}

void Session::seal_bound() noexcept {
    if (config_.release != Release::kAtCompletion) {
        bound_copy_ = bound_;
        bound_seal_ = seal_of_bound();
    }
}

Status Session::latch(Status status, FaultStage stage, std::uint32_t device, std::uint32_t queue,
                      const Completion& completion) noexcept {
    enter();
    // The flight selection and the pointers that are written through below must be intact.
    if ((config_.release != Release::kAtCompletion) && (seal_of_bound() != bound_seal_)) {
        bound_ = bound_copy_;
    }
    const Flight& flight = oldest();
    fault_.status = status;
    fault_.stage = stage;
    fault_.row = 0U;
    std::uint32_t column = device;
    // Not every core divides.
    for (std::uint32_t row = 1U; !kDrivesOneDevice && (row < rows_) && (column >= columns_); ++row) {
        column -= columns_;
        fault_.row = static_cast<std::uint8_t>(row);
    }
    fault_.column = static_cast<std::uint8_t>(column);
    fault_.queue = queue;
    fault_.step = oldest_token();
    fault_.time_us = platform_.now_us();
    fault_.started_us = flight.started_us;
    fault_.deadline_us = running_.deadline_us;
    fault_.device_fault = completion.fault;
    fault_.command = completion.fault_command;
    fault_.address = completion.fault_address;
    running_.state = State::kFaulted;
    running_.has_result = false;
    running_.is_confirmed = false;
    running_.is_verifying = false;
    running_.under_way = 0U;
    // Outputs are withheld only once no device can write to them. If a device does not stop, the safe state must handle
    // that: the record says so.
    fault_.device_stopped = true;
    for (Device* const each : devices_) {  // not by their number, which no seal covers
        fault_.device_stopped = ((each == nullptr) || is_ok(each->reset())) && fault_.device_stopped;
    }
    withhold_outputs();
    history_.add(fault_);
    platform_.enter_safe_state(fault_);
    return status;
}

Status Session::latch(Status status, FaultStage stage, std::uint32_t device, std::uint32_t queue) noexcept {
    return latch(status, stage, device, queue, Completion{});
}

void Session::withhold_outputs() noexcept {
    const Span<Lent> flights{bound_.flights.data(), std::size_t{bound_.mask} + 1U};
    for (Lent& lent : flights) {
        const Span<MutableByteSpan> outputs{lent.outputs.data(), lent.count};
        for (const MutableByteSpan output : outputs) {
            std::memset(output.data(), 0, output.size());
        }
        lent.count = 0U;
    }
    seal_bound();
}

// The first check of every call that uses the state.
Status Session::check(bool state_fits) noexcept {
    const bool is_latched = (running_.state == State::kFaulted) && !is_ok(fault_.status);
    if (!is_latched) {
        if (call_ == kInCall) {
            return Status::kInvalidState;
        }
        if (!is_whole()) {
            return reseal(latch(Status::kIntegrity, FaultStage::kState));
        }
    }
    return refuse_unless(state_fits);
}

Status Session::check_idle_in(State state) noexcept {
    return check((running_.state == state) && (running_.under_way == 0U));
}

Status Session::check_idle() noexcept {
    return check(is_idle());
}

}  // namespace pianola
