#include "tests/hostile/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "pianola/development_config.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

using Tensors = std::vector<std::vector<std::uint8_t>>;

sim::SimOptions options_for(const Subject& subject) {
    sim::SimOptions options;
    options.spec = subject.spec;
    options.check_accesses = subject.is_small;
    return options;
}

// What a step starts from and leaves.
struct StepMemory {
    Tensors inputs;
    Tensors outputs;
    std::vector<ByteSpan> input_views;
    std::vector<MutableByteSpan> output_views;

    StepMemory(const Plan& plan, std::uint8_t input) {
        for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
            inputs.emplace_back(plan.inputs.at(i).bytes, input);
        }
        for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
            outputs.emplace_back(plan.outputs.at(i).bytes);
        }
        for (const auto& each : inputs) {
            input_views.emplace_back(each.data(), each.size());
        }
        for (auto& each : outputs) {
            output_views.emplace_back(each.data(), each.size());
        }
    }
    [[nodiscard]] Span<const ByteSpan> given() const { return {input_views.data(), input_views.size()}; }
    [[nodiscard]] Span<const MutableByteSpan> taken() const { return {output_views.data(), output_views.size()}; }
};

void require_ok(Status status, const char* promise) {
    if (!is_ok(status)) {
        throw PromiseBroken{fmt::format("{}: {:08X}", promise, static_cast<std::uint32_t>(status))};
    }
}

std::uint8_t input_byte(std::uint8_t step) {
    return static_cast<std::uint8_t>(0x3BU + (step * 0x51U));
}

}  // namespace

Rig::Rig(const Subject& subject, std::uint32_t rows, std::uint32_t columns) : spec_{subject.spec} {
    const auto time = std::make_shared<sim::SimTime>();
    std::vector<Device*> pointers;
    for (std::uint32_t i = 0U; i < (rows * columns); ++i) {
        sim::SimOptions options = options_for(subject);
        options.time = time;
        devices_.push_back(std::make_unique<sim::SimDevice>(options));
        pointers.push_back(devices_.back().get());
    }
    platform_ = std::make_unique<sim::SimPlatform>(*devices_.front());
    session_ = std::make_unique<Session>(DeviceSet{{pointers.data(), pointers.size()}, rows, columns}, *platform_,
                                         command_set_, kDevelopmentConfig);
}

void Rig::fill_memory(std::uint8_t value) {
    for (const auto& device : devices_) {
        std::fill_n(device->memory_at(spec_.dram_base, spec_.dram_bytes), spec_.dram_bytes, value);
        std::fill_n(device->memory_at(spec_.l1_base, spec_.l1_bytes), spec_.l1_bytes, value);
    }
}

std::uint64_t Rig::now_cycles() const {
    std::uint64_t now = 0U;
    for (const auto& device : devices_) {
        now = std::max(now, device->now_cycles());
    }
    return now;
}

std::uint64_t Rig::access_violations() const {
    std::uint64_t violations = 0U;
    for (const auto& device : devices_) {
        violations += device->access_violations();
    }
    return violations;
}

void require(bool kept, const std::string& promise) {
    if (!kept) {
        throw PromiseBroken{promise};
    }
}

void require_honest_refusal(Status status, const Verdict& verdict, std::size_t file_bytes) {
    require((status == Status::kRefused) && (verdict.rule != Rule::kNotRun), "a refusal names its rule");
    // Of a file that is too short, the field that says so may not be there.
    if ((verdict.rule != Rule::kEnvFileSize) && (verdict.file_offset > file_bytes)) {
        throw PromiseBroken{fmt::format("a refusal names a byte of the file: {} {} at {} of {}", rule_id(verdict.rule),
                                        path_text(verdict), verdict.file_offset, file_bytes)};
    }
    require(!path_text(verdict).empty(), "a refusal names a field");
}

Target::Target(Subject subject) : subject_{std::move(subject)} {
    DeviceDescription device;
    refdev::describe(subject_.spec, device);
    validator_ = std::make_unique<Validator>(device);
}

bool Target::judge(Status status, Rule accepted, std::size_t file_bytes) const {
    const Verdict& verdict = validator_->verdict();
    require(verdict.status == status, "the verdict carries the status");
    if (!is_ok(status)) {
        require_honest_refusal(status, verdict, file_bytes);
        return false;
    }
    require(verdict.rule == accepted, "an accepted file broke no rule");
    return true;
}

bool Target::attack(const std::vector<std::uint8_t>& file, bool replay) {
    const ExactBytes bytes(file.begin(), file.end());
    const bool accepted = judge(validator_->validate(view_of(bytes)), Rule::kAccepted, file.size());
    if (accepted && replay) {
        replay_accepted(bytes);
    }
    return accepted;
}

bool Target::attack_behind_digest(const std::vector<std::uint8_t>& file) {
    const ExactBytes bytes(file.begin(), file.end());
    // The proofs alone accept nothing.
    return judge(validator_->validate_behind_digest(view_of(bytes)), Rule::kNotRun, file.size());
}

Rig& Target::rig() {
    const TargetView named = validator_->image().target();
    std::unique_ptr<Rig>& rig = rigs_[{named.mesh_rows, named.mesh_columns}];
    if (!rig) {
        rig = std::make_unique<Rig>(subject_, named.mesh_rows, named.mesh_columns);
    }
    return *rig;
}

namespace {

// As many steps at a time as the binary admits.
void run_overlapping(Rig& rig) {
    Session& session = rig.session();
    const Plan& plan = session.plan();
    const auto finish = [&session](Status status) {
        require_ok(is_ok(status) ? session.wait() : status, "what was accepted completes with steps in flight");
    };
    const StepMemory first{plan, 0x3BU};
    const StepMemory second{plan, 0x8CU};
    if (plan.prologue.count != 0U) {  // steps may overlap without one
        finish(session.start(plan.is_pipelined ? first.given() : Span<const ByteSpan>{}));
    }
    require_ok(session.submit(first.given(), first.taken()), "a first step is submitted");
    require_ok(session.submit(second.given(), second.taken()), "a second step is submitted");
    finish(Status::kOk);
    finish(Status::kOk);
    if ((plan.prologue.count | plan.epilogue.count) != 0U) {
        finish(session.stop(plan.is_pipelined ? first.taken() : Span<const MutableByteSpan>{}));
    }
}

// Two steps; returns the outputs of both.
Tensors run_steps(Rig& rig, const ExactBytes& bytes) {
    require_ok(rig.load(view_of(bytes)), "an accepted file loads");
    Session& session = rig.session();
    const Plan& plan = session.plan();
    // A pipelined binary computes an inference in all its scripts, another one runs its prologue once.
    const std::uint64_t before_each = plan.is_pipelined ? (plan.prologue.cycles + plan.epilogue.cycles) : 0U;
    const std::uint64_t before_first = plan.is_pipelined ? 0U : plan.prologue.cycles;
    Tensors results;
    for (std::uint8_t step = 0U; step < 2U; ++step) {
        StepMemory memory{plan, input_byte(step)};
        const std::uint64_t started = rig.now_cycles();
        require_ok(session.run(memory.given(), memory.taken()), "an accepted file replays");
        const std::uint64_t proved = plan.step.cycles + before_each + ((step == 0U) ? before_first : 0U);
        require((rig.now_cycles() - started) == proved, "a step takes the time that was proved");
        results.insert(results.end(), memory.outputs.begin(), memory.outputs.end());
    }
    return results;
}

// The same two steps without transfers.
Tensors run_steps_on_views(Rig& rig, const ExactBytes& bytes) {
    require_ok(rig.load(view_of(bytes)), "an accepted file loads again");
    Session& session = rig.session();
    if (session.plan().prologue.count != 0U) {
        require_ok(session.start({}), "a prologue starts");
        require_ok(session.wait(), "a prologue completes");
    }
    Tensors results;
    for (std::uint8_t step = 0U; step < 2U; ++step) {
        const StepMemory memory{session.plan(), input_byte(step)};
        for (std::uint32_t i = 0U; i < memory.inputs.size(); ++i) {
            MutableByteSpan view;
            require_ok(session.input_view(i, view), "an input has a view");
            std::copy(memory.inputs.at(i).begin(), memory.inputs.at(i).end(), view.begin());
        }
        require_ok(session.submit(), "a step on views is submitted");
        require_ok(session.wait(), "a step on views completes");
        for (std::uint32_t i = 0U; i < memory.outputs.size(); ++i) {
            ByteSpan view;
            require_ok(session.output_view(i, view), "an output has a view");
            results.emplace_back(view.begin(), view.end());
        }
    }
    return results;
}

}  // namespace

void Target::replay_accepted(const ExactBytes& bytes) {
    Rig& rig = this->rig();
    rig.fill_memory(0x00U);
    const Tensors first = run_steps(rig, bytes);
    if (subject_.is_small) {
        rig.fill_memory(0xA5U);
        require(run_steps(rig, bytes) == first, "outputs do not depend on what memory held before");
    }
    if (rig.session().has_views()) {
        require(run_steps_on_views(rig, bytes) == first, "outputs do not depend on how tensors travel");
    }
    std::vector<std::uint8_t> scratch(rig.session().output_bytes());
    if (rig.session().self_test_count() > 0U) {
        const Status status = rig.session().self_test(0U, {scratch.data(), scratch.size()});
        require(is_ok(status) || (status == Status::kIntegrity), "a self-test passes or latches");
        self_tests_failed_ += is_ok(status) ? 0U : 1U;
    }
    if (rig.session().plan().steps_in_flight > 1U) {
        require_ok(rig.load(view_of(bytes)), "an accepted file loads again");
        run_overlapping(rig);
    }
    require(rig.access_violations() == 0U, "no command touches a byte outside its extents");
}

bool repair_cycles(const Verdict& verdict, std::vector<std::uint8_t>& file) {
    flatbuffers::Table* const root =
        flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data() + segment_offset(file, 0U));
    auto* const budgets = root->GetPointer<flatbuffers::Table*>(schema::TraceBinary::VT_BUDGETS);
    if (!budgets->SetField<std::uint64_t>(schema::Budgets::VT_STEP_CYCLES, verdict.limit, 0U)) {
        return false;
    }
    capture::fix_digest(file);
    return true;
}

}  // namespace pianola::test
