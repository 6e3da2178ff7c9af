#include "tests/session_cost/rig.h"

#include <algorithm>
#include <stdexcept>

#include "pianola/development_config.h"

namespace pianola::test {
namespace {

constexpr FaultInterval kInterval{300'000'000U, 100'000'000U, 0U};  // two steps share a verification
constexpr std::uint64_t kPendingRounds = 3U;                        // looks at each script that find a device at work
constexpr std::uint8_t kUnwritten = 0xA5U;

}  // namespace

Rig::Rig(const CostPlan& plan, Release release, bool with_engine)
    : bytes_{plan.make(plan.name)}, file_{bytes_}, columns_{plan.devices}, config_{kDevelopmentTrust, release} {
    config_.interval = kInterval;
    const auto time = std::make_shared<sim::SimTime>();
    for (std::uint32_t i = 0U; i < plan.devices; ++i) {
        sim::SimOptions options;
        options.spec = plan.spec;
        options.memory_is_visible = plan.memory_is_visible;
        options.time = time;
        sims_.push_back(std::make_unique<sim::SimDevice>(options));
        devices_.push_back(std::make_unique<CountingDevice>(*sims_.back(), faults_, kPendingRounds));
    }
    sim_platform_ = std::make_unique<sim::SimPlatform>(*sims_.front());
    platform_ = std::make_unique<CountingPlatform>(*sim_platform_, faults_);
    config_.trust.digest_engine = with_engine ? &engine_ : nullptr;
    renew();
    gather_facts(plan, release);
    make_tensors();
}

void Rig::renew() {
    faults_ = FaultPlan{};
    std::copy(bytes_.begin(), bytes_.end(), file_.mutable_view().begin());
    std::vector<Device*> pointers;
    for (const std::unique_ptr<CountingDevice>& each : devices_) {
        pointers.push_back(each.get());
    }
    session_ = std::make_unique<Session>(DeviceSet{{pointers.data(), pointers.size()}, 1U, columns_}, *platform_,
                                         command_set_, config_);
    if (!is_ok(load())) {
        throw std::logic_error{std::string{"refused by "} + rule_id(verdict_.rule)};
    }
}

Status Rig::load() {
    return session_->load(file_.view(), *workspace_, verdict_);
}

void Rig::gather_facts(const CostPlan& plan, Release release) {
    timeline::RuntimeFacts runtime;
    runtime.pointer_bytes = sizeof(void*);
    runtime.verifies = release != Release::kAtCompletion;
    runtime.shares = release == Release::kWithinInterval;
    runtime.sees_memory = plan.memory_is_visible;
    facts_ = facts_for(runtime);
}

SessionFacts Rig::facts_for(const timeline::RuntimeFacts& runtime) const {
    return timeline::facts_of(session_->plan(), *workspace_, workspace_->image.envelope(), session_->self_test_count(),
                              runtime);
}

void Rig::make_tensors() {
    const Plan& plan = session_->plan();
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        const auto& bytes = memory_.emplace_back(plan.inputs.at(i).bytes);
        inputs_.emplace_back(bytes.data(), bytes.size());
    }
    for (std::uint32_t step = 0U; step <= plan.steps_in_flight; ++step) {
        std::vector<MutableByteSpan>& set = outputs_.emplace_back();
        for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
            auto& bytes = memory_.emplace_back(plan.outputs.at(i).bytes);
            set.emplace_back(bytes.data(), bytes.size());
        }
    }
    scratch_.resize(facts_.output_bytes);
    for (std::uint32_t i = 0U; i < plan.parameter_count; ++i) {
        values_.push_back(
            {i, plan.parameters.at(i).maximum / plan.parameters.at(i).alignment * plan.parameters.at(i).alignment});
    }
}

Situation Rig::situation(Call call) const {
    Situation situation;
    // The first look at a token is one of them, the second queue of a script looks at the same token.
    situation.idle_rounds = kPendingRounds;
    situation.values = values_.size();
    situation.vector = (facts_.self_tests == 0U) ? 0U : (facts_.self_tests - 1U);
    static_cast<void>(call);
    return situation;
}

Status Rig::start() {
    const Status started = session_->start(facts_.is_pipelined ? inputs() : Span<const ByteSpan>{});
    return is_ok(started) ? session_->wait() : started;
}

// Each step has outputs of its own; the last of them are the call's that is measured.
Status Rig::submit() {
    return session_->submit(inputs(), outputs());
}

bool Rig::has_script(Call call) const {
    switch (call) {
        case Call::kStart:
        case Call::kStop:
        case Call::kResetState:
            return facts_.has_prologue;
        case Call::kSetParameters:
            return facts_.parameters != 0U;
        case Call::kSubmitViews:
            return session_->has_views();
        case Call::kSelfTestOne:
        case Call::kSelfTestAll:
            return facts_.self_tests != 0U;
        default:
            return true;
    }
}

void Rig::prepare(Call call) {
    const auto must = [](Status status) {
        if (!is_ok(status)) {
            throw std::logic_error{"a call in front of the one that is measured does not go well"};
        }
    };
    const bool needs_start = facts_.has_prologue && (session_->plan().prologue.count != 0U);
    const bool steps = (call == Call::kSubmitViews) || (call == Call::kSubmitTransfers) || (call == Call::kPoll) ||
                       (call == Call::kScrub) || (call == Call::kWait) || (call == Call::kStop) ||
                       (call == Call::kResetState);
    if (steps && needs_start) {
        must(start());
    }
    if ((call == Call::kStop) || (call == Call::kResetState) || (call == Call::kConfirmStart) ||
        (call == Call::kOutputView)) {
        if ((call == Call::kConfirmStart) && (facts_.self_tests != 0U)) {
            must(session_->self_test({scratch_.data(), scratch_.size()}));
        } else if ((call == Call::kStop) || (call == Call::kResetState)) {
            must(submit());
            must(session_->wait());
        } else {
            must(session_->run(inputs(), outputs()));
        }
    }
    if ((call == Call::kPoll) || (call == Call::kSubmitTransfers) || (call == Call::kScrub)) {
        const std::uint64_t others = facts_.steps_in_flight - ((call == Call::kSubmitTransfers) ? 1U : 0U);
        for (std::uint64_t i = 0U; i < others; ++i) {
            must(session_->submit(inputs(), {outputs_.at(i).data(), outputs_.at(i).size()}));
        }
    }
    if (call == Call::kWait) {
        must(submit());
    }
    for (const std::vector<MutableByteSpan>& set : outputs_) {
        for (const MutableByteSpan output : set) {
            std::fill(output.begin(), output.end(), kUnwritten);
        }
    }
    std::fill(scratch_.begin(), scratch_.end(), kUnwritten);
}

Status Rig::perform(Call call) {
    const MutableByteSpan scratch{scratch_.data(), scratch_.size()};
    MutableByteSpan input_view;
    ByteSpan output_view;
    switch (call) {
        case Call::kConstruct:
            made_ = std::make_unique<Session>(*devices_.front(), *platform_, command_set_, config_);
            return Status::kOk;
        case Call::kLoad:
            return load();
        case Call::kInputView:
            return session_->input_view(0U, input_view);
        case Call::kOutputView:
            return session_->output_view(0U, output_view);
        case Call::kStart:
            return session_->start(facts_.is_pipelined ? inputs() : Span<const ByteSpan>{});
        case Call::kStop:
            return session_->stop(facts_.is_pipelined ? outputs() : Span<const MutableByteSpan>{});
        case Call::kSetParameters:
            return session_->set_parameters({values_.data(), values_.size()});
        case Call::kSubmitViews:
            return session_->submit();
        case Call::kSubmitTransfers:
            return submit();
        case Call::kPoll:
            return session_->poll();
        case Call::kWait:
            return session_->wait();
        case Call::kRun:
            return session_->run(inputs(), outputs());
        case Call::kResetState:
            return session_->reset_state();
        case Call::kSelfTestOne:
            return session_->self_test(session_->self_test_count() - 1U, scratch);
        case Call::kSelfTestAll:
            return session_->self_test(scratch);
        case Call::kScrub:
            return session_->scrub();
        case Call::kScrubCalls:
            return (session_->scrub_calls() != UINT32_MAX) ? Status::kOk : Status::kCapacity;
        case Call::kReleaseSteps:
            return (session_->release_steps() != UINT32_MAX) ? Status::kOk : Status::kCapacity;
        case Call::kConfirmStart:
            return session_->confirm_start();
        case Call::kUnload:
            return session_->unload();
        case Call::kOutputBytes:
            return (session_->output_bytes() != UINT32_MAX) ? Status::kOk : Status::kCapacity;
        default:  // members without a loop
            return (session_->is_loaded() && (session_->plan().queue_count != 0U) && is_ok(session_->fault().status) &&
                    is_ok(session_->past_fault(0U).status) && (session_->fault_count() == 0U) &&
                    (session_->steps_completed() != UINT32_MAX) && (session_->self_test_count() <= kMaxSelfTests) &&
                    (session_->self_tests().size() <= kMaxFileBytes) && !session_->is_verifying() &&
                    (session_->has_views() == facts_.has_views))
                       ? Status::kOk
                       : Status::kCapacity;
    }
}

// Which call of its kind is the last one inside the call that is measured.
std::uint64_t Rig::last_call_of(Fault fault, Call call) const {
    const timeline::Counts counts = cost_of(call, facts_, situation(call));
    switch (fault) {
        case Fault::kLastCommand:
            return timeline::count(counts, Term::kEnqueue);
        case Fault::kLastDoorbell:
            return timeline::count(counts, Term::kDoorbell);
        case Fault::kLastWord:
            return timeline::count(counts, Term::kReadBack);
        case Fault::kReset:
            return timeline::count(counts, Term::kReset);
        default:
            return std::max<std::uint64_t>(facts_.step.notifications, 1U);
    }
}

bool Rig::can_strike(Fault fault, Call call) const {
    const bool submits = (call == Call::kStart) || (call == Call::kStop) || (call == Call::kSubmitViews) ||
                         (call == Call::kSubmitTransfers);
    const bool looks = (call == Call::kPoll) || (call == Call::kWait);
    const bool is_self_test = (call == Call::kSelfTestOne) || (call == Call::kSelfTestAll);
    if (!has_script(call)) {
        return false;
    }
    switch (fault) {
        case Fault::kTimeout:
        case Fault::kDeviceFault:
        case Fault::kWrongDigest:
            return looks && (facts_.step.notifications != 0U);
        case Fault::kLastCommand:
        case Fault::kLastDoorbell:
            return submits && (last_call_of(fault, call) != 0U);
        case Fault::kLastWord:
            return call == Call::kSetParameters;
        case Fault::kLastConstant:
            return (looks || (call == Call::kScrub) || (call == Call::kRun)) && (facts_.kept_bytes != 0U) &&
                   (facts_.verifies || (call == Call::kScrub));
        case Fault::kLastOutput:
            return is_self_test && (facts_.output_bytes != 0U);
        case Fault::kState:
            return facts_.verifies && (call != Call::kLoad) && (call != Call::kConstruct);
        case Fault::kReset:
            return call == Call::kUnload;
        default:
            return true;
    }
}

// A bit of the last byte of the last range that stays, on the last device that holds it.
void Rig::damage_last_constant() {
    const ConstantRanges& constants = session_->plan().constants;
    const ConstantRange& last = constants.ranges.at(constants.kept_count - 1U);
    std::size_t holder = sims_.size() - 1U;
    while (!has_device(last.devices, static_cast<std::uint32_t>(holder)) && (holder != 0U)) {
        holder -= 1U;
    }
    *sims_.at(holder)->memory_at(last.address + last.size_bytes - 1U, 1U) ^= 0x80U;
}

void Rig::arm(Fault fault, Call call) {
    faults_.fault = fault;
    faults_.at = last_call_of(fault, call);
    if (fault == Fault::kTimeout) {
        faults_.late_us = UINT64_MAX / 4U;
    } else if (fault == Fault::kLastConstant) {
        damage_last_constant();
    } else if (fault == Fault::kLastOutput) {
        const ByteSpan vectors = session_->self_tests();
        const auto place = static_cast<std::size_t>(&vectors[vectors.size() - 1U] - file_.view().data());
        file_.mutable_view()[place] = static_cast<std::uint8_t>(file_.view()[place] ^ 1U);
    } else if (fault == Fault::kState) {
        // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        auto* const object = reinterpret_cast<std::uint8_t*>(session_.get());
        const auto* const count = reinterpret_cast<const std::uint8_t*>(&session_->plan().queue_count);
        // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
        std::uint8_t& changed = object[(count - object) + 1];
        changed = static_cast<std::uint8_t>(changed ^ 1U);
    }
}

std::uint64_t Rig::zeroed_bytes() const {
    std::uint64_t bytes = static_cast<std::uint64_t>(std::count(scratch_.begin(), scratch_.end(), 0U));
    for (const std::vector<MutableByteSpan>& set : outputs_) {
        for (const MutableByteSpan output : set) {
            bytes += static_cast<std::uint64_t>(std::count(output.begin(), output.end(), 0U));
        }
    }
    return bytes;
}

}  // namespace pianola::test
