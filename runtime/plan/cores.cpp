#include "runtime/plan/cores.h"

namespace pianola::proof {
namespace {

constexpr std::uint32_t kSeveral = kMaxCores + 1U;  // tag of bytes that several cores have read

}  // namespace

void Cores::join(std::uint64_t& cycles) noexcept {
    if (!idle_) {
        cycles = later(cycles, last_cycles_);
        idle_ = true;
    }
}

bool Cores::dispatch(const ExtentCheck& check, std::uint64_t cycles) noexcept {
    const DecodedCommand& command = check.command.decoded;
    const std::uint32_t cores = core_count(context_.device);
    if (command.core >= cores) {
        return refuse_word(context_, 1U, Rule::kTrcArgument, "core", command.core, cores);
    }
    PlanWorkspace& workspace = context_.workspace;
    if (idle_) {
        idle_ = false;
        workspace.touched[0].clear();
        workspace.core_cycles.fill(0U);
    }
    std::uint64_t& free_cycles = workspace.core_cycles[command.core];
    free_cycles = later(cycles, free_cycles) + command.core_cycles;
    last_cycles_ = later(last_cycles_, free_cycles);
    Runs runs{check.command};
    while (runs.next()) {
        if (!touch(check, runs.run(), command.core + 1U)) {
            return false;
        }
    }
    return true;
}

bool Cores::touch(const ExtentCheck& check, const ByteRun& run, std::uint32_t tag) noexcept {
    if (reads_weights(context_, run)) {
        return true;
    }
    PlanWorkspace::Touched& touched = context_.workspace.touched[0];
    if (!take_work(context_, (touched.reads.count() + touched.writes.count()) / kRangesPerWork)) {
        return false;
    }
    if (touched.last_conflict(run, tag) != 0U) {
        return refuse_run(context_, check, run, Rule::kTrcCoreRace);
    }
    const bool read_by_others =
        (run.access != Access::kWrite) && (touched.reads.largest_tag(run.address, run.size_bytes, tag) != 0U);
    return assign(context_, touched.map_of(run.access), run, read_by_others ? kSeveral : tag);
}

}  // namespace pianola::proof
