#include "runtime/plan/plan.h"

#include "runtime/plan/proof.h"

namespace pianola {
namespace proof {

std::uint32_t find_region(const Plan& plan, std::uint32_t address, std::uint32_t size_bytes) noexcept {
    for (std::uint32_t i = 0U; i < plan.region_count; ++i) {
        const RegionConfig& region = plan.regions[i];
        const std::uint32_t offset = address - region.base;  // wraps to a large value below the base: refused next
        if ((offset < region.size_bytes) && (size_bytes <= (region.size_bytes - offset))) {
            return i;
        }
    }
    return kMaxRegions;
}

std::uint32_t replayed_trace(const Context& context, const QueueCommand& command) noexcept {
    const std::uint32_t offset_bytes = command.address - context.plan.trace_region_base;
    for (std::uint32_t i = 0U; i < context.image.trace_count(); ++i) {
        if (context.image.trace(i).offset_bytes == offset_bytes) {
            return i;
        }
    }
    return context.image.trace_count();
}

std::uint32_t find_script(const Image& image, ScriptKind kind) noexcept {
    const std::uint32_t count = image.script_count();
    for (std::uint32_t i = 0U; i < count; ++i) {
        if (image.script(i).kind == kind) {
            return i;
        }
    }
    return count;
}

Status refuse_script_command(Context& context, ScriptKind kind, std::uint32_t command, Rule rule, const char* field,
                             std::uint64_t actual, std::uint64_t limit) noexcept {
    const std::uint32_t script = find_script(context.image, kind);
    context.verdict.path.enter("scripts", script);
    context.verdict.path.enter("commands", command);
    context.verdict.path.enter(field);
    return refuse(context.verdict, rule, context.image.script_command(script, command).file_offset, actual, limit);
}

namespace {

Status check_budgets(Context& context) noexcept {
    const BudgetsView budgets = context.image.budgets();
    Verdict& verdict = context.verdict;
    if (budgets.step_cycles != context.plan.step.cycles) {
        verdict.path.enter("budgets");
        verdict.path.enter("step_cycles");
        return refuse(verdict, Rule::kBudCycles, budgets.file_offset, budgets.step_cycles, context.plan.step.cycles);
    }
    if (context.plan.step.cycles > kMaxStepCycles) {
        verdict.path.enter("budgets");
        verdict.path.enter("step_cycles");
        return refuse(verdict, Rule::kBudCeiling, budgets.file_offset, budgets.step_cycles, kMaxStepCycles);
    }
    // cycles / (clock_khz / 1000) microseconds, rounded up. Both factors are bounded, so that nothing wraps.
    constexpr std::uint64_t kPerMilli = 1000U;
    const std::uint64_t clock_khz = context.device.clock_khz;
    const std::uint64_t step_us = ((context.plan.step.cycles * kPerMilli) + (clock_khz - 1U)) / clock_khz;
    const std::uint64_t setup_us = ((context.workspace.setup.cycles * kPerMilli) + (clock_khz - 1U)) / clock_khz;
    if (budgets.step_deadline_us < step_us) {
        verdict.path.enter("budgets");
        verdict.path.enter("step_deadline_us");
        return refuse(verdict, Rule::kBudDeadline, budgets.file_offset, budgets.step_deadline_us, step_us);
    }
    if (budgets.setup_deadline_us < setup_us) {
        verdict.path.enter("budgets");
        verdict.path.enter("setup_deadline_us");
        return refuse(verdict, Rule::kBudDeadline, budgets.file_offset, budgets.setup_deadline_us, setup_us);
    }
    context.plan.step.deadline_us = budgets.step_deadline_us;
    context.workspace.setup.deadline_us = budgets.setup_deadline_us;
    return Status::kOk;
}

}  // namespace
}  // namespace proof

Status prove_plan(const Image& image, const DeviceDescription& device, const CommandSet& command_set,
                  PlanWorkspace& workspace, Plan& plan, Verdict& verdict) noexcept {
    verdict = Verdict{};
    plan.region_count = 0U;
    plan.step.count = 0U;
    workspace.setup.count = 0U;
    workspace.weights.clear();
    workspace.written.clear();
    proof::Context context{image, device, command_set, workspace, plan, verdict};
    using Check = Status (*)(proof::Context&) noexcept;
    constexpr std::array<Check, 8> kChecks{proof::check_target,  proof::check_layout, proof::check_trace_segment,
                                           proof::check_scripts, proof::check_order,  proof::check_data_flow,
                                           proof::check_races,   proof::check_budgets};
    for (const Check check : kChecks) {
        const Status status = check(context);
        if (!is_ok(status)) {
            return status;
        }
    }
    verdict.status = Status::kOk;
    return Status::kOk;
}

}  // namespace pianola
