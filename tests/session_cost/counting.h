// A device, a platform, a command set and a digest engine that count what a session asks of them, and fail on request.
//
// They stand in front of the simulator's. What they do themselves is no part of what a session costs: port() keeps it
// apart, so that callgrind can leave it out.
#pragma once

#include <cstdint>

#include "capture_host/timeline/cost/session_cost.h"
#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "pianola/digest_engine.h"
#include "tests/support/doubles.h"

namespace pianola::test {

using timeline::Counts;
using timeline::Term;

// Where what is counted goes; nothing is counted where it is nullptr.
inline Counts* counted_in = nullptr;
inline bool is_instrumented = false;  // callgrind leaves out what is inside uncounted()

inline void tally(Term term, std::uint64_t value) {
    if (counted_in != nullptr) {
        counted_in->at(static_cast<std::size_t>(term)) += value;
    }
}

// What callgrind leaves out. A function that the optimiser must leave alone.
template <typename Work>
[[gnu::noinline]] auto uncounted(Work work) {
    return work();
}
template <typename Work>
auto port(Work work) {
    return is_instrumented ? uncounted(work) : work();
}

// What goes wrong, on the last device and at the last moment of its kind.
enum class Fault : std::uint8_t {
    kNone,
    kTimeout,       // no completion, and the deadline passes
    kDeviceFault,   // the last queue reports a fault in the place of its completion
    kWrongDigest,   // the last queue's digest differs in its last bit
    kLastCommand,   // the last command of the script is not taken
    kLastDoorbell,  // the last doorbell is refused
    kLastWord,      // the last word of the parameters is not what was set
    kLastConstant,  // the last byte of the constants has changed on the device
    kLastOutput,    // the last byte of the last vector's outputs is another
    kState,         // the session's own state has changed
    kReset,         // the last device does not stop
};

// Of one fault, which all devices of a session share.
struct FaultPlan {
    Fault fault{Fault::kNone};
    std::uint64_t at{0U};    // the number of the call that fails, from 1
    std::uint64_t seen{0U};  // calls of its kind so far
    std::uint64_t late_us{0U};

    // Whether this call, of the kind that `which` makes fail, is the one.
    [[nodiscard]] bool strikes(Fault which) {
        if (fault != which) {
            return false;
        }
        seen += 1U;
        return seen == at;
    }
};

class CountingDevice final : public Device {
  public:
    CountingDevice(sim::SimDevice& device, FaultPlan& plan, std::uint64_t pending_rounds)
        : device_{device}, plan_{plan}, pending_rounds_{pending_rounds} {}

    Status describe(DeviceDescription& description) const noexcept override;
    Status reset() noexcept override;
    Status program_region(const RegionConfig& region) noexcept override;
    Status programmed_region(std::uint32_t index, RegionConfig& region) const noexcept override;
    Status read_back(std::uint32_t address, MutableByteSpan out) noexcept override;
    Status patch_word(std::uint32_t address, std::uint32_t word) noexcept override;
    Status bind_source(std::uint32_t slot, ByteSpan memory) noexcept override;
    Status bind_destination(std::uint32_t slot, MutableByteSpan memory) noexcept override;
    [[nodiscard]] ByteSpan bound_source(std::uint32_t slot) const noexcept override;
    [[nodiscard]] ByteSpan bound_destination(std::uint32_t slot) const noexcept override;
    [[nodiscard]] MutableByteSpan host_view(std::uint32_t address, std::uint32_t size_bytes) noexcept override;
    void give_to_device(ByteSpan view) noexcept override;
    void take_from_device(MutableByteSpan view) noexcept override;
    Status enqueue(std::uint32_t queue, const QueueCommand& command) noexcept override;
    Status ring_doorbell(std::uint32_t queue) noexcept override;
    Status service() noexcept override;
    Status completion(std::uint32_t queue, std::uint32_t token, Completion& completion) noexcept override;

  private:
    sim::SimDevice& device_;
    FaultPlan& plan_;
    std::uint64_t pending_rounds_;  // looks at a new token that find its queue at work
    std::uint32_t last_token_{0U};
    std::uint64_t looks_{0U};  // at that token, since it was new
};

class CountingPlatform final : public Platform {
  public:
    CountingPlatform(sim::SimPlatform& platform, const FaultPlan& plan) : platform_{platform}, plan_{plan} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override;
    void idle() noexcept override;
    void serve_watchdog() noexcept override;
    Status lowest_security_version(std::uint32_t& version) noexcept override;
    Status raise_security_version(std::uint32_t version) noexcept override;
    void enter_safe_state(const FaultRecord& fault) noexcept override;

  private:
    sim::SimPlatform& platform_;
    const FaultPlan& plan_;
};

// Decodes as the reference device's does; only seals are counted, which a session asks for after its proofs.
class CountingCommandSet final : public ForwardingCommandSet {
  public:
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override {
        tally(Term::kSealCommand, 1U);
        return port([&] { return ForwardingCommandSet::seal(digest, number, trace_digest, command); });
    }
};

class CountingEngine final : public DigestEngine {
  public:
    CountingEngine() = default;
    Status begin() noexcept override;
    Status update(ByteSpan bytes) noexcept override;
    Status finish(Sha256Digest& digest) noexcept override;

  private:
    Sha256 hash_;
};

// seal_of(), which no port sees: the linker puts counted_seal() between it and sessions (CMakeLists.txt).
std::uint32_t real_seal(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept
    asm("__real__ZN7pianola7seal_ofENS_4SpanIKhEEmj");
std::uint32_t counted_seal(ByteSpan object, std::size_t bytes, std::uint32_t before) noexcept
    asm("__wrap__ZN7pianola7seal_ofENS_4SpanIKhEEmj");

}  // namespace pianola::test
