// How many byte ranges the proof of a captured program needs, placement by placement: the smallest capacity with which
// the runtime takes the binary, found by asking it. The Python package's tests compare values over more placements.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/development_config.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "pianola_host/operations.h"
#include "pianola_host/workload_capture.h"

namespace pianola::tensor {
namespace {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] bool takes(const files::AlignedBytes& file, DeviceDescription device, std::uint32_t intervals) {
    Capacities capacities = *device.capacities;
    capacities.intervals = intervals;
    device.capacities = &capacities;
    const refdev::RefdevCommandSet command_set;
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    return is_ok(validate(file.view(), device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict));
}

[[nodiscard]] std::uint32_t ranges_of(const Bytes& captured, const DeviceDescription& device) {
    const files::AlignedBytes file{captured};
    std::uint32_t refused = 0U;
    std::uint32_t taken = device.capacities->intervals;
    EXPECT_TRUE(takes(file, device, taken));
    while ((taken - refused) > 1U) {
        const std::uint32_t middle = (refused + taken) / 2U;
        (takes(file, device, middle) ? taken : refused) = middle;
    }
    return taken;
}

[[nodiscard]] std::shared_ptr<host::Device> open_grid(std::uint32_t rows, std::uint32_t columns) {
    host::DeviceOptions options;
    options.spec.grid_rows = rows;
    options.spec.grid_columns = columns;
    options.trace_region_size = 256U * 1024U;
    return host::open_device(options);
}

// Input and output of a program that moves a tensor to a placement and back.
struct Moved {
    std::shared_ptr<host::Device> device;
    Tensor input;
    Tensor output;
    MemoryConfig memory;

    Moved(std::uint32_t rows, std::uint32_t columns, const Shape& shape, host::Layout layout)
        : device{open_grid(rows, columns)},
          input{full({shape, ElementType::kInt8, kDramInterleaved}, 0, device)},
          output{full({shape, ElementType::kInt8, kDramInterleaved}, 0, device)},
          memory{sharded(shape, host::all_cores(device->spec()), layout)} {}

    [[nodiscard]] Bytes step(const Bytes& bytes) const {
        copy_host_to_device(Tensor::on_host(input.spec(), bytes), input);
        static_cast<void>(reshard(to_memory_config(input, memory), output.memory_config(), output));
        return output.cpu().bytes();
    }
};

class PlacementsTest : public ::testing::TestWithParam<std::tuple<std::pair<int, int>, std::pair<int, int>, int>> {};

TEST_P(PlacementsTest, TheDefaultProfileHoldsTheRanges) {
    const auto& [grid, sides, layout] = GetParam();
    const Shape shape{static_cast<std::uint32_t>(sides.first), static_cast<std::uint32_t>(sides.second)};
    const Moved moved{static_cast<std::uint32_t>(grid.first), static_cast<std::uint32_t>(grid.second), shape,
                      static_cast<host::Layout>(layout)};
    Bytes bytes(std::size_t{shape[0]} * shape[1]);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1U});
    EXPECT_EQ(moved.step(bytes), bytes);
    host::WorkloadCapture capture{moved.device};
    EXPECT_EQ(moved.step(bytes), bytes);
    std::reverse(bytes.begin(), bytes.end());
    EXPECT_EQ(moved.step(bytes), bytes);
    const std::uint32_t ranges = ranges_of(capture.end().file, moved.device->spec());
    RecordProperty("ranges", static_cast<int>(ranges));  // --gtest_output=xml:FILE lists them
    EXPECT_LE(ranges, profiles::kDefault.intervals);
}

INSTANTIATE_TEST_SUITE_P(
    Grids, PlacementsTest,
    ::testing::Combine(::testing::Values(std::pair{2, 2}, std::pair{4, 4}, std::pair{4, 8}, std::pair{8, 8}),
                       ::testing::Values(std::pair{16, 32}, std::pair{64, 33}, std::pair{64, 64}, std::pair{128, 128}),
                       ::testing::Values(static_cast<int>(host::Layout::kHeightSharded),
                                         static_cast<int>(host::Layout::kWidthSharded),
                                         static_cast<int>(host::Layout::kBlockSharded))));

// The same between other placements: pages of interleaved L1, shards that meet no shard of the destination.
TEST(StagedCopy, KeepsEveryByte) {
    const auto device = open_grid(4U, 4U);
    const Shape shape{1031U, 17U};
    Bytes bytes(std::size_t{shape[0]} * shape[1]);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{3U});
    const auto all = host::all_cores(device->spec());
    const MemoryConfig pages{host::Layout::kInterleaved, host::Memory::kL1, std::nullopt};
    const std::vector<MemoryConfig> places{kDramInterleaved, pages, sharded(shape, all, host::Layout::kWidthSharded),
                                           sharded(shape, all, host::Layout::kBlockSharded),
                                           sharded(shape, all, host::Layout::kHeightSharded)};
    for (const MemoryConfig& from : places) {
        const Tensor source = Tensor::on_host({shape, ElementType::kInt8, kDramInterleaved}, bytes).to(device, from);
        for (const MemoryConfig& to : places) {
            EXPECT_EQ(to_memory_config(source, to).cpu().bytes(), bytes) << to_string(from) << " to " << to_string(to);
        }
    }
}

}  // namespace
}  // namespace pianola::tensor
