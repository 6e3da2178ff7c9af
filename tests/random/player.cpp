#include "tests/random/player.h"

#include <algorithm>
#include <exception>

#include "pianola_host/files.h"
#include "tests/random/binary.h"
#include "tests/random/maker.h"
#include "tests/support/workload.h"

namespace pianola::programs {
namespace {

constexpr std::uint8_t kGarbage = 0xC9U;

Tensors random_tensors(test::Random& random, const std::vector<Pieces>& shapes) {
    Tensors tensors;
    for (const Pieces& pieces : shapes) {
        Bytes& tensor = tensors.emplace_back(bytes_of(pieces));
        for (std::uint8_t& byte : tensor) {
            byte = random.byte();
        }
    }
    return tensors;
}

Tensors zero_tensors(const std::vector<Pieces>& shapes) {
    Tensors tensors;
    for (const Pieces& pieces : shapes) {
        tensors.emplace_back(bytes_of(pieces));
    }
    return tensors;
}

// One inference, as a self-test replays it; `started`: the prologue has run.
Tensors infer(Emulator& emulator, const Program& program, const Tensors& inputs, bool started) {
    if (program.is_pipelined) {
        static_cast<void>(emulator.run(program.prologue, inputs));
        static_cast<void>(emulator.run(program.step, inputs));
        return emulator.run(program.epilogue, {});
    }
    if (!started) {
        static_cast<void>(emulator.run(program.prologue, {}));
    }
    return emulator.run(program.step, inputs);
}

// Tensors as a session takes them.
struct Given {
    explicit Given(const Tensors& tensors) {
        for (const Bytes& tensor : tensors) {
            spans.emplace_back(tensor.data(), tensor.size());
        }
    }
    [[nodiscard]] Span<const ByteSpan> view() const { return {spans.data(), spans.size()}; }
    std::vector<ByteSpan> spans;
};
struct Taken {
    explicit Taken(Tensors& tensors) {
        for (Bytes& tensor : tensors) {
            spans.emplace_back(tensor.data(), tensor.size());
        }
    }
    [[nodiscard]] Span<const MutableByteSpan> view() const { return {spans.data(), spans.size()}; }
    std::vector<MutableByteSpan> spans;
};

// A call that failed, or bytes that differ.
class Failed : public std::exception {
  public:
    explicit Failed(bool is_fault) : is_fault_{is_fault} {}
    [[nodiscard]] bool is_fault() const noexcept { return is_fault_; }

  private:
    bool is_fault_;
};

void require(Status status) {
    if (!is_ok(status)) {
        throw Failed{true};
    }
}

void require_equal(bool equal) {
    if (!equal) {
        throw Failed{false};
    }
}

}  // namespace

// From load to the last step.
class Player::Run {
  public:
    Run(test::Bench& bench, const Program& program, const Emulator& emulator, test::Random& random, bool with_views,
        Counts& counts)
        : session_{bench.session},
          program_{program},
          emulator_{emulator},
          random_{random},
          with_views_{with_views && bench.session.has_views()},
          counts_{counts},
          held_{zero_tensors(program.inputs)},
          has_prologue_{!program.prologue.empty()},
          started_{!has_prologue_} {}

    void play() {
        if (!program_.self_tests.empty()) {
            self_test_where_it_holds();
        }
        for (std::uint32_t steps = 4U + random_.below(3U); steps > 0U; --steps) {
            change_parameters();
            if (random_.one_in(8U)) {
                self_test_where_it_holds();
            }
            program_.is_pipelined ? play_pipelined() : play_step();
            if (random_.one_in(4U)) {
                stop();
            }
        }
        stop();
    }

  private:
    void self_test_where_it_holds() {
        if (program_.self_tests.empty() || (program_.is_pipelined && started_)) {
            return;
        }
        const bool is_reset = has_prologue_ && !program_.is_pipelined;
        Emulator ahead = emulator_;
        if (is_reset) {
            reset(ahead, started_, has_stepped_);
        }
        const Tensors& inputs = program_.self_tests.front()[0];
        if (infer(ahead, program_, inputs, started_ || is_reset) != program_.self_tests.front()[1]) {
            return;  // it depends on what came before
        }
        if (is_reset) {
            reset(ahead, true, true);
        }
        emulator_ = ahead;
        Bytes scratch(session_.output_bytes());
        require(session_.self_test(0U, {scratch.data(), scratch.size()}));
        started_ = started_ || !program_.is_pipelined;
        has_stepped_ = !program_.is_pipelined && !is_reset;
        held_ = inputs;
        counts_.self_tests += 1U;
    }

    // What a session does around the self-tests of a binary whose prologue gives state its first contents.
    void reset(Emulator& emulator, bool is_started, bool has_stepped) const {
        if (has_stepped) {
            static_cast<void>(emulator.run(program_.epilogue, {}));
        }
        if (has_stepped || !is_started) {
            static_cast<void>(emulator.run(program_.prologue, {}));
        }
    }

    void change_parameters() {
        if (program_.parameters.empty() || random_.one_in(2U)) {
            return;
        }
        const std::uint32_t index = random_.below(static_cast<std::uint32_t>(program_.parameters.size()));
        const Parameter& parameter = program_.parameters.at(index);
        const std::uint32_t choices = ((parameter.maximum - parameter.minimum) / parameter.alignment) + 1U;
        const std::uint32_t value = parameter.minimum + (parameter.alignment * random_.below(choices));
        const std::array<Session::ParameterValue, 1> values{{{index, value}}};
        require(session_.set_parameters(Span<const Session::ParameterValue>{values}));
        emulator_.set_parameter(index, value);
    }

    void start(const Tensors& inputs) {
        if (started_) {
            return;
        }
        static_cast<void>(emulator_.run(program_.prologue, inputs));
        const Given given{inputs};
        require(session_.start(given.view()));
        require(session_.wait());
        started_ = true;
        has_stepped_ = false;
    }

    void stop() {
        if (!has_stepped_ || !started_ || (program_.prologue.empty() && program_.epilogue.empty())) {
            return;
        }
        const Tensors expected = emulator_.run(program_.epilogue, {});
        Tensors outputs = program_.is_pipelined ? zero_tensors(program_.outputs) : Tensors{};
        const Taken taken{outputs};
        require(session_.stop(taken.view()));
        require(session_.wait());
        require_equal(!program_.is_pipelined || (outputs == expected));
        started_ = !has_prologue_;
        has_stepped_ = false;
    }

    void play_step() {
        start({});
        if (with_views_ && !random_.one_in(3U)) {
            step_on_views();
        } else {
            step_by_transfers();
        }
        has_stepped_ = true;
    }

    void play_pipelined() {
        start(random_tensors(random_, program_.inputs));
        step_by_transfers();
        has_stepped_ = true;
    }

    void step_by_transfers() {
        const std::uint32_t at_once = ((program_.in_flight > 1U) && random_.one_in(2U)) ? 2U : 1U;
        std::array<Tensors, 2> inputs;
        std::array<Tensors, 2> outputs;
        std::array<Tensors, 2> expected;
        for (std::uint32_t i = 0U; i < at_once; ++i) {
            inputs.at(i) = random_tensors(random_, program_.inputs);
            outputs.at(i) = zero_tensors(program_.outputs);
            expected.at(i) = emulator_.run(program_.step, inputs.at(i));
            const Given given{inputs.at(i)};
            const Taken taken{outputs.at(i)};
            require(session_.submit(given.view(), taken.view()));
            held_ = inputs.at(i);
        }
        for (std::uint32_t i = 0U; i < at_once; ++i) {
            require(session_.wait());
            require_equal(outputs.at(i) == expected.at(i));
        }
        (at_once > 1U ? counts_.steps_in_pairs : counts_.steps) += at_once;
        if (with_views_ && random_.one_in(2U)) {
            require_views(expected.at(at_once - 1U));
        }
    }

    // Of the inputs some are written, some in part, and some not at all: they hold what they held.
    void step_on_views() {
        for (std::uint32_t i = 0U; i < program_.inputs.size(); ++i) {
            MutableByteSpan view;
            require(session_.input_view(i, view));
            require_equal(std::equal(view.begin(), view.end(), held_.at(i).begin(), held_.at(i).end()));
            const bool in_part = random_.one_in(6U);
            for (std::size_t k = random_.one_in(6U) ? view.size() : 0U; k < view.size(); ++k) {
                if (!in_part || random_.one_in(2U)) {
                    view[k] = random_.byte();
                    held_.at(i).at(k) = view[k];
                }
            }
        }
        const Tensors expected = emulator_.run(program_.step, held_);
        require(session_.submit());
        require(session_.wait());
        require_views(expected);
        counts_.steps_on_views += 1U;
    }

    void require_views(const Tensors& expected) const {
        for (std::uint32_t i = 0U; i < program_.outputs.size(); ++i) {
            ByteSpan view;
            require(session_.output_view(i, view));
            require_equal(std::equal(view.begin(), view.end(), expected.at(i).begin(), expected.at(i).end()));
        }
    }

    Session& session_;
    const Program& program_;
    Emulator emulator_;
    test::Random& random_;
    bool with_views_;
    Counts& counts_;
    Tensors held_;  // by the inputs' views
    bool has_prologue_;
    bool started_;
    bool has_stepped_{false};
};

sim::SimOptions Player::options() {
    sim::SimOptions options;
    options.spec = test::small_device();
    return options;
}

bool Player::play(std::uint32_t seed, Counts& counts) {
    test::Random random{seed};
    Program program = make_program(random);
    Bytes file = binary_of(program);
    counts.programs += 1U;
    if (random.one_in(4U)) {
        Emulator first{program, file, kGarbage, lie_};
        const Tensors inputs = random_tensors(random, program.inputs);
        program.self_tests.push_back({inputs, infer(first, program, inputs, program.prologue.empty())});
        file = binary_of(program);
    }
    const files::AlignedBytes bytes{file};
    const Emulator emulator{program, file, kGarbage, lie_};
    for (const bool with_views : {false, true}) {
        const Status loaded = bench_->load(bytes.view());
        if (loaded == Status::kRefused) {
            counts.refused[rule_id(bench_->verdict.rule)] += 1U;
            return true;
        }
        if (!with_views) {
            counts.accepted += 1U;
            counts.views += bench_->session.has_views() ? 1U : 0U;
            counts.in_flight += (program.in_flight > 1U) ? 1U : 0U;
            counts.pipelined += program.is_pipelined ? 1U : 0U;
            counts.two_queues += (program.queues > 1U) ? 1U : 0U;
            counts.dispatches += program.dispatches ? 1U : 0U;
            counts.parameters += program.parameters.empty() ? 0U : 1U;
            counts.answers[static_cast<std::uint32_t>(bench_->session.plan().views.answer)] += 1U;
        }
        try {
            require(loaded);
            Run{*bench_, program, emulator, random, with_views, counts}.play();
        } catch (const Failed& failed) {
            (failed.is_fault() ? counts.faults : counts.wrong) += 1U;
            bench_ = std::make_unique<test::Bench>(options());
            return false;
        }
    }
    return true;
}

void Counts::add(const Counts& other) {
    programs += other.programs;
    accepted += other.accepted;
    wrong += other.wrong;
    faults += other.faults;
    views += other.views;
    in_flight += other.in_flight;
    pipelined += other.pipelined;
    two_queues += other.two_queues;
    dispatches += other.dispatches;
    parameters += other.parameters;
    self_tests += other.self_tests;
    steps += other.steps;
    steps_on_views += other.steps_on_views;
    steps_in_pairs += other.steps_in_pairs;
    for (const auto& [rule, count] : other.refused) {
        refused[rule] += count;
    }
    for (const auto& [answer, count] : other.answers) {
        answers[answer] += count;
    }
}

}  // namespace pianola::programs
