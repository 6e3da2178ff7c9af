// Random programs of two queues, and every race of them as an order that is kept as sets of operations has it.
#include <array>
#include <optional>
#include <random>
#include <set>

#include "tests/api/trace_support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Program;
using host::TraceId;

enum class StepKind : std::uint8_t {
    kWrite,
    kRead,
    kProgram,
    kTrace,
    kReplace,  // a buffer, by one of another size
    kRecord,
    kWait,
    kFinish,
    kSynchronize,
    kEventSynchronize,
    kEventQuery,
    kData,
    kIsReady,
};
constexpr std::uint32_t kStepKinds = 13U;

struct Step {
    StepKind kind{StepKind::kWrite};
    std::uint32_t queue{0U};
    std::uint32_t first{0U};   // a buffer, event or handle
    std::uint32_t second{0U};  // a buffer; the 64 bytes of a new one
};

constexpr std::uint32_t kBuffers = 5U;
constexpr std::uint32_t kEvents = 3U;
constexpr std::uint32_t kTraces = 2U;

// Which operations come before which, as sets of their numbers.
class Order {
  public:
    using Operations = std::set<std::size_t>;

    // Whether it conflicts with one that need not come before it.
    [[nodiscard]] bool races(std::uint32_t queue, const std::set<std::uint64_t>& reads,
                             const std::set<std::uint64_t>& writes) const {
        const auto meet = [](const std::set<std::uint64_t>& left, const std::set<std::uint64_t>& right) {
            return std::any_of(left.begin(), left.end(), [&](std::uint64_t unit) { return right.count(unit) != 0U; });
        };
        for (std::size_t i = 0U; i < done_.size(); ++i) {
            if ((before_.at(queue).count(i) == 0U) &&
                (meet(writes, done_[i].reads) || meet(writes, done_[i].writes) || meet(reads, done_[i].writes))) {
                return true;
            }
        }
        return false;
    }
    void add(std::uint32_t queue, const std::set<std::uint64_t>& reads, const std::set<std::uint64_t>& writes) {
        before_.at(queue).insert(done_.size());
        done_.push_back({reads, writes});
    }
    [[nodiscard]] const Operations& now(std::uint32_t queue) const { return before_.at(queue); }
    void wait(std::uint32_t queue, const Operations& operations) {
        before_.at(queue).insert(operations.begin(), operations.end());
    }
    void complete(const Operations& operations) {
        wait(0U, operations);
        wait(1U, operations);
    }

  private:
    struct Done {
        std::set<std::uint64_t> reads;
        std::set<std::uint64_t> writes;
    };
    std::array<Operations, 2> before_;
    std::vector<Done> done_;
};

// Carries steps out on a device, and on the order beside it.
class Runner {
  public:
    Runner() {
        for (std::uint32_t i = 0U; i < kBuffers; ++i) {
            buffers_.push_back(device_->allocate(flat(kBufferBytes)));
        }
        for (std::uint32_t i = 0U; i < kEvents; ++i) {
            events_.push_back(device_->create_event());
        }
        for (std::uint32_t i = 0U; i < kTraces; ++i) {  // of buffers of their own, which stay
            traced_.push_back(device_->allocate(flat(kBufferBytes)));
        }
        for (std::uint32_t i = 0U; i < kTraces; ++i) {
            Program program = constant_program(traced_.at(i), traced_.at(1U - i), 1);
            traces_.push_back(captured(*device_, {&program}, i));
        }
        device_->synchronize();
    }

    // Whether the order has the step as a race. The device must say the same; it then has not carried it out.
    bool run(const Step& step) {
        switch (step.kind) {
            case StepKind::kWrite: {
                const BufferPtr& buffer = any_buffer(step.first);
                const Bytes data(buffer->size_bytes());
                return operate(step.queue, {}, units(*buffer),
                               [&] { device_->enqueue_write(step.queue, buffer, view(data)); });
            }
            case StepKind::kRead: {
                const BufferPtr& buffer = any_buffer(step.first);
                std::optional<host::ReadHandle> handle;
                const bool is_race = operate(step.queue, units(*buffer), {},
                                             [&] { handle = device_->enqueue_read(step.queue, buffer); });
                if (!is_race) {
                    reads_.push_back({*handle, order_.now(step.queue)});
                }
                return is_race;
            }
            case StepKind::kProgram: {
                const BufferPtr& input = buffers_.at(step.first % kBuffers);
                const BufferPtr& output = buffers_.at(step.second % kBuffers);
                if (input->size_bytes() != output->size_bytes()) {
                    return false;
                }
                Program program = constant_program(input, output, 1);
                return operate(step.queue, units(*input), units(*output),
                               [&] { device_->enqueue_program(step.queue, program); });
            }
            case StepKind::kTrace: {
                const std::uint32_t i = step.queue;  // on the queue that captured it
                return operate(i, units(*traced_.at(i)), units(*traced_.at(1U - i)),
                               [&] { device_->execute_trace(i, traces_.at(i)); });
            }
            case StepKind::kReplace: {
                BufferPtr& buffer = buffers_.at(step.first % kBuffers);
                device_->deallocate(buffer);
                buffer = device_->allocate(flat(std::uint64_t{kBufferBytes} * (1U + (step.second % 3U))));
                return false;
            }
            default:
                synchronise(step);
                return false;
        }
    }

  private:
    struct Recorded {
        Order::Operations operations;
        std::uint32_t queue{0U};
    };
    struct Read {
        host::ReadHandle handle;
        Order::Operations operations;
    };

    void synchronise(const Step& step) {
        const std::size_t at = step.first % kEvents;
        std::optional<Recorded>& record = recorded_.at(at);
        if (step.kind == StepKind::kRecord) {
            device_->record_event(step.queue, events_.at(at));
            record = Recorded{order_.now(step.queue), step.queue};
        } else if (step.kind == StepKind::kFinish) {
            device_->finish(step.queue);
            order_.complete(Order::Operations{order_.now(step.queue)});
        } else if (step.kind == StepKind::kSynchronize) {
            device_->synchronize();
            order_.complete(Order::Operations{order_.now(0U)});
            order_.complete(Order::Operations{order_.now(1U)});
        } else if ((step.kind == StepKind::kData) || (step.kind == StepKind::kIsReady)) {
            if (!reads_.empty()) {
                const Read& read = reads_.at(step.first % reads_.size());
                if ((step.kind == StepKind::kData) ? !read.handle.data().empty() : read.handle.is_ready()) {
                    order_.complete(read.operations);
                }
            }
        } else if (record.has_value()) {
            synchronise_by_event(step, *record, events_.at(at));
        }
    }

    void synchronise_by_event(const Step& step, const Recorded& record, host::EventId event) {
        if (step.kind == StepKind::kWait) {
            device_->wait_for_event(step.queue, event);
            order_.wait(step.queue, record.operations);
        } else if (step.kind == StepKind::kEventSynchronize) {
            device_->event_synchronize(event);
            order_.complete(record.operations);
        } else if (device_->event_query(event)) {
            order_.complete(record.operations);
        }
    }

    template <typename Enqueue>
    bool operate(std::uint32_t queue, const std::set<std::uint64_t>& reads, const std::set<std::uint64_t>& writes,
                 const Enqueue& enqueue) {
        const bool is_race = order_.races(queue, reads, writes);
        try {
            enqueue();
            EXPECT_FALSE(is_race) << "a race was not reported";
            order_.add(queue, reads, writes);
        } catch (const host::HostError& error) {
            EXPECT_EQ(error.rule(), HostRule::kRace) << error.what();
            EXPECT_TRUE(is_race) << error.what();
        }
        return is_race;
    }

    [[nodiscard]] const BufferPtr& any_buffer(std::uint32_t number) const {
        const std::uint32_t i = number % (kBuffers + kTraces);
        return (i < kBuffers) ? buffers_.at(i) : traced_.at(i - kBuffers);
    }
    [[nodiscard]] static std::set<std::uint64_t> units(const host::Buffer& buffer) {
        std::set<std::uint64_t> set;
        for (const host::AddressRange& run : buffer.runs()) {
            for (std::uint64_t at = run.address; at < (std::uint64_t{run.address} + run.bytes); at += kBufferBytes) {
                set.insert(at / kBufferBytes);
            }
        }
        return set;
    }

    std::shared_ptr<host::Device> device_{host::open_device(small_device(2U))};
    std::vector<BufferPtr> buffers_;
    std::vector<BufferPtr> traced_;
    std::vector<host::EventId> events_;
    std::vector<TraceId> traces_;
    std::array<std::optional<Recorded>, kEvents> recorded_;
    std::vector<Read> reads_;
    Order order_;
};

using Steps = std::vector<Step>;

// How many of the steps race.
std::uint32_t races_of(const Steps& steps) {
    Runner runner;
    return static_cast<std::uint32_t>(
        std::count_if(steps.begin(), steps.end(), [&runner](const Step& step) { return runner.run(step); }));
}

Steps random_steps(std::uint32_t seed) {
    std::mt19937 engine{seed};
    const auto random = [&engine](std::uint32_t below) { return static_cast<std::uint32_t>(engine() % below); };
    Steps steps;
    for (std::uint32_t i = 0U; i < 40U; ++i) {
        const std::uint32_t kind = random(2U * kStepKinds);
        steps.push_back(
            {static_cast<StepKind>((kind < kStepKinds) ? kind : (kind % 5U)), random(2U), random(64U), random(64U)});
    }
    return steps;
}

// The steps with a record and a wait in front of each that races; and where those waits are.
Steps ordered(const Steps& steps, std::vector<std::size_t>& waits) {
    Runner runner;
    Steps right;
    for (const Step& step : steps) {
        if (runner.run(step)) {
            const std::uint32_t event = static_cast<std::uint32_t>(right.size());
            for (const Step& each : {Step{StepKind::kRecord, 1U - step.queue, event, 0U},
                                     Step{StepKind::kWait, step.queue, event, 0U}, step}) {
                EXPECT_FALSE(runner.run(each));
                right.push_back(each);
            }
            waits.push_back(right.size() - 2U);
        } else {
            right.push_back(step);
        }
    }
    return right;
}

TEST(RandomRaces, AreReportedAndNothingElseIs) {
    std::uint32_t races = 0U;
    const std::uint32_t programs = here_or_on_vulkan(500U, 10U);
    for (std::uint32_t seed = 1U; seed <= programs; ++seed) {
        SCOPED_TRACE(seed);
        races += races_of(random_steps(seed));
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_GT(races, 2U * programs);
}

TEST(RandomRaces, OfARightProgramThereAreNoneUntilAWaitIsTakenOut) {
    std::uint32_t right = 0U;
    std::uint32_t wrong = 0U;
    const std::uint32_t programs = here_or_on_vulkan(600U, 6U);
    for (std::uint32_t seed = 1001U; seed <= 1000U + programs; ++seed) {
        SCOPED_TRACE(seed);
        std::vector<std::size_t> waits;
        const Steps steps = ordered(random_steps(seed), waits);
        EXPECT_EQ(races_of(steps), 0U);
        right += 1U;
        if (!waits.empty()) {
            Steps without{steps};
            without.erase(without.begin() + static_cast<std::ptrdiff_t>(waits.at(seed % waits.size())));
            wrong += (races_of(without) != 0U) ? 1U : 0U;
        }
        ASSERT_FALSE(HasFailure());
    }
    EXPECT_EQ(right, programs);
    EXPECT_GE(wrong, programs / 3U);
}

}  // namespace
}  // namespace pianola::test
