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

Place root_place(const Context& context, const char* field, std::uint32_t index) noexcept {
    return Place{field, index, context.image.envelope().manifest.offset};
}

Place place_of(const Context& context, const PlannedCommand& command) noexcept {
    return Place{"scripts", command.script, context.image.script_command(command.script, command.index).file_offset,
                 "commands", command.index};
}

Status refuse_at(const Context& context, const Place& place, Rule rule, const char* field, std::uint32_t actual,
                 std::uint32_t limit) noexcept {
    return refuse_wide_at(context, place, rule, field, actual, limit);
}

Status refuse_wide_at(const Context& context, const Place& place, Rule rule, const char* field, std::uint64_t actual,
                      std::uint64_t limit) noexcept {
    FieldPath& path = context.verdict.path;
    path.enter(place.list, place.index);
    if (place.inner_list != nullptr) {
        path.enter(place.inner_list, place.inner_index);
    }
    if (field != nullptr) {
        path.enter(field);
    }
    return refuse_wide(context.verdict, rule, place.file_offset, actual, limit);
}

namespace {

// How many steps may be under way at once.
Status check_steps_in_flight(Context& context) noexcept {
    const BudgetsView budgets = context.image.budgets();
    context.plan.steps_in_flight = budgets.steps_in_flight;
    if ((budgets.steps_in_flight != 0U) && (budgets.steps_in_flight <= kMaxStepsInFlight)) {
        return Status::kOk;
    }
    return refuse_at(context, Place{"budgets", FieldPath::kNoIndex, budgets.file_offset}, Rule::kBudInFlight,
                     "steps_in_flight", budgets.steps_in_flight, kMaxStepsInFlight);
}

// The deadline is not shorter than cycles / (clock_khz / 1000) microseconds, rounded up. All factors are bounded, so that nothing
// wraps.
Status check_deadline(const Context& context, const Place& place, const char* field, std::uint32_t deadline_us,
                      std::uint64_t cycles) noexcept {
    constexpr std::uint64_t kPerMilli = 1000U;
    const std::uint32_t clock_khz = context.device.clock_khz;
    const std::uint64_t scaled_cycles = cycles * kPerMilli;
    if ((std::uint64_t{deadline_us} * clock_khz) >= scaled_cycles) {  // no division, which takes a 32-bit core long
        return Status::kOk;
    }
    return refuse_wide_at(context, place, Rule::kBudDeadline, field, deadline_us,
                          (scaled_cycles + (clock_khz - 1U)) / clock_khz);
}

Status check_budgets(Context& context) noexcept {
    const BudgetsView budgets = context.image.budgets();
    const Place place{"budgets", FieldPath::kNoIndex, budgets.file_offset};
    Plan& plan = context.plan;
    PlannedScript& step = plan.step;
    PlannedScript& setup = context.workspace.setup;
    if (budgets.step_cycles != step.cycles) {
        return refuse_wide_at(context, place, Rule::kBudCycles, "step_cycles", budgets.step_cycles, step.cycles);
    }
    if (step.cycles > kMaxStepCycles) {
        return refuse_wide_at(context, place, Rule::kBudCeiling, "step_cycles", budgets.step_cycles, kMaxStepCycles);
    }
    setup.deadline_us = budgets.setup_deadline_us;
    for (PlannedScript* const script : {&plan.prologue, &step, &plan.epilogue}) {
        script->deadline_us = budgets.step_deadline_us;
        const Status in_time = check_deadline(context, place, "step_deadline_us", script->deadline_us, script->cycles);
        if (!is_ok(in_time)) {
            return in_time;
        }
    }
    return check_deadline(context, place, "setup_deadline_us", setup.deadline_us, setup.cycles);
}

}  // namespace
}  // namespace proof

Status prove_plan(const Image& image, const DeviceDescription& device, const CommandSet& command_set,
                  PlanWorkspace& workspace, Plan& plan, Verdict& verdict) noexcept {
    reset(verdict);
    plan.region_count = 0U;
    plan.step.count = 0U;
    plan.parameter_count = 0U;
    workspace.setup.count = 0U;
    workspace.weights.clear();
    workspace.written.clear();
    proof::Context context{image, device, command_set, workspace, plan, verdict};
    using Check = Status (*)(proof::Context&) noexcept;
    constexpr std::array<Check, 10> kChecks{
        proof::check_target,     proof::check_steps_in_flight, proof::check_layout, proof::check_trace_segment,
        proof::check_parameters, proof::check_scripts,         proof::check_order,  proof::check_data_flow,
        proof::check_races,      proof::check_budgets};
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
