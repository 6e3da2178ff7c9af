// Random programs of the host API, without declarations and mostly without marks: each is captured, or refused with a
// remedy; what is captured replays byte for byte as the program ran, and on other inputs as the model of its loop says.
#include <fmt/format.h>

#include <array>
#include <random>

#include "tests/api/capture_support.h"
#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::Program;

constexpr std::uint32_t kBytes = 64U;

struct Shape {
    std::uint32_t turns{1U};   // of the loop; 1: there is none
    std::uint32_t inputs{1U};  // written in every turn
    std::uint32_t constants{0U};
    std::uint32_t programs{1U};
    bool new_memory{false};   // in every turn, kept or given back
    bool takes_turns{false};  // two sets of buffers
    bool two_queues{false};
    bool traced{false};   // the programs of a turn
    bool warm_up{false};  // a turn in front of the loop
    bool carries{false};  // an output goes on from the turn before
};

// One program of the host API, driven by its shape and a seed.
class Runner {
  public:
    // `data`: of what it writes in its turns.
    Runner(const Shape& shape, std::uint32_t seed, std::uint32_t data)
        : shape_{shape}, engine_{seed}, data_{data}, device_{open(shape.two_queues ? 2U : 1U)} {}

    host::CapturedWorkload capture() {
        host::WorkloadCapture capture{device_};
        run();
        return capture.end();
    }

    void run() {
        for (std::uint32_t i = 0U; i < shape_.constants; ++i) {
            constants_.push_back(device_->allocate(flat(kBytes)));
            device_->enqueue_write(0U, constants_.back(), view(pattern(kBytes, random(1000U))));
        }
        if (shape_.carries) {
            state_ = device_->allocate(flat(kBytes));
            Program clear = constant_program(state_, state_, 0);
            device_->enqueue_write(0U, state_, view(Bytes(kBytes)));
            device_->enqueue_program(0U, clear);
        }
        for (std::uint32_t i = 0U; i < (shape_.takes_turns ? 2U : 1U); ++i) {
            sets_.push_back(take());
        }
        const std::uint32_t seed = random(1U << 30U);
        if (shape_.traced) {
            capture_trace(seed);
        }
        if (shape_.warm_up) {
            read_.push_back(turn(0U, seed));
        }
        if (shape_.two_queues && (random(2U) == 0U)) {
            record_taken();
        }
        for (std::uint32_t i = 0U; i < shape_.turns; ++i) {
            read_.push_back(turn(i, seed));
        }
        for (const host::ReadHandle& handle : read_) {
            results.push_back(handle.data());
        }
    }

    std::vector<Bytes> given;  // in the loop's turns
    std::vector<Bytes> results;
    [[nodiscard]] const DeviceDescription& spec() const { return device_->spec(); }

  private:
    // Little memory: there are some ten thousand devices.
    static std::shared_ptr<host::Device> open(std::uint32_t queues) {
        host::DeviceOptions options = small_device(queues, 16U * 1024U);
        options.dispatch_area_bytes = 16U * 1024U;
        options.spec.dram_bytes = 128U * 1024U;
        options.spec.l1_bytes = 64U * 1024U;
        return host::open_device(options);
    }

    struct Set {
        std::vector<BufferPtr> inputs;
        std::vector<BufferPtr> middles;
    };

    [[nodiscard]] std::uint32_t random(std::uint32_t below) { return static_cast<std::uint32_t>(engine_() % below); }

    Set take() {
        Set set;
        for (std::uint32_t i = 0U; i < shape_.inputs; ++i) {
            set.inputs.push_back(device_->allocate(flat(kBytes)));
        }
        for (std::uint32_t i = 0U; i < shape_.programs; ++i) {
            set.middles.push_back(device_->allocate(flat(kBytes)));
        }
        return set;
    }

    // output = left + right of int8.
    static Program sum(const BufferPtr& left, const BufferPtr& right, const BufferPtr& output) {
        Program program{"sum"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{left, {}, 0U}, host::BufferArgument{right, {}, 0U},
                                  host::BufferArgument{output, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 1U});
        return program;
    }

    // The model: the same in every turn, whatever the memory.
    [[nodiscard]] std::vector<Program> model(const Set& set, std::uint32_t seed) const {
        std::mt19937 engine{seed};
        std::vector<BufferPtr> there = set.inputs;
        there.insert(there.end(), constants_.begin(), constants_.end());
        std::vector<Program> programs;
        for (std::uint32_t i = 0U; i < shape_.programs; ++i) {
            const BufferPtr& left = there.at((i == 0U) ? 0U : (engine() % there.size()));
            const BufferPtr& right = there.at(engine() % there.size());
            const BufferPtr& output = set.middles.at(i);
            programs.push_back(((engine() % 2U) == 0U) ? constant_program(left, output, static_cast<int>(engine() % 9U))
                                                       : sum(left, right, output));
            there.push_back(output);
        }
        if (shape_.carries) {
            programs.push_back(sum(state_, there.back(), state_));
        }
        return programs;
    }

    void capture_trace(std::uint32_t seed) {
        std::vector<Program> programs = model(sets_.front(), seed);
        for (Program& program : programs) {
            device_->compile(program);
        }
        trace_ = device_->begin_trace_capture(0U);
        for (Program& program : programs) {
            device_->enqueue_program(0U, program);
        }
        device_->end_trace_capture(0U, trace_);
    }

    host::ReadHandle turn(std::uint32_t number, std::uint32_t seed) {
        if (shape_.new_memory) {
            kept_.push_back(sets_.front());
            sets_.front() = take();
            if ((kept_.size() > 1U) && (random(2U) == 0U)) {
                kept_.erase(kept_.begin());
            }
        }
        const Set& set = sets_.at(number % sets_.size());
        const std::uint32_t writes = shape_.two_queues ? 1U : 0U;
        if (has_recorded_) {
            device_->wait_for_event(1U, taken_);
        }
        for (const BufferPtr& input : set.inputs) {
            given.push_back(pattern(kBytes, static_cast<std::uint32_t>(data_())));
            device_->enqueue_write(writes, input, view(given.back()));
        }
        if (shape_.two_queues) {
            device_->record_event(1U, written_);
            device_->wait_for_event(0U, written_);
        }
        if (shape_.traced) {
            device_->execute_trace(0U, trace_);
        } else {
            std::vector<Program> programs = model(set, seed);
            for (Program& program : programs) {
                device_->enqueue_program(0U, program);
            }
        }
        if (shape_.two_queues) {
            record_taken();
        }
        return device_->enqueue_read(0U, shape_.carries ? state_ : set.middles.back());
    }

    void record_taken() {
        device_->record_event(0U, taken_);
        has_recorded_ = true;
    }

    Shape shape_;
    std::mt19937 engine_;
    std::mt19937 data_;
    std::shared_ptr<host::Device> device_;
    host::EventId taken_{device_->create_event()};
    host::EventId written_{device_->create_event()};
    bool has_recorded_{false};
    std::vector<BufferPtr> constants_;
    BufferPtr state_;
    std::vector<Set> sets_;
    std::vector<Set> kept_;
    host::TraceId trace_;
    std::vector<host::ReadHandle> read_;
};

Shape random_shape(std::uint32_t seed) {
    std::mt19937 engine{seed};
    const auto random = [&engine](std::uint32_t below) { return static_cast<std::uint32_t>(engine() % below); };
    Shape shape;
    shape.turns = (random(4U) == 0U) ? 1U : (2U + random(7U));
    shape.inputs = 1U + random(3U);
    shape.constants = random(3U);
    shape.programs = 1U + random(4U);
    shape.traced = random(3U) == 0U;
    shape.new_memory = !shape.traced && (random(2U) == 0U);
    shape.takes_turns = !shape.traced && !shape.new_memory && (random(3U) == 0U);
    shape.two_queues = random(3U) == 0U;
    shape.warm_up = random(4U) == 0U;
    shape.carries = random(6U) == 0U;
    return shape;
}

// The last turns of a run, on a device of its own behind the runtime: with what it was given, what it has read.
void expect_replays(const host::CapturedWorkload& workload, const Runner& run) {
    const std::size_t inputs = workload.manifest.inputs.size();
    std::vector<std::vector<Bytes>> steps(run.given.size() / inputs);
    auto next = run.given.end() - static_cast<std::ptrdiff_t>(steps.size() * inputs);
    for (std::vector<Bytes>& step : steps) {
        step.assign(next, next + static_cast<std::ptrdiff_t>(inputs));
        next += static_cast<std::ptrdiff_t>(inputs);
    }
    std::vector<Bytes> replayed;
    for (const auto& step : host::replay_workload(workload, run.spec(), steps)) {
        replayed.insert(replayed.end(), step.begin(), step.end());
    }
    ASSERT_GE(replayed.size() + 2U, run.results.size());  // a turn too many of those that alternate, and the warm-up
    ASSERT_LE(replayed.size(), run.results.size());
    EXPECT_TRUE(std::equal(replayed.rbegin(), replayed.rend(), run.results.rbegin()));
}

TEST(RandomCaptures, AreTheProgramOrAreRefusedWithARemedy) {
    constexpr std::uint32_t kPrograms = 2000U;
    std::uint32_t captured = 0U;
    for (std::uint32_t seed = 1U; seed <= kPrograms; ++seed) {
        SCOPED_TRACE(seed);
        const Shape shape = random_shape(seed);
        Runner runner{shape, seed, seed};
        host::CapturedWorkload workload;
        try {
            workload = runner.capture();
        } catch (const host::HostError& error) {
            // State that the host gives its first contents, and loops that are too short.
            EXPECT_TRUE((error.rule() == host::HostRule::kCaptureContent) ||
                        (error.rule() == host::HostRule::kCaptureTensor))
                << error.what();
            continue;
        }
        captured += 1U;
        expect_replays(workload, runner);
        Runner other{shape, seed, seed + kPrograms};  // the same program, eager, on other data
        other.run();
        expect_replays(workload, other);
        ASSERT_FALSE(HasFailure());
    }
    RecordProperty("captured", static_cast<int>(captured));
    EXPECT_GE(captured, (kPrograms * 8U) / 10U);
}

}  // namespace
}  // namespace pianola::test
