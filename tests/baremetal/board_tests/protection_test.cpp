// protection BINARY SESSION_BYTES SESSION_POW2_BYTES FLASH_BYTES FLASH_POW2_BYTES [off]: two slots with the same
// binary, of which one runs at a time, behind the ECU core's own protection unit. The numbers are windows of the
// binary's memory manifest.
//
// Everything that a slot owns lies in the load area, the two slots' windows next to each other, so that a byte beyond
// one is a byte of the other. Each slot replays under protection; around that, single bytes are read and written on
// both sides of every edge.
#include "hal/arch/protection.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "pianola/development_config.h"
#include "tests/baremetal/board_tests/bench.h"
#include "tests/baremetal/board_tests/violations.h"

namespace pianola::baremetal {
namespace {

using protection::Access;
using protection::Window;

constexpr std::uint32_t kSlots = 2U;
constexpr std::uint32_t kMaxWindows = 16U;
// Where the windows lie in the load area: behind free memory, on multiples of any window's size.
constexpr std::uint32_t kSessionsOffset = 1024U * 1024U;
constexpr std::uint32_t kFilesOffset = 2U * 1024U * 1024U;

std::uintptr_t address_of(const void* place) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-034
    return reinterpret_cast<std::uintptr_t>(place);
}

// What both slots use in turn: the device, and memory for loading.
struct Common {
    board::BoardLink link{refdev::DeviceSpec{}, board::shared_state()};
    board::BoardDevice device{refdev::DeviceSpec{}, board::shared_state(), link};
    TestPlatform platform;
    refdev::RefdevCommandSet command_set;
    PlanWorkspace workspace;
    Verdict verdict;
    bool is_off{false};  // the unit is left alone: strays must then be found to succeed
};

Common& common() noexcept {
    static Common the_common;
    return the_common;
}

struct Slot {
    Window session;
    MutableByteSpan memory;  // of the session
    Window file;
    ByteSpan binary;
};

// A window as exact as the unit can make it, `index` sizes behind the start of its memory.
Window window_at(std::uintptr_t start, std::uint32_t index, std::uint32_t bytes, std::uint32_t pow2_bytes,
                 Access access) noexcept {
    const Window exact{start + (index * std::uintptr_t{bytes}), bytes, access};
    const Window rounded{start + (index * std::uintptr_t{pow2_bytes}), pow2_bytes, access};
    return protection::is_supported(exact) ? exact : rounded;
}

Window whole(MutableByteSpan memory) noexcept {
    return {address_of(memory.data()), static_cast<std::uint32_t>(memory.size()), Access::kReadWriteShared};
}

[[nodiscard]] Status protect_for(const Slot& slot) noexcept {
    std::array<Window, kMaxWindows> windows{};
    std::uint32_t count = 0U;
    for (const Window& window : board::fixed_windows()) {
        windows[count] = window;
        count += 1U;
    }
    for (const Window& window :
         std::array<Window, 4U>{whole(board::device_dram()), whole(board::device_l1()), slot.session, slot.file}) {
        windows[count] = window;
        count += 1U;
    }
    if (common().is_off) {
        return Status::kOk;
    }
    return protection::protect(Span<const Window>{windows.data(), count});
}

// Loads and replays self-test vectors, with the session in the slot's own memory. Under protection.
[[nodiscard]] bool run(const Slot& slot) noexcept {
    constexpr std::size_t kScratchBytes = 1024U;
    static std::array<std::uint8_t, kScratchBytes> scratch;
    Common& all = common();
    if (!is_ok(protect_for(slot))) {
        return false;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): DEV-035
    auto* const session =
        new (slot.memory.data()) Session{all.device, all.platform, all.command_set, kDevelopmentConfig};
    Status status = session->load(slot.binary, all.workspace, all.verdict);
    const MutableByteSpan outputs = MutableByteSpan{scratch}.subspan(0U, session->output_bytes());
    std::uint32_t replays = 0U;
    while (is_ok(status)) {  // ends behind the last vector
        status = session->self_test(replays, outputs);
        replays += is_ok(status) ? 1U : 0U;
    }
    report("replays", replays);
    if (status != Status::kInvalidArgument) {
        report_verdict(all.verdict);
        report_fault(session->fault());
        return false;
    }
    return true;
}

// Counts what went as it should, and says what did not.
class Tally {
  public:
    void expect(bool right, const char* what, std::uintptr_t address) noexcept {
        (right ? right_ : wrong_) += 1U;
        if (!right) {
            report_text("wrong", what);
            report("wrong_at", address);
        }
    }
    void read(std::uintptr_t address, bool permitted) noexcept {
        const Refusal refusal = try_to_read(address);
        expect(refusal.refused != permitted, permitted ? "read was refused" : "read was not refused", address);
        expect(permitted || (refusal.address == address), "another address was reported", address);
    }
    void write(std::uintptr_t address, std::uint8_t value, bool permitted) noexcept {
        const Refusal refusal = try_to_write(address, value);
        expect(refusal.refused != permitted, permitted ? "write was refused" : "write was not refused", address);
        expect(permitted || (refusal.address == address), "another address was reported", address);
    }
    void report_all() const noexcept {
        report("right", right_);
        report("wrong_count", wrong_);
    }
    [[nodiscard]] bool all_right() const noexcept { return wrong_ == 0U; }

  private:
    std::uint32_t right_{0U};
    std::uint32_t wrong_{0U};
};

std::uintptr_t middle_of(const Window& window) noexcept {
    return window.base + (window.size_bytes / 2U);
}
std::uintptr_t last_of(const Window& window) noexcept {
    return window.base + (window.size_bytes - 1U);
}

// Under the protection of `own`: what it may touch, and what of the other slot it may not, up to every edge.
void touch(Tally& tally, const Slot& own, const Slot& other) noexcept {
    constexpr std::uint8_t kStray = 0x5AU;
    for (const std::uintptr_t address : {own.session.base, last_of(own.session)}) {
        tally.read(address, true);
        tally.write(address, own.memory[address - own.session.base], true);  // what is there already
    }
    tally.read(own.file.base, true);
    tally.read(last_of(own.file), true);
    tally.write(own.file.base, kStray, false);
    tally.write(last_of(own.file), kStray, false);
    for (const Window& window : {other.session, other.file}) {
        for (const std::uintptr_t address : {window.base, middle_of(window), last_of(window)}) {
            tally.read(address, false);
            tally.write(address, kStray, false);
        }
    }
    // Memory of nobody, on the outer edges of what the two own.
    const std::uintptr_t first = std::min(own.session.base, other.session.base);
    const std::uintptr_t last = std::max(last_of(own.session), last_of(other.session));
    for (const std::uintptr_t address : {first - 1U, last + 1U}) {
        tally.read(address, false);
        tally.write(address, kStray, false);
    }
}

// FNV-1a: whether bytes are still the same.
std::uint32_t digest_of(ByteSpan bytes) noexcept {
    constexpr std::uint32_t kOffsetBasis = 2'166'136'261U;
    constexpr std::uint32_t kPrime = 16'777'619U;
    std::uint32_t digest = kOffsetBasis;
    for (const std::uint8_t byte : bytes) {
        digest = (digest ^ byte) * kPrime;
    }
    return digest;
}

// Where a slot's windows lie, and its binary in them. False where something does not fit.
[[nodiscard]] bool prepare(Slot& slot, std::uint32_t index, const Arguments& arguments) noexcept {
    const MutableByteSpan area = board::load_area();
    const std::uintptr_t start = address_of(area.data());
    slot.session =
        window_at(start + kSessionsOffset, index, arguments.number_at(2U), arguments.number_at(3U), Access::kReadWrite);
    slot.file =
        window_at(start + kFilesOffset, index, arguments.number_at(4U), arguments.number_at(5U), Access::kReadOnly);
    slot.memory = area.subspan(slot.session.base - start, slot.session.size_bytes);
    const MutableByteSpan file = area.subspan(slot.file.base - start, slot.file.size_bytes);
    const std::int32_t loaded = semihosting::load_file(arguments.at(1U), file);
    if ((slot.memory.size() < sizeof(Session)) || (loaded <= 0)) {
        return false;
    }
    std::fill(slot.memory.begin(), slot.memory.end(), std::uint8_t{0U});
    slot.binary = file.subspan(0U, static_cast<std::size_t>(loaded));
    return true;
}

// Both slots change places around the strays, because what the other owns can only be looked at under its own
// protection.
[[nodiscard]] bool stray(Tally& tally, const Slot& own, const Slot& other) noexcept {
    if (!is_ok(protect_for(other))) {
        return false;
    }
    const std::uint32_t session_before = digest_of(other.memory);
    const std::uint32_t file_before = digest_of(other.binary);
    if (!is_ok(protect_for(own))) {
        return false;
    }
    touch(tally, own, other);
    tally.expect(digest_of(own.binary) == file_before, "the slot's own binary changed", own.file.base);
    if (!is_ok(protect_for(other))) {
        return false;
    }
    tally.expect(digest_of(other.memory) == session_before, "the other slot's session changed", other.session.base);
    tally.expect(digest_of(other.binary) == file_before, "the other slot's binary changed", other.file.base);
    return true;
}

}  // namespace

std::int32_t test_protection(const Arguments& arguments) noexcept {
    common().is_off = arguments.count() > 6U;
    std::array<Slot, kSlots> slots{};
    for (std::uint32_t i = 0U; i < kSlots; ++i) {
        if (!prepare(slots[i], i, arguments)) {
            return kNotLoaded;
        }
    }
    report("session_bytes", sizeof(Session));
    report("window_bytes", slots[0].session.size_bytes);
    Tally tally;
    const bool done = run(slots[0]) && run(slots[1]) && stray(tally, slots[0], slots[1]) &&
                      stray(tally, slots[1], slots[0]) && run(slots[0]);
    tally.report_all();
    return (done && tally.all_right()) ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
