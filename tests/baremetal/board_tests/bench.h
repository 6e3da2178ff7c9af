// Everything that a session on a board needs, and the files that a test gave.
//
// One of these exists per run; it lies in zeroed memory, not on the stack.
#pragma once

#include <array>
#include <cstdint>

#include "hal/boards/common/board_link.h"
#include "hal/boards/common/board_platform.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "hal/devices/refdev/sim/faulty_driver.h"
#include "pianola/session.h"

namespace pianola::baremetal {

class TestPlatform final : public board::BoardPlatform {
  public:
    void serve_watchdog() noexcept override { watchdog_services_ += 1U; }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return Status::kOk;
    }
    Status raise_security_version(std::uint32_t /*version*/) noexcept override { return Status::kOk; }
    void enter_safe_state(const FaultRecord& /*fault*/) noexcept override { safe_state_entries_ += 1U; }

    [[nodiscard]] std::uint32_t watchdog_services() const noexcept { return watchdog_services_; }
    [[nodiscard]] std::uint32_t safe_state_entries() const noexcept { return safe_state_entries_; }

  private:
    std::uint32_t watchdog_services_{0U};
    std::uint32_t safe_state_entries_{0U};
};

class TestDevice final : public refdev::FaultyDriver {
  public:
    using FaultyDriver::FaultyDriver;
};

inline constexpr std::uint32_t kPatientResetLimitUs = 10'000'000U;

// The default device, which reads weights in the file.
[[nodiscard]] constexpr refdev::DeviceSpec file_device() noexcept {
    refdev::DeviceSpec spec;
    spec.file_base = 0x4000'0000U;
    spec.file_bytes = 64U * 1024U * 1024U;
    return spec;
}

struct Bench {
    // A reset waits longer than a product's would: where emulated cores run side by side, a core may not get on for a
    // while.
    explicit Bench(const refdev::FaultScript& faults, std::uint32_t reset_limit_us = kPatientResetLimitUs,
                   const refdev::DeviceSpec& spec = refdev::DeviceSpec{}) noexcept;

    board::BoardLink link;
    TestPlatform platform;
    TestDevice device;
    refdev::RefdevCommandSet command_set;
    Session session;
    PlanWorkspace workspace;
    Verdict verdict;
};

// The board's load area, handed out piece by piece.
class LoadArea {
  public:
    LoadArea() noexcept;
    // A whole host file, 64-byte aligned; empty, with a message, where it cannot be read or does not fit.
    MutableByteSpan load(const char* file_name) noexcept;
    // Room for `size_bytes` bytes of zeros; empty, with a message, where that does not fit.
    MutableByteSpan allocate(std::uint32_t size_bytes) noexcept;

  private:
    MutableByteSpan free_;
};

// Words of the command line; the first is the test's name.
inline constexpr std::uint32_t kMaxArguments = 12U;
class Arguments {
  public:
    Arguments() noexcept;
    // nullptr where there are fewer.
    [[nodiscard]] const char* at(std::uint32_t index) const noexcept;
    // A decimal number; 0 where there is none.
    [[nodiscard]] std::uint32_t number_at(std::uint32_t index) const noexcept;
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

  private:
    std::array<char, 1024U> text_{};
    std::array<const char*, kMaxArguments> words_{};
    std::uint32_t count_{0U};
};

// Loads a binary into the session. False, with a message that names rule, path and offset or the fault, where that
// fails.
[[nodiscard]] bool load_binary(Session& session, PlanWorkspace& workspace, Verdict& verdict, ByteSpan file) noexcept;
[[nodiscard]] inline bool load_binary(Bench& bench, ByteSpan file) noexcept {
    return load_binary(bench.session, bench.workspace, bench.verdict, file);
}

// Polls until the step under way has ended, idling in between.
Status finish(Bench& bench) noexcept;

// "name=value " on the console.
void report(const char* name, std::uint64_t value) noexcept;
void report_text(const char* name, const char* text) noexcept;
void report_verdict(const Verdict& verdict) noexcept;
void report_fault(const FaultRecord& fault) noexcept;

// Exit codes of the test application.
inline constexpr std::int32_t kPassed = 0;
inline constexpr std::int32_t kFailed = 1;
inline constexpr std::int32_t kWrongUsage = 2;
inline constexpr std::int32_t kNotLoaded = 3;

// One test per start: the first word of the command line names it.
struct Test {
    const char* name;
    std::int32_t (*run)(const Arguments& arguments) noexcept;  // returns an exit code
};
[[noreturn]] void run_application(Span<const Test> tests) noexcept;

// The tests.
std::int32_t test_replay(const Arguments& arguments) noexcept;
std::int32_t test_kernels(const Arguments& arguments) noexcept;
std::int32_t test_launch_counts(const Arguments& arguments) noexcept;
std::int32_t test_library(const Arguments& arguments) noexcept;
std::int32_t test_overlap(const Arguments& arguments) noexcept;
std::int32_t test_conformance(const Arguments& arguments) noexcept;
std::int32_t test_count(const Arguments& arguments) noexcept;
std::int32_t test_device_count(const Arguments& arguments) noexcept;
std::int32_t test_device_set(const Arguments& arguments) noexcept;
std::int32_t test_stack(const Arguments& arguments) noexcept;
std::int32_t test_validate(const Arguments& arguments) noexcept;
std::int32_t test_bit_flips(const Arguments& arguments) noexcept;
std::int32_t test_faults(const Arguments& arguments) noexcept;
std::int32_t test_vectors(const Arguments& arguments) noexcept;
std::int32_t test_signature(const Arguments& arguments) noexcept;
std::int32_t test_protection(const Arguments& arguments) noexcept;
std::int32_t test_interleave(const Arguments& arguments) noexcept;
std::int32_t test_mesh(const Arguments& arguments) noexcept;
std::int32_t test_mesh_failure(const Arguments& arguments) noexcept;

}  // namespace pianola::baremetal
