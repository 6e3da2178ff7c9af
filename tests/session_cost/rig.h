// A session on counting devices, brought to where a call takes longest, and that call.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pianola/session.h"
#include "pianola_host/files.h"
#include "tests/session_cost/counting.h"
#include "tests/session_cost/plans.h"

namespace pianola::test {

using timeline::Call;
using timeline::SessionFacts;
using timeline::Situation;

class Rig {
  public:
    // With `engine` the session's digests are counted; without, the session computes them.
    Rig(const CostPlan& plan, Release release, bool with_engine);

    // A session anew, on the same devices, with the binary as it was.
    void renew();

    // Whether the call does something in this binary, and the fault can happen in it.
    [[nodiscard]] bool can_strike(Fault fault, Call call) const;
    // Brings the session in front of the call.
    void prepare(Call call);
    // From now on the fault strikes: in the next perform().
    void arm(Fault fault, Call call);
    // The call to be measured. It may be made several times in a row: poll() and scrub().
    Status perform(Call call);

    [[nodiscard]] const SessionFacts& facts() const { return facts_; }
    // Of the same binary for another runtime.
    [[nodiscard]] SessionFacts facts_for(const timeline::RuntimeFacts& runtime) const;
    [[nodiscard]] Situation situation(Call call) const;
    [[nodiscard]] Session& session() { return *session_; }
    // Bytes of outputs and of scratch memory that are zeros now, where none was before.
    [[nodiscard]] std::uint64_t zeroed_bytes() const;

  private:
    Status load();
    Status submit();
    Status start();
    Status stop();
    [[nodiscard]] bool has_script(Call call) const;
    void gather_facts(const CostPlan& plan, Release release);
    void make_tensors();
    void damage_last_constant();
    [[nodiscard]] std::uint64_t last_call_of(Fault fault, Call call) const;
    [[nodiscard]] Span<const ByteSpan> inputs() const { return {inputs_.data(), inputs_.size()}; }
    [[nodiscard]] Span<const MutableByteSpan> outputs() const {
        return {outputs_.back().data(), outputs_.back().size()};
    }

    std::vector<std::uint8_t> bytes_;
    files::AlignedBytes file_;
    std::uint32_t columns_;
    FaultPlan faults_;
    std::vector<std::unique_ptr<sim::SimDevice>> sims_;
    std::vector<std::unique_ptr<CountingDevice>> devices_;
    std::unique_ptr<sim::SimPlatform> sim_platform_;
    std::unique_ptr<CountingPlatform> platform_;
    CountingCommandSet command_set_;
    CountingEngine engine_;
    SessionConfig config_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Session> made_;  // by the call kConstruct
    Verdict verdict_;
    SessionFacts facts_;
    std::vector<std::vector<std::uint8_t>> memory_;  // of all tensors, and of scratch
    std::vector<ByteSpan> inputs_;
    std::vector<std::vector<MutableByteSpan>> outputs_;  // of each step in flight
    std::vector<std::uint8_t> scratch_;
    std::vector<Session::ParameterValue> values_;
};

}  // namespace pianola::test
