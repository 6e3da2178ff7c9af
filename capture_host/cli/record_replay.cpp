#include "capture_host/cli/record_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include "capture_host/base/workers.h"
#include "capture_host/cli/cli.h"

namespace pianola::cli {

using replay::Replay;
using replay::Tensors;

Tensors RecordReplay::replay(std::uint32_t record, const Tensors& inputs) {
    Tensors first;
    for (std::uint32_t repeat = 0U; repeat < options_.repeats; ++repeat) {
        Tensors outputs = replay_.empty_outputs();
        const std::uint64_t started = replay_.simulator().now_cycles();
        if (options_.on_views) {
            run_on_views(inputs, outputs);
        } else {
            outputs = replay_.run({inputs}).front();
        }
        check_step(record, replay_.simulator().now_cycles() - started);
        if (repeat == 0U) {
            first = std::move(outputs);
        } else if (outputs != first) {
            throw CliError{kReplayFault,
                           fmt::format("replay {} of record {} gives other outputs than the first", repeat, record)};
        }
    }
    return first;
}

// One step without transfers, as an application with zero-copy I/O does it.
void RecordReplay::run_on_views(const Tensors& inputs, Tensors& outputs) {
    Session& session = replay_.session();
    for (std::uint32_t i = 0U; i < inputs.size(); ++i) {
        MutableByteSpan view;
        replay_.check(session.input_view(i, view));
        std::copy(inputs[i].begin(), inputs[i].end(), view.begin());
    }
    replay_.finish(session.submit());
    for (std::uint32_t i = 0U; i < outputs.size(); ++i) {
        ByteSpan view;
        replay_.check(session.output_view(i, view));
        std::copy(view.begin(), view.end(), outputs[i].begin());
    }
}

// Without transfers a step is shorter than what was proved, by the same amount every time.
void RecordReplay::check_step(std::uint32_t record, std::uint64_t cycles) {
    const Plan& plan = replay_.session().plan();
    // One inference of a pipelined binary is all of these in sequence.
    const std::uint64_t proved =
        plan.step.cycles + (plan.is_pipelined ? (plan.prologue.cycles + plan.epilogue.cycles) : 0U);
    step_cycles_ = (step_cycles_ == 0U) ? cycles : step_cycles_;
    cycles_ += cycles;
    const bool is_wrong = options_.on_views ? ((cycles > proved) || (cycles != step_cycles_)) : (cycles != proved);
    if (options_.measures && is_wrong) {
        throw CliError{kReplayFault,
                       fmt::format("record {}: the step took {} cycles, {} were proved", record, cycles, proved)};
    }
    check_accesses(replay_, fmt::format("record {}", record));
}

void check_accesses(const Replay& replay, const std::string& where) {
    for (const auto& simulator : replay.simulators()) {
        if (simulator->access_violations() != 0U) {
            throw CliError{kReplayFault, fmt::format("{}: a command touched bytes outside its extents", where)};
        }
    }
}

// Without these a step reads only what it has written itself, and constants: the data flow is proved from the first
// step on.
std::string why_in_order(const Replay& replay) {
    const Plan& plan = replay.session().plan();
    if (plan.is_pipelined) {
        return "its steps overlap";
    }
    if (replay.has_state()) {
        return "it has state, which a record hands on to the next";
    }
    return (plan.prologue.count > 0U) ? "it has a prologue, whose results a record may hand on to the next" : "";
}

namespace {

// Each worker takes the next record, so that all records before one that fails are replayed. Results are in the order
// of the records, not of completion.
class ManyRecords {
  public:
    ManyRecords(const std::vector<Tensors>& inputs, const RecordOptions& options, const MakeReplay& make,
                const std::function<void(std::size_t done)>& done)
        : inputs_{inputs}, options_{options}, make_{make}, report_{done}, end_{inputs.size()} {
        result_.outputs.resize(inputs.size());
    }

    SideBySide replay(Replay& first, std::uint32_t jobs) {
        const std::size_t record = take();  // the first record is the first replay's, whose epilogue may follow
        {
            Workers workers;
            workers.start(std::min<std::size_t>(jobs, inputs_.size()), [this] { work(nullptr, take()); });
            work(&first, record);
        }
        if (failure_) {
            std::rethrow_exception(failure_);
        }
        return std::move(result_);
    }

  private:
    // From this record on; on `given`, or on a replay that it makes.
    void work(Replay* given, std::size_t record) noexcept {
        try {
            const std::unique_ptr<Replay> made =
                ((given == nullptr) && (record < inputs_.size())) ? make_() : std::unique_ptr<Replay>{};
            Replay* const replay = (given == nullptr) ? made.get() : given;
            if (replay == nullptr) {
                return;
            }
            RecordReplay each{*replay, options_};
            for (; record < inputs_.size(); record = take()) {
                result_.outputs[record] = each.replay(static_cast<std::uint32_t>(record), inputs_[record]);
                note();
            }
            const std::lock_guard<std::mutex> lock{mutex_};
            result_.cycles += each.cycles();
            if (given == nullptr) {
                result_.steps += replay->session().steps_completed();
            } else {
                result_.step_cycles = each.step_cycles();
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock{mutex_};
            if (record < end_) {
                failure_ = std::current_exception();
                end_ = record;
            }
        }
    }

    // The next record; the number of records if there is none before one that has failed.
    std::size_t take() {
        const std::lock_guard<std::mutex> lock{mutex_};
        return (next_ < end_) ? next_++ : inputs_.size();
    }

    void note() {
        const std::lock_guard<std::mutex> lock{mutex_};
        done_ += 1U;
        report_(done_);
    }

    const std::vector<Tensors>& inputs_;
    RecordOptions options_;
    const MakeReplay& make_;
    const std::function<void(std::size_t done)>& report_;
    SideBySide result_;  // outputs: each worker writes those of its records
    std::mutex mutex_;   // of all that follows, and of the numbers in the result
    std::size_t next_{0U};
    std::size_t end_;  // the first record that has failed
    std::size_t done_{0U};
    std::exception_ptr failure_;  // of that record
};

}  // namespace

SideBySide replay_side_by_side(Replay& first, const std::vector<Tensors>& inputs, const RecordOptions& options,
                               std::uint32_t jobs, const MakeReplay& make,
                               const std::function<void(std::size_t done)>& done) {
    return ManyRecords{inputs, options, make, done}.replay(first, jobs);
}

}  // namespace pianola::cli
