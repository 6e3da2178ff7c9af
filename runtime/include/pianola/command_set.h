// CommandSet: a device's command encoding, as far as the runtime needs it to prove a trace.
//
// One of the three interfaces that a port implements (with Device and Platform). A port to another accelerator
// implements it: a pure function from command words to what the command does. The runtime never interprets command
// words itself. Implementations hold no state of their own and are called by the loading core only.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/device.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

// Kind of access to the bytes of an extent.
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

// Device memory that a command touches: a run of bytes, repeated `inner.count` times, and all that `outer.count` times.
// Exact to the byte. Runs may touch and overlap.
struct Extent {
    std::uint32_t address{0U};     // device address of the first byte
    std::uint32_t size_bytes{0U};  // of one run; never 0
    Access access{Access::kUnspecified};
    const char* field{nullptr};  // the command's field that names it, for messages; static lifetime
    Repeat inner;
    Repeat outer;
};

// From the first byte to the last, including the gaps between runs.
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
    // Adds several runs; false also if one of them wraps or there are none.
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

// Register state that the commands of a trace have set so far, for command sets that work on registers. Opaque: code
// that walks a trace clears it before the first command and passes it from each command to the next. A command set
// without state does not touch it.
struct DecodeState {
    std::uint32_t used{0U};  // number of words in use, from the first on; the others stay 0
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

    // Resets it, except extents that the list does not count, which are most of its bytes.
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

// Whether a word of a command may change between replays. Such words are separable: the effect of each is independent
// of the others, and if every combination of the lowest and highest value of each word is accepted, so is every value
// in between that is a multiple of an alignment, as long as operands do not overlap. Conditions on several words are
// sums that stay within a limit, or multiples of a number. For that number, one step of the alignment is tried for each
// word.
enum class PatchKind : std::uint8_t {
    kNone = 0U,
    kAddress,  // the device address of an operand: its extent moves with it, and nothing else changes
    kValue,  // changes neither kernel, core, extents, cost nor state; if two values of one sign (two's complement) are
             // accepted, so is every value between them
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

    // Decodes the command that starts at words[0]; words reaches to the end of the trace. Depends only on the words and
    // on `state`, which it may change. A command that needs state which no earlier command of the trace has set is
    // refused: its value on the device is unknown. kOk: `command` is complete, independent of its previous contents,
    // and 1 <= length_words <= words.size(). kRefused: `error` says what is wrong; `command` and `state` must not be
    // used.
    virtual Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                          DecodeError& error) const noexcept = 0;

    // The kernel that launches and dispatches name by `id`; version 0 if there is none. decode() accepts no launch or
    // dispatch of a kernel that this does not have.
    [[nodiscard]] virtual KernelIdentity kernel(std::uint32_t id) const noexcept = 0;

    // words is exactly one command that decode() accepts; word is an index in it. Constant time.
    [[nodiscard]] virtual PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept = 0;

    // Words that a queue command takes in its queue's ring, and device cycles that it takes alone: a transfer of
    // command.size_bytes, a record, a wait that is already satisfied, the start of a replay. DeviceDescription::costs
    // gives the meaning of cycles, here and for trace commands.
    [[nodiscard]] virtual std::uint32_t queue_words(const QueueCommand& command) const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t queue_cycles(const QueueCommand& command) const noexcept = 0;

    // Sets the command's check, for the command of its queue with this number since a reset, from 0. It depends on the
    // number and on every word. Returns the device's digest after executing the command; for kReplay, trace_digest is
    // that of the whole trace. A queue's digest is 0 after a reset. Every word of the command changes it. It is not
    // compared for a device that attests no digest.
    [[nodiscard]] virtual std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                             QueueCommand& command) const noexcept = 0;
    // The trace's digest after the command `words`, which decode() accepts. It starts at 0. It does not depend on words
    // that may be patched.
    [[nodiscard]] virtual std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept = 0;

  protected:
    CommandSet() = default;
    ~CommandSet() = default;
};

}  // namespace pianola
