#include "pianola_host/device.h"

#include <fmt/format.h>

#include <atomic>

#include "capture_host/base/interrupt.h"
#include "capture_host/host/device/device_state.h"

namespace pianola {

std::optional<std::uint32_t> vulkan_number(const std::string& text) {
    const ExecutorDevice named = find_executor(known_targets(), text);
    const bool is_vulkan = (named.executor != nullptr) && (named.executor == host::executor_for(0U).executor);
    return is_vulkan ? std::optional{named.number} : std::nullopt;
}

}  // namespace pianola

namespace pianola::host {
namespace {

// The first requested option that the executor does not offer, in a sentence; empty if there is none.
std::string not_offered_by(const Executor& executor, const DeviceOptions& options) {
    struct Option {
        bool is_wanted;
        bool is_offered;
        const char* text;
    };
    const Offers offers = executor.offers();
    for (const Option& option :
         {Option{options.threaded, offers.threads, "has no threads of this process; leave out threaded"},
          Option{options.keep_log, offers.command_log, "keeps no log of commands; leave out keep_log"},
          Option{options.check_accesses, offers.access_checks, "checks no accesses; leave out check_accesses"}}) {
        if (option.is_wanted && !option.is_offered) {
            return fmt::format("a {} device {}", executor.title(), option.text);
        }
    }
    return {};
}

DeviceDescription checked_spec(const DeviceOptions& options) {
    DeviceDescription spec = options.spec;
    spec.trace_region_bytes = options.trace_region_size;
    spec.queue_count = options.num_command_queues;
    const auto refuse = [](const std::string& message) { throw HostError{HostRule::kDeviceOptions, message}; };
    if ((spec.queue_count == 0U) || (spec.queue_count > kMaxQueues)) {
        refuse(fmt::format("num_command_queues is {}; 1 to {} are possible", spec.queue_count, kMaxQueues));
    }
    if ((spec.trace_region_bytes % kRegionAlignment) != 0U) {
        refuse(fmt::format("trace_region_size is {}; take a multiple of {}, for example {}", spec.trace_region_bytes,
                           kRegionAlignment, ((spec.trace_region_bytes / kRegionAlignment) + 1U) * kRegionAlignment));
    }
    if ((options.dispatch_area_bytes == 0U) || ((options.dispatch_area_bytes % kRegionAlignment) != 0U)) {
        refuse(fmt::format("dispatch_area_bytes is {}; take a multiple of {} above 0", options.dispatch_area_bytes,
                           kRegionAlignment));
    }
    // Cores have equal shares of L1, in whole allocation units; the rest is not used.
    const std::uint64_t cores = std::uint64_t{spec.grid_columns} * spec.grid_rows;
    if ((cores != 0U) && (cores <= kMaxCores)) {
        spec.l1_bytes -= spec.l1_bytes % (static_cast<std::uint32_t>(cores) * kAllocationAlignment);
    }
    constexpr std::uint64_t kAddresses = std::uint64_t{1} << 32U;
    const std::uint64_t l1_end = std::uint64_t{spec.l1_base} + spec.l1_bytes;
    const std::uint64_t dram_end = std::uint64_t{spec.dram_base} + spec.dram_bytes;
    if (((spec.dram_bytes % kRegionAlignment) != 0U) || (l1_end > kAddresses) || (dram_end > kAddresses) ||
        ((spec.l1_base < dram_end) && (spec.dram_base < l1_end))) {
        refuse(
            fmt::format("dram_bytes is {} and l1_bytes {}; DRAM takes multiple of {}, begins at 0x{:08X}, and overlaps "
                        "neither L1, at 0x{:08X}, nor "
                        "the end of the address space",
                        spec.dram_bytes, spec.l1_bytes, kRegionAlignment, spec.dram_base, spec.l1_base));
    }
    const std::uint64_t reserved =
        std::uint64_t{spec.trace_region_bytes} + (std::uint64_t{options.dispatch_area_bytes} * spec.queue_count);
    if (reserved >= spec.dram_bytes) {
        refuse(fmt::format(
            "the trace region of {} bytes and {} dispatch areas of {} leave nothing of {} bytes of DRAM; make "
            "them smaller",
            spec.trace_region_bytes, spec.queue_count, options.dispatch_area_bytes, spec.dram_bytes));
    }
    const std::string wrong = usual_target().what_is_wrong_with(spec);
    if (!wrong.empty()) {
        refuse(wrong);
    }
    const Executor* const executor = executor_for(options.vulkan).executor;
    const std::string not_offered = (executor == nullptr) ? "" : not_offered_by(*executor, options);
    if (!not_offered.empty()) {
        refuse(not_offered);
    }
    if (core_l1_bytes(spec) == 0U) {
        refuse(fmt::format("the cores' share of {} bytes of L1 is less than {}", options.spec.l1_bytes,
                           kAllocationAlignment));
    }
    return spec;
}

std::uint32_t data_bytes(const DeviceOptions& options) {
    const DeviceDescription spec = checked_spec(options);
    return spec.dram_bytes - spec.trace_region_bytes - (options.dispatch_area_bytes * spec.queue_count);
}

}  // namespace

ExecutorDevice executor_for(std::optional<std::uint32_t> vulkan) {
    return vulkan.has_value() ? ExecutorDevice{find_executor(known_targets(), "vulkan").executor, *vulkan}
                              : ExecutorDevice{};
}

std::uint64_t next_id() noexcept {
    static std::atomic<std::uint64_t> last{0U};
    return last.fetch_add(1U) + 1U;
}

DeviceState::DeviceState(const DeviceOptions& device_options)
    : options{device_options},
      spec{checked_spec(device_options)},
      dram{data_bytes(device_options)},
      l1{core_l1_bytes(spec)},
      trace_region{spec.trace_region_bytes} {
    SimulatorOptions sim_options;
    sim_options.keep_completions = true;
    sim_options.threaded = options.threaded;
    sim_options.keep_log = options.keep_log;
    sim_options.check_accesses = options.check_accesses;
    sim_options.executor = executor_for(options.vulkan);
    try {
        const Executor* const executor = sim_options.executor.executor;
        sim = (executor == nullptr) ? family.simulate(spec, sim_options) : executor->simulate(spec, sim_options);
    } catch (const ExecutorRefused& refused) {
        throw HostError{HostRule::kDeviceOptions, refused.what()};
    }
    pianola::Device& device = sim->device();
    dispatch_base = spec.dram_base + dram.total_bytes();
    const std::uint32_t trace_base = spec.dram_base + (spec.dram_bytes - spec.trace_region_bytes);
    bool ok =
        is_ok(device.reset()) &&
        is_ok(device.program_region({spec.dram_base, dram.total_bytes(), true, true, true, true, false})) &&
        is_ok(device.program_region({spec.l1_base, spec.l1_bytes, true, true, true, true, false})) &&
        is_ok(device.program_region({dispatch_base, trace_base - dispatch_base, false, false, false, true, true}));
    if (spec.trace_region_bytes != 0U) {
        ok = ok && is_ok(device.program_region({trace_base, spec.trace_region_bytes, false, false, false, true, true}));
    }
    if (!ok) {
        throw HostError{HostRule::kDeviceOptions, "the device does not take its memory regions"};
    }
    if ((spec.queue_count > 1U) && (options.races != Races::kOff)) {
        races.emplace();
    }
    queues = std::make_unique<QueueDriver>(*sim, command_set, spec, options.stall_limit, options.host_cost);
    transfers = std::make_unique<Transfers>(device, *queues);
}

void DeviceState::check_open() const {
    if (!open) {
        throw HostError{HostRule::kDeviceClosed, "the device has been closed; open one"};
    }
}

void DeviceState::check_queue(std::uint32_t queue) const {
    check_open();
    if (queue >= spec.queue_count) {
        throw HostError{HostRule::kQueue,
                        fmt::format("queue {} is asked for, the device was opened with {}; queues count from "
                                    "0, num_command_queues says how many there are",
                                    queue, spec.queue_count)};
    }
}

void DeviceState::check_not_capturing(std::uint32_t queue, const char* what) const {
    check_queue(queue);
    const std::optional<Capturing>& capture = capturing.at(queue);
    if (capture.has_value()) {
        throw HostError{
            HostRule::kTraceCapturing,
            fmt::format("{} on queue {} while it captures trace {}: a trace holds programs only; do it before "
                        "begin_trace_capture or after end_trace_capture",
                        what, queue, capture->id.value)};
    }
}

void DeviceState::finish_call(std::uint32_t queue, bool blocking) {
    if (blocking) {
        const std::uint32_t token = queues->notify(queue);
        queues->ring(queue);
        queues->wait(queue, token);
        transfers->collect();
        complete(race_clock(queue));
    } else {
        queues->ring(queue);
    }
}

void DeviceState::drain() {
    transfers->drain();
    if (races.has_value()) {
        races->complete_all();
    }
}

Device::Device(const DeviceOptions& options) : state_{std::make_unique<DeviceState>(options)} {}

Device::~Device() {
    const interrupt::Hold hold;
    try {
        close();
    } catch (const std::exception&) {
        // A device that has failed is closed all the same; a destructor cannot say more.
        state_->open = false;
    }
}

std::shared_ptr<Device> open_device(const DeviceOptions& options) {
    // The constructor is private: devices are shared, because buffers point back to them.
    return std::shared_ptr<Device>{new Device{options}};
}

void Device::close() {
    const Lock lock{state_->mutex};
    if (!state_->open) {
        return;
    }
    state_->open = false;
    for (const auto& [id, buffer] : state_->buffers) {
        buffer->allocated_ = false;
    }
    state_->buffers.clear();
    state_->traces.clear();
    state_->capturing = {};
    try {
        state_->drain();
    } catch (const HostError& error) {
        state_->transfers->abandon(error.what());
        throw;
    } catch (...) {
        state_->transfers->abandon("the device was closed, and the wait for it interrupted");
        throw;
    }
}

bool Device::is_open() const noexcept {
    return state_->open;
}
DeviceOptions const& Device::options() const noexcept {
    return state_->options;
}
const DeviceDescription& Device::spec() const noexcept {
    return state_->spec;
}

void Device::finish(std::uint32_t queue) {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_not_capturing(queue, "finish");
    state_->finish_call(queue, true);
}

void Device::synchronize() {
    const RecordingScope recording{state_->mutex, state_->recorder};
    state_->check_open();
    for (std::uint32_t queue = 0U; queue < state_->spec.queue_count; ++queue) {
        state_->check_not_capturing(queue, "synchronize");
    }
    state_->drain();
    state_->forget_claims();
}

std::vector<std::string> Device::warnings() const {
    const Lock lock{state_->mutex};
    return state_->warnings;
}

DeviceTime Device::now() const {
    const Lock lock{state_->mutex};
    return {state_->queues->host_ns(), state_->queues->device_cycles()};
}

std::vector<LoggedCommand> Device::log(std::uint32_t queue) {
    const Lock lock{state_->mutex};
    state_->check_queue(queue);
    state_->drain();
    return state_->sim->command_log(queue);
}

void Device::clear_log() {
    const Lock lock{state_->mutex};
    state_->check_open();
    state_->drain();
    state_->sim->clear_command_log();
}

std::uint64_t Device::access_violations() {
    const Lock lock{state_->mutex};
    return state_->sim->access_violations();
}

Simulator& Device::simulator() {
    return *state_->sim;
}

}  // namespace pianola::host
