#include "tests/baremetal/board_tests/bench.h"

#include <algorithm>
#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"

namespace pianola::baremetal {
namespace {

constexpr std::uint32_t kAlignment = kFileAlignmentBytes;

[[nodiscard]] constexpr std::size_t aligned(std::size_t size_bytes) noexcept {
    return (size_bytes + (kAlignment - 1U)) & ~static_cast<std::size_t>(kAlignment - 1U);
}

}  // namespace

Bench::Bench(const refdev::FaultScript& faults, std::uint32_t reset_limit_us, const refdev::DeviceSpec& spec) noexcept
    : link{spec, board::shared_state()},
      device{spec, board::shared_state(), link, faults, reset_limit_us},
      session{device, platform, command_set, kDevelopmentConfig} {}

LoadArea::LoadArea() noexcept : free_{board::load_area()} {}

MutableByteSpan LoadArea::load(const char* file_name) noexcept {
    const std::int32_t loaded = (file_name != nullptr) ? semihosting::load_file(file_name, free_) : -1;
    if (loaded < 0) {
        report_text("unreadable", (file_name != nullptr) ? file_name : "(none)");
        return {};
    }
    const auto size_bytes = static_cast<std::size_t>(loaded);
    const MutableByteSpan bytes = free_.subspan(0U, size_bytes);
    const std::size_t taken = std::min(aligned(size_bytes), free_.size());
    free_ = free_.subspan(taken, free_.size() - taken);
    return bytes;
}

MutableByteSpan LoadArea::allocate(std::uint32_t size_bytes) noexcept {
    const MutableByteSpan bytes = free_.subspan(0U, aligned(size_bytes));
    if (bytes.empty()) {
        report("no_room_for", size_bytes);
        return {};
    }
    free_ = free_.subspan(bytes.size(), free_.size() - bytes.size());
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0U});
    return bytes.subspan(0U, size_bytes);
}

Arguments::Arguments() noexcept {
    if (!semihosting::command_line(Span<char>{text_.data(), text_.size()})) {
        return;
    }
    bool in_word = false;
    for (char& letter : text_) {
        if (letter == '\0') {
            break;
        }
        if (letter == ' ') {
            letter = '\0';
            in_word = false;
        } else if (!in_word && (count_ < kMaxArguments)) {
            words_[count_] = &letter;
            count_ += 1U;
            in_word = true;
        }
    }
}

const char* Arguments::at(std::uint32_t index) const noexcept {
    return (index < count_) ? words_[index] : nullptr;
}

std::uint32_t Arguments::number_at(std::uint32_t index) const noexcept {
    constexpr std::uint32_t kBase = 10U;
    std::uint32_t number = 0U;
    const char* const text = at(index);
    for (std::size_t i = 0U; (text != nullptr) && (text[i] >= '0') && (text[i] <= '9'); ++i) {
        number = (number * kBase) + static_cast<std::uint32_t>(text[i] - '0');
    }
    return number;
}

bool load_binary(Session& session, PlanWorkspace& workspace, Verdict& verdict, ByteSpan file) noexcept {
    const Status status = session.load(file, workspace, verdict);
    if (status == Status::kRefused) {
        report_verdict(verdict);
    } else if (!is_ok(status)) {
        report_fault(session.fault());
    }
    return is_ok(status);
}

Status finish(Bench& bench) noexcept {
    Status status = bench.session.poll();
    while (status == Status::kPending) {  // ends at the deadline
        bench.platform.idle();
        status = bench.session.poll();
    }
    return status;
}

void run_application(Span<const Test> tests) noexcept {
    const Arguments arguments;
    board::start_device_cores();
    for (const Test& test : tests) {
        if ((arguments.count() > 0U) && (std::strcmp(arguments.at(0U), test.name) == 0)) {
            semihosting::exit(test.run(arguments));
        }
    }
    report_text("unknown_test", (arguments.count() > 0U) ? arguments.at(0U) : "(none)");
    semihosting::exit(kWrongUsage);
}

void report(const char* name, std::uint64_t value) noexcept {
    semihosting::print(name);
    semihosting::print("=");
    semihosting::print_number(value);
    semihosting::print("\n");
}

void report_text(const char* name, const char* text) noexcept {
    semihosting::print(name);
    semihosting::print("=");
    semihosting::print(text);
    semihosting::print("\n");
}

void report_verdict(const Verdict& verdict) noexcept {
    constexpr std::size_t kPathBytes = 128U;
    std::array<char, kPathBytes> path{};
    static_cast<void>(format_path(verdict.path, Span<char>{path.data(), path.size()}));
    report_text("rule", rule_id(verdict.rule));
    report_text("path", path.data());
    report("offset", verdict.file_offset);
}

void report_fault(const FaultRecord& fault) noexcept {
    report("fault_status", static_cast<std::uint32_t>(fault.status));
    report("fault_stage", static_cast<std::uint32_t>(fault.stage));
    report("fault_queue", fault.queue);
    report("fault_step", fault.step);
    report("fault_command", fault.command);
    report("fault_device", static_cast<std::uint32_t>(fault.device_fault));
    report("fault_started_us", fault.started_us);
    report("fault_time_us", fault.time_us);
    report("fault_deadline_us", fault.deadline_us);
    report("fault_device_stopped", fault.device_stopped ? 1U : 0U);
}

}  // namespace pianola::baremetal
