// A capacity that is one too small is refused wherever in a file it ends, and what is enough stays enough.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/proofs/generator.h"
#include "tests/proofs/patterns.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/verifies.h"

namespace pianola::test {
namespace {

// A device with capacities of its own, and a file that it takes.
struct Taken {
    explicit Taken(const std::vector<std::uint8_t>& bytes, const DeviceDescription& of = default_device())
        : file{bytes}, device{of} {
        // What the file's size would add to its work is taken away: then it is exactly `work_of_file`.
        capacities.work_of_block = 0U;
        capacities.work_of_file = UINT32_MAX;
    }

    Status validate() {
        device.capacities = &capacities;
        validator = std::make_unique<Validator>(device);
        return validator->validate_behind_digest(file.view());
    }
    [[nodiscard]] const Verdict& verdict() const { return validator->verdict(); }

    files::AlignedBytes file;
    DeviceDescription device;
    Capacities capacities{kCapacities};
    std::unique_ptr<Validator> validator;
};

// One file of each kind of proof: tensors in pieces, prologue and epilogue, both queues, dispatches, parameters; and
// random ones.
std::vector<Taken> taken_files() {
    std::vector<Taken> taken;
    for (const AcceptedCase& accepted : accepted_cases()) {
        taken.emplace_back(accepted.file);
    }
    DeviceDescription small;
    refdev::describe(small_device(), small);
    for (const auto script : {script_one_queue, script_pattern_one, script_pattern_two}) {
        SmallCase plain = plain_memory(3U, 3U, 3U);
        script(plain);
        taken.emplace_back(binary_of(plain), small);
    }
    constexpr std::uint32_t kRandomCases = 400U;
    Random random{11U};
    for (std::uint32_t i = 0U; i < kRandomCases; ++i) {
        taken.emplace_back(binary_of(random_case(random, (i % 2U) == 0U ? Origin::kPattern : Origin::kOrdered)), small);
        if (!is_ok(taken.back().validate())) {
            taken.pop_back();
        }
    }
    return taken;
}

// One byte of many in a row, beside the last: neither joins with another.
struct EveryOtherByte {
    std::uint32_t base;

    [[nodiscard]] std::uint32_t at(std::uint32_t index) const { return base + (2U * index); }
};

// The workload with that in front of its trace. Activations are from `activations()` on.
class LongTrace {
  public:
    explicit LongTrace(std::uint32_t queues) : workload_{make_workload(queues)} {
        workload_.manifest.regions.at(3U).size_bytes = 16U * 1024U;
    }
    [[nodiscard]] std::uint32_t activations() const { return workload_.manifest.regions.at(3U).base; }
    void add(const refdev::Words& command) { refdev::append(words_, command); }
    [[nodiscard]] Taken file() {
        refdev::append(words_, words_of(workload_.segments.traces));
        EXPECT_TRUE(set_trace(workload_, words_));
        return Taken{workload_.file()};
    }

  private:
    Workload workload_;
    refdev::Words words_;
};

// Both queues at work, and so many ranges that moving them takes work of its own: fills, then copies of what was
// filled.
Taken file_with_many_ranges() {
    constexpr std::uint32_t kRanges = kRangesPerExtent + (2U * kRangesPerWork);
    LongTrace trace{2U};
    const EveryOtherByte filled{trace.activations() + 1024U};
    const EveryOtherByte copied{trace.activations() + 2048U};
    for (std::uint32_t i = 0U; i < kRanges; ++i) {
        trace.add(refdev::fill_words(filled.at(i), 1U, 0U));
    }
    for (std::uint32_t i = 0U; i < kRanges; ++i) {
        trace.add(refdev::copy_words(copied.at(i), filled.at(i), 1U));
    }
    return trace.file();
}

constexpr std::uint32_t kDispatches = 2U * kRangesPerWork;

// Dispatches to one core after the other, without a barrier: each is compared with what all have touched.
Taken file_with_many_dispatches() {
    LongTrace trace{1U};
    const EveryOtherByte read{trace.activations() + 1024U};
    const EveryOtherByte written{trace.activations() + 2048U};
    trace.add(refdev::fill_words(read.base, 2U * kDispatches, 0U));
    for (std::uint32_t i = 0U; i < kDispatches; ++i) {
        refdev::RequantizeArguments arguments{};
        arguments.input = read.at(i);
        arguments.output = written.at(i);
        arguments.count = 1U;
        arguments.multiplier = 1 << 30;
        trace.add(refdev::dispatch_words(i % 2U, refdev::KernelId::kRequantize, refdev::to_words(arguments)));
    }
    return trace.file();
}

// Gives the file all amounts of work that are one too few for something, until it is accepted: it is refused at the
// very place where the work ends, and says how much it takes up to there. How often at which place.
std::map<std::string, std::uint32_t> ends_of_work(Taken& taken) {
    std::map<std::string, std::uint32_t> ends;
    std::uint32_t& work = taken.capacities.work_of_file;
    work = 0U;
    while (!is_ok(taken.validate()) && (taken.verdict().actual > work)) {
        EXPECT_EQ(taken.verdict().rule, Rule::kCapWork) << rule_id(taken.verdict().rule);
        EXPECT_EQ(taken.verdict().limit, work);
        const auto needed = static_cast<std::uint32_t>(taken.verdict().actual);
        const std::string place = path_text(taken.verdict());
        ends[place] += 1U;
        work = needed - 1U;
        EXPECT_EQ(taken.validate(), Status::kRefused);
        EXPECT_EQ(path_text(taken.verdict()), place);
        EXPECT_EQ(taken.verdict().actual, needed);
        work = needed;
    }
    EXPECT_EQ(taken.verdict().status, Status::kOk);
    return ends;
}

TEST(Shortage, OfOneUnitOfWorkIsRefusedWhereverItEnds) {
    verifies({"swr~capacities~1"});
    std::set<std::string> places;
    for (Taken& taken : taken_files()) {
        for (const auto& [place, times] : ends_of_work(taken)) {
            places.insert(place);
        }
    }
    EXPECT_GT(places.size(), 10U);
}

// Queue 1 waits for queue 0, which has read and written the ranges: both are moved, in each of the two steps that are
// looked at.
TEST(Shortage, OfWorkToMoveRangesIsRefusedAtTheWait) {
    Taken taken = file_with_many_ranges();
    std::map<std::string, std::uint32_t> ends = ends_of_work(taken);
    EXPECT_EQ(ends["scripts[1].commands[5]"], 4U);
}

// The first dispatches find few ranges, which take no work to compare with; every later one asks for its input and for
// its output.
TEST(Shortage, OfWorkToCompareCoresIsRefusedAtTheDispatch) {
    Taken taken = file_with_many_dispatches();
    std::map<std::string, std::uint32_t> ends = ends_of_work(taken);
    constexpr std::uint32_t kFirst = 1U;  // behind the fill
    EXPECT_EQ(ends["traces[0].commands[" + std::to_string(kFirst) + "]"], 3U) << "the command, its two extents";
    EXPECT_EQ(ends["traces[0].commands[" + std::to_string(kFirst + kDispatches - 1U) + "]"], 5U)
        << "and the ranges that each is compared with";
}

// The same for ranges. How many a file takes is found; what is enough stays enough.
TEST(Shortage, OfOneRangeIsRefusedWhereverItEnds) {
    verifies({"swr~capacities~1"});
    constexpr std::uint32_t kMost = 24U;  // of these files
    std::set<std::string> places;
    for (Taken& taken : taken_files()) {
        std::uint32_t refused = 0U;
        for (std::uint32_t ranges = 0U; ranges <= kMost; ++ranges) {
            taken.capacities.intervals = ranges;
            if (is_ok(taken.validate())) {
                continue;
            }
            EXPECT_EQ(refused, ranges) << "fewer were enough";
            refused = ranges + 1U;
            ASSERT_EQ(taken.verdict().rule, Rule::kCapIntervals) << rule_id(taken.verdict().rule);
            EXPECT_EQ(taken.verdict().actual, ranges + 1U);
            EXPECT_EQ(taken.verdict().limit, ranges);
            places.insert(path_text(taken.verdict()));
        }
        EXPECT_GT(refused, 0U);
        EXPECT_LT(refused, kMost);
    }
    EXPECT_GT(places.size(), 10U);
}

}  // namespace
}  // namespace pianola::test
