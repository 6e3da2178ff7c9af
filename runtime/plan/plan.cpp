#include "pianola/plan.h"

#include "runtime/plan/proof.h"

namespace pianola {

PlannedScript& Plan::script(ScriptKind kind) noexcept {  // NOLINT(pianola-misra-6.8.4): DEV-067
    if (kind == ScriptKind::kStep) {
        return step;
    }
    return (kind == ScriptKind::kPrologue) ? prologue : epilogue;
}

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

std::uint32_t find_region_in_file(const Plan& plan) noexcept {
    std::uint32_t i = 0U;
    while ((i < plan.region_count) && !is_in_file(plan.regions[i])) {
        i += 1U;
    }
    return (i < plan.region_count) ? i : kMaxRegions;
}

bool overlap(std::uint32_t base1, std::uint32_t bytes1, std::uint32_t base2, std::uint32_t bytes2) noexcept {
    return (base1 < base2) ? ((base2 - base1) < bytes1) : ((base1 - base2) < bytes2);
}

PlannedScript& script_of(Context& context, ScriptKind kind) noexcept {
    return (kind == ScriptKind::kSetup) ? context.workspace.setup : context.plan.script(kind);
}

PlannedCommands& commands_of(Context& context, ScriptKind kind) noexcept {
    return (kind == ScriptKind::kSetup) ? context.workspace.setup_commands : context.plan.commands;
}

std::uint64_t later(std::uint64_t left, std::uint64_t right) noexcept {
    return (left > right) ? left : right;
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

namespace {

// How many steps may be under way at once.
bool check_steps_in_flight(Context& context) noexcept {
    const BudgetsView budgets = context.image.budgets();
    context.plan.steps_in_flight = budgets.steps_in_flight;
    enter(context, Field::kBudgets, budgets.file_offset);
    const std::uint32_t limit = context.device.capacities->steps_in_flight;
    return ((budgets.steps_in_flight != 0U) && (budgets.steps_in_flight <= limit))
               ? true
               : refuse_at(context, Rule::kBudInFlight, Field::kStepsInFlight, budgets.steps_in_flight, limit);
}

// The deadline is not shorter than cycles / (clock_khz / 1000) microseconds, rounded up. All factors are bounded, so
// nothing wraps.
bool check_deadline(Context& context, Field field, const PlannedScript& script) noexcept {
    constexpr std::uint64_t kPerMilli = 1000U;
    const std::uint32_t clock_khz = context.device.clock_khz;
    const std::uint64_t scaled_cycles = script.cycles * kPerMilli;
    if ((context.plan.costs == CostKind::kNotPublished) && (script.deadline_us == 0U)) {
        return refuse_at(context, Rule::kBudDeadline, field, 0U, 1U);  // it alone bounds the step
    }
    if ((std::uint64_t{script.deadline_us} * clock_khz) >=
        scaled_cycles) {  // no division, which is slow on a 32-bit core
        return true;
    }
    return refuse_wide_at(context, Rule::kBudDeadline, field, script.deadline_us,
                          (scaled_cycles + (clock_khz - 1U)) / clock_khz);
}

constexpr std::array<ScriptKind, 4> kScriptKinds{ScriptKind::kPrologue, ScriptKind::kStep, ScriptKind::kEpilogue,
                                                 ScriptKind::kSetup};

bool check_budgets(Context& context) noexcept {
    const BudgetsView budgets = context.image.budgets();
    enter(context, Field::kBudgets, budgets.file_offset);
    const Plan& plan = context.plan;
    if (budgets.step_cycles != plan.step.cycles) {
        return refuse_wide_at(context, Rule::kBudCycles, Field::kStepCycles, budgets.step_cycles, plan.step.cycles);
    }
    for (const ScriptKind kind : kScriptKinds) {
        const bool is_setup = kind == ScriptKind::kSetup;
        PlannedScript& script = script_of(context, kind);
        if (script.cycles > kMaxScriptCycles) {
            const std::uint32_t index = find_script(context.image, kind);
            enter(context, Field::kScripts, index, context.image.script(index).file_offset);
            return refuse_wide_at(context, Rule::kBudCeiling, Field::kNone, script.cycles, kMaxScriptCycles);
        }
        script.deadline_us = is_setup ? budgets.setup_deadline_us : budgets.step_deadline_us;
        if (!check_deadline(context, is_setup ? Field::kSetupDeadlineUs : Field::kStepDeadlineUs, script)) {
            return false;
        }
    }
    return true;
}

using Check = bool (*)(Context&) noexcept;
constexpr std::array<Check, 9> kChecks{check_target,        check_steps_in_flight, check_layout,
                                       check_trace_segment, check_parameters,      check_scripts,
                                       check_devices,       check_budgets,         list_constants};

}  // namespace
}  // namespace proof

Status prove_plan(const Image& image, const DeviceDescription& device, const CommandSet& command_set,
                  PlanWorkspace& workspace, Plan& plan, Verdict& verdict) noexcept {
    reset(verdict);
    plan.region_count = 0U;
    plan.step.count = 0U;
    plan.parameter_count = 0U;
    workspace.setup.count = 0U;
    // All words of this memory are cleared at the first use.
    workspace.state.used = kMaxDecodeStateWords;
    workspace.before.used = kMaxDecodeStateWords;
    workspace.variant_state.used = kMaxDecodeStateWords;
    workspace.work_left = device.capacities->max_work(image.envelope().total_bytes);
    proof::Context context{image, device, command_set, workspace, plan, verdict, {}, 0U};
    for (const proof::Check check : proof::kChecks) {
        if (!check(context) || (verdict.rule != Rule::kNotRun)) {
            return verdict.status;
        }
    }
    verdict.status = Status::kOk;
    return Status::kOk;
}

}  // namespace pianola
