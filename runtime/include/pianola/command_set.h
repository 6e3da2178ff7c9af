// CommandSet: what the runtime must know of a device's command encoding in order to prove a trace.
//
// Place in the whole: one of the three interfaces that a port implements (with Device and Platform). A vendor who
// brings another accelerator writes one of these: a pure function from command words to what the command does. The
// runtime never interprets command words itself. Implementations hold no state of their own and are called by the
// loading core only.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/device.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

// What a command does to the bytes it names.
enum class Access : std::uint8_t {
    kUnspecified = 0U,
    kRead = 1U,
    kWrite = 2U,  // every byte of the extent is written, before the command completes
};

// `count` times the same, `stride_bytes` apart.
struct Repeat {
    std::uint32_t count{1U};  // never 0
    std::uint32_t stride_bytes{0U};
};

// Device memory that a command touches: a run of bytes, `inner.count` runs, and that `outer.count` times. Exact: not a
// byte more, not a byte less. Runs may touch and overlap.
struct Extent {
    std::uint32_t address{0U};     // device address of the first byte
    std::uint32_t size_bytes{0U};  // of one run; never 0
    Access access{Access::kUnspecified};
    const char* field{nullptr};  // the command's field that names it, for messages; static lifetime
    Repeat inner;
    Repeat outer;
};

// From the first byte to the last, what lies between runs included.
[[nodiscard]] constexpr std::uint64_t hull_bytes(const Extent& extent) noexcept {
    return extent.size_bytes + (std::uint64_t{extent.inner.count - 1U} * extent.inner.stride_bytes) +
           (std::uint64_t{extent.outer.count - 1U} * extent.outer.stride_bytes);
}

class ExtentList {
  public:
    // False where the list is full, the access is unspecified, or [address, address + size) is empty or wraps round the
    // 32-bit address space.
    [[nodiscard]] constexpr bool add(std::uint32_t address, std::uint64_t size_bytes, Access access,
                                     const char* field) noexcept {
        const auto bytes = static_cast<std::uint32_t>(size_bytes);
        if ((count_ >= kMaxExtentsPerCommand) || (access == Access::kUnspecified) || (bytes == 0U) ||
            (bytes != size_bytes) || ((bytes - 1U) > (UINT32_MAX - address))) {
            return false;
        }
        extents_[count_] = Extent{address, bytes, access, field, {}, {}};
        count_ += 1U;
        return true;
    }
    // The same of several runs; false also where one of them wraps, or there are none.
    [[nodiscard]] constexpr bool add(const Extent& extent) noexcept {
        const std::uint64_t largest = std::uint64_t{UINT32_MAX} - extent.address;  // from its first byte to its last
        const std::uint64_t inner = std::uint64_t{extent.inner.count - 1U} * extent.inner.stride_bytes;
        const std::uint64_t outer = std::uint64_t{extent.outer.count - 1U} * extent.outer.stride_bytes;
        if ((count_ >= kMaxExtentsPerCommand) || (extent.access == Access::kUnspecified) || (extent.size_bytes == 0U) ||
            (extent.inner.count == 0U) || (extent.outer.count == 0U) || (inner > largest) ||
            (outer > (largest - inner)) || ((extent.size_bytes - 1U) > (largest - inner - outer)) ||
            (hull_bytes(extent) > UINT32_MAX)) {
            return false;
        }
        extents_[count_] = extent;
        count_ += 1U;
        return true;
    }
    constexpr void clear() noexcept { count_ = 0U; }
    [[nodiscard]] constexpr Span<const Extent> view() const noexcept {
        return Span<const Extent>{extents_.data(), count_};
    }

  private:
    std::array<Extent, kMaxExtentsPerCommand> extents_{};
    std::uint32_t count_{0U};
};

// What the commands of a trace so far have set, of a command set whose commands work on registers. Opaque: whoever
// walks a trace clears it in front of the first command and hands it from each to the next. A command set that needs
// none leaves it alone.
struct DecodeState {
    std::uint32_t used{0U};  // words that say something, from the first on; those behind them stay 0
    std::array<std::uint32_t, kMaxDecodeStateWords> words{};
};

enum class CommandKind : std::uint8_t {
    kUnspecified = 0U,
    kLaunch,    // run one kernel of the ROM on the whole grid
    kCopy,      // move bytes inside device memory
    kFill,      // set bytes of device memory
    kBarrier,   // wait until every earlier command of the trace has completed
    kEnd,       // last command of a trace
    kDispatch,  // start one kernel of the ROM on one core; every other kind waits for all cores first
};

struct DecodedCommand {
    CommandKind kind{CommandKind::kUnspecified};
    std::uint32_t length_words{0U};  // words that the command occupies, header included
    std::uint32_t kernel_id{0U};     // kLaunch and kDispatch only
    std::uint32_t core{0U};          // kDispatch only
    std::uint64_t cost_cycles{0U};   // device cycles it takes on its queue, by the command set's published cost model
    std::uint64_t core_cycles{0U};   // kDispatch only: those that it takes on its core
    ExtentList extents;

    // As it was made, but for extents that the list does not count: these are most of its bytes.
    constexpr void clear() noexcept {
        kind = CommandKind::kUnspecified;
        length_words = 0U;
        kernel_id = 0U;
        core = 0U;
        cost_cycles = 0U;
        core_cycles = 0U;
        extents.clear();
    }
};

// Whether a word of a command may change between replays. Such words are separable: each of them has its effect
// whatever the others hold, and what is accepted with every combination of a lowest and a highest value of each is
// accepted with everything in between that is a multiple of an alignment, as long as operands do not come to overlap:
// conditions on several words are sums that stay within a limit, or multiples of a number. Of that number one step of
// the alignment is tried for each word.
enum class PatchKind : std::uint8_t {
    kNone = 0U,
    kAddress,  // the device address of an operand: its extent moves with it, and nothing else changes
    kValue,  // changes neither kernel, core, extents, cost nor state; what is accepted at two values of one sign, taken
             // as two's complement, is accepted at every value between them
};

// Why a command cannot be decoded: the field that is wrong. Static lifetime.
struct DecodeError {
    const char* field{""};
    std::uint32_t word{0U};  // index of the offending word inside the command
    bool unknown_command{false};
    bool unknown_kernel{false};
};

class CommandSet {
  public:
    CommandSet(const CommandSet&) = delete;
    CommandSet(CommandSet&&) = delete;
    CommandSet& operator=(const CommandSet&) = delete;
    CommandSet& operator=(CommandSet&&) = delete;

    // Decodes the command that starts at words[0]; words reaches to the end of the trace. A function of the words and
    // of `state`, which it may change. With state that no command before has set, as at the start of a trace, a command
    // that needs it is refused: on the device anything may be there. kOk: `command` is complete, whatever it was
    // before, and 1 <= length_words <= words.size(). kRefused: `error` says what is wrong; `command` and `state` must
    // not be used.
    virtual Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                          DecodeError& error) const noexcept = 0;

    // words is exactly one command that decode() accepts; word is an index in it. Constant time.
    [[nodiscard]] virtual PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept = 0;

    // Words that a queue command takes in its queue's ring, and device cycles that it takes by itself: a transfer of
    // command.size_bytes, a record, a wait that is satisfied already, the front of a replay. What the cycles are, here
    // and of trace commands, DeviceDescription::costs says.
    [[nodiscard]] virtual std::uint32_t queue_words(const QueueCommand& command) const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t queue_cycles(const QueueCommand& command) const noexcept = 0;

    // Sets the command's check, for the command of its queue with this number since a reset, from 0. It depends on the
    // number and on every word. Returns what the device's digest becomes by executing the command; for kReplay,
    // trace_digest is that of the whole trace. A queue begins with 0 after a reset. Every word of the command changes
    // it. Of a device that attests no digest nobody compares it.
    [[nodiscard]] virtual std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                             QueueCommand& command) const noexcept = 0;
    // What a trace's digest becomes by the command `words`, which decode() accepts. A trace begins with 0. It does not
    // depend on words that may be patched.
    [[nodiscard]] virtual std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept = 0;

  protected:
    CommandSet() = default;
    ~CommandSet() = default;
};

}  // namespace pianola
