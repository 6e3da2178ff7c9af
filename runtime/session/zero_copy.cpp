// Zero-copy I/O: the step's tensors in device memory, and the application's views of them. Can be left out:
// runtime/without.
#include <array>
#include <cstring>

#include "pianola/session.h"

namespace pianola {
namespace {

// Whether a byte that this core sees is the device's byte at an address: it writes to it, and the control path must
// read the same. Restores it.
[[nodiscard]] bool shows_byte(Device& device, std::uint32_t address, std::uint8_t& byte) noexcept {
    constexpr std::uint32_t kTurns = 3U;
    constexpr std::uint32_t kByteBits = 8U;
    const std::uint8_t before = byte;
    std::uint32_t changes = 0x55FFU;  // all bits, every second one, none
    bool is_shown = true;
    for (std::uint32_t turn = 0U; turn < kTurns; ++turn) {
        byte = static_cast<std::uint8_t>(before ^ changes);
        device.give_to_device(MutableByteSpan{&byte, 1U});
        std::array<std::uint8_t, 1> held{};
        is_shown = is_ok(device.read_back(address, held)) && (std::uint32_t{held[0]} == byte) && is_shown;
        changes >>= kByteBits;
    }
    return is_shown;
}

// Whether a view is the device's memory at an address: at both ends.
[[nodiscard]] bool shows(Device& device, std::uint32_t address, MutableByteSpan view) noexcept {
    const auto last = static_cast<std::uint32_t>(view.size()) - 1U;
    return !view.empty() && shows_byte(device, address, view[0U]) && shows_byte(device, address + last, view[last]);
}

}  // namespace

// Finds the views for the step's transfers, if the plan has proved that these may be omitted. Inputs are set to zeros,
// so that the first step does not depend on earlier contents.
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

// Data written by the application, or zeros written by load(), must reach memory before the step reads or overwrites
// it: otherwise a cache could write it back later.
void Session::give_views() noexcept {
    for (std::uint32_t i = 0U; loaded_.has_views && (i < loaded_.plan.input_count); ++i) {
        devices_[0]->give_to_device(loaded_.views.inputs[i]);
    }
}

// Makes the step's writes visible to the application: outputs, and inputs only if they were transferred.
void Session::take_views() noexcept {
    const bool has_inputs = loaded_.has_views && (running_.io == Io::kTransfers);
    for (std::uint32_t i = 0U; has_inputs && (i < loaded_.plan.input_count); ++i) {
        devices_[0]->take_from_device(loaded_.views.inputs[i]);
    }
    for (std::uint32_t i = 0U; loaded_.has_views && (i < loaded_.plan.output_count); ++i) {
        devices_[0]->take_from_device(loaded_.views.outputs[i]);
    }
}

// Checks that views of inputs and of outputs share.
Status Session::refuse_view(bool is_there) const noexcept {
    if (call_ == kInCall) {
        return Status::kInvalidState;
    }
    const Status ready = is_whole() ? refuse_unless(is_idle()) : Status::kIntegrity;
    if (is_ok(ready) && (!loaded_.has_views || !is_there)) {
        return Status::kInvalidArgument;
    }
    return ready;
}

Status Session::input_view(std::uint32_t index, MutableByteSpan& view) const noexcept {
    const Status status = refuse_view(index < loaded_.plan.input_count);
    view = is_ok(status) ? loaded_.views.inputs[index] : MutableByteSpan{};
    return status;
}

Status Session::output_view(std::uint32_t index, ByteSpan& view) const noexcept {
    Status status = refuse_view(index < loaded_.plan.output_count);
    if (is_ok(status) && !running_.has_result) {
        status = Status::kInvalidState;
    }
    view = is_ok(status) ? loaded_.views.outputs[index] : MutableByteSpan{};
    return status;
}

Status Session::submit() noexcept {
    const Status ready = check_idle_in(State::kStarted);
    if (!is_ok(ready)) {
        return ready;
    }
    if (!loaded_.has_views) {
        return Status::kInvalidArgument;
    }
    enter();
    const Status kept = check_state_sum();
    if (!is_ok(kept)) {
        return reseal(kept);
    }
    open_flight(ScriptKind::kStep, Io::kViews);
    supervise(loaded_.plan.step);
    give_views();
    return reseal(enqueue(loaded_.plan.step, loaded_.plan.commands, FaultStage::kSubmit));
}

}  // namespace pianola
