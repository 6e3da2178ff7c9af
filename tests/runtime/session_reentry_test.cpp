// A port that calls the session which has called it. Nothing in a session refuses that: aou~not-reentrant. What is held
// here is what a port that does it anyway meets.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

enum class Callback : std::uint8_t { kNone, kNowUs, kServeWatchdog };

// The simulator's platform, which polls the session from inside of one callback, once.
class CallingPlatform final : public Platform {
  public:
    explicit CallingPlatform(sim::SimPlatform& inner) : inner_{inner} {}

    void poll_from(Callback callback, Session& session) {
        callback_ = callback;
        session_ = &session;
    }
    [[nodiscard]] Status said() const { return said_; }

    [[nodiscard]] std::uint64_t now_us() noexcept override {
        call_from(Callback::kNowUs);
        return inner_.now_us();
    }
    void idle() noexcept override { inner_.idle(); }
    void serve_watchdog() noexcept override {
        inner_.serve_watchdog();
        call_from(Callback::kServeWatchdog);
    }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        return inner_.lowest_security_version(version);
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        return inner_.raise_security_version(version);
    }
    void enter_safe_state(const FaultRecord& fault) noexcept override { inner_.enter_safe_state(fault); }

  private:
    void call_from(Callback callback) noexcept {
        if (callback_ == callback) {
            callback_ = Callback::kNone;
            said_ = session_->poll();
        }
    }

    sim::SimPlatform& inner_;
    Session* session_{nullptr};
    Callback callback_{Callback::kNone};
    Status said_{Status::kOk};
};

// The inner poll() finds a state that no call has sealed, and latches: the safe state is entered. The outer one goes on
// without a look at that. From the watchdog, the outputs were released before; from the clock they are zeros by then.
TEST(SessionReentry, EntersTheSafeStateAndTheOuterCallDoesNotSaySo) {
    for (const Callback callback : {Callback::kServeWatchdog, Callback::kNowUs}) {
        SCOPED_TRACE(static_cast<int>(callback));
        const files::AlignedBytes file{make_workload(1U).file()};
        Bench bench;
        CallingPlatform platform{bench.platform};
        Session session{bench.device, platform, bench.command_set, kDevelopmentConfig};
        ASSERT_EQ(session.load(file.view(), *bench.workspace, bench.verdict), Status::kOk);
        const Bytes input = workload_input(1U);
        Bytes output(kWorkloadBytes, 0x77U);
        const std::array<ByteSpan, 1> inputs{ByteSpan{input.data(), input.size()}};
        const std::array<MutableByteSpan, 1> outputs{MutableByteSpan{output.data(), output.size()}};
        ASSERT_EQ(session.submit(Span<const ByteSpan>{inputs}, Span<const MutableByteSpan>{outputs}), Status::kOk);
        platform.poll_from(callback, session);
        EXPECT_EQ(session.wait(), Status::kOk);
        EXPECT_EQ(platform.said(), Status::kIntegrity);
        EXPECT_EQ(session.fault().stage, FaultStage::kState);
        EXPECT_EQ(bench.platform.safe_state_entries(), 1U);
        EXPECT_EQ(output, (callback == Callback::kNowUs) ? Bytes(kWorkloadBytes, 0U) : workload_output(input));
    }
}

}  // namespace
}  // namespace pianola::test
