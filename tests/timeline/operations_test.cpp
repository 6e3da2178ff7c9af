// The table of operations, against arithmetic on the small workload; and that its columns leave nothing out.

#include "capture_host/timeline/operations.h"

#include <gtest/gtest.h>

#include "tests/timeline/subject.h"

namespace pianola::timeline {
namespace {

// The columns of a line, for one step.
using Columns = std::array<double, kTimeColumns.size()>;

Columns columns_of(const TimeSpent& spent, const Performance& performance) {
    Columns columns{};
    for (std::size_t i = 0U; i < columns.size(); ++i) {
        columns.at(i) = performance.per_step(spent.*kTimeColumns.at(i).cycles);
    }
    return columns;
}

void expect_lines(const Performance& performance, const std::vector<Columns>& lines) {
    ASSERT_EQ(performance.operations.size(), lines.size());
    for (std::size_t i = 0U; i < lines.size(); ++i) {
        EXPECT_EQ(columns_of(performance.operations[i].spent, performance), lines[i])
            << i << ": " << performance.operations[i].name;
    }
}

TEST(Operations, EagerByHand) {
    const Subject subject{1U};
    const double first = kFirst;
    const double second = kSecond;
    const double transfer = kTransfer;
    const double command = kCommand;
    // Doorbells at 50, 1050, 2050, 2100 and 2150 of each 2150. The second operation ends at 2190, the read at 2282, the
    // completion record at 2298, which is behind the next write's doorbell; that write ends at 2390, and the
    // doorbell of the next operation is at 3200.
    expect_lines(measure_operations(eager_pattern(subject.workload(), kSlowHost)).front(),
                 {{50.0, 0.0, 0.0, transfer, 0.0, 0.0},
                  {1000.0, 0.0, first, 0.0, 0.0, 3200.0 - 2390.0},
                  {1000.0, 0.0, second, 0.0, 0.0, 1000.0 - first},
                  {50.0, 0.0, 0.0, 0.0, transfer, 0.0},
                  {50.0, command, 0.0, 0.0, 0.0, 0.0}});
}

TEST(Operations, TracedByHand) {
    const Subject subject{1U};
    const double transfer = kTransfer;
    const double command = kCommand;
    // Replay, end and completion record in one line.
    expect_lines(measure_operations(traced_pattern(subject.workload(), kFree)).front(),
                 {{0.0, 0.0, 0.0, transfer, 0.0, 0.0},
                  {0.0, 3.0 * command, 0.0, 0.0, 0.0, 0.0},
                  {0.0, 0.0, double{kFirst}, 0.0, 0.0, 0.0},
                  {0.0, 0.0, double{kSecond}, 0.0, 0.0, 0.0},
                  {0.0, 0.0, 0.0, 0.0, transfer, 0.0}});
}

// On one queue its time is that of kernels, or of transfers, or of something else, or of nothing.
TEST(Operations, OfOneQueueAddUpToTheStep) {
    for (const Subject& subject : {Subject{1U}, Subject{on_cores(1U)}}) {
        for (const HostCost& cost : {kFree, kSlowHost}) {
            for (const Pattern& pattern :
                 {eager_pattern(subject.workload(), cost), traced_pattern(subject.workload(), cost)}) {
                const Performance performance = measure_operations(pattern).front();
                const TimeSpent total = performance.total();
                EXPECT_DOUBLE_EQ(performance.per_step(total.dispatch + total.kernel + total.to_device +
                                                      total.from_device + total.gap),
                                 performance.steady.cycles_per_step.value())
                    << pattern.name << ", " << cost.dispatch_ns << " ns";
            }
        }
    }
}

// Commands of one program are one operation, and the host makes it once.
TEST(Operations, OfSeveralCoresAreOneLineEach) {
    const Subject subject{on_cores(1U)};
    std::size_t operations = 0U;
    for (const TraceCommand& command : subject.workload().commands()) {
        operations = std::max<std::size_t>(operations, command.operation);
    }
    const Performance performance = measure_operations(eager_pattern(subject.workload(), kSlowHost)).front();
    EXPECT_EQ(performance.operations.size(), operations + 3U);  // write, read, completion record
    EXPECT_DOUBLE_EQ(performance.per_step(performance.total().host),
                     (1000.0 * static_cast<double>(operations)) + 150.0);
}

TEST(Operations, OfTheBinaryItselfAreTheModels) {
    for (const std::uint32_t queues : {1U, 2U}) {
        const Subject subject{queues};
        const std::vector<Performance> all =
            measure_operations(subject.file(), subject.device(), subject.workloads(), kFree);
        ASSERT_EQ(all.back().mode, "as-captured");
        const Performance model = measure_operations(session_pattern(subject.workload(), kFree)).front();
        EXPECT_EQ(columns_of(all.back().total(), all.back()), columns_of(model.total(), model)) << queues;
        EXPECT_EQ(all.size(), kModes.size() + 1U);
    }
}

}  // namespace
}  // namespace pianola::timeline
