// Wrong ports of another kind: the simulator's driver, with one call that does not do what it says.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "tests/port/refdev_port.h"
#include "tests/port/wrong_port.h"
#include "tests/support/doubles.h"

namespace pianola::port {
namespace {

using test::ForwardingDevice;

// Views are this core's cache, and taking one back drops whole lines of it.
class DropsLines final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override {
        const MutableByteSpan memory = inner().host_view(address, size_bytes);
        const std::uint32_t offset = address - kBase;
        if (memory.empty() || (offset >= cache_.size()) || (size_bytes > (cache_.size() - offset))) {
            return MutableByteSpan{};
        }
        return MutableByteSpan{&cache_.at(offset), size_bytes};
    }
    void give_to_device(ByteSpan view) noexcept override {
        const MutableByteSpan memory = inner().host_view(address_of(view), static_cast<std::uint32_t>(view.size()));
        std::copy(view.begin(), view.end(), memory.begin());
    }
    void take_from_device(MutableByteSpan view) noexcept override {
        const std::uint32_t address = address_of(view);
        const std::uint32_t first = address & ~(kLine - 1U);
        const auto end = (address + static_cast<std::uint32_t>(view.size()) + kLine - 1U) & ~(kLine - 1U);
        const MutableByteSpan memory = inner().host_view(first, end - first);
        std::copy(memory.begin(), memory.end(), &cache_.at(first - kBase));
    }

  private:
    static constexpr std::uint32_t kLine = 32U;
    static constexpr std::uint32_t kBase = refdev::DeviceSpec{}.dram_base;
    [[nodiscard]] std::uint32_t address_of(ByteSpan view) const {
        return kBase + static_cast<std::uint32_t>(view.data() - cache_.data());
    }
    std::vector<std::uint8_t> cache_ = std::vector<std::uint8_t>(32768U);
};

class RegionReportOfTheDriver final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status reset() noexcept override {
        count_ = 0U;
        return inner().reset();
    }
    Status program_region(const RegionConfig& region) noexcept override {
        const Status status = inner().program_region(region);
        if (is_ok(status)) {
            regions_.at(count_) = region;
            count_ += 1U;
        }
        return status;
    }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        region = (index < count_) ? regions_.at(index) : RegionConfig{};
        return (index < count_) ? Status::kOk : Status::kInvalidArgument;
    }

  private:
    std::array<RegionConfig, kMaxRegions> regions_{};
    std::uint32_t count_{0U};
};

class BindReportOfTheDriver final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status reset() noexcept override {
        sources_ = {};
        return inner().reset();
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        const Status status = inner().bind_source(slot, memory);
        if (is_ok(status)) {
            sources_.at(slot) = memory;
        }
        return status;
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return (slot < sources_.size()) ? sources_.at(slot) : ByteSpan{};
    }

  private:
    std::array<ByteSpan, kSourceSlots> sources_{};
};

// Wider than asked for where there is memory, and reported as asked for.
class RegionWidened final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status reset() noexcept override {
        count_ = 0U;
        return inner().reset();
    }
    Status program_region(const RegionConfig& region) noexcept override {
        RegionConfig wider = region;
        wider.size_bytes += 1U;
        Status status = inner().program_region(wider);
        status = is_ok(status) ? status : inner().program_region(region);
        if (is_ok(status)) {
            asked_.at(count_) = region;
            count_ += 1U;
        }
        return status;
    }
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override {
        const Status status = inner().programmed_region(index, region);
        region = is_ok(status) ? asked_.at(index) : region;
        return status;
    }

  private:
    std::array<RegionConfig, kMaxRegions> asked_{};
    std::uint32_t count_{0U};
};

class RegionWritableForAll final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status program_region(const RegionConfig& region) noexcept override {
        RegionConfig wider = region;
        wider.kernels_write = true;
        return inner().program_region(wider);
    }
};

// Where a region in the file window is programmed, the device maps something else than what is bound; the driver
// reports what was asked for.
class WindowElsewhere : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status reset() noexcept override {
        asked_ = ByteSpan{};
        return inner().reset();
    }
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override {
        asked_ = (slot == kWeightsSlot) ? memory : asked_;
        return inner().bind_source(slot, memory);
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return (slot == kWeightsSlot) ? asked_ : inner().bound_source(slot);
    }
    Status program_region(const RegionConfig& region) noexcept override {
        if (region.base != kWindow) {
            return inner().program_region(region);
        }
        static_cast<void>(inner().bind_source(kWeightsSlot, instead_of(asked_)));
        const Status status = inner().program_region(region);
        static_cast<void>(inner().bind_source(kWeightsSlot, asked_));
        return status;
    }

  protected:
    static constexpr std::uint32_t kWindow = 0x4000'0000U;
    ~WindowElsewhere() = default;
    [[nodiscard]] virtual ByteSpan instead_of(ByteSpan file) noexcept { return file; }
    [[nodiscard]] ByteSpan asked() const noexcept { return asked_; }

  private:
    ByteSpan asked_;
};

// The first file that it was ever given.
class WindowOfAnotherFile final : public WindowElsewhere {
  public:
    using WindowElsewhere::WindowElsewhere;

  private:
    [[nodiscard]] ByteSpan instead_of(ByteSpan file) noexcept override {
        if (first_.empty()) {
            first_.assign(file.begin(), file.end());
        }
        return {first_.data(), first_.size()};
    }
    std::vector<std::uint8_t> first_;
};

class WindowShifted final : public WindowElsewhere {
  public:
    using WindowElsewhere::WindowElsewhere;

  private:
    [[nodiscard]] ByteSpan instead_of(ByteSpan file) noexcept override {
        shifted_.assign(file.begin(), file.end());
        std::rotate(shifted_.begin(), shifted_.begin() + (shifted_.empty() ? 0 : 1), shifted_.end());
        return {shifted_.data(), shifted_.size()};
    }
    std::vector<std::uint8_t> shifted_;
};

// The region is reported, and the device has none.
class WindowUnmapped final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status program_region(const RegionConfig& region) noexcept override {
        return (region.base == 0x4000'0000U) ? Status::kOk : inner().program_region(region);
    }
};

// Shows the file that was bound without a look at the mapping: a comparison with that file always holds.
class WindowComparedWithItself final : public WindowElsewhere {
  public:
    using WindowElsewhere::WindowElsewhere;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        const ByteSpan file = asked().subspan(address - kWindow, out.size());
        if ((address < kWindow) || file.empty()) {
            return inner().read_back(address, out);
        }
        std::copy(file.begin(), file.end(), out.begin());
        return Status::kOk;
    }
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override {
        return inner().bound_source(slot);
    }
};

// The same of the binding alone.
class WindowReportOfTheDriver final : public WindowElsewhere {
  public:
    using WindowElsewhere::WindowElsewhere;
};

class WindowWritable final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status program_region(const RegionConfig& region) noexcept override {
        RegionConfig narrower = region;
        if (region.base == 0x4000'0000U) {
            narrower.kernels_write = false;
            narrower.queues_write = false;
            narrower.fetch = false;
        }
        return inner().program_region(narrower);
    }
};

class WindowBeyondTheFile final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status program_region(const RegionConfig& region) noexcept override {
        RegionConfig shorter = region;
        if ((region.base == 0x4000'0000U) && (inner().program_region(region) == Status::kCapacity)) {
            shorter.size_bytes -= 1U;
            return inner().program_region(shorter);
        }
        return (region.base == 0x4000'0000U) ? Status::kOk : inner().program_region(region);
    }
};

class PatchLost final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status patch_word(std::uint32_t /*address*/, std::uint32_t /*word*/) noexcept override { return Status::kOk; }
};

// Reads the memory that this core has written, not the device's.
class ReadBackOfTheDriver final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override {
        const Status status = inner().read_back(address, out);
        if (is_ok(status) && !out.empty()) {
            std::memset(out.data(), 0, out.size());
        }
        return status;
    }
};

class UnbindLost final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override {
        return (memory.empty() && (slot < kDestinationSlots)) ? Status::kOk : inner().bind_destination(slot, memory);
    }
};

class RefusedIsOk final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        const Status status = inner().enqueue(queue, command);
        return (status == Status::kBusy) ? Status::kOk : status;
    }
};

class DoorbellAtOnce final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override {
        const Status status = inner().enqueue(queue, command);
        static_cast<void>(inner().ring_doorbell(queue));
        return status;
    }
};

class DoorbellOfAll final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status ring_doorbell(std::uint32_t queue) noexcept override {
        static_cast<void>(inner().ring_doorbell(0U));
        static_cast<void>(inner().ring_doorbell(1U));
        return inner().ring_doorbell(queue);
    }
};

// What a fault was is not looked at.
class FaultIsDone final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        const Status status = inner().completion(queue, token, completion);
        return (status == Status::kDeviceFault) ? Status::kPending : status;
    }
};

class ResetLost final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status reset() noexcept override {
        resets_ += 1U;
        return ((resets_ % 2U) == 0U) ? Status::kOk : inner().reset();
    }

  private:
    std::uint32_t resets_{0U};
};

class ServiceFails final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status service() noexcept override {
        static_cast<void>(inner().service());
        return Status::kBusy;
    }
};

class CompletionOfAnyToken final : public ForwardingDevice {
  public:
    using ForwardingDevice::ForwardingDevice;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override {
        const Status status = inner().completion(queue, token, completion);
        if (is_ok(status) && (queue == 0U)) {
            last_ = completion;
        }
        if ((status == Status::kPending) && (queue == 0U) && (last_.token != 0U)) {
            completion = last_;
            completion.token = token;
            return Status::kOk;
        }
        return status;
    }
    Status reset() noexcept override {
        last_ = Completion{};
        return inner().reset();
    }

  private:
    Completion last_;
};

class ClockOfZero final : public Platform {
  public:
    explicit ClockOfZero(Platform& inner) : inner_{inner} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override { return 0U; }
    void idle() noexcept override { inner_.idle(); }
    void serve_watchdog() noexcept override { inner_.serve_watchdog(); }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        return inner_.lowest_security_version(version);
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        return inner_.raise_security_version(version);
    }
    void enter_safe_state(const FaultRecord& fault) noexcept override { inner_.enter_safe_state(fault); }

  private:
    Platform& inner_;
};

// It has none of the kernels that it decodes launches of.
class NoKernels final : public test::ForwardingCommandSet {
  public:
    [[nodiscard]] KernelIdentity kernel(std::uint32_t /*id*/) const noexcept override { return {}; }
};

class KernelsChange final : public test::ForwardingCommandSet {
  public:
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override {
        KernelIdentity identity = ForwardingCommandSet::kernel(id);
        calls_ += 1U;
        identity.cost_version += (identity.version != 0U) ? calls_ : 0U;
        return identity;
    }

  private:
    mutable std::uint32_t calls_{0U};
};

class KernelOfNoId final : public test::ForwardingCommandSet {
  public:
    [[nodiscard]] KernelIdentity kernel(std::uint32_t id) const noexcept override {
        return ForwardingCommandSet::kernel((id == 0U) ? 1U : id);
    }
};

SimulatedPort& simulated() {
    static SimulatedPort the_port{sim::Threading::kInProcess};
    return the_port;
}

template <typename Wrong>
PortUnderTest with() noexcept {
    static Wrong the_wrong{simulated().device()};
    PortUnderTest port = simulated().under_test(the_wrong, simulated().platform(), simulated().command_set());
    port.polls = 20'000U;
    return port;
}

PortUnderTest without_time() noexcept {
    static ClockOfZero the_clock{simulated().platform()};
    return simulated().under_test(simulated().device(), the_clock, simulated().command_set());
}

template <typename Wrong>
PortUnderTest with_commands() noexcept {
    static const Wrong kWrongSet;
    return simulated().under_test(simulated().device(), simulated().platform(), kWrongSet);
}

// It says of itself that it leaves out what no port may leave out.
PortUnderTest with_an_excuse() noexcept {
    static const std::array<const char*, 1U> kExcuse{"PORT-TOUCH-WRITE"};
    PortUnderTest port = simulated().under_test();
    port.not_offered = Span<const char* const>{kExcuse};
    return port;
}

constexpr std::array<WrongPort, 27U> kWrong{{
    {"sim_region_report_of_the_driver", "PORT-REGION-HONEST", with<RegionReportOfTheDriver>},
    {"sim_bind_report_of_the_driver", "PORT-BIND-HONEST", with<BindReportOfTheDriver>},
    {"sim_drops_lines", "PORT-VIEW-EDGES", with<DropsLines>},
    {"sim_region_widened", "PORT-REGION-READ", with<RegionWidened>},
    {"sim_region_writable_for_all", "PORT-REGION-REPORT", with<RegionWritableForAll>},
    {"sim_window_of_another_file", "PORT-FILE-READ", with<WindowOfAnotherFile>},
    {"sim_window_shifted", "PORT-FILE-READ", with<WindowShifted>},
    {"sim_window_unmapped", "PORT-FILE-READ", with<WindowUnmapped>},
    {"sim_window_compared_with_itself", "PORT-FILE-REPORT", with<WindowComparedWithItself>},
    {"sim_window_report_of_the_driver", "PORT-FILE-REPORT", with<WindowReportOfTheDriver>},
    {"sim_window_writable", "PORT-FILE-WRITE", with<WindowWritable>},
    {"sim_window_beyond_the_file", "PORT-FILE-EXTENT", with<WindowBeyondTheFile>},
    {"sim_patch_lost", "PORT-PATCH-EXACT", with<PatchLost>},
    {"sim_read_back_of_the_driver", "PORT-READBACK-EXACT", with<ReadBackOfTheDriver>},
    {"sim_unbind_lost", "PORT-BIND-REPORT", with<UnbindLost>},
    {"sim_refused_is_ok", "PORT-RING-FULL", with<RefusedIsOk>},
    {"sim_doorbell_at_once", "PORT-DOORBELL-FIRST", with<DoorbellAtOnce>},
    {"sim_doorbell_of_all", "PORT-DOORBELL-QUEUE", with<DoorbellOfAll>},
    {"sim_fault_is_done", "PORT-FAULT-STOPS", with<FaultIsDone>},
    {"sim_reset_lost", "PORT-RESET-RINGS", with<ResetLost>},
    {"sim_service_fails", "PORT-SERVICE", with<ServiceFails>},
    {"sim_completion_of_any_token", "PORT-COMPLETION-OLD", with<CompletionOfAnyToken>},
    {"sim_clock_stands_still", "PORT-CLOCK-RUNS", without_time},
    {"sim_no_kernels", "PORT-KERNELS", with_commands<NoKernels>},
    {"sim_kernels_change", "PORT-KERNELS", with_commands<KernelsChange>},
    {"sim_kernel_of_no_id", "PORT-KERNELS", with_commands<KernelOfNoId>},
    {"sim_excuse", "PORT-TOUCH-WRITE", with_an_excuse},
}};

}  // namespace

Span<const WrongPort> wrong_simulators() noexcept {
    return Span<const WrongPort>{kWrong};
}

}  // namespace pianola::port
