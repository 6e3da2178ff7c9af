// A port that calls the session which has called it: every function of it, from inside of whatever the session asks.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "pianola/session.h"
#include "tests/support/trace_file.h"

namespace pianola::test {

// Every call must be refused, and leave all bytes of the session, and of the verdict of a load, as they were.
class NestedCalls {
  public:
    // Of a binary with one input and one output: what is asked for could be done, were it asked for between two calls.
    NestedCalls(ByteSpan file, std::uint32_t input_bytes, std::uint32_t output_bytes)
        : file_{file}, input_(input_bytes, 1U), output_(output_bytes) {}

    // workspace and verdict: those that load() is given.
    void make_on(Session& session, PlanWorkspace& workspace, Verdict& verdict) {
        session_ = &session;
        workspace_ = &workspace;
        verdict_ = &verdict;
    }
    void make() {
        if ((session_ == nullptr) || is_inside_) {
            return;
        }
        is_inside_ = true;
        std::memcpy(before_.data(), static_cast<const void*>(session_), before_.size());
        std::memcpy(said_.data(), static_cast<const void*>(verdict_), said_.size());
        const bool is_latched = session_->fault().status != Status::kOk;
        for (const Status answer : answers()) {
            const bool says_latched = is_latched && (answer == Status::kFaultLatched);
            EXPECT_TRUE(says_latched || (answer == Status::kInvalidState)) << static_cast<std::uint32_t>(answer);
        }
        EXPECT_EQ(std::memcmp(before_.data(), static_cast<const void*>(session_), before_.size()), 0);
        EXPECT_EQ(std::memcmp(said_.data(), static_cast<const void*>(verdict_), said_.size()), 0);
        times_ += 1U;
        is_inside_ = false;
    }
    [[nodiscard]] std::uint32_t times() const { return times_; }

  private:
    std::array<Status, 19> answers() {
        const std::array<ByteSpan, 1> input{ByteSpan{input_.data(), input_.size()}};
        const std::array<MutableByteSpan, 1> output{MutableByteSpan{output_.data(), output_.size()}};
        const Span<const ByteSpan> inputs{input};
        const Span<const MutableByteSpan> outputs{output};
        const std::array<Session::ParameterValue, 1> values{};
        MutableByteSpan to;
        ByteSpan from;
        Session& session = *session_;
        return {session.load(file_, *workspace_, *verdict_),
                session.input_view(0U, to),
                session.output_view(0U, from),
                session.start({}),
                session.start(inputs),
                session.stop({}),
                session.stop(outputs),
                session.set_parameters(Span<const Session::ParameterValue>{values}),
                session.submit(),
                session.submit(inputs, outputs),
                session.poll(),
                session.wait(),
                session.run(inputs, outputs),
                session.reset_state(),
                session.self_test(0U, output[0]),
                session.self_test(output[0]),
                session.scrub(),
                session.confirm_start(),
                session.unload()};
    }

    ByteSpan file_;
    std::vector<std::uint8_t> input_;
    std::vector<std::uint8_t> output_;
    PlanWorkspace* workspace_{nullptr};
    Verdict* verdict_{nullptr};
    Session* session_{nullptr};
    std::array<std::uint8_t, sizeof(Session)> before_{};
    std::array<std::uint8_t, sizeof(Verdict)> said_{};
    std::uint32_t times_{0U};
    bool is_inside_{false};
};

// A platform that makes them, and then asks another one.
class NestingPlatform final : public Platform {
  public:
    NestingPlatform(Platform& inner, NestedCalls& calls) : inner_{inner}, calls_{calls} {}

    [[nodiscard]] std::uint64_t now_us() noexcept override {
        calls_.make();
        return inner_.now_us();
    }
    void idle() noexcept override {
        calls_.make();
        inner_.idle();
    }
    void serve_watchdog() noexcept override {
        inner_.serve_watchdog();
        calls_.make();
    }
    Status lowest_security_version(std::uint32_t& version) noexcept override {
        calls_.make();
        return inner_.lowest_security_version(version);
    }
    Status raise_security_version(std::uint32_t version) noexcept override {
        calls_.make();
        return inner_.raise_security_version(version);
    }
    void enter_safe_state(const FaultRecord& fault) noexcept override {
        inner_.enter_safe_state(fault);
        calls_.make();
    }

  private:
    Platform& inner_;
    NestedCalls& calls_;
};

}  // namespace pianola::test
