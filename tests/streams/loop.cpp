// Programs as people write them: loops over a model, with fixed, new or alternating memory, traces, two queues, state,
// pipelines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "tests/streams/op_writer.h"

namespace pianola::streams {
namespace {

enum class Memory : std::uint8_t { kFixed, kFresh, kGivenBack, kTakesTurns };
enum class State : std::uint8_t { kNone, kByHost, kByProgram };
enum class Part : std::uint8_t { kInput, kConstant, kMiddle, kState };
using Ref = std::pair<Part, std::uint32_t>;

struct Shape {
    std::uint32_t turns{1U};
    std::uint32_t inputs{1U};
    std::uint32_t constants{0U};
    std::uint32_t layers{1U};
    Memory memory{Memory::kFixed};
    std::uint32_t sets{1U};  // that take turns
    State state{State::kNone};
    bool two_queues{false};
    bool queues_alternate{false};  // programs on both
    bool host_waits{false};        // instead of events
    bool traced{false};
    bool warm_up{false};
    bool pipelined{false};
    bool exchanged{false};  // of a pipeline: the first inputs lie in each other's buffers
    bool extra_behind{false};
};

// What a turn does, by the parts of an inference.
struct Action {
    Kind kind{Kind::kRun};
    Ref what{Part::kInput, 0U};  // written or read
    Code code{Code::kPlus};
    Ref left{Part::kInput, 0U};
    Ref right{Part::kInput, 0U};
    std::uint32_t first{0U};
    std::uint32_t count{kBytes};
    int constant{0};
    std::uint32_t role{kNobody};
    std::uint32_t queue{0U};
};

Shape random_shape(test::Random& random) {
    Shape shape;
    shape.turns = random.one_in(5U) ? 1U : (2U + random.below(8U));
    shape.inputs = 1U + random.below(3U);
    shape.constants = random.below(3U);
    shape.layers = 1U + random.below(5U);
    shape.two_queues = random.one_in(3U);
    shape.queues_alternate = shape.two_queues && random.one_in(2U);
    shape.host_waits = shape.two_queues && random.one_in(12U);
    shape.pipelined = (shape.turns > 2U) && random.one_in(5U);
    shape.exchanged = shape.pipelined && (shape.inputs > 1U) && random.one_in(3U);
    shape.traced = !shape.queues_alternate && random.one_in(4U);
    if (!shape.traced && !shape.pipelined) {
        constexpr std::array<Memory, 4> kMemories{Memory::kFixed, Memory::kFresh, Memory::kGivenBack,
                                                  Memory::kTakesTurns};
        shape.memory = kMemories.at(random.below(4U));
        shape.sets = (shape.memory == Memory::kTakesTurns) ? (2U + random.below(3U)) : 1U;
        shape.turns = (shape.sets > 1U) ? std::max(shape.turns, 2U * shape.sets) : shape.turns;
    }
    shape.state = random.one_in(6U) ? (random.one_in(3U) ? State::kByHost : State::kByProgram) : State::kNone;
    shape.warm_up = !shape.pipelined && random.one_in(6U);
    shape.extra_behind = random.one_in(16U);
    return shape;
}

class Maker : public OpWriter {
  public:
    using OpWriter::OpWriter;

    Program loop() {
        shape_ = random_shape(random_);
        made_.queues = shape_.two_queues ? 2U : 1U;
        host_waits_ = shape_.host_waits;
        made_.keeps_state = shape_.state != State::kNone;
        make_actions();
        set_up();
        emit_turns();
        if (shape_.extra_behind && (shape_.memory != Memory::kGivenBack)) {
            emit(actions_.back(), 0U);  // once more
        }
        made_.shape = fmt::format(
            "turns {} inputs {} layers {} memory {} sets {} state {} queues {}{}{}{}{}{}{}{}", shape_.turns,
            shape_.inputs, shape_.layers, static_cast<int>(shape_.memory), shape_.sets, static_cast<int>(shape_.state),
            made_.queues, shape_.queues_alternate ? " alternate" : "", shape_.host_waits ? " host waits" : "",
            shape_.traced ? " traced" : "", shape_.warm_up ? " warm-up" : "", shape_.pipelined ? " pipelined" : "",
            shape_.exchanged ? " exchanged" : "", shape_.extra_behind ? " extra" : "");
        return made_;
    }

  private:
    void make_actions() {
        const std::uint32_t transfers = shape_.two_queues ? 1U : 0U;
        std::uint32_t role = 0U;
        std::vector<Ref> there;
        const auto write = [&](std::uint32_t input, bool is_dead) {
            Action action;
            action.kind = Kind::kWrite;
            action.what = {Part::kInput, input};
            action.role = is_dead ? kNobody : role++;
            action.queue = transfers;
            actions_.push_back(action);
        };
        for (std::uint32_t i = 0U; i < shape_.inputs; ++i) {
            if (random_.one_in(10U)) {
                write(i, true);
            }
            write(i, false);
            there.emplace_back(Part::kInput, i);
        }
        for (std::uint32_t i = 0U; i < shape_.constants; ++i) {
            there.emplace_back(Part::kConstant, i);
        }
        last_ = there.front();
        for (std::uint32_t i = 0U; i < shape_.layers; ++i) {
            add_layer(i, there);
            // Written anew for the rest of the turn.
            if (!shape_.traced && !shape_.pipelined && ((i + 1U) < shape_.layers) && random_.one_in(10U)) {
                write(random_.below(shape_.inputs), false);
            }
        }
        if (shape_.state != State::kNone) {
            const Ref state{Part::kState, 0U};
            const Code code = random_.one_in(2U) ? Code::kMaximum : Code::kAdd;
            actions_.push_back({Kind::kRun, state, code, state, last_, 0U, kBytes, 0, kNobody, 0U});
            last_ = state;
        }
        read(last_);
        // In a pipeline the first part is a turn ahead.
        split_ = shape_.inputs;
        while ((split_ < actions_.size()) && (actions_[split_].kind == Kind::kWrite)) {
            split_ += 1U;
        }
        split_ += shape_.traced ? 0U : 1U;
    }

    void add_layer(std::uint32_t number, std::vector<Ref>& there) {
        const Launch like = random_launch(0U, 0U);
        Action action;
        action.code = like.code;
        action.constant = like.constant;
        action.left =
            (number == 0U) ? there.front() : there.at(random_.below(static_cast<std::uint32_t>(there.size())));
        action.right = there.at(random_.below(static_cast<std::uint32_t>(there.size())));
        action.queue = shape_.queues_alternate ? random_.below(2U) : 0U;
        const bool in_place = (number > 0U) && (action.left.first != Part::kConstant) && random_.one_in(5U);
        action.what = in_place ? action.left : Ref{Part::kMiddle, number};
        if (in_place && random_.one_in(3U)) {
            action.count = kBytes / 2U;
            action.first = random_.one_in(2U) ? action.count : 0U;
        }
        // Of a pipeline's second part: the first inputs are the next turn's by then.
        if (shape_.pipelined && (number == 0U)) {
            there = {action.what};
            for (std::uint32_t i = 0U; i < shape_.constants; ++i) {
                there.emplace_back(Part::kConstant, i);
            }
            action.right = (shape_.inputs > 1U) ? Ref{Part::kInput, 1U} : action.right;
        } else if (!in_place) {
            there.push_back(action.what);
        } else {
            // Known already.
        }
        last_ = action.what;
        actions_.push_back(action);
        if (!shape_.traced && (number > 0U) && random_.one_in(6U)) {
            read(action.what);
        }
    }

    void read(const Ref& what) {
        Action action;
        action.kind = Kind::kRead;
        action.what = what;
        action.role = reads_++;
        action.queue = (shape_.two_queues && random_.one_in(3U)) ? 1U : 0U;
        actions_.push_back(action);
    }

    void set_up() {
        for (std::uint32_t i = 0U; i < shape_.constants; ++i) {
            const std::uint32_t buffer = allocate();
            fixed_[{Part::kConstant, i}] = buffer;
            op(Kind::kWrite, 0U, buffer);
        }
        if (shape_.state != State::kNone) {
            const std::uint32_t state = allocate();
            fixed_[{Part::kState, 0U}] = state;
            const std::uint32_t first = (shape_.state == State::kByHost) ? state : allocate();
            op(Kind::kWrite, 0U, first);
            if (first != state) {
                Launch copy;
                copy.left = first;
                copy.output = state;
                op(Kind::kRun, 0U, 0U).launch = copy;
            }
        }
        sets_.resize(shape_.sets);
        if ((shape_.memory == Memory::kFixed) || (shape_.memory == Memory::kTakesTurns)) {
            for (auto& set : sets_) {
                allocate_all(set);
            }
        }
        if (shape_.traced) {
            std::vector<Launch> launches;
            for (const Action& action : actions_) {
                if (action.kind == Kind::kRun) {
                    launches.push_back(launch_of(action, 0U));
                }
            }
            append(Kind::kCaptureTrace, 0U, 0U).launches = launches;
        }
    }

    void allocate_all(std::map<Ref, std::uint32_t>& set) {
        for (std::uint32_t i = 0U; i < shape_.inputs; ++i) {
            set[{Part::kInput, i}] = allocate();
        }
        for (std::uint32_t i = 0U; i < shape_.layers; ++i) {
            set[{Part::kMiddle, i}] = allocate();
        }
    }

    std::uint32_t buffer_of(const Ref& ref, std::uint32_t turn) {
        const auto fixed = fixed_.find(ref);
        if (fixed != fixed_.end()) {
            return fixed->second;
        }
        auto& set = sets_.at(turn % sets_.size());
        Ref wanted = ref;
        if (is_exchanging_ && (ref.first == Part::kInput) && (ref.second < 2U)) {
            wanted.second = 1U - ref.second;
        }
        const auto found = set.find(wanted);
        return (found != set.end()) ? found->second : (set[wanted] = allocate());
    }

    Launch launch_of(const Action& action, std::uint32_t turn) {
        Launch launch;
        launch.code = action.code;
        launch.constant = action.constant;
        launch.left = buffer_of(action.left, turn);
        launch.right = (action.code == Code::kPlus) ? launch.left : buffer_of(action.right, turn);
        launch.output = buffer_of(action.what, turn);
        launch.count = action.count;
        launch.left_first = action.first;
        launch.right_first = action.first;
        launch.output_first = action.first;
        return launch;
    }

    void emit(const Action& action, std::uint32_t turn) {
        if (action.kind == Kind::kRun) {
            const Launch launch = launch_of(action, turn);
            op(Kind::kRun, action.queue, 0U).launch = launch;
            return;
        }
        const std::uint32_t buffer = buffer_of(action.what, turn);
        Op& made = op(action.kind, action.queue, buffer);
        made.role = action.role;
        made.is_data = (action.kind == Kind::kWrite) && !is_warming_up_;
    }

    // The actions from `first` to `last`.
    void emit_part(std::uint32_t turn, std::size_t first, std::size_t last, bool with_reads) {
        bool is_executed = false;
        for (std::size_t i = first; i < last; ++i) {
            const Action& action = actions_[i];
            if (shape_.traced && (action.kind == Kind::kRun)) {
                if (!is_executed) {
                    op(Kind::kExecuteTrace, 0U, 0U);
                }
                is_executed = true;
            } else if ((action.kind != Kind::kRead) || with_reads) {
                emit(action, turn);
            } else {
                // A turn that warms up.
            }
            give_back(turn, i);
        }
    }

    // Memory that no later action of the turn uses.
    void give_back(std::uint32_t turn, std::size_t done) {
        if (shape_.memory != Memory::kGivenBack) {
            return;
        }
        auto& set = sets_.at(turn % sets_.size());
        for (auto at = set.begin(); at != set.end();) {
            const Ref ref = at->first;
            const bool is_used = std::any_of(
                actions_.begin() + static_cast<std::ptrdiff_t>(done) + 1, actions_.end(), [&](const Action& action) {
                    const bool runs = action.kind == Kind::kRun;
                    return (action.what == ref) || (runs && ((action.left == ref) || (action.right == ref)));
                });
            if (!is_used) {
                append(Kind::kFree, 0U, at->second);
            }
            at = is_used ? std::next(at) : set.erase(at);
        }
    }

    void emit_turns() {
        const std::size_t all = actions_.size();
        if (shape_.warm_up) {
            is_warming_up_ = true;
            emit_part(0U, 0U, all, false);
            is_warming_up_ = false;
        }
        for (std::uint32_t turn = 0U; turn < shape_.turns; ++turn) {
            if (shape_.memory == Memory::kFresh) {
                allocate_all(sets_.front());
            }
            if (!shape_.pipelined) {
                emit_part(turn, 0U, all, true);
                continue;
            }
            if (turn > 0U) {
                emit_part(turn - 1U, split_, all, true);
            }
            is_exchanging_ = shape_.exchanged && (turn == 0U);
            emit_part(turn, 0U, split_, true);
            is_exchanging_ = false;
        }
        if (shape_.pipelined) {
            emit_part(shape_.turns - 1U, split_, all, true);
        }
    }

    Shape shape_;
    std::vector<Action> actions_;
    std::size_t split_{0U};
    Ref last_{Part::kInput, 0U};
    std::uint32_t reads_{0U};
    bool is_exchanging_{false};
    bool is_warming_up_{false};  // what it writes is no inference's, and may be set-up
    std::map<Ref, std::uint32_t> fixed_;
    std::vector<std::map<Ref, std::uint32_t>> sets_;
};

}  // namespace

Program make_loop(std::uint32_t seed) {
    return Maker{seed}.loop();
}

}  // namespace pianola::streams
